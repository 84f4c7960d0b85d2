//! Names and numbers: nodes, logs, epochs, connections. They know nothing of what they name.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// The longest name of a node or a log, in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// A name that can't be part of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no name: use 1 to {MAX_NAME_BYTES} letters, digits, '-' and '_'")]
pub struct BadName(pub String);

fn checked(name: &str) -> Result<Arc<str>, BadName> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_good = (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed);
    if is_good { Ok(name.into()) } else { Err(BadName(name.to_owned())) }
}

/// The name of a node, as its operator gave it (`--node`). It stays the same over restarts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Checks that the name can be part of a subject.
    pub fn new(name: &str) -> Result<Self, BadName> {
        checked(name).map(Self)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a log: the id of a game, or any other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogName(Arc<str>);

impl LogName {
    /// Checks that the name can be part of a subject.
    pub fn new(name: &str) -> Result<Self, BadName> {
        checked(name).map(Self)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LogName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run of a node's process. A node that was restarted is another instance, so it owns nothing any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// Which node.
    pub node: NodeId,
    /// Greater than that of every earlier instance of this node, for example milliseconds since 1970.
    pub incarnation: u64,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.node, self.incarnation)
    }
}

/// Counts the owners of a log. A greater epoch wins; each belongs to one instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A client's connection, at the node that it reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId {
    /// The node that has the connection.
    pub edge: Instance,
    /// Never used twice by that instance.
    pub number: u64,
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.edge, self.number)
    }
}

/// A client: one page or program of a player. A player may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientId {
    /// The player whose token the client has shown.
    pub player: u64,
    /// Which of the player's clients, as the client says.
    pub id: u64,
}

/// One of the connections that a client has made, perhaps to different nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Who connects.
    pub client: ClientId,
    /// Greater for a later connection. The client counts.
    pub number: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_into_one_part_of_a_subject() {
        assert!(NodeId::new("node-1_b").is_ok());
        for bad in ["", "a.b", "a b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(NodeId::new(bad).is_err(), "{bad}");
            assert!(LogName::new(bad).is_err(), "{bad}");
        }
    }
}
