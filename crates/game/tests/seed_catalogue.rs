//! The seed catalogue: the games of a few seeds on each shipped map. If it changes, every recorded
//! game changes. The file beside this test holds what it was; `cargo xtask bless` rewrites it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fmt::Write;
use std::sync::Arc;

use nuggets_game::{
    Game, Input, Letter, Name, Player, Point, Rng, Rules, Seed, Sight, SightRule, Stroke, Viewer,
    shipped,
};

const SEEDS: [i64; 3] = [1, 250, -7];
const PLAYERS: usize = 4;
const KEYS: usize = 300;

#[test]
fn the_seed_catalogue_has_not_changed() {
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
                let game = Game::with_sight(Arc::clone(&sight), Rules::default(), Seed::new(seed));
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

/// Presses random keys, with an RNG of its own, and hashes every picture of every client.
fn play(game: &mut Game, seed: i64) -> u64 {
    let mut rng = Rng::new(Seed::new(!seed));
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut picture = Vec::new();
    for _ in 0..KEYS {
        let player = Letter::nth(rng.index(PLAYERS)).unwrap();
        let key = b"hjklyubnHJKLYUBN"[rng.index(16)];
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
