//! What a seed stands for: the map, the rules, the weather, and who takes part.

use std::fmt;

use nuggets_bots::BrainKind;
use nuggets_game::{Blueprint, Chance, Lifetime, Rules, Seed, Style, generate, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Care, Millis};

use crate::net::Weather;

/// Small, so that everybody meets everybody: a pillar, a bend, a fork, dark ways and edges.
const SMALL: [&str; 4] = [
    "\
+------+   +----+
|......#####....|
|..+-..|   |....|
|......|   +-#--+
+---#--+     #   
    ##########   
",
    "\
+---+ +---+
|...###...|
|...| |...|
+-#-+ +-#-+
  #######  
",
    "\
...........
..+--+.....
..|  |....#
..+--+....#
.........##
",
    "\
##+----------+
#+|..........|
#.#..........#
#+|....+.....#
##+----------#
 #############
",
];

/// Of the maps that come with the game, those on which the model is not too slow.
const SHIPPED: [&str; 5] = ["main", "edges", "hole", "maze", "narrow"];

/// One run, before it begins. Everything in it may be changed, for an experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it was drawn from.
    pub seed: u64,
    /// Bots alone, who wait until all are in, through losses and delays alone, until the game is over.
    pub is_bot_game: bool,
    /// The map as text.
    pub map: String,
    /// The dialect.
    pub dialect: Dialect,
    /// The rules by which the model judges.
    pub rules: Rules,
    /// The rules by which the room plays: the same, unless somebody wants to see the difference.
    pub room_rules: Rules,
    /// Moves are shown only to those whose picture they change.
    pub changed_only: bool,
    /// What the room does about bad networks.
    pub care: Care,
    /// The chance of the game.
    pub game_seed: Seed,
    /// What the network does.
    pub weather: Weather,
    /// The chance of the network.
    pub net_seed: Seed,
    /// When the weather clears and everybody rests.
    pub calm_at: Millis,
    /// Who takes part.
    pub parts: Vec<Part>,
}

/// Somebody's part in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Who it is.
    pub cast: Cast,
    /// The time between two keys.
    pub pace_ms: u32,
    /// Its own chance.
    pub seed: u64,
    /// When it comes.
    pub comes_at: Millis,
    /// When it vanishes without a word.
    pub vanishes_at: Option<Millis>,
    /// When it is back, with no memory of what was.
    pub returns_at: Option<Millis>,
}

/// What somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// A brain.
    Bot(BrainKind),
    /// Says anything at all, mostly what makes sense.
    Script,
}

impl Plan {
    /// The plan of this seed. One in four is a game of bots.
    pub fn draw(seed: u64) -> Self {
        let mut chance = Chance::new(Seed::new(seed.cast_signed()));
        let is_bot_game = chance.below(4) == 0;
        Self::draw_kind(seed, is_bot_game, &mut chance)
    }

    /// A game of bots of this seed.
    pub fn draw_bot_game(seed: u64) -> Self {
        let mut chance = Chance::new(Seed::new(seed.cast_signed()));
        Self::draw_kind(seed, true, &mut chance)
    }

    fn draw_kind(seed: u64, is_bot_game: bool, chance: &mut Chance) -> Self {
        let map = draw_map(chance);
        let rules = fitted(draw_rules(chance, is_bot_game), &map);
        let span_ms = 3_000 + chance.below(9_000);
        let count = 1 + chance.index(rules.max_players.min(8));
        let weather = if is_bot_game {
            Weather::draw_lossy(chance, 30)
        } else {
            Weather::draw(chance, count, span_ms)
        };
        let idle_timeout_ms = (!is_bot_game && chance.below(5) == 0).then_some(3_000);
        let vanishing = !is_bot_game && chance.below(2) == 0;
        let mut parts: Vec<Part> =
            (0..count).map(|_| Part::draw(chance, is_bot_game, vanishing, span_ms)).collect();
        if is_bot_game {
            // Somebody has to bring it to an end.
            parts[0].cast = Cast::Bot(BrainKind::Miner);
        }
        Self {
            seed,
            is_bot_game,
            map,
            dialect: Dialect::ALL[chance.index(Dialect::ALL.len())],
            rules,
            room_rules: rules,
            changed_only: chance.below(5) == 0,
            care: Care { idle_timeout_ms, ..Care::default() },
            game_seed: draw_seed(chance),
            weather,
            net_seed: draw_seed(chance),
            calm_at: Millis(span_ms.into()),
            parts,
        }
    }
}

/// Who plays where and in what weather, in one line.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots = self.parts.iter().filter(|part| part.cast != Cast::Script).count();
        let scripts = self.parts.len() - bots;
        let vanishing = self.parts.iter().filter(|part| part.vanishes_at.is_some()).count();
        let (rows, cols) = (self.map.lines().count(), self.map.lines().next().map_or(0, str::len));
        write!(f, "bots {bots}, scripts {scripts}, of them vanish {vanishing}")?;
        write!(f, "; dialect {}, map {rows} by {cols}; {}", self.dialect, self.weather)
    }
}

impl Part {
    fn draw(chance: &mut Chance, is_bot_game: bool, vanishing: bool, span_ms: u32) -> Self {
        let cast = match chance.below(5) {
            0 | 1 if !is_bot_game => Cast::Script,
            _ => Cast::Bot(BrainKind::ALL[chance.index(BrainKind::ALL.len())]),
        };
        let vanishes = vanishing && chance.below(2) == 0;
        let vanishes_at = vanishes.then(|| Millis(chance.below(span_ms).into()));
        let returns = vanishes_at.filter(|_| chance.below(2) == 0);
        Self {
            cast,
            pace_ms: 60 + chance.below(240),
            seed: draw_seed(chance).number().cast_unsigned(),
            comes_at: Millis(chance.below(1_000).into()),
            vanishes_at,
            returns_at: returns.map(|at| at.after(100 + u64::from(chance.below(3_000)))),
        }
    }
}

/// Mostly a small map, sometimes a new one, now and then one that comes with the game.
fn draw_map(chance: &mut Chance) -> String {
    match chance.below(80) {
        0 => {
            let name = SHIPPED[chance.index(SHIPPED.len())];
            shipped::find(name).map_or(SMALL[0], |shipped| shipped.text).to_owned()
        }
        1..=8 => {
            let (rows, cols) = (9 + chance.index(4), 20 + chance.index(12));
            let size = |number: usize| u16::try_from(number).unwrap_or(30);
            let blueprint = Blueprint::new(size(rows), size(cols), None, Style::default());
            generate(&blueprint.unwrap_or_default(), draw_seed(chance)).to_string()
        }
        _ => SMALL[chance.index(SMALL.len())].to_owned(),
    }
}

fn draw_rules(chance: &mut Chance, is_bot_game: bool) -> Rules {
    if chance.below(6) == 0 {
        return Rules::default();
    }
    let nuggets = if chance.below(3) == 0 { 250 } else { 1 + chance.below(40) };
    let min_piles = 1 + chance.below(4.min(nuggets));
    let max_players = if chance.below(3) == 0 { 26 } else { 2 + chance.index(7) };
    let lifetime = Lifetime { steps: 1 + chance.below(60), food: chance.below(4) };
    Rules {
        nuggets,
        min_piles,
        max_piles: (min_piles + chance.below(4)).min(nuggets),
        max_players,
        sprint_stops: chance.below(2) == 0,
        end_when_empty: chance.below(2) == 0,
        vision: (chance.below(4) == 0).then_some(()).map(|()| 1 + small(chance.below(7))),
        steal: chance.below(3) == 0,
        drop_on_quit: chance.below(3) == 0,
        // Whoever starves does not bring a game to its end.
        lifetime: (chance.below(4) == 0 && !is_bot_game).then_some(lifetime),
    }
}

fn small(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Fewer of everything where the map is too small for it.
fn fitted(mut rules: Rules, map: &str) -> Rules {
    let third = map.matches('.').count() / 3;
    let few = u32::try_from(third).unwrap_or(u32::MAX);
    rules.max_piles = rules.max_piles.min(few);
    rules.min_piles = rules.min_piles.min(few);
    if let Some(lifetime) = &mut rules.lifetime {
        lifetime.food = lifetime.food.min(few);
    }
    rules.max_players = rules.max_players.min(third);
    rules
}

fn draw_seed(chance: &mut Chance) -> Seed {
    let (high, low) = (i64::from(chance.below(1 << 30)), i64::from(chance.below(1 << 30)));
    Seed::new((high << 30 | low).max(1))
}

#[cfg(test)]
mod tests {
    use nuggets_game::Map;

    use super::*;

    #[test]
    fn every_plan_can_be_played() {
        for seed in 0..500 {
            let plan = Plan::draw(seed);
            let map = Map::parse(plan.map.as_bytes()).unwrap().map;
            assert_eq!(plan.rules.check(), Ok(()), "seed {seed}");
            assert_eq!(plan.rules.check_room(&map), Ok(()), "seed {seed}");
            assert!((1..=8).contains(&plan.parts.len()));
        }
    }
}
