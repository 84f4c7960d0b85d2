//! The protocol of one client: reads its lines, answers them, and decides which stream its socket sends. New lines of the
//! stream are pulled when the connection is writable, so that a slow reader costs no memory.

use std::pin::pin;
use std::sync::Arc;

use axum::extract::ws::Message;
use nuggets_server::TokenBucket;
use nuggets_time::{Timestamp, unix_time_ms};
use tokio::time::{Instant, sleep_until};

use super::shared_socket::SharedSocket;
use super::wire_limits::{
    FAULT_RATE, FIRST_LINE_TIMEOUT, LINE_RATE, MAX_SILENCE_MS, MAX_WAITING_LINES, PING_EVERY,
    first_ping_after,
};
use super::{Close, ConnectionPurpose, dismissed};
use crate::cluster::routes::RemoteGame;
use crate::cluster::upstream::{StreamEnd, Upstream};
use crate::mailbox::{Mail, Mailbox};
use crate::service::Presence;
use crate::web::SiteState;
use crate::web::connections::Admitted;
use crate::web::visitor::{Visitor, new_guest};
use crate::wire::{ClientLine, DirectLine, Join, JoinClient, Since, Watch};
use crate::workers::GameCell;
use crate::{
    Account, Attach, AttachError, AttachRole, Attached, Audience, Authority, GameCommand, GameId,
    PlayerId, SessionToken, Source, StreamReader,
};

/// The id of a watcher without an account; ids of the store start at 1.
const NO_ACCOUNT: PlayerId = PlayerId(0);

/// The code and reason with which the connection is to be closed.
pub(super) type CloseReason = (Close, String);

/// One client of one game.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) app: SiteState,
    pub(super) presence: Presence,
    game: GameId,
    purpose: ConnectionPurpose,
    /// The game that it plays or watches, if it runs on this node.
    cell: Option<Arc<GameCell>>,
    /// The copied stream that it reads if the game runs on another node.
    watching: Option<Arc<Upstream>>,
    source: Source,
    account: Option<Arc<Account>>,
    has_begun: bool,
    /// The pending change of the stream to send.
    change: Option<ReadingChange>,
    is_player: bool,
    counted_watcher: Option<Admitted>,
    answers: Vec<DirectLine>,
    lines: TokenBucket,
    faults: TokenBucket,
}

/// A change of the stream that the connection sends.
#[derive(Debug)]
enum ReadingChange {
    /// Send this stream, after the answers.
    Replace(StreamReader),
    /// Continue the same stream with a whole picture.
    Restart,
}

impl Conversation {
    /// Creates the conversation with a client that has sent nothing yet.
    pub(super) fn new(game: GameId, visitor: Visitor, purpose: ConnectionPurpose) -> Self {
        let Visitor { app, client, account, .. } = visitor;
        let (source, account) = (client.source, account.map(Arc::new));
        let mailbox = Mailbox::new(MAX_WAITING_LINES);
        let presence = app.service.connected.add(account.clone(), source, game, mailbox);
        Self {
            app,
            presence,
            game,
            purpose,
            cell: None,
            watching: None,
            source,
            account,
            has_begun: false,
            change: None,
            is_player: false,
            counted_watcher: None,
            answers: Vec::new(),
            lines: TokenBucket::default(),
            faults: TokenBucket::default(),
        }
    }

    /// Serves the connection until one side ends it. Returns the close code and reason; `None` if the client is gone.
    pub(super) async fn run(&mut self, socket: &Arc<SharedSocket>) -> Option<CloseReason> {
        let clock = self.app.service.workers.clock();
        let mut heard = clock.now();
        let first_line_by = Instant::now() + FIRST_LINE_TIMEOUT;
        let mut ping_at = Instant::now() + first_ping_after(self.presence.id);
        // One timer for both, and made once: it is polled for every key.
        let mut timer = pin!(sleep_until(ping_at.min(first_line_by)));
        loop {
            tokio::select! {
                // The client comes last: however much it sends, it can be pinged and closed.
                biased;
                mail = self.presence.mailbox.next() => match mail {
                    Mail::Line(line) => socket.send_line(&line).await?,
                    Mail::Dismissal(why) => return Some(dismissed(why)),
                },
                () = &mut timer => {
                    let now = Instant::now();
                    if !self.has_begun && first_line_by <= now {
                        return Some((Close::Rejected, "send join or watch first".into()));
                    }
                    if ping_at <= now {
                        if clock.now().since(heard) > MAX_SILENCE_MS { return None }
                        if self.is_game_gone() { return Some((self.close_for(&AttachError::NoSuchGame), String::new())) }
                        socket.send(Message::Ping(Vec::new().into())).await?;
                        ping_at = now + PING_EVERY;
                    }
                    timer.as_mut().reset(if self.has_begun { ping_at } else { ping_at.min(first_line_by) });
                }
                ended = end_of(self.watching.as_deref()) => return Some(ended.into()),
                message = socket.recv() => {
                    heard = clock.now();
                    let text = match message? {
                        Ok(Message::Text(text)) => text,
                        Ok(Message::Ping(_) | Message::Pong(_)) => continue,
                        Ok(Message::Binary(_)) => return Some((Close::Rejected, "send text".into())),
                        Ok(Message::Close(_)) | Err(_) => return None,
                    };
                    for line in text.lines() {
                        if let Err(closed) = self.handle_line(heard, line).await {
                            return Some(closed);
                        }
                    }
                    self.answer(socket).await?;
                }
            }
        }
    }

    /// True if the game is no longer in memory.
    fn is_game_gone(&self) -> bool {
        self.purpose.elsewhere.is_none() && self.app.service.meta(self.game).is_none()
    }

    /// Sends the pending answers. A new stream starts after its `hello` and replaces the previous one.
    async fn answer(&mut self, socket: &Arc<SharedSocket>) -> Option<()> {
        let change = self.change.take();
        if self.answers.is_empty() && change.is_none() {
            return Some(());
        }
        if matches!(change, Some(ReadingChange::Replace(_))) {
            socket.stop_reading();
        }
        let answers = self.answers.drain(..).filter_map(|line| serde_json::to_string(&line).ok());
        let answers = answers.collect::<Vec<_>>().join("\n");
        if !answers.is_empty() {
            socket.send(Message::text(answers)).await?;
        }
        match change {
            Some(ReadingChange::Replace(reader)) => socket.start_reading(reader),
            Some(ReadingChange::Restart) => socket.restart(),
            None => {}
        }
        Some(())
    }

    /// Detaches from the game, after the connection was closed.
    pub(super) fn leave(&mut self) {
        self.watching = None;
        if let Some(cell) = self.cell.take() {
            cell.send(GameCommand::Detach(self.presence.id), None);
        }
        self.counted_watcher = None;
    }

    /// Handles one line of the client.
    async fn handle_line(&mut self, now: Timestamp, line: &str) -> Result<(), CloseReason> {
        if !self.lines.take(now, LINE_RATE, 1) {
            return self.note_fault("too fast: this line was dropped");
        }
        let line = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(why) => return self.note_fault(&format!("this line can't be read: {why}")),
        };
        match line {
            // In a box: a connection needs no memory for these most of the time.
            ClientLine::Join(join) => return Box::pin(self.join(join)).await,
            ClientLine::Watch(watch) => return Box::pin(self.watch(watch)).await,
            ClientLine::Ping(number) => self.answers.push(DirectLine::Pong(number)),
            _ if !self.has_begun => return self.note_fault("send join or watch first"),
            ClientLine::Key(_) if !self.is_player => {
                return self.note_fault("you are watching: only players press keys");
            }
            ClientLine::Key(key) => {
                self.app.metrics.keys.inc();
                if let Some(cell) = &self.cell {
                    cell.send(GameCommand::Key(self.presence.id, key), None);
                }
            }
            ClientLine::Start => return Box::pin(self.command(GameCommand::Start)).await,
            ClientLine::End => return Box::pin(self.command(GameCommand::End)).await,
            ClientLine::Whole => match &mut self.change {
                Some(ReadingChange::Replace(reader)) => reader.restart(),
                change => *change = Some(ReadingChange::Restart),
            },
        }
        Ok(())
    }

    async fn join(&mut self, join: Join) -> Result<(), CloseReason> {
        if self.is_player {
            return self.note_fault("you have joined already");
        }
        if self.purpose.only_watches {
            return self.note_fault("this connection only watches: connect without ?watch to play");
        }
        let token = match &self.account {
            Some(_) => None,
            None => Some(self.identify(&join).await?),
        };
        let Some(account) = self.account.clone() else {
            return Err((Close::Failed, "the account is missing".into()));
        };
        self.attach(AttachRole::Play, &account, join.since.as_ref(), (token, join.client)).await?;
        self.presence.set_player(account, self.game);
        self.is_player = true;
        self.counted_watcher = None;
        Ok(())
    }

    /// Identifies a client without a cookie by its token, or creates a guest. Returns the token.
    async fn identify(&mut self, join: &Join) -> Result<SessionToken, CloseReason> {
        let rejected = |why: String| (Close::Rejected, why);
        let (account, token) = if let Some(text) = &join.token {
            self.restore_session(text).await?.ok_or_else(|| {
                rejected("this token is not known here. Join with a name to take a new seat".into())
            })?
        } else {
            let guest = new_guest(&self.app, self.source, join.name.clone()).await;
            guest.map_err(|rejection| {
                let close = if rejection.is_passing() { Close::Busy } else { Close::Rejected };
                (close, rejection.sentence().to_owned())
            })?
        };
        let banned = self.app.service.lobby().ensure_not_banned(Some(account.id), self.source);
        banned.map_err(|why| rejected(why.to_string()))?;
        self.account = Some(Arc::new(account));
        Ok(token)
    }

    /// Returns the account of a token; `None` if it is unknown. If the database does not answer, the connection is closed, so
    /// that the player does not lose the seat by becoming a new guest.
    async fn restore_session(
        &self,
        text: &str,
    ) -> Result<Option<(Account, SessionToken)>, CloseReason> {
        let Ok(token) = text.parse::<SessionToken>() else { return Ok(None) };
        let found = self.app.service.store.session(&token, unix_time_ms()).await;
        let found = found.map_err(|_| (Close::Busy, "try again in a moment".to_owned()))?;
        Ok(found.map(|account| (account, token)))
    }

    async fn watch(&mut self, watch: Watch) -> Result<(), CloseReason> {
        if self.is_player {
            return self.note_fault("you play in this game: open another connection to watch it");
        }
        if self.counted_watcher.is_none() {
            let counted = self.app.watchers.admit(self.source, false);
            let busy = || (Close::Busy, "too many people are watching. Try again later".into());
            self.counted_watcher = Some(counted.ok_or_else(busy)?);
        }
        let guest = Account { id: NO_ACCOUNT, name: String::new(), claimed: false };
        let account = self.account.as_deref().cloned().unwrap_or(guest);
        let role = AttachRole::Watch(watch.view);
        self.attach(role, &account, watch.since.as_ref(), (None, None)).await
    }

    async fn attach(
        &mut self,
        role: AttachRole,
        account: &Account,
        since: Option<&Since>,
        (token, client): (Option<SessionToken>, Option<JoinClient>),
    ) -> Result<(), CloseReason> {
        let creator = self.app.service.meta(self.game).map(|meta| meta.creator);
        let attach = Attach {
            connection: self.presence.id,
            person: account.id,
            name: account.name.clone(),
            role,
            client,
            is_creator: creator == Some(account.id),
        };
        let attached = match self.purpose.elsewhere.clone() {
            Some(owner) => self.follow(&owner, role).await,
            None => self.attach_here(attach).await,
        };
        let service = &self.app.service;
        match attached {
            Ok(attached) => {
                let mut hello = attached.hello;
                hello.token = token.map(|token| token.secret_text());
                let reader =
                    attached.stream.reader(service.workers.clock(), attached.audience, since);
                let missed = attached.notice.filter(|_| !self.has_begun && reader.is_at_start());
                self.change = Some(ReadingChange::Replace(reader));
                self.has_begun = true;
                self.answers.push(DirectLine::Hello(hello.into()));
                self.answers.extend(missed.map(DirectLine::Notice));
                Ok(())
            }
            // A watcher who requests a view that doesn't exist keeps the current one.
            Err((_, why)) if self.has_begun => self.note_fault(&why),
            Err(closed) => Err(closed),
        }
    }

    /// Returns the close code for an error. In a cluster a game that is not here any more is at another node.
    fn close_for(&self, why: &AttachError) -> Close {
        match why {
            AttachError::NoSuchGame if self.app.neighbours.is_some() => Close::Busy,
            AttachError::NoSuchGame | AttachError::Over => Close::Done,
            AttachError::Failed => Close::Failed,
            AttachError::Unavailable => Close::Busy,
            _ => Close::Rejected,
        }
    }

    async fn attach_here(&mut self, attach: Attach) -> Result<Attached, CloseReason> {
        let mailbox = Arc::clone(&self.presence.mailbox);
        self.cell = self.app.service.workers.find(self.game);
        let attached = match &self.cell {
            Some(cell) => cell.attach(attach, mailbox).await,
            None => Err(AttachError::NoSuchGame),
        };
        attached.map_err(|why| (self.close_for(&why), why.to_string()))
    }

    /// Watches a copy of a stream of the node that runs the game.
    async fn follow(
        &mut self,
        owner: &RemoteGame,
        role: AttachRole,
    ) -> Result<Attached, CloseReason> {
        let (Some(neighbours), AttachRole::Watch(view)) = (&self.app.neighbours, role) else {
            return Err((Close::Busy, String::new()));
        };
        let (watching, copy) = neighbours.watch(owner, view).await?;
        self.watching = Some(watching);
        Ok(Attached {
            hello: copy.hello.clone(),
            stream: Arc::clone(&copy.stream),
            audience: Audience::Watcher,
            notice: copy.notice(),
        })
    }

    /// Sends the game a command of its creator.
    async fn command(&mut self, command: GameCommand) -> Result<(), CloseReason> {
        if self.purpose.only_watches {
            return self.note_fault("this connection only watches");
        }
        let who = Authority::Person(self.account.as_ref().map_or(NO_ACCOUNT, |account| account.id));
        let game = self.game;
        let done = self.app.service.command(move |lobby, _| lobby.command(who, game, command));
        match done.await {
            Ok(()) => Ok(()),
            Err(why) => self.note_fault(&why.to_string()),
        }
    }

    /// Answers a line with an error; too many errors close the connection.
    fn note_fault(&mut self, words: &str) -> Result<(), CloseReason> {
        let now = self.app.service.workers.clock().now();
        if !self.faults.take(now, FAULT_RATE, 1) {
            return Err((Close::Rejected, format!("too many errors; the last: {words}")));
        }
        self.answers.push(DirectLine::Error(words.to_owned()));
        Ok(())
    }
}

/// Waits for the end of a copied stream, if there is one.
async fn end_of(watching: Option<&Upstream>) -> StreamEnd {
    match watching {
        Some(watching) => watching.ended().await,
        None => std::future::pending().await,
    }
}
