//! The world: who is in the game, what is said to it, and what it answers.
//!
//! Moving is in `moving`, pictures in `picture`, invariants in `check`.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::Ground;
use crate::words::{self, Said};
use crate::{Answer, Settings, Spot};

mod check;
mod moving;
mod picture;

/// One game and everybody in it, as a server sees them. See the crate's documentation for an
/// example.
#[derive(Clone, Debug)]
pub struct World {
    ground: Ground,
    settings: Settings,
    piles: BTreeMap<Spot, u32>,
    food: BTreeSet<Spot>,
    players: Vec<Player>,
    spectator: Option<u64>,
    is_over: bool,
    /// Messages that this datagram has caused so far.
    answers: Vec<Answer>,
    /// The picture that each peer was shown last.
    shown: BTreeMap<u64, String>,
    /// What is seen from a spot never changes, so it is worked out once.
    seen_from: BTreeMap<Spot, BTreeSet<Spot>>,
    /// What chance or a server did against the rules.
    faults: Vec<String>,
    /// The letters that peers were given, as their messages said.
    letters_sent: BTreeMap<char, u64>,
}

/// Somebody who plays, or has played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Whose it is.
    pub peer: u64,
    /// A to Z.
    pub letter: char,
    /// The name, cut and cleaned.
    pub name: String,
    /// Nuggets it holds.
    pub purse: u32,
    /// Where it stands; nowhere once it has left.
    pub at: Option<Spot>,
    /// Every gridpoint that it has ever seen.
    pub known: BTreeSet<Spot>,
    /// Every spot that it has ever stood on.
    pub stood_on: BTreeSet<Spot>,
    /// Steps that it has left, if they are limited.
    pub steps_left: Option<u32>,
}

/// What a peer is.
enum Role {
    /// The player of this place in the order of letters.
    Player(usize),
    /// A player who has left.
    Gone,
    Spectator,
    Stranger,
}

const GONE: &str = "You have left this game and can't come back.";

impl World {
    /// A game before anybody has joined.
    pub fn new(map_text: &str, settings: Settings) -> Self {
        let mut world = Self {
            ground: Ground::read(map_text),
            piles: settings.piles.clone(),
            food: settings.food_at.clone(),
            settings,
            players: Vec::new(),
            spectator: None,
            is_over: false,
            answers: Vec::new(),
            shown: BTreeMap::new(),
            seen_from: BTreeMap::new(),
            faults: Vec::new(),
            letters_sent: BTreeMap::new(),
        };
        world.judge_the_start();
        world
    }

    /// Everybody who ever joined, in the order of letters.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// Who watches, if anybody does.
    pub fn spectator(&self) -> Option<u64> {
        self.spectator
    }

    /// Where gold lies, and how much.
    pub fn piles(&self) -> &BTreeMap<Spot, u32> {
        &self.piles
    }

    /// Where food lies.
    pub fn food(&self) -> &BTreeSet<Spot> {
        &self.food
    }

    /// Nuggets that lie on the map.
    pub fn remaining(&self) -> u32 {
        self.piles.values().sum()
    }

    /// Has the game ended?
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// One row for every player who ever joined: the letter, the purse right-aligned in 10, the name.
    pub fn table(&self) -> String {
        let row =
            |player: &Player| format!("{} {:>10} {}", player.letter, player.purse, player.name);
        self.players.iter().map(row).collect::<Vec<String>>().join("\n")
    }

    /// A datagram comes in: everything that must be sent because of it. If it lets a player join,
    /// `landing` is where chance has put that player.
    pub fn say(&mut self, peer: u64, bytes: &[u8], landing: Option<Spot>) -> Vec<Answer> {
        let joined = self.players.len();
        // Once the game is over the server is gone.
        if !self.is_over {
            self.hear(peer, bytes, landing);
        }
        if landing.is_some() && self.players.len() == joined {
            self.faults.push(format!("peer {peer} landed, but must not join"));
        }
        std::mem::take(&mut self.answers)
    }

    /// The server is stopped: everybody gets a parting that says so.
    pub fn shut_down(&mut self) -> Vec<Answer> {
        if !self.is_over {
            self.is_over = true;
            for peer in self.everybody() {
                self.tell_all(peer, words::parting(self.settings.year, "The server stops."));
            }
        }
        std::mem::take(&mut self.answers)
    }

    fn hear(&mut self, peer: u64, bytes: &[u8], landing: Option<Spot>) {
        match words::read(bytes) {
            Said::Play(name) => self.hear_play(peer, &name, landing),
            Said::Spectate => self.hear_spectate(peer),
            Said::Key(key) => self.hear_key(peer, key),
            Said::Malformed => self.complain(peer, "This is malformed."),
            // Two servers would complain to each other for ever.
            Said::Complaint => {}
        }
    }

    fn hear_play(&mut self, peer: u64, name: &[u8], landing: Option<Spot>) {
        match self.role(peer) {
            Role::Stranger => self.join(peer, name, landing),
            // The same again is a repeat of a lost answer.
            Role::Player(who) if self.players[who].name == words::clean_name(name) => {
                self.welcome(peer);
            }
            Role::Player(_) => self.complain(peer, "You play under another name."),
            Role::Spectator => self.complain(peer, "You are the spectator."),
            Role::Gone => self.tell_all(peer, words::parting(self.settings.year, GONE)),
        }
    }

    fn join(&mut self, peer: u64, name: &[u8], landing: Option<Spot>) {
        let year = self.settings.year;
        // So many players over the whole game; a full game is full for the nameless, too.
        if self.players.len() >= self.settings.players {
            return self.tell(peer, words::full(year));
        }
        // A name without a non-space character is refused. The rules leave open whether that is
        // asked before or after the name is cut: where it matters, either is right.
        let cut = &name[..name.len().min(50)];
        if words::is_blank(name) || (words::is_blank(cut) && landing.is_none()) {
            return self.tell(peer, words::nameless(year));
        }
        // A newcomer lands on a room spot with nothing and nobody on it.
        let Some(at) = landing else {
            if self.ground.points().into_iter().any(|point| self.is_free_room(point)) {
                self.faults.push(format!("peer {peer} must join, but did not land"));
            }
            return self.tell_all(peer, words::parting(year, "There is no free spot."));
        };
        if !self.is_free_room(at) {
            self.faults.push(format!("peer {peer} landed on {at:?}, which is no free room spot"));
        }
        self.add_player(peer, name, at);
        self.welcome(peer);
        for other in self.everybody() {
            if other != peer {
                self.show(other);
            }
        }
    }

    fn add_player(&mut self, peer: u64, name: &[u8], at: Spot) {
        // Letters go out in order, and none is used twice.
        let letter = ('A'..='Z').nth(self.players.len()).unwrap_or('?');
        self.players.push(Player {
            peer,
            letter,
            name: words::clean_name(name),
            purse: 0,
            at: None,
            known: BTreeSet::new(),
            stood_on: BTreeSet::new(),
            steps_left: self.settings.lifetime,
        });
        self.put(self.players.len() - 1, at);
    }

    fn hear_spectate(&mut self, peer: u64) {
        match self.role(peer) {
            Role::Spectator => self.welcome(peer),
            Role::Stranger => {
                // One spectator at a time: a new one replaces the old.
                if let Some(old) = self.spectator.replace(peer) {
                    self.say_goodbye(old, "You have been replaced by a new spectator.");
                }
                self.welcome(peer);
            }
            Role::Player(_) => self.complain(peer, "You are a player."),
            Role::Gone => self.tell_all(peer, words::parting(self.settings.year, GONE)),
        }
    }

    fn hear_key(&mut self, peer: u64, key: char) {
        match self.role(peer) {
            Role::Player(who) if key == 'Q' => self.quit(who),
            Role::Player(who) => self.press(who, key),
            // The spectator may only quit, and is a stranger from then on.
            Role::Spectator if key == 'Q' => {
                self.spectator = None;
                self.say_goodbye(peer, "Thanks for watching!");
            }
            Role::Spectator => self.complain(peer, "You can only press Q."),
            // The first goodbye was lost.
            Role::Gone if key == 'Q' => self.say_goodbye(peer, "Thanks for playing!"),
            // Its goodbye was lost on the way, or it would not press keys.
            Role::Gone => self.tell_all(peer, words::parting(self.settings.year, GONE)),
            Role::Stranger => self.complain(peer, "You have not joined."),
        }
    }

    /// The text to the one who quits, `DISPLAY` to the rest.
    fn quit(&mut self, who: usize) {
        let dropped = self.take_off(who);
        self.say_goodbye(self.players[who].peer, "Thanks for playing!");
        // Gold that was dropped is news for everybody who is still there.
        if dropped > 0 {
            self.tell_gold_to_all(who, 0);
        }
        self.show_all();
        self.end_if_over();
    }

    /// A player leaves the map. With the variant its gold stays behind; how much.
    fn take_off(&mut self, who: usize) -> u32 {
        let player = &mut self.players[who];
        let Some(at) = player.at.take() else { return 0 };
        if !self.settings.drop_on_quit || player.purse == 0 {
            return 0;
        }
        let dropped = std::mem::take(&mut player.purse);
        self.piles.insert(at, dropped);
        dropped
    }

    /// `OK` to a player, `GRID`, `GOLD` and `DISPLAY`; then what the house has to say.
    fn welcome(&mut self, peer: u64) {
        let who = self.player_of(peer);
        if let Some(who) = who {
            self.tell(peer, format!("OK {}", self.players[who].letter));
        }
        self.tell(peer, format!("GRID {} {}", self.ground.rows, self.ground.cols));
        self.tell_gold(peer, 0);
        self.shown.remove(&peer);
        self.show(peer);
        let house_rules = self.settings.house_rules();
        if !house_rules.is_empty() {
            self.complain(peer, &format!("House rules: {house_rules}"));
        }
        if let Some(who) = who {
            self.tell_steps_left(who);
        }
    }

    /// `GOLD n p r`: found now, own purse, left on the map. The spectator's purse is always 0.
    fn tell_gold(&mut self, peer: u64, found: u32) {
        let purse = self.player_of(peer).map_or(0, |who| self.players[who].purse);
        self.tell(peer, format!("GOLD {found} {purse} {}", self.remaining()));
    }

    /// Everybody is told, but only the finder found anything.
    fn tell_gold_to_all(&mut self, finder: usize, found: u32) {
        for peer in self.everybody() {
            let is_finder = peer == self.players[finder].peer;
            self.tell_gold(peer, if is_finder { found } else { 0 });
        }
    }

    fn tell_steps_left(&mut self, who: usize) {
        if let Some(left) = self.players[who].steps_left {
            self.complain(self.players[who].peer, &format!("{left} steps left"));
        }
    }

    /// The game is over when no gold is left on the map; when everybody who can join has joined and
    /// left; and, if so chosen, when the last player has left.
    fn ends_now(&self) -> bool {
        let is_empty = self.players.iter().all(|player| player.at.is_none());
        let is_full = self.players.len() >= self.settings.players;
        self.remaining() == 0 || (is_empty && (is_full || self.settings.end_when_empty))
    }

    /// The table to every client that is still here.
    fn end_if_over(&mut self) {
        if self.ends_now() {
            self.is_over = true;
            for peer in self.everybody() {
                self.tell_all(peer, words::game_over(self.settings.year, &self.table()));
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
            None => Role::Stranger,
        }
    }

    fn player_of(&self, peer: u64) -> Option<usize> {
        self.players.iter().position(|player| player.peer == peer)
    }

    /// The players on the map, and the spectator.
    fn everybody(&self) -> Vec<u64> {
        let here = self.players.iter().filter(|player| player.at.is_some());
        here.map(|player| player.peer).chain(self.spectator).collect()
    }

    fn is_free_room(&self, point: Spot) -> bool {
        let is_taken = self.players.iter().any(|player| player.at == Some(point));
        let is_laid = self.piles.contains_key(&point) || self.food.contains(&point);
        self.ground.is_room(point) && !is_taken && !is_laid
    }

    fn complain(&mut self, peer: u64, why: &str) {
        self.tell(peer, words::complaint(self.settings.year, why));
    }

    fn say_goodbye(&mut self, peer: u64, text: &str) {
        self.tell(peer, words::goodbye(self.settings.year, text));
    }

    fn tell_all(&mut self, peer: u64, messages: Vec<String>) {
        for message in messages {
            self.tell(peer, message);
        }
    }

    fn tell(&mut self, peer: u64, message: String) {
        self.answers.push((peer, message.into_bytes()));
    }
}

#[cfg(test)]
mod tests;
