//! What a server says, as a client takes it: whatever it is, nothing harmful comes to the terminal.

use nuggets_atlas::{Point, Scene};
use nuggets_client::{App, Effect, Join, Key, Millis, Palette, screen};
use nuggets_protocol::{ClientMessage, ServerMessage};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::harmless::{assert_harmless, assert_harmless_lines};
use crate::script::Script;

/// It stands between messages, and can't stand in one.
const SEPARATOR: u8 = 0xff;
/// What comes before a key, a moment and a click among the messages.
const KEY: u8 = 1;
const MOMENT: u8 = 2;
const CLICK: u8 = 3;

/// Three bytes of settings (who plays, and how large the window is), then messages, each behind the
/// byte 255. Among them are a person's keys (behind a 1), moments (2) and clicks (3).
pub fn server_message(data: &[u8]) {
    pictures(data);
}

/// The same, and how many messages left a picture on the screen.
pub(crate) fn pictures(data: &[u8]) -> usize {
    let mut script = Script::new(data);
    let mut client = Client::new(&mut script);
    let told = script.take(data.len()).split(|byte| *byte == SEPARATOR);
    told.filter(|told| client.take(told)).count()
}

/// A client and, beside it, what it should know.
struct Client {
    app: App,
    scene: Scene,
    now: Millis,
    area: Rect,
    has_left: bool,
}

impl Client {
    fn new(script: &mut Script) -> Self {
        let kind = script.byte();
        let (rows, cols) = (script.below(14), script.below(100));
        let name = (kind & 1 == 0).then(|| b"Ann".to_vec());
        let join = Join { host: "localhost".into(), port: 1234, name };
        let app = App::new(Millis(0), join);
        let app = if kind & 2 == 0 { app.with_auto() } else { app };
        let area = Rect::new(u16::from(kind >> 4), u16::from(kind >> 6), cols.into(), rows.into());
        let (scene, now) = (Scene::default(), Millis(0));
        Self { app, scene, now, area, has_left: false }
    }

    /// Takes one thing that happens; true if there is a picture afterwards.
    fn take(&mut self, told: &[u8]) -> bool {
        match *told {
            [KEY, ref keys @ ..] => {
                for key in keys {
                    self.app.handle_key(self.now, Key::Char(char::from(*key)));
                }
            }
            [MOMENT, ref waits @ ..] => waits.iter().for_each(|wait| self.wait(*wait)),
            [CLICK, row, col, ..] => {
                self.app.handle_click(self.now, Point::new(row.into(), col.into()));
            }
            _ => self.hear(told),
        }
        self.check_effects();
        self.check_screen();
        self.check_scene();
        screen::plain(&self.app).is_some()
    }

    fn hear(&mut self, bytes: &[u8]) {
        let heard = self.app.handle_message(self.now, bytes);
        let Ok(message) = ServerMessage::parse(bytes) else {
            return assert!(heard.is_err() || self.has_left, "heard what is no message");
        };
        assert_eq!(ServerMessage::parse(&message.to_bytes()).as_ref(), Ok(&message));
        let taken = self.scene.take(&message);
        if !self.has_left {
            assert_eq!(heard, taken);
        }
    }

    /// The client is woken whenever it asks for it, and doesn't ask twice for the same moment.
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

    /// Whatever goes out is a message; nothing follows the end.
    fn check_effects(&mut self) {
        while let Some(effect) = self.app.poll_effect() {
            assert!(!self.has_left, "{effect:?} behind the end");
            match effect {
                Effect::Send(bytes) => {
                    assert!(ClientMessage::parse(&bytes).is_ok(), "{}", bytes.escape_ascii());
                }
                Effect::Leave(ending) => {
                    self.has_left = true;
                    let words = [ending.farewell(), ending.trouble(self.app.join())];
                    words.into_iter().flatten().for_each(|text| assert_harmless_lines(&text));
                }
            }
        }
    }

    /// Nothing but printable cells, and the cursor within the window.
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
            assert_harmless_lines(&plain);
        }
    }

    /// A picture is as large as it says.
    fn check_scene(&self) {
        let Some(picture) = self.scene.picture() else { return };
        assert_eq!(Some(picture.size()), self.scene.size());
        assert_eq!(picture.cells().len(), picture.size().area());
        picture.rows().for_each(|row| assert_harmless(&String::from_utf8_lossy(row)));
        if let Some(you) = picture.you() {
            assert_eq!(picture.cell(you), b'@');
        }
    }
}
