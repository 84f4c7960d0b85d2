//! The help page: 21 lines of at most 51 columns, so that it fits below the status line of a window
//! that holds the map of the requirements.

/// The page for this reader, line by line. The last line says how to get out of it.
pub(super) fn page(is_spectator: bool) -> &'static [&'static str] {
    if is_spectator { &SPECTATORS_PAGE } else { &PAGE }
}

const PAGE: [&str; 21] = [
    "NUGGETS",
    "",
    "Gather more gold than anybody else. Whoever steps",
    "onto a pile has it. When no gold is left, the game",
    "is over and everybody is shown the purses.",
    "",
    "  step   y k u   7 8 9   arrows; Home and PgUp for",
    "         h @ l   4   6   y and u, End and PgDn for",
    "         b j n   1 2 3   b and n",
    "  sprint as far as possible: the capital letter,",
    "         or Shift together with one of these keys",
    "",
    "  @  you              . #  floor and passage",
    "  A-Z  other players  - | +  walls",
    "  *  a pile of gold",
    "",
    "  ?  this page",
    "  Q  leave the game; so do Ctrl-C and Ctrl-D",
    "  Ctrl-Z  put the game aside; fg brings it back",
    "",
    "Press any key to go on.",
];

const SPECTATORS_PAGE: [&str; 12] = [
    "NUGGETS",
    "",
    "You watch, and see everything. To play, leave and",
    "join again under a name.",
    "",
    "  A-Z  the players    . #  floor and passage",
    "  *  a pile of gold   - | +  walls",
    "",
    "  ?  this page",
    "  Q  leave; so do Ctrl-C and Ctrl-D",
    "",
    "Press any key to go on.",
];

#[cfg(test)]
mod tests {
    use super::{PAGE, SPECTATORS_PAGE};

    #[test]
    fn the_page_fits_below_the_status_line_of_an_ordinary_window() {
        for line in PAGE.into_iter().chain(SPECTATORS_PAGE) {
            assert!(line.len() <= 51 && line.is_ascii(), "{line:?} {}", line.len());
        }
    }
}
