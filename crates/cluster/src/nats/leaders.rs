//! Which broker leads which stream. Each stream should have another leader, so that the death of one broker stops the appends
//! to one stream only. The brokers choose leaders without that in mind, so a node asks them to change it.

use serde::Deserialize;
use serde_json::json;
use tracing::{debug, info};

use super::Nats;
use super::streams::ALL_STREAMS;

/// The brokers of a stream, as its leader sees them.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct StreamBrokers {
    leader: Option<String>,
    /// The others.
    #[serde(default)]
    replicas: Vec<Replica>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Replica {
    name: String,
    /// It has everything.
    #[serde(default)]
    current: bool,
    #[serde(default)]
    offline: bool,
}

impl Nats {
    /// Asks the leader of a stream to hand over to a broker that leads none, if it leads another stream, too. One stream at a
    /// time: the next call sees what has become of it.
    pub async fn spread_leaders(&self) {
        let mut streams = Vec::new();
        for stream in ALL_STREAMS {
            match self.brokers_of(stream).await {
                Some(brokers) => streams.push((stream, brokers)),
                None => return debug!("the stream {stream} has no leader"),
            }
        }
        if let Some((stream, broker)) = next_change(&streams) {
            info!(
                "the broker {broker} is asked to lead the stream {stream}, so that each has its own leader"
            );
            let wanted = json!({ "placement": { "preferred": broker } });
            let asked = self.ask(&format!("STREAM.LEADER.STEPDOWN.{stream}"), &wanted).await;
            match asked.map(|answer| answer.error) {
                Ok(None) => {}
                Ok(Some(why)) => info!("the stream {stream} keeps its leader: {}", why.description),
                Err(why) => info!("the stream {stream} keeps its leader: {why}"),
            }
        }
    }
}

/// The first stream whose leader leads an earlier one, too, and a broker that can lead it instead.
fn next_change(streams: &[(&'static str, StreamBrokers)]) -> Option<(&'static str, String)> {
    let leader = |brokers: &StreamBrokers| brokers.leader.clone().filter(|name| !name.is_empty());
    let leaders: Vec<String> =
        streams.iter().map(|(_, brokers)| leader(brokers)).collect::<Option<_>>()?;
    for (number, (stream, brokers)) in streams.iter().enumerate() {
        if leaders[..number].contains(&leaders[number]) {
            let is_free = |it: &&Replica| it.current && !it.offline && !leaders.contains(&it.name);
            let free = brokers.replicas.iter().find(is_free)?;
            return Some((stream, free.name.clone()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(leader: &str, replicas: &[(&str, bool)]) -> StreamBrokers {
        let replica = |(name, current): &(&str, bool)| Replica {
            name: (*name).to_owned(),
            current: *current,
            offline: false,
        };
        let replicas = replicas.iter().map(replica).collect();
        StreamBrokers { leader: Some(leader.to_owned()), replicas }
    }

    #[test]
    fn a_broker_that_leads_two_streams_hands_one_over_to_one_that_leads_none() {
        let both = [("b", true), ("c", true)];
        let streams = [
            ("1", stream("a", &both)),
            ("2", stream("b", &[("a", true), ("c", true)])),
            ("3", stream("a", &both)),
        ];
        assert_eq!(next_change(&streams), Some(("3", "c".to_owned())));
    }

    #[test]
    fn leaders_that_differ_stay() {
        let [a, b, c] = ["a", "b", "c"].map(|name| stream(name, &[]));
        assert_eq!(next_change(&[("1", a), ("2", b), ("3", c)]), None);
    }

    #[test]
    fn a_broker_that_is_behind_or_gone_leads_nothing() {
        let behind = stream("a", &[("b", false)]);
        let mut offline = stream("a", &[("b", true)]);
        offline.replicas[0].offline = true;
        for second in [behind, offline, StreamBrokers::default(), stream("a", &[])] {
            assert_eq!(next_change(&[("1", stream("a", &[])), ("2", second)]), None);
        }
    }
}
