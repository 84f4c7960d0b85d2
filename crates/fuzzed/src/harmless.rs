//! Is a text fit for a terminal and a log?

/// Panics at a control character.
pub(crate) fn assert_harmless(text: &str) {
    assert!(!text.contains(char::is_control), "a control character in {text:?}");
}

/// Panics at a control character that is no newline.
pub(crate) fn assert_harmless_lines(text: &str) {
    text.split('\n').for_each(assert_harmless);
}
