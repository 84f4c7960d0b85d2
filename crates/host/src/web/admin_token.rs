//! Authentication of the operator: a token in a cookie that only pages of this host send back.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::SiteState;
use super::rejection::HttpError;
use super::request_client::RequestClient;
use super::visitor::{SetCookie, cookie, cookie_header};

/// The hash of the admin token. The token itself is only printed at startup.
#[derive(Clone)]
pub(crate) struct AdminToken([u8; 32]);

impl AdminToken {
    pub(crate) fn new(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// True if the text is the token. Compares only hashes, in constant time, so that timing reveals nothing about the token.
    pub(crate) fn is(&self, text: &str) -> bool {
        Self::new(text).0.ct_eq(&self.0).into()
    }
}

impl std::fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AdminToken(…)")
    }
}

/// The name of the cookie of the operator, which lasts until the browser is closed.
const ADMIN: &str = "nuggets_admin";

/// Returns the cookie for an operator who sent the token.
pub(crate) fn admin_cookie(client: &RequestClient, token: &str) -> SetCookie {
    cookie_header(client, ADMIN, token, "Strict")
}

/// A request with the cookie of the operator.
#[derive(Debug)]
pub(crate) struct Admin(pub(crate) RequestClient);

impl FromRequestParts<SiteState> for Admin {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        let client = RequestClient::from_request_parts(parts, app).await?;
        let given = cookie(&client, &parts.headers, ADMIN);
        match given {
            Some(token) if app.admin_token.is(token) => Ok(Self(client)),
            _ => Err(HttpError::new(
                StatusCode::UNAUTHORIZED,
                "This needs the admin token, which the server printed when it started.",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_is_the_token() {
        let token = AdminToken::new("correct horse");
        assert!(token.is("correct horse"));
        assert!(!token.is("correct horsf") && !token.is("") && !token.is("correct horse "));
        assert!(!format!("{token:?}").contains("horse"));
    }
}
