//! The one thread that reads and writes the folder.

use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use super::{Reply, Shelf, StoreError};

/// One thing to do.
type Job = Box<dyn FnOnce(&mut Shelf) + Send>;

/// The thread, which does one thing after another. It ends when this is dropped, after everything that was asked for.
#[derive(Debug)]
pub(super) struct StoreThread {
    jobs: Option<Sender<Job>>,
    handle: Option<JoinHandle<()>>,
}

impl StoreThread {
    pub(super) fn start(mut shelf: Shelf) -> Result<Self, StoreError> {
        let (jobs, todo) = channel::<Job>();
        let run = move || todo.iter().for_each(|job| job(&mut shelf));
        let handle = Builder::new().name("store".to_owned()).spawn(run);
        let handle = handle.map_err(StoreError::Thread)?;
        Ok(Self { jobs: Some(jobs), handle: Some(handle) })
    }

    /// Asks for something.
    pub(super) fn call<T, E>(
        &self,
        work: impl FnOnce(&mut Shelf) -> Result<T, E> + Send + 'static,
    ) -> Reply<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (answer, reply) = Reply::channel();
        self.run(move |shelf| {
            // Who no longer waits for the answer doesn't need it.
            let _ = answer.send(work(shelf));
        });
        reply
    }

    /// Asks for something that answers by itself.
    pub(super) fn run(&self, job: impl FnOnce(&mut Shelf) + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // If the thread has ended, the answer is dropped with the job, and the reply is `Closed`.
            let _ = jobs.send(Box::new(job));
        }
    }
}

impl Drop for StoreThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}
