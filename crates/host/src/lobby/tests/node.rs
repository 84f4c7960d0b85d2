//! What the lobby of a node learns from the others.

use super::*;
use crate::{Attach, AttachError, AttachRole, ConnectionId};

fn watch(number: u64, view: Option<char>) -> Attach {
    let (connection, name, role) = (ConnectionId(1), String::new(), AttachRole::Watch(view));
    Attach { connection, person: PlayerId(number), name, role, is_creator: false }
}

#[test]
fn a_watcher_of_a_game_elsewhere_sees_no_more_than_its_player_knows() {
    let mut lobby = with_game(r#","watch_delay_s":30"#);
    let hello = |lobby: &Lobby, person, view| lobby.watch_hello(id(1), view, &watch(person, view));
    let whole = hello(&lobby, 9, None).unwrap();
    assert_eq!((whole.delay_s, whole.view, whole.letter), (30, None, None));
    assert!(whole.rows > 0 && whole.cols > 0);
    assert_eq!(hello(&lobby, 9, Some('B')).unwrap().view, Some('B'));
    assert_eq!(hello(&lobby, 9, Some('Z')), Err(AttachError::NoSuchPlayer));
    assert_eq!(hello(&lobby, 1, None), Err(AttachError::Plays));
    assert_eq!(hello(&lobby, 1, Some('B')), Err(AttachError::Plays));
    assert!(hello(&lobby, 1, Some('A')).is_ok(), "through its own eyes");
    lobby.handle_report(NOW, id(1), over());
    assert!(hello(&lobby, 1, None).is_ok(), "the game is over");
    let unknown = lobby.watch_hello(id(9), None, &watch(1, None));
    assert_eq!(unknown, Err(AttachError::NoSuchGame));
}

#[test]
fn what_another_node_has_stored_does_not_undo_what_is_known() {
    let mut lobby = with_game(r#","start":"by_creator""#);
    let stored = lobby.meta(id(1)).unwrap().clone();
    lobby.handle_report(NOW, id(1), GameReport::Started);
    lobby.set_next(id(1), id(2));
    lobby.set_next(id(1), id(3));
    assert!(lobby.update_meta(&GameMeta { udp_port: Some(9_000), ..stored }));
    let meta = lobby.meta(id(1)).unwrap();
    assert_eq!((meta.has_started, meta.next, meta.udp_port), (true, Some(id(2)), Some(9_000)));
    let other = GameMeta { id: id(5), ..meta.clone() };
    assert!(!lobby.update_meta(&other), "it is not known here");
}

#[test]
fn the_bans_of_all_nodes_replace_the_own_ones() {
    let mut lobby = Lobby::new(limits(), vec![Ban::Person(PlayerId(1))]);
    lobby.replace_bans(vec![Ban::Person(PlayerId(2))]);
    assert_eq!(lobby.ensure_person_not_banned(PlayerId(1)), Ok(()));
    assert_eq!(lobby.ensure_person_not_banned(PlayerId(2)), Err(LobbyError::Banned));
    lobby.refuse_games();
    let refused = lobby.create(NOW, &person(1), new_game(1, ""));
    assert_eq!(refused, Err(LobbyError::Draining));
    assert!(effects(&mut lobby).is_empty(), "it does not stop: its games go on elsewhere");
}
