//! Upkeep: puts jobs, tickets or index entries that are out of place back where they belong.

use crate::queue::Queue;
use crate::reply::{parse, Reply};
use crate::route::{push_routed, weights_of, Routed};
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// The result of an adoption. `looked_at` is less than the number of elements if another worker was faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    pub looked_at: u64,
    pub adopted: u64,
    /// Encoded partitions that got a job, and the pending count of each.
    pub pending: Vec<(String, u64)>,
}

/// The result of a mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mended {
    /// The page was the last of its index.
    pub ended: bool,
    /// Tickets that were put back.
    pub tickets: u64,
    /// An index is lost: jobs wait in partitions that are in no index.
    pub lost: bool,
}

/// The result of a rollback. If `moved` and `gone` together are fewer than asked for, no more jobs wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    pub moved: u64,
    /// Payloads that 0.1.0 wrote, whose copies in the main list are gone: somebody has taken these jobs already.
    pub gone: Vec<Vec<u8>>,
    /// Encoded partitions that jobs were taken from, and the pending count of each.
    pub pending: Vec<(String, u64)>,
}

impl Queue {
    /// Routes the payloads at the head of the main list. `elements` are in the order of the list; a ticket has the route
    /// `None`. `rotate` moves the elements looked at to the tail, so that the next call sees the next ones.
    pub fn adopt<T: Transport>(
        &self,
        transport: &mut T,
        elements: &[Routed],
        rotate: bool,
        cap: u64,
    ) -> Result<Adopted, T::Error> {
        let cap = cap.to_string();
        let weights = weights_of(elements);
        let rotate: &[u8] = if rotate { b"rotate" } else { b"" };
        let mut arguments: Vec<&[u8]> = vec![cap.as_bytes(), rotate];
        push_routed(&mut arguments, elements, &weights);
        // A repeat finds tickets in the place of the payloads, so it adopts nothing twice.
        let mut reply =
            Reply::new(self.run(transport, &scripts::ADOPT, &arguments, Repeat::Safe)?)?;
        Ok(Adopted {
            looked_at: reply.number()?,
            adopted: reply.number()?,
            pending: reply.counts()?,
        })
    }

    /// Corrects the next page of an index by the lists and leases, and puts tickets back. Two indexes alternate and the first
    /// pass may start mid-way, so after three ends both were covered.
    pub fn mend<T: Transport>(&self, transport: &mut T, cap: u64) -> Result<Mended, T::Error> {
        let cap = cap.to_string();
        let arguments: [&[u8]; 1] = [cap.as_bytes()];
        let mut reply =
            Reply::new(self.run(transport, &scripts::MEND, &arguments, Repeat::Safe)?)?;
        Ok(Mended {
            ended: reply.number()? == 1,
            tickets: reply.number()?,
            lost: reply.number()? == 1,
        })
    }

    /// Reads a page of the partitions that have a list, whether in an index or not. Call with cursor 0, then with the cursor of
    /// the last page, until that is 0. Scans all keys of the database.
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
        let (cursor, keys): (u64, Vec<String>) = parse(&reply)?;
        let partitions = keys
            .iter()
            .filter_map(|key| key.strip_prefix(&prefix).map(str::to_owned))
            .collect();
        Ok((cursor, partitions))
    }

    /// Puts partitions that have a list, but are in no index, back into one. `last`: these are the last such partitions.
    /// Returns how many were put back.
    pub fn reindex<T: Transport>(
        &self,
        transport: &mut T,
        partitions: &[String],
        last: bool,
        cap: u64,
    ) -> Result<u64, T::Error> {
        let cap = cap.to_string();
        let last: &[u8] = if last { b"last" } else { b"" };
        let mut arguments: Vec<&[u8]> = vec![cap.as_bytes(), last];
        arguments.extend(partitions.iter().map(String::as_bytes));
        let reply = self.run(transport, &scripts::REINDEX, &arguments, Repeat::Safe)?;
        Ok(Reply::single(reply).number()?)
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
            &[most.to_string().as_bytes()],
            Repeat::Unsafe,
        )?;
        let mut reply = Reply::new(reply)?;
        Ok(RolledBack {
            moved: reply.number()?,
            gone: reply.list()?,
            pending: reply.counts()?,
        })
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
