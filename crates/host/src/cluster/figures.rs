//! Counters of the group commit, for metrics, the admin page and `nuggets cluster status`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nuggets_time::Timestamp;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};

use super::ownership::Batch;
use crate::locks::lock;

/// Seconds that a commit takes.
const BUCKETS: [f64; 9] = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0, 2.0];

/// Counters of the group commit.
#[derive(Debug)]
pub(crate) struct CommitFigures {
    pub(crate) commit_time: Histogram,
    pub(crate) commits: Counter,
    pub(crate) records: Counter,
    pub(crate) take_overs: Counter,
    /// The last time that rates were asked for, with the counters of that time.
    last: Mutex<(Timestamp, u64, u64)>,
    longest_ms: AtomicU64,
}

impl Default for CommitFigures {
    fn default() -> Self {
        Self {
            commit_time: Histogram::new(BUCKETS),
            commits: Counter::default(),
            records: Counter::default(),
            take_overs: Counter::default(),
            last: Mutex::default(),
            longest_ms: AtomicU64::new(0),
        }
    }
}

/// The figures that a node stores about itself once a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeLoad {
    /// Commits per second.
    pub commits_per_s: f64,
    /// Rows of journals per commit.
    pub records_per_commit: f64,
    /// The longest commit of the last second, in milliseconds.
    pub longest_commit_ms: u64,
    /// Games with records that were not stored.
    pub waiting: u64,
    /// Games that it runs.
    pub games: u64,
    /// Its WebSockets.
    pub connections: u64,
}

impl CommitFigures {
    /// Adds its counters to those of the host.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Time of a group commit, which takes the records of all games of this node";
        registry.register("cluster_commit_seconds", help, self.commit_time.clone());
        let counters = [
            ("cluster_commits", "Group commits that were answered", &self.commits),
            ("cluster_records", "Rows of journals that they stored", &self.records),
            ("cluster_take_overs", "Games that this node has claimed", &self.take_overs),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
    }

    /// A batch was answered.
    pub(super) fn note_commit(&self, batch: &Batch, took: Duration) {
        let records = batch.entries.iter().filter(|entry| !entry.bytes.is_empty()).count();
        self.commits.inc();
        self.records.inc_by(records as u64);
        self.commit_time.observe(took.as_secs_f64());
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.longest_ms.fetch_max(took_ms, Ordering::Relaxed);
    }

    /// The load since the last call.
    #[expect(clippy::cast_precision_loss, reason = "counters of one second")]
    pub(super) fn load(&self, now: Timestamp) -> NodeLoad {
        let (commits, records) = (self.commits.get(), self.records.get());
        let mut last = lock(&self.last);
        let (at, commits_before, records_before) =
            std::mem::replace(&mut *last, (now, commits, records));
        let passed_s = (now.since(at).max(1)) as f64 / 1000.0;
        let (commits, records) =
            ((commits - commits_before) as f64, (records - records_before) as f64);
        NodeLoad {
            commits_per_s: commits / passed_s,
            records_per_commit: if commits > 0.0 { records / commits } else { 0.0 },
            longest_commit_ms: self.longest_ms.swap(0, Ordering::Relaxed),
            ..NodeLoad::default()
        }
    }
}
