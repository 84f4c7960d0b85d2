//! Exploring with `o` and walking by clicks, in virtual time.

use super::*;

/// A player with `o` and clicks, who sees this picture.
fn player_seeing(picture: &str) -> App {
    let mut app = player().with_options(auto());
    for message in ["OK A", "GOLD 0 0 250", picture] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    app
}

/// A room of two rows and eight columns with the `@` and these other characters.
fn room(you: (usize, usize), others: &[(usize, usize, u8)]) -> String {
    let mut rows = [*b"+--------+", *b"|........|", *b"|........|", *b"+--------+"];
    for &(row, col, symbol) in others {
        rows[row][col] = symbol;
    }
    rows[you.0][you.1] = b'@';
    let rows: Vec<&str> = rows.iter().map(|row| str::from_utf8(row).expect("ASCII")).collect();
    format!("DISPLAY\n{}\n", rows.join("\n"))
}

fn at_col(col: usize) -> String {
    room((1, col), &[])
}

fn gold_far_right(col: usize) -> String {
    room((1, col), &[(1, 8, b'*')])
}

#[test]
fn o_takes_one_step_to_the_gold() {
    check(
        player_seeing(&gold_far_right(1)),
        &[
            (1, Type('o'), &["KEY l"]),
            (5, Hear(&gold_far_right(2)), &[]),
            (3_000, Type('o'), &["KEY l"]),
            (3_005, Hear(&gold_far_right(3)), &[]),
            (60_000, Hear("GOLD 0 0 250"), &[]),
        ],
    );
}

#[test]
fn earlier_pictures_are_remembered() {
    let mut app = player_seeing("DISPLAY\n    \n .. \n @  \n    \n");
    feed(&mut app, 1, Hear("DISPLAY\n    \n    \n @  \n    \n"));
    feed(&mut app, 2, Type('o'));
    assert_eq!(effects(&mut app), ["KEY k"]);
}

#[test]
fn a_held_o_takes_no_step_before_the_last_one_shows() {
    check(
        player_seeing(&gold_far_right(1)),
        &[
            (1, Type('o'), &["KEY l"]),
            (30, Type('o'), &[]),
            (60, Type('o'), &[]),
            (90, Type('o'), &[]),
            (100, Hear(&gold_far_right(2)), &["KEY l"]),
            (110, Hear(&gold_far_right(3)), &[]),
            (60_000, Type('o'), &["KEY l"]),
        ],
    );
}

#[test]
fn steps_keep_a_pace() {
    let mut app = player_seeing(&gold_far_right(1));
    feed(&mut app, 1, Type('o'));
    feed(&mut app, 2, Hear(&gold_far_right(2)));
    feed(&mut app, 3, Type('o'));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 60_000), [at(41, "KEY l")]);
}

#[test]
fn when_others_move_that_is_not_our_step() {
    let rival = |col| room((1, 1), &[(1, 8, b'*'), (2, col, b'B')]);
    check(
        player_seeing(&rival(3)),
        &[
            (1, Type('o'), &["KEY l"]),
            (30, Type('o'), &[]),
            (50, Hear(&rival(4)), &[]),
            (60, Hear(&room((1, 2), &[(1, 8, b'*')])), &["KEY l"]),
        ],
    );
}

#[test]
fn a_step_that_does_not_show_is_lost_after_half_a_second() {
    let mut app = player_seeing(&gold_far_right(1));
    feed(&mut app, 1, Type('o'));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 450), [], "without another press there is nothing to do");
    feed(&mut app, 450, Type('o'));
    assert_eq!(wake_until(&mut app, 60_000), [at(501, "KEY l")]);
    feed(&mut app, 60_000, Type('o'));
    assert_eq!(effects(&mut app), ["KEY l"]);
}

#[test]
fn another_key_cancels_a_waiting_o() {
    check(
        player_seeing(&gold_far_right(1)),
        &[
            (1, Type('o'), &["KEY l"]),
            (30, Type('o'), &[]),
            (40, Type('j'), &["KEY j"]),
            (60, Hear(&gold_far_right(2)), &[]),
            (60_000, Hear(&room((2, 2), &[])), &[]),
        ],
    );
}

#[test]
fn a_note_tells_that_nothing_is_left_to_explore() {
    let mut app = player_seeing("DISPLAY\n+-+\n|@|\n+-+\n");
    feed(&mut app, 1, Type('o'));
    assert_eq!((effects(&mut app).len(), app.note()), (0, Some("nowhere left to explore")));
}

#[test]
fn with_no_auto_o_is_an_ordinary_key_and_a_spectators_is_not_sent() {
    let mut plain = playing();
    feed(&mut plain, 1, Type('o'));
    feed(&mut plain, 2, Type('o'));
    feed(&mut plain, 3, Click(1, 2));
    assert_eq!(effects(&mut plain), ["KEY o", "KEY o"]);
    let mut watching = spectator().with_options(auto());
    feed(&mut watching, 0, Hear(MAP));
    feed(&mut watching, 1, Type('o'));
    feed(&mut watching, 2, Click(1, 2));
    assert_eq!(effects(&mut watching), ["SPECTATE"]);
}

#[test]
fn keys_of_a_script_are_sent_unchanged() {
    check(player_seeing(&gold_far_right(1)), &[(1, Pipe("o"), &["KEY o"])]);
}

#[test]
fn a_click_walks_there_step_by_step() {
    let mut app = player_seeing(&at_col(1));
    for (ms, input, expected) in [
        (100, Click(2, 4), &["KEY l"][..]),
        (150, Hear(&at_col(2)), &["KEY l"]),
        (250, Hear(&at_col(3)), &["KEY n"]),
        (350, Hear(&room((2, 4), &[])), &[]),
        (450, Hear(&at_col(4)), &[]),
    ] {
        feed(&mut app, ms, input);
        assert_eq!(effects(&mut app), expected, "{ms} ms");
    }
    assert_eq!((app.poll_timeout(), app.note()), (None, None), "nothing is left to do");
}

#[test]
fn a_walk_keeps_a_pace_too() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 4));
    feed(&mut app, 101, Hear(&at_col(2)));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 200), [at(140, "KEY l")]);
}

#[test]
fn a_click_on_oneself_does_nothing() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 1, Click(1, 1));
    assert_eq!((effects(&mut app).len(), app.note()), (0, None));
    feed(&mut app, 1_000, Hear(&at_col(2)));
    assert_eq!(effects(&mut app), [""; 0]);
}

#[test]
fn any_key_ends_a_walk_and_is_handled_as_usual() {
    for (key, sent) in
        [('j', &["KEY j"][..]), ('?', &[]), ('é', &[]), ('Q', &["KEY Q"]), ('o', &[])]
    {
        let mut app = player_seeing(&at_col(1));
        feed(&mut app, 100, Click(1, 8));
        assert_eq!(effects(&mut app), ["KEY l"]);
        feed(&mut app, 110, Type(key));
        assert_eq!(effects(&mut app), sent, "{key}");
        feed(&mut app, 200, Hear(&at_col(2)));
        effects(&mut app);
        feed(&mut app, 300, Hear(&at_col(3)));
        assert_eq!(effects(&mut app), [""; 0], "{key}");
    }
}

#[test]
fn another_click_is_another_goal() {
    check(
        player_seeing(&at_col(4)),
        &[
            (100, Click(1, 8), &["KEY l"]),
            (110, Click(1, 2), &[]),
            (160, Hear(&at_col(5)), &["KEY h"]),
            (260, Hear(&at_col(4)), &["KEY h"]),
        ],
    );
}

#[test]
fn a_click_on_an_unreachable_gridpoint_is_noted() {
    let split = "DISPLAY\n+---+ +--\n|@..| |..\n+---+ +--\n";
    for (row, col) in [(0, 1), (1, 5), (1, 7), (9, 9), (u16::MAX, u16::MAX)] {
        let mut app = player_seeing(split);
        feed(&mut app, 100, Click(1, 3));
        assert_eq!(effects(&mut app), ["KEY l"]);
        feed(&mut app, 110, Click(row, col));
        feed(&mut app, 200, Hear(&split.replace("@.", ".@")));
        assert_eq!(effects(&mut app), [""; 0], "{row} {col}");
        assert_eq!(app.note(), Some("no known path there"), "{row} {col}");
        assert_eq!(wake_until(&mut app, 60_000), []);
    }
}

#[test]
fn a_walk_that_is_blocked_tries_once_more_and_is_noted() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 8));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 1_100), [at(600, "KEY l")]);
    assert_eq!(app.note(), Some("path is blocked"));
    feed(&mut app, 1_200, Hear(&at_col(2)));
    assert_eq!(wake_until(&mut app, 60_000), [], "it has ended");
}

#[test]
fn a_walk_continues_after_a_lost_picture() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 8));
    wake_until(&mut app, 600);
    effects(&mut app);
    feed(&mut app, 650, Hear(&at_col(3)));
    assert_eq!(
        wake_until(&mut app, 1_600),
        [at(1_100, "KEY l"), at(1_600, "KEY l")],
        "from where we are, and it may be tried again"
    );
}

#[test]
fn a_walk_continues_from_where_a_swap_has_put_us() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 3));
    assert_eq!(effects(&mut app), ["KEY l"]);
    feed(&mut app, 150, Hear(&room((2, 6), &[(1, 1, b'B')])));
    feed(&mut app, 160, Hear(&room((2, 7), &[(1, 1, b'B')])));
    assert_eq!(effects(&mut app), [""; 0], "the last step did not lead there");
    assert_eq!(wake_until(&mut app, 600), [at(600, "KEY h")]);
    feed(&mut app, 650, Hear(&room((2, 6), &[])));
    assert_eq!(effects(&mut app), ["KEY h"]);
}

#[test]
fn a_swap_to_the_goal_ends_the_walk_once_the_last_step_is_over() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 5));
    feed(&mut app, 150, Hear(&at_col(5)));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 1_000), []);
    assert_eq!((app.note(), app.poll_timeout()), (None, None));
}

#[test]
fn after_arriving_a_swap_does_not_restart_the_walk() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 2));
    feed(&mut app, 105, Hear(&at_col(2)));
    feed(&mut app, 110, Hear(&at_col(7)));
    assert_eq!(effects(&mut app), ["KEY l"]);
    assert_eq!(wake_until(&mut app, 60_000), []);
}

#[test]
fn a_walk_stops_when_the_game_is_left_or_suspended() {
    for stop in [Type('Q'), Hangup, Hear("QUIT bye"), Pause, PipeEnd] {
        let mut app = player_seeing(&at_col(1));
        feed(&mut app, 100, Click(1, 8));
        feed(&mut app, 110, stop);
        effects(&mut app);
        feed(&mut app, 200, Hear(&at_col(2)));
        assert_eq!(wake_until(&mut app, 900), [], "{stop:?}");
    }
}

#[test]
fn another_map_ends_the_walk() {
    for change in ["GRID 2 2", "GRID 3 5"] {
        let mut app = player_seeing(&at_col(1));
        feed(&mut app, 100, Click(2, 8));
        effects(&mut app);
        feed(&mut app, 110, Hear(change));
        feed(&mut app, 111, Hear(MAP));
        assert_eq!(wake_until(&mut app, 60_000), [], "{change}");
    }
}

#[test]
fn a_gold_note_stays_for_its_time_beside_other_notes() {
    let mut app = player_seeing(&at_col(1));
    feed(&mut app, 100, Click(1, 8));
    feed(&mut app, 150, Hear("GOLD 5 5 245"));
    feed(&mut app, 150, Hear("ERROR 37 steps left"));
    assert_eq!(app.note(), Some("GOLD received: 5, 37 steps left"));
    feed(&mut app, 250, Hear(&at_col(2)));
    feed(&mut app, 250, Hear("ERROR 36 steps left"));
    assert_eq!(app.note(), Some("GOLD received: 5, 36 steps left"));
    feed(&mut app, 5_150, Hear("ERROR 35 steps left"));
    assert_eq!(app.note(), Some("35 steps left"));
    feed(&mut app, 5_200, Hear("GOLD 7 12 238"));
    assert_eq!(app.note(), Some("GOLD received: 7"));
}

/// A passage that leads to the right, drawn as far as the player has walked.
fn passage(walked: usize, end: &str) -> String {
    format!("DISPLAY\n{}@#{end}{}\n", "#".repeat(walked), " ".repeat(20 - walked - end.len()))
}

/// Walks with `O`, one picture after each key.
fn explore_on(ends: &[&str]) -> (usize, Option<String>) {
    let mut app = player().with_options(auto());
    for message in ["OK A", "GRID 1 22", "GOLD 0 0 250", &passage(0, ends[0])] {
        feed(&mut app, 0, Hear(message));
    }
    effects(&mut app);
    feed(&mut app, 1_000, Type('O'));
    let mut steps = 0;
    let mut ms = 1_000;
    for (walked, end) in ends.iter().enumerate().skip(1) {
        let keys = effects(&mut app);
        let woken = wake_until(&mut app, ms + 100);
        steps += keys.len() + woken.len();
        ms += 200;
        feed(&mut app, ms, Hear(&passage(walked, end)));
    }
    steps += effects(&mut app).len() + wake_until(&mut app, ms + 100).len();
    (steps, app.note().map(str::to_owned))
}

#[test]
fn exploring_on_takes_step_after_step_until_something_comes_into_sight() {
    assert_eq!(explore_on(&["", "", "", ""]), (4, None));
    let news = Some("new in sight".to_owned());
    assert_eq!(explore_on(&["", "", "*", "*"]), (2, news.clone()));
    assert_eq!(explore_on(&["", "B", "", ""]), (1, news));
    assert_eq!(explore_on(&["B", "B", "B", "B"]).0, 4, "what was known does not stop it");
}

#[test]
fn any_key_stops_exploring_on() {
    let mut app = player().with_options(auto());
    for message in ["OK A", "GRID 1 22", "GOLD 0 0 250", &passage(0, "")] {
        feed(&mut app, 0, Hear(message));
    }
    feed(&mut app, 1_000, Type('O'));
    feed(&mut app, 1_010, Type('i'));
    effects(&mut app);
    feed(&mut app, 1_020, Hear(&passage(1, "")));
    assert_eq!(wake_until(&mut app, 9_000), []);
}
