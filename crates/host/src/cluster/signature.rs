//! Signatures of requests between nodes. The secret is in the database and never travels. A signature names both process
//! runs, so that it is worth nothing as soon as one of them has ended, and no clock is needed.

use std::fmt;

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;

use super::routes::RunId;
use crate::Source;

const FROM: &str = "x-nuggets-from";
const SOURCE: &str = "x-nuggets-source";
const SCHEME: &str = "x-nuggets-scheme";
const SIGNATURE: &str = "x-nuggets-signature";
const NODE_HEADERS: [&str; 4] = [FROM, SOURCE, SCHEME, SIGNATURE];

/// The secret that only the nodes of a cluster share.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

/// A request that another node has passed on: who sent it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassedOn {
    /// The source of the client.
    pub(crate) source: Source,
    /// True if the client speaks TLS.
    pub(crate) is_https: bool,
}

/// A request claims to be from a node, and is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum NotFromNode {
    /// The signature is wrong, or made for another process.
    #[error(
        "this request claims to be from another node of this cluster, but its signature is wrong or for another process"
    )]
    Signature,
    /// Mutual TLS is required.
    #[error(
        "this request is signed by a node of this cluster, but came without a certificate of --node-ca: give all nodes --node-cert"
    )]
    Certificate,
}

/// Everything that a signature is about.
struct Signed<'a> {
    method: &'a Method,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    source: &'a str,
    scheme: &'a str,
    from: RunId,
    to: RunId,
}

impl Secret {
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Adds the headers of a request from one run to another. `Host` must be set.
    pub(crate) fn sign(
        &self,
        parts: (&Method, &Uri, &mut HeaderMap),
        client: PassedOn,
        from: RunId,
        to: RunId,
    ) {
        let (method, uri, headers) = parts;
        let source = client.source.to_string();
        let scheme = if client.is_https { "https" } else { "http" };
        let signed = Signed { method, uri, headers, source: &source, scheme, from, to };
        let signature = self.of(&signed);
        let values = [from.0.to_string(), source, scheme.to_owned(), signature];
        for (name, value) in NODE_HEADERS.into_iter().zip(values) {
            headers.insert(name, HeaderValue::try_from(value).expect("it is plain ASCII"));
        }
    }

    /// Checks a request to `me`, and removes the headers of nodes from it, even if a client has set them. None if a client sent it.
    pub(crate) fn check(
        &self,
        parts: &mut Parts,
        me: RunId,
        is_alive: impl FnOnce(RunId) -> bool,
    ) -> Result<Option<PassedOn>, NotFromNode> {
        let [from, source, scheme, given] = NODE_HEADERS.map(|name| parts.headers.remove(name));
        let Some(given) = given else { return Ok(None) };
        let text = |value: Option<HeaderValue>| {
            value.as_ref().and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let read = || {
            let from = RunId(text(from)?.parse().ok()?);
            let (source, scheme) = (text(source)?, text(scheme)?);
            let signed = Signed {
                method: &parts.method,
                uri: &parts.uri,
                headers: &parts.headers,
                source: &source,
                scheme: &scheme,
                from,
                to: me,
            };
            let right = self.of(&signed);
            let is_right: bool = right.as_bytes().ct_eq(given.as_bytes()).into();
            let client = PassedOn { source: source.parse().ok()?, is_https: scheme == "https" };
            (is_right && is_alive(from)).then_some(client)
        };
        read().map(Some).ok_or(NotFromNode::Signature)
    }

    fn of(&self, signed: &Signed<'_>) -> String {
        let path = signed.uri.path_and_query().map_or("", |path| path.as_str());
        let host = signed.headers.get(header::HOST).map_or(&b""[..], HeaderValue::as_bytes);
        let (from, to) = (signed.from.0.to_string(), signed.to.0.to_string());
        let parts = [signed.method.as_str(), path, signed.source, signed.scheme, &from, &to];
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length is a key");
        for part in parts {
            // No part can have a line break.
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        mac.update(host);
        format!("{:x}", Bytes::copy_from_slice(&mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    const ME: RunId = RunId(2);

    fn client() -> PassedOn {
        PassedOn { source: Source::of([192, 0, 2, 9].into()), is_https: true }
    }

    fn signed(secret: &Secret) -> Parts {
        let request = Request::post("/g/abcdefghjkmn/ws?watch").header("host", "games.example");
        let mut parts = request.body(()).unwrap().into_parts().0;
        secret.sign((&parts.method, &parts.uri, &mut parts.headers), client(), RunId(1), ME);
        parts
    }

    #[test]
    fn a_request_of_a_living_node_names_the_client_and_keeps_no_header_of_nodes() {
        let secret = Secret::new([7; 32]);
        let mut parts = signed(&secret);
        assert_eq!(secret.check(&mut parts, ME, |run| run == RunId(1)), Ok(Some(client())));
        assert_eq!(parts.headers.len(), 1);
    }

    #[test]
    fn every_change_and_every_other_process_makes_it_worthless() {
        let secret = Secret::new([7; 32]);
        let check = |change: fn(&mut Parts), to, alive: bool| {
            let mut parts = signed(&secret);
            change(&mut parts);
            secret.check(&mut parts, to, |_| alive)
        };
        assert_eq!(check(|_| (), ME, true), Ok(Some(client())));
        assert_eq!(check(|_| (), ME, false), Err(NotFromNode::Signature));
        assert_eq!(check(|_| (), RunId(3), true), Err(NotFromNode::Signature));
        let changes: [fn(&mut Parts); 8] = [
            |parts| parts.method = Method::GET,
            |parts| parts.uri = Uri::from_static("/g/abcdefghjkmn/ws"),
            |parts| drop(parts.headers.insert("host", HeaderValue::from_static("evil.example"))),
            |parts| drop(parts.headers.insert(SOURCE, HeaderValue::from_static("192.0.2.8"))),
            |parts| drop(parts.headers.insert(SCHEME, HeaderValue::from_static("http"))),
            |parts| drop(parts.headers.insert(FROM, HeaderValue::from_static("4"))),
            |parts| drop(parts.headers.insert(SIGNATURE, HeaderValue::from_static(""))),
            |parts| drop(parts.headers.remove(FROM)),
        ];
        for change in changes {
            assert_eq!(check(change, ME, true), Err(NotFromNode::Signature));
        }
        assert_eq!(
            Secret::new([8; 32]).check(&mut signed(&secret), ME, |_| true),
            Err(NotFromNode::Signature)
        );
    }

    #[test]
    fn a_client_that_names_another_source_is_a_client() {
        let mut parts = signed(&Secret::new([7; 32]));
        parts.headers.remove(SIGNATURE);
        assert_eq!(Secret::new([7; 32]).check(&mut parts, ME, |_| true), Ok(None));
        assert_eq!(parts.headers.len(), 1);
    }
}
