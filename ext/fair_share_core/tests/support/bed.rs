//! A fair queue on its own server, and a view of everything in that Redis.

use std::collections::{BTreeMap, BTreeSet};

use fair_share_core::connection::Connection;
use fair_share_core::error::{Error, Result};
use fair_share_core::lease::Lease;
use fair_share_core::leases::Recovered;
use fair_share_core::payload::split_element;
use fair_share_core::queue::{Charge, Limits, Queue};
use fair_share_core::route::Route;
use fair_share_core::transport::Transport;
use fair_share_core::turns::{Asking, Enqueued, Job, Reserved, Ticket};
use fair_share_core::upkeep::Mended;
use redis::{FromRedisValue, Value};

use super::cost::{ask, Asks};
use super::RedisServer;

pub const PREFIX: &str = "resque:";
pub const OWNER: &str = "host:1:fair";
pub const PID: u32 = 1;
/// A score is level + tag / `UNIT`.
pub const UNIT: f64 = 4_398_046_511_104.0;

pub fn limits(cap: u64) -> Limits {
    Limits {
        cap,
        charge: Charge::Time,
    }
}

pub struct Bed {
    pub redis: Connection,
    pub queue: Queue,
    pub limits: Limits,
    /// Whether [`Bed::check`] follows each verb. Off if a test breaks the state by hand, or has a large one.
    pub checking: bool,
    reserves: u32,
    pub server: RedisServer,
}

impl Bed {
    /// A queue whose partitions may have `cap` running jobs; 0: any number.
    pub fn new(cap: u64) -> Self {
        let server = RedisServer::start(&[]);
        Self {
            redis: server.connect(),
            queue: Queue::new(PREFIX, "fair"),
            limits: limits(cap),
            checking: true,
            reserves: 0,
            server,
        }
    }

    pub fn unchecked(cap: u64) -> Self {
        Self {
            checking: false,
            ..Self::new(cap)
        }
    }

    /// Runs any command, given by its words.
    pub fn ask<T: FromRedisValue>(&mut self, words: &[&str]) -> T {
        ask(&mut self.redis, words)
    }

    /// Runs any command, and ignores its reply.
    pub fn tell(&mut self, words: &[&str]) {
        let _: Value = self.ask(words);
    }

    /// `resque:fair_share:fair:NAME`
    pub fn key(&self, name: &str) -> String {
        format!("{}{name}", self.queue.keys().root())
    }

    pub fn main(&self) -> String {
        self.queue.keys().main().to_owned()
    }

    /// The server's clock in milliseconds.
    pub fn now(&mut self) -> u64 {
        let (seconds, micros): (u64, u64) = self.ask(&["TIME"]);
        seconds * 1000 + micros / 1000
    }

    pub fn score(&mut self, index: &str, partition: &str) -> Option<f64> {
        let key = self.key(index);
        self.ask(&["ZSCORE", &key, partition])
    }

    pub fn clock(&mut self) -> f64 {
        let key = self.key("state");
        self.ask(&["HGET", &key, "clock"])
    }

    /// Writes run-time settings as the `set` script does.
    pub fn set(&mut self, partition: &str, settings: &str) {
        let key = self.key("settings");
        self.tell(&["HSET", &key, partition, settings]);
        // The `set` script deletes this, too.
        let state = self.key("state");
        self.tell(&["HDEL", &state, "unset"]);
    }

    /// Makes a look for dead owners due.
    pub fn let_reconcile_be_due(&mut self) {
        let key = self.key("state");
        self.tell(&["HSET", &key, "reconciled", "0"]);
    }

    /// Makes the job look as if it had run for so long.
    pub fn age(&mut self, lease_id: &str, milliseconds: u64) {
        let (key, took) = (self.key("leases"), milliseconds.to_string());
        self.tell(&["EVAL", AGE, "1", &key, lease_id, &took]);
    }

    // The verbs.

    /// Returns the pending count of the partition.
    pub fn enqueue(&mut self, id: &str, payload: &str) -> u64 {
        match self.enqueue_to(&Route::to(id, None), payload) {
            Enqueued::Queued { pending } => pending,
            Enqueued::Plain => panic!("{payload} went into the main list"),
        }
    }

    pub fn enqueue_to(&mut self, route: &Route, payload: &str) -> Enqueued {
        let enqueued = self.try_enqueue(route, payload.as_bytes()).unwrap();
        self.check_if_wanted();
        enqueued
    }

    pub fn try_enqueue(&mut self, route: &Route, payload: &[u8]) -> Result<Enqueued> {
        self.queue
            .enqueue(&mut self.redis, payload, route, self.limits.cap)
    }

    pub fn reserve(&mut self) -> Reserved {
        self.reserve_with(Ticket::Take)
    }

    pub fn reserve_with(&mut self, ticket: Ticket) -> Reserved {
        let reserved = self.try_reserve(ticket).unwrap();
        self.check_if_wanted();
        reserved
    }

    pub fn try_reserve(&mut self, ticket: Ticket) -> Result<Reserved> {
        self.reserves += 1;
        let id = format!("lease{}", self.reserves);
        let (queue, limits) = (&self.queue, self.limits);
        reserve_by(queue, &mut self.redis, &id, OWNER, ticket, limits)
    }

    /// Reserves a job, and panics if there is none.
    pub fn take(&mut self) -> Job {
        match self.reserve() {
            Reserved::Job { job, .. } => job,
            other => panic!("no job: {other:?}"),
        }
    }

    /// Reserves the next jobs. Returns their payloads.
    pub fn take_payloads(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| payload_of(&self.take())).collect()
    }

    /// Reserves the next jobs. Returns their partitions.
    pub fn take_partitions(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.take().partition).collect()
    }

    pub fn release(&mut self, lease_id: &str) -> Option<(String, u64)> {
        let released = self
            .queue
            .release(&mut self.redis, lease_id, self.limits)
            .unwrap();
        self.check_if_wanted();
        released
    }

    pub fn recover(&mut self, lease_id: &str) -> Recovered {
        let recovered = self
            .queue
            .recover(&mut self.redis, lease_id, OWNER, self.limits)
            .unwrap();
        self.check_if_wanted();
        recovered
    }

    /// Writes the worker's record, which says that the worker has begun with this job.
    pub fn begin(&mut self, lease_id: &str) {
        let record = format!(
            r#"{{"queue":"fair","run_at":"now","payload":{{"class":"A","args":[],"lease":"{lease_id}"}}}}"#
        );
        let key = self.queue.keys().worker(OWNER);
        self.tell(&["SET", &key, &record]);
    }

    /// As [`Bed::begin`], in a full Redis: lifts the memory limit for this write.
    pub fn begin_under_oom(&mut self, lease_id: &str) {
        self.tell(&["CONFIG", "SET", "maxmemory", "0"]);
        self.begin(lease_id);
        self.tell(&["CONFIG", "SET", "maxmemory", "1"]);
    }

    pub fn adopt(&mut self, elements: &[(&str, Option<Route>)]) -> u64 {
        let elements: Vec<_> = elements
            .iter()
            .map(|(element, route)| (element.as_bytes().to_vec(), route.clone()))
            .collect();
        let adopted = self.try_adopt(&elements).unwrap();
        self.check_if_wanted();
        adopted
    }

    pub fn try_adopt(&mut self, elements: &[(Vec<u8>, Option<Route>)]) -> Result<u64> {
        let adopted = self
            .queue
            .adopt(&mut self.redis, elements, false, self.limits.cap)?;
        Ok(adopted.adopted)
    }

    pub fn mend(&mut self) -> u64 {
        let (mut tickets, mut ends) = (0, 0);
        loop {
            let page = self.mend_page();
            tickets += page.tickets;
            ends += u32::from(page.ended);
            if ends >= 3 && page.tickets < 1000 {
                if page.lost {
                    self.reindex();
                }
                break;
            }
        }
        self.check_if_wanted();
        tickets
    }

    pub fn mend_page(&mut self) -> Mended {
        self.queue.mend(&mut self.redis, self.limits.cap).unwrap()
    }

    /// Returns how many partitions were put back into an index.
    pub fn reindex(&mut self) -> u64 {
        let (mut cursor, mut found) = (0, 0);
        loop {
            let (next, page) = self.queue.lists(&mut self.redis, cursor).unwrap();
            cursor = next;
            found += self
                .queue
                .reindex(&mut self.redis, &page, cursor == 0, self.limits.cap)
                .unwrap();
            if cursor == 0 {
                return found;
            }
        }
    }

    /// Reserves and releases until no job is left.
    pub fn drain(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        loop {
            match self.reserve() {
                Reserved::Job { job, .. } => {
                    self.release(&job.lease_id);
                    jobs.push(job);
                }
                Reserved::Plain => return jobs,
                other => panic!("can't drain: {other:?}"),
            }
        }
    }

    /// Everything in Redis now: each key with its type and its values.
    pub fn everything(&mut self) -> BTreeMap<String, (String, Vec<Vec<u8>>)> {
        everything(&mut self.redis)
    }

    pub fn held(&mut self) -> Held {
        let root = self.queue.keys().root().to_owned();
        Held::read(self.everything(), &root, &self.main())
    }

    /// All keys except Resque's own, without the root.
    pub fn our_keys(&mut self) -> Vec<String> {
        let root = self.queue.keys().root().to_owned();
        self.everything()
            .into_keys()
            .filter_map(|key| key.strip_prefix(&root).map(str::to_owned))
            .collect()
    }

    /// Asserts all invariants that hold between two verbs.
    pub fn check(&mut self) -> Held {
        let held = self.held();
        held.assert_consistent();
        held.assert_parked_by(self.limits.cap);
        assert_eq!(
            held.tickets(),
            held.waiting(),
            "a ticket for each waiting job: {held:#?}"
        );
        held
    }

    fn check_if_wanted(&mut self) {
        if self.checking {
            self.check();
        }
    }
}

impl Asks for Bed {
    fn connection(&mut self) -> &mut Connection {
        &mut self.redis
    }
}

/// Everything in Redis now: each key with its type and its values.
pub fn everything(redis: &mut Connection) -> BTreeMap<String, (String, Vec<Vec<u8>>)> {
    let rows: Vec<(String, String, Vec<Vec<u8>>)> = ask(redis, &["EVAL", EVERYTHING, "0"]);
    rows.into_iter()
        .map(|(key, kind, values)| (key, (kind, values)))
        .collect()
}

pub fn reserve_by<T: Transport>(
    queue: &Queue,
    transport: &mut T,
    id: &str,
    owner: &str,
    ticket: Ticket,
    limits: Limits,
) -> std::result::Result<Reserved, T::Error> {
    let asking = Asking {
        pid: PID,
        fresh_id: id.to_owned(),
        owner,
    };
    queue.reserve(transport, asking, ticket, limits)
}

pub fn payload_of(job: &Job) -> String {
    payload_in(&job.element)
}

pub fn payload_in(element: &[u8]) -> String {
    String::from_utf8(split_element(element).1.to_vec()).unwrap()
}

pub fn nothing(reserved: &Reserved) -> bool {
    matches!(reserved, Reserved::Nothing { .. })
}

pub fn is_oom<T: std::fmt::Debug>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Command(text)) if text.contains("OOM"))
}

pub fn tag_of(score: f64) -> f64 {
    score.fract() * UNIT
}

const AGE: &str = r"
local time = redis.call('TIME')
local started = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2])
local lease = redis.call('HGET', KEYS[1], ARGV[1])
local partition, rest = string.match(lease, '^(%S*) %d+ (.*)$')
return redis.call('HSET', KEYS[1], ARGV[1], partition .. ' ' .. started .. ' ' .. rest)";

const EVERYTHING: &str = r"
local readers = {
  string = function(key) return { redis.call('GET', key) } end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  set = function(key) return redis.call('SMEMBERS', key) end,
}
local rows = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  rows[#rows + 1] = { key, kind, readers[kind](key) }
end
return rows";

/// The state of a queue, by encoded partition id.
#[derive(Debug, Default, PartialEq)]
pub struct Held {
    pub main: Vec<String>,
    pub lists: BTreeMap<String, Vec<String>>,
    pub pending: BTreeMap<String, u64>,
    pub in_flight: BTreeMap<String, u64>,
    pub partitions: BTreeMap<String, f64>,
    pub parked: BTreeMap<String, f64>,
    pub leases: BTreeMap<String, Lease>,
    pub state: BTreeMap<String, String>,
    pub tags: BTreeMap<String, f64>,
    pub settings: BTreeMap<String, String>,
    pub weights: BTreeMap<String, String>,
    pub names: BTreeMap<String, String>,
}

impl Held {
    fn read(everything: BTreeMap<String, (String, Vec<Vec<u8>>)>, root: &str, main: &str) -> Self {
        let mut held = Self::default();
        for (key, (_, values)) in everything {
            if key == main {
                held.main = values.into_iter().map(text).collect();
                continue;
            }
            let Some(name) = key.strip_prefix(root) else {
                continue;
            };
            if let Some(partition) = name.strip_prefix("sub:") {
                let elements = values.into_iter().map(text).collect();
                held.lists.insert(partition.to_owned(), elements);
            } else if let Some(partition) = name.strip_suffix(":pending") {
                held.pending.insert(partition.to_owned(), number(values));
            } else if let Some(partition) = name.strip_suffix(":in_flight") {
                held.in_flight.insert(partition.to_owned(), number(values));
            } else {
                match name {
                    "partitions" => held.partitions = scores(values),
                    "parked" => held.parked = scores(values),
                    "tags" => held.tags = scores(values),
                    "state" => held.state = pairs(values),
                    "settings" => held.settings = pairs(values),
                    "weights" => held.weights = pairs(values),
                    "names" => held.names = pairs(values),
                    "leases" => held.leases = leases(values),
                    other => panic!("a key that nobody knows: {other}"),
                }
            }
        }
        held
    }

    /// The payloads of a partition's waiting jobs, oldest first.
    pub fn payloads(&self, partition: &str) -> Vec<String> {
        self.lists
            .get(partition)
            .map(|elements| {
                let payload = |element: &String| payload_in(element.as_bytes());
                elements.iter().map(payload).collect()
            })
            .unwrap_or_default()
    }

    pub fn waiting(&self) -> usize {
        self.lists.values().map(Vec::len).sum()
    }

    pub fn tickets(&self) -> usize {
        self.main
            .iter()
            .filter(|element| *element == "null")
            .count()
    }

    /// Weight, and the run-time settings of cap and pause.
    pub fn policy(&self, partition: &str) -> (f64, Option<u64>, bool) {
        let configured = self.weights.get(partition).and_then(|w| w.parse().ok());
        let Some(settings) = self.settings.get(partition) else {
            return (configured.unwrap_or(1.0), None, false);
        };
        let fields: Vec<&str> = settings.split('|').collect();
        let weight = fields[0].parse().ok().or(configured);
        (
            weight.unwrap_or(1.0),
            fields[1].parse().ok(),
            fields[2] == "1",
        )
    }

    /// Asserts the invariants that do not depend on the cap.
    pub fn assert_consistent(&self) {
        let lengths: BTreeMap<String, u64> = self
            .lists
            .iter()
            .map(|(partition, elements)| (partition.clone(), elements.len() as u64))
            .collect();
        assert_eq!(self.pending, lengths, "pending counts the lists: {self:#?}");

        let mut running: BTreeMap<String, u64> = BTreeMap::new();
        for lease in self.leases.values() {
            *running.entry(lease.partition.clone()).or_default() += 1;
        }
        assert_eq!(
            self.in_flight, running,
            "in_flight counts leases: {self:#?}"
        );

        let mut indexed = BTreeSet::new();
        for (partition, score) in self.partitions.iter().chain(&self.parked) {
            assert!(indexed.insert(partition), "{partition} twice: {self:#?}");
            assert!(*score >= 0.0, "{partition}: {self:#?}");
            assert!(!self.tags.contains_key(partition), "{partition}: {self:#?}");
            let in_flight = running.get(partition).copied().unwrap_or(0);
            let level = (in_flight as f64 / self.policy(partition).0).floor();
            assert_eq!(score.floor(), level, "level of {partition}: {self:#?}");
        }
        let with_jobs: BTreeSet<&String> = self.lists.keys().collect();
        assert_eq!(indexed, with_jobs, "all that wait are indexed: {self:#?}");

        let alive = |partition: &String| {
            self.lists.contains_key(partition) || self.in_flight.contains_key(partition)
        };
        assert!(self.weights.keys().all(alive), "weights: {self:#?}");
        assert!(self.names.keys().all(alive), "names: {self:#?}");

        let busy = !self.lists.is_empty() || !self.leases.is_empty();
        assert!(
            !busy || self.state.contains_key("clock"),
            "state: {self:#?}"
        );
        let over = !busy && self.main.is_empty();
        assert!(!over || self.state.is_empty(), "state: {self:#?}");
        assert!(!over || self.tags.is_empty(), "tags: {self:#?}");
        let count = |field: &str| -> usize {
            self.state
                .get(field)
                .map_or(0, |count| count.parse().unwrap())
        };
        assert_eq!(count("pending"), self.waiting(), "state.pending: {self:#?}");
        let parked: usize = self
            .parked
            .keys()
            .map(|partition| self.lists[partition].len())
            .sum();
        assert_eq!(count("parked"), parked, "state.parked: {self:#?}");
    }

    /// Asserts that exactly those partitions are parked that have waiting jobs and are at the cap or paused.
    pub fn assert_parked_by(&self, cap: u64) {
        for partition in self.lists.keys() {
            let (_, own_cap, paused) = self.policy(partition);
            let cap = own_cap.unwrap_or(cap);
            let in_flight = self.in_flight.get(partition).copied().unwrap_or(0);
            let full = cap > 0 && in_flight >= cap;
            assert_eq!(
                self.parked.contains_key(partition),
                if partition == "%" {
                    false
                } else {
                    paused || full
                },
                "{partition} parked: {self:#?}"
            );
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn number(values: Vec<Vec<u8>>) -> u64 {
    text(values.into_iter().next().unwrap()).parse().unwrap()
}

fn pairs(values: Vec<Vec<u8>>) -> BTreeMap<String, String> {
    let mut values = values.into_iter().map(text);
    std::iter::from_fn(|| Some((values.next()?, values.next()?))).collect()
}

fn scores(values: Vec<Vec<u8>>) -> BTreeMap<String, f64> {
    pairs(values)
        .into_iter()
        .map(|(member, score)| (member, score.parse().unwrap()))
        .collect()
}

fn leases(values: Vec<Vec<u8>>) -> BTreeMap<String, Lease> {
    let mut values = values.into_iter();
    std::iter::from_fn(|| Some((text(values.next()?), values.next()?)))
        .map(|(id, value)| (id.clone(), Lease::parse(id, &value).unwrap()))
        .collect()
}

pub const FOREIGN: &str = r#"{"class":"Foreign","args":[1]}"#;

pub fn weighted(id: &str, weight: f64) -> Route {
    Route::to(id, Some(weight))
}

/// A payload that others pushed, with its route to partition `id`.
pub fn foreign(payload: &str, id: &str) -> (String, Option<Route>) {
    (payload.to_owned(), Some(Route::to(id, None)))
}

pub fn adopt(bed: &mut Bed, elements: &[(String, Option<Route>)]) -> u64 {
    let elements: Vec<_> = elements
        .iter()
        .map(|(payload, route)| (payload.as_str(), route.clone()))
        .collect();
    bed.adopt(&elements)
}

pub fn told_to_adopt(reserved: Reserved) -> Vec<String> {
    match reserved {
        Reserved::Adopt(elements) => elements
            .into_iter()
            .map(|element| String::from_utf8(element).unwrap())
            .collect(),
        other => panic!("{other:?}"),
    }
}
