//! `Native::Chains`: all chains under one namespace.

use fair_share_core::chains;
use magnus::{function, method, prelude::*, Error, RHash, RModule, Ruby, Value};

use crate::connection::Session;
use crate::convert;
use crate::error::CallError;

#[magnus::wrap(class = "Resque::FairShare::Native::Chains", free_immediately)]
struct Chains(chains::Chains);

impl Chains {
    fn new(prefix: String) -> Self {
        Self(chains::Chains::new(&prefix))
    }

    /// Returns the key of each index of all chains, by the index's name.
    fn keys(ruby: &Ruby, rb_self: &Self) -> Result<RHash, Error> {
        let hash = ruby.hash_new();
        for (word, key) in rb_self.0.keys().indexes() {
            hash.aset(ruby.to_symbol(word), key)?;
        }
        Ok(hash)
    }

    fn list(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        statuses: Vec<String>,
        offset: u64,
        limit: u64,
    ) -> Result<Value, CallError> {
        let reply = rb_self.0.list(&mut session, &statuses, offset, limit)?;
        convert::reply(ruby, &reply)
    }

    fn count(ruby: &Ruby, rb_self: &Self, mut session: Session) -> Result<Value, CallError> {
        let reply = rb_self.0.count(&mut session)?;
        convert::reply(ruby, &reply)
    }
}

pub(super) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Chains", ruby.class_object())?;
    class.define_singleton_method("new", function!(Chains::new, 1))?;
    class.define_method("keys", method!(Chains::keys, 0))?;
    class.define_method("list", method!(Chains::list, 4))?;
    class.define_method("count", method!(Chains::count, 1))
}
