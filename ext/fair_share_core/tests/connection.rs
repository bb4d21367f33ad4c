//! The connection, with real servers, and with servers that the tests play, for what a real one seldom does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use fair_share_core::connection::{Address, Connection, Progress, Role, Sentinels, Settings, Tls};
use fair_share_core::error::Error;
use redis::{cmd, Cmd, Value};
use support::{certificates, free_port, play, Folder, RedisServer};

fn bulk(text: &str) -> Value {
    Value::BulkString(text.as_bytes().to_vec())
}

fn pong() -> Value {
    Value::SimpleString("PONG".into())
}

fn echo(connection: &mut Connection, text: &str) -> Value {
    connection.call(cmd("ECHO").arg(text)).unwrap()
}

fn client_id(connection: &mut Connection) -> i64 {
    match connection.call(cmd("CLIENT").arg("ID")).unwrap() {
        Value::Int(id) => id,
        other => panic!("{other:?}"),
    }
}

fn cannot_connect(settings: &Settings) -> String {
    match Connection::open(settings) {
        Err(Error::CannotConnect { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_command_is_answered_over_tcp_and_over_a_unix_socket() {
    let server = RedisServer::start(&[]);
    let unix = Settings::new(Address::Unix {
        path: server.socket.clone(),
    });
    for settings in [server.settings(), unix] {
        let mut connection = Connection::open(&settings).unwrap();
        assert_eq!(connection.call(&cmd("PING")).unwrap(), pong());
        assert_eq!(echo(&mut connection, "a b\r\n"), bulk("a b\r\n"));
        assert_eq!(connection.address(), &settings.address);
    }
}

#[test]
fn the_database_is_the_one_asked_for() {
    let server = RedisServer::start(&[]);
    let settings = Settings {
        db: 3,
        ..server.settings()
    };
    let mut third = Connection::open(&settings).unwrap();
    third.call(cmd("SET").arg("key").arg("3")).unwrap();
    assert_eq!(third.db(), 3);
    assert_eq!(third.call(cmd("GET").arg("key")).unwrap(), bulk("3"));
    assert_eq!(
        server.connect().call(cmd("GET").arg("key")).unwrap(),
        Value::Nil
    );

    let none = Settings {
        db: 99,
        ..server.settings()
    };
    assert_eq!(
        Connection::open(&none).unwrap_err(),
        Error::Command("ERR DB index is out of range".into())
    );
}

#[test]
fn a_password_opens_and_a_wrong_one_is_the_servers_error() {
    let server = RedisServer::start(&[
        "--requirepass",
        "s3cret",
        "--user",
        "ann",
        "on",
        ">annpass",
        "~*",
        "+@all",
    ]);
    let with = |username: Option<&str>, password: Option<&str>| Settings {
        username: username.map(str::to_owned),
        password: password.map(str::to_owned),
        ..server.settings()
    };
    for (username, password) in [
        (None, "s3cret"),
        (Some("default"), "s3cret"),
        (Some("ann"), "annpass"),
    ] {
        let mut connection = Connection::open(&with(username, Some(password))).unwrap();
        let expected = bulk(username.unwrap_or("default"));
        assert_eq!(connection.call(cmd("ACL").arg("WHOAMI")).unwrap(), expected);
    }
    for (username, password) in [
        (None, "wrong"),
        (Some("ann"), "s3cret"),
        (Some("bob"), "annpass"),
    ] {
        match Connection::open(&with(username, Some(password))) {
            Err(Error::Command(text)) => assert!(text.starts_with("WRONGPASS "), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    let mut stranger = Connection::open(&with(None, None)).unwrap();
    assert_eq!(
        stranger.call(&cmd("PING")).unwrap_err(),
        Error::Command("NOAUTH Authentication required.".into())
    );
    assert!(!format!("{:?}", with(Some("ann"), Some("annpass"))).contains("annpass"));
}

#[test]
fn an_error_reply_keeps_the_servers_text_and_the_connection() {
    let server = RedisServer::start(&[]);
    let mut connection = server.connect();
    let missing = cmd("EVALSHA").arg("0".repeat(40)).arg(0).clone();
    assert_eq!(
        connection.call(&missing).unwrap_err(),
        Error::Command("NOSCRIPT No matching script. Please use EVAL.".into())
    );
    let custom = cmd("EVAL")
        .arg("return redis.error_reply('STALE  two  spaces')")
        .arg(0)
        .clone();
    assert_eq!(
        connection.call(&custom).unwrap_err(),
        Error::Command("STALE  two  spaces".into())
    );
    assert!(connection.is_usable());
    assert_eq!(connection.call(&cmd("PING")).unwrap(), pong());
}

#[test]
fn large_and_nested_replies_arrive_whole() {
    let server = RedisServer::start(&[]);
    let mut connection = Connection::open(&Settings {
        read_timeout: Some(Duration::from_secs(10)),
        ..server.settings()
    })
    .unwrap();
    let large = "x".repeat(1 << 20);
    assert_eq!(echo(&mut connection, &large), bulk(&large));

    let script = "return {1, 'two', {3, {'four', false}}, redis.status_reply('OK'), ''}";
    let nested = Value::Array(vec![
        Value::Int(1),
        bulk("two"),
        Value::Array(vec![
            Value::Int(3),
            Value::Array(vec![bulk("four"), Value::Nil]),
        ]),
        Value::Okay,
        bulk(""),
    ]);
    assert_eq!(
        connection.call(cmd("EVAL").arg(script).arg(0)).unwrap(),
        nested
    );

    let many = "local t = {} for i = 1, 100000 do t[i] = i end return t";
    let numbers = Value::Array((1..=100_000).map(Value::Int).collect());
    assert_eq!(
        connection.call(cmd("EVAL").arg(many).arg(0)).unwrap(),
        numbers
    );
}

#[test]
fn a_connection_that_was_killed_is_lost_and_given_up() {
    let server = RedisServer::start(&[]);
    let mut connection = server.connect();
    let id = client_id(&mut connection);
    server
        .connect()
        .call(cmd("CLIENT").arg("KILL").arg("ID").arg(id))
        .unwrap();

    match connection.call(&cmd("PING")) {
        Err(Error::ConnectionLost { address, .. }) => {
            assert_eq!(address, format!("127.0.0.1:{}", server.port))
        }
        other => panic!("{other:?}"),
    }
    assert!(!connection.is_usable());
    assert!(matches!(
        connection.send(&[cmd("PING")]),
        Err(Error::CannotConnect { .. })
    ));
}

#[test]
fn a_connection_closed_while_idle_is_stale() {
    let server = RedisServer::start(&[]);
    let (mut closed, mut open) = (server.connect(), server.connect());
    let id = client_id(&mut closed);
    echo(&mut open, "here");
    server
        .connect()
        .call(cmd("CLIENT").arg("KILL").arg("ID").arg(id))
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while !closed.is_stale() {
        assert!(Instant::now() < deadline, "the server closed it");
    }
    assert!(!closed.is_usable());
    assert!(!open.is_stale());
    assert_eq!(echo(&mut open, "still"), bulk("still"));
}

#[test]
fn a_late_reply_is_a_timeout_and_is_never_read_by_the_next_command() {
    let server = RedisServer::start(&[]);
    let timeout = Some(Duration::from_millis(150));
    let mut connection = Connection::open(&Settings {
        read_timeout: timeout,
        ..server.settings()
    })
    .unwrap();
    echo(&mut connection, "quick");
    server
        .connect()
        .call(cmd("CLIENT").arg("PAUSE").arg(600))
        .unwrap();

    let started = Instant::now();
    let error = connection.call(cmd("ECHO").arg("late")).unwrap_err();
    assert!(
        started.elapsed() < Duration::from_millis(500),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        error,
        Error::Timeout {
            address: format!("127.0.0.1:{}", server.port),
            seconds: 0.15
        }
    );

    std::thread::sleep(Duration::from_millis(700));
    assert!(!connection.is_usable());
    assert!(matches!(
        connection.call(&cmd("PING")),
        Err(Error::CannotConnect { .. })
    ));
}

#[test]
fn a_second_command_is_refused_until_the_first_is_answered() {
    let server = RedisServer::start(&[]);
    let mut connection = server.connect();
    assert!(connection.advance().is_err(), "there is nothing to advance");
    let [first, second] = ["first", "second"].map(|word| cmd("ECHO").arg(word).to_owned());
    connection.send(&[first]).unwrap();
    assert!(!connection.is_usable());
    assert!(connection.send(&[second]).is_err());
    let answered = Progress::Done(vec![bulk("first")]);
    assert_eq!(connection.advance().unwrap(), answered);
    assert_eq!(echo(&mut connection, "second"), bulk("second"));
}

#[test]
fn commands_sent_together_are_answered_in_their_order() {
    let server = RedisServer::start(&[]);
    let mut connection = server.connect();
    let commands: Vec<Cmd> = (0..1000).map(|n| cmd("ECHO").arg(n).to_owned()).collect();
    let replies = connection.call_all(&commands).unwrap();
    let expected: Vec<Value> = (0..1000).map(|n| bulk(&n.to_string())).collect();
    assert_eq!(replies, expected);
    assert!(connection.is_usable());
}

#[test]
fn an_error_among_several_replies_is_told_and_leaves_none_behind() {
    let server = RedisServer::start(&[]);
    let mut connection = server.connect();
    let commands = [
        cmd("SET").arg("a").arg(1).to_owned(),
        cmd("LPOP").arg("a").to_owned(),
        cmd("INCRBY").arg("a").arg(41).to_owned(),
    ];
    match connection.call_all(&commands) {
        Err(Error::Command(text)) => assert!(text.contains("WRONGTYPE"), "{text}"),
        other => panic!("{other:?}"),
    }
    let reply = connection.call(cmd("GET").arg("a")).unwrap();
    assert_eq!(reply, bulk("42"));
}

#[test]
fn nobody_at_the_address_is_said_with_the_reason() {
    let closed = Settings::new(Address::Tcp {
        host: "127.0.0.1".into(),
        port: free_port(),
    });
    assert!(cannot_connect(&closed).contains("refused"));
    let folder = Folder::new();
    let missing = Settings::new(Address::Unix {
        path: folder.path().join("none.sock"),
    });
    assert!(cannot_connect(&missing).contains("No such file"));
    let nameless = Settings::new(Address::Tcp {
        host: "no.such.host.invalid".into(),
        port: 1,
    });
    assert!(!cannot_connect(&nameless).is_empty());
}

#[test]
fn a_server_that_accepts_and_says_nothing_fails_the_set_up_as_not_connected() {
    let mut settings = play(|stream| {
        std::thread::sleep(Duration::from_millis(600));
        drop(stream);
    });
    settings.password = Some("s3cret".into());
    settings.read_timeout = Some(Duration::from_millis(100));
    assert!(cannot_connect(&settings).contains("0.1 s"));
}

#[test]
fn what_is_no_redis_is_a_protocol_error_and_gives_the_connection_up() {
    let settings = play(|mut stream| {
        let _ = stream.read(&mut [0; 100]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read(&mut [0; 100]);
    });
    let mut connection = Connection::open(&settings).unwrap();
    assert!(matches!(
        connection.call(&cmd("PING")),
        Err(Error::Protocol(_))
    ));
    assert!(!connection.is_usable());
}

const INTERRUPTED_PORT: &str = "FAIR_SHARE_INTERRUPTED_PORT";

/// The half of the next test that gets stopped and continued. It runs in its own process.
#[test]
#[ignore = "started by the test below, which plays its server"]
fn interrupted_half() {
    let port = std::env::var(INTERRUPTED_PORT).unwrap().parse().unwrap();
    let mut settings = Settings::new(Address::Tcp {
        host: "127.0.0.1".into(),
        port,
    });
    settings.read_timeout = Some(Duration::from_secs(5));
    let mut connection = Connection::open(&settings).unwrap();
    connection
        .send(&[cmd("ECHO").arg("hello").to_owned()])
        .unwrap();
    let mut interruptions = 0;
    let value = loop {
        match connection.advance().unwrap() {
            Progress::Done(mut replies) => break replies.remove(0),
            Progress::Interrupted => interruptions += 1,
        }
    };
    assert_eq!(value, Value::Array(vec![bulk("hello"), Value::Int(7)]));
    assert_eq!(echo(&mut connection, "next"), bulk("next"));
    println!("interruptions={interruptions}");
}

/// When a stopped process is continued, Linux ends a wait with a timeout by EINTR, even without a signal handler.
#[test]
#[cfg(target_os = "linux")]
fn an_exchange_goes_on_after_the_process_was_stopped_and_continued() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "interrupted_half", "--nocapture"])
        .env(
            INTERRUPTED_PORT,
            listener.local_addr().unwrap().port().to_string(),
        )
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        let kill = format!("kill -{name} {}", child.id());
        assert!(Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success());
    };
    let (mut stream, _) = listener.accept().unwrap();
    let command = cmd("ECHO").arg("hello").clone().get_packed_command();
    let mut received = vec![0; command.len()];
    stream.read_exact(&mut received).unwrap();
    assert_eq!(received, command);
    for byte in b"*2\r\n$5\r\nhello\r\n:7\r\n" {
        stream.write_all(&[*byte]).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        signal("STOP");
        std::thread::sleep(Duration::from_millis(5));
        signal("CONT");
    }
    let next: Cmd = cmd("ECHO").arg("next").clone();
    let mut received = vec![0; next.get_packed_command().len()];
    stream.read_exact(&mut received).unwrap();
    assert_eq!(
        received,
        next.get_packed_command(),
        "the command was sent once"
    );
    stream.write_all(b"$4\r\nnext\r\n").unwrap();

    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("interruptions="), "{text}");
    assert!(
        !text.contains("interruptions=0"),
        "no read was interrupted: {text}"
    );
}

fn tls(server: &RedisServer, tls: Tls) -> Settings {
    Settings {
        address: Address::Tcp {
            host: "localhost".into(),
            port: server.tls_port,
        },
        tls: Some(tls),
        connect_timeout: Some(Duration::from_secs(5)),
        read_timeout: Some(Duration::from_secs(5)),
        db: 2,
        ..server.settings()
    }
}

#[test]
fn tls_trusts_the_ca_file_or_folder_and_nobody_else() {
    let server = RedisServer::start_tls(certificates(), &[]);
    let path = |name: &str| Some(server.folder.path().join(name));
    let authorities = Folder::new();
    std::fs::copy(path("ca.crt").unwrap(), authorities.path().join("ca.pem")).unwrap();
    let large = "x".repeat(1 << 20);
    for trusted in [
        Tls {
            ca_file: path("ca.crt"),
            ..Tls::default()
        },
        Tls {
            ca_path: Some(authorities.path().to_owned()),
            ..Tls::default()
        },
        Tls {
            verify: false,
            ..Tls::default()
        },
        Tls {
            verify: false,
            ca_file: path("other-ca.crt"),
            ..Tls::default()
        },
    ] {
        let settings = tls(&server, trusted);
        let mut connection = Connection::open(&settings).unwrap();
        assert_eq!(echo(&mut connection, &large), bulk(&large));
        assert!(
            Connection::open(&settings).is_ok(),
            "and again, with what is kept"
        );
    }
    for (untrusted, reason) in [
        (
            Tls {
                ca_file: path("other-ca.crt"),
                ..Tls::default()
            },
            "certificate",
        ),
        (
            Tls {
                ca_file: path("ca.crt"),
                server_name: Some("example.com".into()),
                ..Tls::default()
            },
            "example.com",
        ),
    ] {
        let text = cannot_connect(&tls(&server, untrusted));
        assert!(text.contains("TLS") && text.contains(reason), "{text}");
    }
    let unreadable = Tls {
        ca_file: path("none.crt"),
        ..Tls::default()
    };
    match Connection::open(&tls(&server, unreadable)) {
        Err(Error::Argument(text)) => assert!(text.contains("none.crt"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn tls_to_a_server_that_wants_a_client_certificate() {
    let server = RedisServer::start_tls(certificates(), &["--tls-auth-clients", "yes"]);
    let read = |name: &str| Some(std::fs::read(server.folder.path().join(name)).unwrap());
    let ca_file = Some(server.folder.path().join("ca.crt"));
    let stranger = Tls {
        ca_file,
        ..Tls::default()
    };
    let known = Tls {
        cert: read("client.crt"),
        key: read("client.key"),
        ..stranger.clone()
    };
    let mut connection = Connection::open(&tls(&server, known)).unwrap();
    assert_eq!(connection.call(&cmd("PING")).unwrap(), pong());

    assert!(!cannot_connect(&tls(&server, stranger.clone())).is_empty());
    let half = Tls {
        cert: read("client.crt"),
        ..stranger
    };
    assert!(matches!(
        Connection::open(&tls(&server, half)),
        Err(Error::Argument(_))
    ));
}

#[test]
fn tls_spoken_to_a_plain_port_is_refused_in_time() {
    let server = RedisServer::start(&[]);
    let settings = Settings {
        tls: Some(Tls {
            verify: false,
            ..Tls::default()
        }),
        ..server.settings()
    };
    assert!(cannot_connect(&settings).contains("TLS"));
}

#[test]
fn a_tls_connection_closed_while_idle_is_stale_and_an_open_one_is_not() {
    let server = RedisServer::start_tls(certificates(), &[]);
    let settings = tls(
        &server,
        Tls {
            verify: false,
            ..Tls::default()
        },
    );
    let (mut closed, mut open) = (
        Connection::open(&settings).unwrap(),
        Connection::open(&settings).unwrap(),
    );
    let id = client_id(&mut closed);
    echo(&mut open, "here");
    server
        .connect()
        .call(cmd("CLIENT").arg("KILL").arg("ID").arg(id))
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(closed.is_stale());
    assert!(!open.is_stale());
    assert_eq!(echo(&mut open, "still"), bulk("still"));
}

#[test]
fn a_sentinel_leads_to_the_master_and_to_a_replica() {
    let master = RedisServer::start(&[]);
    let port = master.port.to_string();
    let replica = RedisServer::start(&["--replicaof", "127.0.0.1", &port]);
    let sentinel = RedisServer::start_sentinel(master.port);
    let down = ("127.0.0.1".to_owned(), free_port());
    let behind = |master_name: &str, role, nodes| Settings {
        address: Address::Tcp {
            host: "unused".into(),
            port: 1,
        },
        sentinels: Some(Sentinels {
            master_name: master_name.into(),
            role,
            nodes,
            username: None,
            password: None,
            tls: None,
        }),
        ..master.settings()
    };
    let nodes = vec![down.clone(), ("127.0.0.1".to_owned(), sentinel.port)];

    let mut connection = Connection::open(&behind("main", Role::Master, nodes.clone())).unwrap();
    assert_eq!(connection.address(), &master.settings().address);
    assert_eq!(
        connection.call(cmd("SET").arg("key").arg("1")).unwrap(),
        Value::Okay
    );

    let deadline = Instant::now() + Duration::from_secs(20);
    let settings = behind("main", Role::Replica, nodes.clone());
    let connection = loop {
        match Connection::open(&settings) {
            Err(Error::CannotConnect { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(200)); // Until the sentinel knows the replica.
            }
            opened => break opened.unwrap(),
        }
    };
    assert_eq!(connection.address(), &replica.settings().address);

    let text = cannot_connect(&behind("other", Role::Master, nodes));
    assert!(text.contains("no master named \"other\""), "{text}");
    let text = cannot_connect(&behind("main", Role::Master, vec![down.clone()]));
    assert!(
        text.contains(&down.1.to_string()) && text.contains("refused"),
        "{text}"
    );
}
