//! The source of a datagram, as far as limits are concerned. It may be spoofed.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The unit that a limit applies to: an IPv4 address, or an IPv6 network of 64 bits, since one host usually has all
/// addresses of such a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceKey {
    is_v6: bool,
    bits: u64,
}

impl SourceKey {
    pub(super) fn of(address: SocketAddr) -> Self {
        match address.ip().to_canonical() {
            IpAddr::V4(ip) => Self { is_v6: false, bits: ip.to_bits().into() },
            IpAddr::V6(ip) => Self { is_v6: true, bits: network(ip) },
        }
    }

    pub(super) fn bytes(self) -> [u8; 9] {
        let mut bytes = [u8::from(self.is_v6); 9];
        bytes[1..].copy_from_slice(&self.bits.to_le_bytes());
        bytes
    }
}

fn network(ip: Ipv6Addr) -> u64 {
    u64::try_from(ip.to_bits() >> 64).expect("64 of 128 bits are left")
}

/// True for this machine, private networks and the same link.
pub(super) fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// True if this can be the address of one machine. Any other source is spoofed.
pub(super) fn is_unicast(address: SocketAddr) -> bool {
    let ip = address.ip().to_canonical();
    let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    address.port() != 0 && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SourceKey {
        SourceKey::of(text.parse().unwrap())
    }

    #[test]
    fn this_machine_and_private_networks_are_private_also_over_ipv6() {
        let private = "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.3.4 169.254.1.1 \
                    ::1 fc00::1 fdab::9 fe80::1 ::ffff:127.0.0.1 ::ffff:192.168.1.1";
        let public = "8.8.8.8 172.32.0.1 172.15.0.1 192.169.0.1 11.0.0.1 0.0.0.0 100.64.0.1 \
                   2001:db8::1 ::2 fe00::1 fec0::1 ::ffff:8.8.8.8 ::10.0.0.1";
        for ip in private.split_whitespace() {
            assert!(is_private(ip.parse().unwrap()), "{ip}");
        }
        for ip in public.split_whitespace() {
            assert!(!is_private(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn a_source_is_an_ipv4_address_or_an_ipv6_network() {
        assert_eq!(source("8.8.8.8:1"), source("8.8.8.8:2"));
        assert_eq!(source("8.8.8.8:1"), source("[::ffff:8.8.8.8]:1"));
        assert_ne!(source("8.8.8.8:1"), source("8.8.8.9:1"));
        assert_eq!(source("[2001:db8:1:2::3]:1"), source("[2001:db8:1:2:ffff::]:9"));
        assert_ne!(source("[2001:db8:1:2::3]:1"), source("[2001:db8:1:3::3]:1"));
        // The same bits of IPv4 and IPv6 are different sources.
        assert_ne!(source("0.0.0.9:1").bytes(), source("[0:0:0:9::]:1").bytes());
    }

    #[test]
    fn addresses_of_nobody_or_of_many_are_not_unicast() {
        for no in ["0.0.0.0:9", "8.8.8.8:0", "224.0.0.1:9", "255.255.255.255:9", "[::]:9"] {
            assert!(!is_unicast(no.parse().unwrap()), "{no}");
        }
        for no in ["[ff02::1]:9", "[::ffff:255.255.255.255]:9", "[::ffff:239.1.1.1]:9"] {
            assert!(!is_unicast(no.parse().unwrap()), "{no}");
        }
        for yes in ["8.8.8.8:9", "127.0.0.1:9", "[::1]:9", "[2001:db8::1]:9"] {
            assert!(is_unicast(yes.parse().unwrap()), "{yes}");
        }
    }
}
