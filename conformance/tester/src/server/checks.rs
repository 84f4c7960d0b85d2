//! The checks of servers.

mod collecting;
mod form;
mod game_over;
mod gold;
mod joining;
mod malformed;
mod maps;
mod moving;
mod names;
mod quitting;
mod robustness;
mod seats;
mod sight;
mod spectating;
mod starting;
mod swapping;

use super::ServerTest;
use crate::CheckTable;

/// Names for a full game. Digits and blanks in names have checks of their own.
const NAMES: [&str; 26] = [
    "Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Greta", "Hugo", "Ida", "Jack", "Kate", "Leo",
    "Mia", "Nils", "Olga", "Paul", "Queenie", "Rosa", "Sam", "Tina", "Udo", "Vic", "Wanda",
    "Xaver", "Yara", "Zeno",
];

/// All checks of servers.
pub(super) const ALL: [CheckTable<ServerTest>; 15] = [
    starting::CHECKS,
    joining::CHECKS,
    spectating::CHECKS,
    moving::CHECKS,
    quitting::CHECKS,
    seats::CHECKS,
    gold::CHECKS,
    maps::CHECKS,
    form::CHECKS,
    sight::CHECKS,
    swapping::CHECKS,
    game_over::CHECKS,
    names::CHECKS,
    malformed::CHECKS,
    robustness::CHECKS,
];
