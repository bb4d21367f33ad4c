//! `Native.job`: reads a job's class and arguments from its payload.

use fair_share_core::payload::Payload;
use magnus::{function, prelude::*, Error, RModule, RString, Ruby};

/// Returns `[class name, raw JSON of the arguments]` of the class that performs the job (ActiveJob's job class, not its
/// wrapper), with nil for what is missing.
fn job(ruby: &Ruby, payload: RString) -> (Option<String>, Option<RString>) {
    let bytes = payload.to_bytes();
    let Some(payload) = Payload::parse(&bytes) else {
        return (None, None);
    };
    let args = payload.job_args().map(|args| ruby.str_new(args));
    (payload.job_class().map(str::to_owned), args)
}

pub(super) fn init(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("job", function!(job, 1))
}
