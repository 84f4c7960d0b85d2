//! Seeds: as they are typed, and chosen where none is.

use nuggets_game::Seed;
use nuggets_protocol::Dialect;

use crate::args::BadArgument;

/// Chosen seeds are below this, so that they are easy to type again.
const CHOSEN_BELOW: u64 = 1_000_000_000;

/// The seed that was typed, or one that the system chooses.
pub(crate) fn read_or_choose(typed: Option<&str>, dialect: Dialect) -> anyhow::Result<Seed> {
    match typed {
        Some(typed) => Ok(read(typed, dialect)?),
        None => choose(),
    }
}

pub(crate) fn read(typed: &str, dialect: Dialect) -> Result<Seed, BadArgument> {
    let number = typed.parse::<i64>().ok().filter(|n| dialect == Dialect::V2019 || *n > 0);
    number.map(Seed::new).ok_or_else(|| {
        let least = if dialect == Dialect::V2019 { i64::MIN } else { 1 };
        BadArgument(format!(
            "the seed '{}' can't be used: in the {dialect} dialect it is a whole number from {least} \
             to {}. Leave it off to have one chosen",
            typed.escape_debug(),
            i64::MAX
        ))
    })
}

/// A seed that the system chooses.
pub(crate) fn choose() -> anyhow::Result<Seed> {
    let number = i64::try_from(choose_number()?).expect("it is below the limit");
    Ok(Seed::new(number))
}

/// A positive number that the system chooses, easy to type again.
pub(crate) fn choose_number() -> anyhow::Result<u64> {
    let chance = getrandom::u64()
        .map_err(|why| anyhow::anyhow!("the system gives no random seed ({why}): name one"))?;
    Ok(1 + chance % (CHOSEN_BELOW - 1))
}

/// Bytes that nobody can guess.
pub(crate) fn secret() -> anyhow::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|why| anyhow::anyhow!("the system gives no random numbers ({why})"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_2021_a_seed_is_positive_and_in_2019_any_integer() {
        for typed in ["1", "42", "9223372036854775807"] {
            assert!(read(typed, Dialect::V2021).is_ok() && read(typed, Dialect::V2019).is_ok());
        }
        for typed in ["0", "-1", "-9223372036854775808"] {
            assert!(read(typed, Dialect::V2021).is_err() && read(typed, Dialect::V2019).is_ok());
        }
        for typed in ["", "x", "1.5", "9223372036854775808", "1 ", "0x10"] {
            assert!(read(typed, Dialect::V2021).is_err() && read(typed, Dialect::V2019).is_err());
        }
    }

    #[test]
    fn a_chosen_seed_can_be_typed() {
        for _ in 0..100 {
            let chosen = choose().unwrap();
            assert_eq!(read(&chosen.to_string(), Dialect::V2021).unwrap(), chosen);
        }
    }
}
