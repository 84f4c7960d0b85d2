//! The two generations of the protocol: the same game, other words.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::ServerMessage;

/// Which generation of the documents a server speaks. A client understands both unasked.
///
/// ```
/// use nuggets_protocol::Dialect;
///
/// assert_eq!(Dialect::V2021.game_full().to_bytes(), b"QUIT Game is full: no more players can join.");
/// assert_eq!(Dialect::V2019.game_full().to_bytes(), b"NO");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The requirements of 2021.
    #[default]
    V2021,
    /// The requirements of 2019.
    V2019,
}

/// The partings that the documents give words for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// A player pressed `Q`.
    Player,
    /// The spectator pressed `Q`.
    Spectator,
    /// Another spectator took the place.
    Replaced,
}

/// A word that names neither dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there are two dialects, 2021 and 2019")]
pub struct UnknownDialect;

impl Dialect {
    /// Both dialects, the default first.
    pub const ALL: [Self; 2] = [Self::V2021, Self::V2019];

    /// The answer to a player too many.
    pub fn game_full(self) -> ServerMessage<'static> {
        match self {
            Self::V2021 => quit("Game is full: no more players can join."),
            Self::V2019 => no(""),
        }
    }

    /// The answer to a name without a visible character.
    pub fn nameless(self) -> ServerMessage<'static> {
        const WHY: &str = "Sorry - you must provide player's name.";
        match self {
            Self::V2021 => quit(WHY),
            Self::V2019 => no(WHY),
        }
    }

    /// What a client is told when its message had no effect.
    pub fn complaint(self, why: &str) -> ServerMessage<'_> {
        match self {
            Self::V2021 => ServerMessage::Error(why.as_bytes().into()),
            Self::V2019 => no(why),
        }
    }

    /// The last word to a client that leaves or is replaced.
    pub fn farewell(self, kind: Farewell) -> ServerMessage<'static> {
        match (self, kind) {
            (Self::V2019, _) => quit(""),
            (Self::V2021, Farewell::Player) => quit("Thanks for playing!"),
            (Self::V2021, Farewell::Spectator) => quit("Thanks for watching!"),
            (Self::V2021, Farewell::Replaced) => quit("You have been replaced by a new spectator."),
        }
    }

    /// Sends a client away for a reason that the documents have no words for. In the 2019 dialect
    /// `QUIT` carries no text, so the reason goes ahead of it.
    pub fn dismissal(self, why: &str) -> Vec<ServerMessage<'_>> {
        match self {
            Self::V2021 => vec![quit(why)],
            Self::V2019 => vec![no(why), quit("")],
        }
    }

    /// The end of the game, with the final table.
    pub fn game_over(self, table: &str) -> Vec<ServerMessage<'_>> {
        match self {
            Self::V2021 => {
                vec![ServerMessage::Quit(Cow::Owned(format!("GAME OVER:\n{table}").into_bytes()))]
            }
            Self::V2019 => vec![ServerMessage::GameOver(table.as_bytes().into()), quit("")],
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(word: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.into_iter().find(|d| d.to_string() == word).ok_or(UnknownDialect)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V2021 => "2021",
            Self::V2019 => "2019",
        })
    }
}

fn quit(text: &str) -> ServerMessage<'_> {
    ServerMessage::Quit(text.as_bytes().into())
}

fn no(text: &str) -> ServerMessage<'_> {
    ServerMessage::No(text.as_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(messages: &[ServerMessage]) -> Vec<String> {
        messages.iter().map(|m| String::from_utf8(m.to_bytes()).unwrap()).collect()
    }

    fn each(dialect: Dialect) -> Vec<String> {
        spelled(&[
            dialect.game_full(),
            dialect.nameless(),
            dialect.complaint("what?"),
            dialect.farewell(Farewell::Player),
            dialect.farewell(Farewell::Spectator),
            dialect.farewell(Farewell::Replaced),
        ])
    }

    #[test]
    fn the_words_of_2021() {
        assert_eq!(
            each(Dialect::V2021),
            [
                "QUIT Game is full: no more players can join.",
                "QUIT Sorry - you must provide player's name.",
                "ERROR what?",
                "QUIT Thanks for playing!",
                "QUIT Thanks for watching!",
                "QUIT You have been replaced by a new spectator.",
            ]
        );
        assert_eq!(
            spelled(&Dialect::V2021.game_over("A          4 Alice\nB         16 Bob")),
            ["QUIT GAME OVER:\nA          4 Alice\nB         16 Bob"]
        );
        assert_eq!(spelled(&Dialect::V2021.dismissal("Go.")), ["QUIT Go."]);
    }

    #[test]
    fn the_words_of_2019() {
        assert_eq!(
            each(Dialect::V2019),
            [
                "NO",
                "NO Sorry - you must provide player's name.",
                "NO what?",
                "QUIT",
                "QUIT",
                "QUIT"
            ]
        );
        assert_eq!(
            spelled(&Dialect::V2019.game_over("A          4 Alice")),
            ["GAMEOVER\nA          4 Alice", "QUIT"]
        );
        assert_eq!(spelled(&Dialect::V2019.dismissal("Go.")), ["NO Go.", "QUIT"]);
    }

    #[test]
    fn dialects_are_named_by_their_year() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert_eq!("2020".parse::<Dialect>(), Err(UnknownDialect));
    }
}
