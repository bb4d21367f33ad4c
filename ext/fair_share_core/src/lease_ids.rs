//! Ids of leases.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::process;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes lease ids that no other process makes: each is a random number of the process, then a count.
#[derive(Debug, Default)]
pub struct LeaseIds {
    state: Mutex<Option<State>>,
}

#[derive(Debug)]
struct State {
    pid: u32,
    seed: u64,
    count: u64,
}

impl LeaseIds {
    pub const fn new() -> Self {
        Self {
            state: Mutex::new(None),
        }
    }

    /// The next id, of letters and digits only.
    pub fn next(&self, pid: u32) -> String {
        let mut guard = match self.state.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        // A forked child inherits the parent's state, and would make the parent's ids.
        let state = match guard.as_mut() {
            Some(state) if state.pid == pid => state,
            _ => guard.insert(State {
                pid,
                seed: seed(pid),
                count: 0,
            }),
        };
        state.count += 1;
        format!("{:016x}{:x}", state.seed, state.count)
    }
}

/// A forked child's `RandomState` continues its parent's, so the hash includes the pid and the time.
fn seed(pid: u32) -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(pid);
    hasher.write_u32(process::id());
    if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
        hasher.write_u128(now.as_nanos());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_within_a_process_and_between_processes() {
        let ids = LeaseIds::new();
        let (one, two, other) = (ids.next(1), ids.next(1), ids.next(2));
        assert_ne!(one, two);
        assert_ne!(one.get(..16), other.get(..16));
    }
}
