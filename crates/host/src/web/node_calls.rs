//! The call of another node that is not on behalf of a client: a game was handed over. Only signed requests are answered.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::SiteState;
use super::rejection::HttpError;
use crate::GameId;
use crate::cluster::routes::Epoch;
use crate::cluster::signature::PassedOn;

/// `POST /node/take-over/{id}/{epoch}`
pub(super) async fn take_over(
    State(app): State<SiteState>,
    Path((game, epoch)): Path<(GameId, u64)>,
    signed: Option<Extension<PassedOn>>,
) -> Result<StatusCode, HttpError> {
    let cluster = app.service.cluster.as_deref().filter(|_| signed.is_some());
    let cluster = cluster.ok_or_else(|| HttpError::not_found(""))?;
    cluster.take_over(game, Epoch(epoch));
    Ok(StatusCode::NO_CONTENT)
}
