//! The core's errors as Ruby exceptions: Redis's own classes, so that existing rescues work.

use fair_share_core::error::Error;
use fair_share_core::transport::Failure;
use magnus::error::IntoError;
use magnus::{prelude::*, ExceptionClass, Ruby};

/// The end of a verb that has no reply. Verbs return it as it is: magnus turns it into an exception by `IntoError`.
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

impl IntoError for CallError {
    fn into_error(self, ruby: &Ruby) -> magnus::Error {
        match self {
            Self::Ruby(error) => error,
            Self::Core(error) => exception(ruby, &error).unwrap_or_else(|interrupt| interrupt),
        }
    }
}

/// Built here and not by magnus at the raise: building it runs Ruby, where an interrupt (a Timeout's throw, a kill, a trap
/// handler) may come between, and magnus aborts the process then. Here it comes back as an error and goes its way.
fn exception(ruby: &Ruby, error: &Error) -> Result<magnus::Error, magnus::Error> {
    let exception: magnus::Exception =
        exception_class(ruby, error)?.new_instance((message(error),))?;
    Ok(exception.into())
}

fn message(error: &Error) -> String {
    match error {
        Error::Command(text) if text.starts_with("CROSSSLOT") => format!(
            "{text}; on Redis Cluster Resque's namespace needs a hash tag, so that all its keys share a slot: \
             Resque.redis.namespace = '{{resque}}'"
        ),
        other => other.to_string(),
    }
}

/// The one table of errors; errors.rb says the same in words, and a spec that it is exact. Redis's subclasses are not in
/// every version of its client, so each has a second name.
fn exception_class(ruby: &Ruby, error: &Error) -> Result<ExceptionClass, magnus::Error> {
    let (path, otherwise) = match error {
        Error::CannotConnect { .. } => ("Redis::CannotConnectError", "Redis::BaseConnectionError"),
        Error::ConnectionLost { .. } => ("Redis::ConnectionError", "Redis::BaseConnectionError"),
        Error::Timeout { .. } => ("Redis::TimeoutError", "Redis::BaseConnectionError"),
        Error::Command(text) => (command_error(text), "Redis::CommandError"),
        Error::Protocol(_) => ("Resque::FairShare::ProtocolError", "StandardError"),
        Error::Argument(_) => ("ArgumentError", "StandardError"),
    };
    let find = |path| ruby.class_object().funcall("const_get", (path,));
    match find(path) {
        Err(error) if error.is_kind_of(ruby.exception_name_error()) => find(otherwise),
        found => found,
    }
}

/// As redis-rb 5 sorts the server's errors, by their first word.
fn command_error(text: &str) -> &'static str {
    match text.split(' ').next() {
        Some("WRONGPASS") => "Redis::CannotConnectError",
        Some("NOPERM") => "Redis::PermissionError",
        Some("WRONGTYPE") => "Redis::WrongTypeError",
        Some("OOM") => "Redis::OutOfMemoryError",
        Some("READONLY") => "Redis::ReadOnlyError",
        _ => "Redis::CommandError",
    }
}
