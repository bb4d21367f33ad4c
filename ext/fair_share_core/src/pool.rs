//! Idle connections to one Redis. A thread takes one out, uses it alone, and puts it back: no lock is held during I/O.

use std::sync::{Mutex, MutexGuard};

use crate::connection::Connection;

/// More threads than this at once open connections of their own and close them again.
const MOST_IDLE: usize = 8;

#[derive(Default)]
pub struct Pool {
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    pid: u32,
    connections: Vec<Connection>,
}

impl Pool {
    pub fn new() -> Self {
        Self::default()
    }

    /// An idle connection of process `pid`, the one used last.
    pub fn take(&self, pid: u32) -> Option<Connection> {
        self.of(pid).connections.pop()
    }

    /// Gives a connection back. One that is not usable any more is closed.
    pub fn put(&self, pid: u32, connection: Connection) {
        if !connection.is_usable() {
            return;
        }
        let mut idle = self.of(pid);
        if idle.connections.len() < MOST_IDLE {
            idle.connections.push(connection);
        }
    }

    /// Closes all idle connections: one was lost, so the others are likely to be dead as well.
    pub fn clear(&self, pid: u32) {
        self.of(pid).connections.clear();
    }

    pub fn idle(&self, pid: u32) -> usize {
        self.of(pid).connections.len()
    }

    fn of(&self, pid: u32) -> MutexGuard<'_, Idle> {
        let mut idle = match self.idle.lock() {
            Ok(idle) => idle,
            Err(poisoned) => poisoned.into_inner(),
        };
        if idle.pid != pid {
            // Inherited over a fork: these sockets are the parent's too. Closing a TLS one could write to it, so they are
            // leaked, never used.
            for connection in idle.connections.drain(..) {
                std::mem::forget(connection);
            }
            idle.pid = pid;
        }
        idle
    }
}
