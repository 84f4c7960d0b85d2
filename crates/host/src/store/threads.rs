//! The threads of the store, each with its own worker: one thread with the folder, or several, each with a connection to
//! the database. They take jobs from one queue. Async callers await the reply; other threads block on it.

use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread::{Builder, JoinHandle};

use tokio::sync::oneshot;

use super::StoreError;
use crate::locks::lock;

/// A job for one of the workers.
type Job<W> = Box<dyn FnOnce(&mut W) + Send>;

/// The threads. Dropping this ends them after all queued jobs are done.
#[derive(Debug)]
pub(super) struct StoreThreads<W> {
    jobs: Option<Sender<Job<W>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<W: Send + 'static> StoreThreads<W> {
    pub(super) fn start(workers: impl IntoIterator<Item = W>) -> Result<Self, StoreError> {
        let (jobs, todo) = channel::<Job<W>>();
        let todo = Arc::new(Mutex::new(todo));
        let mut threads = Self { jobs: Some(jobs), handles: Vec::new() };
        for mut worker in workers {
            let todo = Arc::clone(&todo);
            let run = move || {
                while let Some(job) = next(&todo) {
                    job(&mut worker);
                }
            };
            let handle = Builder::new().name("store".to_owned()).spawn(run);
            threads.handles.push(handle.map_err(StoreError::Thread)?);
        }
        Ok(threads)
    }

    /// Queues a job and returns its reply.
    pub(super) fn call<T, E>(
        &self,
        work: impl FnOnce(&mut W) -> Result<T, E> + Send + 'static,
    ) -> Reply<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (answer, reply) = Reply::channel();
        let job = move |worker: &mut W| {
            // The caller may have dropped the reply.
            let _ = answer.send(work(worker));
        };
        if let Some(jobs) = &self.jobs {
            // If all threads have ended, the sender is dropped with the job, and the reply is `Closed`.
            let _ = jobs.send(Box::new(job));
        }
        reply
    }
}

/// Waits for the next job; `None` when the queue is closed.
fn next<W>(todo: &Mutex<Receiver<Job<W>>>) -> Option<Job<W>> {
    lock(todo).recv().ok()
}

impl<W> Drop for StoreThreads<W> {
    fn drop(&mut self) {
        self.jobs = None;
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

/// A pending reply. Dropping it does not cancel the operation.
#[derive(Debug)]
#[must_use = "the answer says whether it was stored"]
pub struct Reply<T, E = StoreError>(oneshot::Receiver<Result<T, E>>);

impl<T, E: From<StoreError>> Reply<T, E> {
    /// Creates a reply and its sender.
    pub(super) fn channel() -> (oneshot::Sender<Result<T, E>>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver))
    }

    /// Blocks until the reply arrives. Only for threads without an async runtime.
    pub fn wait(self) -> Result<T, E> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }
}

impl<T, E: From<StoreError>> Future for Reply<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = Pin::new(&mut self.0).poll(context);
        answer.map(|answer| answer.unwrap_or_else(|_| Err(StoreError::Closed.into())))
    }
}
