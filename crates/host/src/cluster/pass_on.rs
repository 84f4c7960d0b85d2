//! Passing a request on to the node that runs its game: signed, over a pooled connection, with everything kept that the
//! client sent. A WebSocket is a stream of bytes after its upgrade; nothing of it is read here.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::InvalidHeaderValue;
use axum::http::uri::PathAndQuery;
use axum::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header,
};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::neighbours::Neighbours;
use super::routes::{Member, RemoteGame};
use super::signature::PassedOn;
use crate::{Source, tls};

/// A node that does not take a connection within this time is gone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for the owner to send the head of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for the upgrade of a WebSocket: its client tries again.
pub(super) const UPGRADE_TIMEOUT: Duration = Duration::from_secs(3);
/// Shorter than a node keeps an idle connection, so that none is used that it is about to close.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a client that wait for the owner.
const MAX_WAITING_BYTES: usize = 16 << 10;
/// Time for a client to read the last bytes of an owner that has ended.
const LAST_READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Says that a node did not handle a request because it is not meant for it.
pub(crate) const NOT_HANDLED: HeaderName = HeaderName::from_static("x-nuggets-not-handled");

/// A connection to other nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeClient(Client<HttpsConnector<HttpConnector>, Body>);

/// Why a request could not be passed on.
#[derive(Debug, Error)]
pub(crate) enum PassOnError {
    /// It was not handled: the node is not the owner any more, is another process, or takes no connection.
    #[error("the node {0} does not run this game any more")]
    NotOwner(String),
    /// It can't be reached, or the connection broke.
    #[error("the node {node} does not answer: {why}")]
    Failed {
        /// Its name.
        node: String,
        /// The error of the connection.
        why: String,
    },
}

/// A request as it can be passed on more than once.
#[derive(Clone, Debug)]
pub(crate) struct ClientRequest {
    pub(crate) method: Method,
    pub(crate) path: PathAndQuery,
    /// As the client sent them, with the `Host` that it asked for.
    pub(crate) headers: HeaderMap,
    pub(crate) client: PassedOn,
}

impl Default for NodeClient {
    /// Trusts no certificate.
    fn default() -> Self {
        Self::new(tls::client_config(RootCertStore::empty(), None).expect("it reads no file"))
    }
}

impl NodeClient {
    /// Reaches nodes whose address begins with `https://` with these settings.
    pub(crate) fn new(tls: ClientConfig) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_TIMEOUT);
        Self(builder.build(connector.enable_http1().wrap_connector(http)))
    }
}

impl Neighbours {
    /// Passes a request on to the owner of its game. `client` is the client's side, if it can become a WebSocket.
    pub(crate) async fn pass_on(
        self: &Arc<Self>,
        owner: &RemoteGame,
        request: ClientRequest,
        body: Body,
        client: &mut Extensions,
    ) -> Result<Response, PassOnError> {
        let member = &owner.member;
        let is_upgrade = request.headers.contains_key(header::UPGRADE);
        let limit = if is_upgrade { UPGRADE_TIMEOUT } else { ANSWER_TIMEOUT };
        let answer = tokio::select! {
            answer = timeout(limit, self.ask(member, request, body)) => answer,
            () = self.superseded(owner) => return Err(member.failed(&"it lost the game")),
        };
        let mut answer = answer.map_err(|_| member.failed(&"it takes too long"))??;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            remove_hop_by_hop(answer.headers_mut());
        } else if let Some(client) = client.remove::<OnUpgrade>() {
            let upstream = hyper::upgrade::on(&mut answer);
            tokio::spawn(Arc::clone(self).join(owner.clone(), client, upstream));
        }
        Ok(answer)
    }

    /// Calls a node on behalf of this one.
    pub(crate) async fn call(&self, member: &Member, path: &str) -> Result<(), PassOnError> {
        let request = ClientRequest::of_node(member, Method::POST, path, [])?;
        let answer = self.ask(member, request, Body::empty()).await?;
        if answer.status().is_success() { Ok(()) } else { Err(member.failed(&answer.status())) }
    }

    /// Sends a signed request to a node. The head of its answer comes back.
    pub(crate) async fn ask(
        &self,
        member: &Member,
        request: ClientRequest,
        body: Body,
    ) -> Result<Response, PassOnError> {
        let ClientRequest { method, path, mut headers, client } = request;
        let uri = Uri::builder().scheme(member.scheme()).authority(member.authority());
        let uri = uri.path_and_query(path).build().map_err(|why| member.failed(&why))?;
        let upgrade = headers.get(header::UPGRADE).cloned();
        remove_hop_by_hop(&mut headers);
        if let Some(upgrade) = upgrade {
            headers.insert(header::UPGRADE, upgrade);
            headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        }
        self.secret.sign((&method, &uri, &mut headers), client, self.me().run, member.run);
        let mut request = Request::new(body);
        (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) =
            (method, uri, headers);
        let answer = self.client.0.request(request).await.map_err(|why| {
            let is_gone = why.is_connect();
            if is_gone { PassOnError::NotOwner(member.name.clone()) } else { member.failed(&why) }
        })?;
        if answer.headers().contains_key(NOT_HANDLED) {
            return Err(PassOnError::NotOwner(member.name.clone()));
        }
        Ok(answer.map(Body::new))
    }

    /// Joins both sides of a WebSocket until one ends, or the owner is one no longer.
    async fn join(self: Arc<Self>, owner: RemoteGame, client: OnUpgrade, upstream: OnUpgrade) {
        let (Ok(client), Ok(upstream)) = tokio::join!(client, upstream) else { return };
        tokio::select! {
            _ = exchange(client, upstream) => {}
            () = self.superseded(&owner) => {}
        }
    }
}

impl ClientRequest {
    /// A request to a node on behalf of this one. Its source is the address of no client.
    pub(super) fn of_node<const N: usize>(
        member: &Member,
        method: Method,
        path: &str,
        headers: [(HeaderName, &str); N],
    ) -> Result<Self, PassOnError> {
        let headers = headers.into_iter().chain([(header::HOST, member.authority())]);
        let valid = |(name, text)| Ok((name, HeaderValue::try_from(text)?));
        let headers = headers.map(valid).collect::<Result<HeaderMap, InvalidHeaderValue>>();
        Ok(Self {
            method,
            path: PathAndQuery::try_from(path).map_err(|why| member.failed(&why))?,
            headers: headers.map_err(|why| member.failed(&why))?,
            client: PassedOn { source: Source::of([0, 0, 0, 0].into()), is_https: false },
        })
    }
}

impl Member {
    pub(super) fn failed(&self, why: &dyn std::fmt::Display) -> PassOnError {
        PassOnError::Failed { node: self.name.clone(), why: why.to_string() }
    }
}

/// Moves bytes in both directions until either side ends: then both end at once.
async fn exchange(client: Upgraded, upstream: Upgraded) -> io::Result<()> {
    let (mut from_client, mut to_client) = tokio::io::split(TokioIo::new(client));
    let (mut from_owner, to_owner) = tokio::io::split(TokioIo::new(upstream));
    tokio::select! {
        ended = send_keys(&mut from_client, to_owner) => return ended,
        ended = tokio::io::copy(&mut from_owner, &mut to_client) => drop(ended?),
    }
    // A connection that is closed with unread bytes loses the last ones that it was sent.
    to_client.shutdown().await?;
    let mut sink = tokio::io::sink();
    timeout(LAST_READ_TIMEOUT, tokio::io::copy(&mut from_client, &mut sink)).await??;
    Ok(())
}

/// Sends what a client sends. If it ends while the owner takes nothing, the rest is dropped.
async fn send_keys(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut waiting: Vec<u8> = Vec::new();
    let mut is_flushed = true;
    let mut part = [0; 4096];
    loop {
        tokio::select! {
            read = from.read(&mut part), if waiting.len() < MAX_WAITING_BYTES => match read? {
                0 => return Ok(()),
                count => {
                    waiting.extend_from_slice(&part[..count]);
                    is_flushed = false;
                }
            },
            written = write_or_flush(&mut to, &waiting), if !is_flushed => {
                let written = written?;
                is_flushed = waiting.is_empty();
                waiting.drain(..written);
            }
        }
    }
}

async fn write_or_flush(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() { to.flush().await.map(|()| 0) } else { to.write(bytes).await }
}

/// Removes the headers that are about one connection only.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let usual = [
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    for name in named.iter().map(String::as_str).chain(usual) {
        headers.remove(name);
    }
}
