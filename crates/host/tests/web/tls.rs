//! Tests of the host's own TLS.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use nuggets_host::{HostOptions, RunningHost, TlsFiles};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::TestHost;

/// A certificate for `localhost`, valid for a hundred years, for tests only.
const CERT: &str = include_str!("localhost.cert.pem");
const KEY: &str = include_str!("localhost.key.pem");

#[test]
fn pages_come_over_tls_with_secure_cookies() {
    let files = tempfile::tempdir().unwrap();
    let (cert, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
    fs::write(&cert, CERT).unwrap();
    fs::write(&key, KEY).unwrap();
    let host = TestHost::start_with(|options| options.tls = Some(TlsFiles { cert, key }));

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERT.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(host.address()).unwrap());
    stream
        .write_all(b"GET /account HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("set-cookie: __Host-nuggets=") && answer.contains("; Secure"));
}

#[test]
fn a_wrong_certificate_is_named() {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("wrong.pem");
    fs::write(&path, KEY).unwrap();
    let mut options = HostOptions::new(files.path().join("data"));
    options.listen = "127.0.0.1:0".parse().unwrap();
    options.tls = Some(TlsFiles { cert: path.clone(), key: path.clone() });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let error = runtime.block_on(RunningHost::start(options)).unwrap_err().to_string();
    assert!(error.contains("wrong.pem") && error.contains("no certificate"), "{error}");
}
