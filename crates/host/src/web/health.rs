//! `/healthz`: tells if this host can serve games now. A load balancer asks it; `/livez` only says that the process runs.

use std::sync::{Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::App;

/// The reason why this host can't serve games now, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Option<String>>);

impl Health {
    /// It can't serve games for this reason, or it can again.
    pub(crate) fn set(&self, reason: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// True if games can be served.
    pub(crate) fn is_good(&self) -> bool {
        self.reason().is_none()
    }

    fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `GET /healthz`
pub(super) async fn show(State(app): State<App>) -> Response {
    match app.health.reason() {
        None => "ok\n".into_response(),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")).into_response(),
    }
}
