//! The naive model of a room's game, and every comparison of the room with it.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_game::{Game, Letter, Point, Rules, Viewer};
use nuggets_model::{Answer, ModelSettings, Spot, World, Year, expect_same_per_peer};
use nuggets_protocol::{Dialect, ServerMessage, house_rules};
use nuggets_server::{Room, Timestamp};

use super::{GameEnd, Mismatch, broken, expect_same};

/// The model, and what it can't know of the room.
#[derive(Debug)]
pub(super) struct Model {
    world: World,
    dialect: Dialect,
    ignores_house_rules: bool,
    /// Peers that the room knows to be unreachable: they are sent neither pictures nor gold.
    unreachable: BTreeSet<u64>,
    end: Option<GameEnd>,
}

/// What a client must have on its screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedView {
    /// The whole `DISPLAY` message.
    pub picture: Vec<u8>,
    /// Purse and remaining nuggets, as they end a `GOLD` message.
    pub gold: String,
}

/// The model of the same game: piles and food lie where the game has them. The rules are given apart,
/// because a room that plays by other rules must be noticed.
pub fn model_of(
    map: &str,
    rules: &Rules,
    dialect: Dialect,
    changed_only: bool,
    game: &Game,
) -> World {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let settings = ModelSettings {
        year: match dialect {
            Dialect::V2021 => Year::Y2021,
            Dialect::V2019 => Year::Y2019,
        },
        gold: rules.nuggets,
        min_piles: count(rules.min_piles),
        max_piles: count(rules.max_piles),
        players: rules.max_players,
        vision: rules.vision.map(i64::from),
        steal: rules.steal,
        drop_on_quit: rules.drop_on_quit,
        lifetime: rules.lifetime.map(|lifetime| lifetime.steps),
        food: rules.lifetime.map_or(0, |lifetime| count(lifetime.food)),
        sprint_stops: rules.sprint_stops,
        end_when_empty: rules.end_when_empty,
        changed_only,
        piles: game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect(),
        food_at: game.food().iter().copied().map(spot).collect(),
    };
    World::new(map, settings)
}

impl Model {
    pub(super) fn new(world: World, dialect: Dialect) -> Self {
        let unreachable = BTreeSet::new();
        Self { world, dialect, ignores_house_rules: false, unreachable, end: None }
    }

    pub(super) fn ignore_house_rules(&mut self) {
        self.ignores_house_rules = true;
    }

    pub(super) fn end(&self) -> Option<&GameEnd> {
        self.end.as_ref()
    }

    /// The peers that are playing.
    pub(super) fn playing(&self) -> Vec<u64> {
        let playing = self.world.players().iter().filter(|player| player.at.is_some());
        playing.map(|player| player.peer).collect()
    }

    pub(super) fn expected_view(&self, peer: u64, game: &Game) -> Option<ExpectedView> {
        let viewer = self.viewer(peer)?;
        let mut picture = b"DISPLAY\n".to_vec();
        game.view(viewer).write_to(&mut picture);
        Some(ExpectedView { picture, gold: gold_text(game, viewer) })
    }

    pub(super) fn rejoin_message(&self, peer: u64) -> Option<Vec<u8>> {
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

    /// Gives the model a datagram; the answers that the room must give.
    pub(super) fn handle_message(
        &mut self,
        now: Timestamp,
        peer: u64,
        bytes: &[u8],
        landing: Option<Spot>,
    ) -> Vec<Answer> {
        self.unreachable.remove(&peer);
        let expected = self.world.handle_message(peer, bytes, landing);
        self.note_end(now, &expected);
        expected
    }

    /// The end is sent to every seat: that is how the seated peers are known.
    fn note_end(&mut self, now: Timestamp, expected: &[Answer]) {
        if !self.world.is_over() || self.end.is_some() {
            return;
        }
        let is_end = |message: &[u8]| {
            message.starts_with(b"QUIT GAME OVER:") || message.starts_with(b"GAMEOVER")
        };
        let receivers = expected.iter().filter(|(_, message)| is_end(message));
        self.end = Some(GameEnd { at: now, seated: receivers.map(|(peer, _)| *peer).collect() });
    }

    pub(super) fn note_unreachable(&mut self, peer: u64) {
        if self.viewer(peer).is_some() {
            self.unreachable.insert(peer);
        }
    }

    /// The room's answers to a datagram are the model's, except those to unreachable peers.
    pub(super) fn check_answers(
        &mut self,
        mut expected: Vec<Answer>,
        real: &[Answer],
    ) -> Result<(), Mismatch> {
        let mut compared = real.to_vec();
        for answers in [&mut expected, &mut compared] {
            answers.retain(|(peer, message)| {
                let is_left_out = self.ignores_house_rules && is_house_rules(message);
                !self.unreachable.contains(peer) && !is_left_out
            });
        }
        expect_same_per_peer(&expected, &compared)
            .map_err(|difference| Mismatch::Rule(difference.to_string()))?;
        self.check_nothing_wasted(real)?;
        self.check_sent(real)
    }

    /// No message shows its receiver what that one has not seen.
    pub(super) fn check_sent(&mut self, real: &[Answer]) -> Result<(), Mismatch> {
        expect_no_flaws(&self.world.check_sent(real))
    }

    /// Unreachable peers are sent no pictures and no gold.
    pub(super) fn check_nothing_wasted(&self, real: &[Answer]) -> Result<(), Mismatch> {
        let shows =
            |message: &[u8]| message.starts_with(b"DISPLAY") || message.starts_with(b"GOLD");
        let wasted =
            real.iter().find(|(peer, message)| self.unreachable.contains(peer) && shows(message));
        wasted.map_or(Ok(()), |(peer, _)| broken(format!("peer {peer} can't be reached")))
    }

    /// After the end a peer that had a seat is answered with the end, and no other peer is answered.
    pub(super) fn check_answer_after_end(
        &self,
        peer: u64,
        was_closed: bool,
        real: &[Answer],
    ) -> Result<(), Mismatch> {
        let is_notified = !was_closed && self.was_seated_at_end(peer);
        let expected = if is_notified { self.end_messages(peer) } else { Vec::new() };
        expect_same("answer after the end", &expected[..], real)
    }

    /// The end is sent again to peers that had a seat, and nothing else is sent.
    pub(super) fn check_resent_end(&self, real: &[Answer]) -> Result<(), Mismatch> {
        for answer @ (peer, message) in real {
            if !self.was_seated_at_end(*peer) || !self.end_messages(*peer).contains(answer) {
                let message = message.escape_ascii();
                return broken(format!("{message} was sent to peer {peer} after the end"));
            }
        }
        Ok(())
    }

    fn was_seated_at_end(&self, peer: u64) -> bool {
        self.end.as_ref().is_some_and(|end| end.seated.contains(&peer))
    }

    fn end_messages(&self, peer: u64) -> Vec<Answer> {
        let table = self.world.table();
        let messages = self.dialect.game_over(&table);
        messages.iter().map(|message| (peer, message.to_bytes())).collect()
    }

    /// Whom the room has dropped for silence, the model must drop, too.
    pub(super) fn drop_idle_players(
        &mut self,
        now: Timestamp,
        room: &Room,
        real: &[Answer],
    ) -> Result<(), Mismatch> {
        for (index, player) in room.game().players().iter().enumerate() {
            let model = &self.world.players()[index];
            let peer = model.peer;
            if player.at().is_some() || model.at.is_none() {
                continue;
            }
            let expected = self.world.handle_message(peer, b"KEY Q", None);
            self.note_end(now, &expected);
            let is_notified =
                real.iter().any(|(to, message)| *to == peer && message.starts_with(b"QUIT"));
            expect_same("QUIT to an idle player", &true, &is_notified)?;
            self.unreachable.remove(&peer);
        }
        Ok(())
    }

    /// Whatever is sent by time alone shows the game as it is now.
    pub(super) fn check_resends(&self, room: &Room, real: &[Answer]) -> Result<(), Mismatch> {
        self.check_nothing_wasted(real)?;
        let mut last_gold = BTreeMap::new();
        for (peer, message) in real {
            let Some(view) = self.expected_view(*peer, room.game()) else {
                // Gold may have been resent to a player just before it was dropped.
                let is_picture = message.starts_with(b"DISPLAY");
                expect_same("a picture for a peer without a seat", &false, &is_picture)?;
                continue;
            };
            match ServerMessage::parse(message).or_else(|why| broken(why.to_string()))? {
                ServerMessage::Display(_) => {
                    expect_same("a resent picture", &text(&view.picture), &text(message))?;
                }
                ServerMessage::Gold { purse, remaining, .. } => {
                    last_gold.insert(*peer, (view.gold, format!("{purse} {remaining}")));
                }
                _ if room.is_over() => {}
                other => return broken(format!("{other:?} was sent to peer {peer} for no reason")),
            }
        }
        last_gold
            .values()
            .try_for_each(|(expected, real)| expect_same("resent gold", expected, real))
    }

    /// The server is stopped: every seat gets a goodbye, unless the game was over.
    pub(super) fn shut_down(&mut self, was_over: bool, real: &[Answer]) -> Result<(), Mismatch> {
        expect_no_flaws(&self.world.check_memory())?;
        let expected = if was_over { Vec::new() } else { self.world.shut_down() };
        self.check_answers(expected, real)
    }

    /// Everything that no message may have shown yet is the same, and the model finds no rule broken.
    pub(super) fn check_state(&self, room: &Room) -> Result<(), Mismatch> {
        expect_no_flaws(&self.world.check())?;
        let world = &self.world;
        let game = room.game();
        let piles = game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect();
        expect_same("piles", world.piles(), &piles)?;
        expect_same("food", world.food(), &game.food().iter().copied().map(spot).collect())?;
        expect_same("game over", &world.is_over(), &room.is_over())?;
        expect_same("table", &world.table(), &game.table().to_string())?;
        expect_same("number of players", &world.players().len(), &game.players().len())?;
        for (model, real) in world.players().iter().zip(game.players()) {
            expect_same("spot of a player", &model.at, &real.at().map(spot))?;
            expect_same("steps left", &model.steps_left, &real.steps_left())?;
        }
        Ok(())
    }
}

/// Purse and remaining nuggets, as they end a `GOLD` message.
pub(super) fn gold_text(game: &Game, viewer: Viewer) -> String {
    let purse = match viewer {
        Viewer::Player(letter) => game.player(letter).purse(),
        Viewer::Spectator => 0,
    };
    format!("{purse} {}", game.remaining())
}

/// A gridpoint in the form of the model.
pub(super) fn spot(at: Point) -> Spot {
    (at.row.into(), at.col.into())
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

fn expect_no_flaws(flaws: &[String]) -> Result<(), Mismatch> {
    if flaws.is_empty() { Ok(()) } else { broken(flaws.join("\n")) }
}
