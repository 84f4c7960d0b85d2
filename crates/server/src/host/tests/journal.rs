//! The stored records of a game, and rooms resumed from them.

use nuggets_game::{Direction, Game, SightRule};
use nuggets_record::{Recording, RecordingEnd, Tail, verify};

use super::*;
use crate::ResumeError;
use crate::room::MAX_UNSENT;

fn lingering() -> RoomOptions {
    let reliability = Reliability { linger_ms: 5_000, ..Reliability::none() };
    RoomOptions { reliability, ..RoomOptions::default() }
}

fn hosted() -> Talk {
    Talk::recorded(RoomOptions::default(), Hosting::default())
}

fn resume(reading: &Reading) -> Result<Room, ResumeError> {
    Room::resume(reading, MemoryTransport::restore)
}

/// Resumes the game of a journal without sending anything yet.
fn resumed(reading: &Reading, options: RoomOptions) -> Talk {
    let room = resume(reading).unwrap().with_options(options);
    let host = Host::new(room, MemoryStorage::default()).with_resumed_journal(reading);
    Talk::new(host, MemoryTransport::default())
}

/// Plays a game with two players and a spectator; one player quits.
fn play(talk: &mut Talk) {
    let said =
        ["aPLAY Ann", "bPLAY Bob", "sSPECTATE", "aKEY L", "bKEY h", "bKEY H", "aKEY ?", "bKEY Q"];
    for says in said {
        talk.now = talk.now.after(100);
        talk.hear_all(&[says]);
    }
    for key in "HJKLYUBNHJKL".repeat(12).bytes() {
        talk.now = talk.now.after(10);
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
}

#[test]
fn a_recording_is_the_whole_game_and_identifies_no_peer() {
    let mut talk = hosted();
    play(&mut talk);
    talk.close();
    let bytes = talk.recording();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.state_hash(), talk.host.room().game().state_hash());
    assert!(verified.states > 1, "checked on the way, too");
    let shown = format!("{:?}", reading.recording.records);
    assert!(!shown.contains("PeerToken") && shown.contains("peer: None"), "{shown}");
}

/// The first key shows that the welcome has arrived.
#[test]
fn of_the_keys_that_move_nobody_only_the_first_is_noted_and_that_in_the_journal_alone() {
    let mut talk = hosted();
    talk.hear_all(&["aPLAY Ann", "sSPECTATE"]);
    talk.journal();
    talk.recording();
    talk.hear_all(&["aKEY x", "sKEY x"]);
    assert_eq!(talk.journal().len(), 2 * 6);
    for says in ["KEY x", "KEY ?", "PLAY Ann", "nonsense", "SPECTATE"] {
        talk.hear('a', says.as_bytes());
        talk.hear('s', says.as_bytes());
    }
    assert_eq!(talk.journal(), b"");
    assert_eq!(talk.recording(), b"");
}

/// Returns a player next to a wall, and the message with the key that steps into it.
fn blocked_step(game: &Game) -> (char, [u8; 5]) {
    let steps = [(Direction::Left, b'h'), (Direction::Right, b'l'), (Direction::Up, b'k')];
    let beside_a_wall = game.players().iter().find_map(|player| {
        let at = player.at()?;
        let is_blocked = |(to, _): &&(Direction, u8)| game.map().spot_beside(at, *to).is_none();
        let (_, key) = steps.iter().find(is_blocked)?;
        Some((char::from(player.letter().as_byte()), *b"KEY ?", *key))
    });
    let (who, mut message, key) = beside_a_wall.expect("one of 26 players is beside a wall");
    message[4] = key;
    (who, message)
}

#[test]
fn a_client_whose_key_changed_nothing_is_not_welcomed_again_after_a_crash() {
    let mut talk = hosted();
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
    }
    talk.hear('s', b"SPECTATE");
    let welcomed = |journal: &[u8]| {
        let reading = Recording::read(journal).unwrap();
        let mut again = resumed(&reading, RoomOptions::default());
        let sent = again.flush();
        let grids = sent.iter().filter(|line| line.contains("GRID")).map(|line| &line[..1]);
        (grids.collect::<String>(), again.journal())
    };
    let journal = talk.journal();
    let all: String = ('A'..='Z').chain(['s']).collect();
    assert_eq!(welcomed(&journal).0, all, "none of them has sent anything since");
    let (who, blocked) = blocked_step(talk.host.room().game());
    assert!(talk.hear(who, &blocked).is_empty(), "blocked");
    let other = if who == 'B' { 'C' } else { 'B' };
    talk.hear(other, b"KEY x");
    talk.hear('s', b"KEY x");
    let journal = [journal, talk.journal()].concat();
    let rest: String = all.chars().filter(|it| ![who, other, 's'].contains(it)).collect();
    let (greeted, more) = welcomed(&journal);
    assert_eq!(greeted, rest);
    assert_eq!(welcomed(&[journal, more].concat()).0, rest, "also after a second crash");
}

#[test]
fn a_resumed_room_answers_like_the_one_that_crashed() {
    let mut talk = hosted();
    play(&mut talk);
    let bytes = talk.journal();
    let reading = Recording::read(&bytes).unwrap();
    let mut again = resumed(&reading, RoomOptions::default());
    again.now = talk.now.after(5_000);
    assert_eq!(again.host.room().game().state_hash(), talk.host.room().game().state_hash());
    let shown: Vec<char> = again.flush().iter().map(|m| m.chars().next().unwrap()).collect();
    assert_eq!(shown, ['a', 'a', 's', 's'], "gold and picture, for everybody who has not left");

    // From here on both receive the same messages and must send the same ones.
    talk.now = again.now;
    for says in ["aKEY L", "aKEY k", "sKEY x", "bKEY h", "cPLAY Cy", "cKEY l", "sKEY Q", "aKEY H"] {
        let (from, bytes) = (says.chars().next().unwrap(), &says.as_bytes()[1..]);
        assert_eq!(again.hear(from, bytes), talk.hear(from, bytes), "{says}");
    }
    let longer = [bytes, again.journal()].concat();
    let reading = Recording::read(&longer).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.state_hash(), talk.host.room().game().state_hash());
}

#[test]
fn neither_a_finished_game_nor_a_recording_can_be_resumed() {
    let mut talk = hosted();
    play(&mut talk);
    let reading = Recording::read(&talk.recording()).unwrap();
    assert_eq!(resume(&reading).unwrap_err(), ResumeError::NoPeers);

    let mut talk = hosted();
    for who in 'a'..='z' {
        talk.hear(who, b"PLAY Eve");
        talk.hear(who, b"KEY Q");
    }
    assert!(talk.host.room().is_closed());
    talk.close();
    let reading = Recording::read(&talk.journal()).unwrap();
    assert_eq!(resume(&reading).unwrap_err(), ResumeError::Over);
}

/// A game that is over: all 26 players have joined and left, and there is a spectator.
fn finished() -> Talk {
    let mut talk = Talk::recorded(lingering(), Hosting::default());
    talk.hear('s', b"SPECTATE");
    for who in 'A'..='Z' {
        talk.hear(who, b"PLAY Eve");
        talk.hear(who, b"KEY Q");
    }
    talk
}

#[test]
fn a_game_that_crashed_while_its_end_was_sent_is_resumed_to_send_it_again() {
    let mut talk = finished();
    let bytes = talk.journal();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.recording.end(), Some(RecordingEnd::Over));
    for speaks_first in [false, true] {
        let mut again = resumed(&reading, lingering());
        assert!(again.host.room().is_over() && !again.host.room().is_closed());
        assert_eq!(again.host.poll_notice(), Some(Notice::ResumedAtTheEnd));
        assert_eq!(again.host.poll_notice(), None);
        again.flush();
        let said = if speaks_first { again.hear('s', b"KEY x") } else { again.wait(0)[0].clone() };
        assert!(said[0].starts_with("s> QUIT GAME OVER:/A          0 Eve/B"), "{said:?}");
        assert_eq!(again.wait(5_000).len(), 4, "three times more, then it closes");
        assert!(again.host.room().is_closed());
        assert_eq!(again.journal(), b"", "the end is there already");
        again.close();
        let whole = [&bytes[..], &again.journal()].concat();
        let reading = Recording::read(&whole).unwrap();
        assert_eq!(reading.tail, Tail::Whole);
        assert_eq!(resume(&reading).unwrap_err(), ResumeError::Over);
    }
}

#[test]
fn a_recording_ends_with_its_game_and_not_with_the_delivery_of_the_end() {
    let mut stopped = finished();
    stopped.close();
    let reading = Recording::read(&stopped.journal()).unwrap();
    assert!(resume(&reading).unwrap().is_over(), "the end may not have arrived");

    let mut talk = finished();
    talk.wait(5_000);
    let before = talk.recording();
    talk.close();
    assert_eq!(talk.recording(), b"");
    let reading = Recording::read(&before).unwrap();
    assert_eq!(reading.recording.end(), Some(RecordingEnd::Over));
}

#[test]
fn a_game_whose_end_was_not_stored_ends_when_it_is_resumed() {
    let mut talk = finished();
    let bytes = talk.journal();
    // The last record, which is the end, is torn.
    let reading = Recording::read(&bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(reading.tail, Tail::Cut { .. }) && reading.recording.end().is_none());
    let mut again = resumed(&reading, lingering());
    again.flush();
    let sent = format!("{:?}", again.wait(0));
    assert!(sent.contains("s> QUIT GAME OVER:"), "{sent}");
    assert!(again.host.room().is_over());

    // A message may arrive before the first timeout.
    let mut hasty = resumed(&reading, RoomOptions::default());
    hasty.flush();
    assert!(hasty.hear('s', b"KEY x")[0].starts_with("s> QUIT GAME OVER:"));

    again.wait(5_000);
    again.close();
    let longer = [&bytes[..reading.good_bytes], &again.journal()].concat();
    let reading = Recording::read(&longer).unwrap();
    assert!(verify(&reading.recording).is_ok());
    assert_eq!(resume(&reading).unwrap_err(), ResumeError::Over);
}

#[test]
fn a_player_who_has_proven_that_it_listens_need_not_do_it_again_after_a_crash() {
    let mut talk = hosted();
    talk.hear_all(&["aPLAY Ann", "bPLAY Bob"]);
    for key in "LHLHLHLH".bytes() {
        talk.now = talk.now.after(500);
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
    let reading = Recording::read(&talk.journal()).unwrap();
    let mut again = resumed(&reading, RoomOptions::default());
    again.transport = MemoryTransport::guarded(guard(strict()), source);
    again.host.admit_resumed(&mut again.transport);
    let guard = again.transport.guard().unwrap();
    assert!(guard.has_proven(source(peer('a'))));
    assert!(!guard.has_proven(source(peer('b'))));
}

/// Resumes a room from the stored journal and returns the first messages sent.
fn sent_after_a_crash(talk: &mut Talk) -> Vec<String> {
    let reading = Recording::read(&talk.journal()).unwrap();
    let mut again = resumed(&reading, RoomOptions::default());
    again.flush().into_iter().map(|said| said.split('/').next().unwrap().to_owned()).collect()
}

#[test]
fn a_client_that_may_not_have_been_answered_is_welcomed_after_a_crash() {
    let mut talk = hosted();
    talk.hear_all(&["aPLAY Ann", "aKEY L", "aKEY H"]);
    talk.receive('b', b"PLAY Bob");
    talk.receive('s', b"SPECTATE");
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
    assert_eq!(sent_after_a_crash(&mut talk), expected);
}

#[test]
fn a_client_that_was_answered_long_ago_is_not_welcomed_twice() {
    let mut talk = hosted();
    talk.hear_all(&["aPLAY Ann", "bPLAY Bob", "sSPECTATE"]);
    for key in "LH".repeat(MAX_UNSENT).bytes() {
        talk.hear('a', &[b'K', b'E', b'Y', b' ', key]);
    }
    let said = sent_after_a_crash(&mut talk);
    assert_eq!(said.len(), 6, "{said:?}");
    assert!(said.iter().all(|said| said[3..] == *"DISPLAY" || said[3..].starts_with("GOLD 0")));
}

#[test]
fn a_client_that_asks_again_after_a_crash_is_answered_in_full() {
    let mut talk = hosted();
    talk.receive('a', b"PLAY Ann");
    let reading = Recording::read(&talk.journal()).unwrap();
    let mut again = resumed(&reading, RoomOptions::default());
    let welcome = again.flush();
    assert_eq!(again.hear('a', b"PLAY Ann"), welcome);
    assert_eq!(welcome[..2], ["a> OK A", "a> GRID 21 79"]);
    assert_eq!(again.host.room().game().players().len(), 1);
}

/// The header must hold the sight rule of the game, not the one that its dialect usually has.
#[test]
fn the_journal_of_a_game_with_another_sight_rule_is_accepted() {
    let setup = Setup { sight_rule: SightRule::StraightPassages, ..setup() };
    let host =
        Host::new(Room::new(&setup).unwrap(), MemoryStorage::default()).with_journal(&setup, 0);
    let mut talk = Talk::new(host, MemoryTransport::default());
    play(&mut talk);
    let reading = Recording::read(&talk.journal()).unwrap();
    assert_eq!(reading.recording.header.setup.sight_rule, SightRule::StraightPassages);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.state_hash(), talk.host.room().game().state_hash());
    assert!(resume(&reading).is_ok());
}

#[test]
fn the_journal_of_a_game_that_the_host_ends_can_not_be_resumed() {
    let mut talk = hosted();
    talk.hear('a', b"PLAY Ann");
    talk.host.end_early(&mut talk.transport);
    assert_eq!(talk.flush(), ["a> QUIT GAME OVER:/A          0 Ann"]);
    talk.close();
    let recording = Recording::read(&talk.journal()).unwrap().recording;
    assert_eq!(recording.end(), Some(RecordingEnd::ByHost));
    assert!(recording.is_end_delivered());
}

#[test]
fn a_game_that_the_host_ended_before_a_crash_is_resumed_to_send_its_end_again() {
    let mut talk = Talk::recorded(lingering(), Hosting::default());
    talk.hear_all(&["aPLAY Ann", "aKEY L"]);
    talk.host.end_early(&mut talk.transport);
    talk.flush();
    let reading = Recording::read(&talk.journal()).unwrap();
    let mut again = resumed(&reading, lingering());
    assert_eq!(again.host.room().ended_early(), Some(RecordingEnd::ByHost));
    again.flush();
    assert_eq!(again.wait(0)[0], ["a> QUIT GAME OVER:/A          8 Ann"]);
}

const BEGUN: &str = "a> ERROR Notice: the game has begun";

/// A new game that is waiting, with a journal and its first player.
fn waiting(start: StartRule) -> Talk {
    let hosting = Hosting { start, ..Hosting::default() };
    let mut talk = Talk::recorded(RoomOptions::default(), hosting);
    talk.hear('a', b"PLAY Ann");
    talk
}

/// Resumes the room of this journal on a server with the same options.
fn resumed_waiting(journal: &[u8], start: StartRule) -> Talk {
    let reading = Recording::read(journal).unwrap();
    let room = resume(&reading).unwrap().with_hosting(Hosting { start, ..Hosting::default() });
    let host = Host::new(room, MemoryStorage::default()).with_resumed_journal(&reading);
    Talk::new(host, MemoryTransport::default())
}

#[test]
fn a_resumed_game_has_begun_if_a_player_had_moved_and_waits_again_otherwise() {
    let start = StartRule { players: 2, ..StartRule::default() };
    let mut talk = waiting(start);
    assert!(!resumed_waiting(&talk.journal(), start).host.room().has_begun());
    let mut talk = hosted();
    talk.hear_all(&["aPLAY Ann", "aKEY L"]);
    let mut again = resumed_waiting(&talk.journal(), start);
    assert!(again.host.room().has_begun(), "a journal without the start, too");
    assert!(!again.flush().contains(&BEGUN.to_owned()), "a client that has moved knows it");
}

/// By the host, by the last player that was waited for, and after the pause.
#[test]
fn a_game_that_has_begun_does_not_wait_again_after_a_crash() {
    for (start, begin) in [
        (StartRule { by_host: true, ..StartRule::default() }, None),
        (StartRule { by_host: true, players: 9, ..StartRule::default() }, None),
        (StartRule { players: 1, ..StartRule::default() }, Some(0)),
        (StartRule { pause_ms: 700, ..StartRule::default() }, Some(700)),
    ] {
        let mut talk = waiting(start);
        let before = talk.journal();
        talk.recording();
        match begin {
            None => {
                talk.host.start(&mut talk.transport);
                assert_eq!(talk.flush(), [BEGUN]);
            }
            Some(ms) => assert_eq!(talk.wait(ms), [[BEGUN]]),
        }
        let start_record = talk.journal();
        assert!(!start_record.is_empty() && talk.recording().is_empty(), "not for a replay");
        let stored = [before, start_record].concat();
        let mut again = resumed_waiting(&stored, start);
        assert!(again.host.room().has_begun());
        assert_eq!(again.flush().last().unwrap(), BEGUN, "it may not have been sent");
        assert_eq!(again.hear('a', b"KEY L").len(), 2, "GOLD and DISPLAY");

        let twice = [stored, again.journal()].concat();
        let mut again = resumed_waiting(&twice, start);
        assert!(again.host.room().has_begun(), "after a second crash");
        again.flush();
        assert!(again.hear('a', b"KEY H")[0].starts_with("a> DISPLAY"));
    }
}

#[test]
fn a_start_whose_record_is_torn_was_sent_to_no_client_and_the_game_waits() {
    let start = StartRule { by_host: true, ..StartRule::default() };
    let mut talk = waiting(start);
    let before = talk.journal();
    talk.host.start(&mut talk.transport);
    let record = talk.journal();
    assert!(talk.transport.sent.is_empty(), "the record is stored before anything is sent");
    for length in 0..record.len() {
        let journal = [&before[..], &record[..length]].concat();
        let mut again = resumed_waiting(&journal, start);
        assert!(!again.host.room().has_begun(), "{length} bytes");
        again.flush();
        let waits = "a> ERROR Notice: waiting for the host to start";
        assert_eq!(again.hear('a', b"KEY L"), [waits]);
    }
}
