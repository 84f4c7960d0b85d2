//! The server under load, compared with a loop that only sends the same datagrams to the same
//! sockets. Both are processes of their own; this one drives them and receives.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use nuggets_game::{Direction, Game, Letter, Rng, Rules, Seed};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Room, RoomOptions, Timestamp};
use nuggets_testkit::ServerProcess;
use tempfile::NamedTempFile;

use super::field::Field;
use super::process::ProcessUsage;

/// A load: map, players and number of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) field: Field,
    pub(crate) players: usize,
    pub(crate) changed_only: bool,
    pub(crate) keys: usize,
}

/// The measured cost of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Nanoseconds of the server for each key.
    pub(crate) server_ns: f64,
    /// Nanoseconds of the bare loop for a round of pictures to all clients.
    pub(crate) bare_ns: f64,
    /// Datagrams of the server for each key.
    pub(crate) datagrams: f64,
    /// The peak resident memory of the server.
    pub(crate) peak_kib: u64,
}

impl Cost {
    /// The server's time in proportion to that of the bare loop.
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

/// Runs one load: the server and the bare loop alternate, batch by batch, so that other work on the
/// machine affects both. Of several rounds the one with the median ratio counts.
pub(crate) fn measure(load: Load, server: &Path, me: &Path) -> anyhow::Result<Cost> {
    let mut world = RoomWorld::start(load, server)?;
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

/// The number of keys in a batch, so that the replies fit the receive buffers easily.
fn batch_size(field: Field) -> usize {
    let map = field.map();
    (SOCKET_BUFFER / 4 / (map.tiles().len() + 2048)).clamp(1, 50)
}

/// A server process with its clients, and a room in memory that receives the same messages.
struct RoomWorld {
    _host: ServerProcess,
    usage: ProcessUsage,
    server: SocketAddr,
    room: Room,
    clients: Vec<UdpSocket>,
    players: usize,
    rng: Rng,
    datagrams: usize,
    _map: NamedTempFile,
}

impl RoomWorld {
    fn start(load: Load, server: &Path) -> anyhow::Result<Self> {
        let mut map = NamedTempFile::new().context("can't write the map")?;
        map.write_all(load.field.text().as_bytes())?;
        let mut command = Command::new(server);
        command.arg(map.path()).arg(SEED.to_string()).args(["--bind", "127.0.0.1", "--log", "off"]);
        // Every datagram is counted, and on a busy machine some would be resent.
        command.arg("--no-resends").args(load.changed_only.then_some("--changed-only"));
        let host = ServerProcess::start(&mut command);

        let game = Game::with_sight(load.field.sight(), Rules::default(), Seed::new(SEED))?;
        let options = RoomOptions { changed_only: load.changed_only, ..RoomOptions::default() };
        let room = Room::with_game(game, Dialect::V2021).with_options(options);
        let count = load.players + 1;
        let clients = (0..count).map(|_| client()).collect::<anyhow::Result<Vec<_>>>()?;
        let rng = Rng::new(Seed::new(SEED));
        let players = load.players;
        let server = (Ipv4Addr::LOCALHOST, host.port()).into();
        let usage = ProcessUsage::of(host.id());
        let mut world = Self {
            _host: host,
            usage,
            server,
            room,
            clients,
            players,
            rng,
            datagrams: 0,
            _map: map,
        };
        for player in 0..players {
            world.send(player, b"PLAY player")?;
            world.receive_replies()?;
        }
        world.send(players, b"SPECTATE")?;
        world.receive_replies()?;
        Ok(world)
    }

    fn send(&mut self, client: usize, bytes: &[u8]) -> anyhow::Result<()> {
        self.clients[client].send_to(bytes, self.server)?;
        self.room.handle_message(Timestamp(0), Peer(client as u64), bytes);
        Ok(())
    }

    /// Sends this many keys and receives all replies.
    fn play(&mut self, keys: usize) -> anyhow::Result<()> {
        let mut expected = vec![0; self.clients.len()];
        for _ in 0..keys {
            let (player, key) = self.choose_key();
            self.send(player, &[b'K', b'E', b'Y', b' ', key])?;
            self.count_replies(&mut expected);
        }
        self.receive(&expected)?;
        self.datagrams += expected.iter().sum::<usize>();
        Ok(())
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

    fn receive_replies(&mut self) -> anyhow::Result<()> {
        let mut expected = vec![0; self.clients.len()];
        self.count_replies(&mut expected);
        self.receive(&expected)
    }

    fn count_replies(&mut self, expected: &mut [usize]) {
        while self.room.poll_record().is_some() {}
        while let Some(sent) = self.room.poll_transmit() {
            expected[usize::try_from(sent.to.0).expect("peers are clients")] += 1;
        }
    }

    /// Receives the expected number of datagrams at each client.
    fn receive(&self, expected: &[usize]) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for (client, count) in self.clients.iter().zip(expected) {
            for _ in 0..*count {
                client.recv(&mut buffer).context("a datagram of the server is missing")?;
            }
        }
        Ok(())
    }

    /// Runs batches of the server and of the bare loop in turn; returns the cost of one key.
    #[expect(clippy::cast_precision_loss, reason = "the figures are only compared")]
    fn take_turns(&mut self, bare: &Bare, batch: usize, batches: usize) -> anyhow::Result<Cost> {
        let used = |world: &Self| -> anyhow::Result<(u64, u64, usize)> {
            Ok((world.usage.cpu_ns()?, bare.usage.cpu_ns()?, world.datagrams))
        };
        let before = used(self)?;
        for _ in 0..batches {
            self.play(batch)?;
            self.drain_bare(bare, batch)?;
        }
        let after = used(self)?;
        let keys = (batch * batches) as f64;
        Ok(Cost {
            server_ns: (after.0 - before.0) as f64 / keys,
            bare_ns: (after.1 - before.1) as f64 / keys,
            datagrams: (after.2 - before.2) as f64 / keys,
            peak_kib: self.usage.peak_kib()?,
        })
    }

    fn drain_bare(&self, bare: &Bare, rounds: usize) -> anyhow::Result<()> {
        bare.send(rounds)?;
        self.receive(&vec![rounds; self.clients.len()])
    }

    /// The pictures of the server must be those of the room in memory.
    fn check_pictures(&mut self) -> anyhow::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        for player in 0..self.players {
            self.clients[player].send_to(b"PLAY player", self.server)?;
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

/// The bare loop, as a process of its own: it reads on stdin how many rounds to send.
struct Bare {
    child: Child,
    usage: ProcessUsage,
    orders: std::cell::RefCell<ChildStdin>,
}

impl Bare {
    fn start(me: &Path, world: &RoomWorld) -> anyhow::Result<Self> {
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
        let usage = ProcessUsage::of(child.id());
        Ok(Self { child, usage, orders: orders.into() })
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
