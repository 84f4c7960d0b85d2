//! Seeds: parsing those that are typed, and choosing one at random.

use nuggets_game::Seed;
use nuggets_protocol::Dialect;

use crate::args::BadArgument;

/// Chosen seeds are below this, so that they are easy to type.
const MAX_CHOSEN: u64 = 1_000_000_000;

/// The seed that was typed for a command without dialects, or a random one.
pub(crate) fn read_or_choose(typed: Option<&str>) -> anyhow::Result<Seed> {
    match typed {
        Some(typed) => Ok(read(typed, "to have one chosen")?),
        None => choose(),
    }
}

/// A seed for a command where it depends on no dialect. `if_omitted` completes the advice to leave
/// it out.
pub(crate) fn read(typed: &str, if_omitted: &str) -> Result<Seed, BadArgument> {
    parse(typed, Dialect::V2021).ok_or_else(|| {
        BadArgument(format!(
            "invalid seed '{}': give a whole number from 1 to {}, or leave it out {if_omitted}",
            typed.escape_debug(),
            i64::MAX
        ))
    })
}

/// A seed for a game in this dialect.
pub(crate) fn read_in_dialect(typed: &str, dialect: Dialect) -> Result<Seed, BadArgument> {
    parse(typed, dialect).ok_or_else(|| {
        let least = if dialect == Dialect::V2019 { i64::MIN } else { 1 };
        BadArgument(format!(
            "invalid seed '{}': in the {dialect} dialect it is a whole number from {least} to {}. \
             Leave it out to have one chosen",
            typed.escape_debug(),
            i64::MAX
        ))
    })
}

fn parse(typed: &str, dialect: Dialect) -> Option<Seed> {
    let number = typed.parse::<i64>().ok().filter(|n| dialect == Dialect::V2019 || *n > 0);
    number.map(Seed::new)
}

/// The seed of the game after the one with this seed. After the largest comes 1.
pub(crate) fn following(seed: Seed) -> Seed {
    Seed::new(seed.number().checked_add(1).unwrap_or(1))
}

/// A random seed.
pub(crate) fn choose() -> anyhow::Result<Seed> {
    let number = i64::try_from(choose_number()?).expect("below MAX_CHOSEN");
    Ok(Seed::new(number))
}

/// A random positive number that is easy to type.
pub(crate) fn choose_number() -> anyhow::Result<u64> {
    let number = getrandom::u64().map_err(|why| {
        anyhow::anyhow!("can't get random numbers from the system ({why}): give a seed")
    })?;
    Ok(1 + number % (MAX_CHOSEN - 1))
}

/// Random bytes for keyed hashing.
pub(crate) fn secret() -> anyhow::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|why| anyhow::anyhow!("can't get random numbers from the system ({why})"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_2021_a_seed_is_positive_and_in_2019_any_integer() {
        const DIALECTS: [Dialect; 2] = [Dialect::V2021, Dialect::V2019];
        for typed in ["1", "42", "9223372036854775807"] {
            assert_eq!(DIALECTS.map(|it| parse(typed, it).is_some()), [true, true]);
        }
        for typed in ["0", "-1", "-9223372036854775808"] {
            assert_eq!(DIALECTS.map(|it| parse(typed, it).is_some()), [false, true]);
        }
        for typed in ["", "x", "1.5", "9223372036854775808", "1 ", "0x10"] {
            assert_eq!(DIALECTS.map(|it| parse(typed, it).is_some()), [false, false]);
        }
    }

    #[test]
    fn a_chosen_seed_can_be_typed() {
        for _ in 0..100 {
            let chosen = choose().unwrap();
            assert_eq!(parse(&chosen.to_string(), Dialect::V2021), Some(chosen));
        }
    }
}
