//! The screen of a client of either protocol. On the WebSocket the rules of the stream are checked: sequence numbers go up by
//! one, a stream begins with a whole picture, and only views of the whole map show all purses.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use nuggets_protocol::web::{DirectLine, Hello, Since, Stage, StreamLine, flips, runs_of};

/// A purse, and the nuggets that are not collected yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownGold {
    /// In the own purse; 0 in a view of the whole map.
    pub purse: u32,
    /// Nuggets left in the game.
    pub left: u32,
}

impl ShownGold {
    /// Reads what follows `GOLD`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let numbers: Vec<u32> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [_, purse, left] = numbers[..] else { return Err(format!("GOLD {text}")) };
        Ok(Self { purse, left })
    }
}

/// A picture of a view, and its gridpoints in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownPicture {
    /// Rows with newlines between them.
    pub rows: String,
    /// Runs of gridpoints in sight, as in the protocol; none in a view of the whole map.
    pub in_sight: Vec<u32>,
}

impl fmt::Display for ShownPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nin sight: {:?}", self.rows, self.in_sight)
    }
}

/// The pictures and gold that a client was shown and that have not been found in the history yet, in order.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The letter of the player whose view it is; none for the whole map.
    pub view: Option<char>,
    /// True for a client of the specification, which is not sent the gridpoints in sight.
    pub is_classic: bool,
    /// Pictures.
    pub pictures: VecDeque<ShownPicture>,
    /// Gold.
    pub gold: VecDeque<ShownGold>,
    /// How far it was found.
    pub(super) place: HistoryPlace,
}

/// A place in the history of a view.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HistoryPlace {
    pub(super) picture: usize,
    pub(super) gold: usize,
}

impl Shown {
    /// Takes everything that the same client was shown since the last time.
    pub fn take_new(&mut self, new: &mut Self) {
        self.view = new.view;
        self.pictures.append(&mut new.pictures);
        self.gold.append(&mut new.gold);
    }
}

/// A client's screen.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The answer to its last `join` or `watch`.
    pub hello: Option<Hello>,
    /// The stage of the game.
    pub stage: Option<Stage>,
    /// True once the final table, or a QUIT, has arrived.
    pub is_over: bool,
    /// Error replies.
    pub errors: Vec<String>,
    /// Pictures and gold that are not checked yet.
    pub shown: Shown,
    seq: Option<u64>,
    cells: Vec<char>,
    cols: usize,
    in_sight: BTreeSet<usize>,
}

impl Screen {
    /// Returns the position in its stream, for a reconnect.
    pub fn since(&self) -> Option<Since> {
        let hello = self.hello.as_ref()?;
        Some(Since { stream: hello.stream.clone(), seq: self.seq? })
    }

    /// Returns the current picture.
    pub fn picture(&self) -> ShownPicture {
        let rows = self.cells.chunks(self.cols.max(1)).map(|row| row.iter().collect::<String>());
        let rows = rows.collect::<Vec<String>>().join("\n");
        ShownPicture { rows, in_sight: runs_of(self.in_sight.iter().copied()) }
    }

    /// Applies a message. Its lines are one burst, so it shows at most one new picture.
    pub fn handle_text(&mut self, text: &str) -> Result<(), String> {
        let mut has_picture = false;
        for line in text.lines() {
            // A stream line is recognised by its sequence number: any other field may be missing.
            let value: serde_json::Value =
                serde_json::from_str(line).map_err(|why| format!("{why}: {line}"))?;
            let wrong = |why: serde_json::Error| format!("{why}: {line}");
            if value.get("seq").is_some() {
                let line = serde_json::from_value(value).map_err(wrong)?;
                has_picture |= self.handle_line(&line)?;
                continue;
            }
            match serde_json::from_value(value).map_err(wrong)? {
                DirectLine::Hello(hello) => self.handle_hello(*hello)?,
                DirectLine::Error(why) => self.errors.push(why),
                _ => {}
            }
        }
        if has_picture {
            self.shown.pictures.push_back(self.picture());
        }
        Ok(())
    }

    /// Applies a datagram of the specification.
    pub fn handle_datagram(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.shown.is_classic = true;
        let text = String::from_utf8_lossy(bytes);
        if let Some(letter) = text.strip_prefix("OK ") {
            let (before, letter) = (self.shown.view, letter.chars().next());
            if before.is_some() && before != letter {
                return Err(format!("was {before:?} and is {letter:?} now"));
            }
            self.shown.view = letter;
        } else if let Some(rows) = text.strip_prefix("DISPLAY\n") {
            self.set_rows(rows.lines());
            self.shown.pictures.push_back(self.picture());
        } else if let Some(numbers) = text.strip_prefix("GOLD ") {
            self.shown.gold.push_back(ShownGold::parse(numbers.trim_end())?);
        }
        self.is_over |= text.starts_with("QUIT");
        Ok(())
    }

    fn set_rows<'a>(&mut self, rows: impl Iterator<Item = &'a str> + Clone) {
        self.cols = rows.clone().next().map_or(0, |row| row.chars().count());
        self.cells = rows.flat_map(str::chars).collect();
    }

    fn handle_hello(&mut self, hello: Hello) -> Result<(), String> {
        if let Some(before) = &self.hello {
            if hello.letter != before.letter {
                return Err(format!("was {:?} and is {:?} now", before.letter, hello.letter));
            }
            if hello.stream != before.stream {
                self.seq = None;
            }
        }
        if self.shown.view != hello.view {
            self.shown = Shown { view: hello.view, ..Shown::default() };
        }
        self.hello = Some(hello);
        Ok(())
    }

    /// Applies a line. Returns true if the picture has changed.
    fn handle_line(&mut self, line: &StreamLine) -> Result<bool, String> {
        let hello = self.hello.as_ref().ok_or("a line before hello")?;
        let is_next = self.seq.is_some_and(|seq| line.seq == seq + 1);
        let is_later = self.seq.is_none_or(|seq| line.seq >= seq);
        if !(is_next || line.whole.is_some() && is_later) {
            return Err(format!("line {} comes after {:?}", line.seq, self.seq));
        }
        if hello.view.is_some() && line.purses.is_some() {
            return Err("a player sees the purses of others".to_owned());
        }
        self.seq = Some(line.seq);
        if let Some(whole) = &line.whole {
            self.set_rows(whole.iter().map(String::as_str));
            self.in_sight.clear();
        }
        for (offset, text) in line.set.iter() {
            let start = usize::try_from(offset).map_err(|why| why.to_string())?;
            for (index, character) in (start..).zip(text.chars()) {
                *self.cells.get_mut(index).ok_or("a change outside the map")? = character;
            }
        }
        for at in flips(&line.sight) {
            if !self.in_sight.remove(&at) {
                self.in_sight.insert(at);
            }
        }
        if let Some([_, purse, left]) = line.gold {
            self.shown.gold.push_back(ShownGold { purse, left });
        }
        self.stage = line.stage.or(self.stage);
        self.is_over |= line.over.is_some();
        Ok(line.whole.is_some() || !line.set.is_empty())
    }
}
