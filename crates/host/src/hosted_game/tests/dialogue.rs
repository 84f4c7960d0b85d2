//! People, tabs and watchers of one game.

use nuggets_protocol::QuitKind;

use super::*;
use crate::wire::{JoinClient, PlayerLine, Stage};

#[test]
fn two_people_and_a_watcher_see_what_the_room_shows_each_of_them() {
    let mut world = World::new(meta());
    let mut wall = world.watch(9, None);
    let mut ann = world.play(1, 1);
    let mut bob = world.play(2, 2);
    assert_eq!((ann.attached.hello.letter, bob.attached.hello.letter), (Some('A'), Some('B')));
    assert!(ann.attached.hello.creator && !bob.attached.hello.creator);
    assert_eq!(ann.attached.hello.name.as_deref(), Some("Person 1"));
    for key in "LKJHlkjhYUBN".chars() {
        world.key(&ann, key);
        world.key(&bob, key);
        assert_eq!(ann.rows(world.now), world.picture(Some('A')));
        assert_eq!(bob.rows(world.now), world.picture(Some('B')));
        assert_eq!(wall.rows(world.now), world.picture(None));
    }
    let facts = wall.shown.facts();
    assert_eq!(facts.stage, Some(Stage::Playing));
    assert_eq!(facts.players, Some(vec![line('A', "Person 1"), line('B', "Person 2")]));
    assert_eq!(facts.purses.as_ref().map(Vec::len), Some(2));
    assert_eq!(ann.shown.facts().purses, None, "a player does not learn the purses of others");
}

fn line(letter: char, name: &str) -> PlayerLine {
    PlayerLine { letter, name: name.into(), bot: false, left: false }
}

#[test]
fn two_tabs_of_one_person_are_one_seat() {
    let mut world = World::new(meta());
    let mut laptop = world.play(1, 1);
    let mut phone = world.play(2, 1);
    assert_eq!(phone.attached.hello.letter, Some('A'));
    world.key(&laptop, 'L');
    world.key(&phone, 'K');
    assert_eq!(laptop.rows(world.now), phone.rows(world.now));
    world.handle(GameCommand::Detach(laptop.id));
    world.key(&phone, 'J');
    assert_eq!(phone.rows(world.now), world.picture(Some('A')));
    assert_eq!(world.joined(), ["A"]);
}

#[test]
fn the_view_of_a_closed_page_is_kept_for_a_while_and_then_closed() {
    let mut world = World::new(meta());
    let bob = world.play(2, 2);
    let mut streams = Vec::new();
    for away_ms in [0, KEEP_VIEW_MS - 1, KEEP_VIEW_MS] {
        world.wait(away_ms);
        let mut ann = world.play(1, 1);
        streams.push(ann.attached.hello.stream.clone());
        "LKJHYUBN".chars().for_each(|key| world.key(&bob, key));
        "LKJHYUBN".chars().for_each(|key| world.key(&ann, key));
        assert_eq!(ann.rows(world.now), world.picture(Some('B')));
        assert!(world.game.recipients.views.find(Letter::nth(1)).is_some());
        world.handle(GameCommand::Detach(ann.id));
    }
    assert_eq!(streams[0], streams[1]);
    assert_ne!(streams[1], streams[2], "numbers of the first stream mean nothing in the second");
    world.wait(KEEP_VIEW_MS);
    assert!(world.game.recipients.views.find(Letter::nth(1)).is_none());
    assert!(world.game.recipients.views.find(Letter::nth(0)).is_some(), "Bob reads his");
    assert!(world.game.recipients.views.find(None).is_none(), "no watcher is connected");
}

#[test]
fn words_of_the_host_reach_a_page_that_was_away_until_they_are_out_of_date() {
    let mut world = World::new(meta());
    let ann = world.play(1, 1);
    assert_eq!(ann.attached.notice, None);
    world.handle(GameCommand::Detach(ann.id));
    drop(ann);
    world.handle(GameCommand::Notice("Tea at four".into()));
    world.wait(KEEP_VIEW_MS);
    assert_eq!(world.play(2, 1).attached.notice.as_deref(), Some("Tea at four"));
    assert_eq!(world.watch(9, None).attached.notice.as_deref(), Some("Tea at four"));
    world.handle(GameCommand::Notice("Tea at five".into()));
    world.wait(KEEP_NOTICE_MS - 1);
    assert_eq!(world.play(3, 1).attached.notice.as_deref(), Some("Tea at five"));
    world.wait(1);
    assert_eq!(world.play(4, 1).attached.notice, None);
}

#[test]
fn a_reload_gets_exactly_what_was_missed() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    ann.read(world.now);
    let since = ann.position;
    world.handle(GameCommand::Detach(ann.id));
    let bob = world.play(2, 2);
    "LKJHYUBN".chars().for_each(|key| world.key(&bob, key));
    let mut again = world.play(3, 1);
    assert_eq!(again.attached.hello.stream, ann.attached.hello.stream);
    again.position = since;
    again.shown = ann.shown.clone();
    assert!(again.read(world.now).iter().all(|line| line.whole.is_none()));
    assert_eq!(again.shown.rows(), world.picture(Some('A')));
    assert!(again.shown.facts().players.as_ref().is_some_and(|players| players.len() == 2));
}

#[test]
fn who_leaves_stays_in_the_roster_and_can_only_watch() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    let mut bob = world.play(2, 2);
    world.key(&ann, 'Q');
    bob.read(world.now);
    let players = bob.shown.facts().players.clone().unwrap();
    assert_eq!((players[0].left, players[1].left), (true, false));
    ann.read(world.now);
    assert_eq!(ann.shown.facts().players, Some(players));
    assert_eq!(world.attach(3, 1, AttachRole::Play).err(), Some(AttachError::HasLeft));
    let mut watching = world.attach(3, 1, AttachRole::Watch(None)).unwrap();
    assert_eq!(watching.rows(world.now), world.picture(None));
    assert!(world.reports.contains(&GameReport::Left(Letter::nth(0).unwrap())));
}

#[test]
fn a_player_may_not_watch_more_than_its_own_view() {
    let mut world = World::new(meta());
    let ann = world.play(1, 1);
    let _bob = world.play(2, 2);
    for view in [None, Some('B')] {
        let refused = world.attach(3, 1, AttachRole::Watch(view)).err();
        assert_eq!(refused, Some(AttachError::Plays), "{view:?}");
    }
    let own = world.attach(3, 1, AttachRole::Watch(Some('A'))).unwrap();
    world.key(&own, 'l');
    assert_eq!(world.direct(), [(3, "You only watch this game.".to_owned())]);
    drop(ann);
    for view in ['C', 'a', '@', 'é'] {
        let refused = world.attach(9, 9, AttachRole::Watch(Some(view))).err();
        assert_eq!(refused, Some(AttachError::NoSuchPlayer), "{view}");
    }
}

#[test]
fn a_key_without_sense_is_answered_to_the_connection_that_pressed_it() {
    let mut world = World::new(meta());
    let _laptop = world.play(1, 1);
    let phone = world.play(2, 1);
    world.key(&phone, 'x');
    world.key(&phone, 'é');
    let words = "unknown keystroke".to_owned();
    assert_eq!(world.direct(), [(2, words.clone()), (2, words)]);
}

#[test]
fn too_many_keys_are_left_out_with_a_complaint() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    ann.read(world.now);
    for _ in 0..100 {
        "lh".chars().for_each(|key| world.key(&ann, key));
    }
    assert_eq!(world.direct().len(), 1);
    let pressed = 2 * 60 + 1;
    assert!(ann.read(world.now).last().is_some_and(|line| line.seq <= pressed));
}

#[test]
fn a_kicked_player_is_told_and_out() {
    let mut world = World::new(meta());
    let ann = world.play(1, 1);
    world.handle(GameCommand::Kick(Letter::nth(0).unwrap()));
    assert_eq!(world.direct(), [(1, "You were removed from this game.".to_owned())]);
    assert_eq!(world.attach(2, 1, AttachRole::Play).err(), Some(AttachError::HasLeft));
    drop(ann);
}

#[test]
fn a_full_game_and_a_blank_name_are_refused_with_the_reason() {
    let rules = Rules { max_players: 1, ..Rules::default() };
    let mut world = World::open(meta(), Setup { rules, ..setup() }, None);
    let blank = Attach { name: " \t".into(), ..test_games::attach(1, 1, AttachRole::Play) };
    assert_eq!(world.ask(blank).err(), Some(AttachError::NoName));
    let ann = world.play(1, 1);
    assert_eq!(ann.attached.hello.rules, ["At most 1 players can join."]);
    let full = world.attach(2, 2, AttachRole::Play).err();
    assert_eq!(full, Some(AttachError::Refused(QuitKind::GameFull.into())));
    assert_eq!(world.direct(), []);
}

#[test]
fn a_player_who_is_away_keeps_its_seat_for_an_hour() {
    let mut world = World::new(meta());
    let ann = world.play(1, 1);
    let bob = world.play(2, 2);
    world.wait(3 * 60 * 60_000);
    assert_eq!(world.left(), [""; 0], "who is connected is never idle");
    world.handle(GameCommand::Detach(ann.id));
    world.wait(59 * 60_000);
    world.play(3, 1);
    world.handle(GameCommand::Detach(ConnectionId(3)));
    world.wait(59 * 60_000);
    assert_eq!(world.left(), [""; 0]);
    world.wait(60_000);
    assert_eq!(world.left(), ["A"]);
    drop(bob);
}

#[test]
fn everybody_sees_notices_and_the_next_game() {
    let mut world = World::new(meta());
    let mut ann = world.play(1, 1);
    let mut wall = world.watch(2, None);
    ann.read(world.now);
    wall.read(world.now);
    world.handle(GameCommand::Notice("The server stops in a minute.".into()));
    world.handle(GameCommand::ShowNext(GameId::from_random([2; 12])));
    for client in [&mut ann, &mut wall] {
        let lines = client.read(world.now);
        assert_eq!(lines[0].notice.as_deref(), Some("The server stops in a minute."));
        assert_eq!(lines[1].next, Some(GameId::from_random([2; 12]).to_string()));
    }
}

#[test]
fn the_lobby_learns_of_connections_but_not_of_each_one() {
    let mut world = World::new(meta());
    for connection in 0..1000 {
        world.watch(connection, None);
    }
    world.play(2000, 1);
    world.play(2001, 1);
    world.wait(10_000);
    let connected = |report: &&GameReport| matches!(report, GameReport::Connected { .. });
    let reports: Vec<&GameReport> = world.reports.iter().filter(connected).collect();
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert_eq!(reports[1], &GameReport::Connected { players: 1, watchers: 1000 });
}

#[test]
fn a_watcher_with_a_delay_is_behind_from_its_first_picture_on() {
    let mut world = World::new(GameMeta { watch_delay_s: 30, ..meta() });
    let ann = world.play(1, 1);
    let mut through_her_eyes = world.watch(2, Some('A'));
    assert_eq!(through_her_eyes.attached.hello.delay_s, 30);
    let mut pictures = Vec::new();
    for key in "LKJHYUBNLKJH".chars() {
        pictures.push(world.picture(Some('A')));
        world.key(&ann, key);
        world.wait(5000);
        let rows = through_her_eyes.rows(world.now);
        if pictures.len() > 5 {
            assert_eq!(rows, pictures[pictures.len() - 5], "as it was 30 s ago");
        } else {
            assert_eq!(rows, [""; 0], "nothing is 30 s old");
        }
    }
}

#[test]
fn a_key_that_hung_in_an_earlier_connection_of_the_same_client_does_not_act() {
    let mut world = World::new(meta());
    let mut join = |connection, id, attempt| {
        let client = Some(JoinClient { id, attempt });
        let attach = Attach { client, ..test_games::attach(connection, 1, AttachRole::Play) };
        world.ask(attach).map(drop)
    };
    assert_eq!(join(1, 7, 1), Ok(()));
    assert_eq!(join(2, 7, 2), Ok(()));
    assert_eq!(join(3, 7, 1), Err(AttachError::Superseded));
    assert_eq!(join(4, 8, 1), Ok(()), "another tab");
    world.handle(GameCommand::Key(ConnectionId(1), 'Q'));
    assert_eq!((world.left(), world.direct()), (vec![], vec![]));
    // The later one may have closed meanwhile.
    world.handle(GameCommand::Detach(ConnectionId(2)));
    world.handle(GameCommand::Key(ConnectionId(1), 'Q'));
    assert_eq!(world.left(), [""; 0]);
    world.handle(GameCommand::Key(ConnectionId(4), 'Q'));
    assert_eq!(world.left(), ["A"]);
}
