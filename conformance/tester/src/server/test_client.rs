//! A client at the level of datagrams: one address that talks to the server.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nuggets_protocol::{DISPLAY_HEAD, Deviation, LenientMessage, ServerMessage};

use super::picture::Picture;
use super::timeouts::Timeouts;
use crate::loss::Loss;
use crate::{CheckFailure, Clock, ExchangeKind, Transcript, Verdict, ensure, fail};

/// The number of messages listed in a failure.
const MAX_DESCRIBED: usize = 8;
/// The number of unread answers added to the transcript.
const MAX_LATE: usize = 8;
/// The number of datagrams read at once, so that a server that never stops sending can't keep us.
const MAX_DRAINED: usize = 10_000;

/// A datagram from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Time since the start of the test run.
    pub at: Duration,
    /// What it means: a wrong form whose meaning is plain is corrected, so that only the checks of the form
    /// fail for it.
    pub bytes: Vec<u8>,
    /// The datagram as it came.
    pub raw: Vec<u8>,
    /// What is wrong with its form.
    pub deviations: BTreeSet<Deviation>,
}

impl Received {
    fn new(at: Duration, raw: &[u8]) -> Self {
        let raw = raw.to_vec();
        match ServerMessage::parse_leniently(&raw) {
            Ok(LenientMessage { message, deviations }) if !deviations.is_empty() => {
                let mut bytes = message.to_bytes();
                if deviations.contains(&Deviation::DisplayFinalNewline) {
                    bytes.push(b'\n');
                }
                Self { at, bytes, raw, deviations }
            }
            _ => Self { at, bytes: raw.clone(), raw, deviations: BTreeSet::new() },
        }
    }

    /// True if something follows the message.
    pub(crate) fn has_excess(&self) -> bool {
        self.deviations.iter().any(|deviation| is_excess(*deviation))
    }

    /// True if its form is right but for what follows it.
    pub(crate) fn is_well_formed(&self) -> bool {
        self.deviations.iter().all(|deviation| is_excess(*deviation))
    }
}

/// True if something follows a message. A check of its own is about that, for all messages.
fn is_excess(deviation: Deviation) -> bool {
    matches!(deviation, Deviation::TrailingWhitespace | Deviation::BytesAfterEnd)
}

/// One address, and everything that it has received.
#[derive(Debug)]
pub struct TestClient {
    name: String,
    socket: UdpSocket,
    clock: Clock,
    transcript: Transcript,
    timeouts: Timeouts,
    loss: Loss,
    has_lost: Arc<AtomicBool>,
    buffer: Vec<u8>,
    received: Vec<Received>,
    /// The index of the first message that no check has read.
    next: usize,
    /// When it sent something that has no answer yet.
    unanswered_since: Option<Duration>,
    /// The letter in the server's `OK`.
    pub(crate) letter: Option<char>,
}

/// What all clients of a test run have in common.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) port: u16,
    pub(crate) clock: Clock,
    pub(crate) transcript: Transcript,
    pub(crate) timeouts: Timeouts,
    pub(crate) has_lost: Arc<AtomicBool>,
    pub(crate) loss_percent: u32,
    pub(crate) used_ports: UsedPorts,
}

/// The ports that the clients of one server have had. None is used twice: the server would take the
/// second client for the first.
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
    pub(crate) fn new(name: &str, connection: &Connection, seed: i64) -> io::Result<Self> {
        let socket = connection.used_ports.bind()?;
        socket.connect((Ipv4Addr::LOCALHOST, connection.port))?;
        Ok(Self {
            name: name.to_owned(),
            socket,
            clock: connection.clock,
            transcript: connection.transcript.clone(),
            timeouts: connection.timeouts.clone(),
            loss: Loss::new(connection.loss_percent, seed),
            has_lost: Arc::clone(&connection.has_lost),
            buffer: vec![0; 1 << 16],
            received: vec![],
            next: 0,
            unanswered_since: None,
            letter: None,
        })
    }

    /// Sends a datagram and returns true, or drops it on purpose and returns false. Drains the socket
    /// first: what has arrived is no answer to this, and the receive buffer may be full.
    pub fn send_once(&mut self, bytes: &[u8]) -> bool {
        self.drain_socket();
        self.unanswered_since = Some(self.clock.elapsed());
        if self.drops_next(ExchangeKind::In, bytes) {
            return false;
        }
        self.transcript.note(&self.name, ExchangeKind::In, bytes);
        // The first error may be about an earlier datagram. A server that is gone is noticed by its
        // silence.
        self.socket.send(bytes).or_else(|_| self.socket.send(bytes)).is_ok()
    }

    /// Sends a datagram, again if it was dropped on purpose, as a user presses a key again.
    pub fn send(&mut self, bytes: &[u8]) {
        for _ in 0..50 {
            if self.send_once(bytes) {
                return;
            }
        }
    }

    /// Sends a keystroke.
    pub fn press(&mut self, key: char) {
        self.send(format!("KEY {key}").as_bytes());
    }

    /// The next unread message, if one arrives in time.
    fn receive_within(&mut self, wait: Duration) -> Option<Vec<u8>> {
        let until = self.clock.elapsed() + wait;
        loop {
            if let Some(received) = self.received.get(self.next) {
                self.next += 1;
                return Some(received.bytes.clone());
            }
            let left = until.saturating_sub(self.clock.elapsed());
            if left.is_zero() {
                self.drain_socket();
                if self.next == self.received.len() {
                    return None;
                }
                // A timeout of zero would mean no timeout.
            } else if self.socket.set_read_timeout(Some(left.max(Duration::from_millis(1)))).is_ok()
            {
                self.receive_datagram();
            }
        }
    }

    /// Reads messages until one yields a value; `None` if none does in time. Messages read here are
    /// not read again.
    pub fn wait_for<T>(&mut self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let until = self.clock.elapsed() + self.timeouts.answer();
        loop {
            let left = until.saturating_sub(self.clock.elapsed());
            let message = self.receive_within(left)?;
            if let Some(found) = find(&message) {
                return Some(found);
            }
        }
    }

    /// Waits for a message that begins with this.
    pub fn wait_for_prefix(&mut self, prefix: &str) -> Option<Vec<u8>> {
        self.wait_for(|message| message.starts_with(prefix.as_bytes()).then(|| message.to_vec()))
    }

    /// Waits for a `DISPLAY` of this size that fits; true if one arrives in time.
    pub(crate) fn wait_for_picture(
        &mut self,
        size: (u16, u16),
        fits: impl Fn(&Picture) -> bool,
    ) -> bool {
        self.wait_for(|message| Picture::parse(message, size).ok().filter(|it| fits(it))).is_some()
    }

    /// Reads everything that has arrived, without waiting.
    pub fn drain_socket(&mut self) {
        if self.socket.set_nonblocking(true).is_ok() {
            for _ in 0..MAX_DRAINED {
                if !self.receive_datagram() {
                    break;
                }
            }
            let _ = self.socket.set_nonblocking(false);
        }
    }

    /// Marks everything that has arrived as read.
    pub fn skip_received(&mut self) {
        self.drain_socket();
        self.skip_buffered();
    }

    /// Marks everything that was taken from the socket as read, but not what still waits there. A
    /// check that has judged all it knows and waits for something better must not find it in the past.
    pub(crate) fn skip_buffered(&mut self) {
        self.next = self.received.len();
    }

    /// The messages that no check has read.
    pub fn unread(&mut self) -> &[Received] {
        self.drain_socket();
        &self.received[self.next..]
    }

    /// Everything that has arrived.
    pub fn received(&self) -> &[Received] {
        &self.received
    }

    /// The number of messages so far, all of which are marked as read.
    pub(crate) fn mark(&mut self) -> usize {
        self.skip_received();
        self.received.len()
    }

    /// The messages from that index on, for a failure.
    pub(crate) fn describe_since(&mut self, from: usize) -> String {
        self.drain_socket();
        let texts: Vec<String> = self.received[from..].iter().map(|it| brief(&it.bytes)).collect();
        match texts.len() {
            0 => "nothing".into(),
            1..=MAX_DESCRIBED => texts.join(", then "),
            more => format!("{}, … ({more} messages)", texts[..MAX_DESCRIBED].join(", then ")),
        }
    }

    /// The last `DISPLAY`, which must have this size.
    pub(crate) fn last_display(&mut self, (rows, cols): (u16, u16)) -> Verdict<Picture> {
        self.drain_socket();
        let last = self.received.iter().rev().find(|it| it.bytes.starts_with(DISPLAY_HEAD));
        let expected =
            format!("{} has been sent a DISPLAY of {rows} rows and {cols} columns", self.name);
        match last {
            None => Err(CheckFailure::retryable(expected, "no DISPLAY")),
            Some(last) => Picture::parse(&last.bytes, (rows, cols))
                .map_err(|why| CheckFailure::new(expected, why.to_string())),
        }
    }

    /// The numbers of the last `GOLD`.
    pub(crate) fn last_gold(&mut self) -> Option<Gold> {
        self.drain_socket();
        self.received.iter().rev().find_map(|it| Gold::parse(&it.bytes))
    }

    /// The purse in the last `GOLD`.
    pub(crate) fn purse(&mut self) -> u32 {
        self.last_gold().map_or(0, |gold| gold.purse)
    }

    /// True if datagrams are dropped on purpose.
    pub(crate) fn is_lossy(&self) -> bool {
        self.loss.is_active()
    }

    /// The name in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The letter, or `?` before the server has sent one.
    pub(crate) fn shown_letter(&self) -> char {
        self.letter.unwrap_or('?')
    }

    /// The letter as it is drawn on the map.
    pub(crate) fn cell(&self) -> u8 {
        u8::try_from(self.shown_letter()).unwrap_or(b'?')
    }

    /// Adds unread answers to the transcript, after their question. A client that has its answer adds
    /// nothing: what it receives otherwise would only fill the transcript.
    pub(crate) fn read_late_messages(&mut self) {
        if self.unanswered_since.is_none() || self.socket.set_nonblocking(true).is_err() {
            return;
        }
        for _ in 0..MAX_LATE {
            match self.socket.recv(&mut self.buffer) {
                Ok(length) => self.transcript.note_late(&self.name, &self.buffer[..length]),
                Err(_) => break,
            }
        }
    }

    /// True if there may be more to receive.
    fn receive_datagram(&mut self) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        let received = self.socket.recv(&mut buffer);
        let may_have_more = match received {
            Ok(length) => {
                self.keep(&buffer[..length]);
                true
            }
            // An earlier datagram was rejected: the server is gone, or was not there yet.
            Err(why) if why.kind() == ErrorKind::ConnectionRefused => {
                std::thread::sleep(Duration::from_millis(1));
                false
            }
            Err(why) => why.kind() == ErrorKind::Interrupted,
        };
        self.buffer = buffer;
        may_have_more
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.drops_next(ExchangeKind::Out, bytes) {
            return;
        }
        let at = self.clock.elapsed();
        if let Some(sent) = self.unanswered_since.take() {
            self.timeouts.record(at.saturating_sub(sent));
        }
        self.transcript.note(&self.name, ExchangeKind::Out, bytes);
        self.received.push(Received::new(at, bytes));
    }

    fn drops_next(&mut self, kind: ExchangeKind, bytes: &[u8]) -> bool {
        let is_dropped = self.loss.drops_next();
        if is_dropped {
            self.has_lost.store(true, Ordering::Relaxed);
            let note = b"(the next datagram was dropped on purpose)";
            self.transcript.note(&self.name, ExchangeKind::Note, note);
            self.transcript.note(&self.name, kind, bytes);
        }
        is_dropped
    }
}

/// Expectations about messages.
impl TestClient {
    /// Waits for exactly this message.
    pub(crate) fn expect_message(&mut self, exact: &str) -> Verdict {
        let from = self.received.len();
        if self.wait_for(|message| (message == exact.as_bytes()).then_some(())).is_some() {
            return Ok(());
        }
        let actual = self.describe_since(from);
        let expected = format!("{} is sent exactly '{}'", self.name, exact.escape_default());
        let word = exact.split(' ').next().unwrap_or(exact);
        let is_other = self.received[from..].iter().any(|it| has_word(&it.bytes, &[word]));
        Err(if is_other {
            CheckFailure::new(expected, actual)
        } else {
            CheckFailure::retryable(expected, actual)
        })
    }

    /// Waits for a message that begins with one of these words.
    pub(crate) fn expect_word(&mut self, words: &[&str]) -> Verdict<Vec<u8>> {
        let from = self.received.len();
        let found = self.wait_for(|message| has_word(message, words).then(|| message.to_vec()));
        found.ok_or_else(|| {
            let expected = format!("{} is sent {}", self.name, words.join(" or "));
            CheckFailure::retryable(expected, self.describe_since(from))
        })
    }

    /// Waits for a message that begins with this word, with everything about its form.
    pub(crate) fn expect_received(&mut self, word: &str) -> Verdict<Received> {
        self.expect_word(&[word])?;
        Ok(self.received[self.next - 1].clone())
    }

    /// Waits for exactly this message, which must be well formed.
    pub(crate) fn expect_well_formed(&mut self, exact: &str) -> Verdict {
        self.expect_message(exact)?;
        let received = &self.received[self.next - 1];
        let expected = format!("{} is sent exactly '{}'", self.name, exact.escape_default());
        ensure(received.is_well_formed(), expected, brief_raw(received))
    }

    /// Fails if a message that begins with one of these words has arrived from that index on.
    pub(crate) fn expect_none_of(&mut self, from: usize, words: &[&str], why: &str) -> Verdict {
        self.drain_socket();
        match self.received[from..].iter().find(|it| has_word(&it.bytes, words)) {
            Some(wrong) => fail(why, format!("{} was sent {}", self.name, brief(&wrong.bytes))),
            None => Ok(()),
        }
    }

    /// True if an unread message begins with this word.
    pub(crate) fn has_unread(&mut self, word: &str) -> bool {
        self.unread().iter().any(|it| has_word(&it.bytes, &[word]))
    }

    /// Waits for a `GOLD` with this remaining number; all three numbers must be these.
    pub(crate) fn expect_gold(&mut self, exact: Gold) -> Verdict {
        let from = self.received.len();
        let expected = format!("{} is sent {exact}", self.name);
        match self.wait_for_remaining(exact.remaining) {
            Some(gold) if gold == exact => Ok(()),
            Some(gold) => fail(expected, gold.to_string()),
            None => Err(CheckFailure::retryable(expected, self.describe_since(from))),
        }
    }

    /// Waits for a `GOLD` with this remaining number.
    pub(crate) fn wait_for_remaining(&mut self, remaining: u32) -> Option<Gold> {
        self.wait_for(|message| Gold::parse(message).filter(|gold| gold.remaining == remaining))
    }
}

/// A check that fails drops its clients, and with them what they have not read.
impl Drop for TestClient {
    fn drop(&mut self) {
        self.read_late_messages();
    }
}

/// The three numbers of a `GOLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gold {
    pub(crate) found: u32,
    pub(crate) purse: u32,
    pub(crate) remaining: u32,
}

impl Gold {
    pub(crate) fn new(found: u32, purse: u32, remaining: u32) -> Self {
        Self { found, purse, remaining }
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        match ServerMessage::parse(bytes) {
            Ok(ServerMessage::Gold { found, purse, remaining }) => {
                Some(Self { found, purse, remaining })
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Gold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'GOLD {} {} {}'", self.found, self.purse, self.remaining)
    }
}

/// True if the message begins with one of these words.
pub(crate) fn has_word(message: &[u8], words: &[&str]) -> bool {
    let first = message.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
    words.iter().any(|word| word.as_bytes() == first)
}

/// A message for a failure about its form: the slip itself is shown and named.
pub(crate) fn brief_raw(received: &Received) -> String {
    const MAX_END: usize = 30;
    let raw = &received.raw;
    let shown = match raw.len() {
        0..=60 => format!("'{}'", raw.escape_ascii()),
        length => {
            let (start, end) = (&raw[..MAX_END], &raw[length - MAX_END..]);
            format!("'{} … {}'", start.escape_ascii(), end.escape_ascii())
        }
    };
    let named: Vec<String> = received.deviations.iter().map(ToString::to_string).collect();
    if named.is_empty() { shown } else { format!("{shown}: {}", named.join(", ")) }
}

/// A message for a failure. Of a `DISPLAY` only the word is shown.
pub(crate) fn brief(bytes: &[u8]) -> String {
    if bytes.starts_with(DISPLAY_HEAD) {
        return "DISPLAY".into();
    }
    let text = bytes[..bytes.len().min(200)].escape_ascii().to_string().replace("\\'", "'");
    format!("'{text}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_form_is_corrected_and_named() {
        let received = |raw: &[u8]| Received::new(Duration::ZERO, raw);
        assert_eq!(received(b"DISPLAY \n+-\n|@").bytes, b"DISPLAY\n+-\n|@\n");
        assert_eq!(received(b"GRID  21 80\0x").bytes, b"GRID 21 80");
        assert_eq!(received(b"HELLO ").bytes, b"HELLO ");
        assert_eq!(brief_raw(&received(b"OK a")), "'OK a': a lower-case letter in OK");
        assert_eq!(brief_raw(&received(b"OK A")), "'OK A'");
        let newline = received(b"OK A\n");
        assert!(newline.has_excess() && newline.is_well_formed());
        let lower_case = received(b"OK a");
        assert!(!lower_case.has_excess() && !lower_case.is_well_formed());
    }

    #[test]
    fn no_port_is_used_twice() {
        let ports = UsedPorts::default();
        let numbers = (0..2000).map(|_| ports.bind().unwrap().local_addr().unwrap().port());
        let numbers: BTreeSet<u16> = numbers.collect();
        assert_eq!(numbers.len(), 2000);
    }
}
