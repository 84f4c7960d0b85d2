//! Numbered pieces of work on several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// The distribution of the work over threads.
#[derive(Clone, Copy, Debug)]
pub struct Parallel<'a> {
    /// The number of threads; at least one is used.
    pub jobs: usize,
    /// No new work starts once this is set.
    pub stop: &'a AtomicBool,
}

impl Parallel<'_> {
    /// Calls `work` with every number on the worker threads, and `collect` with every result on this thread, in the
    /// order of completion. Calls `progress` after each result with the number of results up to then.
    pub fn run<T: Send>(
        self,
        numbers: Range<u64>,
        work: impl Fn(u64) -> Option<T> + Sync,
        progress: impl Fn(u64) + Sync,
        mut collect: impl FnMut(u64, T),
    ) {
        let next = &AtomicU64::new(numbers.start);
        let done = &AtomicU64::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let sender = sender.clone();
                let work = &work;
                let progress = &progress;
                scope.spawn(move || {
                    while !self.stop.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= numbers.end {
                            return;
                        }
                        if let Some(result) = work(number) {
                            // The receiver outlives all senders.
                            let _ = sender.send((number, result));
                            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                        }
                    }
                });
            }
            drop(sender);
            for (number, result) in results {
                collect(number, result);
            }
        });
    }
}
