//! `nuggets replay`: a small recording, and ones that are not as they should be. The page is tested in a browser.

use std::process::Command;

use nuggets_game::{Game, Letter, Map, Name, Rules, Seed, Setup, Stroke};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, RecordedEvent, Recording, RecordingEnd, Timestamp, Writer};
use nuggets_testkit::run_command;

use crate::maps::Scratch;
use crate::starting::NUGGETS;
use crate::transcripts;

const MAP: &[u8] = b"+-----+  +---+\n|.....####...|\n+-----+  |...|\n         +---+\n";

fn header() -> Header {
    let rules =
        Rules { nuggets: 9, min_piles: 2, max_piles: 2, max_players: 3, ..Rules::default() };
    let map = Map::parse(MAP).unwrap().map;
    Header { setup: Setup::new(map, rules, Seed::new(5), Dialect::V2021), port: 0 }
}

fn join(name: &str) -> RecordedEvent {
    RecordedEvent::Join { name: Name::new(name.as_bytes()).unwrap(), peer: None }
}

fn press(player: usize, key: u8) -> RecordedEvent {
    RecordedEvent::Press(Letter::nth(player).unwrap(), Stroke::from_key(key).unwrap())
}

/// Ann takes the pile on the left, Bob the one on the right; between them is a long pause.
fn happened() -> [(u64, RecordedEvent); 10] {
    [
        (500, join("Ann")),
        (900, RecordedEvent::Watch { peer: None }),
        (1_000, join("Bob")),
        (1_500, press(0, b'H')),
        (2_000, press(0, b'l')),
        (2_100, press(0, b'h')),
        (60_000, press(1, b'h')),
        (60_500, press(1, b'j')),
        (61_000, press(1, b'l')),
        (62_000, RecordedEvent::End(RecordingEnd::Over)),
    ]
}

/// The bytes of a recording whose state hashes are those of the game that `play` changes.
fn recorded(play: impl Fn(&mut Game, &RecordedEvent)) -> Vec<u8> {
    let header = header();
    let mut game = header.game().unwrap();
    let (mut writer, mut bytes) = Writer::new(&header, &game);
    for (ms, what) in happened() {
        play(&mut game, &what);
        writer.append(&Entry::new(Timestamp(ms), what), &game, &mut bytes);
    }
    bytes
}

pub(crate) fn good() -> Vec<u8> {
    recorded(|game, what| {
        what.input().into_iter().for_each(|input| game.apply(input, &mut vec![]));
    })
}

/// The offsets of the records in the good recording.
fn offsets() -> Vec<usize> {
    let recording = Recording::read(&good()).unwrap().recording;
    recording.records.iter().map(|record| record.offset).collect()
}

#[test]
fn a_transcript_of_good_and_bad_recordings() {
    let scratch = Scratch::new("replay");
    let file = |name: &str, bytes: &[u8]| drop(scratch.file(name, bytes));
    let damaged = |places: &[usize]| {
        let mut bytes = good();
        for place in places {
            bytes[*place] ^= 4;
        }
        bytes
    };
    file("game", &good());
    let record = offsets()[4];
    for (number, place) in (1..).zip([100, offsets()[0] - 100, record]) {
        file(&format!("flipped{number}"), &damaged(&[place]));
    }
    file("damaged", &damaged(&[record, record + 2]));
    file("truncated", &good()[..good().len() - 5]);
    file(
        "changed",
        &recorded(|game, what| {
            let input = what.input().filter(|_| *what != press(1, b'l'));
            if let Some(input) = input {
                game.apply(input, &mut vec![]);
            }
        }),
    );
    let mut rules = b"nuggets\n\x01\x00\xff\x00\x059.8.7".to_vec();
    rules.extend(crc32fast::hash(&rules).to_le_bytes());
    rules.extend(&good()[rules.len()..]);
    file("rules", &rules);
    transcripts::check("replay", &scratch.0);
}

#[test]
fn a_cast_is_written_without_long_pauses_or_with_them() {
    let scratch = Scratch::new("replay-cast");
    scratch.file("game", &good());
    let last_time = |words: &[&str]| {
        let mut command = Command::new(NUGGETS);
        command.args(["replay", "game", "--force", "--cast", "game.cast"]).args(words);
        assert!(run_command(command.current_dir(&scratch.0), b"").status.success());
        let cast = std::fs::read_to_string(scratch.0.join("game.cast")).unwrap();
        let head = r#"{"height":7,"title":"Nuggets: game","version":2,"width":60}"#;
        assert_eq!(cast.lines().next(), Some(head));
        let mut screen = vt100::Parser::default();
        screen.set_size(7.try_into().unwrap(), 60.try_into().unwrap());
        let mut last = 0.0;
        // The last line gives the cursor back, below the picture.
        for line in cast.lines().skip(1).filter(|line| !line.contains("?25h")) {
            let (at, kind, text): (f64, String, String) = serde_json::from_str(line).unwrap();
            assert!(at >= last && kind == "o", "{line}");
            last = at;
            screen.process(text.as_bytes());
        }
        (last, screen.screen().contents())
    };
    let (skipped, shown) = last_time(&[]);
    assert!((skipped - 5.1).abs() < 1e-9, "{skipped}");
    assert!(shown.contains("|A....####...|") && shown.contains("A 7 B 2"), "{shown}");
    let (whole, shown) = last_time(&["--no-skip", "--eyes", "A"]);
    assert!((whole - 62.0).abs() < 1e-9, "{whole}");
    assert!(shown.contains("|@....#") && !shown.contains('*'), "{shown}");
}
