//! Counts TCP connections, in total and per source, and rejects those over the limit.

use std::collections::BTreeMap;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready as ready_or_return};
use std::time::Duration;

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::Source;
use crate::cluster::neighbours::Neighbours;
use crate::locks::lock;

/// Maximum time of a blocked write: a client that reads nothing for longer is gone or malicious.
const MAX_STALL: Duration = Duration::from_secs(30);

/// The number of open connections, in total and per source.
#[derive(Debug)]
pub(crate) struct Connections {
    per_source: Mutex<BTreeMap<Source, u32>>,
    max_total: u64,
    max_per_source: u32,
    open: AtomicU64,
    rejected: AtomicU64,
}

impl Connections {
    /// Creates a counter without connections. Behind a proxy all connections have the same source, so `max_per_source` must
    /// be large there.
    pub(crate) fn new(max_total: u64, max_per_source: u32) -> Arc<Self> {
        Arc::new(Self {
            per_source: Mutex::default(),
            max_total,
            max_per_source,
            open: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
        })
    }

    pub(crate) fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// Returns the number of connections that were rejected since the start.
    pub(crate) fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// Counts a connection of this source; `None` if it exceeds a limit. A node has no limit per source, since it carries
    /// clients of many sources.
    pub(crate) fn admit(self: &Arc<Self>, source: Source, is_node: bool) -> Option<Admitted> {
        let mut per_source = lock(&self.per_source);
        let count = per_source.get(&source).copied().unwrap_or(0);
        if (count >= self.max_per_source && !is_node) || self.open() >= self.max_total {
            self.rejected.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        per_source.insert(source, count + 1);
        self.open.fetch_add(1, Ordering::Relaxed);
        Some(Admitted { connections: Arc::clone(self), source })
    }

    fn release(&self, source: Source) {
        let mut per_source = lock(&self.per_source);
        if let Some(count) = per_source.get_mut(&source) {
            *count -= 1;
            if *count == 0 {
                per_source.remove(&source);
            }
        }
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A counted connection; dropping it makes room for another.
#[derive(Debug)]
pub(crate) struct Admitted {
    connections: Arc<Connections>,
    source: Source,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.connections.release(self.source);
    }
}

/// Accepts connections within the limits.
#[derive(Clone, Debug)]
pub(crate) struct CountingAcceptor {
    connections: Arc<Connections>,
    neighbours: Option<Arc<Neighbours>>,
}

impl CountingAcceptor {
    /// Creates an acceptor. It applies no limit per source to machines of other nodes: the limits of their clients are applied
    /// to the WebSockets and requests that they pass on.
    pub(super) fn new(connections: Arc<Connections>, neighbours: Option<Arc<Neighbours>>) -> Self {
        Self { connections, neighbours }
    }

    fn admit(&self, stream: TcpStream) -> io::Result<CountedStream> {
        stream.set_nodelay(true)?;
        let ip = stream.peer_addr()?.ip();
        let is_node = self.neighbours.as_ref().is_some_and(|nodes| nodes.is_neighbour(ip));
        match self.connections.admit(Source::of(ip), is_node) {
            Some(admitted) => Ok(CountedStream { stream, stall: None, _admitted: admitted }),
            None => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

impl<S> Accept<TcpStream, S> for CountingAcceptor {
    type Stream = CountedStream;
    type Service = S;
    type Future = Ready<io::Result<(CountedStream, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        ready(self.admit(stream).map(|stream| (stream, service)))
    }
}

/// A connection that is counted as long as it is open, even after its upgrade to a WebSocket.
#[derive(Debug)]
pub(crate) struct CountedStream {
    stream: TcpStream,
    /// The timeout of a blocked write; `None` while the client reads.
    stall: Option<Pin<Box<Sleep>>>,
    _admitted: Admitted,
}

impl CountedStream {
    /// Fails a write that was blocked for longer than [`MAX_STALL`].
    fn limit_stall<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep(MAX_STALL)));
        ready_or_return!(stall.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.limit_stall(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.limit_stall(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_and_all_of_them_have_a_limit() {
        let connections = Connections::new(3, 2);
        let one = Source::of([10, 0, 0, 1].into());
        let other = Source::of([10, 0, 0, 2].into());
        let first = connections.admit(one, false).unwrap();
        let _second = connections.admit(one, false).unwrap();
        assert!(connections.admit(one, false).is_none());
        let _third = connections.admit(other, false).unwrap();
        assert!(connections.admit(other, false).is_none(), "three in total");
        drop(first);
        assert!(connections.admit(other, false).is_some());
        assert_eq!((connections.open(), connections.rejected()), (2, 2));
    }
}
