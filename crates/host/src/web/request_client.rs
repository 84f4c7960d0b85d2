//! The client of a request, as far as the connection and its headers show: its source, the host name that it used, and
//! the site that made the browser send the request (for the CSRF check).

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use super::SiteState;
use super::rejection::HttpError;
use crate::Source;
use crate::cluster::signature::PassedOn;

#[derive(Clone, Debug)]
pub(crate) struct RequestClient {
    /// The source address, for limits and bans.
    pub(crate) source: Source,
    /// True if the browser uses TLS, with this host or with a proxy in front.
    pub(crate) is_https: bool,
    /// The host name that the client used.
    pub(crate) host: String,
    /// The base URL in the browser, such as `https://host:port`.
    pub(crate) url: String,
    /// The site that made the browser send the request.
    pub(crate) initiator: Initiator,
}

/// The site that made a browser send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initiator {
    /// No `Origin` header: a link, or not a browser.
    Unknown,
    /// A page of this host.
    Own,
    /// A page of another site.
    Foreign,
}

/// The settings for the interpretation of headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeaderTrust {
    /// True if this host uses TLS itself.
    pub(crate) has_tls: bool,
    /// True if a trusted proxy sets `X-Forwarded-…`.
    pub(crate) proxy: bool,
    /// The value of `--public-url`.
    pub(crate) public_url: Option<String>,
}

impl RequestClient {
    fn new(trust: &HeaderTrust, address: IpAddr, headers: &HeaderMap) -> Self {
        let forwarded = |name: &str| trust.proxy.then(|| text_of(headers, name)).flatten();
        // Each proxy appends the address that it sees; the trusted proxy is the last.
        let nearest = forwarded("x-forwarded-for")
            .and_then(|list| list.rsplit(',').next().map(str::trim).and_then(parse_address));
        let public_scheme = trust.public_url.as_deref().and_then(|url| url.split_once("://"));
        let is_https = match forwarded("x-forwarded-proto") {
            Some(scheme) => scheme.eq_ignore_ascii_case("https"),
            None => trust.has_tls || public_scheme.is_some_and(|(scheme, _)| scheme == "https"),
        };
        let host =
            forwarded("x-forwarded-host").or_else(|| text_of(headers, header::HOST.as_str()));
        let client = PassedOn { source: Source::of(nearest.unwrap_or(address)), is_https };
        Self::seen(trust, client, host.unwrap_or_default(), headers)
    }

    /// Creates a client whose source and scheme are known.
    fn seen(trust: &HeaderTrust, client: PassedOn, host: &str, headers: &HeaderMap) -> Self {
        let PassedOn { source, is_https } = client;
        let scheme = if is_https { "https" } else { "http" };
        let seen = format!("{scheme}://{host}");
        let initiator = initiator(headers, |origin| {
            origin.eq_ignore_ascii_case(&seen) || trust.public_url.as_deref() == Some(origin)
        });
        let url = trust.public_url.clone().unwrap_or(seen);
        Self { source, is_https, host: host.to_owned(), url, initiator }
    }
}

fn initiator(headers: &HeaderMap, is_own: impl Fn(&str) -> bool) -> Initiator {
    match text_of(headers, header::ORIGIN.as_str()) {
        Some(origin) if is_own(origin) => Initiator::Own,
        Some(_) => Initiator::Foreign,
        None if headers.contains_key(header::ORIGIN) => Initiator::Foreign,
        None => match text_of(headers, "sec-fetch-site") {
            Some("same-origin") => Initiator::Own,
            Some("cross-site" | "same-site") => Initiator::Foreign,
            _ => Initiator::Unknown,
        },
    }
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Parses an address with an optional port, which some proxies add.
fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

impl FromRequestParts<SiteState> for RequestClient {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &SiteState) -> Result<Self, HttpError> {
        if let Some(client) = parts.extensions.get::<PassedOn>() {
            let host = text_of(&parts.headers, header::HOST.as_str()).unwrap_or_default();
            return Ok(Self::seen(&app.trust, *client, host, &parts.headers));
        }
        let ConnectInfo(address) = ConnectInfo::<SocketAddr>::from_request_parts(parts, app)
            .await
            .map_err(|_| HttpError::internal("a request without an address"))?;
        Ok(Self::new(&app.trust, address.ip(), &parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(trust: &HeaderTrust, headers: &[(&'static str, &str)]) -> RequestClient {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        RequestClient::new(trust, "192.0.2.1".parse().unwrap(), &map)
    }

    #[test]
    fn only_a_page_of_this_host_is_its_own() {
        let trust = HeaderTrust::default();
        let cases = [
            (vec![("host", "a:80"), ("origin", "http://a:80")], Initiator::Own),
            (vec![("host", "a:80"), ("origin", "https://a:80")], Initiator::Foreign),
            (vec![("host", "a:80"), ("origin", "http://a:81")], Initiator::Foreign),
            (vec![("host", "a:80"), ("origin", "null")], Initiator::Foreign),
            (vec![("host", "a:80"), ("sec-fetch-site", "same-origin")], Initiator::Own),
            (vec![("host", "a:80"), ("sec-fetch-site", "cross-site")], Initiator::Foreign),
            (vec![("host", "a:80")], Initiator::Unknown),
            (
                vec![("host", "a"), ("origin", "http://b"), ("x-forwarded-host", "b")],
                Initiator::Foreign,
            ),
        ];
        for (headers, initiator) in cases {
            assert_eq!(ask(&trust, &headers).initiator, initiator, "{headers:?}");
        }
    }

    #[test]
    fn only_a_trusted_proxy_may_name_another_source_and_scheme() {
        let headers = [
            ("host", "inner:8080"),
            ("x-forwarded-for", "198.51.100.9, 203.0.113.5"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "games.example"),
            ("origin", "https://games.example"),
        ];
        let direct = ask(&HeaderTrust::default(), &headers);
        assert_eq!((direct.source.to_string().as_str(), direct.is_https), ("192.0.2.1", false));
        assert_eq!(direct.initiator, Initiator::Foreign);
        let proxied = ask(&HeaderTrust { proxy: true, ..HeaderTrust::default() }, &headers);
        assert_eq!((proxied.source.to_string().as_str(), proxied.is_https), ("203.0.113.5", true));
        assert_eq!(proxied.initiator, Initiator::Own);
        assert_eq!(proxied.url, "https://games.example");
    }

    #[test]
    fn the_public_address_is_its_own() {
        let trust =
            HeaderTrust { public_url: Some("https://g.example".into()), ..HeaderTrust::default() };
        let client = ask(&trust, &[("host", "10.0.0.1:8080"), ("origin", "https://g.example")]);
        assert_eq!((client.initiator, client.is_https), (Initiator::Own, true));
        assert_eq!(client.url, "https://g.example");
    }
}
