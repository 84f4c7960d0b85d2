//! Compares two lists of answers.

use std::collections::BTreeMap;
use std::fmt;

use crate::Outgoing;

/// Texts that the rules fix. The wording of any other `QUIT`, `ERROR` or `NO` is up to the server.
const FIXED: [&str; 8] = [
    "QUIT Game is full: no more players can join.",
    "QUIT Sorry - you must provide player's name.",
    "QUIT Thanks for playing!",
    "QUIT Thanks for watching!",
    "QUIT You have been replaced by a new spectator.",
    "QUIT You have no steps left and are out of the game.",
    "NO You have no steps left and are out of the game.",
    "QUIT GAME OVER:",
];

/// The messages to a peer for which model and server differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The peer.
    pub peer: u64,
    /// The messages that the model sends, without free wording.
    pub model: Vec<String>,
    /// The messages that the server sends, without free wording.
    pub real: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.join("\n");
        let real = self.real.join("\n");
        write!(f, "to peer {} by the model:\n{model}\nin reality:\n{real}", self.peer)
    }
}

impl std::error::Error for Difference {}

/// Checks that every peer is sent the same messages in the same order. The order of messages to
/// different peers does not count, nor does the wording of an error reply. The error names the
/// difference.
///
/// ```
/// use nuggets_model::expect_same_per_peer;
///
/// let one = [(1, b"GOLD 0 0 5".to_vec()), (2, b"ERROR what?".to_vec())];
/// let other = [(2, b"ERROR no such key".to_vec()), (1, b"GOLD 0 0 5".to_vec())];
/// assert_eq!(expect_same_per_peer(&one, &other), Ok(()));
/// assert!(expect_same_per_peer(&one, &other[..1]).is_err());
/// ```
pub fn expect_same_per_peer(model: &[Outgoing], real: &[Outgoing]) -> Result<(), Difference> {
    if model == real {
        return Ok(());
    }
    let model = by_peer(model);
    let real = by_peer(real);
    let peers = model.keys().chain(real.keys());
    for peer in peers {
        let sent = |answers: &BTreeMap<u64, Vec<String>>| answers.get(peer).cloned();
        let model = sent(&model).unwrap_or_default();
        let real = sent(&real).unwrap_or_default();
        if model != real {
            return Err(Difference { peer: *peer, model, real });
        }
    }
    Ok(())
}

fn by_peer(answers: &[Outgoing]) -> BTreeMap<u64, Vec<String>> {
    let mut sent: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (peer, message) in answers {
        sent.entry(*peer).or_default().push(without_free_wording(message));
    }
    sent
}

/// Returns the message without the wording that is up to the server.
fn without_free_wording(message: &[u8]) -> String {
    // One character for each byte, so that different bytes never look the same.
    let text: String = message.iter().map(|&byte| char::from(byte)).collect();
    let is_fixed = FIXED.iter().any(|fixed| text.starts_with(fixed));
    match text.split_once(' ') {
        Some((word @ ("QUIT" | "ERROR" | "NO"), why)) if !is_fixed && !is_information(why) => {
            format!("{word} ...")
        }
        _ => text,
    }
}

/// True for information that is sent as an error reply because the specification has no message for
/// it.
fn is_information(why: &str) -> bool {
    why.starts_with("House rules: ") || why.ends_with(" steps left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &[&str], other: &[&str]) -> bool {
        let to_one = |sent: &[&str]| -> Vec<Outgoing> {
            sent.iter().map(|message| (1, message.as_bytes().to_vec())).collect()
        };
        expect_same_per_peer(&to_one(one), &to_one(other)).is_ok()
    }

    #[test]
    fn order_counts_for_each_peer() {
        assert!(!same(&["OK A", "GRID 1 1"], &["GRID 1 1", "OK A"]));
        assert!(!same(&["OK A"], &[]) && !same(&[], &["OK A"]));
        assert!(!same(&["OK A"], &["OK A", "OK A"]));
    }

    #[test]
    fn the_wording_of_an_error_reply_is_free_but_not_its_kind() {
        assert!(same(&["ERROR one"], &["ERROR another"]));
        assert!(!same(&["ERROR one"], &["NO one"]));
        assert!(!same(&["NO"], &["NO reason"]));
        assert!(!same(&["QUIT"], &["QUIT because"]));
    }

    #[test]
    fn texts_that_the_rules_fix_are_compared_exactly() {
        assert!(!same(&["QUIT Thanks for playing!"], &["QUIT You have left."]));
        assert!(!same(&["QUIT GAME OVER:\nA 1 x"], &["QUIT GAME OVER:\nA 2 x"]));
        assert!(!same(&["ERROR 3 steps left"], &["ERROR 4 steps left"]));
        assert!(!same(&["NO House rules: steal"], &["NO House rules: vision 3"]));
        assert!(!same(&["ERROR 3 steps left"], &["ERROR Something else."]));
    }
}
