//! Each kind of violation, drawn wrong and corrected.

use super::ViolationKind::{
    BadDoor, BrokenBoundary, CornerMissing, CutOff, NeedlessCorner, OpenRoom, SpotInBoundary,
    StrayBoundary, WidePassage,
};
use super::*;

fn found(drawn: &str) -> Vec<(u16, u16, ViolationKind)> {
    let drawn = drawn.strip_prefix('\n').unwrap_or(drawn);
    let map = Map::parse(drawn.as_bytes()).unwrap().map;
    violations(&map).into_iter().map(|f| (f.at.row, f.at.col, f.kind)).collect()
}

/// The first drawing has exactly these violations, the second has none.
fn check(wrong: &str, expected: &[(u16, u16, ViolationKind)], corrected: &str) {
    assert_eq!(found(wrong), expected, "{wrong}");
    assert_eq!(found(corrected), [], "{corrected}");
}

#[test]
fn rooms_with_passages_holes_and_shared_walls_are_valid() {
    let drawn = "
+-----+---+
|.....#...|
|.+-+.|.+-+
|.| |.|.|
|.+-+.|.|  ###
|.....|.|  # #
+-#---+.####
  #   +-+
  ##";
    assert_eq!(found(drawn), []);
}

#[test]
fn passages_may_fork_cross_run_along_boundaries_and_past_corners() {
    let drawn = "
#########
#+--+   #
#|..|+-+# #
##..##.|###
#+--+|.#  #
#    +-+  #
###########
";
    assert_eq!(found(drawn), []);
}

#[test]
fn rooms_may_stand_side_by_side_and_share_boundaries() {
    let drawn = "
+--++--+
|..##..|
+#-++#-+
+#-++#-+---+
|..||..|...|
|..||..+-#-+
|..||..#...|
+--++--+---+
";
    assert_eq!(found(drawn), []);
}

#[test]
fn a_room_must_be_closed() {
    check("+--\n|..\n+--\n", &[(1, 2, OpenRoom)], "+--+\n|..|\n+--+\n");
    check(".\n", &[(0, 0, OpenRoom)], " \n");
    check(
        "
+-- +
|...|
|...
+---+
",
        &[(0, 3, OpenRoom), (2, 4, OpenRoom)],
        "
+---+
|...|
|...|
+---+
",
    );
    check("+--\n|..|\n+--+\n", &[(0, 3, OpenRoom)], "+--+\n|..|\n+--+\n");
    let hollow = "+---+\n|...|\n|. .|\n|...|\n+---+\n";
    check(hollow, &[(2, 2, OpenRoom)], &hollow.replace(". .", "..."));
}

#[test]
fn a_spot_in_a_boundary_is_the_only_violation_there() {
    let wrong = "
+-.-+  +--+
|...|  |..|
|....###..|
|...|  |..|
+---+  +--+
";
    let places = [(0, 2, SpotInBoundary), (2, 4, SpotInBoundary)];
    check(wrong, &places, &wrong.replace("-.-", "---").replace("....#", "...##"));
    let divided = "
+----+
|.|..|
|....|
|.|..|
+-+--+
";
    assert!(found(divided).contains(&(2, 2, SpotInBoundary)), "{:?}", found(divided));
}

#[test]
fn a_boundary_must_keep_its_direction() {
    check(
        "
+-|-+
|...|
-...|
+---+
",
        &[(0, 2, BrokenBoundary), (2, 0, BrokenBoundary)],
        "
+---+
|...|
|...|
+---+
",
    );
}

#[test]
fn a_boundary_in_a_room_must_meet_another() {
    let corrected = "
+----+
|....|
+--+.|
|....|
+----+
";
    let wrong = corrected.replace("+--+", "|--+").replace("+.|", "-.|");
    let dangling = [(2, 0, CornerMissing), (2, 3, BrokenBoundary)];
    assert_eq!(found(&wrong), dangling);
    // A corner does not make a valid end.
    assert_eq!(found(corrected), [(2, 3, BrokenBoundary)]);
    assert_eq!(found(&corrected.replace("+--+.|", "|....|")), []);
    let pillar = "+---+\n|...|\n|.+.|\n|...|\n+---+\n";
    check(pillar, &[(2, 2, BrokenBoundary)], &pillar.replace(".+.", "..."));
}

#[test]
fn boundaries_must_meet_at_a_corner() {
    check("---+\n|..|\n+--+\n", &[(0, 0, CornerMissing)], "+--+\n|..|\n+--+\n");
    check("+--+\n|..|\n+--|\n", &[(2, 3, CornerMissing)], "+--+\n|..|\n+--+\n");
    let divided = "
+--#---+
|..#...|
|..|...|
+------+
";
    assert_eq!(found(divided).last(), Some(&(3, 3, CornerMissing)));
}

#[test]
fn the_tip_of_an_inner_corner_is_a_corner_too() {
    check(
        "+---+\n|...|\n|.--+\n|.|\n+-+\n",
        &[(2, 2, CornerMissing)],
        "+---+\n|...|\n|.+-+\n|.|\n+-+\n",
    );
}

#[test]
fn a_corner_needs_boundaries_that_meet() {
    check("+-+-+\n|...|\n+---+\n", &[(0, 2, NeedlessCorner)], "+---+\n|...|\n+---+\n");
}

#[test]
fn a_passage_must_not_meet_a_room_at_a_corner() {
    check("+--#\n|..##\n+--+\n", &[(0, 3, BadDoor)], "+--+\n|..##\n+--+\n");
    let inner = "
+---+
|...|
|.#-+
|.##
+-+
";
    assert_eq!(found(inner)[0], (2, 2, BadDoor));
    let inside = "+---+\n|.#.|\n|...|\n+---+\n";
    check(inside, &[(1, 2, BadDoor)], &inside.replace('#', "."));
}

#[test]
fn a_passage_must_be_one_spot_wide_at_its_entrance_too() {
    check("+--+\n|..##\n|..##\n+--+\n", &[(1, 3, WidePassage)], "+--+\n|..##\n|..|\n+--+\n");
    check("+--+\n|..##\n|..#\n+--+\n", &[(1, 3, WidePassage)], "+--+\n|..##\n|..|\n+--+\n");
    check("+--+\n|..|\n+##+\n", &[(2, 1, WidePassage)], "+--+\n|..|\n+#-+\n");
    check("###\n###\n", &[(0, 0, WidePassage), (0, 1, WidePassage)], "###\n# #\n");
}

#[test]
fn a_boundary_must_belong_to_a_room() {
    check(
        "+-+\n|.|--\n+-+\n|\n",
        &[(1, 3, StrayBoundary), (1, 4, StrayBoundary), (3, 0, StrayBoundary)],
        "+-+\n|.|\n+-+\n",
    );
    assert_eq!(found("++\n++\n").len(), 4);
    // A second layer does not belong to the room either.
    let thick = "+--+\n+--+\n|..|\n+--+\n";
    assert!(found(thick).iter().all(|(row, _, kind)| (*row, *kind) == (0, StrayBoundary)));
    assert_eq!(found(thick).len(), 4);
}

#[test]
fn every_spot_must_be_reachable_by_straight_steps() {
    check(
        "
#+--+ +-+
 |..| |.|
 +--+ +-+
",
        &[(0, 0, CutOff), (1, 7, CutOff)],
        "
 +--+ +-+
 |..###.|
 +--+ +-+
",
    );
}

#[test]
fn the_smaller_part_counts_as_cut_off() {
    let drawn = "+-+\n|.| +--+\n+-+ |..|\n    +--+\n";
    assert_eq!(found(drawn), [(1, 1, CutOff)]);
}

#[test]
fn a_violation_names_its_place_and_kind() {
    let map = Map::parse(b"##\n##\n").unwrap().map;
    let text: Vec<String> = violations(&map).iter().map(Violation::to_string).collect();
    assert_eq!(text, ["line 1, column 1: the passage is wider than one spot"]);
}
