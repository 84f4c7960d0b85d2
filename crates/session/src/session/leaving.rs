//! Leaving and being dismissed: the answers to `KEY Q`, `QUIT`, and the final table.

use nuggets_time::Timestamp;
use tracing::debug;

use super::{Session, SessionStage, Update};
use crate::retry::Retry;
use crate::text::clean_line;
use crate::{Acceptance, QuitText, RetryPolicy, SessionOutcome, SessionPolicy};

impl Session {
    /// Handles a `QUIT` from the server. If it has no text, the error reply just before it is the reason.
    pub(super) fn handle_dismissal(&mut self, now: Timestamp, text: String) -> Update {
        if self.awaits_next_game() && (text.is_empty() || final_table(&text).is_some()) {
            return self.handle_last_end(now);
        }
        if let Some(table) = final_table(&text) {
            return self.end(SessionOutcome::GameOver { table: table.to_owned() });
        }
        if self.stage == SessionStage::Leaving {
            return self.end(SessionOutcome::Left { farewell: text });
        }
        let reason = match self.last_error.take() {
            _ if !text.is_empty() => QuitText::Text(text),
            Some(error) => QuitText::PrecedingError(error),
            None => QuitText::Unknown,
        };
        // With `Acceptance::Playable` we may be in the game although the stage is still `Joining`.
        let may_be_in_the_game =
            self.stage == SessionStage::Playing || self.policy.acceptance == Acceptance::Playable;
        match (self.stage, &reason) {
            (SessionStage::AwaitingFinalTable, QuitText::Unknown) => {
                self.renew_wait_for_final_table(now);
                Update::Stage
            }
            (_, QuitText::Unknown) if may_be_in_the_game => self.await_final_table(now),
            (SessionStage::Joining, _) => {
                self.end(SessionOutcome::DismissedWhileJoining { reason })
            }
            _ => self.end(SessionOutcome::Dismissed { reason }),
        }
    }

    /// Requests the final table if the `QUIT` may be the answer to one of our keys. Otherwise only waits for it, for
    /// the same time.
    fn await_final_table(&mut self, now: Timestamp) -> Update {
        self.stage = SessionStage::AwaitingFinalTable;
        self.dismissed_at = Some(now);
        let policy = self.policy.final_table;
        let may_be_answer = self.policy.max_answer_ms.is_none_or(|max_answer_ms| {
            self.last_key_at.is_some_and(|at| now <= at.after(max_answer_ms))
        });
        if may_be_answer {
            self.retry = Some(Retry::start(now, policy));
            self.push_key(b'Q');
        } else {
            self.retry = Some(Retry::start(now, RetryPolicy::steady(policy.total_ms(), 1)));
        }
        Update::Stage
    }

    /// Makes all tries available again, up to the limit of the policy: the server is still sending the final table,
    /// or may send it after a restart.
    pub(super) fn renew_wait_for_final_table(&mut self, now: Timestamp) {
        let SessionPolicy { final_table, max_final_table_ms, .. } = self.policy;
        let until = self.dismissed_at.map(|at| at.after(max_final_table_ms));
        if until.is_some_and(|until| now.after(final_table.total_ms()) <= until)
            && let Some(retry) = &mut self.retry
        {
            retry.renew();
        }
    }

    /// Handles an error reply. As the answer to a resent `KEY Q` it means that the server no longer knows us.
    pub(super) fn handle_error_reply(&mut self, word: &str, text: &[u8]) -> Update {
        let error = match clean_line(text) {
            blank if blank.trim().is_empty() => word.to_owned(),
            text => text,
        };
        debug!("error reply: {error}");
        let ends_the_wait = match self.stage {
            SessionStage::Leaving => true,
            SessionStage::AwaitingFinalTable => self.policy.error_ends_final_table,
            _ => false,
        };
        if ends_the_wait && self.retry.is_some_and(|retry| retry.tries() > 1) {
            self.give_up();
            return Update::Stage;
        }
        self.last_error = Some(error.clone());
        Update::ErrorReply(error)
    }
}

/// Extracts the final table from the text of a `QUIT`. Some servers omit the colon after `GAME OVER`, or put blanks
/// or empty lines after it.
pub(super) fn final_table(text: &str) -> Option<&str> {
    let (title, table) = text.split_once('\n')?;
    let title = title.trim_end().trim_end_matches(':');
    (title == "GAME OVER").then(|| table.trim_start_matches('\n'))
}
