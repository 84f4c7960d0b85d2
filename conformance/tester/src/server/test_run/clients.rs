//! The clients of a test run: players that join, and spectators.

use std::sync::Arc;

use super::{ServerTest, own_trouble};
use crate::server::TestMap;
use crate::server::capabilities::SnapshotMethod;
use crate::server::picture::ShownMap;
use crate::server::test_client::{TestClient, has_word};
use crate::{CheckFailure, Verdict, ensure_for_check, fail};

/// The maximum number of requests for a join or a snapshot if datagrams are dropped.
const MAX_ASKS: u32 = 12;
/// The number of replaced spectators whose sockets stay open, so that messages to them are not
/// rejected.
const KEPT_SPECTATORS: usize = 8;

/// Joining and watching.
impl ServerTest {
    /// A new address that has sent nothing yet. Names are unique: the second `Ann` is `Ann 2`.
    pub(crate) fn client(&mut self, name: &str) -> Verdict<TestClient> {
        self.client_count += 1;
        let count = self.name_counts.entry(name.to_owned()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name} {count}") } else { name.to_owned() };
        let size = self.size()?;
        let observer = Arc::clone(&self.server()?.observer);
        let seed = self.seed.wrapping_mul(1009).wrapping_add(self.client_count);
        TestClient::new((name, size), observer, self.network.clone(), seed)
            .map_err(|why| own_trouble(&why))
    }

    /// A new address that has sent this message. It may have been dropped on purpose.
    pub(crate) fn client_that_sends(&mut self, name: &str, message: &[u8]) -> Verdict<TestClient> {
        let mut client = self.client(name)?;
        client.send_once(message);
        Ok(client)
    }

    /// Starts the server on the map `main`; a new address sends this message.
    pub(crate) fn start_and_send(&mut self, name: &str, message: &[u8]) -> Verdict<TestClient> {
        self.start()?;
        self.client_that_sends(name, message)
    }

    /// A new player that has joined and received everything that a new player is sent.
    pub(crate) fn player(&mut self, name: &str) -> Verdict<TestClient> {
        let mut client = self.client(name)?;
        self.join(&mut client, name.as_bytes())?;
        Ok(client)
    }

    /// New players.
    pub(crate) fn players(&mut self, names: &[&str]) -> Verdict<Vec<TestClient>> {
        names.iter().map(|name| self.player(name)).collect()
    }

    /// Adds as many of these players as the server accepts, at least one. The number that it must accept is the subject
    /// of another check.
    pub(crate) fn crowd(&mut self, names: &[&str]) -> Verdict<Vec<TestClient>> {
        let mut players = vec![];
        for name in names {
            let mut client = self.client(name)?;
            let joined = self.join(&mut client, name.as_bytes());
            let is_refused =
                client.received.iter().any(|it| has_word(&it.bytes, &["QUIT", "NO", "ERROR"]));
            if joined.is_err() && is_refused && !players.is_empty() {
                break;
            }
            joined?;
            players.push(client);
        }
        Ok(players)
    }

    /// Starts the server on the map `main`; one player joins.
    pub(crate) fn start_with_ann(&mut self) -> Verdict<TestClient> {
        self.start_game()?;
        self.player("Ann")
    }

    /// Starts the server on the map of this name; these players join, who will move, and a spectator, if possible.
    pub(crate) fn start_with_players<const N: usize>(
        &mut self,
        map: &str,
        names: [&str; N],
    ) -> Verdict<[TestClient; N]> {
        if N > 1 {
            self.ensure_letters_are_kept()?;
        }
        self.start_with_standing_players(map, names)
    }

    /// Like `start_with_players`, for checks that hold even if moving players get wrong letters.
    pub(crate) fn start_with_standing_players<const N: usize>(
        &mut self,
        map: &str,
        names: [&str; N],
    ) -> Verdict<[TestClient; N]> {
        self.ensure_map_is_seen()?;
        self.start_game_on(&TestMap::named(map))?;
        let players = self.players(&names)?;
        self.snapshot()?;
        Ok(players.try_into().expect("one player for each name"))
    }

    /// Joins under this name, several times if datagrams are dropped. Waits only for the messages that this server
    /// sends to any new player: missing ones have their own checks.
    pub(crate) fn join(&mut self, client: &mut TestClient, name: &[u8]) -> Verdict {
        self.ensure_players_can_join()?;
        let words = self.capabilities().welcome.clone();
        let mut missing = words.clone();
        let from = client.received.len();
        for _ in 0..self.max_asks() {
            client.send(&[b"PLAY ", name].concat());
            client.wait_for_welcome(&mut missing);
            if missing.is_empty() {
                return self.note_joined(client);
            }
        }
        let name = name.escape_ascii();
        let expected = format!("'PLAY {name}' is answered with {}", words.join(", "));
        Err(CheckFailure::retryable(expected, client.describe_since(from)))
    }

    /// Notes a joined player. If the server has not sent its letter, finds it on the map.
    fn note_joined(&mut self, client: &mut TestClient) -> Verdict {
        if client.letter.is_none() {
            client.letter = Some(self.find_letter(client)?);
        }
        self.player_views.add(client);
        Ok(())
    }

    /// Returns the letter on the whole map at the spot where the player sees itself. Without spectators, assumes the
    /// letters in their order: the exact letter hardly matters then.
    fn find_letter(&mut self, client: &mut TestClient) -> Verdict<char> {
        if !self.has_spectators() {
            let joined = u8::try_from(self.player_views.count()).unwrap_or(u8::MAX);
            return Ok(char::from(b'A'.saturating_add(joined)));
        }
        let map = self.snapshot()?;
        let own = client.last_display()?;
        let letter = own.only(b'@').map(|at| map.at(at)).filter(u8::is_ascii_uppercase);
        letter.map(char::from).ok_or_else(|| {
            let expected = "the letter of a player, in OK or on the map where it sees itself";
            CheckFailure::retryable(expected, "none").because_of("join.ok")
        })
    }

    /// Returns the whole map as a spectator sees it, once everything sent before has been handled: a server handles
    /// messages in order. Where spectators are sent no map, combines the views of all players.
    pub(crate) fn snapshot(&mut self) -> Verdict<ShownMap> {
        self.ensure_map_is_seen()?;
        self.snapshot_by(self.capabilities().snapshots.unwrap_or(SnapshotMethod::Replace))
    }

    /// True if the whole map is seen by a spectator.
    pub(crate) fn has_spectators(&self) -> bool {
        !matches!(self.capabilities().snapshots, None | Some(SnapshotMethod::Players))
    }

    /// For checks that need players, but are not about joining.
    pub(crate) fn ensure_players_can_join(&self) -> Verdict {
        let welcome = &self.capabilities().welcome;
        let can_join = welcome.contains(&"OK") || welcome.contains(&"DISPLAY");
        let actual = "PLAY is answered with neither OK and a letter nor a DISPLAY";
        ensure_for_check(can_join, "a player can join", actual, "join.ok")
    }

    /// For checks that need the positions of several players, but are not about them.
    pub(crate) fn ensure_letters_are_kept(&self) -> Verdict {
        if !self.capabilities().mixes_letters {
            return Ok(());
        }
        let expected = "a player that moves in presence of another keeps its letter on the map";
        Err(CheckFailure::new(expected, "it does not").because_of("move.whose"))
    }

    /// For checks that need to see the map, as a spectator or by the players together.
    pub(crate) fn ensure_map_is_seen(&self) -> Verdict {
        let is_seen = self.capabilities().snapshots.is_some();
        let expected = "the whole map can be seen, as a spectator or by the players together";
        let actual = match &self.capabilities().crash {
            Some(how) => format!("it can't; in a short walk {how}"),
            None => "it can't".to_owned(),
        };
        ensure_for_check(is_seen, expected, actual, self.map_obstacle())
    }

    /// Returns the requirement whose failure hides the whole map.
    pub(crate) fn map_obstacle(&self) -> &'static str {
        // While capabilities are probed, the cause does not matter.
        let known = self.settings.learned.capabilities.get();
        let is_sent = known.is_some_and(|known| known.spectators_are_sent_maps);
        if is_sent { "spectate.whole-map" } else { "spectate.display" }
    }

    /// For checks that need a spectator, but are not about its map.
    pub(crate) fn ensure_spectators_are_sent_maps(&self) -> Verdict {
        let is_sent = self.capabilities().spectators_are_sent_maps;
        let expected = "the whole map can be seen as a spectator";
        ensure_for_check(is_sent, expected, "spectators are not sent it", "spectate.display")
    }

    /// Takes a snapshot by this method, even if it may not work.
    pub(crate) fn snapshot_by(&mut self, method: SnapshotMethod) -> Verdict<ShownMap> {
        match method {
            SnapshotMethod::Players => {
                self.wait_until_idle();
                return self.map_of_players(None);
            }
            SnapshotMethod::Stay if !self.spectators.is_empty() => {
                self.wait_until_idle();
                return self.last_of_spectator();
            }
            SnapshotMethod::Leave => {
                self.spectators.last_mut().into_iter().for_each(|spectator| spectator.press('Q'));
            }
            SnapshotMethod::Replace | SnapshotMethod::Stay => {}
        }
        self.new_spectator()
    }

    /// Returns the map that the players see together. `newest` is the player that has seen the newest change.
    pub(crate) fn map_of_players(&mut self, newest: Option<&TestClient>) -> Verdict<ShownMap> {
        let sight = self.sight()?;
        let id = self.map_obstacle();
        let was_seen = self.player_views.last().is_some();
        self.player_views.compose(&sight, newest).ok_or_else(|| {
            let expected =
                "a spectator, or a player that is shown itself once as @, is sent the map";
            // A player that once saw itself may be hidden below another.
            let failure = if was_seen {
                CheckFailure::for_this_seed(expected, "none is any longer")
            } else {
                CheckFailure::retryable(expected, "none is")
            };
            failure.because_of(id)
        })
    }

    fn last_of_spectator(&mut self) -> Verdict<ShownMap> {
        self.spectator()?.last_display()
    }

    /// Lets a new spectator join; returns the map that it is sent.
    fn new_spectator(&mut self) -> Verdict<ShownMap> {
        let mut last = CheckFailure::retryable("", "");
        for _ in 0..self.max_asks() {
            let mut spectator = self.client("spectator")?;
            spectator.send(b"SPECTATE");
            if spectator.wait_for_prefix("DISPLAY").is_some() {
                let picture = spectator.last_display();
                self.spectators.push(spectator);
                let extra = self.spectators.len().saturating_sub(KEPT_SPECTATORS);
                self.spectators.drain(..extra);
                return picture;
            }
            let expected = "a new spectator is sent a DISPLAY of the whole map";
            let actual = spectator.describe_since(0);
            if self.server()?.observer.is_busy() {
                let actual = format!("{actual}; it still works on what it was sent before");
                return fail(expected, actual);
            }
            last = CheckFailure::retryable(expected, actual);
        }
        Err(last)
    }

    /// Returns when the server has handled everything that was sent before.
    pub(crate) fn fence(&mut self) -> Verdict {
        if self.capabilities().snapshots != Some(SnapshotMethod::Players) {
            return self.snapshot().map(|_| ());
        }
        self.wait_until_idle();
        if self.has_exited() {
            return Err(CheckFailure::retryable("the server keeps running", "it has exited"));
        }
        // Perhaps no player sees the map.
        let _ = self.map_of_players(None);
        Ok(())
    }

    /// Returns the last map that the spectator was sent, or that was combined from the players' views.
    pub(crate) fn last_snapshot(&mut self) -> Verdict<ShownMap> {
        if self.has_spectators() {
            return self.last_of_spectator();
        }
        match self.player_views.last() {
            Some(map) => Ok(map.clone()),
            None => self.snapshot(),
        }
    }

    /// The current spectator.
    pub(crate) fn spectator(&mut self) -> Verdict<&mut TestClient> {
        if self.spectators.is_empty() {
            self.ensure_spectators_are_sent_maps()?;
            self.new_spectator()?;
        }
        self.spectators.last_mut().ok_or_else(|| CheckFailure::retryable("a spectator", "none"))
    }

    /// Marks everything that the spectator has received as read, if there is one.
    pub(crate) fn skip_for_spectator(&mut self) -> Verdict {
        if self.has_spectators() {
            self.spectator()?.skip_received();
        }
        Ok(())
    }

    /// Waits until the server has handled everything that was sent before; returns the spectator that was current until
    /// then.
    pub(crate) fn fence_behind_spectator(&mut self) -> Verdict<&mut TestClient> {
        self.spectator()?;
        let index = self.spectators.len().min(KEPT_SPECTATORS - 1) - 1;
        self.spectators.drain(..self.spectators.len() - 1 - index);
        self.fence()?;
        Ok(&mut self.spectators[index])
    }

    /// Returns the current spectator, for a check that uses it as its own.
    pub(crate) fn take_spectator(&mut self) -> Verdict<TestClient> {
        self.spectator()?;
        self.spectators.pop().ok_or_else(|| CheckFailure::retryable("a spectator", "none"))
    }

    /// For checks that need a spectator to replace another, but are not about that.
    pub(crate) fn ensure_spectators_are_replaced(&self) -> Verdict {
        let method = self.capabilities().snapshots;
        let expected = "a new spectator replaces the one before, and is shown the map";
        let is_replaced = method == Some(SnapshotMethod::Players);
        let id = if is_replaced { "spectate.whole-map" } else { "spectate.replaced" };
        let works = method == Some(SnapshotMethod::Replace);
        ensure_for_check(works, expected, "it does not work", id)
    }

    fn max_asks(&self) -> u32 {
        if self.is_lossy() { MAX_ASKS } else { 1 }
    }
}
