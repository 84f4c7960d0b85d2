//! Faults that the checks must find although the current room has none of them.

use nuggets_game::{Game, Map, Point, Rules, Seed, Setup};

use super::*;

const ANN: u64 = 0;
const MAP: &str = "+-----+\n|.....|\n|.....|\n+-----+\n";

/// A room in which only Ann plays.
fn room() -> CheckedRoom {
    let dialect = Dialect::V2021;
    let nuggets = 9;
    let max_players = 3;
    let rules = Rules { nuggets, min_piles: 2, max_piles: 2, max_players, ..Rules::default() };
    let map = Map::parse(MAP.as_bytes()).unwrap().map;
    let game = Game::new(&Setup::new(map, rules, Seed::new(7), dialect)).unwrap();
    let model = model_of(MAP, &rules, dialect, false, &game);
    let room = Room::with_game(game, dialect);
    let mut room = CheckedRoom::new(room).with_model(model, dialect, Reliability::none());
    let sent = room.handle_message(Timestamp(5), ANN, b"PLAY Ann").unwrap();
    assert!(sent.iter().any(|(_, message)| message.starts_with(b"DISPLAY\n")));
    room
}

/// What is wrong with these messages if the room resends them.
fn check_resends(room: &CheckedRoom, real: &[Outgoing]) -> Result<(), String> {
    room.model().check_resends(room.room(), real)
}

#[test]
fn a_resend_that_differs_from_the_game_is_noticed() {
    let room = room();
    let view = room.model().expected_view(ANN, room.room().game()).unwrap();
    let gold = format!("GOLD 0 {}", view.gold).into_bytes();
    let right = [(ANN, gold), (ANN, view.picture.clone())];
    assert_eq!(check_resends(&room, &right), Ok(()));
    let picture = String::from_utf8(view.picture).unwrap();
    let old = picture.replacen('@', ".", 1).into_bytes();
    for (peer, wrong, words) in [
        (ANN, old, "a resent picture"),
        (ANN, b"GOLD 0 9999 9999".to_vec(), "resent gold"),
        (ANN, b"NO key".to_vec(), "for no reason"),
        (ANN + 1, picture.into_bytes(), "a picture for a peer without a seat"),
    ] {
        let why = check_resends(&room, &[(peer, wrong)]).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn a_picture_for_an_unreachable_peer_is_noticed() {
    let mut room = room();
    let sent = [(ANN, room.model().expected_view(ANN, room.room().game()).unwrap().picture)];
    assert_eq!(check_resends(&room, &sent), Ok(()));
    room.handle_disconnect(Timestamp(9), ANN).unwrap();
    let why = check_resends(&room, &sent).unwrap_err();
    assert_eq!(why, "peer 0 can't be reached");
}

/// Too many piles were dropped, or the map is too small: no spot is free.
#[test]
fn a_player_is_rejected_when_no_spot_is_free() {
    let map = "+---+\n|...|\n+---+\n";
    let rules = Rules { nuggets: 5, min_piles: 1, max_piles: 1, ..Rules::default() };
    for dialect in Dialect::ALL {
        let parsed = Map::parse(map.as_bytes()).unwrap().map;
        let setup = Setup::new(parsed, rules, Seed::new(1), dialect);
        let game = Game::arranged(&setup, vec![(Point::new(1, 2), 5)], vec![]);
        let model = model_of(map, &rules, dialect, false, &game);
        let room = Room::with_game(game, dialect);
        let mut room = CheckedRoom::new(room).with_model(model, dialect, Reliability::none());
        let mut join = |peer: u64| {
            room.handle_message(Timestamp(0), peer, format!("PLAY {peer}").as_bytes()).unwrap()
        };
        join(0);
        join(1);
        assert!(join(2).last().unwrap().1.starts_with(b"QUIT"));
        assert_eq!(room.room().game().players().len(), 2);
    }
}
