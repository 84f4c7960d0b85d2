//! Connections of people: to any node, which passes them on to the owner once; they break, lag and come back.

use nuggets_host::cluster::ownership::GameRow;
use nuggets_host::cluster::routes::{Epoch, RemoteGame, Route, RunId};
use nuggets_host::{Attach, AttachError, Attached, Authority, ConnectionId, GameCommand, GameId};
use nuggets_protocol::web::{DirectLine, JoinClient, Since};
use nuggets_time::Timestamp;

use super::database::{DatabaseReply, DatabaseRequest, TxId};
use super::node::{Process, SimNode};
use super::people::Place;
use super::run::WebRun;
use crate::host::Screen;

/// A connection, from a client to the owner of its game.
#[derive(Debug)]
pub(super) struct Connection {
    person: usize,
    game: GameId,
    attempt: u64,
    since: Option<Since>,
    /// The node to which the client is connected.
    pub(super) entry: usize,
    entry_run: RunId,
    owner: Option<(usize, RunId, Epoch)>,
    /// The only question where the game runs, after a node that is not its owner.
    rereads: Option<TxId>,
    arrived_at: Timestamp,
    /// Nothing arrives earlier: lines keep their order.
    up_at: Timestamp,
    down_at: Timestamp,
    lag_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpLine {
    Hello,
    Key(char),
    Start,
    Whole,
    Ping,
    Closed,
}

impl WebRun {
    pub(super) fn connect(&mut self, person: usize) {
        let entry = self.rng.index(self.nodes.len());
        let it = &mut self.people[person];
        if self.nodes[entry].process.is_none() || self.nodes[entry].lacks_descriptors {
            it.come_back_at = self.log.now.after(100);
            return;
        }
        self.last_connection += 1;
        let id = ConnectionId(self.last_connection);
        it.attempt += 1;
        it.connection = Some(id);
        it.place = Place::Unknown;
        it.heard_at = self.log.now;
        let connection = Connection {
            person,
            game: it.game,
            attempt: it.attempt,
            since: it.screen.since(),
            entry,
            entry_run: self.nodes[entry].member.run,
            owner: None,
            rereads: None,
            arrived_at: self.log.now,
            up_at: self.log.now,
            down_at: self.log.now,
            lag_ms: if self.rng.below(4) == 0 && self.calm_since.is_none() { 800 } else { 5 },
        };
        self.connections.insert(id, connection);
        self.send_up(id, UpLine::Hello);
    }

    /// A client closes its connection. The owner learns of it later, and of what was sent before.
    pub(super) fn hang_up(&mut self, person: usize, connection: ConnectionId) {
        self.people[person].connection = None;
        self.people[person].come_back_at = self.log.now.after(self.random_ms(100));
        self.send_up(connection, UpLine::Closed);
    }

    pub(super) fn send_up(&mut self, id: ConnectionId, line: UpLine) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let lag = self.rng.below(connection.lag_ms + 1);
        connection.up_at = connection.up_at.max(self.log.now.after(lag.into()));
        let (entry, at) = (connection.entry, connection.up_at);
        self.at(Some(entry), at, move |it| it.up(id, line));
    }

    /// A line arrives at the node to which the client is connected.
    fn up(&mut self, id: ConnectionId, line: UpLine) {
        let Some(connection) = self.connections.get(&id) else { return };
        let entry = connection.entry;
        let process = self.nodes[entry].process.as_ref();
        let is_served = process.is_some_and(|process| process.is_available);
        if !is_served || self.nodes[entry].member.run != connection.entry_run {
            return self.close(id);
        }
        match (connection.owner, line) {
            (None, UpLine::Hello) => self.route(id),
            (Some((owner, ..)), line) if owner == entry => self.at_owner(id, line, owner),
            (Some((owner, ..)), line) => self.pass_on(id, line, owner),
            (None, UpLine::Closed) => self.close(id),
            (None, _) => {}
        }
    }

    fn pass_on(&mut self, id: ConnectionId, line: UpLine, owner: usize) {
        let latency = self.random_ms(6);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.up_at = connection.up_at.max(self.log.now.after(latency));
        let at = connection.up_at;
        self.at(Some(owner), at, move |it| it.at_owner(id, line, owner));
    }

    /// Takes a connection to the node that runs its game, as far as the entry knows.
    fn route(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(&id) else { return };
        let (entry, game) = (connection.entry, connection.game);
        let Some(process) = self.nodes[entry].process.as_ref() else { return };
        match process.routes.route(game) {
            _ if self.plan.disk.is_some() => self.at_owner(id, UpLine::Hello, entry),
            Route::Here => self.at_owner(id, UpLine::Hello, entry),
            Route::There(RemoteGame { member, .. }) => {
                let accepts = |node: &SimNode| node.runs(member.run) && !node.lacks_descriptors;
                match self.nodes.iter().position(accepts) {
                    Some(owner) => self.pass_on(id, UpLine::Hello, owner),
                    None => self.close(id),
                }
            }
            Route::Nowhere | Route::Unknown => self.close(id),
        }
    }

    /// A line arrives at a node that should be the owner.
    fn at_owner(&mut self, id: ConnectionId, line: UpLine, node: usize) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let run = self.nodes[node].member.run;
        let local = self.nodes[node].local(self.log.now);
        let process = self.nodes[node].process.as_mut().filter(|process| process.is_available);
        let found = process.and_then(|Process { clock, lobby, cells, .. }| {
            clock.set(local);
            Some((lobby, cells.get_mut(&connection.game)?))
        });
        let Some((lobby, cell)) = found else { return self.not_the_owner(id) };
        let it = &self.people[connection.person];
        if line == UpLine::Hello {
            let client = JoinClient { id: it.who.id.0, attempt: connection.attempt };
            let numbers = it.numbers_connections && self.plan.sabotage != Some("attempt");
            connection.owner = Some((node, run, cell.epoch));
            connection.arrived_at = self.log.now;
            let attach = Attach::new(id, it.who.id, it.who.name.clone(), it.role);
            let attach = Attach { client: numbers.then_some(client), ..attach };
            cell.handle(local, GameCommand::Attach(Box::new(attach)));
        } else if connection.owner != Some((node, run, cell.epoch)) {
            self.close(id);
        } else {
            match line {
                UpLine::Key(key) => cell.handle(local, GameCommand::Key(id, key)),
                UpLine::Start => {
                    // Only its creator may start a game, so this is often rejected.
                    let who = Authority::Person(it.who.id);
                    let _ = lobby.command(who, connection.game, GameCommand::Start);
                }
                UpLine::Whole => cell.read_whole(id),
                UpLine::Closed => {
                    cell.handle(local, GameCommand::Detach(id));
                    self.connections.remove(&id);
                }
                UpLine::Ping | UpLine::Hello => self.send_down(id, local, String::new()),
            }
        }
        self.pump(node);
    }

    /// The node answers 421: the one that passed the request on asks the database, once.
    fn not_the_owner(&mut self, id: ConnectionId) {
        if self.plan.disk.is_some() {
            self.send_line(id, &DirectLine::Error(AttachError::NoSuchGame.to_string()));
            return self.close(id);
        }
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if connection.owner.is_some() || connection.rereads.is_some() {
            return self.close(id);
        }
        let (entry, game) = (connection.entry, connection.game);
        let tx = self.send(entry, DatabaseRequest::ReadOwner(game));
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.rereads = Some(tx);
        }
    }

    /// The database says where a game runs, or does not answer.
    pub(super) fn reread(
        &mut self,
        tx: TxId,
        node: usize,
        game: GameId,
        reply: Option<&DatabaseReply>,
    ) {
        let waiting = self.connections.iter().find(|(_, it)| it.rereads == Some(tx));
        let id = waiting.map(|(id, _)| *id);
        if let Some(&DatabaseReply::Owner(row)) = reply
            && let Some(process) = self.nodes[node].process.as_mut()
        {
            process.routes.set_game(game, row.map(|row| (row.run, row.epoch)));
            if let Some(id) = id {
                self.route(id);
            }
        } else if let Some(id) = id {
            self.close(id);
        }
    }

    /// A connection is closed by a node; the client learns of it in a moment.
    fn close(&mut self, id: ConnectionId) {
        if self.connections.remove(&id).is_some() {
            let latency = self.random_ms(30);
            self.after(latency, move |it| it.lost(id));
        }
    }

    /// A client learns that its connection is closed.
    fn lost(&mut self, id: ConnectionId) {
        let wait = 50 + self.random_ms(250);
        let now = self.log.now;
        for person in self.people.iter_mut().filter(|person| person.connection == Some(id)) {
            person.connection = None;
            person.come_back_at = now.after(wait);
        }
    }

    fn close_where(&mut self, is_it: impl Fn(&Connection) -> bool) {
        let found: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, it)| is_it(it)).map(|(id, _)| *id).collect();
        for id in found {
            self.close(id);
        }
    }

    /// All connections that this node serves or passes on.
    pub(super) fn close_at_node(&mut self, node: usize) {
        self.close_where(|it| it.entry == node || it.owner.is_some_and(|(at, ..)| at == node));
    }

    pub(super) fn close_of_game(&mut self, node: usize, game: GameId) {
        self.close_where(|it| it.game == game && it.owner.is_some_and(|(at, ..)| at == node));
    }

    /// Connections that this node passes on to a superseded epoch.
    pub(super) fn cut_superseded(&mut self, node: usize, rows: &[GameRow]) {
        let is_old = |it: &Connection| {
            let row = rows.iter().find(|row| row.game == it.game);
            let bound = it.owner.map(|(_, _, epoch)| epoch);
            row.zip(bound).is_some_and(|(row, bound)| row.epoch > bound)
        };
        self.close_where(|it| it.entry == node && is_old(it));
    }

    /// The answer of a game at its owner to a connection.
    pub(super) fn handle_attached(
        &mut self,
        node: usize,
        game: GameId,
        id: ConnectionId,
        attached: Result<Attached, AttachError>,
    ) {
        let Some(connection) = self.connections.get(&id) else { return };
        let (person, arrived_at) = (connection.person, connection.arrived_at);
        let since = connection.since.clone();
        match attached {
            Ok(attached) => {
                self.expect(self.check_answer(node, game, arrived_at));
                let is_slow =
                    self.plan.disk.is_some() && self.calm_since.is_none() && self.rng.below(3) == 0;
                let pause_ms = if is_slow { self.random_ms(1_000) } else { 0 };
                if let Some(cell) = self.nodes[node].cell(game) {
                    cell.read_for(id, &attached, since.as_ref(), pause_ms);
                }
                self.log.count("joined", 1);
                self.send_line(id, &DirectLine::Hello(attached.hello.into()));
            }
            Err(why) => {
                self.expect(self.check_rejected(person, id, &why));
                self.send_line(id, &DirectLine::Error(why.to_string()));
                self.close(id);
            }
        }
    }

    fn send_line(&mut self, id: ConnectionId, line: &DirectLine) {
        if let Ok(text) = serde_json::to_string(line) {
            self.send_down(id, self.log.now, text);
        }
    }

    /// Sends what was read at this time, or is as old as that.
    pub(super) fn send_down(&mut self, id: ConnectionId, read_at: Timestamp, text: String) {
        let latency = self.random_ms(8);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.down_at = connection.down_at.max(self.log.now.after(latency));
        let (entry, at) = (connection.entry, connection.down_at);
        self.at(Some(entry), at, move |it| it.down(id, read_at, &text));
    }

    /// Text arrives at a client.
    fn down(&mut self, id: ConnectionId, read_at: Timestamp, text: &str) {
        let found = self.people.iter().position(|person| person.connection == Some(id));
        let Some(number) = found else { return };
        let person = &mut self.people[number];
        person.heard_at = self.log.now;
        if text.is_empty() {
            return;
        }
        self.log.count("messages", 1);
        if self.plan.disk.is_some() {
            self.log.note_arrival(format!("{number} <-"), text.as_bytes());
        } else {
            self.log.digest(text.as_bytes());
        }
        let errors = person.screen.errors.len();
        if let Err(why) = person.screen.handle_text(text) {
            if !self.plan.loses_records {
                return self.expect(Err(format!("client {number}: {why}")));
            }
            person.screen = Screen::default();
            return self.hang_up(number, id);
        }
        if person.place != Place::Given && person.screen.errors.len() > errors {
            person.place = Place::Refused;
        } else if person.screen.hello.is_some() {
            person.place = Place::Given;
        }
        let checked = self.check_shown(number, read_at);
        self.expect(checked);
    }
}
