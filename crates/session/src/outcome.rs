//! Outcomes of a session and their descriptions.

use std::time::Duration;

use nuggets_protocol::house_rules;

/// The outcome of a session. Texts from the server are printable ASCII.
///
/// ```
/// use nuggets_session::SessionOutcome;
///
/// let over = SessionOutcome::GameOver { table: "A         12 Ann\nB        238 miner".into() };
/// assert!(over.is_success());
/// assert_eq!(over.purse_of('B'), Some(238));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionOutcome {
    /// The game is over.
    GameOver {
        /// The final table without its heading.
        table: String,
    },
    /// We left, and the server confirmed it with `QUIT`.
    Left {
        /// The text of that `QUIT`; empty in the 2019 dialect.
        farewell: String,
    },
    /// The server sent a `QUIT` that we had not asked for.
    Dismissed {
        /// The server's reason, as far as it gave one.
        reason: QuitText,
    },
    /// The server answered `PLAY` or `SPECTATE` with `QUIT`.
    DismissedWhileJoining {
        /// The server's reason, as far as it gave one.
        reason: QuitText,
    },
    /// The server answered with `NO`, or only with error replies.
    Rejected {
        /// The explanation; empty if there was none.
        reason: String,
    },
    /// The server did not answer at all.
    NoAnswer {
        /// The number of requests to join.
        tries: u32,
        /// Time from the first try until we gave up.
        waited_ms: u64,
    },
    /// The server answered, but not with the messages that accept a player.
    NotAccepted,
    /// The server's port is closed.
    PortClosed,
    /// There is no network route to the server.
    Unreachable {
        /// The system's error.
        error: String,
    },
    /// The server stopped answering during the game.
    ServerLost,
    /// We left before the server had accepted us.
    NeverJoined,
    /// We left, and the server did not confirm it.
    LeftUnconfirmed,
    /// The terminal was closed.
    HungUp,
}

/// The server's reason for `QUIT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuitText {
    /// The text of the `QUIT` message.
    Text(String),
    /// The text of the error reply just before a `QUIT` without text.
    PrecedingError(String),
    /// The server gave none.
    Unknown,
}

impl QuitText {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::PrecedingError(text) => text,
            Self::Unknown => "",
        }
    }
}

impl SessionOutcome {
    /// True if the client was in the game, or was asked to leave before it could be.
    pub fn is_success(&self) -> bool {
        match self {
            Self::GameOver { .. }
            | Self::Left { .. }
            | Self::Dismissed { .. }
            | Self::NeverJoined
            | Self::LeftUnconfirmed
            | Self::HungUp => true,
            Self::DismissedWhileJoining { .. }
            | Self::Rejected { .. }
            | Self::NoAnswer { .. }
            | Self::NotAccepted
            | Self::PortClosed
            | Self::Unreachable { .. }
            | Self::ServerLost => false,
        }
    }

    /// True if a person's client exits with success: the specification requires it to print the text of any `QUIT`
    /// and exit normally.
    pub fn exits_with_success(&self) -> bool {
        self.is_success() || matches!(self, Self::DismissedWhileJoining { .. })
    }

    /// The text that a person's client prints on standard output: the server's text or the final table.
    ///
    /// ```
    /// use nuggets_session::SessionOutcome;
    ///
    /// let over = SessionOutcome::GameOver { table: "A          4 Alice".into() };
    /// assert_eq!(over.farewell().as_deref(), Some("GAME OVER:\nA          4 Alice"));
    /// ```
    pub fn farewell(&self) -> Option<String> {
        match self {
            Self::GameOver { table } => Some(format!("GAME OVER:\n{table}")),
            Self::Left { farewell } if farewell.is_empty() => Some("Goodbye.".to_owned()),
            Self::Left { farewell } => Some(farewell.clone()),
            Self::Dismissed { reason } | Self::DismissedWhileJoining { reason } => {
                Some(match reason {
                    QuitText::Text(text) => text.clone(),
                    QuitText::PrecedingError(error) => {
                        format!("The server has ended the game for you: {error}")
                    }
                    QuitText::Unknown => "The server has ended the game for you.".to_owned(),
                })
            }
            _ => None,
        }
    }

    /// True if the server has announced that it is shutting down.
    ///
    /// ```
    /// use nuggets_session::{QuitText, SessionOutcome};
    ///
    /// let reason = QuitText::Text("The server is shutting down.".into());
    /// assert!(SessionOutcome::DismissedWhileJoining { reason }.is_shutdown());
    /// ```
    pub fn is_shutdown(&self) -> bool {
        match self {
            Self::Dismissed { reason } | Self::DismissedWhileJoining { reason } => {
                reason.text() == house_rules::SHUTTING_DOWN
            }
            Self::Rejected { reason } => reason == house_rules::SHUTTING_DOWN,
            _ => false,
        }
    }

    /// The nuggets of the player with this letter, read from the final table.
    pub fn purse_of(&self, letter: char) -> Option<u32> {
        let Self::GameOver { table } = self else { return None };
        let row = table.lines().find_map(|row| row.strip_prefix(letter)?.strip_prefix(' '))?;
        row.split_whitespace().next()?.parse().ok()
    }

    /// Describes the outcome at this server (host and port) in one line.
    pub fn describe(&self, place: &str) -> String {
        const HINT: &str = "Is a Nuggets server running there?";
        match self {
            Self::GameOver { .. } => "the game is over".to_owned(),
            Self::Left { farewell } => describe_goodbye(place, farewell),
            Self::Dismissed { reason } => describe_goodbye(place, reason.text()),
            Self::DismissedWhileJoining { reason } => describe_rejection(place, reason.text()),
            Self::Rejected { reason } => describe_rejection(place, reason),
            Self::NoAnswer { tries, waited_ms } => {
                let seconds = Duration::from_millis(*waited_ms).as_secs_f64();
                format!("no answer from {place} after {tries} tries in {seconds} seconds. {HINT}")
            }
            Self::NotAccepted => {
                format!("{place} answers, but has not accepted us into a game. {HINT}")
            }
            Self::PortClosed => format!("nothing listens at {place}: the port is closed. {HINT}"),
            Self::Unreachable { error } => format!("{place} can't be reached ({error})"),
            Self::ServerLost => format!("{place} has stopped answering"),
            Self::NeverJoined => format!("left before {place} accepted us"),
            Self::LeftUnconfirmed => format!("left; {place} did not confirm it"),
            Self::HungUp => "the terminal was closed".to_owned(),
        }
    }
}

fn describe_goodbye(place: &str, text: &str) -> String {
    match text {
        "" => format!("{place} said goodbye"),
        text => format!("{place} said goodbye: {}", text.replace('\n', " ")),
    }
}

fn describe_rejection(place: &str, reason: &str) -> String {
    let reason = if reason.is_empty() { "the game is full" } else { reason };
    format!("{place} refused: {}", reason.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionOutcome::*;

    #[test]
    fn a_person_who_did_not_get_into_the_game_fails_unless_there_was_a_quit() {
        let text = || "Game is full: no more players can join.".to_owned();
        for (outcome, is_success, exits_with_success) in [
            (GameOver { table: String::new() }, true, true),
            (Left { farewell: "Thanks for playing!".into() }, true, true),
            (Dismissed { reason: QuitText::Unknown }, true, true),
            (LeftUnconfirmed, true, true),
            (NeverJoined, true, true),
            (HungUp, true, true),
            (DismissedWhileJoining { reason: QuitText::Text(text()) }, false, true),
            (Rejected { reason: String::new() }, false, false),
            (NoAnswer { tries: 6, waited_ms: 6_000 }, false, false),
            (NotAccepted, false, false),
            (PortClosed, false, false),
            (Unreachable { error: String::new() }, false, false),
            (ServerLost, false, false),
        ] {
            assert_eq!(outcome.is_success(), is_success, "{outcome:?}");
            assert_eq!(outcome.exits_with_success(), exits_with_success, "{outcome:?}");
        }
    }

    #[test]
    fn the_description_names_the_place_and_the_reason() {
        for (outcome, text) in [
            (
                NoAnswer { tries: 6, waited_ms: 6_000 },
                "no answer from here:1 after 6 tries in 6 seconds. \
                 Is a Nuggets server running there?",
            ),
            (
                NoAnswer { tries: 6, waited_ms: 15_750 },
                "no answer from here:1 after 6 tries in 15.75 seconds. \
                 Is a Nuggets server running there?",
            ),
            (Rejected { reason: String::new() }, "here:1 refused: the game is full"),
            (Rejected { reason: "no\nway".into() }, "here:1 refused: no way"),
            (
                DismissedWhileJoining { reason: QuitText::PrecedingError("too late".into()) },
                "here:1 refused: too late",
            ),
            (Dismissed { reason: QuitText::Unknown }, "here:1 said goodbye"),
            (Left { farewell: "bye".into() }, "here:1 said goodbye: bye"),
            (LeftUnconfirmed, "left; here:1 did not confirm it"),
        ] {
            assert_eq!(outcome.describe("here:1"), text);
        }
    }

    #[test]
    fn a_quit_without_text_gets_one() {
        for (outcome, farewell) in [
            (Left { farewell: String::new() }, Some("Goodbye.")),
            (
                Dismissed { reason: QuitText::Unknown },
                Some("The server has ended the game for you."),
            ),
            (
                Dismissed { reason: QuitText::PrecedingError("too idle".into()) },
                Some("The server has ended the game for you: too idle"),
            ),
            (PortClosed, None),
        ] {
            assert_eq!(outcome.farewell().as_deref(), farewell, "{outcome:?}");
        }
    }

    #[test]
    fn a_purse_is_read_from_the_final_table() {
        let over = GameOver { table: "A          0 B 7\nB        250 x".into() };
        assert_eq!(['A', 'B', 'C'].map(|letter| over.purse_of(letter)), [Some(0), Some(250), None]);
        assert_eq!(GameOver { table: "B\nB x\nBob 3".into() }.purse_of('B'), None);
        assert_eq!(ServerLost.purse_of('A'), None);
    }
}
