//! A way to the server: TCP or a Unix socket, and TLS over it where wanted.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::socket::{positive, Kind, Socket};
use super::tls::TlsStream;
use super::{Address, Settings};
use crate::error::{Error, Result};

/// After this time without data the kernel checks whether the peer is still there.
const KEEPALIVE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) enum Stream {
    Plain(Socket),
    Tls(Box<TlsStream>),
}

impl Stream {
    pub(super) fn open(address: &Address, settings: &Settings) -> Result<Self> {
        let refused = |reason: String| Error::CannotConnect {
            address: address.to_string(),
            reason,
        };
        let (host, kind) = match address {
            Address::Tcp { host, port } => (
                host,
                connect_tcp(host, *port, positive(settings.connect_timeout)).map_err(refused)?,
            ),
            Address::Unix { path } => {
                let kind = connect_unix(path).map_err(|error| refused(error.to_string()))?;
                return Ok(Self::Plain(Socket::new(
                    kind,
                    settings.read_timeout,
                    settings.write_timeout,
                )));
            }
        };
        let Some(tls) = &settings.tls else {
            return Ok(Self::Plain(Socket::new(
                kind,
                settings.read_timeout,
                settings.write_timeout,
            )));
        };
        let config = super::tls::config(tls)?;
        let socket = Socket::new(kind, settings.connect_timeout, settings.connect_timeout);
        let server_name = tls.server_name.as_ref().unwrap_or(host);
        let mut stream = TlsStream::open(socket, config, server_name)
            .map_err(|error| refused(error.to_string()))?;
        stream
            .socket
            .limit(settings.read_timeout, settings.write_timeout);
        Ok(Self::Tls(Box::new(stream)))
    }

    /// Whether the peer is connected and has sent nothing. To an idle client Redis sends only an error before it closes
    /// (`-ERR max number of clients reached`), so a byte to read means the same as the end.
    pub(super) fn is_silent(&mut self) -> bool {
        match self {
            Self::Plain(socket) => socket.is_silent(),
            // A byte on the socket may belong to TLS itself (a session ticket). Only a read through TLS can tell.
            Self::Tls(stream) => {
                let mut byte = [0];
                let socket = &stream.socket;
                socket.set_nonblocking(true).is_ok()
                    && matches!(stream.read(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
                    && stream.socket.set_nonblocking(false).is_ok()
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

fn connect_tcp(
    host: &str,
    port: u16,
    timeout: Option<Duration>,
) -> std::result::Result<Kind, String> {
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|error| error.to_string())?;
    let mut reasons = Vec::new();
    for address in addresses {
        let connected = match timeout {
            Some(timeout) => TcpStream::connect_timeout(&address, timeout),
            None => TcpStream::connect(address),
        };
        match connected.and_then(|stream| prepare(&stream).map(|()| stream)) {
            Ok(stream) => return Ok(Kind::Tcp(stream)),
            Err(error) => reasons.push(format!("{error} ({})", address.ip())),
        }
    }
    if reasons.is_empty() {
        reasons.push("the host name has no address".into());
    }
    Err(reasons.join("; "))
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = socket2::TcpKeepalive::new().with_time(KEEPALIVE);
    socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

fn connect_unix(path: &Path) -> io::Result<Kind> {
    loop {
        match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            connected => return connected.map(Kind::Unix),
        }
    }
}
