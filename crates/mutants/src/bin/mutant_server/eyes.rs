//! Sight as a fault has it: what everybody sees and knows by a false rule, or by the right one on
//! false ground. It draws pictures and knows nothing of messages.

use nuggets_game::{Game, Map, Player, Point, PointSet, Sight, SightRule, Tile, Viewer};
use nuggets_protocol::Dialect;
use nuggets_server::sight_rule;

use crate::fault::Fault;
use crate::world::walks_bent_ground;

mod line;

use line::Line;

/// How a fault sees, and what everybody has seen so far.
#[derive(Debug)]
pub(crate) struct Eyes {
    fault: Fault,
    map: Map,
    look: Look,
    rule: SightRule,
    players: Vec<Memory>,
}

#[derive(Debug)]
struct Memory {
    sees: PointSet,
    knows: PointSet,
}

/// What is seen from a gridpoint.
#[derive(Debug)]
enum Look {
    /// What this says.
    Sight(Sight),
    /// That and whatever is near.
    Near(Sight),
    /// That without walls.
    NoWalls(Sight),
    /// Whatever the occupants leave free.
    Blocked,
    /// The right thing, where passages with somebody in them are rooms.
    Lit,
    /// Everything.
    All,
    /// What such a line reaches.
    Line(Line),
}

/// So far some see through walls.
const NEAR: u16 = 3;

impl Eyes {
    /// The eyes for this fault; none if the game's own will do.
    pub(crate) fn new(fault: Fault, dialect: Dialect, map: &Map) -> Option<Self> {
        let rule = sight_rule(dialect);
        let right = || Sight::new(map.clone(), rule);
        let look = match fault {
            Fault::SeesAll => Look::All,
            Fault::SeesThroughWalls => Look::Near(right()),
            Fault::SightOfOtherDialect => Look::Sight(Sight::new(map.clone(), other(rule))),
            Fault::PassagesTransparent => Look::Sight(Sight::new(lit(map), rule)),
            Fault::SightFloorOnly => Look::Line(Line::FloorOnly),
            Fault::SightNearest => Look::Line(Line::Nearest),
            Fault::SightRowsOnly => Look::Line(Line::RowsOnly),
            Fault::SightColsOnly => Look::Line(Line::ColsOnly),
            Fault::SightFloatSum => Look::Line(Line::FloatSum),
            Fault::OccupantsBlock => Look::Blocked,
            Fault::OccupantsShine => Look::Lit,
            Fault::WallsUnseen => Look::NoWalls(right()),
            Fault::Forgets
            | Fault::RemembersGold
            | Fault::RemembersPlayers
            | Fault::SprintForgets => Look::Sight(right()),
            _ if walks_bent_ground(fault) => Look::Sight(right()),
            _ => return None,
        };
        Some(Self { fault, map: map.clone(), look, rule, players: vec![] })
    }

    /// Takes in what happened between these two.
    pub(crate) fn watch(&mut self, before: &Game, after: &Game) {
        for (index, player) in after.players().iter().enumerate() {
            let Some(at) = player.at() else { continue };
            let was = before.players().get(index).and_then(Player::at);
            let sees = self.see(after, at);
            let mut knows = match self.players.get(index) {
                Some(memory) if self.fault != Fault::Forgets => memory.knows.clone(),
                _ => sees.clone(),
            };
            if self.fault != Fault::SprintForgets && self.fault != Fault::Forgets {
                for passed in was.map(|was| between(was, at)).unwrap_or_default() {
                    knows.add_all(&self.see(after, passed));
                }
            }
            knows.add_all(&sees);
            let memory = Memory { sees, knows };
            match self.players.get_mut(index) {
                Some(place) => *place = memory,
                None => self.players.push(memory),
            }
        }
    }

    fn see(&self, game: &Game, at: Point) -> PointSet {
        let everything = || self.map.points().map(|point| (point, self.map.index(point)));
        match &self.look {
            Look::Sight(sight) => PointSet::clone(&sight.from(at)),
            Look::All => collect(&self.map, everything().map(|(_, index)| index)),
            Look::Near(sight) => {
                let mut seen = PointSet::clone(&sight.from(at));
                let near = everything().filter(|(to, _)| distance(at, *to) <= NEAR);
                near.for_each(|(_, index)| seen.insert(index));
                seen
            }
            Look::NoWalls(sight) => {
                let mut seen = PointSet::clone(&sight.from(at));
                for (index, _) in
                    self.map.tiles().iter().enumerate().filter(|(_, tile)| tile.is_wall())
                {
                    seen.remove(index);
                }
                seen
            }
            Look::Blocked => {
                let ground = occupied_as_walls(&self.map, game);
                PointSet::clone(&Sight::new(ground, self.rule).from(at))
            }
            Look::Lit => {
                let ground = occupied_as_rooms(&self.map, game);
                PointSet::clone(&Sight::new(ground, self.rule).from(at))
            }
            Look::Line(line) => {
                let visible = everything().filter(|(to, _)| line.reaches(&self.map, at, *to));
                collect(&self.map, visible.map(|(_, index)| index))
            }
        }
    }

    /// The rows of somebody's picture.
    pub(crate) fn draw(&self, game: &Game, viewer: Viewer) -> Vec<u8> {
        let mut rows = Vec::new();
        for (index, at) in self.map.points().enumerate() {
            let tile = self.map.tiles()[index];
            rows.push(match viewer {
                Viewer::Spectator => self.occupant(game, at).unwrap_or(tile.as_char()),
                Viewer::Player(letter) => self.symbol(game, game.player(letter), at, index),
            });
            if at.col + 1 == self.map.cols() {
                rows.push(b'\n');
            }
        }
        rows
    }

    fn symbol(&self, game: &Game, player: &Player, at: Point, index: usize) -> u8 {
        let seen = &self.players[player.letter().index()];
        if player.at() == Some(at) {
            return b'@';
        }
        let occupant = self.occupant(game, at).filter(|drawn| {
            let is_remembered = match drawn {
                b'*' => self.fault == Fault::RemembersGold,
                _ => self.fault == Fault::RemembersPlayers,
            };
            seen.sees.contains(index) || (is_remembered && seen.knows.contains(index))
        });
        let ground = seen.knows.contains(index).then(|| self.map.tiles()[index].as_char());
        occupant.or(ground).unwrap_or(b' ')
    }

    /// Gold inside walls is nobody's business.
    fn occupant(&self, game: &Game, at: Point) -> Option<u8> {
        let drawn = Some(game.symbol_at(at)).filter(|drawn| Tile::from_char(*drawn).is_none());
        let is_spot = self.map.tile(at).is_some_and(Tile::is_spot);
        drawn.filter(|drawn| is_spot || *drawn != b'*')
    }
}

fn collect(map: &Map, seen: impl Iterator<Item = usize>) -> PointSet {
    let mut set = PointSet::empty(map.tiles().len());
    seen.for_each(|index| set.insert(index));
    set
}

fn distance(one: Point, two: Point) -> u16 {
    one.row.abs_diff(two.row).max(one.col.abs_diff(two.col))
}

/// The gridpoints on a straight way from one to another, the first left out; only the last if the
/// way isn't straight.
pub(crate) fn between(from: Point, to: Point) -> Vec<Point> {
    let (down, right) = (from.row.abs_diff(to.row), from.col.abs_diff(to.col));
    if down != 0 && right != 0 && down != right {
        return vec![to];
    }
    let toward = |from: u16, to: u16, steps: u16| match from.cmp(&to) {
        std::cmp::Ordering::Less => from + steps,
        std::cmp::Ordering::Equal => from,
        std::cmp::Ordering::Greater => from - steps,
    };
    let steps = 1..=down.max(right);
    steps
        .map(|step| Point::new(toward(from.row, to.row, step), toward(from.col, to.col, step)))
        .collect()
}

fn other(rule: SightRule) -> SightRule {
    match rule {
        SightRule::DarkPassages => SightRule::StraightPassages,
        SightRule::StraightPassages => SightRule::DarkPassages,
    }
}

/// The same map with rooms for passages.
fn lit(map: &Map) -> Map {
    redrawn(&map.to_string().replace('#', "."))
}

fn occupied_as_walls(map: &Map, game: &Game) -> Map {
    let mut text = map.to_string().into_bytes();
    let players = game.players().iter().filter_map(Player::at);
    for at in game.piles().map(|(at, _)| at).chain(players) {
        text[map.index(at) + usize::from(at.row)] = b'|';
    }
    redrawn(&String::from_utf8_lossy(&text))
}

fn occupied_as_rooms(map: &Map, game: &Game) -> Map {
    let mut text = map.to_string().into_bytes();
    for at in game.players().iter().filter_map(Player::at) {
        text[map.index(at) + usize::from(at.row)] = b'.';
    }
    redrawn(&String::from_utf8_lossy(&text))
}

fn redrawn(text: &str) -> Map {
    Map::parse(text.as_bytes()).expect("it has the size of a good map").map
}
