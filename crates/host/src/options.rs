//! What the person who hosts chooses: the checked settings of `nuggets serve`.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::DatabaseUrl;

/// The settings of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOptions {
    /// The folder that everything is kept in.
    pub data: PathBuf,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The certificate, if the host speaks TLS itself.
    pub tls: Option<TlsFiles>,
    /// Whether a proxy in front sets `X-Forwarded-For`, `-Proto` and `-Host`.
    pub trust_proxy: bool,
    /// The address that people open, without a slash at the end; if it differs from `listen`.
    pub public_url: Option<String>,
    /// The maximum number of unfinished games.
    pub max_games: u32,
    /// The maximum number of WebSockets of people who watch.
    pub max_watchers: u32,
    /// The maximum number of connections of one source.
    pub max_connections_per_source: u32,
    /// The classic ports of games.
    pub udp: Option<RangeInclusive<u16>>,
    /// Whether to rebuild the index from the journals at start.
    pub reindex: bool,
    /// The token of the admin page; a new one each start if none. Hosts that share a database share it.
    pub admin_token: Option<String>,
    /// The database that it shares with other hosts; none for a folder of its own.
    pub database: Option<DatabaseOptions>,
}

/// The settings of a host that shares a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// The database.
    pub url: DatabaseUrl,
    /// The name of this node, the same over restarts: letters, digits, `-`, `_` and `.`.
    pub node: String,
    /// Host and port that other nodes reach, perhaps with `https://` before it; the address that it listens on if none.
    pub advertise: Option<String>,
    /// Authorities that sign the certificates of nodes with `https://`; those of the system if none.
    pub node_ca: Option<PathBuf>,
    /// The certificate that this node shows to others, which must show one, too (mutual TLS); none to trust signatures alone.
    pub node_identity: Option<TlsFiles>,
}

/// PEM files for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those that lead to a root.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl HostOptions {
    /// The usual settings with a folder.
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
