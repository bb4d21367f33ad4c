//! `Native::Connection`: the connections of one process to one Redis.

use fair_share_core::pool::Pool;
use magnus::{function, prelude::*, Error, RModule, Ruby};

/// Holds no Ruby value: the settings are asked of the Ruby subclass at each connect, so that a password that changes
/// (a Proc) is fresh.
#[derive(Default)]
#[magnus::wrap(class = "Resque::FairShare::Native::Connection", free_immediately)]
pub(crate) struct Connection {
    pub(crate) pool: Pool,
}

impl Connection {
    fn new() -> Self {
        Self::default()
    }
}

pub(crate) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Connection", ruby.class_object())?;
    class.define_singleton_method("open", function!(Connection::new, 0))?;
    Ok(())
}
