//! The Lua scripts of `lua/`, one for each verb. `build.rs` resolves their includes and writes the table of scripts.

use std::sync::OnceLock;

use sha1_smol::Sha1;

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

    /// The name of the file in `lua/`, without its extension.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The source that Redis gets: the fragments, then the script.
    pub fn body(&self) -> &'static str {
        self.body
    }

    /// The SHA-1 of the source in lower-case hex.
    pub fn sha(&self) -> &str {
        self.sha
            .get_or_init(|| Sha1::from(self.body).digest().to_string())
    }
}

// A constant for each script, named after its verb, and `ALL` of them.
include!(concat!(env!("OUT_DIR"), "/scripts.rs"));
