//! `nuggets replay`: whole outputs of a small recording, and of ones that are not as they should be.

use std::path::Path;
use std::process::Command;

use nuggets_game::{Game, Letter, Map, Name, Rules, Seed, Setup, Stroke};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, RecordedEvent, Recording, RecordingEnd, Timestamp, Writer};
use nuggets_testkit::{ProcessEnd, run_command};
use serde_json::{Value, json};

use crate::maps::Scratch;
use crate::starting::NUGGETS;

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

fn replay_in(folder: &Path, words: &str) -> ProcessEnd {
    let words = words.split(' ').filter(|word| !word.is_empty());
    let mut command = Command::new(NUGGETS);
    run_command(command.arg("replay").args(words).current_dir(folder), b"")
}

/// Replays these bytes with these arguments: exit code, stdout and stderr.
fn replay(test: &str, bytes: &[u8], words: &str) -> (Option<i32>, String, String) {
    let scratch = Scratch::new(&format!("replay-{test}"));
    scratch.file("game", bytes);
    let ended = replay_in(&scratch.0, &format!("game {words}"));
    (ended.code(), ended.stdout, ended.stderr)
}

/// Expects this exit code, stdout and stderr.
fn check(test: &str, bytes: &[u8], words: &str, (code, stdout, stderr): (i32, &str, &str)) {
    let ended = replay(test, bytes, words);
    assert_eq!(ended, (Some(code), stdout.to_owned(), stderr.to_owned()), "{words}");
}

const LAST_PICTURE: &str = "\
01:02  spectator  0 left, the game is over
+-----+  +---+
|A....####...|
+-----+  |..B|
         +---+
A          7 Ann
B          2 Bob
";

#[test]
fn without_a_terminal_the_last_picture_and_the_purses_are_printed() {
    check("plain", &good(), "", (0, LAST_PICTURE, ""));
    let as_ann = "\
01:02  as A  0 left, the game is over
+-----+
|@....#
+-----+

A          7 Ann
B          2 Bob
";
    check("plain-eyes", &good(), "--eyes a", (0, as_ann, ""));
}

#[test]
fn a_good_recording_is_verified() {
    let good_report =
        "good: 10 records, all 2 states as recorded; 2 players, 01:02, the game is over\n";
    check("good", &good(), "--verify", (0, good_report, ""));
}

#[test]
fn the_first_bad_record_is_named() {
    // Its checksums are right, but its last state is that of another game.
    let changed = recorded(|game, what| {
        let input = what.input().filter(|_| *what != press(1, b'l'));
        if let Some(input) = input {
            game.apply(input, &mut vec![]);
        }
    });
    let end = offsets()[9];
    let why = format!(
        "error: can't replay 'game': record 10 (at byte {end}) is bad: the state of the game \
         differs from the recorded one: one of the records since number 1 was changed, or this version \
         of Nuggets plays by other rules. Use another copy of the file\n"
    );
    for words in ["--verify", "--json", "--svg x.svg", "--cast x.cast", "--html", ""] {
        check("changed", &changed, words, (1, "", &why));
    }
}

#[test]
fn one_flipped_bit_is_repaired_with_a_warning() {
    for place in [100, offsets()[0] - 100, offsets()[4]] {
        let mut damaged = good();
        damaged[place] ^= 4;
        let (code, stdout, stderr) = replay("flipped", &damaged, "--verify");
        assert_eq!((code, stdout.starts_with("good: 10 records")), (Some(0), true), "{stderr}");
        assert!(stderr.starts_with("warning: 'game' is damaged at byte "), "{stderr}");
        assert!(stderr.contains("nothing is lost"), "{stderr}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_endless_file_is_rejected_at_once() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 400000 && exec \"$0\" replay /dev/zero", NUGGETS]);
    let ended = run_command(&mut shell, b"");
    let why = ended.stderr;
    assert_eq!(ended.status.code(), Some(1), "{why}");
    assert!(why.contains("this is not a Nuggets recording"), "{why}");
}

#[test]
fn damage_is_rejected_with_its_position() {
    let mut damaged = good();
    let record = offsets()[4];
    damaged[record] ^= 4;
    damaged[record + 2] ^= 4;
    for words in ["", "--verify", "--json"] {
        let (code, stdout, stderr) = replay("damaged", &damaged, words);
        assert_eq!((code, stdout.as_str()), (Some(1), ""));
        let start = format!(
            "error: can't replay 'game': the recording is damaged at byte {record} (record 5)"
        );
        assert!(stderr.starts_with(&start), "{stderr}");
        assert!(stderr.contains("Use another copy of the file"), "{stderr}");
    }
}

#[test]
fn a_truncated_recording_is_a_warning_but_fails_verification() {
    let bytes = good();
    let last = offsets()[9];
    let truncated = &bytes[..bytes.len() - 5];
    let left = truncated.len() - last;
    let warning = format!(
        "warning: 'game' is truncated: record 10 (at byte {last}) is bad: the record is incomplete. The last \
         {left} bytes are ignored\n"
    );
    let picture =
        LAST_PICTURE.replace("01:02", "01:01").replace("the game is over", "it has no end");
    check("truncated", truncated, "", (0, &picture, &warning));
    let error = format!(
        "error: 'game' is incomplete: record 10 (at byte {last}) is bad: the record is incomplete, and \
         the last {left} bytes hold no good record. All records before it are as recorded. Use another \
         copy of the file, or replay the good part\n"
    );
    check("truncated-verify", truncated, "--verify", (1, "", &error));
}

/// The error names the version that wrote the recording, with every option.
#[test]
fn a_recording_of_other_rules_is_rejected() {
    let mut bytes = b"nuggets\n\x01\x00\xff\x00\x059.8.7".to_vec();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(&good()[bytes.len()..]);
    let ours = env!("CARGO_PKG_VERSION");
    let rules = nuggets_record::RULES_VERSION;
    let rejection = format!(
        "error: can't replay 'game': this recording was written by Nuggets 9.8.7 under rules 255; this is \
         Nuggets {ours} with rules {rules}, under which the same keys give another game: replay it with \
         Nuggets 9.8.7\n"
    );
    for words in ["", "--verify", "--json", "--svg x.svg", "--cast x.cast"] {
        check("rules", &bytes, words, (1, "", &rejection));
    }
}

#[test]
fn a_file_that_is_no_recording_is_rejected() {
    let no = "error: can't replay 'game': this is not a Nuggets recording: it doesn't begin like one. Give a \
              file that was written with server --record\n";
    check("none", b"hello, world", "", (1, "", no));
    let empty = "error: can't replay 'game': the file is empty: it holds no recording. Give a file that was \
                 written with server --record\n";
    check("empty", b"", "--verify", (1, "", empty));
    let ended = replay_in(&std::env::temp_dir(), "no-such-recording");
    assert_eq!(
        ended.stderr,
        "error: can't read the recording 'no-such-recording': No such file or directory (os error 2). \
         Give the path of a file that a server recorded\n"
    );
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn wrong_usage_is_rejected() {
    let missing = "error: there is no player C in this recording: it has 2 players. Give --eyes one of \
                  their letters, or spectator\n";
    check("missing", &good(), "--eyes C", (2, "", missing));
    for words in [
        "--eyes 7",
        "--eyes Ann",
        "--verify --json",
        "--no-skip",
        "--speed 2",
        "--html --json",
        "-o x.html",
    ] {
        let (code, stdout, stderr) = replay("usage", &good(), words);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{words}");
        assert!(stderr.starts_with("error: "), "{stderr}");
    }
}

#[test]
fn statistics_are_printed_as_json() {
    let (code, stdout, stderr) = replay("json", &good(), "--json");
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&stdout).unwrap();
    let expected = json!({
        "map": { "rows": 4, "cols": 14, "spots": 15 },
        "seed": 5,
        "dialect": "2021",
        "records": 10,
        "duration_ms": 62_000,
        "ending": "over",
        "remaining": [[0, 9], [1_500, 2], [61_000, 0]],
        "players": [
            {
                "letter": "A", "name": "Ann", "joined_ms": 500, "gone_ms": null, "purse": 7,
                "keys": 3, "steps": 6, "piles": 1, "explored_share": 0.4,
                "purse_over_time": [[500, 0], [1_500, 7]],
                "explored_over_time": [[500, 0.4]],
                "path": [
                    [500, 1, 5], [1_500, 1, 4], [1_500, 1, 3], [1_500, 1, 2], [1_500, 1, 1],
                    [2_000, 1, 2], [2_100, 1, 1]
                ],
            },
            {
                "letter": "B", "name": "Bob", "joined_ms": 1_000, "gone_ms": null, "purse": 2,
                "keys": 3, "steps": 3, "piles": 1, "explored_share": 0.4667,
                "purse_over_time": [[1_000, 0], [61_000, 2]],
                "explored_over_time": [[1_000, 0.4667]],
                "path": [[1_000, 1, 12], [60_000, 1, 11], [60_500, 2, 11], [61_000, 2, 12]],
            },
        ],
        "walked": [
            [1, 1, 2], [1, 2, 2], [1, 3, 1], [1, 4, 1], [1, 5, 1], [1, 11, 1], [1, 12, 1],
            [2, 11, 1], [2, 12, 1]
        ],
    });
    assert_eq!(found, expected, "{found:#}");
}

#[test]
fn the_chart_has_the_purses_and_the_heat_map() {
    let scratch = Scratch::new("replay-svg");
    scratch.file("game", &good());
    let ended = replay_in(&scratch.0, "game --svg game.svg");
    assert_eq!((ended.code(), &*ended.stdout, &*ended.stderr), (Some(0), "", ""));
    let svg = std::fs::read_to_string(scratch.0.join("game.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let parts =
        ["Purses over time", "A Ann", "B Bob", "00:30", "Where players walked", "at most 2 times"];
    for words in parts {
        assert!(svg.contains(words), "no {words:?} in {svg}");
    }
    for color in ["#0072B2", "#D55E00"] {
        let drawn = format!("stroke=\"{color}\" stroke-width=\"2\"");
        assert_eq!(svg.matches(&drawn).count(), 2, "a line and its legend");
    }
    let hot = |color: &str| svg.matches(&format!("fill=\"{color}\"")).count();
    assert!(hot("#ffe860") > 0 && hot("#7a2a6b") > 0, "twice, and once");
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
}

#[test]
fn a_cast_is_written_without_long_pauses_or_with_them() {
    let scratch = Scratch::new("replay-cast");
    scratch.file("game", &good());
    let last_time = |words: &str| {
        let ended = replay_in(&scratch.0, &format!("game --force --cast game.cast {words}"));
        assert_eq!((ended.code(), &*ended.stdout, &*ended.stderr), (Some(0), "", ""));
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
    let (skipped, shown) = last_time("");
    assert!((skipped - 5.1).abs() < 1e-9, "{skipped}");
    assert!(shown.contains("|A....####...|") && shown.contains("A 7 B 2"), "{shown}");
    let (whole, shown) = last_time("--no-skip --eyes A");
    assert!((whole - 62.0).abs() < 1e-9, "{whole}");
    assert!(shown.contains("|@....#") && !shown.contains('*'), "{shown}");
}

/// The page itself is tested in a browser.
#[test]
fn a_page_is_written_to_stdout_or_into_a_file() {
    let scratch = Scratch::new("replay-html");
    scratch.file("game", &good());
    let printed = replay_in(&scratch.0, "--html game");
    assert_eq!((printed.code(), &*printed.stderr), (Some(0), ""));
    let page = printed.stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert!(page.contains("<title>Replay: Ann and Bob · Nuggets</title>"));
    assert!(page.contains("<bdi>Ann</bdi> won with 7 of 9"));
    assert!(page.contains("download=\"game\""));
    let written = replay_in(&scratch.0, "game --html -o game.html");
    assert_eq!((written.code(), &*written.stdout, &*written.stderr), (Some(0), "", ""));
    assert_eq!(std::fs::read_to_string(scratch.0.join("game.html")).unwrap(), page);
}

#[test]
fn no_file_is_overwritten_without_force() {
    let scratch = Scratch::new("replay-force");
    scratch.file("game", &good());
    scratch.file("old", b"dear to me");
    for option in ["--svg", "--cast", "--html -o"] {
        let ended = replay_in(&scratch.0, &format!("game {option} old"));
        assert_eq!(
            ended.stderr,
            "error: 'old' already exists. Give another name, or overwrite it with --force\n"
        );
        assert_eq!(ended.status.code(), Some(1));
        assert_eq!(std::fs::read(scratch.0.join("old")).unwrap(), b"dear to me");
    }
}

#[test]
fn outputs_never_overwrite_the_recording_or_each_other() {
    let scratch = Scratch::new("replay-same");
    scratch.file("game", &good());
    for words in [
        "--svg game",
        "--cast ./game",
        "--svg new --cast new",
        "--html -o game",
        "--html -o new --svg new",
    ] {
        let ended = replay_in(&scratch.0, &format!("game --force {words}"));
        let stderr = ended.stderr;
        assert!(stderr.contains("is named twice"), "{stderr}");
        assert_eq!(ended.status.code(), Some(2));
        assert_eq!(std::fs::read(scratch.0.join("game")).unwrap(), good());
        assert!(!scratch.0.join("new").exists());
    }
}
