//! People and their connections: to any node, which passes them on to the owner once; they break, lag and come back.

use std::net::{IpAddr, Ipv4Addr};

use nuggets_game::Letter;
use nuggets_host::cluster::ownership::GameRow;
use nuggets_host::cluster::routes::{Epoch, RemoteGame, Route, RunId};
use nuggets_host::{
    Attach, AttachError, AttachRole, Attached, Authority, ConnectionId, GameCommand, GameId,
    Person, PlayerId, Source,
};
use nuggets_protocol::web::{DirectLine, JoinClient, Since};
use nuggets_time::Timestamp;

use super::classic::ClassicClient;
use super::database::{DatabaseReply, DatabaseRequest, TxId};
use super::node::{Process, SimNode};
use super::plan::draw_seed;
use super::run::WebRun;
use crate::host::Screen;
use crate::net::Endpoint;

/// Keys that people press.
pub(super) const KEYS: &[u8] = b"hjklyubnHJKLYUBN";
/// A client that has not been sent anything for this long tries another node. It pings.
const SILENCE_MS: u64 = 4_000;

#[derive(Debug)]
pub(super) struct SimPerson {
    pub(super) who: Person,
    pub(super) game: GameId,
    pub(super) role: AttachRole,
    pub(super) screen: Screen,
    pub(super) connection: Option<ConnectionId>,
    pub(super) place: Place,
    /// In the end it has had the right picture.
    pub(super) has_settled: bool,
    /// False for a client that does not number its connections: keys of an old one may act late.
    pub(super) numbers_connections: bool,
    /// For a person with a client of the specification.
    pub(super) classic: Option<ClassicClient>,
    attempt: u64,
    come_back_at: Timestamp,
    heard_at: Timestamp,
    /// The number of keys that were pressed: each is the next in a fixed order.
    keys: usize,
    /// That order: some never sprint, so that games last.
    order: &'static [u8],
}

/// The answer to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Unknown,
    Given,
    Refused,
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
    Start,
    Whole,
    Ping,
    Closed,
}

impl SimPerson {
    pub(super) fn new(number: usize, game: GameId, role: AttachRole, now: Timestamp) -> Self {
        Self {
            who: Person {
                id: PlayerId(number as u64 + 1),
                name: format!("P{number}"),
                source: Source::of(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            },
            game,
            role,
            screen: Screen::default(),
            connection: None,
            place: Place::Unknown,
            has_settled: false,
            numbers_connections: true,
            classic: None,
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

    /// Returns its letter, once it has a seat.
    pub(super) fn letter(&self) -> Option<char> {
        self.screen.hello.as_ref()?.letter
    }

    /// Changes to another game, or to another role in this one.
    fn go_to(&mut self, game: GameId, role: AttachRole) {
        (self.game, self.role, self.place) = (game, role, Place::Unknown);
        self.screen = Screen::default();
        if let Some(ClassicClient { port, .. }) = self.classic {
            self.classic = Some(ClassicClient { port: port + 100, sent: Screen::default() });
        }
    }

    /// True if its client of the specification is there.
    pub(super) fn is_at(&self, end: Endpoint) -> bool {
        self.classic.as_ref().is_some_and(|it| end == Endpoint::Client(it.port.into()))
    }
}

impl WebRun {
    pub(super) fn tick(&mut self, person: usize) {
        let pause = 60 + self.random_ms(400);
        self.after(pause, move |it| it.tick(person));
        let it = &self.people[person];
        let port = it.classic.as_ref().map(|it| it.port);
        let Some(connection) = it.connection else {
            if it.screen.is_over && self.plan.loses_records && !self.is_over(it.game) {
                // The end of the game is lost, too.
                self.people[person].screen = Screen::default();
            } else if it.come_back_at <= self.log.now {
                let is_over = it.screen.is_over;
                if self.moves_on(person) {
                    self.move_on(person);
                } else if let (Some(port), false) = (port, is_over) {
                    self.act_over_udp(person, port);
                } else if !is_over {
                    self.connect(person);
                }
            }
            return;
        };
        let drops = self.calm_since.is_none() && self.rng.below(self.plan.drops) == 0;
        self.log.count("drops", drops.into());
        let is_silent = self.log.now.since(self.people[person].heard_at) > SILENCE_MS;
        if drops || is_silent || self.moves_on(person) || self.changes_view(person) {
            return self.hang_up(person, connection);
        }
        let line = self.next_line(person);
        if let UpLine::Key(_) = line {
            self.log.count("keys", 1);
        }
        self.send_up(connection, line);
    }

    /// Mostly a key; on a host also the start of the game, a request for the whole picture, or to leave.
    fn next_line(&mut self, person: usize) -> UpLine {
        let it = &mut self.people[person];
        if it.place != Place::Given || it.role != AttachRole::Play {
            return UpLine::Ping;
        }
        let presses = match (self.plan.disk.is_some(), self.calm_since) {
            (false, _) => self.rng.below(5) > 0,
            (true, Some(_)) => false,
            (true, None) => match self.rng.below(300) {
                0 => return UpLine::Key('Q'),
                1..8 => return UpLine::Start,
                8..12 => return UpLine::Whole,
                _ => true,
            },
        };
        if !presses {
            return UpLine::Ping;
        }
        it.keys += 1;
        UpLine::Key(char::from(it.order[(it.keys - 1) % it.order.len()]))
    }

    /// True for a person on a host whose game is over, or who has no place in it.
    fn moves_on(&self, person: usize) -> bool {
        let it = &self.people[person];
        let has_left = |letter| self.games[&it.game].truth().has_left(letter);
        let has_no_place = || match it.place {
            Place::Unknown => false,
            Place::Given => it.letter().is_some_and(has_left),
            Place::Refused => true,
        };
        let may_move = self.plan.disk.is_some() && self.calm_since.is_none();
        may_move && (it.screen.is_over || has_no_place())
    }

    /// Starts a rematch, or goes to another game.
    fn move_on(&mut self, person: usize) {
        let (who, game) = (self.people[person].who.clone(), self.people[person].game);
        let next = if self.people[person].screen.is_over && self.rng.below(2) == 0 {
            let next = (self.random_id(), draw_seed(&mut self.rng));
            let Some(process) = self.nodes[0].process.as_mut() else { return };
            let Ok(next) = process.lobby.play_again(self.log.now, &who, game, next) else { return };
            self.pump(0);
            next
        } else {
            let place = self.rng.index(self.games.len());
            self.games.keys().nth(place).copied().unwrap_or(game)
        };
        let watches = self.rng.below(3) == 0;
        let role = if watches { AttachRole::Watch(None) } else { AttachRole::Play };
        self.people[person].go_to(next, role);
    }

    /// Lets a watcher on a host go to the view of a player who has joined, or to the whole map.
    fn changes_view(&mut self, person: usize) -> bool {
        let AttachRole::Watch(_) = self.people[person].role else { return false };
        let may_change = self.plan.disk.is_some() && self.calm_since.is_none();
        if !may_change || self.rng.below(20) > 0 {
            return false;
        }
        let game = self.people[person].game;
        let players = self.games[&game].truth().seats.len();
        let letter = Letter::nth(self.rng.index(players + 1)).filter(|it| it.index() < players);
        let view = letter.map(|letter| letter.as_byte().into());
        self.people[person].go_to(game, AttachRole::Watch(view));
        true
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
    fn hang_up(&mut self, person: usize, connection: ConnectionId) {
        self.people[person].connection = None;
        self.people[person].come_back_at = self.log.now.after(self.random_ms(100));
        self.send_up(connection, UpLine::Closed);
    }

    fn send_up(&mut self, id: ConnectionId, line: UpLine) {
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
