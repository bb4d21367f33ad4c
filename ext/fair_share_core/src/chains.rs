//! All chains under one namespace: lists them page by page, and counts them by status.

use redis::Value;

use crate::chain_reply;
use crate::keys::ChainKeys;
use crate::scripts;
use crate::transport::{Repeat, Transport};

/// Holds no connection: each verb is passed its transport.
#[derive(Debug)]
pub struct Chains {
    /// Made with an empty id: only the indexes are used.
    keys: ChainKeys,
}

impl Chains {
    /// `prefix` is Resque's namespace with its colon.
    pub fn new(prefix: &str) -> Self {
        Self {
            keys: ChainKeys::new(prefix, ""),
        }
    }

    pub fn keys(&self) -> &ChainKeys {
        &self.keys
    }

    /// Reads a page of the chains that have one of these statuses. The chain that started last is first.
    pub fn list<T: Transport>(
        &self,
        transport: &mut T,
        statuses: &[String],
        offset: u64,
        limit: u64,
    ) -> Result<Value, T::Error> {
        let (offset, limit) = (offset.to_string(), limit.to_string());
        let mut arguments: Vec<&[u8]> = vec![
            b"",
            b"",
            b"0",
            self.keys.root().as_bytes(),
            offset.as_bytes(),
            limit.as_bytes(),
        ];
        arguments.extend(statuses.iter().map(String::as_bytes));
        let reply = transport.run(
            &scripts::CHAIN_LIST,
            &self.keys.all(),
            &arguments,
            Repeat::Safe,
        )?;
        Ok(chain_reply::list(reply)?)
    }

    /// Counts the chains of each status.
    pub fn count<T: Transport>(&self, transport: &mut T) -> Result<Value, T::Error> {
        let arguments: [&[u8]; 3] = [b"", b"", b"0"];
        let reply = transport.run(
            &scripts::CHAIN_COUNT,
            &self.keys.all(),
            &arguments,
            Repeat::Safe,
        )?;
        Ok(chain_reply::counts(reply)?)
    }
}
