//! The pages: gathers the data of each.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::Markup;
use nuggets_game::shipped;
use nuggets_time::unix_time_ms;

use super::SiteState;
use super::rejection::HttpError;
use super::request_client::RequestClient;
use super::visitor::Visitor;
use crate::pages::{
    self, BuiltInMap, LobbyPage, NewGamePage, PageFrame, PlayPage, PlayerPage, ShowPage,
};
use crate::{GameId, LobbyRow};

mod admin;

pub(super) use admin::admin;

/// The number of finished games in the lobby.
const FINISHED_IN_LOBBY: u32 = 12;

/// The maximum number of players in the table of ratings.
const MAX_PLAYERS: u32 = 500;

const DRAINING: &str =
    "This host will stop soon: running games are played to their end, new ones don't begin.";

/// Parses the id in the path of a game.
pub(super) fn game_id(text: &str) -> Result<GameId, HttpError> {
    text.parse().map_err(|_| unknown_game())
}

fn unknown_game() -> HttpError {
    // The default text of the error page describes the form of links.
    HttpError::not_found("")
}

/// Returns the frame of a page for this visitor.
fn frame<'a>(app: &SiteState, visitor: &'a Visitor) -> PageFrame<'a> {
    let notice = app.service.lobby().is_draining().then_some(DRAINING);
    PageFrame { person: visitor.name(), notice, ..PageFrame::default() }
}

fn html(markup: Markup) -> Html<String> {
    Html(markup.into_string())
}

/// `GET /`
pub(super) async fn lobby(
    State(app): State<SiteState>,
    visitor: Visitor,
) -> Result<impl IntoResponse, HttpError> {
    let games = app.service.rows(visitor.id()).await;
    let finished = app.service.store.finished_games(visitor.id(), FINISHED_IN_LOBBY).await?;
    let data = LobbyPage { games: &games, finished: &finished, now_unix_ms: unix_time_ms() };
    Ok(html(pages::lobby(&frame(&app, &visitor), &data)))
}

/// `GET /lobby/games`: the part of the lobby that changes often.
pub(super) async fn running_games(State(app): State<SiteState>, visitor: Visitor) -> Html<String> {
    html(pages::running_games(&app.service.rows(visitor.id()).await))
}

/// `GET /new`
pub(super) async fn new_game(State(app): State<SiteState>, visitor: Visitor) -> Html<String> {
    let built_in = |shipped: &shipped::ShippedMap| {
        let map = shipped.map();
        BuiltInMap {
            name: shipped.name.to_owned(),
            rows: map.rows().into(),
            cols: map.cols().into(),
        }
    };
    let maps: Vec<BuiltInMap> = shipped::ALL.iter().map(built_in).collect();
    let closed = app.service.lobby().is_draining().then_some(DRAINING);
    html(pages::new_game(&frame(&app, &visitor), &NewGamePage { maps: &maps, closed }))
}

/// `GET /g/{id}`: a visitor without an account becomes a guest.
pub(super) async fn play(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response, HttpError> {
    let id = game_id(&id)?;
    let client = visitor.client.clone();
    let Some(row) = app.service.row(id, visitor.id()) else { return to_replay(&app, id).await };
    let (person, cookie) = visitor.into_person(&app).await?;
    let notice = app.service.lobby().is_draining().then_some(DRAINING);
    let frame = PageFrame { person: Some(&person.name), notice, ..PageFrame::default() };
    let classic = classic_line(&app, &client, &row);
    let page = pages::play(&frame, &PlayPage { game: &row, classic: classic.as_deref() });
    Ok((cookie, html(page)).into_response())
}

/// `GET /g/{id}/watch`
pub(super) async fn watch(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response, HttpError> {
    let id = game_id(&id)?;
    match app.service.row(id, visitor.id()) {
        Some(row) => Ok(html(pages::watch(&frame(&app, &visitor), &row)).into_response()),
        None => to_replay(&app, id).await,
    }
}

/// `GET /g/{id}/show`
pub(super) async fn show(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response, HttpError> {
    let id = game_id(&id)?;
    let Some(row) = app.service.row(id, visitor.id()) else { return to_replay(&app, id).await };
    let link = format!("{}/g/{id}", visitor.client.url);
    let classic = classic_line(&app, &visitor.client, &row);
    let data = ShowPage { game: &row, link: &link, classic: classic.as_deref() };
    Ok(html(pages::show(&frame(&app, &visitor), &data)).into_response())
}

/// Redirects to the replay of a finished game.
async fn to_replay(app: &SiteState, id: GameId) -> Result<Response, HttpError> {
    match app.service.finished_game(id).await? {
        Some(_) => Ok(Redirect::to(&format!("/g/{id}/replay")).into_response()),
        None => Err(unknown_game()),
    }
}

/// Returns the command line to join with a client of the specification.
fn classic_line(app: &SiteState, client: &RequestClient, row: &LobbyRow) -> Option<String> {
    let (_, host) = client.url.split_once("://")?;
    // The address in the browser may be that of another node.
    let host = app.service.cluster.as_ref().map_or(host, |cluster| cluster.host_name());
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match row.udp_port {
        Some(port) => Some(format!("player {host} {port} NAME")),
        None => app.service.has_udp().then(|| {
            "Not for clients from the course: no UDP port of this host is free.".to_owned()
        }),
    }
}

/// `GET /g/{id}/replay`
pub(super) async fn replay(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Html<String>, HttpError> {
    let id = game_id(&id)?;
    let replay = app.replay(id, visitor.client.source).await?;
    Ok(html(pages::replay(&frame(&app, &visitor), id, &replay.summary)))
}

/// `GET /g/{id}/recording`
pub(super) async fn recording(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    client: RequestClient,
) -> Result<impl IntoResponse, HttpError> {
    let id = game_id(&id)?;
    let replay = app.replay(id, client.source).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.nuggets\"")),
    ];
    Ok((headers, replay.recording.clone()))
}

/// `GET /wall`
pub(super) async fn wall(State(app): State<SiteState>, visitor: Visitor) -> Html<String> {
    html(pages::wall(&frame(&app, &visitor)))
}

/// `GET /players`
pub(super) async fn players(
    State(app): State<SiteState>,
    visitor: Visitor,
) -> Result<Html<String>, HttpError> {
    let rows = app.service.store.ratings(MAX_PLAYERS).await?;
    Ok(html(pages::players(&frame(&app, &visitor), &rows, visitor.id())))
}

/// `GET /players/{id}`
pub(super) async fn player(
    State(app): State<SiteState>,
    Path(link): Path<String>,
    visitor: Visitor,
) -> Result<Html<String>, HttpError> {
    let unknown = || HttpError::not_found("There is no such player.");
    let who = pages::player_from_link(&link).ok_or_else(unknown)?;
    let history = app.service.store.player_history(who.clone(), visitor.id()).await?;
    let history = history.ok_or_else(unknown)?;
    let data = PlayerPage { who: &who, history: &history, now_unix_ms: unix_time_ms() };
    Ok(html(pages::player(&frame(&app, &visitor), &data)))
}

/// `GET /account`: a visitor without an account becomes a guest.
pub(super) async fn account(
    State(app): State<SiteState>,
    visitor: Visitor,
) -> Result<impl IntoResponse, HttpError> {
    let claimed = visitor.account.as_ref().is_some_and(|account| account.claimed);
    let (person, cookie) = visitor.into_person(&app).await?;
    let frame = PageFrame { person: Some(&person.name), ..PageFrame::default() };
    let account = crate::Account { id: person.id, name: person.name.clone(), claimed };
    Ok((cookie, html(pages::account_page(&frame, &account))))
}
