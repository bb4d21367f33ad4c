//! What Resque writes for a worker's job, whatever queue it is of.

use crate::keys::worker_record;
use crate::transport::{Repeat, Transport};

/// The workers under one namespace.
pub struct Workers {
    prefix: String,
}

impl Workers {
    /// `prefix` is Resque's namespace with its colon (`resque:`), or empty.
    pub fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
        }
    }

    /// A worker starts with a job: its record says so.
    pub fn started<T: Transport>(
        &self,
        transport: &mut T,
        worker_id: &str,
        record: &[u8],
    ) -> Result<(), T::Error> {
        let mut command = redis::cmd("SET");
        command
            .arg(worker_record(&self.prefix, worker_id))
            .arg(record);
        transport.call(&command, Repeat::Safe)?;
        Ok(())
    }

    /// A worker is done: its record goes, and Resque's counters (keys without prefix) grow.
    pub fn done<T: Transport>(
        &self,
        transport: &mut T,
        worker_id: &str,
        counters: &[(String, i64)],
    ) -> Result<(), T::Error> {
        let mut commands = Vec::with_capacity(1 + counters.len());
        let record = worker_record(&self.prefix, worker_id);
        commands.push(redis::cmd("DEL").arg(record).to_owned());
        for (name, by) in counters {
            let counter = format!("{}{name}", self.prefix);
            commands.push(redis::cmd("INCRBY").arg(counter).arg(by).to_owned());
        }
        // Sent again after a lost reply, a job may be counted twice, as by Resque's own client.
        transport.call_all(&commands, Repeat::Safe)?;
        Ok(())
    }
}
