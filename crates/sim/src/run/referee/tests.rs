//! What a referee must not let pass, though no room of today does it.

use super::*;

const ANN: u64 = 0;

/// Ann plays, and nobody else.
fn referee() -> Referee {
    let mut referee = Referee::new(&Plan::draw(7)).unwrap();
    let told = referee.say(Millis(5), ANN, b"PLAY Ann").unwrap();
    assert!(told.iter().any(|(_, message)| message.starts_with(b"DISPLAY\n")));
    referee
}

#[test]
fn what_is_repeated_must_be_what_is() {
    let referee = referee();
    let (picture, gold) = referee.should_see(ANN).unwrap();
    let right_gold = format!("GOLD 0 {gold}").into_bytes();
    let right = vec![(ANN, right_gold.clone()), (ANN, picture.clone())];
    assert_eq!(referee.check_repeats(&right), Ok(()));
    let old = text(&picture).replacen('@', ".", 1).into_bytes();
    for (wrong, words) in [
        (old, "a repeated picture"),
        (b"GOLD 0 9999 9999".to_vec(), "repeated gold"),
        (b"OK A".to_vec(), "for no reason"),
    ] {
        let why = referee.check_repeats(&[(ANN, wrong)]).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
    let why = referee.check_repeats(&[(ANN + 1, picture)]).unwrap_err();
    assert!(why.contains("a picture for nobody"), "{why}");
}

#[test]
fn who_can_not_be_reached_must_be_shown_nothing() {
    let mut referee = referee();
    let (picture, _) = referee.should_see(ANN).unwrap();
    let shown = [(ANN, picture)];
    assert_eq!(referee.nothing_to_the_lost(&shown), Ok(()));
    referee.lose(Millis(9), ANN).unwrap();
    assert!(referee.nothing_to_the_lost(&shown).is_err());
}
