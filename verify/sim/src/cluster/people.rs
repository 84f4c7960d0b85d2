//! People: the games that they join, watch and leave, and the keys that they press.

use std::net::{IpAddr, Ipv4Addr};

use nuggets_game::Letter;
use nuggets_host::{AttachRole, ConnectionId, GameId, Person, PlayerId, Source};
use nuggets_time::Timestamp;

use super::classic::ClassicClient;
use super::connections::UpLine;
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
    pub(super) attempt: u64,
    pub(super) come_back_at: Timestamp,
    pub(super) heard_at: Timestamp,
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
}
