//! `GET /g/{id}/ws`: opens and closes connections, each with its own task (docs/web-protocol.md).

mod conversation;
mod shared_socket;
#[cfg(test)]
mod tests;
mod wire_limits;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;

use super::SiteState;
use super::connections::Admitted;
use super::node_routing::has_flag;
use super::pages::GameLink;
use super::rejection::HttpError;
use super::request_client::Initiator;
use super::visitor::Visitor;
use crate::cluster::routes::RemoteGame;
use crate::cluster::signature::PassedOn;
use crate::cluster::upstream::StreamEnd;
use crate::service::Dismissal;
use crate::wire::DirectLine;
use conversation::Conversation;
use shared_socket::SharedSocket;
use wire_limits::{MAX_MESSAGE_BYTES, READ_BUFFER_BYTES};

/// The notice to clients before a stopping host closes their connections. It can't know whether it will be restarted.
const STOPPING: &str = "The host stops or restarts now. Your game is kept, and you come back to it when the host is back.";

/// The reason in the close frame of a game that has moved: the client reconnects and is routed to another node.
const MOVED: &str = "this game goes on at another node: connect again";

/// The close codes of the server (docs/web-protocol.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// Everything has been sent.
    Done = 1000,
    /// The client violated the protocol, a limit or a ban.
    Rejected = 1008,
    /// The game has failed.
    Failed = 1011,
    /// The host stops or restarts.
    Restart = 1012,
    /// Too many connections at the moment, or the game is being moved to another node.
    Busy = 1013,
}

impl From<StreamEnd> for (Close, String) {
    /// Returns the code and reason with which the owner has closed the connection of this node.
    fn from(StreamEnd { code, words }: StreamEnd) -> Self {
        let all = [Close::Done, Close::Rejected, Close::Failed, Close::Restart];
        let known = all.into_iter().find(|close| *close as u16 == code);
        (known.unwrap_or(Close::Busy), words)
    }
}

/// The purpose of a connection, besides its game.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPurpose {
    /// True for `?watch`: the connection never plays.
    only_watches: bool,
    /// The node that runs the game, if it is not this one.
    elsewhere: Option<RemoteGame>,
    /// True if the client is another node that watches on behalf of all its watchers.
    is_node: bool,
}

impl FromRequestParts<SiteState> for ConnectionPurpose {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &SiteState) -> Result<Self, Infallible> {
        Ok(Self {
            only_watches: has_flag(parts, "watch"),
            elsewhere: parts.extensions.get().cloned(),
            is_node: has_flag(parts, "node") && parts.extensions.get::<PassedOn>().is_some(),
        })
    }
}

/// `GET /g/{id}/ws`
pub(super) async fn upgrade(
    GameLink(game): GameLink,
    mut visitor: Visitor,
    purpose: ConnectionPurpose,
    socket: WebSocketUpgrade,
) -> Result<Response, HttpError> {
    let app = Arc::clone(&visitor.app);
    match visitor.client.initiator {
        Initiator::Own => {}
        // Without an `Origin`, the request may not be from a page of this host, so its cookie proves nothing.
        Initiator::Unknown => visitor.account = None,
        Initiator::Foreign => {
            let error = "only pages of this host may connect; programs send no Origin";
            return Err(HttpError::new(StatusCode::FORBIDDEN, error));
        }
    }
    if purpose.elsewhere.is_none() && app.service.meta(game).is_none() {
        return Err(HttpError::not_found("there is no such game, or it is over"));
    }
    if app.is_stopping.load(Ordering::Relaxed) {
        let error = "the host stops; it continues with all games when it is back";
        return Err(HttpError::new(StatusCode::SERVICE_UNAVAILABLE, error));
    }
    let source = visitor.client.source;
    let admitted = app.sockets.admit(source, purpose.is_node).ok_or_else(|| {
        let error = "too many connections from your address. Close some, then try again";
        HttpError::new(StatusCode::TOO_MANY_REQUESTS, error)
    })?;
    let socket = socket
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES);
    let conversation = Box::new(Conversation::new(game, visitor, purpose));
    Ok(socket.on_upgrade(async move |socket| {
        let socket = SharedSocket::new(app, socket);
        // In a task of its own, which is smaller than that of the upgrade.
        tokio::spawn(serve(conversation, socket, admitted));
    }))
}

/// Serves one connection until it ends.
async fn serve(
    mut conversation: Box<Conversation>,
    socket: Arc<SharedSocket>,
    _admitted: Admitted,
) {
    let close = conversation.run(&socket).await;
    socket.stop_reading();
    conversation.leave();
    if let Some((close, words)) = close {
        let last = match close {
            Close::Restart if words != MOVED => Some(DirectLine::Notice(STOPPING.to_owned())),
            Close::Restart => None,
            _ => (!words.is_empty()).then(|| DirectLine::Error(words.clone())),
        };
        if let Some(last) = last {
            let _ = socket.send_line(&last).await;
        }
        let frame = CloseFrame { code: close as u16, reason: short(&words).into() };
        let _ = socket.send(Message::Close(Some(frame))).await;
    }
}

fn dismissed(why: Dismissal) -> (Close, String) {
    match why {
        Dismissal::Banned => (Close::Rejected, "the host has banned you from its games".into()),
        Dismissal::Moved => (Close::Restart, MOVED.into()),
        Dismissal::Unavailable => (Close::Busy, "saving is not possible at the moment".into()),
        Dismissal::Stopping => (Close::Restart, "the host restarts".into()),
    }
}

/// Truncates the reason of a close frame to the maximum of 123 bytes.
fn short(words: &str) -> String {
    let mut end = words.len().min(120);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words[..end].to_owned()
}
