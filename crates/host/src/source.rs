//! The source of a request, for rate limits and bans.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The unit that limits and bans apply to: an IPv4 address, or an IPv6 network of 64 bits, since one host usually has
/// all addresses of such a network.
///
/// ```
/// use nuggets_host::Source;
///
/// let source = Source::of("2001:db8:1:2:3:4:5:6".parse().unwrap());
/// assert_eq!(source, Source::of("2001:db8:1:2::9".parse().unwrap()));
/// assert_eq!(source.to_string(), "2001:db8:1:2::/64");
/// assert_eq!(source.to_string().parse(), Ok(source));
/// assert_eq!(Source::of("::ffff:10.0.0.1".parse().unwrap()).to_string(), "10.0.0.1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source(IpAddr);

impl Source {
    /// Returns the source of an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(ip) => Self(IpAddr::V4(ip)),
            IpAddr::V6(ip) => Self(IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64))),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(ip) => ip.fmt(f),
            IpAddr::V6(ip) => write!(f, "{ip}/64"),
        }
    }
}

impl Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl FromStr for Source {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_suffix("/64").unwrap_or(text).parse().map(Self::of)
    }
}
