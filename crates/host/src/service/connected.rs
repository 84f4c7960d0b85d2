//! The WebSockets that are open: who is behind each, so that the admin page can show them and a ban can close them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::{Account, Ban, ConnectionId, GameId, Source};

/// All open WebSockets.
#[derive(Debug, Default)]
pub(crate) struct Connected {
    next: AtomicU64,
    connections: Mutex<BTreeMap<ConnectionId, Behind>>,
    emptied: Notify,
}

/// Who is behind a connection.
#[derive(Clone, Debug)]
pub(crate) struct Behind {
    /// The account; none for a watcher without one.
    pub(crate) account: Option<Arc<Account>>,
    /// Where it comes from.
    pub(crate) source: Source,
    /// The game in which it has a seat.
    pub(crate) plays: Option<GameId>,
    close: Arc<Notify>,
}

/// An open WebSocket; dropping it removes it from the list.
#[derive(Debug)]
pub(crate) struct Presence {
    connected: Arc<Connected>,
    /// Its id.
    pub(crate) id: ConnectionId,
    /// Notified when it must close, because the person was banned.
    pub(crate) close: Arc<Notify>,
}

impl Connected {
    /// Adds a connection.
    pub(crate) fn add(self: &Arc<Self>, account: Option<Arc<Account>>, source: Source) -> Presence {
        let id = ConnectionId(self.next.fetch_add(1, Ordering::Relaxed));
        let close = Arc::new(Notify::new());
        self.lock().insert(id, Behind { account, source, plays: None, close: Arc::clone(&close) });
        Presence { connected: Arc::clone(self), id, close }
    }

    /// Closes every connection that the ban applies to.
    pub(crate) fn close_banned(&self, ban: Ban) {
        for behind in self.lock().values().filter(|behind| behind.is_meant_by(ban)) {
            behind.close.notify_one();
        }
    }

    /// Waits until all are closed.
    pub(crate) async fn wait_until_empty(&self) {
        while self.count() > 0 {
            self.emptied.notified().await;
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Behind> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ConnectionId, Behind>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Behind {
    fn is_meant_by(&self, ban: Ban) -> bool {
        match ban {
            Ban::Person(id) => self.account.as_ref().is_some_and(|account| account.id == id),
            Ban::Source(source) => self.source == source,
        }
    }
}

impl Presence {
    /// The person has a seat in this game now.
    pub(crate) fn set_player(&self, account: Arc<Account>, game: GameId) {
        if let Some(behind) = self.connected.lock().get_mut(&self.id) {
            behind.account = Some(account);
            behind.plays = Some(game);
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut connections = self.connected.lock();
        connections.remove(&self.id);
        if connections.is_empty() {
            self.connected.emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerId;

    #[tokio::test]
    async fn a_ban_closes_the_connections_that_it_is_about() {
        let connected = Arc::new(Connected::default());
        let ann = Account { id: PlayerId(7), name: "Ann".into(), claimed: false };
        let here = Source::of([10, 0, 0, 1].into());
        let there = Source::of([10, 0, 0, 2].into());
        let one = connected.add(Some(Arc::new(ann)), here);
        let other = connected.add(None, there);
        connected.close_banned(Ban::Person(PlayerId(8)));
        connected.close_banned(Ban::Person(PlayerId(7)));
        one.close.notified().await;
        connected.close_banned(Ban::Source(there));
        other.close.notified().await;
        assert_eq!(connected.count(), 2);
        drop((one, other));
        connected.wait_until_empty().await;
        assert_eq!(connected.count(), 0);
    }
}
