//! Lines of `/proc`.

/// Returns the fields of a line of `/proc/PID/stat` after the name of the program: the state, the parent, and so on.
/// The name, in parentheses, may contain blanks and parentheses.
pub fn stat_fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_after_any_name() {
        for (stat, fields) in [
            ("7 (sh) R 1 7", &["R", "1", "7"][..]),
            ("7 (a) Z 3 (b) D 12", &["D", "12"]),
            ("7 (sh", &[]),
            ("", &[]),
        ] {
            assert_eq!(stat_fields(stat).collect::<Vec<_>>(), fields, "{stat:?}");
        }
    }
}
