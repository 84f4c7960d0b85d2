//! Tests of rebuilding the index from the journals.

use super::*;

/// Creates a store with several games of several people, ended in several ways and not in the order of their creation.
fn played() -> Place {
    let place = Place::new();
    let (ann, bob, eve) = (place.guest("Ann"), place.guest("Bob"), place.guest("Eve"));
    for (number, people, bots) in [
        (5, vec![ann, bob], 0),
        (1, vec![bob, eve, ann], 2),
        (4, vec![eve], 1),
        (2, vec![ann, eve], 0),
    ] {
        place.finish(&TestGame::new(number, &people, bots));
    }
    place.add(&TestGame::new(3, &[ann, bob], 0).with_end(TestEnd::ByHand));
    place.finish_as(id(3), EndReason::Admin, NOW + 70_000);
    let link = TestGame::new(6, &[ann, bob], 1);
    place.finish(&TestGame { meta: GameMeta { visibility: Visibility::Link, ..meta(6) }, ..link });
    place.add(&TestGame::new(7, &[PlayerId(40)], 0).with_end(TestEnd::Running));
    place
}

fn reindex(place: &mut Place) -> Reindexed {
    place.store = None;
    let reindexed = Store::reindex(place.folder(), NOW + DAY).unwrap();
    place.reopen(NOW + DAY);
    reindexed
}

#[test]
fn the_index_is_the_same_as_before_and_accounts_stay() {
    let mut place = played();
    let (_, token) = place.store().create_guest(Some("Zoe".into()), NOW).wait().unwrap();
    let before = place.index();
    let table = place.store().ratings(10).wait().unwrap();
    let players = place.rows("players");
    assert_eq!(reindex(&mut place), Reindexed { games: 6, skipped: vec![] });
    assert_eq!(place.index(), before);
    assert_eq!(place.store().ratings(10).wait().unwrap(), table);
    assert_eq!(place.rows("players")[..4], players);
    let zoe = place.store().session(&token, NOW).wait().unwrap().unwrap();
    assert_eq!(zoe.name, "Zoe");
}

#[test]
fn an_index_that_went_wrong_is_made_right() {
    let mut place = played();
    let before = place.index();
    place.store = None;
    let connection = rusqlite::Connection::open(place.path("nuggets.sqlite")).unwrap();
    connection.execute("UPDATE ratings SET mean = 99", []).unwrap();
    connection.execute("DELETE FROM games WHERE number < 3", []).unwrap();
    drop(connection);
    reindex(&mut place);
    assert_eq!(place.index(), before);
}

#[test]
fn a_lost_or_damaged_database_is_made_again_without_its_accounts() {
    for damage in [None, Some("junk".repeat(3000))] {
        let mut place = played();
        let before = place.index();
        place.store = None;
        let path = place.path("nuggets.sqlite");
        match &damage {
            None => fs::remove_file(&path).unwrap(),
            Some(junk) => fs::write(&path, junk).unwrap(),
        }
        assert_eq!(reindex(&mut place).games, 6);
        assert_eq!(place.index(), before);
        let aside = fs::read_to_string(place.path("nuggets.sqlite.damaged-1")).ok();
        assert_eq!(aside, damage, "the damaged file is put aside");
        assert!(
            place.guest("Newcomer") > PlayerId(40),
            "no new account becomes the player of an old journal"
        );
        let names: Vec<String> =
            place.store().ratings(10).wait().unwrap().into_iter().map(|row| row.name).collect();
        assert!(names.contains(&"Person 1".to_owned()), "the name of the last game: {names:?}");
    }
}

#[test]
fn damaged_files_are_reported_and_skipped() {
    let mut place = played();
    place.store = None;
    fs::write(place.path(&format!("games/{}.journal", id(5))), "no journal").unwrap();
    fs::write(place.path(&format!("games/{}.json", id(4))), "").unwrap();
    let path = place.path(&format!("games/{}.journal", id(1)));
    let mut bytes = fs::read(&path).unwrap();
    // Many bits are flipped, since a single one would be repaired, and the header is stored twice.
    bytes[100..].iter_mut().step_by(50).for_each(|byte| *byte ^= 0x10);
    fs::write(&path, bytes).unwrap();
    let reindexed = reindex(&mut place);
    assert_eq!((reindexed.games, reindexed.skipped.len()), (3, 3), "{:?}", reindexed.skipped);
    for number in [1, 4, 5] {
        let name = id(number).to_string();
        assert!(reindexed.skipped.iter().any(|why| why.contains(&name)), "{:?}", reindexed.skipped);
    }
}

#[test]
fn games_go_on_being_counted_after_it() {
    let mut place = played();
    reindex(&mut place);
    place.finish(&TestGame::new(8, &[PlayerId(1), PlayerId(2)], 0));
    let number = |place: &Place| {
        place.store().load_meta(id(8)).wait().unwrap().unwrap().finished.unwrap().number
    };
    assert_eq!(number(&place), 7);
    let before = place.index();
    reindex(&mut place);
    assert_eq!((number(&place), place.index()), (7, before));
}
