//! The files of `web/`, embedded in the binary: styles, scripts, icons.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::rejection::HttpError;

/// Name and content of every file, sorted by name.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

/// The ETag of every file, in the same order.
static TAGS: LazyLock<Vec<String>> =
    LazyLock::new(|| FILES.iter().map(|(_, content)| tag_of(content)).collect());

/// `GET /static/{file}`
pub(super) async fn file(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let Ok(index) = FILES.binary_search_by(|(known, _)| (*known).cmp(&name)) else {
        return Err(HttpError::not_found("There is no such file."));
    };
    let (name, content) = FILES[index];
    let tag = &TAGS[index];
    let asked = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let caching = [
        (header::ETAG, HeaderValue::from_str(tag).expect("hexadecimal digits in quotes")),
        // The browser revalidates every time, mostly with 304 as the answer, so that a new version appears immediately.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if asked.is_some_and(|asked| matches_tag(asked, tag)) {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(content_type(name)))];
    Ok((caching, kind, content).into_response())
}

/// `GET /robots.txt`
pub(super) async fn robots(headers: HeaderMap) -> Result<Response, HttpError> {
    file(Path("robots.txt".to_owned()), headers).await
}

/// Returns the text of an embedded file, for pages that inline their files.
pub fn embedded_text(name: &str) -> Option<&'static str> {
    let index = FILES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    str::from_utf8(FILES[index].1).ok()
}

fn tag_of(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let start = digest.first_chunk().expect("SHA-256 has 32 bytes");
    format!("\"{:016x}\"", u64::from_be_bytes(*start))
}

/// True if an `If-None-Match` header matches the tag. Compression makes a tag weak (`W/"…"`), but the content is the same.
fn matches_tag(asked: &str, tag: &str) -> bool {
    asked.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "webmanifest") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_matches_in_every_form_that_browsers_send() {
        let tag = tag_of(b"x");
        assert!(matches_tag(&tag, &tag));
        assert!(matches_tag(&format!("W/{tag}"), &tag));
        assert!(matches_tag(&format!("\"other\", {tag}"), &tag));
        assert!(!matches_tag("\"other\"", &tag));
        assert_ne!(tag, tag_of(b"y"));
    }

    #[test]
    fn files_are_found_by_name_and_have_a_type() {
        assert!(embedded_text("../Cargo.toml").is_none());
        for (name, _) in FILES {
            assert_ne!(content_type(name), "application/octet-stream", "{name}");
        }
    }
}
