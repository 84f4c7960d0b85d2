//! The clients of the specification in a run. Between them and the server is the network of the simulation of rooms, which
//! loses, repeats and reorders datagrams.

use std::net::{Ipv4Addr, SocketAddr};

use nuggets_host::{GameCommand, GameId};

use super::{HostRun, KEYS};
use crate::host::Screen;
use crate::net::{ArrivedMessage, Endpoint, NetworkConditions};

const QUITS_ONCE_IN: u32 = 300;

/// A client of the specification. It has no state but its screen: it asks to join until it has a letter.
#[derive(Debug)]
pub(super) struct ClassicClient {
    address: SocketAddr,
    game: GameId,
    /// Everything that the server has sent, in the order of sending.
    sent: Screen,
    /// Everything that has arrived.
    screen: Screen,
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

/// One datagram in six is lost, and as many are duplicated.
pub(super) fn conditions() -> NetworkConditions {
    let perfect = NetworkConditions::perfect();
    NetworkConditions { loss: 16, duplication: 16, delay_ms: 300, reorder: true, ..perfect }
}

impl HostRun {
    /// Creates a client with a new address, because an address is an identity.
    pub(super) fn new_classic(&mut self) -> ClassicClient {
        self.last_port += 1;
        let ids: Vec<GameId> = self.server.games.keys().copied().collect();
        let game = ids[self.rng.index(ids.len())];
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.last_port));
        ClassicClient { address, game, sent: Screen::default(), screen: Screen::default() }
    }

    /// Lets a client send a message, or go to another game after its end.
    pub(super) fn act_classic(&mut self) {
        if self.classics.is_empty() {
            return;
        }
        let number = self.rng.index(self.classics.len());
        if self.classics[number].screen.is_over {
            self.classics[number] = self.new_classic();
            return;
        }
        let client = &self.classics[number];
        let message = match client.screen.shown.view {
            None => client.join(),
            Some(_) if self.rng.below(QUITS_ONCE_IN) == 0 => b"KEY Q".to_vec(),
            Some(_) => vec![b'K', b'E', b'Y', b' ', KEYS[self.rng.index(KEYS.len())]],
        };
        self.network.send(self.log.now, client.endpoint(), Endpoint::Server, &message);
    }

    /// Delivers the datagrams whose time has come.
    pub(super) fn deliver_classic(&mut self) -> Result<(), String> {
        let now = self.log.now;
        while self.network.next_at().is_some_and(|at| at <= now) {
            let Some(arrival) = self.network.take() else { return Ok(()) };
            let ArrivedMessage::Datagram { bytes, .. } = arrival.content else { continue };
            let is_up = arrival.to == Endpoint::Server;
            let end = if is_up { arrival.from } else { arrival.to };
            let mut clients = self.classics.iter_mut();
            let Some(client) = clients.find(|client| client.endpoint() == end) else { continue };
            let (address, game) = (client.address, client.game);
            self.log.count("datagrams", 1);
            let arrow = if is_up { "->" } else { "<-" };
            self.log.note_arrival(format!("{address} {arrow}"), &bytes);
            if is_up {
                self.server.command(now, game, GameCommand::Datagram(address, bytes.into()))?;
                self.take_datagrams()?;
            } else {
                client.screen.handle_datagram(&bytes)?;
            }
        }
        Ok(())
    }

    /// Takes the server's datagrams, compares them with the history of the game, and puts them on their way.
    pub(super) fn take_datagrams(&mut self) -> Result<(), String> {
        for (game, to, bytes) in std::mem::take(&mut self.server.datagrams) {
            let mut clients = self.classics.iter_mut();
            let Some(client) = clients.find(|client| client.address == to && client.game == game)
            else {
                continue;
            };
            let mut taken = client.sent.handle_datagram(&bytes);
            if let Some(game) = self.server.games.get_mut(&game) {
                let shown = &mut client.sent.shown;
                taken = taken.and_then(|()| game.truth.find(shown, self.log.now));
            }
            taken.map_err(|why| format!("{to}: {why}"))?;
            self.network.send(self.log.now, Endpoint::Server, client.endpoint(), &bytes);
        }
        Ok(())
    }

    /// Ends all losses: every client asks for the welcome again, and must then have the current state.
    pub(super) fn settle_classics(&mut self) -> Result<(), String> {
        self.network.become_perfect(self.log.now);
        for client in &self.classics {
            let join = client.join();
            self.network.send(self.log.now, client.endpoint(), Endpoint::Server, &join);
        }
        self.deliver_classic()?;
        for client in &self.classics {
            let game = &self.server.games[&client.game];
            let is_playing = game.hosted.is_some() && !game.truth.is_over();
            let letter = client.screen.shown.view;
            if let Some(letter) = letter.filter(|letter| is_playing && !game.has_left(*letter)) {
                let current = game.truth.current(Some(letter)).cloned().unwrap_or_default();
                let shown = client.screen.picture().rows;
                if shown != current.rows {
                    let address = client.address;
                    return Err(format!("{address} shows\n{shown}\nbut this is so:\n{current}"));
                }
                self.log.count("settled", 1);
            }
        }
        Ok(())
    }
}
