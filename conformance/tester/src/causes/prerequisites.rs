//! The prerequisites of requirements: the check of the first needs the features that the others are about.
//!
//! A name selects requirements as `--only` does: an id, or the part before the dot for all of them. A group that
//! contains its own prerequisites leaves those out. Prerequisites of prerequisites need not be repeated.
//!
//! In a family of requirements, which one fault tends to break together, each depends on those before it.

use crate::ProgramKind;

type Prerequisites = &'static [(&'static str, &'static [&'static str])];
type Families = &'static [&'static [&'static str]];

const OF_SERVERS: Prerequisites = &[
    ("join.order", &["join.ok", "join.grid", "join.display"]),
    ("join.own-letter", &["join.ok"]),
    ("join.others-see", &["join.own-letter"]),
    ("join.again", &["join.ok"]),
    ("join.other-name", &["join.again"]),
    ("join.answer-again", &["join.ok"]),
    ("join.player-spectates", &["join.ok"]),
    ("spectate.no-letter", &["spectate.display"]),
    ("spectate.whole-map", &["spectate.display", "join.own-letter"]),
    ("spectate.replaced", &["spectate.display"]),
    ("spectate.forgotten", &["spectate.replaced"]),
    ("spectate.quit", &["spectate.display"]),
    ("spectate.words", &["spectate.replaced", "spectate.quit"]),
    ("spectate.keys", &["spectate.display", "join.ok"]),
    ("spectate.after-quit", &["spectate.quit"]),
    ("spectate.again", &["spectate.display"]),
    ("move.h", &["join.ok", "join.display", "spectate.display"]),
    ("move.l", &["join.ok", "join.display", "spectate.display"]),
    ("move.k", &["join.ok", "join.display", "spectate.display"]),
    ("move.j", &["join.ok", "join.display", "spectate.display"]),
    ("move.y", &["join.ok", "join.display", "spectate.display"]),
    ("move.u", &["join.ok", "join.display", "spectate.display"]),
    ("move.b", &["join.ok", "join.display", "spectate.display"]),
    ("move.n", &["join.ok", "join.display", "spectate.display"]),
    ("move.sprint-h", &["move.h"]),
    ("move.sprint-l", &["move.l"]),
    ("move.sprint-k", &["move.k"]),
    ("move.sprint-j", &["move.j"]),
    ("move.sprint-y", &["move.y"]),
    ("move.sprint-u", &["move.u"]),
    ("move.sprint-b", &["move.b"]),
    ("move.sprint-n", &["move.n"]),
    ("move.passage", STEPS),
    ("move.corner", STEPS),
    ("move.wall", STEPS),
    ("move.rock", STEPS),
    ("move.edge", STEPS),
    ("move.sprint-passage", &["move.sprint-h", "move.sprint-l", "move.sprint-k"]),
    ("move.whose", &["join.own-letter"]),
    ("move.unknown-key", STEPS),
    ("move.small-q", STEPS),
    ("move.landing", &["join.own-letter", "spectate.display"]),
    ("move.own-sign", &["join.ok", "join.display", "spectate.display"]),
    ("move.only-itself", &["move.own-sign", "join.own-letter"]),
    ("move.to-mover", STEPS),
    ("move.to-others", &["move.to-mover", "join.own-letter"]),
    ("move.to-all", &["move.to-others"]),
    ("move.to-spectator", STEPS),
    ("quit", &["join.ok", "quit.farewell"]),
    ("quit.others-see", &["join.own-letter", "quit.removed"]),
    ("quit.goes-on", &["join.own-letter"]),
    ("seats", &["join.own-letter"]),
    ("seats.full", &["seats.letters", "quit.farewell"]),
    ("seats.letter-once", &["quit.farewell"]),
    ("seats.no-return", &["quit.farewell"]),
    ("seed", &["join.own-letter", "spectate.display"]),
    ("gold", &["join.gold", "spectate.display"]),
    ("gold.taker", STEPS),
    ("gold.adds-up", &["gold.taker"]),
    ("gold.gone", &["gold.taker"]),
    ("gold.others", &["gold.taker", "join.own-letter"]),
    ("gold.others-purse", &["gold.others"]),
    ("gold.spectator", &["gold.taker"]),
    ("gold.late", &["gold.taker", "join.own-letter"]),
    ("gold.sum", &["gold.taker"]),
    ("gold.sprint", &["gold.taker", "move.sprint-h"]),
    ("gold.sprint-several", &["gold.sprint"]),
    ("map", &["join.ok", "spectate.display"]),
    ("form", &["join.ok", "join.display"]),
    ("sight", &["join.display", "spectate.display"]),
    ("sight.memory", STEPS),
    ("sight.gold-hidden", STEPS),
    ("sight.players", &["join.own-letter"]),
    ("sight.players-hidden", &["join.own-letter"]),
    ("sight.passage-dark", STEPS),
    ("sight.passage-straight", STEPS),
    ("sight.sprint", &["move.sprint-l"]),
    ("sight.walks", STEPS),
    ("sight.occupied-passage", &["join.own-letter"]),
    ("swap.step", &["join.own-letter", "move.h", "move.l", "move.k", "move.j"]),
    ("swap.told", &["swap.step"]),
    ("swap.sight", &["swap.step"]),
    ("swap.purses", &["swap.step", "gold.taker"]),
    ("swap.sprint", &["swap.step", "move.sprint-h"]),
    ("over.taker", &["gold.taker"]),
    ("over.not-early", &["gold.taker"]),
    ("over", &["over.taker"]),
    ("over.rows", &["over.head"]),
    ("over.purses", &["over.rows"]),
    ("over.quitters", &["over.rows", "quit.farewell"]),
    ("over.nobody-else", &["over.rows"]),
    ("over.order", &["over.rows"]),
    ("over.columns", &["over.rows"]),
    ("over.exit-code", &["over.ends"]),
    ("over.printed-head", &["over.printed"]),
    ("name", &["join.ok"]),
    ("name.kept", &["over.rows"]),
    ("name.digits", &["over.rows"]),
    ("name.long", &["over.rows"]),
    ("name.odd", &["over.rows"]),
    ("odd", &["join.ok", "spectate.display"]),
    ("sturdy.long-name", &["name.long"]),
    // Many of the random datagrams begin with SPECTATE.
    ("sturdy.junk", &["spectate.replaced"]),
    ("sturdy", &["join.ok", "spectate.display"]),
];

/// Every key that moves by one spot.
const STEPS: &[&str] =
    &["move.h", "move.l", "move.k", "move.j", "move.y", "move.u", "move.b", "move.n"];

const SPRINTS: &[&str] = &[
    "move.sprint-h",
    "move.sprint-l",
    "move.sprint-k",
    "move.sprint-j",
    "move.sprint-y",
    "move.sprint-u",
    "move.sprint-b",
    "move.sprint-n",
];

const FAMILIES_OF_SERVERS: Families = &[
    &[
        "start.no-arguments",
        "start.too-many-arguments",
        "start.missing-map",
        "start.seed-of-words",
        "start.negative-seed",
        "start.zero-seed",
        "start.seed-with-tail",
    ],
    &["start.seedless", "seed.none"],
    &["join.grid", "spectate.grid"],
    &["join.gold", "spectate.gold"],
    &["spectate.grid", "spectate.gold", "spectate.display"],
    STEPS,
    SPRINTS,
    &["name.empty", "name.blanks", "name.tabs"],
];

const FAMILIES_OF_CLIENTS: Families =
    &[&["args.none", "args.few", "args.many", "args.port-word", "args.port-range", "args.host"]];

const OF_CLIENTS: Prerequisites = &[
    ("join", &["join.play"]),
    ("join.shown", &["join.play"]),
    ("join.watched", &["join.spectate"]),
    ("join.cut-name", &["join.play"]),
    ("status", &["join.play"]),
    ("status.spectator", &["join.spectate"]),
    ("status.letter", &["status.player"]),
    ("status.update", &["status.player"]),
    ("status.player-text", &["status.player"]),
    ("status.at-once", &["status.update"]),
    ("status.clean", &["status.update"]),
    ("status.spectator-text", &["status.spectator"]),
    ("grid", &["join.shown"]),
    ("grid.spectator", &["join.watched"]),
    ("grid.no-cursor", &["join.watched"]),
    ("grid.old", &["grid.update"]),
    ("grid.swap", &["grid.update"]),
    ("grid.flood", &["grid.update"]),
    ("keys", &["join.shown"]),
    ("keys.spectator-quit", &["join.watched"]),
    ("keys.spectator-other", &["join.watched"]),
    ("notes", &["join.shown"]),
    ("notes.brief", &["notes.gold"]),
    ("end", &["join.shown"]),
    ("end.words", &["end.quit"]),
    ("end.table", &["end.quit"]),
    ("end.thanks", &["end.quit", "keys.quit"]),
    ("end.only", &["end.quit"]),
    ("end.code", &["end.quit"]),
    ("end.silent", &["end.quit"]),
    ("end.spectator", &["join.watched"]),
    ("odd", &["join.shown"]),
    ("window", &["join.shown"]),
    ("terminal", &["end.quit"]),
    ("terminal.echo", &["join.shown"]),
];

/// Returns the requirements that the one with this id depends on directly.
pub(super) fn direct(kind: ProgramKind, id: &str) -> impl Iterator<Item = &'static str> {
    let (table, families) = tables(kind);
    let named = table.iter().filter(move |(name, _)| selects(name, id));
    let named = named.flat_map(|(_, needed)| *needed).filter(move |needed| **needed != id);
    let siblings = families.iter().filter(move |family| family.contains(&id));
    let older = siblings.flat_map(move |family| family.iter().take_while(move |it| **it != id));
    older.chain(named).copied()
}

fn tables(kind: ProgramKind) -> (Prerequisites, Families) {
    match kind {
        ProgramKind::Server => (OF_SERVERS, FAMILIES_OF_SERVERS),
        ProgramKind::Client => (OF_CLIENTS, FAMILIES_OF_CLIENTS),
    }
}

fn selects(name: &str, id: &str) -> bool {
    id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns all requirements that the one with this id depends on, the nearest first.
pub(super) fn all(kind: ProgramKind, id: &str) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = direct(kind, id).collect();
    let mut next = 0;
    while let Some(&needed) = found.get(next) {
        for further in direct(kind, needed) {
            if !found.contains(&further) {
                found.push(further);
            }
        }
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(kind: ProgramKind) -> Vec<&'static str> {
        match kind {
            ProgramKind::Server => {
                crate::server::catalogue().iter().map(|check| check.requirement.id).collect()
            }
            ProgramKind::Client => {
                crate::client::catalogue().iter().map(|check| check.requirement.id).collect()
            }
        }
    }

    #[test]
    fn every_name_is_that_of_a_requirement() {
        for kind in [ProgramKind::Server, ProgramKind::Client] {
            let ids = ids(kind);
            let (table, families) = tables(kind);
            for id in families.concat() {
                assert!(ids.contains(&id), "{id}");
            }
            for (name, needed) in table {
                assert!(ids.iter().any(|id| selects(name, id)), "{name}");
                for needed in *needed {
                    assert!(ids.contains(needed), "{name} needs {needed}");
                }
            }
        }
    }

    #[test]
    fn nothing_depends_on_itself() {
        for kind in [ProgramKind::Server, ProgramKind::Client] {
            for id in ids(kind) {
                assert!(!all(kind, id).contains(&id), "{id}: {:?}", all(kind, id));
            }
        }
    }

    #[test]
    fn prerequisites_are_found_through_others() {
        let all = all(ProgramKind::Server, "swap.sprint");
        assert_eq!(all[..3], ["swap.step", "move.sprint-h", "join.own-letter"]);
        assert!(all.contains(&"join.ok") && !all.contains(&"over.taker"), "{all:?}");
        let siblings: Vec<&str> = direct(ProgramKind::Server, "move.sprint-k").collect();
        assert_eq!(siblings, ["move.sprint-h", "move.sprint-l", "move.k"]);
    }
}
