//! How a script reaches Redis. The binding has two: the core's own connection, with Ruby's lock released, and Resque's
//! client, for the set-ups that only that one can reach.

use std::slice;

use redis::{Cmd, Value};

use crate::connection::{only, Connection};
use crate::error::Error;
use crate::scripts::Script;

/// What a transport may answer instead of a reply: an error of the core, or one of its own (an exception of Ruby's).
pub trait Failure: From<Error> {
    fn as_core(&self) -> Option<&Error>;
}

impl Failure for Error {
    fn as_core(&self) -> Option<&Error> {
        Some(self)
    }
}

/// Whether a command may be sent again when its reply was lost: it may have been carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    Safe,
    Unsafe,
    /// The caller repeats it, in other words than before.
    ByCaller,
}

pub trait Transport {
    type Error: Failure;

    /// Commands that are sent together, and a reply each. After an error the others were carried out all the same.
    fn call_all(&mut self, commands: &[Cmd], repeat: Repeat) -> Result<Vec<Value>, Self::Error>;

    /// One command, one reply.
    fn call(&mut self, command: &Cmd, repeat: Repeat) -> Result<Value, Self::Error> {
        Ok(only(self.call_all(slice::from_ref(command), repeat)?)?)
    }

    /// Runs a script by its SHA, and by its text where the server doesn't know it (any more).
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

/// A command of just these words, with no more room than they take: memory that grows by the word is moved as often.
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

/// Older servers and proxies wrap the code into the text.
fn unknown_script<F: Failure>(failure: &F) -> bool {
    matches!(failure.as_core(), Some(Error::Command(text)) if text.contains("NOSCRIPT"))
}
