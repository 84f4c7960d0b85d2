//! The options for rate limits, and the limits that result from them.

use clap::Args;
use nuggets_server::{IpNetwork, Limits};

/// The largest value of any limit: in kilobytes or kilobits it still fits into 32 bits.
const MAX_LIMIT: u32 = 4_000_000;
const KILOBYTE: u32 = 1024;
const KILOBIT: u32 = 1000;

/// Rate limits and quotas. Each takes a number or `off`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits for hostile traffic (see docs/security.md)")]
pub(crate) struct LimitArgs {
    /// Joins per second from one address
    #[arg(long, value_name = "N", default_value = "2", value_parser = cap)]
    pub(crate) limit_joins: Cap,

    /// Players from one address over the whole game, also from private networks, but not from this machine
    #[arg(long, value_name = "N", default_value = "20", value_parser = cap)]
    pub(crate) limit_seats: Cap,

    /// Replacements of the spectator per second
    #[arg(long, value_name = "N", default_value = "5", value_parser = cap)]
    pub(crate) limit_spectators: Cap,

    /// Keys per second of one client
    #[arg(long, value_name = "N", default_value = "100", value_parser = cap)]
    pub(crate) limit_keys: Cap,

    /// Byte budget, in kilobytes, of an address that has not yet proven to receive (it may be spoofed)
    #[arg(long, value_name = "KB", default_value = "32", value_parser = cap)]
    pub(crate) limit_unproven: Cap,

    /// Rate limit, in kilobits per second, of all such addresses together
    #[arg(long, value_name = "KBIT", default_value = "4000", value_parser = cap)]
    pub(crate) limit_unproven_rate: Cap,

    /// Exempt this address or network, such as 203.0.113.0/24, from all limits; may be given several times
    #[arg(long, value_name = "CIDR")]
    pub(crate) allow: Vec<IpNetwork>,

    /// Apply the limits to this machine and private networks, too
    #[arg(long)]
    pub(crate) limit_private: bool,

    /// Turn all limits off, overriding the other options
    #[arg(long)]
    pub(crate) no_limits: bool,
}

/// A limit; none if it is `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cap(Option<u32>);

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        if self.no_limits {
            return Limits::none();
        }
        Limits {
            joins_per_s: self.limit_joins.0,
            seats_per_source: self.limit_seats.0,
            spectators_per_s: self.limit_spectators.0,
            unproven_bytes: self.limit_unproven.in_units_of(KILOBYTE),
            unproven_bits_per_s: self.limit_unproven_rate.in_units_of(KILOBIT),
            trust_private: !self.limit_private,
            allow: self.allow.clone(),
        }
    }

    /// The key rate of one client; `None` if there is none.
    pub(crate) fn keys_per_s(&self) -> Option<u32> {
        self.limit_keys.0.filter(|_| !self.no_limits)
    }
}

impl Cap {
    fn in_units_of(self, unit: u32) -> Option<u32> {
        self.0.map(|number| number.saturating_mul(unit))
    }
}

fn cap(typed: &str) -> Result<Cap, String> {
    if typed == "off" {
        return Ok(Cap(None));
    }
    let number = typed.parse().ok().filter(|number| (1..=MAX_LIMIT).contains(number));
    number
        .map(|number| Cap(Some(number)))
        .ok_or_else(|| format!("give a whole number from 1 to {MAX_LIMIT}, or `off` for no limit"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        limits: LimitArgs,
    }

    fn read(typed: &str) -> Result<Limits, String> {
        parse(typed).map(|typed| typed.limits())
    }

    fn parse(typed: &str) -> Result<LimitArgs, String> {
        let words = ["server"].into_iter().chain(typed.split_whitespace());
        Typed::try_parse_from(words).map(|typed| typed.limits).map_err(|why| why.to_string())
    }

    fn keys_per_s(typed: &str) -> Option<u32> {
        parse(typed).unwrap().keys_per_s()
    }

    #[test]
    fn the_default_options_are_the_default_limits() {
        assert_eq!(read(""), Ok(Limits::default()));
        assert_eq!(keys_per_s(""), Some(100));
    }

    #[test]
    fn every_limit_can_be_set() {
        let typed = "--limit-joins 1 --limit-seats 2 --limit-spectators 3 --limit-keys 4 \
                     --limit-unproven 5 --limit-unproven-rate 6 --limit-private \
                     --allow 203.0.113.0/24 --allow ::1";
        let limits = Limits {
            joins_per_s: Some(1),
            seats_per_source: Some(2),
            spectators_per_s: Some(3),
            unproven_bytes: Some(5 * 1024),
            unproven_bits_per_s: Some(6000),
            trust_private: false,
            allow: vec!["203.0.113.0/24".parse().unwrap(), "::1".parse().unwrap()],
        };
        assert_eq!(read(typed), Ok(limits));
        assert_eq!(keys_per_s(typed), Some(4));
    }

    #[test]
    fn every_limit_can_be_turned_off_one_by_one_or_all_at_once() {
        let typed = "--limit-joins off --limit-seats off --limit-spectators off --limit-keys off \
                     --limit-unproven off --limit-unproven-rate off";
        assert_eq!(read(typed), Ok(Limits::none()));
        assert_eq!(keys_per_s(typed), None);
        assert_eq!(keys_per_s("--no-limits"), None);
        assert_eq!(read("--no-limits --limit-private --limit-seats 1"), Ok(Limits::none()));
    }

    #[test]
    fn the_largest_number_fits_all_units() {
        let limits = read("--limit-unproven 4000000 --limit-unproven-rate 4000000").unwrap();
        assert_eq!(limits.unproven_bytes, Some(4_096_000_000));
        assert_eq!(limits.unproven_bits_per_s, Some(4_000_000_000));
    }

    #[test]
    fn a_network_that_is_none_is_rejected_with_an_example() {
        let error = read("--allow school").unwrap_err();
        assert!(error.contains("such as 203.0.113.0/24"), "{error}");
    }

    #[test]
    fn invalid_limits_are_rejected_with_the_reason() {
        for typed in ["0", "-1", "x", "1.5", "4000001", "Off", "99999999999"] {
            let error = read(&format!("--limit-keys={typed}")).unwrap_err();
            assert!(error.contains("from 1 to 4000000, or `off`"), "{error}");
        }
    }
}
