//! The threads of the store, each with its own worker: one thread with the folder, or several, each with a connection to
//! the database. They take jobs from one queue.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use super::{Reply, StoreError};
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
    /// Starts a thread for each worker.
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
