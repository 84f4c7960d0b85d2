//! The world: the clients of a game, the messages it receives, and its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base_map::BaseMap;
use crate::messages::{self, ClientMessage};
use crate::{ModelSettings, Outgoing, Spot};

mod invariants;
mod movement;
mod picture;

/// One game and its clients, as a server sees them. See the crate's documentation for an example.
#[derive(Clone, Debug)]
pub struct World {
    map: BaseMap,
    settings: ModelSettings,
    piles: BTreeMap<Spot, u32>,
    food: BTreeSet<Spot>,
    players: Vec<ModelPlayer>,
    spectator: Option<u64>,
    is_over: bool,
    /// The messages caused by the current datagram so far.
    answers: Vec<Outgoing>,
    /// The last picture sent to each peer.
    shown: BTreeMap<u64, String>,
    /// The field of view of each spot; it never changes, so it is computed once.
    seen_from: BTreeMap<Spot, Arc<BTreeSet<Spot>>>,
    /// Violations of the rules by the RNG or the server.
    violations: Vec<String>,
    /// The peer that each letter was sent to in an `OK`.
    letters_sent: BTreeMap<char, u64>,
}

/// A player, on the map or gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPlayer {
    /// The peer that plays it.
    pub peer: u64,
    /// Its letter, A to Z.
    pub letter: char,
    /// The name, cut and cleaned.
    pub name: String,
    /// Nuggets in its purse.
    pub purse: u32,
    /// Its spot; `None` once it has left.
    pub at: Option<Spot>,
    /// Every gridpoint that it has ever seen.
    pub known: BTreeSet<Spot>,
    /// Every spot that it has ever stood on.
    pub stood_on: BTreeSet<Spot>,
    /// Its remaining steps, if they are limited.
    pub steps_left: Option<u32>,
}

/// The role of a peer.
enum Role {
    /// The player with this index.
    Player(usize),
    /// A player who has left.
    Gone,
    Spectator,
    NotJoined,
}

const GONE: &str = "You have left this game and can't come back.";

impl World {
    /// Creates a game that no player has joined yet.
    pub fn new(map_text: &str, settings: ModelSettings) -> Self {
        let mut world = Self {
            map: BaseMap::parse(map_text),
            piles: settings.piles.clone(),
            food: settings.food_at.clone(),
            settings,
            players: Vec::new(),
            spectator: None,
            is_over: false,
            answers: Vec::new(),
            shown: BTreeMap::new(),
            seen_from: BTreeMap::new(),
            violations: Vec::new(),
            letters_sent: BTreeMap::new(),
        };
        world.check_start();
        world
    }

    /// All players who ever joined, in the order of letters.
    pub fn players(&self) -> &[ModelPlayer] {
        &self.players
    }

    /// The peer of the spectator.
    pub fn spectator(&self) -> Option<u64> {
        self.spectator
    }

    /// The piles: spot and size.
    pub fn piles(&self) -> &BTreeMap<Spot, u32> {
        &self.piles
    }

    /// The spots of the food.
    pub fn food(&self) -> &BTreeSet<Spot> {
        &self.food
    }

    /// Nuggets in all piles.
    pub fn remaining(&self) -> u32 {
        self.piles.values().sum()
    }

    /// True if the game has ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// One row for every player who ever joined: the letter, the purse right-aligned in 10, the name.
    pub fn table(&self) -> String {
        let row = |player: &ModelPlayer| {
            format!("{} {:>10} {}", player.letter, player.purse, player.name)
        };
        self.players.iter().map(row).collect::<Vec<String>>().join("\n")
    }

    /// Handles a datagram and returns everything that must be sent because of it. If a player joins,
    /// `landing` is the spot that the RNG chose for it.
    pub fn handle_message(
        &mut self,
        peer: u64,
        bytes: &[u8],
        landing: Option<Spot>,
    ) -> Vec<Outgoing> {
        let joined = self.players.len();
        // Once the game is over the server has exited.
        if !self.is_over {
            self.handle(peer, bytes, landing);
        }
        if landing.is_some() && self.players.len() == joined {
            self.violations.push(format!("peer {peer} landed, but must not join"));
        }
        std::mem::take(&mut self.answers)
    }

    /// Stops the server: every client gets a `QUIT` that says so.
    pub fn shut_down(&mut self) -> Vec<Outgoing> {
        if !self.is_over {
            self.is_over = true;
            for peer in self.peers_present() {
                self.send_each(
                    peer,
                    messages::quit_with_reason(self.settings.year, "The server stops."),
                );
            }
        }
        std::mem::take(&mut self.answers)
    }

    /// Resumes after a restart of the server: every client that is present gets its gold and its picture.
    pub fn resume(&mut self) -> Vec<Outgoing> {
        for peer in self.peers_present() {
            self.send_gold(peer, 0);
            self.shown.remove(&peer);
            self.send_display(peer);
        }
        std::mem::take(&mut self.answers)
    }

    /// Removes a player that has reached the idle timeout. The wording of its `QUIT` is up to the
    /// server, so the answers do not include it.
    pub fn drop_idle_player(&mut self, peer: u64) -> Vec<Outgoing> {
        let answers = self.handle_message(peer, b"KEY Q", None);
        answers.into_iter().filter(|(to, _)| *to != peer).collect()
    }

    fn handle(&mut self, peer: u64, bytes: &[u8], landing: Option<Spot>) {
        match messages::parse(bytes) {
            ClientMessage::Play(name) => self.handle_play(peer, &name, landing),
            ClientMessage::Spectate => self.handle_spectate(peer),
            ClientMessage::Key(key) => self.handle_key(peer, key),
            ClientMessage::Malformed => self.send_error(peer, "This is malformed."),
            // Two servers would send error replies to each other without end.
            ClientMessage::ErrorReply => {}
        }
    }

    fn handle_play(&mut self, peer: u64, name: &[u8], landing: Option<Spot>) {
        match self.role(peer) {
            Role::NotJoined => self.join(peer, name, landing),
            // The same `PLAY` again is a retry after a lost answer.
            Role::Player(who) if self.players[who].name == messages::clean_name(name) => {
                self.welcome(peer);
            }
            Role::Player(_) => self.send_error(peer, "You play under another name."),
            Role::Spectator => self.send_error(peer, "You are the spectator."),
            Role::Gone => {
                self.send_each(peer, messages::quit_with_reason(self.settings.year, GONE));
            }
        }
    }

    fn join(&mut self, peer: u64, name: &[u8], landing: Option<Spot>) {
        let year = self.settings.year;
        // A full game is checked before the name.
        if self.players.len() >= self.settings.players {
            return self.send(peer, messages::full(year));
        }
        // A blank name is rejected. The rules leave open whether that is checked before or after the
        // name is cut: where it matters, either is right.
        let cut = &name[..name.len().min(50)];
        if messages::is_blank(name) || (messages::is_blank(cut) && landing.is_none()) {
            return self.send(peer, messages::blank_name(year));
        }
        // A new player starts on a room spot without an occupant.
        let Some(at) = landing else {
            if self.map.points().into_iter().any(|point| self.is_free_room(point)) {
                self.violations.push(format!("peer {peer} must join, but did not land"));
            }
            return self
                .send_each(peer, messages::quit_with_reason(year, "There is no free spot."));
        };
        if !self.is_free_room(at) {
            self.violations
                .push(format!("peer {peer} landed on {at:?}, which is no free room spot"));
        }
        self.add_player(peer, name, at);
        self.welcome(peer);
        for other in self.peers_present() {
            if other != peer {
                self.send_display(other);
            }
        }
    }

    fn add_player(&mut self, peer: u64, name: &[u8], at: Spot) {
        // Letters are assigned in order, and none is used twice.
        let letter = ('A'..='Z').nth(self.players.len()).unwrap_or('?');
        self.players.push(ModelPlayer {
            peer,
            letter,
            name: messages::clean_name(name),
            purse: 0,
            at: None,
            known: BTreeSet::new(),
            stood_on: BTreeSet::new(),
            steps_left: self.settings.lifetime,
        });
        self.put(self.players.len() - 1, at);
    }

    fn handle_spectate(&mut self, peer: u64) {
        match self.role(peer) {
            Role::Spectator => self.welcome(peer),
            Role::NotJoined => {
                // One spectator at a time: a new one replaces the old.
                if let Some(old) = self.spectator.replace(peer) {
                    self.send_quit(old, "You have been replaced by a new spectator.");
                }
                self.welcome(peer);
            }
            Role::Player(_) => self.send_error(peer, "You are a player."),
            Role::Gone => {
                self.send_each(peer, messages::quit_with_reason(self.settings.year, GONE));
            }
        }
    }

    fn handle_key(&mut self, peer: u64, key: char) {
        match self.role(peer) {
            Role::Player(who) if key == 'Q' => self.quit(who),
            Role::Player(who) => self.press(who, key),
            // The spectator may only quit, and has not joined from then on.
            Role::Spectator if key == 'Q' => {
                self.spectator = None;
                self.send_quit(peer, "Thanks for watching!");
            }
            Role::Spectator => self.send_error(peer, "You can only press Q."),
            // The first `QUIT` was lost.
            Role::Gone if key == 'Q' => self.send_quit(peer, "Thanks for playing!"),
            // Its `QUIT` was lost; otherwise it would not press keys.
            Role::Gone => {
                self.send_each(peer, messages::quit_with_reason(self.settings.year, GONE));
            }
            Role::NotJoined => self.send_error(peer, "You have not joined."),
        }
    }

    /// Sends the goodbye to the player who quits and `DISPLAY` to the rest.
    fn quit(&mut self, who: usize) {
        let dropped = self.remove_player(who);
        self.send_quit(self.players[who].peer, "Thanks for playing!");
        // Dropped gold changes the numbers of every client.
        if dropped > 0 {
            self.send_gold_to_all(who, 0);
        }
        self.send_all_displays();
        self.end_if_over();
    }

    /// Takes a player off the map; returns the nuggets that it dropped, with that variant.
    fn remove_player(&mut self, who: usize) -> u32 {
        let player = &mut self.players[who];
        let Some(at) = player.at.take() else { return 0 };
        if !self.settings.drop_on_quit || player.purse == 0 {
            return 0;
        }
        let dropped = std::mem::take(&mut player.purse);
        self.piles.insert(at, dropped);
        dropped
    }

    /// Sends `OK` to a player, `GRID`, `GOLD` and `DISPLAY`; then the house rules.
    fn welcome(&mut self, peer: u64) {
        let who = self.player_of(peer);
        if let Some(who) = who {
            self.send(peer, format!("OK {}", self.players[who].letter));
        }
        self.send(peer, format!("GRID {} {}", self.map.rows, self.map.cols));
        self.send_gold(peer, 0);
        self.shown.remove(&peer);
        self.send_display(peer);
        let house_rules = self.settings.house_rules();
        if !house_rules.is_empty() {
            self.send_error(peer, &format!("House rules: {house_rules}"));
        }
        if let Some(who) = who {
            self.send_steps_left(who);
        }
    }

    /// Sends `GOLD n p r`: found now, in the receiver's purse, left on the map. The spectator's purse is always 0.
    fn send_gold(&mut self, peer: u64, found: u32) {
        let purse = self.player_of(peer).map_or(0, |who| self.players[who].purse);
        self.send(peer, format!("GOLD {found} {purse} {}", self.remaining()));
    }

    /// Sends `GOLD` to every client; `n` is 0 for all but the finder.
    fn send_gold_to_all(&mut self, finder: usize, found: u32) {
        for peer in self.peers_present() {
            let is_finder = peer == self.players[finder].peer;
            self.send_gold(peer, if is_finder { found } else { 0 });
        }
    }

    fn send_steps_left(&mut self, who: usize) {
        if let Some(left) = self.players[who].steps_left {
            let unit = if left == 1 { "step" } else { "steps" };
            self.send_error(self.players[who].peer, &format!("{left} {unit} left"));
        }
    }

    /// True when no gold is left on the map; when all players who can join have joined and left; and, with that
    /// variant, when the last player has left.
    fn ends_now(&self) -> bool {
        let is_empty = self.players.iter().all(|player| player.at.is_none());
        let is_full = self.players.len() >= self.settings.players;
        self.remaining() == 0 || (is_empty && (is_full || self.settings.end_when_empty))
    }

    /// Ends the game if it is over: sends the table to every client that is present.
    fn end_if_over(&mut self) {
        if self.ends_now() {
            self.is_over = true;
            for peer in self.peers_present() {
                self.send_each(peer, messages::game_over(self.settings.year, &self.table()));
            }
        }
    }

    fn role(&self, peer: u64) -> Role {
        if self.spectator == Some(peer) {
            return Role::Spectator;
        }
        match self.player_of(peer) {
            Some(who) if self.players[who].at.is_some() => Role::Player(who),
            Some(_) => Role::Gone,
            None => Role::NotJoined,
        }
    }

    fn player_of(&self, peer: u64) -> Option<usize> {
        self.players.iter().position(|player| player.peer == peer)
    }

    /// Returns the peers of the players on the map, and that of the spectator.
    fn peers_present(&self) -> Vec<u64> {
        let here = self.players.iter().filter(|player| player.at.is_some());
        here.map(|player| player.peer).chain(self.spectator).collect()
    }

    fn is_free_room(&self, point: Spot) -> bool {
        let is_taken = self.players.iter().any(|player| player.at == Some(point));
        let is_laid = self.piles.contains_key(&point) || self.food.contains(&point);
        self.map.is_room(point) && !is_taken && !is_laid
    }

    fn send_error(&mut self, peer: u64, why: &str) {
        self.send(peer, messages::error_reply(self.settings.year, why));
    }

    fn send_quit(&mut self, peer: u64, text: &str) {
        self.send(peer, messages::quit(self.settings.year, text));
    }

    fn send_each(&mut self, peer: u64, messages: Vec<String>) {
        for message in messages {
            self.send(peer, message);
        }
    }

    fn send(&mut self, peer: u64, message: String) {
        self.answers.push((peer, message.into_bytes()));
    }
}

#[cfg(test)]
mod tests;
