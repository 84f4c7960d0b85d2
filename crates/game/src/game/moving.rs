//! Moving: steps and sprints, and what is met on the way.

use super::{Event, Game, Refusal};
use crate::occupants::Occupant;
use crate::{Letter, Point, Stroke};

impl Game {
    pub(super) fn press(
        &mut self,
        letter: Letter,
        stroke: Stroke,
        events: &mut Vec<Event>,
    ) -> Result<(), Refusal> {
        let (direction, sprint) = match stroke {
            Stroke::Step(direction) => (direction, false),
            Stroke::Sprint(direction) => (direction, true),
        };
        let mut at = self.spot_of(letter)?;
        let mut next = self.map().spot_beside(at, direction).ok_or(Refusal::Blocked)?;
        loop {
            let met_something = self.step(letter, at, next, events);
            at = next;
            if self.spend_step(letter) {
                self.starve(letter, at, events);
                return Ok(());
            }
            let goes_on = sprint && !(self.rules.sprint_stops && met_something);
            match self.map().spot_beside(at, direction) {
                Some(further) if goes_on => next = further,
                _ => return Ok(()),
            }
        }
    }

    /// One step onto a spot; true if a player or gold was there.
    fn step(&mut self, mover: Letter, from: Point, to: Point, events: &mut Vec<Event>) -> bool {
        match self.occupants.at(self.map().index(to)) {
            None => self.walk(mover, from, to, events),
            Some(Occupant::Gold) => {
                self.walk(mover, from, to, events);
                events.push(self.collect(mover, to));
                return true;
            }
            Some(Occupant::Food) => {
                self.walk(mover, from, to, events);
                events.push(self.eat(mover, to));
            }
            Some(Occupant::Player(other)) => {
                self.put(other, from);
                self.put(mover, to);
                events.push(Event::Swapped { mover, other, from, to });
                if self.rules.steal {
                    events.extend(self.steal(mover, other));
                }
                return true;
            }
        }
        false
    }

    fn walk(&mut self, player: Letter, from: Point, to: Point, events: &mut Vec<Event>) {
        self.occupants.clear(self.map().index(from));
        self.put(player, to);
        events.push(Event::Moved { player, from, to });
    }

    fn collect(&mut self, player: Letter, at: Point) -> Event {
        let nuggets = self.piles.take(at).expect("gold is drawn where a pile lies");
        self.remaining -= nuggets;
        self.players[player.index()].purse += nuggets;
        Event::Collected { player, nuggets, at }
    }

    fn steal(&mut self, thief: Letter, victim: Letter) -> Option<Event> {
        let nuggets = std::mem::take(&mut self.players[victim.index()].purse);
        self.players[thief.index()].purse += nuggets;
        (nuggets > 0).then_some(Event::Stole { thief, victim, nuggets })
    }

    /// Food gives a whole lifetime from here on; the step onto it is not counted.
    fn eat(&mut self, player: Letter, at: Point) -> Event {
        self.food.retain(|food| *food != at);
        let full = self.rules.lifetime.map(|lifetime| lifetime.steps + 1);
        self.players[player.index()].steps_left = full;
        Event::Ate { player, at }
    }

    /// Every step takes one off a lifetime; true when none is left.
    fn spend_step(&mut self, player: Letter) -> bool {
        let Some(left) = &mut self.players[player.index()].steps_left else { return false };
        *left -= 1;
        *left == 0
    }

    /// Whoever takes the last nugget with the last step has ended the game before that.
    fn starve(&mut self, player: Letter, at: Point, events: &mut Vec<Event>) {
        if self.remaining > 0 {
            events.push(Event::Starved { player, at });
            self.take_off(player, at, events);
        }
    }

    /// Puts a player on a spot; what is seen from there is known from now on.
    fn put(&mut self, letter: Letter, at: Point) {
        self.occupants.put_player(self.map().index(at), letter);
        let player = &mut self.players[letter.index()];
        player.at = Some(at);
        player.sees = self.sight.from(at);
        player.known.add_all(&player.sees);
    }
}
