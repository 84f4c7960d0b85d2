//! What the rounds of a load come to.

use std::collections::BTreeMap;
use std::time::Duration;

use super::drive::{BenchRound, LoadSize, Pace};

/// What one load costs the host and the bare loop. Each figure is the median of all rounds.
#[derive(Clone, Debug)]
pub(crate) struct HostCost {
    pub(crate) size: LoadSize,
    pub(crate) keys_per_s: u32,
    /// Processor time for each key, in microseconds.
    pub(crate) host_us: f64,
    pub(crate) bare_us: f64,
    /// The host's time in proportion to that of the bare loop.
    pub(crate) ratio: f64,
    /// From key to picture.
    pub(crate) host_ms: Percentiles,
    pub(crate) bare_ms: Percentiles,
    /// Messages to players for each key.
    pub(crate) messages: f64,
    /// The median of the bytes that a player is sent for a key, of those who are sent any.
    pub(crate) bytes: f64,
    /// How far watchers are behind; 0 without watchers.
    pub(crate) behind_ms: Percentiles,
}

/// In milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl HostCost {
    pub(super) fn of(size: LoadSize, pace: Pace, rounds: &[(BenchRound, BenchRound)]) -> Self {
        let of = |figure: fn(&(BenchRound, BenchRound)) -> f64| {
            median(rounds.iter().map(figure).collect())
        };
        let of_times = |times: fn(&(BenchRound, BenchRound)) -> &[Duration]| {
            let rounds: Vec<Percentiles> =
                rounds.iter().map(|r| Percentiles::of(times(r))).collect();
            let of = |figure: fn(&Percentiles) -> f64| median(rounds.iter().map(figure).collect());
            Percentiles { p50: of(|p| p.p50), p99: of(|p| p.p99), max: of(|p| p.max) }
        };
        Self {
            size,
            keys_per_s: pace.keys_per_s,
            host_us: of(|(host, _)| us_per_key(host)),
            bare_us: of(|(_, bare)| us_per_key(bare)),
            ratio: of(|(host, bare)| us_per_key(host) / us_per_key(bare)),
            host_ms: of_times(|(host, _)| &host.latencies),
            bare_ms: of_times(|(_, bare)| &bare.latencies),
            messages: of(|(host, _)| messages_per_key(host)),
            bytes: of(|(host, _)| median(bytes_per_key_and_player(host))),
            behind_ms: of_times(|(host, _)| &host.behind),
        }
    }
}

impl std::fmt::Display for HostCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host_us, bare_us, ratio, host_ms, bare_ms, behind_ms, .. } = self;
        write!(f, "{host_us:.0} µs per key, bare loop {bare_us:.0} µs, ratio {ratio:.2}; ")?;
        write!(f, "p50/p99 {:.2}/{:.2} ms, ", host_ms.p50, host_ms.p99)?;
        write!(f, "bare loop {:.2}/{:.2} ms; ", bare_ms.p50, bare_ms.p99)?;
        write!(f, "watchers behind p99 {:.0} ms, at most {:.0} ms", behind_ms.p99, behind_ms.max)
    }
}

impl Percentiles {
    pub(crate) fn of(times: &[Duration]) -> Self {
        let mut ms: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        ms.sort_by(f64::total_cmp);
        let at = |percent: usize| ms.get((ms.len() * percent / 100).min(ms.len().max(1) - 1));
        let at = |percent| at(percent).copied().unwrap_or(0.0);
        Self { p50: at(50), p99: at(99), max: at(100) }
    }
}

/// The p99 from key to picture of one round in proportion to that of another.
pub(super) fn p99_ratio(round: &BenchRound, other: &BenchRound) -> f64 {
    Percentiles::of(&round.latencies).p99 / Percentiles::of(&other.latencies).p99
}

/// The median; 0 if there is nothing.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "microseconds")]
fn us_per_key(round: &BenchRound) -> f64 {
    round.cpu_ns as f64 / 1e3 / f64::from(round.keys)
}

#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn messages_per_key(round: &BenchRound) -> f64 {
    let messages: usize = round.keys_sent.iter().map(|order| order.to.len()).sum();
    messages as f64 / f64::from(round.keys)
}

#[expect(clippy::cast_precision_loss, reason = "bytes")]
fn bytes_per_key_and_player(round: &BenchRound) -> Vec<f64> {
    let of_key = |to: &[(usize, usize)]| {
        let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
        for (player, count) in to {
            *bytes.entry(*player).or_default() += count;
        }
        bytes.into_values()
    };
    round.keys_sent.iter().flat_map(|order| of_key(&order.to)).map(|bytes| bytes as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let times: Vec<Duration> = (1..=1000).rev().map(Duration::from_millis).collect();
        assert_eq!(
            format!("{:?}", Percentiles::of(&times)),
            "Percentiles { p50: 501.0, p99: 991.0, max: 1000.0 }"
        );
        assert_eq!(
            format!("{:?}", Percentiles::of(&[])),
            "Percentiles { p50: 0.0, p99: 0.0, max: 0.0 }"
        );
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(format!("{} {}", median(vec![3.0, 1.0, 2.0]), median(Vec::new())), "2 0");
    }
}
