//! The true history of a game, computed from its journal by the naive model of the rules: every picture that each
//! view may have shown, in order. No other picture may ever be shown, and none out of order.

use std::collections::BTreeMap;

use nuggets_game::{Game, Letter, Setup, Viewer};
use nuggets_model::{Outgoing, World};
use nuggets_protocol::web::runs_of;
use nuggets_record::{Header, RecordedEvent, Recording};
use nuggets_time::Timestamp;

use super::screen::{Shown, ShownGold, ShownPicture};
use crate::checked_room::{model_of, play_entry};

/// Whose eyes: a letter, or none for the whole map.
pub type ViewLetter = Option<char>;

/// The peer of the model's spectator, who sees the whole map.
const SPECTATOR: u64 = u64::MAX;

/// The history of one game. See the documentation of the module.
#[derive(Debug, Default)]
pub struct Truth {
    /// The game and its model, once the header of the journal was read.
    played: Option<(Game, World)>,
    /// Entries of the journal that were read.
    entries: usize,
    /// Bytes of the journal that were read.
    bytes: usize,
    views: BTreeMap<ViewLetter, Frames>,
    /// The players, in the order of letters.
    pub seats: Vec<Seat>,
    /// How many pictures were found in it.
    pub found: u64,
}

/// The pictures and gold of one view, in order.
#[derive(Debug, Default)]
struct Frames {
    pictures: Vec<(Timestamp, ShownPicture)>,
    gold: Vec<(Timestamp, ShownGold)>,
}

/// A player, and its keys that acted.
#[derive(Debug, Default)]
pub struct Seat {
    /// The name.
    pub name: String,
    /// The keys that acted, in order.
    pub keys: Vec<u8>,
    /// The number of these keys that were found, and the place after the last of them among those that were pressed.
    found: usize,
    next: usize,
}

impl Seat {
    /// The number of keys that were not found yet.
    pub(crate) fn new_keys(&self) -> usize {
        self.keys.len() - self.found
    }

    /// Finds the keys that acted, in order, among those that were pressed: each acts once or not at all. Clients repeat all
    /// keys in one order, so one that acts twice or late moves all that follow beyond the end.
    pub fn find_keys(&mut self, pressed: impl Fn(usize) -> Option<u8>) -> Result<(), String> {
        while let Some(key) = self.keys.get(self.found) {
            let mut rest = (self.next..).map_while(|at| Some((at, pressed(at)?)));
            let Some((at, _)) = rest.find(|(_, pressed)| pressed == key) else {
                let (name, key) = (&self.name, char::from(*key));
                return Err(format!("a key of {name} acted again, or in another order: {key}"));
            };
            (self.found, self.next) = (self.found + 1, at + 1);
        }
        Ok(())
    }
}

impl Truth {
    /// Continues with the new entries of the journal.
    pub fn extend(&mut self, now: Timestamp, journal: &[u8]) -> Result<(), String> {
        if journal.len() == self.bytes {
            return Ok(());
        }
        let reading = Recording::read(journal).map_err(|why| why.to_string())?;
        if reading.good_bytes < self.bytes {
            return Err("the journal has lost entries".to_owned());
        }
        self.bytes = reading.good_bytes;
        let (mut game, mut world) = match self.played.take() {
            Some(played) => played,
            None => self.begin(now, &reading.recording.header)?,
        };
        for entry in reading.recording.entries().skip(self.entries) {
            self.apply(now, &entry.what, &mut game, &mut world)?;
            self.entries += 1;
        }
        self.played = Some((game, world));
        Ok(())
    }

    fn begin(&mut self, now: Timestamp, header: &Header) -> Result<(Game, World), String> {
        let game = header.game().map_err(|why| why.to_string())?;
        let Setup { rules, dialect, .. } = &header.setup;
        let mut world = model_of(&game.map().to_string(), rules, *dialect, false, &game);
        let answers = world.handle_message(SPECTATOR, b"SPECTATE", None);
        self.add_answers(now, &answers, &game, &mut world)?;
        Ok((game, world))
    }

    fn apply(
        &mut self,
        now: Timestamp,
        what: &RecordedEvent,
        game: &mut Game,
        world: &mut World,
    ) -> Result<(), String> {
        match what {
            RecordedEvent::Join { name, .. } => {
                self.seats.push(Seat { name: name.to_string(), ..Seat::default() });
            }
            RecordedEvent::Press(letter, stroke) => {
                self.seats[letter.index()].keys.push(stroke.key());
            }
            RecordedEvent::Leave(_) => {}
            // The game does not know spectators; the view of the whole map has one of its own.
            _ => return Ok(()),
        }
        let joined = game.players().len() as u64;
        let played = play_entry(what, game, world, |_| joined);
        let answers = played.map_or_else(Vec::new, |(peer, message, landing)| {
            world.handle_message(peer, &message, landing)
        });
        self.add_answers(now, &answers, game, world)?;
        self.add_views_of_gone(now, game);
        match world.check().first() {
            Some(violation) => Err(format!("the model disagrees: {violation}")),
            None => Ok(()),
        }
    }

    /// Adds the views of players who have left: they still show the known map, but the model sends them nothing.
    fn add_views_of_gone(&mut self, now: Timestamp, game: &Game) {
        let letters = (0..game.players().len()).filter_map(Letter::nth);
        for letter in letters.filter(|letter| game.player(*letter).at().is_none()) {
            let mut picture = Vec::new();
            game.view(Viewer::Player(letter)).write_to(&mut picture);
            let rows = String::from_utf8_lossy(&picture).trim_end_matches('\n').to_owned();
            let picture = ShownPicture { rows, in_sight: vec![] };
            let frames = self.views.entry(Some(letter.as_byte().into())).or_default();
            if frames.pictures.last().is_none_or(|(_, last)| *last != picture) {
                frames.pictures.push((now, picture));
            }
            let purse = game.player(letter).purse();
            frames.gold.push((now, ShownGold { purse, left: game.remaining() }));
        }
    }

    fn add_answers(
        &mut self,
        now: Timestamp,
        answers: &[Outgoing],
        game: &Game,
        world: &mut World,
    ) -> Result<(), String> {
        for (peer, bytes) in answers {
            let letter = usize::try_from(*peer).ok().and_then(Letter::nth);
            let view = letter.map(|letter| letter.as_byte().into());
            let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
            let frames = self.views.entry(view).or_default();
            if let Some(picture) = text.strip_prefix("DISPLAY\n") {
                let in_sight = world.in_sight(*peer).into_iter();
                let in_sight = runs_of(in_sight.map(|at| index(game, at)));
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
        while let Some(gold) = shown.gold.pop_front() {
            let rest = &frames.gold[place.gold..];
            let Some(steps) = rest.iter().position(|(at, one)| *at <= by && *one == gold) else {
                return Err(format!("view {view:?} shows gold that was not so: {gold:?}"));
            };
            place.gold += steps;
        }
        Ok(())
    }

    /// The last picture of a view, as it must be when nothing is under way.
    pub fn current(&self, view: ViewLetter) -> Option<&ShownPicture> {
        self.views.get(&view)?.pictures.last().map(|(_, picture)| picture)
    }

    /// Returns the number of journal bytes that were read.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// True until the header of the journal was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.played.is_none()
    }

    /// True if this player has left, or never joined.
    pub(crate) fn has_left(&self, letter: char) -> bool {
        let index = (letter as usize).checked_sub('A' as usize);
        let has_left = |game: &Game| {
            let player = index.and_then(|index| game.players().get(index));
            player.is_none_or(|player| player.at().is_none())
        };
        self.played.as_ref().is_some_and(|(game, _)| has_left(game))
    }

    /// True if the game is over.
    pub fn is_over(&self) -> bool {
        self.played.as_ref().is_some_and(|(game, _)| game.end().is_some())
    }

    /// Returns the game after all entries of the journal, which must have begun.
    pub fn game(&self) -> &Game {
        &self.played.as_ref().expect("the header of the journal was read").0
    }
}

/// Returns the index of a spot of the model in a picture.
fn index(game: &Game, (row, col): (i64, i64)) -> usize {
    usize::try_from(row * i64::from(game.map().cols()) + col).expect("a spot of this map")
}
