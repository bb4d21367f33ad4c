//! The address of a Redis and the credentials for it, as plain fields: clients differ in how they read a URL.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[derive(Clone, PartialEq)]
pub struct Settings {
    /// Not used with `sentinels`.
    pub address: Address,
    pub db: i64,
    pub username: Option<String>,
    pub password: Option<String>,
    /// Ignored on a Unix socket.
    pub tls: Option<Tls>,
    /// `None` or zero: wait for ever.
    pub connect_timeout: Option<Duration>,
    pub read_timeout: Option<Duration>,
    pub write_timeout: Option<Duration>,
    pub sentinels: Option<Sentinels>,
}

impl Settings {
    /// Database 0, without password, TLS or sentinels, and timeouts of one second, as in redis-rb 5.
    pub fn new(address: Address) -> Self {
        let second = Some(Duration::from_secs(1));
        Self {
            address,
            db: 0,
            username: None,
            password: None,
            tls: None,
            connect_timeout: second,
            read_timeout: second,
            write_timeout: second,
            sentinels: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    Tcp { host: String, port: u16 },
    Unix { path: PathBuf },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix { path } => write!(f, "{}", path.display()),
        }
    }
}

#[derive(Clone, PartialEq)]
pub struct Tls {
    /// False accepts any certificate, which Heroku requires.
    pub verify: bool,
    /// `ca_file`, and `ca_path` (a folder of PEM files), replace the system's root certificates.
    pub ca_file: Option<PathBuf>,
    pub ca_path: Option<PathBuf>,
    /// The client's certificate and key, in PEM.
    pub cert: Option<Vec<u8>>,
    pub key: Option<Vec<u8>>,
    /// `None`: the host that the client connects to.
    pub server_name: Option<String>,
    pub prepared: Prepared,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            verify: true,
            ca_file: None,
            ca_path: None,
            cert: None,
            key: None,
            server_name: None,
            prepared: Prepared::default(),
        }
    }
}

/// The certificates, parsed once and kept with the settings. Each child of a worker opens a connection, and would have to parse
/// the system's roots again; a parent that has connected once hands them down.
#[derive(Clone, Default)]
pub struct Prepared(pub(super) OnceLock<Arc<rustls::ClientConfig>>);

impl PartialEq for Prepared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Master,
    Replica,
}

#[derive(Clone, PartialEq)]
pub struct Sentinels {
    pub master_name: String,
    pub role: Role,
    pub nodes: Vec<(String, u16)>,
    /// The credentials of the sentinels, not of the master.
    pub username: Option<String>,
    pub password: Option<String>,
    pub tls: Option<Tls>,
}

// Written by hand, so that `{:?}` never shows a secret in a log or a panic.

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("address", &self.address)
            .field("db", &self.db)
            .field("username", &self.username)
            .field("password", &self.password.as_ref().map(|_| "[hidden]"))
            .field("tls", &self.tls)
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("write_timeout", &self.write_timeout)
            .field("sentinels", &self.sentinels)
            .finish()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("verify", &self.verify)
            .field("ca_file", &self.ca_file)
            .field("ca_path", &self.ca_path)
            .field("server_name", &self.server_name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Sentinels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sentinels")
            .field("master_name", &self.master_name)
            .field("role", &self.role)
            .field("nodes", &self.nodes)
            .field("username", &self.username)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}
