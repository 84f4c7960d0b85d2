//! Operations of the engine whose instructions `cargo xtask bench` and `cargo xtask test` count under callgrind. Each
//! prepares, repeats one measured operation, and asserts its result. With the name of a subject only that one runs,
//! without a name all are listed.

use std::hint::black_box;
use std::io::{self, Write};
use std::sync::Arc;

use nuggets_game::{
    Canvas, Changes, Event, Game, Input, Letter, Map, Name, Point, Rng, Rules, Seed, Setup, Sight,
    SightRule, Stroke, Viewer, is_visible, shipped,
};
use nuggets_protocol::{ClientMessage, Dialect};

const VIEWS: usize = 20;
const KEYS: usize = 2_000;

/// The name of a subject, what one operation is, how often it is repeated, and the body.
type Subject = (&'static str, &'static str, usize, fn(usize));

const SUBJECTS: [Subject; 11] = [
    ("sight-cold-classic", "a new field of view on the 21x79 map", VIEWS, |n| {
        new_views(&classic(), n);
    }),
    ("sight-cold-large", "a new field of view on the 48x150 map", VIEWS, |n| {
        new_views(&large(), n);
    }),
    ("sight-cold-open", "a new field of view on the open 250x255 field", 2, |n| {
        new_views(&open(), n);
    }),
    ("sight-literal-classic", "the same line by line", VIEWS, |n| literal_views(&classic(), n)),
    ("sight-literal-large", "the same line by line", VIEWS, |n| literal_views(&large(), n)),
    ("sight-literal-open", "the same line by line", 2, |n| literal_views(&open(), n)),
    ("sight-warm", "a cached field of view on the 21x79 map", KEYS, cached_views),
    ("apply", "a key of 26 players on the 21x79 map", KEYS, apply_keys),
    ("canvas", "a key, and the picture of its player kept up to date", KEYS, update_canvas),
    ("view", "a picture of the 21x79 map drawn completely", KEYS, draw_views),
    ("parse", "a message read", KEYS, parse_messages),
];

fn main() -> io::Result<()> {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    for (name, what, times, body) in SUBJECTS {
        match &wanted {
            None => writeln!(io::stdout(), "{name} {times} {what}")?,
            Some(wanted) if wanted == name => body(times),
            Some(_) => {}
        }
    }
    Ok(())
}

fn sight(text: &str) -> Sight {
    Sight::new(Map::parse(text.as_bytes()).expect("it is a map").map, SightRule::DarkPassages)
}

fn classic() -> Sight {
    sight(shipped::find("main").expect("it is built in").text)
}

fn large() -> Sight {
    sight(shipped::find("grand").expect("it is built in").text)
}

/// One empty room.
fn open() -> Sight {
    let wall = format!("+{}+\n", "-".repeat(253));
    let inside = format!("|{}|\n", ".".repeat(253)).repeat(248);
    sight(&format!("{wall}{inside}{wall}"))
}

/// A game with 26 players that never ends: its gold can't be reached.
fn endless_game() -> Game {
    let text = shipped::find("main").expect("it is built in").text.to_owned();
    let map = Map::parse((text + "\n+-+\n|.|\n+-+\n").as_bytes()).expect("it is a map").map;
    let gold = Point::new(map.rows() - 2, 1);
    let mut spots = map.room_spots();
    spots.retain(|at| *at != gold);
    let chosen = Rng::new(Seed::new(1)).distinct(26, spots.len());
    let starts = chosen.into_iter().map(|index| spots[index]).collect();
    let setup = Setup::new(map, Rules::default(), Seed::new(1), Dialect::V2021);
    let mut game = Game::arranged(&setup, vec![(gold, 250)], starts);
    for _ in 0..26 {
        let name = Name::new(b"player").expect("a valid name");
        game.apply(Input::Join(name), &mut Vec::new());
    }
    assert_eq!(game.players().len(), 26);
    game
}

/// Only what happens in this function is counted: callgrind recognises its name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn new_views(sight: &Sight, times: usize) {
    compare_views(sight, times, count_visible, count_literally);
}

fn literal_views(sight: &Sight, times: usize) {
    compare_views(sight, times, count_literally, count_visible);
}

/// Measures a way to count the spots that are visible, and checks it against another one.
fn compare_views(
    sight: &Sight,
    times: usize,
    count: impl Fn(&Sight, Point) -> usize,
    check: impl Fn(&Sight, Point) -> usize,
) {
    let spots = sight.map().room_spots();
    let every = spots.len() / times;
    let spots: Vec<Point> = spots.into_iter().step_by(every).take(times).collect();
    let seen = measured(|| spots.iter().map(|at| count(sight, *at)).sum::<usize>());
    assert_eq!(seen, spots.iter().map(|at| check(sight, *at)).sum::<usize>());
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
    let sight = classic();
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
    let (mut game, keys) = (endless_game(), keys(times));
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
    let mut canvas = Canvas::new(&endless_game(), viewer, b"");
    let game = play_keys(times, |game, events| {
        changes.read(events);
        canvas.update(game, &changes);
    });
    assert_eq!(canvas.bytes(), game.view(viewer).to_string().as_bytes());
}

fn draw_views(times: usize) {
    let game = endless_game();
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
