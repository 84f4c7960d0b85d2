//! Statistics of drawn maps.

use super::*;
use crate::SightRule;

fn stats(drawn: &str) -> MapStats {
    let map = Map::parse(drawn.as_bytes()).unwrap().map;
    measure(&Sight::new(map, SightRule::DarkPassages))
}

#[test]
fn rooms_spots_ends_and_loops_are_counted() {
    let found = stats(
        "
+-----+  +--+
|.....####..|
|.+-+.|  +#-+
|.| |.|   #
|.+-+.#####
|.....|  #
+-----+  ##",
    );
    assert_eq!((found.rows, found.cols), (8, 13));
    assert_eq!((found.rooms, found.room_spots, found.passage_spots), (2, 18, 14));
    assert_eq!((found.dead_ends, found.loops, found.parts), (1, 2, 1));
    assert_eq!(found.gold, None, "there is no room for a game");
}

/// From each of three spots in a room all three and the first passage spot are visible; from that the
/// same and the spot beyond; from there two.
#[test]
fn visibility_is_counted_in_spots() {
    let found = stats("+---+\n|...##\n+---+\n").sight.unwrap();
    assert_eq!((found.spots, found.looks), ((3.0 * 4.0 + 5.0 + 2.0) / 5.0, 5));
    assert!((found.share - 0.76).abs() < 1e-9);
}

#[test]
fn the_longest_walk_cuts_corners() {
    let straight = stats("+---+\n|...##\n+---+\n").longest_walk;
    assert_eq!(straight, LongestWalk { steps: 4, is_exact: true });
    assert_eq!(stats("#\n##\n ##\n  #\n").longest_walk.steps, 3);
}

#[test]
fn a_map_in_several_components_is_measured_too() {
    let found = stats("+-+ +-+\n|.| |.|\n+-+ +-+\n");
    assert_eq!((found.parts, found.rooms, found.loops), (2, 2, 0));
    assert_eq!(found.longest_walk.steps, 0);
    let nothing = stats("   \n");
    assert_eq!((nothing.parts, nothing.sight, nothing.longest_walk.steps), (0, None, 0));
}

fn room(rows: usize, cols: usize) -> String {
    let edge = format!("+{}+\n", "-".repeat(cols));
    format!("{edge}{}{edge}", format!("|{}|\n", ".".repeat(cols)).repeat(rows))
}

#[test]
fn a_square_is_fairer_than_a_long_corridor() {
    let fairness = |drawn: String| stats(&drawn).gold.unwrap().fairness;
    let square = fairness(room(12, 12));
    let corridor = fairness(room(1, 144));
    assert!(0.0 < corridor && corridor < square && square < 1.0, "{corridor} {square}");
}

/// In a corridor two random spots are a third of its length apart, on average.
#[test]
fn the_distance_to_gold_is_that_of_two_random_spots() {
    let mean = stats(&room(1, 300)).gold.unwrap().mean_steps;
    assert!((90.0..110.0).contains(&mean), "{mean}");
}

#[test]
fn a_huge_map_is_measured_by_a_fixed_sample() {
    let huge = stats(&room(60, 60));
    assert_eq!(huge.sight.unwrap().looks, SAMPLE);
    assert_eq!(huge.longest_walk, LongestWalk { steps: 59, is_exact: false });
    assert_eq!(huge, stats(&room(60, 60)));
}
