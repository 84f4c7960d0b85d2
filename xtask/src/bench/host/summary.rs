//! What the rounds of a load come to.

use std::collections::BTreeMap;

use super::drive::{BenchRound, LoadSize, Pace};
use crate::bench::figures::{Figures, median};

/// The cost of one load for the host and the bare loop, for each key: the median of each figure of all rounds.
///
/// `host µs` and `bare µs` are processor time; `host …` and `bare …` are times from key to picture, `behind …` says how
/// far watchers are behind, in milliseconds; `messages` go to players; `bytes` is the median of what a player is sent
/// who is sent anything.
#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
pub(super) fn cost(size: LoadSize, pace: Pace, rounds: &[(BenchRound, BenchRound)]) -> Figures {
    let rounds: Vec<Figures> = rounds.iter().map(|(host, bare)| round(host, bare)).collect();
    Figures::medians(&rounds).with([
        ("games", size.games as f64),
        ("watchers", size.watchers as f64),
        ("keys a second", pace.keys_per_s.into()),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "figures of a report")]
fn round(host: &BenchRound, bare: &BenchRound) -> Figures {
    let [host_us, bare_us] =
        [host, bare].map(|round| round.cpu_ns as f64 / 1e3 / f64::from(round.keys));
    let messages: usize = host.keys_sent.iter().map(|order| order.to.len()).sum();
    Figures::new([
        ("host µs", host_us),
        ("bare µs", bare_us),
        ("ratio", host_us / bare_us),
        ("messages", messages as f64 / f64::from(host.keys)),
        ("bytes", median(bytes_per_key_and_player(host))),
    ])
    .with_times("host", &host.latencies)
    .with_times("bare", &bare.latencies)
    .with_times("behind", &host.behind)
}

/// A line for people who wait for the report.
pub(super) fn one_line(cost: &Figures) -> String {
    let [host_us, bare_us, ratio] = ["host µs", "bare µs", "ratio"].map(|name| cost.get(name));
    let ms = ["host p50", "host p99", "bare p50", "bare p99"];
    let [host_p50, host_p99, bare_p50, bare_p99] = ms.map(|name| cost.get(name));
    let [behind, max] = ["behind p99", "behind max"].map(|name| cost.get(name));
    format!(
        "{host_us:.0} µs per key, bare loop {bare_us:.0} µs, ratio {ratio:.2}; p50/p99 {host_p50:.2}/{host_p99:.2} ms, \
         bare loop {bare_p50:.2}/{bare_p99:.2} ms; watchers behind p99 {behind:.0} ms, at most {max:.0} ms"
    )
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
