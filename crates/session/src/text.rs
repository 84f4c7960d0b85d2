//! Makes text from a server safe for a terminal: passes only printable ASCII, so that no server can move the cursor,
//! change colours or ring the bell.

use nuggets_atlas::clean_byte;

/// Cleans a text of several lines and removes newlines at its end. A tab becomes a blank: some servers separate the
/// columns of the final table with tabs.
pub(crate) fn clean_lines(bytes: &[u8]) -> String {
    let clean = |&byte: &u8| match byte {
        b'\n' => '\n',
        b'\t' => ' ',
        byte => char::from(clean_byte(byte)),
    };
    let mut text: String = bytes.iter().map(clean).collect();
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Cleans a text for a single line: newlines within it become blanks.
pub(crate) fn clean_line(bytes: &[u8]) -> String {
    clean_lines(bytes).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_and_bytes_outside_ascii_are_replaced() {
        assert_eq!(clean_lines(b"a\x1b[2Jb\tc\x7f\x9b\r"), "a?[2Jb c???");
        assert_eq!(clean_lines("é".as_bytes()), "??");
    }

    #[test]
    fn newlines_stay_within_a_text_but_not_within_a_line() {
        assert_eq!(clean_lines(b"GAME OVER:\nA 1 Ann\n\n"), "GAME OVER:\nA 1 Ann");
        assert_eq!(clean_line(b"one\ntwo\n"), "one two");
        assert_eq!(clean_lines(b"\n"), "");
    }
}
