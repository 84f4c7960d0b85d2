//! Scripted games: the messages of a few clients, found by playing with a server without fault.

use nuggets_game::{Direction, Letter, Player, Point, Rng, Seed};
use nuggets_protocol::Dialect;

use super::{mutant, peer};
use crate::fault::Fault;
use crate::movement::find_path;
use crate::mutant::{AfterMessage, Mutant};

/// The messages of a game, each with the number of its client.
pub(super) struct Script {
    pub(super) dialect: Dialect,
    pub(super) map: &'static str,
    pub(super) seed: i64,
    pub(super) messages: Vec<(u16, Vec<u8>)>,
}

const ANN: u16 = 1;
const BEN: u16 = 2;
const CAT: u16 = 3;
const SPECTATOR: u16 = 100;
const SECOND_SPECTATOR: u16 = 101;
const UNKNOWN: u16 = 200;

/// Games that use every rule.
pub(super) fn scripts(dialect: Dialect) -> Vec<Script> {
    let mut scripts = vec![well_formed(dialect), malformed(dialect)];
    let games = (1..).zip(["main", "edges", "hall"]);
    scripts.extend(games.map(|(seed, map)| game(dialect, map, seed)));
    scripts.push(many_keys(dialect));
    scripts
}

/// A key held down.
fn many_keys(dialect: Dialect) -> Script {
    let mut writer = Writer::new(dialect, "main", 9);
    writer.send(ANN, "PLAY Ann");
    for _ in 0..1001 {
        writer.press(ANN, b'h');
    }
    writer.script
}

/// Writes a script by playing it.
struct Writer {
    mutant: Mutant,
    rng: Rng,
    script: Script,
    is_over: bool,
}

impl Writer {
    fn new(dialect: Dialect, map: &'static str, seed: i64) -> Self {
        Self {
            mutant: mutant(Fault::None, dialect, map, seed),
            rng: Rng::new(Seed::new(seed)),
            script: Script { dialect, map, seed, messages: vec![] },
            is_over: false,
        }
    }

    fn send(&mut self, client: u16, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.script.messages.push((client, bytes.to_vec()));
        self.is_over = self.mutant.handle_message(peer(client), bytes).1 == AfterMessage::GameOver;
    }

    fn press(&mut self, client: u16, key: u8) {
        self.send(client, [b"KEY ", &[key][..]].concat());
    }

    fn spot(&self, client: u16) -> Option<Point> {
        let letter = self.mutant.seats.letter(peer(client))?;
        self.mutant.room.game().player(letter).at()
    }

    /// Walks to a spot.
    fn walk(&mut self, client: u16, to: Point) {
        let path = self.spot(client).and_then(|at| find_path(&self.mutant, at, to));
        for key in path.unwrap_or_default() {
            self.press(client, key);
        }
    }

    fn press_random(&mut self, client: u16, keys: usize) {
        for _ in 0..keys {
            let keys = b"hjklyubnHJKLYUBN";
            let key = keys[self.rng.index(keys.len())];
            self.press(client, key);
        }
    }

    /// The nearest pile by distance.
    fn nearest_pile(&self, client: u16) -> Option<Point> {
        let at = self.spot(client)?;
        let far = |pile: &Point| pile.row.abs_diff(at.row).max(pile.col.abs_diff(at.col));
        self.mutant.room.game().piles().map(|(pile, _)| pile).min_by_key(far)
    }
}

/// Well-formed messages about joining, spectating and quitting.
fn well_formed(dialect: Dialect) -> Script {
    let mut writer = Writer::new(dialect, "main", 7);
    for (client, line) in [
        (SPECTATOR, &b"SPECTATE"[..]),
        (ANN, b"PLAY Ann Onymous"),
        (ANN, b"PLAY Ann Onymous"),
        (ANN, b"PLAY Zoe"),
        (BEN, b"PLAY Ben\x01\xff"),
        (SECOND_SPECTATOR, b"SPECTATE"),
        (SECOND_SPECTATOR, b"SPECTATE"),
        (UNKNOWN, b"PLAY "),
        (UNKNOWN, b"PLAY  \t "),
        (UNKNOWN, b"KEY l"),
        (SECOND_SPECTATOR, b"KEY l"),
        (SECOND_SPECTATOR, b"KEY L"),
        (SPECTATOR, b"KEY Q"),
        (ANN, b"KEY x"),
        (ANN, b"KEY q"),
        (BEN, b"KEY Q"),
        (BEN, b"KEY h"),
        (SECOND_SPECTATOR, b"SPECTATE"),
        (BEN, b"PLAY Ben"),
        (BEN, b"KEY Q"),
    ] {
        writer.send(client, line);
    }
    for client in 3..=26 {
        writer.send(client, format!("PLAY {client} {}", "long ".repeat(12)));
    }
    for client in 300..315 {
        writer.send(client, "PLAY Too Late");
    }
    for line in ["PLAY Late", "SPECTATE", "KEY Q"] {
        writer.send(UNKNOWN, line);
    }
    for client in (1..=26).filter(|client| *client != BEN) {
        writer.press_random(client, 3);
        writer.press(client, b'Q');
    }
    writer.script
}

/// Malformed messages.
fn malformed(dialect: Dialect) -> Script {
    let mut writer = Writer::new(dialect, "hole", 3);
    for line in [&b"PLAY Ann\n"[..], b"play Ann", b" PLAY Ann", b"SPECTATE please", b"PLAY Ann"] {
        writer.send(ANN, line);
    }
    let huge = vec![b'x'; 2000];
    for key in *b"hjklyubn" {
        let key = &[key][..];
        for line in [
            [&b"KEY "[..], key, key].concat(),
            [&b"KEY "[..], key, b"\n"].concat(),
            [&b"KEY "[..], key, b"\0"].concat(),
            [&b"key "[..], key].concat(),
            [&b"KEY"[..], key].concat(),
            [&b" KEY "[..], key].concat(),
        ] {
            writer.send(ANN, line);
        }
    }
    for line in
        [&b""[..], b"PLAY", b"KEY", b"KEY ", b"\0", b"\xff\xfe", b"HELLO", b"spectate", &huge]
    {
        writer.send(ANN, line);
    }
    for line in [&b"GOLD 5 5 5"[..], b"QUIT now", b"KEY %n", b"%s"] {
        writer.send(ANN, line);
    }
    writer.send(UNKNOWN, "PLAYBob");
    writer.send(BEN, "PLAY Ann");
    writer.send(CAT, [b"PLAY ", &*huge, b"x"].concat());
    for client in [ANN, BEN, CAT] {
        writer.press(client, b'Q');
    }
    for _ in 0..100 {
        writer.send(UNKNOWN, "FLOOD");
    }
    writer.send(ANN, "PLAY %s");
    writer.script
}

/// A whole game: two players meet, one quits halfway, another joins then; a spectator quits and another joins.
fn game(dialect: Dialect, map: &'static str, seed: i64) -> Script {
    let mut writer = Writer::new(dialect, map, seed);
    writer.send(ANN, "PLAY Ann");
    writer.send(BEN, "PLAY Ben");
    writer.send(SPECTATOR, "SPECTATE");
    for _ in 0..4 {
        for (client, other) in [(ANN, BEN), (BEN, ANN)] {
            writer.press_random(client, 20);
            for _ in 0..2 {
                if let Some(to) = writer.spot(other) {
                    writer.walk(client, to);
                }
            }
            if let Some(pile) = writer.nearest_pile(client).filter(|_| client == BEN) {
                writer.walk(client, pile);
                sprint_over_a_player(&mut writer, client);
            }
        }
    }
    step_off_the_edges(&mut writer);
    writer.press(BEN, b'Q');
    writer.send(CAT, "PLAY Cat");
    writer.send(SPECTATOR, "KEY Q");
    writer.send(SECOND_SPECTATOR, "SPECTATE");
    for _ in 0..40 {
        let Some(pile) = writer.nearest_pile(ANN).filter(|_| !writer.is_over) else { break };
        writer.walk(ANN, pile);
        if writer.mutant.room.game().piles().count() > 3 {
            writer.press_random(ANN, 5);
        }
    }
    writer.script
}

fn sprint_over_a_player(writer: &mut Writer, client: u16) {
    let letters = writer.mutant.room.game().players().iter().map(Player::letter);
    for letter in letters.collect::<Vec<Letter>>() {
        let Some(at) = writer.mutant.room.game().player(letter).at() else { continue };
        let beside = writer.mutant.map.spot_beside(at, Direction::Left);
        if let Some(beside) = beside {
            writer.walk(client, beside);
            writer.press(client, b'L');
        }
    }
}

/// Steps off the map from spots at its edge.
fn step_off_the_edges(writer: &mut Writer) {
    let rows = writer.mutant.map.rows();
    let cols = writer.mutant.map.cols();
    let spots = writer.mutant.map.spots();
    let edge = spots.into_iter().filter(|at| at.row % (rows - 1) == 0 || at.col % (cols - 1) == 0);
    for at in edge.step_by(3).collect::<Vec<_>>() {
        writer.walk(ANN, at);
        for key in *b"hjkl" {
            writer.press(ANN, key);
        }
    }
}
