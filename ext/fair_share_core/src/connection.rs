//! One connection to one Redis. A signal can interrupt the exchange of commands and replies, which then resumes.
//!
//! redis-rs packs the commands. Its `Connection` is not used: it treats EINTR as an error and drops the reply, and on an error
//! it shuts its socket down, which in a forked child would cut the parent off. Its parser is not used either: it reads 64 bytes
//! at a time, each with a system call.

mod exchange;
mod reader;
mod sentinel;
mod settings;
mod socket;
mod stream;
mod tls;

pub use settings::{Address, Role, Sentinels, Settings, Tls};

use std::io;
use std::slice;
use std::time::Duration;

use redis::{Cmd, Value};

use crate::error::{Error, Result};
use exchange::{Exchange, Stopped};
use stream::Stream;

/// The progress of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// One reply for each command.
    Done(Vec<Value>),
    /// A signal arrived. Nothing is lost: call [`Connection::advance`] again.
    Interrupted,
}

#[derive(Debug)]
enum State {
    Idle,
    /// Commands are queued, and some of their replies have not been read yet.
    Busy,
    /// Never used again: a late reply must not be taken for the reply to the next command.
    GivenUp(String),
}

/// Dropping it only closes the file descriptor: no shutdown and no TLS close_notify, because after a fork parent and child
/// share the socket. (A child should not even close an inherited connection, but forget it.)
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    exchange: Exchange,
    state: State,
    address: Address,
    db: i64,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
}

impl Connection {
    /// Connects, authenticates and selects the database. With sentinels, first asks them for the address.
    pub fn open(settings: &Settings) -> Result<Self> {
        let (mut connection, greetings) = Self::connect(settings)?;
        for greeting in &greetings {
            connection.call(greeting).map_err(Self::refusal)?;
        }
        Ok(connection)
    }

    /// The part of [`open`](Self::open) that can't be interrupted: it ends within the connect timeout. The caller has to send
    /// the returned greetings first, in their order, and to pass their errors to [`refusal`](Self::refusal).
    pub fn connect(settings: &Settings) -> Result<(Self, Vec<Cmd>)> {
        match &settings.sentinels {
            None => Ok((
                Self::at(settings.address.clone(), settings)?,
                greetings(settings),
            )),
            Some(sentinels) => {
                let mut connection = Self::at(sentinel::locate(sentinels, settings)?, settings)?;
                for greeting in greetings(settings) {
                    connection.call(&greeting).map_err(Self::refusal)?;
                }
                sentinel::check_role(&mut connection, sentinels)?;
                Ok((connection, Vec::new()))
            }
        }
    }

    fn at(address: Address, settings: &Settings) -> Result<Self> {
        Ok(Self {
            stream: Stream::open(&address, settings)?,
            exchange: Exchange::default(),
            state: State::Idle,
            address,
            db: settings.db,
            read_timeout: settings.read_timeout,
            write_timeout: settings.write_timeout,
        })
    }

    /// Converts the error of a greeting: no command of the caller was sent yet, so a repeat is safe.
    pub fn refusal(error: Error) -> Error {
        match error {
            Error::ConnectionLost { address, reason } => Error::CannotConnect { address, reason },
            Error::Timeout { address, seconds } => Error::CannotConnect {
                address,
                reason: format!("it accepted the connection but did not answer within {seconds} s"),
            },
            other => other,
        }
    }

    /// Queues commands. Nothing is written before [`advance`](Self::advance).
    pub fn send(&mut self, commands: &[Cmd]) -> Result<()> {
        let reason = match &self.state {
            State::Idle => {
                self.exchange.begin(commands);
                self.state = State::Busy;
                return Ok(());
            }
            State::Busy => "the reply to the previous command has not been read yet",
            State::GivenUp(reason) => reason,
        };
        Err(Error::CannotConnect {
            address: self.address.to_string(),
            reason: format!("this connection can't be used any more; open a new one ({reason})"),
        })
    }

    /// Writes the rest of the commands, then reads the replies. If some replies are errors, returns the first error; the other
    /// commands ran nevertheless.
    pub fn advance(&mut self) -> Result<Progress> {
        if !matches!(self.state, State::Busy) {
            return Err(Error::Argument(
                "no command was sent on this connection".into(),
            ));
        }
        match self.exchange.advance(&mut self.stream) {
            Ok(replies) => {
                self.state = if self.exchange.is_ahead() {
                    State::GivenUp("the server has sent more than it was asked for".into())
                } else {
                    State::Idle
                };
                for reply in &replies {
                    if let Value::ServerError(error) = reply {
                        return Err(Error::from_reply(error.code(), error.details()));
                    }
                }
                Ok(Progress::Done(replies))
            }
            Err(Stopped::Io(error)) if error.kind() == io::ErrorKind::Interrupted => {
                Ok(Progress::Interrupted)
            }
            Err(stopped) => {
                let error = self.failure(stopped);
                self.state = State::GivenUp(error.to_string());
                Err(error)
            }
        }
    }

    /// Sends one command and waits for its reply, through any number of signals.
    pub fn call(&mut self, command: &Cmd) -> Result<Value> {
        only(self.call_all(slice::from_ref(command))?)
    }

    /// Sends several commands at once and waits for their replies, through any number of signals.
    pub fn call_all(&mut self, commands: &[Cmd]) -> Result<Vec<Value>> {
        self.send(commands)?;
        loop {
            if let Progress::Done(replies) = self.advance()? {
                return Ok(replies);
            }
        }
    }

    /// Whether a command can be sent: no reply is outstanding, and the connection is not broken.
    pub fn is_usable(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Whether the server has closed an idle connection (by its `timeout`, a restart, a proxy). Ask before sending a command
    /// that must not be repeated.
    pub fn is_stale(&mut self) -> bool {
        match self.state {
            State::Idle => {}
            State::Busy | State::GivenUp(_) => return true,
        }
        let silent = self.stream.is_silent();
        if !silent {
            self.state = State::GivenUp("the server closed it while it was idle".into());
        }
        !silent
    }

    /// The address that this connection leads to. With sentinels: the node that they named.
    pub fn address(&self) -> &Address {
        &self.address
    }

    pub fn db(&self) -> i64 {
        self.db
    }

    fn failure(&self, stopped: Stopped) -> Error {
        let address = self.address.to_string();
        let error = match stopped {
            Stopped::Unreadable(text) => return Error::Protocol(text),
            Stopped::Closed => {
                return Error::ConnectionLost {
                    address,
                    reason: "the server closed it".into(),
                }
            }
            Stopped::Io(error) => error,
        };
        let timeout = if self.exchange.is_written() {
            self.read_timeout
        } else {
            self.write_timeout
        };
        match (error.kind(), timeout) {
            (io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut, Some(timeout)) => {
                Error::Timeout {
                    address,
                    seconds: timeout.as_secs_f64(),
                }
            }
            _ => Error::ConnectionLost {
                address,
                reason: error.to_string(),
            },
        }
    }
}

/// The reply to one command.
pub(crate) fn only(mut replies: Vec<Value>) -> Result<Value> {
    replies
        .pop()
        .ok_or_else(|| Error::Protocol("there is no reply".into()))
}

/// The commands that a new connection sends first.
fn greetings(settings: &Settings) -> Vec<Cmd> {
    let mut greetings = Vec::new();
    if let Some(password) = &settings.password {
        let mut auth = redis::cmd("AUTH");
        // Redis before 6 knows no users, and redis-rb 5 sets "default" if no user was given.
        if let Some(username) = settings
            .username
            .as_deref()
            .filter(|name| *name != "default")
        {
            auth.arg(username);
        }
        greetings.push(auth.arg(password).to_owned());
    }
    if settings.db != 0 {
        greetings.push(redis::cmd("SELECT").arg(settings.db).to_owned());
    }
    greetings
}
