//! `Resque::FairShare::Native`: the whole boundary between Ruby and Rust, in one file for each noun. Each verb converts its
//! arguments, calls the core, and converts the result. Arguments are positional: Ruby adds keywords and defaults.

#![allow(clippy::too_many_arguments)]

mod backlog;
mod chain;
mod chains;
mod control;
mod leases;
mod partition;
mod payload;
mod queue;
mod step_job;
mod turns;
mod upkeep;
mod workers;

use magnus::{function, prelude::*, Error, Ruby};

use fair_share_core::error::is_outage;

use crate::connection;
use crate::ffi;

pub(crate) fn init(ruby: &Ruby) -> Result<(), Error> {
    let native = ruby
        .define_module("Resque")?
        .define_module("FairShare")?
        .define_module("Native")?;
    native.define_singleton_method("pid", function!(ffi::pid, 0))?;
    native.define_singleton_method("outage?", function!(outage, 1))?;
    connection::init(ruby, native)?;
    payload::init(native)?;
    partition::init(native)?;
    let queue = queue::init(ruby, native)?;
    turns::init(queue)?;
    leases::init(queue)?;
    backlog::init(queue)?;
    upkeep::init(queue)?;
    control::init(queue)?;
    chain::init(ruby, native)?;
    chains::init(ruby, native)?;
    workers::init(ruby, native)
}

fn outage(text: String) -> bool {
    is_outage(&text)
}
