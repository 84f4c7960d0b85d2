//! A WebSocket that its task reads and any thread may write: new lines of a stream are sent by the thread that published
//! them, without waking another one. Output that can't be written immediately is left to the task of the connection.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};

use axum::Error;
use axum::extract::ws::{Message, WebSocket};
use futures_util::{SinkExt, StreamExt};
use tokio::runtime::Handle;
use tokio::time::{Sleep, timeout};

use super::wire_limits::WRITE_TIMEOUT;
use crate::StreamReader;
use crate::locks::lock;
use crate::stream_handle::Subscription;
use crate::web::SiteState;
use crate::wire::DirectLine;

/// A connection that several threads write to.
pub(super) struct SharedSocket {
    app: SiteState,
    /// The runtime for timers of the connection, which any thread may start.
    runtime: Handle,
    state: Mutex<State>,
}

struct State {
    socket: WebSocket,
    reading: Option<OpenStream>,
    /// Wakes the task of the connection.
    waker: Waker,
    /// True if the last message is not completely written. The task continues when the client has read some of it.
    is_writing: bool,
    /// The timeout of the current write.
    stall: Option<Pin<Box<Sleep>>>,
    has_failed: bool,
}

/// The stream that the connection sends.
struct OpenStream {
    reader: StreamReader,
    _subscription: Subscription,
}

impl fmt::Debug for SharedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSocket").finish_non_exhaustive()
    }
}

impl SharedSocket {
    /// Wraps a connection that sends no stream yet. Must be called within the runtime.
    pub(super) fn new(app: SiteState, socket: WebSocket) -> Arc<Self> {
        let state = State {
            socket,
            reading: None,
            waker: Waker::noop().clone(),
            is_writing: false,
            stall: None,
            has_failed: false,
        };
        Arc::new(Self { app, runtime: Handle::current(), state: Mutex::new(state) })
    }

    /// Sends this stream from now on. The next `recv` sends the lines that are available already.
    pub(super) fn start_reading(self: &Arc<Self>, reader: StreamReader) {
        let socket = Arc::downgrade(self);
        let listener = move || {
            if let Some(socket) = socket.upgrade() {
                socket.send_news();
            }
        };
        let subscription = self.app.service.workers.listen(&reader, Arc::new(listener));
        lock(&self.state).reading = Some(OpenStream { reader, _subscription: subscription });
    }

    /// Stops sending the stream.
    pub(super) fn stop_reading(&self) {
        lock(&self.state).reading = None;
    }

    /// Makes the next line of the stream a whole picture.
    pub(super) fn restart(&self) {
        if let Some(reading) = &mut lock(&self.state).reading {
            reading.reader.restart();
        }
    }

    /// Waits for the next message of the client and sends new lines meanwhile; `None` if the client is gone, or has not read
    /// for too long.
    pub(super) async fn recv(&self) -> Option<Result<Message, Error>> {
        poll_fn(|cx| {
            let mut state = lock(&self.state);
            state.keep_waker(cx);
            if ready!(state.poll_news(cx, &self.app)).is_err() {
                return Poll::Ready(None);
            }
            state.socket.poll_next_unpin(cx)
        })
        .await
    }

    /// Sends a line that is not part of the stream (see `send`).
    pub(super) async fn send_line(&self, line: &DirectLine) -> Option<()> {
        self.send(Message::text(serde_json::to_string(line).ok()?)).await
    }

    /// Sends a message that is not part of the stream; `None` if the client is gone or reads too slowly. It may reconnect.
    pub(super) async fn send(&self, message: Message) -> Option<()> {
        let mut message = Some(message);
        let sent = poll_fn(|cx| {
            let mut state = lock(&self.state);
            state.keep_waker(cx);
            loop {
                ready!(state.poll_written(cx))?;
                match message.take() {
                    Some(message) => state.start_write(message, &self.app)?,
                    None => return Poll::Ready(Ok::<_, Error>(())),
                }
            }
        });
        timeout(WRITE_TIMEOUT, sent).await.ok()?.ok()
    }

    /// Sends new lines, as far as they can be written without waiting.
    fn send_news(&self) {
        let mut state = lock(&self.state);
        // The task of the connection has to finish its message first, and reads new lines afterwards.
        if state.is_writing || state.has_failed {
            return;
        }
        let waker = std::mem::replace(&mut state.waker, Waker::noop().clone());
        // A task of the runtime has its timers already; most keys are handled by one.
        let _timers = tokio::task::try_id().is_none().then(|| self.runtime.enter());
        // If not everything can be written, the task is woken when the socket is writable again, or by the timeout.
        let sent = state.poll_news(&mut Context::from_waker(&waker), &self.app);
        if let Poll::Ready(Err(ConnectionLost)) = sent {
            // The task closes the connection.
            waker.wake_by_ref();
        }
        state.waker = waker;
    }
}

/// The error of a connection that can't be written any more.
struct ConnectionLost;

impl State {
    fn keep_waker(&mut self, cx: &Context<'_>) {
        if !self.waker.will_wake(cx.waker()) {
            self.waker.clone_from(cx.waker());
        }
    }

    /// Returns ready when all new lines are written.
    fn poll_news(
        &mut self,
        cx: &mut Context<'_>,
        app: &SiteState,
    ) -> Poll<Result<(), ConnectionLost>> {
        while !self.has_failed {
            match self.poll_written(cx) {
                Poll::Ready(Ok(())) => self.stall = None,
                Poll::Ready(Err(_)) => break,
                Poll::Pending => {
                    let sleep = || Box::pin(tokio::time::sleep(WRITE_TIMEOUT));
                    ready!(self.stall.get_or_insert_with(sleep).as_mut().poll(cx));
                    break;
                }
            }
            let Some(text) = self.reading.as_mut().and_then(|reading| reading.reader.read()) else {
                return Poll::Ready(Ok(()));
            };
            self.has_failed = self.start_write(Message::Text(text), app).is_err();
        }
        self.has_failed = true;
        Poll::Ready(Err(ConnectionLost))
    }

    /// Returns ready when the last message is written.
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.is_writing {
            ready!(self.socket.poll_flush_unpin(cx))?;
            self.is_writing = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Starts writing a message. The previous one must be written.
    fn start_write(&mut self, message: Message, app: &SiteState) -> Result<(), Error> {
        if let Message::Text(text) = &message {
            app.metrics.frames.inc();
            app.metrics.bytes.inc_by(text.len() as u64);
        }
        self.is_writing = true;
        self.socket.start_send_unpin(message)
    }
}
