//! What the miner remembers beside the ground: gold and food that it saw and lost sight of, room
//! spots that it knows of but never looked at, and where it has been.

use nuggets_atlas::{Direction, Gold, Ground, Kind, Picture, Point, is_in_sight};

/// Piles in a game, roughly: the wire shows neither how many there are nor how large they are.
const USUAL_PILES: u32 = 20;

/// More is not kept in mind at once. No game has so much; a server may draw whatever it likes.
const MOST_FINDS: usize = 250;

/// Something worth going to, and when it was seen last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) at: Point,
    /// How it is drawn.
    pub(super) cell: u8,
    /// How much other gold lies near in its sight: the hundredth part of a pile for each, over the
    /// distance and one.
    pub(super) company: u32,
    seen_from_squared: u32,
    /// What was left in the game, and what others had taken, when it was seen last.
    remaining: u32,
    taken: u32,
    /// How often it was left to a rival, and until which decision.
    pub(super) left_times: u8,
    pub(super) left_until: u64,
}

/// Everything but the ground.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    finds: Vec<Find>,
    /// Whether they have become others since the last picture.
    is_changed: bool,
    /// Room spots that have never been in sight from where we stood still: while we ran by, gold on
    /// them was not drawn.
    unlooked: Vec<Point>,
    /// Of every gridpoint: is it a room spot, and have we looked at it?
    looks: Vec<LookedAt>,
    /// No farther than this can be seen, it seems.
    range_squared: Option<u32>,
    stood: Vec<bool>,
    gold: Option<Gold>,
    /// What was left when we came.
    at_first: Option<u32>,
    /// What others have taken since we came.
    taken: u32,
}

/// Whether we have looked at a room spot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LookedAt {
    #[default]
    NeverHeardOf,
    NotYet,
    Yes,
}

/// How a picture came about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'a> {
    pub(super) ground: &'a Ground,
    pub(super) picture: &'a Picture,
    pub(super) you: Point,
    /// Whether everything that is new in the picture is in sight from where we are.
    pub(super) is_all_in_sight: bool,
}

impl Memory {
    pub(super) fn take_gold(&mut self, gold: Option<Gold>) {
        if let (Some(old), Some(new)) = (self.gold, gold) {
            let gone = old.remaining.saturating_sub(new.remaining);
            self.taken += gone.saturating_sub(new.purse.saturating_sub(old.purse));
        }
        self.gold = gold.or(self.gold);
        self.at_first = self.at_first.or(gold.map(|gold| gold.remaining));
    }

    fn remaining(&self) -> u32 {
        self.gold.map_or(0, |gold| gold.remaining)
    }

    /// We were here.
    pub(super) fn pass(&mut self, ground: &Ground, at: Point) {
        let before = self.finds.len();
        self.finds.retain(|find| find.at != at);
        self.is_changed |= self.finds.len() < before;
        self.stand(ground, at);
    }

    fn stand(&mut self, ground: &Ground, at: Point) {
        self.stood.resize(ground.kinds().len(), false);
        if let Some(size) = ground.size() {
            self.stood[size.index(at)] = true;
        }
    }

    pub(super) fn has_stood(&self, index: usize) -> bool {
        self.stood.get(index).copied().unwrap_or(false)
    }

    /// Sets out on another round over every spot.
    pub(super) fn forget_where_we_stood(&mut self) {
        self.stood.fill(false);
    }

    pub(super) fn finds(&self) -> &[Find] {
        &self.finds
    }

    pub(super) fn finds_mut(&mut self) -> &mut [Find] {
        &mut self.finds
    }

    /// Have we only run past this room spot?
    pub(super) fn is_unlooked(&self, index: usize) -> bool {
        self.looks.get(index) == Some(&LookedAt::NotYet)
    }

    pub(super) fn has_unlooked(&self) -> bool {
        !self.unlooked.is_empty()
    }

    /// Takes in what lies about in a picture.
    pub(super) fn take_finds(&mut self, look: Look) {
        self.stand(look.ground, look.you);
        let before = self.finds.len();
        self.finds.retain(|find| !is_gone(look, find));
        self.is_changed |= self.finds.len() < before;
        for (index, &cell) in look.picture.cells().iter().enumerate() {
            if matches!(cell, b'*' | b'%') {
                self.take_find(look, look.picture.size().point(index), cell);
            }
        }
        if std::mem::take(&mut self.is_changed) {
            self.find_company(look.ground);
        }
    }

    fn take_find(&mut self, look: Look, at: Point, cell: u8) {
        let new = Find {
            at,
            cell,
            company: 0,
            seen_from_squared: at.distance_squared(look.you),
            remaining: self.remaining(),
            taken: self.taken,
            left_times: 0,
            left_until: 0,
        };
        if let Some(find) = self.finds.iter_mut().find(|find| find.at == at) {
            let Find { company, left_times, left_until, .. } = *find;
            *find = Find { company, left_times, left_until, ..new };
        } else if self.finds.len() < MOST_FINDS {
            self.finds.push(new);
            self.is_changed = true;
        }
    }

    fn find_company(&mut self, ground: &Ground) {
        for index in 0..self.finds.len() {
            let at = self.finds[index].at;
            let others = self.finds.iter().filter(|other| other.at != at && other.cell == b'*');
            let seen = others.filter(|other| is_in_sight(ground, at, other.at));
            self.finds[index].company =
                seen.map(|other| 100 / (1 + steps_between(at, other.at))).sum();
        }
    }

    /// How likely it is that a find is still there, in percent: others may have taken it since.
    pub(super) fn chance_of(&self, find: &Find) -> u32 {
        let lost = self.taken - find.taken;
        100 - (100 * lost).checked_div(find.remaining).unwrap_or(0).min(90)
    }

    /// How many piles nobody has shown us yet, in hundredths.
    pub(super) fn unseen_piles(&self) -> u32 {
        let a_pile = (self.at_first.unwrap_or(0) / USUAL_PILES).max(1);
        let left = 100 * self.remaining() / a_pile;
        let seen = self.finds.iter().filter(|find| find.cell == b'*');
        left.saturating_sub(seen.map(|find| self.chance_of(find)).sum())
    }

    /// Notes which room spots came into sight and which were only passed by.
    pub(super) fn take_looks(&mut self, look: Look) {
        self.looks.resize(look.ground.kinds().len(), LookedAt::NeverHeardOf);
        self.notice_range(look);
        for (index, kind) in look.ground.kinds().iter().enumerate() {
            let holds_gold = matches!(kind, Kind::Room | Kind::Covered);
            if !holds_gold || self.looks[index] != LookedAt::NeverHeardOf {
                continue;
            }
            self.looks[index] = LookedAt::Yes;
            if !look.is_all_in_sight {
                self.looks[index] = LookedAt::NotYet;
                self.unlooked.push(look.picture.size().point(index));
            }
        }
    }

    /// Looks at what was only passed by.
    pub(super) fn look_again(&mut self, look: Look) {
        let range_squared = self.range_squared.unwrap_or(u32::MAX);
        let looks = &mut self.looks;
        self.unlooked.retain(|&at| {
            let is_near = at.distance_squared(look.you) <= range_squared;
            let is_seen = is_near && is_in_sight(look.ground, look.you, at);
            if is_seen {
                looks[look.picture.size().index(at)] = LookedAt::Yes;
            }
            !is_seen
        });
    }

    /// Beside a room spot there is always something to see. If it should be in sight and is not
    /// shown, it is too far away.
    fn notice_range(&mut self, look: Look) {
        let (ground, size) = (look.ground, look.picture.size());
        for (index, _) in ground.kinds().iter().enumerate().filter(|(_, kind)| **kind == Kind::Room)
        {
            let at = size.point(index);
            for next in Direction::STRAIGHT.into_iter().filter_map(|way| size.beside(at, way)) {
                let distance_squared = next.distance_squared(look.you);
                if ground.kind(next) == Kind::Unknown
                    && distance_squared <= self.range_squared.unwrap_or(u32::MAX)
                    && is_in_sight(ground, look.you, next)
                {
                    self.range_squared = Some(distance_squared - 1);
                }
            }
        }
    }
}

/// Somebody has taken it: someone stands there, or it would be in sight no farther away than it was
/// seen.
fn is_gone(look: Look, find: &Find) -> bool {
    match look.picture.cell(find.at) {
        b'*' | b'%' => false,
        b'A'..=b'Z' | b'@' => true,
        _ => {
            find.at.distance_squared(look.you) <= find.seen_from_squared
                && is_in_sight(look.ground, look.you, find.at)
        }
    }
}

fn steps_between(one: Point, two: Point) -> u32 {
    one.row.abs_diff(two.row).max(one.col.abs_diff(two.col)).into()
}
