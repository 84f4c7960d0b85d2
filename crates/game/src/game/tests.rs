//! The rules of movement, joining, quitting and the end, most of them drawn.

mod properties;
mod variants;

use nuggets_protocol::Dialect;

use super::*;
use crate::{SightRule, Stroke, Tile};

/// Each `*` that is drawn holds this many nuggets.
const PILE: u32 = 10;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).unwrap()
}

fn letter(drawn: char) -> Letter {
    Letter::nth(drawn as usize - 'A' as usize).unwrap()
}

/// A game from a drawing: `@` is player A (`&` on a passage), other capitals are other players,
/// `*` is gold, `%` is food. All stand on room spots but `&`.
fn draw(rules: Rules, drawn: &str) -> Game {
    let drawn = drawn.trim_start_matches('\n');
    let mut map = drawn.to_string();
    let mut piles = vec![];
    let mut food = vec![];
    let mut starts = vec![];
    for (row, line) in (0..).zip(drawn.lines()) {
        for (col, mark) in (0..).zip(line.chars()) {
            let at = Point::new(row, col);
            match mark {
                '*' => piles.push((at, PILE)),
                '%' => food.push(at),
                '@' | '&' => starts.push(('A', at)),
                'A'..='Z' => starts.push((mark, at)),
                _ => {}
            }
        }
    }
    starts.sort_unstable();
    map = map.replace('&', "#");
    map = map.replace(|mark: char| "*%@".contains(mark) || mark.is_ascii_uppercase(), ".");
    let map = Map::parse(map.as_bytes()).unwrap().map;
    let setup = Setup::new(map, rules, Seed::new(1), Dialect::V2021);
    let starts: Vec<Point> = starts.into_iter().map(|(_, at)| at).collect();
    let count = starts.len();
    let mut game = Game::arranged(&setup, piles, starts);
    for at in food {
        game.put_food(at);
    }
    for player in 0..count {
        game.apply(Input::Join(name(&format!("player {player}"))), &mut vec![]);
    }
    game
}

fn press(game: &mut Game, player: char, keys: &str) -> Vec<Event> {
    let mut events = Vec::new();
    for key in keys.bytes() {
        game.apply(Input::Press(letter(player), Stroke::from_key(key).unwrap()), &mut events);
    }
    events
}

fn drawn(game: &Game) -> String {
    game.view(Viewer::Spectator).to_string().replace('A', "@")
}

/// Checks a map, the keys that A presses, and the map afterwards.
fn check(before: &str, keys: &str, after: &str) {
    check_by(Rules::default(), before, keys, after);
}

#[test]
fn gold_is_in_reach_if_some_player_on_the_map_can_walk_there() {
    let reach = |drawn: &str| draw(Rules::default(), drawn).is_gold_in_reach();
    assert!(reach("@..*"));
    assert!(!reach("@.-.*"), "a wall is between them");
    assert!(reach("@.-B*"), "another player is there");
    assert!(reach("@-\n-*"), "diagonal steps cut corners");
    let mut game = draw(Rules::default(), "@.-B*");
    game.apply(Input::Leave(letter('B')), &mut vec![]);
    assert!(!game.is_gold_in_reach(), "it has left");
}

fn check_by(rules: Rules, before: &str, keys: &str, after: &str) {
    let mut game = draw(rules, before);
    press(&mut game, 'A', keys);
    assert_eq!(format!("\n{}", drawn(&game)), after, "after {keys}");
}

#[test]
fn each_key_takes_one_step_in_its_direction() {
    let before = "
+---+
|..*|
|.@.|
|...|
+---+
";
    for (key, row, col) in [
        ('h', 2, 1),
        ('l', 2, 3),
        ('k', 1, 2),
        ('j', 3, 2),
        ('y', 1, 1),
        ('u', 1, 3),
        ('b', 3, 1),
        ('n', 3, 3),
    ] {
        let mut game = draw(Rules::default(), before);
        press(&mut game, 'A', &key.to_string());
        assert_eq!(game.player(letter('A')).at(), Some(Point::new(row, col)), "{key}");
    }
}

#[test]
fn walls_and_rock_block_a_step() {
    let before = "
+--+
|@.|
+--+
  *
";
    let mut game = draw(Rules::default(), before);
    for key in ["h", "k", "j", "y", "u", "b", "n", "H", "K"] {
        assert_eq!(press(&mut game, 'A', key), [Event::Rejected(Rejection::Blocked)], "{key}");
    }
    assert_eq!(format!("\n{}", drawn(&game)), before.replace("  *\n", "  * \n"));
}

#[test]
fn the_edges_of_the_map_block_a_step() {
    check("\n.@*\n", "kjKJyubn", "\n.@*\n");
    check("\n.@*.\n*...\n", "lL", "\n...@\n*...\n");
}

#[test]
fn diagonals_may_cut_corners() {
    check(
        "
+--+
|.@|
+--+#
   *#
",
        "n",
        "
+--+ \n|.@| \n+--+#
   *#
",
    );
    check(
        "
|.@|*
+--##
",
        "nl",
        "
|..|*
+--#@
",
    );
}

#[test]
fn a_sprint_continues_until_the_next_gridpoint_is_no_spot() {
    check(
        "
+------+
|@.....|
|.....*|
+------+
",
        "L",
        "
+------+
|.....@|
|.....*|
+------+
",
    );
    check(
        "
+----+
|@...##
|....|#
|...*|#
+----+
",
        "LJ",
        "
+----+ 
|....##
|....|#
|...*|@
+----+ 
",
    );
}

#[test]
fn a_diagonal_sprint_cuts_corners_too() {
    check(
        "
@....
.....
...##
*..##
",
        "N",
        "
.....
.....
...##
*..@#
",
    );
}

#[test]
fn stepping_onto_a_player_swaps_the_two_and_a_sprint_swaps_with_each_in_turn() {
    check("\n.@B*\n", "l", "\n.B@*\n");
    check("\n@..\n.B.\n..*\n", "n", "\nB..\n.@.\n..*\n");
    check("\n@B.C.\n*....\n", "L", "\nB.C.@\n*....\n");
}

#[test]
fn stepping_onto_gold_picks_up_the_whole_pile() {
    let mut game = draw(Rules::default(), "\n@**\n");
    let events = press(&mut game, 'A', "l");
    let (player, from, to) = (letter('A'), Point::new(0, 0), Point::new(0, 1));
    let taken = Event::Collected { player, nuggets: PILE, at: to };
    assert_eq!(events, [Event::Moved { player, from, to }, taken]);
    assert_eq!(drawn(&game), ".@*\n");
    assert_eq!((game.player(letter('A')).purse(), game.remaining()), (PILE, PILE));
}

#[test]
fn a_sprint_picks_up_all_gold_on_its_path() {
    let mut game = draw(Rules::default(), "\n@.*.*.B\n......*\n");
    press(&mut game, 'A', "L");
    assert_eq!(drawn(&game), ".....B@\n......*\n");
    assert_eq!((game.player(letter('A')).purse(), game.remaining()), (2 * PILE, PILE));
}

#[test]
fn the_swapped_player_neither_gains_nor_loses_gold() {
    let mut game = draw(Rules::default(), "\n*@B*\n");
    press(&mut game, 'B', "l");
    press(&mut game, 'A', "ll");
    assert_eq!(drawn(&game), "*.B@\n");
    assert_eq!((game.player(letter('A')).purse(), game.player(letter('B')).purse()), (0, PILE));
}

#[test]
fn with_sprint_stops_a_sprint_stops_on_gold_and_on_meeting_a_player() {
    let rules = Rules { sprint_stops: true, ..Rules::default() };
    check_by(rules, "\n@.*.*\n", "L", "\n..@.*\n");
    check_by(rules, "\n@.B.*\n", "L", "\n.B@.*\n");
    check_by(rules, "\n@....\n*....\n", "L", "\n....@\n*....\n");
}

#[test]
fn everything_seen_from_every_spot_of_a_sprint_becomes_known() {
    let mut game = draw(
        Rules::default(),
        "
     +--+
     |..|
     +#-+
      #
&#######
      #
     +#-+
     |.*|
     +--+
",
    );
    press(&mut game, 'A', "L");
    // Of the forks it passed only the first spots are known: passages are opaque.
    let view = game.view(Viewer::Player(letter('A'))).to_string();
    let shown: Vec<&str> = view.lines().map(str::trim_end).collect();
    assert_eq!(shown, ["", "", "", "      #", "#######@", "      #", "", "", ""]);
}

#[test]
fn a_swapped_player_sees_from_its_new_spot() {
    let mut game = draw(
        Rules::default(),
        "
+-----+
|@.B..|
|.+-+.|
|.| |*|
+-+ +-+
",
    );
    let before = game.player(letter('B')).known().clone();
    press(&mut game, 'A', "L");
    let (player, sight) = (game.player(letter('B')), Arc::clone(game.sight()));
    assert_eq!(player.at(), Some(Point::new(1, 2)));
    assert!(player.known().contains_all(&before));
    assert!(player.known().contains_all(&sight.visible_from(Point::new(1, 2))));
}

#[test]
fn gold_and_players_show_only_while_visible_and_the_map_stays_known() {
    let mut game = draw(Rules::default(), "+----+\n|@.*B##\n+----+\n");
    let view = |game: &Game| format!("\n{}", game.view(Viewer::Player(letter('A'))));
    assert_eq!(view(&game), "\n+----+ \n|@.*B# \n+----+ \n");
    press(&mut game, 'B', "ll");
    assert_eq!(view(&game), "\n+----+ \n|@.*.# \n+----+ \n");
    press(&mut game, 'A', "l");
    assert_eq!(view(&game), "\n+----+ \n|.@*.# \n+----+ \n");
}

#[test]
fn players_start_on_free_room_spots_with_letters_in_order() {
    let sight = Arc::new(Sight::new(crate::shipped::ALL[0].map(), SightRule::default()));
    for seed in 0..20 {
        let mut game =
            Game::with_sight(Arc::clone(&sight), Rules::default(), Seed::new(seed)).unwrap();
        let mut events = Vec::new();
        for player in 0..26 {
            game.apply(Input::Join(name(&format!("p{player}"))), &mut events);
        }
        let letters: String = game.players().iter().map(|p| p.letter().to_string()).collect();
        assert_eq!(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        let mut taken: Vec<Point> = game.players().iter().filter_map(Player::at).collect();
        taken.extend(game.piles().map(|(at, _)| at));
        let count = taken.len();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), count, "two occupants of one spot");
        assert!(taken.iter().all(|at| game.map().tile(*at) == Some(Tile::Room)));
        assert!(game.players().iter().all(|player| player.purse() == 0));

        events.clear();
        game.apply(Input::Join(name("one too many")), &mut events);
        assert_eq!(events, [Event::Rejected(Rejection::Full)]);
        assert_eq!(game.players().len(), 26);
    }
}

#[test]
fn a_game_that_shares_visibility_later_is_the_same_game() {
    let map = crate::shipped::ALL[0].map();
    let setup = Setup::new(map, Rules::default(), Seed::new(4), Dialect::V2021);
    let sight = setup.sight();
    let mut games = [Game::new(&setup).unwrap(), Game::new(&setup).unwrap()];
    let mut events = Vec::new();
    for game in &mut games {
        game.apply(Input::Join(name("Ann")), &mut events);
    }
    games[1].share_sight(Arc::clone(&sight));
    assert!(Arc::ptr_eq(games[1].sight(), &sight));
    for key in "LKJHYUBN".bytes() {
        let stroke = Stroke::from_key(key).unwrap();
        for game in &mut games {
            game.apply(Input::Press(letter('A'), stroke), &mut events);
        }
        assert_eq!(games[0].state_hash(), games[1].state_hash());
    }
}

#[test]
#[should_panic(expected = "another map")]
fn visibility_on_another_map_is_not_shared() {
    let setup = |map: usize| {
        let map = crate::shipped::ALL[map].map();
        Setup::new(map, Rules::default(), Seed::new(4), Dialect::V2021)
    };
    Game::new(&setup(0)).unwrap().share_sight(setup(1).sight());
}

#[test]
fn without_a_free_room_spot_joining_is_rejected() {
    let mut game = draw(Rules::default(), "\n@*\n");
    let mut events = vec![];
    game.apply(Input::Join(name("Bob")), &mut events);
    assert_eq!(events, [Event::Rejected(Rejection::NoSpot)]);
    assert_eq!(game.players().len(), 1);
}

#[test]
fn a_player_that_quit_leaves_the_map_but_keeps_its_letter_and_table_row() {
    let mut game = draw(Rules::default(), "\n@*B*..\n");
    press(&mut game, 'A', "l");
    let mut events = vec![];
    game.apply(Input::Leave(letter('A')), &mut events);
    assert_eq!(events, [Event::Left { player: letter('A'), at: Point::new(0, 1) }]);
    assert_eq!(drawn(&game), "..B*..\n");
    assert_eq!(game.table().to_string(), "A         10 player 0\nB          0 player 1");
    assert_eq!(press(&mut game, 'A', "l"), [Event::Rejected(Rejection::NotPlaying)]);

    game.apply(Input::Join(name("Cy")), &mut events);
    assert!(matches!(events.last(), Some(Event::Joined { player, .. }) if *player == letter('C')));
}

#[test]
fn the_game_ends_when_the_last_nugget_is_taken() {
    let mut game = draw(Rules::default(), "\n@*.B\n");
    let events = press(&mut game, 'A', "l");
    assert_eq!(events.last(), Some(&Event::Over(End::AllCollected)));
    assert_eq!(game.end(), Some(End::AllCollected));
    assert_eq!(press(&mut game, 'B', "h"), [Event::Rejected(Rejection::Over)]);
    assert_eq!(drawn(&game), ".@.B\n");
    // The sprint that takes the last nugget continues to its end.
    check("\n@*..\n", "L", "\n...@\n");
}

#[test]
fn the_game_ends_when_all_possible_players_have_quit() {
    let rules = Rules { max_players: 2, ..Rules::default() };
    let mut game = draw(rules, "\n@.B*\n");
    let mut events = vec![];
    game.apply(Input::Leave(letter('A')), &mut events);
    assert_eq!(game.end(), None);
    game.apply(Input::Leave(letter('B')), &mut events);
    assert_eq!(events.last(), Some(&Event::Over(End::NobodyLeft)));
}

#[test]
fn an_empty_game_continues_unless_the_rules_end_it() {
    let mut game = draw(Rules::default(), "\n@.*.\n");
    game.apply(Input::Leave(letter('A')), &mut vec![]);
    assert_eq!(game.end(), None);

    let rules = Rules { end_when_empty: true, ..Rules::default() };
    let mut game = draw(rules, "\n@.*.\n");
    game.apply(Input::Leave(letter('A')), &mut vec![]);
    assert_eq!(game.end(), Some(End::Emptied));
}
