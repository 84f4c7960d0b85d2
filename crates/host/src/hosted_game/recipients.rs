//! Delivers the output of the room: pictures and gold to streams, error replies and goodbyes to people, everything to bots, and
//! datagrams to UDP clients. Only the last two get text.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::MutexGuard;

use nuggets_protocol::QuitKind;
use nuggets_record::PeerToken;
use nuggets_server::{
    Content, Delivery, ErrorReply, Guard, MessageKind, Peer, QuitReason, Transmit, Transport,
};
use nuggets_time::Timestamp;
use thiserror::Error;

use super::GameOutput;
use super::bots::BotSeat;
use super::identities::{Identities, Identity};
use super::views::ViewStreams;
use crate::PlayerId;

/// All recipients of the room's output, with their queues.
#[derive(Debug)]
pub(super) struct Recipients {
    pub(super) identities: Identities,
    pub(super) views: ViewStreams,
    pub(super) bots: Vec<BotSeat>,
    /// Messages of the room to people, outside their streams.
    pub(super) replies: Vec<(PlayerId, RoomReply)>,
    /// Output outside the streams.
    pub(super) output: VecDeque<GameOutput>,
}

/// A message of the room to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum RoomReply {
    /// A key, or another request, had no effect.
    #[error(transparent)]
    Error(ErrorReply),
    /// The person was removed from the game, or rejected.
    #[error(transparent)]
    Quit(QuitReason),
}

/// The transport of the room's driver.
pub(super) struct RoomTransport<'a> {
    pub(super) recipients: &'a mut Recipients,
    pub(super) guard: Option<MutexGuard<'a, Guard>>,
}

impl Transport for RoomTransport<'_> {
    fn name(&self, peer: Peer) -> String {
        self.recipients.identities.get(peer).map_or_else(|| format!("{peer:?}"), Identity::name)
    }

    fn token(&self, peer: Peer) -> PeerToken {
        self.recipients.identities.token(peer)
    }

    fn source(&self, peer: Peer) -> Option<SocketAddr> {
        match self.recipients.identities.get(peer) {
            Some(Identity::Udp(address)) => Some(address),
            _ => None,
        }
    }

    fn guard(&mut self) -> Option<&mut Guard> {
        self.guard.as_deref_mut()
    }

    fn delivery(&self, peer: Peer) -> Delivery {
        match self.recipients.identities.get(peer) {
            Some(Identity::Udp(_)) => Delivery::Datagram,
            Some(Identity::Person(_)) => Delivery::Watched,
            Some(Identity::Bot(_) | Identity::View(_)) | None => Delivery::Stream,
        }
    }

    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>) {
        let Transmit { to, payload, content } = transmit;
        match self.recipients.identities.get(to) {
            Some(Identity::View(key)) => self.recipients.views.handle_content(key, content),
            Some(Identity::Person(id)) => {
                self.recipients.replies.extend(reply(content).map(|it| (id, it)));
            }
            Some(Identity::Bot(number)) => {
                if let Some(seat) =
                    self.recipients.bots.iter_mut().find(|seat| seat.number == number)
                {
                    seat.handle_message(now, payload);
                }
            }
            Some(Identity::Udp(address)) => self.send_datagram(now, address, payload),
            None => {}
        }
    }
}

impl RoomTransport<'_> {
    pub(super) fn send_datagram(&mut self, now: Timestamp, to: SocketAddr, payload: &[u8]) {
        let guard = self.guard.as_mut();
        if guard.is_none_or(|guard| guard.may_send(now, to, payload.len())) {
            self.recipients.output.push_back(GameOutput::Datagram(to, payload.to_vec()));
        }
    }
}

/// Returns the reply to a person in a message of the room: an error reply or a goodbye. Gold, pictures, the end and the goodbye
/// to a player who has quit are `None`, because the stream shows them.
fn reply(content: Content<'_>) -> Option<RoomReply> {
    match content {
        Content::Message(MessageKind::Error(why)) => Some(RoomReply::Error(why)),
        Content::Message(MessageKind::Quit(QuitReason::Specified(QuitKind::Player))) => None,
        Content::Message(MessageKind::Quit(why)) => Some(RoomReply::Quit(why)),
        Content::Picture { .. } | Content::Message(_) => None,
    }
}
