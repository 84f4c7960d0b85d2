//! The checked settings of `nuggets serve`.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::DatabaseUrl;

/// The settings of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOptions {
    /// The data folder.
    pub data: PathBuf,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The certificate, if the host speaks TLS itself.
    pub tls: Option<TlsFiles>,
    /// True if a proxy in front sets `X-Forwarded-For`, `-Proto` and `-Host`.
    pub trust_proxy: bool,
    /// The public URL, without a slash at the end, if it differs from `listen`.
    pub public_url: Option<String>,
    /// The maximum number of unfinished games.
    pub max_games: u32,
    /// The maximum number of WebSockets of watchers.
    pub max_watchers: u32,
    /// The maximum number of connections from one source.
    pub max_connections_per_source: u32,
    /// The UDP ports of games, for classic clients.
    pub udp: Option<RangeInclusive<u16>>,
    /// True to rebuild the index from the journals at start.
    pub reindex: bool,
    /// The token of the admin page; `None` for a new one at each start. Hosts that share a database share it.
    pub admin_token: Option<String>,
    /// The database that the host shares with others; `None` to store everything in its data folder.
    pub database: Option<DatabaseOptions>,
}

/// The settings of a host that shares a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// The database.
    pub url: DatabaseUrl,
    /// The name of this node, the same over restarts: letters, digits, `-`, `_` and `.`.
    pub node: String,
    /// The host and port at which other nodes reach this one, optionally with `https://`; the `listen` address if `None`.
    pub advertise: Option<String>,
    /// The authorities that sign the certificates of nodes with `https://`; those of the system if `None`.
    pub node_ca: Option<PathBuf>,
    /// The certificate that this node presents to others, which must then present one, too (mutual TLS); `None` to trust
    /// signatures alone.
    pub node_identity: Option<TlsFiles>,
}

/// PEM files for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by its intermediate certificates.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl HostOptions {
    /// Returns the default settings with this data folder.
    pub fn new(data: PathBuf) -> Self {
        Self {
            data,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tls: None,
            trust_proxy: false,
            public_url: None,
            max_games: 500,
            max_watchers: 10_000,
            max_connections_per_source: 200,
            udp: None,
            reindex: false,
            admin_token: None,
            database: None,
        }
    }
}
