//! Tests of recovery after a restart.

use super::*;

fn unfinished(opened: &OpenedStore) -> Vec<GameId> {
    opened.unfinished.iter().map(|meta| meta.id).collect()
}

#[test]
fn unfinished_games_are_resumed_the_oldest_first() {
    let mut place = Place::new();
    let ann = place.guest("Ann");
    place.finish(&TestGame::new(1, &[ann], 1));
    place.add(&TestGame::new(3, &[ann], 1).with_end(TestEnd::Running));
    place.add(&TestGame::new(2, &[ann], 1).with_end(TestEnd::Running));
    let opened = place.reopen(NOW);
    assert_eq!(unfinished(&opened), [id(2), id(3)]);
    assert_eq!(opened.unfinished[0], meta(2));
    assert_eq!(opened.skipped, [""; 0]);
}

#[test]
fn a_game_whose_result_was_not_sent_is_resumed_to_send_it() {
    let mut place = Place::new();
    place.add(&TestGame::new(1, &[place.guest("Ann")], 1).with_end(TestEnd::OverNotSent));
    assert_eq!(unfinished(&place.reopen(NOW)), [id(1)]);
    let finished = place.finish_as(id(1), EndReason::Over, NOW);
    assert_eq!((finished.reason, finished.rated), (EndReason::Over, true));
    assert_eq!(unfinished(&place.reopen(NOW)), []);
}

#[test]
fn a_game_that_ended_before_a_crash_is_indexed_at_the_next_start() {
    let mut place = Place::new();
    let ann = place.guest("Ann");
    place.add(&TestGame::new(1, &[ann], 1));
    place.add(&TestGame::new(2, &[ann], 1).with_end(TestEnd::ByHand));
    assert_eq!(unfinished(&place.reopen(NOW + 5)), []);
    let games = place.store().finished_games(None, 10).wait().unwrap();
    let ends: Vec<(GameId, EndReason)> = games.iter().map(|game| (game.id, game.reason)).collect();
    assert_eq!(ends, [(id(2), EndReason::Creator), (id(1), EndReason::Over)]);
    assert_eq!(place.store().ratings(10).wait().unwrap().len(), 2);
}

#[test]
fn a_crash_between_index_and_file_neither_rates_twice_nor_resumes() {
    let mut place = Place::new();
    let game = TestGame::new(1, &[place.guest("Ann")], 1);
    place.finish(&game);
    let index = place.index();
    let marked = fs::read(place.path(&format!("games/{}.json", id(1)))).unwrap();

    // The state after a crash between writing the index and writing the file.
    let connection = rusqlite::Connection::open(place.path("nuggets.sqlite")).unwrap();
    connection.execute("UPDATE games SET is_marked = 0", []).unwrap();
    drop(connection);
    let text = serde_json::to_vec(&game.meta).unwrap();
    fs::write(place.path(&format!("games/{}.json", id(1))), text).unwrap();

    assert_eq!(unfinished(&place.reopen(NOW + DAY)), []);
    assert_eq!(place.index(), index);
    assert_eq!(fs::read(place.path(&format!("games/{}.json", id(1)))).unwrap(), marked);
}

#[test]
fn files_that_can_not_be_used_are_skipped_and_named() {
    let mut place = Place::new();
    let ann = place.guest("Ann");
    for number in 1..=5 {
        place.add(&TestGame::new(number, &[ann], 1).with_end(TestEnd::Running));
    }
    fs::write(place.path(&format!("games/{}.json", id(1))), "{").unwrap();
    fs::write(place.path(&format!("games/{}.journal", id(2))), "no journal").unwrap();
    fs::remove_file(place.path(&format!("games/{}.journal", id(3)))).unwrap();
    let mut bytes = fs::read(place.path(&format!("games/{}.journal", id(4)))).unwrap();
    bytes.truncate(bytes.len() - 1);
    fs::write(place.path(&format!("games/{}.journal", id(4))), bytes).unwrap();
    fs::write(place.path("games/notes.json"), "not ours").unwrap();
    fs::write(place.path("games/left-behind.tmp"), "half").unwrap();

    let opened = place.reopen(NOW);
    assert_eq!(unfinished(&opened), [id(4), id(5)], "a torn end is no obstacle");
    for number in 1..=3 {
        let name = id(number).to_string();
        assert!(opened.skipped.iter().any(|why| why.contains(&name)), "{:?}", opened.skipped);
    }
    assert_eq!(opened.skipped.len(), 3);
}

#[test]
fn a_damaged_database_is_reported_with_what_to_do_and_what_would_be_lost() {
    let mut place = Place::new();
    place.finish(&TestGame::new(1, &[place.guest("Ann")], 1));
    place.store = None;
    fs::write(place.path("nuggets.sqlite"), "junk".repeat(3000)).unwrap();
    let error = place.opening_error();
    for words in ["nuggets.sqlite' is damaged", "nuggets serve --reindex", "passwords"] {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_missing_database_is_reported_if_there_are_games() {
    let mut place = Place::new();
    place.store = None;
    fs::remove_file(place.path("nuggets.sqlite")).unwrap();
    place.reopen(NOW);
    place.finish(&TestGame::new(1, &[place.guest("Ann")], 1));
    place.store = None;
    fs::remove_file(place.path("nuggets.sqlite")).unwrap();
    let error = place.opening_error();
    for words in ["nuggets.sqlite' is missing", "nuggets serve --reindex", "passwords"] {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_database_of_a_later_version_is_left_alone() {
    let mut place = Place::new();
    place.store = None;
    let connection = rusqlite::Connection::open(place.path("nuggets.sqlite")).unwrap();
    connection.pragma_update(None, "user_version", 1000).unwrap();
    drop(connection);
    let error = place.opening_error();
    assert!(error.contains("later version"), "{error}");
}
