//! Two watchers of a checked room: one of the whole map, and one of the newest player's view. They must not be
//! noticeable to any client, and always have the current picture and gold.

use nuggets_game::{Game, Letter, Viewer};
use nuggets_server::{Host, MemoryStorage, Peer};

use super::expect_same;

/// The first number of a watcher, far above the numbers of clients.
const FIRST_WATCHER: u64 = 1 << 32;

/// The audience, and the last messages to each watcher.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    watchers: Vec<Watcher>,
}

#[derive(Debug)]
struct Watcher {
    viewer: Viewer,
    shown: ShownView,
}

/// The view that a peer was shown last, or must be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownView {
    /// The whole `DISPLAY` message.
    pub(crate) picture: Vec<u8>,
    /// Purse and remaining nuggets, as they end a `GOLD` message.
    pub(crate) gold: String,
}

impl ShownView {
    /// Returns what this viewer must be shown now.
    pub(super) fn of(game: &Game, viewer: Viewer) -> Self {
        let mut picture = b"DISPLAY\n".to_vec();
        game.view(viewer).write_to(&mut picture);
        let purse = match viewer {
            Viewer::Player(letter) => game.player(letter).purse(),
            Viewer::Spectator => 0,
        };
        Self { picture, gold: format!("{purse} {}", game.remaining()) }
    }

    /// Takes a message that the peer is sent.
    pub(crate) fn note(&mut self, message: &[u8]) {
        if message.starts_with(b"DISPLAY\n") {
            self.picture = message.to_vec();
        } else if let Some(numbers) = message.strip_prefix(b"GOLD ") {
            // Without the first number, the nuggets just found.
            let numbers = String::from_utf8_lossy(numbers);
            self.gold = numbers.split_once(' ').map_or_else(String::new, |(_, it)| it.to_owned());
        }
    }
}

impl Watchers {
    /// Begins to watch, or begins again after a restart. A game that is over has no watchers.
    pub(super) fn begin(&mut self, host: &mut Host<MemoryStorage>) {
        self.watchers.clear();
        self.watch(host, 0, Viewer::Spectator);
        if let Some(newest) = Letter::nth(host.room().game().players().len().wrapping_sub(1)) {
            self.watch_player(host, newest);
        }
    }

    /// The second watcher changes to the view of this player.
    pub(super) fn watch_player(&mut self, host: &mut Host<MemoryStorage>, letter: Letter) {
        if !self.watchers.is_empty() {
            self.watch(host, 1, Viewer::Player(letter));
        }
    }

    fn watch(&mut self, host: &mut Host<MemoryStorage>, index: usize, viewer: Viewer) {
        if host.handle_watch(Peer(FIRST_WATCHER + index as u64), viewer).is_ok() {
            self.watchers.truncate(index);
            self.watchers.push(Watcher { viewer, shown: ShownView::default() });
        }
    }

    /// Takes a message to a watcher. Returns false if it is for a client.
    pub(super) fn receive(&mut self, to: Peer, message: &[u8]) -> bool {
        let Some(index) = to.0.checked_sub(FIRST_WATCHER) else { return false };
        let watcher = usize::try_from(index).ok().and_then(|index| self.watchers.get_mut(index));
        if let Some(watcher) = watcher {
            watcher.shown.note(message);
        }
        true
    }

    /// Checks that the last messages show the current game. The view of a player who has left is not updated.
    pub(super) fn check(&self, game: &Game) -> Result<(), String> {
        for Watcher { viewer, shown } in &self.watchers {
            if let Viewer::Player(letter) = viewer
                && game.player(*letter).at().is_none()
            {
                continue;
            }
            expect_same("view of a watcher", &ShownView::of(game, *viewer), shown)?;
        }
        Ok(())
    }
}
