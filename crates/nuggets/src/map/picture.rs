//! A map as a picture: coloured rectangles on a grid of pixels, which become SVG or PNG.
//!
//! It draws shapes, not characters: floors up to the middle of their boundaries, boundaries as
//! lines, passages as bands. Invisible gridpoints are faint.

mod paint;

use nuggets_game::{Direction, Map, Point, Tile};

pub(crate) use self::paint::MapDrawing;
use self::paint::{Color, blend};
use super::show::SpotSight;

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
/// The colours of visited spots, from one visit to the most.
const HEAT: [Color; 3] = [[0x7a, 0x2a, 0x6b], [0xe0, 0x6a, 0x1c], [0xff, 0xe8, 0x60]];
/// The share of rock colour in the colours of invisible gridpoints, in percent.
const FAINT: u32 = 72;

impl MapDrawing {
    /// The map, bright where it is visible.
    pub(super) fn of(map: &Map, view: Option<&SpotSight>) -> Self {
        let mut artist = Artist::new(map);
        artist.view = view;
        artist.draw();
        if let Some(view) = view {
            artist.viewer(view.from);
        }
        artist.picture
    }

    /// The map, the brighter the more often players walked there. `heat` has a number for each
    /// gridpoint, row by row.
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
    view: Option<&'a SpotSight>,
    heat: &'a [u32],
    hottest: u32,
    picture: MapDrawing,
}

impl<'a> Artist<'a> {
    fn new(map: &'a Map) -> Self {
        let width = u32::from(map.cols()) * CELL_WIDTH + 2 * MARGIN;
        let height = u32::from(map.rows()) * CELL_HEIGHT + 2 * MARGIN;
        let picture = MapDrawing::new(width, height, ROCK);
        Self { map, view: None, heat: &[], hottest: 0, picture }
    }

    fn draw(&mut self) {
        for draw in [Self::floor, Self::dot, Self::wall, Self::passage] {
            self.map.points().for_each(|at| draw(self, at));
        }
    }

    /// The colour of a spot: `cold`, or that of its heat.
    fn warm(&self, at: Point, cold: Color) -> Color {
        match self.heat.get(self.map.index(at)) {
            None => cold,
            // The colour of passages is too similar to that of heat.
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
        // Each quarter of a boundary has the colour of the room beside it.
        let middle = CELL_WIDTH.div_ceil(2);
        let half_height = CELL_HEIGHT.div_ceil(2);
        for (diagonal, across, along) in QUARTERS {
            if [diagonal, across, along]
                .into_iter()
                .any(|direction| self.beside(at, direction) == Some(Tile::Room))
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
        for direction in Direction::STRAIGHT {
            if self.beside(at, direction).is_some_and(Tile::is_spot) {
                self.arm(at, direction, BAND, color);
            }
        }
    }

    /// A line along the boundary, up to its doors.
    fn wall(&mut self, at: Point) {
        let tile = self.map.tile(at);
        if tile.is_some_and(Tile::is_wall) {
            self.middle(at, LINE, WALL);
        }
        for direction in Direction::STRAIGHT {
            if tile.is_some_and(Tile::is_wall) && self.continues(at, direction)
                || self.is_door(at, direction)
                    && self.beside(at, direction).is_some_and(Tile::is_wall)
            {
                self.arm(at, direction, LINE, WALL);
            }
        }
    }

    /// True if the gridpoint is a door in a boundary that runs in this direction.
    fn is_door(&self, at: Point, direction: Direction) -> bool {
        use Direction::{Down, Left, Right, Up};
        let sides = if matches!(direction, Left | Right) { [Up, Down] } else { [Left, Right] };
        let beside_room = sides.into_iter().any(|side| self.beside(at, side) == Some(Tile::Room));
        self.is(at, Tile::Passage) && beside_room
    }

    /// True if the boundary here continues in this direction.
    fn continues(&self, at: Point, direction: Direction) -> bool {
        let level = matches!(direction, Direction::Left | Direction::Right);
        let straight = if level { Tile::Horizontal } else { Tile::Vertical };
        if !self.is(at, Tile::Corner) {
            return self.is(at, straight);
        }
        let next = self.beside(at, direction);
        next == Some(straight)
            || next == Some(Tile::Corner)
            || at.step(direction).is_some_and(|next| self.is_door(next, direction))
    }

    /// A disc with a dark rim.
    fn viewer(&mut self, at: Point) {
        for (radius, color) in [(6, ROCK), (4, VIEWER)] {
            let (left, top) = corner(at);
            let x = left + CELL_WIDTH / 2;
            let y = top + CELL_HEIGHT / 2;
            self.picture.disc((x, y), radius, color);
        }
    }

    fn middle(&mut self, at: Point, thick: u32, color: Color) {
        let offset = ((CELL_WIDTH - thick) / 2, (CELL_HEIGHT - thick) / 2);
        self.fill(at, offset, (thick, thick), color);
    }

    /// From the middle to the edge.
    fn arm(&mut self, at: Point, direction: Direction, thick: u32, color: Color) {
        let x = (CELL_WIDTH - thick) / 2;
        let y = (CELL_HEIGHT - thick) / 2;
        let (offset, size) = match direction {
            Direction::Left => ((0, y), (x, thick)),
            Direction::Right => ((CELL_WIDTH - x, y), (x, thick)),
            Direction::Up => ((x, 0), (thick, y)),
            _ => ((x, CELL_HEIGHT - y), (thick, y)),
        };
        self.fill(at, offset, size, color);
    }

    fn fill(&mut self, at: Point, (x, y): (u32, u32), size: (u32, u32), color: Color) {
        let seen = self.view.is_none_or(|view| view.visible.contains(self.map.index(at)));
        let color = if seen { color } else { blend(color, ROCK, FAINT) };
        let (left, top) = corner(at);
        self.picture.rectangle((left + x, top + y), size, color);
    }

    fn is(&self, at: Point, tile: Tile) -> bool {
        self.map.tile(at) == Some(tile)
    }

    fn beside(&self, at: Point, direction: Direction) -> Option<Tile> {
        at.step(direction).and_then(|next| self.map.tile(next))
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
