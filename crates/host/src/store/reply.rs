//! The reply of a thread of the store. Async callers await it; other threads block on it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::StoreError;

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
