//! How a client's part in a game ends, and the words for it.

use super::{JOIN_TRIES, Join};

/// How it ended.
///
/// ```
/// use nuggets_client::Ending;
///
/// let over = Ending::GameOver("A          4 Alice".into());
/// assert_eq!(over.farewell().as_deref(), Some("GAME OVER:\nA          4 Alice"));
/// assert!(over.is_success());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The server said `QUIT`; its words, or ours when it had none.
    Quit(String),
    /// The server said `GAMEOVER`; the table.
    GameOver(String),
    /// The server won't have us; its words, or none.
    Refused(String),
    /// Nobody answered.
    NoAnswer,
    /// Somebody answered, but not as a server does.
    Nonsense,
    /// There is no server at that port.
    PortClosed,
    /// We left before anybody had let us in.
    NeverJoined,
    /// We left, and the server did not say goodbye.
    LeftWithoutGoodbye,
    /// The terminal is gone.
    HungUp,
}

impl Ending {
    /// Whether a program that ends like this has done what it was asked for.
    pub fn is_success(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::NoAnswer | Self::Nonsense | Self::PortClosed)
    }

    /// The last words of the server, for standard output.
    pub fn farewell(&self) -> Option<String> {
        match self {
            Self::Quit(text) => Some(text.clone()),
            Self::GameOver(table) => Some(format!("GAME OVER:\n{table}")),
            _ => None,
        }
    }

    /// What went otherwise than it should, for standard error.
    pub fn trouble(&self, join: &Join) -> Option<String> {
        let place = join.place();
        Some(match self {
            Self::Quit(_) | Self::GameOver(_) | Self::HungUp => return None,
            Self::Refused(why) if why.is_empty() => {
                format!("the server at {place} refused: the game is full.")
            }
            Self::Refused(why) => format!("the server at {place} refused: {why}"),
            Self::NoAnswer => format!(
                "no answer from {place} after {JOIN_TRIES} tries in {JOIN_TRIES} seconds. \
                 Is a Nuggets server running there?"
            ),
            Self::Nonsense => format!(
                "{place} answers, but nothing that makes sense. \
                 Is a Nuggets server running there?"
            ),
            Self::PortClosed => format!(
                "nobody listens at {place}: the port is closed. \
                 Is a Nuggets server running there?"
            ),
            Self::NeverJoined => format!("left before {place} had let us in."),
            Self::LeftWithoutGoodbye => {
                format!("left; the server at {place} did not say goodbye.")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(host: &str) -> Join {
        Join { host: host.into(), port: 1234, name: None }
    }

    #[test]
    fn a_program_fails_when_it_did_not_get_into_the_game() {
        for (ending, success) in [
            (Ending::Quit("Thanks for playing!".into()), true),
            (Ending::GameOver(String::new()), true),
            (Ending::LeftWithoutGoodbye, true),
            (Ending::NeverJoined, true),
            (Ending::HungUp, true),
            (Ending::Refused(String::new()), false),
            (Ending::NoAnswer, false),
            (Ending::Nonsense, false),
            (Ending::PortClosed, false),
        ] {
            assert_eq!(ending.is_success(), success, "{ending:?}");
        }
    }

    #[test]
    fn what_went_wrong_is_said_together_with_the_place() {
        let trouble = |ending: Ending| ending.trouble(&join("localhost")).unwrap();
        assert_eq!(
            trouble(Ending::NoAnswer),
            "no answer from localhost:1234 after 6 tries in 6 seconds. \
             Is a Nuggets server running there?"
        );
        assert_eq!(
            trouble(Ending::Refused(String::new())),
            "the server at localhost:1234 refused: the game is full."
        );
        assert_eq!(
            trouble(Ending::Refused("no names like that".into())),
            "the server at localhost:1234 refused: no names like that"
        );
        assert!(trouble(Ending::Nonsense).starts_with("localhost:1234 answers, but nothing"));
        assert!(trouble(Ending::PortClosed).contains("the port is closed"));
        assert!(trouble(Ending::LeftWithoutGoodbye).contains("did not say goodbye"));
        assert_eq!(Ending::Quit("bye".into()).trouble(&join("localhost")), None);
    }

    #[test]
    fn a_place_with_colons_stands_in_brackets() {
        assert_eq!(join("localhost").place(), "localhost:1234");
        assert_eq!(join("::1").place(), "[::1]:1234");
    }
}
