//! The network between a browser and a host, which a test can cut: raw bytes, so that the pages notice nothing else.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Passes connections on to a host while it is up. Ends with the test process.
pub(crate) struct Network {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    is_up: bool,
    streams: Vec<TcpStream>,
}

impl Network {
    /// A network in front of the host at this address, such as `http://127.0.0.1:8080`.
    pub(crate) fn before(host: &str) -> Self {
        let host: SocketAddr = host.strip_prefix("http://").unwrap().parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State { is_up: true, streams: vec![] }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A connection that can't be passed on is closed.
                let _ = pass_on(stream, host, &shared);
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Closes all connections, and every new one at once.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_up = false;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(crate) fn mend(&self) {
        self.state.lock().unwrap().is_up = true;
    }
}

fn pass_on(client: TcpStream, host: SocketAddr, state: &Mutex<State>) -> io::Result<()> {
    let mut state = state.lock().unwrap();
    if !state.is_up {
        return Ok(());
    }
    let server = TcpStream::connect(host)?;
    state.streams.extend([client.try_clone()?, server.try_clone()?]);
    for (mut from, mut to) in [(client.try_clone()?, server.try_clone()?), (server, client)] {
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
    Ok(())
}
