//! Writes commands and reads their replies, over any stream.

use std::io::{self, Read, Write};
use std::mem;

use redis::{Cmd, Value};

use super::reader::{Reader, KEPT};

/// The reason why the replies are not complete. After `Io(Interrupted)` the same exchange can go on.
#[derive(Debug)]
pub(super) enum Stopped {
    Io(io::Error),
    Closed,
    Unreadable(String),
}

/// One exchange at a time. The next one reuses its buffers.
#[derive(Default)]
pub(super) struct Exchange {
    commands: Vec<u8>,
    written: usize,
    flushed: bool,
    reader: Reader,
    /// The number of replies to expect, including those already read.
    awaited: usize,
    replies: Vec<Value>,
}

impl Exchange {
    pub(super) fn begin(&mut self, commands: &[Cmd]) {
        self.commands.clear();
        self.commands.shrink_to(KEPT);
        for command in commands {
            command.write_packed_command(&mut self.commands);
        }
        self.written = 0;
        self.flushed = false;
        self.reader.clear();
        self.awaited = commands.len();
        self.replies.clear();
    }

    pub(super) fn is_written(&self) -> bool {
        self.flushed
    }

    /// Whether the server has sent more than the expected replies.
    pub(super) fn is_ahead(&self) -> bool {
        self.reader.is_ahead()
    }

    /// Returns one reply for each command, in the order of the commands.
    pub(super) fn advance<S: Read + Write>(
        &mut self,
        stream: &mut S,
    ) -> Result<Vec<Value>, Stopped> {
        self.write(stream).map_err(Stopped::Io)?;
        while self.replies.len() < self.awaited {
            if let Some(reply) = self.reader.reply().map_err(Stopped::Unreadable)? {
                self.replies.push(reply);
                continue;
            }
            let count = self.reader.fill(|room| stream.read(room));
            if count.map_err(Stopped::Io)? == 0 {
                return Err(Stopped::Closed);
            }
        }
        Ok(mem::take(&mut self.replies))
    }

    fn write<S: Write>(&mut self, stream: &mut S) -> io::Result<()> {
        while let Some(rest) = self
            .commands
            .get(self.written..)
            .filter(|rest| !rest.is_empty())
        {
            match stream.write(rest)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
        }
        if !self.flushed {
            stream.flush()?;
            self.flushed = true;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Exchange {
    /// Leaves the commands out: they may contain a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("bytes", &self.commands.len())
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Reads and writes one byte at a time, and is interrupted before each.
    struct Halting {
        reply: Vec<u8>,
        given: usize,
        taken: Vec<u8>,
        halt: bool,
    }

    impl Halting {
        fn new(reply: &[u8]) -> Self {
            Self {
                reply: reply.to_vec(),
                given: 0,
                taken: Vec::new(),
                halt: false,
            }
        }

        fn step(&mut self) -> io::Result<()> {
            self.halt = !self.halt;
            if self.halt {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Ok(())
        }
    }

    impl Read for Halting {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.step()?;
            match self.reply.get(self.given) {
                None => Ok(0),
                Some(byte) => {
                    buffer[0] = *byte;
                    self.given += 1;
                    Ok(1)
                }
            }
        }
    }

    impl Write for Halting {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.step()?;
            self.taken.push(bytes[0]);
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.step()
        }
    }

    fn of(commands: &[Cmd]) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.begin(commands);
        exchange
    }

    fn run(stream: &mut Halting, exchange: &mut Exchange) -> (usize, Result<Vec<Value>, Stopped>) {
        let mut interruptions = 0;
        loop {
            match exchange.advance(stream) {
                Err(Stopped::Io(error)) if error.kind() == io::ErrorKind::Interrupted => {
                    interruptions += 1
                }
                other => return (interruptions, other),
            }
        }
    }

    #[test]
    fn an_exchange_interrupted_at_every_byte_loses_and_repeats_nothing() {
        let commands = [redis::cmd("ECHO").arg("hello").clone(), redis::cmd("PING")];
        let replies = [
            &b"*5\r\n$5\r\nhello\r\n:42\r\n$-1\r\n*2\r\n+OK\r\n-ERR no\r\n$0\r\n\r\n"[..],
            b"+PONG\r\n",
        ];
        let mut stream = Halting::new(&replies.concat());
        let mut exchange = of(&commands);

        let (interruptions, values) = run(&mut stream, &mut exchange);

        let sent = commands.map(|command| command.get_packed_command());
        assert_eq!(stream.taken, sent.concat());
        let expected = replies.map(|reply| redis::parse_redis_value(reply).unwrap());
        assert_eq!(values.unwrap(), expected);
        assert_eq!(
            interruptions,
            stream.taken.len() + 1 + replies.concat().len()
        );
        assert!(!exchange.is_ahead());
    }

    #[test]
    fn a_reply_cut_short_is_a_closed_connection() {
        for cut in [&b""[..], b"$5\r\nhel", b"*2\r\n:1\r\n", b"+O"] {
            let (_, value) = run(&mut Halting::new(cut), &mut of(&[redis::cmd("PING")]));
            assert!(matches!(value, Err(Stopped::Closed)), "{cut:?}: {value:?}");
        }
    }

    #[test]
    fn one_reply_of_two_is_a_closed_connection() {
        let commands = [redis::cmd("PING"), redis::cmd("PING")];
        let (_, values) = run(&mut Halting::new(b"+PONG\r\n"), &mut of(&commands));
        assert!(matches!(values, Err(Stopped::Closed)), "{values:?}");
    }
}
