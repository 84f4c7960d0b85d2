//! The threads that work for the store, each with a worker of its own: one with the folder, or several with a connection
//! to the database each. They take jobs from one queue.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::{Reply, StoreError};

/// One thing to do.
type Job<W> = Box<dyn FnOnce(&mut W) + Send>;

/// The threads. They end when this is dropped, after everything that was asked for.
#[derive(Debug)]
pub(super) struct StoreThreads<W> {
    jobs: Option<Sender<Job<W>>>,
    handles: Vec<JoinHandle<()>>,
}

impl<W: Send + 'static> StoreThreads<W> {
    /// A thread for each worker.
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

    /// Asks for something.
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
            // Who no longer waits for the answer doesn't need it.
            let _ = answer.send(work(worker));
        };
        if let Some(jobs) = &self.jobs {
            // If all threads have ended, the answer is dropped with the job, and the reply is `Closed`.
            let _ = jobs.send(Box::new(job));
        }
        reply
    }
}

/// Waits for the next job; none when no more can come.
fn next<W>(todo: &Mutex<Receiver<Job<W>>>) -> Option<Job<W>> {
    todo.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl<W> Drop for StoreThreads<W> {
    fn drop(&mut self) {
        self.jobs = None;
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}
