//! The clients of a test run: players that join, spectators, and what both may expect.

use std::sync::Arc;

use nuggets_game::{Direction, Point};
use nuggets_protocol::{DISPLAY_HEAD, Dialect, ServerMessage};

use super::{ServerTest, own_trouble};
use crate::server::picture::{Picture, difference};
use crate::server::test_client::{Connection, TestClient, brief};
use crate::server::{TestMap, tracking};
use crate::{CheckFailure, Verdict, fail};

/// How often a join or a snapshot is asked for if datagrams are dropped.
const MAX_ASKS: u32 = 12;
/// The number of replaced spectators whose sockets stay open, so that messages to them are not
/// rejected.
const KEPT_SPECTATORS: usize = 8;

/// The answers to a `PLAY` so far.
#[derive(Debug, Default)]
struct Welcome {
    letter: Option<char>,
    has_grid: bool,
    has_gold: bool,
    has_display: bool,
    received: Vec<String>,
}

/// Joining and watching.
impl ServerTest {
    /// A new address that has sent nothing yet. Names are unique: the second `Ann` is `Ann 2`.
    pub fn client(&mut self, name: &str) -> Verdict<TestClient> {
        self.client_count += 1;
        let count = self.name_counts.entry(name.to_owned()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name} {count}") } else { name.to_owned() };
        let connection = Connection {
            port: self.port()?,
            clock: self.clock,
            transcript: self.transcript.clone(),
            timeouts: self.timeouts.clone(),
            has_lost: Arc::clone(&self.has_lost),
            loss_percent: self.settings.loss_percent,
            used_ports: self.used_ports.clone(),
        };
        let seed = self.seed.wrapping_mul(1009).wrapping_add(self.client_count);
        TestClient::new(&name, &connection, seed).map_err(|why| own_trouble(&why))
    }

    /// A new address that has sent this message. It may have been dropped on purpose.
    pub(crate) fn client_that_sends(&mut self, name: &str, message: &[u8]) -> Verdict<TestClient> {
        let mut client = self.client(name)?;
        client.send_once(message);
        Ok(client)
    }

    /// A new player that has joined and received everything that a new player is sent.
    pub fn player(&mut self, name: &str) -> Verdict<TestClient> {
        let mut client = self.client(name)?;
        self.join(&mut client, name.as_bytes())?;
        Ok(client)
    }

    /// New players.
    pub(crate) fn players(&mut self, names: &[&str]) -> Verdict<Vec<TestClient>> {
        names.iter().map(|name| self.player(name)).collect()
    }

    /// Starts the server on the map `main`; one player joins.
    pub(crate) fn start_with_ann(&mut self) -> Verdict<TestClient> {
        self.start()?;
        self.player("Ann")
    }

    /// Starts the server on the map of this name; these players and a spectator join.
    pub(crate) fn start_with_players<const N: usize>(
        &mut self,
        map: &str,
        names: [&str; N],
    ) -> Verdict<[TestClient; N]> {
        self.start_on(&TestMap::named(map))?;
        let players = self.players(&names)?;
        self.snapshot()?;
        Ok(players.try_into().expect("one player for each name"))
    }

    /// Joins under this name, several times if datagrams are dropped.
    pub(crate) fn join(&mut self, client: &mut TestClient, name: &[u8]) -> Verdict {
        let mut welcome = Welcome::default();
        for _ in 0..self.max_asks() {
            client.send(&[b"PLAY ", name].concat());
            client.wait_for(|message| {
                welcome.add(message);
                welcome.is_complete().then_some(())
            });
            if welcome.is_complete() {
                client.letter = welcome.letter;
                return Ok(());
            }
        }
        let name = name.escape_ascii();
        let expected = format!("'PLAY {name}' is answered with OK, GRID, GOLD and DISPLAY");
        let received = welcome.received.join(", then ");
        let actual = if received.is_empty() { "nothing".to_owned() } else { received };
        Err(CheckFailure::retryable(expected, actual))
    }

    /// Adds a new spectator, which replaces the one before, and returns the whole map that it is
    /// sent. As a server handles messages in order, everything sent before has been handled then.
    pub(crate) fn snapshot(&mut self) -> Verdict<Picture> {
        let mut last = CheckFailure::retryable("", "");
        for _ in 0..self.max_asks() {
            let mut spectator = self.client("spectator")?;
            spectator.send(b"SPECTATE");
            if spectator.wait_for_prefix("DISPLAY").is_some() {
                let picture = spectator.last_display(self.size()?);
                self.spectators.push(spectator);
                let extra = self.spectators.len().saturating_sub(KEPT_SPECTATORS);
                self.spectators.drain(..extra);
                return picture;
            }
            let expected = "a new spectator is sent a DISPLAY of the whole map";
            last = CheckFailure::retryable(expected, spectator.describe_since(0));
        }
        Err(last)
    }

    /// Returns when the server has handled everything that was sent before.
    pub(crate) fn fence(&mut self) -> Verdict {
        self.snapshot().map(|_| ())
    }

    /// The last map that the spectator was sent.
    pub(crate) fn last_snapshot(&mut self) -> Verdict<Picture> {
        let size = self.size()?;
        self.spectator()?.last_display(size)
    }

    /// The current spectator.
    pub(crate) fn spectator(&mut self) -> Verdict<&mut TestClient> {
        if self.spectators.is_empty() {
            self.fence()?;
        }
        self.spectators.last_mut().ok_or_else(|| CheckFailure::retryable("a spectator", "none"))
    }

    /// Closes all spectators, so that a server doesn't keep resending the end to them.
    pub(crate) fn close_spectators(&mut self) {
        self.spectators.clear();
    }

    fn max_asks(&self) -> u32 {
        if self.is_lossy() { MAX_ASKS } else { 1 }
    }
}

/// Expectations.
impl ServerTest {
    /// Waits for a refusal in the form of the dialect: `QUIT` and this text, or `NO`.
    pub(crate) fn expect_refusal(&self, client: &mut TestClient, text: &str) -> Verdict {
        match self.dialect() {
            Dialect::V2021 => client.expect_message(&format!("QUIT {text}")),
            Dialect::V2019 => client.expect_word(&["NO"]).map(|_| ()),
        }
    }

    /// Waits until a client is sent a map that fits.
    pub(crate) fn expect_display(
        &self,
        client: &mut TestClient,
        expected: &str,
        fits: impl Fn(&Picture) -> bool,
    ) -> Verdict {
        let from = client.received().len();
        if client.wait_for_picture(self.size()?, fits) {
            return Ok(());
        }
        let received = client.describe_since(from);
        let is_other = received.contains("DISPLAY");
        let actual = if is_other { "only other DISPLAYs".to_owned() } else { received };
        Err(CheckFailure::retryable(format!("{} is sent {expected}", client.name()), actual))
    }

    /// All steps that a player can take onto free spots: the key and the spot.
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

    /// Sends something that must be ignored, or answered with an error: no player moves, joins or
    /// leaves, and the sender can still move if it is a player.
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

    /// Fails if what the action sends changes the map.
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
pub(crate) fn expect_unchanged(before: &Picture, after: &Picture, what: &str) -> Verdict {
    expect_same(before, after, &format!("{what} changes nothing"))
}

/// Fails unless the spectator's map is exactly this.
pub(crate) fn expect_same(expected: &Picture, actual: &Picture, what: &str) -> Verdict {
    if expected == actual {
        return Ok(());
    }
    fail(what, "the spectator's map differs")
        .map_err(|failure: CheckFailure| failure.with_drawing(difference(expected, actual)))
}

impl Welcome {
    fn add(&mut self, message: &[u8]) {
        self.received.push(brief(message));
        match ServerMessage::parse(message) {
            Ok(ServerMessage::Ok(letter)) => self.letter = Some(letter),
            Ok(ServerMessage::Grid { .. }) => self.has_grid = true,
            Ok(ServerMessage::Gold { .. }) => self.has_gold = true,
            _ => self.has_display |= message.starts_with(DISPLAY_HEAD),
        }
    }

    fn is_complete(&self) -> bool {
        self.letter.is_some() && self.has_grid && self.has_gold && self.has_display
    }
}
