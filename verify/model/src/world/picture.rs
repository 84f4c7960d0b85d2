//! Pictures for clients, drawn from scratch each time.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ModelPlayer, World};
use crate::Spot;
use crate::sight::is_visible;

impl World {
    /// Returns every gridpoint that is visible from this spot.
    pub(super) fn visible_from(&mut self, from: Spot) -> Arc<BTreeSet<Spot>> {
        if let Some(seen) = self.seen_from.get(&from) {
            return Arc::clone(seen);
        }
        let points = self.map.points().into_iter();
        let seen = points.filter(|to| is_visible(&self.map, &self.settings, from, *to));
        let seen: Arc<BTreeSet<Spot>> = Arc::new(seen.collect());
        self.seen_from.insert(from, Arc::clone(&seen));
        seen
    }

    /// Returns the field of view of a player, without rock, row by row. The spectator and players who have left have none.
    pub fn in_sight(&mut self, peer: u64) -> Vec<Spot> {
        let at = self.player_of(peer).and_then(|who| self.players[who].at);
        let visible = at.map(|at| self.visible_from(at)).unwrap_or_default();
        visible.iter().copied().filter(|point| self.map.at(*point) != ' ').collect()
    }

    /// Sends `DISPLAY` to every client that is present.
    pub(super) fn send_all_displays(&mut self) {
        for peer in self.peers_present() {
            self.send_display(peer);
        }
    }

    /// Sends `DISPLAY` to one client, unless nothing changed and only changes are to be sent.
    pub(super) fn send_display(&mut self, peer: u64) {
        let picture = self.draw(peer);
        let last = self.shown.insert(peer, picture.clone());
        if !self.settings.changed_only || last.as_ref() != Some(&picture) {
            self.send(peer, format!("DISPLAY\n{picture}"));
        }
    }

    /// Draws NR lines of NC characters, each line with its newline.
    pub(super) fn draw(&mut self, peer: u64) -> String {
        let at = self.player_of(peer).and_then(|who| self.players[who].at);
        let visible = at.map(|at| self.visible_from(at)).unwrap_or_default();
        let viewer = self.player_of(peer).map(|who| &self.players[who]);
        let mut picture = String::new();
        for row in 0..self.map.rows {
            for col in 0..self.map.cols {
                picture.push(match viewer {
                    Some(player) => self.drawn_for(player, &visible, (row, col)),
                    // The spectator sees everything.
                    None => self.occupant_or_tile((row, col)),
                });
            }
            picture.push('\n');
        }
        picture
    }

    /// Returns `@` at the player's own spot; others and gold only where visible now; elsewhere the map if known, a
    /// blank if not.
    fn drawn_for(&self, player: &ModelPlayer, visible: &BTreeSet<Spot>, point: Spot) -> char {
        if player.at == Some(point) {
            '@'
        } else if visible.contains(&point) {
            self.occupant_or_tile(point)
        } else if player.known.contains(&point) {
            self.map.at(point)
        } else {
            ' '
        }
    }

    pub(super) fn occupant_or_tile(&self, point: Spot) -> char {
        if let Some(player) = self.players.iter().find(|player| player.at == Some(point)) {
            player.letter
        } else if self.piles.contains_key(&point) {
            '*'
        } else if self.food.contains(&point) {
            '%'
        } else {
            self.map.at(point)
        }
    }
}
