//! The game: its state, and `apply`, the only function that changes it.

use std::sync::Arc;

use crate::gold::Piles;
use crate::occupants::Occupants;
use crate::{
    GameOverTable, Letter, Map, Name, Player, Point, PointSet, Rng, Rules, Seed, Setup, Sight,
    TooFewSpots, View, Viewer,
};

mod event;
mod movement;
mod reach;
mod state;

pub use event::{End, Event, Input, Rejection};

/// One game. See the crate's documentation for an example.
#[derive(Clone, Debug)]
pub struct Game {
    sight: Arc<Sight>,
    rules: Rules,
    rng: Rng,
    piles: Piles,
    remaining: u32,
    food: Vec<Point>,
    occupants: Occupants,
    players: Vec<Player>,
    starts: Vec<Point>,
    end: Option<End>,
}

impl Game {
    /// A new game, its gold spread by the seed. The rules must make sense (see `Rules::check`).
    pub fn new(setup: &Setup) -> Result<Self, TooFewSpots> {
        Self::with_sight(setup.sight(), setup.rules, setup.seed)
    }

    /// A new game that shares visibility with other games on its map. Sight must reach as far as the
    /// rules say (see `Setup::sight`).
    pub fn with_sight(sight: Arc<Sight>, rules: Rules, seed: Seed) -> Result<Self, TooFewSpots> {
        rules.check_room(sight.map())?;
        let mut rng = Rng::new(seed);
        let piles = Piles::spread(sight.map(), &rules, &mut rng);
        let mut game = Self::begin(sight, rules, rng, piles, vec![]);
        game.lay_food();
        Ok(game)
    }

    /// Shares visibility with other games on the same map from now on, so that fields of view are computed and
    /// kept once. It must be of the same map, rule and reach.
    pub fn share_sight(&mut self, sight: Arc<Sight>) {
        let own = &self.sight;
        assert_eq!((sight.rule(), sight.reach()), (own.rule(), own.reach()), "another sight rule");
        assert_eq!(sight.map(), own.map(), "another map");
        self.sight = sight;
    }

    /// A game arranged by hand, for tests: gold as given, and the first players start on `starts`
    /// in this order. The map may be smaller than the rules need.
    pub fn arranged(setup: &Setup, piles: Vec<(Point, u32)>, starts: Vec<Point>) -> Self {
        let is_spot = |at: &Point| setup.map.tile(*at).is_some_and(crate::Tile::is_spot);
        assert!(piles.iter().map(|(at, _)| at).all(is_spot), "gold must lie on spots");
        assert!(starts.iter().all(is_spot), "players must start on spots");
        Self::begin(setup.sight(), setup.rules, Rng::new(setup.seed), Piles::new(piles), starts)
    }

    fn begin(sight: Arc<Sight>, rules: Rules, rng: Rng, piles: Piles, starts: Vec<Point>) -> Self {
        assert_eq!(sight.reach(), rules.vision, "sight must reach as far as the rules say");
        let mut occupants = Occupants::none(sight.map());
        for (at, _) in piles.iter() {
            occupants.put_gold(sight.map().index(at));
        }
        Self {
            sight,
            rules,
            rng,
            remaining: piles.nuggets(),
            piles,
            food: vec![],
            occupants,
            players: vec![],
            starts,
            end: None,
        }
    }

    fn lay_food(&mut self) {
        let count = self.rules.lifetime.map_or(0, |lifetime| lifetime.food);
        let free = self.free_spots();
        // Without food nothing is drawn from the RNG, so a plain game stays as its seed fixes it.
        for index in self.rng.distinct(count as usize, free.len()) {
            self.put_food(free[index]);
        }
    }

    /// Puts one more piece of food on a free spot.
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

    /// Visibility on the map.
    pub fn sight(&self) -> &Arc<Sight> {
        &self.sight
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// All players who ever joined, in the order of their letters.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The player with this letter, who must have joined.
    pub fn player(&self, letter: Letter) -> &Player {
        &self.players[letter.index()]
    }

    /// True if no more players can join.
    pub fn is_full(&self) -> bool {
        self.players.len() >= self.rules.max_players.min(Letter::COUNT)
    }

    /// The remaining piles with their sizes.
    pub fn piles(&self) -> impl Iterator<Item = (Point, u32)> + '_ {
        self.piles.iter()
    }

    /// The spots of the remaining food.
    pub fn food(&self) -> &[Point] {
        &self.food
    }

    /// Nuggets in all remaining piles.
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// The character of a visible gridpoint: its occupant, or else the map's own.
    pub fn symbol_at(&self, at: Point) -> u8 {
        let index = self.map().index(at);
        self.occupants.symbol(index).unwrap_or_else(|| self.map().tiles()[index].as_byte())
    }

    /// Why the game ended, if it has.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The table of all purses, as it is sent when the game is over.
    pub fn table(&self) -> GameOverTable<'_> {
        GameOverTable(&self.players)
    }

    /// The game as a viewer sees it. A player must have joined.
    pub fn view(&self, viewer: Viewer) -> View<'_> {
        View::new(self, viewer)
    }

    /// Applies one input and appends its events. This is the only function that changes a game, and
    /// it can't fail: a rejection is an event too.
    pub fn apply(&mut self, input: Input, events: &mut Vec<Event>) {
        let result = match input {
            _ if self.end.is_some() => Err(Rejection::Over),
            Input::Join(name) => self.join(name, events),
            Input::Press(letter, stroke) => self.step_or_sprint(letter, stroke, events),
            Input::Leave(letter) => self.leave(letter, events),
        };
        if let Err(rejection) = result {
            events.push(Event::Rejected(rejection));
            return;
        }
        self.end = self.find_end();
        events.extend(self.end.map(Event::Over));
    }

    fn join(&mut self, name: Name, events: &mut Vec<Event>) -> Result<(), Rejection> {
        let others = self.players.len();
        let letter = Letter::nth(others).filter(|_| !self.is_full()).ok_or(Rejection::Full)?;
        let at = self.choose_start(others).ok_or(Rejection::NoSpot)?;
        let sees = self.sight.visible_from(at);
        let known = PointSet::clone(&sees);
        let steps_left = self.rules.lifetime.map(|lifetime| lifetime.steps);
        self.players.push(Player { letter, name, purse: 0, at: Some(at), sees, known, steps_left });
        self.occupants.put_player(self.map().index(at), letter);
        events.push(Event::Joined { player: letter, at });
        Ok(())
    }

    fn choose_start(&mut self, others: usize) -> Option<Point> {
        if let Some(start) = self.starts.get(others) {
            return Some(*start).filter(|at| self.is_free(*at));
        }
        let free = self.free_spots();
        if free.is_empty() {
            return None;
        }
        Some(free[self.rng.index(free.len())])
    }

    /// The room spots without an occupant.
    fn free_spots(&self) -> Vec<Point> {
        let mut free = self.map().room_spots();
        free.retain(|at| self.is_free(*at));
        free
    }

    fn is_free(&self, at: Point) -> bool {
        self.occupants.is_free(self.map().index(at))
    }

    fn leave(&mut self, letter: Letter, events: &mut Vec<Event>) -> Result<(), Rejection> {
        let at = self.spot_of(letter)?;
        events.push(Event::Left { player: letter, at });
        self.remove_player(letter, at, events);
        Ok(())
    }

    /// Takes a player off the map. Its gold stays in its purse, unless the rules drop it.
    fn remove_player(&mut self, letter: Letter, at: Point, events: &mut Vec<Event>) {
        self.occupants.clear(self.map().index(at));
        self.players[letter.index()].at = None;
        if self.rules.drop_on_quit {
            events.extend(self.drop_gold_on_quit(letter, at));
        }
    }

    /// Turns the purse of a player into a pile, unless it is empty.
    fn drop_gold_on_quit(&mut self, player: Letter, at: Point) -> Option<Event> {
        let nuggets = std::mem::take(&mut self.players[player.index()].purse);
        if nuggets == 0 {
            return None;
        }
        self.remaining += nuggets;
        self.piles.add(at, nuggets);
        self.occupants.put_gold(self.map().index(at));
        Some(Event::Dropped { player, nuggets, at })
    }

    fn find_end(&self) -> Option<End> {
        let is_empty = self.players.iter().all(|player| player.at.is_none());
        if self.remaining == 0 {
            Some(End::AllCollected)
        } else if is_empty && self.is_full() {
            Some(End::NobodyLeft)
        } else if is_empty && self.rules.end_when_empty {
            Some(End::Emptied)
        } else {
            None
        }
    }

    fn spot_of(&self, letter: Letter) -> Result<Point, Rejection> {
        let player = self.players.get(letter.index());
        player.and_then(Player::at).ok_or(Rejection::NotPlaying)
    }
}

#[cfg(test)]
mod tests;
