//! The mutant's socket: one thread that hears, and sends what is due.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nuggets_game::Viewer;
use nuggets_server::udp;
use nuggets_time::Clock;

use crate::datagram::Datagram;
use crate::fault::Fault;
use crate::mutant::{After, Mutant};
use crate::process::{log, say};

/// So late are the answers of a slow server.
const SLOW: Duration = Duration::from_millis(150);
/// So long some have to wait for what others are told.
const LATER: Duration = Duration::from_millis(30);
/// So many moves that are shown to somebody who is gone are fatal to some.
const MOST_IN_VAIN: u32 = 3;
/// How long a blocking read may last before signals and late answers are looked at again.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);
const LOOK_UP_OFTEN: Duration = Duration::from_millis(5);

/// A mutant with its socket.
#[derive(Debug)]
pub(crate) struct Shell {
    mutant: Mutant,
    socket: UdpSocket,
    /// Another socket to answer from.
    other: Option<UdpSocket>,
    clock: Clock,
    waiting: VecDeque<(Duration, Datagram)>,
    /// How many moves were shown to somebody who is gone.
    in_vain: u32,
    /// How often not everybody was told at the same time.
    rounds: u32,
}

impl Shell {
    pub(crate) fn new(mutant: Mutant, socket: UdpSocket) -> io::Result<Self> {
        let is_other = mutant.fault == Fault::AnswersFromOtherPort;
        let other = is_other.then(|| udp::bind(None, 0)).transpose()?;
        Ok(Self {
            mutant,
            socket,
            other,
            clock: Clock::start(),
            waiting: VecDeque::new(),
            in_vain: 0,
            rounds: 0,
        })
    }

    pub(crate) fn mutant(&self) -> &Mutant {
        &self.mutant
    }

    /// Plays until the game is over, or something worse happens.
    pub(crate) fn serve(&mut self, stop: &AtomicBool) -> io::Result<After> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            self.send_due();
            if stop.load(Ordering::Relaxed) && self.mutant.fault != Fault::IgnoresSignals {
                let last = self.mutant.shut_down();
                self.wait_and_send(last);
                return Ok(After::Over);
            }
            let heard = self.listen(&mut buffer)?;
            let Some((length, from)) = heard else { continue };
            let (sent, after) = self.mutant.hear(from.into(), &buffer[..length]);
            if self.is_hurt(&buffer[..length], &sent) {
                return Ok(After::Crash);
            }
            self.wait_and_send(sent);
            if after != After::GoOn {
                self.send_rest();
                return Ok(after);
            }
        }
    }

    /// Was that one move too many that nobody sees?
    fn is_hurt(&mut self, heard: &[u8], sent: &[Datagram]) -> bool {
        let is_move = heard.starts_with(b"KEY ") && heard != b"KEY Q";
        if self.mutant.fault == Fault::DiesWhenClientsVanish && is_move {
            self.in_vain += u32::from(sent.iter().any(is_gone));
        }
        self.in_vain >= MOST_IN_VAIN
    }

    fn listen(&mut self, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
        let wait = if self.waiting.is_empty() { LOOK_UP_EVERY } else { LOOK_UP_OFTEN };
        self.socket.set_read_timeout(Some(wait))?;
        let heard = match self.socket.recv_from(buffer) {
            Ok(heard) => heard,
            Err(why) if is_passing(why.kind()) => return Ok(None),
            Err(why) => return Err(why),
        };
        match self.mutant.fault {
            Fault::DebugOnStdout => say(format!("{} bytes from {}\n", heard.0, heard.1).as_bytes()),
            Fault::NoisyStderr => (0..2000).for_each(|_| log(&"still here ".repeat(10))),
            _ => {}
        }
        Ok(Some(heard))
    }

    fn wait_and_send(&mut self, sent: Vec<Datagram>) {
        let sent = self.send_the_first(sent);
        let is_slow = self.mutant.fault == Fault::SlowAnswers;
        let due = self.clock.elapsed() + if is_slow { SLOW } else { Duration::ZERO };
        self.waiting.extend(sent.into_iter().map(|datagram| (due, datagram)));
        self.send_due();
    }

    /// What comes first where somebody has to wait is sent here, and the wait is over; the rest.
    /// Nobody is heard meanwhile, as in a server that does one thing after the other.
    fn send_the_first(&mut self, sent: Vec<Datagram>) -> Vec<Datagram> {
        let is_spectators =
            |datagram: &Datagram| self.mutant.seats.viewer(datagram.to) == Some(Viewer::Spectator);
        let (first, rest): (Vec<Datagram>, _) = match self.mutant.fault {
            Fault::SpectatorFirst => sent.into_iter().partition(is_spectators),
            Fault::SpectatorLast => sent.into_iter().partition(|d| !is_spectators(d)),
            _ => return sent,
        };
        for datagram in &first {
            self.send(datagram);
        }
        if !first.is_empty() && !rest.is_empty() {
            self.rounds += 1;
            // Whoever is always late is easily waited for.
            if self.rounds.is_multiple_of(3) {
                std::thread::sleep(LATER);
            }
        }
        rest
    }

    fn send_due(&mut self) {
        let now = self.clock.elapsed();
        while self.waiting.front().is_some_and(|(due, _)| *due <= now)
            && let Some((_, datagram)) = self.waiting.pop_front()
        {
            self.send(&datagram);
        }
    }

    fn send_rest(&mut self) {
        while let Some((due, _)) = self.waiting.front() {
            std::thread::sleep(due.saturating_sub(self.clock.elapsed()));
            self.send_due();
        }
    }

    /// What can't be sent is lost, as anything may be.
    fn send(&self, datagram: &Datagram) {
        let socket = self.other.as_ref().unwrap_or(&self.socket);
        let _ = socket.send_to(&datagram.bytes, SocketAddr::from(datagram.to));
    }
}

/// Where anybody can wait for messages, nobody does.
fn is_gone(datagram: &Datagram) -> bool {
    UdpSocket::bind(SocketAddr::from(datagram.to)).is_ok()
}

fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
    )
}
