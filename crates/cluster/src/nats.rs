//! The engine: NATS with JetStream. It carries out what the state machines ask of it, and carries messages between nodes.
//! It decides nothing. JetStream's API is spoken directly: requests are JSON on subjects that begin with `$JS.API`.

mod core_messages;
mod error;
mod leaders;
mod reading;
mod reopening;
mod status;
mod streams;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::client::Request;
use async_nats::{Client, ConnectOptions, Event, HeaderMap, RequestErrorKind, ServerAddr};
use bytes::Bytes;
use serde::Deserialize;
use tracing::{debug, info, warn};

use crate::{EngineCall, EngineReply, Seq, Subject};
pub use core_messages::{CoreMessage, Subscription};
pub use error::NatsError;
pub use reading::{Batch, ReadError};
pub use reopening::ReopenError;
pub use status::{KnownLog, KnownNode, NodeStatus, OwnedLog, ask_status};
pub use streams::{LOG_STREAMS, OWNERSHIP_STREAM, OWNERSHIP_SUBJECTS};

/// On this subject every node answers with its [`NodeStatus`] as JSON.
pub const STATUS_SUBJECT: &str = "nuggets.status";

/// How long a request to the engine may take. The state machines ask again much earlier.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// The first attempt to reach a broker.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Between two attempts to reach a broker again.
const RECONNECT_DELAY: Duration = Duration::from_millis(100);
/// A connection on which the broker answers no pings for two or three of these is replaced.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// Messages that wait for one subscriber, and for the connection: a burst of a busy node.
const CAPACITY: usize = 1 << 16;

/// Where the brokers are, and how to be let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsOptions {
    /// One or more addresses, for example `nats://a:4222`.
    pub urls: Vec<String>,
    /// A file with the credentials of the cluster's account.
    pub creds: Option<PathBuf>,
    /// The certificates of those who sign the brokers' certificates; the system's if none is given.
    pub tls_ca: Option<PathBuf>,
    /// The own certificate and its key, if the brokers ask for one.
    pub tls_identity: Option<(PathBuf, PathBuf)>,
    /// On how many brokers each message is stored.
    pub replicas: usize,
}

impl NatsOptions {
    /// The usual settings: three replicas, no credentials.
    pub fn new(urls: Vec<String>) -> Self {
        Self { urls, creds: None, tls_ca: None, tls_identity: None, replicas: 3 }
    }
}

/// A connection to the brokers. Clones share it.
#[derive(Clone, Debug)]
pub struct Nats {
    client: Client,
}

/// What a broker answers to a publish.
#[derive(Debug, Deserialize)]
struct PublishAnswer {
    seq: Option<u64>,
    error: Option<ApiError>,
}

/// An error of JetStream.
#[derive(Clone, Debug, Default, Deserialize)]
struct ApiError {
    #[serde(default)]
    err_code: u64,
    #[serde(default)]
    description: String,
}

/// "wrong last sequence: N", and the same without a number while another publish is under way.
const WRONG_LAST_SEQUENCE: [u64; 2] = [10_071, 10_164];

impl Nats {
    /// Connects, and checks that the broker is new enough. `name` is shown in the monitoring of the brokers.
    pub async fn connect(options: &NatsOptions, name: &str) -> Result<Self, NatsError> {
        let urls = without_passwords(&options.urls);
        let mut connect = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT_TIMEOUT)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .ping_interval(PING_INTERVAL)
            .subscription_capacity(CAPACITY)
            .client_capacity(CAPACITY)
            .reconnect_delay_callback(|_| RECONNECT_DELAY)
            .event_callback(|event| async move { log_event(&event) });
        if let Some(creds) = &options.creds {
            let read = connect.credentials_file(creds).await;
            connect = read.map_err(|why| NatsError::Creds { path: creds.clone(), why })?;
        }
        if let Some(ca) = &options.tls_ca {
            connect = connect.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some((cert, key)) = &options.tls_identity {
            connect = connect.add_client_certificate(cert.clone(), key.clone()).require_tls(true);
        }
        let mut addresses = Vec::new();
        for url in &options.urls {
            addresses.push(
                url.parse::<ServerAddr>()
                    .map_err(|why| NatsError::Url { url: url.clone(), why })?,
            );
        }
        // Name and password in a URL are for all of them.
        if let Some(address) = addresses.iter().find(|address| address.has_user_pass()) {
            let (user, password) = (address.username(), address.password());
            let user = user.unwrap_or_default().to_owned();
            connect = connect.user_and_password(user, password.unwrap_or_default().to_owned());
        }
        let connected = connect.connect(addresses).await;
        let client = connected.map_err(|why| NatsError::connect(&urls, &why))?;
        if !client.is_server_compatible(2, 11, 0) {
            return Err(NatsError::TooOld { version: client.server_info().version });
        }
        Ok(Self { client })
    }

    /// Carries out a request of a state machine. `None` is silence: it may have been carried out or not.
    pub async fn call(&self, call: EngineCall) -> Option<EngineReply> {
        match call {
            EngineCall::Publish { subject, expected, bytes } => {
                self.publish(&subject, expected, &bytes).await
            }
            EngineCall::Read { subject, after } => {
                let read = self.read(&subject, after).await;
                read.inspect_err(|why| debug!("can't read {subject}: {why}")).ok()
            }
        }
    }

    async fn publish(
        &self,
        subject: &Subject,
        Seq(expected): Seq,
        bytes: &Arc<[u8]>,
    ) -> Option<EngineReply> {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Expected-Stream", streams::name_of(subject));
        headers.insert("Nats-Expected-Last-Subject-Sequence", expected.to_string());
        let payload = Bytes::from_owner(Arc::clone(bytes));
        let request = Request::new().headers(headers).payload(payload);
        let answer = match self.client.send_request(subject.to_string(), request).await {
            Ok(answer) => answer,
            Err(why) => {
                debug!("no answer to a publish: {why}");
                let has_no_leader = why.kind() == RequestErrorKind::NoResponders;
                return has_no_leader.then_some(EngineReply::NoLeader);
            }
        };
        let answer: PublishAnswer = serde_json::from_slice(&answer.payload).ok()?;
        match answer {
            PublishAnswer { error: None, seq: Some(seq) } => Some(EngineReply::Stored(Seq(seq))),
            PublishAnswer { error: Some(error), .. }
                if WRONG_LAST_SEQUENCE.contains(&error.err_code) =>
            {
                Some(EngineReply::WrongSequence)
            }
            PublishAnswer { error, .. } => {
                let ApiError { description, err_code } = error.unwrap_or_default();
                warn!("the broker rejects a publish on {subject}: {description} ({err_code})");
                None
            }
        }
    }
}

/// For messages: a password belongs into no log.
fn without_passwords(urls: &[String]) -> String {
    let shown = |url: &String| match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => url.clone(),
    };
    urls.iter().map(shown).collect::<Vec<_>>().join(",")
}

fn log_event(event: &Event) {
    match event {
        Event::Connected => info!("connected to a broker"),
        Event::Disconnected => warn!("the connection to the broker is lost; trying the others"),
        other => debug!("broker connection: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let urls = ["nats://ann:secret@a:4222", "b:4222", "bob:secret@c"].map(str::to_owned);
        assert_eq!(without_passwords(&urls), "nats://a:4222,b:4222,c");
    }
}
