//! The game: its state, and `apply`, the only way to change it.

use std::sync::Arc;

use crate::gold::Piles;
use crate::{
    Chance, Letter, Map, Name, Player, Point, PointSet, Rules, Seed, Sight, Stroke, Table,
    TooFewSpots, View, Viewer,
};

/// What can be done to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Somebody wants to play.
    Join(Name),
    /// A player presses a movement key.
    Press(Letter, Stroke),
    /// A player quits.
    Leave(Letter),
}

/// What came of an input, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new player stands on the map.
    Joined(Letter),
    /// A player took one step onto a free spot.
    Moved(Letter),
    /// A player stepped onto another; the two changed places.
    Swapped {
        /// Who stepped.
        mover: Letter,
        /// Who was stepped onto.
        other: Letter,
    },
    /// A player took a whole pile.
    Collected {
        /// Who.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
    },
    /// A player quit and is no longer on the map.
    Left(Letter),
    /// The game has ended.
    Over(End),
    /// Nothing has changed, for this reason.
    Refused(Refusal),
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last nugget was taken.
    AllCollected,
    /// Everybody who could ever join has joined and quit.
    NobodyLeft,
    /// The last player quit, and the rules say that this is the end.
    Emptied,
}

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// All letters are taken.
    Full,
    /// No room spot is free of players and gold.
    NoSpot,
    /// That player isn't on the map.
    NotPlaying,
    /// The next gridpoint that way is no spot.
    Blocked,
    /// The game has ended.
    Over,
}

/// One game. See the crate's documentation for an example.
#[derive(Clone, Debug)]
pub struct Game {
    sight: Arc<Sight>,
    rules: Rules,
    chance: Chance,
    piles: Piles,
    players: Vec<Player>,
    starts: Vec<Point>,
    end: Option<End>,
}

impl Game {
    /// A new game, its gold spread by the seed.
    pub fn new(sight: Arc<Sight>, rules: Rules, seed: Seed) -> Result<Self, TooFewSpots> {
        rules.check_room(sight.map())?;
        let mut chance = Chance::new(seed);
        let piles = Piles::spread(sight.map(), &rules, &mut chance);
        Ok(Self { sight, rules, chance, piles, players: vec![], starts: vec![], end: None })
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
        let (chance, piles) = (Chance::new(seed), Piles::new(piles));
        Self { sight, rules, chance, piles, players: vec![], starts, end: None }
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

    /// Nuggets that nobody has taken.
    pub fn remaining(&self) -> u32 {
        self.piles.nuggets()
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
        let known = PointSet::clone(&self.sight.from(at));
        self.players.push(Player { letter, name, purse: 0, at: Some(at), known });
        events.push(Event::Joined(letter));
        Ok(())
    }

    fn landing_spot(&mut self, others: usize) -> Option<Point> {
        if let Some(&start) = self.starts.get(others) {
            return self.player_at(start).is_none().then_some(start);
        }
        let mut free = self.map().room_spots();
        free.retain(|&at| !self.piles.is_at(at) && self.player_at(at).is_none());
        if free.is_empty() {
            return None;
        }
        Some(free[self.chance.index(free.len())])
    }

    fn press(
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
            let goes_on = sprint && !(self.rules.sprint_stops && met_something);
            match self.map().spot_beside(at, direction) {
                Some(further) if goes_on => next = further,
                _ => return Ok(()),
            }
        }
    }

    /// One step onto a spot; true if a player or gold was there.
    fn step(&mut self, mover: Letter, from: Point, to: Point, events: &mut Vec<Event>) -> bool {
        let other = self.player_at(to);
        if let Some(other) = other {
            self.put(other, from);
            events.push(Event::Swapped { mover, other });
        } else {
            events.push(Event::Moved(mover));
        }
        self.put(mover, to);
        let found = self.piles.take(to);
        if let Some(nuggets) = found {
            self.players[mover.index()].purse += nuggets;
            events.push(Event::Collected { player: mover, nuggets });
        }
        other.is_some() || found.is_some()
    }

    /// Puts a player on a spot; what is seen from there is known from now on.
    fn put(&mut self, letter: Letter, at: Point) {
        let seen = self.sight.from(at);
        let player = &mut self.players[letter.index()];
        player.at = Some(at);
        player.known.add_all(&seen);
    }

    fn leave(&mut self, letter: Letter, events: &mut Vec<Event>) -> Result<(), Refusal> {
        self.spot_of(letter)?;
        self.players[letter.index()].at = None;
        events.push(Event::Left(letter));
        Ok(())
    }

    fn find_end(&self) -> Option<End> {
        let nobody_here = self.players.iter().all(|player| player.at.is_none());
        if self.piles.nuggets() == 0 {
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

    fn player_at(&self, at: Point) -> Option<Letter> {
        self.players.iter().find(|player| player.at == Some(at)).map(Player::letter)
    }
}

#[cfg(test)]
mod tests;
