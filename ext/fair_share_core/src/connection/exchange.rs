//! A command on its way out and its reply on the way in, over anything that reads and writes.

use std::io::{self, Read, Write};

use redis::{Cmd, Value};

use super::reader::{Reader, KEPT};

/// Why no reply came this time. After `Io(Interrupted)` the same exchange can go on.
#[derive(Debug)]
pub(super) enum Stopped {
    Io(io::Error),
    Closed,
    Unreadable(String),
}

/// Its buffers serve one command after the other.
#[derive(Default)]
pub(super) struct Exchange {
    command: Vec<u8>,
    written: usize,
    flushed: bool,
    reader: Reader,
}

impl Exchange {
    pub(super) fn begin(&mut self, command: &Cmd) {
        self.command.clear();
        self.command.shrink_to(KEPT);
        command.write_packed_command(&mut self.command);
        self.written = 0;
        self.flushed = false;
        self.reader.clear();
    }

    pub(super) fn is_written(&self) -> bool {
        self.flushed
    }

    /// Whether the server has sent more than the reply.
    pub(super) fn is_ahead(&self) -> bool {
        self.reader.is_ahead()
    }

    pub(super) fn advance<S: Read + Write>(&mut self, stream: &mut S) -> Result<Value, Stopped> {
        self.write(stream).map_err(Stopped::Io)?;
        loop {
            let count = self.reader.fill(|room| stream.read(room));
            if count.map_err(Stopped::Io)? == 0 {
                return Err(Stopped::Closed);
            }
            if let Some(reply) = self.reader.reply().map_err(Stopped::Unreadable)? {
                return Ok(reply);
            }
        }
    }

    fn write<S: Write>(&mut self, stream: &mut S) -> io::Result<()> {
        while let Some(rest) = self
            .command
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
    /// Without the command, which may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("bytes", &self.command.len())
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Takes and gives one byte at a time, and is interrupted before each.
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

    fn of(command: &Cmd) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.begin(command);
        exchange
    }

    fn run(stream: &mut Halting, exchange: &mut Exchange) -> (usize, Result<Value, Stopped>) {
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
        let command = redis::cmd("ECHO").arg("hello").clone();
        let reply = b"*5\r\n$5\r\nhello\r\n:42\r\n$-1\r\n*2\r\n+OK\r\n-ERR no\r\n$0\r\n\r\n";
        let mut stream = Halting::new(reply);
        let mut exchange = of(&command);

        let (interruptions, value) = run(&mut stream, &mut exchange);

        assert_eq!(stream.taken, command.get_packed_command());
        assert_eq!(value.unwrap(), redis::parse_redis_value(reply).unwrap());
        assert_eq!(interruptions, stream.taken.len() + 1 + reply.len());
    }

    #[test]
    fn a_reply_cut_short_is_a_closed_connection() {
        for cut in [&b""[..], b"$5\r\nhel", b"*2\r\n:1\r\n", b"+O"] {
            let (_, value) = run(&mut Halting::new(cut), &mut of(&redis::cmd("PING")));
            assert!(matches!(value, Err(Stopped::Closed)), "{cut:?}: {value:?}");
        }
    }
}
