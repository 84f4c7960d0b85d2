//! The miner's memory beside the map: gold and food that it saw, room spots that it knows but has not observed, and the
//! spots that it has visited.

use nuggets_atlas::{Direction, DiscoveredMap, Gold, KnownTile, Picture, Point, has_line_of_sight};

/// The usual number of piles: the wire shows neither how many there are nor how large they are.
const USUAL_PILES: u32 = 20;

/// The maximum number of finds in memory. No game has more, but a server may draw anything.
const MAX_FINDS: usize = 250;

/// Gold or food, and the state of the game when it was last visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) at: Point,
    /// The character that it is drawn as: `*` or `%`.
    pub(super) cell: u8,
    /// The sum over other visible piles of 100 / (1 + distance).
    pub(super) nearby_gold: u32,
    seen_from_squared: u32,
    /// The unclaimed nuggets, and those that others had taken, when it was last visible.
    remaining: u32,
    taken: u32,
    /// The number of times that it was left to a rival, and the decision up to which it still is.
    pub(super) times_left: u8,
    pub(super) left_until: u64,
}

/// The whole memory except the map.
#[derive(Clone, Debug, Default)]
pub(super) struct MinerMemory {
    finds: Vec<Find>,
    /// True if the finds have changed since the last picture.
    is_changed: bool,
    /// Room spots that were never visible in a picture: while we sprinted past, gold on them was not drawn.
    unobserved: Vec<Point>,
    /// For every gridpoint, its observation state.
    states: Vec<ObservationState>,
    /// The vision range of the game, squared, as far as it was noticed.
    range_squared: Option<u32>,
    visited: Vec<bool>,
    gold: Option<Gold>,
    /// The unclaimed nuggets when we joined.
    initial: Option<u32>,
    /// The nuggets that others have taken since we joined.
    taken: u32,
}

/// The observation state of a gridpoint: gold on an observed room spot would have been drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ObservationState {
    #[default]
    NoKnownRoomSpot,
    Unobserved,
    Observed,
}

/// A picture, with the position that it was seen from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation<'a> {
    pub(super) map: &'a DiscoveredMap,
    pub(super) picture: &'a Picture,
    pub(super) you: Point,
    /// True if everything new in the picture is visible from our position.
    pub(super) is_all_visible: bool,
}

impl MinerMemory {
    pub(super) fn update_gold(&mut self, gold: Option<Gold>) {
        if let (Some(old), Some(new)) = (self.gold, gold) {
            let gone = old.remaining.saturating_sub(new.remaining);
            self.taken += gone.saturating_sub(new.purse.saturating_sub(old.purse));
        }
        self.gold = gold.or(self.gold);
        self.initial = self.initial.or(gold.map(|gold| gold.remaining));
    }

    fn remaining(&self) -> u32 {
        self.gold.map_or(0, |gold| gold.remaining)
    }

    /// Marks a spot as visited: its gold is taken.
    pub(super) fn visit(&mut self, map: &DiscoveredMap, at: Point) {
        let before = self.finds.len();
        self.finds.retain(|find| find.at != at);
        self.is_changed |= self.finds.len() < before;
        self.mark_visited(map, at);
    }

    fn mark_visited(&mut self, map: &DiscoveredMap, at: Point) {
        self.visited.resize(map.tiles().len(), false);
        if let Some(size) = map.size() {
            self.visited[size.index(at)] = true;
        }
    }

    pub(super) fn has_visited(&self, index: usize) -> bool {
        self.visited.get(index).copied().unwrap_or(false)
    }

    /// Starts another round of the patrol.
    pub(super) fn forget_visits(&mut self) {
        self.visited.fill(false);
    }

    pub(super) fn finds(&self) -> &[Find] {
        &self.finds
    }

    pub(super) fn finds_mut(&mut self) -> &mut [Find] {
        &mut self.finds
    }

    /// True if we only sprinted past this room spot.
    pub(super) fn is_unobserved(&self, index: usize) -> bool {
        self.states.get(index) == Some(&ObservationState::Unobserved)
    }

    pub(super) fn has_unobserved(&self) -> bool {
        !self.unobserved.is_empty()
    }

    /// Updates the finds from a picture.
    pub(super) fn update_finds(&mut self, observation: Observation) {
        self.mark_visited(observation.map, observation.you);
        let before = self.finds.len();
        self.finds.retain(|find| !is_gone(observation, find));
        self.is_changed |= self.finds.len() < before;
        for at in observation.picture.points_of(|cell| matches!(cell, b'*' | b'%')) {
            self.add_find(observation, at, observation.picture.cell(at));
        }
        if std::mem::take(&mut self.is_changed) {
            self.update_nearby_gold(observation.map);
        }
    }

    fn add_find(&mut self, observation: Observation, at: Point, cell: u8) {
        let new = Find {
            at,
            cell,
            nearby_gold: 0,
            seen_from_squared: at.distance_squared(observation.you),
            remaining: self.remaining(),
            taken: self.taken,
            times_left: 0,
            left_until: 0,
        };
        if let Some(find) = self.finds.iter_mut().find(|find| find.at == at) {
            let Find { nearby_gold, times_left, left_until, .. } = *find;
            *find = Find { nearby_gold, times_left, left_until, ..new };
        } else if self.finds.len() < MAX_FINDS {
            self.finds.push(new);
            self.is_changed = true;
        }
    }

    fn update_nearby_gold(&mut self, map: &DiscoveredMap) {
        for index in 0..self.finds.len() {
            let at = self.finds[index].at;
            let others = self.finds.iter().filter(|other| other.at != at && other.cell == b'*');
            let seen = others.filter(|other| has_line_of_sight(map, at, other.at));
            self.finds[index].nearby_gold =
                seen.map(|other| 100 / (1 + steps_between(at, other.at))).sum();
        }
    }

    /// Returns the probability in percent that a find is still there: others may have taken it since.
    pub(super) fn likelihood_percent(&self, find: &Find) -> u32 {
        let lost = self.taken - find.taken;
        100 - (100 * lost).checked_div(find.remaining).unwrap_or(0).min(90)
    }

    /// The estimated number of piles that we have not seen, in hundredths.
    pub(super) fn unseen_piles_percent(&self) -> u32 {
        let pile_size = (self.initial.unwrap_or(0) / USUAL_PILES).max(1);
        let left = 100 * self.remaining() / pile_size;
        let seen = self.finds.iter().filter(|find| find.cell == b'*');
        left.saturating_sub(seen.map(|find| self.likelihood_percent(find)).sum())
    }

    /// Notes which new room spots are visible and which were only passed by.
    pub(super) fn note_new_spots(&mut self, observation: Observation) {
        self.states.resize(observation.map.tiles().len(), ObservationState::NoKnownRoomSpot);
        self.notice_range(observation);
        for (index, tile) in observation.map.tiles().iter().enumerate() {
            let holds_gold = matches!(tile, KnownTile::Room | KnownTile::Covered);
            if !holds_gold || self.states[index] != ObservationState::NoKnownRoomSpot {
                continue;
            }
            self.states[index] = ObservationState::Observed;
            if !observation.is_all_visible {
                self.states[index] = ObservationState::Unobserved;
                self.unobserved.push(observation.picture.size().point(index));
            }
        }
    }

    /// Notes which unobserved room spots are visible now.
    pub(super) fn note_observed(&mut self, observation: Observation) {
        let range_squared = self.range_squared.unwrap_or(u32::MAX);
        let states = &mut self.states;
        self.unobserved.retain(|&at| {
            let is_near = at.distance_squared(observation.you) <= range_squared;
            let is_visible = is_near && has_line_of_sight(observation.map, observation.you, at);
            if is_visible {
                states[observation.picture.size().index(at)] = ObservationState::Observed;
            }
            !is_visible
        });
    }

    /// The neighbours of a room spot are never blank. One in line of sight that is not shown is beyond
    /// the vision range.
    fn notice_range(&mut self, observation: Observation) {
        let map = observation.map;
        let size = observation.picture.size();
        for (index, _) in
            map.tiles().iter().enumerate().filter(|(_, tile)| **tile == KnownTile::Room)
        {
            let at = size.point(index);
            for next in
                Direction::STRAIGHT.into_iter().filter_map(|direction| size.beside(at, direction))
            {
                let distance_squared = next.distance_squared(observation.you);
                if map.tile(next) == KnownTile::Unknown
                    && distance_squared <= self.range_squared.unwrap_or(u32::MAX)
                    && has_line_of_sight(map, observation.you, next)
                {
                    self.range_squared = Some(distance_squared - 1);
                }
            }
        }
    }
}

/// True if a find has been taken: a player stands there, or it would be visible from no farther away than when it was
/// seen, and is not shown.
fn is_gone(observation: Observation, find: &Find) -> bool {
    match observation.picture.cell(find.at) {
        b'*' | b'%' => false,
        b'A'..=b'Z' | b'@' => true,
        _ => {
            find.at.distance_squared(observation.you) <= find.seen_from_squared
                && has_line_of_sight(observation.map, observation.you, find.at)
        }
    }
}

fn steps_between(one: Point, two: Point) -> u32 {
    one.row.abs_diff(two.row).max(one.col.abs_diff(two.col)).into()
}
