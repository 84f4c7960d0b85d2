//! The house rules (variants), drawn.

use super::*;
use crate::Lifetime;

fn purses(game: &Game) -> Vec<u32> {
    game.players().iter().map(Player::purse).collect()
}

#[test]
fn vision_limits_the_straight_line_distance() {
    let rules = Rules { vision: Some(2), ..Rules::default() };
    let game = draw(
        rules,
        "
+-------+
|.......|
|.......|
|...@..*|
|.......|
|.......|
+-------+
",
    );
    let view = game.view(Viewer::Player(letter('A'))).to_string();
    let shown: Vec<&str> = view.lines().map(str::trim_end).collect();
    assert_eq!(shown, ["", "    .", "   ...", "  ..@..", "   ...", "    .", ""]);
}

#[test]
fn gridpoints_that_were_near_once_stay_known() {
    let rules = Rules { vision: Some(1), ..Rules::default() };
    let mut game = draw(rules, "\n@...*\n");
    press(&mut game, 'A', "ll");
    assert_eq!(game.view(Viewer::Player(letter('A'))).to_string(), "..@. \n");
}

#[test]
fn stepping_onto_a_player_steals_its_purse() {
    let rules = Rules { steal: true, ..Rules::default() };
    let mut game = draw(rules, "\n@.*B*\n");
    press(&mut game, 'B', "h");
    let events = press(&mut game, 'A', "ll");
    let (thief, victim) = (letter('A'), letter('B'));
    assert_eq!(events.last(), Some(&Event::Stole { thief, victim, nuggets: PILE }));
    assert_eq!((drawn(&game).as_str(), purses(&game)), (".B@.*\n", vec![PILE, 0]));
    assert_eq!(game.remaining(), PILE, "stolen gold does not count as found");
}

#[test]
fn a_sprint_steals_every_purse_it_meets_and_an_empty_one_is_no_event() {
    let rules = Rules { steal: true, ..Rules::default() };
    let mut game = draw(rules, "\n@B*C*.D*\n");
    press(&mut game, 'B', "l");
    press(&mut game, 'C', "l");
    let events = press(&mut game, 'A', "L");
    let thefts = events.iter().filter(|event| matches!(event, Event::Stole { .. })).count();
    assert_eq!((thefts, purses(&game)), (2, vec![3 * PILE, 0, 0, 0]));
    assert_eq!(game.end(), Some(End::AllCollected));
}

#[test]
fn gold_dropped_on_quit_becomes_a_pile() {
    let rules = Rules { drop_on_quit: true, ..Rules::default() };
    let mut game = draw(rules, "\n@*.B*\n");
    press(&mut game, 'A', "l");
    let mut events = vec![];
    game.apply(Input::Leave(letter('A')), &mut events);
    let (player, at) = (letter('A'), Point::new(0, 1));
    let dropped = Event::Dropped { player, nuggets: PILE, at };
    assert_eq!(events, [Event::Left { player, at }, dropped]);
    assert_eq!(
        (drawn(&game).as_str(), game.remaining(), purses(&game)),
        (".*.B*\n", 2 * PILE, vec![0, 0])
    );
    press(&mut game, 'B', "hhl");
    assert_eq!(purses(&game), [0, PILE], "it can be picked up again");
}

#[test]
fn an_empty_purse_drops_nothing_on_quit() {
    let rules = Rules { drop_on_quit: true, ..Rules::default() };
    let mut game = draw(rules, "\n@*B\n");
    let mut events = vec![];
    game.apply(Input::Leave(letter('A')), &mut events);
    assert_eq!((events.len(), drawn(&game).as_str()), (1, ".*B\n"));
}

fn lifetime(steps: u32) -> Rules {
    Rules { lifetime: Some(Lifetime { steps, food: 0 }), ..Rules::default() }
}

#[test]
fn each_step_spends_a_lifetime_and_at_zero_the_player_is_out() {
    let mut game = draw(lifetime(3), "\n@....*\nB.....\n");
    press(&mut game, 'A', "kl");
    assert_eq!(game.player(letter('A')).steps_left(), Some(2), "a blocked step is free");
    let events = press(&mut game, 'A', "L");
    let starved = Event::Starved { player: letter('A'), at: Point::new(0, 3) };
    assert_eq!(events.last(), Some(&starved), "a sprint ends with the last step");
    assert_eq!(drawn(&game), ".....*\nB.....\n");
    assert_eq!(press(&mut game, 'A', "l"), [Event::Rejected(Rejection::NotPlaying)]);
}

#[test]
fn being_swapped_costs_nothing() {
    let mut game = draw(lifetime(3), "\n@B.*\n");
    press(&mut game, 'A', "l");
    assert_eq!(game.player(letter('A')).steps_left(), Some(2));
    assert_eq!(game.player(letter('B')).steps_left(), Some(3));
}

#[test]
fn food_restores_the_whole_lifetime() {
    let mut game = draw(lifetime(3), "\n@.%..*\n");
    let events = press(&mut game, 'A', "ll");
    assert_eq!(events.last(), Some(&Event::Ate { player: letter('A'), at: Point::new(0, 2) }));
    assert_eq!(game.player(letter('A')).steps_left(), Some(3));
    press(&mut game, 'A', "lh");
    assert_eq!(drawn(&game), "..@..*\n", "it is eaten");
    assert_eq!(game.player(letter('A')).steps_left(), Some(1));
}

#[test]
fn the_last_step_can_reach_food_or_end_the_game() {
    let mut game = draw(lifetime(1), "\n@%.*\n");
    press(&mut game, 'A', "l");
    assert_eq!(game.player(letter('A')).at(), Some(Point::new(0, 1)), "saved by food");

    let rules = Rules { drop_on_quit: true, ..lifetime(1) };
    let mut game = draw(rules, "\n@*B\n");
    let events = press(&mut game, 'A', "l");
    assert_eq!(events.last(), Some(&Event::Over(End::AllCollected)));
    assert_eq!(purses(&game), [PILE, 0]);
}

#[test]
fn a_starved_player_drops_its_gold_with_that_variant() {
    let rules = Rules { drop_on_quit: true, ..lifetime(2) };
    let mut game = draw(rules, "\n@*.*B\n");
    press(&mut game, 'A', "L");
    assert_eq!((drawn(&game).as_str(), game.remaining()), ("..**B\n", 2 * PILE));
}

#[test]
fn the_game_ends_when_all_possible_players_have_starved() {
    let mut game = draw(Rules { max_players: 2, ..lifetime(1) }, "\n@.B*\n");
    press(&mut game, 'A', "l");
    assert_eq!(game.end(), None);
    press(&mut game, 'B', "h");
    assert_eq!(game.end(), Some(End::NobodyLeft));
}

#[test]
fn food_lies_on_free_room_spots_and_no_player_starts_on_it() {
    let lifetime = Some(Lifetime { steps: 9, food: 40 });
    let rules = Rules { lifetime, ..Rules::default() };
    let map = crate::shipped::ALL[0].map();
    let mut game = Game::new(&Setup::new(map, rules, Seed::new(4), Dialect::V2021)).unwrap();
    let gold: Vec<Point> = game.piles().map(|(at, _)| at).collect();
    for player in 0..26 {
        game.apply(Input::Join(name(&format!("p{player}"))), &mut vec![]);
    }
    let mut food = game.food().to_vec();
    assert_eq!(food.len(), 40);
    assert!(food.iter().all(|at| game.map().tile(*at) == Some(Tile::Room)));
    assert!(food.iter().all(|at| !gold.contains(at)));
    assert!(game.players().iter().all(|player| !food.contains(&player.at().unwrap())));
    food.sort_unstable();
    food.dedup();
    assert_eq!(food.len(), 40, "one piece on each spot");
}

/// A variant must not draw from the RNG of the plain game.
#[test]
fn variants_without_food_do_not_change_the_gold_of_a_seed() {
    let map = || crate::shipped::ALL[0].map();
    let gold = |rules: Rules| {
        let setup = Setup::new(map(), rules, Seed::new(77), Dialect::V2021);
        Game::new(&setup).unwrap().piles().collect::<Vec<_>>()
    };
    let plain = gold(Rules::default());
    let mixed = Rules { vision: Some(3), steal: true, drop_on_quit: true, ..lifetime(9) };
    assert_eq!(gold(mixed), plain);
}
