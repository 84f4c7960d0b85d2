//! A log that nobody opens because it contradicts the file of its owner: a person has decided, and it may be opened again.

use thiserror::Error;

use super::Nats;
use crate::{EngineCall, EngineReply, LogName, LogState, Ownership, Seq, StoredMessage, Subject};

/// Why a log is not opened again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReopenError {
    /// There is no ownership record.
    #[error("there is no log '{0}'. `nuggets cluster status` lists those that are not finished")]
    Unknown(LogName),
    /// It was not given up.
    #[error("the log '{log}' is not failed but {state}, so there is nothing to decide")]
    NotFailed {
        /// Which one.
        log: LogName,
        /// Its state.
        state: &'static str,
    },
    /// Somebody was faster.
    #[error(
        "the record of the log '{0}' has just been changed by somebody else. Look at `nuggets cluster status`"
    )]
    Changed(LogName),
    /// Silence.
    #[error("the brokers don't answer. Is a majority of them running?")]
    NoAnswer,
}

impl Nats {
    /// Lets the owner of a failed log open it again, in the next epoch.
    pub async fn reopen(&self, log: &LogName) -> Result<(), ReopenError> {
        let subject = Subject::Ownership(log.clone());
        let call = EngineCall::Read { subject: subject.clone(), after: Seq(0) };
        let Some(EngineReply::Messages { messages, .. }) = self.call(call).await else {
            return Err(ReopenError::NoAnswer);
        };
        let unknown = || ReopenError::Unknown(log.clone());
        let StoredMessage { seq, bytes } = messages.into_iter().next_back().ok_or_else(unknown)?;
        let record = Ownership::decode(&bytes).map_err(|_| unknown())?;
        let state = match record.state {
            LogState::Failed => None,
            LogState::Running => Some("running"),
            LogState::Finished => Some("finished"),
        };
        if let Some(state) = state {
            return Err(ReopenError::NotFailed { log: log.clone(), state });
        }
        let epoch = record.epoch.next();
        let bytes = Ownership { epoch, state: LogState::Running, ..record }.encode().into();
        match self.call(EngineCall::Publish { subject, expected: seq, bytes }).await {
            Some(EngineReply::Stored(_)) => Ok(()),
            Some(EngineReply::WrongSequence) => Err(ReopenError::Changed(log.clone())),
            _ => Err(ReopenError::NoAnswer),
        }
    }
}
