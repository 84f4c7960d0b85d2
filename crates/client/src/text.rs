//! Words from a server made fit for a terminal: nothing but printable ASCII gets through, so that
//! no server can move the cursor, change colours or ring the bell.

use nuggets_atlas::clean_byte;

/// A text of several lines, without newlines at its end.
pub(crate) fn clean_lines(bytes: &[u8]) -> String {
    let clean = |&byte: &u8| match byte {
        b'\n' => '\n',
        _ => char::from(clean_byte(byte)),
    };
    without_last_newlines(bytes).iter().map(clean).collect()
}

/// A text for a single line: a newline within becomes a blank.
pub(crate) fn clean_line(bytes: &[u8]) -> String {
    clean_lines(bytes).replace('\n', " ")
}

fn without_last_newlines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&b| b != b'\n').map_or(0, |i| i + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_and_bytes_outside_ascii_are_replaced() {
        assert_eq!(clean_lines(b"a\x1b[2Jb\tc\x7f\x9b\r"), "a?[2Jb?c???");
        assert_eq!(clean_lines("é".as_bytes()), "??");
    }

    #[test]
    fn newlines_stay_within_a_text_but_not_within_a_line() {
        assert_eq!(clean_lines(b"GAME OVER:\nA 1 Ann\n\n"), "GAME OVER:\nA 1 Ann");
        assert_eq!(clean_line(b"one\ntwo\n"), "one two");
        assert_eq!(clean_lines(b"\n"), "");
    }
}
