//! Moving players: where they are, where keys lead, and what they must be shown.

use nuggets_game::{Direction, Point, Sight};

use super::ServerTest;
use crate::server::picture::{Picture, difference};
use crate::server::test_client::TestClient;
use crate::server::tracking::{ExpectedView, find_walk, key_path};
use crate::{CheckFailure, Verdict, fail};

impl ServerTest {
    /// Where a player is on the spectator's last map.
    pub(crate) fn position_of(&mut self, client: &TestClient) -> Verdict<Point> {
        let snapshot = self.last_snapshot()?;
        snapshot.only(client.cell()).ok_or_else(|| {
            let times = snapshot.all(|cell| cell == client.cell()).len();
            let expected = format!("the spectator sees player {} once", client.shown_letter());
            CheckFailure::new(expected, format!("the player is shown {times} times"))
        })
    }

    /// The view that a player must have. It must have just joined.
    pub(crate) fn expected_view(&mut self, client: &TestClient) -> Verdict<ExpectedView> {
        let at = self.position_of(client)?;
        Ok(ExpectedView::new(&self.sight()?, client.cell(), at))
    }

    /// Presses a key and waits until the spectator sees the player at this spot; the spectator's map.
    pub(crate) fn press_to(
        &mut self,
        client: &mut TestClient,
        key: char,
        to: Point,
    ) -> Verdict<Picture> {
        let size = self.size()?;
        let cell = client.cell();
        self.spectator()?.skip_received();
        client.press(key);
        let is_there = |message: &[u8]| {
            // The mover receives as many messages as the spectator.
            client.drain_socket();
            Picture::parse(message, size).ok().filter(|picture| picture.at(to) == cell)
        };
        if !self.spectators_miss_moves
            && let Some(picture) = self.spectator()?.wait_for(is_there)
        {
            return Ok(picture);
        }
        // Perhaps only that DISPLAY was lost.
        let picture = self.snapshot()?;
        if picture.at(to) == cell {
            self.spectators_miss_moves = !self.is_lossy();
            return Ok(picture);
        }
        // The key was handled before the snapshot, so this counts at once.
        let place = picture.only(cell).map_or("nowhere".to_owned(), |at| at.to_string());
        fail(
            format!("key {key} moves player {} to {to}", client.shown_letter()),
            format!("the spectator sees it at {place}"),
        )
    }

    /// Walks a player to a spot, around gold and others where possible; the spectator's map.
    pub(crate) fn go_to(&mut self, client: &mut TestClient, to: Point) -> Verdict<Picture> {
        let (from, keys) = self.walk_keys(client, to)?;
        self.press_all(client, from, &keys)?;
        self.snapshot()
    }

    /// Walks a player to a spot and updates its expected view on the way.
    pub(crate) fn go_to_tracked(
        &mut self,
        client: &mut TestClient,
        view: &mut ExpectedView,
        to: Point,
    ) -> Verdict {
        for key in self.walk_keys(client, to)?.1 {
            self.press_tracked(client, view, key)?;
        }
        Ok(())
    }

    /// Presses a key that moves the player and updates its expected view; the spectator's map.
    pub(crate) fn press_tracked(
        &mut self,
        client: &mut TestClient,
        view: &mut ExpectedView,
        key: char,
    ) -> Verdict<Picture> {
        let path = view.key_path(key);
        let to = *path.last().unwrap_or(&view.at());
        let snapshot = self.press_to(client, key, to)?;
        for at in path {
            view.move_to(at);
        }
        Ok(snapshot)
    }

    /// The same, and the player must be shown exactly its expected view.
    pub(crate) fn press_and_compare(
        &mut self,
        client: &mut TestClient,
        view: &mut ExpectedView,
        key: char,
    ) -> Verdict {
        let snapshot = self.press_tracked(client, view, key)?;
        self.expect_view(client, &view.expected(&snapshot))
    }

    /// Walks a player next to a spot; the key of the last step, and where the player is.
    pub(crate) fn approach(
        &mut self,
        client: &mut TestClient,
        to: Point,
    ) -> Verdict<(char, Point)> {
        let (from, keys) = self.walk_keys(client, to)?;
        let Some((last, keys)) = keys.split_last() else {
            let expected = format!("a player that is not at {to}");
            return Err(CheckFailure::retryable(expected, "it is there"));
        };
        let at = self.press_all(client, from, keys)?;
        self.fence()?;
        Ok((*last, at))
    }

    /// Where a player is, and the keys that lead it to a spot: around gold and others, else over
    /// gold, else over others.
    fn walk_keys(&mut self, client: &TestClient, to: Point) -> Verdict<(Point, Vec<char>)> {
        let snapshot = self.snapshot()?;
        let sight = self.sight()?;
        let from = self.position_of(client)?;
        let cells = snapshot.cells.iter().map(|cell| if *cell == b'*' { b'.' } else { *cell });
        let without_gold = Picture { cells: cells.collect(), ..snapshot.clone() };
        let keys = find_walk(&sight, &snapshot, from, to)
            .or_else(|| find_walk(&sight, &without_gold, from, to))
            .or_else(|| find_walk(&sight, &unoccupied(&snapshot), from, to));
        match keys {
            Some(keys) => Ok((from, keys)),
            None => fail(format!("a path from {from} to {to}"), "there is none"),
        }
    }

    /// Presses keys one by one, each of which must move the player; where it is then.
    pub(crate) fn press_all(
        &mut self,
        client: &mut TestClient,
        from: Point,
        keys: &[char],
    ) -> Verdict<Point> {
        let sight = self.sight()?;
        let mut at = from;
        for key in keys {
            at = *key_path(&sight, at, *key).last().unwrap_or(&at);
            self.press_to(client, *key, at)?;
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
        let spots = sight.map().room_spots().into_iter();
        let free = spots.filter(|at| *at == from || !snapshot.is_occupied(*at));
        let unoccupied = unoccupied(&snapshot);
        let walks = free.filter(|at| fits(*at)).filter_map(|at| {
            let around = find_walk(&sight, &snapshot, from, at).map(|keys| (0, keys.len(), at));
            around.or_else(|| Some((1, find_walk(&sight, &unoccupied, from, at)?.len(), at)))
        });
        let none =
            || CheckFailure::retryable("a room spot for this check", "none; try another seed");
        let (_, _, at) = walks.min().ok_or_else(none)?;
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
            [] => format!("the spectator sees {letter} nowhere"),
            [at] if at == from => format!("it stays at {from}"),
            [at] => format!("it is at {at}"),
            _ => format!("the spectator sees {letter} in several places"),
        };
        fail(format!("key {key} moves player {letter} from {from} to {to}"), actual)
    }

    /// The map with other occupants at these points; `None` means the bare map.
    pub(crate) fn redrawn(
        &self,
        picture: &Picture,
        cells: &[(Point, Option<u8>)],
    ) -> Verdict<Picture> {
        let sight = self.sight()?;
        let mut picture = picture.clone();
        for (at, cell) in cells {
            let index = sight.map().index(*at);
            picture.cells[index] = cell.unwrap_or(sight.map().tiles()[index].as_byte());
        }
        Ok(picture)
    }

    /// Waits until a player's last display is exactly this; draws the difference if it isn't.
    pub(crate) fn expect_view(&mut self, client: &mut TestClient, expected: &Picture) -> Verdict {
        let size = (expected.rows, expected.cols);
        let mut shown = client.last_display(size);
        // It may be on its way or be resent, even several times if datagrams are dropped.
        for _ in 0..if self.is_lossy() { 4 } else { 1 } {
            if shown.as_ref() == Ok(expected) {
                break;
            }
            // An earlier display may have been the same, and be still unread.
            client.skip_buffered();
            client.wait_for_picture(size, |picture| picture == expected);
            shown = client.last_display(size);
        }
        let shown = shown?;
        if shown == *expected {
            return Ok(());
        }
        let what = format!("player {} is shown what it sees and remembers", client.shown_letter());
        Err(CheckFailure::new(what, "its DISPLAY differs")
            .with_drawing(difference(expected, &shown)))
    }
}

/// The picture without any occupant.
fn unoccupied(snapshot: &Picture) -> Picture {
    Picture { cells: vec![b' '; snapshot.cells.len()], ..snapshot.clone() }
}

/// True if every neighbouring gridpoint is a spot.
pub(crate) fn is_inside_room(sight: &Sight, at: Point) -> bool {
    Direction::ALL.into_iter().all(|direction| sight.map().spot_beside(at, direction).is_some())
}
