//! One WebSocket to a host: TCP, TLS and handshake, and waiting for the socket and the session at the same time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use thiserror::Error;
use tungstenite::handshake::HandshakeError;
use tungstenite::http::Response;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::{GameUrl, ResolveError, resolve};

/// Timeout for connecting to one address, and for each answer during the handshakes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// More than any burst of lines needs.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Maximum length of a host's explanation, in characters.
const MAX_EXPLANATION_CHARS: usize = 200;

/// The reason why there is no connection.
#[derive(Debug, Error)]
pub(crate) enum ConnectError {
    /// The host's name can't be resolved.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// No address answers.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The host's certificate is not trusted.
    #[error(
        "no trust in the certificate of {host}: {why}. If the certificate is your own, name its file in the \
         environment variable SSL_CERT_FILE; it must be the certificate of a server (CA:FALSE), not of a CA"
    )]
    Certificate {
        /// The host.
        host: String,
        /// The error in the certificate.
        why: String,
    },
    /// The host replied with a page instead of a WebSocket.
    #[error("{words}")]
    Http {
        /// The HTTP status.
        status: u16,
        /// The explanation for the player.
        words: String,
    },
    /// The program that answers is not a web host.
    #[error("what answers there is no host of Nuggets games ({0})")]
    Protocol(String),
}

impl ConnectError {
    /// True if trying again can't help.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Self::Http { status: 400..=428 | 430..=499, .. })
    }

    /// True if the host can't serve the game at the moment.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Http { status: 503, .. })
    }

    /// Converts to an I/O error for the session, which recognizes a closed port by its kind.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Io(why) => why,
            other => io::Error::other(other.to_string()),
        }
    }
}

/// An open WebSocket. Reads and writes don't block.
pub(crate) struct WebConnection {
    socket: WebSocket<Stream>,
    /// True if some data has not been written yet.
    has_backlog: bool,
}

/// An event on a connection.
#[derive(Debug)]
pub(crate) enum WebEvent {
    /// A text message.
    Text(String),
    /// A ping or another sign of life.
    Other,
    /// The connection has ended, with this close code unless it broke.
    Closed(Option<u16>),
}

/// TCP, optionally with TLS.
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl WebConnection {
    /// Connects; blocks for a few seconds at most.
    pub(crate) fn open(url: &GameUrl) -> Result<Self, ConnectError> {
        let tcp = connect(url)?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(CONNECT_TIMEOUT))?;
        tcp.set_write_timeout(Some(CONNECT_TIMEOUT))?;
        let stream = if url.is_secure() { encrypt(url, tcp)? } else { Stream::Plain(tcp) };
        let config = WebSocketConfig::default()
            .read_buffer_size(16 << 10)
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let shaken =
            tungstenite::client::client_with_config(url.socket_url(), stream, Some(config));
        let (socket, _) = shaken.map_err(|why| handshake_error(url, why))?;
        socket.get_ref().tcp().set_nonblocking(true)?;
        Ok(Self { socket, has_backlog: false })
    }

    /// Sends a line as a text message.
    pub(crate) fn send(&mut self, line: String) -> io::Result<()> {
        let sent = self.socket.send(Message::text(line));
        self.note_written(sent)
    }

    /// Returns the next event, if any. Call it until it returns `None`.
    pub(crate) fn receive(&mut self) -> Option<WebEvent> {
        let received = match self.socket.read() {
            Ok(Message::Text(text)) => WebEvent::Text(text.as_str().to_owned()),
            Ok(Message::Close(frame)) => {
                let _ = self.socket.flush();
                // A close frame without a code means a normal closure.
                WebEvent::Closed(Some(frame.map_or(1000, |frame| frame.code.into())))
            }
            Ok(_) => WebEvent::Other,
            Err(tungstenite::Error::Io(why)) if why.kind() == ErrorKind::WouldBlock => {
                // Sends the replies to pings.
                let flushed = self.socket.flush();
                return self.note_written(flushed).err().map(|_| WebEvent::Closed(None));
            }
            Err(tungstenite::Error::Io(why)) if why.kind() == ErrorKind::Interrupted => {
                WebEvent::Other
            }
            Err(_) => WebEvent::Closed(None),
        };
        Some(received)
    }

    /// Waits until data may have arrived, the other descriptor is readable, or the time is over.
    pub(crate) fn wait(&self, other: BorrowedFd<'_>, within: Duration) -> io::Result<()> {
        let mut wanted = PollFlags::IN;
        wanted.set(PollFlags::OUT, self.has_backlog);
        let tcp = self.socket.get_ref().tcp();
        let tcp = PollFd::new(tcp, wanted);
        wait(&mut [tcp, PollFd::from_borrowed_fd(other, PollFlags::IN)], within)
    }

    /// Sends a close frame without waiting for the reply.
    pub(crate) fn close(mut self) {
        let tcp = self.socket.get_ref().tcp();
        let _ = tcp.set_nonblocking(false);
        let _ = tcp.set_write_timeout(Some(Duration::from_millis(500)));
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }

    fn note_written(&mut self, result: tungstenite::Result<()>) -> io::Result<()> {
        self.has_backlog = false;
        match result {
            Ok(()) => Ok(()),
            Err(tungstenite::Error::Io(why)) if why.kind() == ErrorKind::WouldBlock => {
                self.has_backlog = true;
                Ok(())
            }
            Err(tungstenite::Error::Io(why)) => Err(why),
            Err(why) => Err(io::Error::other(why)),
        }
    }
}

/// Waits until one of these descriptors is ready or the time is over.
pub(crate) fn wait(descriptors: &mut [PollFd<'_>], within: Duration) -> io::Result<()> {
    let within = Timespec {
        tv_sec: i64::try_from(within.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: within.subsec_nanos().into(),
    };
    match poll(descriptors, Some(&within)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(why) => Err(why.into()),
    }
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(tcp) => tcp,
            Self::Tls(tls) => &tls.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(buffer),
            Self::Tls(tls) => tls.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}

impl AsFd for WebConnection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.get_ref().tcp().as_fd()
    }
}

/// Connects to the first address that answers. Reports a closed port rather than a missing route, because it says
/// more.
fn connect(url: &GameUrl) -> Result<TcpStream, ConnectError> {
    let mut first: io::Error = ErrorKind::AddrNotAvailable.into();
    for address in resolve(url.host(), url.port())? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(tcp) => return Ok(tcp),
            Err(why) if first.kind() != ErrorKind::ConnectionRefused => first = why,
            Err(_) => {}
        }
    }
    Err(first.into())
}

fn encrypt(url: &GameUrl, mut tcp: TcpStream) -> Result<Stream, ConnectError> {
    let untrusted = |why: String| ConnectError::Certificate { host: url.host().to_owned(), why };
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(untrusted("this machine has no certificates of authorities".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| untrusted(why.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name =
        ServerName::try_from(url.host().to_owned()).map_err(|why| untrusted(why.to_string()))?;
    let mut tls =
        ClientConnection::new(Arc::new(config), name).map_err(|why| untrusted(why.to_string()))?;
    while tls.is_handshaking() {
        tls.complete_io(&mut tcp).map_err(|why| match why.get_ref() {
            Some(inner) if inner.is::<rustls::Error>() => tls_error(url, inner.to_string()),
            _ => ConnectError::Io(why),
        })?;
    }
    Ok(Stream::Tls(Box::new(StreamOwned::new(tls, tcp))))
}

fn tls_error(url: &GameUrl, why: String) -> ConnectError {
    if why.contains("certificate") {
        ConnectError::Certificate { host: url.host().to_owned(), why }
    } else {
        ConnectError::Protocol(format!("{why}; is it http:// instead of https://?"))
    }
}

fn handshake_error<S>(url: &GameUrl, why: HandshakeError<S>) -> ConnectError
where
    S: tungstenite::handshake::HandshakeRole,
{
    match why {
        HandshakeError::Interrupted(_) => io::Error::from(ErrorKind::TimedOut).into(),
        HandshakeError::Failure(tungstenite::Error::Io(why)) => why.into(),
        HandshakeError::Failure(tungstenite::Error::Http(response)) => rejected(url, &response),
        HandshakeError::Failure(why) => ConnectError::Protocol(why.to_string()),
    }
}

fn rejected(url: &GameUrl, response: &Response<Option<Vec<u8>>>) -> ConnectError {
    let status = response.status().as_u16();
    if status == 404 {
        return ConnectError::Http {
            status,
            words: format!("there is no game at {url}: check the link"),
        };
    }
    let body = String::from_utf8_lossy(response.body().as_deref().unwrap_or_default());
    let shown = |c: &char| *c == ' ' || c.is_ascii_graphic();
    let line = body.lines().next().unwrap_or_default();
    let line: String = line.chars().filter(shown).take(MAX_EXPLANATION_CHARS).collect();
    let words = format!("{url} answers {} {line}", response.status()).trim_end().to_owned();
    ConnectError::Http { status, words }
}
