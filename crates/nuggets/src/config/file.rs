//! What stands in the config file, checked.

use nuggets_bots::BrainKind;
use nuggets_tui::{ColorChoice, KeyBindings};
use serde::Deserialize;

use crate::args::{ServeArgs, public_url};

/// The most bots of a game.
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
    keys: KeyTable,
    host: ServeArgs,
    #[serde(skip)]
    bindings: KeyBindings,
}

/// The table `[keys]`: an action, and the key for it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct KeyTable {
    left: Option<String>,
    right: Option<String>,
    up: Option<String>,
    down: Option<String>,
    up_left: Option<String>,
    up_right: Option<String>,
    down_left: Option<String>,
    down_right: Option<String>,
    explore: Option<String>,
    explore_on: Option<String>,
    panel: Option<String>,
    pause: Option<String>,
    help: Option<String>,
}

impl ConfigFile {
    /// Reads and checks a file. The error names the place, as far as the format knows it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut file: Self =
            toml::from_str(text).map_err(|why| why.to_string().trim().to_owned())?;
        if file.bots.is_some_and(|bots| bots > MAX_BOTS) {
            return Err(format!("bots: at most {MAX_BOTS}"));
        }
        if let Some(color) = &file.color {
            color.parse::<ColorChoice>().map_err(|why| format!("color: {why}"))?;
        }
        for brain in file.brain.iter().flatten() {
            brain.parse::<BrainKind>().map_err(|why| format!("brain: {why}"))?;
        }
        if let Some(url) = file.host.public_url.take() {
            let url = public_url(&url).map_err(|why| format!("host.public-url: {why}"))?;
            file.host.public_url = Some(url);
        }
        if file.host.max_games == Some(0) || file.host.max_connections_per_source == Some(0) {
            return Err("host: max-games and max-connections-per-source must be at least 1".into());
        }
        file.bindings = file.keys.bindings()?;
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

impl KeyTable {
    fn bindings(&self) -> Result<KeyBindings, String> {
        let actions = [
            ("left", &self.left, 'h'),
            ("right", &self.right, 'l'),
            ("up", &self.up, 'k'),
            ("down", &self.down, 'j'),
            ("up-left", &self.up_left, 'y'),
            ("up-right", &self.up_right, 'u'),
            ("down-left", &self.down_left, 'b'),
            ("down-right", &self.down_right, 'n'),
            ("explore", &self.explore, 'o'),
            ("explore-on", &self.explore_on, 'O'),
            ("panel", &self.panel, 'i'),
            ("pause", &self.pause, 'p'),
            ("help", &self.help, '?'),
        ];
        let mut bindings = KeyBindings::default();
        for (action, key, usual) in actions {
            let Some(key) = key else { continue };
            let mut characters = key.chars();
            let (Some(key), None) = (characters.next(), characters.next()) else {
                return Err(format!("keys.{action}: give one character"));
            };
            if !bindings.bind(key, usual, action) {
                return Err(format!("keys: '{key}' is bound twice"));
            }
        }
        Ok(bindings)
    }
}
