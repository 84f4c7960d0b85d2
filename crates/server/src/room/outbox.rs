//! The queue of messages to send. Pictures are sent from their canvases, never copied here.

use std::collections::VecDeque;
use std::ops::Range;

use nuggets_game::Viewer;
use nuggets_protocol::ServerMessage;

use super::{MessageKind, Peer};

/// Messages in the order of sending. The memory is reused.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<(Peer, Payload)>,
    texts: Vec<u8>,
}

/// The location of a message's bytes.
#[derive(Clone, Debug)]
pub(super) enum Payload {
    /// In `texts`.
    Text(Range<usize>, MessageKind),
    /// In the canvas of this view.
    Picture(Viewer),
}

impl Outbox {
    /// Queues a message for one or more peers; its text is written once.
    pub(super) fn push(
        &mut self,
        peers: impl IntoIterator<Item = Peer>,
        message: &ServerMessage<'_>,
        said: MessageKind,
    ) {
        if self.queue.is_empty() {
            self.texts.clear();
        }
        let start = self.texts.len();
        message.write_to(&mut self.texts);
        let end = self.texts.len();
        self.queue.extend(peers.into_iter().map(|to| (to, Payload::Text(start..end, said))));
    }

    pub(super) fn push_picture(&mut self, to: Peer, of: Viewer) {
        self.queue.push_back((to, Payload::Picture(of)));
    }

    /// True if no picture is queued. Most of the time the queue is empty.
    pub(super) fn has_no_pictures(&self) -> bool {
        !self.queue.iter().any(|(_, payload)| matches!(payload, Payload::Picture(_)))
    }

    pub(super) fn pop(&mut self) -> Option<(Peer, Payload)> {
        self.queue.pop_front()
    }

    pub(super) fn text(&self, place: Range<usize>) -> &[u8] {
        &self.texts[place]
    }
}
