//! Messages from a server, and the scene after them.

use nuggets_protocol::ServerMessage;

use super::*;
use crate::{Direction, Point};

fn scene_after(messages: &[&str]) -> (Scene, Vec<bool>) {
    let mut scene = Scene::default();
    let handle = |m: &&str| {
        let message = ServerMessage::parse(m.as_bytes()).expect("a message of the protocol");
        scene.handle_message(&message).is_ok()
    };
    let accepted = messages.iter().map(handle).collect();
    (scene, accepted)
}

/// The picture with these rows.
pub(crate) fn picture(rows: &[&str]) -> Picture {
    let text = rows.join("\n");
    Picture::read(
        text.as_bytes(),
        check_display_size(text.as_bytes(), None).unwrap().0,
        None,
        None,
        &mut OwnPosition::default(),
    )
}

fn drawn(scene: &Scene) -> Vec<String> {
    let text = |row: &[u8]| String::from_utf8(row.to_vec()).expect("it is ASCII");
    scene.picture().into_iter().flat_map(Picture::rows).map(text).collect()
}

#[test]
fn a_picture_of_another_size_is_padded_and_cut() {
    for (display, shown, is_of_grid_size) in [
        ("+-+\n|@|\n", "+-+\n|@|", true),
        ("+-+\n|@|", "+-+\n|@|", true),
        ("   \n   \n", "   \n   ", true),
        ("+-+\n", "+-+\n   ", false),
        ("+-+\n|@|\n+-+\n", "+-+\n|@|", false),
        ("+-+\n|@|\n\n", "+-+\n|@|", false),
        ("+-+\n|@\n", "+-+\n|@ ", false),
        ("+-++\n|@||\n", "+-+\n|@|", false),
        ("\n @", "   \n @ ", false),
    ] {
        let (scene, accepted) = scene_after(&["GRID 2 3", &format!("DISPLAY\n{display}")]);
        assert_eq!(accepted, [true, true], "{display:?}");
        assert_eq!(drawn(&scene).join("\n"), shown, "{display:?}");
        assert_eq!(scene.size_mismatch().is_none(), is_of_grid_size, "{display:?}");
    }
}

#[test]
fn a_picture_that_cannot_be_shown_leaves_the_last_one() {
    for odd in ["DISPLAY\n", "DISPLAY\n\n\n", "DISPLAY\n  \n", "DISPLAY\n\n  @", "DISPLAY\n   @"] {
        let (scene, accepted) = scene_after(&["GRID 1 3", "DISPLAY\n|@|\n", odd]);
        assert_eq!((drawn(&scene), accepted[2]), (vec!["|@|".to_owned()], false), "{odd:?}");
        assert!(scene.has_begun());
    }
}

#[test]
fn after_a_picture_of_the_right_size_another_size_is_rejected() {
    let (scene, accepted) = scene_after(&["GRID 1 3", "DISPLAY\n|@|\n", "DISPLAY\n|.@|\n"]);
    assert_eq!((drawn(&scene), accepted[2]), (vec!["|@|".to_owned()], false));
    let (scene, accepted) = scene_after(&["GRID 1 3", "DISPLAY\n|@|", "GRID 1 4", "DISPLAY\n|@|"]);
    assert_eq!((drawn(&scene), accepted[3]), (vec!["|@| ".to_owned()], true), "another map");
}

#[test]
fn rows_of_unequal_length_without_a_grid_are_padded() {
    let (scene, _) = scene_after(&["DISPLAY\n+-\n|@.\n"]);
    assert_eq!(drawn(&scene), ["+- ", "|@."]);
    assert_eq!(scene.size_mismatch().unwrap().to_string(), "map is 2x3 with short rows");
}

/// All its cells would exhaust the memory of many machines.
#[test]
fn no_picture_becomes_larger_than_a_message_can_be() {
    let (scene, accepted) = scene_after(&["GRID 65000 65000", "DISPLAY\n|@|\n"]);
    assert_eq!((scene.picture(), accepted), (None, vec![true, false]));
    let ragged = format!("DISPLAY\n{}\n{}", ".".repeat(30_000), "\n".repeat(30_000));
    let (scene, accepted) = scene_after(&[&ragged]);
    assert_eq!((scene.picture(), accepted), (None, vec![false]));
}

#[test]
fn the_game_begins_with_gold_or_a_picture() {
    for (messages, has_begun) in [
        (&["OK A", "GRID 1 3"][..], false),
        (&["OK A", "GOLD 0 0 250"], true),
        (&["OK A", "DISPLAY\n|@|"], true),
    ] {
        assert_eq!(scene_after(messages).0.has_begun(), has_begun, "{messages:?}");
    }
}

#[test]
fn messages_may_arrive_in_any_order() {
    let (scene, accepted) = scene_after(&["DISPLAY\n|@|\n", "GRID 1 3", "GOLD 0 0 5", "OK A"]);
    assert_eq!(accepted, [true; 4]);
    assert_eq!(drawn(&scene), ["|@|"]);
    let (scene, _) = scene_after(&["DISPLAY\n|@|\n", "GRID 7 9"]);
    assert_eq!(scene.size(), Some(Size { rows: 7, cols: 9 }));
    assert_eq!(scene.picture(), None, "it can't have been of this map");
}

#[test]
fn a_grid_with_rows_and_columns_exchanged_does_not_spoil_the_picture() {
    let (scene, accepted) = scene_after(&["GRID 4 2", "DISPLAY\n+--+\n|.@|\n", "DISPLAY\n+--+\n"]);
    assert_eq!(accepted, [true; 3]);
    let (scene_before, _) = scene_after(&["GRID 4 2", "DISPLAY\n+--+\n|.@|\n"]);
    assert_eq!(drawn(&scene_before), ["+--+", "|.@|"]);
    assert_eq!(scene_before.size(), Some(Size { rows: 2, cols: 4 }));
    let mismatch = scene_before.size_mismatch().unwrap().to_string();
    assert_eq!(mismatch, "map is 2x4, GRID 4x2");
    assert_eq!(
        scene.size(),
        Some(Size { rows: 4, cols: 2 }),
        "any other picture has the size of GRID"
    );
}

#[test]
fn a_picture_without_newlines_is_cut_into_rows() {
    for display in ["DISPLAY\n+--+|.@|", "DISPLAY\n+--+|.@|\n"] {
        let (scene, _) = scene_after(&["GRID 2 4", display]);
        assert_eq!(drawn(&scene), ["+--+", "|.@|"], "{display:?}");
        assert_eq!(scene.size_mismatch().unwrap().to_string(), "map is 1x8, GRID 2x4");
    }
    let (scene, _) = scene_after(&["GRID 2 4", "DISPLAY\n    |.@|"]);
    assert_eq!(drawn(&scene), ["    ", "|.@|"]);
}

#[test]
fn you_are_where_the_at_sign_is() {
    let (scene, _) = scene_after(&["GRID 2 4", "DISPLAY\n+--+\n|.@|\n"]);
    assert_eq!(scene.picture().and_then(Picture::you), Some(Point::new(1, 2)));
    let (scene, _) = scene_after(&["GRID 1 4", "DISPLAY\n|.A|\n"]);
    assert_eq!(scene.picture().and_then(Picture::you), None);
}

/// Some servers draw players by their letters on their own maps, too.
#[test]
fn without_an_at_sign_you_are_where_your_letter_is() {
    for (display, expected) in [
        ("DISPLAY\n+--+\n|BA|\n", "|B@|"),
        ("DISPLAY\n+--+\n|@A|\n", "|@A|"),
        ("DISPLAY\n+--+\n|AA|\n", "|AA|"),
        ("DISPLAY\n+--+\n|.B|\n", "|.B|"),
    ] {
        let (scene, _) = scene_after(&["OK A", "GRID 2 4", display]);
        assert_eq!(drawn(&scene)[1], expected);
        let you = expected.find('@').map(|col| Point::new(1, u16::try_from(col).unwrap()));
        assert_eq!(scene.picture().and_then(Picture::you), you, "{display:?}");
    }
    let (spectator, _) = scene_after(&["GRID 2 4", "DISPLAY\n+--+\n|BA|\n"]);
    assert_eq!(drawn(&spectator)[1], "|BA|");
}

#[test]
fn control_bytes_in_a_picture_are_replaced() {
    let (scene, _) = scene_after(&["DISPLAY\n\x1b[2J\t.\n"]);
    assert_eq!(drawn(&scene), ["?[2J?."]);
}

/// Our position in each picture, with the key that was pressed before it.
fn places(shown: &[(Option<Stroke>, &str)]) -> Vec<Option<(u16, u16)>> {
    let mut scene = Scene::default();
    let mut place = |(stroke, rows): &(Option<Stroke>, &str)| {
        if let Some(stroke) = *stroke {
            scene.press(stroke);
        }
        let display = format!("DISPLAY\n{rows}\n");
        scene.handle_message(&ServerMessage::parse(display.as_bytes()).unwrap()).unwrap();
        scene.picture().and_then(Picture::you).map(|at| (at.row, at.col))
    };
    shown.iter().map(&mut place).collect()
}

#[test]
fn of_several_at_signs_the_new_one_is_you() {
    let step = Some(Stroke::Step(Direction::Right));
    assert_eq!(
        places(&[(None, ".@.."), (step, ".@@."), (step, ".@.@")]),
        [Some((0, 1)), Some((0, 2)), Some((0, 3))]
    );
    let sprint = Some(Stroke::Sprint(Direction::Down));
    assert_eq!(places(&[(None, "@#..\n#@.."), (sprint, "@@..\n#@..")])[1], Some((0, 1)));
}

#[test]
fn where_no_at_sign_is_new_the_last_key_tells_which_is_you() {
    let to = |direction| Some(Stroke::Sprint(direction));
    let both = "@##@ @";
    let run = [(None, "  #@ @"), (to(Direction::Left), both), (to(Direction::Right), both)];
    let first = places(&[(None, "  #@  "), (to(Direction::Left), "@##@  ")]);
    assert_eq!(first, [Some((0, 3)), Some((0, 0))]);
    assert_eq!(places(&run)[1..], [Some((0, 0)), Some((0, 3))], "not through the rock");
    let shown_again = [(None, "@##."), (to(Direction::Right), "@##@"), (None, "@##@")];
    assert_eq!(places(&shown_again)[1..], [Some((0, 3)), Some((0, 3))]);
    let in_the_dark =
        [(None, "@##      "), (to(Direction::Right), "@##    #@"), (None, "@##    #@")];
    assert_eq!(places(&in_the_dark)[1..], [Some((0, 8)), Some((0, 8))]);
    let back =
        [(None, "@## #@"), (to(Direction::Right), "@## #@"), (to(Direction::Left), "@## #@")];
    assert_eq!(places(&back)[1..], [Some((0, 5)), Some((0, 0))], "through what was never shown");
    let walls = [(None, "@|.."), (to(Direction::Right), "@|.@"), (to(Direction::Up), "@|.@")];
    assert_eq!(places(&walls)[2], Some((0, 3)), "a key that leads nowhere");
}

#[test]
fn where_the_last_place_is_no_longer_marked_you_are_at_the_nearest() {
    let shown = [(None, "@..@.@"), (None, "...@.@")];
    assert_eq!(places(&shown), [Some((0, 0)), Some((0, 3))]);
}

/// From there a step to the right would have changed something.
#[test]
fn keys_without_effect_refute_the_assumed_position() {
    let right = Some(Stroke::Step(Direction::Right));
    let shown = "@..|@|";
    let both = [(None, "@..|.|"), (None, shown)];
    assert_eq!(places(&both)[1], Some((0, 4)));
    let seen = [both[0], both[1], (right, shown), (None, shown), (right, shown), (right, shown)];
    assert_eq!(places(&seen)[2..], [(0, 4), (0, 4), (0, 0), (0, 0)].map(Some));
    let moved = [both[0], both[1], (right, shown), (right, ".@.|@|")];
    assert_eq!(places(&moved)[3], Some((0, 1)));
}
