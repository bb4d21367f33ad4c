//! What Resque writes when a worker starts and ends a job, of any queue.

use redis::Cmd;

use crate::keys::worker_record;
use crate::transport::{words, Repeat, Transport};

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

    /// Writes the record of a worker that starts with a job.
    pub fn started<T: Transport>(
        &self,
        transport: &mut T,
        worker_id: &str,
        record: &[u8],
    ) -> Result<(), T::Error> {
        let key = worker_record(&self.prefix, worker_id);
        let command = [b"SET", key.as_bytes(), record];
        transport.call(&words(command.into_iter()), Repeat::Safe)?;
        Ok(())
    }

    /// Ends a worker's job: deletes the worker's record, and increases Resque's counters (keys without prefix).
    pub fn done<T: Transport>(
        &self,
        transport: &mut T,
        worker_id: &str,
        counters: &[(String, i64)],
    ) -> Result<(), T::Error> {
        let mut commands = Vec::with_capacity(1 + counters.len());
        let record = worker_record(&self.prefix, worker_id);
        commands.push(command(["DEL", &record]));
        for (name, by) in counters {
            let counter = [self.prefix.as_str(), name].concat();
            commands.push(command(["INCRBY", &counter, &by.to_string()]));
        }
        // A repeat after a lost reply may count a job twice. So may Resque's own client.
        transport.call_all(&commands, Repeat::Safe)?;
        Ok(())
    }
}

fn command<const COUNT: usize>(texts: [&str; COUNT]) -> Cmd {
    words(texts.into_iter().map(str::as_bytes))
}
