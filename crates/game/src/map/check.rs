//! Map checking: `check` checks a map file against every rule of the specification and lists each
//! flaw with its place and advice. `violations` checks the drawing of a parsed map alone.
//!
//! It accepts any text and never fails. One mistake should give one flaw: an unknown character or a
//! short line must neither hide other mistakes nor look like several.

mod advice;
mod drawing;
mod lines;
mod reachability;
mod remark;

use std::fmt;

use super::parse::{self, Character, FilePosition, file_position};
use super::text::{Cell, Text};
use super::{Map, Tile};
use crate::{Point, PointSet, Rules};
use advice::advice;

pub use drawing::{Violation, ViolationKind, violations};
pub(super) use reachability::{count_components, rooms};
pub use remark::Remark;

/// The rules of a valid map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapRule {
    /// All lines have the same length.
    EqualLines,
    /// Only the six map characters are used.
    KnownCharacters,
    /// A `DISPLAY` of the map fits one datagram.
    FitsADatagram,
    /// A boundary surrounds each room.
    ClosedRooms,
    /// A `+` stands where boundaries meet, and only there.
    Corners,
    /// Passages enter rooms through straight boundaries.
    Doors,
    /// Passages are one spot wide.
    NarrowPassages,
    /// Every boundary belongs to a room.
    NoStrayLines,
    /// Every spot is reachable from every other.
    Connected,
    /// There is a room spot for every player and every pile.
    EnoughSpots,
}

/// The result of checking a map file.
///
/// ```
/// use nuggets_game::Rules;
/// use nuggets_game::map::check::{MapRule, RuleOutcome, check};
///
/// let report = check(b"+--+\n|..|\n+-x+\n", &Rules::default());
/// assert!(!report.is_valid());
/// let RuleOutcome::Broken(flaws) = report.outcome(MapRule::KnownCharacters) else { panic!() };
/// assert_eq!(flaws[0].to_string(), "line 3, column 3: 'x' is no map character");
/// assert_eq!(*report.outcome(MapRule::ClosedRooms), RuleOutcome::Holds);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The lines, safe to print: one character for each column.
    pub lines: Vec<String>,
    /// Columns of the widest line.
    pub cols: usize,
    /// One finding for each rule, in the order of `MapRule::ALL`.
    pub findings: Vec<Finding>,
    /// Observations that break no rule.
    pub remarks: Vec<Remark>,
}

/// The outcome for one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: MapRule,
    /// The result of checking it.
    pub outcome: RuleOutcome,
}

/// The result of checking a map against one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    /// The map follows the rule.
    Holds,
    /// The map breaks the rule in these places, from the top down.
    Broken(Vec<Flaw>),
    /// The rule could not be checked, for this reason.
    NotChecked(&'static str),
}

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The first column of the flaw.
    pub at: FilePosition,
    /// Its length in columns of this line; 0 if the flaw lies just before the column.
    pub length: usize,
    /// A description of the flaw.
    pub what: String,
    /// Advice on how to correct it.
    pub advice: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl MapRule {
    /// All ten rules.
    pub const ALL: [Self; 10] = [
        Self::EqualLines,
        Self::KnownCharacters,
        Self::FitsADatagram,
        Self::ClosedRooms,
        Self::Corners,
        Self::Doors,
        Self::NarrowPassages,
        Self::NoStrayLines,
        Self::Connected,
        Self::EnoughSpots,
    ];

    /// The rules about the text itself, whatever it draws.
    const OF_TEXT: [Self; 3] = [Self::EqualLines, Self::KnownCharacters, Self::FitsADatagram];

    /// The name for programs (in JSON reports); it never changes.
    pub fn id(self) -> &'static str {
        self.words().0
    }

    /// The rule as a sentence.
    pub fn text(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::EqualLines => ("equal-lines", "every line is as long as the others"),
            Self::KnownCharacters => ("known-characters", "only blanks and - | + . # are used"),
            Self::FitsADatagram => ("fits-a-datagram", "the picture fits one datagram"),
            Self::ClosedRooms => ("closed-rooms", "a boundary goes all the way around each room"),
            Self::Corners => ("corners", "boundaries meet at a '+', and only there"),
            Self::Doors => ("doors", "passages enter rooms through straight boundaries"),
            Self::NarrowPassages => ("narrow-passages", "passages are one spot wide"),
            Self::NoStrayLines => ("no-stray-lines", "every boundary belongs to a room"),
            Self::Connected => ("hangs-together", "every spot can be reached from every other"),
            Self::EnoughSpots => {
                ("enough-spots", "every player and pile of gold finds a room spot")
            }
        }
    }
}

impl CheckReport {
    /// The number of lines; 0 for an empty file.
    pub fn rows(&self) -> usize {
        if self.cols == 0 { 0 } else { self.lines.len() }
    }

    /// True if the map follows every rule.
    pub fn is_valid(&self) -> bool {
        self.findings.iter().all(|finding| finding.outcome == RuleOutcome::Holds)
    }

    /// The outcome for this rule.
    pub fn outcome(&self, rule: MapRule) -> &RuleOutcome {
        let finding = self.findings.iter().find(|finding| finding.rule == rule);
        &finding.expect("a report has a finding for every rule").outcome
    }
}

/// Checks the text of a map file against every rule.
pub fn check(text: &[u8], rules: &Rules) -> CheckReport {
    let text = Text::read(text);
    let mut remarks = Vec::new();
    let (rows, cols) = text.size();
    let findings = if cols == 0 {
        findings(&[lines::empty()], &[], "the file is empty")
    } else {
        let mut found: Vec<Found> =
            lines::uneven_lines(&text).chain(lines::unknown_characters(&text)).collect();
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
    let lines = text.lines.iter().map(|line| line.iter().copied().map(shown).collect()).collect();
    CheckReport { lines, cols, findings, remarks }
}

/// A flaw and the rule that is broken there.
type Found = (MapRule, Flaw);

/// The findings for all rules; `why` is the reason that some were not checked.
fn findings(found: &[Found], checked: &[MapRule], why: &'static str) -> Vec<Finding> {
    let finding = |rule: MapRule| {
        let broken = found.iter().filter(|(broken, _)| *broken == rule);
        let flaws: Vec<Flaw> = broken.map(|(_, flaw)| flaw.clone()).collect();
        let outcome = match checked.contains(&rule) {
            _ if !flaws.is_empty() => RuleOutcome::Broken(flaws),
            true => RuleOutcome::Holds,
            false => RuleOutcome::NotChecked(why),
        };
        Finding { rule, outcome }
    };
    MapRule::ALL.map(finding).into()
}

/// The flaws of the drawing. Equal violations at neighbouring columns of a line are one flaw.
fn drawing_flaws(text: &Text, map: &Map) -> Vec<Found> {
    let mut flaws: Vec<Found> = Vec::new();
    for violation in drawing::certain_violations(map, &unknown(text, map)) {
        let rule = violation.kind.rule();
        let flaw = drawing_flaw(text, map, violation);
        match flaws.iter_mut().rev().find(|(broken, _)| *broken == rule) {
            // Beyond the end of a line the first violation stands for all.
            Some((_, last)) if (last.at, last.length) == (flaw.at, 0) => {}
            Some((_, last)) if last.continues_in(&flaw) => last.length += 1,
            _ => flaws.push((rule, flaw)),
        }
    }
    flaws
}

/// A violation beyond the end of a short line is reported at the end of that line.
fn drawing_flaw(text: &Text, map: &Map, violation: Violation) -> Flaw {
    let FilePosition { line, column } = file_position(violation.at);
    let length = text.lines[line - 1].len();
    let there = if column > length + 1 { format!("in column {column}") } else { "here".into() };
    Flaw {
        at: FilePosition { line, column: column.min(length + 1) },
        length: usize::from(column <= length),
        what: violation.kind.to_string(),
        advice: advice(map, violation, &there),
    }
}

impl Flaw {
    fn continues_in(&self, next: &Self) -> bool {
        let end = FilePosition { line: self.at.line, column: self.at.column + self.length };
        self.length > 0
            && next.length > 0
            && end == next.at
            && self.what == next.what
            && self.advice == next.advice
    }
}

/// The gridpoints with an unknown character, which could stand for any tile.
fn unknown(text: &Text, map: &Map) -> PointSet {
    let mut unknown = PointSet::empty(map.tiles().len());
    for (row, line) in text.lines.iter().enumerate() {
        let foreign = line.iter().enumerate().filter(|(_, cell)| cell.is_err());
        foreign.for_each(|(col, _)| unknown.insert(row * usize::from(map.cols()) + col));
    }
    unknown
}

/// Too few room spots are reported at the first line of the first room.
fn too_few_spots(map: &Map, rules: &Rules) -> Option<Found> {
    let few = rules.check_room(map).err()?;
    let first = map.room_spots().first().copied().unwrap_or(Point::new(0, 0));
    let spots = map.tiles()[map.index(first)..].iter().take_while(|tile| **tile == Tile::Room);
    let flaw = Flaw {
        at: file_position(first),
        length: spots.count().min(usize::from(map.cols() - first.col)),
        what: format!(
            "the map has {} room spots '.', but needs {}: {} for players{} {} for piles of gold{}",
            few.found,
            few.needed,
            few.players,
            if few.food == 0 { " and" } else { "," },
            few.piles,
            if few.food == 0 { String::new() } else { format!(" and {} for food", few.food) }
        ),
        advice: "Draw larger rooms, or more of them".to_string(),
    };
    Some((MapRule::EnoughSpots, flaw))
}

/// A character for a cell that is safe to print on a terminal.
fn shown(cell: Cell) -> char {
    match cell {
        Ok(tile) => char::from(tile.as_byte()),
        Err(Character::Char(c)) if c.is_ascii_graphic() || c.is_alphanumeric() => c,
        Err(_) => '?',
    }
}

#[cfg(test)]
mod tests;
