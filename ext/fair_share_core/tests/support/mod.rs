//! A real redis-server for one test.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing
)]

pub mod bed;
pub mod chains;
pub mod cost;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fair_share_core::connection::{Address, Connection, Settings};

const PATIENCE: Duration = Duration::from_secs(10);

/// Listens on a free loopback port and on a Unix socket, saves nothing to disk, and ends when dropped.
pub struct RedisServer {
    pub port: u16,
    /// The port of the TLS listener, with [`RedisServer::start_tls`].
    pub tls_port: u16,
    pub socket: PathBuf,
    // Dropped first: the server may still write to its folder.
    running: Running,
    pub folder: Folder,
}

impl RedisServer {
    /// Starts a server. `args` are as on redis-server's command line, such as `&["--requirepass", "secret"]`.
    pub fn start(args: &[&str]) -> Self {
        Self::start_in(Folder::new(), 0, args)
    }

    /// Starts a server that speaks TLS, too, with the files that [`certificates`] made in this folder.
    pub fn start_tls(folder: Folder, args: &[&str]) -> Self {
        let tls_port = free_port();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let (cert, key, ca) = (file("server.crt"), file("server.key"), file("ca.crt"));
        let port = tls_port.to_string();
        let mut all = vec!["--tls-port", &port, "--tls-cert-file", &cert];
        all.extend(["--tls-key-file", &key, "--tls-ca-cert-file", &ca]);
        all.extend(["--tls-auth-clients", "no"]);
        all.extend(args);
        Self::start_in(folder, tls_port, &all)
    }

    /// Starts a sentinel that watches the master on this port under the name `main`.
    pub fn start_sentinel(master_port: u16) -> Self {
        let folder = Folder::new();
        let file = folder.path().join("sentinel.conf");
        fs::write(
            &file,
            format!("sentinel monitor main 127.0.0.1 {master_port} 1\n"),
        )
        .unwrap();
        let file = file.display().to_string();
        Self::launch(folder, 0, &[&file, "--sentinel"])
    }

    fn start_in(folder: Folder, tls_port: u16, args: &[&str]) -> Self {
        let mut all = vec!["--save", "", "--appendonly", "no"];
        all.extend(args);
        Self::launch(folder, tls_port, &all)
    }

    fn launch(folder: Folder, tls_port: u16, args: &[&str]) -> Self {
        // Another process may take the free port before redis-server does. Then try another port.
        for _ in 0..5 {
            let port = free_port();
            let socket = folder.path().join("redis.sock");
            let child = Command::new("redis-server")
                .args(args)
                .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
                .args(["--unixsocket", &socket.display().to_string()])
                .args(["--dir", &folder.path().display().to_string()])
                .args(["--logfile", "redis.log"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .expect("redis-server is not installed");
            let mut running = Running(child);
            if running.answers(&socket) {
                return Self {
                    port,
                    tls_port,
                    socket,
                    folder,
                    running,
                };
            }
        }
        panic!("redis-server {args:?} did not start");
    }

    pub fn settings(&self) -> Settings {
        let host = "127.0.0.1".to_owned();
        Settings::new(Address::Tcp {
            host,
            port: self.port,
        })
    }

    pub fn connect(&self) -> Connection {
        Connection::open(&self.settings()).unwrap()
    }

    /// Ends the server at once, as a crash does.
    pub fn kill(&mut self) {
        self.running.end();
    }
}

/// Ends the process that it started, and no other.
struct Running(Child);

impl Running {
    fn answers(&mut self, socket: &Path) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && self.0.try_wait().unwrap().is_none() {
            if answers(socket) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether the server is ready. -NOAUTH counts as an answer, -LOADING does not.
fn answers(socket: &Path) -> bool {
    let mut reply = [0; 5];
    UnixStream::connect(socket)
        .and_then(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(1)))?;
            stream.write_all(b"PING\r\n")?;
            stream.read_exact(&mut reply)
        })
        .is_ok_and(|()| &reply != b"-LOAD")
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A temporary folder, deleted when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fair-share-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes ca.crt, server.crt and server.key, client.crt and client.key, and other-ca.crt, which signed none of them.
pub fn certificates() -> Folder {
    let folder = Folder::new();
    fs::write(
        folder.path().join("names"),
        "subjectAltName=DNS:localhost,IP:127.0.0.1\n",
    )
    .unwrap();
    let run = |line: &str| {
        let output = Command::new("openssl")
            .args(line.split_whitespace())
            .current_dir(folder.path())
            .output()
            .expect("openssl is not installed");
        assert!(
            output.status.success(),
            "openssl {line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let new_key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch";
    for ca in ["ca", "other-ca"] {
        run(&format!(
            "req -x509 {new_key} -days 2 -subj /CN={ca} -keyout {ca}.key -out {ca}.crt"
        ));
    }
    for name in ["server", "client"] {
        run(&format!(
            "req {new_key} -subj /CN={name} -keyout {name}.key -out {name}.csr"
        ));
        run(&format!(
            "x509 -req -days 2 -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out {name}.crt"
        ));
    }
    folder
}

/// Plays a server for one connection, by `script`.
pub fn play(script: impl FnOnce(TcpStream) + Send + 'static) -> Settings {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || script(listener.accept().unwrap().0));
    Settings::new(Address::Tcp {
        host: "127.0.0.1".into(),
        port,
    })
}
