//! Sends messages to the clients concerned: rounds of gold and pictures, welcomes, error replies, rejections. It does
//! not decide the events that it reports.

use std::fmt::Write as _;
use std::iter::repeat;

use nuggets_game::{Game, Letter, Viewer};
use nuggets_protocol::{ServerMessage, house_rules};

use super::gold_moved::GoldMoved;
use super::{ErrorReply, MessageKind, Notice, Peer, QuitReason, Room};

impl Room {
    /// Sends a client the complete state, when it joins or returns.
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

    /// Sends the current gold and picture.
    pub(super) fn send_state(&mut self, peer: Peer, viewer: Viewer) {
        self.send_gold(peer, viewer);
        self.outbox.push_picture(peer, viewer);
        self.seats.note_state_sent(viewer, self.now);
    }

    /// Sends one round of gold for all changes of one input. If only purses have changed, sends it only to their
    /// owners.
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
            let seat = self.seats.of_viewer_mut(viewer).filter(|seat| seat.receives_changes());
            let player = seat.map(|seat| {
                // With `changed_only` a picture need not follow.
                seat.note_gold_sent(self.now, found);
                seat.peer
            });
            let receivers = player.into_iter().chain(view.watchers());
            let (message, said) = gold_for(&self.game, viewer, found);
            self.outbox.push(receivers, &message, said);
        }
    }

    /// Sends the number of steps left. The specification has no message for it, but every client shows an error
    /// reply.
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

    /// Updates the picture of every view and sends it, except to a newcomer, who has already received it.
    pub(super) fn broadcast_changes(&mut self, newcomer: Option<Viewer>) {
        self.changes.read(&self.events);
        // Otherwise a queued picture also contains the changes of this input.
        let are_changes_sent = self.outbox.has_no_pictures();
        let views = self.views.all_mut().filter(|(viewer, _)| Some(*viewer) != newcomer);
        // `for_each` is faster than a loop over the chained iterator.
        views.for_each(|(viewer, view)| {
            if are_changes_sent {
                view.canvas.forget_changes();
            }
            let is_different = view.canvas.update(&self.game, &self.changes);
            let seat = self.seats.of_viewer_mut(viewer);
            // The view of a player who has left stays as it was.
            let has_left = seat.as_ref().is_some_and(|seat| seat.has_left);
            if !is_different && (self.options.changed_only || has_left) {
                return;
            }
            if let Some(seat) = seat.filter(|seat| seat.receives_changes()) {
                seat.note_sent(self.now);
                self.outbox.push_picture(seat.peer, viewer);
            }
            // The specification wants a picture after every move, but a watcher already has this one.
            for watcher in view.watchers().filter(|_| is_different) {
                self.outbox.push_picture(watcher, viewer);
            }
        });
    }

    pub(super) fn reject(&mut self, peer: Peer, why: &'static str, reason: QuitReason) {
        self.notices.push_back(Notice::Rejected(peer, why));
        self.dismiss(peer, reason);
    }

    pub(super) fn complain(&mut self, peer: Peer, why: ErrorReply) {
        self.notices.push_back(Notice::Complained(peer, why));
        self.send_error(peer, why);
    }

    pub(super) fn send_error(&mut self, peer: Peer, why: ErrorReply) {
        self.error_text.clear();
        write!(self.error_text, "{why}").expect("writing to memory can't fail");
        let message = self.dialect.error_reply(&self.error_text);
        self.outbox.push([peer], &message, MessageKind::Error(why));
    }

    /// Sends the reason to a peer that was removed or rejected.
    pub(super) fn dismiss(&mut self, peer: Peer, why: QuitReason) {
        let text = why.to_string();
        let messages = match why {
            QuitReason::Specified(kind) => vec![self.dialect.quit(kind)],
            _ => self.dialect.quit_with_reason(&text),
        };
        for (message, said) in messages.iter().zip([MessageKind::Quit(why), MessageKind::Other]) {
            self.outbox.push([peer], message, said);
        }
    }

    /// Sends messages to every seat and watcher. `said` is the meaning of the first message.
    pub(super) fn send_to_all(&mut self, messages: &[ServerMessage<'_>], said: MessageKind) {
        let messages = messages.iter().zip([said].into_iter().chain(repeat(MessageKind::Other)));
        for peer in self.seats.reachable() {
            for (message, said) in messages.clone() {
                self.outbox.push([peer], message, said);
            }
        }
        for (message, said) in messages {
            self.outbox.push(self.views.watchers(), message, said);
        }
    }

    /// Resends messages to every seat that may have lost them.
    pub(super) fn resend_to_all(&mut self, messages: &[ServerMessage<'_>]) {
        for peer in self.seats.needing_resends() {
            for message in messages {
                self.outbox.push([peer], message, MessageKind::Other);
            }
        }
    }

    /// Sends the current gold.
    pub(super) fn send_gold(&mut self, peer: Peer, viewer: Viewer) {
        let (message, said) = gold_for(&self.game, viewer, 0);
        self.outbox.push([peer], &message, said);
    }

    /// Sends a message that has no meaning beyond its text.
    pub(super) fn send(&mut self, to: Peer, message: &ServerMessage<'_>) {
        self.outbox.push([to], message, MessageKind::Other);
    }
}

pub(super) fn gold_for(
    game: &Game,
    viewer: Viewer,
    found: u32,
) -> (ServerMessage<'static>, MessageKind) {
    let purse = match viewer {
        Viewer::Player(letter) => game.player(letter).purse(),
        Viewer::Spectator => 0,
    };
    let remaining = game.remaining();
    (ServerMessage::Gold { found, purse, remaining }, MessageKind::Gold { found, purse, remaining })
}
