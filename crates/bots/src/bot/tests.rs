//! A bot in virtual time: inputs, and the exact outputs. The session crate tests the behaviour that all clients share.

use super::*;
use crate::BrainKind;

const WELCOME: [&str; 4] = ["OK C", "GRID 1 7", "GOLD 0 0 250", "DISPLAY\n|@...*|\n"];
const PACE_MS: u64 = 100;

fn profile(pace_ms: u64, seed: u64, brain: Box<dyn Brain + Send>) -> BotProfile {
    BotProfile { name: b"bot".to_vec(), brain, pace_ms, seed, policy: SessionPolicy::BOT }
}

/// A scout that has asked to join.
fn bot(pace_ms: u64) -> Bot {
    let mut bot = Bot::new(Timestamp(0), profile(pace_ms, 1, BrainKind::Scout.build(1)));
    assert_eq!(effects(&mut bot), ["PLAY bot"]);
    bot
}

/// A scout that has just been accepted and may play.
fn playing(pace_ms: u64) -> Bot {
    let mut bot = bot(pace_ms);
    start(&mut bot);
    assert_eq!(effects(&mut bot), [""; 0]);
    bot
}

fn start(bot: &mut Bot) {
    for message in WELCOME {
        hear(bot, 0, message);
    }
    bot.handle_start(Timestamp(0));
}

fn hear(bot: &mut Bot, ms: u64, message: &str) {
    bot.handle_message(Timestamp(ms), message.as_bytes()).unwrap();
}

fn effects(bot: &mut Bot) -> Vec<String> {
    let text = |effect| match effect {
        Effect::Send(bytes) => bytes.escape_ascii().to_string(),
        Effect::Leave(outcome) => format!("leave: {outcome:?}"),
    };
    std::iter::from_fn(|| bot.poll_effect()).map(text).collect()
}

/// Wakes the bot whenever it asks for it; returns its outputs with their times.
fn wake_until(bot: &mut Bot, ms: u64) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    while let Some(at) = bot.poll_timeout().filter(|at| at.0 <= ms) {
        bot.handle_timeout(at);
        out.extend(effects(bot).into_iter().map(|effect| (at.0, effect)));
        assert_ne!(bot.poll_timeout(), Some(at), "woken twice for the same");
    }
    out
}

/// Returns the times at which it pressed keys; no other output is allowed.
fn key_times(bot: &mut Bot, until_ms: u64) -> Vec<u64> {
    let out = wake_until(bot, until_ms);
    assert!(out.iter().all(|(_, effect)| effect.starts_with("KEY ")), "{out:?}");
    out.into_iter().map(|(at, _)| at).collect()
}

#[test]
fn it_waits_until_it_may_play() {
    let mut bot = bot(PACE_MS);
    for message in WELCOME {
        hear(&mut bot, 0, message);
    }
    assert_eq!(wake_until(&mut bot, 60_000), []);
    bot.handle_start(Timestamp(60_000));
    let first = key_times(&mut bot, 61_000)[0];
    assert!((60_000..=60_000 + PACE_MS).contains(&first));
}

#[test]
fn it_presses_keys_at_its_pace_with_some_spread() {
    let mut bot = playing(PACE_MS);
    let times = key_times(&mut bot, 10_000);
    assert!(times[0] <= PACE_MS, "the first comes within one pace");
    let pauses: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.iter().all(|pause| (87..=113).contains(pause)), "{pauses:?}");
    assert!(pauses.iter().any(|&pause| pause != pauses[0]), "they are spread");
    assert_eq!(bot.keys(), u64::try_from(times.len()).unwrap());
}

#[test]
fn with_a_short_pace_it_waits_a_little_for_the_answer() {
    let mut bot = playing(16);
    let first = key_times(&mut bot, 20)[0];
    assert!(key_times(&mut bot, first + 59).is_empty(), "there is no answer");
    hear(&mut bot, first + 59, "DISPLAY\n|.@.A*|\n");
    let second = key_times(&mut bot, first + 59)[0];
    hear(&mut bot, second + 2, "DISPLAY\n|..@A*|\n");
    let third = key_times(&mut bot, second + 20)[0];
    assert!((14..=18).contains(&(third - second)), "at its pace: {second}, {third}");
}

#[test]
fn the_seed_fixes_when_keys_are_pressed() {
    let times = |seed| {
        let profile = profile(PACE_MS, seed, BrainKind::Scout.build(1));
        let mut bot = Bot::new(Timestamp(0), profile);
        start(&mut bot);
        effects(&mut bot);
        key_times(&mut bot, 2_000)
    };
    assert_eq!(times(5), times(5));
    assert_ne!(times(5), times(6));
}

/// Pictures also show what others do; only our own move answers our key.
#[test]
fn without_a_pace_the_next_key_follows_the_answer() {
    let mut bot = playing(0);
    assert_eq!(key_times(&mut bot, 0), [0]);
    hear(&mut bot, 3, "DISPLAY\n|@..A*|\n");
    assert!(key_times(&mut bot, 3).is_empty());
    hear(&mut bot, 5, "DISPLAY\n|.@.A*|\n");
    assert_eq!(key_times(&mut bot, 5), [5]);
}

#[test]
fn without_a_pace_the_wait_for_an_answer_doubles_up_to_a_limit() {
    let mut bot = playing(0);
    assert_eq!(key_times(&mut bot, 2_000), [0, 20, 60, 140, 300, 620, 940, 1_260, 1_580, 1_900]);
    hear(&mut bot, 2_000, "DISPLAY\n|.@..*|\n");
    assert_eq!(key_times(&mut bot, 2_030), [2_000, 2_020]);
}

#[test]
fn the_latest_picture_decides_the_next_key() {
    let mut bot = playing(PACE_MS);
    hear(&mut bot, 1, "DISPLAY\n|*..@.|\n");
    let out = wake_until(&mut bot, PACE_MS);
    assert_eq!(out[0].1, "KEY h");
}

/// The picture after the last key was lost, and the brain's key has no effect where we are now.
#[test]
fn after_several_unanswered_keys_it_takes_random_steps() {
    let mut bot = playing(0);
    let mut sent = |until| -> Vec<String> {
        wake_until(&mut bot, until).into_iter().map(|(_, sent)| sent).collect()
    };
    assert_eq!(sent(140), ["KEY l"; 4]);
    let random = sent(5_000);
    assert!(random.iter().any(|sent| sent != "KEY l"), "{random:?}");
    hear(&mut bot, 5_001, WELCOME[3]);
    assert_eq!(wake_until(&mut bot, 5_400)[0].1, "KEY l");
}

#[test]
fn a_brain_without_a_key_is_asked_again() {
    struct Sleepy(u32);
    impl Brain for Sleepy {
        fn next_key(&mut self, _: &Scene) -> Option<Stroke> {
            self.0 += 1;
            (self.0 > 3).then_some(Stroke::Step(Direction::Left))
        }
    }
    let mut bot = Bot::new(Timestamp(0), profile(PACE_MS, 1, Box::new(Sleepy(0))));
    start(&mut bot);
    effects(&mut bot);
    assert!(key_times(&mut bot, 20_000)[0] > 2 * PACE_MS);
}

#[test]
fn in_the_game_without_a_picture_it_steps_to_get_one() {
    for message in ["GOLD 0 0 250", "DISPLAY\n|....*|\n"] {
        let mut bot = bot(PACE_MS);
        hear(&mut bot, 1, "OK C");
        hear(&mut bot, 2, message);
        assert!(!bot.is_joining(), "{message:?}");
        assert_eq!(wake_until(&mut bot, 5_000), [], "not before it may play");
        bot.handle_start(Timestamp(5_000));
        assert!(key_times(&mut bot, 6_000).len() > 3, "{message:?}");
    }
}

#[test]
fn stopped_in_the_game_it_leaves_and_presses_no_more_keys() {
    let mut bot = playing(PACE_MS);
    bot.handle_stop(Timestamp(1));
    assert_eq!(effects(&mut bot), ["KEY Q"]);
    hear(&mut bot, 2, "DISPLAY\n|.@..*|\n");
    assert_eq!(wake_until(&mut bot, 300), []);
    hear(&mut bot, 300, "QUIT Thanks for playing!");
    assert_eq!(effects(&mut bot), ["leave: Left { farewell: \"Thanks for playing!\" }"]);
}

#[test]
fn a_bot_that_is_held_presses_no_key_until_it_may_start_again() {
    let mut bot = playing(PACE_MS);
    bot.handle_hold();
    assert_eq!(wake_until(&mut bot, 60_000), []);
    bot.handle_start(Timestamp(60_000));
    let first = wake_until(&mut bot, 61_000);
    assert!(first.first().is_some_and(|(ms, key)| *ms >= 60_000 && key == "KEY l"), "{first:?}");
}
