//! Many WebSockets in one thread: what a load generator needs, and no more.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use nuggets_testkit::{SocketRead, WebSocketPeer, now};
use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::Timespec;

use crate::bench::process::visitor;

/// Events that are taken at once.
const MAX_EVENTS: usize = 256;

/// Connections that are read together.
pub(crate) struct Crowd {
    epoll: OwnedFd,
    sockets: Vec<WebSocketPeer>,
}

impl Crowd {
    /// No connection yet.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).context("can't create an epoll")?;
        Ok(Self { epoll, sockets: Vec::new() })
    }

    /// The number of connections.
    pub(crate) fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Opens a WebSocket; connections are numbered from 0.
    pub(crate) fn connect(&mut self, address: SocketAddr, path: &str) -> anyhow::Result<()> {
        let opened = visitor(address).open_socket(path, None);
        let socket = opened.map_err(|why| anyhow!("no WebSocket at {address}{path}: {why:?}"))?;
        socket.stream().set_nonblocking(true)?;
        let number = epoll::EventData::new_u64(self.sockets.len() as u64);
        epoll::add(&self.epoll, socket.stream(), number, epoll::EventFlags::IN)?;
        self.sockets.push(socket);
        Ok(())
    }

    /// Sends a text message.
    pub(crate) fn send(&mut self, number: usize, text: &str) -> anyhow::Result<()> {
        let sent = self.sockets[number].try_send(text);
        sent.with_context(|| format!("can't send to connection {number}"))
    }

    /// Waits for messages, for at most this long, and hands over all that have come.
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
            loop {
                match self.sockets[number].read() {
                    SocketRead::Text(text) => take(number, &text)?,
                    SocketRead::Nothing => break,
                    SocketRead::Closed(why) => bail!("connection {number} has ended: {why:?}"),
                }
            }
        }
        Ok(())
    }

    /// Hands over all messages that come until then.
    pub(crate) fn poll_until(
        &mut self,
        due: Instant,
        mut take: impl FnMut(usize, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            self.poll(due.saturating_duration_since(now()), &mut take)?;
            if now() >= due {
                return Ok(());
            }
        }
    }
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
