//! Lost messages and silent clients: resends, lingering, disconnects and the idle timeout.

use nuggets_game::Name;

use super::*;

const RESENDS: Reliability = Reliability { resends: true, linger_ms: 0, idle_timeout_ms: None };
const LINGERS: Reliability =
    Reliability { resends: false, linger_ms: 5_000, idle_timeout_ms: None };

#[test]
fn the_last_picture_and_gold_are_resent_three_times() {
    let mut talk = joined(Dialect::V2021, "1.*", "a").with(RESENDS);
    let again = vec!["a> GOLD 0 0 10".to_owned(), "a> [@.*]".to_owned()];
    assert_eq!(talk.wait(60_000), [(250, again.clone()), (1_000, again.clone()), (4_000, again)]);
    assert_eq!(talk.room.poll_timeout(), None, "nothing is left to resend");
}

/// A process that was stopped must not send the same message three times at once.
#[test]
fn missed_resends_are_sent_once() {
    let mut talk = joined(Dialect::V2021, "1.*", "a").with(RESENDS);
    talk.now = talk.now.after(10_000);
    talk.room.handle_timeout(talk.now);
    assert_eq!(talk.drain(), ["a> GOLD 0 0 10", "a> [@.*]"]);
    assert_eq!(talk.room.poll_timeout(), None, "nothing is left to resend");

    let mut talk = joined(Dialect::V2021, "1*", "as").with(LINGERS);
    talk.hear('a', b"KEY l");
    talk.now = talk.now.after(4_500);
    talk.room.handle_timeout(talk.now);
    assert_eq!(talk.drain().len(), 2, "the end, to Ann and the spectator");
    assert_eq!(talk.room.poll_timeout(), Some(talk.now.after(500)), "then the room closes");
}

#[test]
fn a_new_picture_restarts_the_resend_schedule() {
    let mut talk = joined(Dialect::V2021, "1.2*", "ab").with(RESENDS);
    talk.wait(300);
    talk.hear('a', b"KEY l");
    let times: Vec<u64> = talk.wait(60_000).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [550, 1_300, 4_300]);
}

#[test]
fn gold_that_was_sent_without_a_picture_is_resent() {
    let mut talk = joined(Dialect::V2021, "1*#2**", "ab").with(RESENDS);
    talk.room.options.changed_only = true;
    talk.wait(60_000);
    // Bob doesn't see Ann take the gold: he is sent only how much is left.
    let sent = talk.hear('a', b"KEY l");
    let to_bob: Vec<&String> = sent.iter().filter(|sent| sent.starts_with('b')).collect();
    assert_eq!(to_bob, ["b> GOLD 0 0 20"]);
    let again = talk.wait(60_000);
    let to_bob = again.iter().filter(|(_, sent)| sent.iter().any(|sent| sent == "b> GOLD 0 0 20"));
    assert_eq!(to_bob.map(|(at, _)| at - 60_000).collect::<Vec<_>>(), [250, 1_000, 4_000]);
}

/// Many clients show n until the next `GOLD`. A move of another player restarts the picture's schedule but not the period
/// of the news; gold that another player takes ends it, because the specification requires sending that at once.
#[test]
fn the_news_of_gold_is_not_replaced_for_exactly_three_seconds() {
    let with_news = [(250, 1), (1_000, 1), (4_000, 2), (5_000, 2), (8_000, 2)];
    let late = [(250, 1), (1_000, 2), (4_000, 2), (5_000, 2)];
    for (drawn, other_moves_at, to, gold, expected) in [
        ("1*2**", None, 'a', "a> GOLD 0 10 20", &with_news[..]),
        ("1*2**", None, 'b', "b> GOLD 0 0 20", &[(250, 2), (1_000, 2), (4_000, 2)]),
        ("1*2.**", Some(2_600), 'a', "a> GOLD 0 10 20", &late[..]),
        ("1*2.**", Some(2_000), 'a', "a> GOLD 0 10 20", &late),
        ("1*2***", Some(0), 'a', "a> GOLD 0 10 20", &[(250, 2), (1_000, 2), (4_000, 2)]),
    ] {
        let mut talk = joined(Dialect::V2021, drawn, "ab").with(RESENDS);
        talk.hear('a', b"KEY l");
        let start = other_moves_at.unwrap_or(0);
        talk.wait(start);
        if other_moves_at.is_some() {
            talk.hear('b', b"KEY l");
        }
        let mut resent = Vec::new();
        for (at, sent) in talk.wait(60_000) {
            let own: Vec<String> = sent.into_iter().filter(|sent| sent.starts_with(to)).collect();
            assert!(own.len() < 2 || own[0] == gold, "{own:?}");
            resent.extend((!own.is_empty()).then_some((at - start, own.len())));
        }
        assert_eq!(resent, expected, "{drawn} {other_moves_at:?} {to}");
    }
}

#[test]
fn without_reliability_nothing_is_resent() {
    let mut talk = joined(Dialect::V2021, "1.*", "as");
    assert_eq!(talk.wait(60_000), []);
}

#[test]
fn the_end_is_resent_and_sent_to_clients_that_still_send_until_the_room_closes() {
    let mut talk = joined(Dialect::V2021, "1*", "as").with(LINGERS);
    talk.hear('a', b"KEY l");
    assert!(talk.room.is_over() && !talk.room.is_closed());
    let end = |to: char| format!("{to}> QUIT GAME OVER:/A         10 Ann");
    let both = vec![end('a'), end('s')];
    assert_eq!(talk.wait(300), [(250, both.clone())]);
    check(&mut talk, 'a', "KEY h", &[&end('a')]);
    check(&mut talk, 'z', "PLAY Late", &[]);
    let late = Name::new(b"Late");
    let admission = talk.room.admission_to_join(peer('z'), late.as_ref());
    assert_eq!(admission, None, "no guard has to be asked");
    assert_eq!(talk.wait(4_600), [(1_000, both.clone()), (4_000, both)]);
    assert!(!talk.room.is_closed());
    assert_eq!(talk.wait(200), [(5_000, vec![])]);
    assert!(talk.room.is_closed(), "five seconds have passed");
    check(&mut talk, 'a', "KEY h", &[]);
}

#[test]
fn a_room_does_not_linger_when_nobody_is_reachable() {
    let mut talk = joined(Dialect::V2021, "1*", "as").with(LINGERS);
    talk.hear('a', b"KEY l");
    talk.room.handle_disconnect(talk.now, peer('a'));
    assert!(!talk.room.is_closed(), "the spectator is still reachable");
    talk.room.handle_disconnect(talk.now, peer('s'));
    assert!(talk.room.is_closed());
}

#[test]
fn a_disconnected_client_is_sent_nothing_until_it_sends_a_message() {
    let mut talk = joined(Dialect::V2021, "1.2.*", "ab").with(RESENDS);
    talk.room.handle_disconnect(talk.now, peer('b'));
    assert_eq!(talk.notices(), ["b can't be reached and is sent nothing more"]);
    check(&mut talk, 'a', "KEY l", &["a> [.@B.*]"]);
    talk.room.handle_disconnect(talk.now, peer('b'));
    assert_eq!(talk.notices(), [] as [String; 0], "it is logged once");
    check(&mut talk, 'b', "KEY l", &["a> [.@.B*]", "b> [.A.@*]"]);
}

#[test]
fn a_client_that_sends_again_is_soon_resent_what_it_missed() {
    let mut talk = joined(Dialect::V2021, "1.2.*", "ab").with(RESENDS);
    talk.room.handle_disconnect(talk.now, peer('b'));
    talk.hear('a', b"KEY l");
    talk.wait(60_000);
    check(&mut talk, 'b', "KEY k", &[]);
    let missed = vec!["b> GOLD 0 0 10".to_owned(), "b> [.A@.*]".to_owned()];
    assert_eq!(talk.wait(300), [(60_250, missed)]);
}

#[test]
fn an_idle_player_is_dropped_and_sent_the_reason() {
    let reliability = Reliability { idle_timeout_ms: Some(10_000), ..Reliability::none() };
    let mut talk = joined(Dialect::V2021, "1.2*", "abs").with(reliability);
    assert_eq!(talk.wait(9_000), []);
    talk.hear('b', b"KEY k");
    let out = "a> QUIT You have not pressed a key for too long and are out of the game.";
    let sent = [out, "b> [..@*]", "s> [..B*]"].map(str::to_owned).to_vec();
    assert_eq!(talk.wait(2_000), [(10_000, sent)]);
    assert_eq!(talk.notices(), ["A sent nothing for too long and is out"]);
    assert_eq!(talk.wait(9_000).len(), 1, "Bob follows; spectators have no idle timeout");
    assert_eq!(talk.room.game().players().len(), 2);
}

#[test]
fn a_reconnected_client_is_sent_everything_to_begin_again() {
    let mut talk = joined(Dialect::V2021, "1.2.*", "ab").with(LINGERS);
    talk.room.handle_disconnect(talk.now, peer('b'));
    check(&mut talk, 'a', "KEY l", &["a> [.@B.*]"]);
    talk.notices();
    for nobody in ['x', 'y'] {
        talk.room.handle_reconnect(talk.now, peer(nobody));
        assert_eq!(talk.drain(), [""; 0], "it has no seat");
    }
    talk.room.handle_reconnect(talk.now, peer('b'));
    let welcome = ["b> OK B", "b> GRID 3 7", "b> GOLD 0 0 10", "b> [.A@.*]"];
    assert_eq!(talk.drain(), welcome);
    assert_eq!(talk.notices(), ["b is connected again"]);
    check(&mut talk, 'a', "KEY h", &["a> [@.B.*]", "b> [A.@.*]"]);

    talk.room.handle_disconnect(talk.now, peer('a'));
    talk.hear('b', b"KEY L");
    talk.room.handle_reconnect(talk.now, peer('a'));
    assert_eq!(talk.drain(), ["a> QUIT GAME OVER:/A          0 Ann/B         10 Bob"]);
}

/// Each is an input of the game, and the journal must record the game after each of them.
#[test]
fn one_idle_player_is_dropped_per_call() {
    let reliability = Reliability { idle_timeout_ms: Some(10_000), ..Reliability::none() };
    let mut talk = joined(Dialect::V2021, "1.2*", "ab").with(reliability);
    let now = Timestamp(10_000);
    for letter in 0..2 {
        assert_eq!(talk.room.poll_timeout(), Some(now));
        talk.room.handle_timeout(now);
        let letter = Letter::nth(letter).unwrap();
        let leave = RoomRecord { at: now, what: RoomEvent::Leave(letter) };
        assert_eq!(talk.room.poll_record(), Some(leave));
        assert_eq!(talk.room.poll_record(), None);
    }
    assert_eq!(talk.room.poll_timeout(), None);
}
