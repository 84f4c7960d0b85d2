//! Ports for servers that are restarted on the same port.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the range from which systems choose ports for sockets that name none: no socket of another test takes
/// such a port while its server is down.
const FIRST: u16 = 10_000;
const COUNT: u32 = 20_000;
/// Where the tests of several processes begin to look.
const STRIDE: u32 = 128;

/// A port that is free, for UDP and TCP, and that nobody else in this process is given.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_free = |port: &u16| {
        UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok()
            && TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok()
    };
    let ports = std::iter::repeat_with(|| {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let offset = process::id().wrapping_mul(STRIDE).wrapping_add(next) % COUNT;
        FIRST + u16::try_from(offset).unwrap()
    });
    ports.take(1000).find(is_free).expect("a free port")
}
