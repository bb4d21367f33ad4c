//! The names of the keys in Redis.
//!
//! A queue's keys are `ROOT:WORD`, `ROOT:sub:ID`, `ROOT:ID:pending` and `ROOT:ID:in_flight`. The encoded id contains no colon
//! and is no word of the layout. A queue's name may contain both, yet no key belongs to two queues. After the shorter root,
//! only two pairs could be equal: `ID:pending` and `ID:WORD`, but no queue has a key `ROOT:pending` or `ROOT:in_flight`; or
//! `sub:ID` and `sub:WORD`, but no encoded id is a word.
//!
//! So a new key must end in a word of [`FIXED_WORDS`](crate::partition_id::FIXED_WORDS), and must not be `ROOT:pending` or
//! `ROOT:in_flight`.

/// The names of a queue's keys.
#[derive(Debug, Clone)]
pub struct QueueKeys {
    prefix: String,
    root: String,
    all: [String; 10],
}

impl QueueKeys {
    /// The keys of `queue`; `prefix` is Resque's namespace with its colon (`resque:`), or empty.
    pub fn new(prefix: &str, queue: &str) -> Self {
        let root = format!("{prefix}fair_share:{queue}:");
        let word = |word: &str| format!("{root}{word}");
        Self {
            all: [
                format!("{prefix}queues"),
                format!("{prefix}queue:{queue}"),
                word("partitions"),
                word("parked"),
                word("leases"),
                word("state"),
                word("tags"),
                word("settings"),
                word("weights"),
                word("names"),
            ],
            prefix: prefix.to_owned(),
            root,
        }
    }

    /// The prefix of all fair-share keys of this queue. It is not a key.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The keys that every script of a queue gets, in the order of `lua/includes/keys.lua`.
    pub fn all(&self) -> [&str; 10] {
        self.all.each_ref().map(String::as_str)
    }

    /// SET: the names of Resque's queues.
    pub fn queues(&self) -> &str {
        &self.all[0]
    }

    /// LIST: Resque's own list of this queue, which holds the tickets.
    pub fn main(&self) -> &str {
        &self.all[1]
    }

    /// ZSET: partitions that have a waiting job and may run now.
    pub fn partitions(&self) -> &str {
        &self.all[2]
    }

    /// ZSET: partitions that have a waiting job, but are paused or at their cap.
    pub fn parked(&self) -> &str {
        &self.all[3]
    }

    /// HASH: one lease for each running job.
    pub fn leases(&self) -> &str {
        &self.all[4]
    }

    /// HASH: the queue's virtual clock, its counts, and other fields.
    pub fn state(&self) -> &str {
        &self.all[5]
    }

    /// ZSET: the tags of partitions that have no waiting job any more.
    pub fn tags(&self) -> &str {
        &self.all[6]
    }

    /// HASH: run-time settings of single partitions.
    pub fn settings(&self) -> &str {
        &self.all[7]
    }

    /// HASH: weights from the configuration.
    pub fn weights(&self) -> &str {
        &self.all[8]
    }

    /// HASH: shortened ids, and the full id of each.
    pub fn names(&self) -> &str {
        &self.all[9]
    }

    /// LIST: the waiting jobs of the partition with this encoded id.
    pub fn sub(&self, encoded: &str) -> String {
        format!("{}sub:{encoded}", self.root)
    }

    /// STRING: the number of waiting jobs of the partition.
    pub fn pending(&self, encoded: &str) -> String {
        format!("{}{encoded}:pending", self.root)
    }

    /// STRING: the number of running jobs of the partition.
    pub fn in_flight(&self, encoded: &str) -> String {
        format!("{}{encoded}:in_flight", self.root)
    }

    /// STRING: Resque's record of the job that the worker with this id runs.
    pub fn worker(&self, id: &str) -> String {
        worker_record(&self.prefix, id)
    }

    /// One of Resque's own keys, with the namespace put before it.
    pub fn prefixed(&self, name: &str) -> String {
        [&self.prefix, name].concat()
    }
}

pub(crate) fn worker_record(prefix: &str, id: &str) -> String {
    [prefix, "worker:", id].concat()
}

/// The words of the indexes of all chains, in the order of `lua/includes/chain_keys.lua`.
pub const CHAIN_INDEXES: [&str; 7] = [
    "expiring",
    "active",
    "running",
    "paused",
    "cancelled",
    "completed",
    "failed",
];

/// The names of a chain's keys, `job_chain:ID:WORD`, and of the indexes of all chains, `job_chain:WORD`. The two kinds end in
/// different words, so any id is safe.
#[derive(Debug, Clone)]
pub struct ChainKeys {
    prefix: String,
    root: String,
    all: [String; 10],
}

impl ChainKeys {
    /// `prefix` is Resque's namespace with its colon (`resque:`), or empty.
    pub fn new(prefix: &str, id: &str) -> Self {
        let root = format!("{prefix}job_chain:");
        let [expiring, active, running, paused, cancelled, completed, failed] =
            CHAIN_INDEXES.map(|word| format!("{root}{word}"));
        Self {
            all: [
                format!("{root}{id}:state"),
                format!("{root}{id}:steps"),
                format!("{root}{id}:context"),
                expiring,
                active,
                running,
                paused,
                cancelled,
                completed,
                failed,
            ],
            prefix: prefix.to_owned(),
            root,
        }
    }

    /// Resque's namespace with its colon.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The prefix of all keys of chains. It is not a key.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The keys that every script of a chain gets, in the order of `lua/includes/chain_keys.lua`.
    pub fn all(&self) -> [&str; 10] {
        self.all.each_ref().map(String::as_str)
    }

    /// HASH: status, steps' statuses, run, revision.
    pub fn state(&self) -> &str {
        &self.all[0]
    }

    /// LIST: the steps as declared.
    pub fn steps(&self) -> &str {
        &self.all[1]
    }

    /// HASH: the data that the steps share.
    pub fn context(&self) -> &str {
        &self.all[2]
    }

    /// The indexes of all chains: [`CHAIN_INDEXES`] and the key of each.
    pub fn indexes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let keys = self.all.iter().skip(3).map(String::as_str);
        CHAIN_INDEXES.into_iter().zip(keys)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::partition_id::{encode_id, FIXED_WORDS, LANE};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn encoded(id: &str) -> String {
        encode_id(id).to_string()
    }

    fn fixed_keys(keys: &QueueKeys) -> Vec<String> {
        keys.all().map(str::to_owned).to_vec()
    }

    fn partition_keys(keys: &QueueKeys, id: &str) -> Vec<String> {
        [keys.sub(id), keys.pending(id), keys.in_flight(id)].to_vec()
    }

    /// Panics if one key name has two purposes.
    fn assert_no_collision(tenants: &[(&str, &str)]) {
        let mut owners: HashMap<String, (String, String, usize)> = HashMap::new();
        let mut claim = |key: String, owner: (String, String, usize)| {
            let first = owners.entry(key.clone()).or_insert_with(|| owner.clone());
            assert_eq!(first, &owner, "{key}");
        };
        for (queue, id) in tenants {
            let keys = QueueKeys::new("resque:", queue);
            for (number, key) in fixed_keys(&keys).into_iter().enumerate() {
                let queue = if number == 0 { "" } else { queue };
                claim(key, (queue.into(), "fixed".into(), number));
            }
            for lane in [encoded(id), LANE.to_owned()] {
                for (number, key) in partition_keys(&keys, &lane).into_iter().enumerate() {
                    claim(key, ((*queue).into(), format!("lane {lane}"), number));
                }
            }
        }
    }

    #[test]
    fn the_names_of_the_first_gem_stay() {
        let keys = QueueKeys::new("resque:", "reports");
        assert_eq!(keys.queues(), "resque:queues");
        assert_eq!(keys.main(), "resque:queue:reports");
        assert_eq!(keys.root(), "resque:fair_share:reports:");
        assert_eq!(keys.partitions(), "resque:fair_share:reports:partitions");
        assert_eq!(keys.sub("acme"), "resque:fair_share:reports:sub:acme");
        assert_eq!(
            keys.pending("acme"),
            "resque:fair_share:reports:acme:pending"
        );
        assert_eq!(
            keys.in_flight("acme"),
            "resque:fair_share:reports:acme:in_flight"
        );
        assert_eq!(keys.worker("host:1:q"), "resque:worker:host:1:q");
        assert_eq!(QueueKeys::new("", "q").main(), "queue:q");
    }

    #[test]
    fn every_fixed_key_ends_in_a_word_of_the_layout_that_is_no_counter() {
        let keys = QueueKeys::new("resque:", "q");
        for key in fixed_keys(&keys).iter().skip(2) {
            let word = key.strip_prefix(keys.root()).unwrap();
            assert!(FIXED_WORDS.contains(&word), "{word}");
            assert!(!["pending", "in_flight", "sub"].contains(&word), "{word}");
        }
    }

    #[test]
    fn colons_and_words_of_the_layout_make_no_two_keys_one() {
        assert_no_collision(&[
            ("a", "b:c"),
            ("a:b", "c"),
            ("a", "sub"),
            ("a:sub", "sub"),
            ("a:sub", ""),
            ("a", ""),
            ("a:", ""),
            ("", ""),
            (":", ""),
            ("a", "partitions"),
            ("a:sub", "partitions"),
            ("a:pending", "pending"),
            ("a", "%"),
            ("a:%", "%25"),
            ("a:%73ub", "%73ub"),
        ]);
    }

    /// Names made of the parts that could cause a collision.
    fn name() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            prop::sample::select(FIXED_WORDS.to_vec()).prop_map(str::to_owned),
            prop::sample::select(vec!["", "a", "b", "%", "~", "%73ub", "fair_share", "queue"])
                .prop_map(str::to_owned),
            any::<String>(),
        ];
        prop::collection::vec(part, 0..4).prop_map(|parts| parts.join(":"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn two_partitions_never_share_a_key(
            (queue, id) in (name(), name()),
            (other_queue, other_id) in (name(), name()),
            tail in name(),
        ) {
            // The second pair is unrelated. The third queue's name continues the first one's, so their roots overlap.
            let longer = format!("{queue}:{tail}");
            assert_no_collision(&[(&queue, &id), (&other_queue, &other_id), (&longer, &other_id)]);
        }
    }
}
