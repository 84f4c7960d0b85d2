//! The checks of clients.

mod arguments;
mod ending;
mod joining;
mod keys;
mod malformed;
mod map;
mod notes;
mod status;
mod terminal;
mod windows;

use super::ClientTest;
use crate::CheckTable;

/// All checks of clients.
pub(super) const ALL: [CheckTable<ClientTest>; 10] = [
    arguments::CHECKS,
    joining::CHECKS,
    map::CHECKS,
    status::CHECKS,
    notes::CHECKS,
    keys::CHECKS,
    windows::CHECKS,
    ending::CHECKS,
    malformed::CHECKS,
    terminal::CHECKS,
];
