//! A changed seed catalogue requires a new version of the rules.

use crate::RULES_VERSION;

/// The seed catalogue (its CRC-32) under each version of the rules. Only ever add to it.
const CATALOGUES: [(u16, u32); 1] = [(1, 0x0eb5_8dc8)];

#[test]
fn a_changed_seed_catalogue_needs_another_version_of_the_rules() {
    let catalogue = include_bytes!("../../../game/tests/seed_catalogue.txt");
    let found = crc32fast::hash(catalogue);
    let (version, known) = CATALOGUES[CATALOGUES.len() - 1];
    assert_eq!(
        found,
        known,
        "crates/game/tests/seed_catalogue.txt has changed: the same seed no longer gives the same \
         game, so old recordings would replay differently. Raise RULES_VERSION by one and add \
         ({}, {found:#010x}) to CATALOGUES",
        version + 1
    );
    assert_eq!(RULES_VERSION, version, "the last of CATALOGUES belongs to the current version");
}

#[test]
fn each_version_has_a_catalogue_of_its_own() {
    assert!(CATALOGUES.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
}
