//! One queue. Its verbs stand in a file a noun: `turns`, `leases`, `backlog`, `upkeep`, `control`. Each verb is one script or
//! one command, so each is one round trip and happens wholly or not at all.

use redis::Value;

use crate::keys::QueueKeys;
use crate::scripts::Script;
use crate::transport::{Repeat, Transport};
use crate::unanswered::Unanswered;

/// What a job costs its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The time it ran.
    Time,
    /// Each job the same.
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

/// The configuration of a queue, sent with each call: a change holds at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Running jobs a partition may have; 0: any number.
    pub cap: u64,
    pub charge: Charge,
}

/// Holds no connection: each verb gets its transport.
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

    /// Runs a script on this queue's keys. Their root goes before the other arguments.
    pub(crate) fn run<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        arguments: &[&[u8]],
        repeat: Repeat,
    ) -> Result<Value, T::Error> {
        self.run_with(transport, script, &[], arguments, repeat)
    }

    /// The same with keys of Resque's behind the queue's own.
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
