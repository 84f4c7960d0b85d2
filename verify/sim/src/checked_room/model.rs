//! The naive model of a room's game, and every comparison of the room with it.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_game::{Game, Letter, Viewer};
use nuggets_model::{Outgoing, Spot, World, expect_same_per_peer};
use nuggets_protocol::{Dialect, ServerMessage, house_rules};
use nuggets_server::{Reliability, Room, Timestamp};

use super::journal::spot;
use super::timing::{Sent, Timing};
use super::{EndSent, Moment, ShownView, expect_same};

/// The model, and state of the room that the model lacks.
#[derive(Debug)]
pub(crate) struct Model {
    pub(super) world: World,
    /// The world before anybody joined.
    pub(super) initial: World,
    pub(super) dialect: Dialect,
    pub(super) ignores_house_rules: bool,
    /// Peers that the room knows to be unreachable: they are sent neither pictures nor gold.
    pub(super) unreachable: BTreeSet<u64>,
    pub(super) timing: Timing,
    pub(super) end: Option<EndSent>,
    pub(super) is_end_stored: bool,
    /// The number of inputs that changed the game or the seats, all of which the journal must hold.
    pub(super) inputs: u64,
    /// The time of the last of them, on the clock of the room.
    pub(super) last_input_at: Timestamp,
    /// The number of inputs when each peer got its seat.
    pub(super) joined_at: BTreeMap<u64, u64>,
    /// Peers that have sent a key since they got their seat.
    pub(super) have_pressed: BTreeSet<u64>,
    pub(super) have_moved: BTreeSet<u64>,
}

impl Model {
    pub(super) fn new(world: World, dialect: Dialect, reliability: Reliability) -> Self {
        Self {
            initial: world.clone(),
            world,
            dialect,
            ignores_house_rules: false,
            unreachable: BTreeSet::new(),
            timing: Timing::new(reliability),
            end: None,
            is_end_stored: false,
            inputs: 0,
            last_input_at: Timestamp(0),
            joined_at: BTreeMap::new(),
            have_pressed: BTreeSet::new(),
            have_moved: BTreeSet::new(),
        }
    }

    /// Returns the time at which the room must next act without an input.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.timing.next(&self.playing(), &self.reachable())
    }

    /// Returns the peers that have a seat and are not known to be unreachable.
    fn reachable(&self) -> Vec<u64> {
        self.present().into_iter().filter(|peer| !self.unreachable.contains(peer)).collect()
    }

    /// Returns the peers that have a seat: the players on the map, and the spectator.
    pub(crate) fn present(&self) -> Vec<u64> {
        self.playing().into_iter().chain(self.world.spectator()).collect()
    }

    pub(super) fn playing(&self) -> Vec<u64> {
        let playing = self.world.players().iter().filter(|player| player.at.is_some());
        playing.map(|player| player.peer).collect()
    }

    /// The view that this peer must have on its screen now; `None` without a seat.
    pub(crate) fn expected_view(&self, peer: u64, game: &Game) -> Option<ShownView> {
        Some(ShownView::of(game, self.viewer(peer)?))
    }

    /// The purse of this peer's player; `None` without a player.
    pub(crate) fn purse(&self, peer: u64) -> Option<u32> {
        let player = self.world.players().iter().find(|player| player.peer == peer);
        player.map(|player| player.purse)
    }

    /// The message with which this peer asks for its whole state again; `None` without a seat.
    pub(crate) fn rejoin_message(&self, peer: u64) -> Option<Vec<u8>> {
        match self.viewer(peer)? {
            Viewer::Spectator => Some(b"SPECTATE".to_vec()),
            Viewer::Player(letter) => {
                let name = &self.world.players()[letter.index()].name;
                Some(format!("PLAY {name}").into_bytes())
            }
        }
    }

    fn viewer(&self, peer: u64) -> Option<Viewer> {
        if self.world.spectator() == Some(peer) {
            return Some(Viewer::Spectator);
        }
        let is_here =
            |player: &nuggets_model::ModelPlayer| player.peer == peer && player.at.is_some();
        let index = self.world.players().iter().position(is_here);
        index.and_then(Letter::nth).map(Viewer::Player)
    }

    /// Gives the model a datagram and returns the answers that the room must send.
    pub(super) fn handle_message(
        &mut self,
        at: Moment,
        peer: u64,
        bytes: &[u8],
        landing: Option<Spot>,
    ) -> Vec<Outgoing> {
        let was_unreachable = self.unreachable.remove(&peer);
        let before = self.clone_state();
        let expected = self.world.handle_message(peer, bytes, landing);
        self.note_input(at, &before);
        let index = self.world.players().iter().position(|player| player.peer == peer);
        let has_moved = |index: usize| {
            before.0.get(index).is_some_and(|spot| *spot != self.world.players()[index].at)
        };
        if index.is_some_and(has_moved) {
            self.have_moved.insert(peer);
        }
        if self.viewer(peer).is_some() {
            self.timing.heard.insert(peer, at.now);
            if was_unreachable {
                self.timing.sent.insert(peer, Sent::new(at.now));
            }
            if bytes.starts_with(b"KEY ") {
                self.have_pressed.insert(peer);
            }
        }
        self.note_sent(at.now, &expected);
        self.note_end(at.now);
        expected
    }

    /// Returns everything that inputs change.
    fn clone_state(&self) -> (Vec<Option<Spot>>, Option<u64>) {
        (self.world.players().iter().map(|player| player.at).collect(), self.world.spectator())
    }

    /// Notes the last datagram if the journal must hold it.
    fn note_input(&mut self, at: Moment, (spots, spectator): &(Vec<Option<Spot>>, Option<u64>)) {
        if self.clone_state() == (spots.clone(), *spectator) {
            return;
        }
        self.inputs += 1;
        self.last_input_at = at.room;
        for (index, player) in self.world.players().iter().enumerate() {
            if index >= spots.len() {
                self.joined_at.insert(player.peer, self.inputs);
            }
        }
        if let Some(peer) = self.world.spectator().filter(|peer| Some(*peer) != *spectator) {
            self.joined_at.insert(peer, self.inputs);
            self.have_pressed.remove(&peer);
        }
    }

    /// New gold and new pictures are resent later, unless something newer follows.
    fn note_sent(&mut self, now: Timestamp, expected: &[Outgoing]) {
        for (peer, message) in expected {
            if shows_game(message) && !self.unreachable.contains(peer) {
                self.timing.sent.insert(*peer, Sent::new(now));
                if let Some(numbers) = message.strip_prefix(b"GOLD ") {
                    self.timing.note_gold(now, *peer, !numbers.starts_with(b"0 "));
                }
            }
        }
    }

    fn note_end(&mut self, now: Timestamp) {
        if self.world.is_over() && self.end.is_none() {
            let seated = self.present().into_iter().collect();
            self.end = Some(EndSent { since: now, at: now, seated });
            self.is_end_stored = true;
            self.timing.note_end(now);
            self.note_undeliverable_end();
        }
    }

    /// Closes the room if no peer is reachable: it lingers only for peers that it can reach.
    fn note_undeliverable_end(&mut self) {
        if self.reachable().is_empty() {
            self.timing.note_all_unreachable();
        }
    }

    pub(super) fn note_unreachable(&mut self, peer: u64) {
        if self.viewer(peer).is_some() {
            self.unreachable.insert(peer);
            self.note_undeliverable_end();
        }
    }

    /// Checks that the room answers a datagram like the model, except for answers to unreachable peers.
    pub(super) fn check_answers(
        &mut self,
        mut expected: Vec<Outgoing>,
        real: &[Outgoing],
    ) -> Result<(), String> {
        let mut compared = real.to_vec();
        for answers in [&mut expected, &mut compared] {
            answers.retain(|(peer, message)| {
                let is_left_out = self.ignores_house_rules && is_house_rules(message);
                !self.unreachable.contains(peer) && !is_left_out
            });
        }
        expect_same_answers(&expected, &compared)?;
        self.check_nothing_wasted(real)?;
        self.check_sent(real)
    }

    /// No message shows its receiver what that one has not seen.
    pub(super) fn check_sent(&mut self, real: &[Outgoing]) -> Result<(), String> {
        expect_no_flaws(&self.world.check_sent(real))
    }

    /// Unreachable peers are sent no pictures and no gold.
    pub(super) fn check_nothing_wasted(&self, real: &[Outgoing]) -> Result<(), String> {
        let is_wasted =
            |(peer, message): &&Outgoing| self.unreachable.contains(peer) && shows_game(message);
        let wasted = real.iter().find(is_wasted);
        wasted.map_or(Ok(()), |(peer, _)| Err(format!("peer {peer} can't be reached")))
    }

    /// Checks the answer to a datagram after the end: the final table for a peer that had a seat, nothing for others.
    pub(super) fn check_answer_after_end(
        &self,
        peer: u64,
        real: &[Outgoing],
    ) -> Result<(), String> {
        let is_seated = self.end.as_ref().is_some_and(|end| end.seated.contains(&peer));
        let is_notified = !self.timing.is_closed() && is_seated;
        let expected = if is_notified { self.end_messages(peer) } else { Vec::new() };
        expect_same("answer after the end", &expected[..], real)
    }

    fn end_messages(&self, peer: u64) -> Vec<Outgoing> {
        let table = self.world.table();
        let messages = self.dialect.game_over(&table);
        messages.iter().map(|message| (peer, message.to_bytes())).collect()
    }

    /// Handles a timeout: idle players are dropped, and gold and pictures, or the end, are resent.
    pub(super) fn handle_timeout(
        &mut self,
        at: Moment,
        room: &Room,
        real: &[Outgoing],
    ) -> Result<(), String> {
        if self.world.is_over() {
            return self.handle_end_timeout(at, real);
        }
        let resends = self.timing.take_resends(at.now, &self.reachable());
        let idle = self.timing.idle(at.now, &self.playing());
        if idle.is_empty() {
            let resend = |(peer, with_gold): (&u64, &bool)| {
                let view = self.expected_view(*peer, room.game())?;
                let gold = with_gold.then(|| (*peer, format!("GOLD 0 {}", view.gold).into_bytes()));
                Some(gold.into_iter().chain([(*peer, view.picture)]))
            };
            let expected: Vec<Outgoing> = resends.iter().filter_map(resend).flatten().collect();
            expect_same_answers(&expected, real)?;
        }
        self.drop_idle_players(at, &idle, real)?;
        self.check_sent(real)?;
        self.check_resends(room, real)
    }

    /// The end is sent to the peers that had a seat and can be reached, when it is due, and nothing else.
    fn handle_end_timeout(&mut self, at: Moment, real: &[Outgoing]) -> Result<(), String> {
        let receivers = self.reachable();
        if !std::mem::replace(&mut self.is_end_stored, true) {
            self.last_input_at = at.room;
        }
        let receivers = if self.timing.take_end(at.now) { &receivers[..] } else { &[] };
        let expected: Vec<Outgoing> =
            receivers.iter().flat_map(|peer| self.end_messages(*peer)).collect();
        self.note_undeliverable_end();
        expect_same_answers(&expected, real)
    }

    /// Drops these idle players, one after the other, until the game is over.
    fn drop_idle_players(
        &mut self,
        at: Moment,
        idle: &[u64],
        real: &[Outgoing],
    ) -> Result<(), String> {
        for peer in idle {
            if self.world.is_over() {
                break;
            }
            let before = self.clone_state();
            let expected = self.world.drop_idle_player(*peer);
            self.note_input(at, &before);
            self.note_sent(at.now, &expected);
            let is_notified =
                real.iter().any(|(to, message)| to == peer && message.starts_with(b"QUIT"));
            expect_same("QUIT to an idle player", &true, &is_notified)?;
            self.unreachable.remove(peer);
            self.note_end(at.now);
        }
        Ok(())
    }

    /// Whatever is sent by time alone shows the game as it is now.
    pub(super) fn check_resends(&self, room: &Room, real: &[Outgoing]) -> Result<(), String> {
        self.check_nothing_wasted(real)?;
        let mut last_gold = BTreeMap::new();
        for (peer, message) in real {
            let Some(view) = self.expected_view(*peer, room.game()) else {
                // Gold may have been resent to a player just before it was dropped.
                let is_picture = message.starts_with(b"DISPLAY");
                expect_same("a picture for a peer without a seat", &false, &is_picture)?;
                continue;
            };
            match ServerMessage::parse(message).map_err(|why| why.to_string())? {
                ServerMessage::Display(_) => {
                    expect_same("a resent picture", &text(&view.picture), &text(message))?;
                }
                ServerMessage::Gold { purse, remaining, .. } => {
                    last_gold.insert(*peer, (view.gold, format!("{purse} {remaining}")));
                }
                _ if room.is_over() => {}
                other => return Err(format!("{other:?} was sent to peer {peer} for no reason")),
            }
        }
        last_gold
            .values()
            .try_for_each(|(expected, real)| expect_same("resent gold", expected, real))
    }

    /// The server is stopped: every seat gets a goodbye, unless the game was over.
    pub(super) fn shut_down(&mut self, was_over: bool, real: &[Outgoing]) -> Result<(), String> {
        expect_no_flaws(&self.world.check_memory())?;
        let expected = if was_over { Vec::new() } else { self.world.shut_down() };
        self.check_answers(expected, real)
    }

    /// Checks that room and model agree on the state that no message may have shown yet, and that the model finds
    /// no broken rule.
    pub(super) fn check_state(&self, room: &Room) -> Result<(), String> {
        expect_no_flaws(&self.world.check())?;
        let world = &self.world;
        let game = room.game();
        let piles = game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect();
        expect_same("piles", world.piles(), &piles)?;
        expect_same("food", world.food(), &game.food().iter().copied().map(spot).collect())?;
        expect_same("game over", &world.is_over(), &room.is_over())?;
        expect_same("room closed", &self.timing.is_closed(), &room.is_closed())?;
        expect_same("table", &world.table(), &game.table().to_string())?;
        expect_same("number of players", &world.players().len(), &game.players().len())?;
        for (model, real) in world.players().iter().zip(game.players()) {
            expect_same("spot of a player", &model.at, &real.at().map(spot))?;
            expect_same("steps left", &model.steps_left, &real.steps_left())?;
        }
        Ok(())
    }
}

pub(super) fn shows_game(message: &[u8]) -> bool {
    message.starts_with(b"DISPLAY\n") || message.starts_with(b"GOLD ")
}

pub(super) fn expect_same_answers(expected: &[Outgoing], real: &[Outgoing]) -> Result<(), String> {
    expect_same_per_peer(expected, real).map_err(|difference| difference.to_string())
}

fn is_house_rules(message: &[u8]) -> bool {
    match ServerMessage::parse(message) {
        Ok(ServerMessage::Error(text) | ServerMessage::No(text)) => {
            house_rules::is_rules_text(&text)
        }
        _ => false,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn expect_no_flaws(flaws: &[String]) -> Result<(), String> {
    if flaws.is_empty() { Ok(()) } else { Err(flaws.join("\n")) }
}
