//! Collecting gold, pile by pile or to the end of the game.

use nuggets_game::Point;
use nuggets_protocol::Dialect;
use nuggets_subprocess::Exit;

use super::game_over::table_in;
use crate::server::test_client::ReceivedGold;
use crate::server::tracking::Walk;
use crate::server::{ServerTest, TestClient};
use crate::{CheckFailure, Verdict, fail};

/// No game has more piles than this, even on a server that drops new ones.
const MAX_PILES: usize = 300;

/// A pile that a player has taken. Its size is computed from the purse: the number in the message may
/// be wrong, which is the subject of a single check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TakenPile {
    /// The growth of the purse.
    pub(super) size: u32,
    /// The message.
    pub(super) message: ReceivedGold,
}

impl TakenPile {
    /// Returns the find that this message reports to a player with this purse, if it does. If datagrams are dropped,
    /// the one with the found number may be among them; a later one then stands for it.
    fn new(message: ReceivedGold, purse_before: u32, is_lossy: bool) -> Option<Self> {
        let size = message.purse.checked_sub(purse_before).filter(|size| *size > 0)?;
        let found = if message.found == 0 && is_lossy { size } else { message.found };
        Some(Self { size, message: ReceivedGold { found, ..message } })
    }
}

impl TestClient {
    /// Presses a key that leads onto a pile; returns the find that the player is sent.
    pub(super) fn take_pile(&mut self, key: char) -> Verdict<TakenPile> {
        let from = self.mark();
        let before = self.purse();
        self.press(key);
        let is_lossy = self.is_lossy();
        // Lost messages are resent, even several times.
        let waits = if is_lossy { 4 } else { 1 };
        let find = |message: &[u8]| TakenPile::new(ReceivedGold::parse(message)?, before, is_lossy);
        let found = (0..waits).find_map(|_| self.wait_for(find));
        found.ok_or_else(|| {
            let expected = format!(
                "player {} steps onto gold and is sent GOLD n p r with a purse p over {before}",
                self.shown_letter()
            );
            CheckFailure::retryable(expected, self.describe_since(from))
        })
    }

    /// Returns all finds of a player, each once: a server may resend them.
    pub(super) fn finds(&mut self) -> Vec<TakenPile> {
        self.drain_socket();
        let mut finds: Vec<TakenPile> = vec![];
        for message in self.received.iter().filter_map(|it| ReceivedGold::parse(&it.bytes)) {
            let before = finds.last().map_or(0, |last| last.message.purse);
            finds.extend(TakenPile::new(message, before, self.is_lossy()));
        }
        finds
    }
}

impl ServerTest {
    /// Walks next to the nearest pile; returns the key of the last step and the position of the pile.
    pub(super) fn approach_pile(&mut self, client: &mut TestClient) -> Verdict<(char, Point)> {
        let snapshot = self.snapshot()?;
        let walk = self.nearest_walk(client, &snapshot, snapshot.gold())?;
        let Some(Walk { from, keys, to: pile }) = walk else {
            return fail("a pile that can be reached", "there is none");
        };
        let Some((last, keys)) = keys.split_last() else {
            return fail("players are not on piles", format!("one is at {pile}"));
        };
        self.ensure_steps(*last)?;
        self.press_all(client, from, keys)?;
        Ok((*last, pile))
    }

    /// Takes the nearest pile; returns the find that the player is sent.
    pub(super) fn take_nearest(&mut self, client: &mut TestClient) -> Verdict<TakenPile> {
        let (key, pile) = self.approach_pile(client)?;
        self.skip_for_spectator()?;
        let find = client.take_pile(key)?;
        if self.snapshot()?.at(pile) != client.cell() {
            let expected = format!("player {} on the pile at {pile}", client.shown_letter());
            return fail(expected, "it is elsewhere");
        }
        Ok(find)
    }

    /// Like `take_nearest`, for checks that need gold but are not about it.
    pub(super) fn need_find(&mut self, client: &mut TestClient) -> Verdict<TakenPile> {
        self.take_nearest(client).map_err(|failure| failure.or_because_of("gold.taker"))
    }

    /// Collects all piles but one, for checks that need gold but are not about it.
    pub(super) fn need_finds(&mut self, players: &mut [TestClient]) -> Verdict {
        self.collect(players, 1).map_err(|failure| failure.or_because_of("gold.taker"))
    }

    /// Players take turns at the nearest piles until only this many are left.
    pub(super) fn collect(&mut self, players: &mut [TestClient], leave: usize) -> Verdict {
        self.look_around(&mut players[0])?;
        for turn in 0..MAX_PILES {
            if self.snapshot()?.gold().len() <= leave {
                return Ok(());
            }
            // Players that don't move receive many messages in the meantime.
            players.iter_mut().for_each(TestClient::drain_socket);
            let player = turn % players.len();
            self.take_nearest(&mut players[player])?;
        }
        fail("all gold can be collected", "there is always more")
    }

    /// Collects all gold alone; returns the final table that the player is sent.
    pub(super) fn play_to_the_end(&mut self, client: &mut TestClient) -> Verdict<String> {
        self.look_around(client)?;
        for _ in 0..MAX_PILES {
            let snapshot = self.last_snapshot()?;
            let walk = self.nearest_walk(client, &snapshot, snapshot.gold())?;
            let Some(Walk { from, keys, .. }) = walk else { return self.any_table(client) };
            let Some((last, keys)) = keys.split_last() else { return self.any_table(client) };
            let next_to_pile = self.press_all(client, from, keys)?;
            if snapshot.gold().len() == 1 {
                // The server may exit before a snapshot can be taken.
                self.allow_exit();
                client.press(*last);
                return self.any_table(client);
            }
            self.press_all(client, next_to_pile, &[*last])?;
        }
        fail("all gold can be collected", "there is always more")
    }
    /// Returns the final table, from this player or else from the spectator or from stdout: its recipients have their
    /// own checks.
    pub(super) fn any_table(&mut self, client: &mut TestClient) -> Verdict<String> {
        let missing = match self.final_table(client) {
            Ok(table) => return Ok(table),
            Err(failure) => failure.because_of("over.taker"),
        };
        let received = if self.has_spectators() {
            self.spectator()?.unread().iter().find_map(|it| table_in(&it.bytes))
        } else {
            None
        };
        let printed = || {
            let out = String::from_utf8_lossy(&self.stdout()).into_owned();
            out.split_once("GAME OVER").map(|(_, table)| table.to_owned())
        };
        received.or_else(printed).ok_or(missing)
    }

    /// Waits for the final table. Its heading has a check of its own.
    pub(super) fn final_table(&mut self, client: &mut TestClient) -> Verdict<String> {
        let from = client.received.len();
        let expected = match self.settings.dialect {
            Dialect::V2021 => "'QUIT GAME OVER:' and the table when the last nugget is taken",
            Dialect::V2019 => "'GAMEOVER' and the table when the last nugget is taken",
        };
        client.wait_for(table_in).ok_or_else(|| {
            let received = client.describe_since(from);
            let crash = self.exit().filter(|exit| matches!(exit, Exit::Signal(_)));
            let crash = crash.map(|exit| format!("; {exit}")).unwrap_or_default();
            CheckFailure::retryable(expected, received + &crash)
        })
    }
}
