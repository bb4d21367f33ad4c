#![forbid(unsafe_code)]

pub mod backlog;
pub mod chain;
mod chain_reply;
pub mod chains;
pub mod connection;
pub mod control;
pub mod error;
mod json;
pub mod keys;
pub mod lease;
pub mod lease_ids;
pub mod leases;
pub mod partition;
pub mod partition_id;
pub mod payload;
pub mod pool;
pub mod queue;
mod reply;
pub mod route;
mod ruby_float;
pub mod scripts;
pub mod step_job;
pub mod transport;
pub mod turns;
mod unanswered;
pub mod upkeep;
pub mod workers;
