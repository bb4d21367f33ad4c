//! The Lua scripts, compiled in from `lua/`, one a verb.

use std::sync::OnceLock;

/// A script with the SHA-1 under which Redis caches it.
#[derive(Debug)]
pub struct Script {
    name: &'static str,
    body: &'static str,
    sha: OnceLock<String>,
}

impl Script {
    const fn new(name: &'static str, body: &'static str) -> Self {
        Self {
            name,
            body,
            sha: OnceLock::new(),
        }
    }

    /// The file's name in `lua/`, without its ending.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The source as Redis gets it.
    pub fn body(&self) -> &'static str {
        self.body
    }

    /// The SHA-1 of the source in lower-case hex.
    pub fn sha(&self) -> &str {
        self.sha
            .get_or_init(|| redis::Script::new(self.body).get_hash().to_owned())
    }
}

macro_rules! lua {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../lua/",
            $file,
            ".lua"
        ))
    };
}

/// A script is its includes and then its own file: Lua has no `require` inside Redis.
macro_rules! script {
    ($constant:ident, $file:literal, [$($include:literal),*]) => {
        pub static $constant: Script = Script::new(
            $file,
            concat!($(lua!($include), "\n",)* lua!($file)),
        );
    };
}

/// A script that puts jobs into their partitions.
macro_rules! putting_script {
    ($constant:ident, $file:literal, [$($include:literal),*]) => {
        script!($constant, $file, [
            "includes/keys",
            "includes/time",
            "includes/score",
            "includes/policy",
            "includes/park",
            "includes/place",
            "includes/put",
            "includes/weigh"
            $(, $include)*
        ]);
    };
}

putting_script!(ENQUEUE, "enqueue-10", ["includes/enqueue"]);
putting_script!(ENQUEUE_ALL, "enqueue_all-10", []);
putting_script!(ADOPT, "adopt-10", ["includes/counts"]);
script!(
    ENQUEUE_PLAIN,
    "enqueue_plain-10",
    ["includes/keys", "includes/enqueue_plain"]
);
script!(
    RESERVE,
    "reserve-10",
    [
        "includes/keys",
        "includes/time",
        "includes/score",
        "includes/policy",
        "includes/park",
        "includes/lease",
        "includes/tags",
        "includes/old",
        "includes/sweep",
        "includes/give_back"
    ]
);
script!(
    SCAN,
    "scan-10",
    [
        "includes/keys",
        "includes/time",
        "includes/score",
        "includes/policy",
        "includes/lease",
        "includes/tags"
    ]
);

/// A script that ends a lease.
macro_rules! ending_script {
    ($constant:ident, $file:literal, [$($include:literal),*]) => {
        script!($constant, $file, [
            "includes/keys",
            "includes/time",
            "includes/score",
            "includes/policy",
            "includes/park",
            "includes/unpark",
            "includes/place",
            "includes/lease",
            "includes/tags",
            "includes/finish",
            "includes/sweep",
            "includes/forget"
            $(, $include)*
        ]);
    };
}

ending_script!(RELEASE, "release-10", []);
ending_script!(DONE, "done-11n", []);
ending_script!(RECOVER, "recover-11", ["includes/put"]);
script!(
    MEND,
    "mend-10",
    [
        "includes/keys",
        "includes/score",
        "includes/policy",
        "includes/park",
        "includes/unpark",
        "includes/place",
        "includes/lease",
        "includes/sweep"
    ]
);
script!(
    REINDEX,
    "reindex-10",
    [
        "includes/keys",
        "includes/score",
        "includes/policy",
        "includes/park",
        "includes/place",
        "includes/sweep"
    ]
);
script!(STATS, "stats-10", ["includes/keys"]);
script!(
    DESCRIBE,
    "describe-10",
    ["includes/keys", "includes/time", "includes/policy"]
);
script!(OLDEST, "oldest-10", ["includes/keys"]);
script!(
    SET,
    "set-10",
    [
        "includes/keys",
        "includes/score",
        "includes/policy",
        "includes/park",
        "includes/unpark",
        "includes/place"
    ]
);
script!(
    CLEAR,
    "clear-10",
    [
        "includes/keys",
        "includes/unpark",
        "includes/old",
        "includes/sweep",
        "includes/forget"
    ]
);
script!(
    REMOVE,
    "remove-10",
    [
        "includes/keys",
        "includes/old",
        "includes/sweep",
        "includes/forget"
    ]
);
script!(
    ROLLBACK,
    "rollback-10",
    [
        "includes/keys",
        "includes/score",
        "includes/policy",
        "includes/unpark",
        "includes/old",
        "includes/sweep",
        "includes/counts"
    ]
);

/// A script that changes a chain: what all of them have comes first.
macro_rules! chain_script {
    ($constant:ident, $file:literal, [$($include:literal),*]) => {
        script!($constant, $file, [
            "includes/chain_keys",
            "includes/time",
            "includes/iso8601",
            "includes/chain_index"
            $(, $include)*
        ]);
    };
}

/// One that enqueues the jobs of steps, too.
macro_rules! chain_step_script {
    ($constant:ident, $file:literal, [$($include:literal),*]) => {
        chain_script!($constant, $file, [
            "includes/chain_queue",
            "includes/score",
            "includes/policy",
            "includes/park",
            "includes/place",
            "includes/put",
            "includes/weigh",
            "includes/enqueue",
            "includes/enqueue_plain",
            "includes/chain_steps"
            $(, $include)*
        ]);
    };
}

chain_step_script!(CHAIN_START, "chain_start-10n", ["includes/chain_break"]);
chain_step_script!(
    CHAIN_ADVANCE,
    "chain_advance-10n",
    ["includes/chain_fence", "includes/chain_break"]
);
chain_step_script!(CHAIN_RETRY, "chain_retry-10n", ["includes/chain_fence"]);
chain_script!(CHAIN_FAIL, "chain_fail-10", ["includes/chain_fence"]);
chain_step_script!(CHAIN_RESTART, "chain_restart-10n", ["includes/chain_break"]);
chain_script!(CHAIN_HALT, "chain_halt-10", []);
script!(CHAIN_DELETE, "chain_delete-10", ["includes/chain_keys"]);
script!(
    CHAIN_LOOK,
    "chain_look-10",
    ["includes/chain_keys", "includes/chain_group"]
);
chain_script!(CHAIN_ADOPT, "chain_adopt-10", []);
script!(CHAIN_UPDATE, "chain_update-10", ["includes/chain_keys"]);
script!(
    CHAIN_LIST,
    "chain_list-10",
    [
        "includes/chain_keys",
        "includes/time",
        "includes/chain_index"
    ]
);
script!(
    CHAIN_COUNT,
    "chain_count-10",
    [
        "includes/chain_keys",
        "includes/time",
        "includes/chain_index"
    ]
);

/// Every script, for a check that each compiles.
pub static ALL: [&Script; 30] = [
    &ENQUEUE,
    &ENQUEUE_ALL,
    &ENQUEUE_PLAIN,
    &RESERVE,
    &SCAN,
    &RELEASE,
    &DONE,
    &RECOVER,
    &ADOPT,
    &MEND,
    &REINDEX,
    &STATS,
    &DESCRIBE,
    &OLDEST,
    &SET,
    &CLEAR,
    &REMOVE,
    &ROLLBACK,
    &CHAIN_START,
    &CHAIN_ADVANCE,
    &CHAIN_RETRY,
    &CHAIN_FAIL,
    &CHAIN_RESTART,
    &CHAIN_HALT,
    &CHAIN_DELETE,
    &CHAIN_LOOK,
    &CHAIN_ADOPT,
    &CHAIN_UPDATE,
    &CHAIN_LIST,
    &CHAIN_COUNT,
];
