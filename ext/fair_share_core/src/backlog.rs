//! Backlog: the waiting jobs of a queue.

use crate::payload::{element, split_element};
use crate::queue::Queue;
use crate::reply::{parse, Reply};
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// A waiting job: its time of enqueueing in milliseconds (`None`: 0.1.0 wrote it), and its payload.
pub type Waiting = (Option<u64>, Vec<u8>);

/// The result of removing single jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    pub removed: u64,
    /// Waiting jobs of the partition now; 0 if none was removed.
    pub pending: u64,
}

/// The result of removing all jobs of partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    pub removed: u64,
    /// Encoded ids of the partitions that had jobs.
    pub partitions: Vec<String>,
}

impl Queue {
    /// Elements of the main list: tickets, and payloads that others pushed.
    pub fn main_elements<T: Transport>(
        &self,
        transport: &mut T,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        self.range(transport, self.keys.main(), offset, limit)
    }

    /// Elements of the main list, counted from the tail: offset 0 is the last page. Pops at the head do not shift these pages.
    pub fn main_tail<T: Transport>(
        &self,
        transport: &mut T,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        self.range_from_tail(transport, self.keys.main(), offset, limit)
    }

    /// Waiting jobs of one partition, oldest first.
    pub fn elements<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Waiting>, T::Error> {
        let elements = self.range(transport, &self.keys.sub(partition), offset, limit)?;
        Ok(elements.into_iter().map(waiting).collect())
    }

    /// Payloads of one partition, counted from the tail as in [`main_tail`](Self::main_tail).
    pub fn tail<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        let key = self.keys.sub(partition);
        let elements = self.range_from_tail(transport, &key, offset, limit)?;
        Ok(elements
            .into_iter()
            .map(|element| waiting(element).1)
            .collect())
    }

    /// Removes single waiting jobs, as [`elements`](Self::elements) returned them.
    pub fn remove<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
        jobs: &[Waiting],
    ) -> Result<Removed, T::Error> {
        let elements: Vec<Vec<u8>> = jobs
            .iter()
            .map(|(time, payload)| element(*time, payload))
            .collect();
        let mut arguments: Vec<&[u8]> = vec![partition.as_bytes()];
        arguments.extend(elements.iter().map(Vec::as_slice));
        let mut reply =
            Reply::new(self.run(transport, &scripts::REMOVE, &arguments, Repeat::Safe)?)?;
        Ok(Removed {
            removed: reply.number()?,
            pending: reply.number()?,
        })
    }

    /// Removes all waiting jobs of these partitions.
    pub fn clear<T: Transport>(
        &self,
        transport: &mut T,
        partitions: &[String],
    ) -> Result<Cleared, T::Error> {
        let arguments: Vec<&[u8]> = partitions.iter().map(String::as_bytes).collect();
        let mut reply =
            Reply::new(self.run(transport, &scripts::CLEAR, &arguments, Repeat::Safe)?)?;
        Ok(Cleared {
            removed: reply.number()?,
            partitions: reply.texts()?,
        })
    }

    fn range<T: Transport>(
        &self,
        transport: &mut T,
        key: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        let last = offset.saturating_add(limit).saturating_sub(1);
        self.lrange(transport, key, to_index(offset), to_index(last), limit)
    }

    fn range_from_tail<T: Transport>(
        &self,
        transport: &mut T,
        key: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        let first = -to_index(offset.saturating_add(limit));
        let last = -to_index(offset.saturating_add(1));
        self.lrange(transport, key, first, last, limit)
    }

    fn lrange<T: Transport>(
        &self,
        transport: &mut T,
        key: &str,
        first: i64,
        last: i64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut command = redis::cmd("LRANGE");
        command.arg(key).arg(first).arg(last);
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(parse(&reply)?)
    }
}

/// An index as Redis takes it. No list is longer than `i64::MAX`.
fn to_index(count: u64) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

fn waiting(element: Vec<u8>) -> Waiting {
    let (time, payload) = split_element(&element);
    (time, payload.to_vec())
}
