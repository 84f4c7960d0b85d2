//! One address that talks to the server: a client at the level of datagrams.

use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nuggets_game::{Chance, Seed};
use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};

use super::patience::Patience;
use super::picture::Picture;
use crate::{Clock, Failure, Transcript, Way};

/// So many messages are told in a report.
const MOST_TOLD: usize = 8;
/// So many answers that nobody has read are told behind their question.
const MOST_LATE: usize = 8;

/// A datagram that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// When, in the stage's time.
    pub at: Duration,
    /// What.
    pub bytes: Vec<u8>,
}

/// An address of its own, and everything that it has heard.
#[derive(Debug)]
pub struct Caller {
    who: String,
    socket: UdpSocket,
    clock: Clock,
    transcript: Transcript,
    patience: Patience,
    loss: Loss,
    buffer: Vec<u8>,
    heard: Vec<Heard>,
    /// The first that nobody has asked for yet.
    next: usize,
    /// When it said something that has no answer yet.
    last_said: Option<Duration>,
    /// The letter it was given.
    pub(crate) letter: Option<char>,
}

/// What a caller shares with the stage.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) port: u16,
    pub(crate) clock: Clock,
    pub(crate) transcript: Transcript,
    pub(crate) patience: Patience,
    pub(crate) lost: Arc<AtomicU32>,
    pub(crate) loss_percent: u32,
    pub(crate) ports: Ports,
}

/// The ports that callers of one server have had. None is used twice: the server would take the
/// second for the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports {
    used: Arc<Mutex<HashSet<u16>>>,
}

impl Ports {
    fn open(&self) -> io::Result<UdpSocket> {
        // Held until a new one is found, so that the system gives another each time.
        let mut old = vec![];
        loop {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            let port = socket.local_addr()?.port();
            if self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
                return Ok(socket);
            }
            old.push(socket);
        }
    }
}

/// A line that throws datagrams away.
#[derive(Debug)]
struct Loss {
    percent: u32,
    chance: Chance,
    lost: Arc<AtomicU32>,
}

impl Loss {
    fn takes_one(&mut self) -> bool {
        let taken = self.percent > 0 && self.chance.below(100) < self.percent;
        self.lost.fetch_add(u32::from(taken), Ordering::Relaxed);
        taken
    }
}

impl Caller {
    pub(crate) fn new(who: &str, shared: &Shared, seed: i64) -> io::Result<Self> {
        let socket = shared.ports.open()?;
        socket.connect((Ipv4Addr::LOCALHOST, shared.port))?;
        let loss = Loss {
            percent: shared.loss_percent,
            chance: Chance::new(Seed::new(seed)),
            lost: Arc::clone(&shared.lost),
        };
        Ok(Self {
            who: who.to_owned(),
            socket,
            clock: shared.clock,
            transcript: shared.transcript.clone(),
            patience: shared.patience.clone(),
            loss,
            buffer: vec![0; 1 << 16],
            heard: vec![],
            next: 0,
            last_said: None,
            letter: None,
        })
    }

    /// Sends a datagram once. Did it go out? (It may be thrown away on purpose.) What has come is
    /// taken first: it is no answer to this, and the system may have no place for more.
    pub fn say(&mut self, bytes: &[u8]) -> bool {
        self.take_waiting();
        self.last_said = Some(self.clock.elapsed());
        if self.loss.takes_one() {
            self.transcript.note(
                &self.who,
                Way::Note,
                b"(the next datagram is thrown away on purpose)",
            );
            self.transcript.note(&self.who, Way::In, bytes);
            return false;
        }
        self.transcript.note(&self.who, Way::In, bytes);
        // A server that is gone is noticed by its silence.
        let sent = self.socket.send(bytes);
        // The first error may be about an earlier datagram.
        if sent.is_err() { self.socket.send(bytes).is_ok() } else { true }
    }

    /// Sends a datagram that our own line does not lose: whoever presses a key and sees nothing
    /// presses it again.
    pub fn say_surely(&mut self, bytes: &[u8]) {
        for _ in 0..50 {
            if self.say(bytes) {
                return;
            }
        }
    }

    /// Presses a key, surely.
    pub fn press(&mut self, key: char) {
        self.say_surely(format!("KEY {key}").as_bytes());
    }

    /// The next message that nobody has asked for yet, if one comes in time.
    pub fn hear(&mut self) -> Option<Vec<u8>> {
        self.hear_within(self.patience.wait())
    }

    pub(crate) fn hear_within(&mut self, wait: Duration) -> Option<Vec<u8>> {
        let until = self.clock.elapsed() + wait;
        loop {
            if let Some(heard) = self.heard.get(self.next) {
                self.next += 1;
                return Some(heard.bytes.clone());
            }
            let left = until.saturating_sub(self.clock.elapsed());
            if left.is_zero() {
                self.take_waiting();
                if self.next == self.heard.len() {
                    return None;
                }
            } else {
                self.receive(left);
            }
        }
    }

    /// Goes through what comes until something is found; nothing if it doesn't come in time. What
    /// was looked at is not looked at again.
    pub fn wait_for<T>(&mut self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let until = self.clock.elapsed() + self.patience.wait();
        loop {
            let left = until.saturating_sub(self.clock.elapsed());
            let message = self.hear_within(left)?;
            if let Some(found) = find(&message) {
                return Some(found);
            }
        }
    }

    /// Waits for a message that begins with this.
    pub fn wait_for_start(&mut self, start: &str) -> Option<Vec<u8>> {
        self.wait_for(|message| message.starts_with(start.as_bytes()).then(|| message.to_vec()))
    }

    /// Takes whatever has come, without waiting.
    pub fn take_waiting(&mut self) {
        if self.socket.set_nonblocking(true).is_ok() {
            // So many at a time, lest a server that never stops keeps us here.
            for _ in 0..10_000 {
                if !self.receive_once() {
                    break;
                }
            }
            let _ = self.socket.set_nonblocking(false);
        }
    }

    /// Whatever has come is old now.
    pub fn skip(&mut self) {
        self.take_waiting();
        self.skip_known();
    }

    /// Whatever has been taken so far is old now; what waits in the system is not. Whoever has judged
    /// all that is known and waits for something better must not find it in the past.
    pub(crate) fn skip_known(&mut self) {
        self.next = self.heard.len();
    }

    /// What has come that nobody has asked for yet.
    pub fn fresh(&mut self) -> &[Heard] {
        self.take_waiting();
        &self.heard[self.next..]
    }

    /// Everything that has come.
    pub fn heard(&self) -> &[Heard] {
        &self.heard
    }

    /// What has come from that place on, for a report.
    pub(crate) fn told_since(&mut self, from: usize) -> String {
        self.take_waiting();
        let texts: Vec<String> = self.heard[from..].iter().map(|h| brief(&h.bytes)).collect();
        match texts.len() {
            0 => "nothing".into(),
            1..=MOST_TOLD => texts.join(", then "),
            more => format!("{}, … ({more} messages)", texts[..MOST_TOLD].join(", then ")),
        }
    }

    /// The last picture that has come, if it has this size.
    pub(crate) fn last_picture(&mut self, rows: u16, cols: u16) -> Result<Picture, Failure> {
        self.take_waiting();
        let last = self.heard.iter().rev().find(|heard| heard.bytes.starts_with(DISPLAY_HEAD));
        let expected =
            format!("{} has been sent a DISPLAY of {rows} rows and {cols} columns", self.who);
        let Some(last) = last else {
            return Err(Failure::silence(expected, "no DISPLAY"));
        };
        Picture::read(&last.bytes, rows, cols).map_err(|why| Failure::new(expected, why))
    }

    /// The last `GOLD` that has come: found, purse, remaining.
    pub(crate) fn last_gold(&mut self) -> Option<(u32, u32, u32)> {
        self.take_waiting();
        self.heard.iter().rev().find_map(|heard| gold(&heard.bytes))
    }

    /// Are datagrams thrown away on purpose?
    pub(crate) fn is_lossy(&self) -> bool {
        self.loss.percent > 0
    }

    /// Who it is, for reports.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Answers that nobody has read are told behind their question. Of what comes to those who have
    /// their answer the transcript would only be full.
    pub(crate) fn read_the_rest(&mut self) {
        if self.last_said.is_none() || self.socket.set_nonblocking(true).is_err() {
            return;
        }
        for _ in 0..MOST_LATE {
            match self.socket.recv(&mut self.buffer) {
                Ok(length) => self.transcript.note_late(&self.who, &self.buffer[..length]),
                Err(_) => break,
            }
        }
    }

    fn receive(&mut self, wait: Duration) {
        // No wait at all would mean to wait for ever.
        let wait = wait.max(Duration::from_millis(1));
        if self.socket.set_read_timeout(Some(wait)).is_ok() {
            self.receive_once();
        }
    }

    /// Is there perhaps more?
    fn receive_once(&mut self) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        let received = self.socket.recv(&mut buffer);
        let more = match received {
            Ok(length) => {
                self.keep(&buffer[..length]);
                true
            }
            // That something sent came back: the server is gone, or was not there yet.
            Err(why) if why.kind() == ErrorKind::ConnectionRefused => {
                std::thread::sleep(Duration::from_millis(1));
                false
            }
            Err(why) => why.kind() == ErrorKind::Interrupted,
        };
        self.buffer = buffer;
        more
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.loss.takes_one() {
            self.transcript.note(
                &self.who,
                Way::Note,
                b"(the next datagram was thrown away on purpose)",
            );
            self.transcript.note(&self.who, Way::Out, bytes);
            return;
        }
        let at = self.clock.elapsed();
        if let Some(said) = self.last_said.take() {
            self.patience.note(at.saturating_sub(said));
        }
        self.transcript.note(&self.who, Way::Out, bytes);
        self.heard.push(Heard { at, bytes: bytes.to_vec() });
    }
}

/// A check that fails lets its callers go, and with them what they were told.
impl Drop for Caller {
    fn drop(&mut self) {
        self.read_the_rest();
    }
}

/// The three numbers of a `GOLD`.
pub(crate) fn gold(bytes: &[u8]) -> Option<(u32, u32, u32)> {
    match ServerMessage::parse(bytes) {
        Ok(ServerMessage::Gold { found, purse, remaining }) => Some((found, purse, remaining)),
        _ => None,
    }
}

/// A message for a report: pictures are only named.
pub(crate) fn brief(bytes: &[u8]) -> String {
    if bytes.starts_with(DISPLAY_HEAD) {
        return "DISPLAY".into();
    }
    let shown = bytes[..bytes.len().min(200)].escape_ascii().to_string().replace("\\'", "'");
    format!("'{shown}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_used_twice() {
        let ports = Ports::default();
        let numbers = (0..2000).map(|_| ports.open().unwrap().local_addr().unwrap().port());
        let numbers: HashSet<u16> = numbers.collect();
        assert_eq!(numbers.len(), 2000);
    }
}
