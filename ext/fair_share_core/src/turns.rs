//! Turns: the way of a job through a queue, from its enqueue to its lease.

use redis::Value;

use crate::error::Error;
use crate::lease::encode_owner;
use crate::queue::{Limits, Queue};
use crate::reply::{parse, unknown, Reply};
use crate::route::{push_routed, routed, weights_of, Route, Routed};
use crate::scripts::{self, Script};
use crate::transport::{words, Failure, Repeat, Transport};

/// The effect of an enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// The job is in its partition, which has `pending` waiting jobs now.
    Queued { pending: u64 },
    /// The job is in the main list, as stock Resque stores it: the queue has no fair-share state.
    Plain,
}

/// A job and its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub lease_id: String,
    /// Encoded partition id.
    pub partition: String,
    /// Time of enqueueing and payload, as they were in the partition's list.
    pub element: Vec<u8>,
    /// Waiting jobs of its partition now.
    pub pending: u64,
    /// Running jobs of its partition now.
    pub in_flight: u64,
}

/// The result of a reserve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reserved {
    Job {
        job: Job,
        reconcile: bool,
    },
    /// Nothing may run now.
    Nothing {
        reconcile: bool,
    },
    /// The queue has no fair-share state: use stock Resque's LPOP.
    Plain,
    /// A payload that 0.1.0 wrote, whose copy in the main list is gone: somebody has taken the job already.
    Gone(Vec<u8>),
    /// Call again: the script could only do a part of the work that has to precede a reserve.
    Again,
    /// The head of the main list: others pushed payloads there, which have to be routed first.
    Adopt(Vec<Vec<u8>>),
}

/// Whether the caller of `reserve` holds a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticket {
    /// Take one from the main list.
    Take,
    /// The caller has popped one already.
    Given,
}

/// Who asks for a job.
#[derive(Debug)]
pub struct Asking<'a> {
    pub pid: u32,
    /// The id of the lease, unless an earlier reserve of this process got no reply.
    pub fresh_id: String,
    /// Owner of the lease.
    pub owner: &'a str,
}

impl Queue {
    /// Puts one job into its partition.
    pub fn enqueue<T: Transport>(
        &self,
        transport: &mut T,
        payload: &[u8],
        route: &Route,
        cap: u64,
    ) -> Result<Enqueued, T::Error> {
        let reply = self.run(
            transport,
            &scripts::ENQUEUE,
            &[
                self.name.as_bytes(),
                route.partition.as_bytes(),
                payload,
                cap.to_string().as_bytes(),
                route.weight_argument().as_bytes(),
                route.name_argument(),
            ],
            Repeat::Unsafe,
        )?;
        let mut reply = Reply::new(reply)?;
        match reply.text()?.as_str() {
            "queued" => Ok(Enqueued::Queued {
                pending: reply.number()?,
            }),
            "plain" => Ok(Enqueued::Plain),
            other => Err(unknown("enqueue", other)),
        }
    }

    /// Puts many jobs into their partitions, all or none. Returns for each job the pending count of its partition after it.
    pub fn enqueue_all<T: Transport>(
        &self,
        transport: &mut T,
        jobs: &[(Vec<u8>, Route)],
        cap: u64,
    ) -> Result<Vec<u64>, T::Error> {
        let cap = cap.to_string();
        let weights: Vec<String> = jobs
            .iter()
            .map(|(_, route)| route.weight_argument())
            .collect();
        let mut arguments: Vec<&[u8]> = vec![self.name.as_bytes(), cap.as_bytes()];
        for ((payload, route), weight) in jobs.iter().zip(&weights) {
            let [partition, weight, name] = routed(Some(route), weight);
            arguments.extend([partition, payload, weight, name]);
        }
        let reply = self.run(transport, &scripts::ENQUEUE_ALL, &arguments, Repeat::Unsafe)?;
        Ok(parse(&reply)?)
    }

    /// Puts one whole job into the main list, and counts it. Returns the pending count of its partition.
    pub fn enqueue_plain<T: Transport>(
        &self,
        transport: &mut T,
        payload: &[u8],
        route: &Route,
    ) -> Result<u64, T::Error> {
        let reply = self.run(
            transport,
            &scripts::ENQUEUE_PLAIN,
            &[self.name.as_bytes(), route.partition.as_bytes(), payload],
            Repeat::Unsafe,
        )?;
        Ok(Reply::single(reply).number()?)
    }

    /// Picks the next job and leases it.
    pub fn reserve<T: Transport>(
        &self,
        transport: &mut T,
        asking: Asking<'_>,
        ticket: Ticket,
        limits: Limits,
    ) -> Result<Reserved, T::Error> {
        let hint: &[u8] = match ticket {
            Ticket::Given => b"ticket",
            Ticket::Take => b"",
        };
        self.lease_one(transport, &scripts::RESERVE, asking, &[hint], limits)
    }

    /// As [`reserve`](Self::reserve), but picks among the first elements of the main list. `elements` are these, from the head
    /// on; an element that is no job has the route `None`.
    pub fn scan<T: Transport>(
        &self,
        transport: &mut T,
        asking: Asking<'_>,
        elements: &[Routed],
        limits: Limits,
    ) -> Result<Reserved, T::Error> {
        let weights = weights_of(elements);
        let mut arguments: Vec<&[u8]> = Vec::with_capacity(elements.len() * 4);
        push_routed(&mut arguments, elements, &weights);
        self.lease_one(transport, &scripts::SCAN, asking, &arguments, limits)
    }

    fn lease_one<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        asking: Asking<'_>,
        more: &[&[u8]],
        limits: Limits,
    ) -> Result<Reserved, T::Error> {
        let (id, asked_before) = match self.unanswered.take(asking.pid) {
            Some(id) => (id, true),
            None => (asking.fresh_id, false),
        };
        let owner = encode_owner(asking.owner);
        let cap = limits.cap.to_string();
        let mut ask = |again: bool, repeat| {
            let again: &[u8] = if again { b"again" } else { b"" };
            let mut arguments: Vec<&[u8]> = Vec::with_capacity(5 + more.len());
            arguments.extend([
                id.as_bytes(),
                owner.as_bytes(),
                cap.as_bytes(),
                limits.charge.as_bytes(),
                again,
            ]);
            arguments.extend_from_slice(more);
            self.run(transport, script, &arguments, repeat)
        };
        let mut reply = ask(asked_before, Repeat::ByCaller);
        let may_be_leased = asked_before || matches!(&reply, Err(error) if !surely_not_run(error));
        if matches!(&reply, Err(error) if reply_lost(error)) {
            reply = ask(true, Repeat::Safe);
        }
        match reply {
            Ok(reply) => reply_to_reserved(reply, id).map_err(T::Error::from),
            Err(error) => {
                // The lease may exist. If this process does not ask for it again, nobody does.
                if may_be_leased {
                    self.unanswered.remember(asking.pid, id);
                }
                Err(error)
            }
        }
    }

    /// Call it if an exception kept a reserved job from its caller. The next reserve of this process then gets this job.
    pub fn give_back(&self, pid: u32, id: String) {
        self.unanswered.remember(pid, id);
    }

    /// Resque's own pop, for a queue without fair-share state.
    pub fn pop<T: Transport>(&self, transport: &mut T) -> Result<Option<Vec<u8>>, T::Error> {
        let command = ["LPOP", self.keys.main()].map(str::as_bytes);
        match transport.call(&words(command.into_iter()), Repeat::Unsafe)? {
            Value::Nil => Ok(None),
            Value::BulkString(element) => Ok(Some(element)),
            other => Err(Error::Protocol(format!("LPOP answered {other:?}")).into()),
        }
    }
}

fn reply_lost<F: Failure>(error: &F) -> bool {
    matches!(
        error.as_core(),
        Some(Error::ConnectionLost { .. } | Error::Timeout { .. })
    )
}

fn surely_not_run<F: Failure>(error: &F) -> bool {
    matches!(
        error.as_core(),
        Some(Error::Command(_) | Error::CannotConnect { .. })
    )
}

fn reply_to_reserved(reply: Value, lease_id: String) -> Result<Reserved, Error> {
    let mut reply = Reply::new(reply)?;
    let status = reply.text()?;
    let reconcile = reply.number()? == 1;
    match status.as_str() {
        "job" => Ok(Reserved::Job {
            job: Job {
                lease_id,
                partition: reply.text()?,
                element: reply.bytes()?,
                pending: reply.number()?,
                in_flight: reply.number()?,
            },
            reconcile,
        }),
        "none" => Ok(Reserved::Nothing { reconcile }),
        "again" => Ok(Reserved::Again),
        "plain" => Ok(Reserved::Plain),
        "gone" => {
            reply.text()?;
            Ok(Reserved::Gone(reply.bytes()?))
        }
        "adopt" => {
            reply.text()?;
            Ok(Reserved::Adopt(reply.list()?))
        }
        other => Err(unknown("reserve", other)),
    }
}
