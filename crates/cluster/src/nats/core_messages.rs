//! Core messages: not stored, to whoever listens at that moment.

use async_nats::Subscriber;
use bytes::Bytes;
use futures_util::StreamExt;
use tracing::debug;

use super::{Nats, NatsError};

/// What arrives on a subject.
#[derive(Debug)]
pub struct Subscription(Subscriber);

/// A message that has arrived.
#[derive(Clone, Debug)]
pub struct CoreMessage {
    /// What it says.
    pub payload: Bytes,
    /// Where an answer is expected.
    pub reply: Option<String>,
}

impl Subscription {
    /// The next message; none when the connection is closed for good.
    pub async fn next(&mut self) -> Option<CoreMessage> {
        let message = self.0.next().await?;
        Some(CoreMessage {
            payload: message.payload,
            reply: message.reply.map(|reply| reply.to_string()),
        })
    }
}

impl Nats {
    /// Listens to a subject. It is subscribed to again after every reconnect.
    pub async fn subscribe(&self, subject: &str) -> Result<Subscription, NatsError> {
        let failed = |why: String| NatsError::Subscribe { subject: subject.to_owned(), why };
        let subscriber = self.client.subscribe(subject.to_owned()).await;
        let subscriber = subscriber.map_err(|why| failed(why.to_string()))?;
        Ok(Subscription(subscriber))
    }

    /// Sends a message, or drops it if there is no connection.
    pub async fn send(&self, subject: String, payload: Vec<u8>) {
        if let Err(why) = self.client.publish(subject, payload.into()).await {
            debug!("a message was not sent: {why}");
        }
    }

    /// Leaves the broker and tries the next one.
    pub async fn reconnect(&self) {
        if let Err(why) = self.client.force_reconnect().await {
            debug!("can't reconnect: {why}");
        }
    }
}
