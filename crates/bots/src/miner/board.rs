//! The known ground as the miner plans on it: where each sprint ends, and what lies on its way.
//!
//! Gridpoints are numbers here, with a border of rock all around, so that a neighbour is a number
//! away and never outside.

use nuggets_atlas::{Direction, Ground, Kind, Point, Size};

/// A gridpoint, counted with the border.
pub(super) type Place = u32;

/// The ground with a worth for every spot.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    size: Option<Size>,
    width: usize,
    /// How far away a neighbour is, in each direction.
    strides: [i32; 8],
    kinds: Vec<Kind>,
    /// Every known spot, row after row.
    spots: Vec<Place>,
    /// What standing on a spot, or running over it, brings.
    worth: Vec<u32>,
    /// For every spot and direction.
    runs: Vec<[Run; 8]>,
}

/// Where a sprint ends, as far as is known, and what it brings. It ends where it starts if the
/// next gridpoint is no known spot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) end: Place,
    pub(super) worth: u32,
}

impl Board {
    /// Takes over what is known of the ground. All worths are forgotten.
    pub(super) fn lay_out(&mut self, ground: &Ground) {
        let Some(size) = ground.size() else { return };
        self.size = Some(size);
        self.width = usize::from(size.cols) + 2;
        self.strides = Direction::ALL.map(|way| {
            let (down, right) = way.offset();
            i32::from(down) * (i32::from(size.cols) + 2) + i32::from(right)
        });
        let area = self.width * (usize::from(size.rows) + 2);
        self.kinds.clear();
        self.kinds.resize(area, Kind::Rock);
        self.spots.clear();
        for (row, kinds) in ground.kinds().chunks(usize::from(size.cols)).enumerate() {
            let start = (row + 1) * self.width + 1;
            self.kinds[start..start + kinds.len()].copy_from_slice(kinds);
            let spots = (start..).zip(kinds).filter(|(_, kind)| kind.is_spot());
            self.spots.extend(spots.map(|(place, _)| as_place(place)));
        }
        self.worth.clear();
        self.worth.resize(area, 0);
        self.runs.resize(area, [Run::default(); 8]);
        self.find_ends();
    }

    pub(super) fn area(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn spots(&self) -> &[Place] {
        &self.spots
    }

    pub(super) fn kind(&self, place: Place) -> Kind {
        self.kinds[place as usize]
    }

    pub(super) fn worth(&self, place: Place) -> u32 {
        self.worth[place as usize]
    }

    /// Takes all worths back.
    pub(super) fn clear_worth(&mut self) {
        self.worth.fill(0);
    }

    /// What standing on this place brings from now on. `weigh_runs` makes it count.
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

    /// The place one step away in this direction, of `Direction::ALL`. The start must lie inside the
    /// border.
    pub(super) fn beside(&self, place: Place, way: usize) -> Place {
        place.wrapping_add_signed(self.strides[way])
    }

    /// Where a sprint from here ends, in every direction.
    pub(super) fn runs(&self, place: Place) -> &[Run; 8] {
        &self.runs[place as usize]
    }

    fn run(&self, place: Place, way: usize) -> Run {
        self.runs[place as usize][way]
    }

    /// Is something next to this place unknown, in one of the first `ways` directions?
    pub(super) fn borders_unknown(&self, place: Place, ways: usize) -> bool {
        (0..ways).any(|way| self.kind(self.beside(place, way)) == Kind::Unknown)
    }

    /// Finds what every sprint brings: the worths on its way, and `news` if it goes on beyond what is
    /// known.
    pub(super) fn weigh_runs(&mut self, news: u32) {
        self.sweep(|board, place, next, way| {
            let worth = match board.kind(next) {
                kind if kind.is_spot() => board.worth(next) + board.run(next, way).worth,
                Kind::Unknown => news,
                _ => 0,
            };
            Run { worth, ..board.run(place, way) }
        });
    }

    fn find_ends(&mut self) {
        self.sweep(|board, place, next, way| match board.kind(next) {
            kind if kind.is_spot() => Run { worth: 0, ..board.run(next, way) },
            _ => Run { end: place, worth: 0 },
        });
    }

    /// Makes every run anew out of the run of the next spot, which is made before.
    fn sweep(&mut self, run: impl Fn(&Self, Place, Place, usize) -> Run) {
        for way in 0..8 {
            let is_onward = self.strides[way] > 0;
            for turn in 0..self.spots.len() {
                let turn = if is_onward { self.spots.len() - 1 - turn } else { turn };
                let place = self.spots[turn];
                self.runs[place as usize][way] = run(self, place, self.beside(place, way), way);
            }
        }
    }
}

fn as_place(index: usize) -> Place {
    Place::try_from(index).expect("a picture fits a datagram")
}
