//! A map as a picture: coloured rectangles on a grid of pixels, which become SVG or PNG.
//!
//! It draws shapes, not characters: floors up to the middle of their boundaries, boundaries as
//! lines, passages as bands. What is out of sight is faint.

mod paint;

use nuggets_game::{Direction, Map, Point, Tile};

pub(crate) use self::paint::Picture;
use self::paint::{Color, blend};
use super::show::Look;

/// A gridpoint is as high as about two are wide, as in a terminal. Both are odd, so that a line
/// can run in the middle.
const CELL_WIDTH: u32 = 9;
const CELL_HEIGHT: u32 = 17;
const MARGIN: u32 = 10;
const LINE: u32 = 3;
const BAND: u32 = 7;

const ROCK: Color = [0x14, 0x17, 0x1c];
const FLOOR: Color = [0x45, 0x53, 0x66];
const DOT: Color = [0x62, 0x74, 0x8c];
const PASSAGE: Color = [0x8a, 0x5a, 0x14];
const WALL: Color = [0x7c, 0xc7, 0xf0];
const VIEWER: Color = [0xff, 0xe0, 0x3c];
/// Where somebody walked, from once to most often.
const HEAT: [Color; 3] = [[0x7a, 0x2a, 0x6b], [0xe0, 0x6a, 0x1c], [0xff, 0xe8, 0x60]];
/// What is out of sight is so much like rock, in per cent.
const FAINT: u32 = 72;

impl Picture {
    /// The map, bright where it is seen.
    pub(super) fn of(map: &Map, look: Option<&Look>) -> Self {
        let mut artist = Artist::new(map);
        artist.look = look;
        artist.draw();
        if let Some(look) = look {
            artist.viewer(look.from);
        }
        artist.picture
    }

    /// The map, the brighter the more often somebody came there. There is a number for each
    /// gridpoint, row after row.
    pub(crate) fn of_walks(map: &Map, heat: &[u32]) -> Self {
        let mut artist = Artist::new(map);
        artist.heat = heat;
        artist.hottest = heat.iter().max().copied().unwrap_or(0);
        artist.draw();
        artist.picture
    }
}

struct Artist<'a> {
    map: &'a Map,
    look: Option<&'a Look>,
    heat: &'a [u32],
    hottest: u32,
    picture: Picture,
}

impl<'a> Artist<'a> {
    fn new(map: &'a Map) -> Self {
        let width = u32::from(map.cols()) * CELL_WIDTH + 2 * MARGIN;
        let height = u32::from(map.rows()) * CELL_HEIGHT + 2 * MARGIN;
        let picture = Picture::new(width, height, ROCK);
        Self { map, look: None, heat: &[], hottest: 0, picture }
    }

    fn draw(&mut self) {
        for draw in [Self::floor, Self::dot, Self::wall, Self::passage] {
            self.map.points().for_each(|at| draw(self, at));
        }
    }

    /// The colour of a spot, or of the walks over it.
    fn warm(&self, at: Point, cold: Color) -> Color {
        match self.heat.get(self.map.index(at)) {
            None => cold,
            // The colour of passages is too much like that of walks.
            Some(0) => FLOOR,
            Some(times) => heat_color(*times, self.hottest),
        }
    }

    fn floor(&mut self, at: Point) {
        if self.is(at, Tile::Rock) {
            return;
        }
        if self.is(at, Tile::Room) {
            self.fill(at, (0, 0), (CELL_WIDTH, CELL_HEIGHT), self.warm(at, FLOOR));
            return;
        }
        // A quarter of a boundary belongs to whatever room is beside it.
        let (middle, half_height) = (CELL_WIDTH.div_ceil(2), CELL_HEIGHT.div_ceil(2));
        for (way, across, along) in QUARTERS {
            if [way, across, along].into_iter().any(|way| self.beside(at, way) == Some(Tile::Room))
            {
                let x = if across == Direction::Left { 0 } else { CELL_WIDTH - middle };
                let y = if along == Direction::Up { 0 } else { CELL_HEIGHT - half_height };
                self.fill(at, (x, y), (middle, half_height), FLOOR);
            }
        }
    }

    fn dot(&mut self, at: Point) {
        if self.is(at, Tile::Room) && self.warm(at, DOT) == DOT {
            self.middle(at, 1, DOT);
        }
    }

    /// A band in the middle, with arms toward the spots beside it.
    fn passage(&mut self, at: Point) {
        if !self.is(at, Tile::Passage) {
            return;
        }
        let color = self.warm(at, PASSAGE);
        self.middle(at, BAND, color);
        for way in Direction::STRAIGHT {
            if self.beside(at, way).is_some_and(Tile::is_spot) {
                self.arm(at, way, BAND, color);
            }
        }
    }

    /// A line along the boundary, up to its doors.
    fn wall(&mut self, at: Point) {
        let tile = self.map.tile(at);
        if tile.is_some_and(Tile::is_wall) {
            self.middle(at, LINE, WALL);
        }
        for way in Direction::STRAIGHT {
            if tile.is_some_and(Tile::is_wall) && self.goes_on(at, way)
                || self.is_door(at, way) && self.beside(at, way).is_some_and(Tile::is_wall)
            {
                self.arm(at, way, LINE, WALL);
            }
        }
    }

    /// Is it a door in a boundary that runs in this direction?
    fn is_door(&self, at: Point, way: Direction) -> bool {
        use Direction::{Down, Left, Right, Up};
        let sides = if matches!(way, Left | Right) { [Up, Down] } else { [Left, Right] };
        let beside_room = sides.into_iter().any(|side| self.beside(at, side) == Some(Tile::Room));
        self.is(at, Tile::Passage) && beside_room
    }

    /// Does the boundary here go on in this direction?
    fn goes_on(&self, at: Point, way: Direction) -> bool {
        let level = matches!(way, Direction::Left | Direction::Right);
        let straight = if level { Tile::Horizontal } else { Tile::Vertical };
        if !self.is(at, Tile::Corner) {
            return self.is(at, straight);
        }
        let next = self.beside(at, way);
        next == Some(straight)
            || next == Some(Tile::Corner)
            || at.step(way).is_some_and(|next| self.is_door(next, way))
    }

    /// A disc with a dark rim.
    fn viewer(&mut self, at: Point) {
        for (radius, color) in [(6, ROCK), (4, VIEWER)] {
            let (left, top) = corner(at);
            let (x, y) = (left + CELL_WIDTH / 2, top + CELL_HEIGHT / 2);
            self.picture.disc((x, y), radius, color);
        }
    }

    fn middle(&mut self, at: Point, thick: u32, color: Color) {
        let offset = ((CELL_WIDTH - thick) / 2, (CELL_HEIGHT - thick) / 2);
        self.fill(at, offset, (thick, thick), color);
    }

    /// From the middle to the edge.
    fn arm(&mut self, at: Point, way: Direction, thick: u32, color: Color) {
        let (x, y) = ((CELL_WIDTH - thick) / 2, (CELL_HEIGHT - thick) / 2);
        let (offset, size) = match way {
            Direction::Left => ((0, y), (x, thick)),
            Direction::Right => ((CELL_WIDTH - x, y), (x, thick)),
            Direction::Up => ((x, 0), (thick, y)),
            _ => ((x, CELL_HEIGHT - y), (thick, y)),
        };
        self.fill(at, offset, size, color);
    }

    fn fill(&mut self, at: Point, (x, y): (u32, u32), size: (u32, u32), color: Color) {
        let seen = self.look.is_none_or(|look| look.seen.contains(self.map.index(at)));
        let color = if seen { color } else { blend(color, ROCK, FAINT) };
        let (left, top) = corner(at);
        self.picture.rectangle((left + x, top + y), size, color);
    }

    fn is(&self, at: Point, tile: Tile) -> bool {
        self.map.tile(at) == Some(tile)
    }

    fn beside(&self, at: Point, way: Direction) -> Option<Tile> {
        at.step(way).and_then(|next| self.map.tile(next))
    }
}

/// By powers of two: a few spots are passed much more often than all others.
fn heat_color(times: u32, hottest: u32) -> Color {
    let percent = 200 * times.max(1).ilog2() / hottest.max(2).ilog2();
    match percent.min(200) {
        cool @ ..=100 => blend(HEAT[0], HEAT[1], cool),
        hot => blend(HEAT[1], HEAT[2], hot - 100),
    }
}

/// The upper left pixel of a gridpoint.
fn corner(at: Point) -> (u32, u32) {
    (MARGIN + u32::from(at.col) * CELL_WIDTH, MARGIN + u32::from(at.row) * CELL_HEIGHT)
}

const QUARTERS: [(Direction, Direction, Direction); 4] = [
    (Direction::UpLeft, Direction::Left, Direction::Up),
    (Direction::UpRight, Direction::Right, Direction::Up),
    (Direction::DownLeft, Direction::Left, Direction::Down),
    (Direction::DownRight, Direction::Right, Direction::Down),
];
