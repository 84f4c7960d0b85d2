//! `/api`: JSON for the pages and for programs. Requests that change state must come from a page of this host (CSRF).

mod admin;
mod games;
mod maps;
mod me;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::de::DeserializeOwned;

use super::SiteState;
use super::rejection::HttpError;
use crate::setup::MAX_MAP_BYTES;

/// Maximum size of a body without a map.
const MAX_SMALL_BODY: usize = 4 * 1024;

/// Maximum size of a body with a map: escaped as JSON, each line break takes two bytes.
const MAX_MAP_BODY: usize = 2 * MAX_MAP_BYTES + MAX_SMALL_BODY;

/// Builds the router of all routes under `/api`.
pub(super) fn router() -> Router<SiteState> {
    let with_maps = Router::new()
        .route("/games", post(games::create))
        .route("/maps/check", post(maps::check))
        .layer(DefaultBodyLimit::max(MAX_MAP_BODY));
    let admin = Router::new()
        .route("/login", post(admin::log_in))
        .route("/games/{id}/kick", post(admin::kick))
        .route("/games/{id}/end", post(admin::end))
        .route("/ban", post(admin::ban))
        .route("/unban", post(admin::unban))
        .route("/message", post(admin::message))
        .route("/drain", post(admin::drain))
        .route("/load", get(admin::load));
    Router::new()
        .route("/games", get(games::list))
        .route("/games/{id}", get(games::show))
        .route("/games/{id}/again", post(games::again))
        .route("/games/{id}/start", post(games::start))
        .route("/games/{id}/end", post(games::end))
        .route("/games/{id}/replay", get(games::replay))
        .route("/maps", get(maps::list))
        .route("/maps/random", get(maps::random))
        .route("/me", get(me::show))
        .route("/me/name", post(me::rename))
        .route("/me/claim", post(me::claim))
        .route("/login", post(me::log_in))
        .route("/logout", post(me::log_out))
        .route("/players", get(me::players))
        .nest("/admin", admin)
        .layer(DefaultBodyLimit::max(MAX_SMALL_BODY))
        .merge(with_maps)
        .fallback(async || HttpError::not_found("there is no such address under /api"))
}

/// A JSON body; any other body is rejected with a message.
#[derive(Debug)]
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let parsed = axum::Json::<T>::from_request(request, state).await;
        parsed.map(|axum::Json(body)| Self(body)).map_err(|why| {
            let status = match why.status() {
                StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
                status => status,
            };
            HttpError::new(status, why.body_text())
        })
    }
}
