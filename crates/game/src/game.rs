//! The game: its state, and `apply`, the only way to change it.

use std::sync::Arc;

use crate::gold::Piles;
use crate::occupants::Occupants;
use crate::{
    Chance, Letter, Map, Name, Player, Point, PointSet, Rules, Seed, Sight, Table, TooFewSpots,
    View, Viewer,
};

mod event;
mod moving;
mod state;

pub use event::{End, Event, Input, Refusal};

/// One game. See the crate's documentation for an example.
#[derive(Clone, Debug)]
pub struct Game {
    sight: Arc<Sight>,
    rules: Rules,
    chance: Chance,
    piles: Piles,
    remaining: u32,
    food: Vec<Point>,
    occupants: Occupants,
    players: Vec<Player>,
    starts: Vec<Point>,
    end: Option<End>,
}

impl Game {
    /// A new game, its gold spread by the seed. Sight must reach as far as the rules have it (see
    /// `Sight::within`), and the rules must make sense (see `Rules::check`).
    pub fn new(sight: Arc<Sight>, rules: Rules, seed: Seed) -> Result<Self, TooFewSpots> {
        rules.check_room(sight.map())?;
        let mut chance = Chance::new(seed);
        let piles = Piles::spread(sight.map(), &rules, &mut chance);
        let mut game = Self::begin(sight, rules, chance, piles, vec![]);
        game.lay_food();
        Ok(game)
    }

    /// A game arranged by hand, for lessons and tests: gold as given, and the first players land
    /// on `starts` in this order. The map may be as small as it likes.
    pub fn arranged(
        sight: Arc<Sight>,
        rules: Rules,
        seed: Seed,
        piles: Vec<(Point, u32)>,
        starts: Vec<Point>,
    ) -> Self {
        let is_spot = |at: &Point| sight.map().tile(*at).is_some_and(crate::Tile::is_spot);
        assert!(piles.iter().map(|(at, _)| at).all(is_spot), "gold lies on spots");
        assert!(starts.iter().all(is_spot), "players start on spots");
        Self::begin(sight, rules, Chance::new(seed), Piles::new(piles), starts)
    }

    fn begin(
        sight: Arc<Sight>,
        rules: Rules,
        chance: Chance,
        piles: Piles,
        starts: Vec<Point>,
    ) -> Self {
        assert_eq!(sight.reach(), rules.vision, "sight reaches as far as the rules have it");
        let mut occupants = Occupants::none(sight.map());
        for (at, _) in piles.iter() {
            occupants.put_gold(sight.map().index(at));
        }
        let (remaining, food, players) = (piles.nuggets(), vec![], vec![]);
        Self { sight, rules, chance, piles, remaining, food, occupants, players, starts, end: None }
    }

    fn lay_food(&mut self) {
        let count = self.rules.lifetime.map_or(0, |lifetime| lifetime.food);
        let free = self.free_spots();
        // Without food no chance is drawn: a game without this variant is as it always was.
        for index in self.chance.distinct(count as usize, free.len()) {
            self.put_food(free[index]);
        }
    }

    /// Lays one more piece of food on a free spot.
    pub fn put_food(&mut self, at: Point) {
        let index = self.map().index(at);
        assert!(self.map().tiles()[index].is_spot() && self.occupants.is_free(index));
        self.occupants.put_food(index);
        self.food.push(at);
    }

    /// The map.
    pub fn map(&self) -> &Map {
        self.sight.map()
    }

    /// The map with what is seen from each of its spots.
    pub fn sight(&self) -> &Arc<Sight> {
        &self.sight
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Everybody who ever joined, in the order of letters.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The player of this letter, who must have joined.
    pub fn player(&self, letter: Letter) -> &Player {
        &self.players[letter.index()]
    }

    /// Has everybody joined who ever can?
    pub fn is_full(&self) -> bool {
        self.players.len() >= self.rules.max_players.min(Letter::COUNT)
    }

    /// The piles that are left, with their sizes.
    pub fn piles(&self) -> impl Iterator<Item = (Point, u32)> + '_ {
        self.piles.iter()
    }

    /// The food that is left.
    pub fn food(&self) -> &[Point] {
        &self.food
    }

    /// Nuggets that nobody has taken.
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// What is drawn at a gridpoint for somebody who sees it: its occupant, or else the map.
    pub fn symbol_at(&self, at: Point) -> u8 {
        let index = self.map().index(at);
        self.occupants.symbol(index).unwrap_or_else(|| self.map().tiles()[index].as_char())
    }

    /// Why the game ended, if it has.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The purses, as a table.
    pub fn table(&self) -> Table<'_> {
        Table(&self.players)
    }

    /// The game through somebody's eyes. A player must have joined.
    pub fn view(&self, viewer: Viewer) -> View<'_> {
        View::new(self, viewer)
    }

    /// Takes one input and tells what came of it. This is the only way to change a game, and it
    /// can't fail: a refusal is an event too.
    pub fn apply(&mut self, input: Input, events: &mut Vec<Event>) {
        let done = match input {
            _ if self.end.is_some() => Err(Refusal::Over),
            Input::Join(name) => self.join(name, events),
            Input::Press(letter, stroke) => self.press(letter, stroke, events),
            Input::Leave(letter) => self.leave(letter, events),
        };
        if let Err(refusal) = done {
            events.push(Event::Refused(refusal));
            return;
        }
        self.end = self.find_end();
        events.extend(self.end.map(Event::Over));
    }

    fn join(&mut self, name: Name, events: &mut Vec<Event>) -> Result<(), Refusal> {
        let others = self.players.len();
        let letter = Letter::nth(others).filter(|_| !self.is_full()).ok_or(Refusal::Full)?;
        let at = self.landing_spot(others).ok_or(Refusal::NoSpot)?;
        let sees = self.sight.from(at);
        let known = PointSet::clone(&sees);
        let steps_left = self.rules.lifetime.map(|lifetime| lifetime.steps);
        self.players.push(Player { letter, name, purse: 0, at: Some(at), sees, known, steps_left });
        self.occupants.put_player(self.map().index(at), letter);
        events.push(Event::Joined { player: letter, at });
        Ok(())
    }

    fn landing_spot(&mut self, others: usize) -> Option<Point> {
        if let Some(start) = self.starts.get(others) {
            return Some(*start).filter(|at| self.is_free(*at));
        }
        let free = self.free_spots();
        if free.is_empty() {
            return None;
        }
        Some(free[self.chance.index(free.len())])
    }

    /// The room spots with nobody and nothing on them.
    fn free_spots(&self) -> Vec<Point> {
        let mut free = self.map().room_spots();
        free.retain(|at| self.is_free(*at));
        free
    }

    fn is_free(&self, at: Point) -> bool {
        self.occupants.is_free(self.map().index(at))
    }

    fn leave(&mut self, letter: Letter, events: &mut Vec<Event>) -> Result<(), Refusal> {
        let at = self.spot_of(letter)?;
        events.push(Event::Left { player: letter, at });
        self.take_off(letter, at, events);
        Ok(())
    }

    /// Takes a player off the map. Its gold stays with it, or stays here.
    fn take_off(&mut self, letter: Letter, at: Point, events: &mut Vec<Event>) {
        let index = self.map().index(at);
        self.occupants.clear(index);
        let player = &mut self.players[letter.index()];
        player.at = None;
        if self.rules.drop_on_quit && player.purse > 0 {
            let nuggets = std::mem::take(&mut player.purse);
            self.remaining += nuggets;
            self.piles.put(at, nuggets);
            self.occupants.put_gold(index);
            events.push(Event::Dropped { player: letter, nuggets, at });
        }
    }

    fn find_end(&self) -> Option<End> {
        let nobody_here = self.players.iter().all(|player| player.at.is_none());
        if self.remaining == 0 {
            Some(End::AllCollected)
        } else if nobody_here && self.is_full() {
            Some(End::NobodyLeft)
        } else if nobody_here && self.rules.end_when_empty {
            Some(End::Emptied)
        } else {
            None
        }
    }

    fn spot_of(&self, letter: Letter) -> Result<Point, Refusal> {
        let player = self.players.get(letter.index());
        player.and_then(Player::at).ok_or(Refusal::NotPlaying)
    }
}

#[cfg(test)]
mod tests;
