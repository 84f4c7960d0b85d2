//! The help page: at most 21 lines of 51 columns, so that it fits below the status line of a window
//! that holds the map of the requirements. What the server says of its house rules may be wider
//! where the window is.

use crate::App;

/// How many lines the house rules may take.
const RULES_AT_MOST: usize = 2;

/// The page for this reader, line by line. The last line says how to get out of it.
pub(super) fn page(app: &App, width: u16) -> Vec<String> {
    let rules = app.house_rules().map(|text| fold(text, width.into())).unwrap_or_default();
    let lines = |part: &[&str]| part.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
    // Where there are house rules, they need the room of the blanks.
    let blank = lines(if rules.is_empty() { &[""] } else { &[] });
    let title = lines(&["NUGGETS"]);
    let end = lines(&["Press any key to go on."]);
    if app.join().is_spectator() {
        let (gap, rest) = (lines(&[""]), lines(&WATCHING));
        return [title, gap, lines(&YOU_WATCH), rules, rest, end].concat();
    }
    let auto = lines(if app.has_auto() { &AUTO } else { &[] });
    let mut signs = lines(&SIGNS);
    if app.house_rules().is_some_and(|rules| rules.contains("food")) {
        "  *  gold  %  food    ?  this page".clone_into(&mut signs[3]);
    }
    [title, blank.clone(), lines(&GOAL), rules, lines(&MOVING), auto, signs, blank, end].concat()
}

const GOAL: [&str; 3] = [
    "Gather more gold than anybody else. Whoever steps",
    "onto a pile has it. When no gold is left, the game",
    "is over and everybody is shown the purses.",
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
    "  o      one step to gold in sight or the unknown",
    "  click  walk there; Shift and drag select text",
];

const SIGNS: [&str; 6] = [
    "",
    "  @  you              . #  floor and passage",
    "  A-Z  other players  - | +  walls",
    "  *  a pile of gold   ?  this page",
    "  Q  leave the game; so do Ctrl-C and Ctrl-D",
    "  Ctrl-Z  put the game aside; fg brings it back",
];

const YOU_WATCH: [&str; 2] =
    ["You watch, and see everything. To play, leave and", "join again under a name."];

const WATCHING: [&str; 7] = [
    "",
    "  A-Z  the players    . #  floor and passage",
    "  *  a pile of gold   - | +  walls",
    "",
    "  ?  this page",
    "  Q  leave; so do Ctrl-C and Ctrl-D",
    "",
];

/// Broken at blanks into lines of this width, as far as they go; the last one has all the rest.
fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let full = lines.len() == RULES_AT_MOST;
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if full || line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn house_rules_are_broken_at_blanks_into_two_lines_at_most() {
        assert_eq!(fold("House rules: steal", 51), ["House rules: steal"]);
        assert_eq!(fold("House rules: steal", 18), ["House rules: steal"]);
        assert_eq!(fold("House rules: steal", 17), ["House rules:", "steal"]);
        assert_eq!(fold("House rules: vision 5, steal", 5), ["House", "rules: vision 5, steal"]);
        assert_eq!(fold("House rules: x", 0), ["House", "rules: x"]);
    }
}
