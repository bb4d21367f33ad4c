//! A socket with timeouts that signals do not prolong.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use socket2::SockRef;

/// For a last read when the time has run out in a signal handler, or while the process was stopped: the reply may be there.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// Ruby clients treat a timeout of zero as none.
pub(super) fn positive(timeout: Option<Duration>) -> Option<Duration> {
    timeout.filter(|timeout| !timeout.is_zero())
}

#[derive(Debug)]
pub(super) enum Kind {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A read or a write without progress ends after the limit's time, however often signals interrupt it.
#[derive(Debug)]
pub(super) struct Socket {
    kind: Kind,
    reads: Limit,
    writes: Limit,
}

impl Socket {
    pub(super) fn new(kind: Kind, read: Option<Duration>, write: Option<Duration>) -> Self {
        Self {
            kind,
            reads: Limit::new(read),
            writes: Limit::new(write),
        }
    }

    pub(super) fn limit(&mut self, read: Option<Duration>, write: Option<Duration>) {
        self.reads.timeout = positive(read);
        self.writes.timeout = positive(write);
    }

    /// Whether the peer is connected and there is nothing to read. One system call.
    pub(super) fn is_silent(&self) -> bool {
        let socket = match &self.kind {
            Kind::Tcp(stream) => SockRef::from(stream),
            Kind::Unix(stream) => SockRef::from(stream),
        };
        let mut byte = [MaybeUninit::uninit()];
        let read = socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        matches!(read, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.kind {
            Kind::Tcp(stream) => stream.set_nonblocking(nonblocking),
            Kind::Unix(stream) => stream.set_nonblocking(nonblocking),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (kind, limit) = (&mut self.kind, &mut self.reads);
        limit.start(|timeout| match kind {
            Kind::Tcp(stream) => stream.set_read_timeout(timeout),
            Kind::Unix(stream) => stream.set_read_timeout(timeout),
        })?;
        limit.end(match kind {
            Kind::Tcp(stream) => stream.read(buffer),
            Kind::Unix(stream) => stream.read(buffer),
        })
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (kind, limit) = (&mut self.kind, &mut self.writes);
        limit.start(|timeout| match kind {
            Kind::Tcp(stream) => stream.set_write_timeout(timeout),
            Kind::Unix(stream) => stream.set_write_timeout(timeout),
        })?;
        limit.end(match kind {
            Kind::Tcp(stream) => stream.write(bytes),
            Kind::Unix(stream) => stream.write(bytes),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket's own timeout starts again with each system call. So a wait that resumes gets only the rest of the time.
#[derive(Debug)]
struct Limit {
    timeout: Option<Duration>,
    in_force: Option<Duration>,
    waiting_since: Option<Instant>,
}

impl Limit {
    fn new(timeout: Option<Duration>) -> Self {
        Self {
            timeout: positive(timeout),
            in_force: None,
            waiting_since: None,
        }
    }

    fn start(&mut self, set: impl FnOnce(Option<Duration>) -> io::Result<()>) -> io::Result<()> {
        let wanted = match (self.timeout, self.waiting_since) {
            (Some(timeout), Some(since)) => {
                Some(timeout.saturating_sub(since.elapsed()).max(LAST_LOOK))
            }
            (timeout, _) => timeout,
        };
        if wanted != self.in_force {
            set(wanted)?;
            self.in_force = wanted;
        }
        self.waiting_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    fn end(&mut self, outcome: io::Result<usize>) -> io::Result<usize> {
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                if self.in_force == Some(LAST_LOOK) {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error)
            }
            other => {
                self.waiting_since = None;
                other
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(limit: &mut Limit) -> Option<Duration> {
        let mut given = None;
        let started = limit.start(|timeout| {
            given = timeout;
            Ok(())
        });
        assert!(started.is_ok());
        given
    }

    fn interrupt(limit: &mut Limit) -> Option<io::ErrorKind> {
        let outcome = limit.end(Err(io::ErrorKind::Interrupted.into()));
        outcome.err().map(|error| error.kind())
    }

    #[test]
    fn a_wait_that_resumes_is_given_only_what_is_left() {
        let whole = Duration::from_millis(200);
        let mut limit = Limit::new(Some(whole));
        assert_eq!(start(&mut limit), Some(whole));
        assert_eq!(interrupt(&mut limit), Some(io::ErrorKind::Interrupted));

        std::thread::sleep(Duration::from_millis(20));
        let rest = start(&mut limit);
        assert!(
            rest > Some(LAST_LOOK) && rest < Some(whole - Duration::from_millis(19)),
            "{rest:?}"
        );
        assert!(matches!(limit.end(Ok(1)), Ok(1)));
        assert_eq!(
            start(&mut limit),
            Some(whole),
            "what comes in starts the time anew"
        );
    }

    #[test]
    fn signals_do_not_keep_a_wait_alive_beyond_its_limit() {
        let mut limit = Limit::new(Some(Duration::from_millis(5)));
        start(&mut limit);
        assert_eq!(interrupt(&mut limit), Some(io::ErrorKind::Interrupted));
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(
            start(&mut limit),
            Some(LAST_LOOK),
            "the reply may be there already"
        );
        assert_eq!(interrupt(&mut limit), Some(io::ErrorKind::TimedOut));
    }

    #[test]
    fn no_timeout_and_a_timeout_of_zero_wait_for_ever() {
        for timeout in [None, Some(Duration::ZERO)] {
            let mut limit = Limit::new(timeout);
            for _ in 0..3 {
                assert_eq!(start(&mut limit), None);
                assert_eq!(interrupt(&mut limit), Some(io::ErrorKind::Interrupted));
            }
        }
    }
}
