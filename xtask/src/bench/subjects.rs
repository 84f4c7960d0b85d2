//! What is counted in instructions. Each subject prepares, does one measured thing many times, and
//! makes sure that what came out is right.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use nuggets_game::{
    Canvas, Chance, Changes, Game, Input, Letter, Point, Seed, Sight, SightRule, Stroke, Viewer,
    is_visible,
};
use nuggets_protocol::ClientMessage;

use super::field::Field;

/// Something to count.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// What one operation is.
    pub(crate) what: &'static str,
    /// How often it is done.
    pub(crate) times: usize,
    /// Too slow to be counted before each landing.
    pub(crate) slow: bool,
    body: fn(usize),
}

const LOOKS: usize = 20;
const LONG_LOOKS: usize = 2;
const KEYS: usize = 2_000;

/// All of them.
pub(crate) const ALL: [Subject; 11] = [
    subject("sight-cold-classic", "a first look on the 21x79 map", LOOKS, |times| {
        cold_looks(Field::CLASSIC, times);
    }),
    subject("sight-cold-large", "a first look on the 48x150 map", LOOKS, |times| {
        cold_looks(Field::LARGE, times);
    }),
    subject("sight-cold-open", "a first look on the open 250x255 field", LONG_LOOKS, |times| {
        cold_looks(Field::OPEN, times);
    }),
    slow("sight-literal-classic", "the same line by line", LOOKS, |times| {
        literal_looks(Field::CLASSIC, times);
    }),
    slow("sight-literal-large", "the same line by line", LOOKS, |times| {
        literal_looks(Field::LARGE, times);
    }),
    slow("sight-literal-open", "the same line by line", LONG_LOOKS, |times| {
        literal_looks(Field::OPEN, times);
    }),
    subject("sight-warm", "a second look on the 21x79 map", KEYS, warm_looks),
    subject("apply", "a key of 26 players on the 21x79 map", KEYS, apply_keys),
    subject("canvas", "a key, and the picture of its player kept up to date", KEYS, update_canvas),
    subject("view", "a picture of the 21x79 map drawn anew", KEYS, draw_views),
    subject("parse", "a message read", KEYS, parse_messages),
];

const fn subject(name: &'static str, what: &'static str, times: usize, body: fn(usize)) -> Subject {
    Subject { name, what, times, slow: false, body }
}

const fn slow(name: &'static str, what: &'static str, times: usize, body: fn(usize)) -> Subject {
    Subject { name, what, times, slow: true, body }
}

/// Runs the subject of this name: what a counted process does.
pub(crate) fn run(name: &str) -> anyhow::Result<()> {
    let found = ALL.iter().find(|subject| subject.name == name);
    let subject = found.with_context(|| format!("there is no subject {name}"))?;
    (subject.body)(subject.times);
    Ok(())
}

/// Only what happens in here is counted.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn spots(sight: &Sight, times: usize) -> Vec<Point> {
    let spots = sight.map().room_spots();
    let every = spots.len() / times;
    spots.into_iter().step_by(every).take(times).collect()
}

fn cold_looks(field: Field, times: usize) {
    let sight = field.sight();
    let spots = spots(&sight, times);
    let seen = measured(|| spots.iter().map(|at| sight.from(*at).len()).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| count_literally(&sight, *at)).sum::<usize>());
}

fn literal_looks(field: Field, times: usize) {
    let sight = field.sight();
    let spots = spots(&sight, times);
    let seen = measured(|| spots.iter().map(|at| count_literally(&sight, *at)).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| sight.from(*at).len()).sum::<usize>());
}

fn count_literally(sight: &Sight, from: Point) -> usize {
    let map = sight.map();
    let sees = |to: &Point| is_visible(map, SightRule::DarkPassages, from, *to);
    map.points().filter(sees).count()
}

fn warm_looks(times: usize) {
    let sight = Field::CLASSIC.sight();
    let spots = sight.map().room_spots();
    let first: usize = spots.iter().map(|at| sight.from(*at).len()).sum();
    assert!(first > 0);
    let again = spots.iter().cycle().take(times);
    let looks: Vec<_> = measured(|| again.map(|at| sight.from(*at)).collect());
    assert!(Arc::ptr_eq(&looks[0], &sight.from(spots[0])));
}

/// Keys of all kinds by all players, the same ones each time.
pub(crate) fn keys(times: usize) -> Vec<Input> {
    let mut chance = Chance::new(Seed::new(3));
    let mut key = || {
        let player = Letter::nth(chance.index(26)).expect("a letter");
        let stroke = Stroke::from_key(b"hjklyubnHJKLYUBN"[chance.index(16)]).expect("a stroke");
        Input::Press(player, stroke)
    };
    (0..times).map(|_| key()).collect()
}

/// A game in which every look has been taken before, and the keys that are pressed in it.
pub(crate) fn warm_game(times: usize) -> (Game, Vec<Input>) {
    let game = Field::CLASSIC.endless_game();
    let keys = keys(times);
    let (mut rehearsal, mut events) = (game.clone(), Vec::new());
    for key in &keys {
        events.clear();
        rehearsal.apply(key.clone(), &mut events);
    }
    (game, keys)
}

fn apply_keys(times: usize) {
    let (mut game, keys) = warm_game(times);
    let mut again = game.clone();
    let mut events = Vec::with_capacity(256);
    measured(|| {
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
}

fn update_canvas(times: usize) {
    let (mut game, keys) = warm_game(times);
    let viewer = Viewer::Player(Letter::nth(0).expect("a letter"));
    let (mut events, mut changes) = (Vec::with_capacity(256), Changes::new());
    let mut canvas = Canvas::new(&game, viewer, b"");
    measured(|| {
        for key in &keys {
            events.clear();
            game.apply(key.clone(), &mut events);
            changes.read(&events);
            canvas.update(&game, &changes);
        }
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
    let said: [&[u8]; 4] = [b"KEY h", b"PLAY Ann Onymous", b"SPECTATE", b"KEY hh"];
    let said: Vec<&[u8]> = said.into_iter().cycle().take(times).collect();
    let good = measured(|| said.iter().filter(|said| ClientMessage::parse(said).is_ok()).count());
    assert_eq!(good, times / 4 * 3);
}
