//! `Native::Queue`, leases of a queue: each ends when its job has ended, or when its owner is gone.

use fair_share_core::leases::Recovered;
use fair_share_core::payload::split_element;
use magnus::{method, prelude::*, Error, RArray, RClass, Ruby, Symbol};

use super::queue::Queue;
use crate::connection::Session;
use crate::convert::{self, id, limits, page, ChargeName};
use crate::error::CallError;

/// Partition id, and its in_flight.
type Released = (Option<String>, u64);

impl Queue {
    /// Returns `[partition id, in_flight]`, or nil if the lease has ended before.
    fn release(
        &self,
        mut session: Session,
        lease_id: String,
        cap: u64,
        charge: ChargeName,
    ) -> Result<Option<Released>, CallError> {
        let released = self
            .0
            .release(&mut session, &lease_id, limits(cap, charge))?;
        Ok(released.map(|(partition, in_flight)| (id(&partition), in_flight)))
    }

    /// As `release`, and writes what Resque writes when a worker is done. `counters` is `[[key, growth], ...]`, with keys
    /// without namespace.
    fn done(
        &self,
        mut session: Session,
        lease_id: String,
        cap: u64,
        charge: ChargeName,
        worker_id: String,
        counters: RArray,
    ) -> Result<Option<Released>, CallError> {
        let counters: Vec<(String, i64)> = counters.to_vec()?;
        let limits = limits(cap, charge);
        let released = self
            .0
            .done(&mut session, &lease_id, limits, &worker_id, &counters)?;
        Ok(released.map(|(partition, in_flight)| (id(&partition), in_flight)))
    }

    /// Returns `[:gone | :freed | :requeued, partition id, pending (only if requeued), in_flight]`.
    fn recover(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        lease_id: String,
        worker_id: String,
        cap: u64,
        charge: ChargeName,
    ) -> Result<(Symbol, Option<String>, u64, u64), CallError> {
        let limits = limits(cap, charge);
        let recovered = rb_self
            .0
            .recover(&mut session, &lease_id, &worker_id, limits)?;
        let (word, partition, pending, in_flight) = match recovered {
            Recovered::Gone => ("gone", None, 0, 0),
            Recovered::Freed {
                partition,
                in_flight,
            } => ("freed", id(&partition), 0, in_flight),
            Recovered::Requeued {
                partition,
                pending,
                in_flight,
            } => ("requeued", id(&partition), pending, in_flight),
        };
        Ok((ruby.to_symbol(word), partition, pending, in_flight))
    }

    /// Returns `[next cursor, [[lease id, partition id, started (ms), owner, payload], ...]]`.
    fn leases(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        cursor: u64,
    ) -> Result<RArray, CallError> {
        let (next, leases) = rb_self.0.leases(&mut session, cursor)?;
        let rows = leases.into_iter().map(|lease| {
            let (_, payload) = split_element(&lease.element);
            let payload = convert::string(ruby, payload);
            let partition = id(&lease.partition);
            (lease.id, partition, lease.started, lease.owner, payload)
        });
        page(ruby, next, rows)
    }
}

pub(super) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("release", method!(Queue::release, 4))?;
    class.define_method("done", method!(Queue::done, 6))?;
    class.define_method("recover", method!(Queue::recover, 5))?;
    class.define_method("leases", method!(Queue::leases, 2))
}
