//! Scripted games: what a handful of people say, found out by playing with a server without fault.

use nuggets_game::{Chance, Letter, Player, Point, Seed};
use nuggets_protocol::Dialect;

use super::{mutant, peer};
use crate::fault::Fault;
use crate::mutant::{After, Mutant};
use crate::steps::find_way;

/// Who says what, in which game. People are called by their ports.
pub(super) struct Script {
    pub(super) dialect: Dialect,
    pub(super) map: &'static str,
    pub(super) seed: i64,
    pub(super) lines: Vec<(u16, Vec<u8>)>,
}

const ANN: u16 = 1;
const BEN: u16 = 2;
const CAT: u16 = 3;
const SPY: u16 = 100;
const SPY_TOO: u16 = 101;
const STRANGER: u16 = 200;

/// Games that show every rule somewhere.
pub(super) fn scripts(dialect: Dialect) -> Vec<Script> {
    let mut scripts = vec![talk(dialect), rudeness(dialect)];
    let games = (1..).zip(["main", "edges", "hall"]);
    scripts.extend(games.map(|(seed, map)| game(dialect, map, seed)));
    scripts.push(haste(dialect));
    scripts
}

/// A key held down for long.
fn haste(dialect: Dialect) -> Script {
    let mut pen = Pen::new(dialect, "main", 9);
    pen.say(ANN, "PLAY Ann");
    for _ in 0..1001 {
        pen.press(ANN, b'h');
    }
    pen.script
}

/// A script that is written by playing it.
struct Pen {
    mutant: Mutant,
    chance: Chance,
    script: Script,
    is_over: bool,
}

impl Pen {
    fn new(dialect: Dialect, map: &'static str, seed: i64) -> Self {
        Self {
            mutant: mutant(Fault::None, dialect, map, seed),
            chance: Chance::new(Seed::new(seed)),
            script: Script { dialect, map, seed, lines: vec![] },
            is_over: false,
        }
    }

    fn say(&mut self, who: u16, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.script.lines.push((who, bytes.to_vec()));
        self.is_over = self.mutant.hear(peer(who), bytes).1 == After::Over;
    }

    fn press(&mut self, who: u16, key: u8) {
        self.say(who, [b"KEY ", &[key][..]].concat());
    }

    fn spot(&self, who: u16) -> Option<Point> {
        let letter = self.mutant.seats.letter(peer(who))?;
        self.mutant.room.game().player(letter).at()
    }

    /// Goes there, onto whatever is there.
    fn walk(&mut self, who: u16, to: Point) {
        let way = self.spot(who).and_then(|at| find_way(&self.mutant, at, to));
        for key in way.unwrap_or_default() {
            self.press(who, key);
        }
    }

    fn wander(&mut self, who: u16, keys: usize) {
        for _ in 0..keys {
            let keys = b"hjklyubnHJKLYUBN";
            let key = keys[self.chance.index(keys.len())];
            self.press(who, key);
        }
    }

    /// The nearest pile, as the crow flies.
    fn pile(&self, who: u16) -> Option<Point> {
        let at = self.spot(who)?;
        let far = |pile: &Point| pile.row.abs_diff(at.row).max(pile.col.abs_diff(at.col));
        self.mutant.room.game().piles().map(|(pile, _)| pile).min_by_key(far)
    }
}

/// Everything well-formed about joining, watching and leaving.
fn talk(dialect: Dialect) -> Script {
    let mut pen = Pen::new(dialect, "main", 7);
    for (who, line) in [
        (SPY, &b"SPECTATE"[..]),
        (ANN, b"PLAY Ann Onymous"),
        (ANN, b"PLAY Ann Onymous"),
        (ANN, b"PLAY Zoe"),
        (BEN, b"PLAY Ben\x01\xff"),
        (SPY_TOO, b"SPECTATE"),
        (SPY_TOO, b"SPECTATE"),
        (STRANGER, b"PLAY "),
        (STRANGER, b"PLAY  \t "),
        (STRANGER, b"KEY l"),
        (SPY_TOO, b"KEY l"),
        (SPY_TOO, b"KEY L"),
        (SPY, b"KEY Q"),
        (ANN, b"KEY x"),
        (ANN, b"KEY q"),
        (BEN, b"KEY Q"),
        (BEN, b"KEY h"),
        (SPY_TOO, b"SPECTATE"),
        (BEN, b"PLAY Ben"),
        (BEN, b"KEY Q"),
    ] {
        pen.say(who, line);
    }
    for who in 3..=26 {
        pen.say(who, format!("PLAY {who} {}", "long ".repeat(12)));
    }
    for who in 300..315 {
        pen.say(who, "PLAY Too Late");
    }
    for line in ["PLAY Late", "SPECTATE", "KEY Q"] {
        pen.say(STRANGER, line);
    }
    for who in (1..=26).filter(|who| *who != BEN) {
        pen.wander(who, 3);
        pen.press(who, b'Q');
    }
    pen.script
}

/// Everything malformed.
fn rudeness(dialect: Dialect) -> Script {
    let mut pen = Pen::new(dialect, "hole", 3);
    for line in [&b"PLAY Ann\n"[..], b"play Ann", b" PLAY Ann", b"SPECTATE please", b"PLAY Ann"] {
        pen.say(ANN, line);
    }
    let huge = vec![b'x'; 2000];
    for key in *b"hjklyubn" {
        let key = &[key][..];
        let (twice, newline, nul) =
            ([key, key].concat(), [key, b"\n"].concat(), [key, b"\0"].concat());
        for line in [
            [b"KEY ", &*twice].concat(),
            [b"KEY ", &*newline].concat(),
            [b"KEY ", &*nul].concat(),
            [b"key ", key].concat(),
            [b"KEY", key].concat(),
            [b" KEY ", key].concat(),
        ] {
            pen.say(ANN, line);
        }
    }
    for line in
        [&b""[..], b"PLAY", b"KEY", b"KEY ", b"\0", b"\xff\xfe", b"HELLO", b"spectate", &huge]
    {
        pen.say(ANN, line);
    }
    for line in [&b"GOLD 5 5 5"[..], b"QUIT now", b"KEY %n", b"%s"] {
        pen.say(ANN, line);
    }
    pen.say(STRANGER, "PLAYBob");
    pen.say(BEN, "PLAY Ann");
    pen.say(CAT, [b"PLAY ", &*huge, b"x"].concat());
    for who in [ANN, BEN, CAT] {
        pen.press(who, b'Q');
    }
    for _ in 0..100 {
        pen.say(STRANGER, "FLOOD");
    }
    pen.say(ANN, "PLAY %s");
    pen.script
}

/// A whole game: two who meet, one who quits halfway, one who joins then, one who watches and stops
/// watching.
fn game(dialect: Dialect, map: &'static str, seed: i64) -> Script {
    let mut pen = Pen::new(dialect, map, seed);
    pen.say(ANN, "PLAY Ann");
    pen.say(BEN, "PLAY Ben");
    pen.say(SPY, "SPECTATE");
    for _ in 0..4 {
        for (who, other) in [(ANN, BEN), (BEN, ANN)] {
            pen.wander(who, 20);
            for _ in 0..2 {
                if let Some(to) = pen.spot(other) {
                    pen.walk(who, to);
                }
            }
            if let Some(pile) = pen.pile(who).filter(|_| who == BEN) {
                pen.walk(who, pile);
                sprint_over_a_player(&mut pen, who);
            }
        }
    }
    touch_the_edges(&mut pen);
    pen.press(BEN, b'Q');
    pen.say(CAT, "PLAY Cat");
    pen.say(SPY, "KEY Q");
    pen.say(SPY_TOO, "SPECTATE");
    for _ in 0..40 {
        let Some(pile) = pen.pile(ANN).filter(|_| !pen.is_over) else { break };
        pen.walk(ANN, pile);
        if pen.mutant.room.game().piles().count() > 3 {
            pen.wander(ANN, 5);
        }
    }
    pen.script
}

fn sprint_over_a_player(pen: &mut Pen, who: u16) {
    let letters = pen.mutant.room.game().players().iter().map(Player::letter);
    let others: Vec<Letter> = letters.collect();
    for letter in others {
        let Some(at) = pen.mutant.room.game().player(letter).at() else { continue };
        let beside = pen.mutant.map.spot_beside(at, nuggets_game::Direction::Left);
        if let Some(beside) = beside {
            pen.walk(who, beside);
            pen.press(who, b'L');
        }
    }
}

/// Steps off the map wherever a spot is at its edge.
fn touch_the_edges(pen: &mut Pen) {
    let (rows, cols) = (pen.mutant.map.rows(), pen.mutant.map.cols());
    let spots = pen.mutant.map.spots();
    let edge = spots.into_iter().filter(|at| at.row % (rows - 1) == 0 || at.col % (cols - 1) == 0);
    for at in edge.step_by(3).collect::<Vec<_>>() {
        pen.walk(ANN, at);
        for key in *b"hjkl" {
            pen.press(ANN, key);
        }
    }
}
