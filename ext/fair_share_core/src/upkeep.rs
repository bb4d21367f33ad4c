//! Upkeep: brings a queue in line with its lists and leases, and moves jobs between the main list and the partitions.

use crate::queue::Queue;
use crate::reply::{parse, Reply};
use crate::route::{push_routed, weights_of, Routed};
use crate::scripts;
use crate::transport::{Repeat, Transport};

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

/// What a rollback did: no more jobs wait where both together are less than was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    pub moved: u64,
    /// Payloads that 0.1.0 wrote, whose copies in the main list are gone: somebody has taken these jobs already.
    pub gone: Vec<Vec<u8>>,
    /// Encoded partitions that jobs were taken from, and what each has now.
    pub pending: Vec<(String, u64)>,
}

impl Queue {
    /// Routes the payloads at the head of the main list, given in that order, `None` for a ticket. With `rotate` what was
    /// looked at goes to the tail, so that the next call sees the next.
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
        let (cursor, keys): (u64, Vec<String>) = parse(&reply)?;
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
