//! The help page: at most 21 lines of 51 columns, so that it fits below the status line of a window
//! that holds the map of the specification. The server's house rules may be wider in a wider window.

use nuggets_tui::fold;

use crate::App;

/// The maximum number of lines for the house rules.
const MAX_RULES_LINES: usize = 2;

/// The page for this player or spectator, line by line. The last line says how to close it.
pub(super) fn page(app: &App, width: u16) -> Vec<String> {
    let rules = app
        .house_rules
        .as_deref()
        .map(|text| fold(text, width.into(), 0, MAX_RULES_LINES))
        .unwrap_or_default();
    let lines = |part: &[&str]| part.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
    // House rules replace the blank lines.
    let blank = lines(if rules.is_empty() { &[""] } else { &[] });
    let title = lines(&["NUGGETS"]);
    let end = lines(&["Press any key to continue."]);
    let has_food = app.house_rules.as_deref().is_some_and(|rules| rules.contains("food"));
    if app.join().is_spectator() {
        let gap = lines(&[""]);
        let mut rest = lines(&WATCHING);
        if app.has_pause() {
            "  ?  this page    i  panel    p  pause".clone_into(&mut rest[4]);
        }
        if has_food {
            "  *  gold  %  food    - | +  walls".clone_into(&mut rest[2]);
        }
        return [title, gap, lines(&YOU_WATCH), rules, rest, end].concat();
    }
    let auto = lines(if app.has_auto() { &AUTO } else { &[] });
    let mut signs = lines(&SIGNS);
    if app.has_auto() {
        let pause = if app.has_pause() { "  p pause" } else { "" };
        signs[5] = format!("  i panel  Tab look around{pause}  Ctrl-Z suspend");
    }
    if has_food {
        "  *  gold  %  food    ?  this page".clone_into(&mut signs[3]);
    }
    [title, blank.clone(), lines(&GOAL), rules, lines(&MOVING), auto, signs, blank, end].concat()
}

const GOAL: [&str; 3] = [
    "Collect more gold than the other players. A step",
    "onto a pile takes it. When no gold is left, the",
    "game is over and all purses are shown.",
];

const MOVING: [&str; 6] = [
    "",
    "  step   y k u   7 8 9   arrows; Home and PgUp for",
    "         h @ l   4   6   y and u, End and PgDn for",
    "         b j n   1 2 3   b and n",
    "  sprint as far as possible: the capital letter,",
    "         or Shift together with one of these keys",
];

const AUTO: [&str; 2] = [
    "  o      explore one step; O until something shows",
    "  click  walk there; Shift and drag select text",
];

const SIGNS: [&str; 6] = [
    "",
    "  @  you              . #  floor and passage",
    "  A-Z  other players  - | +  walls",
    "  *  a pile of gold   ?  this page",
    "  Q  leave the game; so do Ctrl-C and Ctrl-D",
    "  Ctrl-Z  suspend the game; fg continues it",
];

const YOU_WATCH: [&str; 2] =
    ["You watch, and see everything. To play, leave and", "join again under a name."];

const WATCHING: [&str; 7] = [
    "",
    "  A-Z  the players    . #  floor and passage",
    "  *  a pile of gold   - | +  walls",
    "",
    "  ?  this page    i  panel",
    "  Q  leave; so do Ctrl-C and Ctrl-D",
    "",
];
