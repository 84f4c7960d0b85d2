//! Invariants under random inputs.

use proptest::prelude::*;

use super::*;
use crate::{Canvas, Changes, Lifetime};

#[derive(Clone, Debug)]
enum Act {
    Join,
    Press(usize, u8),
    Leave(usize),
}

fn any_acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        2 => Just(Act::Join),
        30 => (0..6usize, prop::sample::select(b"hjklyubnHJKLYUBN".to_vec()))
            .prop_map(|(player, key)| Act::Press(player, key)),
        1 => (0..6usize).prop_map(Act::Leave),
    ];
    prop::collection::vec(act, 0..120)
}

fn input(act: &Act) -> Input {
    match *act {
        Act::Join => Input::Join(name("player")),
        Act::Press(player, key) => {
            Input::Press(Letter::nth(player).unwrap(), Stroke::from_key(key).unwrap())
        }
        Act::Leave(player) => Input::Leave(Letter::nth(player).unwrap()),
    }
}

prop_compose! {
    /// Every combination of variants, the game of the specification among them.
    fn any_rules()(
        (gold, min_piles, more_piles) in prop_oneof![Just((250, 10, 20)), (40..400u32, 1..20u32, 0..20u32)],
        max_players in prop_oneof![Just(26), 2..8usize],
        sprint_stops: bool,
        vision in prop::option::of(1..12u16),
        steal: bool,
        drop_on_quit: bool,
        lifetime in prop::option::of((1..60u32, 0..20u32)),
    ) -> Rules {
        let lifetime = lifetime.map(|(steps, food)| Lifetime { steps, food });
        let max_piles = min_piles + more_piles;
        let usual = Rules { nuggets: gold, min_piles, max_piles, max_players, ..Rules::default() };
        Rules { sprint_stops, vision, steal, drop_on_quit, lifetime, ..usual }
    }
}

prop_compose! {
    fn any_game()(
        map in 0..crate::shipped::ALL.len(),
        seed in 0..1000i64,
        rules in prop_oneof![Just(Rules::default()), any_rules()],
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
    ) -> Game {
        rules.check().unwrap();
        let map = crate::shipped::ALL[map].map();
        Game::new(&Setup::new(map, rules, Seed::new(seed), dialect)).unwrap()
    }
}

fn check_invariants(game: &Game) -> Result<(), TestCaseError> {
    let purses: u32 = game.players().iter().map(Player::purse).sum();
    prop_assert_eq!(purses + game.remaining(), game.rules().nuggets, "gold is conserved");

    let mut spots: Vec<Point> = game.players().iter().filter_map(Player::at).collect();
    spots.extend(game.piles().map(|(at, _)| at));
    spots.extend(game.food());
    let occupants = spots.len();
    spots.sort_unstable();
    spots.dedup();
    prop_assert_eq!(spots.len(), occupants, "one occupant per spot");
    prop_assert!(spots.iter().all(|at| game.map().tile(*at).is_some_and(Tile::is_spot)));
    prop_assert_eq!(game.remaining(), game.piles().map(|(_, nuggets)| nuggets).sum::<u32>());

    for player in game.players() {
        if let Some(at) = player.at() {
            prop_assert_eq!(player.sees(), &*game.sight().visible_from(at));
            prop_assert!(player.known().contains_all(player.sees()), "seen is known");
        }
        let view = game.view(Viewer::Player(player.letter())).to_string();
        let shown = view.bytes().filter(|b| *b != b'\n');
        for (index, (shown, tile)) in shown.zip(game.map().tiles()).enumerate() {
            prop_assert!(
                shown == b' ' || player.known().contains(index),
                "unknown gridpoint shown as {:?} over {:?}",
                char::from(shown),
                tile
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_invariants_hold_after_any_inputs(mut game in any_game(), acts in any_acts()) {
        for (done, act) in acts.iter().enumerate() {
            game.apply(input(act), &mut vec![]);
            if done % 8 == 0 || done + 1 == acts.len() {
                check_invariants(&game)?;
            }
        }
    }

    #[test]
    fn known_gridpoints_stay_known(mut game in any_game(), acts in any_acts()) {
        for act in &acts {
            let before: Vec<PointSet> = game.players().iter().map(|p| p.known().clone()).collect();
            game.apply(input(act), &mut vec![]);
            for (player, known) in game.players().iter().zip(&before) {
                prop_assert!(player.known().contains_all(known));
            }
        }
    }

    #[test]
    fn two_runs_with_equal_inputs_are_equal(game in any_game(), acts in any_acts()) {
        let run = || {
            let mut game = game.clone();
            let mut events = vec![];
            let mut shown = vec![];
            for act in &acts {
                game.apply(input(act), &mut events);
                game.view(Viewer::Spectator).write_to(&mut shown);
            }
            (events, shown, game.table().to_string())
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn a_canvas_always_equals_a_new_view(mut game in any_game(), acts in any_acts()) {
        let mut canvases = vec![(Viewer::Spectator, Canvas::new(&game, Viewer::Spectator, b"head"))];
        let mut events = vec![];
        let mut changes = Changes::default();
        let cols = usize::from(game.map().cols());
        for act in &acts {
            for (_, canvas) in &mut canvases {
                canvas.track_changes();
            }
            events.clear();
            game.apply(input(act), &mut events);
            changes.read(&events);
            for (viewer, canvas) in &mut canvases {
                let before = canvas.bytes().to_vec();
                let is_different = canvas.update(&game, &changes);
                prop_assert_eq!(is_different, before != canvas.bytes(), "{:?}", viewer);
                let rows = before["head".len()..].iter().zip(canvas.rows()).enumerate();
                for (place, _) in rows.filter(|(_, (old, new))| old != new) {
                    let at = u32::try_from(place - place / (cols + 1)).unwrap();
                    prop_assert!(canvas.changed().binary_search(&at).is_ok(), "{:?}: {}", viewer, at);
                }
                canvas.forget_changes();
                if matches!(viewer, Viewer::Player(letter) if game.player(*letter).at().is_none()) {
                    continue; // After quitting no picture is sent.
                }
                let redrawn = format!("head{}", game.view(*viewer));
                prop_assert_eq!(String::from_utf8_lossy(canvas.bytes()), redrawn, "{:?}", viewer);
            }
            if let Some(Event::Joined { player, .. }) = events.first() {
                let viewer = Viewer::Player(*player);
                canvases.push((viewer, Canvas::new(&game, viewer, b"head")));
            }
        }
    }
}
