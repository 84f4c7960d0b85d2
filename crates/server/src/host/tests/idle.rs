//! The idle timeout after the whole process was stopped: messages that waited meanwhile count.

use super::*;

const LIMIT_MS: u64 = 1_000;
const OUT: &str = "QUIT You have not pressed a key for too long and are out of the game.";

/// Ann, Bob and Cid joined at time 0.
fn joined() -> Talk {
    let reliability = Reliability { idle_timeout_ms: Some(LIMIT_MS), ..Reliability::none() };
    let options = RoomOptions { reliability, ..RoomOptions::default() };
    let room = Room::new(&setup()).unwrap().with_options(options);
    let mut talk = Talk::new(Host::new(room, MemoryStorage::default()), MemoryTransport::default());
    for who in ['a', 'b', 'c'] {
        talk.hear(who, b"PLAY Eve");
    }
    talk
}

/// Returns the players who are sent the text of the idle timeout.
fn dropped(talk: &mut Talk, heard_until: u64) -> Vec<String> {
    talk.host.handle_timeouts_until(&mut talk.transport, Timestamp(heard_until));
    let out = |line: String| {
        line.split_once("> ").filter(|(_, text)| *text == OUT).map(|(to, _)| to.to_owned())
    };
    talk.flush().into_iter().filter_map(out).collect()
}

#[test]
fn keys_that_waited_while_the_process_stood_still_count() {
    let mut talk = joined();
    talk.now = Timestamp(60_000);
    talk.hear('c', b"KEY x");
    talk.hear('a', b"KEY x");
    assert_eq!(dropped(&mut talk, 60_000), ["b"]);
}

/// The process may also stop after the socket was read.
#[test]
fn nobody_is_idle_later_than_the_messages_were_read() {
    let mut talk = joined();
    talk.now = Timestamp(60_000);
    talk.hear('a', b"KEY x");
    assert!(dropped(&mut talk, LIMIT_MS - 1).is_empty());
    assert_eq!(dropped(&mut talk, LIMIT_MS), ["b", "c"]);
}

/// Timeouts are handled as of their time: a player who became idle only later may have a message in the socket.
#[test]
fn of_two_idle_players_only_the_one_that_was_idle_when_the_messages_were_read_is_dropped() {
    let mut talk = joined();
    talk.now = Timestamp(500);
    talk.hear('a', b"KEY x");
    talk.hear('c', b"KEY x");
    talk.host.set_time(Timestamp(60_000));
    assert_eq!(dropped(&mut talk, LIMIT_MS + 100), ["b"]);
    assert_eq!(dropped(&mut talk, LIMIT_MS + 500), ["a", "c"]);
}
