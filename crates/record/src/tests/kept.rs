//! A recording that is kept as a file: every later version must still read it and play it as it was,
//! or refuse it by its version. All variants are in it, which the seed catalogue does not have.

use nuggets_game::{Chance, Seed};

use super::{Played, varied_header};
use crate::{Recording, Statistics, Tail, verify};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept.nuggets");

fn played() -> Played {
    let mut played = Played::new(varied_header());
    played.play(600, &mut Chance::new(Seed::new(5)));
    played.end();
    played
}

#[test]
fn a_kept_recording_is_read_and_played_as_ever() {
    let played = played();
    if std::env::var_os("NUGGETS_BLESS").is_some() {
        std::fs::write(FILE, &played.bytes).unwrap();
    }
    let help = "either the format or the rules have changed. Raise FORMAT_VERSION or RULES_VERSION \
                (see their comments), then write this file anew: `cargo xtask bless`";
    let reading = Recording::read(&std::fs::read(FILE).unwrap()).expect(help);
    assert_eq!(reading.tail, Tail::Whole, "{help}");
    let verified = verify(&reading.recording).expect(help);
    assert!(reading.recording.entries().eq(&played.entries), "{help}");
    assert_eq!(verified.game.state_hash(), played.game().state_hash(), "{help}");

    let statistics = Statistics::of(&reading.recording).unwrap();
    let gone = statistics.players.iter().filter(|player| player.gone.is_some()).count();
    let keys: u32 = statistics.players.iter().map(|player| player.keys).sum();
    let is_rich = statistics.players.len() > 5 && gone > 2 && keys > 400;
    assert!(is_rich, "the file is worth keeping: {gone} gone, {keys} keys");
}
