//! Asks the sentinels for the address of the master or of a replica. Uses the core's own connection: redis-rs's sentinel client
//! has no timeouts, treats a signal as an error, supports no CA file, and does not report the failure of a single node.

use std::collections::HashMap;
use std::time::SystemTime;

use super::{Address, Connection, Role, Sentinels, Settings};
use crate::error::{Error, Result};
use crate::reply::parse;

/// Asks each sentinel in turn, until one knows the address.
pub(super) fn locate(sentinels: &Sentinels, settings: &Settings) -> Result<Address> {
    let mut reasons = Vec::new();
    for (host, port) in &sentinels.nodes {
        let node = Address::Tcp {
            host: host.clone(),
            port: *port,
        };
        match ask(&node, sentinels, settings) {
            Ok(address) => return Ok(address),
            Err(Error::CannotConnect { reason, .. } | Error::ConnectionLost { reason, .. }) => {
                reasons.push(format!("{node}: {reason}"));
            }
            Err(other) => reasons.push(format!("{node}: {other}")),
        }
    }
    Err(Error::CannotConnect {
        address: place(sentinels),
        reason: match reasons.is_empty() {
            true => "no sentinel is configured".into(),
            false => format!("no sentinel knows where it is ({})", reasons.join("; ")),
        },
    })
}

/// A sentinel may still name a master that was just demoted. Every write to it would fail.
pub(super) fn check_role(connection: &mut Connection, sentinels: &Sentinels) -> Result<()> {
    let reply = match connection.call(&redis::cmd("ROLE")) {
        Ok(reply) => reply,
        // An ACL or a provider may forbid ROLE. Then trust the sentinel.
        Err(Error::Command(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let role = match reply.as_sequence().and_then(|parts| parts.first()) {
        Some(first) => parse::<String>(first)?,
        None => return Ok(()),
    };
    let wanted = match sentinels.role {
        Role::Master => "master",
        Role::Replica => "slave",
    };
    if role == wanted {
        return Ok(());
    }
    Err(Error::CannotConnect {
        address: place(sentinels),
        reason: format!(
            "{} says that it is a {role}; a failover may be under way",
            connection.address()
        ),
    })
}

fn ask(node: &Address, sentinels: &Sentinels, settings: &Settings) -> Result<Address> {
    let mut connection = Connection::open(&Settings {
        address: node.clone(),
        db: 0,
        username: sentinels.username.clone(),
        password: sentinels.password.clone(),
        tls: sentinels.tls.clone(),
        sentinels: None,
        ..settings.clone()
    })?;
    match sentinels.role {
        Role::Master => master(&mut connection, &sentinels.master_name),
        Role::Replica => replica(&mut connection, &sentinels.master_name),
    }
}

fn master(connection: &mut Connection, name: &str) -> Result<Address> {
    let reply = connection.call(
        redis::cmd("SENTINEL")
            .arg("get-master-addr-by-name")
            .arg(name),
    )?;
    match parse::<Option<(String, u16)>>(&reply)? {
        Some((host, port)) => Ok(Address::Tcp { host, port }),
        None => Err(Error::Command(format!(
            "it watches no master named {name:?}"
        ))),
    }
}

fn replica(connection: &mut Connection, name: &str) -> Result<Address> {
    // Redis before 5 does not know REPLICAS. Later versions know both.
    let reply = connection.call(redis::cmd("SENTINEL").arg("slaves").arg(name))?;
    let known: Vec<HashMap<String, String>> = parse(&reply)?;
    let mut usable: Vec<Address> = known.iter().filter_map(address_of).collect();
    if usable.is_empty() {
        return Err(Error::Command(format!(
            "it knows no replica of {name:?} that is up"
        )));
    }
    // Any replica will do. The clock spreads the clients over them.
    let nanos = SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |time| time.subsec_nanos());
    let index = nanos as usize % usable.len();
    Ok(usable.swap_remove(index))
}

fn address_of(replica: &HashMap<String, String>) -> Option<Address> {
    let flags = replica.get("flags")?;
    let down = flags
        .split(',')
        .any(|flag| matches!(flag, "s_down" | "o_down" | "disconnected"));
    let (host, port) = (
        replica.get("ip")?.clone(),
        replica.get("port")?.parse().ok()?,
    );
    (!down).then_some(Address::Tcp { host, port })
}

fn place(sentinels: &Sentinels) -> String {
    let role = match sentinels.role {
        Role::Master => "the master",
        Role::Replica => "a replica of",
    };
    format!("{role} {:?}", sentinels.master_name)
}
