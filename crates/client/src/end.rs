//! The end of a game of our own: a ranked table, your result, seed and map, and the choice of the next step.
//!
//! The pure part: [`GameEnd`] and [`draw`]. The shell is [`ask`].

use nuggets_tui::{FullScreen, Key, Palette, Wakeup};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Clear, Widget};

use crate::app::nuggets;

/// A player in the final table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its letter.
    pub letter: char,
    /// Its nuggets.
    pub purse: u32,
    /// Its name, in printable ASCII.
    pub name: String,
    /// True if it is the person at this terminal.
    pub is_you: bool,
}

/// A game that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// All players, in any order.
    pub standings: Vec<Standing>,
    /// Nuggets that are in no purse.
    pub unclaimed: u32,
    /// The map as the user named it.
    pub map: String,
    /// The seed of the game.
    pub seed: String,
}

/// The user's choice after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Play with a new seed.
    PlayAgain,
    /// Play with the same seed.
    PlaySameSeed,
    /// Watch the recording.
    Watch,
    /// Save the recording in the current folder.
    Save,
    /// Leave.
    Leave,
}

impl NextStep {
    /// Returns the choice that this key stands for.
    ///
    /// ```
    /// use nuggets_client::end::NextStep;
    /// use nuggets_tui::Key;
    ///
    /// assert_eq!(NextStep::of_key(Key::Char('r')), Some(NextStep::PlayAgain));
    /// assert_eq!(NextStep::of_key(Key::Char('x')), None);
    /// ```
    pub fn of_key(key: Key) -> Option<Self> {
        Some(match key {
            Key::Char('r') => Self::PlayAgain,
            Key::Char('s') => Self::PlaySameSeed,
            Key::Char('v') => Self::Watch,
            Key::Char('w') => Self::Save,
            Key::Char('q' | 'Q') | Key::Interrupt | Key::EndOfInput => Self::Leave,
            _ => return None,
        })
    }
}

impl GameEnd {
    /// The players by nuggets, each with its rank; equal purses share a rank.
    fn ranked(&self) -> Vec<(usize, &Standing)> {
        let mut players: Vec<&Standing> = self.standings.iter().collect();
        players.sort_by_key(|player| (std::cmp::Reverse(player.purse), player.letter));
        let rank = |player: &Standing| {
            1 + players.iter().filter(|other| other.purse > player.purse).count()
        };
        players.iter().map(|&player| (rank(player), player)).collect()
    }

    /// Returns the line that names the winner.
    fn headline(&self) -> String {
        let ranked = self.ranked();
        let winners: Vec<&Standing> =
            ranked.iter().filter(|(rank, _)| *rank == 1).map(|(_, player)| *player).collect();
        match winners[..] {
            [] => "Nobody has played.".to_owned(),
            [first, ..] if first.purse == 0 => "Nobody has found any gold.".to_owned(),
            [winner] if winner.is_you => format!("You win with {}!", nuggets(winner.purse)),
            [winner] => format!("{} wins with {}.", winner.name, nuggets(winner.purse)),
            [first, ..] => {
                format!(
                    "{} players share the first place with {}.",
                    winners.len(),
                    nuggets(first.purse)
                )
            }
        }
    }

    /// Returns a line with your rank and purse; `None` if you did not play.
    fn own_result(&self) -> Option<String> {
        let ranked = self.ranked();
        let (rank, you) = ranked.iter().find(|(_, player)| player.is_you)?;
        let (all, purse) = (ranked.len(), nuggets(you.purse));
        Some(format!("You are number {rank} of {all} with {purse}."))
    }
}

const KEYS: [&str; 5] = [
    "  r  play again, with a new seed",
    "  s  play the same seed again",
    "  v  watch the replay",
    "  w  write the recording into this folder",
    "  q  leave",
];

/// Draws the end of a game, with a note below it. Lines that don't fit are cut, but the keys stay.
pub fn draw(end: &GameEnd, note: Option<&str>, palette: &Palette, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    Clear.render(area, buffer);
    let plain = Style::new();
    let mut lines =
        vec![("GAME OVER".to_owned(), palette.note()), (end.headline(), palette.note())];
    lines.extend(end.own_result().map(|result| (result, plain)));
    lines.push((String::new(), plain));
    for (rank, player) in end.ranked() {
        let mark = if player.is_you { " (you)" } else { "" };
        let Standing { letter, purse, name, .. } = player;
        let style = if player.is_you {
            palette.style_of(b'@').remove_modifier(Modifier::REVERSED)
        } else {
            palette.player(u8::try_from(*letter).unwrap_or(b'?'))
        };
        lines.push((format!("{rank:>4}. {letter} {purse:>6}  {name}{mark}"), style));
    }
    if end.unclaimed > 0 {
        lines.push((format!("      * {:>6}  unclaimed", end.unclaimed), palette.style_of(b'*')));
    }
    let below = [
        (String::new(), plain),
        (format!("Map {}, seed {}", end.map, end.seed), plain),
        (note.unwrap_or_default().to_owned(), palette.note()),
    ];
    let keys = KEYS.map(|line| (line.to_owned(), plain));
    let below: Vec<(String, Style)> = below.into_iter().chain(keys).collect();
    lines.truncate(usize::from(area.height).saturating_sub(below.len()));
    for ((line, style), y) in lines.iter().chain(&below).zip(area.top()..area.bottom()) {
        buffer.set_stringn(area.x, y, line, usize::from(area.width), *style);
    }
}

/// Shows the end of a game until a key chooses the next step. If the terminal is gone, the choice is to leave.
pub fn ask(end: &GameEnd, note: Option<&str>, palette: &Palette) -> anyhow::Result<NextStep> {
    let mut screen = FullScreen::open_all(false)?;
    loop {
        if screen.draw(|area, cells| draw(end, note, palette, area, cells)).is_err() {
            return Ok(NextStep::Leave);
        }
        match screen.wait(None)? {
            Wakeup::Key(key) => {
                if let Some(next) = NextStep::of_key(key) {
                    return Ok(next);
                }
            }
            Wakeup::Hangup => return Ok(NextStep::Leave),
            Wakeup::Drag(..) | Wakeup::Click(_) | Wakeup::Draw | Wakeup::Continued => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;

    use super::*;

    fn standing(letter: char, purse: u32, name: &str) -> Standing {
        Standing { letter, purse, name: name.to_owned(), is_you: letter == 'A' }
    }

    fn end(standings: Vec<Standing>) -> GameEnd {
        GameEnd { standings, unclaimed: 7, map: "main".into(), seed: "34".into() }
    }

    fn lines(end: &GameEnd, note: Option<&str>, rows: u16) -> Vec<String> {
        let area = Rect::new(0, 0, 50, rows);
        let mut buffer = Buffer::empty(area);
        draw(end, note, &Palette::plain(), area, &mut buffer);
        let rows = buffer.content.chunks(50);
        rows.map(|row| row.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn the_table_is_ranked_and_names_the_winner_the_own_result_seed_and_map() {
        let end = end(vec![
            standing('A', 39, "Ann"),
            standing('B', 120, "scout 1"),
            standing('C', 39, "scout 2"),
            standing('D', 0, "scout 3"),
        ]);
        assert_eq!(
            lines(&end, Some("saved"), 18),
            [
                "GAME OVER",
                "scout 1 wins with 120 nuggets.",
                "You are number 2 of 4 with 39 nuggets.",
                "",
                "   1. B    120  scout 1",
                "   2. A     39  Ann (you)",
                "   2. C     39  scout 2",
                "   4. D      0  scout 3",
                "      *      7  unclaimed",
                "",
                "Map main, seed 34",
                "saved",
                "  r  play again, with a new seed",
                "  s  play the same seed again",
                "  v  watch the replay",
                "  w  write the recording into this folder",
                "  q  leave",
                "",
            ]
        );
    }

    #[test]
    fn winning_alone_and_sharing_the_first_place_are_said() {
        let won = end(vec![standing('A', 1, "Ann"), standing('B', 0, "Bob")]);
        assert_eq!(lines(&won, None, 20)[1], "You win with 1 nugget!");
        let shared = end(vec![standing('A', 5, "Ann"), standing('B', 5, "Bob")]);
        assert_eq!(shared.headline(), "2 players share the first place with 5 nuggets.");
        let empty = end(vec![standing('A', 0, "Ann"), standing('B', 0, "Bob")]);
        assert_eq!(empty.headline(), "Nobody has found any gold.");
        let watched = end(vec![standing('B', 5, "Bob")]);
        assert_eq!(
            (watched.headline().as_str(), watched.own_result()),
            ("Bob wins with 5 nuggets.", None)
        );
    }

    #[test]
    fn a_small_window_cuts_the_table_and_keeps_the_keys() {
        let many = (b'A'..=b'Z').map(|letter| standing(char::from(letter), 1, "x")).collect();
        let lines = lines(&end(many), None, 12);
        assert_eq!((lines[0].as_str(), lines[11].as_str()), ("GAME OVER", "  q  leave"));
    }
}
