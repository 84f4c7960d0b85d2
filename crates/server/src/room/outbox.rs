//! The queue of messages to send. Pictures are sent from their canvases, never copied here.

use std::collections::VecDeque;
use std::ops::Range;

use nuggets_game::Viewer;
use nuggets_protocol::ServerMessage;

use super::Peer;

/// Messages in the order in which they are to be sent. It keeps its memory for the next ones.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<(Peer, Payload)>,
    texts: Vec<u8>,
}

/// Where the bytes of a message are.
#[derive(Clone, Debug)]
pub(super) enum Payload {
    /// In `texts`.
    Text(Range<usize>),
    /// In the canvas of this view.
    Picture(Viewer),
}

impl Outbox {
    pub(super) fn push(&mut self, to: Peer, message: &ServerMessage<'_>) {
        self.push_to_each([to], message);
    }

    /// The same message for several peers, written once.
    pub(super) fn push_to_each(
        &mut self,
        peers: impl IntoIterator<Item = Peer>,
        message: &ServerMessage<'_>,
    ) {
        if self.queue.is_empty() {
            self.texts.clear();
        }
        let start = self.texts.len();
        message.write_to(&mut self.texts);
        let end = self.texts.len();
        self.queue.extend(peers.into_iter().map(|to| (to, Payload::Text(start..end))));
    }

    pub(super) fn push_picture(&mut self, to: Peer, of: Viewer) {
        self.queue.push_back((to, Payload::Picture(of)));
    }

    pub(super) fn pop(&mut self) -> Option<(Peer, Payload)> {
        self.queue.pop_front()
    }

    pub(super) fn text(&self, place: Range<usize>) -> &[u8] {
        &self.texts[place]
    }
}
