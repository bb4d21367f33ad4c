//! `Resque::FairShare::Native`: the whole boundary between Ruby and Rust, by topic.

// Arguments are positional here; names and defaults are Ruby's business.
#![allow(clippy::too_many_arguments)]

mod backlog;
mod chain;
mod connection;
mod control;
mod fair_queue;
mod partition;
mod payload;
mod workers;

use magnus::{function, prelude::*, Error, Ruby};

pub(crate) use connection::Connection;

use crate::ffi;

pub(crate) fn init(ruby: &Ruby) -> Result<(), Error> {
    let native = ruby
        .define_module("Resque")?
        .define_module("FairShare")?
        .define_module("Native")?;
    native.define_singleton_method("pid", function!(ffi::pid, 0))?;
    connection::init(ruby, native)?;
    fair_queue::init(ruby, native)?;
    chain::init(ruby, native)?;
    partition::init(ruby, native)?;
    payload::init(ruby, native)?;
    workers::init(ruby, native)
}
