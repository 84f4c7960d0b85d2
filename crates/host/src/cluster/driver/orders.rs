//! Orders of people at this node to games of any node: sent again until they are carried out.

use std::collections::BTreeMap;

use nuggets_time::Timestamp;
use tracing::warn;

use super::{Driver, log_of};
use crate::GameId;
use crate::cluster::effect::Effect;
use crate::cluster::messages::{GameOrder, NodeMessage, Words};

/// An order without an answer is sent again after this time.
const RESEND_MS: u64 = 400;
/// After this time it is given up.
const GIVE_UP_MS: u64 = 10_000;

/// Orders that are not carried out yet.
#[derive(Debug, Default)]
pub(super) struct Orders {
    last: u64,
    waiting: BTreeMap<u64, WaitingOrder>,
}

#[derive(Debug)]
struct WaitingOrder {
    game: GameId,
    order: GameOrder,
    since: Timestamp,
    sent_at: Option<Timestamp>,
}

impl Orders {
    pub(super) fn add(&mut self, now: Timestamp, game: GameId, order: GameOrder) {
        self.last += 1;
        let order = WaitingOrder { game, order, since: now, sent_at: None };
        self.waiting.insert(self.last, order);
    }

    pub(super) fn handle_done(&mut self, id: u64) {
        self.waiting.remove(&id);
    }
}

impl Driver {
    pub(super) fn send_orders(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        self.orders.waiting.retain(|_, WaitingOrder { game, order, since, .. }| {
            let is_late = now.since(*since) >= GIVE_UP_MS;
            if is_late {
                warn!("game {game} has not carried out {order:?}");
            }
            !is_late
        });
        for (id, waiting) in &mut self.orders.waiting {
            let is_due = waiting.sent_at.is_none_or(|at| now.since(at) >= RESEND_MS);
            let Some(record) = self.node.ownership(&log_of(waiting.game)).filter(|_| is_due) else {
                continue;
            };
            waiting.sent_at = Some(now);
            let (game, order) = (waiting.game, waiting.order.clone());
            let words = NodeMessage::Words(Words::Order { id: *id, game, order });
            effects.push(Effect::send(record.owner.clone(), words));
        }
    }
}
