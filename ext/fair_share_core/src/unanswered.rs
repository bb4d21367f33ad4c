//! Reserves whose reply got lost.

use std::sync::{Mutex, MutexGuard};

/// Ids of leases that a reserve may have written although its reply did not reach the caller, each with the caller's pid. The
/// next reserve of that process asks with the same id, and so gets the same job.
#[derive(Debug, Default)]
pub(crate) struct Unanswered(Mutex<Vec<(u32, String)>>);

impl Unanswered {
    pub(crate) fn remember(&self, pid: u32, lease_id: String) {
        self.ids().push((pid, lease_id));
    }

    pub(crate) fn take(&self, pid: u32) -> Option<String> {
        let mut ids = self.ids();
        // A forked child inherits its parent's ids, and would take the parent's jobs.
        ids.retain(|(asker, _)| *asker == pid);
        ids.pop().map(|(_, id)| id)
    }

    fn ids(&self) -> MutexGuard<'_, Vec<(u32, String)>> {
        match self.0.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}
