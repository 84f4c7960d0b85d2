//! How a bot's part in a game ends, and the words for it.

use nuggets_atlas::clean_byte;

/// How it ended.
///
/// ```
/// use nuggets_bots::Ending;
///
/// let over = Ending::GameOver("A         12 Ann\nB        238 miner".into());
/// assert!(over.is_success());
/// assert_eq!(over.purse_of('B'), Some(238));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The game is over; the table.
    GameOver(String),
    /// The server said `QUIT`; its words.
    Quit(String),
    /// The server won't have us; its words, or none.
    Refused(String),
    /// Nobody answered.
    NoAnswer,
    /// Somebody answered, but never showed us where we are.
    NotShown,
    /// There is no server at that port.
    NobodyListens,
    /// There is no way to the server at all; what the system says.
    Unreachable(String),
    /// The server has fallen silent, or is gone.
    Lost,
    /// We were stopped before anybody had let us in.
    NeverJoined,
    /// We were stopped, and the server did not say goodbye.
    LeftWithoutGoodbye,
}

impl Ending {
    /// Whether a bot that ends like this has done what it was asked for.
    pub fn is_success(&self) -> bool {
        match self {
            Self::GameOver(_) | Self::Quit(_) | Self::NeverJoined | Self::LeftWithoutGoodbye => {
                true
            }
            Self::Refused(_)
            | Self::NoAnswer
            | Self::NotShown
            | Self::NobodyListens
            | Self::Unreachable(_)
            | Self::Lost => false,
        }
    }

    /// What the final table says about this letter.
    pub fn purse_of(&self, letter: char) -> Option<u32> {
        let Self::GameOver(table) = self else { return None };
        let row = table.lines().find_map(|row| row.strip_prefix(letter)?.strip_prefix(' '))?;
        row.split_whitespace().next()?.parse().ok()
    }

    /// What happened with the server at this place, in words.
    pub fn words(&self, place: &str) -> String {
        const HINT: &str = "Is a Nuggets server running there?";
        match self {
            Self::GameOver(_) => "the game is over".to_owned(),
            Self::Quit(why) if why.is_empty() => format!("{place} said goodbye"),
            Self::Quit(why) => format!("{place} said goodbye: {}", one_line(why)),
            Self::Refused(why) if why.is_empty() => format!("{place} refused: the game is full"),
            Self::Refused(why) => format!("{place} refused: {}", one_line(why)),
            Self::NoAnswer => format!("nobody answers at {place}. {HINT}"),
            Self::NotShown => {
                format!("{place} answers, but has not shown a map with us on it. {HINT}")
            }
            Self::NobodyListens => format!("nobody listens at {place}: the port is closed. {HINT}"),
            Self::Unreachable(why) => format!("there is no way to {place} ({why})"),
            Self::Lost => format!("{place} has fallen silent, or is gone"),
            Self::NeverJoined => format!("stopped before {place} had let us in"),
            Self::LeftWithoutGoodbye => format!("left; {place} did not say goodbye"),
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// A server's words, fit for a terminal: printable ASCII and newlines, none of them at the end.
pub(super) fn clean(bytes: &[u8]) -> String {
    let clean = |&byte: &u8| if byte == b'\n' { '\n' } else { char::from(clean_byte(byte)) };
    let text: String = bytes.iter().map(clean).collect();
    text.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purse_is_read_off_the_table() {
        let over = Ending::GameOver("A          0 B 7\nB        250 x".into());
        assert_eq!(
            [over.purse_of('A'), over.purse_of('B'), over.purse_of('C')],
            [Some(0), Some(250), None]
        );
        assert_eq!(Ending::GameOver("B\nB x\nBob 3".into()).purse_of('B'), None);
        assert_eq!(Ending::Lost.purse_of('A'), None);
    }

    #[test]
    fn words_of_a_server_are_cleaned() {
        assert_eq!(clean(b"a\x1b[2J\nb\n\n"), "a?[2J\nb");
        assert_eq!(Ending::Refused("no\nway".into()).words("here:1"), "here:1 refused: no way");
    }
}
