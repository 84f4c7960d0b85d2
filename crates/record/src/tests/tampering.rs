//! A recording that was changed with right checksums is still found out, by playing it again.

use nuggets_game::{Chance, Refusal, Seed, Stroke};

use super::{Played, join, press, small_header, usual_header};
use crate::{Ending, Entry, Header, Mismatch, Recording, What, Writer, verify};

/// Writes these entries with the states of the game as it really was.
fn forge(played: &Played, header: &Header, entries: &[Entry]) -> Recording {
    let (mut writer, mut bytes) = Writer::new(header, &played.games[0]);
    for (entry, game) in entries.iter().zip(&played.games[1..]) {
        writer.append(entry, game, &mut bytes);
    }
    Recording::read(&bytes).unwrap().recording
}

#[test]
fn another_key_is_found_out_wherever_it_makes_another_game() {
    let mut played = Played::new(usual_header());
    played.play(200, &mut Chance::new(Seed::new(9)));
    played.end();
    let mut found = [0, 0];
    for index in 0..played.entries.len() {
        let What::Press(letter, stroke) = played.entries[index].what else { continue };
        let mut entries = played.entries.clone();
        let key = if stroke.key().eq_ignore_ascii_case(&b'l') { b'h' } else { b'l' };
        entries[index].what = What::Press(letter, Stroke::from_key(key).unwrap());
        match verify(&forge(&played, &played.header, &entries)) {
            Ok(verified) => {
                assert_eq!(verified.game.state_hash(), played.game().state_hash(), "entry {index}");
            }
            Err(bad) => {
                assert!(bad.index >= index, "entry {index}: {bad}");
                match bad.why {
                    Mismatch::State { since } => assert!(since <= index && index <= bad.index),
                    Mismatch::Refused(_) => {}
                    other => panic!("entry {index}: {other}"),
                }
                found[usize::from(matches!(bad.why, Mismatch::State { .. }))] += 1;
            }
        }
    }
    assert!(found.iter().all(|found| *found > 5), "{found:?}");
}

#[test]
fn another_seed_map_or_rule_is_found_out_at_the_start() {
    let mut played = Played::new(usual_header());
    played.add(0, join("Ann"));
    let changes: [fn(&mut Header); 3] = [
        |header| header.seed = Seed::new(8),
        |header| header.rules.steal = true,
        |header| header.map = nuggets_game::shipped::ALL[1].map(),
    ];
    for change in changes {
        let mut header = played.header.clone();
        change(&mut header);
        let bad = verify(&forge(&played, &header, &played.entries)).unwrap_err();
        assert_eq!((bad.index, bad.why), (0, Mismatch::Start));
    }
}

#[test]
fn an_input_that_the_game_refuses_is_bad() {
    let mut played = Played::new(usual_header());
    played.add(0, join("Ann"));
    played.add(0, What::Unwatch);
    let mut entries = played.entries.clone();
    entries[1].what = press(1, b'h');
    let recording = forge(&played, &played.header, &entries);
    let bad = verify(&recording).unwrap_err();
    assert_eq!((bad.index, bad.why), (1, Mismatch::Refused(Refusal::NotPlaying)));
    assert_eq!(bad.offset, recording.records[1].offset);
    let said = format!(
        "record 2 (at byte {}) is bad: the game refuses it: that player isn't on the map",
        bad.offset
    );
    assert_eq!(bad.to_string(), said);
}

#[test]
fn a_game_that_is_said_to_be_over_must_be() {
    let mut played = Played::new(small_header());
    played.add(0, join("Ann"));
    played.add(0, What::End(Ending::Over));
    let bad = verify(&Recording::read(&played.bytes).unwrap().recording).unwrap_err();
    assert_eq!((bad.index, bad.why), (1, Mismatch::NotOver));
}
