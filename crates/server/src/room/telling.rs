//! What everybody is told: rounds of gold and pictures, welcomes, complaints, refusals. What happened
//! is not decided here.

use nuggets_game::{Game, Letter, Viewer};
use nuggets_protocol::ServerMessage;

use super::gold_moved::GoldMoved;
use super::{Notice, Peer, Room};

impl Room {
    /// Everything that a client needs to begin, or to begin again.
    pub(super) fn welcome(&mut self, peer: Peer, viewer: Viewer) {
        if let Viewer::Player(letter) = viewer {
            self.send(peer, &ServerMessage::Ok(letter.as_char().into()));
        }
        let map = self.game.map();
        let (rows, cols) = (map.rows(), map.cols());
        self.send(peer, &ServerMessage::Grid { rows, cols });
        self.show_anew(peer, viewer);
        self.tell_house_rules(peer, viewer);
    }

    /// The gold and the picture as they are.
    pub(super) fn show_anew(&mut self, peer: Peer, viewer: Viewer) {
        self.send(peer, &gold_for(&self.game, viewer, 0));
        self.outbox.push_picture(peer, viewer);
        self.seats.told(viewer, self.now);
    }

    /// One round of gold for everything that one key or farewell moved. What changed only purses is
    /// told to their owners alone.
    pub(super) fn tell_of_gold(&mut self, mover: Letter) {
        let gold = GoldMoved::read(&self.events);
        if gold.is_nothing() {
            return;
        }
        self.notices.extend(gold.notices(mover, self.game.remaining()));
        for (viewer, seat) in self.seats.all_mut() {
            let is_mover = viewer == Viewer::Player(mover);
            let concerns = gold.on_the_map || is_mover || gold.is_robbed(viewer);
            if concerns && seat.canvas.is_some() && seat.is_reachable {
                let found = if is_mover { gold.found + gold.stolen } else { 0 };
                self.outbox.push(seat.peer, &gold_for(&self.game, viewer, found));
                // No picture need follow: where only what changes is shown, this may be all the news.
                seat.told(self.now);
            }
        }
    }

    /// The documents have no message for it, but every client shows a complaint.
    pub(super) fn tell_steps_left(&mut self, peer: Peer, letter: Letter) {
        let player = self.game.player(letter);
        if let (Some(left), Some(_), None) = (player.steps_left(), player.at(), self.game.end()) {
            self.send(peer, &self.dialect.complaint(&format!("{left} steps left")));
        }
    }

    fn tell_house_rules(&mut self, peer: Peer, viewer: Viewer) {
        if let Some(variants) = self.game.rules().variants() {
            let text = format!("House rules: {variants}");
            self.send(peer, &self.dialect.complaint(&text));
            if let Viewer::Player(letter) = viewer {
                self.tell_steps_left(peer, letter);
            }
        }
    }

    /// Brings every picture up to date and shows it; not to a newcomer, who has seen it already.
    pub(super) fn show_changes(&mut self, newcomer: Option<Viewer>) {
        self.changes.read(&self.events);
        for (viewer, seat) in self.seats.all_mut() {
            let Some(canvas) = seat.canvas.as_mut().filter(|_| Some(viewer) != newcomer) else {
                continue;
            };
            let is_different = canvas.update(&self.game, &self.changes);
            if (is_different || !self.changed_only) && seat.is_reachable {
                seat.told(self.now);
                self.outbox.push_picture(seat.peer, viewer);
            }
        }
    }

    /// Not now, and perhaps never: the guard says why.
    pub(super) fn refuse_for_now(&mut self, peer: Peer, why: crate::Refusal) {
        self.notices.push_back(Notice::Guarded { peer, why });
        self.send_each(peer, &self.dialect.dismissal(&why.to_string()));
    }

    pub(super) fn refuse(&mut self, peer: Peer, why: &'static str, messages: &[ServerMessage<'_>]) {
        self.notices.push_back(Notice::TurnedAway { peer, why });
        self.send_each(peer, messages);
    }

    pub(super) fn turn_away_for_good(&mut self, peer: Peer) {
        self.refuse(peer, "that player has quit", &self.dialect.dismissal(GONE));
    }

    pub(super) fn complain(&mut self, peer: Peer, why: &'static str) {
        self.notices.push_back(Notice::Complained { peer, why });
        self.send(peer, &self.dialect.complaint(why));
    }

    pub(super) fn send_to_all(&mut self, messages: &[ServerMessage<'_>]) {
        for (peer, _) in self.seats.reachable() {
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

const GONE: &str = "You have left this game and can't come back.";
