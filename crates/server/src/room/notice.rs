//! Events that a room reports to its server's log. The driver writes them, and knows the names of peers.

use std::fmt;

use nuggets_game::{End, Letter, Name, Viewer};
use nuggets_protocol::ClientMessageError;
use nuggets_record::Timestamp;

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
    /// The room rejected a client that asked to join.
    Rejected {
        /// The client.
        peer: Peer,
        /// The reason for the log; the specification fixes the text that the client is sent.
        why: &'static str,
    },
    /// The guard refused a client that asked to join.
    Refused {
        /// The client.
        peer: Peer,
        /// The reason, which the client was sent, too.
        why: Refusal,
    },
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
    WatcherJoined {
        /// The watcher.
        peer: Peer,
        /// The watcher's view.
        viewer: Viewer,
    },
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
    /// A player took the purses of others.
    Stole {
        /// The player who moved.
        letter: Letter,
        /// Nuggets stolen from all victims together.
        nuggets: u32,
    },
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
    /// The game was resumed from its journal.
    Resumed {
        /// The room's time, which continues from there.
        at: Timestamp,
    },
    /// The game was resumed from its journal and is over.
    ResumedAtTheEnd,
    /// The room sent an error reply to a well-formed message.
    Complained {
        /// The client.
        peer: Peer,
        /// The error reply.
        why: ErrorReply,
    },
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

/// The log level of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A problem.
    Warn,
    /// The course of the game.
    Info,
    /// Details.
    Debug,
}

/// Number of bytes of a malformed message that are logged.
const SHOWN_BYTES: usize = 40;

impl Notice {
    pub(super) fn malformed(peer: Peer, why: ClientMessageError, bytes: &[u8]) -> Self {
        let start = bytes[..bytes.len().min(SHOWN_BYTES)].escape_ascii().to_string();
        Self::Malformed { peer, why, length: bytes.len(), start }
    }

    /// The log level of this notice.
    pub fn level(&self) -> Level {
        match self {
            Self::Malformed { .. } | Self::Refused { .. } => Level::Warn,
            Self::WelcomedAgain(_)
            | Self::Complained { .. }
            | Self::WatcherJoined { .. }
            | Self::WatcherLeft(_) => Level::Debug,
            _ => Level::Info,
        }
    }

    /// The peer that the notice is about; `None` if it is about a player or the game.
    fn peer(&self) -> Option<Peer> {
        match self {
            Self::Joined { peer, .. }
            | Self::WelcomedAgain(peer)
            | Self::Rejected { peer, .. }
            | Self::Refused { peer, .. }
            | Self::Disconnected(peer)
            | Self::Reconnected(peer)
            | Self::Watching(peer)
            | Self::SpectatorReplaced(peer)
            | Self::StoppedWatching(peer)
            | Self::WatcherJoined { peer, .. }
            | Self::WatcherLeft(peer)
            | Self::Complained { peer, .. }
            | Self::Malformed { peer, .. } => Some(*peer),
            _ => None,
        }
    }

    /// Formats the log line. `name_of` returns the name of a peer, such as its address.
    pub fn describe(&self, name_of: impl FnOnce(Peer) -> String) -> String {
        let name = self.peer().map(name_of).unwrap_or_default();
        NamedNotice { notice: self, name: &name }.to_string()
    }
}

/// A notice and the name of the peer that it is about.
struct NamedNotice<'a> {
    notice: &'a Notice,
    name: &'a str,
}

impl fmt::Display for NamedNotice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.name;
        match self.notice {
            Notice::Joined { letter, name, .. } => {
                write!(f, "{letter} joins from {from}: {:?}", name.as_str())
            }
            Notice::WelcomedAgain(_) => {
                write!(f, "{from} joins again and is sent everything again")
            }
            Notice::Rejected { why, .. } => write!(f, "{from} is rejected: {why}"),
            Notice::Refused { why, .. } => write!(f, "{from} is rejected: {why}"),
            Notice::Disconnected(_) => {
                write!(f, "{from} can't be reached and is sent nothing more")
            }
            Notice::Reconnected(_) => write!(f, "{from} is connected again"),
            Notice::Watching(_) => write!(f, "{from} is the spectator"),
            Notice::SpectatorReplaced(_) => {
                write!(f, "{from} is no longer the spectator: replaced")
            }
            Notice::StoppedWatching(_) => write!(f, "{from} is no longer the spectator: quit"),
            Notice::WatcherJoined { viewer: Viewer::Spectator, .. } => {
                write!(f, "{from} watches the whole map")
            }
            Notice::WatcherJoined { viewer: Viewer::Player(letter), .. } => {
                write!(f, "{from} watches what {letter} sees")
            }
            Notice::WatcherLeft(_) => write!(f, "{from} no longer watches"),
            Notice::Collected { letter, nuggets, remaining } => {
                write!(f, "{letter} takes {}, {remaining} left", in_nuggets(*nuggets))
            }
            Notice::Stole { letter, nuggets } => {
                write!(f, "{letter} takes {} from other purses", in_nuggets(*nuggets))
            }
            Notice::Dropped { letter, nuggets, remaining } => {
                write!(f, "{letter} leaves {} behind, {remaining} left", in_nuggets(*nuggets))
            }
            Notice::Left(letter) => write!(f, "{letter} quits"),
            Notice::Starved(letter) => write!(f, "{letter} has no steps left and is out"),
            Notice::Idle(letter) => write!(f, "{letter} sent nothing for too long and is out"),
            Notice::Removed(letter) => write!(f, "{letter} is removed from the game"),
            Notice::Resumed { at } => {
                write!(f, "resumed the game where it stopped, after {} s", at.0 / 1000)
            }
            Notice::ResumedAtTheEnd => f.write_str(
                "the game in the journal is over, but some clients may not have received the end: \
                 it is sent again. Use another journal file for a new game",
            ),
            Notice::Complained { why, .. } => write!(f, "error reply to {from}: {why}"),
            Notice::Malformed { why, length, start, .. } => {
                write!(f, "{why} (from {from}, {length} bytes: \"{start}\")")
            }
            Notice::Over(end) => write!(f, "game over: {}", why_over(*end)),
            Notice::EndedEarly => f.write_str("game over: it was ended early"),
            Notice::Stalemate(rule) => write!(f, "game over: {}", why_stalemate(*rule)),
            Notice::Begun => f.write_str("the game begins"),
            Notice::ShutDown => f.write_str("shutting down"),
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
            let seconds = ms / 1000;
            let unit = if seconds == 1 { "second" } else { "seconds" };
            format!("no gold was taken for {seconds} {unit}")
        }
        Stalemate::OutOfReach | Stalemate::Never => {
            "no player can reach the gold that is left".to_owned()
        }
    }
}

fn in_nuggets(count: u32) -> String {
    if count == 1 { "1 nugget".to_owned() } else { format!("{count} nuggets") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_nugget_is_singular() {
        assert_eq!([0, 1, 2].map(in_nuggets), ["0 nuggets", "1 nugget", "2 nuggets"]);
    }

    #[test]
    fn what_is_wrong_is_a_warning_and_what_repeats_is_a_detail() {
        let peer = Peer(1);
        let malformed = Notice::malformed(peer, ClientMessageError::UnknownWord, b"?");
        assert_eq!(malformed.level(), Level::Warn);
        assert_eq!(Notice::Refused { peer, why: Refusal::TooFast }.level(), Level::Warn);
        assert_eq!(Notice::WelcomedAgain(peer).level(), Level::Debug);
        assert_eq!(Notice::Watching(peer).level(), Level::Info);
    }
}
