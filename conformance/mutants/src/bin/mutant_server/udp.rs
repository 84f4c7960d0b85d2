//! The socket of the mutant: one thread that receives messages and sends due answers.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nuggets_mutants::log;
use nuggets_server::{Peer, udp};
use nuggets_time::Clock;

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{AfterMessage, Mutant};
use crate::process::print;

/// The delay of every answer of a slow server.
const ANSWER_DELAY: Duration = Duration::from_millis(150);
/// The delay between the spectator's and the players' messages, where the fault separates them.
const GROUP_DELAY: Duration = Duration::from_millis(30);
/// The number of moves with a `DISPLAY` to a closed socket that causes a crash.
const MAX_VANISHED: u32 = 3;
/// The maximum duration of a blocking read; then signals and delayed answers are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const POLL_INTERVAL_WITH_DELAYED: Duration = Duration::from_millis(5);

/// A mutant with its socket.
#[derive(Debug)]
pub(crate) struct Shell {
    mutant: Mutant,
    socket: UdpSocket,
    /// The socket to answer from, if that is another one.
    other: Option<UdpSocket>,
    /// The address of each peer, by its number.
    addresses: Vec<SocketAddr>,
    clock: Clock,
    /// Datagrams with their due times, earliest first.
    delayed: VecDeque<(Duration, Outbound)>,
    /// The number of moves with a `DISPLAY` to a closed socket.
    vanished: u32,
    /// The number of rounds in which one group was sent its messages before the other.
    split_rounds: u32,
}

impl Shell {
    pub(crate) fn new(mutant: Mutant, socket: UdpSocket) -> io::Result<Self> {
        let uses_other = mutant.fault == Fault::AnswersFromOtherPort;
        let other = uses_other.then(|| udp::bind(None, 0)).transpose()?;
        Ok(Self {
            mutant,
            socket,
            other,
            addresses: vec![],
            clock: Clock::start(),
            delayed: VecDeque::new(),
            vanished: 0,
            split_rounds: 0,
        })
    }

    pub(crate) fn mutant(&self) -> &Mutant {
        &self.mutant
    }

    /// Hosts the game until it is over or the fault ends the program.
    pub(crate) fn serve(&mut self, stop: &AtomicBool) -> io::Result<AfterMessage> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            self.send_due();
            if stop.load(Ordering::Relaxed) && self.mutant.fault != Fault::IgnoresSignals {
                let last = self.mutant.shut_down();
                self.send_when_due(last);
                return Ok(AfterMessage::GameOver);
            }
            let Some((length, from)) = self.receive(&mut buffer)? else { continue };
            let peer = self.peer_at(from);
            let (sent, next) = self.mutant.handle_message(peer, &buffer[..length]);
            if self.has_vanished_too_often(&buffer[..length], &sent) {
                return Ok(AfterMessage::Crash);
            }
            self.send_when_due(sent);
            if next != AfterMessage::Continue {
                self.send_rest();
                return Ok(next);
            }
        }
    }

    /// Counts moves with a `DISPLAY` to a closed socket, if they are fatal.
    fn has_vanished_too_often(&mut self, message: &[u8], sent: &[Outbound]) -> bool {
        let is_move = message.starts_with(b"KEY ") && message != b"KEY Q";
        if self.mutant.fault == Fault::CrashOnVanishedClients && is_move {
            self.vanished +=
                u32::from(sent.iter().any(|datagram| self.is_to_closed_socket(datagram)));
        }
        self.vanished >= MAX_VANISHED
    }

    fn peer_at(&mut self, address: SocketAddr) -> Peer {
        let known = self.addresses.iter().position(|known| *known == address);
        let index = known.unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        Peer(index as u64)
    }

    fn address(&self, datagram: &Outbound) -> SocketAddr {
        self.addresses[usize::try_from(datagram.to.0).expect("aliases are never sent to")]
    }

    /// True if the address can be bound, so that no client has it.
    fn is_to_closed_socket(&self, datagram: &Outbound) -> bool {
        UdpSocket::bind(self.address(datagram)).is_ok()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
        let wait = if self.delayed.is_empty() { POLL_INTERVAL } else { POLL_INTERVAL_WITH_DELAYED };
        self.socket.set_read_timeout(Some(wait))?;
        // A timeout, or a client whose socket is closed.
        let Ok((length, from)) = self.socket.recv_from(buffer) else { return Ok(None) };
        match self.mutant.fault {
            Fault::DebugOnStdout => print(format!("{length} bytes from {from}\n").as_bytes()),
            Fault::NoisyStderr => (0..2000).for_each(|_| log(&"still here ".repeat(10))),
            _ => {}
        }
        Ok(Some((length, from)))
    }

    fn send_when_due(&mut self, sent: Vec<Outbound>) {
        let sent = self.send_first_group(sent);
        let is_slow = self.mutant.fault == Fault::SlowAnswers;
        let due = self.clock.elapsed() + if is_slow { ANSWER_DELAY } else { Duration::ZERO };
        self.delayed.extend(sent.into_iter().map(|datagram| (due, datagram)));
        self.send_due();
    }

    /// Sends the messages of the group that comes first, waits every third time, and returns the rest. Receives nothing
    /// meanwhile, like a server with one thread.
    fn send_first_group(&mut self, sent: Vec<Outbound>) -> Vec<Outbound> {
        let is_spectators = |datagram: &Outbound| self.mutant.seats.is_spectator(datagram.to);
        let (first, rest): (Vec<Outbound>, _) = match self.mutant.fault {
            Fault::SpectatorFirst => sent.into_iter().partition(is_spectators),
            Fault::SpectatorLast => sent.into_iter().partition(|d| !is_spectators(d)),
            _ => return sent,
        };
        for datagram in &first {
            self.send(datagram);
        }
        if !first.is_empty() && !rest.is_empty() {
            self.split_rounds += 1;
            // A constant delay would be easy to wait for.
            if self.split_rounds.is_multiple_of(3) {
                std::thread::sleep(GROUP_DELAY);
            }
        }
        rest
    }

    fn send_due(&mut self) {
        let now = self.clock.elapsed();
        while self.delayed.front().is_some_and(|(due, _)| *due <= now)
            && let Some((_, datagram)) = self.delayed.pop_front()
        {
            self.send(&datagram);
        }
    }

    fn send_rest(&mut self) {
        while let Some((due, _)) = self.delayed.front() {
            std::thread::sleep(due.saturating_sub(self.clock.elapsed()));
            self.send_due();
        }
    }

    /// A datagram that can't be sent counts as lost.
    fn send(&self, datagram: &Outbound) {
        let socket = self.other.as_ref().unwrap_or(&self.socket);
        let _ = socket.send_to(&datagram.bytes, self.address(datagram));
    }
}
