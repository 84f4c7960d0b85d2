//! `/healthz`: reports to load balancers if this host can serve games now. `/livez` only reports that the process runs.

use std::sync::Mutex;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::SiteState;
use crate::locks::lock;

/// The reason why this host can't serve games now; `None` if it can.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Option<String>>);

impl Health {
    /// Sets the reason why the host can't serve games, or clears it.
    pub(crate) fn set(&self, reason: Option<String>) {
        *lock(&self.0) = reason;
    }

    /// True if games can be served.
    pub(crate) fn is_good(&self) -> bool {
        self.reason().is_none()
    }

    fn reason(&self) -> Option<String> {
        lock(&self.0).clone()
    }
}

/// `GET /healthz`
pub(super) async fn show(State(app): State<SiteState>) -> Response {
    match app.health.reason() {
        None => "ok\n".into_response(),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")).into_response(),
    }
}
