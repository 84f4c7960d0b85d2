//! The variants of the rules, as messages.

use super::*;
use nuggets_game::Lifetime;

#[test]
fn a_client_that_joins_is_sent_the_house_rules() {
    for dialect in BOTH {
        let rules = Rules { steal: true, vision: Some(9), ..Rules::default() };
        let mut talk = Talk::in_room(dialect, rules, "1.*");
        let told = |to| complaint(dialect, to, "House rules: vision 9, steal");
        let gold = "a> GOLD 0 0 10";
        check(
            &mut talk,
            'a',
            "PLAY Ann",
            &["a> OK A", "a> GRID 3 5", gold, "a> [@.*]", &told('a')],
        );
        let heard = talk.hear('s', b"SPECTATE");
        assert_eq!(heard.last(), Some(&told('s')));
        let repeated = talk.hear('a', b"PLAY Ann");
        assert_eq!(repeated.last(), Some(&told('a')), "an answer that is sent again is complete");
    }
}

#[test]
fn a_theft_is_sent_to_the_thief_and_the_victim_alone() {
    let rules = Rules { steal: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "12**").joined("abs");
    talk.hear('b', b"KEY l");
    check(
        &mut talk,
        'a',
        "KEY L",
        &[
            "a> GOLD 20 20 0",
            "b> GOLD 0 0 0",
            "s> GOLD 0 0 0",
            "a> [.B.@]",
            "b> [.@.A]",
            "s> [.B.A]",
            "a> QUIT GAME OVER:/A         20 Ann/B          0 Bob",
            "b> QUIT GAME OVER:/A         20 Ann/B          0 Bob",
            "s> QUIT GAME OVER:/A         20 Ann/B          0 Bob",
        ],
    );

    let mut talk = Talk::in_room(Dialect::V2021, rules, "1.2**").joined("abs");
    talk.hear('b', b"KEY l");
    talk.hear('b', b"KEY h");
    talk.notices();
    talk.hear('a', b"KEY l");
    check(
        &mut talk,
        'a',
        "KEY l",
        &["a> GOLD 10 10 10", "b> GOLD 0 0 10", "a> [.B@.*]", "b> [.@A.*]", "s> [.BA.*]"],
    );
    assert_eq!(talk.notices(), ["A takes 10 nuggets from other purses"]);
}

#[test]
fn gold_that_a_quitter_drops_is_sent_to_everybody_who_stays() {
    let rules = Rules { drop_on_quit: true, ..Rules::default() };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1*2.*").joined("abs");
    talk.hear('a', b"KEY l");
    talk.notices();
    check(
        &mut talk,
        'a',
        "KEY Q",
        &[
            "a> QUIT Thanks for playing!",
            "b> GOLD 0 0 20",
            "s> GOLD 0 0 20",
            "b> [.*@.*]",
            "s> [.*B.*]",
        ],
    );
    assert_eq!(talk.notices(), ["A quits", "A leaves 10 nuggets behind, 20 left"]);
}

fn lifetime(steps: u32) -> Rules {
    Rules { lifetime: Some(Lifetime { steps, food: 1 }), ..Rules::default() }
}

#[test]
fn a_player_is_sent_its_steps_left_after_each_of_its_moves() {
    for dialect in BOTH {
        let mut talk = Talk::in_room(dialect, lifetime(9), "1.%2*").joined("a");
        let heard = talk.hear('b', b"PLAY Bob");
        assert_eq!(heard[5], complaint(dialect, 'b', "9 steps left"), "{heard:?}");
        let told = |steps| complaint(dialect, 'a', &format!("{steps} steps left"));
        let [a, b] = ["a> [.@%B*]", "b> [.A%@*]"];
        check(&mut talk, 'a', "KEY l", &[a, b, &told(8)]);
        let [a, b] = ["a> [..@B*]", "b> [..A@*]"];
        check(&mut talk, 'a', "KEY l", &[a, b, &told(9)]);
        check(&mut talk, 'a', "KEY k", &[]);
        check(&mut talk, 'b', "KEY k", &[]);
    }
}

#[test]
fn a_player_without_steps_left_is_sent_the_reason() {
    let mut talk = Talk::in_room(Dialect::V2021, lifetime(1), "1.2*").joined("abs");
    talk.notices();
    check(
        &mut talk,
        'a',
        "KEY l",
        &["a> QUIT You have no steps left and are out of the game.", "b> [..@*]", "s> [..B*]"],
    );
    assert_eq!(talk.notices(), ["A has no steps left and is out"]);

    let mut talk = Talk::in_room(Dialect::V2019, lifetime(1), "1.2*").joined("abs");
    let heard = talk.hear('a', b"KEY l");
    assert_eq!(heard[..2], ["a> NO You have no steps left and are out of the game.", "a> QUIT"]);
}

#[test]
fn a_player_who_starves_on_gold_drops_it() {
    let rules = Rules { drop_on_quit: true, ..lifetime(1) };
    let mut talk = Talk::in_room(Dialect::V2021, rules, "1*2*").joined("abs");
    let heard = talk.hear('a', b"KEY l");
    assert_eq!(heard[1..3], ["b> GOLD 0 0 20", "s> GOLD 0 0 20"]);
    assert_eq!(heard[3], "b> [.*@*]");
}
