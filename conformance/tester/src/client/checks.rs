//! The catalogue: every check of clients, in the order of the reports.

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
use crate::Check;

// Sections of the specification.
const CLIENT: &str = "Requirements, Client";
const CLIENT_INTERFACE: &str = "Requirements, Client interface";
const GRID_DISPLAY: &str = "Requirements, Client interface: Grid display";
const SPECTATOR_KEYS: &str = "Requirements, Client interface: Spectator keystrokes";
const PROTOCOL: &str = "Network protocol";
const PLAYER_TO_SERVER: &str = "Network protocol, Player to server";
const SPECTATOR_TO_SERVER: &str = "Network protocol, Spectator to server";
const SERVER_TO_CLIENTS: &str = "Network protocol, Server to clients";
const MALFORMED: &str = "Network protocol, Malformed messages";
const MISORDERED: &str = "Network protocol, Misordered messages";

/// All checks of clients.
pub fn catalogue() -> Vec<Check<ClientTest>> {
    [
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
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_section_has_one_group_of_ids() {
        let checks = catalogue();
        let requirements = checks.iter().map(|check| check.requirement);
        let groups: BTreeSet<_> =
            requirements.map(|it| (it.id.split('.').next(), it.section)).collect();
        assert_eq!(groups.len(), 10);
    }
}
