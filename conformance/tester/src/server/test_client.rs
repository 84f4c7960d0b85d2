//! A client at the level of datagrams: one address that talks to the server.

mod expectations;
mod inbox;
mod received;

pub(crate) use inbox::Inbox;
use inbox::{Datagram, MAX_READ};
pub(crate) use received::{ReceivedDatagram, ReceivedGold, brief, brief_raw, has_word};

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};

use super::idle::{BusyLimit, Observer};
use super::picture::ShownMap;
use super::timeouts::Timeouts;
use super::tracking::ExpectedDisplay;
use crate::loss::Loss;
use crate::{CheckFailure, Clock, ExchangeKind, Transcript, Verdict};

/// The polling interval for a busy server.
const BUSY_INTERVAL: Duration = Duration::from_millis(25);
/// The time of sleep after which a server does not count as busy.
const ASLEEP: Duration = Duration::from_millis(100);
/// The number of messages listed in a failure.
const MAX_DESCRIBED: usize = 8;
/// The number of unread answers added to the transcript.
const MAX_LATE: usize = 8;

/// One address, and everything that it has received.
#[derive(Debug)]
pub(crate) struct TestClient {
    /// The name in reports.
    pub(crate) name: String,
    /// Rows and columns of the server's map.
    size: (u16, u16),
    /// The socket, shared with the combined view of all players.
    pub(crate) inbox: Arc<Inbox>,
    observer: Arc<Observer>,
    network: TestNetwork,
    loss: Loss,
    /// Everything that has arrived.
    pub(crate) received: Vec<ReceivedDatagram>,
    /// The index of the first message that no check has read.
    next: usize,
    /// The time of the last message, until an answer arrives.
    unanswered_since: Option<Duration>,
    /// The letter in the server's `OK`.
    pub(crate) letter: Option<char>,
    /// The view that it must have, if it is tracked.
    pub(crate) view: Option<ExpectedDisplay>,
}

/// The context that all clients of a test run share.
#[derive(Clone, Debug)]
pub(crate) struct TestNetwork {
    pub(crate) clock: Clock,
    pub(crate) transcript: Transcript,
    pub(crate) timeouts: Timeouts,
    pub(crate) has_lost: Arc<AtomicBool>,
    /// The percentage of datagrams dropped on purpose, each way.
    pub(crate) loss_percent: u32,
    pub(crate) used_ports: UsedPorts,
}

/// The ports that the clients of one server have had. None is used twice: the server would mistake the second client
/// for the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsedPorts(Arc<Mutex<BTreeSet<u16>>>);

impl UsedPorts {
    fn bind(&self) -> io::Result<UdpSocket> {
        // Kept open until an unused port is found, so that the system offers another each time.
        let mut rejected = vec![];
        loop {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            let port = socket.local_addr()?.port();
            if self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
                return Ok(socket);
            }
            rejected.push(socket);
        }
    }
}

/// Sending and receiving.
impl TestClient {
    /// A client of the observed server, with this name, on a map of this size.
    pub(crate) fn new(
        (name, size): (String, (u16, u16)),
        observer: Arc<Observer>,
        network: TestNetwork,
        seed: i64,
    ) -> io::Result<Self> {
        let socket = network.used_ports.bind()?;
        socket.connect((Ipv4Addr::LOCALHOST, observer.port))?;
        Ok(Self {
            name,
            size,
            inbox: Arc::new(Inbox::new(socket, network.clock)),
            observer,
            loss: Loss::new(network.loss_percent, seed),
            network,
            received: vec![],
            next: 0,
            unanswered_since: None,
            letter: None,
            view: None,
        })
    }

    /// Sends a datagram and returns true, or drops it on purpose and returns false. Drains the socket first: messages
    /// that have already arrived are not an answer to this, and the receive buffer may be full.
    pub(crate) fn send_once(&mut self, bytes: &[u8]) -> bool {
        self.drain_socket();
        self.unanswered_since = Some(self.network.clock.elapsed());
        if self.drops_next(ExchangeKind::In, bytes) {
            return false;
        }
        self.network.transcript.note(&self.name, ExchangeKind::In, bytes);
        // The first error may be about an earlier datagram. The test notices a missing server by its silence.
        let socket = &self.inbox.socket;
        socket.send(bytes).or_else(|_| socket.send(bytes)).is_ok()
    }

    /// Sends a datagram, again if it was dropped on purpose, like a user who presses a key again.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        for _ in 0..50 {
            if self.send_once(bytes) {
                return;
            }
        }
    }

    /// Sends a keystroke.
    pub(crate) fn press(&mut self, key: char) {
        if key == 'Q' {
            self.inbox.note_quit();
        }
        self.send(format!("KEY {key}").as_bytes());
    }

    /// The next unread message, if one arrives in time.
    fn receive_within(&mut self, wait: Duration) -> Option<Vec<u8>> {
        let until = self.network.clock.elapsed() + wait;
        loop {
            if let Some(received) = self.received.get(self.next) {
                self.next += 1;
                return Some(received.bytes.clone());
            }
            let left = until.saturating_sub(self.network.clock.elapsed());
            if left.is_zero() {
                self.drain_socket();
                if self.next == self.received.len() {
                    return None;
                }
            } else {
                self.receive_datagram(left);
            }
        }
    }

    /// Reads messages until one yields a value; `None` if none does in time. Messages read here are
    /// not read again.
    pub(crate) fn wait_for<T>(&mut self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let begun = self.network.clock.elapsed();
        let mut asleep_since = None;
        let mut until = begun + self.network.timeouts.answer();
        let mut busy_limit = None;
        loop {
            let now = self.network.clock.elapsed();
            let Some(message) = self.receive_within(until.saturating_sub(now)) else {
                // On a busy machine, a server that works or waits for a processor gets more time, and so does one that
                // briefly waits for its output to be read.
                let now = self.network.clock.elapsed();
                let observer = &self.observer;
                asleep_since = if observer.is_busy() { None } else { asleep_since.or(Some(now)) };
                let is_asleep = asleep_since.is_some_and(|since| now >= since + ASLEEP);
                let limit = *busy_limit.get_or_insert_with(|| BusyLimit::new(observer, begun));
                if !is_asleep && !limit.is_reached(observer, now, self.network.timeouts.max()) {
                    until = now + BUSY_INTERVAL;
                    continue;
                }
                // Everything that it sent before it fell asleep has arrived.
                self.drain_socket();
                if self.next == self.received.len() {
                    return None;
                }
                continue;
            };
            if let Some(found) = find(&message) {
                return Some(found);
            }
        }
    }

    /// Reads the answers to `PLAY` until all of these types have arrived, which are removed; notes the letter. An OK
    /// without a letter does not count.
    pub(crate) fn wait_for_welcome(&mut self, missing: &mut Vec<&'static str>) {
        let mut given = self.letter;
        self.wait_for(|message| {
            let letter = match ServerMessage::parse(message) {
                Ok(ServerMessage::Ok(letter)) => Some(letter),
                _ => None,
            };
            given = letter.or(given);
            missing
                .retain(|word| !has_word(message, &[word]) || (*word == "OK" && letter.is_none()));
            missing.is_empty().then_some(())
        });
        self.letter = given;
    }

    /// Waits for a message that begins with this.
    pub(crate) fn wait_for_prefix(&mut self, prefix: &str) -> Option<Vec<u8>> {
        self.wait_for(|message| message.starts_with(prefix.as_bytes()).then(|| message.to_vec()))
    }

    /// Waits for a `DISPLAY` that fits; true if one arrives in time.
    pub(crate) fn wait_for_picture(&mut self, fits: impl Fn(&ShownMap) -> bool) -> bool {
        let size = self.size;
        self.wait_for(|message| ShownMap::parse(message, size).ok().filter(|it| fits(it))).is_some()
    }

    /// Reads messages until none has arrived for a while.
    pub(crate) fn wait_until_quiet(&mut self) {
        for _ in 0..MAX_READ {
            if self.receive_within(self.network.timeouts.quiet()).is_none() {
                break;
            }
        }
    }

    /// Reads everything that has arrived, without waiting.
    pub(crate) fn drain_socket(&mut self) {
        for _ in 0..MAX_READ {
            if !self.receive_datagram(Duration::ZERO) {
                break;
            }
        }
    }

    /// Marks everything that has arrived as read.
    pub(crate) fn skip_received(&mut self) {
        self.drain_socket();
        self.skip_buffered();
    }

    /// Marks everything taken from the socket as read, but not the datagrams still waiting there. A check that has
    /// judged all it knows and waits for something better must not find it in the past.
    pub(crate) fn skip_buffered(&mut self) {
        self.next = self.received.len();
    }

    /// The messages that no check has read.
    pub(crate) fn unread(&mut self) -> &[ReceivedDatagram] {
        self.drain_socket();
        &self.received[self.next..]
    }

    /// Marks all messages as read and returns their number.
    pub(crate) fn mark(&mut self) -> usize {
        self.skip_received();
        self.received.len()
    }

    /// Describes the messages from that index on, for a failure.
    pub(crate) fn describe_since(&mut self, from: usize) -> String {
        self.drain_socket();
        let texts: Vec<String> = self.received[from..].iter().map(|it| brief(&it.bytes)).collect();
        match texts.len() {
            0 => "nothing".into(),
            1..=MAX_DESCRIBED => texts.join(", then "),
            more => format!("{}, … ({more} messages)", texts[..MAX_DESCRIBED].join(", then ")),
        }
    }

    /// The last `DISPLAY`, which must have the size of the map.
    pub(crate) fn last_display(&mut self) -> Verdict<ShownMap> {
        self.drain_socket();
        let (rows, cols) = self.size;
        let last = self.received.iter().rev().find(|it| it.bytes.starts_with(DISPLAY_HEAD));
        let expected =
            format!("{} has been sent a DISPLAY of {rows} rows and {cols} columns", self.name);
        match last {
            None => Err(CheckFailure::retryable(expected, "no DISPLAY")),
            Some(last) => ShownMap::parse(&last.bytes, (rows, cols))
                .map_err(|why| CheckFailure::new(expected, why.to_string())),
        }
    }

    /// The numbers of the last `GOLD`.
    pub(crate) fn last_gold(&mut self) -> Option<ReceivedGold> {
        self.drain_socket();
        self.received.iter().rev().find_map(|it| ReceivedGold::parse(&it.bytes))
    }

    /// The purse in the last `GOLD`.
    pub(crate) fn purse(&mut self) -> u32 {
        self.last_gold().map_or(0, |gold| gold.purse)
    }

    /// True if datagrams are dropped on purpose.
    pub(crate) fn is_lossy(&self) -> bool {
        self.network.loss_percent > 0
    }

    /// The letter, or `?` before the server has sent one.
    pub(crate) fn shown_letter(&self) -> char {
        self.letter.unwrap_or('?')
    }

    /// The letter as it is drawn on the map.
    pub(crate) fn cell(&self) -> u8 {
        u8::try_from(self.shown_letter()).unwrap_or(b'?')
    }

    /// Adds unread answers to the transcript, after their question. A client that has its answer adds nothing: its
    /// other messages would only fill the transcript.
    pub(crate) fn read_late_messages(&mut self) {
        if self.unanswered_since.is_none() {
            return;
        }
        for _ in 0..MAX_LATE {
            let Some(late) = self.inbox.next_within(Duration::ZERO) else { break };
            self.network.transcript.note_late(&self.name, &late.bytes);
        }
    }

    /// Receives a datagram, if one arrives in time; true if there may be more to receive.
    fn receive_datagram(&mut self, wait: Duration) -> bool {
        let Some(Datagram { at, bytes }) = self.inbox.next_within(wait) else { return false };
        if self.drops_next(ExchangeKind::Out, &bytes) {
            return true;
        }
        if let Some(sent) = self.unanswered_since.take() {
            self.network.timeouts.record(at.saturating_sub(sent));
        }
        self.network.transcript.note(&self.name, ExchangeKind::Out, &bytes);
        self.received.push(ReceivedDatagram::new(at, &bytes));
        true
    }

    fn drops_next(&mut self, kind: ExchangeKind, bytes: &[u8]) -> bool {
        let is_dropped = self.loss.drops_next();
        if is_dropped {
            self.network.has_lost.store(true, Ordering::Relaxed);
            let note = b"(the next datagram was dropped on purpose)";
            self.network.transcript.note(&self.name, ExchangeKind::Note, note);
            self.network.transcript.note(&self.name, kind, bytes);
        }
        is_dropped
    }
}

/// A failing check drops its clients, and with them their unread messages.
impl Drop for TestClient {
    fn drop(&mut self) {
        self.read_late_messages();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_used_twice() {
        let ports = UsedPorts::default();
        let numbers = (0..2000).map(|_| ports.bind().unwrap().local_addr().unwrap().port());
        let numbers: BTreeSet<u16> = numbers.collect();
        assert_eq!(numbers.len(), 2000);
    }
}
