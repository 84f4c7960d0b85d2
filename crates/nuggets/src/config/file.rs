//! The checked content of the config file.

use std::collections::BTreeMap;

use nuggets_bots::BrainKind;
use nuggets_tui::{ColorChoice, KeyBindings};
use serde::Deserialize;

use crate::args::ServeArgs;

/// The maximum number of bots in a game.
const MAX_BOTS: u8 = 26;

/// The config file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConfigFile {
    name: Option<String>,
    bots: Option<u8>,
    pace: Option<u64>,
    brain: Option<Vec<String>>,
    map: Option<String>,
    color: Option<String>,
    bell: Option<bool>,
    panel: Option<bool>,
    scroll: Option<bool>,
    wait: Option<bool>,
    /// An action, and the key for it.
    keys: BTreeMap<String, String>,
    host: ServeArgs,
    #[serde(skip)]
    bindings: KeyBindings,
}

/// The actions of the table `[keys]`, and the usual key of each.
const ACTIONS: [(&str, char); 13] = [
    ("left", 'h'),
    ("right", 'l'),
    ("up", 'k'),
    ("down", 'j'),
    ("up-left", 'y'),
    ("up-right", 'u'),
    ("down-left", 'b'),
    ("down-right", 'n'),
    ("explore", 'o'),
    ("explore-on", 'O'),
    ("panel", 'i'),
    ("pause", 'p'),
    ("help", '?'),
];

impl ConfigFile {
    /// Reads and checks a file. The error names the line and the column.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|why| in_plain_words(&why.to_string()))?;
        file.checked().map_err(|why| with_place(text, why))
    }

    /// Checks the values. An error begins with its key and a colon.
    fn checked(self) -> Result<Self, String> {
        let mut file = self;
        if file.bots.is_some_and(|bots| bots > MAX_BOTS) {
            return Err(format!("bots: at most {MAX_BOTS}"));
        }
        if let Some(color) = &file.color {
            color.parse::<ColorChoice>().map_err(|why| format!("color: {why}"))?;
        }
        for brain in file.brain.iter().flatten() {
            brain.parse::<BrainKind>().map_err(|why| format!("brain: {why}"))?;
        }
        file.host = file.host.checked().map_err(|(key, why)| match key {
            "" => format!("host: {why}"),
            key => format!("host.{key}{why}"),
        })?;
        file.bindings = bindings(&file.keys)?;
        Ok(file)
    }

    /// A preference as it would be typed.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        let flag = |value: Option<bool>| value.map(|on| on.to_string());
        match key {
            "name" => self.name.clone(),
            "bots" => self.bots.map(|bots| bots.to_string()),
            "pace" => self.pace.map(|pace| pace.to_string()),
            "brain" => self.brain.as_ref().map(|brains| brains.join(",")),
            "map" => self.map.clone(),
            "color" => self.color.clone(),
            "bell" => flag(self.bell),
            "panel" => flag(self.panel),
            "scroll" => flag(self.scroll),
            "wait" => flag(self.wait),
            _ => None,
        }
    }

    pub(super) fn keys(&self) -> &KeyBindings {
        &self.bindings
    }

    #[cfg(feature = "host")]
    pub(super) fn host(&self) -> ServeArgs {
        self.host.clone()
    }
}

/// Replaces the names of Rust types in an error message of the parser with plain English.
fn in_plain_words(why: &str) -> String {
    let numbers = ["u8", "u16", "u32", "u64", "usize"].map(|number| format!("expected {number}"));
    let mut words = why.trim().to_owned();
    if let Some(number) = numbers.iter().find(|number| words.ends_with(*number)) {
        words.truncate(words.len() - number.len());
        words.push_str("expected a whole number");
    }
    words
}

/// Adds the position of the key that an error begins with.
fn with_place(text: &str, why: String) -> String {
    let key = why.split(':').next().unwrap_or_default();
    match place(text, key) {
        Some((line, column)) => format!("line {line}, column {column}: {why}"),
        None => why,
    }
}

/// The line and column of a key, such as `bots` or `keys.left`, or of the table of that name.
fn place(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let mut table = "";
    for (number, line) in (1..).zip(text.lines()) {
        let indent = line.len() - line.trim_start().len();
        let name = if let Some(header) = line.trim_start().strip_prefix('[') {
            table = header.split(']').next().unwrap_or_default().trim();
            table.to_owned()
        } else {
            let key = line.split('=').next().unwrap_or_default().trim();
            if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
        };
        if name == wanted {
            return Some((number, indent + 1));
        }
    }
    None
}

/// The bindings of the table `[keys]`, which has a key for some actions.
fn bindings(keys: &BTreeMap<String, String>) -> Result<KeyBindings, String> {
    let is_known = |action: &String| ACTIONS.iter().any(|(known, _)| known == action);
    if let Some(unknown) = keys.keys().find(|action| !is_known(action)) {
        let known = ACTIONS.map(|(action, _)| action).join(", ");
        return Err(format!("keys.{unknown}: there is no such action: give one of {known}"));
    }
    let mut bindings = KeyBindings::default();
    for (action, usual) in ACTIONS {
        let Some(key) = keys.get(action) else { continue };
        let mut characters = key.chars();
        let (Some(key), None) = (characters.next(), characters.next()) else {
            return Err(format!("keys.{action}: give one character"));
        };
        if !bindings.bind(key, usual, action) {
            return Err(format!("keys.{action}: '{key}' is bound twice"));
        }
    }
    Ok(bindings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_names_its_line_and_column() {
        for (text, words) in [
            ("bots = 5\nbels = true", "line 2, column 1"),
            ("bots = 5\n\n  pace = \"slow\"", "line 3, column 10"),
            ("# twenty-seven\nbots = 27", "line 2, column 1: bots: at most 26"),
            ("color = \"blue\"", "line 1, column 1: color: expected auto, always or never"),
            ("brain = [\"genius\"]", "line 1, column 1: brain: there is no such brain"),
            ("[keys]\n left = \"xy\"", "line 2, column 2: keys.left: give one character"),
            ("keys.left = \"xy\"", "line 1, column 1: keys.left: give one character"),
            ("[keys]\nleft = \"e\"\nup = \"e\"", "line 3, column 1: keys.up: 'e' is bound twice"),
            ("bell = \"loud\"", "line 1, column 8"),
            ("[keys]\nfly = \"x\"", "line 2, column 1: keys.fly: there is no such action"),
            ("[host]\nmax-games = 0", "line 1, column 1: host: max-games"),
        ] {
            let why = ConfigFile::parse(text).unwrap_err();
            assert!(why.contains(words), "{text:?}: {why}");
        }
    }

    #[test]
    fn types_are_named_in_plain_words() {
        for text in ["bots = \"two\"", "pace = -4"] {
            let why = ConfigFile::parse(text).unwrap_err();
            assert!(why.ends_with("expected a whole number"), "{why}");
        }
    }
}
