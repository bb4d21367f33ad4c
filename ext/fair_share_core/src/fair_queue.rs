//! The verbs of a fair queue. Each is one script, so each is one round trip and happens wholly or not at all.

use std::sync::Mutex;

use redis::Value;

use crate::error::Error;
use crate::keys::{encode_id, Keys, LANE};
use crate::lease::{encode_owner, Lease};
use crate::reply::Reply;
use crate::scripts::{self, Script};
use crate::transport::{words, Failure, Repeat, Transport};

/// What a job costs its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The time it ran.
    Time,
    /// Each job the same.
    Jobs,
}

impl Charge {
    pub(crate) fn as_bytes(self) -> &'static [u8] {
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

    pub(crate) fn weight_argument(&self) -> String {
        self.weight
            .map(|weight| weight.to_string())
            .unwrap_or_default()
    }

    pub(crate) fn name_argument(&self) -> &[u8] {
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
    /// A payload that 0.1.0 wrote, whose copy in the main list is gone: somebody has taken the job already.
    Gone(Vec<u8>),
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

/// What an adoption did; `looked_at` is less than was given where another worker was faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    pub looked_at: u64,
    pub adopted: u64,
    /// Encoded partitions that something was put into, and what each has now.
    pub pending: Vec<(String, u64)>,
}

/// What a mend did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mended {
    /// The page was the last of its index.
    pub ended: bool,
    /// How many were put back.
    pub tickets: u64,
    /// An index is gone: jobs wait in partitions that none names.
    pub lost: bool,
}

/// What the caller of `reserve` knows.
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
    /// The lease's id, unless an earlier reserve of this process has gone unanswered.
    pub fresh_id: String,
    /// Whom the lease will belong to.
    pub owner: &'a str,
}

/// One queue. Holds no connection: each verb gets its transport.
#[derive(Debug)]
pub struct FairQueue {
    pub(crate) keys: Keys,
    pub(crate) queue: String,
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
            &self.keys.of_scripts(),
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

    /// As [`reserve`](Self::reserve), among the first jobs of the plain list, given from the head on with `None` for what
    /// is no job.
    pub fn scan<T: Transport>(
        &self,
        transport: &mut T,
        asking: Asking<'_>,
        elements: &[(Vec<u8>, Option<Route>)],
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
        let (id, asked_before) = match self.take_unanswered(asking.pid) {
            Some(id) => (id, true),
            None => (asking.fresh_id, false),
        };
        let owner = encode_owner(asking.owner);
        let cap = limits.cap.to_string();
        let mut ask = |again: bool, repeat| {
            let again: &[u8] = if again { b"again" } else { b"" };
            let mut arguments: Vec<&[u8]> = Vec::with_capacity(6 + more.len());
            arguments.extend([
                self.keys.root().as_bytes(),
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
                // Nobody else would ask for it.
                if may_be_leased {
                    self.remember_unanswered(asking.pid, id);
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
            &self.keys.of_scripts(),
            &[
                self.keys.root().as_bytes(),
                lease_id.as_bytes(),
                limits.cap.to_string().as_bytes(),
                limits.charge.as_bytes(),
            ],
            Repeat::Safe,
        )?;
        reply_to_released(reply).map_err(T::Error::from)
    }

    /// What Resque does to a queue that is not fair.
    pub fn pop<T: Transport>(&self, transport: &mut T) -> Result<Option<Vec<u8>>, T::Error> {
        let command = ["LPOP", self.keys.main()].map(str::as_bytes);
        match transport.call(&words(command.into_iter()), Repeat::Unsafe)? {
            Value::Nil => Ok(None),
            Value::BulkString(element) => Ok(Some(element)),
            other => Err(Error::Protocol(format!("LPOP answered {other:?}")).into()),
        }
    }

    /// A worker is done: its record goes, Resque's counters (keys without prefix) grow, and the lease ends as by
    /// [`release`](Self::release).
    pub fn done<T: Transport>(
        &self,
        transport: &mut T,
        lease_id: &str,
        limits: Limits,
        worker_id: &str,
        counters: &[(String, i64)],
    ) -> Result<Option<(String, u64)>, T::Error> {
        let record = self.keys.worker(worker_id);
        let names: Vec<String> = counters
            .iter()
            .map(|(name, _)| self.keys.prefixed(name))
            .collect();
        let own = self.keys.of_scripts();
        let mut keys = Vec::with_capacity(own.len() + 1 + names.len());
        keys.extend(own);
        keys.push(record.as_str());
        keys.extend(names.iter().map(String::as_str));
        let (cap, growth): (String, Vec<String>) = (
            limits.cap.to_string(),
            counters.iter().map(|(_, by)| by.to_string()).collect(),
        );
        let mut arguments: Vec<&[u8]> = vec![
            self.keys.root().as_bytes(),
            lease_id.as_bytes(),
            cap.as_bytes(),
            limits.charge.as_bytes(),
        ];
        arguments.extend(growth.iter().map(String::as_bytes));
        // Sent again after a lost reply, a job may be counted twice, as by Resque's own client.
        let reply = transport.run(&scripts::DONE, &keys, &arguments, Repeat::Safe)?;
        reply_to_released(reply).map_err(T::Error::from)
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
        let ten = self.keys.of_scripts();
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

    /// Routes the payloads at the head of the main list, given in that order, `None` for a ticket. With `rotate` what was
    /// looked at goes to the tail, so that the next call sees the next.
    pub fn adopt<T: Transport>(
        &self,
        transport: &mut T,
        elements: &[(Vec<u8>, Option<Route>)],
        rotate: bool,
        limits: Limits,
    ) -> Result<Adopted, T::Error> {
        let cap = limits.cap.to_string();
        let weights = weights_of(elements);
        let rotate: &[u8] = if rotate { b"rotate" } else { b"" };
        let mut arguments: Vec<&[u8]> = vec![self.keys.root().as_bytes(), cap.as_bytes(), rotate];
        push_routed(&mut arguments, elements, &weights);
        // Sent again, it finds tickets where the payloads were, and adopts nothing twice.
        let mut reply =
            Reply::new(self.run(transport, &scripts::ADOPT, &arguments, Repeat::Safe)?)?;
        Ok(Adopted {
            looked_at: reply.number()?,
            adopted: reply.number()?,
            pending: reply.counts()?,
        })
    }

    /// Brings the next page of an index back in line with the lists and leases, and puts tickets back. All were looked at
    /// when an index has ended three times.
    pub fn mend<T: Transport>(
        &self,
        transport: &mut T,
        limits: Limits,
    ) -> Result<Mended, T::Error> {
        let cap = limits.cap.to_string();
        let arguments = [self.keys.root().as_bytes(), cap.as_bytes()];
        let mut reply =
            Reply::new(self.run(transport, &scripts::MEND, &arguments, Repeat::Safe)?)?;
        Ok(Mended {
            ended: reply.number()? == 1,
            tickets: reply.number()?,
            lost: reply.number()? == 1,
        })
    }

    /// A page of the partitions that have a list, whether an index names them or not: call with cursor 0, then with the
    /// cursor of the last page until it is 0 again. It goes through all keys of the database.
    pub fn lists<T: Transport>(
        &self,
        transport: &mut T,
        cursor: u64,
    ) -> Result<(u64, Vec<String>), T::Error> {
        let prefix = self.keys.sub("");
        let mut command = redis::cmd("SCAN");
        command
            .arg(cursor)
            .arg("MATCH")
            .arg(format!("{}*", escape_glob(&prefix)))
            .arg("COUNT")
            .arg(1000);
        let reply = transport.call(&command, Repeat::Safe)?;
        let (cursor, keys): (String, Vec<String>) =
            redis::from_redis_value(&reply).map_err(|error| Error::Protocol(error.to_string()))?;
        let cursor = cursor
            .parse()
            .map_err(|_| Error::Protocol(format!("SCAN answered the cursor {cursor:?}")))?;
        let partitions = keys
            .iter()
            .filter_map(|key| key.strip_prefix(&prefix).map(str::to_owned))
            .collect();
        Ok((cursor, partitions))
    }

    /// Gives partitions that have a list, but that no index names, their place again. `last`: these were the last ones.
    /// => how many.
    pub fn reindex<T: Transport>(
        &self,
        transport: &mut T,
        partitions: &[String],
        last: bool,
        limits: Limits,
    ) -> Result<u64, T::Error> {
        let cap = limits.cap.to_string();
        let last: &[u8] = if last { b"last" } else { b"" };
        let mut arguments: Vec<&[u8]> = vec![self.keys.root().as_bytes(), cap.as_bytes(), last];
        arguments.extend(partitions.iter().map(String::as_bytes));
        let reply = self.run(transport, &scripts::REINDEX, &arguments, Repeat::Safe)?;
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
        // What 0.1.0 wrote has partitions, and nothing else that is ours.
        command.arg(self.keys.state()).arg(self.keys.partitions());
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(Reply::single(reply).number()? > 0)
    }

    pub(crate) fn run<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        arguments: &[&[u8]],
        repeat: Repeat,
    ) -> Result<Value, T::Error> {
        transport.run(script, &self.keys.of_scripts(), arguments, repeat)
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

fn weights_of(elements: &[(Vec<u8>, Option<Route>)]) -> Vec<String> {
    let weight = |(_, route): &(_, Option<Route>)| {
        route
            .as_ref()
            .map(Route::weight_argument)
            .unwrap_or_default()
    };
    elements.iter().map(weight).collect()
}

/// Elements of the main list as scripts take them: each with its route.
fn push_routed<'a>(
    arguments: &mut Vec<&'a [u8]>,
    elements: &'a [(Vec<u8>, Option<Route>)],
    weights: &'a [String],
) {
    for ((element, route), weight) in elements.iter().zip(weights) {
        arguments.push(element);
        arguments.extend(routed(route.as_ref(), weight));
    }
}

/// A route as scripts take it: encoded partition, weight, full id. No encoded id holds a colon, but one may be empty.
pub(crate) fn routed<'a>(route: Option<&'a Route>, weight: &'a str) -> [&'a [u8]; 3] {
    match route {
        Some(route) => [
            route.partition.as_bytes(),
            weight.as_bytes(),
            route.name_argument(),
        ],
        None => [b":", b"", b""],
    }
}

fn escape_glob(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\' | '^') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
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

fn reply_to_released(reply: Value) -> Result<Option<(String, u64)>, Error> {
    let mut reply = Reply::new(reply)?;
    if reply.number()? == 0 {
        return Ok(None);
    }
    Ok(Some((reply.text()?, reply.number()?)))
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

fn unknown<E: From<Error>>(verb: &str, status: &str) -> E {
    Error::Protocol(format!("the {verb} script answered {status:?}")).into()
}
