//! The user's preferences: from the environment or the config file (XDG, TOML). They become the defaults of the
//! options that they are named after, so that an option wins over the environment, that over the file, and the
//! file over the built-in default.

mod file;

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Command, Subcommand};
use nuggets_tui::KeyBindings;

use crate::args::BadArgument;
use crate::print;
use crate::user_folders::CONFIG;

pub(crate) use file::ConfigFile;

/// The name of the environment variable that names another file.
const FILE_VARIABLE: &str = "NUGGETS_CONFIG";

/// See what the config file and the environment say.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every preference, its value and where that came from
    Show,
    /// Print the path of the config file
    Path,
}

/// A preference: its key in the file, which names the option of `play` and `player` that it is the default of, its
/// built-in default, and its kind.
type Preference = (&'static str, &'static str, PreferenceKind);

#[derive(Clone, Copy, Debug)]
enum PreferenceKind {
    /// An option or argument of `play` with a value.
    Value,
    /// A flag, and the same with `no-` in front, that turn it on and off. It is on by default in `play`.
    Flag { usual_in_player: bool },
}

use PreferenceKind::{Flag, Value};

const PREFERENCES: [Preference; 10] = [
    ("name", "your user name", Value),
    ("bots", "3", Value),
    ("pace", "1000", Value),
    ("brain", "scout", Value),
    ("map", "main", Value),
    ("color", "auto", Value),
    ("bell", "true", Flag { usual_in_player: true }),
    ("panel", "true for play, false for player", Flag { usual_in_player: false }),
    ("scroll", "true for play, false for player", Flag { usual_in_player: false }),
    ("wait", "true", Flag { usual_in_player: true }),
];

/// The environment variable of a preference.
fn variable_of(key: &str) -> String {
    format!("NUGGETS_{}", key.to_uppercase())
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Environment,
    File,
    Default,
}

/// The config file, if there is one, and the values of all preferences.
#[derive(Debug)]
pub(crate) struct Config {
    path: Option<PathBuf>,
    file: ConfigFile,
    values: Vec<(String, Origin)>,
}

impl Config {
    /// Reads the file and the environment.
    pub(crate) fn load() -> Result<Self, BadArgument> {
        Self::load_from(|name| std::env::var_os(name))
    }

    /// The same; if that fails, the defaults and the error.
    pub(crate) fn load_or_default() -> (Self, Option<BadArgument>) {
        match Self::load() {
            Ok(config) => (config, None),
            Err(why) => {
                let values =
                    PREFERENCES.map(|(_, default, _)| (default.to_owned(), Origin::Default));
                let path = path(&|name: &str| std::env::var_os(name));
                (Self { path, file: ConfigFile::default(), values: values.into() }, Some(why))
            }
        }
    }

    fn load_from(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, BadArgument> {
        let path = path(&variable);
        let file = path.as_deref().map(read).transpose()?.unwrap_or_default();
        let mut values = Vec::new();
        for (key, default, kind) in PREFERENCES {
            let typed = variable(&variable_of(key)).filter(|value| !value.is_empty());
            values.push(match (typed, file.value(key)) {
                (Some(typed), _) => {
                    (checked(key, kind, &typed.to_string_lossy())?, Origin::Environment)
                }
                (None, Some(value)) => (value, Origin::File),
                (None, None) => (default.to_owned(), Origin::Default),
            });
        }
        Ok(Self { path, file, values })
    }

    /// Makes the preferences the defaults of the options of `play` or `player`.
    pub(crate) fn apply(&self, mut command: Command) -> Command {
        let is_player = command.get_name() == "player";
        let chosen = PREFERENCES.into_iter().zip(&self.values);
        for ((key, _, kind), (value, _)) in chosen.filter(|(_, (_, from))| *from != Origin::Default)
        {
            let (name, value) = match kind {
                Value => (key.to_owned(), value.clone()),
                Flag { usual_in_player } => {
                    let (is_on, usual) = (value == "true", usual_in_player || !is_player);
                    if is_on == usual {
                        continue;
                    }
                    (if is_on { key.to_owned() } else { format!("no_{key}") }, "true".to_owned())
                }
            };
            if command.get_arguments().any(|arg| arg.get_id() == name.as_str()) {
                // clap keeps defaults as static text; there are few, and they live as long as the program.
                let value: &'static str = value.leak();
                command = command.mut_arg(name, |arg: Arg| arg.default_value(value));
            }
        }
        command
    }

    /// The keys that the file binds.
    pub(crate) fn keys(&self) -> &KeyBindings {
        self.file.keys()
    }

    /// The defaults of `serve`.
    #[cfg(feature = "host")]
    pub(crate) fn host(&self) -> crate::args::ServeArgs {
        self.file.host()
    }

    fn table(&self) -> String {
        let path = self.path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
        let values = PREFERENCES.iter().zip(&self.values).map(|((key, ..), (value, origin))| {
            let origin = match origin {
                Origin::Environment => format!("environment variable {}", variable_of(key)),
                Origin::File => format!("file {path}"),
                Origin::Default => "default".to_owned(),
            };
            format!("{key:<7} {value:<32} {origin}\n")
        });
        let keys = self.file.keys().named().map(|(key, action)| {
            format!("{:<7} {:<32} file {path}\n", "keys", format!("{action} = {key}"))
        });
        values.chain(keys).collect()
    }
}

/// Checks the value of a flag from the environment. Other values are checked by their options.
fn checked(key: &str, kind: PreferenceKind, typed: &str) -> Result<String, BadArgument> {
    let Flag { .. } = kind else { return Ok(typed.to_owned()) };
    match typed {
        "true" | "1" | "yes" | "on" => Ok("true".to_owned()),
        "false" | "0" | "no" | "off" => Ok("false".to_owned()),
        _ => Err(BadArgument(format!(
            "the environment variable {} is '{}': give true or false",
            variable_of(key),
            typed.escape_debug()
        ))),
    }
}

/// The file of the XDG specification, or that of `$NUGGETS_CONFIG`. `None` without a home folder.
fn path(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = variable(FILE_VARIABLE).filter(|path| !path.is_empty()) {
        return Some(named.into());
    }
    CONFIG.path_in(variable).map(|folder| folder.join("config.toml"))
}

/// Reads the config file; one that does not exist counts as empty.
fn read(path: &Path) -> Result<ConfigFile, BadArgument> {
    let bad =
        |why: String| BadArgument(format!("can't use the config file '{}': {why}", path.display()));
    match fs::read_to_string(path) {
        Ok(text) => ConfigFile::parse(&text).map_err(bad),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(ConfigFile::default()),
        Err(why) => Err(bad(why.to_string())),
    }
}

/// `nuggets config`.
pub(crate) fn run(command: &ConfigCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Show => print::text(&config.table())?,
        ConfigCommand::Path => {
            let path = config.path.as_deref().ok_or_else(|| {
                BadArgument(format!("there is no home folder ($HOME): set {FILE_VARIABLE}"))
            })?;
            print::text(&format!("{}\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The preferences with this file and these variables.
    fn config(file: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, file).unwrap();
        let shown = path.display().to_string();
        let load = Config::load_from(|name| match name {
            FILE_VARIABLE => Some(path.clone().into()),
            _ => variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()),
        });
        load.map_err(|why| why.to_string().replace(&shown, "FILE"))
    }

    fn value_of(config: &Config, key: &str) -> (String, Origin) {
        let index = PREFERENCES.iter().position(|preference| preference.0 == key).unwrap();
        config.values[index].clone()
    }

    #[test]
    fn the_environment_wins_over_the_file_and_that_over_the_default() {
        let config =
            config("bots = 5\npace = 300\nbell = false\n", &[("NUGGETS_BOTS", "7")]).unwrap();
        assert_eq!(value_of(&config, "bots"), ("7".to_owned(), Origin::Environment));
        assert_eq!(value_of(&config, "pace"), ("300".to_owned(), Origin::File));
        assert_eq!(value_of(&config, "bell"), ("false".to_owned(), Origin::File));
        assert_eq!(value_of(&config, "map"), ("main".to_owned(), Origin::Default));
    }

    #[test]
    fn a_wrong_value_is_named_with_its_file_or_variable() {
        let error = config("bots = 99\n", &[]).unwrap_err();
        assert_eq!(error, "can't use the config file 'FILE': line 1, column 1: bots: at most 26");
        let error = config("", &[("NUGGETS_BELL", "loud")]).unwrap_err();
        assert_eq!(error, "the environment variable NUGGETS_BELL is 'loud': give true or false");
    }

    #[test]
    fn preferences_become_defaults_that_options_override() {
        let config = config("bots = 5\nbell = false\npanel = true\n", &[]).unwrap();
        let command = Command::new("play")
            .arg(Arg::new("bots").long("bots").default_value("3"))
            .arg(Arg::new("bell").long("bell").action(clap::ArgAction::SetTrue))
            .arg(Arg::new("no_bell").long("no-bell").action(clap::ArgAction::SetTrue));
        let matches = |words: &[&str]| {
            let matches = config.apply(command.clone()).try_get_matches_from(words).unwrap();
            (matches.get_one::<String>("bots").cloned(), matches.get_flag("no_bell"))
        };
        assert_eq!(matches(&["play"]), (Some("5".to_owned()), true));
        assert_eq!(matches(&["play", "--bots", "9"]), (Some("9".to_owned()), true));
    }

    #[test]
    fn the_file_is_found_in_the_environment() {
        let found = |variables: &[(&str, &str)]| {
            path(&|name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            })
        };
        let home = ("HOME", "/h");
        assert_eq!(found(&[home]), Some("/h/.config/nuggets/config.toml".into()));
        assert_eq!(found(&[home, ("NUGGETS_CONFIG", "/f")]), Some("/f".into()));
        assert_eq!(found(&[]), None);
    }
}
