//! The listening socket: TLS, limits on connections, and timeouts of slow headers.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::connections::CountingAcceptor;
use crate::{StartError, TlsFiles};

/// How long a client may take for the head of a request; also how long an idle connection is kept.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of the head of a request.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The maximum number of header lines.
const MAX_HEADERS: usize = 64;

/// Takes the address, so that a start that fails does so before anything else happens.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    let listener = TcpListener::bind(address).map_err(|why| StartError::Listen { address, why })?;
    listener.set_nonblocking(true).map_err(|why| StartError::Listen { address, why })?;
    Ok(listener)
}

/// Reads the certificate and its key.
pub(crate) fn read_tls(files: &TlsFiles) -> Result<Arc<ServerConfig>, StartError> {
    let error = |path: &std::path::Path, why: String| StartError::Tls { path: path.into(), why };
    let certs: Vec<_> = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect)
        .map_err(|why| error(&files.cert, why.to_string()))?;
    if certs.is_empty() {
        return Err(error(&files.cert, "it has no certificate in PEM format".into()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|why| error(&files.key, why.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| error(&files.cert, why.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certs, key)
        .map_err(|why| error(&files.key, why.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Answers requests until the handle says stop.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    counting: CountingAcceptor,
    router: Router,
    handle: Handle<SocketAddr>,
) -> io::Result<()> {
    let mut server = axum_server::from_tcp(listener)?.handle(handle);
    // HTTP/1.1 only: WebSocket is at home there, and many requests on one connection are no way around a limit.
    *server.http_builder() = Builder::new(TokioExecutor::new()).http1_only();
    let mut builder = server.http_builder().http1();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
    builder.max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    match tls {
        None => server.acceptor(counting).serve(service).await,
        Some(tls) => {
            let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(tls)).acceptor(counting);
            server.acceptor(acceptor).serve(service).await
        }
    }
}
