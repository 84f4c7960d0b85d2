//! The pages, as pure functions from plain data to markup. Every page has the same [`PageFrame`]. They must not know
//! requests, sockets or games. Untrusted text is escaped by maud and passes through [`visible`].

mod account;
mod admin;
mod error;
mod lobby;
mod new_game;
mod play;
mod players;
mod replay;
mod show;
mod wall;
mod watch;

use maud::{DOCTYPE, Markup, html};

pub use account::account_page;
pub use admin::{AdminPage, ConnectedPerson, admin, admin_login};
pub use error::error_page;
pub use lobby::{lobby, running_games};
pub use new_game::new_game;
pub use play::play;
pub use players::{player, player_from_link, player_link, players};
pub use replay::replay;
pub use show::{qr_code, show};
pub use wall::wall;
pub use watch::watch;

/// The data of the frame that all pages have.
#[derive(Clone, Debug, Default)]
pub struct PageFrame<'a> {
    /// The name of the visitor; `None` before the first cookie is set.
    pub person: Option<&'a str>,
    /// A notice of the host to all visitors, for example that the server will stop.
    pub notice: Option<&'a str>,
}

/// A section of the site in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteSection {
    /// None of them.
    Elsewhere,
    /// The lobby.
    Games,
    /// The form for a new game.
    NewGame,
    /// All running games as tiles.
    Wall,
    /// The table of ratings.
    Players,
    /// The account of this person.
    Account,
}

/// The width of a page's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A column of cards and tables.
    Wide,
    /// A column for reading and forms.
    Narrow,
    /// The whole window, without footer: play, watch, wall.
    Full,
}

const NAVIGATION: [(SiteSection, &str, &str); 4] = [
    (SiteSection::Games, "/", "Games"),
    (SiteSection::NewGame, "/new", "New game"),
    (SiteSection::Wall, "/wall", "Wall"),
    (SiteSection::Players, "/players", "Players"),
];

impl PageFrame<'_> {
    /// Renders the frame around the body of a page. The title is without the name of the site; the navigation marks the
    /// section as current; `scripts` are file names of ES modules in `web/`.
    ///
    /// ```
    /// use maud::html;
    /// use nuggets_host::pages::{PageFrame, SiteSection, Width};
    ///
    /// let body = html! { p { "hi" } };
    /// let frame = PageFrame::default();
    /// let page = frame.layout("<Hello>", (SiteSection::Games, Width::Wide), &body, &["lobby.js"]);
    /// assert!(page.into_string().contains("<title>&lt;Hello&gt; · Nuggets</title>"));
    /// ```
    pub fn layout(
        &self,
        title: &str,
        (section, width): (SiteSection, Width),
        body: &Markup,
        scripts: &[&str],
    ) -> Markup {
        let class = match width {
            Width::Wide => "wide",
            Width::Narrow => "narrow",
            Width::Full => "full",
        };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (visible(title)) " · Nuggets" }
                    meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                    meta name="description" content="Nuggets: explore the map, collect the gold before the others do. Play in the browser.";
                    meta name="color-scheme" content="dark light";
                    link rel="icon" type="image/svg+xml" href="/static/logo.svg";
                    link rel="stylesheet" href="/static/style.css";
                    @for script in scripts {
                        script type="module" src={ "/static/" (script) } {}
                    }
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    (header(self.person, section))
                    main #main .(class) tabindex="-1" {
                        @if let Some(notice) = self.notice {
                            p.notice.(class) role="status" { (visible(notice)) }
                        }
                        (body)
                    }
                    @if width != Width::Full { (footer()) }
                }
            }
        }
    }
}

fn header(person: Option<&str>, current: SiteSection) -> Markup {
    let current = |section| (section == current).then_some("page");
    html! {
        header.site-header {
            div {
                a.brand href="/" {
                    img src="/static/logo.svg" alt="" width="28" height="28";
                    "nuggets"
                }
                nav.site-nav aria-label="Site" {
                    ul {
                        @for (section, path, text) in NAVIGATION {
                            li { a href=(path) aria-current=[current(section)] { (text) } }
                        }
                    }
                }
                a.person href="/account" aria-current=[current(SiteSection::Account)] {
                    svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" {
                        circle cx="12" cy="8" r="4" {}
                        path d="M4 21c1-5 4-7 8-7s7 2 8 7" {}
                    }
                    span.sr-only { "Your account: " }
                    bdi { (person.map_or_else(|| "Account".to_owned(), visible)) }
                }
            }
        }
    }
}

fn footer() -> Markup {
    html! {
        footer.site-footer {
            div {
                p { "Nuggets: explore the map, collect the gold before the others do." }
                p { "Press " kbd { "?" } " in a game for its keys." }
            }
        }
    }
}

/// Replaces characters of untrusted text that are invisible or change the direction of the text. `visibleText` in `colors.js`
/// does the same.
///
/// ```
/// assert_eq!(nuggets_host::pages::visible("A\u{202e}b\u{7}"), "A\u{fffd}b\u{fffd}");
/// ```
pub fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Renders a table that scrolls by itself. The headings of the columns are separated by commas; `>` before one marks a column
/// of numbers.
fn table(label: &str, columns: &str, rows: &Markup) -> Markup {
    html! {
        div.table-wrap tabindex="0" role="region" aria-label=(label) {
            table {
                thead {
                    tr {
                        @for heading in columns.split(", ") {
                            th.number[heading.starts_with('>')] scope="col" { (heading.trim_start_matches('>')) }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// Renders the button that sends a form, and the place of the result.
fn submit(text: &str, kind: &str) -> Markup {
    html! {
        div.row {
            button.btn.(kind) type="submit" { (text) }
            p.form-result role="status" {}
        }
    }
}

/// Renders a name, isolated from the direction of the text around it.
pub fn name(name: &str) -> Markup {
    html! { bdi { (visible(name)) } }
}

/// Returns the class of a player's colour, `p0` to `p9`. `colorIndex` in `colors.js` does the same.
pub fn player_class(letter: char) -> &'static str {
    const CLASSES: [&str; 10] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"];
    let index = if letter.is_ascii_uppercase() { letter as usize - 'A' as usize } else { 9 };
    CLASSES[index % CLASSES.len()]
}

/// Returns the border style of a player, 0 to 2: players beyond the tenth share a colour with an earlier one and differ in the
/// border.
fn player_mark(letter: char) -> usize {
    if letter.is_ascii_uppercase() { (letter as usize - 'A' as usize) / 10 } else { 0 }
}

/// Renders the letter of a player in its colour.
pub fn chip(letter: char) -> Markup {
    html! { span.chip.(player_class(letter)) .dashed[player_mark(letter) == 1] .dotted[player_mark(letter) == 2] { (visible(&letter.to_string())) } }
}

/// Formats the time since an event for people.
///
/// ```
/// use nuggets_host::pages::time_ago;
///
/// assert_eq!(time_ago(59), "just now");
/// assert_eq!(time_ago(3_600 * 5), "5 hours ago");
/// ```
pub fn time_ago(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}
