//! Equal games have equal hashes, and any difference changes the hash.

use nuggets_protocol::Dialect;

use crate::gold::Piles;
use crate::{
    End, Game, Input, Letter, Lifetime, Map, Name, Point, Rng, Rules, Seed, Setup, SightRule,
    Stroke, shipped,
};

const DRAWN: &str = "+-------+\n|.......#\n|.......#\n+-------+\n";

fn begin(drawn: &str, rule: SightRule, rules: Rules) -> Game {
    let map = Map::parse(drawn.as_bytes()).unwrap().map;
    let setup = Setup::new(map, rules, Seed::new(1), Dialect::V2021);
    let setup = Setup { sight_rule: rule, ..setup };
    let gold = vec![(Point::new(1, 4), 7)];
    let mut game = Game::arranged(&setup, gold, vec![Point::new(2, 2)]);
    game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut vec![]);
    game
}

fn usual() -> Game {
    begin(DRAWN, SightRule::DarkPassages, Rules::default())
}

#[test]
fn equal_runs_have_equal_hashes_and_every_move_another() {
    let run = || {
        let map = shipped::ALL[0].map();
        let setup = Setup::new(map, Rules::default(), Seed::new(5), Dialect::V2021);
        let mut game = Game::new(&setup).unwrap();
        game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut vec![]);
        let mut hashes = vec![game.state_hash()];
        for key in *b"hHkKlLjJyubn" {
            let ann = Letter::nth(0).unwrap();
            let stroke = Stroke::from_key(key).unwrap();
            let before = game.player(ann).at();
            game.apply(Input::Press(ann, stroke), &mut vec![]);
            if game.player(ann).at() != before {
                hashes.push(game.state_hash());
            }
        }
        hashes
    };
    let hashes = run();
    assert_eq!(run(), hashes);
    assert!(hashes.windows(2).all(|pair| pair[0] != pair[1]) && hashes.len() > 5);
}

#[test]
fn every_part_of_the_state_changes_the_hash() {
    type Change = fn(&mut Game);
    let changes: [(&str, Change); 12] = [
        ("a pile's size", |game| game.piles = Piles::new(vec![(Point::new(1, 4), 8)])),
        ("a pile's spot", |game| game.piles = Piles::new(vec![(Point::new(1, 5), 7)])),
        ("one pile less", |game| game.piles = Piles::new(vec![])),
        ("food", |game| game.put_food(Point::new(1, 1))),
        ("a purse", |game| game.players[0].purse += 1),
        ("a spot", |game| game.players[0].at = Some(Point::new(1, 2))),
        ("being gone", |game| game.players[0].at = None),
        ("what is known", |game| game.players[0].known.remove(20)),
        ("steps left", |game| game.players[0].steps_left = Some(0)),
        ("a name", |game| game.players[0].name = Name::new(b"Bob").unwrap()),
        ("a later start", |game| game.starts.push(Point::new(1, 1))),
        ("the end", |game| game.end = Some(End::Emptied)),
    ];
    for (what, change) in changes {
        let mut game = usual();
        change(&mut game);
        assert_ne!(game.state_hash(), usual().state_hash(), "{what}");
    }
}

#[test]
fn the_state_of_the_rng_changes_the_hash() {
    let mut drawn = usual();
    let mut other = usual();
    drawn.rng.below(6);
    other.rng = Rng::new(Seed::new(2));
    assert_ne!(drawn.state_hash(), usual().state_hash());
    assert_ne!(other.state_hash(), usual().state_hash());
    assert_ne!(other.state_hash(), drawn.state_hash());
}

#[test]
fn the_map_the_sight_rule_and_every_rule_change_the_hash() {
    let by = |change: fn(&mut Rules)| {
        let mut rules = Rules::default();
        change(&mut rules);
        begin(DRAWN, SightRule::DarkPassages, rules)
    };
    let games = [
        usual(),
        begin(&DRAWN.replace('#', "."), SightRule::DarkPassages, Rules::default()),
        begin(DRAWN, SightRule::StraightPassages, Rules::default()),
        by(|rules| rules.nuggets = 251),
        by(|rules| rules.min_piles = 11),
        by(|rules| rules.max_piles = 31),
        by(|rules| rules.max_players = 25),
        by(|rules| rules.sprint_stops = true),
        by(|rules| rules.end_when_empty = true),
        by(|rules| rules.vision = Some(99)),
        by(|rules| rules.steal = true),
        by(|rules| rules.drop_on_quit = true),
        by(|rules| rules.lifetime = Some(Lifetime { steps: 9, food: 0 })),
        by(|rules| rules.lifetime = Some(Lifetime { steps: 9, food: 1 })),
        by(|rules| rules.lifetime = Some(Lifetime { steps: 8, food: 0 })),
    ];
    let mut hashes: Vec<u64> = games.iter().map(Game::state_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), games.len());
}

/// Recordings contain these hashes: they may change only with the rules (see the seed catalogue).
#[test]
fn the_hash_of_a_state_never_changes() {
    let map = shipped::ALL[0].map();
    let setup = Setup::new(map, Rules::default(), Seed::new(1), Dialect::V2021);
    let game = Game::new(&setup).unwrap();
    assert_eq!(game.state_hash(), 0x7862_2b6b_5180_f58c);
}
