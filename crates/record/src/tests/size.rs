//! The size of recordings.

use nuggets_game::{Letter, Rng, Seed};

use super::{Played, any_stroke, join, usual_header};
use crate::encoding::shortened;
use crate::{RecordedEvent, Recording};

/// A whole game, from its first record to its end.
#[test]
fn a_key_takes_fewer_than_4_bytes_besides_its_time_in_a_long_game() {
    let mut played = Played::new(usual_header());
    let mut rng = Rng::new(Seed::new(1));
    for player in 0..8 {
        played.add(100, join(&format!("player {player}")));
    }
    let mut keys = 0u32;
    while played.game().end().is_none() {
        let letter = Letter::nth(rng.index(8)).unwrap();
        let what = RecordedEvent::Press(letter, any_stroke(&mut rng));
        keys += u32::from(played.try_add(rng.below(900).into(), what));
        played.games.drain(..played.games.len() - 1);
    }
    played.end();
    assert!(keys > 3000, "only {keys} keys");

    let starts = played.entries.iter().map(|entry| entry.at.0);
    let waits = starts.clone().zip(std::iter::once(0).chain(starts)).map(|(at, last)| at - last);
    let times: u32 = waits.map(|wait| u32::from(shortened(wait).1)).sum();
    let header = Recording::read(&played.bytes).unwrap().recording.checkpoints[0].offset;
    let total = u32::try_from(played.bytes.len() - header).unwrap();
    let average = f64::from(total - times) / f64::from(keys);
    assert!(average < 4.0, "{average} bytes for each of {keys} keys");
}
