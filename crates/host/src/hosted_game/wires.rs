//! What the room sends, brought to where it belongs: pictures to streams, words to people, everything to bots, and
//! datagrams to UDP clients.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::MutexGuard;

use nuggets_protocol::{ServerMessage, house_rules};
use nuggets_record::PeerToken;
use nuggets_server::{Delivery, Guard, Peer, Transmit, Transport};
use nuggets_time::Timestamp;

use super::bots::BotSeat;
use super::identities::{Identities, Identity};
use super::views::Views;
use crate::PlayerId;

/// All who can be sent something.
#[derive(Debug)]
pub(super) struct Wires {
    pub(super) identities: Identities,
    pub(super) views: Views,
    pub(super) bots: Vec<BotSeat>,
    /// Words of the room to a person: rejected keys, the reason to be out.
    pub(super) words: Vec<(PlayerId, String)>,
    pub(super) datagrams: VecDeque<(SocketAddr, Vec<u8>)>,
}

/// The wires as the driver of the room sees them.
pub(super) struct Link<'a> {
    pub(super) wires: &'a mut Wires,
    pub(super) guard: Option<MutexGuard<'a, Guard>>,
}

impl Transport for Link<'_> {
    fn name(&self, peer: Peer) -> String {
        self.wires.identities.get(peer).map_or_else(|| format!("{peer:?}"), Identity::name)
    }

    fn token(&self, peer: Peer) -> PeerToken {
        self.wires.identities.token(peer)
    }

    fn source(&self, peer: Peer) -> Option<SocketAddr> {
        match self.wires.identities.get(peer) {
            Some(Identity::Udp(address)) => Some(address),
            _ => None,
        }
    }

    fn guard(&mut self) -> Option<&mut Guard> {
        self.guard.as_deref_mut()
    }

    fn delivery(&self, peer: Peer) -> Delivery {
        match self.source(peer) {
            Some(_) => Delivery::Datagram,
            None => Delivery::Stream,
        }
    }

    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>) {
        let Transmit { to, payload, picture } = transmit;
        match self.wires.identities.get(to) {
            Some(Identity::View(key)) => self.wires.views.handle_message(key, payload),
            Some(Identity::Person(id)) if picture.is_none() => self.wires.note_words(id, payload),
            Some(Identity::Bot(number)) => {
                if let Some(seat) = self.wires.bots.iter_mut().find(|seat| seat.number == number) {
                    seat.handle_message(now, payload);
                }
            }
            Some(Identity::Udp(address)) => self.send_datagram(now, address, payload),
            Some(Identity::Person(_)) | None => {}
        }
    }
}

impl Link<'_> {
    fn send_datagram(&mut self, now: Timestamp, to: SocketAddr, payload: &[u8]) {
        let guard = self.guard.as_mut();
        if guard.is_none_or(|guard| guard.may_send(now, to, payload.len())) {
            self.wires.datagrams.push_back((to, payload.to_vec()));
        }
    }
}

impl Wires {
    /// People see gold, pictures and the end in their stream. What is left are complaints and goodbyes.
    fn note_words(&mut self, person: PlayerId, payload: &[u8]) {
        let words = match ServerMessage::parse(payload) {
            Ok(ServerMessage::Error(words) | ServerMessage::No(words)) => words,
            Ok(ServerMessage::Quit(words)) if !is_plain_goodbye(&words) => words,
            _ => return,
        };
        if !house_rules::is_information(&words) {
            self.words.push((person, String::from_utf8_lossy(&words).into_owned()));
        }
    }
}

/// A goodbye that says no more than the stream does.
fn is_plain_goodbye(words: &[u8]) -> bool {
    words.is_empty() || words.starts_with(b"GAME OVER:") || words == b"Thanks for playing!"
}
