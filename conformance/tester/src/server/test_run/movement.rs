//! Moving players: their positions, the effects of keys, and their expected views.

use nuggets_game::{Direction, Point, Sight};

use super::ServerTest;
use crate::catalogue::Catalogue;
use crate::server::picture::{ShownMap, UNKNOWN};
use crate::server::test_client::TestClient;
use crate::server::tracking::{ExpectedDisplay, Walk, find_walk, key_path};
use crate::{CheckFailure, ProgramKind, Verdict, fail};

/// The maximum number of steps to see a whole room.
const MAX_LOOKS: u32 = 100;

impl ServerTest {
    /// Returns the position of a player on the last map.
    pub(crate) fn position_of(&mut self, client: &TestClient) -> Verdict<Point> {
        let snapshot = self.last_snapshot()?;
        if let Some(at) = snapshot.only(client.cell()) {
            self.seen.insert(client.cell());
            return Ok(at);
        }
        let times = snapshot.all(|cell| cell == client.cell()).len();
        let expected = format!("player {} is on the map once", client.shown_letter());
        let failure = CheckFailure::new(expected, format!("it is shown {times} times"));
        // A player that was never on the map was not placed there.
        let was_seen = self.seen.contains(&client.cell());
        Err(failure.because_of_if("move.landing", !was_seen))
    }

    /// Tracks the view that a player must have, from now on. It must have just joined.
    pub(crate) fn track(&mut self, client: &mut TestClient) -> Verdict {
        let at = self.position_of(client)?;
        client.view = Some(ExpectedDisplay::new(&self.sight()?, client.cell(), at));
        Ok(())
    }

    /// Presses a key and waits until the spectator, or else the player itself, sees the player at this spot; returns
    /// the map.
    pub(crate) fn press_to(
        &mut self,
        client: &mut TestClient,
        key: char,
        to: Point,
    ) -> Verdict<ShownMap> {
        let cell = client.cell();
        self.skip_for_spectator()?;
        if !self.has_spectators() {
            client.skip_received();
        }
        client.press(key);
        if !self.moves_are_missed
            && let Some(picture) = self.wait_until_at(client, to, key.is_ascii_uppercase())?
        {
            return Ok(picture);
        }
        // Perhaps only that DISPLAY was lost.
        let picture = self.snapshot()?;
        if picture.at(to) == cell {
            self.moves_are_missed = !self.is_lossy();
            return Ok(picture);
        }
        // The key was handled before the snapshot, so this counts at once.
        let place = picture.only(cell).map_or("nowhere".to_owned(), |at| at.to_string());
        let failure = CheckFailure::new(
            format!("key {key} moves player {} to {to}", client.shown_letter()),
            format!("it is at {place}"),
        );
        Err(self.blame_step(key, failure))
    }

    /// Waits for a map of the spectator, or else of the player itself, with the player at this spot.
    fn wait_until_at(
        &mut self,
        client: &mut TestClient,
        to: Point,
        is_sprint: bool,
    ) -> Verdict<Option<ShownMap>> {
        let size = self.size()?;
        if !self.has_spectators() {
            let is_there = client.wait_for_picture(|own| own.only(b'@') == Some(to));
            if is_there && is_sprint {
                // It may move on from there.
                self.wait_until_idle();
            }
            return is_there.then(|| self.map_of_players(Some(client))).transpose();
        }
        let cell = client.cell();
        Ok(self.spectator()?.wait_for(|message| {
            // The mover receives as many messages as the spectator.
            client.drain_socket();
            ShownMap::parse(message, size).ok().filter(|picture| picture.at(to) == cell)
        }))
    }

    /// Walks a player to a spot, around gold and others where possible; returns the map.
    pub(crate) fn go_to(&mut self, client: &mut TestClient, to: Point) -> Verdict<ShownMap> {
        let Walk { from, keys, .. } = self.find_walk_to(client, to)?;
        self.press_all(client, from, &keys)?;
        self.snapshot()
    }

    /// Presses a key that moves a tracked player, which must then be shown exactly its expected view.
    pub(crate) fn press_and_compare(&mut self, client: &mut TestClient, key: char) -> Verdict {
        let from = client.view().at;
        self.press_all(client, from, &[key])?;
        let snapshot = self.last_snapshot()?;
        client.expect_view(&snapshot)
    }

    /// Without spectators, walks the player, around gold where possible, until every room spot that it can reach was
    /// shown to at least one player.
    pub(crate) fn look_around(&mut self, client: &mut TestClient) -> Verdict {
        if self.has_spectators() {
            return Ok(());
        }
        for _ in 0..MAX_LOOKS {
            let snapshot = self.last_snapshot()?;
            let mut unknown = self.sight()?.map().room_spots();
            unknown.retain(|at| snapshot.at(*at) == UNKNOWN);
            if unknown.is_empty() {
                return Ok(());
            }
            let Some(walk) = self.nearest_walk(client, &snapshot, unknown)? else { break };
            self.press_all(client, walk.from, &walk.keys[..1])?;
        }
        let expected = "every spot of the map is shown to a spectator or a player";
        let id = self.map_obstacle();
        Err(CheckFailure::retryable(expected, "some are not").because_of(id))
    }

    /// Walks a player next to a spot; returns the key of the last step and the player's position.
    pub(crate) fn approach(
        &mut self,
        client: &mut TestClient,
        to: Point,
    ) -> Verdict<(char, Point)> {
        let Walk { from, keys, .. } = self.find_walk_to(client, to)?;
        let Some((last, keys)) = keys.split_last() else {
            let expected = format!("a player that is not at {to}");
            return Err(CheckFailure::for_this_seed(expected, "it is there"));
        };
        self.ensure_steps(*last)?;
        let at = self.press_all(client, from, keys)?;
        self.fence()?;
        Ok((*last, at))
    }

    /// Returns the shortest walk of a player on this map that leads to one of these spots around everything else.
    pub(crate) fn nearest_walk(
        &mut self,
        client: &TestClient,
        snapshot: &ShownMap,
        spots: impl IntoIterator<Item = Point>,
    ) -> Verdict<Option<Walk>> {
        let sight = self.sight()?;
        let from = self.position_of(client)?;
        let walk = |to| Some(Walk { from, keys: find_walk(&sight, snapshot, from, to)?, to });
        Ok(spots.into_iter().filter_map(walk).min_by_key(|walk| (walk.keys.len(), walk.to)))
    }

    /// Finds a walk to a spot: around gold and others, else over gold, else over others.
    fn find_walk_to(&mut self, client: &TestClient, to: Point) -> Verdict<Walk> {
        let snapshot = self.snapshot()?;
        let cells = snapshot.cells.iter().map(|cell| if *cell == b'*' { b'.' } else { *cell });
        let without_gold = ShownMap { cells: cells.collect(), ..snapshot.clone() };
        for map in [&snapshot, &without_gold, &unoccupied(&snapshot)] {
            if let Some(walk) = self.nearest_walk(client, map, [to])? {
                return Ok(walk);
            }
        }
        fail(format!("a path from {} to {to}", self.position_of(client)?), "there is none")
    }

    /// Presses keys one by one, each of which must move the player; returns its final position.
    pub(crate) fn press_all(
        &mut self,
        client: &mut TestClient,
        from: Point,
        keys: &[char],
    ) -> Verdict<Point> {
        let sight = self.sight()?;
        let mut at = from;
        for key in keys {
            let path = key_path(&sight, at, *key);
            at = *path.last().unwrap_or(&at);
            self.press_to(client, *key, at)?;
            client.follow(&path);
        }
        Ok(at)
    }

    /// Walks a player to the nearest free room spot that fits.
    pub(crate) fn go_where(
        &mut self,
        client: &mut TestClient,
        fits: impl Fn(Point) -> bool,
    ) -> Verdict<Point> {
        let snapshot = self.snapshot()?;
        let sight = self.sight()?;
        let from = self.position_of(client)?;
        let mut spots = sight.map().room_spots();
        spots.retain(|at| (*at == from || !snapshot.is_occupied(*at)) && fits(*at));
        let around = self.nearest_walk(client, &snapshot, spots.clone())?;
        let through = self.nearest_walk(client, &unoccupied(&snapshot), spots)?;
        let none =
            || CheckFailure::for_this_seed("a room spot for this check", "none; try another seed");
        let at = around.or(through).ok_or_else(none)?.to;
        self.go_to(client, at)?;
        Ok(at)
    }

    /// Presses a key, which must move the player exactly there.
    pub(crate) fn expect_moves(
        &mut self,
        client: &mut TestClient,
        key: char,
        to: Point,
    ) -> Verdict {
        let from = self.position_of(client)?;
        client.press(key);
        let picture = self.snapshot()?;
        if picture.only(client.cell()) == Some(to) {
            return Ok(());
        }
        let letter = client.shown_letter();
        let actual = match picture.all(|cell| cell == client.cell())[..] {
            [] => format!("{letter} is nowhere on the map"),
            [at] if at == from => format!("it stays at {from}"),
            [at] => format!("it is at {at}"),
            _ => format!("{letter} is on the map in several places"),
        };
        let expected = format!("key {key} moves player {letter} from {from} to {to}");
        Err(self.blame_step(key, CheckFailure::new(expected, actual)))
    }

    /// Attributes the failure to the check of a key if its step is always wrong.
    fn blame_step(&self, key: char, failure: CheckFailure) -> CheckFailure {
        match key_id(key) {
            Some(id) if self.capabilities().wrong_steps.contains(&key) => failure.because_of(id),
            _ => failure,
        }
    }

    /// For checks that need steps, but are not about them: fails if this key is known not to move a player by one spot
    /// in its direction. Keys that no path uses pass.
    pub(crate) fn ensure_steps(&self, key: char) -> Verdict {
        let expected = format!("key {key} moves a player one spot in its direction");
        let failure = self.blame_step(key, CheckFailure::new(expected, "it does not"));
        if failure.obstacle.is_some() { Err(failure) } else { Ok(()) }
    }

    /// For checks that need sprints, but are not about them: the player is somewhere on the path of this key, not where
    /// it was before.
    pub(crate) fn ensure_sprints(
        &mut self,
        client: &TestClient,
        key: char,
        before: Point,
    ) -> Verdict {
        let at = self.position_of(client)?;
        if key_path(&*self.sight()?, before, key).contains(&at) {
            return Ok(());
        }
        let expected = format!("key {key} moves player {} in its direction", client.shown_letter());
        let verb = if at == before { "stays" } else { "is" };
        let failure = CheckFailure::new(expected, format!("it {verb} at {at}"));
        Err(key_id(key).map_or(failure.clone(), |id| failure.because_of(id)))
    }

    /// The map with other occupants at these points; `None` means the bare map.
    pub(crate) fn redrawn(
        &self,
        picture: &ShownMap,
        cells: &[(Point, Option<u8>)],
    ) -> Verdict<ShownMap> {
        let sight = self.sight()?;
        let mut picture = picture.clone();
        for (at, cell) in cells {
            let index = sight.map().index(*at);
            picture.cells[index] = cell.unwrap_or(sight.map().tiles()[index].as_byte());
        }
        Ok(picture)
    }
}

/// The requirement about a key, if it is one of a step or a sprint.
fn key_id(key: char) -> Option<&'static str> {
    let sprint = if key.is_ascii_uppercase() { "sprint-" } else { "" };
    let id = format!("move.{sprint}{}", key.to_ascii_lowercase());
    Catalogue::of(ProgramKind::Server).find(&id).map(|requirement| requirement.id)
}

/// The picture without any occupant.
fn unoccupied(snapshot: &ShownMap) -> ShownMap {
    ShownMap { cells: vec![b' '; snapshot.cells.len()], ..snapshot.clone() }
}

/// True if every neighbouring gridpoint is a spot.
pub(crate) fn is_inside_room(sight: &Sight, at: Point) -> bool {
    Direction::ALL.into_iter().all(|direction| sight.map().spot_beside(at, direction).is_some())
}
