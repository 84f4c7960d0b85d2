//! One run: a host and its people, step by step, from a seed.

mod classic;
mod settling;

use std::net::{IpAddr, Ipv4Addr};

use nuggets_game::{Letter, Rng, Seed};
use nuggets_host::{
    AttachError, Authority, ConnectionId, GameCommand, GameId, NewGame, Person, PlayerId, Position,
    PreparedGame,
};
use nuggets_protocol::web::{ClientLine, DirectLine, Since};
use nuggets_time::Timestamp;

use super::client::{SimClient, SimLink, SimRole, StreamSource, attach};
use super::plan::{GamePlan, HostPlan, draw_seed};
use super::server::SimServer;
use crate::kit::{RunLog, Sabotage, Simulation};
use crate::net::Network;
use classic::ClassicClient;

/// The start of every run, in milliseconds since 1970.
pub(crate) const START: Timestamp = Timestamp(1_000_000_000_000);
/// Keys that people press.
pub(crate) const KEYS: &[u8] = b"hjklyubnHJKLYUBN";

/// A run of the host.
#[derive(Debug)]
pub struct HostRun {
    plan: HostPlan,
    rng: Rng,
    server: SimServer,
    clients: Vec<SimClient>,
    /// Old connections of which the server does not know yet that they are closed.
    stale: Vec<(PlayerId, SimLink)>,
    last_connection: u64,
    classics: Vec<ClassicClient>,
    /// The network of the clients of the specification.
    network: Network,
    last_port: u16,
    log: RunLog,
}

impl Simulation for HostRun {
    const NOUN: &'static str = "host";
    const OPTION: Option<&'static str> = Some("--host");
    const FIGURES: &'static [&'static str] = &[
        "games",
        "over",
        // Clients that joined a game, or came back to it.
        "joined",
        // Connections that broke.
        "drops",
        "crashes",
        "messages",
        "datagrams",
        "datagrams_lost",
        // Pictures that were compared with the history of the game.
        "pictures",
        // Clients that had the right picture in the end.
        "settled",
        "virtual_ms",
    ];
    const SABOTAGES: &'static [Sabotage<HostPlan>] = &[
        // A killed server loses the end of its journals.
        Sabotage::<HostPlan>::new("journals", &["has lost"]).staged_by(|plan| plan.crashes = 100),
    ];
    type Plan = HostPlan;

    fn new(plan: HostPlan) -> Self {
        Self {
            rng: Rng::new(Seed::new(plan.seed.cast_signed() ^ 0x5eed)),
            server: SimServer::new(),
            clients: vec![],
            stale: vec![],
            last_connection: 0,
            classics: vec![],
            network: Network::new(classic::conditions(), Seed::new(plan.seed.cast_signed())),
            last_port: 4000,
            log: RunLog::new::<Self>(plan.seed, &plan, START),
            plan,
        }
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }

    fn play_through(&mut self) -> Result<(), String> {
        for number in 0..self.plan.people {
            let game = self.random_id();
            let who = person(number);
            self.clients.push(SimClient::new(who, game, SimRole::Play));
        }
        for number in 0..self.plan.games.len() {
            let id = self.random_id();
            let who = self.clients[number % self.clients.len()].who.clone();
            let GamePlan { spec, setup } = self.plan.games[number].clone();
            let prepared = PreparedGame { setup, map_name: "own".to_owned() };
            let game = NewGame { id, spec, prepared };
            let created = self.server.lobby.create(self.log.now, &who, game);
            created.map_err(|why| why.to_string())?;
            self.server.settle(self.log.now)?;
        }
        let ids: Vec<GameId> = self.server.games.keys().copied().collect();
        for number in 0..self.clients.len() {
            let role = match self.rng.below(4) {
                0 => SimRole::Watch(None),
                _ => SimRole::Play,
            };
            self.clients[number].go_to(ids[number % ids.len()], role);
        }
        for _ in 0..self.plan.classics {
            let client = self.new_classic();
            self.classics.push(client);
        }
        for _ in 0..self.plan.steps {
            self.step()?;
            self.take_datagrams()?;
        }
        self.settle()?;
        self.count_games();
        Ok(())
    }
}

impl HostRun {
    fn count_games(&mut self) {
        self.log.count("virtual_ms", self.log.passed_ms());
        self.log.count("datagrams_lost", self.network.tally().lost);
        for game in self.server.games.values() {
            self.log.count("games", 1);
            self.log.count("over", u64::from(game.truth.is_over()));
            self.log.count("pictures", game.truth.found);
        }
    }

    fn random_id(&mut self) -> GameId {
        GameId::from_random(std::array::from_fn(|_| u8::try_from(self.rng.below(256)).unwrap_or(0)))
    }

    /// Executes one random step.
    fn step(&mut self) -> Result<(), String> {
        let number = self.rng.index(self.clients.len());
        if self.rng.below(self.plan.crashes) == 0 {
            return self.crash();
        }
        if self.rng.below(self.plan.drops) == 0 {
            self.drop_link(number);
            return Ok(());
        }
        match self.rng.below(14) {
            0 | 1 => {
                self.log.now = self.log.now.after(self.rng.below(120).into());
                self.server.handle_timeouts(self.log.now)
            }
            2..=4 => self.act(number),
            5 | 6 => self.deliver_up(number),
            7 => self.deliver_stale(),
            8 => {
                self.act_classic();
                Ok(())
            }
            9..=11 => self.deliver_classic(),
            _ => self.deliver_down(number),
        }
    }

    fn crash(&mut self) -> Result<(), String> {
        self.log.note("the server is killed and started again");
        self.log.count("crashes", 1);
        for number in 0..self.clients.len() {
            // Lines that were on their way may still arrive.
            if self.rng.below(2) == 0 {
                while self.has_message(number) {
                    self.deliver_down(number)?;
                }
            }
            self.clients[number].link = None;
        }
        self.stale.clear();
        // Every record is longer than two bytes, so none is whole.
        let two_bytes = |random: u32| [random.to_le_bytes()[0], random.to_le_bytes()[1]];
        let torn = (self.rng.below(3) == 0).then(|| two_bytes(self.rng.below(1 << 16)));
        self.server.crash(
            self.log.now,
            torn.as_ref().map_or(&[], |torn| &torn[..]),
            self.plan.loses_journals,
        )
    }

    fn has_message(&self, number: usize) -> bool {
        let link = self.clients[number].link.as_ref();
        link.is_some_and(|link| !link.down.is_empty())
    }

    /// Breaks the connection of a client. The server notices it later, as if the client were still reading.
    fn drop_link(&mut self, number: usize) {
        let client = &mut self.clients[number];
        if let Some(link) = client.link.take() {
            self.log.count("drops", 1);
            self.stale.push((client.who.id, link));
            self.log.note(format!("the connection of {number} breaks"));
        }
    }

    /// Lets a client act: it connects, presses a key, or changes its role.
    fn act(&mut self, number: usize) -> Result<(), String> {
        let is_over = self.clients[number].screen.is_over;
        if self.clients[number].link.is_none() {
            self.connect(number);
        } else if is_over || self.has_no_place(number) {
            return self.go_on(number);
        } else if self.clients[number].role == SimRole::Play {
            let line = self.line_of_player();
            if let Some(link) = &mut self.clients[number].link {
                link.up.push_back(line);
            }
        } else if self.rng.below(20) == 0 {
            let view = self.random_view(number);
            let client = &mut self.clients[number];
            client.go_to(client.game, SimRole::Watch(view));
            self.drop_link(number);
        }
        Ok(())
    }

    fn connect(&mut self, number: usize) {
        self.last_connection += 1;
        let id = ConnectionId(self.last_connection);
        self.clients[number].connect(id);
        self.log.note(format!("{number} connects as {}", id.0));
    }

    /// Draws a line of a player: mostly a key, sometimes the start, rarely to leave.
    fn line_of_player(&mut self) -> ClientLine {
        match self.rng.below(300) {
            0 => ClientLine::Key('Q'),
            1..8 => ClientLine::Start,
            8..12 => ClientLine::Whole,
            _ => ClientLine::Key(char::from(KEYS[self.rng.index(KEYS.len())])),
        }
    }

    /// Draws a view for a watcher: that of a player who has joined, or the whole map.
    fn random_view(&mut self, number: usize) -> Option<char> {
        let game = self.server.games.get(&self.clients[number].game)?;
        let players = game.truth.game().players().len();
        let letter = Letter::nth(self.rng.index(players + 1))?;
        (letter.index() < players).then(|| letter.as_byte().into())
    }

    /// True if a player has left or was rejected, and has been notified.
    fn has_no_place(&self, number: usize) -> bool {
        let client = &self.clients[number];
        let Some(link) = &client.link else { return false };
        let Some(game) = self.server.games.get(&client.game) else { return true };
        let was_answered = link.up.is_empty() && link.down.is_empty();
        let is_gone = match client.letter() {
            Some(letter) => game.has_left(letter),
            None => client.role == SimRole::Play,
        };
        was_answered && is_gone
    }

    /// Moves on from a game that is over or full: starts a rematch, or goes to another game.
    fn go_on(&mut self, number: usize) -> Result<(), String> {
        let next = (self.random_id(), draw_seed(&mut self.rng));
        let client = &self.clients[number];
        let next = if client.screen.is_over && self.rng.below(2) == 0 {
            let next = self.server.lobby.play_again(self.log.now, &client.who, client.game, next);
            self.server.settle(self.log.now)?;
            next.ok()
        } else {
            let ids: Vec<GameId> = self.server.games.keys().copied().collect();
            Some(ids[self.rng.index(ids.len())])
        };
        if let Some(next) = next {
            self.drop_link(number);
            let role = match self.rng.below(3) {
                0 => SimRole::Watch(None),
                _ => SimRole::Play,
            };
            self.clients[number].go_to(next, role);
        }
        Ok(())
    }

    /// Delivers the next line of a client to the server; then the server may read for it.
    fn deliver_up(&mut self, number: usize) -> Result<(), String> {
        let client = &mut self.clients[number];
        let who = client.who.clone();
        let Some(mut link) = client.link.take() else { return Ok(()) };
        if let Some(line) = link.up.pop_front() {
            self.handle_line(&who, &mut link, &line)?;
        }
        self.clients[number].link = Some(link);
        self.hand_out_direct();
        if let Some(link) = &mut self.clients[number].link
            && self.rng.below(3) > 0
        {
            link.read(self.log.now);
        }
        Ok(())
    }

    /// Delivers a late line of an old connection to the server, or the news that it is closed.
    fn deliver_stale(&mut self) -> Result<(), String> {
        if self.stale.is_empty() {
            return Ok(());
        }
        let number = self.rng.index(self.stale.len());
        let (id, mut link) = self.stale.swap_remove(number);
        if let Some(line) = link.up.pop_front() {
            let who = Person { id, ..person(0) };
            self.handle_line(&who, &mut link, &line)?;
            self.stale.push((id, link));
        } else {
            self.server.command(self.log.now, link.game, GameCommand::Detach(link.id))?;
        }
        self.hand_out_direct();
        Ok(())
    }

    fn handle_line(
        &mut self,
        who: &Person,
        link: &mut SimLink,
        sent: &ClientLine,
    ) -> Result<(), String> {
        let now = self.log.now;
        match sent {
            ClientLine::Join(join) => self.attach(who, link, SimRole::Play, join.since.as_ref()),
            ClientLine::Watch(watch) => {
                self.attach(who, link, SimRole::Watch(watch.view), watch.since.as_ref())
            }
            ClientLine::Key(key) => {
                let command = GameCommand::Key(link.id, *key);
                self.server.command(now, link.game, command).map(drop)
            }
            ClientLine::Start => {
                // Only its creator may start a game, so this is often rejected.
                let _ = self.server.lobby.command(
                    Authority::Person(who.id),
                    link.game,
                    GameCommand::Start,
                );
                self.server.settle(now)
            }
            ClientLine::Whole => {
                if let Some(source) = &mut link.source {
                    source.position = Position::default();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn attach(
        &mut self,
        who: &Person,
        link: &mut SimLink,
        role: SimRole,
        since: Option<&Since>,
    ) -> Result<(), String> {
        let now = self.log.now;
        let command = attach(link.id, who, role, None);
        let answer = match self.server.command(now, link.game, command)? {
            Some(Ok(attached)) => {
                link.source = Some(StreamSource::new(&attached, since));
                self.log.count("joined", 1);
                DirectLine::Hello(attached.hello.into())
            }
            Some(Err(why)) => self.rejected(who, link, &why)?,
            None => DirectLine::Error(AttachError::NoSuchGame.to_string()),
        };
        let text = serde_json::to_string(&answer).map_err(|why| why.to_string())?;
        link.down.push_back((now, text));
        Ok(())
    }

    /// A connection may be rejected, but no person loses a seat while the player is on the map.
    fn rejected(
        &self,
        who: &Person,
        link: &SimLink,
        why: &AttachError,
    ) -> Result<DirectLine, String> {
        let client = self.clients.iter().find(|client| client.who.id == who.id);
        let letter = client.filter(|client| client.game == link.game).and_then(SimClient::letter);
        let game = self.server.games.get(&link.game).filter(|game| !game.truth.is_over());
        let is_playing = game.zip(letter).is_some_and(|(game, letter)| !game.has_left(letter));
        if is_playing && *why != AttachError::Plays {
            return Err(format!("{letter:?} has lost its seat: {why}"));
        }
        Ok(DirectLine::Error(why.to_string()))
    }

    /// Sends the server's lines that are not part of a stream.
    fn hand_out_direct(&mut self) {
        for (connection, line) in std::mem::take(&mut self.server.direct) {
            let links = self.clients.iter_mut().filter_map(|client| client.link.as_mut());
            if let Some(link) = links.into_iter().find(|link| link.id == connection)
                && let Ok(text) = serde_json::to_string(&line)
            {
                link.down.push_back((self.log.now, text));
            }
        }
    }

    /// Delivers the next message to a client, and compares it with the history of the game.
    fn deliver_down(&mut self, number: usize) -> Result<(), String> {
        let client = &mut self.clients[number];
        let Some(link) = &mut client.link else { return Ok(()) };
        let Some((by, text)) = link.down.pop_front() else {
            link.read(self.log.now);
            return Ok(());
        };
        self.log.count("messages", 1);
        self.log.note_arrival(format!("{number} <-"), text.as_bytes());
        client.screen.handle_text(&text).map_err(|why| format!("client {number}: {why}"))?;
        if let Some(game) = self.server.games.get_mut(&client.game) {
            let found = game.truth.find(&mut client.screen.shown, by);
            found.map_err(|why| format!("client {number}: {why}"))?;
        }
        Ok(())
    }
}

pub(crate) fn person(number: usize) -> Person {
    Person {
        id: PlayerId(number as u64 + 1),
        name: format!("P{number}"),
        source: nuggets_host::Source::of(IpAddr::V4(Ipv4Addr::LOCALHOST)),
    }
}
