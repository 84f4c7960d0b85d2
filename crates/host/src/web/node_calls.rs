//! Calls of other nodes that are not on behalf of a client: a game will be handed over, or was. Only signed requests are
//! answered.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::App;
use super::pages::game_id;
use super::rejection::Rejection;
use crate::cluster::Cluster;
use crate::cluster::routes::Epoch;
use crate::cluster::signature::PassedOn;

/// `POST /node/prepare/{id}`: answers after the journal of the game was read.
pub(super) async fn prepare(
    State(app): State<App>,
    Path(id): Path<String>,
    signed: Option<Extension<PassedOn>>,
) -> Result<StatusCode, Rejection> {
    let cluster = called_cluster(&app, signed.as_ref())?;
    cluster.prepare(game_id(&id)?).await;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /node/take-over/{id}/{epoch}`
pub(super) async fn take_over(
    State(app): State<App>,
    Path((id, epoch)): Path<(String, u64)>,
    signed: Option<Extension<PassedOn>>,
) -> Result<StatusCode, Rejection> {
    let cluster = called_cluster(&app, signed.as_ref())?;
    cluster.take_over(game_id(&id)?, Epoch(epoch));
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the cluster if the caller is another node of it.
fn called_cluster<'a>(
    app: &'a App,
    signed: Option<&Extension<PassedOn>>,
) -> Result<&'a Cluster, Rejection> {
    let cluster = app.service.cluster.as_deref().filter(|_| signed.is_some());
    cluster.ok_or_else(|| Rejection::not_found(""))
}
