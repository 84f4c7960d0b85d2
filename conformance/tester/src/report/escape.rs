//! Escapes the messages of a program under test, so that they can't control a terminal, change the writing direction or
//! break a document.

/// The text with every invisible character written as `\u{…}`; line breaks stay.
pub fn escape_invisible(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            escaped.extend(c.escape_unicode());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Like `escape_invisible`, in one line.
pub(super) fn escape_line(text: &str) -> String {
    escape_invisible(text).replace('\n', " ")
}

/// True for control characters, for characters that change the writing direction or have no width,
/// and for those that XML forbids.
fn is_invisible(c: char) -> bool {
    let is_format =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let is_noncharacter = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    (c.is_control() && c != '\n') || is_format || is_noncharacter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(
            escape_invisible("a\x1b[2J\r\n\u{202e}\u{ffff}é"),
            "a\\u{1b}[2J\\u{d}\n\\u{202e}\\u{ffff}é"
        );
        assert_eq!(escape_line("a\nb"), "a b");
    }
}
