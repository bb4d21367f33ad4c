//! One queue. Its verbs are in one file for each noun: `turns`, `leases`, `backlog`, `upkeep`, `control`. Each verb is one
//! script or one command: one round trip, which happens wholly or not at all.

use redis::Value;

use crate::keys::QueueKeys;
use crate::scripts::Script;
use crate::transport::{Repeat, Transport};
use crate::unanswered::Unanswered;

/// How a job is charged to its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// By the time it ran.
    Time,
    /// The same for each job.
    Jobs,
}

impl Charge {
    pub(crate) fn as_bytes(self) -> &'static [u8] {
        match self {
            Self::Time => b"time",
            Self::Jobs => b"jobs",
        }
    }
}

/// The configuration of a queue. Each call sends it, so that a change is in force at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many running jobs a partition may have; 0: any number.
    pub cap: u64,
    pub charge: Charge,
}

/// Holds no connection: each verb is passed its transport.
#[derive(Debug)]
pub struct Queue {
    pub(crate) keys: QueueKeys,
    pub(crate) name: String,
    pub(crate) unanswered: Unanswered,
}

impl Queue {
    /// `prefix` is Resque's namespace with its colon.
    pub fn new(prefix: &str, name: &str) -> Self {
        Self {
            keys: QueueKeys::new(prefix, name),
            name: name.to_owned(),
            unanswered: Unanswered::default(),
        }
    }

    pub fn keys(&self) -> &QueueKeys {
        &self.keys
    }

    /// Runs a script on this queue's keys. The root is its first argument.
    pub(crate) fn run<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        arguments: &[&[u8]],
        repeat: Repeat,
    ) -> Result<Value, T::Error> {
        self.run_with(transport, script, &[], arguments, repeat)
    }

    /// As [`run`](Self::run), with keys of Resque after the queue's own.
    pub(crate) fn run_with<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        more_keys: &[&str],
        arguments: &[&[u8]],
        repeat: Repeat,
    ) -> Result<Value, T::Error> {
        let keys = [&self.keys.all(), more_keys].concat();
        let root: &[&[u8]] = &[self.keys.root().as_bytes()];
        transport.run(script, &keys, &[root, arguments].concat(), repeat)
    }
}
