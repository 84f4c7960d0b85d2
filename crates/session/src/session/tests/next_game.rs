//! The next game on the same port.

use super::*;

const NEXT: &str = "ERROR Next game: 10 seconds after this one, on this port";
const OVER: &str = "QUIT GAME OVER:\nA          4 Ann";

fn waiting() -> Session {
    Session::for_next_game(Timestamp(0), Some(b"Ann"), SessionPolicy::PERSON)
}

#[test]
fn the_server_announces_the_next_game_and_the_client_remembers_it() {
    for word in ["ERROR", "NO"] {
        let mut session = joining(SessionPolicy::PERSON);
        hear_all(&mut session, 1, &["OK A", "GRID 3 5", "GOLD 0 0 9"]);
        assert!(!session.is_next_game_announced());
        let text = NEXT.replace("ERROR", word);
        assert_eq!(feed(&mut session, 2, Hear(&text)), [""; 0], "it is no rejection");
        assert!(session.is_next_game_announced());
    }
}

#[test]
fn a_game_that_has_not_begun_is_not_lost_however_long_it_waits() {
    let mut bot = playing(SessionPolicy::BOT);
    for second in 1..200 {
        feed(&mut bot, second * 1000, Key(b'l'));
        feed(&mut bot, second * 1000 + 10, Hear("ERROR Notice: waiting for players: 1 of 2"));
    }
    assert_eq!(wake_until(&mut bot, 200_000), []);
    assert_eq!(bot.stage(), SessionStage::Playing);
}

#[test]
fn what_a_game_waits_for_is_known_until_it_has_begun_or_a_key_is_not_answered_so() {
    let waits = "ERROR Notice: waiting for players: 1 of 2";
    let mut session = playing(SessionPolicy::PERSON);
    feed(&mut session, 0, Hear(waits));
    feed(&mut session, 1, Hear("ERROR Notice: hello"));
    assert_eq!(session.awaited(), Some("waiting for players: 1 of 2"));
    feed(&mut session, 2, Hear("ERROR Notice: the game has begun"));
    assert_eq!(session.awaited(), None);
    feed(&mut session, 3, Hear(waits));
    feed(&mut session, 4, Key(b'l'));
    assert_eq!(session.awaited(), None, "the beginning may have been lost");
}

#[test]
fn it_asks_again_every_second_while_the_last_game_is_still_being_ended() {
    let mut session = waiting();
    assert_eq!(
        effects(&mut session),
        [""; 0],
        "nothing at once: the server would only send the end again"
    );
    let mut asks_at = 1_000;
    for _ in 0..200 {
        assert_eq!(wake_until(&mut session, asks_at), [at(asks_at, "PLAY Ann")]);
        for message in [NEXT, OVER, "GAMEOVER\nA          4 Ann", "QUIT"] {
            assert_eq!(feed(&mut session, asks_at + 10, Hear(message)), [""; 0]);
        }
        asks_at += 1_010;
    }
    assert!(session.awaits_next_game() && session.is_next_game_announced());
}

#[test]
fn the_end_of_the_last_game_does_not_delay_the_first_try() {
    let mut session = waiting();
    for ms in [300, 600, 900] {
        assert_eq!(feed(&mut session, ms, Hear(OVER)), [""; 0]);
    }
    assert_eq!(wake_until(&mut session, 1_000), [at(1_000, "PLAY Ann")]);
}

#[test]
fn the_last_game_of_a_server_is_not_followed_by_another() {
    let mut session = waiting();
    feed(&mut session, 900, Hear(NEXT));
    assert_eq!(wake_until(&mut session, 1000), [at(1000, "PLAY Ann")]);
    hear_all(&mut session, 1010, &["OK A", "GRID 3 5", "GOLD 0 0 9"]);
    assert!(!session.awaits_next_game() && !session.is_next_game_announced());
    assert_eq!(
        feed(&mut session, 2000, Hear(OVER)),
        ["leave: GameOver { table: \"A          4 Ann\" }"]
    );
}

#[test]
fn a_server_that_is_gone_is_asked_for_a_minute() {
    let mut session = waiting();
    assert_eq!(feed(&mut session, 500, PortClosed), [""; 0], "it may be restarted");
    let asked = wake_until(&mut session, 100_000);
    assert_eq!(asked.len(), 60, "59 tries and the end: {asked:?}");
    assert_eq!(asked[59].0, 60_000);
}

#[test]
fn the_answer_to_a_key_of_the_last_game_is_no_rejection() {
    let mut session = waiting();
    for late in ["ERROR You have not joined this game.", "NO You have not joined this game."] {
        assert_eq!(feed(&mut session, 1, Hear(late)), [""; 0]);
    }
    assert_eq!(wake_until(&mut session.clone(), 60_000)[59].1, "leave: NotAccepted");
    assert_eq!(wake_until(&mut session, 1_000), [at(1_000, "PLAY Ann")]);
    let out = feed(&mut session, 1_001, Hear("NO"));
    assert_eq!(out, ["leave: Rejected { reason: \"\" }"], "the next game is full");
    let mut session = waiting();
    assert_eq!(feed(&mut session, 1, Hear("NO The server is shutting down.")).len(), 1);
}

#[test]
fn a_goodbye_ends_the_wait_and_so_does_the_person() {
    let mut session = waiting();
    let out = feed(&mut session, 500, Hear("QUIT The server is shutting down."));
    assert_eq!(out.len(), 1, "{out:?}");
    let mut session = waiting();
    assert_eq!(feed(&mut session, 500, Quit)[0], "KEY Q");
}

#[test]
fn a_goodbye_right_after_the_table_means_that_there_is_no_next_game() {
    for goodbye in ["QUIT The server is shutting down.", "NO The server is shutting down."] {
        let mut session = playing(SessionPolicy::PERSON);
        feed(&mut session, 1, Hear(NEXT));
        feed(&mut session, 2, Hear(OVER));
        let late = "NO You have not joined this game.";
        for harmless in [OVER, "QUIT", "NO Next game: 1 second after this one, on this port", late]
        {
            feed(&mut session, 2, Hear(harmless));
            assert!(session.is_next_game_announced());
        }
        feed(&mut session, 2, Hear(goodbye));
        assert!(!session.is_next_game_announced());
    }
}
