//! The arguments after the fault, checked as a server should check them, except for the mistakes of the fault itself.

use std::path::PathBuf;
use std::process;
use std::time::SystemTime;

use nuggets_game::Seed;
use nuggets_protocol::Dialect;
use thiserror::Error;

use crate::fault::Fault;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) map: PathBuf,
    pub(crate) seed: Seed,
    pub(crate) dialect: Dialect,
    /// A second fault, which changes only the form of messages.
    pub(crate) slip: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum ArgsError {
    #[error("no map given. Usage: mutant_server FAULT MAP [SEED] [--dialect 2019|2021]")]
    NoMap,
    #[error("more arguments than a map and a seed")]
    TooMany,
    #[error("no seed given")]
    NoSeed,
    #[error("invalid seed: not a whole number")]
    SeedWord,
    #[error("invalid seed: zero")]
    SeedZero,
    #[error("invalid seed: negative")]
    SeedNegative,
    #[error("unknown option")]
    UnknownOption,
}

impl ArgsError {
    pub(crate) fn exit_code(self, fault: Fault) -> u8 {
        match (self, fault) {
            (Self::NoMap, Fault::ExitZeroNoArguments)
            | (Self::TooMany, Fault::ExitZeroTooManyArguments)
            | (Self::SeedWord, Fault::ExitZeroSeedWord)
            | (Self::SeedZero, Fault::ExitZeroSeedZero)
            | (Self::SeedNegative, Fault::ExitZeroSeedNegative) => 0,
            _ => 2,
        }
    }
}

pub(crate) fn read(
    fault: Fault,
    mut words: impl Iterator<Item = String>,
) -> Result<Args, ArgsError> {
    let mut dialect = Dialect::default();
    let mut slip = Fault::None;
    let mut positional = vec![];
    while let Some(word) = words.next() {
        if word == "--dialect" {
            let year = words.next().unwrap_or_default();
            dialect = year.parse().map_err(|_| ArgsError::UnknownOption)?;
        } else if word == "--slip" {
            let name = words.next().unwrap_or_default();
            slip = name.parse().map_err(|_| ArgsError::UnknownOption)?;
        } else if word.starts_with("--") {
            return Err(ArgsError::UnknownOption);
        } else {
            positional.push(word);
        }
    }
    if positional.len() > 2 && fault != Fault::AcceptsTooManyArguments {
        return Err(ArgsError::TooMany);
    }
    let mut positional = positional.into_iter();
    let map = positional.next().ok_or(ArgsError::NoMap)?.into();
    Ok(Args { map, seed: read_seed(fault, dialect, positional.next())?, dialect, slip })
}

fn read_seed(fault: Fault, dialect: Dialect, word: Option<String>) -> Result<Seed, ArgsError> {
    let is_2021 = dialect == Dialect::V2021;
    let number = match word.map(|word| word.parse::<i64>()) {
        None if fault == Fault::SeedRequired => return Err(ArgsError::NoSeed),
        None if fault == Fault::SeedFromClock => seconds(),
        None => i64::from(process::id()),
        Some(Err(_)) if fault == Fault::AcceptsSeedWord => 1,
        Some(Err(_)) => return Err(ArgsError::SeedWord),
        Some(Ok(0)) if is_2021 && fault != Fault::AcceptsSeedZero => {
            return Err(ArgsError::SeedZero);
        }
        Some(Ok(..0)) if is_2021 && fault != Fault::AcceptsSeedNegative => {
            return Err(ArgsError::SeedNegative);
        }
        Some(Ok(number)) => number,
    };
    Ok(Seed::new(match fault {
        Fault::SameGameForAllSeeds => 1,
        Fault::ClockInsteadOfSeed => seconds(),
        Fault::OtherGameForSameSeed => i64::from(process::id()),
        _ => number,
    }))
}

#[expect(clippy::disallowed_methods, reason = "the fault: the game depends on the time")]
fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
