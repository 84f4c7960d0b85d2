//! A whole room: any datagrams from any peers at any time, in a game on a small map.
//!
//! In a plain game every answer is compared with the naive model's. A hard game has rate limits, unreachable
//! peers and torn journals, which the model does not know; there only the invariants are checked. In both the
//! server may crash, and resumes from its journal.

mod hosted;
mod plan;

use crate::fuzz::script::FuzzBytes;
use hosted::Hosted;
use plan::{FuzzAction, FuzzPlan};

/// The model is slow, and longer games find nothing more.
const MAX_STEPS: usize = 160;

/// Plays a game from eight bytes of settings and steps of three bytes, some with a message.
pub fn room(data: &[u8]) {
    sent(data);
}

/// Does the same and returns everything that was sent.
pub(crate) fn sent(data: &[u8]) -> Vec<Vec<u8>> {
    let mut script = FuzzBytes::new(data);
    let mut hosted = Hosted::new(FuzzPlan::read(&mut script));
    for _ in 0..MAX_STEPS {
        let Some((wait_ms, what)) = FuzzAction::read(&mut script) else { break };
        hosted.take(wait_ms, what);
    }
    hosted.end()
}
