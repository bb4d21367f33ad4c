//! What waits: reading it, taking single jobs out of it, and moving it between the plain list and the partitions.

use crate::error::Error;
use crate::fair_queue::{FairQueue, Route};
use crate::reply::Reply;
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// What a removal of single jobs did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    pub removed: u64,
    /// What the partition has now; not told where none was removed.
    pub pending: u64,
}

/// What a removal of all jobs did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    pub removed: u64,
    /// Encoded, those that had some.
    pub partitions: Vec<String>,
}

/// What a rollback did: no more jobs wait where both together are less than was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    pub moved: u64,
    /// Payloads that 0.1.0 wrote, whose copies in the main list are gone: somebody has taken these jobs already.
    pub gone: Vec<Vec<u8>>,
    /// Encoded partitions that jobs were taken from, and what each has now.
    pub pending: Vec<(String, u64)>,
}

impl FairQueue {
    /// Elements of the main list: tickets, and what others pushed.
    pub fn main_elements<T: Transport>(
        &self,
        transport: &mut T,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        self.range(transport, self.keys().main(), offset, limit)
    }

    /// Elements of one partition, oldest first.
    pub fn elements<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        self.range(transport, &self.keys().sub(partition), offset, limit)
    }

    /// Removes single waiting jobs, given as the sub-queue holds them.
    pub fn remove<T: Transport>(
        &self,
        transport: &mut T,
        partition: &str,
        elements: &[Vec<u8>],
    ) -> Result<Removed, T::Error> {
        let mut arguments: Vec<&[u8]> = vec![self.keys().root().as_bytes(), partition.as_bytes()];
        arguments.extend(elements.iter().map(Vec::as_slice));
        let mut reply =
            Reply::new(self.run(transport, &scripts::REMOVE, &arguments, Repeat::Safe)?)?;
        Ok(Removed {
            removed: reply.number()?,
            pending: reply.number()?,
        })
    }

    /// Removes all waiting jobs of partitions.
    pub fn clear<T: Transport>(
        &self,
        transport: &mut T,
        partitions: &[String],
    ) -> Result<Cleared, T::Error> {
        let mut arguments: Vec<&[u8]> = vec![self.keys().root().as_bytes()];
        arguments.extend(partitions.iter().map(String::as_bytes));
        let mut reply =
            Reply::new(self.run(transport, &scripts::CLEAR, &arguments, Repeat::Safe)?)?;
        Ok(Cleared {
            removed: reply.number()?,
            partitions: reply.texts()?,
        })
    }

    /// Forgets the run-time settings of all partitions.
    pub fn forget_settings<T: Transport>(&self, transport: &mut T) -> Result<(), T::Error> {
        let mut command = redis::cmd("DEL");
        command.arg(self.keys().settings());
        transport.call(&command, Repeat::Safe)?;
        Ok(())
    }

    /// Puts up to `most` waiting jobs back into the main list, whole, in fair order.
    pub fn rollback<T: Transport>(
        &self,
        transport: &mut T,
        most: u64,
    ) -> Result<RolledBack, T::Error> {
        let reply = self.run(
            transport,
            &scripts::ROLLBACK,
            &[self.keys().root().as_bytes(), most.to_string().as_bytes()],
            Repeat::Unsafe,
        )?;
        let mut reply = Reply::new(reply)?;
        Ok(RolledBack {
            moved: reply.number()?,
            gone: reply.list()?,
            pending: reply.counts()?,
        })
    }

    /// Puts one job into the main list, whole, and counts it. => pending of its partition.
    pub fn enqueue_plain<T: Transport>(
        &self,
        transport: &mut T,
        payload: &[u8],
        route: &Route,
    ) -> Result<u64, T::Error> {
        let reply = self.run(
            transport,
            &scripts::ENQUEUE_PLAIN,
            &[
                self.keys().root().as_bytes(),
                self.queue.as_bytes(),
                route.partition.as_bytes(),
                payload,
            ],
            Repeat::Unsafe,
        )?;
        Ok(Reply::single(reply).number()?)
    }

    fn range<T: Transport>(
        &self,
        transport: &mut T,
        key: &str,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Vec<u8>>, T::Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut command = redis::cmd("LRANGE");
        command
            .arg(key)
            .arg(offset)
            .arg(offset.saturating_add(limit - 1));
        let reply = transport.call(&command, Repeat::Safe)?;
        Ok(redis::from_redis_value(&reply).map_err(|error| Error::Protocol(error.to_string()))?)
    }
}
