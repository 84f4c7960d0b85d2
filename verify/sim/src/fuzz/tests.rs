//! The targets without a fuzzer: on the corpus, and on random mutations of it.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use nuggets_game::{Rng, Seed};

use crate::fuzz::{ALL, FuzzTarget, map_file, recording, room, server_message};

/// Random inputs for each target.
const RANDOM_INPUTS: usize = 600;
const MAX_INPUT_BYTES: usize = 300;
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");

/// Reads the corpus of a target, ordered by file name. Files found by a local fuzzer, with names of 40 digits, are
/// left out.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = fs::read_dir(Path::new(CORPUS).join(target)).unwrap();
    let mut paths: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.len() < 40));
    paths.sort();
    assert!(!paths.is_empty(), "{target} has no corpus");
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Calls a target; a panic names the input that caused it.
fn call(target: &str, target_fn: FuzzTarget, input: &[u8]) {
    let outcome = catch_unwind(|| target_fn(input));
    assert!(outcome.is_ok(), "{target} fails on b\"{}\"", input.escape_ascii());
}

fn random_bytes(rng: &mut Rng) -> Vec<u8> {
    (0..rng.index(MAX_INPUT_BYTES)).map(|_| random_byte(rng)).collect()
}

fn random_byte(rng: &mut Rng) -> u8 {
    u8::try_from(rng.below(256)).unwrap()
}

/// Returns the input with a few changes: bytes changed, removed, inserted, or copied from another input.
fn mutated(input: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=rng.index(4) {
        let from = rng.index(bytes.len() + 1);
        let to = (from + rng.index(8)).min(bytes.len());
        let put: Vec<u8> = match rng.below(4) {
            0 => vec![],
            1 => (from..to).map(|_| random_byte(rng)).collect(),
            2 => random_bytes(rng).into_iter().take(8).collect(),
            _ => other.iter().copied().skip(rng.index(other.len() + 1)).take(16).collect(),
        };
        bytes.splice(from..to, put);
    }
    bytes
}

#[test]
fn no_target_fails_on_the_corpus() {
    for (target, target_fn) in ALL {
        for input in corpus(target) {
            call(target, target_fn, &input);
        }
    }
}

#[test]
fn no_target_fails_on_random_inputs() {
    for (target, target_fn) in ALL {
        let corpus = corpus(target);
        let mut rng = Rng::new(Seed::new(5));
        for number in 0..RANDOM_INPUTS {
            let input = if number % 4 == 0 {
                random_bytes(&mut rng)
            } else {
                let one = rng.index(corpus.len());
                let other = rng.index(corpus.len());
                mutated(&corpus[one], &corpus[other], &mut rng)
            };
            call(target, target_fn, &input);
        }
    }
}

/// A corpus of invalid inputs only would test little.
#[test]
fn the_corpus_has_valid_inputs() {
    let reached = |target: &str, depth: fn(&[u8]) -> usize| {
        corpus(target).iter().map(|input| depth(input)).sum::<usize>()
    };
    assert!(reached("map_file", |input| map_file::is_valid(input).into()) >= 3);
    assert!(reached("server_message", server_message::pictures) >= 10);
    assert!(reached("recording", recording::played) >= 100);
    assert!(reached("room", |input| room::sent(input).len()) >= 1000);
}

#[test]
fn the_rooms_in_the_corpus_send_every_kind_of_message() {
    let mut missing = vec![
        "OK A",
        "OK Z",
        "GRID",
        "GOLD 0 0",
        "GOLD 1 1 ",
        "DISPLAY",
        "ERROR",
        "NO",
        "NO ",
        "QUIT Game is full",
        "QUIT Sorry",
        "NO Sorry",
        "QUIT Thanks for playing!",
        "QUIT Thanks for watching!",
        "QUIT You have been replaced",
        "QUIT You have left",
        "NO You have left",
        "QUIT You have no steps left",
        "NO You have no steps left",
        "QUIT GAME OVER:\nA",
        "GAMEOVER\nA",
        "ERROR House rules: ",
        "NO House rules: ",
        "ERROR N steps left",
        "QUIT Too many are joining",
        "QUIT No more players may join from your address",
    ];
    for message in corpus("room").iter().flat_map(|input| room::sent(input)) {
        let text = String::from_utf8_lossy(&message);
        let is_wanted = |wanted: &str| match wanted {
            "NO" => text == wanted,
            "ERROR N steps left" => text.starts_with("ERROR ") && text.ends_with(" steps left"),
            _ => text.starts_with(wanted),
        };
        missing.retain(|wanted| !is_wanted(wanted));
    }
    assert_eq!(missing, [""; 0]);
}
