//! The shell of a room: one UDP socket, one thread, nothing of the game.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tracing::{debug, info, warn};

use crate::{Level, Room};

/// How long a blocking read may last before the stop flag is looked at again. A signal interrupts
/// the read as well, so this is only felt when one falls just between the two.
const LOOK_UP_EVERY: Duration = Duration::from_millis(200);
/// Room for a burst of the largest pictures. Also lifts the limit that macOS sets on a datagram.
const BUFFER_BYTES: usize = 1 << 20;
/// An error that comes this often without a message in between isn't a passing one.
const MOST_ERRORS_IN_A_ROW: u32 = 100;

/// Opens the server's socket: on this address, or on all interfaces, IPv6 and IPv4 together where
/// the system has both. Port 0 lets the system choose.
pub fn bind(address: Option<IpAddr>, port: u16) -> io::Result<UdpSocket> {
    match address {
        Some(address) => open(SocketAddr::new(address, port)),
        None => open((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|why| {
            if why.kind() == ErrorKind::AddrInUse {
                return Err(why);
            }
            debug!("no IPv6 here ({why}), IPv4 only");
            open((Ipv4Addr::UNSPECIFIED, port).into())
        }),
    }
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        socket.set_only_v6(false)?;
    }
    for enlarged in
        [socket.set_recv_buffer_size(BUFFER_BYTES), socket.set_send_buffer_size(BUFFER_BYTES)]
    {
        if let Err(why) = enlarged {
            debug!("the socket keeps its own buffer size: {why}");
        }
    }
    socket.bind(&address.into())?;
    socket.set_read_timeout(Some(LOOK_UP_EVERY))?;
    Ok(socket.into())
}

/// Hosts the room on this socket until its game is over or `stop` becomes true; then everybody
/// still here is told. Fails only when the socket can't be read any more.
pub fn serve(socket: &UdpSocket, room: &mut Room, stop: &AtomicBool) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let mut errors = 0;
    while !room.is_closed() && !stop.load(Ordering::Relaxed) {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                errors = 0;
                room.handle_message(from.into(), &buffer[..length]);
                flush(socket, room);
            }
            Err(why) if is_passing(why.kind()) => {}
            Err(why) if errors < MOST_ERRORS_IN_A_ROW => {
                errors += 1;
                warn!("can't read from the socket: {why}");
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(why) => return Err(why),
        }
    }
    room.shut_down();
    flush(socket, room);
    Ok(())
}

/// Timeouts and signals, and what other people's closed ports and lost routes answer.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}

fn flush(socket: &UdpSocket, room: &mut Room) {
    while let Some(notice) = room.poll_notice() {
        match notice.level() {
            Level::Warn => warn!("{notice}"),
            Level::Info => info!("{notice}"),
            Level::Debug => debug!("{notice}"),
        }
    }
    while let Some(transmit) = room.poll_transmit() {
        let sent = send(socket, transmit.payload, transmit.to.into());
        if let Err(why) = sent {
            debug!("can't send to {}: {why}", transmit.to);
        }
    }
}

/// A refusal that an earlier datagram brought back may be reported on this one: then it was not
/// sent, and is sent again.
fn send(socket: &UdpSocket, payload: &[u8], to: SocketAddr) -> io::Result<()> {
    match socket.send_to(payload, to) {
        Err(why) if matches!(why.kind(), ErrorKind::ConnectionRefused | ErrorKind::Interrupted) => {
            socket.send_to(payload, to).map(drop)
        }
        sent => sent.map(drop),
    }
}
