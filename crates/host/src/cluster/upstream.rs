//! Watchers of games that run elsewhere: one WebSocket to the owner per game and view, however many watch it here. They read a
//! copy of the owner's stream, with its id and its numbered lines unchanged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
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

use super::neighbours::Neighbours;
use super::pass_on::{ClientRequest, PassOnError, UPGRADE_TIMEOUT};
use super::routes::{Member, RemoteGame};
use crate::locks::lock;
use crate::wire::{ClientLine, DirectLine, Hello, Watch};
use crate::{GameId, StreamHandle, ViewStream};

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
pub(crate) struct Upstreams(Mutex<BTreeMap<UpstreamKey, Arc<Upstream>>>);

type UpstreamKey = (GameId, Option<char>);

/// A stream of another node. Each watcher here has a clone, and so have the table of streams and the task that follows it.
#[derive(Debug)]
pub(crate) struct Upstream {
    owner: RemoteGame,
    view: Option<char>,
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

impl StreamEnd {
    fn lost() -> Self {
        let words = "The node that runs this game is not reached at the moment.";
        Self { code: BUSY, words: words.to_owned() }
    }
}

impl Upstream {
    /// The copy, as soon as the owner has sent its `hello`.
    async fn opened(&self) -> Result<Arc<StreamCopy>, StreamEnd> {
        let mut state = self.state.subscribe();
        let opened = state.wait_for(|state| !matches!(state, State::Opening)).await;
        match opened.as_deref() {
            Ok(State::Open(copy)) => Ok(Arc::clone(copy)),
            Ok(State::Ended(why)) => Err(why.clone()),
            _ => Err(StreamEnd::lost()),
        }
    }

    /// Waits until there is nothing more to read.
    pub(crate) async fn ended(&self) -> StreamEnd {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| matches!(state, State::Ended(_))).await.as_deref() {
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
        lock(&self.notice)
            .as_ref()
            .filter(|(since, _)| since.elapsed() < KEEP_NOTICE)
            .map(|(_, words)| words.clone())
    }

    fn set_notice(&self, words: String) {
        *lock(&self.notice) = Some((Clock::start(), words));
    }
}

impl Neighbours {
    /// Watches a game that runs elsewhere. The first one here opens the stream.
    pub(crate) async fn watch(
        self: &Arc<Self>,
        owner: &RemoteGame,
        view: Option<char>,
    ) -> Result<(Arc<Upstream>, Arc<StreamCopy>), StreamEnd> {
        let (upstream, is_new) = self.upstreams.enter(owner, view);
        if is_new {
            tokio::spawn(Arc::clone(self).follow(Arc::clone(&upstream)));
        }
        let copy = upstream.opened().await?;
        Ok((upstream, copy))
    }

    async fn follow(self: Arc<Self>, upstream: Arc<Upstream>) {
        let owner = &upstream.owner;
        let mut follower = Follower { upstream: &upstream, copy: None, error: String::new() };
        let ended = tokio::select! {
            ended = follower.run(&self) => ended,
            () = self.superseded(owner) => StreamEnd::lost(),
            () = self.upstreams.unused(&upstream) => StreamEnd::lost(),
        };
        debug!("the stream of game {} at {} has ended: {ended:?}", owner.game, owner.member.name);
        // The next watcher opens another one.
        self.upstreams.remove(&upstream);
        upstream.state.send_replace(State::Ended(ended));
    }

    async fn open_upstream(
        &self,
        member: &Member,
        game: GameId,
    ) -> Result<WebSocketStream<TokioIo<Upgraded>>, PassOnError> {
        let key = generate_key();
        let headers = [
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::SEC_WEBSOCKET_KEY, &*key),
        ];
        let path = format!("/g/{game}/ws?watch&node");
        let request = ClientRequest::of_node(member, Method::GET, &path, headers)?;
        let mut answer = self.ask(member, request, Body::empty()).await?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(member.failed(&answer.status()));
        }
        let upgraded = hyper::upgrade::on(&mut answer).await.map_err(|why| member.failed(&why))?;
        Ok(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await)
    }
}

impl Upstreams {
    /// One more watcher. True if it is the first one of this stream.
    fn enter(&self, owner: &RemoteGame, view: Option<char>) -> (Arc<Upstream>, bool) {
        let mut open = lock(&self.0);
        let key = (owner.game, view);
        if let Some(known) = open.get(&key).filter(|known| known.owner == *owner) {
            return (Arc::clone(known), false);
        }
        let state = watch::Sender::new(State::Opening);
        let upstream = Arc::new(Upstream { owner: owner.clone(), view, state });
        open.insert(key, Arc::clone(&upstream));
        (upstream, true)
    }

    /// Removes a stream, unless another one has its place.
    fn remove(&self, upstream: &Arc<Upstream>) {
        lock(&self.0).retain(|_, known| !Arc::ptr_eq(known, upstream));
    }

    /// Waits until there has been no watcher for a while, and removes the stream.
    async fn unused(&self, upstream: &Arc<Upstream>) {
        let mut idle = 0;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let mut open = lock(&self.0);
            // The table and the follower have one, too. No watcher comes meanwhile: it is locked.
            idle = if Arc::strong_count(upstream) > 2 { 0 } else { idle + 1 };
            if idle > MAX_IDLE_LOOKS {
                return open.retain(|_, known| !Arc::ptr_eq(known, upstream));
            }
        }
    }
}

/// Follows one stream of the owner.
struct Follower<'a> {
    upstream: &'a Upstream,
    copy: Option<Arc<StreamCopy>>,
    /// The last `error`, which says why a connection is closed.
    error: String,
}

impl Follower<'_> {
    async fn run(&mut self, nodes: &Neighbours) -> StreamEnd {
        let owner = &self.upstream.owner;
        let opened = nodes.open_upstream(&owner.member, owner.game);
        match timeout(UPGRADE_TIMEOUT, opened).await {
            Ok(Ok(socket)) => self.read(socket).await.unwrap_or_else(StreamEnd::lost),
            Ok(Err(why)) => {
                debug!("{why}");
                if matches!(why, PassOnError::NotOwner(_)) {
                    nodes.look_up(owner.game).await;
                }
                StreamEnd::lost()
            }
            Err(_) => StreamEnd::lost(),
        }
    }

    /// Reads until the owner closes; none if the connection breaks.
    async fn read(&mut self, mut socket: WebSocketStream<TokioIo<Upgraded>>) -> Option<StreamEnd> {
        let watch = ClientLine::Watch(Watch { view: self.upstream.view, since: None });
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
                self.upstream.state.send_replace(State::Open(copy));
            }
            DirectLine::Notice(words) => self.copy.as_ref()?.set_notice(words),
            DirectLine::Error(words) => self.error = words,
            DirectLine::Pong(_) => {}
        }
        Some(())
    }
}
