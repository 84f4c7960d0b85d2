//! The line that other people type to join a game of this machine.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address of the range for documentation. Nothing is sent there.
const SOMEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// The command to join the game, from another machine if this one has a network.
pub(super) fn join_line(bind: Option<IpAddr>, port: u16) -> String {
    let bound = bind.filter(|address| !address.is_unspecified());
    let address = bound.or_else(own_address).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    format!("player {address} {port} YOURNAME")
}

/// The address that this machine would send from. Connecting a UDP socket chooses it and sends nothing.
pub(crate) fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(SOMEWHERE).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_an_address_that_can_be_typed() {
        let loopback = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        assert_eq!(join_line(loopback, 9999), "player 127.0.0.1 9999 YOURNAME");
        for anywhere in [None, Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED))] {
            let line = join_line(anywhere, 7);
            let address: IpAddr = line.split(' ').nth(1).unwrap().parse().unwrap();
            assert!(!address.is_unspecified(), "{line}");
        }
    }
}
