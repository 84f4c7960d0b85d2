//! Commands of the operator. All but the login need the cookie with the token.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use nuggets_game::Letter;
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::{info, warn};

use super::Body;
use crate::web::SiteState;
use crate::web::admin_token::{Admin, admin_cookie};
use crate::web::pages::GameLink;
use crate::web::rate_limits::Limited;
use crate::web::rejection::HttpError;
use crate::web::request_client::RequestClient;
use crate::web::visitor::ensure_own_page;
use crate::{Authority, Ban, GameCommand, GameId, LobbyError, PlayerId, Source};

/// Maximum length of a broadcast message, in characters.
const MAX_MESSAGE_CHARS: usize = 200;

/// A request of the operator from a page of this host (CSRF check).
pub(super) struct OwnAdmin;

impl FromRequestParts<SiteState> for OwnAdmin {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        let Admin(client) = Admin::from_request_parts(parts, app).await?;
        ensure_own_page(&client).map(|()| Self)
    }
}

/// The body of a login.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenToken {
    token: String,
}

/// `POST /api/admin/login`
pub(super) async fn log_in(
    State(app): State<SiteState>,
    client: RequestClient,
    Body(GivenToken { token }): Body<GivenToken>,
) -> Result<impl IntoResponse, HttpError> {
    ensure_own_page(&client)?;
    app.limits.spend(Limited::Password, client.source)?;
    let token = token.trim();
    if !app.admin_token.is(token) {
        warn!("{} sent a wrong admin token", client.source);
        let error = "this is not the token that the server printed when it started last";
        return Err(HttpError::new(StatusCode::UNAUTHORIZED, error).with_field("token"));
    }
    info!("{} has logged in as admin", client.source);
    Ok((admin_cookie(&client, token), Json(())))
}

/// A seat: that of a person, or the one with a letter, for bots and UDP clients.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum KickedSeat {
    Player(PlayerId),
    Letter(char),
}

/// `POST /api/admin/games/{id}/kick`
pub(super) async fn kick(
    GameLink(game): GameLink,
    State(app): State<SiteState>,
    _: OwnAdmin,
    Body(who): Body<KickedSeat>,
) -> Result<Json<()>, HttpError> {
    let letter = match who {
        KickedSeat::Player(person) => app.service.lobby().seat_of(game, person),
        KickedSeat::Letter(letter) => u8::try_from(letter).ok().and_then(Letter::from_byte),
    };
    command(&app, game, GameCommand::Kick(letter.ok_or(LobbyError::NotAPlayer)?)).await
}

/// The target of a ban: a person or a source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Banned {
    Player(PlayerId),
    Source(String),
}

impl TryFrom<Banned> for Ban {
    type Error = HttpError;

    fn try_from(banned: Banned) -> Result<Self, HttpError> {
        match banned {
            Banned::Player(id) => Ok(Self::Person(id)),
            Banned::Source(text) => text.parse::<Source>().map(Self::Source).map_err(|_| {
                let error = "give an IP address, or an IPv6 network such as 2001:db8::/64";
                HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, error).with_field("source")
            }),
        }
    }
}

/// `POST /api/admin/ban`
pub(super) async fn ban(
    State(app): State<SiteState>,
    _: OwnAdmin,
    Body(banned): Body<Banned>,
) -> Result<Json<()>, HttpError> {
    let ban = banned.try_into()?;
    app.service.command(move |lobby, _| lobby.ban(ban)).await;
    Ok(Json(()))
}

/// `POST /api/admin/unban`
pub(super) async fn unban(
    State(app): State<SiteState>,
    _: OwnAdmin,
    Body(banned): Body<Banned>,
) -> Result<Json<()>, HttpError> {
    let ban = banned.try_into()?;
    app.service.command(move |lobby, _| lobby.unban(ban)).await;
    Ok(Json(()))
}

/// `POST /api/admin/games/{id}/end`
pub(super) async fn end(
    GameLink(game): GameLink,
    State(app): State<SiteState>,
    _: OwnAdmin,
) -> Result<Json<()>, HttpError> {
    command(&app, game, GameCommand::End).await
}

/// Sends a game a command of the operator.
async fn command(
    app: &SiteState,
    game: GameId,
    command: GameCommand,
) -> Result<Json<()>, HttpError> {
    let done = app.service.command(move |lobby, _| lobby.command(Authority::Admin, game, command));
    Ok(Json(done.await?))
}

/// A message to all clients.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoticeText {
    text: String,
}

/// `POST /api/admin/message`
pub(super) async fn message(
    State(app): State<SiteState>,
    _: OwnAdmin,
    Body(NoticeText { text }): Body<NoticeText>,
) -> Result<Json<()>, HttpError> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_MESSAGE_CHARS {
        let error = format!("give one to {MAX_MESSAGE_CHARS} characters");
        return Err(HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, error).with_field("text"));
    }
    app.service.message(text.to_owned()).await?;
    Ok(Json(()))
}

/// The node of a cluster to drain; by default this one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Drained {
    node: Option<String>,
}

/// `POST /api/admin/drain`
pub(super) async fn drain(
    State(app): State<SiteState>,
    _: OwnAdmin,
    Body(Drained { node }): Body<Drained>,
) -> Result<Json<()>, HttpError> {
    let is_known = app.service.drain(node).await?;
    let unknown = || HttpError::not_found("there is no such node");
    is_known.then_some(Json(())).ok_or_else(unknown)
}

/// `GET /api/admin/load`: the load and all games, including those by link.
pub(super) async fn load(State(app): State<SiteState>, _: Admin) -> Json<Value> {
    let games = app.service.all_rows().await;
    let is_draining = app.service.lobby().is_draining();
    let load = app.metrics.figures(&app);
    Json(json!({ "load": load, "games": games, "is_draining": is_draining }))
}
