//! `Native::Queue`, turns: the way of a job through a queue, from its enqueue to its lease.

use fair_share_core::lease_ids::LeaseIds;
use fair_share_core::payload::{split_element, with_lease};
use fair_share_core::route::Route;
use fair_share_core::turns::{Asking, Enqueued, Job, Reserved, Ticket};
use magnus::{
    method, prelude::*, Error, IntoValue, RArray, RClass, RString, Ruby, TryConvert, Value,
};

use super::queue::Queue;
use crate::connection::Session;
use crate::convert::{self, id, limits, ChargeName, Routes};
use crate::error::CallError;
use crate::ffi;

static LEASE_IDS: LeaseIds = LeaseIds::new();

impl Queue {
    /// Returns the pending count of the partition, or nil if the job went into the main list, as stock Resque stores it.
    fn enqueue(
        &self,
        mut session: Session,
        payload: RString,
        partition: Option<String>,
        weight: Option<f64>,
        cap: u64,
    ) -> Result<Option<u64>, CallError> {
        let route = Route::of(partition.as_deref(), weight);
        let enqueued = self
            .0
            .enqueue(&mut session, &payload.to_bytes(), &route, cap)?;
        Ok(match enqueued {
            Enqueued::Queued { pending } => Some(pending),
            Enqueued::Plain => None,
        })
    }

    /// `jobs`: `[[payload, partition id or nil, weight or nil], ...]`. Returns for each the pending count of its partition
    /// after it.
    fn enqueue_all(
        &self,
        mut session: Session,
        jobs: RArray,
        cap: u64,
    ) -> Result<Vec<u64>, CallError> {
        let mut routed = Vec::with_capacity(jobs.len());
        for job in jobs.into_iter() {
            let (payload, partition, weight): (RString, Option<String>, Option<f64>) =
                TryConvert::try_convert(job)?;
            routed.push((
                payload.to_bytes().to_vec(),
                Route::of(partition.as_deref(), weight),
            ));
        }
        self.0.enqueue_all(&mut session, &routed, cap)
    }

    /// Returns the pending count of the partition.
    fn enqueue_plain(
        &self,
        mut session: Session,
        payload: RString,
        partition: Option<String>,
    ) -> Result<u64, CallError> {
        let route = Route::of(partition.as_deref(), None);
        self.0
            .enqueue_plain(&mut session, &payload.to_bytes(), &route)
    }

    /// Returns `[:job, reconcile, lease id, payload, whether the payload is readable, partition id, pending, in_flight]`,
    /// `[:nothing, reconcile]`, `[:plain]`, `[:gone, payload]`, `[:adopt, elements]` or `[:again]`.
    fn reserve(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        owner: String,
        ticket_given: bool,
        cap: u64,
        charge: ChargeName,
    ) -> Result<RArray, CallError> {
        let ticket = if ticket_given {
            Ticket::Given
        } else {
            Ticket::Take
        };
        let reserved =
            rb_self
                .0
                .reserve(&mut session, asking(&owner), ticket, limits(cap, charge))?;
        reserved_to_ruby(ruby, reserved)
    }

    /// As `reserve`, but picks among the first elements of the main list. `routes`: as for `adopt`.
    fn scan(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        owner: String,
        elements: RArray,
        routes: Routes,
        cap: u64,
        charge: ChargeName,
    ) -> Result<RArray, CallError> {
        let routed = routes.of(elements)?;
        let reserved =
            rb_self
                .0
                .scan(&mut session, asking(&owner), &routed, limits(cap, charge))?;
        reserved_to_ruby(ruby, reserved)
    }

    /// Call it if the caller could not use a reserved job: the next reserve of this process gets it.
    fn give_back(&self, lease_id: String) {
        self.0.give_back(ffi::pid(), lease_id);
    }

    /// Resque's own pop, if the core has an open connection; else returns false.
    fn pop(ruby: &Ruby, rb_self: &Self, mut session: Session) -> Result<Value, CallError> {
        if !session.is_open() {
            return Ok(ruby.qfalse().as_value());
        }
        Ok(match rb_self.0.pop(&mut session)? {
            None => ruby.qnil().as_value(),
            Some(element) => convert::string(ruby, &element).as_value(),
        })
    }
}

fn asking(owner: &str) -> Asking<'_> {
    let pid = ffi::pid();
    Asking {
        pid,
        fresh_id: LEASE_IDS.next(pid),
        owner,
    }
}

fn reserved_to_ruby(ruby: &Ruby, reserved: Reserved) -> Result<RArray, CallError> {
    let word = |text| ruby.to_symbol(text).as_value();
    Ok(match reserved {
        Reserved::Job { job, reconcile } => job_to_ruby(ruby, &job, reconcile),
        Reserved::Nothing { reconcile } => {
            ruby.ary_new_from_values(&[word("nothing"), reconcile.into_value_with(ruby)])
        }
        Reserved::Plain => ruby.ary_new_from_values(&[word("plain")]),
        Reserved::Again => ruby.ary_new_from_values(&[word("again")]),
        Reserved::Gone(payload) => {
            ruby.ary_new_from_values(&[word("gone"), convert::string(ruby, &payload).as_value()])
        }
        Reserved::Adopt(elements) => ruby
            .ary_new_from_values(&[word("adopt"), convert::strings(ruby, &elements)?.as_value()]),
    })
}

fn job_to_ruby(ruby: &Ruby, job: &Job, reconcile: bool) -> RArray {
    let (_, payload) = split_element(&job.element);
    let leased = with_lease(payload, &job.lease_id);
    ruby.ary_new_from_values(&[
        ruby.to_symbol("job").as_value(),
        reconcile.into_value_with(ruby),
        job.lease_id.as_str().into_value_with(ruby),
        convert::string(ruby, leased.as_deref().unwrap_or(payload)).as_value(),
        leased.is_some().into_value_with(ruby),
        id(&job.partition).into_value_with(ruby),
        job.pending.into_value_with(ruby),
        job.in_flight.into_value_with(ruby),
    ])
}

pub(super) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("enqueue", method!(Queue::enqueue, 5))?;
    class.define_method("enqueue_all", method!(Queue::enqueue_all, 3))?;
    class.define_method("enqueue_plain", method!(Queue::enqueue_plain, 3))?;
    class.define_method("reserve", method!(Queue::reserve, 5))?;
    class.define_method("scan", method!(Queue::scan, 6))?;
    class.define_method("give_back", method!(Queue::give_back, 1))?;
    class.define_method("pop", method!(Queue::pop, 1))
}
