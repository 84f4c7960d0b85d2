//! Many WebSockets in one thread: what a load generator needs, and no more.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::Timespec;
use socket2::{Domain, Socket, Type};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// How long the handshake may take.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(60);
/// Connections from one source address: the host limits new guests of each source, and so do ephemeral ports.
const CONNECTIONS_PER_SOURCE: u32 = 100;
/// Events that are taken at once.
const MAX_EVENTS: usize = 256;

/// Connections that are read together.
pub(crate) struct Crowd {
    epoll: OwnedFd,
    sockets: Vec<WebSocket<TcpStream>>,
}

impl Crowd {
    /// No connection yet.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).context("can't create an epoll")?;
        Ok(Self { epoll, sockets: Vec::new() })
    }

    /// How many connections there are.
    pub(crate) fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Opens a WebSocket; connections are numbered from 0.
    pub(crate) fn connect(&mut self, address: SocketAddr, path: &str) -> anyhow::Result<()> {
        let stream = connect_from_next_source(address)?;
        stream.set_read_timeout(Some(HANDSHAKE_LIMIT))?;
        let config = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(0);
        let url = format!("ws://{address}{path}");
        let opened = tungstenite::client::client_with_config(url.as_str(), stream, Some(config));
        let (socket, _) = opened.map_err(|why| anyhow::anyhow!("no WebSocket at {url}: {why}"))?;
        socket.get_ref().set_nonblocking(true)?;
        let number = epoll::EventData::new_u64(self.sockets.len() as u64);
        epoll::add(&self.epoll, socket.get_ref(), number, epoll::EventFlags::IN)?;
        self.sockets.push(socket);
        Ok(())
    }

    /// Sends a text message.
    pub(crate) fn send(&mut self, number: usize, text: &str) -> anyhow::Result<()> {
        let sent = self.sockets[number].send(Message::text(text));
        sent.with_context(|| format!("can't send to connection {number}"))
    }

    /// Waits for messages, at most so long, and hands over all that have come.
    pub(crate) fn poll(
        &mut self,
        limit: Duration,
        mut take: impl FnMut(usize, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut events = Vec::with_capacity(MAX_EVENTS);
        let limit = Timespec::try_from(limit).context("the limit is too long")?;
        match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&limit)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(why) => return Err(why).context("can't wait for messages"),
        }
        for event in &events {
            let number = usize::try_from(event.data.u64())?;
            while let Some(text) = read(&mut self.sockets[number])
                .with_context(|| format!("connection {number} has ended"))?
            {
                take(number, &text)?;
            }
        }
        Ok(())
    }
}

/// The next text; none if there is none at the moment.
fn read(socket: &mut WebSocket<TcpStream>) -> anyhow::Result<Option<tungstenite::Utf8Bytes>> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Ok(Some(text)),
            Ok(Message::Close(frame)) => bail!("the server has closed it: {frame:?}"),
            Ok(_) => {}
            Err(tungstenite::Error::Io(why)) if why.kind() == std::io::ErrorKind::WouldBlock => {
                return Ok(None);
            }
            Err(why) => return Err(why.into()),
        }
    }
}

/// Connects from 127.0.0.2 and the addresses behind it, so that the limits per source are those of many people.
pub(crate) fn connect_from_next_source(address: SocketAddr) -> anyhow::Result<TcpStream> {
    static CONNECTIONS: AtomicU32 = AtomicU32::new(0);
    let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed) / CONNECTIONS_PER_SOURCE;
    let source = Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + 1 + number);
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)
        .context("can't open a socket; is the limit of open files too low?")?;
    socket.bind(&SocketAddr::from((source, 0)).into())?;
    let connected = socket.connect(&address.into());
    connected.with_context(|| format!("can't connect from {source} to {address}"))?;
    socket.set_tcp_nodelay(true)?;
    Ok(socket.into())
}

/// Lets this process, and each of those that it starts, open this many files.
pub(crate) fn raise_open_files(files: u64) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= files) {
        return Ok(());
    }
    let maximum = limit.maximum.map(|maximum| maximum.max(files));
    setrlimit(Resource::Nofile, Rlimit { current: Some(files), maximum }).with_context(|| {
        format!(
            "the benchmark needs {files} open files per process, but this system allows {}. Raise the hard \
             limit, then run it again: `sudo prlimit --pid $$ --nofile={files}` in this shell, or \
             `nofile` in /etc/security/limits.conf",
            limit.maximum.unwrap_or(u64::MAX)
        )
    })
}
