#![forbid(unsafe_code)]

pub mod backlog;
pub mod chain;
pub mod connection;
pub mod control;
pub mod error;
pub mod fair_queue;
mod json;
pub mod keys;
pub mod lease;
pub mod partition;
pub mod payload;
pub mod pool;
mod reply;
mod ruby_float;
pub mod scripts;
pub mod transport;
pub mod workers;
