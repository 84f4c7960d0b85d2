//! The catalogue: every check of servers, in the order of the reports.

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
use crate::Check;

// Sections of the specification.
const INTRODUCTION: &str = "Requirements, introduction";
const CONSTANTS: &str = "Requirements, Constants";
const SERVER: &str = "Requirements, Server";
const CLIENT_INTERFACE: &str = "Requirements, Client interface";
const MAPS: &str = "Requirements, Maps";
const VISIBILITY: &str = "Requirements, Visibility";
const PROTOCOL: &str = "Network protocol";
const PLAYER_TO_SERVER: &str = "Network protocol, Player to server";
const SPECTATOR_TO_SERVER: &str = "Network protocol, Spectator to server";
const SERVER_TO_CLIENTS: &str = "Network protocol, Server to clients";
const MALFORMED: &str = "Network protocol, Malformed messages";
const MISORDERED: &str = "Network protocol, Misordered messages";
const SERVER_MODULE_2019: &str = "Implementation of 2019, Server module";

/// Names for a full game. Digits and blanks in names have checks of their own.
const NAMES: [&str; 26] = [
    "Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Greta", "Hugo", "Ida", "Jack", "Kate", "Leo",
    "Mia", "Nils", "Olga", "Paul", "Queenie", "Rosa", "Sam", "Tina", "Udo", "Vic", "Wanda",
    "Xaver", "Yara", "Zeno",
];

/// All checks of servers.
pub fn catalogue() -> Vec<Check<ServerTest>> {
    [
        starting::CHECKS,
        joining::CHECKS,
        spectating::CHECKS,
        moving::CHECKS,
        quitting::CHECKS,
        joining::REPEATED_JOIN_CHECKS,
        seats::CHECKS,
        starting::SEED_CHECKS,
        gold::CHECKS,
        maps::CHECKS,
        form::CHECKS,
        sight::CHECKS,
        swapping::CHECKS,
        game_over::CHECKS,
        names::CHECKS,
        malformed::CHECKS,
        robustness::CHECKS,
    ]
    .concat()
}
