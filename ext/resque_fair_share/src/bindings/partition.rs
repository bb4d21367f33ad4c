//! `Native.partition`: which partition a payload belongs to.

use fair_share_core::partition::{extract, Missing, Rule};
use fair_share_core::payload::Payload;
use magnus::{function, prelude::*, Error, RModule, RString, Ruby, Value};

/// => the partition id, or a Symbol that says what is missing: :hash, :key, :index or :args.
fn partition(ruby: &Ruby, payload: RString, key: String, index: Option<usize>) -> Value {
    let bytes = payload.to_bytes();
    let found = Payload::parse(&bytes)
        .and_then(|payload| payload.job_args())
        .ok_or(Missing::NotAnArray)
        .and_then(|args| extract(args, Rule::Key { key: &key, index }));
    match found {
        Ok(id) => ruby.str_new(&id).as_value(),
        Err(missing) => ruby
            .to_symbol(match missing {
                Missing::NoHash => "hash",
                Missing::NoKey => "key",
                Missing::NoIndex => "index",
                Missing::NotAnArray => "args",
            })
            .as_value(),
    }
}

pub(crate) fn init(_ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("partition", function!(partition, 3))
}
