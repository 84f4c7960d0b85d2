//! Each kind of fault, drawn wrong and mended.

use super::FaultKind::{
    BadDoor, BrokenBoundary, CornerMissing, CutOff, NeedlessCorner, OpenRoom, SpotInBoundary,
    StrayBoundary, WidePassage,
};
use super::*;

fn faults(drawn: &str) -> Vec<(u16, u16, FaultKind)> {
    let drawn = drawn.strip_prefix('\n').unwrap_or(drawn);
    let map = Map::parse(drawn.as_bytes()).unwrap().map;
    map.faults().into_iter().map(|f| (f.at.row, f.at.col, f.kind)).collect()
}

/// The first drawing has exactly these faults, the second has none.
fn check(wrong: &str, expected: &[(u16, u16, FaultKind)], mended: &str) {
    assert_eq!(faults(wrong), expected, "{wrong}");
    assert_eq!(faults(mended), [], "{mended}");
}

#[test]
fn rooms_with_passages_holes_and_shared_walls_are_right() {
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
    assert_eq!(faults(drawn), []);
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
    assert_eq!(faults(drawn), []);
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
    assert_eq!(faults(drawn), []);
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
fn a_spot_in_the_midst_of_a_boundary_is_all_that_is_wrong_there() {
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
    assert!(faults(divided).contains(&(2, 2, SpotInBoundary)), "{:?}", faults(divided));
}

#[test]
fn a_boundary_keeps_its_direction() {
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
fn a_boundary_in_a_room_leads_to_another() {
    let mended = "
+----+
|....|
+--+.|
|....|
+----+
";
    let wrong = mended.replace("+--+", "|--+").replace("+.|", "-.|");
    let dangling = [(2, 0, CornerMissing), (2, 3, BrokenBoundary)];
    assert_eq!(faults(&wrong), dangling);
    // A corner alone doesn't make an end.
    assert_eq!(faults(mended), [(2, 3, BrokenBoundary)]);
    assert_eq!(faults(&mended.replace("+--+.|", "|....|")), []);
    let pillar = "+---+\n|...|\n|.+.|\n|...|\n+---+\n";
    check(pillar, &[(2, 2, BrokenBoundary)], &pillar.replace(".+.", "..."));
}

#[test]
fn boundaries_meet_at_a_corner() {
    check("---+\n|..|\n+--+\n", &[(0, 0, CornerMissing)], "+--+\n|..|\n+--+\n");
    check("+--+\n|..|\n+--|\n", &[(2, 3, CornerMissing)], "+--+\n|..|\n+--+\n");
    let divided = "
+--#---+
|..#...|
|..|...|
+------+
";
    assert_eq!(faults(divided).last(), Some(&(3, 3, CornerMissing)));
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
fn a_corner_stands_only_where_boundaries_meet() {
    check("+-+-+\n|...|\n+---+\n", &[(0, 2, NeedlessCorner)], "+---+\n|...|\n+---+\n");
}

#[test]
fn a_passage_never_meets_a_room_at_a_corner() {
    check("+--#\n|..##\n+--+\n", &[(0, 3, BadDoor)], "+--+\n|..##\n+--+\n");
    let inner = "
+---+
|...|
|.#-+
|.##
+-+
";
    assert_eq!(faults(inner)[0], (2, 2, BadDoor));
    let inside = "+---+\n|.#.|\n|...|\n+---+\n";
    check(inside, &[(1, 2, BadDoor)], &inside.replace('#', "."));
}

#[test]
fn a_passage_is_one_spot_wide_at_its_entrance_too() {
    check("+--+\n|..##\n|..##\n+--+\n", &[(1, 3, WidePassage)], "+--+\n|..##\n|..|\n+--+\n");
    check("+--+\n|..##\n|..#\n+--+\n", &[(1, 3, WidePassage)], "+--+\n|..##\n|..|\n+--+\n");
    check("+--+\n|..|\n+##+\n", &[(2, 1, WidePassage)], "+--+\n|..|\n+#-+\n");
    check("###\n###\n", &[(0, 0, WidePassage), (0, 1, WidePassage)], "###\n# #\n");
}

#[test]
fn boundaries_belong_to_rooms() {
    check(
        "+-+\n|.|--\n+-+\n|\n",
        &[(1, 3, StrayBoundary), (1, 4, StrayBoundary), (3, 0, StrayBoundary)],
        "+-+\n|.|\n+-+\n",
    );
    assert_eq!(faults("++\n++\n").len(), 4);
    // Not even a second layer does.
    let thick = "+--+\n+--+\n|..|\n+--+\n";
    assert!(faults(thick).iter().all(|(row, _, kind)| (*row, *kind) == (0, StrayBoundary)));
    assert_eq!(faults(thick).len(), 4);
}

#[test]
fn the_map_hangs_together_by_straight_steps() {
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
fn what_is_cut_off_is_the_smaller_part() {
    let drawn = "+-+\n|.| +--+\n+-+ |..|\n    +--+\n";
    assert_eq!(faults(drawn), [(1, 1, CutOff)]);
}

#[test]
fn a_fault_says_where_and_what() {
    let map = Map::parse(b"##\n##\n").unwrap().map;
    let text: Vec<String> = map.faults().iter().map(Fault::to_string).collect();
    assert_eq!(text, ["line 1, column 1: the passage is wider than one spot"]);
}
