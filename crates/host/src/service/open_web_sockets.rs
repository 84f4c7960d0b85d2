//! The open WebSockets with the account and source of each, so that the admin page can list them and a ban can close them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::locks::lock;
use crate::mailbox::Mailbox;
use crate::wire::DirectLine;
use crate::{Account, Ban, ConnectionId, GameId, Source};

#[derive(Debug, Default)]
pub(crate) struct OpenWebSockets {
    next: AtomicU64,
    connections: Mutex<BTreeMap<ConnectionId, ConnectedClient>>,
    emptied: Notify,
}

/// The client of an open WebSocket.
#[derive(Clone, Debug)]
pub(crate) struct ConnectedClient {
    /// The account; `None` for a watcher without one.
    pub(crate) account: Option<Arc<Account>>,
    /// The source address, for limits and bans.
    pub(crate) source: Source,
    /// The game in which the client has a seat.
    pub(crate) plays: Option<GameId>,
    /// The game that the WebSocket belongs to.
    game: GameId,
    mailbox: Arc<Mailbox>,
}

/// The reason why the host closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dismissal {
    /// The person or the source was banned.
    Banned,
    /// The game runs on another node now; clients that reconnect are routed there.
    Moved,
    /// This node can't serve games and does not know when it will be able to. Other nodes may.
    Unavailable,
    /// The host stops or restarts.
    Stopping,
}

/// An open WebSocket; dropping it removes it from the list.
#[derive(Debug)]
pub(crate) struct Presence {
    connected: Arc<OpenWebSockets>,
    pub(crate) id: ConnectionId,
    pub(crate) mailbox: Arc<Mailbox>,
}

impl OpenWebSockets {
    pub(crate) fn add(
        self: &Arc<Self>,
        account: Option<Arc<Account>>,
        source: Source,
        game: GameId,
        mailbox: Mailbox,
    ) -> Presence {
        let id = ConnectionId(self.next.fetch_add(1, Ordering::Relaxed));
        let mailbox = Arc::new(mailbox);
        let for_others = Arc::clone(&mailbox);
        let behind = ConnectedClient { account, source, plays: None, game, mailbox: for_others };
        lock(&self.connections).insert(id, behind);
        Presence { connected: Arc::clone(self), id, mailbox }
    }

    /// Closes every connection that the ban applies to.
    pub(crate) fn close_banned(&self, ban: Ban) {
        self.close(Dismissal::Banned, |client| match ban {
            Ban::Person(id) => client.account.as_ref().is_some_and(|account| account.id == id),
            Ban::Source(source) => client.source == source,
        });
    }

    /// Closes every connection of a game that runs on another node now.
    pub(crate) fn close_moved(&self, game: GameId) {
        self.close(Dismissal::Moved, |client| client.game == game);
    }

    /// Closes all connections for this reason.
    pub(crate) fn close_all(&self, why: Dismissal) {
        self.close(why, |_| true);
    }

    fn close(&self, why: Dismissal, is_meant: impl Fn(&ConnectedClient) -> bool) {
        for client in lock(&self.connections).values().filter(|client| is_meant(client)) {
            client.mailbox.dismiss(why);
        }
    }

    /// Sends this message to all connections, outside of the streams. Skips connections that don't read.
    pub(crate) fn notify_all(&self, words: &str) {
        for behind in lock(&self.connections).values() {
            behind.mailbox.send(DirectLine::Notice(words.to_owned()));
        }
    }

    /// Waits until all connections are closed.
    pub(crate) async fn wait_until_empty(&self) {
        while self.count() > 0 {
            self.emptied.notified().await;
        }
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.connections).len()
    }

    pub(crate) fn all(&self) -> Vec<ConnectedClient> {
        lock(&self.connections).values().cloned().collect()
    }
}

impl Presence {
    /// Notes that the person has a seat in this game now.
    pub(crate) fn set_player(&self, account: Arc<Account>, game: GameId) {
        if let Some(behind) = lock(&self.connected.connections).get_mut(&self.id) {
            behind.account = Some(account);
            behind.plays = Some(game);
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut connections = lock(&self.connected.connections);
        connections.remove(&self.id);
        if connections.is_empty() {
            self.connected.emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::PlayerId;
    use crate::mailbox::Mail;

    #[tokio::test]
    async fn a_ban_closes_the_connections_that_it_is_about() {
        let connected = Arc::new(OpenWebSockets::default());
        let ann = Account { id: PlayerId(7), name: "Ann".into(), claimed: false };
        let here = Source::of([10, 0, 0, 1].into());
        let there = Source::of([10, 0, 0, 2].into());
        let games = [1, 2].map(|byte| GameId::from_random([byte; 12]));
        let one = connected.add(Some(Arc::new(ann)), here, games[0], Mailbox::new(1));
        let other = connected.add(None, there, games[1], Mailbox::new(1));
        connected.close_banned(Ban::Person(PlayerId(8)));
        assert_eq!(one.mailbox.next().now_or_never(), None);
        connected.close_banned(Ban::Person(PlayerId(7)));
        assert_eq!(one.mailbox.next().await, Mail::Dismissal(Dismissal::Banned));
        connected.close_moved(games[1]);
        assert_eq!(other.mailbox.next().await, Mail::Dismissal(Dismissal::Moved));
        connected.close_banned(Ban::Source(there));
        assert_eq!(other.mailbox.next().await, Mail::Dismissal(Dismissal::Banned));
        assert_eq!(connected.count(), 2);
        drop((one, other));
        connected.wait_until_empty().await;
        assert_eq!(connected.count(), 0);
    }
}
