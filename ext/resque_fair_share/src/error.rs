//! The core's errors as Ruby exceptions: Redis's own classes, so that existing rescues work.

use fair_share_core::error::Error;
use fair_share_core::transport::Failure;
use magnus::{prelude::*, ExceptionClass, Ruby};

/// What a call may end in besides a reply.
pub(crate) enum CallError {
    Core(Error),
    /// An exception that is on its way already: an interrupt, or one from Resque's client.
    Ruby(magnus::Error),
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<magnus::Error> for CallError {
    fn from(error: magnus::Error) -> Self {
        Self::Ruby(error)
    }
}

impl Failure for CallError {
    fn as_core(&self) -> Option<&Error> {
        match self {
            Self::Core(error) => Some(error),
            Self::Ruby(_) => None,
        }
    }
}

impl CallError {
    pub(crate) fn into_ruby(self, ruby: &Ruby) -> magnus::Error {
        match self {
            Self::Ruby(error) => error,
            Self::Core(error) => {
                magnus::Error::new(exception_class(ruby, &error), error.to_string())
            }
        }
    }
}

/// The one table of errors; errors.rb says the same in Ruby, and a spec that both agree.
fn exception_class(ruby: &Ruby, error: &Error) -> ExceptionClass {
    let path = match error {
        Error::CannotConnect { .. } => "Redis::CannotConnectError",
        Error::ConnectionLost { .. } => "Redis::ConnectionError",
        Error::Timeout { .. } => "Redis::TimeoutError",
        Error::Command(_) => "Redis::CommandError",
        Error::Protocol(_) => "Resque::FairShare::ProtocolError",
        Error::Argument(_) => "ArgumentError",
    };
    ruby.class_object()
        .funcall("const_get", (path,))
        .unwrap_or_else(|_| ruby.exception_runtime_error())
}
