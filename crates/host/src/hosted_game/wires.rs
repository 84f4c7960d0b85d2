//! Delivers the output of the room: pictures and gold to streams, error replies and goodbyes to people, everything to bots, and
//! datagrams to UDP clients. Only the last two get text.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::MutexGuard;

use nuggets_protocol::QuitKind;
use nuggets_record::PeerToken;
use nuggets_server::{
    Content, Delivery, ErrorReply, Guard, Peer, QuitReason, Said, Transmit, Transport,
};
use nuggets_time::Timestamp;
use thiserror::Error;

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
    /// Messages of the room to people beside their streams.
    pub(super) replies: Vec<(PlayerId, RoomReply)>,
    pub(super) datagrams: VecDeque<(SocketAddr, Vec<u8>)>,
}

/// A message of the room to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum RoomReply {
    /// A key, or another request, had no effect.
    #[error(transparent)]
    Error(ErrorReply),
    /// The person is out of the game, or not let in.
    #[error(transparent)]
    Quit(QuitReason),
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
        let Transmit { to, payload, content } = transmit;
        match self.wires.identities.get(to) {
            Some(Identity::View(key)) => self.wires.views.handle_content(key, content),
            Some(Identity::Person(id)) => {
                self.wires.replies.extend(reply(content).map(|it| (id, it)));
            }
            Some(Identity::Bot(number)) => {
                if let Some(seat) = self.wires.bots.iter_mut().find(|seat| seat.number == number) {
                    seat.handle_message(now, payload);
                }
            }
            Some(Identity::Udp(address)) => self.send_datagram(now, address, payload),
            None => {}
        }
    }
}

impl Link<'_> {
    pub(super) fn send_datagram(&mut self, now: Timestamp, to: SocketAddr, payload: &[u8]) {
        let guard = self.guard.as_mut();
        if guard.is_none_or(|guard| guard.may_send(now, to, payload.len())) {
            self.wires.datagrams.push_back((to, payload.to_vec()));
        }
    }
}

/// People see gold, pictures and the end in their stream. Error replies and goodbyes are left, except to a player who has quit:
/// the stream shows that.
fn reply(content: Content<'_>) -> Option<RoomReply> {
    match content {
        Content::Message(Said::Error(why)) => Some(RoomReply::Error(why)),
        Content::Message(Said::Quit(QuitReason::Specified(QuitKind::Player))) => None,
        Content::Message(Said::Quit(why)) => Some(RoomReply::Quit(why)),
        Content::Picture { .. } | Content::Message(_) => None,
    }
}
