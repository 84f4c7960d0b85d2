//! The game without a picture, for screen readers and braille lines: every event is one line of text, and keys list the
//! things in sight and walk to them. It writes nothing itself: it turns an [`App`] into lines.

use nuggets_atlas::{Direction, Gold, Paths, Picture, Point, counted};
use nuggets_tui::Key;

use crate::App;
use crate::app::nuggets;

/// The maximum number of things in sight that are listed.
const MAX_THINGS: usize = 30;

/// The state of the narration: the announcements made, and the chosen thing in sight.
#[derive(Clone, Debug, Default)]
pub struct Narrator {
    /// The number of log entries already announced.
    entries: u64,
    note: Option<String>,
    gold: Option<Gold>,
    known_gold: Vec<Point>,
    choice: Option<Point>,
    has_begun: bool,
}

/// The meaning of a key in this mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKey {
    /// Announce these lines.
    Say(Vec<String>),
    /// Walk to this gridpoint.
    Walk(Point),
    /// Handle it as a key of the game.
    Game,
}

/// Something in sight.
struct Thing {
    name: String,
    at: Point,
    steps: Option<u32>,
}

impl Narrator {
    /// Returns the lines for all news since the last call.
    pub fn update(&mut self, app: &App) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.has_begun && app.scene().picture().is_some() {
            self.has_begun = true;
            lines.push(greeting(app));
        }
        let log = &app.log;
        let new = usize::try_from(log.count - self.entries).unwrap_or(usize::MAX);
        self.entries = log.count;
        let entries: Vec<&str> =
            log.entries.iter().take(new).map(|entry| entry.text.as_str()).collect();
        lines.extend(entries.iter().rev().map(|&text| text.to_owned()));
        lines.extend(self.new_gold(app));
        lines.extend(self.new_numbers(app));
        lines.extend(self.new_note(app, &entries));
        lines
    }

    /// Handles a key of this mode.
    pub fn handle_key(&mut self, app: &App, key: Key) -> LineKey {
        match key {
            Key::Char('v') => LineKey::Say(vec![self.choose(app, 1)]),
            Key::Char('V') => LineKey::Say(vec![self.choose(app, -1)]),
            Key::Char('s') => LineKey::Say(vec![status(app)]),
            Key::Char('w') => match self.choice {
                Some(at) => LineKey::Walk(at),
                None => LineKey::Say(vec!["Nothing is chosen: v chooses.".to_owned()]),
            },
            Key::Char('?') => LineKey::Say(HELP.map(str::to_owned).to_vec()),
            _ => LineKey::Game,
        }
    }

    /// Chooses the next or the previous thing in sight.
    fn choose(&mut self, app: &App, by: isize) -> String {
        let things = things(app);
        if things.is_empty() {
            self.choice = None;
            return "Nothing is in sight.".to_owned();
        }
        let last = things.iter().position(|thing| Some(thing.at) == self.choice);
        let next = match last {
            Some(last) => last.cast_signed() + by,
            None if by > 0 => 0,
            None => -1,
        };
        let index = next.rem_euclid(things.len().cast_signed()).cast_unsigned();
        let thing = &things[index];
        self.choice = Some(thing.at);
        let steps = thing.steps.map(|steps| counted(steps, "step"));
        let steps = steps.unwrap_or_else(|| "no known path".to_owned());
        let place = app.scene().picture().and_then(Picture::you).map(|you| place(you, thing.at));
        let place = place.unwrap_or_default();
        format!("{} of {}: {}, {place}, {steps}", index + 1, things.len(), thing.name)
    }

    fn new_gold(&mut self, app: &App) -> Option<String> {
        let picture = app.scene().picture()?;
        let you = picture.you()?;
        let gold: Vec<Point> = picture.points_of(|cell| cell == b'*').collect();
        let new: Vec<Point> =
            gold.iter().copied().filter(|at| !self.known_gold.contains(at)).collect();
        self.known_gold = gold;
        let nearest = new.iter().min_by_key(|at| at.distance_squared(you))?;
        Some(match new.len() {
            1 => format!("gold in sight, {}", place(you, *nearest)),
            n => format!("{n} piles of gold in sight, the nearest {}", place(you, *nearest)),
        })
    }

    fn new_numbers(&mut self, app: &App) -> Option<String> {
        let gold = app.scene().gold();
        let before = std::mem::replace(&mut self.gold, gold);
        (before.is_some() && before != gold).then(|| status(app))
    }

    /// Returns a new note that no entry of the log has announced.
    fn new_note(&mut self, app: &App, entries: &[&str]) -> Option<String> {
        let note = app.note().map(str::to_owned);
        let before = std::mem::replace(&mut self.note, note.clone());
        let note = note.filter(|note| before.as_ref() != Some(note))?;
        let is_said = entries.contains(&note.as_str())
            || (note.starts_with("ROBBED") && note.contains(" by "))
            || ["GOLD received", "swapped with", "you stole"]
                .iter()
                .any(|start| note.starts_with(start));
        (!is_said).then_some(note)
    }
}

const HELP: [&str; 7] = [
    "h j k l y u b n step, their capitals sprint; so do arrows and the keypad.",
    "v says the next thing in sight, V the previous one: what, where, how far.",
    "w walks to the thing that was said last; any key stops.",
    "o explores one step, O until something comes into sight.",
    "s says your purse and the gold left.",
    "? says this.",
    "Q leaves the game.",
];

fn greeting(app: &App) -> String {
    let who = match app.letter() {
        Some(letter) => format!("You are player {letter}."),
        None => "You watch.".to_owned(),
    };
    format!("{who} {} ? lists the keys.", status(app))
}

fn status(app: &App) -> String {
    match app.scene().gold() {
        Some(gold) if app.join().is_spectator() => format!("{} left.", nuggets(gold.remaining)),
        Some(gold) => format!("You have {}, {} left.", nuggets(gold.purse), gold.remaining),
        None => "Nothing is known of the gold yet.".to_owned(),
    }
}

/// Everything in sight that is worth walking to, nearest first: gold, players, openings of passages.
fn things(app: &App) -> Vec<Thing> {
    let Some(picture) = app.scene().picture() else { return vec![] };
    let Some(you) = picture.you() else { return vec![] };
    let paths = Paths::from_spot(app.sight.discovered(), you);
    let thing = |at: Point, name: String| {
        let steps = paths.as_ref().and_then(|paths| paths.steps_to(at));
        Thing { name, at, steps }
    };
    let named = picture.points_of(|cell| cell != b' ').filter_map(|at| {
        let name = match picture.cell(at) {
            b'*' => "gold".to_owned(),
            b'%' => "food".to_owned(),
            cell @ b'A'..=b'Z' => format!("player {}", char::from(cell)),
            b'#' if is_opening(picture, at) => "passage".to_owned(),
            _ => return None,
        };
        (at != you && app.sight.contains(at)).then(|| thing(at, name))
    });
    let mut things: Vec<Thing> = named.collect();
    things
        .sort_by_key(|thing| (thing.steps.is_none(), thing.steps, thing.at.distance_squared(you)));
    things.truncate(MAX_THINGS);
    things
}

/// True if a passage spot lies beside a room spot or our player.
fn is_opening(picture: &Picture, at: Point) -> bool {
    let beside = |direction| picture.size().beside(at, direction).map(|at| picture.cell(at));
    Direction::STRAIGHT.into_iter().any(|direction| matches!(beside(direction), Some(b'.' | b'@')))
}

/// Describes the position of a gridpoint relative to another, such as `3 right, 2 up`.
fn place(from: Point, to: Point) -> String {
    let part = |from: u16, to: u16, less: &str, more: &str| {
        let distance = from.abs_diff(to);
        let word = if to < from { less } else { more };
        (distance > 0).then(|| format!("{distance} {word}"))
    };
    let parts = [part(from.col, to.col, "left", "right"), part(from.row, to.row, "up", "down")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "here".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppOptions, Effect, JoinTarget, Timestamp};

    /// Returns the steps, `> key` or `< message`, each followed by the lines that it announces.
    fn transcript(steps: &[&str]) -> Vec<String> {
        let join = JoinTarget { place: "localhost:1".into(), name: Some(b"Ann".to_vec()) };
        let options = AppOptions { auto: true, ..AppOptions::default() };
        let mut app = App::new(Timestamp(0), join).with_options(options);
        let mut narrator = Narrator::default();
        let mut said = Vec::new();
        for (now, step) in (1..).map(|n| Timestamp(n * 1_000)).zip(steps) {
            said.push((*step).to_owned());
            let (kind, text) = step.split_at(2);
            if kind == "< " {
                app.handle_message(now, text.as_bytes()).unwrap();
            } else {
                let key = Key::Char(text.chars().next().unwrap());
                match narrator.handle_key(&app, key) {
                    LineKey::Say(lines) => said.extend(lines),
                    LineKey::Walk(at) => app.handle_click(now, at),
                    LineKey::Game => app.handle_key(now, key),
                }
            }
            said.extend(narrator.update(&app));
            while let Some(effect) = app.poll_effect() {
                if let Effect::Send(bytes) = effect {
                    said.push(format!("(sends {})", String::from_utf8(bytes).unwrap()));
                }
            }
        }
        said
    }

    const ROOM: &str = "< DISPLAY\n+-----+\n|@..*.#\n|...B.|\n+-----+\n";
    const MOVED: &str = "< DISPLAY\n+-----+\n|.@.*.#\n|...B.|\n+-----+\n";

    #[test]
    fn a_whole_game_is_told_in_lines() {
        let steps = [
            "< OK A",
            "< GRID 4 7",
            "< GOLD 0 0 250",
            ROOM,
            "> v",
            "> v",
            "> v",
            "> V",
            "> w",
            MOVED,
            "> k",
            "> s",
            "< GOLD 12 12 238",
            "< ERROR House rules: steal",
            "< GOLD 0 0 238",
            "< QUIT Thanks for playing!",
        ];
        assert_eq!(
            transcript(&steps),
            [
                "< OK A",
                "(sends PLAY Ann)",
                "< GRID 4 7",
                "< GOLD 0 0 250",
                ROOM,
                "You are player A. You have 0 nuggets, 250 left. ? lists the keys.",
                "B comes into sight",
                "gold in sight, 3 right",
                "> v",
                "1 of 3: gold, 3 right, 3 steps",
                "> v",
                "2 of 3: player B, 3 right, 1 down, 3 steps",
                "> v",
                "3 of 3: passage, 5 right, 5 steps",
                "> V",
                "2 of 3: player B, 3 right, 1 down, 3 steps",
                "> w",
                "(sends KEY l)",
                MOVED,
                "(sends KEY l)",
                "> k",
                "a wall is in the way",
                "(sends KEY k)",
                "> s",
                "You have 0 nuggets, 250 left.",
                "< GOLD 12 12 238",
                "you found 12 nuggets",
                "You have 12 nuggets, 238 left.",
                "< ERROR House rules: steal",
                "House rules: steal",
                "< GOLD 0 0 238",
                "You have 0 nuggets, 238 left.",
                "ROBBED of 12 nuggets",
                "< QUIT Thanks for playing!",
            ]
        );
    }

    #[test]
    fn nothing_in_sight_and_nothing_chosen_are_said() {
        let steps = ["< OK A", "< GOLD 0 0 250", "< DISPLAY\n+--+\n|@.|\n+--+\n", "> v", "> w"];
        let said = transcript(&steps);
        assert_eq!(
            said[said.len() - 3..],
            ["Nothing is in sight.", "> w", "Nothing is chosen: v chooses.",]
        );
    }

    #[test]
    fn places_are_said_in_words() {
        let from = Point::new(5, 5);
        assert_eq!(place(from, Point::new(5, 5)), "here");
        assert_eq!(place(from, Point::new(3, 8)), "3 right, 2 up");
        assert_eq!(place(from, Point::new(6, 5)), "1 down");
    }
}
