//! Two lists of answers, held against each other.

use std::collections::BTreeMap;

use crate::Answer;

/// Texts that are fixed by the rules. Of any other `QUIT`, `ERROR` or `NO` the wording is the
/// server's own.
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

/// Is every peer told the same, in the same order? How messages to different peers are mixed does
/// not count, nor does the wording of a complaint. The error says what differs.
///
/// ```
/// use nuggets_model::same_per_peer;
///
/// let one = [(1, b"GOLD 0 0 5".to_vec()), (2, b"ERROR what?".to_vec())];
/// let other = [(2, b"ERROR no such key".to_vec()), (1, b"GOLD 0 0 5".to_vec())];
/// assert_eq!(same_per_peer(&one, &other), Ok(()));
/// assert!(same_per_peer(&one, &other[..1]).is_err());
/// ```
pub fn same_per_peer(model: &[Answer], real: &[Answer]) -> Result<(), String> {
    let (model, real) = (by_peer(model), by_peer(real));
    let peers = model.keys().chain(real.keys());
    for peer in peers {
        let told = |answers: &BTreeMap<u64, Vec<String>>| answers.get(peer).cloned();
        let (model, real) = (told(&model).unwrap_or_default(), told(&real).unwrap_or_default());
        if model != real {
            let (model, real) = (model.join("\n"), real.join("\n"));
            return Err(format!("to peer {peer} by the model:\n{model}\nin reality:\n{real}"));
        }
    }
    Ok(())
}

fn by_peer(answers: &[Answer]) -> BTreeMap<u64, Vec<String>> {
    let mut told: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (peer, message) in answers {
        told.entry(*peer).or_default().push(kind(message));
    }
    told
}

/// The message, without wording that is the server's own.
fn kind(message: &[u8]) -> String {
    // One character for each byte, so that different bytes never look the same.
    let text: String = message.iter().map(|&byte| char::from(byte)).collect();
    let is_fixed = FIXED.iter().any(|fixed| text.starts_with(fixed));
    match text.split_once(' ') {
        Some((word @ ("QUIT" | "ERROR" | "NO"), why)) if !is_fixed && !is_news(why) => {
            format!("{word} ...")
        }
        _ => text,
    }
}

/// What is told as a complaint only because the documents have no message for it.
fn is_news(why: &str) -> bool {
    why.starts_with("House rules: ") || why.ends_with(" steps left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &[&str], other: &[&str]) -> bool {
        let to_one = |told: &[&str]| -> Vec<Answer> {
            told.iter().map(|message| (1, message.as_bytes().to_vec())).collect()
        };
        same_per_peer(&to_one(one), &to_one(other)).is_ok()
    }

    #[test]
    fn order_counts_for_each_peer() {
        assert!(!same(&["OK A", "GRID 1 1"], &["GRID 1 1", "OK A"]));
        assert!(!same(&["OK A"], &[]) && !same(&[], &["OK A"]));
        assert!(!same(&["OK A"], &["OK A", "OK A"]));
    }

    #[test]
    fn the_wording_of_a_complaint_is_free_but_not_its_kind() {
        assert!(same(&["ERROR one"], &["ERROR another"]));
        assert!(!same(&["ERROR one"], &["NO one"]));
        assert!(!same(&["NO"], &["NO reason"]));
        assert!(!same(&["QUIT"], &["QUIT because"]));
    }

    #[test]
    fn words_that_the_rules_fix_are_compared_exactly() {
        assert!(!same(&["QUIT Thanks for playing!"], &["QUIT You have left."]));
        assert!(!same(&["QUIT GAME OVER:\nA 1 x"], &["QUIT GAME OVER:\nA 2 x"]));
        assert!(!same(&["ERROR 3 steps left"], &["ERROR 4 steps left"]));
        assert!(!same(&["NO House rules: steal"], &["NO House rules: vision 3"]));
        assert!(!same(&["ERROR 3 steps left"], &["ERROR Something else."]));
    }
}
