//! One call from Ruby, over the core's own connection or over Resque's client.

use std::slice;

use fair_share_core::connection::{Connection, Progress};
use fair_share_core::error::Error;
use fair_share_core::transport::{Repeat, Transport};
use magnus::{prelude::*, Ruby, TryConvert, Value};
use redis::Cmd;

use crate::bindings;
use crate::convert;
use crate::error::CallError;
use crate::ffi::{self, without_gvl};
use crate::ruby_client;

/// What `Resque::FairShare::Connection` stands for in a call: the object is on the caller's stack meanwhile.
pub(crate) struct Session<'a> {
    ruby: &'a Ruby,
    /// Answers `native` with a `Native::Connection` or nil, `settings` with a Hash, `client` with Resque's own client.
    connection: Value,
}

/// Runs a verb over `connection`, a `Resque::FairShare::Connection`.
pub(crate) fn over<T>(
    ruby: &Ruby,
    connection: Value,
    verb: impl FnOnce(&mut Session<'_>) -> Result<T, CallError>,
) -> Result<T, magnus::Error> {
    verb(&mut Session::new(ruby, connection)).map_err(|error| error.into_ruby(ruby))
}

/// The same where the core has a connection that is open; `None` where it has none.
pub(crate) fn over_open<T>(
    ruby: &Ruby,
    connection: Value,
    verb: impl FnOnce(&mut Session<'_>) -> Result<T, CallError>,
) -> Result<Option<T>, magnus::Error> {
    over(ruby, connection, |session| {
        if session.is_open()? {
            verb(session).map(Some)
        } else {
            Ok(None)
        }
    })
}

impl<'a> Session<'a> {
    fn new(ruby: &'a Ruby, connection: Value) -> Self {
        Self { ruby, connection }
    }

    fn native(&self) -> Result<Option<&'a bindings::Connection>, CallError> {
        let native: Value = self.connection.funcall("native", ())?;
        if native.is_nil() {
            return Ok(None);
        }
        Ok(Some(TryConvert::try_convert(native)?))
    }

    /// Whether the core has a connection of this process that nobody uses now.
    fn is_open(&self) -> Result<bool, CallError> {
        Ok(self
            .native()?
            .is_some_and(|native| native.pool.idle(ffi::pid()) > 0))
    }

    fn open(&self) -> Result<Connection, CallError> {
        let settings = convert::settings(self.ruby, self.connection.funcall("settings", ())?)?;
        let (mut connection, greetings) = without_gvl(|| Connection::connect(&settings))??;
        for greeting in &greetings {
            exchange(&mut connection, slice::from_ref(greeting)).map_err(|error| match error {
                CallError::Core(error) => Connection::refusal(error).into(),
                ruby => ruby,
            })?;
        }
        Ok(connection)
    }

    /// A connection that is good to use. What must not be sent twice is not sent into a socket that the server closed.
    fn take(
        &self,
        native: &bindings::Connection,
        pid: u32,
        repeat: Repeat,
    ) -> Result<(Connection, bool), CallError> {
        while let Some(mut connection) = native.pool.take(pid) {
            if repeat != Repeat::Unsafe || !connection.is_stale() {
                return Ok((connection, false));
            }
        }
        Ok((self.open()?, true))
    }
}

/// How often a server that is loading, or was a master before, is asked again, with this many seconds between.
const PATIENCE: [f64; 4] = [0.0, 0.05, 0.2, 0.5];

impl Transport for Session<'_> {
    type Error = CallError;

    fn call_all(
        &mut self,
        commands: &[Cmd],
        repeat: Repeat,
    ) -> Result<Vec<redis::Value>, CallError> {
        let Some(native) = self.native()? else {
            return commands
                .iter()
                .map(|command| ruby_client::call(self.ruby, self.connection, command))
                .collect();
        };
        let pid = ffi::pid();
        let mut refused = PATIENCE.iter();
        let mut reconnected = false;
        loop {
            let (mut connection, fresh) = self.take(native, pid, repeat)?;
            let outcome = exchange(&mut connection, commands);
            match &outcome {
                Err(CallError::Core(Error::Command(text))) if should_reconnect(text) => {
                    // Nothing was written, so even what must not be repeated may be sent again, to whoever is master now.
                    drop(connection);
                    native.pool.clear(pid);
                    let Some(pause) = refused.next() else {
                        return outcome;
                    };
                    self.ruby
                        .module_kernel()
                        .funcall::<_, _, Value>("sleep", (*pause,))?;
                }
                Err(CallError::Core(Error::ConnectionLost { .. }))
                    if repeat == Repeat::Safe && !reconnected && !fresh =>
                {
                    native.pool.clear(pid);
                    reconnected = true;
                }
                _ => {
                    native.pool.put(pid, connection);
                    return outcome;
                }
            }
        }
    }
}

/// Sends and reads. An interrupted system call (a trap handler ran, SIGSTOP and SIGCONT) goes on where it was.
fn exchange(connection: &mut Connection, commands: &[Cmd]) -> Result<Vec<redis::Value>, CallError> {
    connection.send(commands)?;
    loop {
        match without_gvl(|| connection.advance())?? {
            Progress::Done(replies) => return Ok(replies),
            Progress::Interrupted => continue,
        }
    }
}

fn should_reconnect(text: &str) -> bool {
    ["READONLY", "LOADING", "MASTERDOWN"]
        .iter()
        .any(|code| text.contains(code))
}
