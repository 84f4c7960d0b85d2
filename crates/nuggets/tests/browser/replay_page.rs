//! `nuggets replay --html`: the page works from disk, and shows at every moment what the game was.

use std::path::PathBuf;
use std::process::Command;

use nuggets_game::{Event, Letter, Name, Rng, Rules, Seed, Setup, Stroke, Viewer, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::{
    Entry, Header, RecordedEvent, Recording, RecordingEnd, Replay, Timestamp, Writer,
};
use nuggets_testkit::{Browser, BrowserPage, PHONE};
use serde_json::json;
use tempfile::TempDir;

/// Names that a careless page would take for markup.
const NAMES: [&str; 3] = ["Ann", "<img src=x onerror=alert(1)>", "</script><b>Cy"];

/// Three players press random keys, every 200 ms one; the pause at the end is long.
fn recorded() -> Recording {
    let map = shipped::find("main").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(4), Dialect::V2021);
    let header = Header { setup, port: 0 };
    let mut game = header.game().unwrap();
    let (mut writer, mut bytes) = Writer::new(&header, &game);
    let mut rng = Rng::new(Seed::new(4));
    let mut ms = 0;
    let mut add = |ms: u64, what: RecordedEvent| {
        let mut events = vec![];
        what.input().into_iter().for_each(|input| game.apply(input, &mut events));
        let is_accepted = !matches!(events[..], [Event::Rejected(_)]);
        if is_accepted {
            writer.append(&Entry::new(Timestamp(ms), what), &game, &mut bytes);
        }
        is_accepted
    };
    for name in NAMES {
        ms += 500;
        assert!(add(
            ms,
            RecordedEvent::Join { name: Name::new(name.as_bytes()).unwrap(), peer: None }
        ));
    }
    for _ in 0..600 {
        let letter = Letter::nth(rng.index(3)).unwrap();
        let stroke = Stroke::from_key(b"hjklyubnHJKLYUBN"[rng.index(16)]).unwrap();
        ms += if add(ms + 200, RecordedEvent::Press(letter, stroke)) { 200 } else { 0 };
    }
    add(ms + 60_000, RecordedEvent::End(RecordingEnd::Closed));
    Recording::read(&bytes).unwrap().recording
}

/// The page of this recording in a file, and its address.
fn written(recording: &Recording) -> (TempDir, String) {
    let folder = TempDir::with_prefix("nuggets-replay-page-").unwrap();
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    let bytes = nuggets_record::CatchUp::of(b"", recording).unwrap().bytes;
    std::fs::write(file("game.nuggets"), bytes).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nuggets"));
    command.args(["replay", "--html", "game.nuggets", "-o", "game.html"]);
    assert!(command.current_dir(folder.path()).status().unwrap().success());
    let address = format!("file://{}", file("game.html").display());
    (folder, address)
}

fn open(page: &BrowserPage<'_>, address: &str) {
    page.open(address);
    page.wait_until("document.getElementById('replay').dataset.frame !== undefined");
    page.eval("document.getElementById('replay-text-details').open = true");
}

fn frame(page: &BrowserPage<'_>) -> String {
    page.text("document.getElementById('replay').dataset.frame")
}

/// What the game draws when this many inputs have happened.
fn drawn(replay: &mut Replay, position: usize, viewer: Viewer) -> String {
    replay.seek(position).unwrap();
    replay.game().view(viewer).to_string().trim_end_matches('\n').to_owned()
}

#[test]
fn a_link_shows_what_the_player_saw_then() {
    let recording = recorded();
    let (_folder, address) = written(&recording);
    let browser = Browser::start();
    let page = browser.profile().page("replay");
    open(&page, &address);
    let mut replay = Replay::new(recording.clone()).unwrap();
    // Forwards and backwards, near and far.
    for position in [300, 301, 40, 3, 299, recording.records.len() - 1, 120] {
        let seconds =
            f64::from(u32::try_from(recording.records[position - 1].entry.at.0).unwrap()) / 1000.0;
        let views = [
            ("A", Viewer::Player(Letter::nth(0).unwrap())),
            ("C", Viewer::Player(Letter::nth(2).unwrap())),
            ("*", Viewer::Spectator),
        ];
        for (name, viewer) in views {
            page.eval(&format!("location.hash = '#t={seconds}&v={name}'"));
            page.wait_until(&format!(
                "(({{ frame, view }}) => frame === '{position}' && view === '{name}')(document.getElementById('replay').dataset)"
            ));
            let shown = page.text("document.getElementById('replay-text').textContent");
            assert_eq!(shown, drawn(&mut replay, position, viewer), "{name} at {position}");
        }
    }
}

#[test]
fn everything_can_be_done_with_the_keyboard() {
    let recording = recorded();
    let (_folder, address) = written(&recording);
    let browser = Browser::start();
    let page = browser.profile().page("replay");
    open(&page, &format!("{address}#t=0"));
    page.press("ArrowRight");
    page.press("ArrowRight");
    page.press(".");
    page.press("ArrowLeft");
    page.press("B");
    page.wait_until("document.getElementById('replay').dataset.view === 'B'");
    assert_eq!(frame(&page), "2");
    page.press("g");
    let gold = "(({ purses }) => purses[0][0])(JSON.parse(document.getElementById('replay-data').textContent))";
    page.wait_until(&format!("location.hash === '#t=' + {gold} / 1000 + '&v=B'"));
    page.press("0");
    page.wait_until("document.getElementById('replay').dataset.view === '*'");
    page.press("Home");
    for _ in 0..5 {
        page.press("+");
    }
    assert_eq!(page.text("document.getElementById('replay-speed').value"), "16");
    page.press(" ");
    page.find("button", "Pause");
    // Pauses are skipped, also the long one at the end.
    page.wait_until(&format!(
        "document.getElementById('replay').dataset.frame === '{}'",
        recording.records.len() - 1
    ));
    page.find("button", "Play");
    assert_eq!(
        page.text("document.getElementById('replay-now').textContent"),
        page.text("document.getElementById('replay-length').textContent")
    );
    page.press("Home");
    // The bar is a slider that says the time.
    let slider = page.tab_to("slider", "Time");
    assert_eq!(slider.value, "0");
    page.press("ArrowRight");
    page.wait_until("document.getElementById('replay').dataset.frame === '1'");
    page.tab_to("button", "To the next gold");
    page.press("Enter");
    page.wait_until("document.getElementById('replay').dataset.frame > 3");
    page.tab_to("radio", "Whole map");
    page.press("ArrowDown");
    page.wait_until("document.getElementById('replay').dataset.view === 'A'");
}

#[test]
fn names_are_text_and_a_finger_is_enough() {
    let recording = recorded();
    let (_folder, address) = written(&recording);
    let browser = Browser::start();
    let page = browser.profile().page("replay");
    page.set_device(PHONE);
    open(&page, &address);
    for name in NAMES {
        page.find("radio", name);
        page.find("rowheader", name);
    }
    assert_eq!(page.eval("document.querySelectorAll('img, b').length"), json!(0));
    page.tap("radio", "<img");
    page.wait_until("document.getElementById('replay').dataset.view === 'B'");
    page.tap("button", "Play");
    page.wait_until("document.getElementById('replay').dataset.frame > 2");
    page.tap("button", "Pause");
    page.find("button", "Play");
    // The middle of the chart is the middle of the game.
    page.tap("image", "Purses over time");
    let middle = "Math.abs(document.getElementById('replay-seek').value / document.getElementById('replay-seek').max - 0.52) < 0.04";
    page.wait_until(middle);
    assert_eq!(page.eval("document.documentElement.scrollWidth <= innerWidth"), json!(true));
}
