//! The subjects whose instructions are counted. Each prepares, repeats one measured operation, and
//! asserts its result.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use nuggets_game::{
    Canvas, Changes, Game, Input, Letter, Point, Rng, Seed, Sight, SightRule, Stroke, Viewer,
    is_visible,
};
use nuggets_protocol::ClientMessage;

use super::field::Field;
use super::process::ProcessUsage;

/// An operation to count.
#[derive(Clone, Copy)]
pub(crate) struct BenchSubject {
    pub(crate) name: &'static str,
    /// What one operation is.
    pub(crate) what: &'static str,
    /// How often it is repeated.
    pub(crate) times: usize,
    /// Too slow to be counted in `cargo xtask test`.
    pub(crate) slow: bool,
    body: Body,
}

const VIEWS: usize = 20;
const KEYS: usize = 2_000;
const ENGINE_KEYS: u32 = 400_000;
const ENGINE_VIEWS: u32 = 2_000_000;

/// All subjects. Those that are slow are not counted in `cargo xtask test`.
pub(crate) const ALL: [BenchSubject; 11] = [
    subject("sight-cold-classic", "a new field of view on the 21x79 map", VIEWS, |times| {
        new_views(Field::CLASSIC, times)
    }),
    subject("sight-cold-large", "a new field of view on the 48x150 map", VIEWS, |times| {
        new_views(Field::LARGE, times)
    }),
    subject("sight-cold-open", "a new field of view on the open 250x255 field", 2, |times| {
        new_views(Field::OPEN, times)
    }),
    slow("sight-literal-classic", VIEWS, |times| literal_views(Field::CLASSIC, times)),
    slow("sight-literal-large", VIEWS, |times| literal_views(Field::LARGE, times)),
    slow("sight-literal-open", 2, |times| literal_views(Field::OPEN, times)),
    subject("sight-warm", "a cached field of view on the 21x79 map", KEYS, cached_views),
    subject("apply", "a key of 26 players on the 21x79 map", KEYS, apply_keys),
    subject("canvas", "a key, and the picture of its player kept up to date", KEYS, update_canvas),
    subject("view", "a picture of the 21x79 map drawn completely", KEYS, draw_views),
    subject("parse", "a message read", KEYS, parse_messages),
];

type Body = fn(usize) -> Duration;

const fn subject(name: &'static str, what: &'static str, times: usize, body: Body) -> BenchSubject {
    BenchSubject { name, what, times, slow: false, body }
}

const fn slow(name: &'static str, times: usize, body: Body) -> BenchSubject {
    BenchSubject { name, what: "the same line by line", times, slow: true, body }
}

/// Runs the subject of this name, in the process that is counted.
pub(crate) fn run(name: &str) -> anyhow::Result<()> {
    let found = ALL.iter().find(|subject| subject.name == name);
    let subject = found.with_context(|| format!("there is no subject {name}"))?;
    (subject.body)(subject.times);
    Ok(())
}

/// The processor time for work whose instructions are counted, and what it returns. Under callgrind only `/proc` can tell.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let usage = ProcessUsage::of(std::process::id());
    let now = || Duration::from_nanos(usage.cpu_ns().unwrap_or_default());
    let before = now();
    let done = measured(work);
    (done, now().saturating_sub(before))
}

/// Only what happens in this function is counted: callgrind recognises its name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// Returns the keys that are applied in a second of processor time, without and with the picture of the moving player
/// drawn each time, and the nanoseconds of a cached field of view.
pub(crate) fn engine() -> [f64; 3] {
    let keys_per_s = |keys: u32, time: Duration| f64::from(keys) / time.as_secs_f64();
    let views = cached_views(ENGINE_VIEWS as usize);
    [
        keys_per_s(ENGINE_KEYS, apply_keys(ENGINE_KEYS as usize)),
        keys_per_s(ENGINE_KEYS / 4, apply_and_draw(ENGINE_KEYS as usize / 4)),
        views.as_secs_f64() * 1e9 / f64::from(ENGINE_VIEWS),
    ]
}

fn spots(sight: &Sight, times: usize) -> Vec<Point> {
    let spots = sight.map().room_spots();
    let every = spots.len() / times;
    spots.into_iter().step_by(every).take(times).collect()
}

fn new_views(field: Field, times: usize) -> Duration {
    let sight = field.sight();
    let spots = spots(&sight, times);
    let (seen, time) =
        timed(|| spots.iter().map(|at| sight.visible_from(*at).len()).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| count_literally(&sight, *at)).sum::<usize>());
    time
}

fn literal_views(field: Field, times: usize) -> Duration {
    let sight = field.sight();
    let spots = spots(&sight, times);
    let (seen, time) = timed(|| spots.iter().map(|at| count_literally(&sight, *at)).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| sight.visible_from(*at).len()).sum::<usize>());
    time
}

fn count_literally(sight: &Sight, from: Point) -> usize {
    let map = sight.map();
    let sees = |to: &Point| is_visible(map, SightRule::DarkPassages, from, *to);
    map.points().filter(sees).count()
}

fn cached_views(times: usize) -> Duration {
    let sight = Field::CLASSIC.sight();
    let spots = sight.map().room_spots();
    let first: usize = spots.iter().map(|at| sight.visible_from(*at).len()).sum();
    assert!(first > 0);
    let again = spots.iter().cycle().take(times);
    let (views, time): (Vec<_>, _) = timed(|| again.map(|at| sight.visible_from(*at)).collect());
    assert!(Arc::ptr_eq(&views[0], &sight.visible_from(spots[0])));
    time
}

/// Random keys of all players, the same ones each time.
fn keys(times: usize) -> Vec<Input> {
    let mut rng = Rng::new(Seed::new(3));
    let mut key = || {
        let player = Letter::nth(rng.index(26)).expect("a letter");
        let stroke = Stroke::from_key(b"hjklyubnHJKLYUBN"[rng.index(16)]).expect("a stroke");
        Input::Press(player, stroke)
    };
    (0..times).map(|_| key()).collect()
}

/// A game in which the visibility from every spot is cached, and the keys to press.
fn warm_game(times: usize) -> (Game, Vec<Input>) {
    let game = Field::CLASSIC.endless_game();
    let keys = keys(times);
    let mut rehearsal = game.clone();
    let mut events = Vec::new();
    for key in &keys {
        events.clear();
        rehearsal.apply(key.clone(), &mut events);
    }
    (game, keys)
}

fn apply_keys(times: usize) -> Duration {
    let (mut game, keys) = warm_game(times);
    let mut again = game.clone();
    let mut events = Vec::with_capacity(256);
    let ((), time) = timed(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
        }
    });
    for key in keys {
        again.apply(key, &mut events);
    }
    let show = |game: &Game| game.view(Viewer::Spectator).to_string();
    assert_eq!(show(&game), show(&again));
    time
}

/// The same, and the picture of the player that moves is drawn each time.
fn apply_and_draw(times: usize) -> Duration {
    let (mut game, keys) = warm_game(times);
    let mut events = Vec::with_capacity(256);
    let mut picture = Vec::with_capacity(1 << 12);
    let ((), time) = timed(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
            if let Input::Press(mover, _) = key {
                picture.clear();
                game.view(Viewer::Player(*mover)).write_to(&mut picture);
            }
        }
    });
    time
}

fn update_canvas(times: usize) -> Duration {
    let (mut game, keys) = warm_game(times);
    let viewer = Viewer::Player(Letter::nth(0).expect("a letter"));
    let mut events = Vec::with_capacity(256);
    let mut changes = Changes::default();
    let mut canvas = Canvas::new(&game, viewer, b"");
    let ((), time) = timed(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
            changes.read(&events);
            canvas.update(&game, &changes);
        }
    });
    assert_eq!(canvas.bytes(), game.view(viewer).to_string().as_bytes());
    time
}

fn draw_views(times: usize) -> Duration {
    let game = Field::CLASSIC.endless_game();
    let viewer = Viewer::Player(Letter::nth(0).expect("a letter"));
    let mut picture = Vec::with_capacity(1 << 12);
    let ((), time) = timed(|| {
        for _ in 0..times {
            picture.clear();
            game.view(viewer).write_to(&mut picture);
        }
    });
    assert_eq!(picture, game.view(viewer).to_string().as_bytes());
    time
}

fn parse_messages(times: usize) -> Duration {
    let messages: [&[u8]; 4] = [b"KEY h", b"PLAY Ann Onymous", b"SPECTATE", b"KEY hh"];
    let messages: Vec<&[u8]> = messages.into_iter().cycle().take(times).collect();
    let (good, time) =
        timed(|| messages.iter().filter(|text| ClientMessage::parse(text).is_ok()).count());
    assert_eq!(good, times / 4 * 3);
    time
}
