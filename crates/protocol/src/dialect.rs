//! The two dialects of the protocol: the same game, different message texts.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::ServerMessage;

/// The version of the specification that a server follows. A client accepts the messages of both.
///
/// ```
/// use nuggets_protocol::{Dialect, QuitKind};
///
/// let full = |dialect: Dialect| dialect.quit(QuitKind::GameFull).to_bytes();
/// assert_eq!(full(Dialect::V2021), b"QUIT Game is full: no more players can join.");
/// assert_eq!(full(Dialect::V2019), b"NO");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The requirements of 2021.
    #[default]
    V2021,
    /// The requirements of 2019.
    V2019,
}

/// The reasons to quit that the specification has texts for, with those of 2021.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QuitKind {
    /// A player pressed `Q`.
    #[error("Thanks for playing!")]
    Player,
    /// The spectator pressed `Q`.
    #[error("Thanks for watching!")]
    Spectator,
    /// A new spectator replaced this one.
    #[error("You have been replaced by a new spectator.")]
    Replaced,
    /// All seats are taken: the answer to `PLAY`.
    #[error("Game is full: no more players can join.")]
    GameFull,
    /// The name is blank (see `Name::new`): the answer to `PLAY`.
    #[error("Sorry - you must provide player's name.")]
    BlankName,
}

/// A text that names neither dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there are two dialects, 2021 and 2019")]
pub struct UnknownDialect;

impl Dialect {
    /// Both dialects, the default first.
    pub const ALL: [Self; 2] = [Self::V2021, Self::V2019];

    /// The error reply to a message that had no effect.
    pub fn error_reply(self, why: &str) -> ServerMessage<'_> {
        match self {
            Self::V2021 => ServerMessage::Error(why.as_bytes().into()),
            Self::V2019 => no(why),
        }
    }

    /// The last message to a client that leaves, is replaced or is not let in.
    pub fn quit(self, kind: QuitKind) -> ServerMessage<'static> {
        let text = || Cow::Owned(kind.to_string().into_bytes());
        match (self, kind) {
            (Self::V2021, _) => ServerMessage::Quit(text()),
            (Self::V2019, QuitKind::GameFull) => no(""),
            (Self::V2019, QuitKind::BlankName) => ServerMessage::No(text()),
            (Self::V2019, _) => quit(""),
        }
    }

    /// Ends a client's game for a reason that the specification has no text for. In the 2019 dialect
    /// `QUIT` carries no text, so a `NO` with the reason goes ahead of it.
    pub fn quit_with_reason(self, why: &str) -> Vec<ServerMessage<'_>> {
        match self {
            Self::V2021 => vec![quit(why)],
            Self::V2019 => vec![no(why), quit("")],
        }
    }

    /// The end of the game, with the final table. A client of 2019 prints the table as it is, so it ends with a newline;
    /// one of 2021 adds the newline itself.
    pub fn game_over(self, table: &str) -> Vec<ServerMessage<'_>> {
        match self {
            Self::V2021 => {
                vec![ServerMessage::Quit(Cow::Owned(format!("GAME OVER:\n{table}").into_bytes()))]
            }
            Self::V2019 => {
                let newline = if table.is_empty() { "" } else { "\n" };
                let text = format!("{table}{newline}");
                vec![ServerMessage::GameOver(Cow::Owned(text.into_bytes())), quit("")]
            }
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

    fn texts(messages: &[ServerMessage]) -> Vec<String> {
        messages.iter().map(|m| String::from_utf8(m.to_bytes()).unwrap()).collect()
    }

    fn fixed_texts(dialect: Dialect) -> Vec<String> {
        texts(&[
            dialect.quit(QuitKind::GameFull),
            dialect.quit(QuitKind::BlankName),
            dialect.error_reply("what?"),
            dialect.quit(QuitKind::Player),
            dialect.quit(QuitKind::Spectator),
            dialect.quit(QuitKind::Replaced),
        ])
    }

    #[test]
    fn the_message_texts_of_2021() {
        assert_eq!(
            fixed_texts(Dialect::V2021),
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
            texts(&Dialect::V2021.game_over("A          4 Alice\nB         16 Bob")),
            ["QUIT GAME OVER:\nA          4 Alice\nB         16 Bob"]
        );
        assert_eq!(texts(&Dialect::V2021.quit_with_reason("Go.")), ["QUIT Go."]);
    }

    #[test]
    fn the_message_texts_of_2019() {
        assert_eq!(
            fixed_texts(Dialect::V2019),
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
            texts(&Dialect::V2019.game_over("A          4 Alice")),
            ["GAMEOVER\nA          4 Alice\n", "QUIT"]
        );
        assert_eq!(texts(&Dialect::V2019.quit_with_reason("Go.")), ["NO Go.", "QUIT"]);
    }

    #[test]
    fn dialects_are_named_by_their_year() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert_eq!("2020".parse::<Dialect>(), Err(UnknownDialect));
    }
}
