//! A bot in virtual time: what goes in, and exactly what comes out.

use nuggets_atlas::{Direction, Point, Stroke};

use super::*;
use crate::BrainKind;

mod joining;

const WELCOME: [&str; 4] = ["OK C", "GRID 1 7", "GOLD 0 0 250", "DISPLAY\n|@...*|\n"];
const PACE: u64 = 100;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn bot(pace: u64) -> Session {
    Session::new(ms(0), b"bot", BrainKind::Scout.build(1), ms(pace), 1, Limits::default())
}

/// A bot that has just been let in.
fn playing(pace: u64) -> Session {
    let mut bot = bot(pace);
    welcome(&mut bot);
    assert_eq!(effects(&mut bot), ["PLAY bot"]);
    bot
}

fn welcome(bot: &mut Session) {
    for message in WELCOME {
        hear(bot, 0, message);
    }
    bot.handle_go(ms(0));
}

fn hear(bot: &mut Session, at: u64, message: &str) {
    bot.handle_message(ms(at), message.as_bytes()).unwrap();
}

fn effects(bot: &mut Session) -> Vec<String> {
    let text = |effect| match effect {
        Effect::Send(bytes) => bytes.escape_ascii().to_string(),
        Effect::Leave(ending) => format!("leave: {ending:?}"),
    };
    std::iter::from_fn(|| bot.poll_effect()).map(text).collect()
}

/// Wakes the bot whenever it asks for it: what comes out of it when.
fn wake_until(bot: &mut Session, until: u64) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    while let Some(at) = bot.poll_timeout().filter(|at| *at <= ms(until)) {
        bot.handle_timeout(at);
        let at_ms = u64::try_from(at.as_millis()).unwrap();
        out.extend(effects(bot).into_iter().map(|effect| (at_ms, effect)));
        assert_ne!(bot.poll_timeout(), Some(at), "woken twice for the same");
    }
    out
}

fn keys(bot: &mut Session, until: u64) -> Vec<u64> {
    let out = wake_until(bot, until);
    assert!(out.iter().all(|(_, effect)| effect.starts_with("KEY ")), "{out:?}");
    out.into_iter().map(|(at, _)| at).collect()
}

#[test]
fn a_complaint_during_the_game_is_no_reason_for_a_goodbye_that_we_asked_for() {
    let mut bot = playing(PACE);
    hear(&mut bot, 1, "NO unrecognized keystroke");
    bot.handle_stop(ms(2));
    hear(&mut bot, 3, "QUIT");
    assert_eq!(effects(&mut bot), ["KEY Q", "leave: Quit(\"\")"]);
}

#[test]
fn it_waits_until_it_may_go() {
    let mut bot = bot(PACE);
    for message in WELCOME {
        hear(&mut bot, 0, message);
    }
    assert_eq!(effects(&mut bot), ["PLAY bot"]);
    assert_eq!(wake_until(&mut bot, 60_000), []);
    bot.handle_go(ms(60_000));
    let first = keys(&mut bot, 61_000)[0];
    assert!((60_000..=60_000 + PACE).contains(&first));
}

#[test]
fn it_presses_keys_at_its_pace_a_little_spread() {
    let mut bot = playing(PACE);
    let at = keys(&mut bot, 10_000);
    assert!(at[0] <= PACE, "the first comes within the first beat");
    let pauses: Vec<u64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.iter().all(|pause| (87..=113).contains(pause)), "{pauses:?}");
    assert!(pauses.iter().any(|&pause| pause != pauses[0]), "they are spread");
    assert_eq!(bot.keys(), u64::try_from(at.len()).unwrap());
}

#[test]
fn two_bots_of_one_seed_beat_alike_and_of_two_seeds_do_not() {
    let beats = |seed| {
        let mut bot = Session::new(
            ms(0),
            b"bot",
            BrainKind::Scout.build(1),
            ms(PACE),
            seed,
            Limits::default(),
        );
        welcome(&mut bot);
        effects(&mut bot);
        keys(&mut bot, 2_000)
    };
    assert_eq!(beats(5), beats(5));
    assert_ne!(beats(5), beats(6));
}

/// What others do is shown all the time; only our own move is the answer to our key.
#[test]
fn without_a_pace_the_next_key_follows_the_answer() {
    let mut bot = playing(0);
    assert_eq!(keys(&mut bot, 0), [0]);
    hear(&mut bot, 3, "DISPLAY\n|@..A*|\n");
    assert_eq!(keys(&mut bot, 3), []);
    hear(&mut bot, 5, "DISPLAY\n|.@.A*|\n");
    assert_eq!(keys(&mut bot, 5), [5]);
}

#[test]
fn without_a_pace_an_answer_that_does_not_come_is_waited_for_longer_each_time() {
    let mut bot = playing(0);
    assert_eq!(keys(&mut bot, 2_000), [0, 20, 60, 140, 300, 620, 940, 1_260, 1_580, 1_900]);
    hear(&mut bot, 2_000, "DISPLAY\n|.@..*|\n");
    assert_eq!(keys(&mut bot, 2_030), [2_000, 2_020]);
}

#[test]
fn the_next_key_is_decided_by_the_latest_picture() {
    let mut bot = playing(PACE);
    hear(&mut bot, 1, "DISPLAY\n|*..@.|\n");
    let out = wake_until(&mut bot, PACE);
    assert_eq!(out[0].1, "KEY h");
}

/// The picture of where the last key led to was lost, and from there the brain's key leads nowhere.
#[test]
fn after_some_keys_without_an_answer_it_tries_others() {
    let mut bot = playing(0);
    let mut said = |until| -> Vec<String> {
        wake_until(&mut bot, until).into_iter().map(|(_, say)| say).collect()
    };
    assert_eq!(said(140), ["KEY l"; 4]);
    let others = said(5_000);
    assert!(others.iter().any(|say| say != "KEY l"), "{others:?}");
    hear(&mut bot, 5_001, WELCOME[3]);
    assert_eq!(wake_until(&mut bot, 5_400)[0].1, "KEY l");
}

#[test]
fn a_brain_with_nothing_to_do_presses_nothing_and_is_asked_again() {
    struct Sleepy(u32);
    impl Brain for Sleepy {
        fn next_key(&mut self, _: &Scene) -> Option<Stroke> {
            self.0 += 1;
            (self.0 > 3).then_some(Stroke::Step(Direction::Left))
        }
    }
    let mut bot = Session::new(ms(0), b"bot", Box::new(Sleepy(0)), ms(PACE), 1, Limits::default());
    welcome(&mut bot);
    effects(&mut bot);
    assert!(keys(&mut bot, 20_000)[0] > 2 * PACE);
}

#[test]
fn a_refusal_ends_it_in_both_dialects() {
    for (message, ending) in [
        ("NO", "leave: Refused(\"\")"),
        ("NO such luck", "leave: Refused(\"such luck\")"),
        (
            "QUIT Game is full: no more players can join.",
            "leave: Refused(\"Game is full: no more players can join.\")",
        ),
    ] {
        let mut bot = bot(PACE);
        effects(&mut bot);
        hear(&mut bot, 5, message);
        assert_eq!(effects(&mut bot), [ending]);
        assert_eq!(bot.poll_timeout(), None);
    }
}

#[test]
fn a_complaint_that_stays_the_only_answer_is_the_reason() {
    let mut bot = bot(PACE);
    hear(&mut bot, 5, "ERROR not now");
    let out = wake_until(&mut bot, 60_000);
    assert_eq!(out.last().unwrap().1, "leave: Refused(\"not now\")");
}

#[test]
fn the_end_of_the_game_ends_it_in_both_dialects() {
    for messages in
        [&["QUIT GAME OVER:\nC        250 bot"][..], &["GAMEOVER\nC        250 bot\n", "QUIT"]]
    {
        let mut bot = playing(PACE);
        for message in messages {
            hear(&mut bot, 5, message);
        }
        assert_eq!(effects(&mut bot), ["leave: GameOver(\"C        250 bot\")"]);
        assert_eq!(wake_until(&mut bot, 60_000), []);
    }
}

#[test]
fn where_quit_has_no_words_those_before_it_are_the_reason() {
    let mut bot = playing(PACE);
    hear(&mut bot, 5, "NO The server is shutting down.");
    hear(&mut bot, 5, "QUIT");
    assert_eq!(effects(&mut bot), ["leave: Quit(\"The server is shutting down.\")"]);
}

#[test]
fn a_server_that_falls_silent_is_given_up_after_half_a_minute() {
    let mut bot = playing(PACE);
    let out = wake_until(&mut bot, 60_000);
    let (at, last) = out.last().unwrap();
    assert_eq!(last, "leave: Lost");
    assert_eq!(*at, out[0].0 + 30_000, "counted from the first key without an answer");
}

/// It does not know us any more: it was started anew.
#[test]
fn a_server_that_only_complains_is_given_up_too() {
    let mut bot = playing(PACE);
    for at in (0..60_000).step_by(500) {
        wake_until(&mut bot, at);
        hear(&mut bot, at, "ERROR You have not joined this game.");
    }
    assert_eq!(bot.stage, Stage::Left);
}

#[test]
fn a_server_that_goes_on_telling_is_not_given_up() {
    let mut bot = playing(PACE);
    for at in (0..120_000).step_by(20_000) {
        keys(&mut bot, at);
        hear(&mut bot, at, WELCOME[3]);
    }
    assert_eq!(bot.stage, Stage::Playing);
}

#[test]
fn a_closed_port_ends_it_at_once_before_joining_and_a_moment_later_in_the_game() {
    let mut early = bot(PACE);
    effects(&mut early);
    early.handle_refused(ms(1));
    assert_eq!(effects(&mut early), ["leave: NobodyListens"]);

    let mut late = playing(PACE);
    late.handle_refused(ms(1));
    assert_eq!(wake_until(&mut late, 5_000).last().unwrap(), &(1_001, "leave: Lost".to_owned()));

    let mut over = playing(PACE);
    over.handle_refused(ms(1));
    hear(&mut over, 2, "QUIT GAME OVER:\nC        250 bot");
    assert_eq!(effects(&mut over), ["leave: GameOver(\"C        250 bot\")"]);
}

#[test]
fn another_address_is_asked_from_the_beginning() {
    let mut bot = bot(PACE);
    bot.handle_detour(ms(1));
    assert_eq!(effects(&mut bot), ["PLAY bot", "PLAY bot"]);
    assert_eq!(bot.poll_timeout(), Some(ms(251)));
}

#[test]
fn stopped_in_the_game_it_says_so_and_waits_for_the_goodbye() {
    let mut bot = playing(PACE);
    bot.handle_stop(ms(1));
    assert_eq!(effects(&mut bot), ["KEY Q"]);
    hear(&mut bot, 2, "DISPLAY\n|.@..*|\n");
    hear(&mut bot, 3, "QUIT Thanks for playing!");
    assert_eq!(effects(&mut bot), ["leave: Quit(\"Thanks for playing!\")"]);
}

#[test]
fn stopped_in_the_game_it_does_not_wait_for_ever() {
    let mut bot = playing(PACE);
    bot.handle_stop(ms(1));
    effects(&mut bot);
    let said = |at, say: &str| (at, say.to_owned());
    assert_eq!(
        wake_until(&mut bot, 60_000),
        [said(301, "KEY Q"), said(601, "KEY Q"), said(901, "leave: LeftWithoutGoodbye")]
    );
}

#[test]
fn stopped_before_it_was_let_in_it_leaves_at_once_but_politely() {
    let mut bot = bot(PACE);
    bot.handle_stop(ms(1));
    assert_eq!(effects(&mut bot), ["PLAY bot", "KEY Q", "leave: NeverJoined"]);
}

#[test]
fn a_name_is_cut_and_never_ends_with_a_newline() {
    let name = |name: &[u8]| {
        let brain = BrainKind::Scout.build(1);
        let mut bot = Session::new(ms(0), name, brain, ms(0), 1, Limits::default());
        effects(&mut bot)[0].clone()
    };
    assert_eq!(name(b"a\n"), "PLAY a_");
    assert_eq!(name(&[b'x'; 70]), format!("PLAY {}", "x".repeat(50)));
}

#[test]
fn what_is_not_understood_has_no_effect() {
    let mut bot = playing(PACE);
    for bytes in [&b""[..], b"HELLO", b"DISPLAY", b"DISPLAY\n", b"\xff\0"] {
        assert!(bot.handle_message(ms(1), bytes).is_err());
    }
    assert_eq!(effects(&mut bot), [""; 0]);
}

/// In 2019 the table goes ahead of `QUIT`, and either may be lost.
#[test]
fn sent_away_without_a_word_it_asks_for_the_table_for_a_while() {
    let mut bot = playing(PACE);
    hear(&mut bot, 5, "QUIT");
    hear(&mut bot, 6, "QUIT");
    assert_eq!(effects(&mut bot), ["KEY Q"]);
    let mut deaf = playing(PACE);
    hear(&mut deaf, 5, "QUIT");
    assert_eq!(wake_until(&mut bot, 505).len(), 2, "again and again");
    hear(&mut bot, 510, "GAMEOVER\nC        250 bot");
    assert_eq!(effects(&mut bot), ["leave: GameOver(\"C        250 bot\")"]);
    assert_eq!(wake_until(&mut deaf, 60_000).pop().unwrap(), (4_005, "leave: Quit(\"\")".into()));
}

#[test]
fn the_rules_of_the_house_are_no_refusal() {
    for news in ["NO House rules: steal", "NO 7 steps left", "ERROR House rules: steal"] {
        let mut bot = bot(PACE);
        hear(&mut bot, 1, news);
        assert!(bot.is_joining());
        assert_eq!(effects(&mut bot), ["PLAY bot"]);
    }
}
