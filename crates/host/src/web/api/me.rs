//! The visitor's account: name, password, login and logout; and the table of players.

use axum::Json;
use axum::response::IntoResponse;
use nuggets_time::unix_time_ms;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Body;
use crate::RatingRow;
use crate::web::rate_limits::Limited;
use crate::web::rejection::HttpError;
use crate::web::visitor::{OwnPage, Visitor, remove_cookie, set_cookie};

/// The maximum number of players in `GET /api/players`.
const MAX_PLAYERS: u32 = 500;

/// `GET /api/me`: all fields are missing for a visitor without an account.
pub(super) async fn show(visitor: Visitor) -> Json<Value> {
    Json(visitor.account.map_or_else(nobody, |account| json!(account)))
}

fn nobody() -> Value {
    json!({ "id": null, "name": null, "claimed": false })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewName {
    name: String,
}

/// `POST /api/me/name`
pub(super) async fn rename(
    OwnPage(visitor): OwnPage,
    Body(NewName { name }): Body<NewName>,
) -> Result<impl IntoResponse, HttpError> {
    let (person, cookie) = visitor.person().await?;
    let account = visitor.app.service.store.rename(person.id, name).await?;
    Ok((cookie, Json(account)))
}

/// The password that claims the visitor's name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewPassword {
    password: String,
}

/// `POST /api/me/claim`
pub(super) async fn claim(
    OwnPage(visitor): OwnPage,
    Body(NewPassword { password }): Body<NewPassword>,
) -> Result<impl IntoResponse, HttpError> {
    visitor.app.limits.spend(Limited::Password, visitor.client.source)?;
    let (person, cookie) = visitor.person().await?;
    let account = visitor.app.service.store.claim(person.id, password).await?;
    Ok((cookie, Json(account)))
}

/// A claimed name and its password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Credentials {
    name: String,
    password: String,
}

/// `POST /api/login`
pub(super) async fn log_in(
    OwnPage(visitor): OwnPage,
    Body(Credentials { name, password }): Body<Credentials>,
) -> Result<impl IntoResponse, HttpError> {
    visitor.app.limits.spend(Limited::Password, visitor.client.source)?;
    let (account, token) = visitor.app.service.store.log_in(name, password, unix_time_ms()).await?;
    visitor.app.service.lobby().ensure_not_banned(Some(account.id), visitor.client.source)?;
    if let Some(old) = &visitor.token {
        visitor.app.service.store.log_out(old).await?;
    }
    Ok((set_cookie(&visitor.client, &token), Json(account)))
}

/// `POST /api/logout`
pub(super) async fn log_out(OwnPage(visitor): OwnPage) -> Result<impl IntoResponse, HttpError> {
    if let Some(token) = &visitor.token {
        visitor.app.service.store.log_out(token).await?;
    }
    Ok((remove_cookie(&visitor.client), Json(nobody())))
}

/// `GET /api/players`
pub(super) async fn players(visitor: Visitor) -> Result<Json<Vec<RatingRow>>, HttpError> {
    Ok(Json(visitor.app.service.store.ratings(MAX_PLAYERS).await?))
}
