//! The arguments of `serve`. The file of `--config` has the same names, so it is read into the same structure.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde::Deserialize;
use tracing::level_filters::LevelFilter;

use super::{level, number};

/// Host many games, played in the browser.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// The folder that everything is kept in: games, players, ratings. It is created if it does not
    /// exist [default: nuggets in `$XDG_DATA_HOME` or ~/.local/share]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The address and port to listen on; the address 0.0.0.0 stands for all of this machine
    /// [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = socket_address)]
    pub(crate) listen: Option<SocketAddr>,

    /// Speak TLS with this certificate and its chain, in PEM format
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Believe the headers X-Forwarded-For, -Proto and -Host. Only behind a proxy that sets them: other
    /// clients could lie
    #[arg(long)]
    pub(crate) trust_proxy: bool,

    /// The address that people open, for links and QR codes, for example `https://games.example.org`
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,

    /// Maximum number of games at a time [default: 500]
    #[arg(long, value_name = "N", value_parser = number::<u32>(1..=MAX_LIMIT))]
    pub(crate) max_games: Option<u32>,

    /// Maximum number of watchers at a time [default: 10000]
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=MAX_LIMIT))]
    pub(crate) max_watchers: Option<u32>,

    /// Maximum number of connections of one source: an IPv4 address or an IPv6 network [default: 200]
    #[arg(long, value_name = "N", value_parser = number::<u32>(1..=MAX_LIMIT))]
    pub(crate) max_connections_per_source: Option<u32>,

    /// Give each game a UDP port of this range, for clients of the specification
    #[arg(long, value_name = "FIRST-LAST", value_parser = PortRange::from_str)]
    pub(crate) udp: Option<PortRange>,

    /// Read the token of the admin page from this file. Without it, each start prints a new one
    #[arg(long, value_name = "FILE")]
    pub(crate) admin_token_file: Option<PathBuf>,

    /// Share this PostgreSQL database with other hosts, for example `postgres://nuggets@db/nuggets`: games, players and
    /// ratings are kept there instead of in a folder. To keep a password out of the list of processes, give the address in the
    /// config file or in the environment variable `NUGGETS_DATABASE`
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "reindex"])]
    pub(crate) database: Option<String>,

    /// The name of this host among those that share the database: letters, digits, - and _. It stays the same over restarts
    /// [default: the name of the machine]
    #[arg(long, value_name = "NAME", value_parser = node_name)]
    pub(crate) node: Option<String>,

    /// The address at which the other hosts reach this one, for example 192.0.2.7:8080 or <https://one.example:8443> [default: the address that
    /// it listens on]
    #[arg(long, value_name = "HOST:PORT", value_parser = node_address)]
    pub(crate) advertise: Option<String>,

    /// Trust certificates of other hosts that are signed by one of this PEM file [default: the authorities of the system]
    #[arg(long, value_name = "FILE")]
    pub(crate) node_ca: Option<PathBuf>,

    /// Show this certificate to other hosts, and take their requests only with one that --node-ca has signed (mutual TLS)
    #[arg(long, value_name = "FILE")]
    pub(crate) node_cert: Option<PathBuf>,

    /// The private key of --node-cert
    #[arg(long, value_name = "FILE")]
    pub(crate) node_key: Option<PathBuf>,

    /// Rebuild results and ratings from the journals of all games before starting
    #[arg(long)]
    #[serde(skip)]
    pub(crate) reindex: bool,

    /// Take options from this TOML file: the same names, for example listen = "0.0.0.0:80". The command
    /// line wins
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,

    /// The log level on stderr [default: info]
    #[arg(long, value_name = "LEVEL", value_parser = level())]
    #[serde(deserialize_with = "log_level")]
    pub(crate) log: Option<LevelFilter>,
}

impl ServeArgs {
    /// Checks what the type of a value in a file does not ensure. An error has its key and the reason.
    pub(crate) fn checked(mut self) -> Result<Self, (&'static str, String)> {
        let url = self.public_url.as_deref().map(public_url).transpose();
        self.public_url = url.map_err(|why| ("public-url: ", why.to_owned()))?;
        if self.max_games == Some(0) || self.max_connections_per_source == Some(0) {
            let why = "max-games and max-connections-per-source must be at least 1";
            return Err(("", why.to_owned()));
        }
        Ok(self)
    }
}

const EXAMPLES: &str = "\
Examples:
  nuggets serve                              then open http://127.0.0.1:8080
  nuggets serve --listen 0.0.0.0:8080        for everybody in this network
  nuggets serve --data /srv/nuggets --udp 9000-9099   with ports for other clients
  nuggets serve --config nuggets.toml        options from a file
  nuggets serve --database postgres://nuggets@db/nuggets --node one   one of several hosts";

/// The largest value of any limit.
pub(crate) const MAX_LIMIT: u32 = 1_000_000;

/// UDP ports, both ends included.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub(crate) struct PortRange(pub(crate) RangeInclusive<u16>);

impl FromStr for PortRange {
    type Err = &'static str;

    fn from_str(typed: &str) -> Result<Self, &'static str> {
        let range = typed.split_once('-').and_then(|(first, last)| {
            Some(first.trim().parse::<u16>().ok()?..=last.trim().parse::<u16>().ok()?)
        });
        range
            .filter(|range| *range.start() > 0 && !range.is_empty())
            .map(Self)
            .ok_or("give the first and the last port, for example 9000-9099")
    }
}

impl TryFrom<String> for PortRange {
    type Error = &'static str;

    fn try_from(typed: String) -> Result<Self, &'static str> {
        typed.parse()
    }
}

fn socket_address(typed: &str) -> Result<SocketAddr, &'static str> {
    typed.parse().map_err(|_| "give an IP address and a port, such as 127.0.0.1:8080 or [::]:8080")
}

/// Accepts an address of a host and leaves out the slash at its end.
fn public_url(typed: &str) -> Result<String, &'static str> {
    let url = typed.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_host = |text: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
        !text.is_empty() && text.bytes().all(known)
    };
    host.filter(|host| is_host(host))
        .map(|_| url.to_string())
        .ok_or("give the address without a path, such as https://games.example.org")
}

/// Accepts the name of a node, which stands in logs and pages.
pub(crate) fn node_name(typed: &str) -> Result<String, &'static str> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_good = !typed.is_empty() && typed.len() <= 40 && typed.bytes().all(known);
    is_good.then(|| typed.to_owned()).ok_or("give up to 40 letters, digits, - and _")
}

/// Accepts an address that other nodes connect to.
pub(crate) fn node_address(typed: &str) -> Result<String, &'static str> {
    let address = typed.split_once("://");
    let (scheme, address) = address.unwrap_or(("http", typed));
    let has_port = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    let is_good = ["http", "https"].contains(&scheme)
        && !address.contains(['/', ' '])
        && address.rsplit_once(':').is_some_and(has_port);
    is_good.then(|| typed.to_owned()).ok_or("give a host and a port, such as 192.0.2.7:8080")
}

fn log_level<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Option<LevelFilter>, D::Error> {
    let text = String::deserialize(text)?;
    let level = text.parse().map_err(|_| {
        serde::de::Error::custom("give off, error, warn, info, debug or trace for log")
    })?;
    Ok(Some(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_ports_has_two_ends() {
        assert_eq!("9000-9099".parse(), Ok(PortRange(9000..=9099)));
        assert_eq!("9000-9000".parse(), Ok(PortRange(9000..=9000)));
        for typed in ["", "9000", "9099-9000", "0-5", "a-b", "1-70000", "-", "1-2-3"] {
            assert!(typed.parse::<PortRange>().is_err(), "{typed}");
        }
    }

    #[test]
    fn a_node_has_a_name_and_an_address() {
        assert!(node_name("one").is_ok() && node_name("a.b-c_1").is_ok());
        assert!(["", "a b", "a/b", &"x".repeat(41)].iter().all(|name| node_name(name).is_err()));
        for good in ["192.0.2.7:8080", "https://one.example:443", "[2001:db8::1]:80"] {
            assert!(node_address(good).is_ok(), "{good}");
        }
        for bad in ["one", "one:", ":80", "ftp://one:80", "http://one:80/path", "one:99999"] {
            assert!(node_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_public_address_has_no_path() {
        assert_eq!(public_url("https://a.example/"), Ok("https://a.example".into()));
        assert_eq!(public_url("http://[::1]:80"), Ok("http://[::1]:80".into()));
        for typed in
            ["a.example", "ftp://a", "https://", "https://a/b", "https://a b", "https://a<"]
        {
            assert!(public_url(typed).is_err(), "{typed}");
        }
    }
}
