//! Chains on their own server, and a view of everything in that Redis.

use std::collections::BTreeMap;

use fair_share_core::chain::{Cause, Chain, Definition, Fence, Next, Obstacle, Restart};
use fair_share_core::chains;
use fair_share_core::connection::Connection;
use fair_share_core::error::Result;
use fair_share_core::route::Route;
use fair_share_core::step_job::{Destination, StepJob};
use redis::{FromRedisValue, Value};

use super::cost::Asks;
use super::RedisServer;

pub const RUN: &str = "run1";
pub const TTL: u64 = 60_000;

pub type Everything = BTreeMap<String, (String, Vec<Vec<u8>>)>;

pub struct Chains {
    pub redis: Connection,
    pub server: RedisServer,
    requests: u32,
}

impl Asks for Chains {
    fn connection(&mut self) -> &mut Connection {
        &mut self.redis
    }
}

/// A script's reply: the result, milliseconds, and the pending counts of the jobs' partitions.
#[derive(Debug, PartialEq)]
pub struct Reply(pub String, pub i64, pub Vec<i64>);

impl Reply {
    fn from(value: Value) -> Self {
        let Value::Array(items) = value else {
            panic!("{value:?}")
        };
        let mut items = items.into_iter();
        let result = redis::from_owned_redis_value(items.next().unwrap()).unwrap();
        let milliseconds = redis::from_owned_redis_value(items.next().unwrap()).unwrap();
        let pendings = items.next().map(redis::from_owned_redis_value);
        Self(
            result,
            milliseconds,
            pendings.transpose().unwrap().unwrap_or_default(),
        )
    }
}

/// The job of a step: for a partition if the step is odd, for the lane of a plain queue if it is even.
pub fn job(step: u64, token: u64) -> StepJob {
    let (queue, route) = if step % 2 == 0 {
        ("plain", Route::lane())
    } else {
        ("fair", Route::to("acme", None))
    };
    StepJob {
        step,
        token,
        destination: Destination::Queue,
        queue: queue.into(),
        route,
        payload: format!("{{{step}:{token}}}").into(),
        cap: 0,
    }
}

pub fn jobs(steps: std::ops::Range<u64>) -> Vec<StepJob> {
    steps.map(|step| job(step, 1)).collect()
}

pub fn obstacle(vetoed: bool, step: u64) -> Obstacle {
    let cause = cause();
    Obstacle {
        vetoed,
        step,
        cause,
    }
}

pub fn cause() -> Cause {
    Cause {
        message: "no such luck".into(),
        class: "Misfortune".into(),
    }
}

impl Chains {
    pub fn new() -> Self {
        let server = RedisServer::start(&[]);
        Self {
            redis: server.connect(),
            server,
            requests: 0,
        }
    }

    /// Starts a chain `c` of `steps` steps. `groups` is a text like "1-2,4-6".
    pub fn with(steps: usize, groups: &str) -> Self {
        let mut chains = Self::new();
        let reply = chains.start("c", RUN, steps, groups).unwrap();
        assert_eq!(reply.0, "started");
        chains
    }

    pub fn ask<T: FromRedisValue>(&mut self, words: &[&str]) -> T {
        super::cost::ask(&mut self.redis, words)
    }

    pub fn tell(&mut self, words: &[&str]) {
        let _: Value = self.ask(words);
    }

    pub fn start(&mut self, id: &str, run: &str, steps: usize, groups: &str) -> Result<Reply> {
        let first = if groups.starts_with("0-") {
            groups[2..3].parse::<u64>().unwrap() + 1
        } else {
            1
        };
        self.start_with(
            id,
            run,
            &definition(steps, groups, first),
            None,
            &jobs(0..first),
        )
    }

    pub fn start_with(
        &mut self,
        id: &str,
        run: &str,
        definition: &Definition,
        obstacle: Option<&Obstacle>,
        jobs: &[StepJob],
    ) -> Result<Reply> {
        let chain = Chain::new("resque:", id);
        chain
            .start(&mut self.redis, run, TTL, definition, obstacle, jobs)
            .map(Reply::from)
    }

    /// The fence for a call that ends this step. Each call gets another request.
    pub fn fence(&mut self, step: u64, token: Option<u64>) -> Fence {
        self.requests += 1;
        Fence {
            run: RUN.into(),
            ttl: TTL,
            request: format!("request{}", self.requests),
            step,
            token,
        }
    }

    /// The next group, made from the present revision.
    pub fn next(&mut self, first: u64, size: u64) -> Next {
        Next {
            revision: self.field("revision").unwrap_or_else(|| "0".into()),
            first,
            size,
            obstacle: None,
            jobs: jobs(first..first + size),
        }
    }

    pub fn try_advance(&mut self, fence: &Fence, completed: bool, next: &Next) -> Result<Reply> {
        chain()
            .advance(&mut self.redis, fence, completed, next)
            .map(Reply::from)
    }

    pub fn advance(&mut self, fence: &Fence, next: &Next) -> String {
        self.try_advance(fence, true, next).unwrap().0
    }

    /// Completes a step that has token 1. Then the group at `first` starts.
    pub fn complete(&mut self, step: u64, first: u64, size: u64) -> String {
        let (fence, next) = (self.fence(step, Some(1)), self.next(first, size));
        self.advance(&fence, &next)
    }

    pub fn try_retry(&mut self, fence: &Fence, revision: &str, job: &StepJob) -> Result<Reply> {
        chain()
            .retry(&mut self.redis, fence, revision, job)
            .map(Reply::from)
    }

    /// Retries with the present revision.
    pub fn retry(&mut self, fence: &Fence, token: u64) -> String {
        let revision = self.field("revision").unwrap_or_else(|| "0".into());
        self.try_retry(fence, &revision, &job(fence.step, token))
            .unwrap()
            .0
    }

    pub fn fail(&mut self, fence: &Fence) -> String {
        let reply = chain().fail(&mut self.redis, fence, false, &cause());
        Reply::from(reply.unwrap()).0
    }

    /// Fails this step for good.
    pub fn fail_now(&mut self, step: u64) {
        let fence = self.fence(step, Some(1));
        assert_eq!(self.fail(&fence), "failed");
    }

    pub fn restart(&mut self, request: &str, restart: &Restart) -> Reply {
        let reply = chain().restart(&mut self.redis, RUN, TTL, request, restart);
        Reply::from(reply.unwrap())
    }

    /// A restart made from the present revision.
    pub fn restart_of(&mut self, status: &str, jobs: Vec<StepJob>) -> Restart {
        Restart {
            status: status.into(),
            revision: self.field("revision").unwrap_or_else(|| "0".into()),
            enters: None,
            obstacle: None,
            jobs,
        }
    }

    pub fn halt(&mut self, request: &str, status: &str) -> bool {
        let reply = chain().halt(&mut self.redis, RUN, TTL, request, status);
        reply.unwrap() == Value::Int(1)
    }

    pub fn delete(&mut self) -> bool {
        chain().delete(&mut self.redis).unwrap() == Value::Int(1)
    }

    /// The reply of `look`, flattened to its words.
    pub fn look(&mut self, step: Option<u64>) -> Vec<String> {
        let reply = chain().look(&mut self.redis, step).unwrap();
        let mut words = Vec::new();
        flatten(reply, &mut words);
        words
    }

    pub fn update(&mut self, field: &str, value: &str) -> String {
        let fields = [(field.to_owned(), value.as_bytes().to_vec())];
        let mut words = Vec::new();
        flatten(
            chain().update(&mut self.redis, &fields).unwrap(),
            &mut words,
        );
        words.swap_remove(0)
    }

    /// The ids of a page.
    pub fn list(&mut self, statuses: &[&str], offset: u64, limit: u64) -> Vec<String> {
        let statuses: Vec<String> = statuses.iter().map(|word| (*word).to_owned()).collect();
        let Value::Array(rows) = all_chains()
            .list(&mut self.redis, &statuses, offset, limit)
            .unwrap()
        else {
            panic!("no rows")
        };
        let mut rows = rows.into_iter().skip(1);
        std::iter::from_fn(|| Some((rows.next()?, rows.next()?)))
            .map(|(id, _)| redis::from_owned_redis_value(id).unwrap())
            .collect()
    }

    /// The numbers of running, paused, cancelled, completed and failed chains.
    pub fn count(&mut self) -> [u64; 5] {
        let counts: Vec<u64> =
            redis::from_owned_redis_value(all_chains().count(&mut self.redis).unwrap()).unwrap();
        counts.try_into().unwrap()
    }

    pub fn adopt(&mut self, text: &str, context: &[(&str, &str)]) -> bool {
        let context: Vec<_> = context
            .iter()
            .map(|(field, value)| ((*field).to_owned(), value.as_bytes().to_vec()))
            .collect();
        let reply = chain().adopt(&mut self.redis, RUN, TTL, text.as_bytes(), 5, &context);
        reply.unwrap() == Value::Int(1)
    }

    /// A field of the state of `c`.
    pub fn field(&mut self, name: &str) -> Option<String> {
        self.ask(&["HGET", "resque:job_chain:c:state", name])
    }

    pub fn fields(&mut self, names: &[&str]) -> Vec<String> {
        names
            .iter()
            .map(|name| self.field(name).unwrap_or_default())
            .collect()
    }

    /// The waiting payloads of both queues.
    pub fn queued(&mut self) -> Vec<String> {
        let plain: Vec<String> = self.ask(&["LRANGE", "resque:queue:plain", "0", "-1"]);
        let fair: Vec<String> = self.ask(&["LRANGE", "resque:fair_share:fair:sub:acme", "0", "-1"]);
        let fair = fair.into_iter().map(|element| element[11..].to_owned());
        plain.into_iter().chain(fair).collect()
    }

    pub fn everything(&mut self) -> Everything {
        super::bed::everything(&mut self.redis)
    }

    /// Asserts that the block changes nothing in Redis.
    pub fn unchanged<T>(&mut self, block: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.everything();
        let result = block(self);
        assert_eq!(self.everything(), before);
        result
    }

    /// Makes Redis full: it refuses all writes that need memory.
    pub fn fill(&mut self) {
        self.tell(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
        self.tell(&["CONFIG", "SET", "maxmemory", "1"]);
    }
}

fn all_chains() -> chains::Chains {
    chains::Chains::new("resque:")
}

pub fn chain() -> Chain {
    Chain::new("resque:", "c")
}

pub fn definition(steps: usize, groups: &str, first_size: u64) -> Definition {
    Definition {
        strategy: String::new(),
        groups: groups.into(),
        first_size,
        context: vec![("k".into(), b"[]".to_vec())],
        steps: (0..steps).map(|step| format!("<{step}>").into()).collect(),
    }
}

fn flatten(value: Value, words: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| flatten(item, words)),
        other => words.push(redis::from_owned_redis_value(other).unwrap()),
    }
}
