//! People with a client of the specification, over UDP to a host. Between them and the host is the network of the simulation of
//! rooms, which loses, repeats and reorders datagrams.

use std::net::{Ipv4Addr, SocketAddr};

use nuggets_host::{GameCommand, GameId};

use super::people::{KEYS, SimPerson};
use super::run::WebRun;
use crate::host::Screen;
use crate::net::{ArrivedMessage, Endpoint, NetworkConditions};

const QUITS_ONCE_IN: u32 = 300;

/// The state of a client of the specification, beside the screen of a person. It asks to join until it has a letter.
#[derive(Debug)]
pub(super) struct ClassicClient {
    /// A different one in every game, because an address is an identity.
    pub(super) port: u16,
    /// Everything that the host has sent, in the order of sending.
    pub(super) sent: Screen,
}

/// One datagram in six is lost, and as many are duplicated.
pub(super) fn conditions() -> NetworkConditions {
    let perfect = NetworkConditions::perfect();
    NetworkConditions { loss: 16, duplication: 16, delay_ms: 300, reorder: true, ..perfect }
}

impl WebRun {
    /// Lets a client send a message. At the end all ask for the welcome again.
    pub(super) fn act_over_udp(&mut self, person: usize, port: u16) {
        let screen = &self.people[person].screen;
        let message = if screen.shown.view.is_none() || self.calm_since.is_some() {
            format!("PLAY U{port}").into_bytes()
        } else if self.rng.below(QUITS_ONCE_IN) == 0 {
            b"KEY Q".to_vec()
        } else {
            vec![b'K', b'E', b'Y', b' ', KEYS[self.rng.index(KEYS.len())]]
        };
        let from = Endpoint::Client(port.into());
        self.network.send(self.log.now, from, Endpoint::Server, &message);
    }

    /// Delivers the datagrams that are due, again and again. At the end the network is perfect.
    pub(super) fn deliver_datagrams(&mut self) {
        let pause = 20 + self.random_ms(60);
        self.after(pause, Self::deliver_datagrams);
        let now = self.log.now;
        if self.calm_since.is_some() {
            self.network.become_perfect(now);
        }
        while self.network.next_at().is_some_and(|at| at <= now) {
            let Some(arrival) = self.network.take() else { return };
            let ArrivedMessage::Datagram { bytes, .. } = arrival.content else { continue };
            let is_up = arrival.to == Endpoint::Server;
            let end = if is_up { arrival.from } else { arrival.to };
            let Some(person) = self.people.iter_mut().find(|it| it.is_at(end)) else { continue };
            self.log.count("datagrams", 1);
            let arrow = if is_up { "->" } else { "<-" };
            self.log.note_arrival(format!("{end:?} {arrow}"), &bytes);
            if let (true, Endpoint::Client(port)) = (is_up, end) {
                let from = (Ipv4Addr::LOCALHOST, u16::try_from(port).unwrap_or_default());
                let game = person.game;
                if let Some(cell) = self.nodes[0].cell(game) {
                    cell.handle(now, GameCommand::Datagram(from.into(), bytes.into()));
                    self.pump(0);
                }
            } else {
                let taken = person.screen.handle_datagram(&bytes);
                self.expect(taken);
            }
        }
    }

    /// Compares datagrams of games with their history, and puts them on their way.
    pub(super) fn send_datagrams(&mut self, datagrams: Vec<(GameId, SocketAddr, Vec<u8>)>) {
        for (game, to, bytes) in datagrams {
            let end = Endpoint::Client(to.port().into());
            let mut people = self.people.iter_mut().filter(|it| it.game == game && it.is_at(end));
            let client = people.next().and_then(|it: &mut SimPerson| it.classic.as_mut());
            let (Some(client), Some(watched)) = (client, self.games.get_mut(&game)) else {
                continue;
            };
            let taken = client.sent.handle_datagram(&bytes);
            let found = taken.and_then(|()| watched.find(&mut client.sent.shown, self.log.now));
            self.network.send(self.log.now, Endpoint::Server, end, &bytes);
            self.expect(found.map_err(|why| format!("{to}: {why}")));
        }
    }
}
