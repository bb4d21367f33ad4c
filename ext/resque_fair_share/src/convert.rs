//! Ruby values to the core's types and back. Everything is copied: another thread may change a String meanwhile.

use std::path::PathBuf;
use std::time::Duration;

use fair_share_core::connection::{Address, Role, Sentinels, Settings, Tls};
use fair_share_core::fair_queue::{Charge, Limits};
use magnus::{value::ReprValue, Error, RArray, RHash, RString, Ruby, Symbol, TryConvert, Value};

/// A String as Resque's client gives them: UTF-8, valid or not.
pub(crate) fn string(ruby: &Ruby, bytes: &[u8]) -> RString {
    ruby.enc_str_new(bytes, ruby.utf8_encoding())
}

pub(crate) fn strings(ruby: &Ruby, list: &[Vec<u8>]) -> Result<RArray, Error> {
    let array = ruby.ary_new();
    for bytes in list {
        array.push(string(ruby, bytes))?;
    }
    Ok(array)
}

/// A reply of Redis as Resque's client gives it.
pub(crate) fn reply(ruby: &Ruby, value: &redis::Value) -> Result<Value, Error> {
    Ok(match value {
        redis::Value::Nil => ruby.qnil().as_value(),
        redis::Value::Int(number) => ruby.integer_from_i64(*number).as_value(),
        redis::Value::BulkString(bytes) => string(ruby, bytes).as_value(),
        redis::Value::SimpleString(text) => string(ruby, text.as_bytes()).as_value(),
        redis::Value::Array(items) => {
            let array = ruby.ary_new_capa(items.len());
            for item in items {
                array.push(reply(ruby, item)?)?;
            }
            array.as_value()
        }
        other => {
            return Err(Error::new(
                ruby.exception_runtime_error(),
                format!("Redis answered {other:?}, which no script of ours does"),
            ))
        }
    })
}

pub(crate) fn limits(ruby: &Ruby, cap: u64, charge: Symbol) -> Result<Limits, Error> {
    let charge = match charge.name()?.as_ref() {
        "time" => Charge::Time,
        "jobs" => Charge::Jobs,
        other => {
            return Err(Error::new(
                ruby.exception_arg_error(),
                format!("charge is :{other}; it must be :time or :jobs"),
            ))
        }
    };
    Ok(Limits { cap, charge })
}

/// The Hash that `Resque::FairShare::Connection#settings` gives.
pub(crate) fn settings(ruby: &Ruby, hash: RHash) -> Result<Settings, Error> {
    let field = Fields { ruby, hash };
    let address = match field.text("path")? {
        Some(path) => Address::Unix {
            path: PathBuf::from(path),
        },
        None => Address::Tcp {
            host: field.text("host")?.unwrap_or_else(|| "localhost".into()),
            port: field.get("port")?.unwrap_or(6379),
        },
    };
    let mut settings = Settings::new(address);
    settings.db = field.get("db")?.unwrap_or(0);
    settings.username = field.text("username")?;
    settings.password = field.text("password")?;
    settings.tls = field.hash("tls")?.map(|hash| tls(ruby, hash)).transpose()?;
    settings.connect_timeout = field.seconds("connect_timeout")?;
    settings.read_timeout = field.seconds("read_timeout")?;
    settings.write_timeout = field.seconds("write_timeout")?;
    settings.sentinels = field
        .hash("sentinels")?
        .map(|hash| sentinels(ruby, hash))
        .transpose()?;
    Ok(settings)
}

fn tls(ruby: &Ruby, hash: RHash) -> Result<Tls, Error> {
    let field = Fields { ruby, hash };
    Ok(Tls {
        verify: field.get("verify")?.unwrap_or(true),
        ca_file: field.text("ca_file")?.map(PathBuf::from),
        ca_path: field.text("ca_path")?.map(PathBuf::from),
        cert: field.text("cert")?.map(String::into_bytes),
        key: field.text("key")?.map(String::into_bytes),
        server_name: field.text("server_name")?,
        ..Tls::default()
    })
}

fn sentinels(ruby: &Ruby, hash: RHash) -> Result<Sentinels, Error> {
    let field = Fields { ruby, hash };
    let role = match field.text("role")?.as_deref() {
        Some("replica" | "slave") => Role::Replica,
        _ => Role::Master,
    };
    Ok(Sentinels {
        master_name: field.text("name")?.unwrap_or_default(),
        role,
        nodes: field.get("nodes")?.unwrap_or_default(),
        username: field.text("username")?,
        password: field.text("password")?,
        tls: field.hash("tls")?.map(|hash| tls(ruby, hash)).transpose()?,
    })
}

struct Fields<'a> {
    ruby: &'a Ruby,
    hash: RHash,
}

impl Fields<'_> {
    fn get<T: TryConvert>(&self, name: &str) -> Result<Option<T>, Error> {
        let value: Value = self.hash.lookup(self.ruby.to_symbol(name))?;
        if value.is_nil() {
            return Ok(None);
        }
        T::try_convert(value).map(Some)
    }

    fn text(&self, name: &str) -> Result<Option<String>, Error> {
        self.get(name)
    }

    fn hash(&self, name: &str) -> Result<Option<RHash>, Error> {
        self.get(name)
    }

    fn seconds(&self, name: &str) -> Result<Option<Duration>, Error> {
        let seconds: Option<f64> = self.get(name)?;
        Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }
}
