//! Until the game can be played, with all kinds of servers.

use super::*;

#[test]
fn it_asks_to_join_with_growing_pauses_and_then_gives_up() {
    let mut bot = bot(PACE);
    assert_eq!(effects(&mut bot), ["PLAY bot"]);
    let mut out = wake_until(&mut bot, 60_000);
    assert_eq!(out.pop(), Some((15_750, "leave: NoAnswer".to_owned())));
    let asked: Vec<u64> =
        out.into_iter().filter(|(_, say)| say == "PLAY bot").map(|x| x.0).collect();
    assert_eq!(asked, [250, 750, 1_750, 3_750, 7_750]);
}

#[test]
fn without_its_letter_it_plays_but_asks_again() {
    let mut bot = bot(PACE);
    effects(&mut bot);
    bot.handle_go(ms(0));
    hear(&mut bot, 10, WELCOME[3]);
    let out: Vec<String> = wake_until(&mut bot, 260).into_iter().map(|(_, say)| say).collect();
    assert!(out.contains(&"PLAY bot".to_owned()) && out.contains(&"KEY l".to_owned()), "{out:?}");
    hear(&mut bot, 261, "OK C");
    assert!(wake_until(&mut bot, 20_000).iter().all(|(_, say)| say.starts_with("KEY ")));
}

/// There are servers to whom a second `PLAY` is a second player.
#[test]
fn in_the_game_it_asks_no_more_to_join_but_steps_to_be_shown_where_it_is() {
    for told in ["GOLD 0 0 250", "DISPLAY\n|....*|\n"] {
        let mut bot = bot(PACE);
        effects(&mut bot);
        hear(&mut bot, 1, "OK C");
        hear(&mut bot, 2, told);
        assert!(!bot.is_joining(), "{told:?}");
        assert_eq!(wake_until(&mut bot, 5_000), [], "not before it may go");
        bot.handle_go(ms(5_000));
        assert!(keys(&mut bot, 6_000).len() > 3, "{told:?}");
    }
}

#[test]
fn with_pictures_that_make_no_sense_it_asks_no_more_either() {
    let mut bot = bot(PACE);
    effects(&mut bot);
    hear(&mut bot, 1, "OK C");
    assert!(bot.handle_message(ms(2), b"DISPLAY\n").is_err());
    assert_eq!(wake_until(&mut bot, 60_000), [(15_750, "leave: NotShown".to_owned())]);
}

#[test]
fn with_nothing_but_its_letter_it_asks_again() {
    let mut bot = bot(PACE);
    effects(&mut bot);
    hear(&mut bot, 1, "OK C");
    assert_eq!(wake_until(&mut bot, 250), [(250, "PLAY bot".to_owned())]);
}

#[test]
fn whoever_answers_nonsense_has_answered() {
    let mut bot = bot(PACE);
    assert!(bot.handle_message(ms(1), b"HELLO").is_err());
    let ending = wake_until(&mut bot, 60_000).pop().unwrap().1;
    assert_eq!(ending, "leave: NotShown");
    let words = Ending::NotShown.words("here:1");
    assert!(words.starts_with("here:1 answers, but has not shown a map"), "{words}");
}

#[test]
fn pictures_that_are_not_as_large_as_promised_are_played_by() {
    let mut bot = bot(0);
    for message in ["OK C", "GRID 2 8", "GOLD 0 0 250", "DISPLAY\n|@...*|\n"] {
        hear(&mut bot, 0, message);
    }
    assert_eq!(effects(&mut bot), ["PLAY bot"]);
    bot.handle_go(ms(0));
    assert_eq!(wake_until(&mut bot, 0), [(0, "KEY l".to_owned())]);
}

/// It ran left; where it came from keeps its mark.
#[test]
fn of_two_marks_it_is_at_the_one_where_its_key_has_led() {
    let mut bot = playing(0);
    for picture in ["DISPLAY\n|.@..*|\n", "DISPLAY\n|.@@.*|\n"] {
        assert_eq!(wake_until(&mut bot, 19), [(0, "KEY l".to_owned())]);
        hear(&mut bot, 0, picture);
    }
    assert_eq!(bot.scene().picture().and_then(Picture::you), Some(Point::new(0, 3)));
}
