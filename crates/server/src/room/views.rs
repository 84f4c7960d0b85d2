//! The views in use: one picture for each, however many clients see it, and its watchers.
//!
//! A view is used by the seat that it belongs to (a player's, or the spectator's) and by any number of watchers.
//! Its canvas is drawn when the first one needs it, updated once per change, and dropped after the last.

use std::collections::BTreeMap;

use nuggets_game::{Canvas, Game, Letter, Viewer};
use nuggets_protocol::DISPLAY_HEAD;

use super::{Content, Peer, Transmit};

/// All views in use.
#[derive(Debug, Default)]
pub(super) struct RoomViews {
    /// Indexed by letter.
    players: Vec<Option<RoomView>>,
    whole_map: Option<RoomView>,
    /// The view of each watcher.
    watchers: BTreeMap<Peer, Viewer>,
}

/// One view with its picture.
#[derive(Debug)]
pub(super) struct RoomView {
    pub(super) canvas: Canvas,
    /// The player or spectator who owns the view.
    seat: Option<Peer>,
    /// Ordered by peer. A list, because it is iterated after every key.
    watchers: Vec<Peer>,
}

impl RoomView {
    pub(super) fn watchers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.watchers.iter().copied()
    }
}

impl RoomViews {
    /// Assigns the seat of this view to a peer.
    pub(super) fn seat(&mut self, game: &Game, viewer: Viewer, peer: Peer) {
        self.open(game, viewer).seat = Some(peer);
    }

    /// Frees the seat of this view.
    pub(super) fn unseat(&mut self, viewer: Viewer) {
        if let Some(view) = self.get_mut(viewer) {
            view.seat = None;
        }
        self.drop_unused(viewer);
    }

    /// Gives a watcher this view in place of the previous one, if any.
    pub(super) fn watch(&mut self, game: &Game, peer: Peer, viewer: Viewer) {
        // Open the new view first: it may be the old one, which then need not be drawn again.
        let view = self.open(game, viewer);
        view.canvas.track_changes();
        let watchers = &mut view.watchers;
        if let Err(place) = watchers.binary_search(&peer) {
            watchers.insert(place, peer);
        }
        if let Some(old) = self.watchers.insert(peer, viewer).filter(|old| *old != viewer) {
            self.remove_from_view(peer, old);
        }
    }

    /// Removes a watcher. Returns true if the peer was one.
    pub(super) fn unwatch(&mut self, peer: Peer) -> bool {
        let viewer = self.watchers.remove(&peer);
        if let Some(viewer) = viewer {
            self.remove_from_view(peer, viewer);
        }
        viewer.is_some()
    }

    fn remove_from_view(&mut self, peer: Peer, viewer: Viewer) {
        if let Some(view) = self.get_mut(viewer)
            && let Ok(place) = view.watchers.binary_search(&peer)
        {
            view.watchers.remove(place);
        }
        self.drop_unused(viewer);
    }

    fn open(&mut self, game: &Game, viewer: Viewer) -> &mut RoomView {
        self.slot(viewer).get_or_insert_with(|| RoomView {
            canvas: Canvas::new(game, viewer, DISPLAY_HEAD),
            seat: None,
            watchers: Vec::new(),
        })
    }

    fn drop_unused(&mut self, viewer: Viewer) {
        self.slot(viewer).take_if(|view| view.seat.is_none() && view.watchers.is_empty());
    }

    fn slot(&mut self, viewer: Viewer) -> &mut Option<RoomView> {
        match viewer {
            Viewer::Spectator => &mut self.whole_map,
            Viewer::Player(letter) => {
                if self.players.len() <= letter.index() {
                    self.players.resize_with(letter.index() + 1, || None);
                }
                &mut self.players[letter.index()]
            }
        }
    }

    /// The picture of a view for one of its clients. A client that left before its picture was drained gets none,
    /// even if others use the view.
    pub(super) fn picture(&self, viewer: Viewer, to: Peer) -> Option<Transmit<'_>> {
        let is_used =
            |view: &&RoomView| view.seat == Some(to) || view.watchers.binary_search(&to).is_ok();
        let RoomView { canvas, .. } = self.get(viewer).filter(is_used)?;
        Some(Transmit { to, payload: canvas.bytes(), content: Content::Picture(viewer) })
    }

    pub(super) fn get(&self, viewer: Viewer) -> Option<&RoomView> {
        match viewer {
            Viewer::Spectator => self.whole_map.as_ref(),
            Viewer::Player(letter) => self.players.get(letter.index())?.as_ref(),
        }
    }

    fn get_mut(&mut self, viewer: Viewer) -> Option<&mut RoomView> {
        match viewer {
            Viewer::Spectator => self.whole_map.as_mut(),
            Viewer::Player(letter) => self.players.get_mut(letter.index())?.as_mut(),
        }
    }

    /// All views in use: the players' ordered by letter, then the whole map.
    pub(super) fn all(&self) -> impl Iterator<Item = (Viewer, &RoomView)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&self.players);
        let players = players.filter_map(|(viewer, view)| Some((viewer, view.as_ref()?)));
        players.chain(self.whole_map.iter().map(|view| (Viewer::Spectator, view)))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = (Viewer, &mut RoomView)> + '_ {
        let players = (0..).map_while(Letter::nth).map(Viewer::Player).zip(&mut self.players);
        let players = players.filter_map(|(viewer, view)| Some((viewer, view.as_mut()?)));
        players.chain(self.whole_map.iter_mut().map(|view| (Viewer::Spectator, view)))
    }

    /// Every watcher.
    pub(super) fn watchers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.watchers.keys().copied()
    }

    pub(super) fn watcher_count(&self) -> usize {
        self.watchers.len()
    }
}
