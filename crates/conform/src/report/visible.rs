//! What strangers have said, made fit to be shown. Nothing in it can steer a terminal, turn the
//! direction of writing or break a document.

/// The same text with everything that can't be seen written as `\u{…}`; lines stay lines.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same in one line.
pub(super) fn in_one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

/// Control characters, those that turn the direction of writing or take no place, and those that no
/// XML document may have.
fn is_unseen(c: char) -> bool {
    let turns_or_hides =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let no_character = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    (c.is_control() && c != '\n') || turns_or_hides || no_character
}

/// For HTML: visible, and never markup.
pub(super) fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cant_be_seen_is_written_out() {
        assert_eq!(
            visible("a\x1b[2J\r\n\u{202e}\u{ffff}é"),
            "a\\u{1b}[2J\\u{d}\n\\u{202e}\\u{ffff}é"
        );
        assert_eq!(in_one_line("a\nb"), "a b");
    }

    #[test]
    fn markup_of_strangers_is_text() {
        assert_eq!(
            escaped("<script a='1' b=\"2\">&"),
            "&lt;script a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;"
        );
    }
}
