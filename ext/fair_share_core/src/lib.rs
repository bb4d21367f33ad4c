#![forbid(unsafe_code)]

pub mod connection;
pub mod error;
pub mod fair_queue;
pub mod json;
pub mod keys;
pub mod lease;
pub mod partition;
pub mod payload;
pub mod pool;
pub mod ruby_float;
pub mod scripts;
pub mod transport;
