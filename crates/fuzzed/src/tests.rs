//! The targets without a fuzzer: on the corpus, and on inputs made from it by chance.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use nuggets_game::{Chance, Seed};

use crate::{ALL, Body, map_file, recording, room, server_message};

/// Inputs by chance for each target.
const BY_CHANCE: usize = 600;
/// A fuzzer begins with short inputs, too.
const LONGEST: usize = 300;
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");

/// The corpus of a target, always in the same order. What a fuzzer found on this machine, under names
/// of 40 digits, is left out.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = fs::read_dir(Path::new(CORPUS).join(target)).unwrap();
    let mut paths: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.len() < 40));
    paths.sort();
    assert!(!paths.is_empty(), "{target} has no corpus");
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Calls a body; a panic names the input that caused it.
fn call(target: &str, body: Body, input: &[u8]) {
    let outcome = catch_unwind(|| body(input));
    assert!(outcome.is_ok(), "{target} fails on b\"{}\"", input.escape_ascii());
}

/// Bytes that nobody has chosen.
fn any_bytes(chance: &mut Chance) -> Vec<u8> {
    (0..chance.index(LONGEST)).map(|_| any_byte(chance)).collect()
}

fn any_byte(chance: &mut Chance) -> u8 {
    u8::try_from(chance.below(256)).unwrap()
}

/// The same with a few changes: bytes changed, cut out, put in, or taken from another.
fn mutated(input: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=chance.index(4) {
        let from = chance.index(bytes.len() + 1);
        let to = (from + chance.index(8)).min(bytes.len());
        let put: Vec<u8> = match chance.below(4) {
            0 => vec![],
            1 => (from..to).map(|_| any_byte(chance)).collect(),
            2 => any_bytes(chance).into_iter().take(8).collect(),
            _ => other.iter().copied().skip(chance.index(other.len() + 1)).take(16).collect(),
        };
        bytes.splice(from..to, put);
    }
    bytes
}

#[test]
fn nothing_in_the_corpus_makes_a_target_fail() {
    for (target, body) in ALL {
        for input in corpus(target) {
            call(target, body, &input);
        }
    }
}

#[test]
fn nothing_drawn_by_chance_makes_a_target_fail() {
    for (target, body) in ALL {
        let (corpus, mut chance) = (corpus(target), Chance::new(Seed::new(5)));
        for number in 0..BY_CHANCE {
            let input = if number % 4 == 0 {
                any_bytes(&mut chance)
            } else {
                let (one, other) = (chance.index(corpus.len()), chance.index(corpus.len()));
                mutated(&corpus[one], &corpus[other], &mut chance)
            };
            call(target, body, &input);
        }
    }
}

/// A corpus that nothing understands would test nothing.
#[test]
fn the_corpus_goes_deep() {
    let deep = |target: &str, reached: fn(&[u8]) -> usize| {
        corpus(target).iter().map(|input| reached(input)).sum::<usize>()
    };
    assert!(deep("map_file", |input| map_file::is_valid(input).into()) >= 3);
    assert!(deep("server_message", server_message::pictures) >= 10);
    assert!(deep("recording", recording::played) >= 100);
    assert!(deep("room", |input| room::sent(input).len()) >= 1000);
}

#[test]
fn the_rooms_in_the_corpus_say_everything() {
    let sent: Vec<Vec<u8>> = corpus("room").iter().flat_map(|input| room::sent(input)).collect();
    for wanted in [
        "OK A",
        "OK D",
        "GRID",
        "GOLD 0 0",
        "DISPLAY",
        "ERROR",
        "NO",
        "QUIT Game is full",
        "QUIT Thanks for playing!",
        "QUIT Thanks for watching!",
        "QUIT You have been replaced",
        "QUIT You have left",
        "QUIT GAME OVER:\nA",
        "GAMEOVER\nA",
        "ERROR House rules: ",
        "QUIT Too many are joining",
        "QUIT No more players may join from your address",
    ] {
        let is_met = sent.iter().any(|message| message.starts_with(wanted.as_bytes()));
        assert!(is_met, "{wanted:?} is never sent");
    }
}
