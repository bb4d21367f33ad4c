//! Where things are in Redis.
//!
//! A queue's keys are `ROOT:WORD`, `ROOT:sub:ID`, `ROOT:ID:pending` and `ROOT:ID:in_flight`, with the id encoded so
//! that it holds no colon and is no word of the layout. A queue's name may hold both. Two queues' keys are still
//! never the same: behind the shorter root they could only be `ID:pending` against `ID:WORD`, and no `WORD` by
//! itself is `pending` or `in_flight`; or `sub:ID` against `sub:WORD`, and no encoded id is a word.
//! So a key added here must end in a word of [`FIXED_WORDS`], and never in those two by themselves.

use std::fmt;

use percent_encoding::{percent_decode_str, percent_encode, AsciiSet, NON_ALPHANUMERIC};
use sha1_smol::Sha1;

/// The lane of a queue's jobs without a partition. No encoded id is a lone `%`.
pub const LANE: &str = "%";

/// The words of the layout; an id equal to one is encoded to something else.
pub const FIXED_WORDS: [&str; 11] = [
    "sub",
    "partitions",
    "parked",
    "pending",
    "in_flight",
    "leases",
    "settings",
    "state",
    "tags",
    "weights",
    "names",
];

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-');
const LONGEST: usize = 128;
const KEPT_OF_LONG: usize = 64;

/// A partition id as it stands in key names and in the members of ZSETs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EncodedId {
    text: String,
    shortened: bool,
}

impl EncodedId {
    /// The encoded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the id was too long, so that its text cannot be decoded and its name has to be kept elsewhere.
    pub fn is_shortened(&self) -> bool {
        self.shortened
    }
}

impl AsRef<str> for EncodedId {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for EncodedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Encodes a partition id: bytes outside `[A-Za-z0-9_.-]` as `%XX`, so that Resque's web page can print the key, and
/// the first letter of a word of the layout. What is then longer than 128 bytes keeps its first 64 (fewer where
/// they would cut a `%XX`), `~`, and the SHA-1 of the id. No two ids have one encoding.
pub fn encode_id(id: impl AsRef<[u8]>) -> EncodedId {
    let id = id.as_ref();
    let text = percent_encode(id, ENCODED).to_string();
    if let Some((first, rest)) = fixed_word(&text) {
        return EncodedId {
            text: format!("%{first:02X}{rest}"),
            shortened: false,
        };
    }
    if text.len() <= LONGEST {
        return EncodedId {
            text,
            shortened: false,
        };
    }
    let kept = whole_prefix(&text);
    let digest = Sha1::from(id).digest();
    EncodedId {
        text: format!("{kept}~{digest}"),
        shortened: true,
    }
}

/// The id an encoding stands for; `None` for a shortened one, and for what [`encode_id`] never gives.
pub fn decode_id(encoded: &str) -> Option<String> {
    let id = percent_decode_str(encoded).decode_utf8().ok()?;
    (encode_id(id.as_bytes()).text == encoded).then(|| id.into_owned())
}

fn fixed_word(text: &str) -> Option<(u8, &str)> {
    if !FIXED_WORDS.contains(&text) {
        return None;
    }
    Some((*text.as_bytes().first()?, text.get(1..)?))
}

fn whole_prefix(text: &str) -> &str {
    let kept = text.get(..KEPT_OF_LONG).unwrap_or(text);
    match kept.rfind('%') {
        Some(at) if at + 3 > kept.len() => kept.get(..at).unwrap_or(kept),
        _ => kept,
    }
}

/// The names of a queue's keys.
#[derive(Debug, Clone)]
pub struct Keys {
    prefix: String,
    root: String,
    queues: String,
    main: String,
    partitions: String,
    parked: String,
    leases: String,
    settings: String,
    state: String,
    tags: String,
    weights: String,
    names: String,
}

impl Keys {
    /// The keys of `queue`; `prefix` is Resque's namespace with its colon (`resque:`), or empty.
    pub fn new(prefix: &str, queue: &str) -> Self {
        let root = format!("{prefix}fair_share:{queue}:");
        let word = |word: &str| format!("{root}{word}");
        Self {
            queues: format!("{prefix}queues"),
            main: format!("{prefix}queue:{queue}"),
            partitions: word("partitions"),
            parked: word("parked"),
            leases: word("leases"),
            settings: word("settings"),
            state: word("state"),
            tags: word("tags"),
            weights: word("weights"),
            names: word("names"),
            prefix: prefix.to_owned(),
            root,
        }
    }

    /// What every key of this queue's fair share starts with; no key by itself.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// SET: the names of Resque's queues.
    pub fn queues(&self) -> &str {
        &self.queues
    }

    /// LIST: Resque's own list of this queue, which holds the tickets.
    pub fn main(&self) -> &str {
        &self.main
    }

    /// ZSET: partitions that have a job and may run now.
    pub fn partitions(&self) -> &str {
        &self.partitions
    }

    /// ZSET: partitions that have a job but may not run.
    pub fn parked(&self) -> &str {
        &self.parked
    }

    /// HASH: one lease a running job.
    pub fn leases(&self) -> &str {
        &self.leases
    }

    /// HASH: settings of single partitions made at run time.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// HASH: the queue's virtual clock and other state.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The tags of partitions that just left.
    pub fn tags(&self) -> &str {
        &self.tags
    }

    /// The partitions' weights.
    pub fn weights(&self) -> &str {
        &self.weights
    }

    /// HASH: shortened ids and the ids they stand for.
    pub fn names(&self) -> &str {
        &self.names
    }

    /// Those that every script of the queue gets, in the order of `lua/includes/keys.lua`.
    pub fn of_scripts(&self) -> [&str; 10] {
        [
            &self.queues,
            &self.main,
            &self.partitions,
            &self.parked,
            &self.leases,
            &self.state,
            &self.tags,
            &self.settings,
            &self.weights,
            &self.names,
        ]
    }

    /// LIST: the waiting jobs of the partition with this encoded id.
    pub fn sub(&self, encoded: &str) -> String {
        format!("{}sub:{encoded}", self.root)
    }

    /// STRING: how many jobs of the partition wait.
    pub fn pending(&self, encoded: &str) -> String {
        format!("{}{encoded}:pending", self.root)
    }

    /// STRING: how many jobs of the partition run.
    pub fn in_flight(&self, encoded: &str) -> String {
        format!("{}{encoded}:in_flight", self.root)
    }

    /// A key of Resque's own, given without namespace.
    pub fn prefixed(&self, name: &str) -> String {
        [&self.prefix, name].concat()
    }

    /// STRING: what Resque says the worker with this id works on.
    pub fn worker(&self, id: &str) -> String {
        worker_record(&self.prefix, id)
    }
}

pub(crate) fn worker_record(prefix: &str, id: &str) -> String {
    [prefix, "worker:", id].concat()
}

/// The names of a chain's keys, `job_chain:ID:WORD`, and of the indexes of all chains, `job_chain:WORD`. Their last words
/// differ, so an id may be anything.
#[derive(Debug, Clone)]
pub struct ChainKeys {
    root: String,
    all: [String; 10],
}

impl ChainKeys {
    /// `prefix` is Resque's namespace with its colon (`resque:`), or empty.
    pub fn new(prefix: &str, id: &str) -> Self {
        let root = format!("{prefix}job_chain:");
        let all = [
            format!("{root}{id}:state"),
            format!("{root}{id}:steps"),
            format!("{root}{id}:context"),
            format!("{root}expiring"),
            format!("{root}active"),
            format!("{root}running"),
            format!("{root}paused"),
            format!("{root}cancelled"),
            format!("{root}completed"),
            format!("{root}failed"),
        ];
        Self { root, all }
    }

    /// What every key of chains starts with.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// In the order of `lua/includes/chain_keys.lua`.
    pub fn all(&self) -> [&str; 10] {
        self.all.each_ref().map(String::as_str)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn encoded(id: &str) -> String {
        encode_id(id).to_string()
    }

    fn fixed_keys(keys: &Keys) -> Vec<String> {
        [
            keys.queues(),
            keys.main(),
            keys.partitions(),
            keys.parked(),
            keys.leases(),
            keys.settings(),
            keys.state(),
            keys.tags(),
            keys.weights(),
            keys.names(),
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn partition_keys(keys: &Keys, id: &str) -> Vec<String> {
        [keys.sub(id), keys.pending(id), keys.in_flight(id)].to_vec()
    }

    /// Every key with what it is for; panics when one key is for two things.
    fn assert_no_collision(tenants: &[(&str, &str)]) {
        let mut owners: HashMap<String, (String, String, usize)> = HashMap::new();
        let mut claim = |key: String, owner: (String, String, usize)| {
            let first = owners.entry(key.clone()).or_insert_with(|| owner.clone());
            assert_eq!(first, &owner, "{key}");
        };
        for (queue, id) in tenants {
            let keys = Keys::new("resque:", queue);
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
    fn an_id_of_plain_characters_is_its_own_encoding() {
        for id in ["acme", "42", "a_b-c.D", "", "Sub", "subs", "-0.0"] {
            assert_eq!(encoded(id), id);
        }
    }

    #[test]
    fn other_bytes_are_percent_encoded_in_upper_case() {
        assert_eq!(encoded("a:b/ü%~ "), "a%3Ab%2F%C3%BC%25%7E%20");
        assert_eq!(encode_id([0xff, b'a']).as_str(), "%FFa");
    }

    #[test]
    fn a_word_of_the_layout_has_its_first_letter_encoded() {
        assert_eq!(encoded("sub"), "%73ub");
        for word in FIXED_WORDS {
            assert!(!FIXED_WORDS.contains(&encoded(word).as_str()));
            assert_eq!(decode_id(&encoded(word)).as_deref(), Some(word));
            assert_ne!(encoded(word), encoded(&encoded(word)));
        }
    }

    #[test]
    fn a_long_id_is_shortened_with_its_hash() {
        let longest = "x".repeat(128);
        assert_eq!(encoded(&longest), longest);
        assert!(!encode_id(&longest).is_shortened());

        let long = encode_id("x".repeat(129));
        assert!(long.is_shortened());
        assert_eq!(
            long.as_str(),
            format!(
                "{}~2699b675922cc84a9b0dfd926eb7f8211c78693d",
                "x".repeat(64)
            )
        );
        assert_eq!(decode_id(long.as_str()), None);
        assert_ne!(long, encode_id("x".repeat(130)));
    }

    #[test]
    fn shortening_never_cuts_an_escape() {
        for (before, kept) in [(61, 64), (62, 62), (63, 63), (64, 64)] {
            let id = format!("{}{}", "x".repeat(before), ":".repeat(100));
            let text = encoded(&id);
            let (prefix, digest) = text.split_once('~').unwrap();
            assert_eq!((prefix.len(), digest.len()), (kept, 40));
        }
    }

    #[test]
    fn what_is_no_encoding_decodes_to_nothing() {
        for text in [LANE, "sub", "a:b", "%7", "%3a", "%61", "%FF", "a~b"] {
            assert_eq!(decode_id(text), None, "{text}");
        }
    }

    #[test]
    fn the_names_of_the_first_gem_stay() {
        let keys = Keys::new("resque:", "reports");
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
        assert_eq!(Keys::new("", "q").main(), "queue:q");
    }

    #[test]
    fn every_fixed_key_ends_in_a_word_of_the_layout_that_is_no_counter() {
        let keys = Keys::new("resque:", "q");
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

    /// Names made of the parts a collision would be made of.
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
        fn an_encoding_decodes_to_its_id(id in name()) {
            let encoded = encode_id(&id);
            let decoded = decode_id(encoded.as_str());
            if encoded.is_shortened() {
                prop_assert_eq!(decoded, None);
            } else {
                prop_assert_eq!(decoded, Some(id));
            }
        }

        #[test]
        fn two_ids_never_share_an_encoding(a in any::<Vec<u8>>(), b in any::<Vec<u8>>()) {
            prop_assert_eq!(a == b, encode_id(&a) == encode_id(&b));
        }

        #[test]
        fn an_encoding_is_short_and_plain(id in any::<Vec<u8>>()) {
            let text = encode_id(&id).to_string();
            prop_assert!(text.len() <= LONGEST);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-%~".contains(&b)));
            prop_assert_ne!(text, LANE);
        }

        #[test]
        fn two_partitions_never_share_a_key(
            (queue, id) in (name(), name()),
            (other_queue, other_id) in (name(), name()),
            tail in name(),
        ) {
            // The second pair is unrelated, the third continues the first queue's name: where roots overlap.
            let longer = format!("{queue}:{tail}");
            assert_no_collision(&[(&queue, &id), (&other_queue, &other_id), (&longer, &other_id)]);
        }
    }
}
