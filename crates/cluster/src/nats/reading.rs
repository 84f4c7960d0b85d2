//! Reads stored messages in batches. Any broker with a copy answers, so the last messages may be missing.

use std::sync::Arc;
use std::time::Duration;

use async_nats::{HeaderMap, Message, StatusCode};
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::json;
use thiserror::Error;

use super::{ApiError, Nats, streams};
use crate::{EngineReply, Seq, StoredMessage, Subject};

/// Messages of one read.
const MAX_BATCH: usize = 1_000;
/// The most bytes of one read, apart from its last message.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// How long the next message of a batch may take.
const NEXT_TIMEOUT: Duration = Duration::from_secs(2);
/// A broker that has answered with old data is given this long before it is asked again.
const OUTDATED_DELAY: Duration = Duration::from_millis(20);
/// "no message found"
const NO_MESSAGE_FOUND: u64 = 10_037;
const NO_MORE: u16 = 204;

/// Why stored messages can't be read. The same read may succeed later.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ReadError(String);

/// Some messages of a stream, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Each with its subject.
    pub messages: Vec<(String, StoredMessage)>,
    /// False if more follow.
    pub is_end: bool,
}

impl Nats {
    /// The messages of a subject behind a sequence. If they are said to be all, the leader of the brokers has confirmed it.
    pub(super) async fn read(
        &self,
        subject: &Subject,
        after: Seq,
    ) -> Result<EngineReply, ReadError> {
        let stream = streams::name_of(subject);
        let name = subject.to_string();
        let Batch { messages, mut is_end } = self.read_batch(stream, &name, after).await?;
        let last = messages.last().map_or(after, |(_, message)| message.seq);
        if is_end && self.has_more(stream, &name, last).await? {
            tokio::time::sleep(OUTDATED_DELAY).await;
            is_end = false;
        }
        let messages = messages.into_iter().map(|(_, message)| message).collect();
        Ok(EngineReply::Messages { messages, is_end })
    }

    /// Messages behind a sequence, of one subject or of all that it stands for.
    pub async fn read_batch(
        &self,
        stream: &str,
        subject: &str,
        Seq(after): Seq,
    ) -> Result<Batch, ReadError> {
        let failed = |why: String| ReadError(format!("{stream} after {after}: {why}"));
        let inbox = self.client.new_inbox();
        let answers = self.client.subscribe(inbox.clone()).await;
        let mut answers = answers.map_err(|why| failed(why.to_string()))?;
        let wanted = json!({
            "seq": after + 1, "next_by_subj": subject, "batch": MAX_BATCH, "max_bytes": MAX_BATCH_BYTES
        });
        let api = format!("$JS.API.DIRECT.GET.{stream}");
        let asked = self.client.publish_with_reply(api, inbox, wanted.to_string().into()).await;
        asked.map_err(|why| failed(why.to_string()))?;
        let mut batch = Batch::default();
        loop {
            let answer = tokio::time::timeout(NEXT_TIMEOUT, answers.next()).await;
            let answer = answer.ok().flatten().ok_or_else(|| failed("no answer".into()))?;
            match answer.status.map(|status| status.as_u16()) {
                None => batch.messages.push(stored(answer).ok_or_else(|| failed("bad".into()))?),
                Some(NO_MORE) => {
                    let pending = answer.headers.as_ref().and_then(|it| number(it, PENDING));
                    batch.is_end = pending.unwrap_or(0) == 0;
                    return Ok(batch);
                }
                Some(status) if status == StatusCode::NOT_FOUND.as_u16() => {
                    batch.is_end = true;
                    return Ok(batch);
                }
                Some(status) => {
                    let words = answer.description.unwrap_or_default();
                    return Err(failed(format!("status {status} {words}")));
                }
            }
        }
    }

    /// Asks the leader of the stream.
    async fn has_more(&self, stream: &str, subject: &str, after: Seq) -> Result<bool, ReadError> {
        let wanted = json!({ "seq": after.0 + 1, "next_by_subj": subject }).to_string();
        let api = format!("$JS.API.STREAM.MSG.GET.{stream}");
        let answer = self.client.request(api, Bytes::from(wanted)).await;
        let answer = answer.map_err(|why| ReadError(why.to_string()))?;
        let answer: serde_json::Value =
            serde_json::from_slice(&answer.payload).map_err(|why| ReadError(why.to_string()))?;
        let Some(error) = answer.get("error") else { return Ok(true) };
        let error: ApiError = serde_json::from_value(error.clone()).unwrap_or_default();
        if error.err_code == NO_MESSAGE_FOUND {
            Ok(false)
        } else {
            Err(ReadError(error.description))
        }
    }
}

const PENDING: &str = "Nats-Num-Pending";

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.as_str().parse().ok()
}

fn stored(answer: Message) -> Option<(String, StoredMessage)> {
    let headers = answer.headers?;
    let subject = headers.get("Nats-Subject")?.as_str().to_owned();
    let seq = Seq(number(&headers, "Nats-Sequence")?);
    Some((subject, StoredMessage { seq, bytes: Arc::from(&answer.payload[..]) }))
}
