//! `Native.partition`: finds the partition of a job in its arguments.

use fair_share_core::partition::{extract, Missing, Rule};
use magnus::{function, prelude::*, Error, RModule, RString, Ruby, Value};

/// `args`: raw JSON. Returns the partition id, or a Symbol for what is missing: :hash, :key, :index or :args.
fn partition(ruby: &Ruby, args: Option<RString>, key: String, index: Option<usize>) -> Value {
    let args = args.map(|args| args.to_bytes());
    let found = args
        .as_deref()
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
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

pub(super) fn init(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("partition", function!(partition, 3))
}
