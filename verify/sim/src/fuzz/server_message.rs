//! Messages of a server, as the client handles them: no control byte reaches the terminal.

use nuggets_atlas::{Point, Scene};
use nuggets_client::{App, AppOptions, Effect, JoinTarget, Timestamp, screen};
use nuggets_protocol::{ClientMessage, ServerMessage};
use nuggets_tui::{Key, Palette};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::fuzz::script::FuzzBytes;
use crate::fuzz::{assert_printable, assert_printable_lines};

/// Separates messages; it can't occur in one.
const SEPARATOR: u8 = 0xff;
/// The first byte of a part that holds keys, waiting times or a click instead of a message.
const KEY: u8 = 1;
const WAIT: u8 = 2;
const CLICK: u8 = 3;

/// Runs a client on three bytes of settings (role, window size) and parts separated by the byte 255: messages, keys
/// (after a 1), waiting times (2) and clicks (3).
pub fn server_message(data: &[u8]) {
    pictures(data);
}

/// Does the same and returns the number of parts after which there was a picture on the screen.
pub(crate) fn pictures(data: &[u8]) -> usize {
    let mut script = FuzzBytes::new(data);
    let mut client = FuzzedClient::new(&mut script);
    let parts = script.take(data.len()).split(|byte| *byte == SEPARATOR);
    parts.filter(|part| client.handle(part)).count()
}

/// A client, and a scene with what it should know.
struct FuzzedClient {
    app: App,
    scene: Scene,
    now: Timestamp,
    area: Rect,
    has_left: bool,
}

impl FuzzedClient {
    fn new(script: &mut FuzzBytes) -> Self {
        let kind = script.byte();
        let rows = script.below(14);
        let cols = script.below(100);
        let name = (kind & 1 == 0).then(|| b"Ann".to_vec());
        let join = JoinTarget { place: "localhost:1234".into(), name };
        let options = AppOptions { auto: kind & 2 == 0, ..AppOptions::default() };
        let app = App::new(Timestamp(0), join).with_options(options);
        let area = Rect::new(u16::from(kind >> 4), u16::from(kind >> 6), cols.into(), rows.into());
        let scene = Scene::default();
        let now = Timestamp(0);
        Self { app, scene, now, area, has_left: false }
    }

    /// Handles one part. Returns true if there is a picture afterwards.
    fn handle(&mut self, part: &[u8]) -> bool {
        match *part {
            [KEY, ref keys @ ..] => {
                for key in keys {
                    self.app.handle_key(self.now, Key::Char(char::from(*key)));
                }
            }
            [WAIT, ref waits @ ..] => waits.iter().for_each(|wait| self.wait(*wait)),
            [CLICK, row, col, ..] => {
                self.app.handle_click(self.now, Point::new(row.into(), col.into()));
            }
            _ => self.handle_message(part),
        }
        self.check_effects();
        self.check_screen();
        self.check_scene();
        screen::plain(&self.app).is_some()
    }

    fn handle_message(&mut self, bytes: &[u8]) {
        let handled = self.app.handle_message(self.now, bytes);
        let Ok(read) = ServerMessage::parse_leniently(bytes) else {
            return assert!(handled.is_err() || self.has_left, "accepted an invalid message");
        };
        let message = read.message;
        assert_eq!(ServerMessage::parse(&message.to_bytes()).as_ref(), Ok(&message));
        let taken = self.scene.handle_message(&message);
        if !self.has_left {
            assert_eq!(handled, taken);
        }
    }

    /// Wakes the client at each of its timeouts, and checks that it never asks twice for the same time.
    fn wait(&mut self, wait: u8) {
        let until = self.now.after(u64::from(wait) * 40);
        while let Some(at) = self.app.poll_timeout().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.app.handle_timeout(self.now);
            self.check_effects();
            let next = self.app.poll_timeout();
            assert!(next.is_none_or(|next| next > self.now), "woken twice at {:?}", self.now);
        }
        self.now = until;
    }

    /// Checks that only valid messages are sent, and that no effect follows the end.
    fn check_effects(&mut self) {
        while let Some(effect) = self.app.poll_effect() {
            assert!(!self.has_left, "{effect:?} after the end");
            match effect {
                Effect::Send(bytes) => {
                    assert!(ClientMessage::parse(&bytes).is_ok(), "{}", bytes.escape_ascii());
                }
                Effect::Leave(outcome) => {
                    self.has_left = true;
                    let texts = [outcome.farewell(), Some(outcome.describe("localhost"))];
                    texts.into_iter().flatten().for_each(|text| assert_printable_lines(&text));
                }
            }
        }
    }

    /// Checks that all cells are printable, and that the cursor is inside the window.
    fn check_screen(&self) {
        let mut buffer = Buffer::empty(self.area);
        screen::draw(&self.app, &Palette::colored(), self.area, &mut buffer);
        for cell in &buffer.content {
            let is_printable = cell.symbol().bytes().all(|byte| (b' '..=b'~').contains(&byte));
            assert!(is_printable, "{:?} is drawn", cell.symbol());
        }
        if let Some(cursor) = screen::cursor(&self.app, self.area) {
            assert!(self.area.contains(cursor), "the cursor is at {cursor:?} of {:?}", self.area);
        }
        if let Some(plain) = screen::plain(&self.app) {
            assert_printable_lines(&plain);
        }
    }

    /// Checks that a picture has the size of the grid and printable rows.
    fn check_scene(&self) {
        let Some(picture) = self.scene.picture() else { return };
        assert_eq!(Some(picture.size()), self.scene.size());
        assert_eq!(picture.cells().len(), picture.size().area());
        picture.rows().for_each(|row| assert_printable(&String::from_utf8_lossy(row)));
        if let Some(you) = picture.you() {
            assert_eq!(picture.cell(you), b'@');
        }
    }
}
