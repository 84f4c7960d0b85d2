//! Watchers: any number of them, each with the whole map or one player's view. Also seats on reliable connections.

use nuggets_game::Letter;

use super::*;

const WHOLE_MAP: Viewer = Viewer::Spectator;

fn eyes_of(index: usize) -> Viewer {
    Viewer::Player(Letter::nth(index).unwrap())
}

/// Adds this peer as a watcher and returns the messages sent.
fn watch(talk: &mut Talk, who: char, viewer: Viewer) -> Vec<String> {
    talk.room.handle_watch(talk.now, peer(who), viewer).unwrap();
    talk.drain()
}

/// A game of Ann and Bob, who can't see each other.
fn ann_and_bob() -> Talk {
    joined(Dialect::V2021, "1*#2**", "ab")
}

/// Ann's picture: her half of the room.
fn ann_sees(to: char, row: &str) -> String {
    format!("{to}> DISPLAY/+---    /|{row}    /+---    /")
}

fn bob_sees(to: char, row: &str) -> String {
    format!("{to}> DISPLAY/   ----+/   {row}|/   ----+/")
}

#[test]
fn a_watcher_of_the_whole_map_is_sent_what_the_spectator_is_sent() {
    let mut talk = ann_and_bob();
    let begin = watch(&mut talk, 'w', WHOLE_MAP);
    assert_eq!(begin, ["w> GRID 3 8", "w> GOLD 0 0 30", "w> [A*#B**]"]);
    talk.hear('s', b"SPECTATE");
    let sent = talk.hear('a', b"KEY l");
    assert_eq!(to(&sent, 'w'), to(&sent, 's'));
    assert_eq!(to(&sent, 'w')[0], "GOLD 0 0 20");
}

#[test]
fn a_watcher_of_a_player_is_sent_the_gold_and_pictures_of_that_player() {
    let mut talk = ann_and_bob();
    let begin = watch(&mut talk, 'w', eyes_of(0));
    assert_eq!(begin, ["w> GRID 3 8", "w> GOLD 0 0 30", &ann_sees('w', "@*#")]);
    check(
        &mut talk,
        'a',
        "KEY l",
        &[
            "a> GOLD 10 10 20",
            "w> GOLD 10 10 20",
            "b> GOLD 0 0 20",
            &ann_sees('a', ".@#"),
            &ann_sees('w', ".@#"),
            &bob_sees('b', "#@**"),
        ],
    );
}

#[test]
fn watchers_are_not_recorded_and_take_no_seat() {
    let mut talk = ann_and_bob();
    for who in 'k'..='z' {
        talk.room.handle_watch(talk.now, peer(who), WHOLE_MAP).unwrap();
        assert_eq!(talk.room.poll_record(), None);
        assert!(!talk.room.has_seat(peer(who)));
        assert!(talk.drain().iter().all(|text| text.starts_with(who)), "others are sent nothing");
    }
    assert_eq!((talk.room.watcher_count(), talk.room.seat_count()), (16, 2));
    assert_eq!(talk.room.spectator(), None);
}

#[test]
fn a_new_spectator_replaces_the_spectator_but_no_watcher() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', WHOLE_MAP);
    talk.hear('s', b"SPECTATE");
    let sent = talk.hear('t', b"SPECTATE");
    assert!(sent[0].starts_with("s> QUIT You have been replaced"), "{sent:?}");
    assert!(talk.hear('a', b"KEY l").contains(&"w> [.A#B**]".to_owned()));
}

#[test]
fn a_picture_says_what_has_changed_since_the_last_one_that_was_sent() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', WHOLE_MAP);
    let shown = |talk: &Talk| talk.room.game().view(WHOLE_MAP).to_string().replace('\n', "");
    // The second time two keys are pressed before anything is sent.
    for keys in [&b"l"[..], b"hl", b"h"] {
        let before = shown(&talk);
        for key in keys {
            talk.room.press(talk.now, peer('a'), *key);
        }
        let after = shown(&talk);
        let is_different =
            |at: &u32| before.as_bytes()[*at as usize] != after.as_bytes()[*at as usize];
        let different: Vec<u32> = (0..).take(before.len()).filter(is_different).collect();
        talk.drain();
        let changed = talk.room.canvas(WHOLE_MAP).unwrap().changed();
        assert!(different.iter().all(|at| changed.contains(at)), "{different:?} {changed:?}");
        assert!((1..=4).contains(&changed.len()), "{changed:?}");
    }
}

#[test]
fn a_thousand_watchers_of_two_views_need_no_pictures_of_their_own() {
    let mut talk = ann_and_bob();
    for number in 1_000..2_000 {
        let viewer = if number % 2 == 0 { WHOLE_MAP } else { eyes_of(0) };
        talk.room.handle_watch(talk.now, Peer(number), viewer).unwrap();
    }
    talk.drain();
    assert_eq!(talk.room.views.all().count(), 3, "Ann, Bob and the whole map");
    talk.room.handle_message(talk.now, peer('a'), b"KEY l");
    let (mut addresses, mut count) = (std::collections::BTreeSet::new(), 0);
    while let Some(transmit) = talk.room.poll_transmit() {
        if matches!(transmit.content, Content::Picture(_)) {
            addresses.insert(transmit.payload.as_ptr().addr());
            count += 1;
        }
    }
    assert_eq!((addresses.len(), count), (3, 1_002));
}

#[test]
fn a_picture_is_kept_as_long_as_its_view_is_used() {
    let mut talk = ann_and_bob();
    let views = |talk: &Talk| talk.room.views.all().map(|(viewer, _)| viewer).collect::<Vec<_>>();
    watch(&mut talk, 'w', WHOLE_MAP);
    talk.hear('s', b"SPECTATE");
    assert_eq!(views(&talk), [eyes_of(0), eyes_of(1), WHOLE_MAP]);
    talk.hear('s', b"KEY Q");
    assert_eq!(views(&talk), [eyes_of(0), eyes_of(1), WHOLE_MAP], "the watcher still uses it");
    watch(&mut talk, 'w', eyes_of(0));
    assert_eq!(views(&talk), [eyes_of(0), eyes_of(1)]);
    talk.hear('a', b"KEY Q");
    assert_eq!(views(&talk), [eyes_of(0), eyes_of(1)], "the watcher still uses it");
    talk.room.handle_disconnect(talk.now, peer('w'));
    assert_eq!(views(&talk), [eyes_of(1)]);
}

#[test]
fn a_watcher_can_change_its_view() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', eyes_of(0));
    let begin = watch(&mut talk, 'w', eyes_of(1));
    assert_eq!(begin, ["w> GRID 3 8", "w> GOLD 0 0 30", &bob_sees('w', "#@**")]);
    let sent = talk.hear('a', b"KEY l");
    assert_eq!(to(&sent, 'w'), ["GOLD 0 0 20"], "the picture is the same as before");
    assert_eq!(talk.room.watcher_count(), 1);
}

#[test]
fn with_changed_only_a_watcher_is_sent_only_changes_of_its_view() {
    let mut talk = ann_and_bob();
    talk.room.options.changed_only = true;
    watch(&mut talk, 'w', eyes_of(1));
    watch(&mut talk, 'v', WHOLE_MAP);
    talk.hear('a', b"KEY l");
    check(&mut talk, 'a', "KEY h", &[&ann_sees('a', "@.#"), "v> [A.#B**]"]);
}

#[test]
fn the_view_of_a_player_who_left_stays_as_it_was() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', eyes_of(0));
    assert_eq!(to(&talk.hear('a', b"KEY Q"), 'w'), [""; 0]);
    assert_eq!(to(&talk.hear('b', b"KEY l"), 'w'), ["GOLD 0 0 20"]);
}

/// The messages to a player must not depend on the player's watchers.
#[test]
fn a_player_who_left_before_its_picture_was_drained_gets_none_though_it_is_watched() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', eyes_of(0));
    talk.room.handle_message(talk.now, peer('a'), b"KEY l");
    talk.room.handle_message(talk.now, peer('a'), b"KEY Q");
    let sent = talk.drain();
    assert!(sent.contains(&ann_sees('w', ".@#")), "{sent:?}");
    assert!(!sent.iter().any(|text| text.starts_with("a> DISPLAY")), "{sent:?}");
}

#[test]
fn the_end_is_sent_to_watchers_once() {
    for dialect in BOTH {
        let mut talk = joined(dialect, "1*", "a").with(Reliability::default());
        watch(&mut talk, 'w', WHOLE_MAP);
        let sent = talk.hear('a', b"KEY l");
        let end = |who| to(&sent, who).split_off(2);
        assert_eq!(end('w'), end('a'), "the table and whatever the dialect adds to it");
        let resent: Vec<String> =
            talk.wait(10_000).into_iter().flat_map(|(_, sent)| sent).collect();
        assert!(!to(&resent, 'a').is_empty());
        assert_eq!(to(&resent, 'w'), [""; 0]);
    }
}

#[test]
fn a_disconnected_watcher_is_sent_nothing_more() {
    let mut talk = ann_and_bob();
    watch(&mut talk, 'w', WHOLE_MAP);
    talk.room.handle_disconnect(talk.now, peer('w'));
    assert_eq!(to(&talk.hear('a', b"KEY l"), 'w'), [""; 0]);
    talk.room.handle_reconnect(talk.now, peer('w'));
    assert_eq!(talk.drain(), [""; 0], "it has to ask again");
    assert_eq!(
        talk.notices(),
        ["w watches the whole map", "w no longer watches", "A takes 10 nuggets, 20 left"]
    );
}

#[test]
fn a_watcher_that_joins_the_game_is_no_longer_a_watcher() {
    let mut talk = joined(Dialect::V2021, "1.2*", "a");
    watch(&mut talk, 'b', WHOLE_MAP);
    talk.hear('b', b"PLAY Bob");
    assert_eq!(talk.room.watcher_count(), 0);
    check(&mut talk, 'b', "KEY h", &["a> [@B.*]", "b> [A@.*]"]);
}

#[test]
fn only_a_peer_without_a_seat_can_watch_and_only_what_is_played() {
    let mut talk = joined(Dialect::V2021, "1.2*", "ab");
    let now = talk.now;
    let mut watch = |who, viewer| talk.room.handle_watch(now, peer(who), viewer);
    assert_eq!(watch('a', WHOLE_MAP), Err(WatchError::HasSeat));
    assert_eq!(watch('w', eyes_of(2)), Err(WatchError::NotPlaying));
    talk.hear('a', b"KEY Q");
    let mut watch = |who, viewer| talk.room.handle_watch(now, peer(who), viewer);
    assert_eq!(watch('w', eyes_of(0)), Err(WatchError::NotPlaying));
    assert_eq!(watch('a', WHOLE_MAP), Err(WatchError::HasSeat), "it keeps its letter");
    talk.hear('b', b"KEY l");
    assert!(talk.room.is_over());
    assert_eq!(talk.room.handle_watch(now, peer('w'), WHOLE_MAP), Err(WatchError::Over));
    assert_eq!(talk.room.watcher_count(), 0);
}

#[test]
fn pictures_are_marked_with_their_view() {
    let mut talk = ann_and_bob();
    talk.room.handle_watch(talk.now, peer('w'), eyes_of(1)).unwrap();
    let mut views = Vec::new();
    while let Some(transmit) = talk.room.poll_transmit() {
        let is_display = transmit.payload.starts_with(b"DISPLAY");
        assert_eq!(matches!(transmit.content, Content::Picture(_)), is_display);
        if let Content::Picture(viewer) = transmit.content {
            views.push(viewer);
        }
    }
    assert_eq!(views, [eyes_of(1)]);
}

#[test]
fn a_seat_on_a_stream_gets_no_resends() {
    let mut talk = ann_and_bob().with(Reliability { linger_ms: 0, ..Reliability::default() });
    talk.room.set_delivery(peer('b'), Delivery::Stream);
    talk.hear('a', b"KEY l");
    let resent: Vec<String> = talk.wait(10_000).into_iter().flat_map(|(_, sent)| sent).collect();
    assert_eq!(resent.len(), 8, "her news: five pictures, three of them with the gold");
    assert!(resent.iter().all(|text| text.starts_with('a')), "{resent:?}");
}

#[test]
fn a_room_lingers_only_for_seats_that_can_lose_the_end() {
    let mut talk = joined(Dialect::V2021, "1*2", "ab")
        .with(Reliability { resends: false, ..Reliability::default() });
    talk.room.set_delivery(peer('a'), Delivery::Stream);
    talk.hear('a', b"KEY l");
    let resent = talk.wait(300);
    assert_eq!(
        resent,
        [(250, vec!["b> QUIT GAME OVER:/A         10 Ann/B          0 Bob".into()])]
    );
    talk.room.handle_disconnect(talk.now, peer('b'));
    assert!(talk.room.is_closed(), "Ann has received the end");
}
