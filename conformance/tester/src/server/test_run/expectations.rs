//! The expectations of the clients of a test run.

use nuggets_game::{Direction, Point};
use nuggets_protocol::Dialect;

use super::ServerTest;
use crate::server::picture::{ShownMap, difference};
use crate::server::test_client::TestClient;
use crate::server::tracking;
use crate::{CheckFailure, Verdict, fail};

impl ServerTest {
    /// Waits for a refusal in the form of the dialect: `QUIT` and this text, or `NO`.
    pub(crate) fn expect_refusal(&self, client: &mut TestClient, text: &str) -> Verdict {
        match self.settings.dialect {
            Dialect::V2021 => client.expect_message(&format!("QUIT {text}")),
            Dialect::V2019 => client.expect_word(&["NO"]).map(|_| ()),
        }
    }

    /// Returns all steps that a player can take onto free spots: the key and the spot.
    pub(crate) fn free_steps(&mut self, client: &TestClient) -> Verdict<Vec<(char, Point)>> {
        let snapshot = self.snapshot()?;
        let at = self.position_of(client)?;
        let sight = self.sight()?;
        let free = |direction: Direction| {
            let key = char::from(direction.key());
            let to = *tracking::key_path(&sight, at, key).first()?;
            (!snapshot.is_occupied(to)).then_some((key, to))
        };
        Ok(Direction::ALL.into_iter().filter_map(free).collect())
    }

    /// Expects that the game continues for this player: at least one key moves it.
    pub(crate) fn expect_can_move(&mut self, client: &mut TestClient) -> Verdict {
        let steps = self.free_steps(client)?;
        let before = self.position_of(client)?;
        for (key, _) in &steps {
            client.press(*key);
            self.fence()?;
            if self.position_of(client)? != before {
                return Ok(());
            }
        }
        let keys: String = steps.iter().map(|(key, _)| *key).collect();
        let letter = client.shown_letter();
        let expected = format!("the game continues: one of the keys {keys} moves player {letter}");
        Err(CheckFailure::retryable(expected, format!("it stays at {before}")))
    }

    /// Without spectators, lets a player see the map again by moving: the specification only asks servers to send
    /// others a DISPLAY when a player quits.
    pub(crate) fn look_again(&mut self, client: &mut TestClient) -> Verdict {
        if self.has_spectators() {
            return Ok(());
        }
        self.expect_can_move(client).map_err(|failure| failure.or_because_of("move.to-mover"))
    }

    /// Sends a message that must be ignored, or answered with an error: no player moves, joins or leaves, and the
    /// sender can still move if it is a player.
    pub(crate) fn expect_ignored(&mut self, client: &mut TestClient, bytes: &[u8]) -> Verdict {
        let message = match bytes.len() {
            0 => "an empty datagram".to_owned(),
            1..=60 => format!("'{}'", bytes.escape_ascii()),
            more => format!("'{}…' ({more} bytes)", bytes[..20].escape_ascii()),
        };
        let before = self.snapshot()?;
        let from = client.mark();
        client.send(bytes);
        expect_unchanged(&before, &self.snapshot()?, &message)?;
        let why = format!("{message} is ignored or answered with an error");
        client.expect_none_of(from, &["OK", "QUIT", "GRID", "GAMEOVER"], &why)?;
        if client.letter.is_some() { self.expect_can_move(client) } else { Ok(()) }
    }

    /// Fails if the action changes the map.
    pub(crate) fn expect_no_change(
        &mut self,
        what: &str,
        action: impl FnOnce(&mut Self) -> Verdict,
    ) -> Verdict {
        let before = self.snapshot()?;
        action(self)?;
        expect_unchanged(&before, &self.snapshot()?, what)
    }
}

/// Fails if the map has changed.
pub(crate) fn expect_unchanged(before: &ShownMap, after: &ShownMap, what: &str) -> Verdict {
    expect_same(before, after, &format!("{what} changes nothing"))
}

/// Fails unless the map is exactly this. Gridpoints unknown in either map do not count.
pub(crate) fn expect_same(expected: &ShownMap, actual: &ShownMap, what: &str) -> Verdict {
    let expected = &expected.completed_by(actual);
    if expected == actual {
        return Ok(());
    }
    fail(what, "the map differs")
        .map_err(|failure: CheckFailure| failure.with_drawing(difference(expected, actual)))
}
