//! What a few seeds contain on each shipped map. If this changes, every recorded game changes:
//! the file beside this test says what it was. `cargo xtask bless` writes it anew.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::fmt::Write;
use std::sync::Arc;

use nuggets_game::{
    Chance, Game, Input, Letter, Name, Player, Point, Rules, Seed, Sight, SightRule, Stroke,
    Viewer, shipped,
};

const SEEDS: [i64; 3] = [1, 250, -7];
const PLAYERS: usize = 4;
const KEYS: usize = 300;

#[test]
fn seeds_contain_what_they_always_did() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seed_catalogue.txt");
    let found = catalogue();
    if std::env::var_os("NUGGETS_BLESS").is_some() {
        std::fs::write(file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(file).unwrap();
    assert_eq!(found, expected, "see the top of this file");
}

fn catalogue() -> String {
    let mut text = String::new();
    for shipped in shipped::ALL {
        for rule in [SightRule::DarkPassages, SightRule::StraightPassages] {
            let sight = Arc::new(Sight::new(shipped.map(), rule));
            for seed in SEEDS {
                let game = Game::new(Arc::clone(&sight), Rules::default(), Seed::new(seed));
                writeln!(text, "{} {rule:?} seed {seed}", shipped.name).unwrap();
                describe(game.unwrap(), seed, &mut text);
            }
        }
    }
    text
}

fn describe(mut game: Game, seed: i64, text: &mut String) {
    let place = |at: Point| format!("{},{}", at.row, at.col);
    let piles: Vec<String> = game.piles().map(|(at, n)| format!("{}={n}", place(at))).collect();
    writeln!(text, "  {} piles: {}", piles.len(), piles.join(" ")).unwrap();
    for player in 0..PLAYERS {
        let name = Name::new(format!("player {player}").as_bytes()).unwrap();
        game.apply(Input::Join(name), &mut vec![]);
    }
    let starts: Vec<String> = game.players().iter().filter_map(Player::at).map(place).collect();
    writeln!(text, "  players: {}", starts.join(" ")).unwrap();

    let shown = play(&mut game, seed);
    let purses: Vec<u32> = game.players().iter().map(Player::purse).collect();
    writeln!(text, "  after {KEYS} keys: purses {purses:?}, pictures {shown:016x}").unwrap();
}

/// Presses keys by a chance of its own and adds up every picture that anybody is shown.
fn play(game: &mut Game, seed: i64) -> u64 {
    let mut chance = Chance::new(Seed::new(!seed));
    let (mut hash, mut picture) = (0xcbf2_9ce4_8422_2325, Vec::new());
    for _ in 0..KEYS {
        let player = Letter::nth(chance.index(PLAYERS)).unwrap();
        let key = b"hjklyubnHJKLYUBN"[chance.index(16)];
        game.apply(Input::Press(player, Stroke::from_key(key).unwrap()), &mut vec![]);
        picture.clear();
        for letter in (0..PLAYERS).filter_map(Letter::nth) {
            game.view(Viewer::Player(letter)).write_to(&mut picture);
        }
        game.view(Viewer::Spectator).write_to(&mut picture);
        hash = fnv1a(hash, &picture);
    }
    hash
}

fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
