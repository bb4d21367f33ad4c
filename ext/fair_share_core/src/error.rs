//! The errors of the core. The binding maps each variant to a Ruby class.

use thiserror::Error as ThisError;

pub type Result<T> = std::result::Result<T, Error>;

/// No variant may contain a password: its text goes to logs and to Resque's page of failed jobs.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum Error {
    /// No command of the caller was sent, so a repeat is always safe.
    #[error("cannot connect to Redis at {address}: {reason}")]
    CannotConnect { address: String, reason: String },

    /// The command was sent. Whether it ran is not known.
    #[error("lost the connection to Redis at {address}, and the command may or may not have run: {reason}")]
    ConnectionLost { address: String, reason: String },

    /// The command was sent. Whether it ran, or still will, is not known.
    #[error(
        "Redis at {address} took longer than {seconds} s, and the command may or may not have run; \
         raise the client's timeout, or find what keeps the server busy (SLOWLOG GET)"
    )]
    Timeout { address: String, seconds: f64 },

    /// The server's error text, which starts with the code: `NOSCRIPT No matching script. …`.
    #[error("{0}")]
    Command(String),

    #[error("cannot understand Redis's reply: {0}")]
    Protocol(String),

    #[error("{0}")]
    Argument(String),
}

impl Error {
    /// An error reply of the server, with its code and its details joined again.
    pub fn from_reply(code: &str, details: Option<&str>) -> Self {
        Self::Command(match details {
            Some(details) => format!("{code} {details}"),
            None => code.to_owned(),
        })
    }
}
