//! What a room writes down, and a room that goes on from what was written.

use super::*;
use crate::{Guard, Limits};
use nuggets_record::{Ending, Recording, Tail, verify};

fn hosted(kind: RecordKind) -> Talk {
    let map = shipped::find("main").unwrap().map();
    let sight = Arc::new(Sight::new(map, sight_rule(Dialect::V2021)));
    let game = Game::new(sight, Rules::default(), Seed::new(3)).unwrap();
    let room = Room::new(game, Dialect::V2021).recorded(kind, Seed::new(3), 9999);
    Talk { room, now: Millis(0) }
}

fn written(talk: &mut Talk) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some((_, more)) = talk.room.poll_record() {
        bytes.extend_from_slice(more);
    }
    bytes
}

/// Some life: two players, one of whom quits, and a spectator.
fn live(talk: &mut Talk) {
    let said =
        ["aPLAY Ann", "bPLAY Bob", "sSPECTATE", "aKEY L", "bKEY h", "bKEY H", "aKEY ?", "bKEY Q"];
    for (says, ms) in said.into_iter().zip(1..) {
        talk.now = Millis(100 * ms);
        talk.hear(says.chars().next().unwrap(), &says.as_bytes()[1..]);
    }
    for key in "HJKLYUBNHJKL".repeat(12).bytes() {
        talk.now = talk.now.after(10);
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
}

#[test]
fn a_recording_is_the_whole_game_and_names_nobodys_address() {
    let mut talk = hosted(RecordKind::Recording);
    live(&mut talk);
    talk.room.shut_down();
    let bytes = written(&mut talk);
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.state_hash(), talk.room.game().state_hash());
    assert!(verified.states > 1, "checked on the way, too");
    let shown = format!("{:?}", reading.recording.records);
    assert!(!shown.contains("127.0.0.1"), "{shown}");
}

#[test]
fn a_key_that_moves_nobody_is_not_written_down() {
    let mut talk = hosted(RecordKind::Journal);
    talk.hear('a', b"PLAY Ann");
    written(&mut talk);
    for says in ["KEY x", "KEY ?", "PLAY Ann", "nonsense", "SPECTATE"] {
        talk.hear('a', says.as_bytes());
    }
    assert_eq!(written(&mut talk), b"");
}

#[test]
fn a_room_goes_on_from_its_journal_and_nobody_notices() {
    let mut talk = hosted(RecordKind::Journal);
    live(&mut talk);
    let bytes = written(&mut talk);
    let reading = Recording::read(&bytes).unwrap();
    let mut again = Talk { room: Room::resume(&reading).unwrap(), now: talk.now.after(5_000) };
    assert_eq!(again.room.game().state_hash(), talk.room.game().state_hash());
    let shown: Vec<char> = again.drain().iter().map(|m| m.chars().next().unwrap()).collect();
    assert_eq!(shown, ['a', 'a', 's', 's'], "gold and picture, for whoever is still here");

    // From now on both are told the same things, and must say the same things.
    talk.now = again.now;
    for says in ["aKEY L", "aKEY k", "sKEY x", "bKEY h", "cPLAY Cy", "cKEY l", "sKEY Q", "aKEY H"] {
        let (from, bytes) = (says.chars().next().unwrap(), &says.as_bytes()[1..]);
        assert_eq!(again.hear(from, bytes), talk.hear(from, bytes), "{says}");
    }
    let longer = [bytes, written(&mut again)].concat();
    let reading = Recording::read(&longer).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.state_hash(), talk.room.game().state_hash());
}

#[test]
fn a_finished_game_and_a_recording_without_addresses_are_not_gone_on_with() {
    let mut talk = hosted(RecordKind::Recording);
    live(&mut talk);
    let reading = Recording::read(&written(&mut talk)).unwrap();
    assert_eq!(Room::resume(&reading).unwrap_err(), ResumeError::NoPeers);

    let mut talk = hosted(RecordKind::Journal);
    for index in 0..26 {
        let who = char::from(b'a' + index);
        talk.hear(who, b"PLAY somebody");
        talk.hear(who, b"KEY Q");
    }
    assert!(talk.room.is_closed());
    talk.room.shut_down();
    let reading = Recording::read(&written(&mut talk)).unwrap();
    assert_eq!(Room::resume(&reading).unwrap_err(), ResumeError::Over);
}

/// Everybody has joined and left again, and somebody watches.
fn finished(kind: RecordKind) -> Talk {
    let mut talk = hosted(kind);
    talk.room = talk.room.careful(Care { linger_ms: 5_000, ..Care::none() });
    talk.hear('s', b"SPECTATE");
    for index in 0..26 {
        let who = char::from(b'A' + index);
        talk.hear(who, b"PLAY somebody");
        talk.hear(who, b"KEY Q");
    }
    talk
}

#[test]
fn a_game_whose_end_was_being_told_is_taken_up_again_to_tell_it() {
    let mut talk = finished(RecordKind::Journal);
    let bytes = written(&mut talk);
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.recording.ending(), Some(Ending::Over));
    for speaks_first in [false, true] {
        let care = Care { linger_ms: 5_000, ..Care::none() };
        let room = Room::resume(&reading).unwrap().careful(care);
        let mut again = Talk { now: room.now(), room };
        assert!(again.room.is_over() && !again.room.is_closed());
        let notices = again.notices();
        assert!(notices.len() == 1 && notices[0].contains("the end is told again"), "{notices:?}");
        again.drain();
        let said =
            if speaks_first { again.hear('s', b"KEY x") } else { again.wait(0)[0].1.clone() };
        assert!(said[0].starts_with("s> QUIT GAME OVER:/A          0 somebody/B"), "{said:?}");
        assert_eq!(again.wait(5_000).len(), 4, "three times more, then it closes");
        assert!(again.room.is_closed());
        assert_eq!(written(&mut again), b"", "the end stands there already");
        again.room.shut_down();
        let whole = [&bytes[..], &written(&mut again)].concat();
        let reading = Recording::read(&whole).unwrap();
        assert_eq!(reading.tail, Tail::Whole);
        assert_eq!(Room::resume(&reading).unwrap_err(), ResumeError::Over);
    }
}

#[test]
fn who_stops_a_server_while_it_tells_the_end_can_have_it_told_again() {
    let mut talk = finished(RecordKind::Journal);
    talk.room.shut_down();
    assert!(talk.room.is_closed());
    let reading = Recording::read(&written(&mut talk)).unwrap();
    assert!(Room::resume(&reading).unwrap().is_over());
}

#[test]
fn a_recording_ends_with_its_game_whoever_was_told() {
    let mut talk = finished(RecordKind::Recording);
    talk.wait(5_000);
    let before = written(&mut talk);
    talk.room.shut_down();
    assert_eq!(written(&mut talk), b"");
    let reading = Recording::read(&before).unwrap();
    assert_eq!(reading.recording.ending(), Some(Ending::Over));
}

#[test]
fn a_game_that_was_over_before_its_end_was_written_down_ends_when_it_is_taken_up_again() {
    let mut talk = finished(RecordKind::Journal);
    let bytes = written(&mut talk);
    // The last record, which tells the end, is torn.
    let reading = Recording::read(&bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(reading.tail, Tail::Cut { .. }) && reading.recording.ending().is_none());
    let room = Room::resume(&reading).unwrap().careful(Care { linger_ms: 100, ..Care::none() });
    let mut again = Talk { now: room.now(), room };
    again.drain();
    let told = format!("{:?}", again.wait(0));
    assert!(told.contains("s> QUIT GAME OVER:"), "{told}");
    assert!(again.room.is_over());

    // Somebody may speak before the room's time has come.
    let room = Room::resume(&reading).unwrap();
    let mut hasty = Talk { now: room.now(), room };
    hasty.drain();
    assert!(hasty.hear('s', b"KEY x")[0].starts_with("s> QUIT GAME OVER:"));

    again.wait(100);
    again.room.shut_down();
    let longer = [&bytes[..reading.good_bytes], &written(&mut again)].concat();
    let reading = Recording::read(&longer).unwrap();
    assert!(verify(&reading.recording).is_ok());
    assert_eq!(Room::resume(&reading).unwrap_err(), ResumeError::Over);
}

#[test]
fn who_has_shown_that_it_listens_need_not_show_it_again_after_a_crash() {
    let guard = || Guard::new(Limits { trust_private: false, ..Limits::default() }, [9; 16]);
    let mut talk = hosted(RecordKind::Journal);
    talk.hear('a', b"PLAY Ann");
    talk.hear('b', b"PLAY Bob");
    for key in "LHLHLHLH".bytes() {
        talk.now = talk.now.after(500);
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
    let reading = Recording::read(&written(&mut talk)).unwrap();
    let again = Room::resume(&reading).unwrap().guarded(guard());
    let has_proven = |who| again.guard.as_ref().unwrap().has_proven(peer(who).into());
    assert_eq!((has_proven('a'), has_proven('b')), (true, false));
}

/// What a room says first when it goes on from what this one has written down.
fn said_after_a_crash(talk: &mut Talk) -> Vec<String> {
    let reading = Recording::read(&written(talk)).unwrap();
    let mut again = Talk { room: Room::resume(&reading).unwrap(), now: talk.now };
    again.drain().into_iter().map(|said| said.split('/').next().unwrap().to_owned()).collect()
}

#[test]
fn whoever_may_have_been_written_down_and_not_answered_is_welcomed_after_the_crash() {
    let mut talk = hosted(RecordKind::Journal);
    talk.hear('a', b"PLAY Ann");
    talk.hear('a', b"KEY L");
    talk.hear('a', b"KEY H");
    talk.room.handle_message(talk.now, peer('b'), b"PLAY Bob");
    talk.room.handle_message(talk.now, peer('s'), b"SPECTATE");
    let expected = [
        "a> GOLD 0 8 242",
        "a> DISPLAY",
        "b> OK B",
        "b> GRID 21 79",
        "b> GOLD 0 0 242",
        "b> DISPLAY",
        "s> GRID 21 79",
        "s> GOLD 0 0 242",
        "s> DISPLAY",
    ];
    assert_eq!(said_after_a_crash(&mut talk), expected);
}

#[test]
fn whoever_was_answered_long_ago_is_not_welcomed_twice() {
    let mut talk = hosted(RecordKind::Journal);
    for says in ["aPLAY Ann", "bPLAY Bob", "sSPECTATE"] {
        talk.hear(says.chars().next().unwrap(), &says.as_bytes()[1..]);
    }
    for key in "LH".repeat(MOST_UNSENT).bytes() {
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
    let said = said_after_a_crash(&mut talk);
    assert_eq!(said.len(), 6, "{said:?}");
    assert!(said.iter().all(|said| said[3..] == *"DISPLAY" || said[3..].starts_with("GOLD 0")));
}

#[test]
fn whoever_asks_again_after_a_crash_is_answered_in_full() {
    let mut talk = hosted(RecordKind::Journal);
    talk.room.handle_message(talk.now, peer('a'), b"PLAY Ann");
    let reading = Recording::read(&written(&mut talk)).unwrap();
    let mut again = Talk { room: Room::resume(&reading).unwrap(), now: talk.now };
    let welcome = again.drain();
    assert_eq!(again.hear('a', b"PLAY Ann"), welcome);
    assert_eq!(welcome[..2], ["a> OK A", "a> GRID 21 79"]);
    assert_eq!(again.room.game().players().len(), 1);
}
