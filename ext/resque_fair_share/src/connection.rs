//! `Native::Connection`, and calls over it: by the core's own sockets, or by Resque's client.

use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use fair_share_core::connection::{self, Progress};
use fair_share_core::error::Error;
use fair_share_core::pool::Pool;
use fair_share_core::transport::{Repeat, Transport};
use magnus::{method, prelude::*, typed_data::Obj, RModule, Ruby, TryConvert, Value};
use redis::Cmd;

use crate::error::CallError;
use crate::ffi::{self, without_gvl};
use crate::ruby_client;
use crate::settings;

/// The connections of one process to one Redis. Its subclass `Resque::FairShare::Connection` implements `settings`, which
/// returns a Hash, and `call`, which returns a reply of Resque's client. Holds no Ruby value: each connect reads the settings
/// again, so that a changing password (a Proc) is fresh.
#[derive(Default)]
#[magnus::wrap(class = "Resque::FairShare::Native::Connection", free_immediately)]
pub(crate) struct Connection {
    pool: Pool,
    /// Whether commands go over Resque's client.
    by_client: AtomicBool,
}

impl Connection {
    fn use_client(&self) {
        self.by_client.store(true, Ordering::Relaxed);
    }

    fn is_native(&self) -> bool {
        !self.by_client.load(Ordering::Relaxed)
    }
}

/// A connection during one call. The Ruby object stays alive, because it is on the caller's stack.
pub(crate) struct Session {
    ruby: Ruby,
    connection: Obj<Connection>,
}

impl TryConvert for Session {
    fn try_convert(value: Value) -> Result<Self, magnus::Error> {
        Ok(Self {
            ruby: Ruby::get_with(value),
            connection: Obj::try_convert(value)?,
        })
    }
}

impl Session {
    /// Whether the core has an idle connection of this process.
    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_native() && self.connection.pool.idle(ffi::pid()) > 0
    }

    fn open(&self) -> Result<connection::Connection, CallError> {
        let settings = settings::read(&self.ruby, self.connection.funcall("settings", ())?)?;
        let (mut opened, greetings) = without_gvl(|| connection::Connection::connect(&settings))??;
        for greeting in &greetings {
            exchange(&mut opened, slice::from_ref(greeting)).map_err(|error| match error {
                CallError::Core(error) => connection::Connection::refusal(error).into(),
                ruby => ruby,
            })?;
        }
        Ok(opened)
    }

    /// Takes a usable connection. Returns whether it is new, too. For a command that must not be repeated, checks first that
    /// the server has not closed the connection.
    fn take(&self, pid: u32, repeat: Repeat) -> Result<(connection::Connection, bool), CallError> {
        while let Some(mut idle) = self.connection.pool.take(pid) {
            if repeat != Repeat::Unsafe || !idle.is_stale() {
                return Ok((idle, false));
            }
        }
        Ok((self.open()?, true))
    }
}

impl Transport for Session {
    type Error = CallError;

    fn call_all(
        &mut self,
        commands: &[Cmd],
        repeat: Repeat,
    ) -> Result<Vec<redis::Value>, CallError> {
        if !self.connection.is_native() {
            return commands
                .iter()
                .map(|command| ruby_client::call(&self.ruby, self.connection.as_value(), command))
                .collect();
        }
        let pid = ffi::pid();
        let mut refused = false;
        let mut reconnected = false;
        loop {
            let (mut connection, fresh) = self.take(pid, repeat)?;
            let outcome = exchange(&mut connection, commands);
            match &outcome {
                Err(CallError::Core(error)) if !refused && error.may_have_moved() => {
                    // Nothing was written, so even what must not be repeated may be sent again, to whoever is master now.
                    // Once and at once: whether to wait is the caller's business (outage.rb).
                    drop(connection);
                    self.connection.pool.clear(pid);
                    refused = true;
                }
                Err(CallError::Core(Error::ConnectionLost { .. }))
                    if repeat == Repeat::Safe && !reconnected && !fresh =>
                {
                    self.connection.pool.clear(pid);
                    reconnected = true;
                }
                _ => {
                    self.connection.pool.put(pid, connection);
                    return outcome;
                }
            }
        }
    }
}

/// Sends commands and reads the replies. Goes on after an interrupted system call (a trap handler ran, SIGSTOP and SIGCONT).
fn exchange(
    connection: &mut connection::Connection,
    commands: &[Cmd],
) -> Result<Vec<redis::Value>, CallError> {
    connection.send(commands)?;
    loop {
        match without_gvl(|| connection.advance())?? {
            Progress::Done(replies) => return Ok(replies),
            Progress::Interrupted => continue,
        }
    }
}

pub(crate) fn init(ruby: &Ruby, native: RModule) -> Result<(), magnus::Error> {
    let class = native.define_class("Connection", ruby.class_object())?;
    class.define_alloc_func::<Connection>();
    class.define_method("use_client", method!(Connection::use_client, 0))?;
    class.define_method("native?", method!(Connection::is_native, 0))
}
