//! The person who sends a request, identified by the session in the cookie. A visitor without one becomes a guest when an
//! account is needed.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::AppendHeaders;
use nuggets_time::unix_time_ms;

use super::SiteState;
use super::rate_limits::Limited;
use super::rejection::HttpError;
use super::request_client::{Initiator, RequestClient};
use crate::{Account, Person, PlayerId, SessionToken, Source};

/// The name of the cookie of a session.
const SESSION: &str = "nuggets";
/// Browsers accept names with this prefix only from the host itself and over TLS.
const HOST_PREFIX: &str = "__Host-";

/// Lifetime of the cookie, in seconds.
const ONE_YEAR_S: u32 = 365 * 24 * 60 * 60;

/// The sender of a request, with its account if it has one.
#[derive(Debug)]
pub(crate) struct Visitor {
    /// The state that all requests share.
    pub(crate) app: SiteState,
    pub(crate) client: RequestClient,
    pub(crate) account: Option<Account>,
    /// The token of the session, if there is an account.
    pub(crate) token: Option<SessionToken>,
}

/// A `Set-Cookie` header, or none.
pub(crate) type SetCookie = AppendHeaders<Option<(header::HeaderName, HeaderValue)>>;

impl Visitor {
    pub(crate) fn id(&self) -> Option<PlayerId> {
        self.account.as_ref().map(|account| account.id)
    }

    /// Returns the account for the lobby; creates a guest if there is none. The cookie must be part of the response.
    pub(crate) async fn person(&self) -> Result<(Person, SetCookie), HttpError> {
        let (account, token) = match (&self.account, &self.token) {
            (Some(account), Some(token)) => (account.clone(), token.clone()),
            _ => new_guest(&self.app, self.client.source, None).await?,
        };
        let cookie = set_cookie(&self.client, &token);
        Ok((Person { id: account.id, name: account.name, source: self.client.source }, cookie))
    }
}

/// Creates a guest with this name or a random one. Rate limited per source.
pub(crate) async fn new_guest(
    app: &SiteState,
    source: Source,
    name: Option<String>,
) -> Result<(Account, SessionToken), HttpError> {
    app.limits.spend(Limited::NewGuest, source)?;
    Ok(app.service.store.create_guest(name, unix_time_ms()).await?)
}

/// Returns the cookie of a session.
pub(crate) fn set_cookie(client: &RequestClient, token: &SessionToken) -> SetCookie {
    cookie_header(client, SESSION, &token.secret_text(), &format!("Lax; Max-Age={ONE_YEAR_S}"))
}

/// Returns a cookie that makes the browser delete the session.
pub(crate) fn remove_cookie(client: &RequestClient) -> SetCookie {
    cookie_header(client, SESSION, "", "Lax; Max-Age=0")
}

/// Returns a `Set-Cookie` header; without an age the cookie lasts until the browser is closed.
pub(super) fn cookie_header(
    client: &RequestClient,
    name: &str,
    value: &str,
    same_site: &str,
) -> SetCookie {
    let (prefix, secure) = if client.is_https { (HOST_PREFIX, "; Secure") } else { ("", "") };
    let text = format!("{prefix}{name}={value}; Path=/; HttpOnly; SameSite={same_site}{secure}");
    AppendHeaders(HeaderValue::from_str(&text).ok().map(|value| (header::SET_COOKIE, value)))
}

/// Returns the value of a cookie of this client.
pub(super) fn cookie<'a>(
    client: &RequestClient,
    headers: &'a HeaderMap,
    name: &str,
) -> Option<&'a str> {
    let is_it = |known: &str| match known.strip_prefix(HOST_PREFIX) {
        Some(known) => client.is_https && known == name,
        None => !client.is_https && known == name,
    };
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(known, _)| is_it(known))
        .map(|(_, value)| value)
}

impl FromRequestParts<SiteState> for Visitor {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        let client = RequestClient::from_request_parts(parts, app).await?;
        let token = cookie(&client, &parts.headers, SESSION)
            .and_then(|text| text.parse::<SessionToken>().ok());
        let account = match &token {
            Some(token) => app.service.store.session(token, unix_time_ms()).await?,
            None => None,
        };
        app.service
            .lobby()
            .ensure_not_banned(account.as_ref().map(|account| account.id), client.source)?;
        let token = token.filter(|_| account.is_some());
        Ok(Self { app: Arc::clone(app), client, account, token })
    }
}

/// A visitor whose request was sent by a page of this host, so it may change state (CSRF check).
#[derive(Debug)]
pub(crate) struct OwnPage(pub(crate) Visitor);

impl FromRequestParts<SiteState> for OwnPage {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        ensure_own_page(&visitor.client)?;
        Ok(Self(visitor))
    }
}

/// Rejects requests that other sites make a browser send (CSRF check).
pub(super) fn ensure_own_page(client: &RequestClient) -> Result<(), HttpError> {
    match client.initiator {
        Initiator::Own => Ok(()),
        _ => Err(HttpError::new(
            StatusCode::FORBIDDEN,
            format!(
                "only pages of this host may do that. A program must send the header Origin: {}",
                client.url
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=1; nuggets=x=y".parse().unwrap());
        headers.append(header::COOKIE, "__Host-nuggets=z".parse().unwrap());
        let mut client = RequestClient {
            source: Source::of([10, 0, 0, 1].into()),
            is_https: false,
            host: String::new(),
            url: String::new(),
            initiator: Initiator::Own,
        };
        assert_eq!(cookie(&client, &headers, "nuggets"), Some("x=y"));
        assert_eq!(cookie(&client, &headers, "nugget"), None);
        client.is_https = true;
        assert_eq!(cookie(&client, &headers, "nuggets"), Some("z"));
    }
}
