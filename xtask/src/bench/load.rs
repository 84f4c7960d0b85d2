//! The server under load, compared with a loop that only sends the same datagrams to the same
//! sockets. Both are processes of their own; this one drives them and receives.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use nuggets_game::{Direction, Game, Letter, Map, Rng, Rules, Seed, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Room, RoomOptions, Timestamp};
use tempfile::NamedTempFile;

use super::figures::Figures;
use super::process::MeasuredServer;
use crate::tools::print_line;

/// Rooms of the largest map, each of ten by six spots in ten rows and 17 columns.
const ROOMS_DOWN: usize = 25;
const ROOMS_ACROSS: usize = 15;

/// A map of the loads: its name and the text of its file.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

impl Field {
    /// A grid of rooms, joined by passages, in the largest size.
    pub(crate) fn largest() -> Self {
        Self { name: "rooms 250x255", text: (0..ROOMS_DOWN).map(row_of_rooms).collect() }
    }

    /// One empty room in the largest size.
    pub(crate) fn open() -> Self {
        let wall = format!("+{}+\n", "-".repeat(253));
        let inside = format!("|{}|\n", ".".repeat(253)).repeat(248);
        Self { name: "open 250x255", text: format!("{wall}{inside}{wall}") }
    }

    pub(crate) fn shipped(name: &'static str) -> Self {
        let text = shipped::find(name).expect("it is built in").text.to_owned();
        Self { name, text }
    }

    pub(crate) fn map(&self) -> Map {
        Map::parse(self.text.as_bytes()).expect("it is a map").map
    }

    pub(crate) fn sight(&self) -> Arc<Sight> {
        Arc::new(Sight::new(self.map(), SightRule::DarkPassages))
    }
}

/// A row of rooms, with doors to their neighbours.
fn row_of_rooms(row: usize) -> String {
    let top = if row == 0 { "+----------+     " } else { "+-----#----+     " };
    let (bottom, below) = if row + 1 == ROOMS_DOWN {
        ("+----------+     ", "                 ")
    } else {
        ("+-----#----+     ", "      #          ")
    };
    let wall = "|..........|     ";
    let line = |cell: &str| cell.repeat(ROOMS_ACROSS) + "\n";
    let doors =
        format!("{}{}\n", "|..........######", "#..........######".repeat(ROOMS_ACROSS - 1));
    let doors = doors.replace("######\n", "|     \n");
    let rest = line(wall).repeat(3);
    [line(top), line(wall).repeat(2), doors, rest, line(bottom), line(below).repeat(2)].concat()
}

/// A load: map, players and number of keys.
#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) field: Field,
    pub(crate) players: usize,
    pub(crate) changed_only: bool,
    pub(crate) keys: usize,
}

const ROUNDS: usize = 9;
const SEED: i64 = 9;
const SOCKET_BUFFER: usize = 4 << 20;
const LIMIT: Duration = Duration::from_secs(30);

/// Runs one load: the server and the bare loop alternate, batch by batch, so that other work on the
/// machine affects both. Of several rounds the one with the median ratio counts.
pub(crate) fn measure(load: &Load, server: &Path, me: &Path) -> anyhow::Result<Figures> {
    let how = if load.changed_only { ", changed pictures only" } else { "" };
    let (field, players) = (load.field.name, load.players);
    print_line(&format!("xtask: measuring {field} with {players} players{how}"));
    let mut world = RoomWorld::start(load, server)?;
    let bare = start_bare(me, &world)?;
    let batch = batch_size(&load.field);
    world.take_turns(&bare, batch, 5)?;
    let batches = (load.keys / batch / ROUNDS).max(1);
    let mut rounds = (0..ROUNDS)
        .map(|_| world.take_turns(&bare, batch, batches))
        .collect::<anyhow::Result<Vec<Figures>>>()?;
    world.check_pictures()?;
    rounds.sort_by(|left, right| left.get("ratio").total_cmp(&right.get("ratio")));
    Ok(rounds.swap_remove(ROUNDS / 2))
}

/// The number of keys in a batch, so that the replies fit the receive buffers easily.
fn batch_size(field: &Field) -> usize {
    let map = field.map();
    (SOCKET_BUFFER / 4 / (map.tiles().len() + 2048)).clamp(1, 50)
}

/// A server process with its clients, and a room in memory that receives the same messages.
struct RoomWorld {
    server: MeasuredServer,
    room: Room,
    clients: Vec<UdpSocket>,
    /// The datagrams of the server that each client has not received yet.
    expected: Vec<usize>,
    players: usize,
    rng: Rng,
    datagrams: usize,
    _map: NamedTempFile,
}

impl RoomWorld {
    fn start(load: &Load, server: &Path) -> anyhow::Result<Self> {
        let mut map = NamedTempFile::new().context("can't write the map")?;
        map.write_all(load.field.text.as_bytes())?;
        let mut command = Command::new(server);
        command.arg(map.path()).arg(SEED.to_string()).args(["--bind", "127.0.0.1", "--log", "off"]);
        // Every datagram is counted, and on a busy machine some would be resent.
        command.arg("--no-resends").args(load.changed_only.then_some("--changed-only"));

        let game = Game::with_sight(load.field.sight(), Rules::default(), Seed::new(SEED))?;
        let options = RoomOptions { changed_only: load.changed_only, ..RoomOptions::default() };
        let count = load.players + 1;
        let mut world = Self {
            server: MeasuredServer::start(&mut command),
            room: Room::with_game(game, Dialect::V2021).with_options(options),
            clients: (0..count).map(|_| client()).collect::<anyhow::Result<Vec<_>>>()?,
            expected: vec![0; count],
            players: load.players,
            rng: Rng::new(Seed::new(SEED)),
            datagrams: 0,
            _map: map,
        };
        for player in 0..load.players {
            world.send(player, b"PLAY player")?;
            world.receive_expected()?;
        }
        world.send(load.players, b"SPECTATE")?;
        world.receive_expected()?;
        Ok(world)
    }

    /// Sends a message to the server and to the room, which says how many datagrams to expect.
    fn send(&mut self, client: usize, bytes: &[u8]) -> anyhow::Result<()> {
        self.clients[client].send_to(bytes, self.server.address)?;
        self.room.handle_message(Timestamp(0), Peer(client as u64), bytes);
        while self.room.poll_record().is_some() {}
        while let Some(sent) = self.room.poll_transmit() {
            self.expected[usize::try_from(sent.to.0)?] += 1;
            self.datagrams += 1;
        }
        Ok(())
    }

    /// Sends this many keys and receives all replies.
    fn play(&mut self, keys: usize) -> anyhow::Result<()> {
        for _ in 0..keys {
            let (player, key) = self.choose_key();
            self.send(player, &[b'K', b'E', b'Y', b' ', key])?;
        }
        self.receive_expected()
    }

    /// A random player, and a step to a spot without gold.
    fn choose_key(&mut self) -> (usize, u8) {
        loop {
            let player = self.rng.index(self.players);
            let direction = Direction::ALL[self.rng.index(8)];
            let game = self.room.game();
            let letter = Letter::nth(player).expect("at most 26");
            let at = game.player(letter).at().expect("no player quits");
            let next = game.map().spot_beside(at, direction);
            if next.is_some_and(|next| game.piles().all(|(pile, _)| pile != next)) {
                return (player, direction.key());
            }
        }
    }

    fn receive_expected(&mut self) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for (client, count) in self.clients.iter().zip(&mut self.expected) {
            for _ in 0..std::mem::take(count) {
                client.recv(&mut buffer).context("a datagram is missing")?;
            }
        }
        Ok(())
    }

    /// Runs batches of the server and of the bare loop in turn; returns the cost of one key: processor time of the
    /// server, and of the bare loop for a round of pictures to all clients, and the datagrams of the server.
    #[expect(clippy::cast_precision_loss, reason = "the figures are only compared")]
    fn take_turns(
        &mut self,
        bare: &MeasuredServer,
        batch: usize,
        batches: usize,
    ) -> anyhow::Result<Figures> {
        let used = |world: &Self| -> anyhow::Result<[f64; 3]> {
            let [server, bare] = [world.server.usage.cpu_ns()?, bare.usage.cpu_ns()?];
            Ok([server as f64 / 1e3, bare as f64 / 1e3, world.datagrams as f64])
        };
        let before = used(self)?;
        for _ in 0..batches {
            self.play(batch)?;
            self.clients[0].send_to(batch.to_string().as_bytes(), bare.address)?;
            self.expected.fill(batch);
            self.receive_expected()?;
        }
        let after = used(self)?;
        let per_key = |at: usize| (after[at] - before[at]) / (batch * batches) as f64;
        let [server_us, bare_us, datagrams] = [0, 1, 2].map(per_key);
        Ok(Figures::new([
            ("players", self.players as f64),
            ("gridpoints", self.room.game().map().tiles().len() as f64),
            ("server µs", server_us),
            ("bare µs", bare_us),
            ("ratio", server_us / bare_us),
            ("datagrams", datagrams),
            ("keys a second", 1e6 / server_us),
            ("memory KiB", self.server.usage.memory_kib("VmHWM:")? as f64),
        ]))
    }

    /// The pictures of the server must be those of the room in memory.
    fn check_pictures(&mut self) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for player in 0..self.players {
            self.clients[player].send_to(b"PLAY player", self.server.address)?;
            let mut length = 0;
            for _ in 0..4 {
                length = self.clients[player].recv(&mut buffer)?;
            }
            self.room.handle_message(Timestamp(0), Peer(player as u64), b"PLAY player");
            let mut picture = vec![];
            while let Some(sent) = self.room.poll_transmit() {
                picture = sent.payload.to_vec();
            }
            ensure!(buffer[..length] == picture, "the server sent a wrong picture");
        }
        Ok(())
    }
}

/// Not connected: it receives from the server and from the bare loop.
fn client() -> anyhow::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER)?;
    socket.set_read_timeout(Some(LIMIT))?;
    Ok(socket)
}

/// Starts the bare loop as a process of its own, and sends it the clients and the length of a picture.
fn start_bare(me: &Path, world: &RoomWorld) -> anyhow::Result<MeasuredServer> {
    let bare = MeasuredServer::start(Command::new(me).arg("bare-loop"));
    let length = 8 + world.room.game().map().to_string().len();
    let clients = world.clients.iter().map(|client| Ok(client.local_addr()?.to_string()));
    let clients = clients.collect::<anyhow::Result<Vec<_>>>()?.join(" ");
    world.clients[0].send_to(format!("{length} {clients}").as_bytes(), bare.address)?;
    Ok(bare)
}

/// The body of the bare loop's process. The first datagram has the length of a picture and the addresses that it is sent
/// to; each of those that follow has a number of rounds.
pub(crate) fn bare_loop() -> anyhow::Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&socket).set_send_buffer_size(1 << 20)?;
    print_line(&socket.local_addr()?.to_string());
    let mut buffer = vec![0; 1 << 16];
    let mut receive = || -> anyhow::Result<String> {
        let length = socket.recv(&mut buffer)?;
        Ok(String::from_utf8(buffer[..length].to_vec())?)
    };
    let orders = receive()?;
    let (length, clients) = orders.split_once(' ').context("no client")?;
    let picture = vec![b'.'; length.parse()?];
    let clients = clients.split(' ').map(str::parse).collect::<Result<Vec<SocketAddr>, _>>()?;
    loop {
        for _ in 0..receive()?.parse::<usize>()? {
            for client in &clients {
                socket.send_to(&picture, client)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nuggets_game::map::check::violations;

    use super::*;

    #[test]
    fn every_field_is_a_valid_map_of_its_size() {
        for field in [Field::largest(), Field::open()] {
            let map = field.map();
            assert_eq!(violations(&map), [], "{}", field.name);
            assert_eq!((map.rows(), map.cols()), (250, 255), "{}", field.name);
        }
    }
}
