//! Pictures: what a client is shown, drawn anew each time.

use std::collections::BTreeSet;

use super::{Player, World};
use crate::Spot;
use crate::sight::is_visible;

impl World {
    /// Every gridpoint that is visible from there.
    pub(super) fn look_from(&mut self, from: Spot) -> BTreeSet<Spot> {
        if let Some(seen) = self.seen_from.get(&from) {
            return seen.clone();
        }
        let mut seen: BTreeSet<Spot> = self.ground.points().into_iter().collect();
        seen.retain(|point| is_visible(&self.ground, &self.settings, from, *point));
        self.seen_from.insert(from, seen.clone());
        seen
    }

    /// `DISPLAY` to everybody who is here.
    pub(super) fn show_all(&mut self) {
        for peer in self.everybody() {
            self.show(peer);
        }
    }

    /// `DISPLAY` to one; not if it shows what the last one showed and only changes are to be sent.
    pub(super) fn show(&mut self, peer: u64) {
        let picture = self.draw(peer);
        let last = self.shown.insert(peer, picture.clone());
        if !self.settings.changed_only || last.as_ref() != Some(&picture) {
            self.tell(peer, format!("DISPLAY\n{picture}"));
        }
    }

    /// NR lines of NC characters, each line with its newline.
    pub(super) fn draw(&mut self, peer: u64) -> String {
        let viewer = self.player_of(peer).map(|who| self.players[who].clone());
        let at = viewer.as_ref().and_then(|player| player.at);
        let visible = at.map(|at| self.look_from(at)).unwrap_or_default();
        let mut picture = String::new();
        for row in 0..self.ground.rows {
            for col in 0..self.ground.cols {
                picture.push(match &viewer {
                    Some(player) => self.drawn_for(player, &visible, (row, col)),
                    // The spectator sees everything.
                    None => self.occupant_or_ground((row, col)),
                });
            }
            picture.push('\n');
        }
        picture
    }

    /// `@` at its own spot; others and gold only where visible now; elsewhere the map if known, a
    /// blank if not.
    fn drawn_for(&self, player: &Player, visible: &BTreeSet<Spot>, point: Spot) -> char {
        if player.at == Some(point) {
            '@'
        } else if visible.contains(&point) {
            self.occupant_or_ground(point)
        } else if player.known.contains(&point) {
            self.ground.at(point)
        } else {
            ' '
        }
    }

    pub(super) fn occupant_or_ground(&self, point: Spot) -> char {
        if let Some(player) = self.players.iter().find(|player| player.at == Some(point)) {
            player.letter
        } else if self.piles.contains_key(&point) {
            '*'
        } else if self.food.contains(&point) {
            '%'
        } else {
            self.ground.at(point)
        }
    }
}
