//! The true history of a game, computed from its journal by the naive model of the rules: every picture that each
//! view may have shown, in order. No other picture may ever be shown, and none out of order.

use std::collections::{BTreeMap, VecDeque};

use nuggets_game::{Game, Letter, Player, Viewer};
use nuggets_model::{Outgoing, World};
use nuggets_protocol::web::runs_of;
use nuggets_record::{Reading, RecordedEvent, Recording};
use nuggets_time::Timestamp;

use super::screen::{Shown, ShownGold, ShownPicture};
use crate::checked_room::{model_of, spot};

/// Whose eyes: a letter, or none for the whole map.
pub type ViewLetter = Option<char>;

/// The peer of the model's spectator, who sees the whole map.
const SPECTATOR: u64 = u64::MAX;

/// The history of one game. See the documentation of the module.
#[derive(Debug)]
pub struct Truth {
    game: Game,
    world: World,
    /// Entries of the journal that were read.
    entries: usize,
    /// Bytes of the journal that were read.
    bytes: usize,
    views: BTreeMap<ViewLetter, Frames>,
    /// How many pictures were found in it.
    pub found: u64,
}

/// The pictures and gold of one view, in order.
#[derive(Debug, Default)]
struct Frames {
    pictures: Vec<(Timestamp, ShownPicture)>,
    gold: Vec<(Timestamp, ShownGold)>,
}

impl Truth {
    /// Starts the history of a new journal.
    pub fn begin(now: Timestamp, journal: &[u8]) -> Result<Self, String> {
        let reading = read(journal)?;
        let game = reading.recording.header.game().map_err(|why| why.to_string())?;
        let setup = &reading.recording.header.setup;
        let map = game.map().to_string();
        let mut world = model_of(&map, &setup.rules, setup.dialect, false, &game);
        let answers = world.handle_message(SPECTATOR, b"SPECTATE", None);
        let mut truth =
            Self { game, world, entries: 0, bytes: 0, views: BTreeMap::new(), found: 0 };
        truth.add_answers(now, &answers)?;
        truth.extend(now, journal)?;
        Ok(truth)
    }

    /// Continues with the new entries of the journal.
    pub fn extend(&mut self, now: Timestamp, journal: &[u8]) -> Result<(), String> {
        if journal.len() == self.bytes {
            return Ok(());
        }
        let reading = read(journal)?;
        if reading.good_bytes < self.bytes {
            return Err("the journal has lost entries".to_owned());
        }
        self.bytes = reading.good_bytes;
        for entry in reading.recording.entries().skip(self.entries) {
            self.apply(now, &entry.what)?;
            self.entries += 1;
        }
        Ok(())
    }

    fn apply(&mut self, now: Timestamp, what: &RecordedEvent) -> Result<(), String> {
        let Some(input) = what.input() else { return Ok(()) };
        let joined = self.game.players().len();
        self.game.apply(input, &mut Vec::new());
        let answers = match what {
            RecordedEvent::Join { name, .. } => {
                let landing = self.game.players().get(joined).and_then(Player::at);
                let message = format!("PLAY {name}");
                self.world.handle_message(joined as u64, message.as_bytes(), landing.map(spot))
            }
            RecordedEvent::Press(letter, stroke) => {
                let message = [b'K', b'E', b'Y', b' ', stroke.key()];
                self.world.handle_message(letter.index() as u64, &message, None)
            }
            RecordedEvent::Leave(letter) => {
                self.world.handle_message(letter.index() as u64, b"KEY Q", None)
            }
            _ => vec![],
        };
        self.add_answers(now, &answers)?;
        self.add_views_of_gone(now);
        match self.world.check().first() {
            Some(violation) => Err(format!("the model disagrees: {violation}")),
            None => Ok(()),
        }
    }

    /// Adds the views of players who have left: they still show the known map, but the model sends them nothing.
    fn add_views_of_gone(&mut self, now: Timestamp) {
        let letters = (0..self.game.players().len()).filter_map(Letter::nth);
        for letter in letters.filter(|letter| self.game.player(*letter).at().is_none()) {
            let mut picture = Vec::new();
            self.game.view(Viewer::Player(letter)).write_to(&mut picture);
            let rows = String::from_utf8_lossy(&picture).trim_end_matches('\n').to_owned();
            let picture = ShownPicture { rows, in_sight: vec![] };
            let frames = self.views.entry(Some(letter.as_byte().into())).or_default();
            if frames.pictures.last().is_none_or(|(_, last)| *last != picture) {
                frames.pictures.push((now, picture));
            }
            let purse = self.game.player(letter).purse();
            frames.gold.push((now, ShownGold { purse, left: self.game.remaining() }));
        }
    }

    fn add_answers(&mut self, now: Timestamp, answers: &[Outgoing]) -> Result<(), String> {
        for (peer, bytes) in answers {
            let view = match *peer {
                SPECTATOR => None,
                index => {
                    let letter = usize::try_from(index).ok().and_then(Letter::nth);
                    letter.map(|letter| letter.as_byte().into())
                }
            };
            let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
            let frames = self.views.entry(view).or_default();
            if let Some(picture) = text.strip_prefix("DISPLAY\n") {
                let in_sight = self.world.in_sight(*peer).into_iter();
                let in_sight = runs_of(in_sight.map(|at| index(&self.game, at)));
                let rows = picture.trim_end_matches('\n').to_owned();
                frames.pictures.push((now, ShownPicture { rows, in_sight }));
            } else if let Some(numbers) = text.strip_prefix("GOLD ") {
                frames.gold.push((now, ShownGold::parse(numbers)?));
            }
        }
        Ok(())
    }

    /// Finds the pictures and gold that a client was shown, in order, after those found before. `by` is the latest
    /// time that it may see: the time of reading, or earlier for a watcher with a delay.
    pub fn find(&mut self, shown: &mut Shown, by: Timestamp) -> Result<(), String> {
        let view = shown.view;
        let frames = self.views.get(&view).ok_or_else(|| format!("{view:?} is no view"))?;
        let place = &mut shown.place;
        while let Some(picture) = shown.pictures.pop_front() {
            let rest = &frames.pictures[place.picture..];
            let is_it = |one: &ShownPicture| {
                one.rows == picture.rows && (shown.is_classic || one.in_sight == picture.in_sight)
            };
            let found = rest.iter().position(|(at, one)| *at <= by && is_it(one));
            let Some(steps) = found else {
                let known = frames.pictures.iter().any(|(_, one)| is_it(one));
                let why = if known { "that was before" } else { "that was never so" };
                return Err(format!("view {view:?} shows what {why}:\n{picture}"));
            };
            place.picture += steps;
            self.found += 1;
        }
        find_gold(&frames.gold, &mut shown.gold, &mut place.gold, by)
            .map_err(|gold| format!("view {view:?} shows gold that was not so: {gold:?}"))
    }

    /// The last picture of a view, as it must be when nothing is under way.
    pub fn current(&self, view: ViewLetter) -> Option<&ShownPicture> {
        self.views.get(&view)?.pictures.last().map(|(_, picture)| picture)
    }

    /// Returns the number of journal bytes that were read.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the game after all entries of the journal.
    pub fn game(&self) -> &Game {
        &self.game
    }
}

fn find_gold(
    frames: &[(Timestamp, ShownGold)],
    shown: &mut VecDeque<ShownGold>,
    place: &mut usize,
    by: Timestamp,
) -> Result<(), ShownGold> {
    while let Some(gold) = shown.pop_front() {
        let same = |(at, one): &(Timestamp, ShownGold)| {
            *at <= by && (one.purse, one.left) == (gold.purse, gold.left)
        };
        let steps = frames[*place..].iter().position(same).ok_or(gold)?;
        *place += steps;
    }
    Ok(())
}

fn read(journal: &[u8]) -> Result<Reading, String> {
    Recording::read(journal).map_err(|why| why.to_string())
}

/// Returns the index of a spot of the model in a picture.
fn index(game: &Game, (row, col): (i64, i64)) -> usize {
    usize::try_from(row * i64::from(game.map().cols()) + col).expect("a spot of this map")
}
