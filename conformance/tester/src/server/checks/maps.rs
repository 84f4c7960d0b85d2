//! Maps of unusual sizes: a server must not depend on the proportions or the size of a map.

use std::time::Duration;

use crate::server::{ServerTest, TestMap};
use crate::{CheckFailure, CheckTable, Verdict};

/// A map of this size just fits a message: 8 + 250 * 256 bytes, of at most 65,507.
const LARGE: (usize, usize) = (250, 255);
/// The expected time of an answer on a large map; it may take twenty times as long where the others are fast, because
/// some servers check the visibility between all pairs of gridpoints.
const LARGE_ANSWER: Duration = Duration::from_millis(250);

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("map.tall", |test| walks_between_the_corners(test, &TestMap::of_size(60, 20))),
    ("map.large", |test| {
        let timeouts = &mut test.network.timeouts;
        *timeouts = timeouts.with_slow_answers(LARGE_ANSWER);
        moves_by_its_own_display(test, &TestMap::of_size(LARGE.0, LARGE.1))
    }),
];

/// The player sees itself move. There is no spectator: some servers take a minute to draw all of a large map.
fn moves_by_its_own_display(test: &mut ServerTest, map: &TestMap) -> Verdict {
    test.start_game_on(map)?;
    let mut ann = test.player("Ann")?;
    let cell = ann.cell();
    let first = ann.last_display();
    let first = first.map_err(|failure| failure.if_missing_because_of("join.display"))?;
    let Some(before) = first.own_spot(cell) else {
        let failure = CheckFailure::new("Ann sees itself once", "it does not");
        return Err(failure.because_of("move.own-sign"));
    };
    ann.skip_received();
    "hljk".chars().for_each(|key| ann.press(key));
    let expected = format!("a DISPLAY after one of the keys h, l, j and k with @ not at {before}");
    ann.expect_display(&expected, |picture| picture.own_spot(cell).is_some_and(|at| at != before))
}

/// The player walks from its room to the other one.
fn walks_between_the_corners(test: &mut ServerTest, map: &TestMap) -> Verdict {
    test.start_game_on(map)?;
    let mut ann = test.player("Ann")?;
    test.fence()?;
    let spots = test.sight()?.map().room_spots();
    let at = test.position_of(&ann)?;
    let far = spots.into_iter().max_by_key(|spot| spot.row.abs_diff(at.row));
    match far {
        Some(far) => test.go_to(&mut ann, far).map(|_| ()),
        None => Ok(()),
    }
}
