//! The game: its state, and `apply`, the only way to change it.

use std::sync::Arc;

use crate::gold::Piles;
use crate::occupants::Occupants;
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
    Joined {
        /// Who.
        player: Letter,
        /// Where.
        at: Point,
    },
    /// A player took one step onto a free spot, or onto gold.
    Moved {
        /// Who.
        player: Letter,
        /// From where.
        from: Point,
        /// Onto where.
        to: Point,
    },
    /// A player stepped onto another; the two changed places.
    Swapped {
        /// Who stepped.
        mover: Letter,
        /// Who was stepped onto.
        other: Letter,
        /// Where the mover was and the other is.
        from: Point,
        /// Where the mover is and the other was.
        to: Point,
    },
    /// A player took a whole pile.
    Collected {
        /// Who.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// Where it lay.
        at: Point,
    },
    /// A player quit and is no longer on the map.
    Left {
        /// Who.
        player: Letter,
        /// Where it stood.
        at: Point,
    },
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
    remaining: u32,
    occupants: Occupants,
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
        Ok(Self::begin(sight, rules, chance, piles, vec![]))
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
        let mut occupants = Occupants::none(sight.map());
        for (at, _) in piles.iter() {
            occupants.put_gold(sight.map(), at);
        }
        let (remaining, players) = (piles.nuggets(), vec![]);
        Self { sight, rules, chance, piles, remaining, occupants, players, starts, end: None }
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
        self.players.push(Player { letter, name, purse: 0, at: Some(at), sees, known });
        self.occupants.put_player(self.map().index(at), letter);
        events.push(Event::Joined { player: letter, at });
        Ok(())
    }

    fn landing_spot(&mut self, others: usize) -> Option<Point> {
        let is_free = |at: &Point| self.occupants.is_free(self.sight.map().index(*at));
        if let Some(start) = self.starts.get(others) {
            return Some(*start).filter(is_free);
        }
        let mut free = self.map().room_spots();
        free.retain(is_free);
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
        let index = self.map().index(to);
        let (other, gold) = (self.occupants.player(index), self.occupants.is_gold(index));
        if let Some(other) = other {
            self.put(other, from);
            events.push(Event::Swapped { mover, other, from, to });
        } else {
            self.occupants.clear(self.map().index(from));
            events.push(Event::Moved { player: mover, from, to });
        }
        self.put(mover, to);
        if gold {
            events.push(self.collect(mover, to));
        }
        other.is_some() || gold
    }

    fn collect(&mut self, player: Letter, at: Point) -> Event {
        let nuggets = self.piles.take(at).expect("gold is drawn where a pile lies");
        self.remaining -= nuggets;
        self.players[player.index()].purse += nuggets;
        Event::Collected { player, nuggets, at }
    }

    /// Puts a player on a spot; what is seen from there is known from now on.
    fn put(&mut self, letter: Letter, at: Point) {
        self.occupants.put_player(self.map().index(at), letter);
        let player = &mut self.players[letter.index()];
        player.at = Some(at);
        player.sees = self.sight.from(at);
        player.known.add_all(&player.sees);
    }

    fn leave(&mut self, letter: Letter, events: &mut Vec<Event>) -> Result<(), Refusal> {
        let at = self.spot_of(letter)?;
        self.occupants.clear(self.map().index(at));
        self.players[letter.index()].at = None;
        events.push(Event::Left { player: letter, at });
        Ok(())
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
