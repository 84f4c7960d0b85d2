//! The timeline of a recording holds joins, gold and ends, with their positions.

use super::{Played, join, press, short_header};
use crate::{RecordedEvent, Recording, RecordingEnd, Replay, Timeline};

#[test]
fn joins_gold_shutdown_and_end_are_on_the_timeline_and_steps_are_not() {
    let mut played = Played::new(short_header());
    played.add(10, join("Ann\tB"));
    played.add(10, RecordedEvent::Watch { peer: None });
    played.add(10, RecordedEvent::End(RecordingEnd::Closed));
    played.add(10, RecordedEvent::Resumed);
    let at = played.game().players()[0].at().unwrap();
    let (gold, _) = played.game().piles().next().unwrap();
    played.add(10, press(0, if gold.col > at.col { b'L' } else { b'H' }));
    played.end();
    let recording = Recording::read(&played.bytes).unwrap().recording;
    let timeline = Timeline::of(&mut Replay::new(recording).unwrap()).unwrap();
    let events: Vec<(usize, u64, String)> = timeline
        .entries()
        .iter()
        .map(|entry| (entry.position, entry.at.0, entry.to_string()))
        .collect();
    let expected = [
        (1, 10, "A joins: Ann B"),
        (3, 30, "the server was shut down"),
        (4, 40, "a server resumed the game"),
        (5, 50, "A takes 5 (0 left)"),
        (5, 50, "the game is over"),
    ];
    assert_eq!(events, expected.map(|(position, ms, text)| (position, ms, text.to_owned())));
    assert_eq!(timeline.until(3).len(), 2);
    let (entry, letter, nuggets) = timeline.gold().next().unwrap();
    assert_eq!((entry.position, letter.index(), nuggets), (5, 0, 5));
}
