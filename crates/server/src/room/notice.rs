//! Events that a room reports to its server's log. The driver writes them, and knows the names of peers.

use nuggets_game::{End, Letter, Name, Viewer};
use nuggets_protocol::{ClientMessageError, counted};
use nuggets_record::Timestamp;
use tracing::Level;

use super::{ErrorReply, Peer, Refusal, Stalemate};

/// An event worth a log line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A player joined.
    Joined {
        /// The player's client.
        peer: Peer,
        /// The assigned letter; letters are assigned in the order of joining.
        letter: Letter,
        /// The name, cleaned and truncated.
        name: Name,
    },
    /// A client asked to join again, since the first answer may have been lost, and was sent the answer again.
    WelcomedAgain(Peer),
    /// The room rejected a client that asked to join, for this reason in the log; the specification fixes the text
    /// that the client is sent.
    Rejected(Peer, &'static str),
    /// The guard refused a client that asked to join, for this reason, which the client was sent, too.
    Refused(Peer, Refusal),
    /// The client can't be reached any more.
    Disconnected(Peer),
    /// The client has reconnected.
    Reconnected(Peer),
    /// A spectator joined.
    Watching(Peer),
    /// A new spectator replaced this one.
    SpectatorReplaced(Peer),
    /// The spectator quit.
    StoppedWatching(Peer),
    /// A watcher joined the audience or changed its view.
    WatcherJoined(Peer, Viewer),
    /// A watcher left the audience.
    WatcherLeft(Peer),
    /// A player collected gold.
    Collected {
        /// The player who moved.
        letter: Letter,
        /// Nuggets collected.
        nuggets: u32,
        /// Nuggets left on the map.
        remaining: u32,
    },
    /// A player took the purses of others, with this many nuggets together.
    Stole(Letter, u32),
    /// A player who left the game dropped its gold on the map.
    Dropped {
        /// The player who left.
        letter: Letter,
        /// Nuggets dropped.
        nuggets: u32,
        /// Nuggets on the map now.
        remaining: u32,
    },
    /// A player quit.
    Left(Letter),
    /// A player has no steps left.
    Starved(Letter),
    /// A player exceeded the idle timeout.
    Idle(Letter),
    /// The shell removed a player.
    Removed(Letter),
    /// The game was resumed from its journal. The room's time continues from here.
    Resumed(Timestamp),
    /// The game was resumed from its journal and is over.
    ResumedAtTheEnd,
    /// The room sent this error reply to a well-formed message.
    Complained(Peer, ErrorReply),
    /// A malformed message.
    Malformed {
        /// The sender.
        peer: Peer,
        /// The error in the message.
        why: ClientMessageError,
        /// The length of the message in bytes.
        length: usize,
        /// The first bytes of the message, escaped.
        start: String,
    },
    /// The game ended.
    Over(End),
    /// The server ended the game.
    ShutDown,
    /// The host ended the game before all gold was found.
    EndedEarly,
    /// A waiting game has begun.
    Begun,
    /// This rule ended the game although there is gold left.
    Stalemate(Stalemate),
}

/// Number of bytes of a malformed message that are logged.
const SHOWN_BYTES: usize = 40;

impl Notice {
    pub(super) fn malformed(peer: Peer, why: ClientMessageError, bytes: &[u8]) -> Self {
        let start = bytes[..bytes.len().min(SHOWN_BYTES)].escape_ascii().to_string();
        Self::Malformed { peer, why, length: bytes.len(), start }
    }

    /// The log level of this notice: a problem, the course of the game, or a detail.
    pub fn level(&self) -> Level {
        match self {
            Self::Malformed { .. } | Self::Refused(..) => Level::WARN,
            Self::WelcomedAgain(_)
            | Self::Complained(..)
            | Self::WatcherJoined(..)
            | Self::WatcherLeft(_) => Level::DEBUG,
            _ => Level::INFO,
        }
    }

    /// The peer that the notice is about; `None` if it is about a player or the game.
    fn peer(&self) -> Option<Peer> {
        match self {
            Self::Joined { peer, .. }
            | Self::WelcomedAgain(peer)
            | Self::Rejected(peer, _)
            | Self::Refused(peer, _)
            | Self::Disconnected(peer)
            | Self::Reconnected(peer)
            | Self::Watching(peer)
            | Self::SpectatorReplaced(peer)
            | Self::StoppedWatching(peer)
            | Self::WatcherJoined(peer, _)
            | Self::WatcherLeft(peer)
            | Self::Complained(peer, _)
            | Self::Malformed { peer, .. } => Some(*peer),
            _ => None,
        }
    }

    /// Formats the log line. `name_of` returns the name of a peer, such as its address.
    pub fn describe(&self, name_of: impl FnOnce(Peer) -> String) -> String {
        let from = self.peer().map(name_of).unwrap_or_default();
        match self {
            Self::Joined { letter, name, .. } => {
                format!("{letter} joins from {from}: {:?}", name.as_str())
            }
            Self::WelcomedAgain(_) => format!("{from} joins again and is sent everything again"),
            Self::Rejected(_, why) => format!("{from} is rejected: {why}"),
            Self::Refused(_, why) => format!("{from} is rejected: {why}"),
            Self::Disconnected(_) => format!("{from} can't be reached and is sent nothing more"),
            Self::Reconnected(_) => format!("{from} is connected again"),
            Self::Watching(_) => format!("{from} is the spectator"),
            Self::SpectatorReplaced(_) => format!("{from} is no longer the spectator: replaced"),
            Self::StoppedWatching(_) => format!("{from} is no longer the spectator: quit"),
            Self::WatcherJoined(_, Viewer::Spectator) => format!("{from} watches the whole map"),
            Self::WatcherJoined(_, Viewer::Player(letter)) => {
                format!("{from} watches what {letter} sees")
            }
            Self::WatcherLeft(_) => format!("{from} no longer watches"),
            Self::Collected { letter, nuggets, remaining } => {
                format!("{letter} takes {}, {remaining} left", counted(*nuggets, "nugget"))
            }
            Self::Stole(letter, nuggets) => {
                format!("{letter} takes {} from other purses", counted(*nuggets, "nugget"))
            }
            Self::Dropped { letter, nuggets, remaining } => {
                format!("{letter} leaves {} behind, {remaining} left", counted(*nuggets, "nugget"))
            }
            Self::Left(letter) => format!("{letter} quits"),
            Self::Starved(letter) => format!("{letter} has no steps left and is out"),
            Self::Idle(letter) => format!("{letter} sent nothing for too long and is out"),
            Self::Removed(letter) => format!("{letter} is removed from the game"),
            Self::Resumed(at) => {
                format!("resumed the game where it stopped, after {} s", at.0 / 1000)
            }
            Self::ResumedAtTheEnd => {
                "the game in the journal is over, but some clients may not have received the end: \
                 it is sent again. Use another journal file for a new game"
                    .to_owned()
            }
            Self::Complained(_, why) => format!("error reply to {from}: {why}"),
            Self::Malformed { why, length, start, .. } => {
                format!("{why} (from {from}, {length} bytes: \"{start}\")")
            }
            Self::Over(end) => format!("game over: {}", why_over(*end)),
            Self::EndedEarly => "game over: it was ended early".to_owned(),
            Self::Stalemate(rule) => format!("game over: {}", why_stalemate(*rule)),
            Self::Begun => "the game begins".to_owned(),
            Self::ShutDown => "shutting down".to_owned(),
        }
    }
}

fn why_over(end: End) -> &'static str {
    match end {
        End::AllCollected => "all gold is collected",
        End::NobodyLeft => "all possible players have quit",
        End::Emptied => "the last player has quit",
    }
}

fn why_stalemate(rule: Stalemate) -> String {
    match rule {
        Stalemate::After(ms) => {
            format!("no gold was taken for {}", counted(ms / 1000, "second"))
        }
        Stalemate::OutOfReach | Stalemate::Never => {
            "no player can reach the gold that is left".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_a_warning_and_what_repeats_is_a_detail() {
        let peer = Peer(1);
        let malformed = Notice::malformed(peer, ClientMessageError::UnknownWord, b"?");
        assert_eq!(malformed.level(), Level::WARN);
        assert_eq!(Notice::Refused(peer, Refusal::TooFast).level(), Level::WARN);
        assert_eq!(Notice::WelcomedAgain(peer).level(), Level::DEBUG);
        assert_eq!(Notice::Watching(peer).level(), Level::INFO);
    }
}
