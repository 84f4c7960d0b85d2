//! The rows of the database, and changes of them.

use std::collections::{BTreeMap, BTreeSet};

use nuggets_host::GameId;
use nuggets_host::cluster::ownership::{GameRow, JournalRows, NodeRow};
use nuggets_host::cluster::routes::{Epoch, RunId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct JournalRow {
    pub(in super::super) epoch: Epoch,
    pub(in super::super) run: RunId,
    pub(in super::super) bytes: Vec<u8>,
    /// The version of the tables with which it became visible.
    pub(super) version: u64,
}

#[derive(Clone, Debug)]
pub(in super::super) enum Change {
    Node(NodeRow),
    RemoveNode(String),
    Game(GameRow),
    Claim {
        game: GameId,
        before: RunId,
        row: GameRow,
    },
    RemoveGame(GameId),
    Journal {
        game: GameId,
        row: u64,
        epoch: Epoch,
        run: RunId,
        bytes: Vec<u8>,
    },
    /// The results are stored and the journal is removed.
    Finish(GameRow),
}

#[derive(Clone, Debug, Default)]
pub(in super::super) struct Tables {
    /// Grows with every transaction.
    pub(super) version: u64,
    pub(super) nodes: BTreeMap<String, NodeRow>,
    /// The games, with the version of their last change.
    pub(super) games: BTreeMap<GameId, (u64, GameRow)>,
    pub(in super::super) journal: BTreeMap<GameId, BTreeMap<u64, JournalRow>>,
    /// Recordings of finished games, and how often results were stored.
    pub(in super::super) finished: BTreeMap<GameId, (BTreeMap<u64, JournalRow>, u32)>,
}

impl Tables {
    pub(super) fn apply(&mut self, changes: &[Change]) {
        self.version += 1;
        let version = self.version;
        for change in changes {
            match change.clone() {
                Change::Node(row) => drop(self.nodes.insert(row.member.name.clone(), row)),
                Change::RemoveNode(name) => drop(self.nodes.remove(&name)),
                Change::Game(row) | Change::Claim { row, .. } => {
                    self.games.insert(row.game, (version, row));
                }
                Change::RemoveGame(game) => {
                    self.games.remove(&game);
                    self.journal.remove(&game);
                }
                Change::Journal { game, row, epoch, run, bytes } => {
                    let rows = self.journal.entry(game).or_default();
                    rows.entry(row).or_insert(JournalRow { epoch, run, bytes, version });
                }
                Change::Finish(row) => {
                    self.games.insert(row.game, (version, row));
                    let rows = self.journal.remove(&row.game).unwrap_or_default();
                    let finished = self.finished.entry(row.game).or_insert((rows, 0));
                    finished.1 += 1;
                }
            }
        }
    }

    pub(in super::super) fn row(&self, game: GameId) -> Option<GameRow> {
        self.games.get(&game).map(|(_, row)| *row)
    }

    pub(super) fn game_rows(&self) -> Vec<GameRow> {
        self.games.values().map(|(_, row)| *row).collect()
    }

    pub(super) fn nodes(&self) -> Vec<NodeRow> {
        self.nodes.values().cloned().collect()
    }

    pub(super) fn runs(&self) -> BTreeSet<RunId> {
        self.nodes.values().map(|row| row.member.run).collect()
    }

    /// True if a node of this run is stored.
    pub(in super::super) fn has_run(&self, run: RunId) -> bool {
        self.nodes.values().any(|row| row.member.run == run)
    }

    /// All rows of a journal, also of a game that is finished.
    pub(in super::super) fn rows(&self, game: GameId) -> Option<&BTreeMap<u64, JournalRow>> {
        let finished = self.finished.get(&game).map(|(rows, _)| rows);
        self.journal.get(&game).or(finished)
    }

    pub(super) fn journal_rows(&self, game: GameId) -> JournalRows {
        let rows = self.journal.get(&game);
        let bytes = rows.into_iter().flat_map(BTreeMap::values);
        JournalRows {
            rows: rows.map_or(0, BTreeMap::len) as u64,
            last_epoch: rows
                .and_then(|rows| Some(rows.last_key_value()?.1.epoch))
                .unwrap_or_default(),
            bytes: bytes.flat_map(|row| row.bytes.iter().copied()).collect(),
            meta: None,
        }
    }
}
