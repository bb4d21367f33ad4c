//! Measures what a verb costs Redis: the commands that its scripts call, as counted by the server.

use std::collections::BTreeMap;

use fair_share_core::connection::Connection;
use redis::{FromRedisValue, Value};

/// A value that has its own connection.
pub trait Asks {
    fn connection(&mut self) -> &mut Connection;
}

/// Runs any command, given by its words.
pub fn ask<T: FromRedisValue>(redis: &mut Connection, words: &[&str]) -> T {
    let mut command = redis::Cmd::new();
    command.arg(words);
    redis::from_owned_redis_value(redis.call(&command).unwrap()).unwrap()
}

/// How often scripts call each command, and how many microseconds a script takes.
pub struct Cost {
    pub calls: BTreeMap<String, u64>,
    pub micros: f64,
}

impl Cost {
    pub fn total(&self) -> u64 {
        self.calls.values().sum()
    }
}

/// Runs `verb` once. Returns its cost.
pub fn cost<A: Asks>(asks: &mut A, verb: &mut dyn FnMut(&mut A)) -> Cost {
    let _: Value = ask(asks.connection(), &["CONFIG", "RESETSTAT"]);
    verb(asks);
    let stats: String = ask(asks.connection(), &["INFO", "commandstats"]);
    let mut cost = Cost {
        calls: BTreeMap::new(),
        micros: 0.0,
    };
    for line in stats.lines() {
        let Some((name, fields)) = line
            .strip_prefix("cmdstat_")
            .and_then(|line| line.split_once(':'))
        else {
            continue;
        };
        let field = |wanted: &str| -> f64 {
            fields
                .split(',')
                .find_map(|field| field.strip_prefix(wanted)?.strip_prefix('='))
                .unwrap()
                .parse()
                .unwrap()
        };
        match name {
            "evalsha" | "eval" => cost.micros += field("usec"),
            "config|resetstat" | "config" | "info" => {}
            _ => drop(cost.calls.insert(name.to_owned(), field("calls") as u64)),
        }
    }
    cost
}
