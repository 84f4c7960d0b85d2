//! What clients do: come, press keys, leave for another node; and somebody who forges.

use super::game::{self, FORGED, Key};
use super::process::Input;
use super::world::World;
use crate::{ConnectionId, EdgeMessage, LogName};

/// The longest time from the stop of a log to its opening by the successor, in a planned hand-over.
pub(super) const MAX_HAND_OVER_MS: u64 = 300;

impl World {
    /// A client does the next thing.
    pub(super) fn act(&mut self, client: usize) -> Result<(), String> {
        let pause = self.rng.between(30, 250);
        self.client_later(client, pause);
        let Some((node, connection)) = self.clients[client].at.clone() else {
            return self.connect(client);
        };
        if self.nodes[node].paused_until > self.now {
            return self.act_at_paused_node(client, node, connection);
        }
        if !self.nodes[node].unread.is_empty() {
            self.after_client(node)?;
        }
        if self.is_faulty && self.rng.is_in_thousand(20) {
            return self.leave(client, node, &connection);
        }
        if self.is_pressing {
            self.press(client, node, &connection)?;
        }
        Ok(())
    }

    /// What a client sends to a node that hangs waits there until it continues, even if the client has left meanwhile.
    fn act_at_paused_node(
        &mut self,
        client: usize,
        node: usize,
        connection: ConnectionId,
    ) -> Result<(), String> {
        let incarnation = self.nodes[node].incarnation;
        if self.rng.is_in_thousand(200) {
            self.clients[client].disconnect();
            return self.deliver(node, incarnation, Input::Leave(connection));
        }
        if !self.is_pressing {
            return Ok(());
        }
        self.outcome.keys += 1;
        let key = self.clients[client].next_key();
        self.deliver(node, incarnation, Input::Press(connection, key))
    }

    fn connect(&mut self, client: usize) -> Result<(), String> {
        let is_up = |node: &usize| {
            let sim = &self.nodes[*node];
            let is_good = sim.process.is_some() && sim.paused_until <= self.now;
            is_good && self.shunned != Some(*node)
        };
        let up: Vec<usize> = (0..self.nodes.len()).filter(is_up).collect();
        if up.is_empty() {
            return Ok(());
        }
        let node = up[self.rng.index(up.len())];
        self.clients[client].connections += 1;
        let SimPerson { log, hello } = self.person(client);
        let Some(process) = &mut self.nodes[node].process else { return Ok(()) };
        let connection = process.connect(&log, hello);
        let screen = process.screen(&log).map(|(index, keys)| (index, keys.to_vec()));
        self.clients[client].at = Some((node, connection));
        if let Some((index, keys)) = screen
            && index > 0
        {
            self.show(client, index, &keys)?;
        }
        self.after_client(node)
    }

    fn person(&self, client: usize) -> SimPerson {
        let client = &self.clients[client];
        SimPerson { log: client.log.clone(), hello: game::hello(client.player, client.connections) }
    }

    fn leave(
        &mut self,
        client: usize,
        node: usize,
        connection: &ConnectionId,
    ) -> Result<(), String> {
        self.clients[client].disconnect();
        if let Some(process) = &mut self.nodes[node].process {
            process.edge.disconnect(connection);
        }
        self.after_client(node)
    }

    fn press(
        &mut self,
        client: usize,
        node: usize,
        connection: &ConnectionId,
    ) -> Result<(), String> {
        let key = self.clients[client].next_key();
        let Some(process) = &mut self.nodes[node].process else { return Ok(()) };
        if process.press(connection, key) {
            self.clients[client].note_pressed(key);
            self.outcome.keys += 1;
        }
        self.after_client(node)
    }

    /// Notes which keys of the clients of this node were answered.
    pub(super) fn note_answers(&mut self, node: usize) {
        let Some(process) = &self.nodes[node].process else { return };
        for client in &mut self.clients {
            let Some((_, connection)) = client.at.as_ref().filter(|at| at.0 == node) else {
                continue;
            };
            let unanswered = process.edge.unanswered(connection);
            for key in client.take_answered(unanswered) {
                self.truth.log(&client.log).handle_answered(key);
                self.answered_at.insert(client.log.clone(), self.now);
                self.outcome.answered += 1;
            }
        }
    }

    pub(super) fn note_handed_over(&mut self, log: &LogName) -> Result<(), String> {
        let Some(stopped_at) = self.stopped_at.remove(log) else { return Ok(()) };
        let took_ms = self.now - stopped_at;
        self.outcome.hand_overs += 1;
        self.outcome.longest_hand_over_ms = self.outcome.longest_hand_over_ms.max(took_ms);
        if took_ms > MAX_HAND_OVER_MS {
            return Err(format!("the hand-over of {log} took {took_ms} ms"));
        }
        Ok(())
    }

    /// A node presses keys for a player whose token it does not have, and for a client of another node.
    pub(super) fn forge(&mut self, node: usize) {
        let client = self.rng.index(self.clients.len());
        let SimPerson { log, hello: _ } = self.person(client);
        let player = self.clients[client].player;
        let Some(process) = &self.nodes[node].process else { return };
        let Some(owner) = process.node.ownership(&log).map(|it| it.owner.clone()) else { return };
        let own = ConnectionId { edge: self.instance(node), number: 999_999 };
        let theirs = self.clients[client].at.as_ref().map(|(_, connection)| connection.clone());
        let theirs = theirs.filter(|theirs| theirs.edge != own.edge);
        let hello = game::forged_hello(player);
        let attach = EdgeMessage::Attach { log: log.clone(), connection: own.clone(), hello };
        self.send_to_owner(node, owner.clone(), &attach);
        for (number, connection) in [Some(own), theirs].into_iter().flatten().enumerate() {
            let serial = FORGED + u32::try_from(number).unwrap_or(0);
            let key = Key { player, serial: serial * 7 + 1 };
            let (log, frames) = (log.clone(), vec![key.encode()]);
            // A number that was not used yet.
            let (first, answered) = (1_000_000, 999_999);
            let frames = EdgeMessage::Frames { log, connection, first, answered, frames };
            self.send_to_owner(node, owner.clone(), &frames);
        }
    }
}

struct SimPerson {
    log: LogName,
    hello: Vec<u8>,
}
