//! `Native::FairQueue`: the verbs of one queue. `connection` is always a `Resque::FairShare::Connection`.

use fair_share_core::fair_queue::{
    self, Asking, Enqueued, Job, Recovered, Reserved, Route, Ticket,
};
use fair_share_core::keys::{decode_id, Keys, LANE};
use fair_share_core::lease::LeaseIds;
use fair_share_core::payload::{split_element, with_lease};
use magnus::{
    function, method, prelude::*, Error, IntoValue, RArray, RModule, RString, Ruby, Symbol,
    TryConvert, Value,
};

use super::{backlog, control};
use crate::convert;
use crate::ffi;
use crate::session::{over, over_open};

static LEASE_IDS: LeaseIds = LeaseIds::new();

#[magnus::wrap(class = "Resque::FairShare::Native::FairQueue", free_immediately)]
pub(crate) struct FairQueue(pub(crate) fair_queue::FairQueue);

impl FairQueue {
    fn new(prefix: String, queue: String) -> Self {
        Self(fair_queue::FairQueue::new(&prefix, &queue))
    }

    /// => keys, without namespace, of which a queue has one while it has fair-share state.
    fn state_keys(queue: String) -> Vec<String> {
        let keys = Keys::new("", &queue);
        vec![keys.state().to_owned(), keys.partitions().to_owned()]
    }

    /// => pending jobs of the partition, or nil where the job went into the main list as stock Resque has it.
    fn enqueue(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        payload: RString,
        partition: Option<String>,
        weight: Option<f64>,
        cap: u64,
    ) -> Result<Option<u64>, Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let enqueued = over(ruby, connection, |session| {
            rb_self.0.enqueue(
                session,
                &payload.to_bytes(),
                &route(partition.as_deref(), weight),
                limits,
            )
        })?;
        Ok(match enqueued {
            Enqueued::Queued { pending } => Some(pending),
            Enqueued::Plain => None,
        })
    }

    /// => `[:job, reconcile, lease id, payload, whether that is one, partition id, pending, in_flight]`,
    /// `[:nothing, reconcile]`, `[:plain]`, `[:gone, payload]` or `[:adopt, elements]`.
    fn reserve(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        owner: String,
        ticket_given: bool,
        cap: u64,
        charge: Symbol,
    ) -> Result<RArray, Error> {
        let limits = convert::limits(ruby, cap, charge)?;
        let pid = ffi::pid();
        let ticket = if ticket_given {
            Ticket::Given
        } else {
            Ticket::Take
        };
        let reserved = over(ruby, connection, |session| {
            rb_self
                .0
                .reserve(session, asking(pid, &owner), ticket, limits)
        })?;
        reserved_to_ruby(ruby, reserved)
    }

    /// As `reserve`, among the first jobs of the plain list; `routes` as for `adopt`.
    fn scan(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        owner: String,
        elements: RArray,
        routes: RArray,
        cap: u64,
        charge: Symbol,
    ) -> Result<RArray, Error> {
        let limits = convert::limits(ruby, cap, charge)?;
        let routed = routed(elements, routes)?;
        let reserved = over(ruby, connection, |session| {
            rb_self
                .0
                .scan(session, asking(ffi::pid(), &owner), &routed, limits)
        })?;
        reserved_to_ruby(ruby, reserved)
    }

    /// The caller could not use a reserve's job: the next reserve of this process gets it.
    fn give_back(&self, lease_id: String) {
        self.0.remember_unanswered(ffi::pid(), lease_id);
    }

    /// => `[partition id, in_flight]`, or nil where the lease has ended before.
    fn release(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        lease_id: String,
        cap: u64,
        charge: Symbol,
    ) -> Result<Option<(Option<String>, u64)>, Error> {
        let limits = convert::limits(ruby, cap, charge)?;
        let released = over(ruby, connection, |session| {
            rb_self.0.release(session, &lease_id, limits)
        })?;
        Ok(released.map(|(partition, in_flight)| (id(&partition), in_flight)))
    }

    /// What Resque's own pop does, where the core has an open connection; false where it has none.
    fn pop(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<Value, Error> {
        let popped = over_open(ruby, connection, |session| rb_self.0.pop(session))?;
        Ok(match popped {
            None => ruby.qfalse().as_value(),
            Some(None) => ruby.qnil().as_value(),
            Some(Some(element)) => convert::string(ruby, &element).as_value(),
        })
    }

    /// As `release`, with what Resque writes when a worker is done. `counters` is `[[key, growth], ...]`, keys without
    /// namespace.
    fn done(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        lease_id: String,
        cap: u64,
        charge: Symbol,
        worker_id: String,
        counters: RArray,
    ) -> Result<Option<(Option<String>, u64)>, Error> {
        let limits = convert::limits(ruby, cap, charge)?;
        let counters: Vec<(String, i64)> = counters.to_vec()?;
        let released = over(ruby, connection, |session| {
            rb_self
                .0
                .done(session, &lease_id, limits, &worker_id, &counters)
        })?;
        Ok(released.map(|(partition, in_flight)| (id(&partition), in_flight)))
    }

    /// => `[:gone | :freed | :requeued, partition id, pending (requeued only), in_flight]`.
    fn recover(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        lease_id: String,
        worker_id: String,
        cap: u64,
        charge: Symbol,
    ) -> Result<(Symbol, Option<String>, u64, u64), Error> {
        let limits = convert::limits(ruby, cap, charge)?;
        let recovered = over(ruby, connection, |session| {
            rb_self.0.recover(session, &lease_id, &worker_id, limits)
        })?;
        Ok(match recovered {
            Recovered::Gone => (ruby.to_symbol("gone"), None, 0, 0),
            Recovered::Freed {
                partition,
                in_flight,
            } => (ruby.to_symbol("freed"), id(&partition), 0, in_flight),
            Recovered::Requeued {
                partition,
                pending,
                in_flight,
            } => (
                ruby.to_symbol("requeued"),
                id(&partition),
                pending,
                in_flight,
            ),
        })
    }

    /// `elements` from the head of the main list on; `routes` for each: nil for a ticket, else
    /// `[partition id or nil, weight or nil]`. => `[looked at, adopted, [partition id, pending] of each partition that
    /// something was put into]`.
    fn adopt(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        elements: RArray,
        routes: RArray,
        rotate: bool,
        cap: u64,
    ) -> Result<(u64, u64, RArray), Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let routed = routed(elements, routes)?;
        let adopted = over(ruby, connection, |session| {
            rb_self.0.adopt(session, &routed, rotate, limits)
        })?;
        Ok((
            adopted.looked_at,
            adopted.adopted,
            counts(ruby, &adopted.pending),
        ))
    }

    /// => `[whether an index has ended, tickets put back, whether an index is lost]`.
    fn mend(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        cap: u64,
    ) -> Result<(bool, u64, bool), Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let mended = over(ruby, connection, |session| rb_self.0.mend(session, limits))?;
        Ok((mended.ended, mended.tickets, mended.lost))
    }

    /// => `[next cursor, encoded ids]` of partitions that have a list.
    fn lists(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        cursor: u64,
    ) -> Result<(u64, Vec<String>), Error> {
        over(ruby, connection, |session| rb_self.0.lists(session, cursor))
    }

    /// `partitions`: encoded. => how many got their place again.
    fn reindex(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partitions: RArray,
        last: bool,
        cap: u64,
    ) -> Result<u64, Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let partitions: Vec<String> = partitions.to_vec()?;
        over(ruby, connection, |session| {
            rb_self.0.reindex(session, &partitions, last, limits)
        })
    }

    /// => `[next cursor, [[lease id, partition id, started (ms), owner, payload], ...]]`.
    fn leases(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        cursor: u64,
    ) -> Result<RArray, Error> {
        let (next, leases) = over(ruby, connection, |session| {
            rb_self.0.leases(session, cursor)
        })?;
        let rows = ruby.ary_new();
        for lease in leases {
            let (_, payload) = split_element(&lease.element);
            rows.push((
                lease.id,
                id(&lease.partition),
                lease.started,
                lease.owner,
                convert::string(ruby, payload),
            ))?;
        }
        let reply = ruby.ary_new();
        reply.push(next)?;
        reply.push(rows)?;
        Ok(reply)
    }

    /// Whether the queue has fair-share state now.
    fn is_fair(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<bool, Error> {
        over(ruby, connection, |session| rb_self.0.is_fair(session))
    }
}

fn asking(pid: u32, owner: &str) -> Asking<'_> {
    Asking {
        pid,
        fresh_id: LEASE_IDS.next(pid),
        owner,
    }
}

type Routed = Vec<(Vec<u8>, Option<Route>)>;

fn routed(elements: RArray, routes: RArray) -> Result<Routed, Error> {
    let routes: Vec<Option<(Option<String>, Option<f64>)>> = routes.to_vec()?;
    let mut routed = Vec::with_capacity(routes.len());
    for (element, to) in elements.into_iter().zip(routes) {
        let element = RString::try_convert(element)?.to_bytes().to_vec();
        let to = to.map(|(partition, weight)| route(partition.as_deref(), weight));
        routed.push((element, to));
    }
    Ok(routed)
}

fn reserved_to_ruby(ruby: &Ruby, reserved: Reserved) -> Result<RArray, Error> {
    match reserved {
        Reserved::Job { job, reconcile } => job_to_ruby(ruby, &job, reconcile),
        Reserved::Nothing { reconcile } => Ok(ruby.ary_new_from_values(&[
            ruby.to_symbol("nothing").as_value(),
            reconcile.into_value_with(ruby),
        ])),
        Reserved::Plain => Ok(ruby.ary_new_from_values(&[ruby.to_symbol("plain")])),
        Reserved::Gone(payload) => Ok(ruby.ary_new_from_values(&[
            ruby.to_symbol("gone").as_value(),
            convert::string(ruby, &payload).as_value(),
        ])),
        Reserved::Adopt(elements) => Ok(ruby.ary_new_from_values(&[
            ruby.to_symbol("adopt").as_value(),
            convert::strings(ruby, &elements)?.as_value(),
        ])),
    }
}

fn job_to_ruby(ruby: &Ruby, job: &Job, reconcile: bool) -> Result<RArray, Error> {
    let (_, payload) = split_element(&job.element);
    let leased = with_lease(payload, &job.lease_id);
    Ok(ruby.ary_new_from_values(&[
        ruby.to_symbol("job").as_value(),
        reconcile.into_value_with(ruby),
        job.lease_id.as_str().into_value_with(ruby),
        convert::string(ruby, leased.as_deref().unwrap_or(payload)).as_value(),
        leased.is_some().into_value_with(ruby),
        id(&job.partition).into_value_with(ruby),
        job.pending.into_value_with(ruby),
        job.in_flight.into_value_with(ruby),
    ]))
}

/// Counts of partitions => `[id or nil, count]` of each.
pub(crate) fn counts(ruby: &Ruby, of: &[(String, u64)]) -> RArray {
    ruby.ary_from_iter(of.iter().map(|(partition, count)| (id(partition), *count)))
}

/// The id as it was given; nil for the lane, which has none. A shortened one stays as it is.
pub(crate) fn id(encoded: &str) -> Option<String> {
    if encoded == LANE {
        return None;
    }
    Some(decode_id(encoded).unwrap_or_else(|| encoded.to_owned()))
}

pub(crate) fn route(partition: Option<&str>, weight: Option<f64>) -> Route {
    match partition {
        Some(id) => Route::to(id, weight),
        None => Route::lane(),
    }
}

pub(crate) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("FairQueue", ruby.class_object())?;
    class.define_singleton_method("new", function!(FairQueue::new, 2))?;
    class.define_singleton_method("state_keys", function!(FairQueue::state_keys, 1))?;
    class.define_method("enqueue", method!(FairQueue::enqueue, 5))?;
    class.define_method("reserve", method!(FairQueue::reserve, 5))?;
    class.define_method("scan", method!(FairQueue::scan, 6))?;
    class.define_method("give_back", method!(FairQueue::give_back, 1))?;
    class.define_method("release", method!(FairQueue::release, 4))?;
    class.define_method("pop", method!(FairQueue::pop, 1))?;
    class.define_method("done", method!(FairQueue::done, 6))?;
    class.define_method("recover", method!(FairQueue::recover, 5))?;
    class.define_method("adopt", method!(FairQueue::adopt, 5))?;
    class.define_method("mend", method!(FairQueue::mend, 2))?;
    class.define_method("lists", method!(FairQueue::lists, 2))?;
    class.define_method("reindex", method!(FairQueue::reindex, 4))?;
    class.define_method("leases", method!(FairQueue::leases, 2))?;
    class.define_method("fair?", method!(FairQueue::is_fair, 1))?;
    control::init(class)?;
    backlog::init(class)
}
