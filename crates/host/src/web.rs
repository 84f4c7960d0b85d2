//! The web server: pages, JSON and WebSockets in front of the games. It owns routes, cookies, limits and headers; it does
//! not know the rules of the game.

mod admin_token;
mod api;
mod assets;
mod connections;
mod headers;
pub(crate) mod health;
pub(crate) mod listen;
mod metrics;
mod node_calls;
mod node_routing;
mod pages;
mod rate_limits;
mod rejection;
mod request_client;
mod site;
mod socket;
mod visitor;

use std::time::Duration;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get, routing::post};
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

pub use assets::embedded_text;
pub(crate) use health::Health;
use rate_limits::Limited;
use rejection::HttpError;
use request_client::RequestClient;
pub(crate) use site::{Site, SiteState};

/// Timeout of a request, including its body.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Builds the router with all routes.
pub(crate) fn router(app: SiteState) -> Router {
    Router::new()
        .route("/", get(pages::lobby))
        .route("/lobby/games", get(pages::running_games))
        .route("/new", get(pages::new_game))
        .route("/g/{id}", get(pages::play))
        .route("/g/{id}/watch", get(pages::watch))
        .route("/g/{id}/show", get(pages::show))
        .route("/g/{id}/replay", get(pages::replay))
        .route("/g/{id}/recording", get(pages::recording))
        .route("/wall", get(pages::wall))
        .route("/players", get(pages::players))
        .route("/players/{id}", get(pages::player))
        .route("/account", get(pages::account))
        .route("/admin", get(pages::admin))
        .route("/metrics", get(metrics::show))
        .nest("/api", api::router())
        .fallback(async || HttpError::not_found(""))
        .layer(middleware::from_fn_with_state(app.clone(), limit))
        // A WebSocket has its own limits, and must not be compressed or timed out.
        .route("/g/{id}/ws", get(socket::upgrade))
        .route("/static/{file}", get(assets::file))
        .route("/robots.txt", get(assets::robots))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST_TIMEOUT))
        .layer(middleware::from_fn(rejection::as_pages))
        .layer(CompressionLayer::new())
        .route("/node/take-over/{id}/{epoch}", post(node_calls::take_over))
        // Responses of other nodes are passed on unchanged and have their own timeout.
        .layer(middleware::from_fn_with_state(app.clone(), node_routing::route))
        .route("/livez", get(async || "ok\n"))
        .route("/healthz", get(health::show))
        .layer(middleware::from_fn(headers::add))
        .with_state(app)
}

/// Applies the rate limit of the source to a request.
async fn limit(State(app): State<SiteState>, request: Request, next: Next) -> Response {
    let what = if request.method() == Method::POST { Limited::Write } else { Limited::Read };
    let (mut parts, body) = request.into_parts();
    let client = match RequestClient::from_request_parts(&mut parts, &app).await {
        Ok(client) => client,
        Err(rejection) => return rejection.into_response(),
    };
    match app.limits.spend(what, client.source) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(rejection) => rejection.into_response(),
    }
}
