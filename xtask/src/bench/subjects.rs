//! The subjects whose instructions are counted. Each prepares, repeats one measured operation, and
//! asserts its result.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use nuggets_game::{
    Canvas, Changes, Event, Game, Input, Letter, Point, Rng, Seed, Sight, SightRule, Stroke,
    Viewer, is_visible,
};
use nuggets_protocol::ClientMessage;

use super::field::Field;

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

/// All subjects. Those that are slow are not counted in `cargo xtask test`.
pub(crate) const ALL: [BenchSubject; 11] = [
    subject("sight-cold-classic", "a new field of view on the 21x79 map", VIEWS, |times| {
        new_views(Field::CLASSIC, times);
    }),
    subject("sight-cold-large", "a new field of view on the 48x150 map", VIEWS, |times| {
        new_views(Field::LARGE, times);
    }),
    subject("sight-cold-open", "a new field of view on the open 250x255 field", 2, |times| {
        new_views(Field::OPEN, times);
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

type Body = fn(usize);

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

/// Only what happens in this function is counted: callgrind recognises its name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn new_views(field: Field, times: usize) {
    compare_views(field, times, count_visible, count_literally);
}

fn literal_views(field: Field, times: usize) {
    compare_views(field, times, count_literally, count_visible);
}

/// Measures a way to count the spots that are visible, and checks it against another one.
fn compare_views(
    field: Field,
    times: usize,
    count: impl Fn(&Sight, Point) -> usize,
    check: impl Fn(&Sight, Point) -> usize,
) {
    let sight = field.sight();
    let spots = sight.map().room_spots();
    let every = spots.len() / times;
    let spots: Vec<Point> = spots.into_iter().step_by(every).take(times).collect();
    let seen = measured(|| spots.iter().map(|at| count(&sight, *at)).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| check(&sight, *at)).sum::<usize>());
}

fn count_visible(sight: &Sight, from: Point) -> usize {
    sight.visible_from(from).len()
}

fn count_literally(sight: &Sight, from: Point) -> usize {
    let map = sight.map();
    let sees = |to: &Point| is_visible(map, SightRule::DarkPassages, from, *to);
    map.points().filter(sees).count()
}

fn cached_views(times: usize) {
    let sight = Field::CLASSIC.sight();
    let spots = sight.map().room_spots();
    let first: usize = spots.iter().map(|at| sight.visible_from(*at).len()).sum();
    assert!(first > 0);
    let again = spots.iter().cycle().take(times);
    let views: Vec<_> = measured(|| again.map(|at| sight.visible_from(*at)).collect());
    assert!(Arc::ptr_eq(&views[0], &sight.visible_from(spots[0])));
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

/// Plays random keys in a game in which the visibility from every spot is cached, and does something after each.
fn play_keys(times: usize, mut after: impl FnMut(&Game, &[Event])) -> Game {
    let (mut game, keys) = (Field::CLASSIC.endless_game(), keys(times));
    let mut rehearsal = game.clone();
    let mut events = Vec::with_capacity(256);
    for key in &keys {
        events.clear();
        rehearsal.apply(key.clone(), &mut events);
    }
    measured(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
            after(&game, &events);
        }
    });
    let show = |game: &Game| game.view(Viewer::Spectator).to_string();
    assert_eq!(show(&game), show(&rehearsal));
    game
}

fn apply_keys(times: usize) {
    play_keys(times, |_, _| {});
}

fn update_canvas(times: usize) {
    let viewer = Viewer::Player(Letter::nth(0).expect("a letter"));
    let mut changes = Changes::default();
    let mut canvas = Canvas::new(&Field::CLASSIC.endless_game(), viewer, b"");
    let game = play_keys(times, |game, events| {
        changes.read(events);
        canvas.update(game, &changes);
    });
    assert_eq!(canvas.bytes(), game.view(viewer).to_string().as_bytes());
}

fn draw_views(times: usize) {
    let game = Field::CLASSIC.endless_game();
    let viewer = Viewer::Player(Letter::nth(0).expect("a letter"));
    let mut picture = Vec::with_capacity(1 << 12);
    measured(|| {
        for _ in 0..times {
            picture.clear();
            game.view(viewer).write_to(&mut picture);
        }
    });
    assert_eq!(picture, game.view(viewer).to_string().as_bytes());
}

fn parse_messages(times: usize) {
    let messages: [&[u8]; 4] = [b"KEY h", b"PLAY Ann Onymous", b"SPECTATE", b"KEY hh"];
    let messages: Vec<&[u8]> = messages.into_iter().cycle().take(times).collect();
    let good =
        measured(|| messages.iter().filter(|text| ClientMessage::parse(text).is_ok()).count());
    assert_eq!(good, times / 4 * 3);
}
