//! The way by which a script reaches Redis. The binding has two: the core's own connection, used without Ruby's lock, and
//! Resque's client, for set-ups that only that client can reach.

use std::slice;

use redis::{Cmd, Value};

use crate::connection::{only, Connection};
use crate::error::Error;
use crate::scripts::Script;

/// The error of a transport: an error of the core, or an error of its own (a Ruby exception).
pub trait Failure: From<Error> {
    fn as_core(&self) -> Option<&Error>;
}

impl Failure for Error {
    fn as_core(&self) -> Option<&Error> {
        Some(self)
    }
}

/// Whether a command may be repeated when its reply was lost. It may have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    Safe,
    Unsafe,
    /// The caller repeats it, with other arguments.
    ByCaller,
}

pub trait Transport {
    type Error: Failure;

    /// Sends the commands together. Returns one reply for each. After an error reply, the other commands ran nevertheless.
    fn call_all(&mut self, commands: &[Cmd], repeat: Repeat) -> Result<Vec<Value>, Self::Error>;

    /// Sends one command. Returns its reply.
    fn call(&mut self, command: &Cmd, repeat: Repeat) -> Result<Value, Self::Error> {
        Ok(only(self.call_all(slice::from_ref(command), repeat)?)?)
    }

    /// Runs a script by its SHA, or by its text if the server does not know it (any more).
    fn run(
        &mut self,
        script: &Script,
        keys: &[&str],
        arguments: &[&[u8]],
        repeat: Repeat,
    ) -> Result<Value, Self::Error> {
        match self.call(&command("EVALSHA", script.sha(), keys, arguments), repeat) {
            Err(error) if unknown_script(&error) => {
                self.call(&command("EVAL", script.body(), keys, arguments), repeat)
            }
            reply => reply,
        }
    }
}

impl Transport for Connection {
    type Error = Error;

    fn call_all(&mut self, commands: &[Cmd], _repeat: Repeat) -> Result<Vec<Value>, Error> {
        Connection::call_all(self, commands)
    }
}

/// Makes a command of these words. Allocates its memory once: growing it with each word would copy it often.
pub(crate) fn words<'a>(words: impl Iterator<Item = &'a [u8]> + Clone) -> Cmd {
    let (count, bytes) = words.clone().fold((0, 0), |(count, bytes), word| {
        (count + 1, bytes + word.len())
    });
    let mut command = Cmd::with_capacity(count, bytes);
    for word in words {
        command.arg(word);
    }
    command
}

fn command(verb: &str, script: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let count = keys.len().to_string();
    let head = [verb, script, &count].into_iter();
    let texts = head.chain(keys.iter().copied()).map(str::as_bytes);
    words(texts.chain(arguments.iter().copied()))
}

/// Searches the whole text, because older servers and proxies do not put the code first.
fn unknown_script<F: Failure>(failure: &F) -> bool {
    matches!(failure.as_core(), Some(Error::Command(text)) if text.contains("NOSCRIPT"))
}
