//! `Native::Queue`, upkeep: puts jobs, tickets or index entries that are out of place back where they belong.

use magnus::{method, prelude::*, Error, RArray, RClass, Ruby};

use super::queue::Queue;
use crate::connection::Session;
use crate::convert::{self, counts, Routes};
use crate::error::CallError;

impl Queue {
    /// `elements`: from the head of the main list on. `routes`: for each, nil if it is a ticket, else `[partition id or nil,
    /// weight or nil]`. Returns `[looked at, adopted, [partition id, pending] of each partition that got a job]`.
    fn adopt(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        elements: RArray,
        routes: Routes,
        rotate: bool,
        cap: u64,
    ) -> Result<(u64, u64, RArray), CallError> {
        let routed = routes.of(elements)?;
        let done = rb_self.0.adopt(&mut session, &routed, rotate, cap)?;
        Ok((done.looked_at, done.adopted, counts(ruby, &done.pending)))
    }

    /// Returns `[whether the page was the last of its index, tickets put back, whether an index is lost]`.
    fn mend(&self, mut session: Session, cap: u64) -> Result<(bool, u64, bool), CallError> {
        let mended = self.0.mend(&mut session, cap)?;
        Ok((mended.ended, mended.tickets, mended.lost))
    }

    /// Returns `[next cursor, encoded ids]` of partitions that have a list.
    fn lists(&self, mut session: Session, cursor: u64) -> Result<(u64, Vec<String>), CallError> {
        self.0.lists(&mut session, cursor)
    }

    /// `partitions`: encoded. Returns how many were put back into an index.
    fn reindex(
        &self,
        mut session: Session,
        partitions: RArray,
        last: bool,
        cap: u64,
    ) -> Result<u64, CallError> {
        let partitions: Vec<String> = partitions.to_vec()?;
        self.0.reindex(&mut session, &partitions, last, cap)
    }

    /// Returns `[jobs moved into the main list, payloads of 0.1.0 whose copy in it is gone, [partition id, pending] of each
    /// partition that jobs were taken from]`.
    fn rollback(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        most: u64,
    ) -> Result<(u64, RArray, RArray), CallError> {
        let done = rb_self.0.rollback(&mut session, most)?;
        let gone = convert::strings(ruby, &done.gone)?;
        Ok((done.moved, gone, counts(ruby, &done.pending)))
    }
}

pub(super) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("adopt", method!(Queue::adopt, 5))?;
    class.define_method("mend", method!(Queue::mend, 2))?;
    class.define_method("lists", method!(Queue::lists, 2))?;
    class.define_method("reindex", method!(Queue::reindex, 4))?;
    class.define_method("rollback", method!(Queue::rollback, 2))
}
