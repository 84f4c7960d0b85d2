//! People and their connections: to any node, which passes them on to the owner once; they break, lag and come back.

use nuggets_host::cluster::ownership::GameRow;
use nuggets_host::cluster::routes::{Epoch, RemoteGame, Route, RunId};
use nuggets_host::{AttachError, Attached, ConnectionId, GameCommand, GameId, Person};
use nuggets_protocol::web::{DirectLine, JoinClient, Since};
use nuggets_time::Timestamp;

use super::database::{DatabaseReply, DatabaseRequest, TxId};
use super::node::SimNode;
use super::run::{ClusterRun, SimEvent};
use crate::host::{KEYS, Screen, SimRole, attach, person};

/// A client that has not been sent anything for this long tries another node. It pings.
const SILENCE_MS: u64 = 4_000;

#[derive(Debug)]
pub(super) struct SimPerson {
    pub(super) who: Person,
    pub(super) game: GameId,
    pub(super) role: SimRole,
    pub(super) screen: Screen,
    pub(super) connection: Option<ConnectionId>,
    /// True once the connection was answered.
    pub(super) is_attached: bool,
    attempt: u64,
    come_back_at: Timestamp,
    heard_at: Timestamp,
    /// The number of keys that were pressed: each is the next in a fixed order.
    keys: usize,
    /// That order: some never sprint, so that games last.
    order: &'static [u8],
}

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
    Ping,
    Closed,
}

impl SimPerson {
    pub(super) fn new(number: usize, game: GameId, role: SimRole, now: Timestamp) -> Self {
        Self {
            who: person(number),
            game,
            role,
            screen: Screen::default(),
            connection: None,
            is_attached: false,
            attempt: 0,
            come_back_at: now,
            heard_at: now,
            keys: 0,
            order: if number % 4 == 3 { KEYS } else { &KEYS[..8] },
        }
    }

    /// The key with this number, if it was pressed.
    pub(super) fn key(&self, number: usize) -> Option<u8> {
        (number < self.keys).then(|| self.order[number % self.order.len()])
    }
}

impl ClusterRun {
    pub(super) fn tick(&mut self, person: usize) {
        let pause = 60 + self.random_ms(400);
        self.after(pause, SimEvent::Tick(person));
        let it = &self.people[person];
        let Some(connection) = it.connection else {
            if it.screen.is_over && self.plan.loses_records && !self.is_over(it.game) {
                // The end of the game is lost, too.
                self.people[person].screen = Screen::default();
                return;
            }
            if it.come_back_at <= self.log.now && !it.screen.is_over {
                self.connect(person);
            }
            return;
        };
        let drops = self.calm_since.is_none() && self.rng.below(60) == 0;
        let it = &self.people[person];
        if drops || self.log.now.since(it.heard_at) > SILENCE_MS {
            return self.hang_up(person, connection);
        }
        if it.is_attached && it.role == SimRole::Play && self.rng.below(5) > 0 {
            let key = char::from(it.order[it.keys % it.order.len()]);
            self.people[person].keys += 1;
            self.log.count("keys", 1);
            self.send_up(connection, UpLine::Key(key));
        } else {
            self.send_up(connection, UpLine::Ping);
        }
    }

    fn connect(&mut self, person: usize) {
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
        it.is_attached = false;
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
    fn hang_up(&mut self, person: usize, connection: ConnectionId) {
        self.people[person].connection = None;
        self.people[person].come_back_at = self.log.now.after(self.random_ms(100));
        self.send_up(connection, UpLine::Closed);
    }

    fn send_up(&mut self, id: ConnectionId, line: UpLine) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let lag = self.rng.below(connection.lag_ms + 1);
        connection.up_at = connection.up_at.max(self.log.now.after(lag.into()));
        let at = connection.up_at;
        self.at(at, SimEvent::Up(id, line));
    }

    /// A line arrives at the node to which the client is connected.
    pub(super) fn up(&mut self, id: ConnectionId, line: UpLine) -> Result<(), String> {
        let Some(connection) = self.connections.get(&id) else { return Ok(()) };
        let entry = connection.entry;
        let process = self.nodes[entry].process.as_ref();
        let is_served = process.is_some_and(|process| process.is_available);
        if !is_served || self.nodes[entry].member.run != connection.entry_run {
            self.close(id);
            return Ok(());
        }
        match (connection.owner, line) {
            (None, UpLine::Hello) => return self.route(id),
            (Some((owner, ..)), line) if owner == entry => return self.at_owner(id, line, owner),
            (Some((owner, ..)), line) => self.pass_on(id, line, owner),
            (None, UpLine::Closed) => self.close(id),
            (None, _) => {}
        }
        Ok(())
    }

    fn pass_on(&mut self, id: ConnectionId, line: UpLine, owner: usize) {
        let latency = self.random_ms(6);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.up_at = connection.up_at.max(self.log.now.after(latency));
        let at = connection.up_at;
        self.at(at, SimEvent::AtOwner(id, line, owner));
    }

    /// Takes a connection to the node that runs its game, as far as the entry knows.
    fn route(&mut self, id: ConnectionId) -> Result<(), String> {
        let Some(connection) = self.connections.get(&id) else { return Ok(()) };
        let (entry, game) = (connection.entry, connection.game);
        let Some(process) = self.nodes[entry].process.as_ref() else { return Ok(()) };
        match process.routes.route(game) {
            Route::Here => self.at_owner(id, UpLine::Hello, entry),
            Route::There(RemoteGame { member, .. }) => {
                let accepts = |node: &SimNode| node.runs(member.run) && !node.lacks_descriptors;
                match self.nodes.iter().position(accepts) {
                    Some(owner) => self.pass_on(id, UpLine::Hello, owner),
                    None => self.close(id),
                }
                Ok(())
            }
            Route::Nowhere | Route::Unknown => {
                self.close(id);
                Ok(())
            }
        }
    }

    /// A line arrives at a node that should be the owner.
    pub(super) fn at_owner(
        &mut self,
        id: ConnectionId,
        line: UpLine,
        node: usize,
    ) -> Result<(), String> {
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        let run = self.nodes[node].member.run;
        let local = self.nodes[node].local(self.log.now);
        let process = self.nodes[node].process.as_mut().filter(|process| process.is_available);
        let cell = process.and_then(|process| {
            process.clock.set(local);
            process.cells.get_mut(&connection.game)
        });
        let Some(cell) = cell else {
            self.not_the_owner(id);
            return Ok(());
        };
        let who = &self.people[connection.person].who;
        if line == UpLine::Hello {
            let client = JoinClient { id: who.id.0, attempt: connection.attempt };
            let ignores = self.plan.sabotage == Some("attempt");
            let client = (!ignores).then_some(client);
            connection.owner = Some((node, run, cell.epoch));
            connection.arrived_at = self.log.now;
            let role = self.people[connection.person].role;
            cell.handle(local, attach(id, who, role, client));
        } else if connection.owner != Some((node, run, cell.epoch)) {
            self.close(id);
        } else {
            match line {
                UpLine::Key(key) => cell.handle(local, GameCommand::Key(id, key)),
                UpLine::Closed => {
                    cell.handle(local, GameCommand::Detach(id));
                    self.connections.remove(&id);
                }
                UpLine::Ping | UpLine::Hello => self.send_down(id, String::new()),
            }
        }
        self.pump(node)
    }

    /// The node answers 421: the one that passed the request on asks the database, once.
    fn not_the_owner(&mut self, id: ConnectionId) {
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
    ) -> Result<(), String> {
        let waiting = self.connections.iter().find(|(_, it)| it.rereads == Some(tx));
        let id = waiting.map(|(id, _)| *id);
        if let Some(&DatabaseReply::Owner(row)) = reply
            && let Some(process) = self.nodes[node].process.as_mut()
        {
            process.routes.set_game(game, row.map(|row| (row.run, row.epoch)));
            return id.map_or(Ok(()), |id| self.route(id));
        }
        if let Some(id) = id {
            self.close(id);
        }
        Ok(())
    }

    /// A connection is closed by a node; the client learns of it in a moment.
    fn close(&mut self, id: ConnectionId) {
        if self.connections.remove(&id).is_some() {
            let latency = self.random_ms(30);
            self.after(latency, SimEvent::Lost(id));
        }
    }

    pub(super) fn lost(&mut self, id: ConnectionId) {
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
    ) -> Result<(), String> {
        let Some(connection) = self.connections.get(&id) else { return Ok(()) };
        let (person, arrived_at) = (connection.person, connection.arrived_at);
        let since = connection.since.clone();
        match attached {
            Ok(attached) => {
                self.check_answer(node, game, arrived_at)?;
                if let Some(cell) = self.nodes[node].cell(game) {
                    cell.read_for(id, &attached, since.as_ref());
                }
                self.log.count("joined", 1);
                self.send_line(id, &DirectLine::Hello(attached.hello.into()));
            }
            Err(why) => {
                self.check_rejected(person, id, &why)?;
                self.send_line(id, &DirectLine::Error(why.to_string()));
                self.close(id);
            }
        }
        Ok(())
    }

    fn send_line(&mut self, id: ConnectionId, line: &DirectLine) {
        if let Ok(text) = serde_json::to_string(line) {
            self.send_down(id, text);
        }
    }

    pub(super) fn send_down(&mut self, id: ConnectionId, text: String) {
        let latency = self.random_ms(8);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.down_at = connection.down_at.max(self.log.now.after(latency));
        let at = connection.down_at;
        self.at(at, SimEvent::Down(id, text));
    }

    /// Text arrives at a client.
    pub(super) fn down(&mut self, id: ConnectionId, text: &str) -> Result<(), String> {
        let now = self.log.now;
        let found = self.people.iter().position(|person| person.connection == Some(id));
        let Some(number) = found.filter(|_| self.connections.contains_key(&id)) else {
            return Ok(());
        };
        let person = &mut self.people[number];
        person.heard_at = now;
        if text.is_empty() {
            return Ok(());
        }
        self.log.digest(text.as_bytes());
        let taken = person.screen.handle_text(text);
        if let Err(why) = taken {
            if !self.plan.loses_records {
                return Err(format!("client {number}: {why}"));
            }
            person.screen = Screen::default();
            self.hang_up(number, id);
            return Ok(());
        }
        person.is_attached |= person.screen.hello.is_some();
        self.check_shown(number)
    }
}
