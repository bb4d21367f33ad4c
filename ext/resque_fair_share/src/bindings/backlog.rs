//! `Native::Queue`, backlog: the waiting jobs of a queue.

use fair_share_core::backlog::Waiting;
use magnus::{method, prelude::*, Error, RArray, RClass, RString, Ruby, TryConvert};

use super::queue::Queue;
use crate::connection::Session;
use crate::convert::{self, id};
use crate::error::CallError;

impl Queue {
    /// Returns elements of the main list: tickets, and payloads that others pushed.
    fn main_elements(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, CallError> {
        let elements = rb_self.0.main_elements(&mut session, offset, limit)?;
        Ok(convert::strings(ruby, &elements)?)
    }

    fn main_tail(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, CallError> {
        let elements = rb_self.0.main_tail(&mut session, offset, limit)?;
        Ok(convert::strings(ruby, &elements)?)
    }

    /// `partition`: encoded. Returns `[time or nil, payload]` of each waiting job, the oldest first.
    fn elements(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        partition: String,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, CallError> {
        let elements = rb_self
            .0
            .elements(&mut session, &partition, offset, limit)?;
        let rows = elements
            .iter()
            .map(|(time, payload)| (*time, convert::string(ruby, payload)));
        Ok(convert::rows(ruby, rows)?)
    }

    /// `partition`: encoded. Returns payloads, counted from the tail.
    fn tail(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        partition: String,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, CallError> {
        let payloads = rb_self.0.tail(&mut session, &partition, offset, limit)?;
        Ok(convert::strings(ruby, &payloads)?)
    }

    /// `partition`: encoded; `elements`: as `elements` returned them. Returns `[jobs removed, partition id, its pending]`.
    fn remove(
        &self,
        mut session: Session,
        partition: String,
        elements: RArray,
    ) -> Result<(u64, Option<String>, u64), CallError> {
        let mut waiting: Vec<Waiting> = Vec::with_capacity(elements.len());
        for element in elements.into_iter() {
            let (time, payload): (Option<u64>, RString) = TryConvert::try_convert(element)?;
            waiting.push((time, payload.to_bytes().to_vec()));
        }
        let done = self.0.remove(&mut session, &partition, &waiting)?;
        Ok((done.removed, id(&partition), done.pending))
    }

    /// `partitions`: encoded. Returns `[jobs removed, ids of the partitions that had some]`.
    fn clear(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        partitions: RArray,
    ) -> Result<(u64, RArray), CallError> {
        let partitions: Vec<String> = partitions.to_vec()?;
        let cleared = rb_self.0.clear(&mut session, &partitions)?;
        let ids = cleared.partitions.iter().map(|partition| id(partition));
        Ok((cleared.removed, ruby.ary_from_iter(ids)))
    }
}

pub(super) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("main_elements", method!(Queue::main_elements, 3))?;
    class.define_method("main_tail", method!(Queue::main_tail, 3))?;
    class.define_method("elements", method!(Queue::elements, 4))?;
    class.define_method("tail", method!(Queue::tail, 4))?;
    class.define_method("remove", method!(Queue::remove, 3))?;
    class.define_method("clear", method!(Queue::clear, 2))
}
