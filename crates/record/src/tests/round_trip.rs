//! A recording is read as it was written and replays to the same game.

use nuggets_game::{Lifetime, Rng, Rules, Seed, Setup, SightRule, shipped};
use nuggets_protocol::Dialect;
use proptest::prelude::*;

use super::{Played, ipv4_token, usual_header};
use crate::{Entry, Header, RecordedEvent, Recording, Replay, Tail, Timestamp, Writer, verify};

prop_compose! {
    fn any_rules()(
        (nuggets, min_piles, more_piles) in prop_oneof![Just((250, 10, 20)), (40..400u32, 1..20u32, 0..20u32)],
        max_players in prop_oneof![Just(26), 2..8usize],
        (sprint_stops, end_when_empty, steal, drop_on_quit) in any::<(bool, bool, bool, bool)>(),
        vision in prop::option::of(1..12u16),
        lifetime in prop::option::of((1..60u32, 0..20u32)),
    ) -> Rules {
        let lifetime = lifetime.map(|(steps, food)| Lifetime { steps, food });
        let max_piles = min_piles + more_piles;
        let usual = Rules { nuggets, min_piles, max_piles, max_players, ..Rules::default() };
        Rules { sprint_stops, end_when_empty, steal, drop_on_quit, vision, lifetime, ..usual }
    }
}

prop_compose! {
    fn any_header()(
        map in 0..shipped::ALL.len(),
        seed: i64,
        rules in prop_oneof![Just(Rules::default()), any_rules()],
        of_2021: bool,
        dark: bool,
        port: u16,
    ) -> Header {
        let dialect = if of_2021 { Dialect::V2021 } else { Dialect::V2019 };
        let sight_rule =
            if dark { SightRule::DarkPassages } else { SightRule::StraightPassages };
        let setup = Setup::new(shipped::ALL[map].map(), rules, Seed::new(seed), dialect);
        Header { setup: Setup { sight_rule, ..setup }, port }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_recording_is_read_as_it_was_written(
        header in any_header(),
        seed in 0..10_000i64,
        count in 0..300usize,
    ) {
        let mut played = Played::new(header);
        played.play(count, &mut Rng::new(Seed::new(seed)));
        played.end();
        let reading = Recording::read(&played.bytes).unwrap();
        prop_assert_eq!(reading.tail, Tail::Whole);
        prop_assert_eq!(reading.good_bytes, played.bytes.len());
        prop_assert_eq!(&reading.recording.header, &played.header);
        prop_assert!(reading.recording.entries().eq(&played.entries));

        let verified = verify(&reading.recording).unwrap();
        prop_assert_eq!(verified.game.state_hash(), played.game().state_hash());
        prop_assert_eq!(verified.states, reading.recording.checkpoints.len());

        let mut replay = Replay::new(reading.recording).unwrap();
        for (entry, game) in played.entries.iter().zip(&played.games[1..]) {
            prop_assert_eq!(replay.step().unwrap().unwrap().entry, entry);
            prop_assert_eq!(replay.game().state_hash(), game.state_hash());
        }
        prop_assert!(replay.step().unwrap().is_none());
    }
}

#[test]
fn there_is_a_checkpoint_at_the_start_after_every_64_inputs_and_at_the_end() {
    let mut played = Played::new(usual_header());
    played.play(300, &mut Rng::new(Seed::new(2)));
    played.end();
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let inputs = |position: usize| {
        played.entries[..position].iter().filter(|entry| entry.what.input().is_some()).count()
    };
    let counts: Vec<usize> = recording.checkpoints.iter().map(|c| inputs(c.position)).collect();
    assert_eq!(counts, [0, 64, 128, 192, 256, inputs(301)]);
}

#[test]
fn times_may_be_long_and_never_decrease() {
    let header = usual_header();
    let game = header.game().unwrap();
    let (mut writer, mut bytes) = Writer::new(&header, &game);
    let longest = (1 << 56) - 1;
    let last = (1 << 40) + longest;
    for ms in [0, 255, 256, 100, 1 << 40, u64::MAX] {
        writer.append(&Entry::new(Timestamp(ms), RecordedEvent::Unwatch), &game, &mut bytes);
    }
    let recording = Recording::read(&bytes).unwrap().recording;
    let times: Vec<u64> = recording.entries().map(|entry| entry.at.0).collect();
    assert_eq!(times, [0, 255, 256, 256, 1 << 40, last], "seven bytes hold no more");
    assert_eq!(recording.duration(), Timestamp(last));
}

#[test]
fn a_shared_recording_holds_no_peers() {
    let peer = Some(ipv4_token());
    let name = nuggets_game::Name::new(b"Ann").unwrap();
    for what in [RecordedEvent::Watch { peer: peer.clone() }, RecordedEvent::Join { name, peer }] {
        let shared = Entry::new(Timestamp(4), what).shared().unwrap();
        assert!(matches!(
            shared.what,
            RecordedEvent::Watch { peer: None } | RecordedEvent::Join { peer: None, .. }
        ));
    }
    let delivered = Entry::new(Timestamp(4), RecordedEvent::EndDelivered);
    assert_eq!(delivered.shared(), None, "only a server needs it");
}
