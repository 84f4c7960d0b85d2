//! The streams of a game: of the whole map always, of a player while a connection reads it. What a stream
//! has follows only from what the room sends to that view.

use std::collections::VecDeque;
use std::sync::Arc;

use nuggets_game::{Game, Letter, Player, PointSet, Tile};
use nuggets_server::{Commit, Content, Said};
use nuggets_time::Timestamp;

use super::identities::{ViewKey, viewer};
use crate::view_stream::{Snapshot, ViewStream};
use crate::wire::StreamLine;
use crate::{GameId, StreamHandle};

/// All streams of a game.
#[derive(Debug)]
pub(super) struct Views {
    open: Vec<OpenView>,
    game: GameId,
    /// Differs after every start of the host, so that numbers of an earlier one mean nothing.
    nonce: u64,
    delay_ms: u64,
    /// The purses that were published last.
    purses: Vec<u32>,
    /// Streams so far: a view that is opened again has a new one.
    opened: u64,
}

#[derive(Debug)]
struct OpenView {
    key: ViewKey,
    handle: Arc<StreamHandle>,
    /// What the room has sent to this view and is not published yet.
    pending: StreamLine,
    /// Lines that wait for a commit.
    held: VecDeque<(Commit, StreamLine)>,
    /// The picture after the lines that wait; none as long as none ever had to.
    ahead: Option<Box<Snapshot>>,
}

impl OpenView {
    /// Asks the picture that the next line changes: the last that was published, or that waits to be.
    fn latest<T>(&self, ask: impl FnOnce(&Snapshot) -> T) -> T {
        match &self.ahead {
            Some(ahead) => ask(ahead),
            None => ask(self.handle.lock().current()),
        }
    }

    /// Publishes a line, after the commit that it must wait for.
    fn publish(&mut self, now: Timestamp, line: StreamLine, awaited: Option<Commit>) {
        if let Some(commit) = awaited {
            let current = || Box::new(self.handle.lock().current().clone());
            self.ahead.get_or_insert_with(current).apply(&line);
            self.held.push_back((commit, line));
        } else {
            if let Some(ahead) = &mut self.ahead {
                ahead.apply(&line);
            }
            self.handle.publish(now, line);
        }
    }

    /// True if the room has sent it something that is not published yet.
    fn has_pending(&self) -> bool {
        !self.pending.set.is_empty() || self.pending.gold.is_some()
    }
}

impl Views {
    pub(super) fn new(game: GameId, nonce: u64, delay_ms: u64) -> Self {
        Self { open: Vec::new(), game, nonce, delay_ms, purses: Vec::new(), opened: 0 }
    }

    pub(super) fn find(&self, key: ViewKey) -> Option<&Arc<StreamHandle>> {
        self.open.iter().find(|view| view.key == key).map(|view| &view.handle)
    }

    /// Opens the stream of a view with these facts beside its picture.
    pub(super) fn open(
        &mut self,
        now: Timestamp,
        game: &Game,
        key: ViewKey,
        facts: StreamLine,
    ) -> Arc<StreamHandle> {
        let mut first = first_picture(game, key);
        first.apply(&facts_of_view(game, key, facts));
        let name = key.map_or("map".to_owned(), |letter| letter.to_string());
        self.opened += 1;
        let id = format!("{}-{name}-{:x}-{}", self.game, self.nonce, self.opened);
        let stream = ViewStream::new(now, &id, first, self.delay_ms);
        let handle = Arc::new(StreamHandle::new(stream));
        self.open.push(OpenView {
            key,
            handle: Arc::clone(&handle),
            pending: StreamLine::default(),
            held: VecDeque::new(),
            ahead: None,
        });
        handle
    }

    /// Takes what the room sends to a view.
    pub(super) fn handle_content(&mut self, key: ViewKey, content: Content<'_>) {
        let Some(view) = self.open.iter_mut().find(|view| view.key == key) else { return };
        match content {
            Content::Picture { rows, changed, .. } if view.pending.set.is_empty() => {
                view.pending.set = view.latest(|shown| shown.changes_at(rows, changed));
            }
            // What the picture before it has changed is not published yet.
            Content::Picture { rows, .. } => {
                view.pending.set = view.latest(|shown| shown.changes(rows));
            }
            Content::Message(Said::Gold { found, purse, remaining }) => {
                let before = view.pending.gold.map_or(0, |[found, ..]| found);
                view.pending.gold = Some([before + found, purse, remaining]);
            }
            Content::Message(_) => {}
        }
    }

    /// Publishes what the room has sent to each view, and this to all of them, after the commit that it must wait for.
    pub(super) fn publish(
        &mut self,
        now: Timestamp,
        game: &Game,
        news: &StreamLine,
        awaited: Option<Commit>,
    ) {
        let has_new_purses = self.note_purses(game);
        let has_news = *news != StreamLine::default();
        for view in &mut self.open {
            let purses = (view.key.is_none() && has_new_purses).then(|| self.purses.clone());
            let steps = view.key.and_then(|letter| game.player(letter).steps_left());
            // Most keys are seen by few players.
            if !has_news && !view.has_pending() && purses.is_none() && steps.is_none() {
                continue;
            }
            let pending = std::mem::take(&mut view.pending);
            let mut line = StreamLine { purses, steps, ..pending };
            add_news(&mut line, news);
            // Only a move changes what is in sight, and it changes the picture.
            if let Some(letter) = view.key.filter(|_| !line.set.is_empty()) {
                line.sight = view.latest(|shown| sight_changes(game, letter, shown));
            }
            view.publish(now, line, awaited);
        }
    }

    /// Publishes what waited for this commit, or an earlier one.
    pub(super) fn release(&mut self, now: Timestamp, stored: Commit) {
        for view in &mut self.open {
            while view.held.front().is_some_and(|(commit, _)| *commit <= stored)
                && let Some((_, line)) = view.held.pop_front()
            {
                view.handle.publish(now, line);
            }
        }
    }

    /// Adds last words to all streams, without anything that the room has sent.
    pub(super) fn say(&mut self, now: Timestamp, last: &StreamLine) {
        for view in &mut self.open {
            view.pending = StreamLine::default();
            view.held.clear();
            view.handle.publish(now, last.clone());
        }
    }

    /// Closes the views of players that are not read, and returns them. With a delay all stay: watchers could not see
    /// what was before a view was opened again.
    pub(super) fn close_unread(&mut self) -> Vec<ViewKey> {
        if self.delay_ms > 0 {
            return Vec::new();
        }
        // A reader, or a connection that is about to read, has the handle, too.
        let is_unread =
            |view: &mut OpenView| view.key.is_some() && Arc::strong_count(&view.handle) == 1;
        self.open.extract_if(.., is_unread).map(|view| view.key).collect()
    }

    /// True if a purse has changed.
    fn note_purses(&mut self, game: &Game) -> bool {
        let purses = game.players().iter().map(Player::purse);
        if purses.clone().eq(self.purses.iter().copied()) {
            return false;
        }
        self.purses = purses.collect();
        true
    }
}

fn first_picture(game: &Game, key: ViewKey) -> Snapshot {
    let mut picture = Vec::new();
    game.view(viewer(key)).write_to(&mut picture);
    let mut first = Snapshot::new(&picture, game.map().cols().into());
    if let Some(letter) = key {
        let sight = sight_changes(game, letter, &first);
        first.apply(&StreamLine { sight, ..StreamLine::default() });
    }
    first
}

/// What comes into or goes out of sight of a player. One who has left sees nothing.
fn sight_changes(game: &Game, letter: Letter, shown: &Snapshot) -> Vec<u32> {
    let player = game.player(letter);
    let tiles = game.map().tiles();
    let is_rock = |at: usize| tiles[at] == Tile::Rock;
    match player.at() {
        Some(_) => shown.sight_changes(player.sees(), is_rock),
        None => shown.sight_changes(&PointSet::empty(tiles.len()), is_rock),
    }
}

/// The facts for one view: those of all views, and its own.
fn facts_of_view(game: &Game, key: ViewKey, facts: StreamLine) -> StreamLine {
    let gold = |purse| Some([0, purse, game.remaining()]);
    match key {
        None => {
            let purses = game.players().iter().map(Player::purse).collect();
            StreamLine { gold: gold(0), purses: Some(purses), ..facts }
        }
        Some(letter) => facts_of_player(game, letter, facts, gold),
    }
}

fn facts_of_player(
    game: &Game,
    letter: Letter,
    facts: StreamLine,
    gold: impl Fn(u32) -> Option<[u32; 3]>,
) -> StreamLine {
    let player = game.player(letter);
    StreamLine { gold: gold(player.purse()), steps: player.steps_left(), ..facts }
}

fn add_news(line: &mut StreamLine, news: &StreamLine) {
    line.players.clone_from(&news.players);
    line.stage = news.stage;
    line.over.clone_from(&news.over);
    line.notice.clone_from(&news.notice);
    line.next.clone_from(&news.next);
}
