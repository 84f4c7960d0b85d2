//! The texts about house rules (variants of the game). The specification has no message for them,
//! so a server sends them as error replies, which every client shows. A client of ours recognises
//! them here: they are information, not a rejection.

const RULES_PREFIX: &str = "House rules:";
const NOTICE_PREFIX: &str = "Notice:";
const STEPS_LEFT_SUFFIX: &str = " steps left";

/// The text that names the variants a server plays by.
///
/// ```
/// use nuggets_protocol::house_rules;
///
/// assert_eq!(house_rules::rules_text("vision 5, steal"), "House rules: vision 5, steal");
/// ```
pub fn rules_text(variants: &str) -> String {
    format!("{RULES_PREFIX} {variants}")
}

/// The text that says how many steps remain to a player whose lifetime is limited.
pub fn steps_left_text(steps: u32) -> String {
    format!("{steps}{STEPS_LEFT_SUFFIX}")
}

/// Words of a web host to its players.
pub fn notice_text(words: &str) -> String {
    format!("{NOTICE_PREFIX} {words}")
}

/// True if the text of an error reply names the variants a server plays by.
pub fn is_rules_text(text: &[u8]) -> bool {
    text.starts_with(RULES_PREFIX.as_bytes())
}

/// True if the text of an error reply is about house rules or a notice, and so no rejection.
pub fn is_information(text: &[u8]) -> bool {
    is_rules_text(text)
        || text.starts_with(NOTICE_PREFIX.as_bytes())
        || text.ends_with(STEPS_LEFT_SUFFIX.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_recognises_what_a_server_writes() {
        assert!(is_rules_text(rules_text("steal").as_bytes()));
        assert_eq!(steps_left_text(7), "7 steps left");
        assert!(is_information(steps_left_text(7).as_bytes()) && !is_rules_text(b"7 steps left"));
        let notice = notice_text("the host restarts");
        assert!(is_information(notice.as_bytes()) && !is_rules_text(notice.as_bytes()));
        assert!(!is_information(b"unknown keystroke"));
    }
}
