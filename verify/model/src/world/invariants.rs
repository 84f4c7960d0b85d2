//! Invariants of the model and of the messages that a server sends.

use std::collections::BTreeSet;

use super::{ModelPlayer, World};
use crate::{Outgoing, Spot};

impl World {
    /// Describes every invariant that does not hold now.
    pub fn check(&self) -> Vec<String> {
        let mut broken = self.violations.clone();
        self.check_gold(&mut broken);
        self.check_occupants(&mut broken);
        self.check_letters(&mut broken);
        self.check_sight(&mut broken);
        broken
    }

    /// Checks that every player knows exactly what is visible from the spots it ever stood on. This is
    /// slow, so it should not run after every datagram.
    pub fn check_memory(&mut self) -> Vec<String> {
        let mut broken = Vec::new();
        for player in self.players.clone() {
            let mut seen = BTreeSet::new();
            for spot in &player.stood_on {
                seen.extend(self.visible_from(*spot).iter());
            }
            if seen != player.known {
                broken.push(format!("{} knows something else than it has seen", player.letter));
            }
        }
        broken
    }

    /// Returns the errors in the messages that a server sent because of the last datagram: an occupant or
    /// gridpoint shown to a player that has not seen it, or a letter given to two peers.
    pub fn check_sent(&mut self, sent: &[Outgoing]) -> Vec<String> {
        let mut broken = Vec::new();
        for (peer, message) in sent {
            let text = String::from_utf8_lossy(message);
            if let Some(letter) = text.strip_prefix("OK ").and_then(|rest| rest.chars().next()) {
                let owner = *self.letters_sent.entry(letter).or_insert(*peer);
                if owner != *peer {
                    broken.push(format!("letter {letter} went to peers {owner} and {peer}"));
                }
            }
            if let Some(picture) = text.strip_prefix("DISPLAY\n") {
                self.check_picture(*peer, picture, &mut broken);
            }
        }
        broken
    }

    fn check_picture(&mut self, peer: u64, picture: &str, broken: &mut Vec<String>) {
        if !self.peers_present().contains(&peer) {
            broken.push(format!("peer {peer} is shown something, but it is not here"));
        }
        let Some(who) = self.player_of(peer) else { return };
        let at = self.players[who].at;
        let visible = at.map(|at| self.visible_from(at)).unwrap_or_default();
        let player = &self.players[who];
        for (row, line) in (0..).zip(picture.lines()) {
            for (col, shown) in (0..).zip(line.chars()) {
                if !self.may_see(player, &visible, (row, col), shown) {
                    let letter = player.letter;
                    broken.push(format!("{letter} is shown '{shown}' at ({row}, {col})"));
                }
            }
        }
    }

    fn may_see(
        &self,
        player: &ModelPlayer,
        visible: &BTreeSet<Spot>,
        point: Spot,
        shown: char,
    ) -> bool {
        match shown {
            ' ' => true,
            '@' => player.at == Some(point),
            'A'..='Z' | '*' | '%' => {
                visible.contains(&point) && self.occupant_or_tile(point) == shown
            }
            _ => player.known.contains(&point) && self.map.at(point) == shown,
        }
    }

    /// Checks that purses and piles add up to all the gold, and that no pile is empty.
    fn check_gold(&self, broken: &mut Vec<String>) {
        let purses: u32 = self.players.iter().map(|player| player.purse).sum();
        let piles = self.remaining();
        let gold = self.settings.gold;
        if purses + piles != gold {
            broken.push(format!("{purses} in purses and {piles} in piles, but {gold} in all"));
        }
        if self.piles.values().any(|nuggets| *nuggets == 0) {
            broken.push("a pile is empty".to_owned());
        }
    }

    /// Checks that each spot has at most one occupant, and that every occupant is on a spot.
    fn check_occupants(&self, broken: &mut Vec<String>) {
        let players = self.players.iter().filter_map(|player| player.at);
        let mut taken = BTreeSet::new();
        for at in players.chain(self.piles.keys().copied()).chain(self.food.iter().copied()) {
            if !self.map.is_spot(at) {
                broken.push(format!("something is at {at:?}, which is no spot"));
            }
            if !taken.insert(at) {
                broken.push(format!("two things are at {at:?}"));
            }
        }
    }

    /// Checks that letters are in order and unique, that there are not too many, and that each peer has one player.
    fn check_letters(&self, broken: &mut Vec<String>) {
        let letters: String = self.players.iter().map(|player| player.letter).collect();
        if !"ABCDEFGHIJKLMNOPQRSTUVWXYZ".starts_with(&letters) {
            broken.push(format!("the letters are {letters}"));
        }
        let peers: BTreeSet<u64> = self.players.iter().map(|player| player.peer).collect();
        if peers.len() < self.players.len() || self.players.len() > self.settings.players {
            broken.push(format!("{} players of {} peers", self.players.len(), peers.len()));
        }
    }

    /// Checks that every player knows all gridpoints in its field of view.
    fn check_sight(&self, broken: &mut Vec<String>) {
        for player in &self.players {
            let seen = player.at.and_then(|at| self.seen_from.get(&at));
            if seen.is_some_and(|seen| !seen.is_subset(&player.known)) {
                broken.push(format!("{} sees what it does not know", player.letter));
            }
        }
    }

    /// Checks that all gold lies in an allowed number of piles on room spots, and all food on room spots.
    pub(super) fn check_start(&mut self) {
        let piles = self.piles.len();
        let food = self.food.len();
        let fewest = self.settings.min_piles;
        let most = self.settings.max_piles;
        if !(fewest..=most).contains(&piles) {
            self.violations.push(format!("{piles} piles, but there must be {fewest} to {most}"));
        }
        if food != self.settings.food {
            self.violations.push(format!("{food} pieces of food, not {}", self.settings.food));
        }
        for at in self.piles.keys().chain(&self.food) {
            if !self.map.is_room(*at) {
                self.violations
                    .push(format!("something was laid at {at:?}, which is no room spot"));
            }
        }
    }
}
