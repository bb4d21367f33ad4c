//! Everything that can go wrong in the core. The binding turns each variant into one Ruby class.

use thiserror::Error as ThisError;

pub type Result<T> = std::result::Result<T, Error>;

/// No variant ever carries a password: its text ends in logs and in the failed page.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// Nothing of the caller's was sent, so trying again is always safe.
    #[error("cannot connect to Redis at {address}: {reason}")]
    CannotConnect { address: String, reason: String },

    /// The command was on its way, and whether it ran is unknown.
    #[error("lost the connection to Redis at {address}, and the command may or may not have run: {reason}")]
    ConnectionLost { address: String, reason: String },

    /// The command was on its way, and whether it ran, or will, is unknown.
    #[error(
        "Redis at {address} took longer than {seconds} s, and the command may or may not have run; \
         raise the client's timeout, or look for what keeps the server busy (SLOWLOG GET)"
    )]
    Timeout { address: String, seconds: f64 },

    /// The server's own text, its code first: `NOSCRIPT No matching script. …`.
    #[error("{0}")]
    Command(String),

    #[error("cannot understand the reply of Redis: {0}")]
    Protocol(String),

    #[error("{0}")]
    Argument(String),
}

impl Error {
    /// An error reply, put together again as the server wrote it.
    pub fn from_reply(code: &str, details: Option<&str>) -> Self {
        Self::Command(match details {
            Some(details) => format!("{code} {details}"),
            None => code.to_owned(),
        })
    }
}
