//! The arguments behind the fault, checked as a server should, unless the fault is about them.

use std::path::PathBuf;
use std::process;
use std::time::SystemTime;

use nuggets_game::Seed;
use nuggets_protocol::Dialect;
use thiserror::Error;

use crate::fault::Fault;

/// What is played.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) map: PathBuf,
    pub(crate) seed: Seed,
    pub(crate) dialect: Dialect,
}

/// Why arguments can't be used.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum BadArgs {
    /// No map.
    #[error("a map is missing. Usage: mutant_server FAULT MAP [SEED] [--dialect 2019|2021]")]
    NoMap,
    /// More than a map and a seed.
    #[error("'{0}' is too much: expected a map and a seed")]
    TooMany(String),
    /// A fault that wants a seed.
    #[error("a seed is missing")]
    NoSeed,
    /// A seed that is no number.
    #[error("the seed '{0}' is no whole number")]
    SeedWord(String),
    /// A seed that is not positive.
    #[error("the seed {0} is not positive")]
    SeedNotPositive(i64),
    /// An option that there isn't.
    #[error("there is no option '{0}'")]
    Option(String),
}

impl BadArgs {
    /// The exit code for it.
    pub(crate) fn exit_code(&self, fault: Fault) -> u8 {
        let is_forgiven = match self {
            Self::NoMap => fault == Fault::ExitZeroNoArguments,
            Self::TooMany(_) => fault == Fault::ExitZeroTooMany,
            Self::SeedWord(_) => fault == Fault::ExitZeroSeedWord,
            Self::SeedNotPositive(0) => fault == Fault::ExitZeroSeedZero,
            Self::SeedNotPositive(_) => fault == Fault::ExitZeroSeedNegative,
            Self::NoSeed | Self::Option(_) => false,
        };
        if is_forgiven { 0 } else { 2 }
    }
}

pub(crate) fn read(fault: Fault, mut words: impl Iterator<Item = String>) -> Result<Args, BadArgs> {
    let (mut dialect, mut places) = (Dialect::default(), vec![]);
    while let Some(word) = words.next() {
        if word == "--dialect" {
            let year = words.next().unwrap_or_default();
            dialect = year.parse().map_err(|_| BadArgs::Option(format!("--dialect {year}")))?;
        } else if word.starts_with("--") {
            return Err(BadArgs::Option(word));
        } else {
            places.push(word);
        }
    }
    if let Some(more) = places.get(2).filter(|_| fault != Fault::TakesTooMany) {
        return Err(BadArgs::TooMany(more.clone()));
    }
    let mut places = places.into_iter();
    let map = places.next().ok_or(BadArgs::NoMap)?.into();
    Ok(Args { map, seed: seed(fault, dialect, places.next())?, dialect })
}

fn seed(fault: Fault, dialect: Dialect, typed: Option<String>) -> Result<Seed, BadArgs> {
    let number = match typed {
        None if fault == Fault::SeedRequired => return Err(BadArgs::NoSeed),
        None if fault == Fault::SeededByTheSecond => seconds(),
        None => i64::from(process::id()),
        Some(typed) => match typed.parse::<i64>() {
            Ok(0) if fault == Fault::TakesSeedZero => 0,
            Ok(number) if number < 0 && fault == Fault::TakesSeedNegative => number,
            Ok(number) if number <= 0 && dialect == Dialect::V2021 => {
                return Err(BadArgs::SeedNotPositive(number));
            }
            Ok(number) => number,
            Err(_) if fault == Fault::TakesSeedWord => 1,
            Err(_) => return Err(BadArgs::SeedWord(typed)),
        },
    };
    Ok(Seed::new(match fault {
        Fault::SameGameForAllSeeds => 1,
        Fault::OtherGameForSameSeed => i64::from(process::id()),
        _ => number,
    }))
}

#[allow(clippy::disallowed_methods, reason = "that is the quirk: the game depends on the time")]
fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
