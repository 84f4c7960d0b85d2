//! Nothing happens silently: gold, theft, swaps, walls, and a server that falls silent.

use super::*;

fn logged(app: &App) -> Vec<&str> {
    app.log.entries.iter().map(|entry| entry.text.as_str()).collect()
}

/// A room with the player at the second spot and another player beside it.
const BESIDE: &str = "DISPLAY\n+---+\n|.@B|\n+---+\n";
const SWAPPED: &str = "DISPLAY\n+---+\n|.B@|\n+---+\n";

fn after(messages: &[&str]) -> App {
    let mut app = playing().with_options(AppOptions { bell: true, ..AppOptions::default() });
    for message in messages {
        feed(&mut app, 1_000, Hear(message));
    }
    app
}

#[test]
fn being_robbed_is_noted_with_the_thief_and_rings_the_bell_once() {
    let mut app = after(&[BESIDE, "GOLD 20 20 230", "GOLD 0 0 230"]);
    assert_eq!(app.note(), Some("ROBBED of 20 nuggets"));
    assert!(app.take_bell() && !app.take_bell());
    feed(&mut app, 1_000, Hear(SWAPPED));
    assert_eq!(app.note(), Some("ROBBED of 20 nuggets by B"));
    assert_eq!(logged(&app)[0], "B robs you of 20 nuggets");
}

#[test]
fn a_theft_out_of_sight_is_logged_without_a_thief() {
    let app = after(&["GOLD 1 1 249", "GOLD 0 0 249", MAP]);
    assert_eq!(logged(&app)[0], "robbed of 1 nugget");
}

#[test]
fn without_a_bell_being_robbed_is_silent() {
    let mut app = playing();
    feed(&mut app, 1, Hear("GOLD 20 20 230"));
    feed(&mut app, 2, Hear("GOLD 0 0 230"));
    assert!(!app.take_bell());
}

#[test]
fn stolen_gold_is_not_received() {
    let app = after(&["GOLD 20 20 250"]);
    assert_eq!(
        (app.note(), logged(&app)),
        (Some("you stole 20 nuggets"), vec!["you stole 20 nuggets"])
    );
    let app = after(&["GOLD 20 20 230"]);
    assert_eq!(
        (app.note(), logged(&app)),
        (Some("GOLD received: 20"), vec!["you found 20 nuggets"])
    );
}

#[test]
fn a_swap_is_noted_and_logged() {
    let app = after(&[BESIDE, SWAPPED]);
    assert_eq!(app.note(), Some("swapped with B"));
    assert_eq!(logged(&app), ["B and you swap places", "B comes into sight"]);
    let app = after(&[BESIDE, "DISPLAY\n+---+\n|@.B|\n+---+\n"]);
    assert_eq!(app.note(), None);
}

#[test]
fn a_blocked_key_is_sent_and_noted() {
    check(playing(), &[(1, Type('k'), &["KEY k"])]);
    let mut app = playing();
    for (key, note) in [('k', true), ('l', false), ('H', true), ('L', false)] {
        feed(&mut app, 1, Type(key));
        assert_eq!(app.note(), note.then_some("a wall is in the way"), "{key}");
    }
}

#[test]
fn what_others_take_is_credited_to_whoever_stands_where_gold_lay() {
    let before = "DISPLAY\n+------+\n|@..C*B|\n+------+\n";
    let then = "DISPLAY\n+------+\n|@..CB.|\n+------+\n";
    let mut app = player();
    for message in ["OK A", "GRID 3 8", "GOLD 0 0 250", before, "GOLD 0 0 238", then] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(logged(&app)[0], "B takes 12");
    feed(&mut app, 0, Hear("GOLD 0 0 230"));
    feed(&mut app, 0, Hear(then));
    assert_eq!(logged(&app)[0], "8 taken out of sight");
    let taken: Vec<(u8, u32)> = app.rivals.all().map(|(letter, r)| (letter, r.taken)).collect();
    assert_eq!((taken, app.rivals.taken_unseen), (vec![(b'B', 12), (b'C', 0)], 8));
}

#[test]
fn a_sprint_over_gold_is_credited_and_a_spectator_sees_joins_and_leaves() {
    let mut app = spectator();
    for message in [
        "GRID 3 8",
        "GOLD 0 0 250",
        "DISPLAY\n+------+\n|B.*..C|\n+------+\n",
        "GOLD 0 0 240",
        "DISPLAY\n+------+\n|...B.C|\n+------+\n",
        "DISPLAY\n+------+\n|...B..|\n+------+\n",
    ] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(logged(&app), ["C leaves", "B takes 10", "C joins", "B joins"]);
    assert!(app.rivals.are_complete());
}

#[test]
fn a_rival_whose_name_is_known_before_it_is_seen_is_logged_when_it_comes() {
    let mut app = spectator();
    app.handle_names(&[('B', "Bob".into())]);
    for message in ["GRID 3 8", "GOLD 0 0 250", "DISPLAY\n+------+\n|B.*...|\n+------+\n"] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(logged(&app), ["B (Bob) joins"]);
}

#[test]
fn what_was_taken_before_joining_makes_purses_incomplete() {
    for (gold, house_rules, complete) in [
        ("GOLD 0 0 249", None, false),
        ("GOLD 0 0 250", None, true),
        ("GOLD 0 0 100", Some("ERROR House rules: gold 100"), true),
    ] {
        let mut app = spectator();
        for message in [Some("GRID 3 5"), house_rules, Some(gold)].into_iter().flatten() {
            feed(&mut app, 0, Hear(message));
        }
        assert_eq!(app.rivals.are_complete(), complete, "{gold}");
    }
}

#[test]
fn a_silent_server_is_noted_until_it_is_heard_again() {
    let mut app = playing();
    feed(&mut app, 1_000, Type('l'));
    effects(&mut app);
    assert_eq!(app.poll_timeout(), Some(Timestamp(4_000)));
    app.handle_timeout(Timestamp(4_000));
    let silent = Some("server not answering; Q leaves");
    assert_eq!(app.note(), silent);
    feed(&mut app, 5_000, Type('l'));
    app.handle_timeout(Timestamp(60_000));
    assert_eq!(app.note(), silent, "neither keys nor time end it");
    feed(&mut app, 61_000, Hear(MAP));
    assert_eq!(app.note(), None);
    assert_eq!(logged(&app), ["the server answers again", "the server does not answer"]);
}

#[test]
fn a_server_need_not_answer_a_blocked_key() {
    let mut app = playing();
    feed(&mut app, 1_000, Type('k'));
    app.handle_timeout(Timestamp(60_000));
    assert_eq!(app.note(), None);
}

#[test]
fn notices_of_the_server_are_logged() {
    let app = after(&["ERROR House rules: steal", "NO Notice: the host restarts", "ERROR what?"]);
    assert_eq!(logged(&app), ["what?", "the host restarts", "House rules: steal"]);
}
