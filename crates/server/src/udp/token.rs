//! The peer token of a UDP client: its address, as bytes for a journal. `docs/recording.md` fixes the layout, because
//! old journals depend on it.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use nuggets_record::PeerToken;

const IPV4: u8 = 4;
const IPV6: u8 = 6;

/// The token of a client at this address in a journal.
pub fn token(address: SocketAddr) -> PeerToken {
    let mut bytes = vec![];
    match address {
        SocketAddr::V4(address) => {
            bytes.push(IPV4);
            bytes.extend(address.ip().octets());
            bytes.extend(address.port().to_le_bytes());
        }
        SocketAddr::V6(address) => {
            bytes.push(IPV6);
            bytes.extend(address.ip().octets());
            bytes.extend(address.port().to_le_bytes());
            bytes.extend(address.flowinfo().to_le_bytes());
            bytes.extend(address.scope_id().to_le_bytes());
        }
    }
    PeerToken::new(&bytes).expect("an address takes 7 or 27 bytes")
}

/// The address in a token; `None` if another transport wrote it.
pub fn address(token: &PeerToken) -> Option<SocketAddr> {
    let (kind, rest) = token.as_bytes().split_first()?;
    match *kind {
        IPV4 => {
            let (octets, port) = rest.split_first_chunk::<4>()?;
            let port = u16::from_le_bytes(port.try_into().ok()?);
            Some(SocketAddrV4::new(Ipv4Addr::from(*octets), port).into())
        }
        IPV6 => {
            let (octets, rest) = rest.split_first_chunk::<16>()?;
            let (port, rest) = rest.split_first_chunk()?;
            let (flow, scope) = rest.split_first_chunk()?;
            let port = u16::from_le_bytes(*port);
            let flow = u32::from_le_bytes(*flow);
            let scope = u32::from_le_bytes(scope.try_into().ok()?);
            Some(SocketAddrV6::new(Ipv6Addr::from(*octets), port, flow, scope).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_comes_back_from_its_token() {
        let flow = SocketAddrV6::new(Ipv6Addr::LOCALHOST, 9, 70_000, 80_000).into();
        let parse = |address: &str| address.parse().unwrap();
        for known in [parse("127.0.0.1:4000"), parse("0.0.0.0:0"), parse("[fe80::1%3]:65535"), flow]
        {
            assert_eq!(address(&token(known)), Some(known));
        }
    }

    /// Existing journals contain these bytes.
    #[test]
    fn the_bytes_of_a_token_never_change() {
        let token = |address: &str| token(address.parse().unwrap()).as_bytes().to_vec();
        assert_eq!(token("127.0.0.1:4000"), [4, 127, 0, 0, 1, 0xa0, 0x0f]);
        let ipv6 = token("[fe80::1%3]:65535");
        assert_eq!(ipv6[..3], [6, 0xfe, 0x80]);
        assert_eq!(ipv6[16..], [1, 0xff, 0xff, 0, 0, 0, 0, 3, 0, 0, 0]);
    }

    #[test]
    fn a_token_of_another_transport_holds_no_address() {
        for bytes in [&[4, 127, 0, 0, 1, 0][..], &[4; 8], &[6; 26], &[6; 28], b"web 7f3a", &[4]] {
            assert_eq!(address(&PeerToken::new(bytes).unwrap()), None, "{bytes:?}");
        }
    }
}
