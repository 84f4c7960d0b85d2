//! What nodes send each other: the bytes of core messages, and what is in the fields that the core of the cluster does not
//! read.

use std::collections::BTreeMap;

use nuggets_cluster::{EdgeMessage, Instance, LogName, NodeId, OwnerMessage, Picture, Seq};
use nuggets_game::Setup;
use nuggets_record::{Header, Recording, Writer};
use serde::{Deserialize, Serialize};

use crate::wire::{Hello, JoinClient};
use crate::workers::relay::View;
use crate::{GameId, GameMeta, GameReport};

/// A message of a node, to one node or to all.
#[derive(Clone, Debug)]
pub(super) enum NodeMessage {
    /// Of an edge to the owner of a game.
    Edge(EdgeMessage),
    /// Of the owner of a game to an edge.
    Owner(OwnerMessage),
    /// Of the owner of a game to an edge that shows this view.
    Picture(LogName, View, Picture),
    /// To all: an ownership record was changed.
    Ownership(LogName, Seq, Vec<u8>),
    /// To all: the accounts have changed.
    Accounts,
    /// To the owner of the log of accounts: a command.
    AccountCommand(Vec<u8>),
    /// Everything else, as JSON.
    Words(Words),
}

/// Messages that are rare.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Words {
    /// To the owner of a game: somebody at another node wants this.
    Order { id: u64, game: GameId, order: GameOrder },
    /// The order is carried out, and what it did is in the log.
    Done { id: u64 },
    /// To the node that will get a game in a planned hand-over: follow its log.
    Prepare { game: GameId },
    /// It has read the log.
    Prepared { game: GameId },
    /// To all: what a game has reported.
    Reports { game: GameId, reports: Vec<GameReport> },
    /// To all: how many watch which game here.
    Watchers(BTreeMap<GameId, u32>),
    /// To all: words of the host to all clients of all games.
    Notice(String),
}

/// What somebody may want of a game, wherever it is. Each may be carried out twice without harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GameOrder {
    Start,
    End,
    Kick(char),
    Notice(String),
    SetNext(GameId),
}

/// What an edge shows the owner of a game about a player.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PlayerHello {
    /// The token that proves who it is.
    pub(super) token: String,
    /// The last record of the accounts that the edge knows: the token may be that new.
    pub(super) accounts: u64,
    /// Which connection of which client it is, if the client has said so.
    pub(super) client: Option<JoinClient>,
}

/// What the owner of a game sends to a player's edge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    pub(super) hello: Hello,
    pub(super) notice: Option<String>,
    /// How much of the log the player may have seen elsewhere: it must not be shown less.
    pub(super) index: u64,
}

/// What every node knows of a game: its row in the lobby, and the recipe.
#[derive(Clone, Debug)]
pub(super) struct Details {
    pub(super) meta: GameMeta,
    pub(super) setup: Setup,
}

impl Details {
    /// The meta, its length before it, then the head of a recording.
    pub(super) fn encode(&self) -> Result<Vec<u8>, String> {
        let meta = serde_json::to_vec(&self.meta).map_err(|why| why.to_string())?;
        let header = Header { setup: self.setup.clone(), port: 0 };
        let game = header.game().map_err(|why| why.to_string())?;
        let (_, recipe) = Writer::new(&header, &game);
        Ok(with_length(&meta, &recipe))
    }

    /// The same with another meta.
    pub(super) fn replace_meta(details: &[u8], meta: &GameMeta) -> Option<Vec<u8>> {
        let (_, recipe) = split(details)?;
        Some(with_length(&serde_json::to_vec(meta).ok()?, recipe))
    }

    pub(super) fn meta(details: &[u8]) -> Option<GameMeta> {
        serde_json::from_slice(split(details)?.0).ok()
    }

    pub(super) fn decode(details: &[u8]) -> Option<Self> {
        let setup = Recording::read(split(details)?.1).ok()?.recording.header.setup;
        Some(Self { meta: Self::meta(details)?, setup })
    }
}

/// The view as one byte: a letter, or `*` for the whole map.
pub(super) fn view_bytes(view: View) -> Vec<u8> {
    vec![view.and_then(|letter| u8::try_from(letter).ok()).unwrap_or(b'*')]
}

pub(super) fn view_of(bytes: &[u8]) -> Option<View> {
    match bytes {
        [b'*'] => Some(None),
        [letter @ b'A'..=b'Z'] => Some(Some(char::from(*letter))),
        _ => None,
    }
}

impl NodeMessage {
    /// The message of this node as bytes.
    pub(super) fn encode(&self, from: &Instance) -> Vec<u8> {
        let mut head = with_length(from.node.as_str().as_bytes(), &from.incarnation.to_le_bytes());
        let (tag, body) = match self {
            Self::Edge(message) => (1, message.encode()),
            Self::Owner(message) => (2, message.encode()),
            Self::Picture(log, view, picture) => {
                let rest = [view_bytes(*view), picture.encode()].concat();
                (3, with_length(log.as_str().as_bytes(), &rest))
            }
            Self::Ownership(log, seq, bytes) => {
                let rest = [&seq.0.to_le_bytes()[..], bytes].concat();
                (4, with_length(log.as_str().as_bytes(), &rest))
            }
            Self::Accounts => (5, Vec::new()),
            Self::AccountCommand(command) => (7, command.clone()),
            Self::Words(words) => (6, serde_json::to_vec(words).unwrap_or_default()),
        };
        head.push(tag);
        head.extend(body);
        head
    }

    /// Reads a message, and who has sent it.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Instance, Self)> {
        let (node, rest) = split(bytes)?;
        let node = NodeId::new(std::str::from_utf8(node).ok()?).ok()?;
        let (incarnation, rest) = rest.split_first_chunk()?;
        let from = Instance { node, incarnation: u64::from_le_bytes(*incarnation) };
        let (tag, body) = rest.split_first()?;
        let message = match tag {
            1 => Self::Edge(EdgeMessage::decode(body).ok()?),
            2 => Self::Owner(OwnerMessage::decode(body).ok()?),
            3 => {
                let (log, rest) = with_log(body)?;
                let (view, picture) = rest.split_at_checked(1)?;
                Self::Picture(log, view_of(view)?, Picture::decode(picture).ok()?)
            }
            4 => {
                let (log, rest) = with_log(body)?;
                let (seq, bytes) = rest.split_first_chunk()?;
                Self::Ownership(log, Seq(u64::from_le_bytes(*seq)), bytes.to_vec())
            }
            5 => Self::Accounts,
            7 => Self::AccountCommand(body.to_vec()),
            6 => Self::Words(serde_json::from_slice(body).ok()?),
            _ => return None,
        };
        Some((from, message))
    }
}

fn with_length(first: &[u8], rest: &[u8]) -> Vec<u8> {
    let length = u32::try_from(first.len()).unwrap_or(u32::MAX).to_le_bytes();
    [&length[..], first, rest].concat()
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

fn with_log(bytes: &[u8]) -> Option<(LogName, &[u8])> {
    let (log, rest) = split(bytes)?;
    Some((LogName::new(std::str::from_utf8(log).ok()?).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use nuggets_cluster::Epoch;

    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written_and_a_cut_one_is_not() {
        let from = Instance { node: NodeId::new("one").unwrap(), incarnation: 7 };
        let log = LogName::new("abc").unwrap();
        let picture =
            Picture { epoch: Epoch(1), number: 2, index: 3, is_whole: true, bytes: b"x".to_vec() };
        let messages = [
            NodeMessage::Edge(EdgeMessage::Subscribe {
                log: log.clone(),
                view: view_bytes(None),
                needs_whole: true,
            }),
            NodeMessage::Owner(OwnerMessage::NotOwner { log: log.clone() }),
            NodeMessage::Picture(log.clone(), Some('B'), picture),
            NodeMessage::Ownership(log, Seq(9), b"record".to_vec()),
            NodeMessage::Accounts,
            NodeMessage::AccountCommand(b"{}".to_vec()),
            NodeMessage::Words(Words::Done { id: 4 }),
        ];
        for message in messages {
            let bytes = message.encode(&from);
            let (sender, read) = NodeMessage::decode(&bytes).unwrap();
            assert_eq!((sender, format!("{read:?}")), (from.clone(), format!("{message:?}")));
            for end in 0..14 {
                assert!(NodeMessage::decode(&bytes[..end]).is_none());
            }
        }
    }

    #[test]
    fn only_letters_and_the_map_are_views() {
        for view in [None, Some('A'), Some('Z')] {
            assert_eq!(view_of(&view_bytes(view)), Some(view));
        }
        for bad in [&b""[..], b"a", b"AB", b"\0"] {
            assert_eq!(view_of(bad), None);
        }
    }
}
