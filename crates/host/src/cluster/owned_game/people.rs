//! The players of a game at its owner, wherever they are connected. A player's token is checked before it is attached.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_cluster::{Attempt, ConnectionId, Instance};

use super::OwnedGame;
use super::held::{Cause, Held};
use crate::cluster::effect::Effect;
use crate::cluster::messages::Welcome;
use crate::workers::relay::RelayInput;
use crate::{Attach, AttachError, AttachRole, Attached, PlayerId};

/// A connection's number within its game.
type HostId = crate::ConnectionId;

/// All connections of a game.
#[derive(Debug, Default)]
pub(super) struct People {
    by_connection: BTreeMap<ConnectionId, Player>,
    by_host_id: BTreeMap<HostId, ConnectionId>,
    last: u64,
}

#[derive(Debug)]
struct Player {
    id: HostId,
    /// None while its token is checked, or the game has not answered.
    welcome: Option<Vec<u8>>,
    /// Which connection of its client it is, if the client has said so.
    attempt: Option<Attempt>,
}

/// Whose token it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerifiedPlayer {
    pub(crate) person: PlayerId,
    pub(crate) name: String,
    pub(crate) is_creator: bool,
    pub(crate) attempt: Option<Attempt>,
}

impl People {
    pub(super) fn len(&self) -> usize {
        self.by_connection.len()
    }

    pub(super) fn host_id(&self, connection: &ConnectionId) -> Option<HostId> {
        self.by_connection.get(connection).map(|player| player.id)
    }

    pub(super) fn connection(&self, id: HostId) -> Option<ConnectionId> {
        self.by_host_id.get(&id).cloned()
    }

    pub(super) fn edges(&self) -> BTreeSet<Instance> {
        self.by_connection.keys().map(|connection| connection.edge.clone()).collect()
    }

    /// Adds a connection; none if it is there.
    fn add(&mut self, connection: &ConnectionId) -> Option<HostId> {
        if self.by_connection.contains_key(connection) {
            return None;
        }
        self.last += 1;
        let id = crate::ConnectionId(self.last);
        let player = Player { id, welcome: None, attempt: None };
        self.by_connection.insert(connection.clone(), player);
        self.by_host_id.insert(id, connection.clone());
        Some(id)
    }

    fn remove(&mut self, connection: &ConnectionId) -> Option<HostId> {
        let player = self.by_connection.remove(connection)?;
        self.by_host_id.remove(&player.id);
        Some(player.id)
    }
}

impl OwnedGame {
    /// A connection wants to be attached: its token is checked, unless that was done before.
    pub(super) fn verify(
        &mut self,
        connection: ConnectionId,
        hello: Vec<u8>,
        effects: &mut Vec<Effect>,
    ) {
        if !self.can_apply() {
            return;
        }
        let known = self.people.by_connection.get(&connection);
        let welcomed = known.and_then(|player| Some((player.attempt, player.welcome.clone()?)));
        match (welcomed, &mut self.doors) {
            (Some((attempt, welcome)), Some(doors)) => {
                doors.inbox.attach(&connection, attempt, welcome);
            }
            _ if self.people.add(&connection).is_some() => {
                let (log, epoch) = (self.log.clone(), self.journal.epoch().0);
                effects.push(Effect::Verify { log, epoch, connection, hello });
            }
            _ => {}
        }
    }

    /// The token was checked.
    pub(in crate::cluster) fn handle_verified(
        &mut self,
        epoch: u64,
        connection: &ConnectionId,
        verified: Result<VerifiedPlayer, String>,
        effects: &mut Vec<Effect>,
    ) {
        let known = self.people.host_id(connection).filter(|_| epoch == self.journal.epoch().0);
        let (Some(id), Some(doors)) = (known, &mut self.doors) else { return };
        match verified {
            Ok(VerifiedPlayer { person, name, is_creator, attempt }) => {
                if let Some(player) = self.people.by_connection.get_mut(connection) {
                    player.attempt = attempt;
                }
                let role = AttachRole::Play;
                let attach = Attach { connection: id, person, name, role, is_creator };
                let cause = Cause::Attach(connection.clone());
                self.order(RelayInput::Attach(attach), cause, effects);
            }
            Err(why) => {
                self.people.remove(connection);
                doors.inbox.reject(connection, why.into_bytes());
            }
        }
    }

    /// The game has a seat for the connection, or not, and that is in the log.
    pub(super) fn welcome(
        &mut self,
        connection: &ConnectionId,
        attached: Option<Result<Attached, AttachError>>,
        effects: &mut Vec<Effect>,
    ) {
        let index = self.journal.last_index();
        let Some(doors) = &mut self.doors else { return };
        match attached {
            Some(Ok(Attached { hello, notice, .. })) => {
                let welcome = Welcome { hello, notice, index };
                let welcome = serde_json::to_vec(&welcome).unwrap_or_default();
                if let Some(player) = self.people.by_connection.get_mut(connection) {
                    player.welcome = Some(welcome.clone());
                    doors.inbox.attach(connection, player.attempt, welcome);
                }
            }
            Some(Err(why)) => {
                doors.inbox.reject(connection, why.to_string().into_bytes());
                self.detach(connection, effects);
            }
            None => {}
        }
    }

    pub(super) fn detach(&mut self, connection: &ConnectionId, effects: &mut Vec<Effect>) {
        if let Some(id) = self.people.remove(connection) {
            self.order(RelayInput::Detach(id), Cause::Itself, effects);
        }
    }

    /// A key without effect is answered in its turn.
    pub(super) fn answer_in_turn(&mut self, cause: Cause) {
        self.gate.push(self.journal.appended(), Held::of(cause));
    }
}
