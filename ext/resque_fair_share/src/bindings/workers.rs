//! `Native::Workers`: what Resque writes for a worker's job. Each answers false, and has written nothing, where the core has
//! no open connection: none is opened for what Resque's client does as well.

use fair_share_core::workers;
use magnus::{function, method, prelude::*, Error, RArray, RModule, RString, Ruby, Value};

use crate::session::over_open;

#[magnus::wrap(class = "Resque::FairShare::Native::Workers", free_immediately)]
struct Workers(workers::Workers);

impl Workers {
    fn new(prefix: String) -> Self {
        Self(workers::Workers::new(&prefix))
    }

    fn started(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        worker_id: String,
        record: RString,
    ) -> Result<bool, Error> {
        let written = over_open(ruby, connection, |session| {
            rb_self.0.started(session, &worker_id, &record.to_bytes())
        })?;
        Ok(written.is_some())
    }

    /// `counters` is `[[key, growth], ...]`, keys without namespace.
    fn done(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        worker_id: String,
        counters: RArray,
    ) -> Result<bool, Error> {
        let counters: Vec<(String, i64)> = counters.to_vec()?;
        let written = over_open(ruby, connection, |session| {
            rb_self.0.done(session, &worker_id, &counters)
        })?;
        Ok(written.is_some())
    }
}

pub(super) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Workers", ruby.class_object())?;
    class.define_singleton_method("new", function!(Workers::new, 1))?;
    class.define_method("started", method!(Workers::started, 3))?;
    class.define_method("done", method!(Workers::done, 3))?;
    Ok(())
}
