//! A client of the specification, over UDP. It asks the nodes for the port of its game, and again when the server is
//! silent: after a take-over the game has a port at another node.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nuggets_testkit::now;

use super::{Pace, Seen};
use crate::http::find_game;

/// The time that a read waits.
const TURN: Duration = Duration::from_millis(5);
/// Between two attempts to join.
const RETRY: Duration = Duration::from_millis(500);
/// A server that sends nothing for this long is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// Plays a game by this name, wherever it has a port.
pub(super) fn play(kept: &Mutex<Seen>, nodes: &[SocketAddr], game: &str, name: &str, seed: i64) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(TURN)).unwrap();
    let started = now();
    let mut pace = Pace::new(seed, started);
    let mut nodes = nodes.iter().cycle();
    let mut server: Option<(SocketAddr, Instant)> = None;
    let mut asked = started.checked_sub(RETRY).unwrap_or(started);
    let mut buffer = vec![0; 1 << 16];
    while !kept.lock().unwrap().ends {
        let received = socket.recv_from(&mut buffer);
        let at = now();
        let is_gone = server.is_none_or(|(_, heard)| at.duration_since(heard) > PATIENCE);
        // A former server may still send what it showed last.
        if let Ok((length, from)) = received
            && (is_gone || server.is_some_and(|(server, _)| server == from))
        {
            server = Some((from, at));
            let datagram = &buffer[..length];
            kept.lock().unwrap().handle(at, |screen| screen.handle_datagram(datagram));
        }
        if is_gone && at.duration_since(asked) > RETRY {
            asked = at;
            let row = find_game(*nodes.next().unwrap(), game).unwrap_or_default();
            let port = row["udp_port"].as_u64().and_then(|port| u16::try_from(port).ok());
            let play = format!("PLAY {name}");
            let _ = port.map(|port| socket.send_to(play.as_bytes(), (Ipv4Addr::LOCALHOST, port)));
        }
        let mut held = kept.lock().unwrap();
        if let Some((server, _)) = server.filter(|_| held.screen.shown.view.is_some()) {
            for key in pace.keys(&mut held, at) {
                let _ = socket.send_to(format!("KEY {key}").as_bytes(), server);
            }
        }
    }
}
