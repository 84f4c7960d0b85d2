//! The host's choices: the start, the end before all gold is found, the next game.

use super::*;

fn hosted(dialect: Dialect, drawn: &str, hosting: Hosting) -> Talk {
    let mut talk = Talk::new(dialect, drawn);
    talk.room.set_hosting(hosting);
    talk
}

fn waiting_for(players: usize) -> Hosting {
    Hosting { start: StartRule { players, ..StartRule::default() }, ..Hosting::default() }
}

fn ending(stalemate: Stalemate) -> Hosting {
    Hosting { stalemate, ..Hosting::default() }
}

#[test]
fn before_the_start_no_key_moves_a_player_and_every_client_is_sent_why() {
    for dialect in BOTH {
        let mut talk = hosted(dialect, "1.*2", waiting_for(2));
        let waits =
            |to, here| complaint(dialect, to, &format!("Notice: waiting for players: {here} of 2"));
        let welcome = talk.hear('a', b"PLAY Ann");
        assert_eq!(welcome[4..], [waits('a', 1), waits('a', 1)], "once more for all who are there");
        assert_eq!(talk.hear('a', b"KEY l"), [waits('a', 1)]);
        assert_eq!(talk.wait(60_000), []);
        talk.hear('b', b"PLAY Bob");
        let begun = |to| complaint(dialect, to, "Notice: the game has begun");
        assert_eq!(talk.wait(0)[0].1, [begun('a'), begun('b')]);
        assert_eq!(talk.hear('a', b"KEY l"), ["a> [.@*B]", "b> [.A*@]"]);
    }
}

#[test]
fn a_player_that_leaves_before_the_start_is_waited_for_again() {
    let mut talk = hosted(Dialect::V2021, "1.*2", waiting_for(2));
    talk.hear('a', b"PLAY Ann");
    let sent = talk.hear('a', b"KEY Q");
    assert_eq!(sent[0], "a> QUIT Thanks for playing!");
    talk.hear('b', b"PLAY Bob");
    assert_eq!(talk.wait(60_000), []);
    assert!(!talk.room.has_begun());
}

#[test]
fn the_host_begins_a_game_that_waits_for_the_host_or_for_players() {
    for start in [
        StartRule { by_host: true, ..StartRule::default() },
        StartRule { by_host: true, players: 9, ..StartRule::default() },
    ] {
        let mut talk = hosted(Dialect::V2021, "1.*2", Hosting { start, ..Hosting::default() });
        talk.hear('a', b"PLAY Ann");
        assert_eq!(talk.wait(60_000), []);
        talk.room.handle_start(talk.now);
        assert_eq!(talk.drain(), ["a> ERROR Notice: the game has begun"]);
        talk.room.handle_start(talk.now);
        assert_eq!(talk.drain(), [""; 0]);
        assert_eq!(talk.hear('a', b"KEY l"), ["a> [.@*.]"]);
    }
}

#[test]
fn after_the_pause_the_game_begins_by_itself() {
    let start = StartRule { pause_ms: 7_500, ..StartRule::default() };
    let mut talk = hosted(Dialect::V2021, "1.*2", Hosting { start, ..Hosting::default() });
    let welcome = talk.hear('a', b"PLAY Ann");
    assert_eq!(welcome[4..], ["a> ERROR Notice: the game begins in 8 seconds"]);
    assert_eq!(talk.wait(7_499), []);
    assert_eq!(talk.hear('a', b"KEY l"), ["a> ERROR Notice: the game begins in 1 second"]);
    assert_eq!(talk.wait(1), [(7_500, vec!["a> ERROR Notice: the game has begun".to_owned()])]);
}

#[test]
fn no_player_is_idle_before_the_start() {
    let start = StartRule { by_host: true, ..StartRule::default() };
    let mut talk = hosted(Dialect::V2021, "1.*2", Hosting { start, ..Hosting::default() })
        .with(Reliability { idle_timeout_ms: Some(1_000), ..Reliability::none() });
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(60_000), []);
    talk.room.handle_start(talk.now);
    talk.drain();
    assert_eq!(talk.wait(999), []);
    assert!(talk.wait(1)[0].1[0].starts_with("a> QUIT You have not pressed a key"));
}

#[test]
fn no_time_before_the_start_is_a_stalemate() {
    let hosting = Hosting { stalemate: Stalemate::After(5_000), ..waiting_for(2) };
    let mut talk = hosted(Dialect::V2021, "1.*2", hosting);
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(60_000), []);
    talk.hear('b', b"PLAY Bob");
    talk.wait(4_900);
    assert!(!talk.room.is_over(), "the time runs from the start");
    talk.wait(200);
    assert!(talk.room.is_over());
}

#[test]
fn a_client_that_joins_before_the_start_is_sent_what_the_game_waits_for() {
    for (start, words) in [
        (StartRule { by_host: true, ..StartRule::default() }, "waiting for the host to start"),
        (
            StartRule { players: 1, pause_ms: 3_000, ..StartRule::default() },
            "the game begins in 3 seconds",
        ),
    ] {
        let mut talk = hosted(Dialect::V2021, "1.*2", Hosting { start, ..Hosting::default() });
        let welcome = talk.hear('a', b"PLAY Ann");
        assert_eq!(*welcome.last().unwrap(), format!("a> ERROR Notice: {words}"));
    }
}

#[test]
fn a_game_that_was_ended_stays_so_with_other_decisions_of_its_host() {
    let mut talk = hosted(Dialect::V2021, "1.*2", Hosting::default());
    talk.hear('a', b"PLAY Ann");
    talk.room.end_early(talk.now);
    talk.room.set_hosting(Hosting::default());
    assert_eq!(talk.room.ended_early(), Some(RecordingEnd::ByHost));
}

#[test]
fn the_next_game_is_announced_in_the_welcome_and_before_every_table() {
    for dialect in BOTH {
        let hosting = Hosting { next_game_s: Some(10), ..Hosting::default() };
        let mut talk = hosted(dialect, "1*", hosting).with(Reliability::default());
        let next = complaint(dialect, 'a', "Next game: 10 seconds after this one, on this port");
        assert_eq!(talk.hear('a', b"PLAY Ann")[4..].join(""), next);
        let sent = talk.hear('a', b"KEY l");
        assert_eq!(sent[2], next);
        assert!(sent[3].contains("GAME") && sent[3].contains("A         10 Ann"), "{sent:?}");
        assert_eq!(talk.hear('a', b"PLAY Ann")[0], next, "the table may be lost");
        assert_eq!(talk.wait(250)[0].1[0], next);
    }
}

/// Two rooms without a passage, with gold on these columns. Players land on the others in turn.
fn two_rooms(gold: &[u16], landings: &[u16]) -> Talk {
    let mut talk = Talk::new(Dialect::V2021, "1*");
    let wall = "+------+\n";
    let map = Map::parse(format!("{wall}|...-..|\n{wall}").as_bytes()).unwrap().map;
    let nuggets = 10 * u32::try_from(gold.len()).unwrap();
    let rules = Rules { nuggets, ..Rules::default() };
    let setup = Setup::new(map, rules, Seed::new(1), Dialect::V2021);
    let piles = gold.iter().map(|col| (Point::new(1, *col), 10)).collect();
    let landings = landings.iter().map(|col| Point::new(1, *col)).collect();
    talk.room = Room::with_game(Game::arranged(&setup, piles, landings), Dialect::V2021);
    talk
}

#[test]
fn a_game_ends_when_no_player_can_reach_the_gold_that_is_left() {
    let map = || two_rooms(&[2, 5], &[1, 3]);
    let mut plain = map();
    plain.hear('a', b"PLAY Ann");
    plain.hear('a', b"KEY l");
    assert_eq!(plain.wait(60_000), []);
    // As in a resumed game whose end was not stored.
    plain.room.set_hosting(ending(Stalemate::OutOfReach));
    assert_eq!(plain.wait(0)[0].1, ["a> QUIT GAME OVER:/A         10 Ann"]);

    let mut talk = map();
    talk.room.set_hosting(ending(Stalemate::OutOfReach));
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(60_000), [], "the gold beside her is in reach");
    talk.hear('a', b"KEY l");
    assert_eq!(talk.wait(0), [(60_000, vec!["a> QUIT GAME OVER:/A         10 Ann".to_owned()])]);
    assert_eq!(talk.room.ended_early(), Some(RecordingEnd::Stalemate));
    let notices = talk.notices();
    assert!(notices.contains(&"game over: no player can reach the gold that is left".to_owned()));
}

const NO_REACH: &str = "ERROR Notice: no gold in reach: ends in 5 s";

#[test]
fn where_no_player_could_reach_gold_from_the_start_all_are_sent_it_and_the_game_ends() {
    let mut talk = two_rooms(&[5], &[1, 2]);
    talk.room.set_hosting(ending(Stalemate::OutOfReach));
    assert_eq!(talk.wait(60_000), [], "there is no player");
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(1_000), [(61_000, vec![format!("a> {NO_REACH}")])]);
    talk.hear('b', b"PLAY Bob");
    talk.hear('b', b"KEY Q");
    talk.hear('a', b"KEY l");
    let over = "a> QUIT GAME OVER:/A          0 Ann/B          0 Bob".to_owned();
    assert_eq!(talk.wait(5_000), [(66_000, vec![over])], "neither joins nor steps count");
}

#[test]
fn a_resumed_game_whose_gold_was_never_in_reach_does_not_end_at_once() {
    let mut talk = two_rooms(&[5], &[1]);
    talk.hear('a', b"PLAY Ann");
    talk.room.set_hosting(ending(Stalemate::OutOfReach));
    assert_eq!(talk.wait(0), []);
    assert_eq!(talk.wait(1_000)[0].1, [format!("a> {NO_REACH}")]);
}

#[test]
fn a_player_who_can_reach_gold_keeps_the_game_going() {
    let mut talk = two_rooms(&[5], &[1, 6]);
    talk.room.set_hosting(ending(Stalemate::OutOfReach));
    talk.hear('a', b"PLAY Ann");
    talk.wait(3_000);
    talk.hear('b', b"PLAY Bob");
    assert_eq!(talk.wait(60_000), []);
    talk.hear('b', b"KEY Q");
    let over = "a> QUIT GAME OVER:/A          0 Ann/B          0 Bob".to_owned();
    assert_eq!(talk.wait(0), [(63_000, vec![over])], "at once: nobody is waited for any more");
}

#[test]
fn the_time_in_which_no_player_can_reach_gold_runs_from_the_start_and_not_in_a_pause() {
    let start = StartRule { by_host: true, ..StartRule::default() };
    let mut talk = two_rooms(&[5], &[1]);
    talk.room.set_hosting(Hosting { start, ..ending(Stalemate::OutOfReach) });
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(60_000), []);
    talk.room.handle_start(talk.now);
    talk.drain();
    talk.room.handle_pause(talk.now, true);
    assert_eq!(talk.wait(60_000), []);
    talk.room.handle_pause(talk.now, false);
    assert_eq!(talk.wait(1_000)[0].1, [format!("a> {NO_REACH}")]);
    assert_eq!(talk.wait(4_999), []);
    assert_eq!(talk.wait(1)[0].1, ["a> QUIT GAME OVER:/A          0 Ann"]);
}

#[test]
fn a_game_ends_after_some_seconds_without_gold_while_there_are_players() {
    let mut talk = hosted(Dialect::V2021, "1*.*", ending(Stalemate::After(5_000)));
    assert_eq!(talk.wait(60_000), [], "there is no player");
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(4_999), []);
    talk.hear('a', b"KEY l");
    assert_eq!(talk.wait(4_999), [], "gold was taken");
    talk.hear('a', b"KEY l");
    assert_eq!(talk.wait(1)[0].1, ["a> QUIT GAME OVER:/A         10 Ann"], "a step is no gold");
    assert_eq!(talk.notices().pop().unwrap(), "game over: no gold was taken for 5 seconds");
}

#[test]
fn time_in_which_the_players_wait_is_no_stalemate() {
    let mut talk = hosted(Dialect::V2021, "1*.*", ending(Stalemate::After(5_000)));
    talk.hear('a', b"PLAY Ann");
    assert_eq!(talk.wait(4_000), []);
    talk.room.handle_pause(talk.now, true);
    assert_eq!(talk.wait(60_000), []);
    talk.room.handle_pause(talk.now, false);
    assert_eq!(talk.wait(999), []);
    assert_eq!(talk.wait(1)[0].1, ["a> QUIT GAME OVER:/A          0 Ann"]);
}

#[test]
fn a_server_that_is_stopped_sends_the_table_before_the_goodbye() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1.*", "a");
        talk.room.shut_down_with_table();
        let sent = talk.drain();
        assert_eq!(sent[0], over(dialect, 'a', "A          0 Ann")[0]);
        assert_eq!(sent[1..], dismissed(dialect, 'a', "The server is shutting down."));
    }
}

#[test]
fn a_server_that_is_stopped_after_a_game_releases_those_who_wait_for_the_next() {
    for (next_game_s, expected) in
        [(Some(1), vec!["a> QUIT The server is shutting down."]), (None, vec![])]
    {
        let mut talk = hosted(Dialect::V2021, "1*", Hosting { next_game_s, ..Hosting::default() })
            .with(Reliability::default());
        talk.hear('a', b"PLAY Ann");
        talk.hear('a', b"KEY l");
        talk.room.shut_down_with_table();
        assert_eq!(talk.drain(), expected);
    }
}

#[test]
fn words_of_the_host_reach_every_client_as_a_notice() {
    let mut talk = joined(Dialect::V2021, "1.*2", "as");
    talk.room.handle_notice(talk.now, "five minutes left");
    let words = ["a> ERROR Notice: five minutes left", "s> ERROR Notice: five minutes left"];
    assert_eq!(talk.drain(), words);
}

#[test]
fn a_client_whose_port_closes_after_the_end_is_no_event() {
    let mut talk = joined(Dialect::V2021, "1*2", "ab").with(Reliability::default());
    talk.room.handle_disconnect(talk.now, peer('b'));
    assert_eq!(talk.notices(), ["b can't be reached and is sent nothing more"]);
    talk.hear('a', b"KEY l");
    talk.notices();
    talk.room.handle_disconnect(talk.now, peer('a'));
    assert_eq!(talk.notices(), [""; 0]);
    assert!(talk.room.is_closed(), "there is nothing left to resend");
}
