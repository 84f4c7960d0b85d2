//! The texts about house rules (variants of the game). The specification has no message for them,
//! so a server sends them as error replies, which every client shows. A client of ours recognises
//! them here: they are information, not a rejection.

use crate::counted;

const RULES_PREFIX: &str = "House rules:";
const NOTICE_PREFIX: &str = "Notice:";
const NEXT_GAME_PREFIX: &str = "Next game:";
const STEPS_LEFT_SUFFIX: &str = " steps left";
const ONE_STEP_LEFT: &str = "1 step left";

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
    if steps == 1 { ONE_STEP_LEFT.to_owned() } else { format!("{steps}{STEPS_LEFT_SUFFIX}") }
}

/// The text that announces another game on the same port, this long after the end of this one. A
/// client that recognises it asks to join again after the final table.
///
/// ```
/// use nuggets_protocol::house_rules;
///
/// let text = house_rules::next_game_text(10);
/// assert_eq!(text, "Next game: 10 seconds after this one, on this port");
/// assert!(house_rules::is_next_game_text(text.as_bytes()));
/// ```
pub fn next_game_text(seconds: u64) -> String {
    let pause = counted(seconds, "second");
    format!("{NEXT_GAME_PREFIX} {pause} after this one, on this port")
}

/// True if the text of an error reply announces another game on the same port.
pub fn is_next_game_text(text: &[u8]) -> bool {
    text.starts_with(NEXT_GAME_PREFIX.as_bytes())
}

/// The notice that the game has begun, without the prefix.
pub const HAS_BEGUN: &str = "the game has begun";
/// The start of a notice that names what a game waits for.
pub const WAITING_FOR: &str = "waiting for";

/// The text sent to all clients when a server shuts down: no other game follows.
pub const SHUTTING_DOWN: &str = "The server is shutting down.";

/// Returns a notice without its prefix, and any other text unchanged.
pub fn words(text: &str) -> &str {
    text.strip_prefix(NOTICE_PREFIX).map_or(text, str::trim_start)
}

/// The text of a notice from the host to its players.
pub fn notice_text(words: &str) -> String {
    format!("{NOTICE_PREFIX} {words}")
}

/// True if the text of an error reply names the variants a server plays by.
pub fn is_rules_text(text: &[u8]) -> bool {
    text.starts_with(RULES_PREFIX.as_bytes())
}

/// True if the text of an error reply is about house rules or a notice, and so is not a rejection.
pub fn is_information(text: &[u8]) -> bool {
    is_rules_text(text)
        || is_next_game_text(text)
        || text.starts_with(NOTICE_PREFIX.as_bytes())
        || text == ONE_STEP_LEFT.as_bytes()
        || text.ends_with(STEPS_LEFT_SUFFIX.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_recognises_what_a_server_writes() {
        assert!(is_rules_text(rules_text("steal").as_bytes()));
        assert_eq!([7, 1].map(steps_left_text), ["7 steps left", "1 step left"]);
        assert!(is_information(steps_left_text(1).as_bytes()));
        assert!(is_information(steps_left_text(7).as_bytes()) && !is_rules_text(b"7 steps left"));
        let notice = notice_text("the host restarts");
        assert!(is_information(notice.as_bytes()) && !is_rules_text(notice.as_bytes()));
        assert!(is_information(next_game_text(1).as_bytes()) && !is_next_game_text(b"Next"));
        assert_eq!(
            [notice.as_str(), "7 steps left"].map(words),
            ["the host restarts", "7 steps left"]
        );
        assert!(!is_information(b"unknown keystroke"));
    }
}
