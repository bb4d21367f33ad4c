//! `Native`: reading a job's payload.

use fair_share_core::payload::{lease_of, Payload};
use magnus::{function, prelude::*, Error, RModule, RString, Ruby};

/// => the name of the class that will perform the job (ActiveJob's own, not its wrapper's); nil where there is none.
fn job_class(payload: RString) -> Option<String> {
    Payload::parse(&payload.to_bytes()).and_then(|payload| payload.job_class().map(str::to_owned))
}

/// => the raw JSON of the job's arguments (ActiveJob's own, not its wrapper's), or nil.
fn job_args(ruby: &Ruby, payload: RString) -> Option<RString> {
    let bytes = payload.to_bytes();
    let payload = Payload::parse(&bytes)?;
    Some(ruby.str_new(payload.job_args()?))
}

/// => the lease under which a popped payload runs, or nil.
fn lease_id(payload: RString) -> Option<String> {
    lease_of(&payload.to_bytes())
}

pub(crate) fn init(_ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("job_class", function!(job_class, 1))?;
    native.define_singleton_method("job_args", function!(job_args, 1))?;
    native.define_singleton_method("lease_id", function!(lease_id, 1))
}
