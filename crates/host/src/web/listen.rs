//! The listening socket: TLS, limits on connections, and timeouts for slow headers.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::accept::Accept;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tower_http::add_extension::AddExtension;

use super::connections::{CountedStream, CountingAcceptor};
use crate::StartError;
use crate::cluster::neighbours::ShownCertificate;

/// Timeout for the head of a request; also the idle timeout of a connection.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of the head of a request.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The maximum number of header lines.
const MAX_HEADERS: usize = 64;

/// Binds the address. Called first, so that a failing start has no other effects.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    let listener = TcpListener::bind(address).map_err(|why| StartError::Listen { address, why })?;
    listener.set_nonblocking(true).map_err(|why| StartError::Listen { address, why })?;
    Ok(listener)
}

/// Serves requests until the handle stops it.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    counting: CountingAcceptor,
    router: Router,
    handle: Handle<SocketAddr>,
) -> io::Result<()> {
    let mut server = axum_server::from_tcp(listener)?.handle(handle);
    // HTTP/1.1 only: WebSockets need nothing else, and many requests on one connection can't bypass a limit.
    *server.http_builder() = Builder::new(TokioExecutor::new()).http1_only();
    let mut builder = server.http_builder().http1();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
    builder.max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    match tls {
        None => server.acceptor(counting).serve(service).await,
        Some(tls) => {
            let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(tls)).acceptor(counting);
            server.acceptor(NodeAcceptor(acceptor)).serve(service).await
        }
    }
}

/// Records with every request of a connection whether its client has presented the certificate of a node.
#[derive(Clone)]
struct NodeAcceptor(RustlsAcceptor<CountingAcceptor>);

impl<S: Send + 'static> Accept<TcpStream, S> for NodeAcceptor {
    type Stream = TlsStream<CountedStream>;
    type Service = AddExtension<S, ShownCertificate>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let accepted = self.0.accept(stream, service);
        Box::pin(async move {
            let (stream, service) = accepted.await?;
            let shown = ShownCertificate(stream.get_ref().1.peer_certificates().is_some());
            Ok((stream, AddExtension::new(service, shown)))
        })
    }
}
