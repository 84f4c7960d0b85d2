//! A small recorded game for tests.

use nuggets_game::{Letter, Map, Name, Rules, Seed, Setup, Stroke};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, RecordedEvent, Recording, RecordingEnd, Timestamp, Writer};
use nuggets_tui::Palette;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::{ReplayApp, screen};

/// A recording of these events at these milliseconds, in two rooms with a pile in each.
pub(crate) fn recorded(happened: &[(u64, RecordedEvent)]) -> Recording {
    let drawn = b"\
        +-----+  +---+\n\
        |.....####...|\n\
        +-----+  |...|\n\
        .        +---+\n";
    let drawn = String::from_utf8_lossy(drawn).replace("\n.", "\n ");
    let rules =
        Rules { nuggets: 9, min_piles: 2, max_piles: 2, max_players: 3, ..Rules::default() };
    recorded_on(Map::parse(drawn.as_bytes()).unwrap().map, rules, happened)
}

pub(crate) fn join(name: &str) -> RecordedEvent {
    RecordedEvent::Join { name: Name::new(name.as_bytes()).unwrap(), peer: None }
}

pub(crate) fn press(player: usize, key: u8) -> RecordedEvent {
    RecordedEvent::Press(Letter::nth(player).unwrap(), Stroke::from_key(key).unwrap())
}

pub(crate) fn recorded_on(map: Map, rules: Rules, happened: &[(u64, RecordedEvent)]) -> Recording {
    let header = Header { setup: Setup::new(map, rules, Seed::new(5), Dialect::V2021), port: 0 };
    let mut game = header.game().unwrap();
    let (mut writer, mut bytes) = Writer::new(&header, &game);
    for (ms, what) in happened {
        what.input().into_iter().for_each(|input| game.apply(input, &mut vec![]));
        writer.append(&Entry::new(Timestamp(*ms), what.clone()), &game, &mut bytes);
    }
    Recording::read(&bytes).unwrap().recording
}

/// Ann takes the pile on the left, Bob the one on the right; between them is a long pause.
pub(crate) fn game() -> Recording {
    recorded(&[
        (500, join("Ann")),
        (900, RecordedEvent::Watch { peer: None }),
        (1_000, join("Bob")),
        (1_500, press(0, b'H')),
        (2_000, press(0, b'l')),
        (2_100, press(0, b'h')),
        (60_000, press(1, b'h')),
        (60_500, press(1, b'j')),
        (61_000, press(1, b'l')),
        (62_000, RecordedEvent::End(RecordingEnd::Over)),
    ])
}

pub(crate) fn app() -> ReplayApp {
    ReplayApp::new(game()).unwrap()
}

/// The screen of a replay, without spaces at the ends of lines.
pub(crate) fn lines(app: &ReplayApp, rows: u16, cols: u16) -> Vec<String> {
    let area = Rect::new(0, 0, cols, rows);
    let mut buffer = Buffer::empty(area);
    screen::draw(app, &Palette::plain(), area, &mut buffer);
    let text = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>();
    let rows = buffer.content.chunks(usize::from(cols).max(1));
    rows.map(|row| text(row).trim_end().to_owned()).collect()
}

#[test]
fn a_changed_recording_is_rejected() {
    let mut changed = game();
    changed.records[3].entry.what = press(0, b'l');
    assert!(ReplayApp::new(changed.clone()).is_err());
    assert!(crate::page::ReplayData::of(changed).is_err());
}

/// The cast begins with its header, keeps the order of time, and restores the cursor at its end.
#[test]
fn a_cast_is_a_header_and_lines_in_the_order_of_time() {
    let cast = crate::cast(app().with_pauses_skipped(), "a \"game\"");
    let mut lines = cast.lines();
    let head = r#"{"height":7,"title":"a \"game\"","version":2,"width":60}"#;
    assert_eq!(lines.next(), Some(head));
    let lines: Vec<(f64, String, String)> =
        lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|(_, kind, _)| kind == "o"));
    assert!(lines.is_sorted_by(|one, two| one.0 <= two.0));
    let times: Vec<f64> = lines.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.1, 3.0, 3.1, 3.6, 4.1, 5.1, 7.1]);
    assert!(lines[1].2.contains("00:00/01:02"), "{}", lines[1].2);
    assert!(lines[12].2.ends_with("\u{1b}[?25h\r\n"), "{}", lines[12].2);
    let whole = crate::cast(app(), "");
    let last: (f64, String, String) = serde_json::from_str(whole.lines().last().unwrap()).unwrap();
    assert!((last.0 - 64.0).abs() < 1e-9, "with every pause: {}", last.0);
}
