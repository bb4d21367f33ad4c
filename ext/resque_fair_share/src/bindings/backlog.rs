//! `Native::FairQueue`: what waits.

use magnus::{method, prelude::*, Error, RArray, RClass, RString, Ruby, TryConvert, Value};

use super::fair_queue::{counts, id, route, FairQueue};
use crate::convert;
use crate::session::over;

impl FairQueue {
    /// => elements of the main list: tickets, and what others pushed.
    fn main_elements(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, Error> {
        let elements = over(ruby, connection, |session| {
            rb_self.0.main_elements(session, offset, limit)
        })?;
        convert::strings(ruby, &elements)
    }

    /// `partition`: encoded. => its elements, oldest first, each with its time.
    fn elements(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partition: String,
        offset: u64,
        limit: u64,
    ) -> Result<RArray, Error> {
        let elements = over(ruby, connection, |session| {
            rb_self.0.elements(session, &partition, offset, limit)
        })?;
        convert::strings(ruby, &elements)
    }

    /// `partition`: encoded; `elements` as they were read. => `[how many were removed, partition id, its pending]`.
    fn remove(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partition: String,
        elements: RArray,
    ) -> Result<(u64, Option<String>, u64), Error> {
        let mut bytes = Vec::with_capacity(elements.len());
        for element in elements.into_iter() {
            bytes.push(RString::try_convert(element)?.to_bytes().to_vec());
        }
        let done = over(ruby, connection, |session| {
            rb_self.0.remove(session, &partition, &bytes)
        })?;
        Ok((done.removed, id(&partition), done.pending))
    }

    /// `partitions`: encoded. => `[how many jobs were removed, ids of the partitions that had some]`.
    fn clear(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partitions: RArray,
    ) -> Result<(u64, RArray), Error> {
        let partitions: Vec<String> = partitions.to_vec()?;
        let cleared = over(ruby, connection, |session| {
            rb_self.0.clear(session, &partitions)
        })?;
        let ids = cleared.partitions.iter().map(|partition| id(partition));
        Ok((cleared.removed, ruby.ary_from_iter(ids)))
    }

    fn forget_settings(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<(), Error> {
        over(ruby, connection, |session| {
            rb_self.0.forget_settings(session)
        })
    }

    /// => `[how many jobs went back into the main list, payloads that are gone from it, [partition id, pending] of each
    /// partition that jobs were taken from]`.
    fn rollback(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        most: u64,
    ) -> Result<(u64, RArray, RArray), Error> {
        let rolled_back = over(ruby, connection, |session| {
            rb_self.0.rollback(session, most)
        })?;
        Ok((
            rolled_back.moved,
            convert::strings(ruby, &rolled_back.gone)?,
            counts(ruby, &rolled_back.pending),
        ))
    }

    /// => pending jobs of the partition.
    fn enqueue_plain(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        payload: RString,
        partition: Option<String>,
    ) -> Result<u64, Error> {
        over(ruby, connection, |session| {
            rb_self.0.enqueue_plain(
                session,
                &payload.to_bytes(),
                &route(partition.as_deref(), None),
            )
        })
    }
}

pub(crate) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("main_elements", method!(FairQueue::main_elements, 3))?;
    class.define_method("elements", method!(FairQueue::elements, 4))?;
    class.define_method("remove", method!(FairQueue::remove, 3))?;
    class.define_method("clear", method!(FairQueue::clear, 2))?;
    class.define_method("forget_settings", method!(FairQueue::forget_settings, 1))?;
    class.define_method("rollback", method!(FairQueue::rollback, 2))?;
    class.define_method("enqueue_plain", method!(FairQueue::enqueue_plain, 3))
}
