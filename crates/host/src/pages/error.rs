//! The error page: what happened, and what to do.

use maud::{Markup, html};

use super::{PageFrame, SiteSection, Width, visible};

/// The page for an HTTP status, with a sentence about this case if there is one.
pub fn error_page(frame: &PageFrame<'_>, status: u16, detail: Option<&str>) -> Markup {
    let (title, what, advice) = words(status);
    let body = html! {
        section.room.error-page.stack aria-labelledby="error-title" {
            p.error-code.mono { (status) }
            h1 #error-title { (title) }
            p.lead { (detail.map_or_else(|| what.to_owned(), as_sentence)) }
            p.muted { (advice) }
            div.row {
                a.btn.primary href="/" { "To the games" }
                a.btn href="/new" { "New game" }
            }
        }
    };
    frame.layout(title, (SiteSection::Elsewhere, Width::Narrow), &body, &[])
}

/// Turns an error message, which begins with a small letter, into a sentence.
fn as_sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| {
        visible(&format!("{}{}", first.to_uppercase(), rest.as_str()))
    })
}

/// Returns the title, the description and the advice for a status.
fn words(status: u16) -> (&'static str, &'static str, &'static str) {
    match status {
        400 => (
            "That made no sense",
            "The server could not read the request.",
            "Go back and try again; if a link brought you here, it is damaged.",
        ),
        403 => (
            "Not for you",
            "This page is only for some people.",
            "If it should be for you, log in, or ask who runs this server.",
        ),
        404 => (
            "Nothing here but rock",
            "There is no such page or game. Links have 12 letters and digits; one may be missing.",
            "Ask for the link again, or choose a game in the lobby.",
        ),
        413 => {
            ("Too large", "That was more than the server takes.", "A map has at most 65,507 bytes.")
        }
        429 => (
            "Slow down a little",
            "There were too many requests from your address.",
            "Wait a minute and try again. Many people behind one address share the limit.",
        ),
        503 => (
            "Back in a moment",
            "The server is full or restarting.",
            "Running games are stored and go on. Try again in a moment.",
        ),
        500..=599 => (
            "Something caved in",
            "The server made a mistake, and it has been logged.",
            "Try again. If it happens again, report to the person who runs this server when it was.",
        ),
        _ => ("That did not work", "The server rejected the request.", "Go back and try again."),
    }
}
