//! `Native::Workers`: writes Resque's record of a worker's job. Without an open connection of the core, each verb writes
//! nothing and returns false: Resque's client can send these commands, so they are not worth a new connection.

use fair_share_core::workers;
use magnus::{function, method, prelude::*, Error, RArray, RModule, RString, Ruby};

use crate::connection::Session;
use crate::error::CallError;

#[magnus::wrap(class = "Resque::FairShare::Native::Workers", free_immediately)]
struct Workers(workers::Workers);

impl Workers {
    fn new(prefix: String) -> Self {
        Self(workers::Workers::new(&prefix))
    }

    fn started(
        &self,
        mut session: Session,
        worker_id: String,
        record: RString,
    ) -> Result<bool, CallError> {
        if !session.is_open() {
            return Ok(false);
        }
        self.0
            .started(&mut session, &worker_id, &record.to_bytes())?;
        Ok(true)
    }

    /// `counters` is `[[key, growth], ...]`, with keys without namespace.
    fn done(
        &self,
        mut session: Session,
        worker_id: String,
        counters: RArray,
    ) -> Result<bool, CallError> {
        if !session.is_open() {
            return Ok(false);
        }
        let counters: Vec<(String, i64)> = counters.to_vec()?;
        self.0.done(&mut session, &worker_id, &counters)?;
        Ok(true)
    }
}

pub(super) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Workers", ruby.class_object())?;
    class.define_singleton_method("new", function!(Workers::new, 1))?;
    class.define_method("started", method!(Workers::started, 3))?;
    class.define_method("done", method!(Workers::done, 3))
}
