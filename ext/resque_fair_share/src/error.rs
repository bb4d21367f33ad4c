//! Converts the core's errors to Ruby exceptions. Uses the classes of the redis gem, so that existing rescues work.

use fair_share_core::error::Error;
use fair_share_core::transport::Failure;
use magnus::error::IntoError;
use magnus::{prelude::*, ExceptionClass, Ruby};

/// The error of a verb. Bound methods return it, and magnus turns it into an exception by `IntoError`.
pub(crate) enum CallError {
    Core(Error),
    /// An exception that Ruby has raised already: an interrupt, or an error of Resque's client.
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

/// Builds the exception here and not in magnus when it raises: building it runs Ruby code, which an interrupt (a Timeout's
/// throw, a kill, a trap handler) may end, and then magnus aborts the process. Here the interrupt is returned as the error.
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
        // The answer to a long command without a login. Redis says NOAUTH only to short ones.
        Error::Command(text) if text.contains("unauthenticated") => format!(
            "NOAUTH Authentication required: this Redis has a password, and Resque's client was given none; set it, say \
             Resque.redis = Redis.new(password: ...) (Redis said: {text})"
        ),
        other => other.to_string(),
    }
}

/// The table of errors. errors.rb describes it, and a spec checks that both agree. Not every version of the redis gem has all
/// classes, so each has a fallback.
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

/// Chooses the class by the first word of the server's error, as redis-rb 5 does.
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
