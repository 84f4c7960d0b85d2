//! Keys, and the recipients of their effects.

use super::*;

#[test]
fn a_step_is_sent_to_everybody_and_a_step_into_a_wall_to_nobody() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1...2*", "abs");
        check(&mut talk, 'a', "KEY l", &["a> [.@..B*]", "b> [.A..@*]", "s> [.A..B*]"]);
        for key in ["k", "j", "y", "u", "b", "n", "K", "J", "Y", "U", "B", "N"] {
            check(&mut talk, 'a', &format!("KEY {key}"), &[]);
        }
    }
}

#[test]
fn with_changed_only_a_step_out_of_sight_is_not_sent() {
    let mut talk = joined(Dialect::V2021, "1..###..2*", "abs");
    talk.room.options.changed_only = true;
    let alone = "a> DISPLAY/+----       /|.@.#       /+----       /";
    assert_eq!(talk.hear('a', b"KEY l"), [alone, "s> [.A.###..B*]"]);
    let gold = talk.hear('b', b"KEY l");
    let count = |kinds: [char; 2]| gold.iter().filter(|sent| sent[3..].starts_with(kinds)).count();
    let (news, pictures) = (count(['G', 'G']), count(['D', '[']));
    assert_eq!((news, pictures), (3, 2), "gold is sent to all peers");
}

#[test]
fn gold_is_sent_to_everybody_with_their_own_purse() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*.*2.*", "abs");
        talk.hear('b', b"KEY h");
        check(
            &mut talk,
            'a',
            "KEY l",
            &[
                "a> GOLD 10 10 10",
                "b> GOLD 0 10 10",
                "s> GOLD 0 0 10",
                "a> [.@.B..*]",
                "b> [.A.@..*]",
                "s> [.A.B..*]",
            ],
        );
    }
}

#[test]
fn a_sprint_makes_one_gold_round_and_one_display_round() {
    let mut talk = joined(Dialect::V2021, "1*.*.2.*", "ab");
    talk.hear('b', b"KEY h");
    check(
        &mut talk,
        'a',
        "KEY L",
        &[
            "a> GOLD 30 30 0",
            "b> GOLD 0 0 0",
            "a> [...B...@]",
            "b> [...@...A]",
            "a> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
            "b> QUIT GAME OVER:/A         30 Ann/B          0 Bob",
        ],
    );
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
    for says in ["aPLAY Ann", "bPLAY Bob", "aKEY l", "aKEY Q", "bKEY L"] {
        talk.hear(says.chars().next().unwrap(), &says.as_bytes()[1..]);
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
