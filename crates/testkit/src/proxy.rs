//! A TCP proxy on 127.0.0.1 that simulates the network between a program and a server: either direction can be cut, and
//! bytes that were sent meanwhile arrive when the cut ends, because TCP retransmits them.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Interval at which a thread checks if it may continue.
const POLL: Duration = Duration::from_millis(2);

/// The direction that is cut, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutDirection {
    /// No bytes pass in either direction.
    Both,
    /// The server receives nothing; its output arrives.
    ToServer,
    /// The server receives everything; its output does not arrive.
    FromServer,
}

/// The network between a program and a server.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The port of the server.
    target: AtomicU16,
    cuts_to_server: AtomicBool,
    cuts_from_server: AtomicBool,
    ends: AtomicBool,
    /// Incremented when all connections are broken.
    generation: AtomicU64,
    /// Both ends of all connections.
    streams: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Listens on a free port and forwards all connections to the port `target`.
    pub fn start(target: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let state = Arc::new(State::default());
        state.target.store(target, Ordering::SeqCst);
        let accepting = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if accepting.ends.load(Ordering::SeqCst) {
                    return;
                }
                let state = Arc::clone(&accepting);
                thread::spawn(move || state.connect(client));
            }
        });
        Self { port, state }
    }

    /// Returns the port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Forwards new connections to this port.
    pub fn set_target(&self, port: u16) {
        self.state.target.store(port, Ordering::SeqCst);
    }

    /// Cuts a direction.
    pub fn cut(&self, cut: CutDirection) {
        self.state.cuts_to_server.store(cut != CutDirection::FromServer, Ordering::SeqCst);
        self.state.cuts_from_server.store(cut != CutDirection::ToServer, Ordering::SeqCst);
    }

    /// Ends all cuts.
    pub fn mend(&self) {
        self.state.cuts_to_server.store(false, Ordering::SeqCst);
        self.state.cuts_from_server.store(false, Ordering::SeqCst);
    }

    /// Breaks all connections, and closes every new one at once until there is a target again.
    pub fn close(&self) {
        self.set_target(0);
        self.break_connections();
    }

    /// Breaks all connections.
    pub fn break_connections(&self) {
        self.state.generation.fetch_add(1, Ordering::SeqCst);
        let mut streams = self.state.streams.lock().expect("no thread panics with this lock");
        for stream in streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        self.mend();
        self.break_connections();
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl State {
    /// Forwards a new connection. While the direction to the server is cut, it does not reach the server.
    fn connect(self: &Arc<Self>, client: TcpStream) {
        let generation = self.generation.load(Ordering::SeqCst);
        self.wait(&self.cuts_to_server, generation);
        let target = self.target.load(Ordering::SeqCst);
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, target)) else { return };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (Ok(from), Ok(to)) = (server.try_clone(), client.try_clone()) else { return };
        self.keep([&client, &server], generation);
        let state = Arc::clone(self);
        thread::spawn(move || state.pass(from, to, &state.cuts_from_server, generation));
        self.pass(client, server, &self.cuts_to_server, generation);
    }

    /// Keeps both ends of a connection, to break it on request. Breaks it at once if the request came during its setup.
    fn keep(&self, ends: [&TcpStream; 2], generation: u64) {
        let mut streams = self.streams.lock().expect("no thread panics with this lock");
        if self.generation.load(Ordering::SeqCst) != generation {
            for stream in ends {
                let _ = stream.shutdown(Shutdown::Both);
            }
            return;
        }
        // Closed streams are dropped from the list.
        streams.retain(|stream| stream.take_error().is_ok() && stream.peer_addr().is_ok());
        streams.extend(ends.into_iter().filter_map(|stream| stream.try_clone().ok()));
    }

    /// Forwards bytes and the end of the stream in one direction. Holds them back while it is cut.
    fn pass(&self, mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool, generation: u64) {
        let mut buffer = [0; 16 * 1024];
        loop {
            let read = match from.read(&mut buffer) {
                Err(why) if why.kind() == ErrorKind::Interrupted => continue,
                read => read.unwrap_or(0),
            };
            self.wait(cut, generation);
            if read == 0 || to.write_all(&buffer[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
        let _ = from.shutdown(Shutdown::Read);
    }

    fn wait(&self, cut: &AtomicBool, generation: u64) {
        while cut.load(Ordering::SeqCst)
            && self.generation.load(Ordering::SeqCst) == generation
            && !self.ends.load(Ordering::SeqCst)
        {
            thread::sleep(POLL);
        }
    }
}
