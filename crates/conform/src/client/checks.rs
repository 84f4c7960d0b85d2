//! The catalogue: every check of clients, in the order in which they are reported.

mod arguments;
mod ends;
mod grid;
mod joining;
mod keys;
mod notes;
mod odd;
mod status;
mod terminal;
mod windows;

use super::ClientStage;
use crate::Check;

/// All checks of clients.
pub fn catalogue() -> Vec<Check<ClientStage>> {
    [
        arguments::CHECKS,
        joining::CHECKS,
        grid::CHECKS,
        status::CHECKS,
        notes::CHECKS,
        keys::CHECKS,
        windows::CHECKS,
        ends::CHECKS,
        odd::CHECKS,
        terminal::CHECKS,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own_under_its_heading() {
        let checks = catalogue();
        let ids: HashSet<_> = checks.iter().map(|check| check.clause.id).collect();
        assert_eq!(ids.len(), checks.len());
        let headings: HashSet<_> = checks
            .iter()
            .map(|check| (check.clause.id.split('.').next(), check.clause.section))
            .collect();
        assert_eq!(headings.len(), 10);
        assert!(checks.iter().all(|check| check.clause.demand.ends_with('.')));
    }
}
