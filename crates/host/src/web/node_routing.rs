//! The routing rule of a cluster: a request about a game that another node runs is passed on to that node, once.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::ws::{CloseFrame, Message, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::time::timeout;
use tracing::debug;

use super::SiteState;
use super::rejection::{HttpError, as_page};
use super::request_client::RequestClient;
use crate::GameId;
use crate::cluster::neighbours::Neighbours;
use crate::cluster::pass_on::{ClientRequest, NOT_HANDLED, PassOnError};
use crate::cluster::routes::{RemoteGame, Route};
use crate::cluster::signature::PassedOn;

/// Maximum size of a body that is kept until the owner has answered, so that it can be resent.
const MAX_KEPT_BODY: usize = 64 << 10;
/// Timeout for a client to send such a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout for the owner to answer if a person has a seat.
const SEAT_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for a game that this node has just got to be opened. A client that is sent away would take longer to come back.
const OPENING_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for a client to read the close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Headers in which a proxy describes a client; between nodes the signed headers do that.
const FORWARDED: [&str; 3] = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"];
/// The close code for "try again later" (docs/web-protocol.md).
const BUSY: u16 = 1013;

const NOWHERE: &str = "This game is being moved to another node. Try again in a moment.";

/// Handles a request on this node or passes it on.
pub(super) async fn route(State(app): State<SiteState>, request: Request, next: Next) -> Response {
    let Some(neighbours) = app.neighbours.clone() else { return next.run(request).await };
    let (mut parts, body) = request.into_parts();
    let passed_on = match neighbours.check(&mut parts) {
        Ok(passed_on) => passed_on,
        Err(why) => {
            // For example right after a start of one of the two nodes: their routes name earlier processes.
            debug!("{why}");
            return not_handled(StatusCode::MISDIRECTED_REQUEST, &why.to_string());
        }
    };
    if let Some(passed_on) = passed_on {
        parts.extensions.insert(passed_on);
    }
    let Some(game) = game_of(parts.uri.path()) else {
        return next.run(Request::from_parts(parts, body)).await;
    };
    let route = match neighbours.route(game).await {
        // The sender has read the owner just now: it may know more than this node.
        Route::There(..) | Route::Nowhere if passed_on.is_some() => neighbours.look_up(game).await,
        route => route,
    };
    match route {
        Route::Here if !app.health.is_good() || !is_open_soon(&app, &neighbours, game).await => {
            unavailable(&mut parts, &app).await
        }
        Route::Here | Route::Unknown => next.run(Request::from_parts(parts, body)).await,
        _ if passed_on.is_some() => {
            not_handled(StatusCode::MISDIRECTED_REQUEST, "This node does not run that game.")
        }
        Route::There(owner) if is_watch(&parts) && !plays_there(&mut parts, &app, &owner).await => {
            parts.extensions.insert(owner);
            next.run(Request::from_parts(parts, body)).await
        }
        route => pass_on(&app, &neighbours, game, route, (parts, body)).await,
    }
}

/// Waits for a game that was handed over to this node, or that it has claimed.
async fn is_open_soon(app: &SiteState, neighbours: &Neighbours, game: GameId) -> bool {
    let opened = neighbours.wait_until(|| app.service.meta(game).is_some());
    timeout(OPENING_TIMEOUT, opened).await.is_ok()
}

/// Returns the game that a request is about.
fn game_of(path: &str) -> Option<GameId> {
    let rest = ["/g/", "/api/games/", "/api/admin/games/"]
        .into_iter()
        .find_map(|prefix| path.strip_prefix(prefix))?;
    rest.split('/').next()?.parse().ok()
}

/// True for the WebSocket of a client that only watches.
fn is_watch(parts: &Parts) -> bool {
    parts.uri.path().ends_with("/ws") && has_flag(parts, "watch")
}

pub(super) fn has_flag(parts: &Parts, flag: &str) -> bool {
    parts.uri.query().is_some_and(|query| query.split('&').any(|part| part == flag))
}

/// True if this person may have a seat in the game; then the owner decides which views it may watch. Always false for
/// clients without a cookie.
async fn plays_there(parts: &mut Parts, app: &SiteState, owner: &RemoteGame) -> bool {
    if !parts.headers.contains_key(header::COOKIE) {
        return false;
    }
    let seat = async {
        let mut request = client_request(parts, app).await.ok()?;
        request.path = PathAndQuery::try_from(format!("/api/games/{}", owner.game)).ok()?;
        request.headers.remove(header::UPGRADE);
        request.headers.remove(header::ACCEPT_ENCODING);
        let neighbours = app.neighbours.as_ref()?;
        let answer = neighbours.ask(&owner.member, request, Body::empty()).await.ok()?;
        let row = to_bytes(answer.into_body(), MAX_KEPT_BODY).await.ok()?;
        serde_json::from_slice::<SeatAnswer>(&row).ok()
    };
    let seat = timeout(SEAT_TIMEOUT, seat).await;
    seat.ok().flatten().is_none_or(|seat| seat.seated)
}

/// The relevant part of `GET /api/games/{id}`.
#[derive(Deserialize)]
struct SeatAnswer {
    #[serde(default)]
    seated: bool,
}

async fn pass_on(
    app: &SiteState,
    neighbours: &Arc<Neighbours>,
    game: GameId,
    mut route: Route,
    (mut parts, body): (Parts, Body),
) -> Response {
    let request = match client_request(&mut parts, app).await {
        Ok(request) => request,
        Err(rejection) => return rejection.into_response(),
    };
    let Some((mut body, kept)) = keep_body(body).await else {
        return HttpError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long")
            .into_response();
    };
    while let Route::There(owner) = &route {
        let client = &mut parts.extensions;
        let why = match neighbours.pass_on(owner, request.clone(), body, client).await {
            Ok(answer) => return answer,
            Err(why) => why,
        };
        debug!("game {game}: {why}");
        if !matches!(why, PassOnError::NotOwner(_)) {
            break;
        }
        let now = neighbours.look_up(game).await;
        let Some(kept) = kept.as_ref().filter(|_| now != route) else { break };
        (body, route) = (Body::from(kept.clone()), now);
    }
    unavailable(&mut parts, app).await
}

/// Describes the client for the owner, as this node sees it.
async fn client_request(parts: &mut Parts, app: &SiteState) -> Result<ClientRequest, HttpError> {
    let client = RequestClient::from_request_parts(parts, app).await?;
    let mut headers = parts.headers.clone();
    for name in FORWARDED {
        headers.remove(name);
    }
    let host = HeaderValue::try_from(client.host).map_err(|_| HttpError::not_found(""))?;
    headers.insert(header::HOST, host);
    let path = parts.uri.path_and_query().cloned();
    Ok(ClientRequest {
        method: parts.method.clone(),
        path: path.unwrap_or_else(|| PathAndQuery::from_static("/")),
        headers,
        client: PassedOn { source: client.source, is_https: client.is_https },
    })
}

/// Reads a small body into memory, so that it can be sent again. `None` if it does not arrive or has a wrong length.
async fn keep_body(body: Body) -> Option<(Body, Option<Bytes>)> {
    let is_small = body.size_hint().upper().is_some_and(|bytes| bytes <= MAX_KEPT_BODY as u64);
    if !is_small {
        return Some((body, None));
    }
    let whole = timeout(BODY_TIMEOUT, to_bytes(body, MAX_KEPT_BODY)).await.ok()?.ok()?;
    Some((Body::from(whole.clone()), Some(whole)))
}

/// Answers that no node serves this game at the moment. Accepts a WebSocket and closes it, so that pages get the reason.
async fn unavailable(parts: &mut Parts, app: &SiteState) -> Response {
    if let Ok(socket) = WebSocketUpgrade::from_request_parts(parts, app).await {
        return socket.on_upgrade(async move |mut socket| {
            let frame = CloseFrame { code: BUSY, reason: NOWHERE.into() };
            let _ = timeout(CLOSE_TIMEOUT, socket.send(Message::Close(Some(frame)))).await;
        });
    }
    let rejection = HttpError::new(StatusCode::SERVICE_UNAVAILABLE, NOWHERE);
    let mut response = as_page(parts.uri.path(), rejection.into_response());
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Rejects a request of another node that this node can't handle.
fn not_handled(status: StatusCode, words: &str) -> Response {
    let mut response = HttpError::new(status, words).into_response();
    response.headers_mut().insert(NOT_HANDLED, HeaderValue::from_static("1"));
    response
}
