//! Keys, and the recipients of their effects.

use super::*;

#[test]
fn a_step_is_sent_to_everybody_and_a_step_into_a_wall_to_nobody() {
    for dialect in BOTH {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1...2*", &who);
        check(
            &mut talk,
            'a',
            "KEY l",
            &[&display('a', ".@..B*"), &display('b', ".A..@*"), &display('s', ".A..B*")],
        );
        for key in ["k", "j", "y", "u", "b", "n", "K", "J", "Y", "U", "B", "N"] {
            check(&mut talk, 'a', &format!("KEY {key}"), &[]);
        }
    }
}

#[test]
fn with_changed_only_a_step_out_of_sight_is_not_sent() {
    let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
    let mut talk = joined(Dialect::V2021, "1..###..2*", &who);
    talk.room.options.changed_only = true;
    let alone = [
        "a> DISPLAY/+----       /|.@.#       /+----       /".to_string(),
        "s> DISPLAY/+----------+/|.A.###..B*|/+----------+/".to_string(),
    ];
    assert_eq!(talk.hear('a', b"KEY l"), alone);
    let gold = talk.hear('b', b"KEY l");
    let of_kind = |kind: &str| gold.iter().filter(|message| message[3..].starts_with(kind)).count();
    assert_eq!((of_kind("GOLD"), of_kind("DISPLAY")), (3, 2), "gold is sent to everybody");
}

#[test]
fn a_swap_is_sent_to_everybody() {
    let mut talk = joined(Dialect::V2021, "12*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    check(&mut talk, 'a', "KEY l", &[&display('a', "B@*"), &display('b', "@A*")]);
}

#[test]
fn gold_is_sent_to_everybody_with_their_own_purse() {
    for dialect in BOTH {
        let who = [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")];
        let mut talk = joined(dialect, "1*.*2.*", &who);
        talk.hear('b', b"KEY h");
        check(
            &mut talk,
            'a',
            "KEY l",
            &[
                "a> GOLD 10 10 10",
                "b> GOLD 0 10 10",
                "s> GOLD 0 0 10",
                &display('a', ".@.B..*"),
                &display('b', ".A.@..*"),
                &display('s', ".A.B..*"),
            ],
        );
    }
}

#[test]
fn a_sprint_makes_one_gold_round_and_one_display_round() {
    let mut talk = joined(Dialect::V2021, "1*.*.2.*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.hear('b', b"KEY h");
    check(
        &mut talk,
        'a',
        "KEY L",
        &[
            "a> GOLD 30 30 0",
            "b> GOLD 0 0 0",
            &display('a', "...B...@"),
            &display('b', "...@...A"),
            "a> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
            "b> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
        ],
    );
}

#[test]
fn with_sprint_stops_each_sprint_ends_on_gold() {
    let rules = Rules { sprint_stops: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1.*.*");
    talk.hear('a', b"PLAY Ann");
    check(&mut talk, 'a', "KEY L", &["a> GOLD 10 10 10", &display('a', "..@.*")]);
}

#[test]
fn passages_are_dark_in_2021_and_visible_along_in_2019() {
    let shown = |dialect| {
        let mut talk = Talk::new(dialect, "1.###*");
        let heard = talk.hear('a', b"PLAY Ann");
        heard.last().unwrap().clone()
    };
    assert_eq!(shown(Dialect::V2021), "a> DISPLAY/+---    /|@.#    /+---    /");
    assert_eq!(shown(Dialect::V2019), "a> DISPLAY/+---    /|@.###*|/+---    /");
}

#[test]
fn the_log_shows_the_course_of_the_game() {
    let mut talk = Talk::new(Dialect::V2021, "1*.2.*");
    let said =
        [('a', "PLAY Ann"), ('b', "PLAY Bob"), ('a', "KEY l"), ('a', "KEY Q"), ('b', "KEY L")];
    for (from, says) in said {
        talk.hear(from, says.as_bytes());
    }
    assert_eq!(
        talk.notices(),
        [
            "A joins from a: \"Ann\"",
            "B joins from b: \"Bob\"",
            "A takes 10 nuggets, 10 left",
            "A quits",
            "B takes 10 nuggets, 0 left",
            "game over: all gold is collected",
        ]
    );
}
