//! The thread that serves watchers. The watchers of a stream are served in small portions, and the thread has a lower
//! priority than all others, so that players don't wait for watchers.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use nuggets_time::Clock;

use crate::StreamHandle;
use crate::locks::lock;
use crate::stream_handle::{StreamListener, Subscription};

/// Duration of a round in a stream with few watchers.
const MIN_ROUND: Duration = Duration::from_millis(100);
/// Duration of a round in a stream with very many watchers.
const MAX_ROUND: Duration = Duration::from_millis(500);
/// Time that each watcher adds to the round.
const ROUND_PER_WATCHER: Duration = Duration::from_micros(50);
/// Interval between two portions of a round. A key that arrives meanwhile waits for at most one portion.
const PORTION: Duration = Duration::from_millis(2);
/// Maximum delay that is made up for in one portion if the thread could not run.
const MAX_CATCH_UP: Duration = Duration::from_millis(10);
/// The `nice` value of the thread. It still gets a share of a busy machine.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// The watchers of all streams, and the thread that serves them.
#[derive(Debug)]
pub(super) struct WatchRounds {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    /// The rounds, by the address of their stream.
    rounds: BTreeMap<usize, WatchRound>,
    /// The number of listeners so far; the number of the next one.
    issued: u64,
    is_closed: bool,
}

impl WatchRounds {
    pub(super) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let for_thread = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("watchers".to_owned());
        let thread = builder.spawn(move || run(&for_thread)).expect("the system has threads");
        Self { shared, thread: Mutex::new(Some(thread)) }
    }

    /// Calls the listener when there are new lines and its turn has come, until the subscription is dropped.
    pub(super) fn subscribe(
        &self,
        stream: &Arc<StreamHandle>,
        listener: StreamListener,
    ) -> Subscription {
        let mut table = lock(&self.shared.table);
        let number = table.issued;
        table.issued += 1;
        let key = Arc::as_ptr(stream).addr();
        let round = table.rounds.entry(key).or_insert_with(|| WatchRound::new(Arc::clone(stream)));
        round.listeners.insert(number, listener);
        drop(table);
        self.shared.changed.notify_one();
        let shared = Arc::clone(&self.shared);
        Subscription::new(move || {
            let mut table = lock(&shared.table);
            if let Some(round) = table.rounds.get_mut(&key) {
                round.listeners.remove(&number);
                if round.listeners.is_empty() {
                    table.rounds.remove(&key);
                }
            }
        })
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        lock(&self.shared.table).is_closed = true;
        self.shared.changed.notify_one();
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // The thread does not panic, except by a bug.
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared) {
    lower_priority();
    let clock = Clock::start();
    let mut table = lock(&shared.table);
    while !table.is_closed {
        let now = clock.elapsed();
        let due: Vec<StreamListener> =
            table.rounds.values_mut().flat_map(|round| round.take_due(now)).collect();
        if !due.is_empty() {
            // Released, so that watchers can subscribe and unsubscribe meanwhile.
            drop(table);
            for listener in due {
                listener();
                // Otherwise a thread that handles a key could wait for the rest of the portion.
                std::thread::yield_now();
            }
            table = lock(&shared.table);
            // The table may have been closed meanwhile; then there is no further wake-up.
            if table.is_closed {
                return;
            }
        }
        let now = clock.elapsed();
        let next = table.rounds.values().map(|round| round.next_at(now)).min();
        table = match next {
            None => shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner),
            Some(at) => {
                let waited = shared.changed.wait_timeout(table, at.saturating_sub(now));
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

/// Lowers the priority of this thread. Only on Linux: elsewhere it would be the priority of the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Watchers are served even if this fails.
    let _ = rustix::process::setpriority_process(None, NICE);
}

/// The watchers of one stream, and the state of the current round.
struct WatchRound {
    stream: Arc<StreamHandle>,
    /// The listeners, by number.
    listeners: BTreeMap<u64, StreamListener>,
    /// The start of the last round.
    began: Option<Duration>,
    /// The time of the last portion.
    served_at: Duration,
    /// The last listener that was served in the current round; `None` between two rounds.
    last: Option<Bound<u64>>,
    /// The last line of the stream when the last round began.
    seq: Option<u64>,
}

impl std::fmt::Debug for WatchRound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchRound")
            .field("listeners", &self.listeners.len())
            .finish_non_exhaustive()
    }
}

impl WatchRound {
    fn new(stream: Arc<StreamHandle>) -> Self {
        Self {
            stream,
            listeners: BTreeMap::new(),
            began: None,
            served_at: Duration::ZERO,
            last: None,
            seq: None,
        }
    }

    fn period(&self) -> Duration {
        let watchers = u32::try_from(self.listeners.len()).unwrap_or(u32::MAX);
        ROUND_PER_WATCHER.saturating_mul(watchers).saturating_add(MIN_ROUND).min(MAX_ROUND)
    }

    /// True if there may be lines that watchers have not read. Lines from before the last round have reached all of them,
    /// except in a game with a watch delay.
    fn has_news(&self) -> bool {
        self.seq != Some(self.stream.seq()) || self.stream.has_watch_delay()
    }

    /// Returns the time at which to call `take_due` again.
    fn next_at(&self, now: Duration) -> Duration {
        match self.began {
            _ if self.last.is_some() => self.served_at + PORTION,
            Some(began) if self.has_news() => began + self.period(),
            None => now,
            Some(_) => now + MIN_ROUND,
        }
    }

    /// Returns the listeners whose turn it is.
    fn take_due(&mut self, now: Duration) -> Vec<StreamListener> {
        let period = self.period();
        if self.last.is_none() {
            if self.began.is_some_and(|began| now < began + period) || !self.has_news() {
                return Vec::new();
            }
            self.began = Some(now);
            self.served_at = now.saturating_sub(PORTION);
            self.seq = Some(self.stream.seq());
        }
        let elapsed = now.saturating_sub(self.served_at).min(MAX_CATCH_UP);
        self.served_at = now;
        let share = self.listeners.len() as u128 * elapsed.as_micros() / period.as_micros();
        let count = usize::try_from(share).unwrap_or(usize::MAX).saturating_add(1);
        let after = self.last.unwrap_or(Bound::Unbounded);
        let due: Vec<(u64, StreamListener)> = self
            .listeners
            .range((after, Bound::Unbounded))
            .take(count)
            .map(|(number, listener)| (*number, Arc::clone(listener)))
            .collect();
        let last = due.last().map(|(number, _)| Bound::Excluded(*number));
        self.last = last.filter(|_| due.len() == count);
        due.into_iter().map(|(_, listener)| listener).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use nuggets_time::Timestamp;

    use super::*;
    use crate::wire::StreamLine;
    use crate::{Snapshot, ViewStream};

    const MS: Duration = Duration::from_millis(1);

    fn stream(delay_ms: u64) -> Arc<StreamHandle> {
        let first = Snapshot::new(b"|@..|\n", 5);
        Arc::new(StreamHandle::new(ViewStream::new(Timestamp(0), "s", first, delay_ms)))
    }

    fn publish(stream: &StreamHandle, steps: u32) {
        let line = StreamLine { steps: Some(steps), ..StreamLine::default() };
        stream.publish(Timestamp(0), &mut line.into());
    }

    /// Creates a round with this many watchers, each with a counter of its calls.
    fn round(stream: &Arc<StreamHandle>, watchers: u64) -> (WatchRound, Vec<Arc<AtomicUsize>>) {
        let mut round = WatchRound::new(Arc::clone(stream));
        let add = |number| {
            let served = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&served);
            let listener = move || {
                counted.fetch_add(1, Ordering::Relaxed);
            };
            round.listeners.insert(number, Arc::new(listener));
            served
        };
        let served = (0..watchers).map(add).collect();
        (round, served)
    }

    fn serve(round: &mut WatchRound, now: Duration) -> usize {
        let due = round.take_due(now);
        for listener in &due {
            listener();
        }
        due.len()
    }

    #[test]
    fn every_watcher_is_served_once_per_round_in_small_portions() {
        let stream = stream(0);
        let (mut round, served) = round(&stream, 10_000);
        let mut now = Duration::ZERO;
        let mut portions = Vec::new();
        while served.iter().any(|served| served.load(Ordering::Relaxed) == 0) {
            portions.push(serve(&mut round, now));
            now += PORTION;
        }
        assert!(portions.iter().all(|portion| *portion <= 41), "{portions:?}");
        assert!(now <= MAX_ROUND + PORTION, "{now:?}");
        assert!(served.iter().all(|served| served.load(Ordering::Relaxed) == 1));
        serve(&mut round, now);
        assert_eq!(serve(&mut round, now + Duration::from_secs(9)), 0, "nothing is new");
        assert!(round.next_at(now) >= now + MIN_ROUND);
        publish(&stream, 1);
        assert!(serve(&mut round, now + Duration::from_secs(10)) > 0);
    }

    #[test]
    fn a_single_watcher_is_served_every_tenth_of_a_second() {
        let stream = stream(0);
        let (mut round, served) = round(&stream, 1);
        for step in 0..1000 {
            publish(&stream, step);
            serve(&mut round, MS * step);
        }
        assert!((9..=11).contains(&served[0].load(Ordering::Relaxed)), "{served:?}");
    }

    #[test]
    fn a_thread_that_was_kept_from_running_catches_up_within_limits() {
        let stream = stream(0);
        let (mut round, _) = round(&stream, 10_000);
        serve(&mut round, Duration::ZERO);
        assert_eq!(serve(&mut round, 6 * MS), 121);
        assert_eq!(serve(&mut round, Duration::from_secs(5)), 201);
    }

    #[test]
    fn watchers_with_a_delay_look_again_although_nothing_is_new() {
        let (mut round, served) = round(&stream(1000), 1);
        for tick in 0..=10 {
            serve(&mut round, 100 * MS * tick);
        }
        assert!(served[0].load(Ordering::Relaxed) >= 5, "{served:?}");
    }

    #[test]
    fn the_thread_serves_who_is_subscribed_and_ends() {
        let rounds = WatchRounds::start();
        let stream = stream(0);
        let (sender, served) = std::sync::mpsc::channel();
        let listener: StreamListener = Arc::new(move || sender.send(()).unwrap());
        let subscription = rounds.subscribe(&stream, listener);
        served.recv().unwrap();
        publish(&stream, 1);
        served.recv().unwrap();
        drop(subscription);
        assert!(served.recv().is_err(), "the listener is dropped");
        rounds.close();
    }
}
