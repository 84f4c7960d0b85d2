//! Calls of other nodes that are not on behalf of a client: a game will be handed over, or was. Only signed requests are
//! answered.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::SiteState;
use super::pages::GameLink;
use super::rejection::HttpError;
use crate::GameId;
use crate::cluster::Cluster;
use crate::cluster::routes::Epoch;
use crate::cluster::signature::PassedOn;

/// `POST /node/prepare/{id}`: answers after the journal of the game was read.
pub(super) async fn prepare(
    State(app): State<SiteState>,
    GameLink(game): GameLink,
    signed: Option<Extension<PassedOn>>,
) -> Result<StatusCode, HttpError> {
    let cluster = called_cluster(&app, signed.as_ref())?;
    cluster.prepare(game).await;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /node/take-over/{id}/{epoch}`
pub(super) async fn take_over(
    State(app): State<SiteState>,
    Path((game, epoch)): Path<(GameId, u64)>,
    signed: Option<Extension<PassedOn>>,
) -> Result<StatusCode, HttpError> {
    let cluster = called_cluster(&app, signed.as_ref())?;
    cluster.take_over(game, Epoch(epoch));
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the cluster if the caller is another node of it.
fn called_cluster<'a>(
    app: &'a SiteState,
    signed: Option<&Extension<PassedOn>>,
) -> Result<&'a Cluster, HttpError> {
    let cluster = app.service.cluster.as_deref().filter(|_| signed.is_some());
    cluster.ok_or_else(|| HttpError::not_found(""))
}
