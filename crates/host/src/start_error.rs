//! The errors that prevent a host from starting.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

use crate::{StoreError, TlsFileError};

/// The reason why a host can't start, with advice in the message.
#[derive(Debug, Error)]
pub enum StartError {
    /// The host can't listen on the address.
    #[error("can't listen on {address} ({why}): {}", advice_for_listening(why))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        why: io::Error,
    },
    /// A certificate or a key can't be used.
    #[error(
        "{0}. --tls-cert and --node-cert need the certificate with its chain, --tls-key and --node-key its private \
         key, and --node-ca the certificate of an authority, all in PEM format"
    )]
    Tls(TlsFileError),
    /// The store can't be opened.
    #[error("{0}{advice}", advice = advice_for_store(.0))]
    Store(StoreError),
    /// Other nodes can't reach this one.
    #[error(
        "other nodes can't reach this one at the address that it listens on. Say with --advertise at which host and port they \
         can, for example --advertise 192.0.2.7:8080"
    )]
    NoAddress,
    /// The system refuses threads or a signal handler.
    #[error("can't start the web server: {0}")]
    Runtime(io::Error),
}

// The store error is not the `source()` of this one, because the message contains it already.
impl From<StoreError> for StartError {
    fn from(why: StoreError) -> Self {
        Self::Store(why)
    }
}

impl From<TlsFileError> for StartError {
    fn from(why: TlsFileError) -> Self {
        Self::Tls(why)
    }
}

fn advice_for_store(why: &StoreError) -> &'static str {
    if why.is_about_database() { "" } else { ". The folder is chosen with --data" }
}

fn advice_for_listening(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::AddrInUse => {
            "another program has that port, maybe another `nuggets serve`. Stop it, or choose another \
             port with --listen"
        }
        io::ErrorKind::AddrNotAvailable => {
            "this machine does not have that address. Choose another with --listen; 0.0.0.0 means all \
             addresses of this machine"
        }
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 are reserved. Choose a higher one with --listen, or put a proxy in front"
        }
        _ => "check --listen",
    }
}
