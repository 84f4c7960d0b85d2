//! Movement: one key, all its steps, and the messages that follow.

use std::collections::BTreeSet;

use super::World;
use crate::{Spot, messages};

/// The gold that one key moved.
#[derive(Default)]
struct Haul {
    found: u32,
    stolen: u32,
    robbed: BTreeSet<u64>,
}

/// Returns the step of a key: rows down, columns to the right.
fn direction(key: char) -> Option<Spot> {
    match key.to_ascii_lowercase() {
        'h' => Some((0, -1)),
        'l' => Some((0, 1)),
        'k' => Some((-1, 0)),
        'j' => Some((1, 0)),
        'y' => Some((-1, -1)),
        'u' => Some((-1, 1)),
        'b' => Some((1, -1)),
        'n' => Some((1, 1)),
        _ => None,
    }
}

impl World {
    /// Handles a key of a player other than `Q`.
    pub(super) fn press(&mut self, who: usize, key: char) {
        let Some((down, right)) = direction(key) else {
            return self.send_error(self.players[who].peer, "There is no such key.");
        };
        let is_sprint = key.is_ascii_uppercase();
        let mut haul = Haul::default();
        let mut has_moved = false;
        // A step needs only a spot as its target; a sprint repeats it.
        while let Some(from) = self.players[who].at {
            let to = (from.0 + down, from.1 + right);
            if !self.map.is_spot(to) {
                break;
            }
            let has_met = self.step(who, from, to, &mut haul);
            has_moved = true;
            let is_stopped = self.settings.sprint_stops && has_met;
            if !is_sprint || is_stopped || self.players[who].steps_left == Some(0) {
                break;
            }
        }
        // A key without a move sends nothing.
        if has_moved {
            self.report_move(who, &haul);
        }
    }

    /// Takes one step onto a spot; returns true if gold or a player was there.
    fn step(&mut self, who: usize, from: Spot, to: Spot, haul: &mut Haul) -> bool {
        let other = self.players.iter().position(|player| player.at == Some(to));
        self.put(who, to);
        // Each step costs one step of the lifetime.
        if let Some(left) = &mut self.players[who].steps_left {
            *left = left.saturating_sub(1);
        }
        // Stepping onto a player swaps the two, which costs the other no step.
        if let Some(other) = other {
            self.put(other, from);
            self.steal(who, other, haul);
        }
        // Stepping onto gold takes the whole pile.
        let found = self.piles.remove(&to).unwrap_or(0);
        self.players[who].purse += found;
        haul.found += found;
        // Stepping onto food restores the full lifetime.
        if self.food.remove(&to) {
            self.players[who].steps_left = self.settings.lifetime;
        }
        other.is_some() || found > 0
    }

    /// Takes the purse of the player that was stepped onto, with that variant.
    fn steal(&mut self, thief: usize, robbed: usize, haul: &mut Haul) {
        if self.settings.steal && self.players[robbed].purse > 0 {
            let stolen = std::mem::take(&mut self.players[robbed].purse);
            self.players[thief].purse += stolen;
            haul.stolen += stolen;
            haul.robbed.insert(self.players[robbed].peer);
        }
    }

    /// Puts a player on a spot; everything visible from there becomes known.
    pub(super) fn put(&mut self, who: usize, at: Spot) {
        let seen = self.visible_from(at);
        let player = &mut self.players[who];
        player.at = Some(at);
        player.stood_on.insert(at);
        player.known.extend(seen.iter());
    }

    /// Sends at most one round of `GOLD` and one of `DISPLAY`, after the last step.
    fn report_move(&mut self, who: usize, haul: &Haul) {
        // At zero steps a player is out, but not if no gold is left: then the game has ended.
        let is_out = self.players[who].steps_left == Some(0) && self.remaining() > 0;
        let dropped = if is_out { self.starve(who) } else { 0 };
        self.report_gold(who, haul, dropped);
        self.send_all_displays();
        if !is_out && !self.ends_now() {
            self.send_steps_left(who);
        }
        self.end_if_over();
    }

    fn starve(&mut self, who: usize) -> u32 {
        let why = "You have no steps left and are out of the game.";
        self.send_each(self.players[who].peer, messages::quit_with_reason(self.settings.year, why));
        self.remove_player(who)
    }

    /// Reports gold taken from the map or dropped on it to every client; a theft only to the thief and the
    /// victim.
    fn report_gold(&mut self, who: usize, haul: &Haul, dropped: u32) {
        let taken = haul.found + haul.stolen;
        if haul.found > 0 || dropped > 0 {
            return self.send_gold_to_all(who, taken);
        }
        if haul.stolen > 0 && self.players[who].at.is_some() {
            self.send_gold(self.players[who].peer, taken);
        }
        for robbed in &haul.robbed {
            self.send_gold(*robbed, 0);
        }
    }
}
