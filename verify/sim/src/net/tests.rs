//! What a network does to a long series of numbered datagrams.

use super::conditions::Partition;
use super::*;

const CLIENT: Endpoint = Endpoint::Client(0);

/// Sends this many, one in each millisecond; the numbers of the undamaged ones in the order of arrival.
fn arrivals(conditions: &NetworkConditions, count: u32) -> (Vec<u32>, Tally) {
    let mut net = Network::new(conditions.clone(), Seed::new(7));
    for number in 0..count {
        net.send(Timestamp(number.into()), CLIENT, Endpoint::Server, &number.to_le_bytes());
    }
    let mut arrived = Vec::new();
    let mut last = Timestamp(0);
    while let Some(arrival) = net.take() {
        assert!(arrival.at >= last, "an arrival lies in the past");
        last = arrival.at;
        if let ArrivedMessage::Datagram { bytes, is_damaged: false } = arrival.content {
            arrived.push(u32::from_le_bytes(bytes.try_into().unwrap()));
        }
    }
    (arrived, net.tally())
}

#[test]
fn a_perfect_network_delivers_everything_in_order() {
    let (arrived, tally) = arrivals(&NetworkConditions::perfect(), 500);
    assert_eq!(arrived, (0..500).collect::<Vec<_>>());
    assert_eq!(tally, Tally { sent: 500, ..Tally::default() });
}

#[test]
fn losses_duplicates_and_damage_have_their_share() {
    let conditions = NetworkConditions {
        loss: 30,
        duplication: 20,
        truncation: 1,
        flips: 1,
        ..NetworkConditions::perfect()
    };
    let (arrived, tally) = arrivals(&conditions, 10_000);
    assert!((2_800..3_200).contains(&tally.lost), "{tally:?}");
    assert!((1_250..1_550).contains(&tally.doubled), "{tally:?}");
    assert!((110..220).contains(&tally.damaged), "{tally:?}");
    let carried = tally.sent - tally.lost + tally.doubled;
    assert_eq!(arrived.len() as u64, carried - tally.damaged);
}

#[test]
fn delay_without_reordering_keeps_the_order() {
    let conditions = NetworkConditions { delay_ms: 5_000, ..NetworkConditions::perfect() };
    assert_eq!(arrivals(&conditions, 1_000).0, (0..1_000).collect::<Vec<_>>());
}

#[test]
fn a_datagram_is_overtaken_by_64_at_most() {
    let conditions =
        NetworkConditions { delay_ms: 5_000, reorder: true, ..NetworkConditions::perfect() };
    let (arrived, _) = arrivals(&conditions, 2_000);
    let overtaken =
        |place: usize| arrived[..place].iter().filter(|earlier| **earlier > arrived[place]).count();
    let max = (0..arrived.len()).map(overtaken).max().unwrap();
    assert!((32..=MAX_OVERTAKEN).contains(&max), "{max}");
}

#[test]
fn a_partition_loses_everything_while_it_lasts() {
    let cut = Partition { since: Timestamp(10), until: Timestamp(20), clients: vec![0] };
    let conditions = NetworkConditions { partitions: vec![cut], ..NetworkConditions::perfect() };
    assert_eq!(arrivals(&conditions, 30).0, (0..10).chain(20..30).collect::<Vec<_>>());
}

#[test]
fn becoming_perfect_delivers_everything_under_way() {
    let conditions =
        NetworkConditions { delay_ms: 5_000, reorder: true, ..NetworkConditions::perfect() };
    let mut net = Network::new(conditions, Seed::new(1));
    for number in 0..100u8 {
        net.send(Timestamp(0), CLIENT, Endpoint::Server, &[number]);
    }
    let mut expected = net.clone();
    net.become_perfect(Timestamp(3));
    net.send(Timestamp(3), CLIENT, Endpoint::Server, b"last");
    for _ in 0..100 {
        let arrival = net.take().unwrap();
        assert_eq!((arrival.at, arrival.content), (Timestamp(3), expected.take().unwrap().content));
    }
    let content = ArrivedMessage::Datagram { bytes: b"last".to_vec(), is_damaged: false };
    assert_eq!(net.take().unwrap().content, content);
}
