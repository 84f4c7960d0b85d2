//! One page that holds everything: data, recording, styles, scripts. It works from disk, and a policy in it allows
//! only the script and the styles that it was written with.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use nuggets_record::{CatchUp, CatchUpError, Recording};
use sha2::{Digest, Sha256};

use super::bundle::bundle;
use super::data::ReplayData;
use super::markup::{ReplayLinks, embedded_data, replay_body, replay_title};

/// The modules of the page, each after those that it imports from.
const MODULES: [(&str, &str); 9] = [
    ("api.js", include_str!("../../../../web/api.js")),
    ("colors.js", include_str!("../../../../web/colors.js")),
    ("sight.js", include_str!("../../../../web/sight.js")),
    ("ground.js", include_str!("../../../../web/ground.js")),
    ("tiles.js", include_str!("../../../../web/tiles.js")),
    ("map.js", include_str!("../../../../web/map.js")),
    ("chart.js", include_str!("../../../../web/chart.js")),
    ("film.js", include_str!("../../../../web/film.js")),
    ("replay.js", include_str!("../../../../web/replay.js")),
];
const STYLES: [&str; 2] =
    [include_str!("../../../../web/style.css"), include_str!("../../../../web/replay.css")];
const LOGO: &str = include_str!("../../../../web/logo.svg");

/// Renders a recording as one page. The recording inside has no tokens of players, even if a journal is given.
/// `file_name` is the name under which it is saved.
pub fn standalone_page(recording: Recording, file_name: &str) -> Result<String, CatchUpError> {
    let shared = CatchUp::of(b"", &recording)?.bytes;
    let data = ReplayData::of(recording)?;
    let recording = format!("data:application/octet-stream;base64,{}", BASE64.encode(&shared));
    let links = ReplayLinks { data: None, recording: &recording, file_name };
    let body = html! { (replay_body(&data, &links)) (embedded_data(&data)) };
    let title = replay_title(data.players.iter().map(|player| player.name.as_str()));
    Ok(page(&title, &body).into_string())
}

fn page(title: &str, body: &Markup) -> Markup {
    let script = bundle(&MODULES);
    let styles = STYLES.concat();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        source_hash(&script),
        source_hash(&styles)
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) " · Nuggets" }
                meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                meta name="color-scheme" content="dark light";
                link rel="icon" type="image/svg+xml" href={ "data:image/svg+xml;base64," (BASE64.encode(LOGO.as_bytes())) };
                style { (PreEscaped(styles)) }
            }
            body {
                header.site-header { div { p.brand { (PreEscaped(LOGO)) "nuggets" } } }
                main #main .full { (body) }
                script type="module" { (PreEscaped(script)) }
            }
        }
    }
}

/// The source expression of an inline script or style in the content security policy.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{game, join, recorded};

    /// The text between the first `start` and the next `end`.
    fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
        let after = page.split_once(start).unwrap().1;
        after.split_once(end).unwrap().0
    }

    #[test]
    fn a_page_holds_its_data_and_names_no_other_file() {
        let page = standalone_page(game(), "game.nuggets").unwrap();
        let json =
            between(&page, "<script id=\"replay-data\" type=\"application/json\">", "</script>");
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data, serde_json::to_value(ReplayData::of(game()).unwrap()).unwrap());
        for word in ["src=\"", "href=\"http", "href=\"/", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn the_policy_allows_its_own_script_and_styles_only() {
        let page = standalone_page(game(), "game.nuggets").unwrap();
        let script = between(&page, "<script type=\"module\">", "</script>");
        let styles = between(&page, "<style>", "</style>");
        let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
        assert!(policy.contains(&format!("script-src '{}';", source_hash(script))), "{policy}");
        assert!(policy.contains(&format!("style-src '{}';", source_hash(styles))), "{policy}");
    }

    #[test]
    fn a_name_can_not_end_the_data() {
        let recording = recorded(&[(1, join("</script><!--<script>"))]);
        let page = standalone_page(recording, "x").unwrap();
        let json =
            between(&page, "<script id=\"replay-data\" type=\"application/json\">", "</script>");
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["players"][0]["name"], "</script><!--<script>");
    }

    #[test]
    fn the_recording_inside_has_no_tokens() {
        let token = nuggets_record::PeerToken::new(b"secret token");
        let name = nuggets_game::Name::new(b"Ann").unwrap();
        let journal = recorded(&[(1, nuggets_record::RecordedEvent::Join { name, peer: token })]);
        let page = standalone_page(journal, "x").unwrap();
        let shared =
            BASE64.encode(&CatchUp::of(b"", &recorded(&[(1, join("Ann"))])).unwrap().bytes);
        assert_eq!(between(&page, "data:application/octet-stream;base64,", "\""), shared);
    }
}
