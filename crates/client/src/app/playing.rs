//! Playing: sends keys and scripts, and turns the server's messages into notes.

use nuggets_atlas::{Gold, Stroke};
use nuggets_session::{SessionStage, Timestamp, Update};
use nuggets_tui::Key;

use super::App;
use super::auto::Errand;
use super::note::{self, Note};
use super::rivals::number_after;
use super::script::ScriptStep;

impl App {
    pub(super) fn play(&mut self, now: Timestamp, key: Key) {
        if self.handle_key_unseen(key) {
            return;
        }
        self.clear_note();
        self.stop_errand();
        if std::mem::take(&mut self.help_is_open) && key != Key::Interrupt {
            return;
        }
        if self.handle_pause_key(key) || self.handle_look_key(now, key) {
            return;
        }
        if self.pause.is_some() && self.handle_own_key(now, key) {
            return;
        }
        match (key, key.wire()) {
            (Key::Char('?'), _) => self.help_is_open = true,
            (Key::Redraw, _) => {}
            (Key::Interrupt | Key::EndOfInput, _) => self.quit(now),
            (Key::Char('o'), _) if self.auto.is_some() => self.start_errand(now, Errand::Explore),
            (Key::Char('O'), _) if self.auto.is_some() => self.explore_on(now),
            (Key::Char('i'), _) if self.has_panel_key() => self.toggle_panel(now),
            (_, Some(byte)) => self.press(now, byte),
            (_, None) => self.put_note(now, note::UNKNOWN_KEYSTROKE),
        }
    }

    /// True if the panel has a key: with the other conveniences, and for a spectator, whose keys are not sent.
    fn has_panel_key(&self) -> bool {
        self.auto.is_some() || self.pause.is_some() || self.join.is_spectator()
    }

    fn toggle_panel(&mut self, now: Timestamp) {
        let was_open = std::mem::replace(&mut self.panel_is_open, true);
        let has_room = self.layout().is_none_or(|layout| layout.panel.is_some());
        self.panel_is_open = if has_room { !was_open } else { was_open };
        self.follow_player();
        if !has_room {
            self.put_note(now, note::NO_ROOM_FOR_PANEL);
        }
    }

    /// In a game of our own, explains a key without a meaning instead of sending it. Returns true if it was one.
    fn handle_own_key(&mut self, now: Timestamp, key: Key) -> bool {
        let text = match key {
            Key::Char('q') => note::HOW_TO_QUIT,
            Key::Char('?' | 'Q' | 'o' | 'O' | 'i')
            | Key::Redraw
            | Key::Interrupt
            | Key::EndOfInput => {
                return false;
            }
            _ if key.wire().and_then(Stroke::from_key).is_some() => return false,
            _ => note::UNKNOWN_KEY,
        };
        self.put_note(now, text);
        true
    }

    fn press(&mut self, now: Timestamp, byte: u8) {
        if byte == b'Q' {
            return self.quit(now);
        }
        if self.join.is_spectator() {
            return self.put_note(now, note::SPECTATOR_KEY);
        }
        self.session.send_key(now, byte);
        self.note_stroke(now, byte);
    }

    fn quit(&mut self, now: Timestamp) {
        self.session.handle_quit(now);
        self.close_help_and_stop();
    }

    pub(super) fn run_script(&mut self, now: Timestamp) {
        while self.script_may_run()
            && let Some(step) = self.script.step(now)
        {
            self.clear_note();
            match step {
                ScriptStep::Press(byte) => self.press(now, byte),
                ScriptStep::Unknown => self.put_note(now, note::UNKNOWN_KEYSTROKE),
                ScriptStep::End => self.quit(now),
            }
        }
    }

    /// True if keys from a pipe may be played: they wait for the first picture, unless there won't be one.
    pub(super) fn script_may_run(&self) -> bool {
        self.session.stage() == SessionStage::Playing
            && (self.scene().picture().is_some() || !self.session.is_answer_incomplete())
    }

    pub(super) fn handle_update(&mut self, now: Timestamp, update: Update, before: Option<Gold>) {
        match update {
            Update::Gold { found } => self.handle_gold(now, before, found),
            Update::Picture => {
                if let Some(mismatch) = self.flaws.add_size_mismatch(&self.session) {
                    self.put_note(now, &mismatch.to_string());
                }
                self.handle_rivals(now);
                self.handle_picture(now);
            }
            Update::HouseRules(text) => {
                self.put_note(now, &text);
                self.log.add(now, None, text.clone());
                if let Some(range) = number_after("vision ", &text) {
                    self.sight.limit_range(range);
                }
                self.house_rules = Some(text);
            }
            Update::News(text) | Update::ErrorReply(text) => {
                self.put_note(now, &text);
                self.log.add(now, None, text);
            }
            Update::Seat | Update::Stage => {}
        }
    }

    /// Notes each kind of deviation once: such a server sends every message like that.
    pub(super) fn note_deviations(&mut self, now: Timestamp) {
        if let Some(new) = self.flaws.add_deviations(&self.session) {
            self.put_note(now, &format!("server sends {new}"));
        }
    }

    pub(super) fn put_note(&mut self, now: Timestamp, text: &str) {
        self.note = Some(Note::new(now, text, self.note.take()));
    }

    /// Clears notes and errors, which are outdated once the player reacts.
    pub(super) fn clear_note(&mut self) {
        self.note = None;
        self.session.clear_last_error();
    }

    pub(super) fn close_help_and_stop(&mut self) {
        self.help_is_open = false;
        self.stop_errand();
    }

    pub(super) fn clear_if_ended(&mut self) {
        if self.session.stage() == SessionStage::Ended {
            self.note = None;
            self.stop_errand();
        }
    }
}
