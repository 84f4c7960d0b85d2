//! Names of people: cleaned for the protocol, compared so that no person can impersonate another, and random ones for
//! guests. Pure.

use std::collections::BTreeSet;
use std::sync::Mutex;

use nuggets_protocol::Name;

use super::AccountError;
use crate::locks::lock;

/// Returns a name as it is stored and shown: trimmed, with runs of white space as one blank, and cleaned by the rules of
/// the protocol. Rejects names without a letter or digit.
pub(super) fn clean_name(given: &str) -> Result<String, AccountError> {
    let words: Vec<&str> = given.split_whitespace().collect();
    let name = Name::new(words.join(" ").as_bytes()).ok_or(AccountError::BlankName)?;
    let name = name.as_str().trim();
    let is_readable = name.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if is_readable { Ok(name.to_owned()) } else { Err(AccountError::BlankName) }
}

/// Returns the key of a name, which is equal for names that look alike: only letters and digits, in lower case, with one
/// character for each group of characters that are easily confused.
pub(crate) fn name_key(name: &str) -> String {
    let fold = |c: char| match c.to_ascii_lowercase() {
        'i' | '1' | '|' => Some('l'),
        '0' => Some('o'),
        c if c.is_ascii_alphanumeric() => Some(c),
        _ => None,
    };
    name.chars().filter_map(fold).collect()
}

/// All names that are claimed with a password, for code that can't wait for the store, which keeps the set up to date.
/// Contains the value of the change counter and the keys (`name_key`) of the names.
#[derive(Debug, Default)]
pub struct ClaimedNames(Mutex<(u64, BTreeSet<String>)>);

impl ClaimedNames {
    /// True if this name or one that looks like it is claimed.
    pub fn contains(&self, name: &str) -> bool {
        lock(&self.0).1.contains(&name_key(name))
    }

    /// Replaces the names by those of this version, unless a newer version is known already.
    pub(crate) fn replace(&self, version: u64, keys: BTreeSet<String>) {
        let mut known = lock(&self.0);
        if version >= known.0 {
            *known = (version, keys);
        }
    }
}

/// Returns a pleasant name of two words.
pub(super) fn guest_name([adjective, animal]: [u8; 2]) -> String {
    let adjective = ADJECTIVES[usize::from(adjective) % ADJECTIVES.len()];
    let animal = ANIMALS[usize::from(animal) % ANIMALS.len()];
    format!("{adjective} {animal}")
}

/// 64 entries, so that a random byte selects all with the same probability.
const ADJECTIVES: [&str; 64] = [
    "Agile", "Amber", "Autumn", "Bold", "Brave", "Breezy", "Bright", "Calm", "Cheerful", "Clever",
    "Cosy", "Curious", "Daring", "Dapper", "Eager", "Early", "Fair", "Fancy", "Fleet", "Friendly",
    "Gentle", "Glad", "Golden", "Grand", "Happy", "Hardy", "Honest", "Humble", "Jolly", "Keen",
    "Kind", "Lively", "Loyal", "Lucky", "Mellow", "Merry", "Mighty", "Mossy", "Neat", "Nimble",
    "Noble", "Patient", "Plucky", "Polite", "Proud", "Quick", "Quiet", "Ready", "Royal", "Shiny",
    "Silver", "Smart", "Snowy", "Spry", "Steady", "Sunny", "Swift", "Tidy", "Trusty", "Velvet",
    "Warm", "Wise", "Witty", "Zesty",
];

/// 64 entries, so that a random byte selects all with the same probability.
const ANIMALS: [&str; 64] = [
    "Badger", "Bear", "Beaver", "Bee", "Bison", "Bobcat", "Camel", "Cat", "Cheetah", "Cobra",
    "Cougar", "Crane", "Cricket", "Deer", "Dolphin", "Dove", "Duck", "Eagle", "Falcon", "Ferret",
    "Finch", "Firefly", "Fox", "Frog", "Gazelle", "Gecko", "Goose", "Hare", "Hawk", "Hedgehog",
    "Heron", "Hornet", "Ibex", "Jackdaw", "Jaguar", "Koala", "Lark", "Lemur", "Leopard", "Lion",
    "Lizard", "Lynx", "Marmot", "Marten", "Mole", "Moose", "Newt", "Otter", "Owl", "Panda",
    "Panther", "Puffin", "Rabbit", "Raven", "Robin", "Salmon", "Seal", "Sparrow", "Squirrel",
    "Stork", "Swan", "Tiger", "Turtle", "Wolf",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nuggets_protocol::MAX_NAME_BYTES;

    use super::*;

    fn cleaned(given: &str) -> Option<String> {
        clean_name(given).ok()
    }

    #[test]
    fn every_guest_name_is_pleasant_and_fits() {
        let mut seen = BTreeSet::new();
        for adjective in 0..64 {
            for animal in 0..64 {
                let name = guest_name([adjective, animal]);
                assert_eq!(cleaned(&name).as_ref(), Some(&name));
                assert!(name.len() <= MAX_NAME_BYTES);
                seen.insert(name);
            }
        }
        assert_eq!(seen.len(), 64 * 64);
        assert_eq!(guest_name([64, 64]), guest_name([0, 0]));
    }

    #[test]
    fn white_space_around_a_name_and_in_runs_is_no_part_of_it() {
        assert_eq!(cleaned(" \t Ann \u{a0}\u{2003} Onymous\n").as_deref(), Some("Ann Onymous"));
    }

    #[test]
    fn a_name_is_cleaned_and_cut_as_in_the_game() {
        assert_eq!(cleaned("a\u{1b}[2J\u{202e}b").as_deref(), Some("a_[2J___b"));
        assert_eq!(cleaned("<b>Ann</b>").as_deref(), Some("<b>Ann</b>"), "it is data, not markup");
        assert_eq!(cleaned(&"x".repeat(80)), Some("x".repeat(50)));
        assert_eq!(cleaned(&format!("{} y", "x".repeat(49))), Some("x".repeat(49)));
    }

    #[test]
    fn a_name_that_nobody_can_read_is_rejected() {
        for blank in ["", " ", "\u{3000}", "\u{200b}", "...", "\u{202e}", "\0"] {
            assert_eq!(cleaned(blank), None, "{blank:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_the_same_key() {
        let ann = name_key("Ann Lion");
        for alike in
            ["ann lion", "ANN LION", "AnnLion", "Ann_Lion!", "Ann L1on", "Ann Li0n", "Ann |ion"]
        {
            assert_eq!(name_key(alike), ann, "{alike}");
        }
        assert_ne!(name_key("Anna Lion"), ann);
    }
}
