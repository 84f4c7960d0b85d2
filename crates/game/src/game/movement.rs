//! Movement: steps, sprints, swaps, and what a player picks up.

use std::sync::Arc;

use super::{Event, Game, Rejection};
use crate::occupants::Occupant;
use crate::{Letter, Point, Stroke};

impl Game {
    /// Takes one step, or repeats it for a sprint.
    pub(super) fn step_or_sprint(
        &mut self,
        letter: Letter,
        stroke: Stroke,
        events: &mut Vec<Event>,
    ) -> Result<(), Rejection> {
        let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
        let is_sprint = matches!(stroke, Stroke::Sprint(_));
        let mut at = self.spot_of(letter)?;
        let mut next = self.map().spot_beside(at, direction).ok_or(Rejection::Blocked)?;
        loop {
            let met_something = self.step(letter, at, next, events);
            at = next;
            if self.spend_step(letter) {
                self.starve(letter, at, events);
                return Ok(());
            }
            match self.map().spot_beside(at, direction) {
                Some(further) if is_sprint && self.sprint_continues(met_something) => {
                    next = further;
                }
                _ => return Ok(()),
            }
        }
    }

    /// True if the rules let a sprint continue: with `sprint_stops`, meeting a player or gold ends it. The
    /// caller stops it where the next gridpoint is not a spot.
    fn sprint_continues(&self, met_something: bool) -> bool {
        !(self.rules.sprint_stops && met_something)
    }

    /// Takes one step onto a spot; returns true if a player or gold was there.
    fn step(&mut self, mover: Letter, from: Point, to: Point, events: &mut Vec<Event>) -> bool {
        match self.occupants.at(self.map().index(to)) {
            None => self.walk(mover, from, to, events),
            Some(Occupant::Gold) => {
                self.walk(mover, from, to, events);
                events.push(self.pick_up_gold(mover, to));
                return true;
            }
            Some(Occupant::Food) => {
                self.walk(mover, from, to, events);
                events.push(self.eat(mover, to));
            }
            Some(Occupant::Player(other)) => {
                self.swap_players(mover, other, from, to);
                events.push(Event::Swapped { mover, other, from, to });
                if self.rules.steal {
                    events.extend(self.steal_purse(mover, other));
                }
                return true;
            }
        }
        false
    }

    fn walk(&mut self, player: Letter, from: Point, to: Point, events: &mut Vec<Event>) {
        self.occupants.clear(self.map().index(from));
        self.place_player(player, to);
        events.push(Event::Moved { player, from, to });
    }

    fn swap_players(&mut self, mover: Letter, other: Letter, from: Point, to: Point) {
        self.place_player(other, from);
        self.place_player(mover, to);
    }

    fn pick_up_gold(&mut self, player: Letter, at: Point) -> Event {
        let nuggets = self.piles.remove(at).expect("gold is drawn where a pile lies");
        self.remaining -= nuggets;
        self.players[player.index()].purse += nuggets;
        Event::Collected { player, nuggets, at }
    }

    fn steal_purse(&mut self, thief: Letter, victim: Letter) -> Option<Event> {
        let nuggets = std::mem::take(&mut self.players[victim.index()].purse);
        self.players[thief.index()].purse += nuggets;
        (nuggets > 0).then_some(Event::Stole { thief, victim, nuggets })
    }

    /// Eats the food here, which restores a full lifetime; the step onto it does not count.
    fn eat(&mut self, player: Letter, at: Point) -> Event {
        self.food.retain(|food| *food != at);
        let full = self.rules.lifetime.map(|lifetime| lifetime.steps + 1);
        self.players[player.index()].steps_left = full;
        Event::Ate { player, at }
    }

    /// Takes one step off a limited lifetime; true if none is left.
    fn spend_step(&mut self, player: Letter) -> bool {
        let Some(left) = &mut self.players[player.index()].steps_left else { return false };
        *left -= 1;
        *left == 0
    }

    /// Removes a player that has run out of steps, unless its last step collected the last nugget: then the
    /// game is over.
    fn starve(&mut self, player: Letter, at: Point, events: &mut Vec<Event>) {
        if self.remaining > 0 {
            events.push(Event::Starved { player, at });
            self.remove_player(player, at, events);
        }
    }

    /// Puts a player on a spot; everything visible from there becomes known.
    fn place_player(&mut self, letter: Letter, at: Point) {
        self.occupants.put_player(self.map().index(at), letter);
        let player = &mut self.players[letter.index()];
        player.at = Some(at);
        let sees = self.sight.visible_from(at);
        // Many spots share a field of view. What it shows is known then.
        if !Arc::ptr_eq(&sees, &player.sees) {
            player.known.add_all(&sees);
            player.sees = sees;
        }
    }
}
