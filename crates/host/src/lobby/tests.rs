//! The rules of the lobby, in virtual time.

use nuggets_protocol::web::Stage;

use super::*;
use crate::test_games::id;
use crate::{Rated, SeatedPlayer, Start, Visibility, setup};

const HOUR: u64 = 3_600_000;
/// Some day, in milliseconds since 1970.
const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn source(number: u8) -> Source {
    Source::of([10, 0, 0, number].into())
}

/// A person, each from a source of its own.
fn person(number: u8) -> Person {
    Person { id: PlayerId(number.into()), name: format!("P{number}"), source: source(number) }
}

fn letter(byte: u8) -> Letter {
    Letter::from_byte(byte).unwrap()
}

fn limits() -> LobbyLimits {
    LobbyLimits { max_games: 5, max_games_per_source: 3, max_games_per_person: 2, udp_ports: None }
}

fn new_game(number: u8, more: &str) -> NewGame {
    let spec: GameSpec =
        serde_json::from_str(&format!(r#"{{"map":{{"built_in":"main"}}{more}}}"#)).unwrap();
    let prepared = setup::prepare(&spec, Seed::new(7)).unwrap();
    NewGame { id: id(number), spec, prepared }
}

/// The creator of game 1.
const CREATOR: Authority = Authority::Person(PlayerId(1));
/// A player of game 1.
const OTHER: Authority = Authority::Person(PlayerId(2));

/// Gives game 1 a command.
fn command(lobby: &mut Lobby, who: Authority, command: GameCommand) -> Result<(), LobbyError> {
    lobby.command(who, id(1), command)
}

fn effects(lobby: &mut Lobby) -> Vec<LobbyEffect> {
    std::iter::from_fn(|| lobby.poll_effect()).collect()
}

fn seated(byte: u8, who: Option<Rated>) -> SeatedPlayer {
    let name = format!("Player {}", char::from(byte));
    SeatedPlayer { letter: letter(byte), name, who, has_left: false }
}

fn joined(byte: u8, number: u64) -> GameReport {
    GameReport::Joined(seated(byte, Some(Rated::Player(PlayerId(number)))))
}

/// A lobby with game 1, which person 1 created and in which persons 1 and 2 play.
fn with_game(more: &str) -> Lobby {
    let mut lobby = Lobby::new(limits(), vec![]);
    lobby.create(NOW, &person(1), new_game(1, more)).unwrap();
    lobby.handle_report(NOW, id(1), joined(b'A', 1));
    lobby.handle_report(NOW, id(1), joined(b'B', 2));
    lobby.handle_report(NOW, id(1), GameReport::Connected { players: 2, watchers: 0 });
    effects(&mut lobby);
    lobby
}

#[test]
fn a_created_game_is_opened_with_what_its_creator_chose() {
    let mut lobby = Lobby::new(limits(), vec![]);
    let chosen = r#","visibility":"link","start":"by_creator","watch_delay_s":30,"rated":true,"bots":{"count":3}"#;
    let game = new_game(1, chosen);
    assert_eq!(lobby.create(NOW, &person(1), game.clone()), Ok(id(1)));
    let [LobbyEffect::Open { meta, setup }] = &effects(&mut lobby)[..] else { panic!() };
    assert_eq!(**setup, game.prepared.setup);
    assert_eq!((meta.id, meta.creator, meta.created_unix_ms), (id(1), PlayerId(1), NOW.0));
    assert_eq!((meta.creator_name.as_str(), meta.map_name.as_str()), ("P1", "main"));
    assert_eq!((meta.visibility, meta.start), (Visibility::Link, Start::ByCreator));
    assert_eq!((meta.watch_delay_s, meta.rated, meta.bots.count), (30, true, 3));
    assert_eq!((meta.has_started, meta.next, meta.finished), (false, None, None));
    assert_eq!(lobby.meta(id(1)), Some(&**meta));
}

#[test]
fn a_row_shows_what_the_game_reported() {
    let mut lobby = Lobby::new(limits(), vec![]);
    let spec = r#","start":{"with_players":3},"rules":{"gold":100,"vision":5}"#;
    lobby.create(NOW, &person(1), new_game(1, spec)).unwrap();
    let bot = Some(Rated::Bot("scout".into()));
    for report in [
        joined(b'A', 1),
        GameReport::Joined(seated(b'B', bot)),
        GameReport::Joined(seated(b'C', None)),
        joined(b'D', 4),
        GameReport::Left(letter(b'D')),
        GameReport::GoldLeft(60),
        GameReport::Connected { players: 2, watchers: 40 },
    ] {
        lobby.handle_report(NOW, id(1), report);
    }
    let row = lobby.row(NOW.after(90_500), id(1), Some(PlayerId(1))).unwrap();
    assert_eq!((row.map.as_str(), row.rows, row.cols, row.max_players), ("main", 21, 79, 26));
    assert_eq!((row.gold_left, row.gold, row.watchers, row.age_s), (60, 100, 40, 90));
    assert_eq!(row.stage, Stage::Waiting { missing: Some(1) }, "neither bots nor who left count");
    assert_eq!(row.rules.as_deref(), Some("gold 100, vision 5"));
    let players: Vec<(char, bool, bool)> =
        row.players.iter().map(|player| (player.letter, player.bot, player.left)).collect();
    let expected =
        [('A', false, false), ('B', true, false), ('C', false, false), ('D', false, true)];
    assert_eq!(players, expected);
    assert_eq!((row.mine, row.seated), (true, true));

    let row = lobby.row(NOW, id(1), Some(PlayerId(4))).unwrap();
    assert_eq!((row.mine, row.seated), (false, false), "D has left");
}

#[test]
fn a_game_by_link_is_listed_only_for_its_creator_and_its_players() {
    let lobby = with_game(r#","visibility":"link""#);
    let is_listed = |viewer: Option<u64>| !lobby.rows(NOW, viewer.map(PlayerId)).is_empty();
    assert_eq!([Some(1), Some(2), Some(3), None].map(is_listed), [true, true, false, false]);
    assert!(lobby.row(NOW, id(1), None).is_some(), "who has the link may see it");
    assert_eq!(lobby.all_rows(NOW).len(), 1, "the person who hosts sees all");
}

#[test]
fn rows_begin_with_the_newest_game() {
    let mut lobby = with_game("");
    lobby.create(NOW.after(5), &person(3), new_game(3, "")).unwrap();
    lobby.create(NOW.after(9), &person(2), new_game(2, "")).unwrap();
    let ids: Vec<GameId> = lobby.rows(NOW, None).iter().map(|row| row.id).collect();
    assert_eq!(ids, [id(2), id(3), id(1)]);
}

#[test]
fn a_host_has_at_most_so_many_games() {
    let mut lobby = Lobby::new(limits(), vec![]);
    for number in 1..=5 {
        lobby.create(NOW, &person(number), new_game(number, "")).unwrap();
    }
    assert_eq!(lobby.create(NOW, &person(6), new_game(6, "")), Err(LobbyError::TooManyGames));
    lobby.handle_report(NOW, id(2), GameReport::Over);
    assert_eq!(lobby.create(NOW, &person(6), new_game(6, "")), Ok(id(6)), "one is over");
}

#[test]
fn a_person_and_a_source_have_at_most_so_many_games() {
    let mut lobby = Lobby::new(limits(), vec![]);
    let here = |number| Person { source: source(9), ..person(number) };
    for number in 1..=2 {
        lobby.create(NOW, &here(1), new_game(number, "")).unwrap();
    }
    let elsewhere = person(1);
    let rejected = lobby.create(NOW, &elsewhere, new_game(3, ""));
    assert_eq!(rejected, Err(LobbyError::TooManyGamesOfYours(2)));
    lobby.create(NOW, &here(2), new_game(3, "")).unwrap();
    let rejected = lobby.create(NOW, &here(3), new_game(4, ""));
    assert_eq!(rejected, Err(LobbyError::TooManyGamesOfYours(3)));
    assert_eq!(effects(&mut lobby).len(), 3, "a rejected game is not opened");
}

#[test]
fn only_its_creator_or_the_admin_starts_a_game_and_only_once() {
    let mut lobby = with_game(r#","start":"by_creator""#);
    assert_eq!(command(&mut lobby, OTHER, GameCommand::Start), Err(LobbyError::NotYours));
    assert_eq!(effects(&mut lobby), []);
    command(&mut lobby, CREATOR, GameCommand::Start).unwrap();
    assert_eq!(effects(&mut lobby), [LobbyEffect::Game(id(1), GameCommand::Start)]);
    lobby.handle_report(NOW, id(1), GameReport::Started);
    let [LobbyEffect::StoreMeta(meta)] = &effects(&mut lobby)[..] else { panic!() };
    assert!(meta.has_started, "a restarted host must know it");
    assert_eq!(lobby.row(NOW, id(1), None).unwrap().stage, Stage::Playing);
    let again = command(&mut lobby, Authority::Admin, GameCommand::Start);
    assert_eq!(again, Err(LobbyError::AlreadyStarted));
    let unknown = lobby.command(Authority::Admin, id(2), GameCommand::Start);
    assert_eq!(unknown, Err(LobbyError::UnknownGame));
}

#[test]
fn a_resumed_game_says_how_far_it_is() {
    let mut lobby = with_game(r#","start":"by_creator""#);
    let opened = |has_started| GameReport::Opened { gold_left: 17, has_started };
    lobby.handle_report(NOW, id(1), opened(false));
    assert_eq!(effects(&mut lobby), []);
    assert_eq!(lobby.row(NOW, id(1), None).unwrap().gold_left, 17);
    lobby.handle_report(NOW, id(1), opened(true));
    lobby.handle_report(NOW, id(1), opened(true));
    let [LobbyEffect::StoreMeta(meta)] = &effects(&mut lobby)[..] else { panic!() };
    assert!(meta.has_started);
}

#[test]
fn only_its_creator_or_the_admin_ends_a_game() {
    for (who, reason) in [(CREATOR, EndReason::Creator), (Authority::Admin, EndReason::Admin)] {
        let mut lobby = with_game("");
        assert_eq!(command(&mut lobby, OTHER, GameCommand::End), Err(LobbyError::NotYours));
        command(&mut lobby, who, GameCommand::End).unwrap();
        command(&mut lobby, Authority::Admin, GameCommand::End).unwrap();
        assert_eq!(effects(&mut lobby), [LobbyEffect::Game(id(1), GameCommand::End)], "asked once");
        lobby.handle_report(NOW, id(1), GameReport::Over);
        assert_eq!(effects(&mut lobby), [LobbyEffect::Finish(id(1), reason)]);
        assert_eq!(command(&mut lobby, who, GameCommand::End), Err(LobbyError::Over));
    }
}

#[test]
fn a_game_is_finished_once_however_often_its_end_is_reported() {
    let mut lobby = with_game("");
    lobby.handle_report(NOW, id(1), GameReport::Over);
    lobby.handle_report(NOW, id(1), GameReport::Over);
    lobby.handle_report(NOW, id(1), GameReport::Failed { why: "disk full".into() });
    lobby.handle_report(NOW, id(1), GameReport::Closed);
    assert_eq!(effects(&mut lobby), [LobbyEffect::Finish(id(1), EndReason::Over)]);
    assert!(lobby.rows(NOW, None).is_empty());
    assert_eq!(lobby.running(), 0);
}

#[test]
fn a_game_that_fails_is_finished_as_failed() {
    let mut lobby = with_game("");
    lobby.handle_report(NOW, id(1), GameReport::Failed { why: "a defect".into() });
    assert_eq!(effects(&mut lobby), [LobbyEffect::Finish(id(1), EndReason::Failed)]);
}

#[test]
fn reports_of_unknown_games_are_ignored() {
    let mut lobby = with_game("");
    lobby.handle_report(NOW, id(2), GameReport::Over);
    assert_eq!(effects(&mut lobby), []);
}

#[test]
fn a_game_that_nobody_is_connected_to_ends_after_an_hour() {
    let mut lobby = with_game("");
    assert_eq!(lobby.poll_timeout(), None, "a player is connected");
    let gone = NOW.after(1000);
    lobby.handle_report(gone, id(1), GameReport::Connected { players: 0, watchers: 1 });
    assert_eq!(lobby.poll_timeout(), None, "a watcher is connected");
    lobby.handle_report(gone, id(1), GameReport::Connected { players: 0, watchers: 0 });
    assert_eq!(lobby.poll_timeout(), Some(gone.after(HOUR)));
    lobby.handle_timeout(gone.after(HOUR - 1));
    assert_eq!(effects(&mut lobby), []);
    lobby.handle_timeout(gone.after(HOUR));
    assert_eq!(effects(&mut lobby), [LobbyEffect::Game(id(1), GameCommand::End)]);
    assert_eq!(lobby.poll_timeout(), None, "it is asked once");
    lobby.handle_report(gone.after(HOUR), id(1), GameReport::Over);
    assert_eq!(effects(&mut lobby), [LobbyEffect::Finish(id(1), EndReason::Abandoned)]);
}

#[test]
fn who_comes_back_within_the_hour_keeps_the_game() {
    let mut lobby = with_game("");
    lobby.handle_report(NOW, id(1), GameReport::Connected { players: 0, watchers: 0 });
    let back = NOW.after(HOUR - 1);
    lobby.handle_report(back, id(1), GameReport::Connected { players: 1, watchers: 0 });
    lobby.handle_timeout(NOW.after(10 * HOUR));
    assert_eq!(effects(&mut lobby), []);
}

#[test]
fn a_game_that_nobody_ever_came_to_ends_too_also_after_a_restart() {
    let mut lobby = Lobby::new(limits(), vec![]);
    lobby.create(NOW, &person(1), new_game(1, "")).unwrap();
    let meta = lobby.meta(id(1)).unwrap().clone();
    assert_eq!(lobby.poll_timeout(), Some(NOW.after(HOUR)));

    let mut lobby = Lobby::new(limits(), vec![]);
    let restarted = NOW.after(10 * HOUR);
    lobby.resume(restarted, meta, new_game(1, "").prepared.setup);
    assert_eq!(effects(&mut lobby), [], "the shell opens it from its journal");
    assert_eq!(lobby.poll_timeout(), Some(restarted.after(HOUR)), "people have time to come back");
    assert_eq!(lobby.row(restarted, id(1), None).unwrap().age_s, 36_000);
}

#[test]
fn the_first_who_plays_again_creates_the_next_game_and_the_others_get_it() {
    let mut lobby = with_game(r#","rated":true,"rules":{"gold":100}"#);
    let again = |lobby: &mut Lobby, who: u8, next: u8| {
        lobby.play_again(NOW, &person(who), id(1), (id(next), Seed::new(i64::from(next))))
    };
    assert_eq!(again(&mut lobby, 2, 8), Err(LobbyError::NotOver));
    lobby.handle_report(NOW, id(1), GameReport::Over);
    effects(&mut lobby);
    assert_eq!(again(&mut lobby, 3, 8), Err(LobbyError::NotAPlayer));
    assert_eq!(again(&mut lobby, 2, 8), Ok(id(8)));
    assert_eq!(again(&mut lobby, 1, 9), Ok(id(8)));
    let done = effects(&mut lobby);
    let [LobbyEffect::Open { meta, setup }, LobbyEffect::StoreMeta(old), shown] = &done[..] else {
        panic!("{done:?}")
    };
    assert_eq!((meta.id, meta.creator, meta.rated, meta.next), (id(8), PlayerId(2), true, None));
    let first = new_game(1, r#","rules":{"gold":100}"#).prepared.setup;
    assert_eq!(**setup, Setup { seed: Seed::new(8), ..first });
    assert_eq!((old.id, old.next), (id(1), Some(id(8))));
    assert_eq!(*shown, LobbyEffect::Game(id(1), GameCommand::ShowNext(id(8))));
}

#[test]
fn people_play_again_within_an_hour_also_when_the_game_ended_before_a_restart() {
    let mut lobby = with_game("");
    lobby.handle_report(NOW, id(1), GameReport::Over);
    let meta = lobby.meta(id(1)).unwrap().clone();
    lobby.handle_timeout(NOW.after(HOUR));
    let late = lobby.play_again(NOW, &person(2), id(1), (id(8), Seed::new(8)));
    assert_eq!(late, Err(LobbyError::UnknownGame));

    let setup = new_game(1, "").prepared.setup;
    lobby.remember(NOW.after(HOUR), meta, setup, vec![PlayerId(1), PlayerId(2)]);
    let next = lobby.play_again(NOW.after(HOUR), &person(2), id(1), (id(8), Seed::new(8)));
    assert_eq!(next, Ok(id(8)));
    let stranger = lobby.play_again(NOW.after(HOUR), &person(3), id(1), (id(9), Seed::new(9)));
    assert_eq!(stranger, Err(LobbyError::NotAPlayer));
}

#[test]
fn games_that_are_over_take_bounded_memory() {
    let mut lobby = Lobby::new(LobbyLimits { max_games: 9, ..limits() }, vec![]);
    let meta = with_game("").meta(id(1)).unwrap().clone();
    let setup = new_game(1, "").prepared.setup;
    for number in 0..u16::try_from(MAX_OVER_KEPT + 10).unwrap() {
        let bytes: Vec<u8> = (0..12).map(|bit| u8::from(number >> bit & 1 == 1)).collect();
        let id = GameId::from_random(bytes.try_into().unwrap());
        let meta = GameMeta { id, ..meta.clone() };
        lobby.remember(NOW.after(number.into()), meta, setup.clone(), vec![]);
    }
    assert_eq!(lobby.games.len(), MAX_OVER_KEPT);
    assert_eq!(lobby.poll_timeout(), Some(NOW.after(10 + HOUR)), "the oldest are forgotten first");
}

fn kick(byte: u8) -> LobbyEffect {
    LobbyEffect::Game(id(1), GameCommand::Kick(letter(byte)))
}

#[test]
fn a_kick_by_the_admin_makes_a_player_leave() {
    let mut lobby = with_game("");
    let kick_by =
        |lobby: &mut Lobby, who, byte| command(lobby, who, GameCommand::Kick(letter(byte)));
    assert_eq!(kick_by(&mut lobby, Authority::Admin, b'B'), Ok(()));
    assert_eq!(effects(&mut lobby), [kick(b'B')]);
    assert_eq!(kick_by(&mut lobby, CREATOR, b'B'), Err(LobbyError::NotYours));
    assert_eq!(kick_by(&mut lobby, Authority::Admin, b'C'), Err(LobbyError::NotAPlayer));
    lobby.handle_report(NOW, id(1), GameReport::Left(letter(b'B')));
    assert_eq!(kick_by(&mut lobby, Authority::Admin, b'B'), Err(LobbyError::NotAPlayer));
}

#[test]
fn a_banned_person_leaves_all_games_and_is_not_let_in_again() {
    let mut lobby = with_game("");
    let ban = Ban::Person(PlayerId(2));
    lobby.ban(ban);
    lobby.ban(ban);
    let expected = [LobbyEffect::Ban(ban), kick(b'B')];
    assert_eq!(effects(&mut lobby), expected);
    assert_eq!(lobby.ensure_not_banned(Some(PlayerId(2)), source(77)), Err(LobbyError::Banned));
    assert_eq!(lobby.create(NOW, &person(2), new_game(2, "")), Err(LobbyError::Banned));
    assert_eq!(lobby.ensure_not_banned(Some(PlayerId(1)), source(2)), Ok(()));
    lobby.unban(ban);
    assert_eq!(effects(&mut lobby), [LobbyEffect::Unban(ban)]);
    assert_eq!(lobby.ensure_not_banned(Some(PlayerId(2)), source(77)), Ok(()));
}

#[test]
fn a_banned_source_is_rejected_under_any_name() {
    let ban = Ban::Source(source(3));
    let mut lobby = Lobby::new(limits(), vec![ban]);
    assert_eq!(lobby.ensure_not_banned(None, source(3)), Err(LobbyError::Banned));
    assert_eq!(lobby.create(NOW, &person(3), new_game(3, "")), Err(LobbyError::Banned));
    assert_eq!(lobby.bans().collect::<Vec<_>>(), [ban]);
    assert_eq!(lobby.ensure_not_banned(None, source(4)), Ok(()));
}

#[test]
fn a_game_that_nobody_has_seen_yet_waits_for_its_first_person() {
    let mut lobby = Lobby::new(limits(), vec![]);
    lobby.create(NOW, &person(1), new_game(1, "")).unwrap();
    let bot = seated(b'A', Some(Rated::Bot("scout".into())));
    lobby.handle_report(NOW, id(1), GameReport::Joined(bot));
    let stage = |lobby: &Lobby| lobby.row(NOW, id(1), None).unwrap().stage;
    assert_eq!(stage(&lobby), Stage::Waiting { missing: Some(1) }, "bots wait for company");
    assert!(!lobby.row(NOW, id(1), None).unwrap().awaits_start(), "it needs no start button");
    lobby.handle_report(NOW, id(1), GameReport::Connected { players: 0, watchers: 1 });
    lobby.handle_report(NOW, id(1), GameReport::Connected { players: 0, watchers: 0 });
    assert_eq!(stage(&lobby), Stage::Playing, "bots play on alone");
}

#[test]
fn a_drained_host_begins_no_games_and_stops_when_the_last_is_over() {
    let mut lobby = with_game("");
    lobby.drain();
    lobby.drain();
    assert!(lobby.is_draining());
    let [LobbyEffect::AllGames(GameCommand::Notice(words))] = &effects(&mut lobby)[..] else {
        panic!("one message to all games");
    };
    assert!(words.contains("will stop"), "{words}");
    assert_eq!(lobby.create(NOW, &person(3), new_game(3, "")), Err(LobbyError::Draining));
    lobby.handle_report(NOW, id(1), GameReport::Over);
    let expected = [LobbyEffect::Finish(id(1), EndReason::Over), LobbyEffect::Stop];
    assert_eq!(effects(&mut lobby), expected);
    let next = lobby.play_again(NOW, &person(1), id(1), (id(8), Seed::new(8)));
    assert_eq!(next, Err(LobbyError::Draining));
}

#[test]
fn a_host_without_games_stops_at_once_when_it_is_drained() {
    let mut lobby = Lobby::new(limits(), vec![]);
    lobby.drain();
    assert_eq!(effects(&mut lobby), [LobbyEffect::Stop]);
}

#[test]
fn a_message_goes_to_all_games() {
    let mut lobby = with_game("");
    lobby.message("pizza is here");
    assert_eq!(
        effects(&mut lobby),
        [LobbyEffect::AllGames(GameCommand::Notice("pizza is here".into()))]
    );
}

#[test]
fn each_game_has_a_classic_port_as_long_as_there_are_any() {
    let mut lobby = Lobby::new(LobbyLimits { udp_ports: Some(9000..=9001), ..limits() }, vec![]);
    for number in 1..=3 {
        lobby.create(NOW, &person(number), new_game(number, "")).unwrap();
    }
    let port = |lobby: &Lobby, number| lobby.meta(id(number)).unwrap().udp_port;
    assert_eq!([1, 2, 3].map(|number| port(&lobby, number)), [Some(9000), Some(9001), None]);
    lobby.handle_report(NOW, id(1), GameReport::Over);
    lobby.create(NOW, &person(4), new_game(4, "")).unwrap();
    assert_eq!(port(&lobby, 4), Some(9000), "the port of a game that is over is free again");
    effects(&mut lobby);
    lobby.set_udp_port(id(4), Some(9000));
    assert!(effects(&mut lobby).is_empty(), "nothing has changed");
    lobby.set_udp_port(id(4), None);
    assert_eq!(lobby.free_udp_ports(), [9000]);
    assert!(
        matches!(&effects(&mut lobby)[..], [LobbyEffect::StoreMeta(meta)] if meta.udp_port.is_none())
    );
}
