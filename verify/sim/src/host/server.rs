//! The server of a simulation: lobby, games and journals in memory. It can be killed at any time; then only the
//! journals and the metadata stored beside them remain.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use nuggets_game::Setup;
use nuggets_host::{
    AttachError, Attached, ConnectionId, GameCommand, GameId, GameMeta, GameOutput, HostedGame,
    Lobby, LobbyEffect, LobbyLimits, OpenGame, is_finished,
};
use nuggets_protocol::web::DirectLine;
use nuggets_record::{Reading, Recording};
use nuggets_server::{RecordKind, Storage, Stored};
use nuggets_time::Timestamp;

use super::Truth;

/// A journal in memory, which outlives its game.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryJournal(Rc<RefCell<Vec<u8>>>);

impl Storage for MemoryJournal {
    fn append(&mut self, kind: RecordKind, bytes: &[u8]) -> io::Result<Stored> {
        if kind == RecordKind::Journal {
            self.0.borrow_mut().extend(bytes);
        }
        Ok(Stored::Yes)
    }
}

#[derive(Debug)]
pub(super) struct SimServer {
    pub(super) lobby: Lobby,
    pub(super) games: BTreeMap<GameId, SimGame>,
    starts: u64,
    /// Lines for connections that are not part of a stream.
    pub(super) direct: Vec<(ConnectionId, DirectLine)>,
    /// The answer to the last connection that wanted to play or watch.
    answer: Option<Result<Attached, AttachError>>,
    /// Datagrams for clients of the specification, in the order of sending.
    pub(super) datagrams: Vec<(GameId, SocketAddr, Vec<u8>)>,
}

/// One game: its stored data, its true history, and the game itself while it is in memory.
#[derive(Debug)]
pub(super) struct SimGame {
    pub(super) meta: GameMeta,
    setup: Setup,
    journal: MemoryJournal,
    is_finished: bool,
    pub(super) hosted: Option<HostedGame<MemoryJournal>>,
    pub(super) truth: Truth,
}

/// The limits that the shell sets in production.
const LIMITS: LobbyLimits = LobbyLimits {
    max_games: 100,
    max_games_per_source: 100,
    max_games_per_person: 100,
    udp_ports: None,
};

impl SimServer {
    pub(super) fn new() -> Self {
        let lobby = Lobby::new(LIMITS, vec![]);
        let (direct, datagrams) = (vec![], vec![]);
        Self { lobby, games: BTreeMap::new(), starts: 1, direct, answer: None, datagrams }
    }

    /// Executes all timeouts that are due.
    pub(super) fn handle_timeouts(&mut self, now: Timestamp) -> Result<(), String> {
        for game in self.games.values_mut() {
            let Some(hosted) = &mut game.hosted else { continue };
            if hosted.is_gone(now) {
                game.hosted = None;
            } else if hosted.poll_timeout().is_some_and(|at| at <= now) {
                hosted.handle(now, GameCommand::Timeout);
            }
        }
        if self.lobby.poll_timeout().is_some_and(|at| at <= now) {
            self.lobby.handle_timeout(now);
        }
        self.settle(now)
    }

    /// Sends a command to a game that is in memory. Returns its answer, if it gives one.
    pub(super) fn command(
        &mut self,
        now: Timestamp,
        id: GameId,
        command: GameCommand,
    ) -> Result<Option<Result<Attached, AttachError>>, String> {
        let hosted = self.games.get_mut(&id).and_then(|game| game.hosted.as_mut());
        if let Some(hosted) = hosted {
            hosted.handle(now, command);
        }
        self.settle(now)?;
        Ok(self.answer.take())
    }

    /// Takes all output of lobby and games until none is left, and compares the journals with the model.
    pub(super) fn settle(&mut self, now: Timestamp) -> Result<(), String> {
        loop {
            let mut is_quiet = true;
            while let Some(effect) = self.lobby.poll_effect() {
                is_quiet = false;
                self.handle_effect(now, effect)?;
            }
            for (id, game) in &mut self.games {
                let Some(hosted) = &mut game.hosted else { continue };
                while let Some(output) = hosted.poll_output() {
                    match output {
                        GameOutput::Report(report) => {
                            is_quiet = false;
                            self.lobby.handle_report(now, *id, report);
                        }
                        GameOutput::Answer(_, attached) => self.answer = Some(*attached),
                        GameOutput::Direct(to, line) => self.direct.push((to, line)),
                        GameOutput::Datagram(to, bytes) => self.datagrams.push((*id, to, bytes)),
                    }
                }
                game.truth.extend(now, &game.journal.0.borrow())?;
            }
            if is_quiet {
                return Ok(());
            }
        }
    }

    fn handle_effect(&mut self, now: Timestamp, effect: LobbyEffect) -> Result<(), String> {
        match effect {
            LobbyEffect::Open { meta, setup } => return self.open(now, *meta, *setup),
            LobbyEffect::StoreMeta(meta) => {
                if let Some(game) = self.games.get_mut(&meta.id) {
                    game.meta = *meta;
                }
            }
            LobbyEffect::Finish(id, _) => {
                if let Some(game) = self.games.get_mut(&id) {
                    game.is_finished = true;
                }
            }
            LobbyEffect::Game(id, command) => {
                if let Some(hosted) = self.games.get_mut(&id).and_then(|game| game.hosted.as_mut())
                {
                    hosted.handle(now, command);
                }
            }
            other => return Err(format!("an effect without a command: {other:?}")),
        }
        Ok(())
    }

    fn open(&mut self, now: Timestamp, meta: GameMeta, setup: Setup) -> Result<(), String> {
        let (id, journal) = (meta.id, MemoryJournal::default());
        let hosted = open_game(now, self.starts, (&meta, &setup), None, journal.clone())?;
        let (hosted, truth) = (Some(hosted), Truth::default());
        let game = SimGame { meta, setup, journal, is_finished: false, hosted, truth };
        self.games.insert(id, game);
        Ok(())
    }

    /// Kills the server and starts it again from the stored data. `torn` is the beginning of an entry that was never
    /// completely written, so no client was sent it. With `loses`, the journals lose bytes, which is a violation.
    pub(super) fn crash(&mut self, now: Timestamp, torn: &[u8], loses: bool) -> Result<(), String> {
        self.starts += 1;
        self.lobby = Lobby::new(LIMITS, vec![]);
        self.direct.clear();
        for game in self.games.values_mut() {
            game.hosted = None;
            let mut journal = game.journal.0.borrow_mut();
            if loses {
                let kept = journal.len() * 9 / 10;
                journal.truncate(kept);
            }
            journal.extend(torn);
            let reading = Recording::read(&journal).map_err(|why| why.to_string())?;
            journal.truncate(reading.good_bytes);
            drop(journal);
            if game.is_finished || is_finished(&reading) {
                game.is_finished = true;
                continue;
            }
            self.lobby.resume(now, game.meta.clone(), game.setup.clone());
            let (game_plan, storage) = ((&game.meta, &game.setup), game.journal.clone());
            game.hosted = Some(open_game(now, self.starts, game_plan, Some(reading), storage)?);
        }
        self.settle(now)
    }

    /// Checks that the lobby shows the true state of every game.
    pub(super) fn check_lobby(&self, now: Timestamp) -> Result<(), String> {
        for (id, game) in self.games.iter().filter(|(_, game)| game.hosted.is_some()) {
            let Some(row) = self.lobby.row(now, *id, None) else {
                if game.truth.is_over() || game.is_finished {
                    continue;
                }
                return Err(format!("the lobby has lost the game {id}"));
            };
            let truth = game.truth.game();
            let shown = (row.gold_left, row.players.len());
            let real = (truth.remaining(), truth.players().len());
            if shown != real {
                return Err(format!("the lobby shows {shown:?}, but {real:?} is so, in game {id}"));
            }
        }
        Ok(())
    }
}

impl SimGame {
    pub(super) fn has_left(&self, letter: char) -> bool {
        let index = (letter as usize).checked_sub('A' as usize);
        let player = index.and_then(|index| self.truth.game().players().get(index));
        player.is_none_or(|player| player.at().is_none())
    }
}

/// Opens a game from its journal, or a new one without a journal.
pub(crate) fn open_game<S: Storage>(
    now: Timestamp,
    nonce: u64,
    (meta, setup): (&GameMeta, &Setup),
    journal: Option<Reading>,
    storage: S,
) -> Result<HostedGame<S>, String> {
    let new = OpenGame::new(meta.clone(), setup.clone(), storage);
    let from = OpenGame { journal, nonce, ..new };
    HostedGame::open(now, from).map_err(|why| why.to_string())
}
