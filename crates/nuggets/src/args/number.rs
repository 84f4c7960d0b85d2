//! Numbers as values of options. A wrong one is rejected with the numbers that are possible.

use std::fmt::Display;
use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;

/// A whole number in this range.
pub(crate) fn number<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + PartialOrd + Display + TryFrom<i128> + Send + Sync + 'static,
{
    move |typed: &str| {
        let number = parse(typed).filter(|number| range.contains(number));
        number
            .ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

/// The port of a server; 0 stands for any.
pub(super) fn server_port(typed: &str) -> Result<u16, &'static str> {
    parse(typed).ok_or("give a number from 1 to 65535, or 0 to let the system choose")
}

/// Parses a signed number first, so that `-0` is zero for every type.
fn parse<T: TryFrom<i128>>(typed: &str) -> Option<T> {
    typed.parse::<i128>().ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn read<T: Clone + Send + Sync + 'static>(
        parser: &impl TypedValueParser<Value = T>,
        typed: &str,
    ) -> Result<T, String> {
        let command = clap::Command::new("test");
        parser.parse_ref(&command, None, OsStr::new(typed)).map_err(|why| why.to_string())
    }

    #[test]
    fn both_ends_of_the_range_are_accepted() {
        for (typed, value) in [("1", 1), ("26", 26), ("+7", 7), ("007", 7)] {
            assert_eq!(read(&number::<u8>(1..=26), typed), Ok(value));
        }
        assert_eq!(read(&number::<u64>(0..=u64::MAX), "18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read(&number::<u32>(0..=9), "-0"), Ok(0));
    }

    #[test]
    fn anything_else_is_rejected_with_the_range() {
        for typed in ["0", "27", "256", "-1", "x", "", " 5", "1.5", "5x", "9e9", "1_0"] {
            let error = read(&number::<u8>(1..=26), typed).unwrap_err();
            assert!(error.contains("give a whole number from 1 to 26"), "{typed}: {error}");
        }
        let error = read(&number::<u64>(0..=u64::MAX), "18446744073709551616").unwrap_err();
        assert!(error.contains("from 0 to 18446744073709551615"), "{error}");
    }

    #[test]
    fn a_port_may_be_zero() {
        for (typed, port) in [("0", 0), ("-0", 0), ("1", 1), ("65535", 65535)] {
            assert_eq!(server_port(typed).unwrap(), port);
        }
        for typed in ["65536", "-1", "abc", ""] {
            server_port(typed).unwrap_err();
        }
    }
}
