//! Games: list, create, play again, start, end, and the replay of a finished one.

use axum::Json;
use axum::extract::Query;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Body;
use crate::setup::prepare;
use crate::web::pages::GameLink;
use crate::web::rate_limits::Limited;
use crate::web::rejection::HttpError;
use crate::web::visitor::{OwnPage, Visitor};
use crate::{
    Authority, FinishedGame, GameCommand, GameId, GameSpec, LobbyError, LobbyRow, NewGame,
    SpecError, random,
};

/// A finished game in the response of `GET /api/games/{id}`.
#[derive(Debug, Serialize)]
struct Over {
    stage: &'static str,
    #[serde(flatten)]
    game: FinishedGame,
}

/// `GET /api/games`
pub(super) async fn list(visitor: Visitor) -> Json<Vec<LobbyRow>> {
    Json(visitor.app.service.rows(visitor.id()).await)
}

/// `POST /api/games`
pub(super) async fn create(
    OwnPage(visitor): OwnPage,
    Body(spec): Body<GameSpec>,
) -> Result<impl IntoResponse, HttpError> {
    let app = &visitor.app;
    app.limits.spend(Limited::MapCheck, visitor.client.source)?;
    let (who, cookie) = visitor.person().await?;
    let checked = tokio::task::spawn_blocking(move || {
        let prepared = prepare(&spec, random::seed())?;
        Ok::<_, SpecError>(NewGame { id: random::game_id(), spec, prepared })
    });
    let game = checked.await.map_err(HttpError::internal)??;
    let id = app.service.command(move |lobby, now| lobby.create(now, &who, game)).await?;
    let id = app.service.ensure_stored(id).await?;
    app.metrics.created.inc();
    Ok((cookie, Json(json!({ "id": id }))))
}

/// `GET /api/games/{id}`
pub(super) async fn show(GameLink(id): GameLink, visitor: Visitor) -> Result<Response, HttpError> {
    let service = &visitor.app.service;
    if let Some(row) = service.row(id, visitor.id()) {
        return Ok(Json(row).into_response());
    }
    let game = service.finished_game(id).await?;
    let game = game.ok_or_else(|| HttpError::not_found("there is no such game"))?;
    Ok(Json(Over { stage: "over", game }).into_response())
}

/// `POST /api/games/{id}/again`
pub(super) async fn again(
    GameLink(game): GameLink,
    OwnPage(visitor): OwnPage,
) -> Result<impl IntoResponse, HttpError> {
    let service = &visitor.app.service;
    let (who, cookie) = visitor.person().await?;
    service.remember(game).await?;
    let next = (random::game_id(), random::seed());
    let again = service.command(move |lobby, now| lobby.play_again(now, &who, game, next));
    let id = service.ensure_stored(again.await?).await?;
    Ok((cookie, Json(json!({ "id": id }))))
}

/// `POST /api/games/{id}/start`
pub(super) async fn start(
    GameLink(id): GameLink,
    OwnPage(visitor): OwnPage,
) -> Result<Json<()>, HttpError> {
    command(&visitor, id, GameCommand::Start).await
}

/// `POST /api/games/{id}/end`
pub(super) async fn end(
    GameLink(id): GameLink,
    OwnPage(visitor): OwnPage,
) -> Result<Json<()>, HttpError> {
    command(&visitor, id, GameCommand::End).await
}

/// Sends a game a command of its creator.
async fn command(
    visitor: &Visitor,
    game: GameId,
    command: GameCommand,
) -> Result<Json<()>, HttpError> {
    let who = visitor.id().map(Authority::Person).ok_or(LobbyError::NotYours)?;
    let done = visitor.app.service.command(move |lobby, _| lobby.command(who, game, command));
    Ok(Json(done.await?))
}

/// The query of a replay: its requested parts.
#[derive(Deserialize)]
pub(super) struct ReplayParts {
    /// False for a small replay without frames, which is enough for the chart and the table.
    frames: Option<bool>,
}

/// `GET /api/games/{id}/replay`
pub(super) async fn replay(
    GameLink(id): GameLink,
    Query(parts): Query<ReplayParts>,
    visitor: Visitor,
) -> Result<impl IntoResponse, HttpError> {
    let replay = visitor.app.replay(id, visitor.client.source).await?;
    let is_whole = parts.frames.unwrap_or(true);
    let json = if is_whole { replay.json.clone() } else { replay.summary_json() };
    Ok(([(header::CONTENT_TYPE, "application/json")], json))
}
