//! The limits of the guard, as configured by the operator.

use std::net::IpAddr;

use super::IpNetwork;
use super::source::is_private;
use crate::rate_limit::Rate;

/// Minimum burst, so that one large picture fits however low the rate is.
const MIN_BURST_BYTES: u64 = 1 << 17;
/// Time that the byte budget of an address without a player's seat takes to refill.
const REFILL_S: u64 = 3600;

/// Limits for hostile traffic. `None` lifts a limit.
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
    /// Joins per second from one source, and repeated welcomes per second to one seat.
    pub joins_per_s: Option<u32>,
    /// Players from one source over the whole game, which leaves letters for others. Also applies to private
    /// networks, but not to this machine.
    pub seats_per_source: Option<u32>,
    /// Changes of the spectator per second, over all sources.
    pub spectators_per_s: Option<u32>,
    /// Total byte budget of one address until it has proven that it listens.
    pub unproven_bytes: Option<u32>,
    /// Bits per second sent to all unproven addresses together.
    pub unproven_bits_per_s: Option<u32>,
    /// Exempts this machine, private networks and the same link from all limits, except that only this machine is
    /// exempt from `seats_per_source`.
    pub trust_private: bool,
    /// Networks that are exempt from all limits.
    pub allow: Vec<IpNetwork>,
}

impl Limits {
    /// No limit at all.
    pub fn none() -> Self {
        Self {
            joins_per_s: None,
            seats_per_source: None,
            spectators_per_s: None,
            unproven_bytes: None,
            unproven_bits_per_s: None,
            trust_private: true,
            allow: Vec::new(),
        }
    }

    /// True if this address is exempt from all limits, except possibly the limit on seats.
    pub fn is_trusted(&self, ip: IpAddr) -> bool {
        self.trust_private && is_private(ip) || self.is_allowed(ip)
    }

    fn is_allowed(&self, ip: IpAddr) -> bool {
        self.allow.iter().any(|network| network.contains(ip))
    }

    /// Maximum number of players from this address; `None` for no limit.
    pub(super) fn seats_of(&self, ip: IpAddr) -> Option<u32> {
        let is_here = self.trust_private && ip.to_canonical().is_loopback();
        self.seats_per_source.filter(|_| !is_here && !self.is_allowed(ip))
    }

    pub(super) fn joins(&self) -> Option<Rate> {
        self.joins_per_s.map(Rate::per_second)
    }

    pub(super) fn spectators(&self) -> Option<Rate> {
        self.spectators_per_s.map(Rate::per_second)
    }

    pub(super) fn bytes_of_one(&self) -> Option<Rate> {
        let bytes = u64::from(self.unproven_bytes?);
        Some(Rate { burst: bytes, per_s: (bytes / REFILL_S).max(1) })
    }

    pub(super) fn bytes_of_all(&self) -> Option<Rate> {
        let per_s = self.unproven_bits_per_s? / 8;
        let burst = u64::from(per_s / 2).max(MIN_BURST_BYTES);
        Some(Rate::per_second(per_s).with_burst(burst))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            joins_per_s: Some(2),
            seats_per_source: Some(20),
            spectators_per_s: Some(5),
            unproven_bytes: Some(32 * 1024),
            unproven_bits_per_s: Some(4_000_000),
            trust_private: true,
            allow: Vec::new(),
        }
    }
}
