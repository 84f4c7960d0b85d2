//! The game itself: keys go out, what the server says is taken in.

use nuggets_atlas::Stroke;
use nuggets_protocol::{ClientMessage, ServerMessage};

use super::note::{self, Note};
use super::script::Step;
use super::{App, Effect, Ending, Misunderstood, Stage};
use crate::text::{clean_line, clean_lines};
use crate::{Key, Millis};

/// How a complaint begins that is none: it tells what the server plays by beyond the documents.
const HOUSE_RULES: &str = "House rules:";

impl App {
    pub(super) fn play(&mut self, now: Millis, key: Key) {
        self.forget_the_last_words();
        self.stand_still();
        if std::mem::take(&mut self.help_is_open) && key != Key::Interrupt {
            return;
        }
        match (key, key.wire()) {
            (Key::Char('?'), _) => self.help_is_open = true,
            (Key::Interrupt | Key::EndOfInput, _) => self.say_goodbye(now),
            (Key::Char('o'), _) if self.auto.is_some() => self.explore(now),
            (_, Some(byte)) => self.press(now, byte),
            (_, None) => self.put_note(now, note::UNKNOWN_KEYSTROKE),
        }
    }

    fn press(&mut self, now: Millis, byte: u8) {
        match byte {
            b'Q' => self.say_goodbye(now),
            _ => self.send_key(byte),
        }
    }

    pub(super) fn run_script(&mut self, now: Millis) {
        while self.script_may_run()
            && let Some(step) = self.script.step(now)
        {
            self.forget_the_last_words();
            match step {
                Step::Press(byte) => self.press(now, byte),
                Step::Unknown => self.put_note(now, note::UNKNOWN_KEYSTROKE),
                Step::End => self.say_goodbye(now),
            }
        }
    }

    /// Keys from a pipe wait for the first picture, unless there won't be one.
    pub(super) fn script_may_run(&self) -> bool {
        let in_sight = self.scene.picture().is_some() || self.asking.is_none();
        self.stage == Stage::Playing && in_sight
    }

    pub(super) fn hear(
        &mut self,
        now: Millis,
        message: &ServerMessage,
    ) -> Result<(), Misunderstood> {
        match message {
            ServerMessage::Quit(text) => self.dismissed(now, &clean_lines(text)),
            ServerMessage::GameOver(table) => self.leave(Ending::GameOver(clean_lines(table))),
            ServerMessage::Error(text) | ServerMessage::No(text)
                if text.starts_with(HOUSE_RULES.as_bytes()) =>
            {
                self.take_house_rules(now, clean_line(text));
            }
            ServerMessage::No(text) if self.stage == Stage::Joining => {
                self.leave(Ending::Refused(clean_line(text)));
            }
            ServerMessage::Error(text) => self.scolded(now, "ERROR", text),
            ServerMessage::No(text) => self.scolded(now, "NO", text),
            told => {
                self.scene.take(told)?;
                self.complaint = None;
                self.welcome();
                self.rejoice(now, told);
                if matches!(told, ServerMessage::Display(_)) {
                    self.note_misfit(now);
                    self.look(now);
                }
            }
        }
        Ok(())
    }

    fn take_house_rules(&mut self, now: Millis, text: String) {
        self.put_note(now, &text);
        self.house_rules = Some(text);
    }

    fn rejoice(&mut self, now: Millis, message: &ServerMessage) {
        if let &ServerMessage::Gold { found: found @ 1.., .. } = message {
            self.note = Some(Note::gold(now, found));
        }
    }

    /// Said once: such a server draws every picture like that.
    fn note_misfit(&mut self, now: Millis) {
        let Some(misfit) = self.scene.misfit().filter(|&misfit| Some(misfit) != self.misfit) else {
            return;
        };
        tracing::warn!("{misfit}: it is padded or cut");
        self.misfit = Some(misfit);
        self.put_note(now, &misfit.to_string());
    }

    /// The server complains. When we have said `Q` more than once, it no longer knows us.
    fn scolded(&mut self, now: Millis, word: &str, text: &[u8]) {
        let is_going = matches!(self.stage, Stage::Leaving | Stage::Wondering);
        if is_going && self.asking.is_some_and(|asking| asking.asked() > 1) {
            return self.give_up_asking();
        }
        let why = match clean_line(text) {
            empty if empty.trim().is_empty() => word.to_owned(),
            why => why,
        };
        self.put_note(now, &why);
        self.complaint = Some(why);
    }

    pub(super) fn put_note(&mut self, now: Millis, text: &str) {
        self.note = Some(Note::new(now, text, self.note.take()));
    }

    pub(super) fn forget_the_last_words(&mut self) {
        self.note = None;
        self.complaint = None;
    }

    pub(super) fn send_key(&mut self, byte: u8) {
        if let Some(stroke) = Stroke::of(byte) {
            self.scene.press(stroke);
        }
        let bytes = ClientMessage::Key(byte).to_bytes();
        self.effects.push_back(Effect::Send(bytes));
    }
}
