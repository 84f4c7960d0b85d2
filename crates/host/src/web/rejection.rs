//! Error responses: a page, or JSON under `/api`.

use std::borrow::Cow;

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use serde::Serialize;
use tracing::error;

use crate::pages::{PageFrame, error_page};
use crate::{AccountError, Complaint, LobbyError, SpecError, StoreError};

/// The reason why a request is rejected. It becomes JSON under `/api` and a page elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct HttpError {
    status: StatusCode,
    body: ErrorBody,
}

/// The body of an error under `/api`.
#[derive(Clone, Debug, Default, Serialize)]
struct ErrorBody {
    /// The message for people, with advice; empty for the default text of the status.
    error: String,
    /// The invalid field of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<Cow<'static, str>>,
    /// The faults of a map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    complaints: Vec<Complaint>,
}

impl HttpError {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, body: ErrorBody { error: error.into(), ..ErrorBody::default() } }
    }

    pub(crate) fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// Creates a rejection for an internal error. The reason is logged, but not sent to the client.
    pub(crate) fn internal(why: impl std::fmt::Display) -> Self {
        error!("a request failed: {why}");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server made a mistake. Nothing is lost; try again in a moment.",
        )
    }

    #[must_use]
    pub(crate) fn with_field(mut self, field: &'static str) -> Self {
        self.body.field = Some(field.into());
        self
    }

    /// True if the same request may succeed a little later.
    pub(crate) fn is_passing(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE
    }

    pub(crate) fn sentence(&self) -> &str {
        &self.body.error
    }
}

impl IntoResponse for HttpError {
    /// Returns a JSON response; [`as_pages`] turns it into a page outside of `/api`.
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self.body)).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Turns rejections into pages, except under `/api` and for WebSockets. Rejections by axum itself, such as 405, get the
/// same form.
pub(super) async fn as_pages(request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    as_page(uri.path(), next.run(request).await)
}

/// Turns the rejection of a request with this path into a page.
pub(super) fn as_page(path: &str, response: Response) -> Response {
    let is_for_programs = path.starts_with("/api/") || path.ends_with("/ws");
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let known = response.extensions().get::<HttpError>().cloned();
    if is_for_programs {
        return if known.is_some() { response } else { unnamed(status).into_response() };
    }
    let sentence = known.map(|rejection| rejection.body.error).filter(|error| !error.is_empty());
    let page = error_page(&PageFrame::default(), status.as_u16(), sentence.as_deref());
    let mut shown = (status, Html(page.into_string())).into_response();
    for (name, value) in response.headers() {
        if !shown.headers().contains_key(name) && *name != header::CONTENT_LENGTH {
            shown.headers_mut().insert(name.clone(), value.clone());
        }
    }
    shown
}

/// Returns the rejection for an error status of axum itself, for example 405.
fn unnamed(status: StatusCode) -> HttpError {
    let words = match status {
        StatusCode::METHOD_NOT_ALLOWED => "this address does not support that method",
        StatusCode::REQUEST_TIMEOUT => "the request took too long",
        StatusCode::PAYLOAD_TOO_LARGE => "the request is too large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send JSON, with content-type: application/json",
        _ => "the request can't be read",
    };
    HttpError::new(status, words)
}

impl From<LobbyError> for HttpError {
    fn from(why: LobbyError) -> Self {
        let status = match why {
            LobbyError::Draining | LobbyError::TooManyGames => StatusCode::SERVICE_UNAVAILABLE,
            LobbyError::TooManyGamesOfYours(_) => StatusCode::TOO_MANY_REQUESTS,
            LobbyError::UnknownGame => StatusCode::NOT_FOUND,
            LobbyError::NotYours | LobbyError::NotAPlayer | LobbyError::Banned => {
                StatusCode::FORBIDDEN
            }
            LobbyError::NotOver | LobbyError::Over | LobbyError::AlreadyStarted => {
                StatusCode::CONFLICT
            }
        };
        Self::new(status, why.to_string())
    }
}

impl From<SpecError> for HttpError {
    fn from(why: SpecError) -> Self {
        let mut rejection = Self::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string());
        rejection.body.field = Some(why.field());
        rejection.body.complaints = why.complaints().to_vec();
        rejection
    }
}

impl From<StoreError> for HttpError {
    fn from(why: StoreError) -> Self {
        let StoreError::Unavailable { why } = why else { return Self::internal(why) };
        error!("the database is not available: {why}");
        let sentence = "Saving is not possible at the moment. Try again in a while.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
    }
}

impl From<AccountError> for HttpError {
    fn from(why: AccountError) -> Self {
        let (status, field) = match why {
            AccountError::Store(why) => return why.into(),
            AccountError::BlankName => (StatusCode::UNPROCESSABLE_ENTITY, "name"),
            AccountError::NameTaken | AccountError::AlreadyClaimed => {
                (StatusCode::CONFLICT, "name")
            }
            AccountError::ShortPassword | AccountError::LongPassword => {
                (StatusCode::UNPROCESSABLE_ENTITY, "password")
            }
            AccountError::WrongPassword => (StatusCode::FORBIDDEN, "password"),
            AccountError::UnknownAccount => (StatusCode::UNAUTHORIZED, "name"),
        };
        Self::new(status, why.to_string()).with_field(field)
    }
}
