//! The errors of the core. The binding maps each variant to a Ruby class.

use thiserror::Error as ThisError;

pub type Result<T> = std::result::Result<T, Error>;

/// What a server answers while it can't serve, whatever it is asked. It has done nothing then, and will do it later.
const OUTAGES: [&str; 11] = [
    "LOADING",
    "MASTERDOWN",
    "READONLY",
    "BUSY",
    "UNKILLABLE",
    "OOM",
    "NOREPLICAS",
    "MISCONF",
    "TRYAGAIN",
    "CLUSTERDOWN",
    "ERR max number of clients",
];

/// Those that another server may not give: a failover gave the name, or the role of master, to another.
const MOVED: [&str; 3] = ["READONLY", "MASTERDOWN", "LOADING"];

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

    /// Whether the server says of itself that it can't serve now.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Command(text) if is_outage(text))
    }

    /// Whether the same command may be welcome to whoever is found at a next connect.
    pub fn may_have_moved(&self) -> bool {
        matches!(self, Self::Command(text) if starts_with_one_of(text, &MOVED))
    }
}

/// Whether an error reply says of the server that it can't serve now, and not of the command that it is wrong.
pub fn is_outage(text: &str) -> bool {
    starts_with_one_of(text, &OUTAGES)
}

/// Before Redis 7 the reply to a script has the server's words behind its own: `ERR Error running script (…): -READONLY You …`.
fn starts_with_one_of(text: &str, codes: &[&str]) -> bool {
    codes.iter().any(|code| {
        text.match_indices(code).any(|(at, found)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + found.len()..).unwrap_or_default();
            (before.is_empty() || before.ends_with(": -") || before.ends_with(": "))
                && (after.is_empty() || after.starts_with(' '))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_what_a_server_says_of_itself() {
        for text in [
            "LOADING Redis is loading the dataset in memory",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "READONLY You can't write against a read only replica. script: 1f, on @user_script:1.",
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
            "OOM command not allowed when used memory > 'maxmemory'.",
            "NOREPLICAS Not enough good replicas to write.",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            "CLUSTERDOWN The cluster is down",
            "ERR max number of clients reached",
            "ERR Error running script (call to f_1f): @user_script:7: -READONLY You can't write against a replica.",
            "ERR Error running script (call to f_1f): @user_script: 7: @user_script: 7: -OOM command not allowed",
        ] {
            assert!(is_outage(text), "{text}");
        }
    }

    #[test]
    fn what_a_server_says_of_a_command_is_no_outage() {
        for text in [
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "NOPERM this user has no permissions to run the 'evalsha' command",
            "NOAUTH Authentication required.",
            "BUSYGROUP Consumer Group name already exists",
            "BUSYKEY Target key name already exists.",
            "ERR unknown command 'LOADING', with args beginning with: 'BUSY'",
            "ERR value is not an integer or out of range",
            "",
        ] {
            assert!(!is_outage(text), "{text}");
        }
    }

    #[test]
    fn a_full_server_has_not_moved() {
        assert!(Error::Command("READONLY You can't".into()).may_have_moved());
        assert!(!Error::Command("OOM command".into()).may_have_moved());
    }
}
