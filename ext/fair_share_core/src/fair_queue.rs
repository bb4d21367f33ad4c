//! The verbs of a fair queue. Each is one script, so each is one round trip and happens wholly or not at all.

use std::sync::Mutex;

use redis::Value;

use crate::error::Error;
use crate::keys::{encode_id, Keys, LANE};
use crate::lease::{encode_owner, Lease};
use crate::scripts;
use crate::transport::{Failure, Repeat, Transport};

/// What a job costs its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The time it ran.
    Time,
    /// Each job the same.
    Jobs,
}

impl Charge {
    fn as_bytes(self) -> &'static [u8] {
        match self {
            Self::Time => b"time",
            Self::Jobs => b"jobs",
        }
    }
}

/// What the configuration says of a queue: it goes along with each call, so that a change holds at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Running jobs a partition may have; 0: any number.
    pub cap: u64,
    pub charge: Charge,
}

/// Where a job goes.
#[derive(Debug, Clone)]
pub struct Route {
    /// Encoded id, or [`LANE`].
    pub partition: String,
    /// The weight that the configuration gives this partition, where it gives one.
    pub weight: Option<f64>,
    /// The full id, where the encoded one is shortened.
    pub name: Option<String>,
}

impl Route {
    /// The lane of the jobs that have no partition.
    pub fn lane() -> Self {
        Self {
            partition: LANE.to_owned(),
            weight: None,
            name: None,
        }
    }

    pub fn to(id: &str, weight: Option<f64>) -> Self {
        let encoded = encode_id(id);
        Self {
            name: encoded.is_shortened().then(|| id.to_owned()),
            partition: encoded.as_str().to_owned(),
            weight,
        }
    }

    fn weight_argument(&self) -> String {
        self.weight
            .map(|weight| weight.to_string())
            .unwrap_or_default()
    }

    fn name_argument(&self) -> &[u8] {
        self.name.as_deref().unwrap_or_default().as_bytes()
    }
}

/// What an enqueue did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// In its partition, which has so many waiting jobs now.
    Queued { pending: u64 },
    /// In the main list, as stock Resque has it: the queue has no fair-share state.
    Plain,
}

/// A job and its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub lease_id: String,
    /// Encoded partition id.
    pub partition: String,
    /// Time of enqueueing and payload, as the sub-queue held it.
    pub element: Vec<u8>,
    /// What the partition has now.
    pub pending: u64,
    pub in_flight: u64,
}

/// What a reserve found.
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
    /// The queue has no fair-share state: stock's LPOP is right.
    Plain,
    /// The head of the main list, where others pushed payloads that have to be routed first.
    Adopt(Vec<Vec<u8>>),
}

/// What became of a lease whose owner is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// There is no such lease (any more).
    Gone,
    /// The job had started: Resque fails it. Only the slot was freed.
    Freed { partition: String, in_flight: u64 },
    /// The job had not started, and waits again at the head of its partition.
    Requeued {
        partition: String,
        pending: u64,
        in_flight: u64,
    },
}

/// What the caller of `reserve` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticket {
    /// Take one from the main list.
    Take,
    /// The caller has popped one already.
    Given,
}

/// One queue. Holds no connection: each verb gets its transport.
#[derive(Debug)]
pub struct FairQueue {
    keys: Keys,
    queue: String,
    /// Leases that a reserve may have taken without anyone having seen its reply, each with the pid that asked. The next
    /// reserve of that process asks with the same id and then gets the same job.
    unanswered: Mutex<Vec<(u32, String)>>,
}

impl FairQueue {
    /// `prefix` is Resque's namespace with its colon.
    pub fn new(prefix: &str, queue: &str) -> Self {
        Self {
            keys: Keys::new(prefix, queue),
            queue: queue.to_owned(),
            unanswered: Mutex::new(Vec::new()),
        }
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Puts one job into its partition.
    pub fn enqueue<T: Transport>(
        &self,
        transport: &mut T,
        payload: &[u8],
        route: &Route,
        limits: Limits,
    ) -> Result<Enqueued, T::Error> {
        let reply = transport.run(
            &scripts::ENQUEUE,
            &self.ten_keys(),
            &[
                self.keys.root().as_bytes(),
                self.queue.as_bytes(),
                route.partition.as_bytes(),
                payload,
                limits.cap.to_string().as_bytes(),
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

    /// Picks the next job and leases it to `owner`. `fresh_id` is used unless an earlier reserve of process `pid` has gone
    /// unanswered.
    pub fn reserve<T: Transport>(
        &self,
        transport: &mut T,
        pid: u32,
        fresh_id: String,
        owner: &str,
        ticket: Ticket,
        limits: Limits,
    ) -> Result<Reserved, T::Error> {
        let (id, asked_before) = match self.take_unanswered(pid) {
            Some(id) => (id, true),
            None => (fresh_id, false),
        };
        let hint = match (asked_before, ticket) {
            (true, _) => "repeat",
            (false, Ticket::Given) => "ticket",
            (false, Ticket::Take) => "",
        };
        let mut reply = self.ask(transport, &id, owner, hint, limits, Repeat::Unsafe);
        let mut may_be_leased = asked_before;
        if matches!(&reply, Err(error) if !surely_not_run(error)) {
            may_be_leased = true;
        }
        if matches!(&reply, Err(error) if reply_lost(error)) {
            reply = self.ask(transport, &id, owner, "repeat", limits, Repeat::Safe);
        }
        match reply {
            Ok(reply) => reply_to_reserved(reply, id).map_err(T::Error::from),
            Err(error) => {
                // Nobody else would ask for it.
                if may_be_leased {
                    self.remember_unanswered(pid, id);
                }
                Err(error)
            }
        }
    }

    /// A reserve's job did not reach its caller: an exception came between. The next reserve of this process gets it.
    pub fn remember_unanswered(&self, pid: u32, id: String) {
        self.unanswered_ids().push((pid, id));
    }

    /// Ends a lease; `None` where it has ended before. => encoded partition, its in_flight now.
    pub fn release<T: Transport>(
        &self,
        transport: &mut T,
        lease_id: &str,
        limits: Limits,
    ) -> Result<Option<(String, u64)>, T::Error> {
        let reply = transport.run(
            &scripts::RELEASE,
            &self.ten_keys(),
            &[
                self.keys.root().as_bytes(),
                lease_id.as_bytes(),
                limits.cap.to_string().as_bytes(),
                limits.charge.as_bytes(),
            ],
            Repeat::Safe,
        )?;
        let mut reply = Reply::new(reply)?;
        if reply.number()? == 0 {
            return Ok(None);
        }
        Ok(Some((reply.text()?, reply.number()?)))
    }

    /// Ends the lease of an owner that is gone. `worker_id` names the record in which Resque notes what a worker runs.
    pub fn recover<T: Transport>(
        &self,
        transport: &mut T,
        lease_id: &str,
        worker_id: &str,
        limits: Limits,
    ) -> Result<Recovered, T::Error> {
        let record = self.keys.worker(worker_id);
        let ten = self.ten_keys();
        let mut keys: Vec<&str> = ten.to_vec();
        keys.push(&record);
        let reply = transport.run(
            &scripts::RECOVER,
            &keys,
            &[
                self.keys.root().as_bytes(),
                lease_id.as_bytes(),
                limits.cap.to_string().as_bytes(),
                limits.charge.as_bytes(),
            ],
            Repeat::Safe,
        )?;
        let mut reply = Reply::new(reply)?;
        let status = reply.text()?;
        let (partition, pending, in_flight) = (reply.text()?, reply.number()?, reply.number()?);
        match status.as_str() {
            "gone" => Ok(Recovered::Gone),
            "freed" => Ok(Recovered::Freed {
                partition,
                in_flight,
            }),
            "requeued" => Ok(Recovered::Requeued {
                partition,
                pending,
                in_flight,
            }),
            other => Err(unknown("recover", other)),
        }
    }

    /// Routes the payloads that a reserve found at the head of the main list, given in that order, `None` for a ticket.
    /// => how many were adopted; fewer than given where another worker was faster.
    pub fn adopt<T: Transport>(
        &self,
        transport: &mut T,
        elements: &[(Vec<u8>, Option<Route>)],
        limits: Limits,
    ) -> Result<u64, T::Error> {
        let cap = limits.cap.to_string();
        let weights: Vec<String> = elements
            .iter()
            .map(|(_, route)| {
                route
                    .as_ref()
                    .map(Route::weight_argument)
                    .unwrap_or_default()
            })
            .collect();
        let mut arguments: Vec<&[u8]> = vec![self.keys.root().as_bytes(), cap.as_bytes()];
        for ((element, route), weight) in elements.iter().zip(&weights) {
            arguments.push(element);
            match route {
                Some(route) => arguments.extend([
                    route.partition.as_bytes(),
                    weight.as_bytes(),
                    route.name_argument(),
                ]),
                None => arguments.extend([b"".as_slice(), b"", b""]),
            }
        }
        let reply = transport.run(
            &scripts::ADOPT,
            &self.ten_keys(),
            &arguments,
            // Sent again, it finds tickets where the payloads were, and adopts nothing twice.
            Repeat::Safe,
        )?;
        Ok(Reply::single(reply).number()?)
    }

    /// Puts back tickets that somebody else popped. => how many.
    pub fn mend<T: Transport>(&self, transport: &mut T) -> Result<u64, T::Error> {
        let reply = transport.run(
            &scripts::MEND,
            &self.ten_keys(),
            &[self.keys.root().as_bytes()],
            Repeat::Safe,
        )?;
        Ok(Reply::single(reply).number()?)
    }

    /// A page of the leases: call with cursor 0, then with the cursor of the last page until it is 0 again.
    pub fn leases<T: Transport>(
        &self,
        transport: &mut T,
        cursor: u64,
    ) -> Result<(u64, Vec<Lease>), T::Error> {
        let mut command = redis::cmd("HSCAN");
        command
            .arg(self.keys.leases())
            .arg(cursor)
            .arg("COUNT")
            .arg(100);
        let reply = transport.call(&command, Repeat::Safe)?;
        let (cursor, fields): (String, Vec<(String, Vec<u8>)>) =
            redis::from_redis_value(&reply).map_err(|error| Error::Protocol(error.to_string()))?;
        let cursor = cursor
            .parse()
            .map_err(|_| Error::Protocol(format!("HSCAN answered the cursor {cursor:?}")))?;
        let leases = fields
            .into_iter()
            .filter_map(|(id, value)| Lease::parse(id, &value))
            .collect();
        Ok((cursor, leases))
    }

    /// Whether the queue has fair-share state: a waiting job in a partition, or a running one.
    pub fn is_fair<T: Transport>(&self, transport: &mut T) -> Result<bool, T::Error> {
        let mut command = redis::cmd("EXISTS");
        command.arg(self.keys.state());
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(Reply::single(reply).number()? > 0)
    }

    fn ask<T: Transport>(
        &self,
        transport: &mut T,
        id: &str,
        owner: &str,
        hint: &str,
        limits: Limits,
        repeat: Repeat,
    ) -> Result<Value, T::Error> {
        transport.run(
            &scripts::RESERVE,
            &self.ten_keys(),
            &[
                self.keys.root().as_bytes(),
                id.as_bytes(),
                encode_owner(owner).as_bytes(),
                limits.cap.to_string().as_bytes(),
                limits.charge.as_bytes(),
                hint.as_bytes(),
            ],
            repeat,
        )
    }

    fn ten_keys(&self) -> [&str; 10] {
        let keys = &self.keys;
        [
            keys.queues(),
            keys.main(),
            keys.partitions(),
            keys.parked(),
            keys.leases(),
            keys.state(),
            keys.tags(),
            keys.settings(),
            keys.weights(),
            keys.names(),
        ]
    }

    fn unanswered_ids(&self) -> std::sync::MutexGuard<'_, Vec<(u32, String)>> {
        match self.unanswered.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    fn take_unanswered(&self, pid: u32) -> Option<String> {
        let mut ids = self.unanswered_ids();
        // What a forked child inherited belongs to its parent.
        ids.retain(|(asker, _)| *asker == pid);
        ids.pop().map(|(_, id)| id)
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
        "again" => Ok(Reserved::Adopt(Vec::new())),
        "plain" => Ok(Reserved::Plain),
        "adopt" => {
            reply.text()?;
            Ok(Reserved::Adopt(reply.list()?))
        }
        other => Err(unknown("reserve", other)),
    }
}

fn unknown<E: From<Error>>(verb: &str, status: &str) -> E {
    Error::Protocol(format!("the {verb} script answered {status:?}")).into()
}

/// A script's reply, read from the front.
struct Reply(std::vec::IntoIter<Value>);

impl Reply {
    fn new(value: Value) -> Result<Self, Error> {
        match value {
            Value::Array(values) => Ok(Self(values.into_iter())),
            other => Err(Error::Protocol(format!("expected an array, got {other:?}"))),
        }
    }

    fn single(value: Value) -> Self {
        Self(vec![value].into_iter())
    }

    fn next(&mut self) -> Result<Value, Error> {
        self.0
            .next()
            .ok_or_else(|| Error::Protocol("a reply was too short".into()))
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        match self.next()? {
            Value::BulkString(bytes) => Ok(bytes),
            Value::SimpleString(text) => Ok(text.into_bytes()),
            other => Err(Error::Protocol(format!("expected a string, got {other:?}"))),
        }
    }

    fn text(&mut self) -> Result<String, Error> {
        String::from_utf8(self.bytes()?).map_err(|error| Error::Protocol(error.to_string()))
    }

    fn number(&mut self) -> Result<u64, Error> {
        match self.next()? {
            Value::Int(number) => Ok(number.try_into().unwrap_or(0)),
            other => Err(Error::Protocol(format!("expected a number, got {other:?}"))),
        }
    }

    fn list(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        match self.next()? {
            Value::Array(values) => {
                let mut reply = Self(values.into_iter());
                let mut list = Vec::with_capacity(reply.0.len());
                for _ in 0..reply.0.len() {
                    list.push(reply.bytes()?);
                }
                Ok(list)
            }
            other => Err(Error::Protocol(format!("expected a list, got {other:?}"))),
        }
    }
}
