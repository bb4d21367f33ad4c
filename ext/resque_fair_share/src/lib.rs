//! Ruby bindings of `fair_share_core`. Each function converts, calls the core, converts.

mod bindings;
mod convert;
mod error;
mod ffi;
mod ruby_client;
mod session;

use magnus::{Error, Ruby};

#[magnus::init]
fn init(ruby: &Ruby) -> Result<(), Error> {
    ffi::watch_forks();
    bindings::init(ruby)
}
