//! Games: list, create, play again, start, end, and the replay of a finished one.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::Body;
use crate::setup::prepare;
use crate::web::SiteState;
use crate::web::pages::game_id;
use crate::web::rate_limits::Limited;
use crate::web::rejection::HttpError;
use crate::web::visitor::{OwnPage, Visitor};
use crate::{
    Authority, FinishedGame, GameCommand, GameSpec, LobbyError, LobbyRow, NewGame, SpecError,
    random,
};

/// The response for a new game.
#[derive(Debug, Serialize)]
struct Created {
    id: crate::GameId,
}

/// A finished game in the response of `GET /api/games/{id}`.
#[derive(Debug, Serialize)]
struct Over {
    stage: &'static str,
    #[serde(flatten)]
    game: FinishedGame,
}

/// `GET /api/games`
pub(super) async fn list(State(app): State<SiteState>, visitor: Visitor) -> Json<Vec<LobbyRow>> {
    Json(app.service.rows(visitor.id()).await)
}

/// `POST /api/games`
pub(super) async fn create(
    State(app): State<SiteState>,
    OwnPage(visitor): OwnPage,
    Body(spec): Body<GameSpec>,
) -> Result<impl IntoResponse, HttpError> {
    app.limits.spend(Limited::MapCheck, visitor.client.source)?;
    let (who, cookie) = visitor.into_person(&app).await?;
    let checked = tokio::task::spawn_blocking(move || {
        let prepared = prepare(&spec, random::seed())?;
        Ok::<_, SpecError>(NewGame { id: random::game_id(), spec, prepared })
    });
    let game = checked.await.map_err(HttpError::internal)??;
    let id = app.service.command(move |lobby, now| lobby.create(now, &who, game)).await?;
    let id = app.service.ensure_stored(id).await?;
    app.metrics.created.inc();
    Ok((cookie, Json(Created { id })))
}

/// `GET /api/games/{id}`
pub(super) async fn show(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response, HttpError> {
    let id = game_id(&id)?;
    if let Some(row) = app.service.row(id, visitor.id()) {
        return Ok(Json(row).into_response());
    }
    let game = app.service.finished_game(id).await?;
    let game = game.ok_or_else(|| HttpError::not_found("there is no such game"))?;
    Ok(Json(Over { stage: "over", game }).into_response())
}

/// `POST /api/games/{id}/again`
pub(super) async fn again(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    OwnPage(visitor): OwnPage,
) -> Result<impl IntoResponse, HttpError> {
    let game = game_id(&id)?;
    let (who, cookie) = visitor.into_person(&app).await?;
    app.service.remember(game).await?;
    let next = (random::game_id(), random::seed());
    let again = app.service.command(move |lobby, now| lobby.play_again(now, &who, game, next));
    let id = app.service.ensure_stored(again.await?).await?;
    Ok((cookie, Json(Created { id })))
}

/// `POST /api/games/{id}/start`
pub(super) async fn start(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    OwnPage(visitor): OwnPage,
) -> Result<Json<()>, HttpError> {
    command(&app, &visitor, &id, GameCommand::Start).await
}

/// `POST /api/games/{id}/end`
pub(super) async fn end(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    OwnPage(visitor): OwnPage,
) -> Result<Json<()>, HttpError> {
    command(&app, &visitor, &id, GameCommand::End).await
}

/// Sends a game a command of its creator.
async fn command(
    app: &SiteState,
    visitor: &Visitor,
    id: &str,
    command: GameCommand,
) -> Result<Json<()>, HttpError> {
    let who = visitor.id().map(Authority::Person).ok_or(LobbyError::NotYours)?;
    let game = game_id(id)?;
    Ok(Json(app.service.command(move |lobby, _| lobby.command(who, game, command)).await?))
}

/// The query of a replay: its requested parts.
#[derive(Deserialize)]
pub(super) struct ReplayParts {
    /// False for a small replay without frames, which is enough for the chart and the table.
    #[serde(default = "with_frames")]
    frames: bool,
}

fn with_frames() -> bool {
    true
}

/// `GET /api/games/{id}/replay`
pub(super) async fn replay(
    State(app): State<SiteState>,
    Path(id): Path<String>,
    Query(parts): Query<ReplayParts>,
    visitor: Visitor,
) -> Result<impl IntoResponse, HttpError> {
    let replay = app.replay(game_id(&id)?, visitor.client.source).await?;
    let json = if parts.frames { replay.json.clone() } else { replay.summary_json() };
    Ok(([(header::CONTENT_TYPE, "application/json")], json))
}
