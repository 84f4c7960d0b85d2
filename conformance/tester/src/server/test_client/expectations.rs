//! Expectations of messages to a client.

use nuggets_game::Point;

use super::{ReceivedDatagram, ReceivedGold, TestClient, brief, brief_raw, has_word};
use crate::server::picture::{ShownMap, difference, drawn};
use crate::server::tracking::ExpectedDisplay;
use crate::{CheckFailure, Verdict, ensure, ensure_none};

/// Expectations about messages.
impl TestClient {
    /// Waits for exactly this message.
    pub(crate) fn expect_message(&mut self, exact: &str) -> Verdict {
        let from = self.received.len();
        if self.wait_for(|message| (message == exact.as_bytes()).then_some(())).is_some() {
            return Ok(());
        }
        let actual = self.describe_since(from);
        let expected = format!("{} is sent exactly '{}'", self.name, exact.escape_default());
        let word = exact.split(' ').next().unwrap_or(exact);
        // Among several messages, one that differs only in its numbers is the same fault wherever it is sent.
        let mut others = self.received[from..].iter().filter(|it| has_word(&it.bytes, &[word]));
        Err(match others.next() {
            Some(other) => CheckFailure::new(expected, brief(&other.bytes)),
            None => CheckFailure::retryable(expected, actual),
        })
    }

    /// Waits for a message that yields a value; the failure describes what was received instead.
    pub(crate) fn expect<T>(
        &mut self,
        expected: impl Into<String>,
        find: impl FnMut(&[u8]) -> Option<T>,
    ) -> Verdict<T> {
        let from = self.received.len();
        let found = self.wait_for(find);
        found.ok_or_else(|| CheckFailure::retryable(expected, self.describe_since(from)))
    }

    /// Waits for a message of one of these types.
    pub(crate) fn expect_word(&mut self, words: &[&str]) -> Verdict<Vec<u8>> {
        let expected = format!("{} is sent {}", self.name, words.join(" or "));
        self.expect(expected, |message| has_word(message, words).then(|| message.to_vec()))
    }

    /// Waits for a message of this type; returns it with everything about its form.
    pub(crate) fn expect_received(&mut self, word: &str) -> Verdict<ReceivedDatagram> {
        self.expect_word(&[word])?;
        Ok(self.received[self.next - 1].clone())
    }

    /// Waits for exactly this message, which must be well formed.
    pub(crate) fn expect_well_formed(&mut self, exact: &str) -> Verdict {
        self.expect_message(exact)?;
        let received = &self.received[self.next - 1];
        let expected = format!("{} is sent exactly '{}'", self.name, exact.escape_default());
        ensure(received.is_well_formed(), expected, brief_raw(received))
    }

    /// Fails if a message of one of these types has arrived from that index on.
    pub(crate) fn expect_none_of(&mut self, from: usize, words: &[&str], why: &str) -> Verdict {
        self.drain_socket();
        let wrong = self.received[from..].iter().find(|it| has_word(&it.bytes, words));
        ensure_none(wrong, why, |it| format!("{} was sent {}", self.name, brief(&it.bytes)))
    }

    /// True if an unread message begins with this word.
    pub(crate) fn has_unread(&mut self, word: &str) -> bool {
        self.unread().iter().any(|it| has_word(&it.bytes, &[word]))
    }

    /// Waits for a `GOLD` with this remaining number; the purse must be this. The found number is the
    /// subject of other checks.
    pub(crate) fn expect_purse(&mut self, purse: u32, remaining: u32) -> Verdict {
        let expected = format!("{} is sent GOLD with its own purse of {purse}", self.name);
        let gold = self.expect_remaining(remaining, &expected)?;
        ensure(gold.purse == purse, expected, gold.to_string())
    }

    /// Waits for a `GOLD` with this remaining number.
    pub(crate) fn expect_remaining(
        &mut self,
        remaining: u32,
        expected: &str,
    ) -> Verdict<ReceivedGold> {
        self.expect(expected, |message| {
            ReceivedGold::parse(message).filter(|gold| gold.remaining == remaining)
        })
    }

    /// Waits until it is sent a map that fits.
    pub(crate) fn expect_display(
        &mut self,
        expected: &str,
        fits: impl Fn(&ShownMap) -> bool,
    ) -> Verdict {
        let from = self.received.len();
        if self.wait_for_picture(fits) {
            return Ok(());
        }
        let received = self.describe_since(from);
        let expected = format!("{} is sent {expected}", self.name);
        if !received.contains("DISPLAY") {
            return Err(CheckFailure::retryable(expected, received));
        }
        let failure = CheckFailure::retryable(expected, "only other DISPLAYs; the last of them:");
        let last = self.last_display();
        Err(last.map_or(failure.clone(), |last| failure.with_drawing(drawn(&last))))
    }

    /// Waits until the last display fits; returns its last display in any case.
    pub(crate) fn settled_display(
        &mut self,
        fits: impl Fn(&ShownMap) -> bool,
    ) -> Verdict<ShownMap> {
        let mut shown = self.last_display();
        // It may be on its way or be resent, even several times if datagrams are dropped.
        for _ in 0..if self.is_lossy() { 4 } else { 1 } {
            if shown.as_ref().is_ok_and(&fits) {
                break;
            }
            // An earlier display may have been the same, and still be unread.
            self.skip_buffered();
            self.wait_for_picture(&fits);
            shown = self.last_display();
        }
        shown
    }

    /// The view of a tracked player.
    pub(crate) fn view(&self) -> &ExpectedDisplay {
        self.view.as_ref().expect("only the views of tracked players are compared")
    }

    /// Moves the player along this path, by a key or a swap, if it is tracked.
    pub(crate) fn follow(&mut self, path: &[Point]) {
        if let Some(view) = &mut self.view {
            for at in path {
                view.move_to(*at);
            }
        }
    }

    /// Waits until the last display of a tracked player is exactly its view of this map; draws the difference if it
    /// isn't.
    pub(crate) fn expect_view(&mut self, snapshot: &ShownMap) -> Verdict {
        self.expect_view_but_for(snapshot, &[])
    }

    /// Like `expect_view`, but these gridpoints may show anything.
    pub(crate) fn expect_view_but_for(
        &mut self,
        snapshot: &ShownMap,
        ignored: &[Point],
    ) -> Verdict {
        let expected = self.view().expected(snapshot);
        let shown = self.shown_view(&expected, ignored)?;
        let expected = expected.with_cells_of(&shown, ignored);
        if shown == expected {
            return Ok(());
        }
        let what = format!("player {} is shown what it sees and remembers", self.shown_letter());
        // The drawing contains only the rows that differ.
        let place = expected.only(b'@').map(|at| format!(" when it is at {at}"));
        let actual = format!("its DISPLAY differs{}", place.unwrap_or_default());
        let failure = CheckFailure::new(what, actual).with_drawing(difference(&expected, &shown));
        Err(match remembered_occupants(&expected, &shown) {
            Some(id) => failure.because_of(id),
            None => failure,
        })
    }

    /// Returns the gridpoints where the last display of a tracked player differs from its view of this map.
    pub(crate) fn slips(&mut self, snapshot: &ShownMap) -> Verdict<Vec<Point>> {
        let expected = self.view().expected(snapshot);
        Ok(self.shown_view(&expected, &[])?.differing(&expected))
    }

    /// Waits until the player's last display matches this, except at some gridpoints; returns its last display in any
    /// case, with the player as `@`.
    fn shown_view(&mut self, expected: &ShownMap, ignored: &[Point]) -> Verdict<ShownMap> {
        let cell = self.cell();
        let fits = |shown: &ShownMap| {
            let shown = shown.with_own_sign(expected, cell);
            shown == expected.with_cells_of(&shown, ignored)
        };
        Ok(self.settled_display(fits)?.with_own_sign(expected, cell))
    }
}

/// Returns the requirement about gold or players still drawn where none are in sight, if nothing else differs.
fn remembered_occupants(expected: &ShownMap, shown: &ShownMap) -> Option<&'static str> {
    let slips: Vec<u8> = expected.differing(shown).into_iter().map(|at| shown.at(at)).collect();
    let is_occupant = |cell: &u8| *cell == b'*' || cell.is_ascii_uppercase();
    if !slips.iter().all(is_occupant) {
        return None;
    }
    let has_gold = slips.contains(&b'*');
    Some(if has_gold { "sight.gold-hidden" } else { "sight.players-hidden" })
}
