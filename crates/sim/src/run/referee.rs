//! The room and the model side by side: both get every datagram, and everything is compared.
//!
//! What a room does in time alone (repeats, letting the silent go, telling the end again) is not in
//! the model and is held to rules of its own here.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Game, Letter, Map, Player, Sight, Viewer};
use nuggets_model::{Answer, World, same_per_peer};
use nuggets_protocol::{Dialect, ServerMessage};
use nuggets_server::{Millis, Peer, Room, sight_rule};

use super::plan::Plan;
use crate::beside::{compare, no_flaws, same, settings, spot};

/// One room under watch.
#[derive(Debug)]
pub(super) struct Referee {
    room: Room,
    world: World,
    dialect: Dialect,
    /// Peers that the room knows to be unreachable.
    lost: BTreeSet<u64>,
    /// The end: when it came, and who sat there.
    end: Option<(Millis, BTreeSet<u64>)>,
    /// Datagrams that both were given.
    pub(super) compared: u64,
}

type Verdict = Result<Vec<Answer>, String>;

impl Referee {
    pub(super) fn new(plan: &Plan) -> Result<Self, String> {
        let map = Map::parse(plan.map.as_bytes()).map_err(|why| why.to_string())?.map;
        let sight = Sight::new(map, sight_rule(plan.dialect)).within(plan.room_rules.vision);
        let game = Game::new(Arc::new(sight), plan.room_rules, plan.game_seed);
        let game = game.map_err(|why| why.to_string())?;
        let settings = settings(&plan.rules, plan.dialect, plan.changed_only, &game);
        let world = World::new(&plan.map, settings);
        let room = Room::new(game, plan.dialect).changed_only(plan.changed_only);
        Ok(Self {
            room: room.careful(plan.care),
            world,
            dialect: plan.dialect,
            lost: BTreeSet::new(),
            end: None,
            compared: 0,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.room.is_closed()
    }

    pub(super) fn next_at(&self) -> Option<Millis> {
        self.room.poll_timeout()
    }

    /// When the game ended, and who sat there then.
    pub(super) fn end(&self) -> Option<&(Millis, BTreeSet<u64>)> {
        self.end.as_ref()
    }

    pub(super) fn table(&self) -> String {
        self.room.game().table().to_string()
    }

    /// A datagram has arrived.
    pub(super) fn say(&mut self, now: Millis, peer: u64, bytes: &[u8]) -> Verdict {
        self.compared += 1;
        if self.room.is_over() {
            return self.say_at_the_end(now, peer, bytes);
        }
        self.lost.remove(&peer);
        let joined = self.room.game().players().len();
        self.room.handle_message(now, address(peer), bytes);
        let newcomer = self.room.game().players().get(joined);
        let landing = newcomer.and_then(Player::at).map(spot);
        let real = self.drain();
        let model = self.world.say(peer, bytes, landing);
        self.note_end(now, &model);
        same_per_peer(&self.without_lost(&model), &self.without_lost(&real))?;
        self.nothing_to_the_lost(&real)?;
        no_flaws(&self.world.check_sent(&real))?;
        self.compare_states()?;
        Ok(real)
    }

    /// Whoever sits there and still speaks is told the end; nobody else is told anything.
    fn say_at_the_end(&mut self, now: Millis, peer: u64, bytes: &[u8]) -> Verdict {
        let is_told = !self.room.is_closed() && self.is_to_know(peer);
        self.room.handle_message(now, address(peer), bytes);
        let real = self.drain();
        let expected = if is_told { self.last_words(peer) } else { Vec::new() };
        same("words at the end", &expected, &real)?;
        self.compare_states()?;
        Ok(real)
    }

    /// The moment that `next_at` spoke of has come.
    pub(super) fn wake(&mut self, now: Millis) -> Verdict {
        let was_over = self.room.is_over();
        self.room.handle_timeout(now);
        let real = self.drain();
        if was_over {
            return self.check_last_words(real);
        }
        self.let_the_silent_go(now, &real)?;
        no_flaws(&self.world.check_sent(&real))?;
        self.nothing_to_the_lost(&real)?;
        self.check_repeats(&real)?;
        self.compare_states()?;
        Ok(real)
    }

    /// What was sent to this peer came back.
    pub(super) fn lose(&mut self, now: Millis, peer: u64) -> Verdict {
        if self.viewer(peer).is_some() {
            self.lost.insert(peer);
        }
        self.room.handle_unreachable(now, address(peer));
        let real = self.drain();
        same("words about the unreachable", &Vec::new(), &real)?;
        self.compare_states()?;
        Ok(real)
    }

    /// The last check: memory is looked at again, and everybody is sent home.
    pub(super) fn shut_down(&mut self) -> Verdict {
        no_flaws(&self.world.check_memory())?;
        let was_over = self.room.is_over();
        self.room.shut_down();
        let real = self.drain();
        let model = if was_over { Vec::new() } else { self.world.shut_down() };
        same_per_peer(&self.without_lost(&model), &self.without_lost(&real))?;
        Ok(real)
    }

    /// What this peer should have before its eyes now: its picture and its gold. Nothing if it has
    /// no seat.
    pub(super) fn should_see(&self, peer: u64) -> Option<(Vec<u8>, String)> {
        let viewer = self.viewer(peer)?;
        let mut picture = b"DISPLAY\n".to_vec();
        self.room.game().view(viewer).write_to(&mut picture);
        Some((picture, self.gold(viewer)))
    }

    /// What this peer has to ask to be shown everything again, if it has a seat.
    pub(super) fn question(&self, peer: u64) -> Option<Vec<u8>> {
        match self.viewer(peer)? {
            Viewer::Spectator => Some(b"SPECTATE".to_vec()),
            Viewer::Player(letter) => {
                let name = &self.world.players()[letter.index()].name;
                Some(format!("PLAY {name}").into_bytes())
            }
        }
    }

    /// Who can take so many steps without bringing the game to an end.
    pub(super) fn steppers(&self, steps: usize) -> Vec<u64> {
        let game = self.room.game();
        let is_safe = game.rules().lifetime.is_none() && game.piles().count() > steps;
        let here = self.world.players().iter().filter(|player| is_safe && player.at.is_some());
        here.map(|player| player.peer).collect()
    }

    fn gold(&self, viewer: Viewer) -> String {
        let game = self.room.game();
        let purse = match viewer {
            Viewer::Player(letter) => game.player(letter).purse(),
            Viewer::Spectator => 0,
        };
        format!("{purse} {}", game.remaining())
    }

    /// Whose eyes a peer looks through, by the model.
    fn viewer(&self, peer: u64) -> Option<Viewer> {
        if self.world.spectator() == Some(peer) {
            return Some(Viewer::Spectator);
        }
        let here = |player: &nuggets_model::Player| player.peer == peer && player.at.is_some();
        let place = self.world.players().iter().position(here);
        place.and_then(Letter::nth).map(Viewer::Player)
    }

    fn is_to_know(&self, peer: u64) -> bool {
        self.end.as_ref().is_some_and(|(_, seated)| seated.contains(&peer))
    }

    /// Everybody who sits there at the end hears the table, so that is how they are known.
    fn note_end(&mut self, now: Millis, model: &[Answer]) {
        if self.world.is_over() && self.end.is_none() {
            let over = |message: &[u8]| {
                message.starts_with(b"QUIT GAME OVER:") || message.starts_with(b"GAMEOVER")
            };
            let told = model.iter().filter(|(_, message)| over(message));
            self.end = Some((now, told.map(|(peer, _)| *peer).collect()));
        }
    }

    fn last_words(&self, peer: u64) -> Vec<Answer> {
        let table = self.world.table();
        let words = self.dialect.game_over(&table);
        words.iter().map(|word| (peer, word.to_bytes())).collect()
    }

    /// The room has let somebody go: so must the model.
    fn let_the_silent_go(&mut self, now: Millis, real: &[Answer]) -> Result<(), String> {
        let gone = self.room.game().players().iter().map(|player| player.at().is_none());
        let gone: Vec<bool> = gone.collect();
        for (place, is_gone) in gone.into_iter().enumerate() {
            let model = &self.world.players()[place];
            let peer = model.peer;
            if is_gone && model.at.is_some() {
                let answers = self.world.say(peer, b"KEY Q", None);
                self.note_end(now, &answers);
                let is_told =
                    real.iter().any(|(to, word)| *to == peer && word.starts_with(b"QUIT"));
                same("a parting to the silent", &true, &is_told)?;
                self.lost.remove(&peer);
            }
        }
        Ok(())
    }

    /// Whatever is sent in time alone shows what is.
    fn check_repeats(&self, real: &[Answer]) -> Result<(), String> {
        let mut gold_told = std::collections::BTreeMap::new();
        for (peer, message) in real {
            let Some((picture, gold)) = self.should_see(*peer) else {
                // Its gold may have been repeated just before it was let go.
                same("a picture for nobody", &false, &message.starts_with(b"DISPLAY"))?;
                continue;
            };
            match ServerMessage::parse(message).map_err(|why| why.to_string())? {
                ServerMessage::Display(_) => {
                    same("a repeated picture", &text(&picture), &text(message))?;
                }
                ServerMessage::Gold { purse, remaining, .. } => {
                    gold_told.insert(*peer, (gold, format!("{purse} {remaining}")));
                }
                _ if self.room.is_over() => {}
                other => return Err(format!("{other:?} was sent to peer {peer} for no reason")),
            }
        }
        gold_told.values().try_for_each(|(model, real)| same("repeated gold", model, real))
    }

    /// The end is told again to those who sat there, and to nobody else.
    fn check_last_words(&self, real: Vec<Answer>) -> Verdict {
        for (peer, message) in &real {
            let is_right = self.last_words(*peer).iter().any(|(_, word)| word == message);
            same("last words", &(true, true), &(self.is_to_know(*peer), is_right))?;
        }
        self.nothing_to_the_lost(&real)?;
        self.compare_states()?;
        Ok(real)
    }

    fn without_lost(&self, answers: &[Answer]) -> Vec<Answer> {
        answers.iter().filter(|(peer, _)| !self.lost.contains(peer)).cloned().collect()
    }

    /// Whoever can't be reached is shown nothing.
    fn nothing_to_the_lost(&self, real: &[Answer]) -> Result<(), String> {
        let shows =
            |message: &[u8]| message.starts_with(b"DISPLAY") || message.starts_with(b"GOLD");
        let mut wasted = real.iter().filter(|(peer, word)| self.lost.contains(peer) && shows(word));
        wasted.next().map_or(Ok(()), |(peer, _)| Err(format!("peer {peer} can't be reached")))
    }

    fn drain(&mut self) -> Vec<Answer> {
        let mut sent = Vec::new();
        while self.room.poll_record().is_some() {}
        while let Some(transmit) = self.room.poll_transmit() {
            sent.push((number(transmit.to), transmit.payload.to_vec()));
        }
        while self.room.poll_notice().is_some() {}
        sent
    }

    /// What no message may have shown yet, and what must always hold.
    fn compare_states(&self) -> Result<(), String> {
        compare(&self.world, &self.room)?;
        let game = self.room.game();
        let purses: u32 = game.players().iter().map(Player::purse).sum();
        same("gold", &game.rules().nuggets, &(purses + game.remaining()))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everybody has a port of its own.
fn address(peer: u64) -> Peer {
    let port = u16::try_from(peer).unwrap_or(u16::MAX - FIRST_PORT);
    SocketAddr::from((Ipv4Addr::LOCALHOST, FIRST_PORT + port)).into()
}

fn number(peer: Peer) -> u64 {
    u64::from(SocketAddr::from(peer).port() - FIRST_PORT)
}

const FIRST_PORT: u16 = 1_000;

#[cfg(test)]
mod tests;
