//! A whole room: any datagrams from anybody at any time, in a game on a small map.
//!
//! In a plain game every answer is held against the naive model's. In a hard one there are limits,
//! losses and torn journals, which the model doesn't know; there only what must always hold is
//! checked. In both the server may crash, and goes on from its journal.

mod hosted;
mod plan;

use crate::script::Script;
use hosted::Hosted;
use plan::{Plan, Step};

/// So many steps tell enough, and the model is slow.
const MOST_STEPS: usize = 160;

/// Eight bytes of settings, then what happens: three bytes each, and what is said.
pub fn room(data: &[u8]) {
    sent(data);
}

/// The same, and everything that was sent.
pub(crate) fn sent(data: &[u8]) -> Vec<Vec<u8>> {
    let mut script = Script::new(data);
    let mut hosted = Hosted::new(Plan::read(&mut script));
    for _ in 0..MOST_STEPS {
        let Some(step) = Step::read(&mut script) else { break };
        hosted.take(step);
    }
    hosted.end()
}
