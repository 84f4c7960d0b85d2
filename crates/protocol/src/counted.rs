//! Numbers of things in texts for people.

use std::fmt::Display;

/// A number with its noun, which gets an `s` unless there is one.
///
/// ```
/// use nuggets_protocol::counted;
///
/// assert_eq!([0, 1, 2].map(|n| counted(n, "nugget")), ["0 nuggets", "1 nugget", "2 nuggets"]);
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
