//! The pages: gathers the data of each.

use axum::extract::{FromRequestParts, Path, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::Markup;
use nuggets_time::unix_time_ms;

use super::SiteState;
use super::rejection::HttpError;
use super::request_client::RequestClient;
use super::visitor::Visitor;
use crate::pages::{self, PageFrame};
use crate::{Account, GameId, LobbyRow};

mod admin;

pub(super) use admin::admin;

const FINISHED_IN_LOBBY: u32 = 12;

/// The maximum number of players in the table of ratings.
const MAX_PLAYERS: u32 = 500;

const DRAINING: &str =
    "This host will stop soon: running games are played to their end, new ones don't begin.";

/// The game that the path of a request names.
pub(super) struct GameLink(pub(super) GameId);

impl FromRequestParts<SiteState> for GameLink {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        let found = Path::<GameId>::from_request_parts(parts, app).await;
        // The default text of the error page describes the form of links.
        found.map(|Path(game)| Self(game)).map_err(|_| HttpError::not_found(""))
    }
}

fn frame(visitor: &Visitor) -> PageFrame<'_> {
    let person = visitor.account.as_ref().map(|account| account.name.as_str());
    PageFrame { person, notice: draining(&visitor.app) }
}

/// Returns the notice of a host that begins no more games.
fn draining(app: &SiteState) -> Option<&'static str> {
    app.service.lobby().is_draining().then_some(DRAINING)
}

fn html(markup: Markup) -> Html<String> {
    Html(markup.into_string())
}

/// `GET /`
pub(super) async fn lobby(visitor: Visitor) -> Result<Html<String>, HttpError> {
    let service = &visitor.app.service;
    let games = service.rows(visitor.id()).await;
    let finished = service.store.finished_games(visitor.id(), FINISHED_IN_LOBBY).await?;
    Ok(html(pages::lobby(&frame(&visitor), &games, &finished, unix_time_ms())))
}

/// `GET /lobby/games`: the part of the lobby that changes often.
pub(super) async fn running_games(visitor: Visitor) -> Html<String> {
    html(pages::running_games(&visitor.app.service.rows(visitor.id()).await))
}

/// `GET /new`
pub(super) async fn new_game(visitor: Visitor) -> Html<String> {
    html(pages::new_game(&frame(&visitor), draining(&visitor.app)))
}

/// `GET /g/{id}`: a visitor without an account becomes a guest.
pub(super) async fn play(GameLink(id): GameLink, visitor: Visitor) -> Result<Response, HttpError> {
    let Some(row) = visitor.app.service.row(id, visitor.id()) else {
        return to_replay(&visitor.app, id).await;
    };
    let (person, cookie) = visitor.person().await?;
    let frame = PageFrame { person: Some(&person.name), ..frame(&visitor) };
    let classic = classic_line(&visitor, &row);
    Ok((cookie, html(pages::play(&frame, &row, classic.as_deref()))).into_response())
}

/// `GET /g/{id}/watch`
pub(super) async fn watch(GameLink(id): GameLink, visitor: Visitor) -> Result<Response, HttpError> {
    match visitor.app.service.row(id, visitor.id()) {
        Some(row) => Ok(html(pages::watch(&frame(&visitor), &row)).into_response()),
        None => to_replay(&visitor.app, id).await,
    }
}

/// `GET /g/{id}/show`
pub(super) async fn show(GameLink(id): GameLink, visitor: Visitor) -> Result<Response, HttpError> {
    let Some(row) = visitor.app.service.row(id, visitor.id()) else {
        return to_replay(&visitor.app, id).await;
    };
    let link = format!("{}/g/{id}", visitor.client.url);
    let classic = classic_line(&visitor, &row);
    let page = pages::show(&frame(&visitor), &row, &link, classic.as_deref());
    Ok(html(page).into_response())
}

/// Redirects to the replay of a finished game.
async fn to_replay(app: &SiteState, id: GameId) -> Result<Response, HttpError> {
    match app.service.finished_game(id).await? {
        Some(_) => Ok(Redirect::to(&format!("/g/{id}/replay")).into_response()),
        None => Err(HttpError::not_found("")),
    }
}

/// Returns the command line to join with a client of the specification.
fn classic_line(visitor: &Visitor, row: &LobbyRow) -> Option<String> {
    let service = &visitor.app.service;
    let (_, host) = visitor.client.url.split_once("://")?;
    // The address in the browser may be that of another node.
    let host = service.cluster.as_ref().map_or(host, |cluster| cluster.host_name());
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match row.udp_port {
        Some(port) => Some(format!("player {host} {port} NAME")),
        None => service.udp.is_some().then(|| {
            "Not for clients from the course: no UDP port of this host is free.".to_owned()
        }),
    }
}

/// `GET /g/{id}/replay`
pub(super) async fn replay(
    GameLink(id): GameLink,
    visitor: Visitor,
) -> Result<Html<String>, HttpError> {
    let replay = visitor.app.replay(id, visitor.client.source).await?;
    Ok(html(pages::replay(&frame(&visitor), id, &replay.summary)))
}

/// `GET /g/{id}/recording`
pub(super) async fn recording(
    State(app): State<SiteState>,
    GameLink(id): GameLink,
    client: RequestClient,
) -> Result<impl IntoResponse, HttpError> {
    let replay = app.replay(id, client.source).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.nuggets\"")),
    ];
    Ok((headers, replay.recording.clone()))
}

/// `GET /wall`
pub(super) async fn wall(visitor: Visitor) -> Html<String> {
    html(pages::wall(&frame(&visitor)))
}

/// `GET /players`
pub(super) async fn players(visitor: Visitor) -> Result<Html<String>, HttpError> {
    let rows = visitor.app.service.store.ratings(MAX_PLAYERS).await?;
    Ok(html(pages::players(&frame(&visitor), &rows, visitor.id())))
}

/// `GET /players/{id}`
pub(super) async fn player(
    Path(link): Path<String>,
    visitor: Visitor,
) -> Result<Html<String>, HttpError> {
    let unknown = || HttpError::not_found("There is no such player.");
    let who = pages::player_from_link(&link).ok_or_else(unknown)?;
    let store = &visitor.app.service.store;
    let history = store.player_history(who.clone(), visitor.id()).await?.ok_or_else(unknown)?;
    Ok(html(pages::player(&frame(&visitor), &who, &history, unix_time_ms())))
}

/// `GET /account`: a visitor without an account becomes a guest.
pub(super) async fn account(visitor: Visitor) -> Result<impl IntoResponse, HttpError> {
    let claimed = visitor.account.as_ref().is_some_and(|account| account.claimed);
    let (person, cookie) = visitor.person().await?;
    let frame = PageFrame { person: Some(&person.name), ..PageFrame::default() };
    let account = Account { id: person.id, name: person.name.clone(), claimed };
    Ok((cookie, html(pages::account_page(&frame, &account))))
}
