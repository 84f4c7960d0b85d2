//! Is a map file drawn as the seeds demand? Rule by rule, every flaw with its place and what would
//! mend it.
//!
//! It takes any text and never fails. One mistake should give one flaw: a character that is no
//! tile, or a short line, must neither hide other mistakes nor look like several.

mod advice;
pub(crate) mod drawing;
mod lines;
mod reach;
mod remark;

use std::fmt;

use super::text::{Cell, Text};
use super::{Map, parse};
use crate::{Character, Fault, Place, Point, PointSet, Rules, Tile};
use advice::advice;

pub use remark::Remark;

/// What a valid map keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapRule {
    /// No line longer or shorter.
    EqualLines,
    /// Six characters and no other.
    KnownCharacters,
    /// The size.
    FitsADatagram,
    /// A boundary all around.
    ClosedRooms,
    /// `+` where boundaries meet, and only there.
    Corners,
    /// Where a passage may enter.
    Doors,
    /// One spot wide.
    NarrowPassages,
    /// No boundary without a room.
    NoStrayLines,
    /// One connected component.
    HangsTogether,
    /// A place for everybody and everything.
    EnoughSpots,
}

/// What was found out about a map file.
///
/// ```
/// use nuggets_game::{Map, MapRule, Outcome, Rules};
///
/// let report = Map::check(b"+--+\n|..|\n+-x+\n", &Rules::default());
/// assert!(!report.is_valid());
/// let Outcome::Broken(flaws) = report.outcome(MapRule::KnownCharacters) else { panic!() };
/// assert_eq!(flaws[0].to_string(), "line 3, column 3: 'x' is no map character");
/// assert_eq!(*report.outcome(MapRule::ClosedRooms), Outcome::Holds);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The lines, as they can be shown: a character for each column.
    pub lines: Vec<String>,
    /// Columns of the widest line.
    pub cols: usize,
    /// All rules in order.
    pub findings: Vec<Finding>,
    /// What breaks no rule.
    pub remarks: Vec<Remark>,
}

/// One rule and how the map stands to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub rule: MapRule,
    /// How.
    pub outcome: Outcome,
}

/// How a map stands to a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It keeps to it.
    Holds,
    /// It breaks it, in all these places, from the top down.
    Broken(Vec<Flaw>),
    /// It can't be told, and why.
    NotChecked(&'static str),
}

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where it begins.
    pub at: Place,
    /// How many columns of this line it takes. If none, it lies before the column.
    pub length: usize,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub mend: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl MapRule {
    /// All ten.
    pub const ALL: [Self; 10] = [
        Self::EqualLines,
        Self::KnownCharacters,
        Self::FitsADatagram,
        Self::ClosedRooms,
        Self::Corners,
        Self::Doors,
        Self::NarrowPassages,
        Self::NoStrayLines,
        Self::HangsTogether,
        Self::EnoughSpots,
    ];

    /// Those for the text, which hold or not whatever it draws.
    const OF_TEXT: [Self; 3] = [Self::EqualLines, Self::KnownCharacters, Self::FitsADatagram];

    /// The name that programs know it by; it never changes.
    pub fn id(self) -> &'static str {
        match self {
            Self::EqualLines => "equal-lines",
            Self::KnownCharacters => "known-characters",
            Self::FitsADatagram => "fits-a-datagram",
            Self::ClosedRooms => "closed-rooms",
            Self::Corners => "corners",
            Self::Doors => "doors",
            Self::NarrowPassages => "narrow-passages",
            Self::NoStrayLines => "no-stray-lines",
            Self::HangsTogether => "hangs-together",
            Self::EnoughSpots => "enough-spots",
        }
    }

    /// The rule itself.
    pub fn text(self) -> &'static str {
        match self {
            Self::EqualLines => "every line is as long as the others",
            Self::KnownCharacters => "only blanks and - | + . # are used",
            Self::FitsADatagram => "the picture fits one datagram",
            Self::ClosedRooms => "a boundary goes all the way around each room",
            Self::Corners => "boundaries meet at a '+', and only there",
            Self::Doors => "passages enter rooms through straight boundaries",
            Self::NarrowPassages => "passages are one spot wide",
            Self::NoStrayLines => "every boundary belongs to a room",
            Self::HangsTogether => "every spot can be reached from every other",
            Self::EnoughSpots => "every player and pile of gold finds a room spot",
        }
    }
}

impl Report {
    /// Lines; an empty file has none.
    pub fn rows(&self) -> usize {
        if self.cols == 0 { 0 } else { self.lines.len() }
    }

    /// Does every rule hold?
    pub fn is_valid(&self) -> bool {
        self.findings.iter().all(|finding| finding.outcome == Outcome::Holds)
    }

    /// How the map stands to this rule.
    pub fn outcome(&self, rule: MapRule) -> &Outcome {
        let finding = self.findings.iter().find(|finding| finding.rule == rule);
        &finding.expect("a report has a finding for every rule").outcome
    }
}

impl Map {
    /// Holds the text of a map file to every rule.
    pub fn check(text: &[u8], rules: &Rules) -> Report {
        let text = Text::read(text);
        let mut remarks = Vec::new();
        let (rows, cols) = text.size();
        let findings = if cols == 0 {
            findings(&[lines::empty()], &[], "the file is empty")
        } else {
            let mut found: Vec<Found> = lines::ragged(&text).chain(lines::foreign(&text)).collect();
            remarks.extend(remark::of_text(&text));
            match parse::check_size(rows, cols) {
                Ok((rows, cols)) => {
                    let map = text.map(rows, cols);
                    found.extend(drawing_flaws(&text, &map));
                    found.extend(too_few_spots(&map, rules));
                    remarks.extend(remark::of_map(&map));
                    findings(&found, &MapRule::ALL, "")
                }
                Err(why) => {
                    found.extend(lines::too_large(&text, &why));
                    findings(&found, &MapRule::OF_TEXT, "the map is too large")
                }
            }
        };
        let lines =
            text.lines.iter().map(|line| line.iter().copied().map(shown).collect()).collect();
        Report { lines, cols, findings, remarks }
    }
}

/// A flaw and the rule that is broken there.
type Found = (MapRule, Flaw);

/// `why` the rules beside those that were checked can't be.
fn findings(found: &[Found], checked: &[MapRule], why: &'static str) -> Vec<Finding> {
    let finding = |rule: MapRule| {
        let broken = found.iter().filter(|(broken, _)| *broken == rule);
        let flaws: Vec<Flaw> = broken.map(|(_, flaw)| flaw.clone()).collect();
        let outcome = match checked.contains(&rule) {
            _ if !flaws.is_empty() => Outcome::Broken(flaws),
            true => Outcome::Holds,
            false => Outcome::NotChecked(why),
        };
        Finding { rule, outcome }
    };
    MapRule::ALL.map(finding).into()
}

/// What is drawn against the rules. Neighbours in a line that have the same fault are one flaw.
fn drawing_flaws(text: &Text, map: &Map) -> Vec<Found> {
    let mut flaws: Vec<Found> = Vec::new();
    for fault in map.sure_faults(&unknown(text, map)) {
        let rule = fault.kind.rule();
        let flaw = drawing_flaw(text, map, fault);
        match flaws.iter_mut().rev().find(|(broken, _)| *broken == rule) {
            // Beyond the end of a line the first fault stands for all.
            Some((_, last)) if (last.at, last.length) == (flaw.at, 0) => {}
            Some((_, last)) if last.goes_on_in(&flaw) => last.length += 1,
            _ => flaws.push((rule, flaw)),
        }
    }
    flaws
}

/// What lies beyond the end of a short line is told at its end.
fn drawing_flaw(text: &Text, map: &Map, fault: Fault) -> Flaw {
    let (line, column) = (usize::from(fault.at.row) + 1, usize::from(fault.at.col) + 1);
    let length = text.lines[line - 1].len();
    let there = if column > length + 1 { format!("in column {column}") } else { "here".into() };
    Flaw {
        at: Place { line, column: column.min(length + 1) },
        length: usize::from(column <= length),
        what: fault.kind.to_string(),
        mend: advice(map, fault, &there),
    }
}

impl Flaw {
    fn goes_on_in(&self, next: &Self) -> bool {
        let end = Place { line: self.at.line, column: self.at.column + self.length };
        self.length > 0
            && next.length > 0
            && end == next.at
            && self.what == next.what
            && self.mend == next.mend
    }
}

/// The gridpoints where something foreign stands: whatever was meant there.
fn unknown(text: &Text, map: &Map) -> PointSet {
    let mut unknown = PointSet::empty(map.tiles().len());
    for (row, line) in text.lines.iter().enumerate() {
        let foreign = line.iter().enumerate().filter(|(_, cell)| cell.is_err());
        foreign.for_each(|(col, _)| unknown.insert(row * usize::from(map.cols()) + col));
    }
    unknown
}

/// It is shown at the first line of the first room.
fn too_few_spots(map: &Map, rules: &Rules) -> Option<Found> {
    let few = rules.check_room(map).err()?;
    let first = map.room_spots().first().copied().unwrap_or(Point::new(0, 0));
    let spots = map.tiles()[map.index(first)..].iter().take_while(|tile| **tile == Tile::Room);
    let flaw = Flaw {
        at: Place { line: usize::from(first.row) + 1, column: usize::from(first.col) + 1 },
        length: spots.count().min(usize::from(map.cols() - first.col)),
        what: format!(
            "the map has {} room spots '.', but needs {}: {} for players and {} for piles of gold",
            few.found, few.needed, few.players, few.piles
        ),
        mend: "Draw larger rooms, or more of them".to_string(),
    };
    Some((MapRule::EnoughSpots, flaw))
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// What draws a cell on anybody's terminal.
fn shown(cell: Cell) -> char {
    match cell {
        Ok(tile) => char::from(tile.as_char()),
        Err(Character::Char(c)) if c.is_ascii_graphic() || c.is_alphanumeric() => c,
        Err(_) => '?',
    }
}

#[cfg(test)]
mod tests;
