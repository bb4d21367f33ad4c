//! Idle connections to one Redis. A thread takes a connection, uses it alone, and puts it back: no lock is held during I/O.

use std::sync::{Mutex, MutexGuard};

use crate::connection::Connection;

/// If more threads use the pool at once, the connections beyond this number are closed after use.
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

    /// Takes the idle connection of process `pid` that was used last.
    pub fn take(&self, pid: u32) -> Option<Connection> {
        self.of(pid).connections.pop()
    }

    /// Puts a connection back, or closes it if it is not usable any more.
    pub fn put(&self, pid: u32, connection: Connection) {
        if !connection.is_usable() {
            return;
        }
        let mut idle = self.of(pid);
        if idle.connections.len() < MOST_IDLE {
            idle.connections.push(connection);
        }
    }

    /// Closes all idle connections. For use after one was lost: the others are probably dead as well.
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
            // A fork has inherited these connections, and the parent still uses their sockets. Closing a TLS connection could
            // write to its socket. So leak them.
            for connection in idle.connections.drain(..) {
                std::mem::forget(connection);
            }
            idle.pid = pid;
        }
        idle
    }
}
