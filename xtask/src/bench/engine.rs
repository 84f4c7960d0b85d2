//! The game without a server: how many keys are applied per second of processor time.

use std::time::Duration;

use nuggets_game::{Game, Letter, Viewer};
use rustix::time::{ClockId, clock_gettime};

use super::field::Field;
use super::subjects::warm_game;

/// Keys per second of processor time, and the time of a cached visibility query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine {
    pub(crate) keys_per_second: f64,
    pub(crate) with_view_per_second: f64,
    pub(crate) cached_view_ns: f64,
}

const KEYS: u32 = 400_000;
const KEYS_WITH_VIEW: u32 = 100_000;
const VIEWS: u32 = 2_000_000;

/// Measures all three.
pub(crate) fn measure() -> Engine {
    let (mut game, keys) = warm_game(KEYS as usize);
    let mut events = Vec::with_capacity(256);
    let mut still_known = game.clone();
    let alone = time(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
        }
    });
    let mut picture = Vec::with_capacity(1 << 12);
    let with_view = time(|| {
        for key in keys.iter().take(KEYS_WITH_VIEW as usize) {
            events.clear();
            still_known.apply(key.clone(), &mut events);
            if let nuggets_game::Input::Press(mover, _) = key {
                picture.clear();
                still_known.view(Viewer::Player(*mover)).write_to(&mut picture);
            }
        }
    });
    check(&game);
    Engine {
        keys_per_second: f64::from(KEYS) / alone.as_secs_f64(),
        with_view_per_second: f64::from(KEYS_WITH_VIEW) / with_view.as_secs_f64(),
        cached_view_ns: cached_view().as_secs_f64() * 1e9 / f64::from(VIEWS),
    }
}

/// All players are still in the game.
fn check(game: &Game) {
    let seen = game.view(Viewer::Spectator).to_string();
    let letters = seen.bytes().filter_map(Letter::from_byte).count();
    assert_eq!(letters, 26);
}

fn cached_view() -> Duration {
    let sight = Field::CLASSIC.sight();
    let spots = sight.map().room_spots();
    let mut seen: usize = spots.iter().map(|at| sight.visible_from(*at).len()).sum();
    let views = time(|| {
        for at in spots.iter().cycle().take(VIEWS as usize) {
            seen += usize::from(sight.visible_from(*at).contains(0));
        }
    });
    assert!(seen > 0);
    views
}

/// The processor time of this thread for the work.
fn time(work: impl FnOnce()) -> Duration {
    let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
    let before = now();
    work();
    now().saturating_sub(before)
}
