//! The clients of the specification of a host. Between them and the host is the network of the simulation of rooms, which
//! loses, repeats and reorders datagrams.

use std::net::{Ipv4Addr, SocketAddr};

use nuggets_game::Seed;
use nuggets_host::{GameCommand, GameId};

use super::people::KEYS;
use super::run::WebRun;
use crate::host::Screen;
use crate::net::{ArrivedMessage, Endpoint, Network, NetworkConditions};

const QUITS_ONCE_IN: u32 = 300;

/// The clients of the specification and their network.
#[derive(Debug)]
pub(super) struct Classics {
    clients: Vec<ClassicClient>,
    network: Network,
    last_port: u16,
}

/// A client of the specification. It has no state but its screen: it asks to join until it has a letter.
#[derive(Debug)]
struct ClassicClient {
    address: SocketAddr,
    game: GameId,
    /// Everything that the server has sent, in the order of sending.
    sent: Screen,
    /// Everything that has arrived.
    screen: Screen,
    /// In the end it has had the right picture.
    has_settled: bool,
}

impl Classics {
    /// One datagram in six is lost, and as many are duplicated.
    pub(super) fn new(seed: u64) -> Self {
        let perfect = NetworkConditions::perfect();
        let conditions = NetworkConditions {
            loss: 16,
            duplication: 16,
            delay_ms: 300,
            reorder: true,
            ..perfect
        };
        let network = Network::new(conditions, Seed::new(seed.cast_signed()));
        Self { clients: vec![], network, last_port: 4000 }
    }

    pub(super) fn lost(&self) -> u64 {
        self.network.tally().lost
    }

    fn find(&mut self, end: Endpoint) -> Option<&mut ClassicClient> {
        self.clients.iter_mut().find(|client| client.endpoint() == end)
    }
}

impl ClassicClient {
    /// Returns the message that asks for a seat, or for the welcome again.
    fn join(&self) -> Vec<u8> {
        format!("PLAY U{}", self.address.port()).into_bytes()
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::Client(self.address.port().into())
    }
}

impl WebRun {
    pub(super) fn plan_classics(&mut self) {
        let Some(disk) = &self.plan.disk else { return };
        for _ in 0..disk.classics {
            let client = self.new_classic();
            self.classics.clients.push(client);
        }
        self.after(50, Self::tick_classics);
    }

    /// Creates a client with a new address, because an address is an identity.
    fn new_classic(&mut self) -> ClassicClient {
        self.classics.last_port += 1;
        let place = self.rng.index(self.games.len());
        let game = *self.games.keys().nth(place).expect("there are games");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.classics.last_port));
        let (sent, screen) = (Screen::default(), Screen::default());
        ClassicClient { address, game, sent, screen, has_settled: false }
    }

    /// Each client may act, and what is due arrives. At the end all ask for the welcome again over a perfect network.
    fn tick_classics(&mut self) {
        let pause = 20 + self.random_ms(60);
        self.after(pause, Self::tick_classics);
        if self.calm_since.is_some() {
            self.classics.network.become_perfect(self.log.now);
        }
        for number in 0..self.classics.clients.len() {
            if self.calm_since.is_some() || self.rng.below(4) == 0 {
                self.act_classic(number);
            }
        }
        self.deliver_datagrams();
    }

    /// Lets a client send a message, or go to another game after its end.
    fn act_classic(&mut self, number: usize) {
        let client = &self.classics.clients[number];
        let has_joined = client.screen.shown.view.is_some() && self.calm_since.is_none();
        if client.screen.is_over {
            if self.calm_since.is_none() {
                self.classics.clients[number] = self.new_classic();
            }
            return;
        }
        let message = if !has_joined {
            client.join()
        } else if self.rng.below(QUITS_ONCE_IN) == 0 {
            b"KEY Q".to_vec()
        } else {
            vec![b'K', b'E', b'Y', b' ', KEYS[self.rng.index(KEYS.len())]]
        };
        let from = client.endpoint();
        self.classics.network.send(self.log.now, from, Endpoint::Server, &message);
    }

    fn deliver_datagrams(&mut self) {
        let now = self.log.now;
        while self.classics.network.next_at().is_some_and(|at| at <= now) {
            let Some(arrival) = self.classics.network.take() else { return };
            let ArrivedMessage::Datagram { bytes, .. } = arrival.content else { continue };
            let is_up = arrival.to == Endpoint::Server;
            let end = if is_up { arrival.from } else { arrival.to };
            let Some(client) = self.classics.find(end) else { continue };
            let (address, game) = (client.address, client.game);
            self.log.count("datagrams", 1);
            let arrow = if is_up { "->" } else { "<-" };
            self.log.note_arrival(format!("{address} {arrow}"), &bytes);
            if !is_up {
                let taken = client.screen.handle_datagram(&bytes);
                self.expect(taken);
            } else if let Some(cell) = self.nodes[0].cell(game) {
                cell.handle(now, GameCommand::Datagram(address, bytes.into()));
                self.pump(0);
            }
        }
    }

    /// Compares datagrams of games with their history, and puts them on their way.
    pub(super) fn send_datagrams(&mut self, datagrams: Vec<(GameId, SocketAddr, Vec<u8>)>) {
        for (game, to, bytes) in datagrams {
            let synced = self.sync(game);
            self.expect(synced);
            let end = Endpoint::Client(to.port().into());
            let Some(client) = self.classics.find(end).filter(|client| client.game == game) else {
                continue;
            };
            let mut taken = client.sent.handle_datagram(&bytes);
            if let Some(watched) = self.games.get_mut(&game) {
                let shown = &mut client.sent.shown;
                taken = taken.and_then(|()| watched.truth_mut().find(shown, self.log.now));
            }
            self.classics.network.send(self.log.now, Endpoint::Server, end, &bytes);
            self.expect(taken.map_err(|why| format!("{to}: {why}")));
        }
    }

    /// True if every client that plays has had the current picture.
    pub(super) fn have_classics_settled(&mut self) -> bool {
        let mut settled = 0;
        for client in self.classics.clients.iter_mut().filter(|client| !client.has_settled) {
            let truth = self.games[&client.game].truth();
            let view = client.screen.shown.view;
            let rows = truth.current(view).map(|current| current.rows.as_str());
            let is_playing = view.is_some_and(|letter| !truth.has_left(letter)) && !truth.is_over();
            let has_picture = is_playing && rows == Some(&client.screen.picture().rows);
            settled += u64::from(has_picture);
            client.has_settled = has_picture || !is_playing;
        }
        self.log.count("settled", settled);
        self.classics.clients.iter().all(|client| client.has_settled)
    }
}
