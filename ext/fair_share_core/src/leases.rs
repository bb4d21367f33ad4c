//! Leases of a queue: each ends when its job has ended, or when its owner is gone.

use redis::Value;

use crate::error::Error;
use crate::lease::Lease;
use crate::queue::{Limits, Queue};
use crate::reply::{parse, unknown, Reply};
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// The end of a lease whose owner is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// The lease does not exist (any more).
    Gone,
    /// The job had started, so Resque fails it. Only its slot was freed.
    Freed { partition: String, in_flight: u64 },
    /// The job had not started, and waits again at the head of its partition.
    Requeued {
        partition: String,
        pending: u64,
        in_flight: u64,
    },
}

impl Queue {
    /// Ends a lease. Returns the encoded partition, and its in_flight now; `None` if the lease has ended before.
    pub fn release<T: Transport>(
        &self,
        transport: &mut T,
        lease_id: &str,
        limits: Limits,
    ) -> Result<Option<(String, u64)>, T::Error> {
        let reply = self.run(
            transport,
            &scripts::RELEASE,
            &[
                lease_id.as_bytes(),
                limits.cap.to_string().as_bytes(),
                limits.charge.as_bytes(),
            ],
            Repeat::Safe,
        )?;
        released(reply).map_err(T::Error::from)
    }

    /// Ends a worker's job: deletes the worker's record, increases Resque's counters (keys without prefix), and ends the lease
    /// as [`release`](Self::release) does.
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
        let mut keys = Vec::with_capacity(1 + names.len());
        keys.push(record.as_str());
        keys.extend(names.iter().map(String::as_str));
        let cap = limits.cap.to_string();
        let growth: Vec<String> = counters.iter().map(|(_, by)| by.to_string()).collect();
        let mut arguments: Vec<&[u8]> = vec![
            lease_id.as_bytes(),
            cap.as_bytes(),
            limits.charge.as_bytes(),
        ];
        arguments.extend(growth.iter().map(String::as_bytes));
        // A repeat after a lost reply may count a job twice. So may Resque's own client.
        let reply = self.run_with(transport, &scripts::DONE, &keys, &arguments, Repeat::Safe)?;
        released(reply).map_err(T::Error::from)
    }

    /// Ends the lease of an owner that is gone. `worker_id` names Resque's record of the job that the worker runs.
    pub fn recover<T: Transport>(
        &self,
        transport: &mut T,
        lease_id: &str,
        worker_id: &str,
        limits: Limits,
    ) -> Result<Recovered, T::Error> {
        let record = self.keys.worker(worker_id);
        let reply = self.run_with(
            transport,
            &scripts::RECOVER,
            &[&record],
            &[
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

    /// Reads a page of the leases. Call with cursor 0, then with the cursor of the last page, until that is 0.
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
        let (cursor, fields): (u64, Vec<(String, Vec<u8>)>) = parse(&reply)?;
        let leases = fields
            .into_iter()
            .filter_map(|(id, value)| Lease::parse(id, &value))
            .collect();
        Ok((cursor, leases))
    }
}

fn released(reply: Value) -> Result<Option<(String, u64)>, Error> {
    let mut reply = Reply::new(reply)?;
    if reply.number()? == 0 {
        return Ok(None);
    }
    Ok(Some((reply.text()?, reply.number()?)))
}
