//! Everything that changes accounts, ratings, bans and the index, as data: random numbers, hashes and times are part of
//! it. So the same commands in the same order give the same tables, on this host or on the nodes of a cluster.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::EndedGame;
use super::shelf::Shelf;
use super::{Account, AccountError, ClaimedNames, FinishedGame, accounts, bans};
use crate::{Ban, EndReason, PlayerId};

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoreCommand {
    /// A new guest with this name, or a random one, and its session.
    Guest {
        name: Option<String>,
        session: SessionHash,
        draws: Draws,
        now_ms: u64,
    },
    /// A new session of an account.
    Session {
        player: PlayerId,
        session: SessionHash,
        now_ms: u64,
    },
    /// The session was used.
    Touch {
        session: SessionHash,
        now_ms: u64,
    },
    LogOut {
        session: SessionHash,
    },
    Rename {
        player: PlayerId,
        name: String,
        draws: Draws,
    },
    Claim {
        player: PlayerId,
        password_hash: String,
        draws: Draws,
    },
    Ban(Ban),
    Unban(Ban),
    Finish {
        game: Box<EndedGame>,
        reason: EndReason,
        now_ms: u64,
    },
}

/// What a change gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoreAnswer {
    Done,
    Account(Account),
    Finished(Box<FinishedGame>),
}

/// Takes the answer to a command.
pub(crate) type CommandDone = Box<dyn FnOnce(Result<StoreAnswer, AccountError>) + Send>;

/// The hash of a session's token.
pub(crate) type SessionHash = [u8; 32];

/// Random bytes that are drawn when they are needed, always the same ones from the same seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draws {
    seed: [u8; 32],
    #[serde(skip)]
    count: u64,
}

impl Draws {
    /// Draws from this seed.
    pub(super) fn new(seed: [u8; 32]) -> Self {
        Self { seed, count: 0 }
    }

    pub(super) fn next<const N: usize>(&mut self) -> [u8; N] {
        self.count += 1;
        let bytes = Sha256::new().chain_update(self.seed).chain_update(self.count.to_le_bytes());
        let bytes = bytes.finalize();
        std::array::from_fn(|index| bytes[index % 32])
    }
}

impl Shelf {
    /// Carries out a command.
    pub(super) fn apply(
        &mut self,
        command: StoreCommand,
        claimed_names: &ClaimedNames,
    ) -> Result<StoreAnswer, AccountError> {
        let connection = self.connection();
        match command {
            StoreCommand::Guest { name, session, mut draws, now_ms } => {
                let name = name.as_deref();
                accounts::create_guest(connection, (name, &mut draws), &session, now_ms)
                    .map(StoreAnswer::Account)
            }
            StoreCommand::Session { player, session, now_ms } => {
                accounts::create_session(connection, player, &session, now_ms)?;
                Ok(StoreAnswer::Done)
            }
            StoreCommand::Touch { session, now_ms } => {
                accounts::touch(connection, &session, now_ms)?;
                Ok(StoreAnswer::Done)
            }
            StoreCommand::LogOut { session } => {
                accounts::log_out(connection, &session)?;
                Ok(StoreAnswer::Done)
            }
            StoreCommand::Rename { player, name, mut draws } => {
                let account = accounts::rename(connection, player, &name, &mut draws)?;
                claimed_names.replace(accounts::claimed_keys(connection)?);
                Ok(StoreAnswer::Account(account))
            }
            StoreCommand::Claim { player, password_hash, mut draws } => {
                let account = accounts::claim(connection, player, &password_hash, &mut draws)?;
                claimed_names.replace(accounts::claimed_keys(connection)?);
                Ok(StoreAnswer::Account(account))
            }
            StoreCommand::Ban(ban) => {
                bans::save(connection, ban)?;
                Ok(StoreAnswer::Done)
            }
            StoreCommand::Unban(ban) => {
                bans::remove(connection, ban)?;
                Ok(StoreAnswer::Done)
            }
            StoreCommand::Finish { game, reason, now_ms } => {
                let finished = self.finish(&game, reason, now_ms)?;
                Ok(StoreAnswer::Finished(Box::new(finished)))
            }
        }
    }
}
