//! Bad networks and silent people: what is said again, for how long, and who is let go.

use super::*;

fn careful(care: Care, drawn: &str, who: &[(char, &str)]) -> Talk {
    let mut talk = Talk::new(Dialect::V2021, drawn);
    talk.room = talk.room.careful(care);
    for (from, says) in who {
        talk.hear(*from, says.as_bytes());
    }
    talk.notices();
    talk
}

const REPEATS: Care = Care { repeats: true, linger_ms: 0, idle_timeout_ms: None };
const LINGERS: Care = Care { repeats: false, linger_ms: 5_000, idle_timeout_ms: None };
const TWO: [(char, &str); 2] = [('a', "PLAY Ann"), ('s', "SPECTATE")];

#[test]
fn the_last_picture_and_gold_are_said_again_three_times_and_then_no_more() {
    let mut talk = careful(REPEATS, "1.*", &[('a', "PLAY Ann")]);
    let again = vec!["a> GOLD 0 0 10".to_string(), display('a', "@.*")];
    assert_eq!(talk.wait(60_000), [(250, again.clone()), (1_000, again.clone()), (4_000, again)]);
    assert_eq!(talk.room.poll_timeout(), None, "it rests");
}

#[test]
fn whatever_is_new_begins_the_count_anew_for_whoever_is_told() {
    let mut talk = careful(REPEATS, "1.2*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.wait(300);
    talk.hear('a', b"KEY l");
    let times: Vec<u64> = talk.wait(60_000).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [550, 1_300, 4_300]);
}

#[test]
fn gold_that_comes_without_a_picture_is_said_again_too() {
    let mut talk = careful(REPEATS, "1*#2**", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.room.changed_only = true;
    talk.wait(60_000);
    // Bob doesn't see her take it: all that he hears is how much is left.
    let told = talk.hear('a', b"KEY l");
    let to_bob: Vec<&String> = told.iter().filter(|told| told.starts_with('b')).collect();
    assert_eq!(to_bob, ["b> GOLD 0 0 20"]);
    let again = talk.wait(60_000);
    let to_bob = again.iter().filter(|(_, told)| told.iter().any(|told| told == "b> GOLD 0 0 20"));
    assert_eq!(to_bob.map(|(at, _)| at - 60_000).collect::<Vec<_>>(), [250, 1_000, 4_000]);
}

#[test]
fn without_care_nothing_is_ever_said_twice() {
    let mut talk = joined(Dialect::V2021, "1.*", &TWO);
    assert_eq!(talk.wait(60_000), []);
}

#[test]
fn the_end_is_told_again_and_to_whoever_still_speaks_until_the_room_closes() {
    let mut talk = careful(LINGERS, "1*", &TWO);
    talk.hear('a', b"KEY l");
    assert!(talk.room.is_over() && !talk.room.is_closed());
    let end = |to: char| format!("{to}> QUIT GAME OVER:/A         10 Ann");
    let both = vec![end('a'), end('s')];
    assert_eq!(talk.wait(300), [(250, both.clone())]);
    check(&mut talk, 'a', "KEY h", &[&end('a')]);
    check(&mut talk, 'z', "PLAY Late", &[]);
    assert_eq!(talk.wait(4_600), [(1_000, both.clone()), (4_000, both)]);
    assert!(!talk.room.is_closed());
    assert_eq!(talk.wait(200), [(5_000, vec![])]);
    assert!(talk.room.is_closed(), "five seconds are over");
    check(&mut talk, 'a', "KEY h", &[]);
}

#[test]
fn nobody_waits_for_those_who_cannot_be_reached() {
    let mut talk = careful(LINGERS, "1*", &TWO);
    talk.hear('a', b"KEY l");
    talk.room.handle_unreachable(talk.now, peer('a'));
    assert!(!talk.room.is_closed(), "the spectator may still listen");
    talk.room.handle_unreachable(talk.now, peer('s'));
    assert!(talk.room.is_closed());
}

#[test]
fn who_cannot_be_reached_is_sent_nothing_until_it_speaks() {
    let mut talk = careful(REPEATS, "1.2.*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.room.handle_unreachable(talk.now, peer('b'));
    assert_eq!(talk.notices(), ["127.0.0.1:98 can't be reached and is sent nothing more"]);
    check(&mut talk, 'a', "KEY l", &[&display('a', ".@B.*")]);
    talk.room.handle_unreachable(talk.now, peer('b'));
    assert_eq!(talk.notices(), [] as [String; 0], "once is enough");
    check(&mut talk, 'b', "KEY l", &[&display('a', ".@.B*"), &display('b', ".A.@*")]);
}

#[test]
fn who_is_back_and_moves_nobody_is_soon_shown_what_it_missed() {
    let mut talk = careful(REPEATS, "1.2.*", &[('a', "PLAY Ann"), ('b', "PLAY Bob")]);
    talk.room.handle_unreachable(talk.now, peer('b'));
    talk.hear('a', b"KEY l");
    talk.wait(60_000);
    check(&mut talk, 'b', "KEY k", &[]);
    let missed = vec!["b> GOLD 0 0 10".to_string(), display('b', ".A@.*")];
    assert_eq!(talk.wait(300), [(60_250, missed)]);
}

#[test]
fn who_presses_no_key_for_too_long_is_out_and_told_why() {
    let care = Care { idle_timeout_ms: Some(10_000), ..Care::none() };
    let mut talk =
        careful(care, "1.2*", &[('a', "PLAY Ann"), ('b', "PLAY Bob"), ('s', "SPECTATE")]);
    assert_eq!(talk.wait(9_000), []);
    talk.hear('b', b"KEY k");
    let out = "a> QUIT You have not pressed a key for too long and are out of the game.";
    assert_eq!(
        talk.wait(2_000),
        [(10_000, vec![out.to_string(), display('b', "..@*"), display('s', "..B*")])]
    );
    assert_eq!(talk.notices(), ["A was silent for too long and is out"]);
    assert_eq!(talk.wait(9_000).len(), 1, "Bob follows; a spectator may be silent for ever");
    assert_eq!(talk.room.game().players().len(), 2);
}
