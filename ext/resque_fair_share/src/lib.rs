//! Ruby bindings of `fair_share_core`.

mod bindings;
mod connection;
mod convert;
mod error;
mod ffi;
mod ruby_client;
mod settings;

use magnus::{Error, Ruby};

#[magnus::init]
fn init(ruby: &Ruby) -> Result<(), Error> {
    ffi::watch_forks();
    bindings::init(ruby)
}
