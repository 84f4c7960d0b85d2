//! The player's view of messages: gold found, stolen or lost, rivals that come, take and swap. Everything goes to the
//! log; events that concern the player itself are also noted, and being robbed rings the bell.

use nuggets_atlas::{Gold, KnownTile, Picture, Stroke, counted};
use nuggets_session::Timestamp;

use super::App;
use super::note::{self, Note};
use super::rivals::{RivalNews, total_nuggets};

/// The time limit for the answer to an effective key. After that the server counts as silent.
const MAX_ANSWER_MS: u64 = 3_000;

/// The bell of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bell {
    /// It never rings.
    Off,
    /// It has no reason to ring.
    Quiet,
    /// It has to ring.
    Rings,
}

impl Bell {
    fn rung(self) -> Self {
        if self == Self::Off { Self::Off } else { Self::Rings }
    }
}

/// A server that may have fallen silent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Silence {
    /// The time of the first effective key that has had no answer yet.
    unanswered_since: Option<Timestamp>,
    /// True while the server counts as silent.
    pub(super) is_noted: bool,
}

impl App {
    /// Handles a new `GOLD` message.
    pub(super) fn handle_gold(&mut self, now: Timestamp, before: Option<Gold>, found: u32) {
        let Some(gold) = self.scene().gold() else { return };
        let total = total_nuggets(self.house_rules.as_deref());
        self.rivals.handle_gold(before, gold, found, total);
        let lost = before.map_or(0, |before| before.purse.saturating_sub(gold.purse));
        if lost > 0 {
            self.robbed_of = Some(lost);
            self.bell = self.bell.rung();
            self.note = Some(Note::lasting(now, &format!("ROBBED of {}", nuggets(lost))));
        } else if found > 0 {
            let stolen = stolen(before, gold, found);
            let text = match stolen {
                0 => format!("you found {}", nuggets(found)),
                _ => format!("you stole {}", nuggets(stolen)),
            };
            self.log.add(now, None, text.clone());
            self.note = Some(match stolen {
                0 => Note::gold(now, found),
                _ => Note::lasting(now, &text),
            });
        }
    }

    /// Logs the news of the other players in a new picture.
    pub(super) fn handle_rivals(&mut self, now: Timestamp) {
        let Some(picture) = self.session.scene().picture() else { return };
        let is_spectator = self.join.is_spectator();
        let all = self.rivals.handle_picture(picture, is_spectator);
        for news in all {
            match news {
                RivalNews::Appeared(letter) if is_spectator => self.log_of(now, letter, "joins"),
                RivalNews::Appeared(letter) => self.log_of(now, letter, "comes into sight"),
                RivalNews::Vanished(letter) => self.log_of(now, letter, "leaves"),
                RivalNews::Took(letter, n) => self.log_of(now, letter, &format!("takes {n}")),
                RivalNews::TakenUnseen(n) => {
                    self.log.add(now, None, format!("{n} taken out of sight"));
                }
                RivalNews::Swapped(letter) => self.handle_swap(now, letter),
            }
        }
        if let Some(lost) = self.robbed_of.take() {
            self.log.add(now, None, format!("robbed of {}", nuggets(lost)));
        }
    }

    fn handle_swap(&mut self, now: Timestamp, letter: u8) {
        if let Some(lost) = self.robbed_of.take() {
            self.log_of(now, letter, &format!("robs you of {}", nuggets(lost)));
            let text = format!("ROBBED of {} by {}", nuggets(lost), char::from(letter));
            self.note = Some(Note::lasting(now, &text));
            return;
        }
        self.log_of(now, letter, "and you swap places");
        if !self.note.as_ref().is_some_and(|note| note.is_lasting(now)) {
            self.put_note(now, &format!("swapped with {}", char::from(letter)));
        }
    }

    /// Logs an event about a rival, with its name if that is known.
    fn log_of(&mut self, now: Timestamp, letter: u8, what: &str) {
        let who = match self.rivals.name_of(letter) {
            Some(name) => format!("{} ({name})", char::from(letter)),
            None => char::from(letter).to_string(),
        };
        self.log.add(now, Some(letter), format!("{who} {what}"));
    }

    /// Handles a key of the game that is being sent: notes a blocked one, and expects an answer to an effective one.
    pub(super) fn note_stroke(&mut self, now: Timestamp, key: u8) {
        let you = self.scene().picture().and_then(Picture::you);
        let (Some(you), Some(stroke)) = (you, Stroke::from_key(key)) else { return };
        let (Stroke::Step(direction) | Stroke::Sprint(direction)) = stroke;
        let map = self.sight.discovered();
        let ahead = you.step(direction).map_or(KnownTile::Rock, |at| map.tile(at));
        match ahead {
            KnownTile::Wall | KnownTile::Rock => self.put_note(now, note::WALL_AHEAD),
            _ if ahead.is_spot() => _ = self.silence.unanswered_since.get_or_insert(now),
            _ => {}
        }
    }

    /// Returns the time at which a server that does not answer counts as silent.
    pub(super) fn silent_at(&self) -> Option<Timestamp> {
        let since = self.silence.unanswered_since.filter(|_| !self.silence.is_noted)?;
        Some(since.after(MAX_ANSWER_MS))
    }

    pub(super) fn note_silence(&mut self, now: Timestamp) {
        if self.silent_at().is_some_and(|at| at <= now) {
            self.silence.is_noted = true;
            self.log.add(now, None, "the server does not answer".to_owned());
        }
    }

    /// Ends the silence: a message has arrived.
    pub(super) fn end_silence(&mut self, now: Timestamp) {
        if std::mem::take(&mut self.silence).is_noted {
            self.log.add(now, None, "the server answers again".to_owned());
        }
    }
}

/// Returns the number of nuggets that came into our purse but not from the map.
fn stolen(before: Option<Gold>, now: Gold, found: u32) -> u32 {
    let Some(before) = before else { return 0 };
    let has_grown = now.purse.checked_sub(before.purse) == Some(found);
    let from_map = before.remaining.saturating_sub(now.remaining);
    if has_grown { found.saturating_sub(from_map) } else { 0 }
}

pub(crate) fn nuggets(n: u32) -> String {
    counted(n, "nugget")
}
