//! Finished games, results and ratings.

use super::*;

#[test]
fn a_finished_game_has_its_table_the_richest_first() {
    for place in both() {
        let (ann, bob) = (place.guest("Ann"), place.guest("Bob"));
        let mut game = TestGame::new(1, &[ann, bob], 2);
        game.players.push(("Stranger".into(), "\u{4}not a token of ours".into()));
        let finished = place.finish(&game);
        assert_eq!((finished.id, finished.map.as_str(), finished.gold), (id(1), "main", 60));
        assert_eq!((finished.rows, finished.cols, finished.rated), (8, 20, true));
        assert_eq!((finished.created_unix_ms, finished.finished_unix_ms), (NOW + 1, NOW + 60_000));
        assert_eq!(finished.reason, EndReason::Over);
        assert!(finished.duration_ms > 1000);
        assert_eq!(finished.results.iter().map(|row| row.purse).sum::<u32>(), 60);
        assert!(finished.results.is_sorted_by(|a, b| a.purse >= b.purse && a.place <= b.place));
        assert_eq!(finished.results[0].place, 1);

        let mut by_letter = finished.results.clone();
        by_letter.sort_by_key(|row| row.letter);
        let who: Vec<Option<Rated>> = by_letter.iter().map(|row| row.who.clone()).collect();
        let bot = Some(Rated::Bot("scout".into()));
        assert_eq!(
            who,
            [Some(Rated::Player(ann)), Some(Rated::Player(bob)), bot.clone(), bot, None]
        );
        assert_eq!(by_letter[4].name, "Stranger");
        assert_eq!(by_letter[4].rating, None, "who is not known has no rating");
        assert_eq!(place.store().finished_game(id(1)).wait().unwrap(), Some(finished));
        assert_eq!(place.store().finished_game(id(2)).wait().unwrap(), None);
    }
}

#[test]
fn a_rated_game_changes_the_ratings_of_people_and_brains() {
    for place in both() {
        let (ann, bob) = (place.guest("Ann"), place.guest("Bob"));
        let finished = place.finish(&TestGame::new(1, &[ann, bob], 2));
        let table = place.store().ratings(10).wait().unwrap();
        assert_eq!(table.len(), 3, "all bots of a brain are one row");
        assert!(table.iter().all(|row| row.games == 1 && row.deviation < 25.0 / 3.0));
        assert!((table.iter().map(|row| row.wins).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(table.is_sorted_by(|a, b| a.certain >= b.certain && a.place <= b.place));
        let names: Vec<&str> = table.iter().map(|row| row.name.as_str()).collect();
        assert!(names.contains(&"Ann") && names.contains(&"scout"), "{names:?}");
        for row in &finished.results {
            let rating = table.iter().find(|rating| Some(&rating.who) == row.who.as_ref()).unwrap();
            let (after, change) = row.rating.unwrap();
            assert!((after - rating.rating).abs() < 1e-9);
            assert!((after - change - 25.0).abs() < 1e-9, "everybody began with 25");
        }
        assert_eq!(place.store().ratings(2).wait().unwrap(), table[..2]);
    }
}

#[test]
fn a_game_is_rated_once_however_often_its_end_is_reported() {
    for place in both() {
        let ann = place.guest("Ann");
        let game = TestGame::new(1, &[ann], 2);
        let first = place.finish(&game);
        let index = place.index();
        let later = place.finish_as(id(1), EndReason::Admin, NOW + DAY);
        assert_eq!(later, first);
        assert_eq!(place.index(), index);
    }
}

#[test]
fn games_that_nobody_won_are_not_rated() {
    for place in both() {
        let (ann, bob) = (place.guest("Ann"), place.guest("Bob"));
        let unrated = TestGame::new(1, &[ann, bob], 0);
        place.finish(&TestGame { meta: GameMeta { rated: false, ..meta(1) }, ..unrated });
        place.finish(&TestGame::new(2, &[ann], 0));
        let ended = TestGame::new(3, &[ann, bob], 0).with_end(TestEnd::ByHand);
        place.add(&ended);
        let ended = place.finish_as(id(3), EndReason::Creator, NOW);
        assert_eq!(ended.reason, EndReason::Creator);
        assert_eq!(place.store().ratings(10).wait().unwrap(), []);
        let games = place.store().finished_games(None, 10).wait().unwrap();
        assert!(games.iter().all(|game| !game.rated));
        assert_eq!(games.len(), 3, "they are listed all the same");
    }
}

#[test]
fn a_game_that_is_over_by_the_rules_is_over_whatever_else_was_said() {
    for place in both() {
        let game = TestGame::new(1, &[place.guest("Ann")], 1);
        place.add(&game);
        let finished = place.finish_as(id(1), EndReason::Abandoned, NOW);
        assert_eq!((finished.reason, finished.rated), (EndReason::Over, true));
    }
}

#[test]
fn a_game_by_link_is_listed_only_for_its_creator_and_its_players() {
    for place in both() {
        let (creator, ann) = (place.guest("Creator"), place.guest("Ann"));
        let stranger = place.guest("Stranger");
        let game = TestGame::new(1, &[ann], 1);
        let meta = GameMeta { visibility: Visibility::Link, creator, ..meta(1) };
        place.finish(&TestGame { meta, ..game });
        let listed = |viewer: Option<PlayerId>| {
            let games = place.store().finished_games(viewer, 10).wait().unwrap();
            let history = place.store().player_history(Rated::Player(ann), viewer).wait().unwrap();
            assert_eq!(games, history.unwrap().games);
            !games.is_empty()
        };
        let seen = [Some(creator), Some(ann), Some(stranger), None].map(listed);
        assert_eq!(seen, [true, true, false, false]);
        assert!(place.store().finished_game(id(1)).wait().unwrap().is_some(), "with its link");
    }
}

#[test]
fn the_page_of_a_player_has_its_ratings_and_its_games() {
    for place in both() {
        let (ann, bob) = (place.guest("Ann"), place.guest("Bob"));
        for number in 1..=3 {
            place.finish(&TestGame::new(number, &[ann, bob], 0));
        }
        place.finish(&TestGame::new(4, &[bob], 1));
        let history = |who| place.store().player_history(who, None).wait().unwrap();
        let of_ann = history(Rated::Player(ann)).unwrap();
        assert_eq!(of_ann.name, "Ann");
        let ids: Vec<GameId> = of_ann.games.iter().map(|game| game.id).collect();
        assert_eq!(ids, [id(3), id(2), id(1)], "the newest first");
        let rating = of_ann.rating.unwrap();
        assert_eq!((of_ann.points.len(), rating.games), (3, 3));
        assert!((of_ann.points[2] - rating.rating).abs() < 1e-9, "the oldest first");
        let table = place.store().ratings(10).wait().unwrap();
        assert!(table.contains(&rating), "with its place in the table");

        assert_eq!(history(Rated::Bot("scout".into())).unwrap().games.len(), 1);
        assert_eq!(history(Rated::Bot("miner".into())), None);
        assert_eq!(history(Rated::Player(PlayerId(99))), None);
        let newcomer = history(Rated::Player(place.guest("Eve"))).unwrap();
        assert_eq!((newcomer.rating, newcomer.games.len()), (None, 0));
    }
}

#[test]
fn the_end_is_written_beside_the_journal() {
    for place in both() {
        let game = TestGame::new(1, &[place.guest("Ann")], 1);
        place.finish(&game);
        let stored = place.store().load_meta(id(1)).wait().unwrap().unwrap();
        let finished = stored.finished.unwrap();
        assert_eq!(
            (finished.number, finished.unix_ms, finished.reason),
            (1, NOW + 60_000, EndReason::Over)
        );
    }
}

#[test]
fn the_end_stays_in_the_file_of_a_game_that_is_saved_again() {
    let place = Place::new();
    let game = TestGame::new(1, &[place.guest("Ann")], 1);
    place.finish(&game);
    let load = || place.store().load_meta(id(1)).wait().unwrap().unwrap();
    let finished = load().finished;
    let again = GameMeta { next: Some(id(2)), ..game.meta };
    block_on(place.store().save_meta(again.clone(), None)).unwrap();
    assert_eq!(load(), GameMeta { finished, ..again });
}

#[test]
fn people_can_play_a_finished_game_again() {
    for place in both() {
        let (ann, bob) = (place.guest("Ann"), place.guest("Bob"));
        let game = TestGame::new(1, &[ann, bob], 2);
        place.add(&game);
        assert_eq!(block_on(place.store().rematch(id(1))).unwrap(), None, "it still runs");
        place.finish(&game);
        let rematch = block_on(place.store().rematch(id(1))).unwrap().unwrap();
        assert_eq!((rematch.people, rematch.setup), (vec![ann, bob], game.setup()));
        assert_eq!(rematch.meta.id, id(1));
        assert_eq!(block_on(place.store().rematch(id(9))).unwrap(), None);
    }
}
