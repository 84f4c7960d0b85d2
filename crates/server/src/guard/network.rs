//! A network in the operator's notation.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// All addresses that begin with the same bits, such as `203.0.113.0/24`, or one address.
///
/// ```
/// use nuggets_server::IpNetwork;
///
/// let school: IpNetwork = "203.0.113.0/24".parse().unwrap();
/// assert!(school.contains("203.0.113.7".parse().unwrap()));
/// assert!(!school.contains("203.0.114.7".parse().unwrap()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpNetwork {
    /// The address, in its IPv4 form if it has one.
    address: IpAddr,
    /// Number of leading bits that are compared.
    bits: u32,
}

/// The error for a text that is not a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "give an address such as 203.0.113.7, or a network such as 203.0.113.0/24 or 2001:db8::/32"
)]
pub struct BadNetwork;

impl IpNetwork {
    /// True if the address belongs to the network. An IPv4 address also matches in its IPv6 form.
    pub fn contains(&self, ip: IpAddr) -> bool {
        match (self.address, ip.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(ip)) => {
                let different = network.to_bits() ^ ip.to_bits();
                different.leading_zeros() >= self.bits
            }
            (IpAddr::V6(network), IpAddr::V6(ip)) => {
                let different = network.to_bits() ^ ip.to_bits();
                different.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl FromStr for IpNetwork {
    type Err = BadNetwork;

    fn from_str(typed: &str) -> Result<Self, BadNetwork> {
        let (address, bits) = match typed.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| BadNetwork)?)),
            None => (typed, None),
        };
        let address: IpAddr = address.parse().map_err(|_| BadNetwork)?;
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(all);
        if bits > all || address.to_canonical() != address {
            return Err(BadNetwork);
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_all_addresses_with_the_same_first_bits() {
        for (network, inside, outside) in [
            ("203.0.113.0/24", "203.0.113.255", "203.0.112.255"),
            ("203.0.113.7", "203.0.113.7", "203.0.113.6"),
            ("203.0.113.7/31", "203.0.113.6", "203.0.113.8"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("::/0", "ff::", "1.2.3.4"),
            ("203.0.113.0/24", "::ffff:203.0.113.9", "::203.0.113.9"),
        ] {
            let parsed: IpNetwork = network.parse().unwrap();
            assert!(parsed.contains(inside.parse().unwrap()), "{inside} in {network}");
            assert!(!parsed.contains(outside.parse().unwrap()), "{outside} in {network}");
            assert_eq!(parsed.to_string().parse(), Ok(parsed));
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for typed in [
            "",
            "/",
            "1.2.3/8",
            "1.2.3.4/33",
            "::/129",
            "1.2.3.4/",
            "1.2.3.4/-1",
            "::ffff:1.2.3.4",
            "host",
        ] {
            assert_eq!(typed.parse::<IpNetwork>(), Err(BadNetwork), "{typed:?}");
        }
    }
}
