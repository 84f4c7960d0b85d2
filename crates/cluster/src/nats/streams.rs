//! The three streams: two with the records of all logs, and who owns them. They are created by the first node.

use async_nats::{RequestError, RequestErrorKind};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::leaders::StreamBrokers;
use super::{ApiError, Nats, NatsError};
use crate::{LogStream, Subject};

/// The streams of records.
pub const LOG_STREAMS: [&str; 2] = ["nuggets-log-1", "nuggets-log-2"];
/// The stream of all ownership records.
pub const OWNERSHIP_STREAM: &str = "nuggets-own";
/// All subjects of [`OWNERSHIP_STREAM`].
pub const OWNERSHIP_SUBJECTS: &str = "nuggets.own.*";
/// All streams.
pub(super) const ALL_STREAMS: [&str; 3] = [LOG_STREAMS[0], LOG_STREAMS[1], OWNERSHIP_STREAM];

/// "stream not found"
const STREAM_NOT_FOUND: u64 = 10_059;
/// "JetStream not enabled", and the same for an account.
const NOT_ENABLED: [u64; 2] = [10_076, 10_039];

/// How often brokers that don't answer are asked at the start of a node: for half a minute.
const MAX_ATTEMPTS: u32 = 6;

#[derive(Debug, Deserialize)]
pub(super) struct StreamAnswer {
    pub(super) error: Option<ApiError>,
    config: Option<Value>,
    state: Option<StreamState>,
    cluster: Option<StreamBrokers>,
}

#[derive(Debug, Deserialize)]
struct StreamState {
    messages: u64,
    last_seq: u64,
}

/// The stream of a subject.
pub(super) fn name_of(subject: &Subject) -> &'static str {
    match subject {
        Subject::Log(_, LogStream::First) => LOG_STREAMS[0],
        Subject::Log(_, LogStream::Second) => LOG_STREAMS[1],
        Subject::Ownership(_) => OWNERSHIP_STREAM,
    }
}

/// The settings that safety depends on.
fn settings(name: &str, replicas: usize) -> Value {
    let stream = LogStream::ALL.into_iter().zip(LOG_STREAMS).find(|(_, it)| *it == name);
    let is_log = stream.is_some();
    let subjects = stream.map(|(stream, _)| format!("nuggets.log.{stream}.*"));
    json!({
        "subjects": [subjects.unwrap_or(OWNERSHIP_SUBJECTS.to_owned())],
        "retention": "limits",
        "discard": "new",
        "storage": "file",
        "num_replicas": replicas,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "max_msgs_per_subject": if is_log { -1 } else { 1 },
        "allow_direct": true,
        "deny_delete": true,
        // The log of a finished game may be purged once it is archived.
        "deny_purge": !is_log,
    })
}

impl Nats {
    /// Creates the streams, or checks that they are as they must be.
    pub async fn ensure_streams(&self, replicas: usize) -> Result<(), NatsError> {
        for stream in ALL_STREAMS {
            self.ensure_stream(stream, replicas).await?;
        }
        Ok(())
    }

    /// The last sequence of a stream, as its leader knows it. `None` if no broker answers.
    pub async fn last_seq(&self, stream: &str) -> Option<u64> {
        Some(self.state(stream).await?.last_seq)
    }

    /// How many messages a stream has; for [`OWNERSHIP_STREAM`] how many logs there have ever been. `None` if no broker answers.
    pub async fn message_count(&self, stream: &str) -> Option<u64> {
        Some(self.state(stream).await?.messages)
    }

    async fn state(&self, stream: &str) -> Option<StreamState> {
        self.ask(&format!("STREAM.INFO.{stream}"), &Value::Null).await.ok()?.state
    }

    /// The brokers that have a stream. `None` if it has no leader.
    pub(super) async fn brokers_of(&self, stream: &str) -> Option<StreamBrokers> {
        self.ask(&format!("STREAM.INFO.{stream}"), &Value::Null).await.ok()?.cluster
    }

    async fn ensure_stream(&self, name: &'static str, replicas: usize) -> Result<(), NatsError> {
        let failed = |why: String| NatsError::Stream { name, why };
        let found = self.ask_again(&format!("STREAM.INFO.{name}"), &Value::Null).await;
        let found = found.map_err(|why| match why.kind() {
            // Nobody listens to the API.
            RequestErrorKind::NoResponders => NatsError::NoJetStream(why.to_string()),
            _ => failed(format!("{why}. Is a majority of the brokers running?")),
        })?;
        let config = match found {
            StreamAnswer { config: Some(config), error: None, .. } => config,
            StreamAnswer { error: Some(error), .. } if NOT_ENABLED.contains(&error.err_code) => {
                return Err(NatsError::NoJetStream(error.description));
            }
            StreamAnswer { error: Some(error), .. } if error.err_code == STREAM_NOT_FOUND => {
                self.create_stream(name, replicas).await?
            }
            StreamAnswer { error, .. } => {
                return Err(failed(error.unwrap_or_default().description));
            }
        };
        check(&settings(name, replicas), &config).map_err(failed)
    }

    /// Creates a stream; the same again if another node has just done so.
    async fn create_stream(&self, name: &'static str, replicas: usize) -> Result<Value, NatsError> {
        let failed = |why: String| NatsError::Stream { name, why };
        let mut wanted = settings(name, replicas);
        wanted["name"] = name.into();
        let created = self.ask_again(&format!("STREAM.CREATE.{name}"), &wanted).await;
        let created = created.map_err(|why| failed(why.to_string()))?;
        let StreamAnswer { config, error, .. } = created;
        config.ok_or_else(|| {
            let why = error.unwrap_or_default().description;
            failed(format!(
                "{why}. {replicas} brokers in one NATS cluster are needed, or give --cluster-replicas 1 to try \
                 it out with one"
            ))
        })
    }

    /// The same with retries: brokers that have just been started, or have lost their leader, answer nothing for some
    /// seconds.
    async fn ask_again(&self, what: &str, with: &Value) -> Result<StreamAnswer, RequestError> {
        for _ in 1..MAX_ATTEMPTS {
            match self.ask(what, with).await {
                Err(why) if why.kind() == RequestErrorKind::TimedOut => {}
                answered => return answered,
            }
        }
        self.ask(what, with).await
    }

    pub(super) async fn ask(&self, what: &str, with: &Value) -> Result<StreamAnswer, RequestError> {
        let payload = if with.is_null() { Bytes::new() } else { Bytes::from(with.to_string()) };
        let answer = self.client.request(format!("$JS.API.{what}"), payload).await?;
        serde_json::from_slice(&answer.payload)
            .map_err(|why| RequestError::with_source(RequestErrorKind::Other, why))
    }
}

/// Says which setting is another one.
fn check(wanted: &Value, found: &Value) -> Result<(), String> {
    let Some(wanted) = wanted.as_object() else { return Ok(()) };
    // What a broker does not mention is off.
    let is_off = |value: &Value| *value == json!(false) || *value == json!(0);
    let differs = |(key, value): &(&String, &Value)| match found.get(key.as_str()) {
        Some(found) => found != *value,
        None => !is_off(value),
    };
    let Some((key, value)) = wanted.iter().find(differs) else { return Ok(()) };
    let found = found.get(key).unwrap_or(&Value::Null);
    Err(format!(
        "its setting {key} is {found}, and must be {value}. Change it with `nats stream edit`, or give another account"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_differs_is_named() {
        let wanted = settings(LOG_STREAMS[0], 3);
        let mut found = wanted.clone();
        found.as_object_mut().unwrap().remove("max_age");
        assert_eq!(check(&wanted, &found), Ok(()), "what is off may be missing");
        found["num_replicas"] = json!(1);
        let error = check(&wanted, &found).unwrap_err();
        assert!(error.starts_with("its setting num_replicas is 1, and must be 3"), "{error}");
        found.as_object_mut().unwrap().remove("deny_delete");
        assert!(check(&wanted, &found).unwrap_err().contains("deny_delete"), "it must be on");
    }
}
