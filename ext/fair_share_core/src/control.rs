//! Control: the state of a queue, for an operator to read or change.

use redis::Value;

use crate::error::Error;
use crate::queue::Queue;
use crate::reply::{parse, Reply};
use crate::route::Route;
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// Counts of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    pub pending: u64,
    /// Waiting jobs of partitions that are neither paused nor at their cap.
    pub runnable: u64,
    pub in_flight: u64,
    /// Partitions with waiting jobs, parked ones included.
    pub partitions: u64,
    pub parked: u64,
    pub paused: u64,
    /// Milliseconds; `None` before a job has been measured.
    pub mean_job_time: Option<f64>,
}

/// A partition as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// Encoded id.
    pub partition: String,
    /// The full id where the encoded one is shortened.
    pub name: Option<String>,
    pub pending: u64,
    pub in_flight: u64,
    pub weight: f64,
    /// 0: none.
    pub cap: u64,
    pub paused: bool,
    /// How long the oldest waiting job has waited, in milliseconds; `None` if none waits or its time is not known.
    pub oldest_age: Option<u64>,
}

/// A change of one run-time setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<T> {
    Keep,
    TakeBack,
    To(T),
}

impl<T: ToString> Change<T> {
    fn argument(&self) -> String {
        match self {
            Self::Keep => String::new(),
            Self::TakeBack => "-".into(),
            Self::To(value) => value.to_string(),
        }
    }
}

/// Changes of the run-time settings of one partition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub weight: Change<f64>,
    pub cap: Change<u64>,
    pub paused: Change<bool>,
}

/// An index of partitions that have waiting jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    Runnable,
    Parked,
}

/// When a partition's oldest job was queued (milliseconds of the server's time), and its encoded id.
pub type Head = (u64, String);

impl Queue {
    pub fn stats<T: Transport>(&self, transport: &mut T) -> Result<Stats, T::Error> {
        let mut reply = Reply::new(self.run(transport, &scripts::STATS, &[], Repeat::Safe)?)?;
        let (pending, parked_jobs) = (reply.number()?, reply.number()?);
        Ok(Stats {
            pending,
            runnable: pending.saturating_sub(parked_jobs),
            in_flight: reply.number()?,
            partitions: reply.number()?,
            parked: reply.number()?,
            paused: reply.number()?,
            mean_job_time: reply.text()?.parse().ok(),
        })
    }

    /// Describes partitions, given by their encoded ids.
    pub fn describe<T: Transport>(
        &self,
        transport: &mut T,
        partitions: &[String],
        cap: u64,
    ) -> Result<Vec<Partition>, T::Error> {
        let cap = cap.to_string();
        let mut arguments: Vec<&[u8]> = vec![cap.as_bytes()];
        arguments.extend(partitions.iter().map(String::as_bytes));
        let Value::Array(rows) =
            self.run(transport, &scripts::DESCRIBE, &arguments, Repeat::Safe)?
        else {
            return Err(Error::Protocol("the describe script answered no array".into()).into());
        };
        let mut described = Vec::with_capacity(rows.len());
        for (row, partition) in rows.into_iter().zip(partitions) {
            let mut row = Reply::new(row)?;
            described.push(Partition {
                partition: partition.clone(),
                pending: row.number()?,
                in_flight: row.number()?,
                weight: row.text()?.parse().unwrap_or(1.0),
                cap: row.number()?,
                paused: row.number()? == 1,
                oldest_age: row.text()?.parse().ok(),
                name: Some(row.text()?).filter(|name| !name.is_empty()),
            });
        }
        Ok(described)
    }

    /// Encoded ids of partitions in the order of their turns, from `offset` on.
    pub fn partitions_by_turn<T: Transport>(
        &self,
        transport: &mut T,
        index: Index,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<String>, T::Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut command = redis::cmd("ZRANGE");
        command
            .arg(self.index_key(index))
            .arg(offset)
            .arg(offset.saturating_add(limit - 1));
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(parse(&reply)?)
    }

    /// Reads a page of encoded ids, in no order. Call with cursor 0, then with the cursor of the last page, until that is 0. A
    /// partition that moves meanwhile may be on two pages.
    pub fn partitions_page<T: Transport>(
        &self,
        transport: &mut T,
        index: Index,
        cursor: u64,
    ) -> Result<(u64, Vec<String>), T::Error> {
        let mut command = redis::cmd("ZSCAN");
        command
            .arg(self.index_key(index))
            .arg(cursor)
            .arg("COUNT")
            .arg(1000);
        let reply = transport.call(&command, Repeat::Safe)?;
        let (cursor, members): (u64, Vec<(String, f64)>) = parse(&reply)?;
        Ok((
            cursor,
            members.into_iter().map(|(member, _)| member).collect(),
        ))
    }

    /// Reads a page of an index, in no order. Returns its partitions whose oldest job was enqueued at `bound` (milliseconds) or
    /// before, each with that time; 0 if it is not known. Cursors are as for [`partitions_page`](Self::partitions_page).
    pub fn oldest<T: Transport>(
        &self,
        transport: &mut T,
        index: Index,
        cursor: u64,
        bound: Option<u64>,
    ) -> Result<(u64, Vec<Head>), T::Error> {
        let cursor = cursor.to_string();
        let bound = bound.map(|bound| bound.to_string()).unwrap_or_default();
        let index: &[u8] = match index {
            Index::Runnable => b"partitions",
            Index::Parked => b"parked",
        };
        let arguments = [index, cursor.as_bytes(), bound.as_bytes()];
        let reply = self.run(transport, &scripts::OLDEST, &arguments, Repeat::Safe)?;
        let mut words = parse::<Vec<String>>(&reply)?.into_iter();
        let number = |text: Option<String>| {
            text.and_then(|text| text.parse().ok())
                .ok_or_else(|| Error::Protocol("the oldest script answered no number".into()))
        };
        let next = number(words.next())?;
        let mut heads = Vec::with_capacity(words.len() / 2);
        while let Some(partition) = words.next() {
            heads.push((number(words.next())?, partition));
        }
        Ok((next, heads))
    }

    /// The weight that the configuration gave a partition, if it is not 1.
    pub fn configured_weight<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
    ) -> Result<Option<f64>, T::Error> {
        let mut command = redis::cmd("HGET");
        command.arg(self.keys.weights()).arg(partition);
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(parse(&reply)?)
    }

    /// Changes the run-time settings of a partition. Returns weight, cap and paused as they are in force now.
    pub fn set<T: Transport>(
        &self,
        transport: &mut T,
        route: &Route,
        settings: Settings,
        cap: u64,
    ) -> Result<(f64, u64, bool), T::Error> {
        let (weight, own_cap) = (settings.weight.argument(), settings.cap.argument());
        let paused: &[u8] = match settings.paused {
            Change::Keep => b"",
            Change::To(true) => b"1",
            Change::TakeBack | Change::To(false) => b"0",
        };
        let arguments = [
            route.partition.as_bytes(),
            weight.as_bytes(),
            own_cap.as_bytes(),
            paused,
            cap.to_string().as_bytes(),
            route.name_argument(),
        ]
        .map(<[u8]>::to_vec);
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let mut reply =
            Reply::new(self.run(transport, &scripts::SET, &arguments, Repeat::Safe)?)?;
        Ok((
            reply.text()?.parse().unwrap_or(1.0),
            reply.number()?,
            reply.number()? == 1,
        ))
    }

    /// Whether the queue has fair-share state: a waiting job in a partition, or a running one.
    pub fn is_fair<T: Transport>(&self, transport: &mut T) -> Result<bool, T::Error> {
        let mut command = redis::cmd("EXISTS");
        // A queue that only 0.1.0 wrote has `partitions`, but no `state`.
        command.arg(self.keys.state()).arg(self.keys.partitions());
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(Reply::single(reply).number()? > 0)
    }

    /// Forgets the run-time settings of all partitions.
    pub fn forget_settings<T: Transport>(&self, transport: &mut T) -> Result<(), T::Error> {
        let mut command = redis::cmd("DEL");
        command.arg(self.keys.settings());
        transport.call(&command, Repeat::Safe)?;
        Ok(())
    }

    fn index_key(&self, index: Index) -> &str {
        match index {
            Index::Runnable => self.keys.partitions(),
            Index::Parked => self.keys.parked(),
        }
    }
}
