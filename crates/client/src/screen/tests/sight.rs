//! Visible parts of the map are bright, remembered ones dim.

use super::*;

const TWO_ROOMS: &str = "DISPLAY
+----+  +----+
|.@*.####...*|
+----+  +----+
";

fn is_dim(app: &App, x: u16, y: u16) -> bool {
    buffer(app, 5, 60)[(x, y)].modifier.contains(Modifier::DIM)
}

#[test]
fn what_is_in_sight_is_bright_and_the_rest_dim() {
    let app = after(app(Some("Ann")), &["OK A", "GRID 3 14", "GOLD 0 0 250", TWO_ROOMS]);
    for (x, y) in [(1, 2), (2, 2), (3, 2), (5, 2), (0, 1), (5, 3)] {
        assert!(!is_dim(&app, x, y), "{x} {y}");
    }
    for (x, y) in [(7, 2), (8, 2), (9, 2), (12, 2), (13, 1)] {
        assert!(is_dim(&app, x, y), "{x} {y}");
    }
    let gold = &buffer(&app, 5, 60)[(12, 2)];
    assert!(!gold.modifier.contains(Modifier::BOLD), "remembered gold may be gone");
}

#[test]
fn a_spectator_sees_everything_bright() {
    let map = TWO_ROOMS.replace('@', "A");
    let app = after(app(None), &["GRID 3 14", "GOLD 0 0 250", &map]);
    assert!((0..14).all(|x| !is_dim(&app, x, 2)));
}

#[test]
fn a_limited_vision_is_read_from_the_house_rules() {
    let map = "DISPLAY\n+--------+\n|@.......|\n+--------+\n";
    let app = after(app(Some("Ann")), &["OK A", "GRID 3 10", "GOLD 0 0 250", map]);
    assert!(!is_dim(&app, 8, 2));
    let app = after(app, &["ERROR House rules: vision 3, steal", map]);
    assert_eq!([4, 5].map(|x| is_dim(&app, x, 2)), [false, true]);
}
