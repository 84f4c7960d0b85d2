//! The server under load, side by side with a loop that does nothing but send the same datagrams
//! to the same sockets. Both are processes of their own; this one only drives and listens.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use nuggets_game::{Chance, Direction, Game, Letter, Rules, Seed};
use nuggets_protocol::Dialect;
use nuggets_server::{Millis, Peer, Room};

use super::field::Field;
use super::process;

/// What is run and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) field: Field,
    pub(crate) players: usize,
    pub(crate) changed_only: bool,
    pub(crate) keys: usize,
}

/// What came out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Nanoseconds of the server for each key.
    pub(crate) server_ns: f64,
    /// Nanoseconds of the bare loop for a round of pictures to everybody.
    pub(crate) bare_ns: f64,
    /// Datagrams of the server for each key.
    pub(crate) datagrams: f64,
    /// The most memory of the server.
    pub(crate) peak_kib: u64,
}

impl Cost {
    /// The server's time beside the bare loop's.
    pub(crate) fn ratio(&self) -> f64 {
        self.server_ns / self.bare_ns
    }
}

impl std::fmt::Display for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = if self.changed_only { ", changed pictures only" } else { "" };
        write!(f, "{} with {} players{how}", self.field.name(), self.players)
    }
}

const ROUNDS: usize = 9;
const SEED: i64 = 9;
const SOCKET_BUFFER: usize = 4 << 20;
const LIMIT: Duration = Duration::from_secs(30);

/// Runs one load: the server and the bare loop take turns, batch by batch, so that whatever else
/// the machine does falls on both. Of several rounds the one with the median ratio counts.
pub(crate) fn measure(load: Load, server: &Path, me: &Path) -> anyhow::Result<Cost> {
    let mut world = World::start(load, server)?;
    let bare = Bare::start(me, &world)?;
    let batch = batch_size(load.field);
    world.take_turns(&bare, batch, 5)?;
    let batches = (load.keys / batch / ROUNDS).max(1);
    let mut rounds = (0..ROUNDS)
        .map(|_| world.take_turns(&bare, batch, batches))
        .collect::<anyhow::Result<Vec<Cost>>>()?;
    world.check_pictures()?;
    rounds.sort_by(|left, right| left.ratio().total_cmp(&right.ratio()));
    Ok(rounds[ROUNDS / 2])
}

/// As many keys at once as their answers fit the clients' sockets with ease.
fn batch_size(field: Field) -> usize {
    let map = field.map();
    (SOCKET_BUFFER / 4 / (map.tiles().len() + 2048)).clamp(1, 50)
}

/// A server process with its clients, and a room in memory that is told the same.
struct World {
    host: Child,
    server: SocketAddr,
    room: Room,
    clients: Vec<UdpSocket>,
    by_peer: HashMap<Peer, usize>,
    players: usize,
    chance: Chance,
    datagrams: usize,
    _map: MapFile,
}

impl World {
    fn start(load: Load, server: &Path) -> anyhow::Result<Self> {
        let map = MapFile::write(load.field)?;
        let mut command = Command::new(server);
        command.arg(&map.0).arg(SEED.to_string()).args(["--bind", "127.0.0.1", "--log", "off"]);
        // Every datagram is counted, and on a busy machine some would be said again.
        command.arg("--no-repeats");
        if load.changed_only {
            command.arg("--changed-only");
        }
        let mut host = command.stdout(Stdio::piped()).spawn().context("can't start the server")?;
        let mut line = String::new();
        let stdout = host.stdout.take().context("the server has no stdout")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let port: u16 = line.rsplit(' ').next().unwrap_or_default().trim().parse()?;

        let game = Game::new(load.field.sight(), Rules::default(), Seed::new(SEED))?;
        let room = Room::new(game, Dialect::V2021).changed_only(load.changed_only);
        let count = load.players + 1;
        let clients = (0..count).map(|_| client()).collect::<anyhow::Result<Vec<_>>>()?;
        let address = |socket: &UdpSocket| Ok(Peer::from(socket.local_addr()?));
        let peers = clients.iter().map(address).collect::<anyhow::Result<Vec<Peer>>>()?;
        let by_peer = peers.into_iter().zip(0..).collect();
        let chance = Chance::new(Seed::new(SEED));
        let players = load.players;
        let server = (Ipv4Addr::LOCALHOST, port).into();
        let mut world =
            Self { host, server, room, clients, by_peer, players, chance, datagrams: 0, _map: map };
        for player in 0..players {
            world.say(player, b"PLAY somebody")?;
            world.listen()?;
        }
        world.say(players, b"SPECTATE")?;
        world.listen()?;
        Ok(world)
    }

    fn say(&mut self, client: usize, bytes: &[u8]) -> anyhow::Result<()> {
        self.clients[client].send_to(bytes, self.server)?;
        let peer = self.clients[client].local_addr()?.into();
        self.room.handle_message(Millis(0), peer, bytes);
        Ok(())
    }

    /// Sends so many keys and takes all that comes of them.
    fn play(&mut self, keys: usize) -> anyhow::Result<()> {
        let mut expected = vec![0; self.clients.len()];
        for _ in 0..keys {
            let (player, key) = self.choose_key();
            self.say(player, &[b'K', b'E', b'Y', b' ', key])?;
            self.count_answers(&mut expected);
        }
        self.take(&expected)?;
        self.datagrams += expected.iter().sum::<usize>();
        Ok(())
    }

    /// Somebody, and a step that takes it somewhere without gold.
    fn choose_key(&mut self) -> (usize, u8) {
        loop {
            let player = self.chance.index(self.players);
            let way = Direction::ALL[self.chance.index(8)];
            let game = self.room.game();
            let letter = Letter::nth(player).expect("at most 26");
            let at = game.player(letter).at().expect("nobody quits");
            let next = game.map().spot_beside(at, way);
            if next.is_some_and(|next| game.piles().all(|(pile, _)| pile != next)) {
                return (player, way.key());
            }
        }
    }

    fn listen(&mut self) -> anyhow::Result<()> {
        let mut expected = vec![0; self.clients.len()];
        self.count_answers(&mut expected);
        self.take(&expected)
    }

    fn count_answers(&mut self, expected: &mut [usize]) {
        while let Some(sent) = self.room.poll_transmit() {
            expected[self.by_peer[&sent.to]] += 1;
        }
    }

    /// Takes so many datagrams from each client's socket.
    fn take(&self, expected: &[usize]) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for (client, count) in self.clients.iter().zip(expected) {
            for _ in 0..*count {
                client.recv(&mut buffer).context("a datagram of the server is missing")?;
            }
        }
        Ok(())
    }

    /// So many batches each of the server and of the bare loop; what one key cost.
    #[allow(clippy::cast_precision_loss, reason = "they are only compared")]
    fn take_turns(&mut self, bare: &Bare, batch: usize, batches: usize) -> anyhow::Result<Cost> {
        let used = |world: &Self| -> anyhow::Result<(u64, u64, usize)> {
            Ok((process::cpu_ns(&world.host)?, process::cpu_ns(&bare.child)?, world.datagrams))
        };
        let before = used(self)?;
        for _ in 0..batches {
            self.play(batch)?;
            self.drain_bare(bare, batch)?;
        }
        let (after, keys) = (used(self)?, (batch * batches) as f64);
        Ok(Cost {
            server_ns: (after.0 - before.0) as f64 / keys,
            bare_ns: (after.1 - before.1) as f64 / keys,
            datagrams: (after.2 - before.2) as f64 / keys,
            peak_kib: process::peak_kib(&self.host)?,
        })
    }

    fn drain_bare(&self, bare: &Bare, rounds: usize) -> anyhow::Result<()> {
        bare.send(rounds)?;
        self.take(&vec![rounds; self.clients.len()])
    }

    /// The pictures that the server shows are those of the room in memory.
    fn check_pictures(&mut self) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for player in 0..self.players {
            self.clients[player].send_to(b"PLAY somebody", self.server)?;
            let mut length = 0;
            for _ in 0..4 {
                length = self.clients[player].recv(&mut buffer)?;
            }
            let peer = self.clients[player].local_addr()?.into();
            self.room.handle_message(Millis(0), peer, b"PLAY somebody");
            let mut picture = vec![];
            while let Some(sent) = self.room.poll_transmit() {
                picture = sent.payload.to_vec();
            }
            ensure!(buffer[..length] == picture, "the server shows a wrong picture");
        }
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

/// Not connected: it hears the server and the bare loop alike.
fn client() -> anyhow::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER)?;
    socket.set_read_timeout(Some(LIMIT))?;
    Ok(socket)
}

/// A map as a file for the server, gone afterwards.
struct MapFile(std::path::PathBuf);

impl MapFile {
    fn write(field: Field) -> anyhow::Result<Self> {
        let name = format!("nuggets-bench-{}-{}.txt", std::process::id(), field.name());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, field.text())?;
        Ok(Self(path))
    }
}

impl Drop for MapFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The bare loop, as a process of its own: it is told on stdin how many rounds to send.
struct Bare {
    child: Child,
    orders: std::cell::RefCell<ChildStdin>,
}

impl Bare {
    fn start(me: &Path, world: &World) -> anyhow::Result<Self> {
        let mut child = Command::new(me)
            .arg("bare-loop")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't start the bare loop")?;
        let mut orders = child.stdin.take().context("the bare loop has no stdin")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("the bare loop has no stdout")?;
        for client in &world.clients {
            let length = 8 + world.room.game().map().to_string().len();
            writeln!(orders, "{} {length}", client.local_addr()?)?;
        }
        writeln!(orders)?;
        BufReader::new(stdout).read_line(&mut line)?;
        Ok(Self { child, orders: orders.into() })
    }

    fn send(&self, rounds: usize) -> anyhow::Result<()> {
        Ok(writeln!(self.orders.borrow_mut(), "{rounds}")?)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The body of the bare loop's process.
pub(crate) fn bare_loop() -> anyhow::Result<()> {
    let mut lines = std::io::stdin().lines();
    let mut targets: Vec<(SocketAddr, Vec<u8>)> = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        let Some((address, length)) = line.split_once(' ') else { break };
        targets.push((address.parse()?, vec![b'.'; length.parse()?]));
    }
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&socket).set_send_buffer_size(1 << 20)?;
    writeln!(std::io::stdout(), "ready")?;
    for line in lines {
        for _ in 0..line?.trim().parse::<usize>()? {
            for (address, payload) in &targets {
                socket.send_to(payload, address)?;
            }
        }
    }
    Ok(())
}
