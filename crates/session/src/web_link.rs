//! The link to a game on a web host: a thread with a WebSocket that reconnects by itself. The session uses classic
//! messages, which [`translation`] converts to lines and back.

mod connection;
#[cfg(test)]
mod tests;
mod translation;

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nuggets_protocol::web::ClientLine;
use nuggets_time::{Clock, Timestamp};
use rustix::event::{PollFd, PollFlags};
use tracing::{debug, info, warn};

use crate::{GameUrl, Link, Listener};
use connection::{ConnectError, WebConnection, WebEvent, wait};
use translation::{Ending, Translation};

/// The pause before the first reconnect, and the longest pause before a later one.
const FIRST_PAUSE_MS: u64 = 250;
const MAX_PAUSE_MS: u64 = 2_000;
/// Tries to join at a host that reports that it can't serve the game at the moment.
const MAX_FIRST_TRIES: u32 = 8;
/// Close codes for a host that restarts or a game that is moving to another node.
const COME_BACK_CODES: [u16; 2] = [1012, 1013];
/// Limits on the silence of a host.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// After this much silence we send a ping.
    ping_after_ms: u64,
    /// After this much silence the connection counts as broken: the network may have changed, or the host may hang.
    lost_after_ms: u64,
}
const PLAYING: Patience = Patience { ping_after_ms: 2_000, lost_after_ms: 5_000 };
const WATCHING: Patience = Patience { ping_after_ms: 10_000, lost_after_ms: 25_000 };
/// Servers accept 50 lines per second and client, and bursts of 100. We stay below that by delaying the lines of a
/// fast bot.
const LINE_PERIOD_MS: u64 = 25;
const MAX_LINE_BURST: u64 = 50;
/// Maximum time that dropping a link waits for its last lines to be sent.
const MAX_FAREWELL: Duration = Duration::from_secs(1);

/// A link to a game on a web host.
pub(crate) struct WebLink {
    outgoing: Sender<Vec<u8>>,
    waker: UnixStream,
    incoming: Arc<Mutex<Receiver<io::Result<Vec<u8>>>>>,
    flags: Arc<LinkState>,
    /// Disconnected once the thread has ended.
    ended: Receiver<()>,
    buffer: Vec<u8>,
}

/// The state that the link and its thread share besides the messages.
#[derive(Debug, Default)]
struct LinkState {
    /// The connection is broken, and the thread is trying to reconnect.
    connection_lost: AtomicBool,
    /// The game has not started yet.
    start_awaited: AtomicBool,
    /// The link was dropped.
    link_dropped: AtomicBool,
}

impl WebLink {
    /// Opens a link that connects in the background.
    pub(crate) fn open(url: GameUrl) -> io::Result<Self> {
        let (waker, woken) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        let (outgoing, to_send) = channel();
        let (received, incoming) = channel();
        let (alive, ended) = channel();
        let flags = Arc::new(LinkState::default());
        let worker = LinkThread {
            url,
            translation: Translation::for_client(client_id()?),
            to_send,
            woken,
            received,
            flags: Arc::clone(&flags),
            clock: Clock::start(),
            next_line_at: Timestamp(0),
        };
        thread::Builder::new().name("web link".into()).spawn(move || {
            worker.run();
            drop(alive);
        })?;
        let incoming = Arc::new(Mutex::new(incoming));
        Ok(Self { outgoing, waker, incoming, flags, ended, buffer: Vec::new() })
    }

    fn wake(&self) {
        // A full pipe wakes the thread as well.
        let _ = (&self.waker).write(&[0]);
    }
}

impl Link for WebLink {
    /// While the connection is broken, drops the message and returns an error. After the link has ended for good,
    /// drops the message without an error: the reason is waiting in the queue of received messages, and an error here
    /// would reach the session first.
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        if self.flags.connection_lost.load(Ordering::SeqCst) {
            return Err(lost());
        }
        if self.outgoing.send(bytes.to_vec()).is_ok() {
            self.wake();
        }
        Ok(())
    }

    fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>> {
        let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
        match incoming.recv_timeout(within) {
            Ok(received) => self.buffer = received?,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(within);
                return Ok(None);
            }
        }
        Ok(Some(&self.buffer))
    }

    fn listener(&self) -> Listener {
        let incoming = Arc::clone(&self.incoming);
        Box::new(move |pass_on| {
            let incoming = incoming.lock().unwrap_or_else(PoisonError::into_inner);
            while let Ok(received) = incoming.recv()
                && pass_on(received)
            {}
        })
    }

    /// The thread has already tried all addresses.
    fn fall_back(&mut self, why: io::Error) -> io::Result<()> {
        Err(why)
    }

    fn is_error_final(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool {
        self.flags.start_awaited.load(Ordering::SeqCst)
    }
}

impl Drop for WebLink {
    /// Lets the thread send the remaining lines, but waits only briefly.
    fn drop(&mut self) {
        self.flags.link_dropped.store(true, Ordering::SeqCst);
        self.wake();
        let _ = self.ended.recv_timeout(MAX_FAREWELL);
    }
}

/// Returns a random number that every JSON parser reads without loss.
fn client_id() -> io::Result<u64> {
    let number = getrandom::u64().map_err(|why| io::Error::other(why.to_string()))?;
    Ok(number >> 11)
}

/// The error for a lost connection. It looks like a closed port: the session shows that the server is silent, and
/// bots give up after a while.
fn lost() -> io::Error {
    io::Error::new(ErrorKind::ConnectionRefused, "the connection to the host is lost")
}

/// A connection has ended, with this close code unless it broke.
struct Closed(Option<u16>);

/// The state of the thread.
struct LinkThread {
    url: GameUrl,
    translation: Translation,
    to_send: Receiver<Vec<u8>>,
    woken: UnixStream,
    received: Sender<io::Result<Vec<u8>>>,
    flags: Arc<LinkState>,
    clock: Clock,
    /// Earliest time for the next line.
    next_line_at: Timestamp,
}

impl LinkThread {
    fn run(mut self) {
        let mut tries = 0;
        loop {
            match WebConnection::open(&self.url) {
                Ok(connection) => {
                    if self.serve(connection, tries) == Ending::Final {
                        return;
                    }
                    if self.is_connected() {
                        tries = 0;
                    }
                }
                Err(why) => {
                    if self.handle_connect_error(why, tries) == Ending::Final {
                        return;
                    }
                }
            }
            if self.translation.is_seated() {
                self.flags.connection_lost.store(true, Ordering::SeqCst);
                if self.received.send(Err(lost())).is_err() {
                    return;
                }
            }
            if self.pause(tries) == Ending::Final {
                return;
            }
            tries += 1;
        }
    }

    /// True if the host has accepted us since the connection was last lost.
    fn is_connected(&self) -> bool {
        self.translation.is_seated() && !self.flags.connection_lost.load(Ordering::SeqCst)
    }

    /// Serves one connection until it ends.
    fn serve(&mut self, mut connection: WebConnection, tries: u32) -> Ending {
        debug!(url = %self.url, "connected");
        self.translation.handle_connected();
        let mut heard_at = self.clock.now();
        let mut pinged_at = heard_at;
        loop {
            // Read before the last lines are taken, so that none of them is left unsent.
            let is_dropped = self.is_dropped();
            let code = match self.exchange(&mut connection, &mut heard_at) {
                Err(Closed(code)) => code,
                Ok(()) if is_dropped || self.translation.has_ended() => {
                    connection.close();
                    return Ending::Final;
                }
                Ok(()) => match self.wait(&mut connection, heard_at, &mut pinged_at) {
                    Ok(()) => continue,
                    Err(why) => {
                        debug!("the connection broke: {why}");
                        None
                    }
                },
            };
            let ending = self.translation.handle_closed(code);
            self.pass_messages();
            info!(code, "the connection has ended");
            let is_busy = code.is_some_and(|code| COME_BACK_CODES.contains(&code));
            let may_retry = is_busy && tries < MAX_FIRST_TRIES;
            if ending == Ending::Reconnect && !self.translation.is_seated() && !may_retry {
                let why = self.translation.last_error().unwrap_or("the host closed the connection");
                let _ = self.received.send(Err(io::Error::other(why.to_owned())));
                return Ending::Final;
            }
            return ending;
        }
    }

    /// Sends and receives everything that is ready. Returns an error if the connection has ended.
    fn exchange(
        &mut self,
        connection: &mut WebConnection,
        heard_at: &mut Timestamp,
    ) -> Result<(), Closed> {
        self.take_outgoing();
        while let Some(line) = self.poll_line() {
            connection.send(line).map_err(|_| Closed(None))?;
        }
        while let Some(received) = connection.receive() {
            *heard_at = self.clock.now();
            match received {
                WebEvent::Text(text) => {
                    if let Err(why) = self.translation.handle_text(&text) {
                        warn!("{why}");
                    }
                    if self.translation.is_seated() {
                        self.flags.connection_lost.store(false, Ordering::SeqCst);
                    }
                    self.pass_messages();
                }
                WebEvent::Other => {}
                WebEvent::Closed(code) => return Err(Closed(code)),
            }
        }
        self.pass_messages();
        Ok(())
    }

    /// Returns the next line for the server, unless the rate limit delays it.
    fn poll_line(&mut self) -> Option<String> {
        let now = self.clock.now();
        if self.next_line_at > now && !self.is_dropped() {
            return None;
        }
        let line = self.translation.poll_line()?;
        let burst_ago = Timestamp(now.0.saturating_sub(MAX_LINE_BURST * LINE_PERIOD_MS));
        self.next_line_at = self.next_line_at.max(burst_ago).after(LINE_PERIOD_MS);
        Some(line)
    }

    /// Waits for the server or the session. Sends a ping after some silence.
    fn wait(
        &mut self,
        connection: &mut WebConnection,
        heard_at: Timestamp,
        pinged_at: &mut Timestamp,
    ) -> io::Result<()> {
        let now = self.clock.now();
        let patience = if self.translation.is_playing() { PLAYING } else { WATCHING };
        let lost_at = heard_at.after(patience.lost_after_ms);
        if now >= lost_at {
            return Err(ErrorKind::TimedOut.into());
        }
        let ping_at = heard_at.max(*pinged_at).after(patience.ping_after_ms);
        if now >= ping_at {
            let line = serde_json::to_string(&ClientLine::Ping(now.0));
            connection.send(line.map_err(io::Error::other)?)?;
            *pinged_at = now;
        }
        let mut until = ping_at.min(lost_at);
        if self.translation.has_lines() {
            until = until.min(self.next_line_at);
        }
        let until = until.max(now.after(1));
        connection.wait(self.woken.as_fd(), Duration::from_millis(until.since(now)))
    }

    fn handle_connect_error(&mut self, why: ConnectError, tries: u32) -> Ending {
        debug!("not connected: {why}");
        if !self.translation.is_seated() && why.is_busy() && tries < MAX_FIRST_TRIES {
            return Ending::Reconnect;
        }
        if !self.translation.is_seated() {
            let _ = self.received.send(Err(why.into_io()));
            return Ending::Final;
        }
        if why.is_final() {
            self.translation.end(&why.to_string());
            self.pass_messages();
            return Ending::Final;
        }
        Ending::Reconnect
    }

    /// Waits before the next try. Messages that the session sends meanwhile are dropped.
    fn pause(&mut self, tries: u32) -> Ending {
        let pause_ms = FIRST_PAUSE_MS.saturating_mul(1 << tries.min(10)).min(MAX_PAUSE_MS);
        let until = self.clock.now().after(pause_ms);
        while self.clock.now() < until {
            let within = Duration::from_millis(until.since(self.clock.now()));
            let woken = PollFd::new(&self.woken, PollFlags::IN);
            if wait(&mut [woken], within).is_err() {
                return Ending::Final;
            }
            if self.is_dropped() {
                return Ending::Final;
            }
            self.take_outgoing();
        }
        Ending::Reconnect
    }

    /// Passes the session's messages to the translation.
    fn take_outgoing(&mut self) {
        let ready = PollFd::new(&self.woken, PollFlags::IN);
        let mut ready = [ready];
        if wait(&mut ready, Duration::ZERO).is_ok() && !ready[0].revents().is_empty() {
            let _ = self.woken.read(&mut [0; 256]);
        }
        while let Ok(message) = self.to_send.try_recv() {
            self.translation.handle_classic(&message);
        }
    }

    fn pass_messages(&mut self) {
        self.flags.start_awaited.store(self.translation.is_waiting(), Ordering::SeqCst);
        while let Some(message) = self.translation.poll_message() {
            // Fails only if the link was dropped, when there is no receiver left.
            let _ = self.received.send(Ok(message));
        }
    }

    fn is_dropped(&self) -> bool {
        self.flags.link_dropped.load(Ordering::SeqCst)
    }
}
