//! What is sent to whom: rounds of gold and pictures, welcomes, complaints, rejections. What happened is
//! not decided here.

use nuggets_game::{Game, Letter, Viewer};
use nuggets_protocol::{ServerMessage, house_rules};

use super::gold_moved::GoldMoved;
use super::{Notice, Peer, Room};

impl Room {
    /// Everything that a client needs to begin, or to begin again.
    pub(super) fn welcome(&mut self, peer: Peer, viewer: Viewer) {
        if let Viewer::Player(letter) = viewer {
            self.send(peer, &ServerMessage::Ok(letter.as_byte().into()));
        }
        let map = self.game.map();
        let rows = map.rows();
        let cols = map.cols();
        self.send(peer, &ServerMessage::Grid { rows, cols });
        self.send_state(peer, viewer);
        self.send_house_rules(peer, viewer);
        if let Some(text) = self.hosting.next_game_text() {
            self.send(peer, &self.dialect.error_reply(&text));
        }
        if !self.has_begun() {
            self.send_waiting(peer);
        }
    }

    /// The gold and the picture as they are.
    pub(super) fn send_state(&mut self, peer: Peer, viewer: Viewer) {
        self.send(peer, &gold_for(&self.game, viewer, 0));
        self.outbox.push_picture(peer, viewer);
        self.seats.note_state_sent(viewer, self.now);
    }

    /// One round of gold for everything that one input moved. A change of purses alone is sent to their
    /// owners alone.
    pub(super) fn broadcast_gold(&mut self, mover: Letter) {
        let gold = GoldMoved::read(&self.events);
        if gold.is_nothing() {
            return;
        }
        self.notices.extend(gold.notices(mover, self.game.remaining()));
        self.note_gold_moved();
        for (viewer, view) in self.views.all() {
            let is_mover = viewer == Viewer::Player(mover);
            if !gold.on_the_map && !is_mover && !gold.is_robbed(viewer) {
                continue;
            }
            let found = if is_mover { gold.found + gold.stolen } else { 0 };
            let seat = self.seats.of_viewer_mut(viewer).filter(|seat| seat.receives());
            let player = seat.map(|seat| {
                // With `changed_only` no picture need follow.
                seat.note_gold_sent(self.now, found);
                seat.peer
            });
            let receivers = player.into_iter().chain(view.watchers());
            self.outbox.push_to_each(receivers, &gold_for(&self.game, viewer, found));
        }
    }

    /// The specification has no message for it, but every client shows an error reply.
    pub(super) fn send_steps_left(&mut self, peer: Peer, letter: Letter) {
        let player = self.game.player(letter);
        if let (Some(left), Some(_), None) = (player.steps_left(), player.at(), self.game.end()) {
            self.send(peer, &self.dialect.error_reply(&house_rules::steps_left_text(left)));
        }
    }

    fn send_house_rules(&mut self, peer: Peer, viewer: Viewer) {
        if let Some(variants) = self.game.rules().variants() {
            let text = house_rules::rules_text(&variants);
            self.send(peer, &self.dialect.error_reply(&text));
            if let Viewer::Player(letter) = viewer {
                self.send_steps_left(peer, letter);
            }
        }
    }

    /// Updates the picture of every view and sends it, except to a newcomer, who has received it already.
    pub(super) fn broadcast_changes(&mut self, newcomer: Option<Viewer>) {
        self.changes.read(&self.events);
        let views = self.views.all_mut().filter(|(viewer, _)| Some(*viewer) != newcomer);
        // `for_each` is faster than a loop over the chained iterator.
        views.for_each(|(viewer, view)| {
            let is_different = view.canvas.update(&self.game, &self.changes);
            let seat = self.seats.of_viewer_mut(viewer);
            // The view of a player who has left stays as it was.
            let has_left = seat.as_ref().is_some_and(|seat| seat.has_left);
            if !is_different && (self.options.changed_only || has_left) {
                return;
            }
            if let Some(seat) = seat.filter(|seat| seat.receives()) {
                seat.note_sent(self.now);
                self.outbox.push_picture(seat.peer, viewer);
            }
            for watcher in view.watchers() {
                self.outbox.push_picture(watcher, viewer);
            }
        });
    }

    pub(super) fn reject(&mut self, peer: Peer, why: &'static str, messages: &[ServerMessage<'_>]) {
        self.notices.push_back(Notice::Rejected { peer, why });
        self.send_each(peer, messages);
    }

    pub(super) fn reject_former_player(&mut self, peer: Peer) {
        let why = "You have left this game and can't come back.";
        self.reject(peer, "that player has quit", &self.dialect.quit_with_reason(why));
    }

    pub(super) fn complain(&mut self, peer: Peer, why: &'static str) {
        self.notices.push_back(Notice::Complained { peer, why });
        self.send(peer, &self.dialect.error_reply(why));
    }

    /// Sends to every seat and watcher.
    pub(super) fn send_to_all(&mut self, messages: &[ServerMessage<'_>]) {
        for (peer, _) in self.seats.reachable() {
            for message in messages {
                self.outbox.push(peer, message);
            }
        }
        for message in messages {
            self.outbox.push_to_each(self.views.watchers(), message);
        }
    }

    /// Sends again to every seat that may have lost the messages.
    pub(super) fn resend_to_all(&mut self, messages: &[ServerMessage<'_>]) {
        for peer in self.seats.needing_resends() {
            for message in messages {
                self.outbox.push(peer, message);
            }
        }
    }

    pub(super) fn send_each(&mut self, to: Peer, messages: &[ServerMessage<'_>]) {
        for message in messages {
            self.send(to, message);
        }
    }

    pub(super) fn send(&mut self, to: Peer, message: &ServerMessage<'_>) {
        self.outbox.push(to, message);
    }
}

pub(super) fn gold_for(game: &Game, viewer: Viewer, found: u32) -> ServerMessage<'static> {
    let purse = match viewer {
        Viewer::Player(letter) => game.player(letter).purse(),
        Viewer::Spectator => 0,
    };
    ServerMessage::Gold { found, purse, remaining: game.remaining() }
}
