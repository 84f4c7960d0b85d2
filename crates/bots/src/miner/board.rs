//! The discovered map as the miner plans on it: the end and the worth of each sprint.
//!
//! Gridpoints are indices here, with a border of rock all around, so that a neighbour is a constant
//! offset away and never outside.

use nuggets_atlas::{Direction, DiscoveredMap, KnownTile, Point, Size};

/// The index of a gridpoint, counted with the border.
pub(super) type Place = u32;

/// The map with a worth for every spot.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    size: Option<Size>,
    width: usize,
    /// The offset of the neighbour in each direction.
    strides: [i32; 8],
    tiles: Vec<KnownTile>,
    /// The known spots, row after row.
    spots: Vec<Place>,
    /// The worth of standing on a spot or sprinting over it.
    worth: Vec<u32>,
    /// The sprint from every spot in every direction.
    runs: Vec<[Run; 8]>,
}

/// The known end of a sprint, and its worth. It ends where it starts if the next gridpoint is not a known spot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) end: Place,
    pub(super) worth: u32,
}

impl Board {
    /// Rebuilds the board from the map. All worths become 0.
    pub(super) fn rebuild(&mut self, map: &DiscoveredMap) {
        let Some(size) = map.size() else { return };
        self.size = Some(size);
        self.width = usize::from(size.cols) + 2;
        self.strides = Direction::ALL.map(|direction| {
            let (down, right) = direction.offset();
            i32::from(down) * (i32::from(size.cols) + 2) + i32::from(right)
        });
        let area = self.width * (usize::from(size.rows) + 2);
        self.tiles.clear();
        self.tiles.resize(area, KnownTile::Rock);
        self.spots.clear();
        for (row, tiles) in map.tiles().chunks(usize::from(size.cols)).enumerate() {
            let start = (row + 1) * self.width + 1;
            self.tiles[start..start + tiles.len()].copy_from_slice(tiles);
            let spots = (start..).zip(tiles).filter(|(_, tile)| tile.is_spot());
            self.spots.extend(spots.map(|(place, _)| as_place(place)));
        }
        self.worth.clear();
        self.worth.resize(area, 0);
        self.runs.resize(area, [Run::default(); 8]);
        self.find_ends();
    }

    pub(super) fn area(&self) -> usize {
        self.tiles.len()
    }

    pub(super) fn spots(&self) -> &[Place] {
        &self.spots
    }

    pub(super) fn tile(&self, place: Place) -> KnownTile {
        self.tiles[place as usize]
    }

    pub(super) fn worth(&self, place: Place) -> u32 {
        self.worth[place as usize]
    }

    /// Sets all worths to 0.
    pub(super) fn clear_worth(&mut self) {
        self.worth.fill(0);
    }

    /// Sets the worth of standing on this place. `update_run_worths` makes it count.
    pub(super) fn set_worth(&mut self, place: Place, worth: u32) {
        self.worth[place as usize] = worth;
    }

    pub(super) fn place(&self, at: Point) -> Place {
        as_place((usize::from(at.row) + 1) * self.width + usize::from(at.col) + 1)
    }

    /// The gridpoint of a place inside the border.
    pub(super) fn point(&self, place: Place) -> Point {
        let part = |n: usize| u16::try_from(n - 1).expect("it lies within the picture");
        let place = place as usize;
        Point { row: part(place / self.width), col: part(place % self.width) }
    }

    /// The place one step away; `direction` is an index into `Direction::ALL`. The start must lie
    /// inside the border.
    pub(super) fn beside(&self, place: Place, direction: usize) -> Place {
        place.wrapping_add_signed(self.strides[direction])
    }

    /// Returns the sprints from here, one for every direction.
    pub(super) fn runs(&self, place: Place) -> &[Run; 8] {
        &self.runs[place as usize]
    }

    fn run(&self, place: Place, direction: usize) -> Run {
        self.runs[place as usize][direction]
    }

    /// True if a neighbour in one of the first `directions` directions is unknown.
    pub(super) fn borders_unknown(&self, place: Place, directions: usize) -> bool {
        (0..directions)
            .any(|direction| self.tile(self.beside(place, direction)) == KnownTile::Unknown)
    }

    /// Sums up the worth of every sprint: the worths on its path, and `unknown_worth` if it continues
    /// into the unknown.
    pub(super) fn update_run_worths(&mut self, unknown_worth: u32) {
        self.sweep(|board, place, next, direction| {
            let worth = match board.tile(next) {
                tile if tile.is_spot() => board.worth(next) + board.run(next, direction).worth,
                KnownTile::Unknown => unknown_worth,
                _ => 0,
            };
            Run { worth, ..board.run(place, direction) }
        });
    }

    fn find_ends(&mut self) {
        self.sweep(|board, place, next, direction| match board.tile(next) {
            tile if tile.is_spot() => Run { worth: 0, ..board.run(next, direction) },
            _ => Run { end: place, worth: 0 },
        });
    }

    /// Recomputes every run from the run of the next spot, which is computed before it.
    fn sweep(&mut self, run: impl Fn(&Self, Place, Place, usize) -> Run) {
        for direction in 0..8 {
            let is_forward = self.strides[direction] > 0;
            for step in 0..self.spots.len() {
                let step = if is_forward { self.spots.len() - 1 - step } else { step };
                let place = self.spots[step];
                self.runs[place as usize][direction] =
                    run(self, place, self.beside(place, direction), direction);
            }
        }
    }
}

fn as_place(index: usize) -> Place {
    Place::try_from(index).expect("a picture fits a datagram")
}
