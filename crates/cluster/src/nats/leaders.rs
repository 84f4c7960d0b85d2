//! Which broker leads which stream. The two streams of logs should have different leaders, so that the death of one broker stops
//! the appends to one of them only. The ownership records should be led by one of these two: then the third broker may die, and
//! nobody has to wait for an election. The brokers choose leaders without that in mind, so a node asks them to change it.

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
    /// The brokers of each stream. `None` if a stream has no leader.
    async fn all_brokers(&self) -> Option<Vec<(&'static str, StreamBrokers)>> {
        let mut streams = Vec::new();
        for stream in ALL_STREAMS {
            let brokers = self.brokers_of(stream).await;
            if brokers.is_none() {
                debug!("the stream {stream} has no leader");
            }
            streams.push((stream, brokers?));
        }
        Some(streams)
    }

    /// True if any one broker may die without a pause: all of them have everything, and leaders are spread.
    pub async fn is_settled(&self) -> bool {
        self.all_brokers().await.is_some_and(|streams| are_settled(&streams))
    }

    /// Asks the leader of a stream to hand over to a better one, if there is. One stream at a time: the next call sees what
    /// has become of it.
    pub async fn spread_leaders(&self) {
        let Some(streams) = self.all_brokers().await else { return };
        if let Some((stream, broker)) = next_change(&streams) {
            info!("the broker {broker} is asked to lead the stream {stream}");
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

/// True if all brokers have all of the streams, and these have the leaders that they should have.
fn are_settled(streams: &[(&'static str, StreamBrokers)]) -> bool {
    let mut replicas = streams.iter().flat_map(|(_, brokers)| &brokers.replicas);
    let leaders: Vec<&String> = streams.iter().filter_map(|(_, it)| it.leader.as_ref()).collect();
    let is_spread = match leaders[..] {
        [one, two, three] => one != two && (three == one || three == two),
        _ => false,
    };
    is_spread && replicas.all(|replica| replica.current && !replica.offline)
}

/// A stream that should have another leader, and which one.
fn next_change(streams: &[(&'static str, StreamBrokers)]) -> Option<(&'static str, String)> {
    let [(_, first), (second_name, second), (ownership_name, ownership)] = streams else {
        return None;
    };
    let leader = |brokers: &StreamBrokers| brokers.leader.clone().filter(|name| !name.is_empty());
    let (one, two, three) = (leader(first)?, leader(second)?, leader(ownership)?);
    let find = |brokers: &StreamBrokers, is_wanted: &dyn Fn(&str) -> bool| {
        let is_good = |it: &&Replica| it.current && !it.offline && is_wanted(&it.name);
        brokers.replicas.iter().find(is_good).map(|replica| replica.name.clone())
    };
    if one == two {
        Some((second_name, find(second, &|name| name != one)?))
    } else if three != one && three != two {
        Some((ownership_name, find(ownership, &|name| name == one || name == two)?))
    } else {
        None
    }
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

    fn change(streams: [StreamBrokers; 3]) -> Option<(&'static str, String)> {
        let [first, second, ownership] = streams;
        next_change(&[("1", first), ("2", second), ("own", ownership)])
    }

    #[test]
    fn a_broker_that_leads_both_streams_of_logs_hands_one_over() {
        let others = [("b", false), ("c", true)];
        let streams = [stream("a", &others), stream("a", &others), stream("b", &[])];
        assert_eq!(change(streams), Some(("2", "c".to_owned())), "to one that has everything");
    }

    #[test]
    fn ownership_records_are_led_by_one_of_the_two() {
        let ownership = stream("c", &[("a", false), ("b", true)]);
        let streams = [stream("a", &[]), stream("b", &[]), ownership];
        assert_eq!(change(streams), Some(("own", "b".to_owned())));
    }

    #[test]
    fn good_leaders_stay() {
        for third in ["a", "b"] {
            let streams = ["a", "b", third].map(|name| stream(name, &[("c", true)]));
            assert_eq!(change(streams.clone()), None);
            assert!(are_settled(&streams.map(|brokers| ("name", brokers))));
        }
    }

    #[test]
    fn brokers_that_are_behind_or_lead_too_much_are_not_settled() {
        for [first, second, third] in [["a", "a", "a"], ["a", "b", "c"]] {
            let streams = [first, second, third].map(|name| ("name", stream(name, &[])));
            assert!(!are_settled(&streams));
        }
        let behind = ["a", "b", "a"].map(|name| ("name", stream(name, &[("c", false)])));
        assert!(!are_settled(&behind));
    }

    #[test]
    fn nothing_is_changed_without_a_leader_or_another_broker() {
        let mut offline = stream("a", &[("b", true)]);
        offline.replicas[0].offline = true;
        for second in [stream("a", &[]), offline, StreamBrokers::default()] {
            assert_eq!(change([stream("a", &[]), second, stream("a", &[])]), None);
        }
    }
}
