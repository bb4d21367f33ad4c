//! Converts the settings of Resque's Redis client to the core's.

use std::path::PathBuf;
use std::time::Duration;

use fair_share_core::connection::{Address, Role, Sentinels, Settings, Tls};
use magnus::{value::ReprValue, Error, RHash, Ruby, TryConvert, Value};

/// Reads the Hash that `Resque::FairShare::Connection#settings` returns.
pub(crate) fn read(ruby: &Ruby, hash: RHash) -> Result<Settings, Error> {
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
