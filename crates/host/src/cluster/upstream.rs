//! Watchers of games that run elsewhere: one WebSocket to the owner per game and view, however many watch it here. They read a
//! copy of the owner's stream, with its id and its numbered lines unchanged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use nuggets_time::Clock;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tracing::debug;

use super::neighbours::{GameOwner, Neighbours, RemoteGame};
use super::pass_on::{ClientRequest, PassOnError, UPGRADE_TIMEOUT};
use super::routes::Member;
use super::signature::PassedOn;
use crate::wire::{ClientLine, DirectLine, Hello, Watch};
use crate::{GameId, Source, StreamHandle, ViewStream};

/// Time between two looks at the number of local watchers.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The number of looks without a watcher after which a stream is not followed any more.
const MAX_IDLE_LOOKS: u32 = 5;
/// As long as the owner repeats a notice to watchers that come later.
const KEEP_NOTICE: Duration = Duration::from_secs(10 * 60);
/// Come back later (docs/web-protocol.md).
const BUSY: u16 = 1013;

/// The streams of other nodes that are followed.
#[derive(Debug, Default)]
pub(crate) struct Upstreams {
    open: Mutex<BTreeMap<UpstreamKey, Slot>>,
}

type UpstreamKey = (GameId, Option<char>);

#[derive(Debug)]
struct Slot {
    owner: GameOwner,
    /// Each watcher has a clone.
    watchers: Arc<()>,
    state: watch::Receiver<State>,
}

/// A stream that is to be opened.
struct OpeningStream {
    watchers: Weak<()>,
    state: watch::Sender<State>,
}

#[derive(Clone, Debug)]
enum State {
    Opening,
    Open(Arc<StreamCopy>),
    Ended(StreamEnd),
}

/// The copy of a stream.
#[derive(Debug)]
pub(crate) struct StreamCopy {
    pub(crate) hello: Hello,
    pub(crate) stream: Arc<StreamHandle>,
    notice: Mutex<Option<(Clock, String)>>,
}

/// Why a stream has ended: a close code, and words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamEnd {
    pub(crate) code: u16,
    pub(crate) words: String,
}

/// A watcher of a copy; dropping it may end the copy.
#[derive(Debug)]
pub(crate) struct Watching {
    state: watch::Receiver<State>,
    _counted: Arc<()>,
}

impl StreamEnd {
    fn lost() -> Self {
        let words = "The node that runs this game is not reached at the moment.";
        Self { code: BUSY, words: words.to_owned() }
    }
}

impl Watching {
    /// The copy, as soon as the owner has sent its `hello`.
    async fn opened(&mut self) -> Result<Arc<StreamCopy>, StreamEnd> {
        let state = self.state.wait_for(|state| !matches!(state, State::Opening)).await;
        match state.as_deref() {
            Ok(State::Open(copy)) => Ok(Arc::clone(copy)),
            Ok(State::Ended(why)) => Err(why.clone()),
            _ => Err(StreamEnd::lost()),
        }
    }

    /// Waits until there is nothing more to read.
    pub(crate) async fn ended(&mut self) -> StreamEnd {
        match self.state.wait_for(|state| matches!(state, State::Ended(_))).await.as_deref() {
            Ok(State::Ended(why)) => why.clone(),
            _ => StreamEnd::lost(),
        }
    }
}

impl StreamCopy {
    fn new(hello: Hello) -> Self {
        let stream = Arc::new(StreamHandle::new(ViewStream::copy_of(&hello.stream)));
        Self { hello, stream, notice: Mutex::default() }
    }

    /// The last notice of the host, unless it is out of date.
    pub(crate) fn notice(&self) -> Option<String> {
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner);
        notice
            .as_ref()
            .filter(|(since, _)| since.elapsed() < KEEP_NOTICE)
            .map(|(_, words)| words.clone())
    }

    fn set_notice(&self, words: String) {
        let notice = Some((Clock::start(), words));
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = notice;
    }
}

impl Neighbours {
    /// Watches a game that runs elsewhere. The first one here opens the stream.
    pub(crate) async fn watch(
        self: &Arc<Self>,
        at: &RemoteGame,
        view: Option<char>,
    ) -> Result<(Watching, Arc<StreamCopy>), StreamEnd> {
        let owner = at.ownership();
        let (mut watching, begun) = self.upstreams.enter(owner, view);
        if let Some(OpeningStream { watchers, state }) = begun {
            let (member, error) = (at.member.clone(), String::new());
            let follower = Follower { owner, view, member, state, copy: None, error };
            tokio::spawn(Arc::clone(self).follow(follower, watchers));
        }
        let copy = watching.opened().await?;
        Ok((watching, copy))
    }

    async fn follow(self: Arc<Self>, mut follower: Follower, watchers: Weak<()>) {
        let (owner, key) = (follower.owner, (follower.owner.game, follower.view));
        let ended = tokio::select! {
            ended = follower.run(&self) => ended,
            () = self.superseded(owner) => StreamEnd::lost(),
            () = self.upstreams.unused(&watchers) => StreamEnd::lost(),
        };
        debug!(
            "the stream of game {} at {} has ended: {ended:?}",
            owner.game, follower.member.name
        );
        // The next watcher opens another one.
        self.upstreams.remove(key, &watchers);
        follower.state.send_replace(State::Ended(ended));
    }

    async fn open_upstream(
        &self,
        member: &Member,
        game: GameId,
    ) -> Result<WebSocketStream<TokioIo<Upgraded>>, PassOnError> {
        let headers = [
            (header::HOST, member.authority().to_owned()),
            (header::UPGRADE, "websocket".to_owned()),
            (header::SEC_WEBSOCKET_VERSION, "13".to_owned()),
            (header::SEC_WEBSOCKET_KEY, generate_key()),
        ];
        let value = |text: String| HeaderValue::try_from(text).map_err(|why| member.failed(&why));
        let headers = headers.into_iter().map(|(name, text)| Ok((name, value(text)?)));
        let path = PathAndQuery::try_from(format!("/g/{game}/ws?watch&node"));
        let request = ClientRequest {
            method: Method::GET,
            path: path.map_err(|why| member.failed(&why))?,
            headers: headers.collect::<Result<HeaderMap, PassOnError>>()?,
            client: PassedOn { source: Source::of([0, 0, 0, 0].into()), is_https: false },
        };
        let mut answer = self.ask(member, request, Body::empty()).await?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(member.failed(&answer.status()));
        }
        let upgraded = hyper::upgrade::on(&mut answer).await.map_err(|why| member.failed(&why))?;
        Ok(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await)
    }
}

impl Upstreams {
    /// One more watcher. The sender of the state if it is the first one.
    fn enter(&self, owner: GameOwner, view: Option<char>) -> (Watching, Option<OpeningStream>) {
        let mut open = self.lock();
        let key = (owner.game, view);
        let mut begun = None;
        if open.get(&key).is_none_or(|slot| slot.owner != owner) {
            let (sender, state) = watch::channel(State::Opening);
            let slot = Slot { owner, watchers: Arc::default(), state };
            begun = Some(OpeningStream { watchers: Arc::downgrade(&slot.watchers), state: sender });
            open.insert(key, slot);
        }
        let slot = &open[&key];
        let watching = Watching { state: slot.state.clone(), _counted: Arc::clone(&slot.watchers) };
        (watching, begun)
    }

    /// Removes a stream, unless another one has its place.
    fn remove(&self, key: UpstreamKey, watchers: &Weak<()>) {
        let mut open = self.lock();
        if open.get(&key).is_some_and(|slot| is_same(slot, watchers)) {
            open.remove(&key);
        }
    }

    /// Waits until there has been no watcher for a while, and removes the stream.
    async fn unused(&self, watchers: &Weak<()>) {
        let mut idle = 0;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let mut open = self.lock();
            // The table has one, too. No watcher comes meanwhile: it is locked.
            idle = if watchers.strong_count() > 1 { 0 } else { idle + 1 };
            if idle > MAX_IDLE_LOOKS {
                return open.retain(|_, slot| !is_same(slot, watchers));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<UpstreamKey, Slot>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_same(slot: &Slot, watchers: &Weak<()>) -> bool {
    std::ptr::eq(Arc::as_ptr(&slot.watchers), watchers.as_ptr())
}

/// Follows one stream of the owner.
struct Follower {
    owner: GameOwner,
    view: Option<char>,
    member: Member,
    state: watch::Sender<State>,
    copy: Option<Arc<StreamCopy>>,
    /// The last `error`, which says why a connection is closed.
    error: String,
}

impl Follower {
    async fn run(&mut self, nodes: &Neighbours) -> StreamEnd {
        let opened = timeout(UPGRADE_TIMEOUT, nodes.open_upstream(&self.member, self.owner.game));
        match opened.await {
            Ok(Ok(socket)) => self.read(socket).await.unwrap_or_else(StreamEnd::lost),
            Ok(Err(why)) => {
                debug!("{why}");
                if matches!(why, PassOnError::NotOwner(_)) {
                    nodes.look_up(self.owner.game).await;
                }
                StreamEnd::lost()
            }
            Err(_) => StreamEnd::lost(),
        }
    }

    /// Reads until the owner closes; none if the connection breaks.
    async fn read(&mut self, mut socket: WebSocketStream<TokioIo<Upgraded>>) -> Option<StreamEnd> {
        let watch = ClientLine::Watch(Watch { view: self.view, since: None });
        socket.send(Message::text(serde_json::to_string(&watch).ok()?)).await.ok()?;
        loop {
            match socket.next().await?.ok()? {
                Message::Text(text) => text.lines().try_for_each(|line| self.handle(line))?,
                Message::Close(frame) => {
                    let words = std::mem::take(&mut self.error);
                    return Some(StreamEnd { code: frame?.code.into(), words });
                }
                _ => {}
            }
        }
    }

    /// Takes one line; none if it makes no sense here.
    fn handle(&mut self, line: &str) -> Option<()> {
        if line.starts_with(r#"{"seq":"#) {
            let copy = self.copy.as_ref()?;
            if let Some(words) = copy.stream.follow(line).ok()?.notice {
                copy.set_notice(words);
            }
            return Some(());
        }
        match serde_json::from_str(line).ok()? {
            DirectLine::Hello(hello) => {
                let copy = Arc::new(StreamCopy::new(*hello));
                self.copy = Some(Arc::clone(&copy));
                self.state.send_replace(State::Open(copy));
            }
            DirectLine::Notice(words) => self.copy.as_ref()?.set_notice(words),
            DirectLine::Error(words) => self.error = words,
            DirectLine::Pong(_) => {}
        }
        Some(())
    }
}
