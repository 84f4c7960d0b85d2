//! A future that is polled again at once if it is woken while it is polled. The scheduler would put its task at the end of a queue
//! and wake another thread to take it from there: that costs more than the work of a commit.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use crate::locks::lock;

/// Polls in a row; then other tasks have their turn.
const MAX_POLLS: u32 = 16;

/// The future with its own waker.
pub(super) struct BusyPoll<F> {
    inner: Pin<Box<F>>,
    signal: Arc<Signal>,
}

#[derive(Debug, Default)]
struct Signal {
    is_woken: AtomicBool,
    /// The task's waker; none while the future is polled.
    task: Mutex<Option<Waker>>,
}

impl<F: Future> BusyPoll<F> {
    pub(super) fn new(inner: F) -> Self {
        Self { inner: Box::pin(inner), signal: Arc::default() }
    }
}

impl<F: Future> Future for BusyPoll<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let signal = Arc::clone(&self.signal);
        signal.set_task(None);
        let waker = Waker::from(Arc::clone(&signal));
        for _ in 0..MAX_POLLS {
            signal.is_woken.store(false, Ordering::SeqCst);
            let polled = self.inner.as_mut().poll(&mut Context::from_waker(&waker));
            if polled.is_ready() {
                return polled;
            }
            if !signal.is_woken.load(Ordering::SeqCst) {
                break;
            }
        }
        signal.set_task(Some(context.waker().clone()));
        // Woken since the last look, or too often: the task is queued after all.
        if signal.is_woken.load(Ordering::SeqCst) {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Signal {
    fn set_task(&self, task: Option<Waker>) {
        *lock(&self.task) = task;
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        let task = lock(&self.task).take();
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A future that wakes itself this many times.
    fn restless(times: u32) -> BusyPoll<impl Future<Output = ()>> {
        let mut left = times;
        BusyPoll::new(poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again_at_once_but_not_for_ever() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut restless(3)).poll(&mut context).is_ready());
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        assert!(Pin::new(&mut restless(1000)).poll(&mut context).is_pending());
        assert_eq!(count.0.load(Ordering::SeqCst), 1, "others have their turn, then it goes on");
    }

    #[test]
    fn a_wake_from_outside_reaches_the_task() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let inside = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&inside);
        let mut future = BusyPoll::new(poll_fn(move |context| {
            *kept.lock().unwrap() = Some(context.waker().clone());
            Poll::<()>::Pending
        }));
        assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
        inside.lock().unwrap().take().unwrap().wake();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }
}
