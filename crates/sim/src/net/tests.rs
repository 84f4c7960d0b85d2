//! What a network does to a long row of numbered datagrams.

use super::*;

const CLIENT: Party = Party::Client(0);

/// Sends so many, one in each millisecond; the numbers of those that arrive, in that order.
fn arrivals(weather: &Weather, count: u32) -> (Vec<u32>, Tally) {
    let mut net = Net::new(weather.clone(), Seed::new(7));
    for number in 0..count {
        net.send(Millis(number.into()), CLIENT, Party::Server, &number.to_le_bytes());
    }
    let mut arrived = Vec::new();
    let mut last = Millis(0);
    while let Some(delivery) = net.take() {
        assert!(delivery.at >= last, "time goes forward");
        last = delivery.at;
        if let Freight::Datagram { bytes, is_damaged: false } = delivery.freight {
            arrived.push(u32::from_le_bytes(bytes.try_into().unwrap()));
        }
    }
    (arrived, net.tally())
}

#[test]
fn calm_weather_carries_everything_in_order() {
    let (arrived, tally) = arrivals(&Weather::calm(), 500);
    assert_eq!(arrived, (0..500).collect::<Vec<_>>());
    assert_eq!(tally, Tally { sent: 500, ..Tally::default() });
}

#[test]
fn losses_doubles_and_damage_have_their_share() {
    let weather = Weather { loss: 30, duplication: 20, truncation: 1, flips: 1, ..Weather::calm() };
    let (arrived, tally) = arrivals(&weather, 10_000);
    assert!((2_800..3_200).contains(&tally.lost), "{tally:?}");
    assert!((1_250..1_550).contains(&tally.doubled), "{tally:?}");
    assert!((110..220).contains(&tally.damaged), "{tally:?}");
    let carried = tally.sent - tally.lost + tally.doubled;
    assert_eq!(arrived.len() as u64, carried - tally.damaged);
}

#[test]
fn delay_alone_does_not_reorder() {
    let weather = Weather { delay_ms: 5_000, ..Weather::calm() };
    assert_eq!(arrivals(&weather, 1_000).0, (0..1_000).collect::<Vec<_>>());
}

#[test]
fn a_datagram_is_overtaken_but_by_64_at_most() {
    let weather = Weather { delay_ms: 5_000, reorder: true, ..Weather::calm() };
    let (arrived, _) = arrivals(&weather, 2_000);
    let overtaken =
        |place: usize| arrived[..place].iter().filter(|earlier| **earlier > arrived[place]).count();
    let most = (0..arrived.len()).map(overtaken).max().unwrap();
    assert!((32..=WINDOW).contains(&most), "{most}");
}

#[test]
fn who_is_cut_off_hears_nothing_for_that_long() {
    let cut = Partition { since: Millis(10), until: Millis(20), clients: vec![0] };
    let weather = Weather { partitions: vec![cut], ..Weather::calm() };
    assert_eq!(arrivals(&weather, 30).0, (0..10).chain(20..30).collect::<Vec<_>>());
}

#[test]
fn clear_weather_brings_all_that_was_held_up() {
    let weather = Weather { delay_ms: 5_000, reorder: true, ..Weather::calm() };
    let mut net = Net::new(weather, Seed::new(1));
    for number in 0..100u8 {
        net.send(Millis(0), CLIENT, Party::Server, &[number]);
    }
    let mut expected = net.clone();
    net.clear(Millis(3));
    net.send(Millis(3), CLIENT, Party::Server, b"last");
    for _ in 0..100 {
        let delivery = net.take().unwrap();
        assert_eq!((delivery.at, delivery.freight), (Millis(3), expected.take().unwrap().freight));
    }
    let freight = Freight::Datagram { bytes: b"last".to_vec(), is_damaged: false };
    assert_eq!(net.take().unwrap().freight, freight);
}
