//! The limits, as a host may set them.

use std::net::IpAddr;

use super::bucket::Rate;
use super::source::is_near;

/// A large picture must fit through at once, however little passes in a second.
const LEAST_BURST_BYTES: u64 = 1 << 17;
/// How long it takes to forgive what an address without a player's seat was sent.
const FORGIVEN_AFTER_S: u64 = 3600;

/// What hostile traffic is held to. `None` lifts a limit.
///
/// ```
/// use nuggets_server::Limits;
///
/// let limits = Limits { seats_per_source: Some(1), ..Limits::default() };
/// assert!(limits.is_trusted("192.168.1.7".parse().unwrap()));
/// assert!(!limits.is_trusted("203.0.113.7".parse().unwrap()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often in a second somebody may join or be welcomed again, per source address.
    pub joins_per_s: Option<u32>,
    /// How many players may come from one source address over the whole game.
    pub seats_per_source: Option<u32>,
    /// How often in a second the spectator's seat may be given away, to whomever.
    pub spectators_per_s: Option<u32>,
    /// How many datagrams of one player or spectator are listened to in a second.
    pub keys_per_s: Option<u32>,
    /// How many bytes an address is sent in all before it has shown that it listens.
    pub unproven_bytes: Option<u32>,
    /// How many bits all such addresses together are sent in a second.
    pub unproven_bits_per_s: Option<u32>,
    /// No limit holds for this machine, private networks and the same link.
    pub trust_private: bool,
}

impl Limits {
    /// No limit at all.
    pub fn none() -> Self {
        Self {
            joins_per_s: None,
            seats_per_source: None,
            spectators_per_s: None,
            keys_per_s: None,
            unproven_bytes: None,
            unproven_bits_per_s: None,
            trust_private: true,
        }
    }

    /// Whether no limit holds for this address.
    pub fn is_trusted(&self, ip: IpAddr) -> bool {
        self.trust_private && is_near(ip)
    }

    pub(super) fn joins(&self) -> Option<Rate> {
        self.joins_per_s.map(Rate::per_second)
    }

    pub(super) fn spectators(&self) -> Option<Rate> {
        self.spectators_per_s.map(Rate::per_second)
    }

    /// Two seconds' worth at once, for links that hold datagrams back and then bring all together.
    pub(super) fn keys(&self) -> Option<Rate> {
        self.keys_per_s.map(|n| Rate::per_second(n).with_burst(2 * u64::from(n)))
    }

    pub(super) fn bytes_of_a_source(&self) -> Option<Rate> {
        let bytes = u64::from(self.unproven_bytes?);
        Some(Rate { burst: bytes, per_s: (bytes / FORGIVEN_AFTER_S).max(1) })
    }

    pub(super) fn bytes_of_all(&self) -> Option<Rate> {
        let per_s = self.unproven_bits_per_s? / 8;
        let burst = u64::from(per_s / 2).max(LEAST_BURST_BYTES);
        Some(Rate::per_second(per_s).with_burst(burst))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            joins_per_s: Some(2),
            seats_per_source: Some(4),
            spectators_per_s: Some(5),
            keys_per_s: Some(100),
            unproven_bytes: Some(32 * 1024),
            unproven_bits_per_s: Some(4_000_000),
            trust_private: true,
        }
    }
}
