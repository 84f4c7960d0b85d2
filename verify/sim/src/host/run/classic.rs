//! The clients of the specification in a run, and the network between them and the server.

use std::net::{Ipv4Addr, SocketAddr};

use nuggets_host::{GameCommand, GameId};

use super::HostRun;
use crate::host::classic_client::ClassicClient;

/// The network loses one datagram in this many, and duplicates as many.
const LOSES_ONE_IN: u32 = 6;

impl HostRun {
    /// Adds the clients of the plan.
    pub(super) fn begin_classics(&mut self) {
        for _ in 0..self.plan.classics {
            let client = self.new_classic();
            self.classics.push(client);
        }
    }

    /// Creates a client with a new address, because an address is an identity.
    fn new_classic(&mut self) -> ClassicClient {
        self.last_port += 1;
        let ids: Vec<GameId> = self.server.games.keys().copied().collect();
        let game = ids[self.rng.index(ids.len())];
        ClassicClient::new(SocketAddr::from((Ipv4Addr::LOCALHOST, self.last_port)), game)
    }

    /// Lets a client send a message, or go to another game after its end.
    pub(super) fn act_classic(&mut self) {
        if self.classics.is_empty() {
            return;
        }
        let number = self.rng.index(self.classics.len());
        if self.classics[number].screen.is_over {
            self.classics[number] = self.new_classic();
        } else {
            self.classics[number].act(&mut self.rng);
        }
    }

    /// Loses, duplicates or delivers a datagram, not always the first.
    pub(super) fn deliver_classic(&mut self) -> Result<(), String> {
        if self.classics.is_empty() {
            return Ok(());
        }
        let number = self.rng.index(self.classics.len());
        let is_up = self.rng.below(2) == 0;
        let client = &mut self.classics[number];
        let queue = if is_up { &mut client.up } else { &mut client.down };
        if queue.is_empty() {
            return Ok(());
        }
        let datagram = queue.remove(self.rng.index(queue.len()));
        match self.rng.below(LOSES_ONE_IN) {
            0 => {
                self.log.count("datagrams_lost", 1);
                return Ok(());
            }
            1 => queue.push(datagram.clone()),
            _ => {}
        }
        self.deliver_datagram(number, is_up, &datagram)
    }

    fn deliver_datagram(
        &mut self,
        number: usize,
        is_up: bool,
        datagram: &[u8],
    ) -> Result<(), String> {
        self.log.count("datagrams", 1);
        let address = self.classics[number].address;
        self.log.note_arrival(format!("{address} {}", if is_up { "->" } else { "<-" }), datagram);
        if !is_up {
            return self.classics[number].screen.handle_datagram(datagram);
        }
        let (now, game) = (self.log.now, self.classics[number].game);
        let command = GameCommand::Datagram(address, datagram.into());
        self.server.command(now, game, command)?;
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
            client.down.push(bytes);
        }
        Ok(())
    }

    /// Ends all losses: every client asks for the welcome again, and must then have the current state.
    pub(super) fn settle_classics(&mut self) -> Result<(), String> {
        for number in 0..self.classics.len() {
            let join = self.classics[number].join();
            self.classics[number].up = vec![join];
        }
        for number in 0..self.classics.len() {
            self.deliver_all(number)?;
        }
        for number in 0..self.classics.len() {
            self.deliver_all(number)?;
            self.check_classic(number)?;
        }
        Ok(())
    }

    fn deliver_all(&mut self, number: usize) -> Result<(), String> {
        for is_up in [true, false] {
            self.take_datagrams()?;
            let client = &mut self.classics[number];
            let queue = if is_up { &mut client.up } else { &mut client.down };
            for datagram in std::mem::take(queue) {
                self.deliver_datagram(number, is_up, &datagram)?;
            }
        }
        Ok(())
    }

    fn check_classic(&mut self, number: usize) -> Result<(), String> {
        let client = &self.classics[number];
        let game = &self.server.games[&client.game];
        let is_playing = game.hosted.is_some() && !game.truth.is_over();
        let Some(letter) =
            client.screen.shown.view.filter(|letter| is_playing && !game.has_left(*letter))
        else {
            return Ok(());
        };
        let current = game.truth.current(Some(letter)).cloned().unwrap_or_default();
        let shown = client.screen.picture().rows;
        if shown == current.rows {
            self.log.count("settled", 1);
            return Ok(());
        }
        Err(format!("{} shows\n{shown}\nbut this is so:\n{current}", client.address))
    }
}
