//! The address of the database: a URL as in PostgreSQL's own programs, with several hosts and settings for TLS. The
//! password is never printed.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::tls::{self, Tls};
use crate::TlsFileError;

/// The default port of PostgreSQL.
const DEFAULT_PORT: u16 = 5432;

/// A URL such as `postgres://user:password@host1,host2/database?sslmode=verify-full`. The password can also be in the
/// environment variable `PGPASSWORD`.
///
/// ```
/// let url: nuggets_host::DatabaseUrl = "postgres://ann:secret@db1:5433,db2/games".parse()?;
/// assert_eq!(url.to_string(), "postgres://ann@db1:5433,db2:5432/games");
/// # Ok::<(), nuggets_host::BadDatabaseUrl>(())
/// ```
#[derive(Clone)]
pub struct DatabaseUrl {
    /// The URL with the password.
    text: String,
    config: Box<Config>,
    tls: Tls,
}

/// The reason why a text is not the URL of a database.
#[derive(Debug, Error)]
pub enum BadDatabaseUrl {
    /// It has another scheme.
    #[error(
        "the URL of the database must begin with postgres://, as in postgres://user@host/database"
    )]
    NotPostgres,
    /// It can't be parsed.
    #[error("the URL of the database can't be read: {0}")]
    Unreadable(String),
    /// It names no host.
    #[error("the URL of the database names no host, as in postgres://user@host/database")]
    NoHost,
    /// The value of `sslmode` is unknown.
    #[error("sslmode={0} is not known: use disable, prefer, require or verify-full")]
    SslMode(String),
    /// `sslmode=verify-ca` is not supported, because it does not check the name of the host.
    #[error(
        "sslmode=verify-ca is not supported: use verify-full, which also checks the name of the host"
    )]
    VerifyCa,
    /// It has a root certificate that would not be used.
    #[error("sslrootcert has no effect without sslmode=verify-full: add that")]
    UnusedRoot,
    /// The root certificate can't be read.
    #[error("sslrootcert: {0}")]
    Root(#[from] TlsFileError),
    /// TLS can't be configured.
    #[error("TLS to the database can't be set up: {0}")]
    Tls(String),
}

impl DatabaseUrl {
    /// Returns the number of hosts.
    pub(super) fn hosts(&self) -> usize {
        self.config.get_hosts().len()
    }

    /// Returns a host with its port.
    pub(super) fn host_name(&self, host: usize) -> String {
        let port = self.port_of(host);
        match &self.config.get_hosts()[host] {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}:{port}", path.display()),
        }
    }

    /// Returns the connection settings for one host, which must accept writes.
    pub(super) fn config_of(&self, host: usize) -> Config {
        let all = &self.config;
        let mut config = Config::new();
        match &all.get_hosts()[host] {
            Host::Tcp(name) => config.host(name),
            #[cfg(unix)]
            Host::Unix(path) => config.host_path(path),
        };
        all.get_hostaddrs().get(host).map(|address| config.hostaddr(*address));
        all.get_user().map(|user| config.user(user));
        all.get_password().map(|password| config.password(password));
        all.get_dbname().map(|name| config.dbname(name));
        all.get_options().map(|options| config.options(options));
        config.application_name(all.get_application_name().unwrap_or("nuggets"));
        config.port(self.port_of(host)).ssl_mode(self.tls.mode());
        config.channel_binding(all.get_channel_binding());
        config.keepalives_idle(Duration::from_secs(10));
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        config
    }

    pub(super) fn tls(&self) -> Tls {
        self.tls.clone()
    }

    fn port_of(&self, host: usize) -> u16 {
        let ports = self.config.get_ports();
        ports.get(host).or(ports.first()).copied().unwrap_or(DEFAULT_PORT)
    }
}

impl FromStr for DatabaseUrl {
    type Err = BadDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, BadDatabaseUrl> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(BadDatabaseUrl::NotPostgres);
        }
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        // The library supports neither verify-full nor root certificates.
        let (ours, theirs): (Vec<&str>, Vec<&str>) = query
            .split('&')
            .filter(|part| !part.is_empty())
            .partition(|part| part.starts_with("sslmode=") || part.starts_with("sslrootcert="));
        let value = |name: &str| {
            let part = ours.iter().find_map(|part| part.strip_prefix(name));
            part.map(|value| percent_decode_str(value).decode_utf8_lossy().into_owned())
        };
        let tls =
            tls_of(value("sslmode=").as_deref(), value("sslrootcert=").as_deref().map(Path::new))?;
        let unreadable =
            |why: tokio_postgres::Error| BadDatabaseUrl::Unreadable(super::describe(&why));
        let mut config: Config =
            format!("{place}?{}", theirs.join("&")).parse().map_err(unreadable)?;
        if config.get_hosts().is_empty() {
            return Err(BadDatabaseUrl::NoHost);
        }
        if let (None, Ok(password)) = (config.get_password(), std::env::var("PGPASSWORD")) {
            config.password(password);
        }
        Ok(Self { text: text.to_owned(), config: Box::new(config), tls })
    }
}

fn tls_of(mode: Option<&str>, root: Option<&Path>) -> Result<Tls, BadDatabaseUrl> {
    let unverified = |mode| match &root {
        Some(_) => Err(BadDatabaseUrl::UnusedRoot),
        None => tls::unverified(mode),
    };
    match mode {
        Some("disable") => unverified(SslMode::Disable),
        None | Some("prefer") => unverified(SslMode::Prefer),
        Some("require") => unverified(SslMode::Require),
        Some("verify-full") => tls::verified(root),
        Some("verify-ca") => Err(BadDatabaseUrl::VerifyCa),
        Some(other) => Err(BadDatabaseUrl::SslMode(other.to_owned())),
    }
}

impl PartialEq for DatabaseUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for DatabaseUrl {}

impl fmt::Display for DatabaseUrl {
    /// Formats the URL without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = (0..self.hosts()).map(|host| self.host_name(host)).collect();
        let user = self.config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
        let database = self.config.get_dbname().unwrap_or_default();
        write!(f, "postgres://{user}{}/{database}", hosts.join(","))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}
