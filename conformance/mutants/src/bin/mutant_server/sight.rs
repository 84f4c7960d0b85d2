//! Faults in visibility: the view and memory of each player by a wrong rule, or by the correct rule where the room's
//! own view can't be used. It draws pictures and knows nothing about messages.

use nuggets_game::{Game, Map, Player, Point, PointSet, Sight, SightRule, Tile, Viewer};
use nuggets_protocol::Dialect;

use crate::fault::Fault;
use crate::movement::straight_path;
use crate::world::has_spots_everywhere;

mod line;

/// The range of sight through walls, with that fault.
const THROUGH_WALLS: u16 = 3;

/// Visibility with a fault, and the memory of each player.
#[derive(Debug)]
pub(crate) struct FaultySight {
    fault: Fault,
    map: Map,
    rule: SightRule,
    sight: Sight,
    /// The players' memories, by letter.
    players: Vec<Memory>,
}

#[derive(Debug)]
struct Memory {
    visible: PointSet,
    known: PointSet,
}

impl FaultySight {
    /// Creates the sight for a fault; `None` if the room's own view is right for it.
    pub(crate) fn new(fault: Fault, dialect: Dialect, map: &Map) -> Option<Self> {
        let rule = SightRule::of(dialect);
        let sight = match fault {
            Fault::PassagesTransparent => {
                Sight::new(parse(map.to_string().replace('#', ".").as_bytes()), rule)
            }
            Fault::SeesAll
            | Fault::SeesThroughWalls
            | Fault::OccupantsBlockSight
            | Fault::OccupiedPassagesTransparent
            | Fault::WallsInvisible
            | Fault::ForgetsOutOfSight
            | Fault::RemembersGold
            | Fault::RemembersPlayers
            | Fault::SprintForgets => Sight::new(map.clone(), rule),
            _ if line::is_wrong(fault) || has_spots_everywhere(fault) => {
                Sight::new(map.clone(), rule)
            }
            _ => return None,
        };
        Some(Self { fault, map: map.clone(), rule, sight, players: vec![] })
    }

    /// Updates the view and memory of each player after a turn.
    pub(crate) fn update(&mut self, before: &Game, after: &Game) {
        for (index, player) in after.players().iter().enumerate() {
            let Some(at) = player.at() else { continue };
            let was = before.players().get(index).and_then(Player::at);
            let visible = self.visible_from(after, at);
            let mut known = match self.players.get(index) {
                Some(memory) if self.fault != Fault::ForgetsOutOfSight => memory.known.clone(),
                _ => visible.clone(),
            };
            if self.fault != Fault::SprintForgets && self.fault != Fault::ForgetsOutOfSight {
                for passed in was.map(|was| straight_path(was, at)).unwrap_or_default() {
                    known.add_all(&self.visible_from(after, passed));
                }
            }
            known.add_all(&visible);
            let memory = Memory { visible, known };
            match self.players.get_mut(index) {
                Some(slot) => *slot = memory,
                None => self.players.push(memory),
            }
        }
    }

    fn visible_from(&self, game: &Game, at: Point) -> PointSet {
        let right = self.sight.visible_from(at);
        let is_right = |to: Point| right.contains(self.map.index(to));
        match self.fault {
            Fault::SeesAll => self.select(|_| true),
            Fault::SeesThroughWalls => {
                self.select(|to| is_right(to) || distance(at, to) <= THROUGH_WALLS)
            }
            Fault::WallsInvisible => {
                self.select(|to| is_right(to) && !self.map.tile(to).is_some_and(Tile::is_wall))
            }
            Fault::OccupantsBlockSight => {
                let gold = game.piles().map(|(pile, _)| pile);
                self.visible_on(self.redrawn(gold.chain(player_spots(game)), b'|'), at)
            }
            Fault::OccupiedPassagesTransparent => {
                self.visible_on(self.redrawn(player_spots(game), b'.'), at)
            }
            fault if line::is_wrong(fault) => {
                self.select(|to| line::reaches(fault, &self.map, at, to))
            }
            _ => PointSet::clone(&right),
        }
    }

    fn visible_on(&self, map: Map, at: Point) -> PointSet {
        PointSet::clone(&Sight::new(map, self.rule).visible_from(at))
    }

    fn select(&self, is_visible: impl Fn(Point) -> bool) -> PointSet {
        let mut set = PointSet::empty(self.map.tiles().len());
        for to in self.map.points().filter(|to| is_visible(*to)) {
            set.insert(self.map.index(to));
        }
        set
    }

    /// The map with this character at some gridpoints.
    fn redrawn(&self, points: impl Iterator<Item = Point>, drawn: u8) -> Map {
        let mut text = self.map.to_string().into_bytes();
        for at in points {
            text[self.map.index(at) + usize::from(at.row)] = drawn;
        }
        parse(&text)
    }

    /// The rows of a viewer's picture.
    pub(crate) fn draw(&self, game: &Game, viewer: Viewer) -> Vec<u8> {
        let mut rows = Vec::new();
        for (index, at) in self.map.points().enumerate() {
            let tile = self.map.tiles()[index];
            rows.push(match viewer {
                Viewer::Spectator => self.occupant(game, at).unwrap_or(tile.as_byte()),
                Viewer::Player(letter) => self.symbol(game, game.player(letter), at),
            });
            if at.col + 1 == self.map.cols() {
                rows.push(b'\n');
            }
        }
        rows
    }

    fn symbol(&self, game: &Game, player: &Player, at: Point) -> u8 {
        if player.at() == Some(at) {
            return b'@';
        }
        let index = self.map.index(at);
        let memory = &self.players[player.letter().index()];
        let is_known = memory.known.contains(index);
        let occupant = self.occupant(game, at).filter(|drawn| {
            let is_remembered = match drawn {
                b'*' => self.fault == Fault::RemembersGold,
                _ => self.fault == Fault::RemembersPlayers,
            };
            memory.visible.contains(index) || (is_remembered && is_known)
        });
        let ground = is_known.then(|| self.map.tiles()[index].as_byte());
        occupant.or(ground).unwrap_or(b' ')
    }

    /// A player or a pile. Piles inside walls are never drawn: they only keep a game from ending.
    fn occupant(&self, game: &Game, at: Point) -> Option<u8> {
        let drawn = Some(game.symbol_at(at)).filter(|drawn| Tile::from_byte(*drawn).is_none());
        let is_spot = self.map.tile(at).is_some_and(Tile::is_spot);
        drawn.filter(|drawn| is_spot || *drawn != b'*')
    }
}

fn player_spots(game: &Game) -> impl Iterator<Item = Point> {
    game.players().iter().filter_map(Player::at)
}

fn distance(one: Point, two: Point) -> u16 {
    one.row.abs_diff(two.row).max(one.col.abs_diff(two.col))
}

fn parse(text: &[u8]) -> Map {
    Map::parse(text).expect("a map of the same size is valid").map
}
