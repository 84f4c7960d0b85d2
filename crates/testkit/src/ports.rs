//! Free and closed ports of this machine.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::ops::RangeInclusive;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first port to try. It is below the range of ephemeral ports, so that no socket of another test takes the port of
/// a server while that is down.
const FIRST: u16 = 10_000;
const COUNT: u32 = 20_000;
/// The distance between the first ports that two processes try.
const STRIDE: u32 = 128;

/// Returns a port that is free for UDP and TCP, and that no other call in this process returns.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_free = |port: &u16| {
        UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok()
            && TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok()
    };
    let ports = std::iter::repeat_with(|| {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let offset = process::id().wrapping_mul(STRIDE).wrapping_add(next) % COUNT;
        FIRST + u16::try_from(offset).expect("an offset below COUNT")
    });
    ports.take(1000).find(is_free).expect("there is a free port")
}

/// Returns consecutive free ports.
pub fn free_ports(count: u16) -> RangeInclusive<u16> {
    loop {
        let first = free_port();
        if (first + 1..first + count).all(|expected| free_port() == expected) {
            return first..=first + count - 1;
        }
    }
}

/// Returns a UDP port that is closed to others while the socket exists: it receives only from itself.
pub fn closed_port() -> (UdpSocket, u16) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    let address = socket.local_addr().expect("a bound socket has an address");
    socket.connect(address).expect("a socket can be connected to itself");
    (socket, address.port())
}
