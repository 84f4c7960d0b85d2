//! Delivers the output of the room: pictures and gold to streams, error replies and goodbyes to people, everything to bots, and
//! datagrams to UDP clients. Only the last two get text.
//!
//! There is a stream of the whole map, and one of each player, while a connection reads it. The content of a stream depends
//! only on what the room sends to that view.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, MutexGuard};

use nuggets_game::{Game, Letter, Player, Point, PointSet, Tile};
use nuggets_protocol::QuitKind;
use nuggets_record::PeerToken;
use nuggets_server::{
    Commit, Content, Delivery, ErrorReply, Guard, MessageKind, Peer, QuitReason, Room, Transmit,
    Transport,
};
use nuggets_time::Timestamp;
use thiserror::Error;

use super::GameOutput;
use super::bots::BotSeat;
use super::identities::{Identities, Identity, ViewKey, viewer};
use crate::view_stream::{LineBuffer, Snapshot, ViewStream};
use crate::wire::StreamLine;
use crate::{GameId, PlayerId, StreamHandle};

/// All recipients of the room's output, with their queues.
#[derive(Debug)]
pub(super) struct Recipients {
    pub(super) identities: Identities,
    pub(super) views: ViewStreams,
    pub(super) bots: Vec<BotSeat>,
    /// Messages of the room to people, outside their streams.
    pub(super) replies: Vec<(PlayerId, RoomReply)>,
    /// Output outside the streams.
    pub(super) output: VecDeque<GameOutput>,
}

/// A message of the room to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum RoomReply {
    /// A key, or another request, had no effect.
    #[error(transparent)]
    Error(ErrorReply),
    /// The person was removed from the game, or rejected.
    #[error(transparent)]
    Quit(QuitReason),
}

/// The transport of the room's driver.
pub(super) struct RoomTransport<'a> {
    pub(super) recipients: &'a mut Recipients,
    pub(super) guard: Option<MutexGuard<'a, Guard>>,
}

impl Transport for RoomTransport<'_> {
    fn name(&self, peer: Peer) -> String {
        self.recipients.identities.get(peer).map_or_else(|| format!("{peer:?}"), Identity::name)
    }

    fn token(&self, peer: Peer) -> PeerToken {
        self.recipients.identities.token(peer)
    }

    fn source(&self, peer: Peer) -> Option<SocketAddr> {
        match self.recipients.identities.get(peer) {
            Some(Identity::Udp(address)) => Some(address),
            _ => None,
        }
    }

    fn guard(&mut self) -> Option<&mut Guard> {
        self.guard.as_deref_mut()
    }

    fn delivery(&self, peer: Peer) -> Delivery {
        match self.recipients.identities.get(peer) {
            Some(Identity::Udp(_)) => Delivery::Datagram,
            Some(Identity::Person(_)) => Delivery::Watched,
            Some(Identity::Bot(_) | Identity::View(_)) | None => Delivery::Stream,
        }
    }

    fn send(&mut self, now: Timestamp, transmit: Transmit<'_>) {
        let Transmit { to, payload, content } = transmit;
        match self.recipients.identities.get(to) {
            Some(Identity::View(key)) => self.recipients.views.handle_content(key, content),
            Some(Identity::Person(id)) => {
                self.recipients.replies.extend(reply(content).map(|it| (id, it)));
            }
            Some(Identity::Bot(number)) => {
                if let Some(seat) =
                    self.recipients.bots.iter_mut().find(|seat| seat.number == number)
                {
                    seat.handle_message(now, payload);
                }
            }
            Some(Identity::Udp(address)) => self.send_datagram(now, address, payload),
            None => {}
        }
    }
}

impl RoomTransport<'_> {
    pub(super) fn send_datagram(&mut self, now: Timestamp, to: SocketAddr, payload: &[u8]) {
        let guard = self.guard.as_mut();
        if guard.is_none_or(|guard| guard.may_send(now, to, payload.len())) {
            self.recipients.output.push_back(GameOutput::Datagram(to, payload.to_vec()));
        }
    }
}

/// Returns the reply to a person in a message of the room: an error reply or a goodbye. Gold, pictures, the end and the goodbye
/// to a player who has quit are `None`, because the stream shows them.
fn reply(content: Content) -> Option<RoomReply> {
    match content {
        Content::Message(MessageKind::Error(why)) => Some(RoomReply::Error(why)),
        Content::Message(MessageKind::Quit(QuitReason::Specified(QuitKind::Player))) => None,
        Content::Message(MessageKind::Quit(why)) => Some(RoomReply::Quit(why)),
        Content::Picture(_) | Content::Message(_) => None,
    }
}

/// All streams of a game.
#[derive(Debug)]
pub(super) struct ViewStreams {
    open: Vec<OpenView>,
    game: GameId,
    /// A number that differs each time the game is opened: line numbers of earlier streams must not be continued.
    nonce: u64,
    delay_ms: u64,
    /// The last published purses.
    purses: Vec<u32>,
    /// The number of streams opened; a view that is opened again gets a new stream.
    opened: u64,
    buffer: LineBuffer,
}

#[derive(Debug)]
struct OpenView {
    key: ViewKey,
    handle: Arc<StreamHandle>,
    /// The number of pictures that the room has sent to this view and that are not published yet.
    pictures: u32,
    /// The gold that the room has sent to this view and that is not published yet.
    gold: Option<[u32; 3]>,
    /// The gridpoint of its player when the field of view was published last, on which alone that depends.
    seen_from: Option<Point>,
    /// Lines that wait for a commit.
    uncommitted: VecDeque<(Commit, StreamLine)>,
    /// The picture after the held lines; `None` if no line of this view has ever been held.
    ahead: Option<Box<Snapshot>>,
}

impl OpenView {
    /// Calls `ask` with the picture that the next line changes: the last one, either published or held.
    fn latest<T>(&self, ask: impl FnOnce(&Snapshot) -> T) -> T {
        match &self.ahead {
            Some(ahead) => ask(ahead),
            None => ask(self.handle.lock().current()),
        }
    }

    /// Writes the changes of the picture and of the field of view, if the room has sent a picture.
    fn write_picture(&mut self, room: &Room, line: &mut StreamLine) {
        let pictures = std::mem::take(&mut self.pictures);
        let Some(canvas) = room.canvas(viewer(self.key)).filter(|_| pictures > 0) else { return };
        self.latest(|shown| match pictures {
            1 => {
                let changed = canvas.changed().iter().map(|at| *at as usize);
                shown.add_changes(canvas.rows(), changed, &mut line.set);
            }
            // `changed` knows the changes of the last one only.
            _ => line.set = shown.changes(canvas.rows()),
        });
        if let Some(letter) = self.key {
            let seen_from = room.game().player(letter).at();
            if std::mem::replace(&mut self.seen_from, seen_from) != seen_from {
                self.latest(|shown| {
                    write_sight_changes(room.game(), letter, shown, &mut line.sight);
                });
            }
        }
    }
}

impl ViewStreams {
    pub(super) fn new(game: GameId, nonce: u64, delay_ms: u64) -> Self {
        Self {
            open: Vec::new(),
            game,
            nonce,
            delay_ms,
            purses: Vec::new(),
            opened: 0,
            buffer: LineBuffer::default(),
        }
    }

    pub(super) fn find(&self, key: ViewKey) -> Option<&Arc<StreamHandle>> {
        self.open.iter().find(|view| view.key == key).map(|view| &view.handle)
    }

    /// Opens the stream of a view, whose first state is its picture and these facts.
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
            pictures: 0,
            gold: None,
            seen_from: key.and_then(|letter| game.player(letter).at()),
            uncommitted: VecDeque::new(),
            ahead: None,
        });
        handle
    }

    /// Adds content from the room to the next line of a view.
    pub(super) fn handle_content(&mut self, key: ViewKey, content: Content) {
        let Some(view) = self.open.iter_mut().find(|view| view.key == key) else { return };
        match content {
            Content::Picture(_) => view.pictures += 1,
            Content::Message(MessageKind::Gold { found, purse, remaining }) => {
                let before = view.gold.map_or(0, |[found, ..]| found);
                view.gold = Some([before + found, purse, remaining]);
            }
            Content::Message(_) => {}
        }
    }

    /// Publishes the pending content of each view together with `news`, or holds it until the awaited commit.
    pub(super) fn publish(
        &mut self,
        now: Timestamp,
        room: &Room,
        news: &StreamLine,
        awaited: Option<Commit>,
    ) {
        let game = room.game();
        let has_new_purses = self.note_purses(game);
        let has_news = *news != StreamLine::default();
        for view in &mut self.open {
            let purses = (view.key.is_none() && has_new_purses).then(|| self.purses.clone());
            let steps = view.key.and_then(|letter| game.player(letter).steps_left());
            // Few players see the effect of a key, so most views have nothing to publish.
            let has_pending = view.pictures > 0 || view.gold.is_some();
            if !has_news && !has_pending && purses.is_none() && steps.is_none() {
                continue;
            }
            self.buffer.clear();
            let line = &mut self.buffer.line;
            (line.purses, line.steps, line.gold) = (purses, steps, view.gold.take());
            add_news(line, news);
            view.write_picture(room, line);
            if awaited.is_some() && view.ahead.is_none() {
                view.ahead = Some(Box::new(view.handle.lock().current().clone()));
            }
            if let Some(ahead) = &mut view.ahead {
                ahead.apply(line);
            }
            match awaited {
                Some(commit) => view.uncommitted.push_back((commit, line.clone())),
                None => view.handle.publish(now, &mut self.buffer),
            }
        }
    }

    /// Publishes the lines that were held until this commit or an earlier one.
    pub(super) fn release(&mut self, now: Timestamp, stored: Commit) {
        for view in &mut self.open {
            while view.uncommitted.front().is_some_and(|(commit, _)| *commit <= stored)
                && let Some((_, line)) = view.uncommitted.pop_front()
            {
                view.handle.publish(now, &mut line.into());
            }
        }
    }

    /// Publishes a final line in all streams, and drops all pending and held content.
    pub(super) fn publish_closing_line(&mut self, now: Timestamp, last: &StreamLine) {
        for view in &mut self.open {
            (view.pictures, view.gold) = (0, None);
            view.uncommitted.clear();
            view.handle.publish(now, &mut last.clone().into());
        }
    }

    /// Closes the views without a reader, and returns their keys. With a watch delay all stay open: a view that is opened
    /// again could not show watchers its past.
    pub(super) fn close_unread(&mut self) -> Vec<ViewKey> {
        if self.delay_ms > 0 {
            return Vec::new();
        }
        // Each reader, and each connection that is about to read, holds another reference to the handle.
        let is_unread = |view: &mut OpenView| Arc::strong_count(&view.handle) == 1;
        self.open.extract_if(.., is_unread).map(|view| view.key).collect()
    }

    /// Records the purses. Returns true if one has changed.
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
        let mut sight = Vec::new();
        write_sight_changes(game, letter, &first, &mut sight);
        first.apply(&StreamLine { sight, ..StreamLine::default() });
    }
    first
}

/// Writes the cells whose visibility to a player has changed. A player who has left sees nothing.
fn write_sight_changes(game: &Game, letter: Letter, shown: &Snapshot, sight: &mut Vec<u32>) {
    let player = game.player(letter);
    let tiles = game.map().tiles();
    let is_rock = |at: usize| tiles[at] == Tile::Rock;
    match player.at() {
        Some(_) => shown.write_sight_changes(player.sees(), is_rock, sight),
        None => shown.write_sight_changes(&PointSet::empty(tiles.len()), is_rock, sight),
    }
}

/// Returns the facts for one view: the shared ones, with the gold that this view may know.
fn facts_of_view(game: &Game, key: ViewKey, facts: StreamLine) -> StreamLine {
    let gold = |purse| Some([0, purse, game.remaining()]);
    match key {
        None => {
            let purses = game.players().iter().map(Player::purse).collect();
            StreamLine { gold: gold(0), purses: Some(purses), ..facts }
        }
        Some(letter) => {
            let player = game.player(letter);
            StreamLine { gold: gold(player.purse()), steps: player.steps_left(), ..facts }
        }
    }
}

fn add_news(line: &mut StreamLine, news: &StreamLine) {
    line.players.clone_from(&news.players);
    line.stage = news.stage;
    line.over.clone_from(&news.over);
    line.notice.clone_from(&news.notice);
    line.next.clone_from(&news.next);
}
