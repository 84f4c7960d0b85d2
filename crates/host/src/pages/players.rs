//! The table of ratings, and the page of one player with the history of its rating and its games.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::lobby::replay_cells;
use super::{PageFrame, SiteSection, Width, name, table, visible};
use crate::{FinishedGame, PlayerHistory, PlayerId, Rated, RatingRow};

/// Returns the last part of the link `/players/{id}`: the number of a person, or `bot-` and the brain.
pub fn player_link(who: &Rated) -> String {
    match who {
        Rated::Player(id) => id.0.to_string(),
        Rated::Bot(brain) => format!("bot-{brain}"),
    }
}

/// Parses the last part of a link `/players/{id}`.
///
/// ```
/// use nuggets_host::Rated;
/// use nuggets_host::pages::{player_from_link, player_link};
///
/// let miner = Rated::Bot("miner".to_owned());
/// assert_eq!(player_from_link(&player_link(&miner)), Some(miner));
/// ```
pub fn player_from_link(link: &str) -> Option<Rated> {
    match link.strip_prefix("bot-") {
        Some(brain) => Some(Rated::Bot(brain.to_owned())),
        None => link.parse().ok().map(|id| Rated::Player(PlayerId(id))),
    }
}

/// The page `/players`.
pub fn players(frame: &PageFrame<'_>, rows: &[RatingRow], you: Option<PlayerId>) -> Markup {
    let body = html! {
        div.stack {
            h1 { "Players" }
            p.muted.lead { "Who finds the most gold. Only rated games count; the number after ± says how sure the rating is." }
            @if rows.is_empty() {
                div.panel.empty.stack {
                    p { "No rated game has ended yet." }
                    p { a.btn.primary href="/new" { "New game" } }
                }
            } @else {
                (ratings(rows, you))
            }
        }
    };
    frame.layout("Players", (SiteSection::Players, Width::Wide), &body, &[])
}

fn ratings(rows: &[RatingRow], you: Option<PlayerId>) -> Markup {
    let is_you = |row: &RatingRow| you.is_some_and(|you| row.who == Rated::Player(you));
    let ratings = html! {
        @for row in rows {
            tr.you[is_you(row)] {
                td.number { (row.place) }
                th scope="row" {
                    a href={ "/players/" (player_link(&row.who)) } { (name(&row.name)) }
                    @if matches!(row.who, Rated::Bot(_)) { " " span.badge { "bot" } }
                    @if is_you(row) { " " span.badge { "you" } }
                }
                td.number { (rating(row)) }
                td.number { (row.games) }
                td.number { (wins(row)) }
            }
        }
    };
    table("Ratings", ">#, Player, >Rating, >Games, >Won", &ratings)
}

fn rating(row: &RatingRow) -> Markup {
    html! { strong { (format!("{:.1}", row.rating)) } " " span.muted.small { "±" (format!("{:.1}", row.deviation)) } }
}

/// Formats the wins, including shares of ties; whole numbers have no fraction.
fn wins(row: &RatingRow) -> String {
    format!("{:.2}", row.wins).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The page `/players/{id}`.
pub fn player(
    frame: &PageFrame<'_>,
    who: &Rated,
    history: &PlayerHistory,
    now_unix_ms: u64,
) -> Markup {
    let body = html! {
        div.stack.loose {
            div.stack {
                h1 { (name(&history.name)) @if matches!(who, Rated::Bot(_)) { " " span.badge { "bot" } } }
                @if let Some(row) = &history.rating { (standing(row)) } @else { p.muted { "No rated game yet." } }
            }
            @if history.points.len() > 1 {
                section.stack aria-labelledby="history" {
                    h2 #history { "Rating" }
                    figure.panel { (history_chart(&history.points)) }
                }
            }
            section.stack aria-labelledby="played" {
                h2 #played { "Games" }
                (played(who, &history.games, now_unix_ms))
            }
        }
    };
    let title = visible(&history.name);
    frame.layout(&title, (SiteSection::Players, Width::Wide), &body, &[])
}

fn standing(row: &RatingRow) -> Markup {
    html! {
        dl.stats {
            (stat("Rating", &rating(row)))
            (stat("Place", &html! { (row.place) }))
            (stat("Rated games", &html! { (row.games) }))
            (stat("Won", &html! { (wins(row)) }))
        }
    }
}

fn stat(label: &str, value: &Markup) -> Markup {
    html! { div.stat { dt { (label) } dd { (value) } } }
}

fn played(who: &Rated, games: &[FinishedGame], now_unix_ms: u64) -> Markup {
    if games.is_empty() {
        return html! { p.muted { "No finished game yet." } };
    }
    let rows = html! { @for game in games { (played_row(who, game, now_unix_ms)) } };
    table("Table of games", "Map, >Place, >Nuggets, >Rating, Ended, Replay", &rows)
}

fn played_row(who: &Rated, game: &FinishedGame, now_unix_ms: u64) -> Markup {
    let best = game.results.iter().find(|row| row.who.as_ref() == Some(who));
    html! {
        tr {
            th scope="row" { (visible(&game.map)) }
            td.number { @if let Some(row) = best { (row.place) span.muted { " of " (game.results.len()) } } }
            td.number { @if let Some(row) = best { span.gold { (row.purse) } } }
            td.number { (change(best.and_then(|row| row.rating).map(|(_, change)| change))) }
            (replay_cells(game, now_unix_ms))
        }
    }
}

fn change(change: Option<f64>) -> Markup {
    match change {
        None => html! { span.muted { "–" } },
        Some(change) if change < 0.0 => html! { span.fell { "−" (format!("{:.1}", -change)) } },
        Some(change) => html! { span.rose { "+" (format!("{change:.1}")) } },
    }
}

/// Renders the rating over the rated games as a line chart.
fn history_chart(history: &[f64]) -> Markup {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 160.0;
    let low = history.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = history.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let (first, last) = (history[0], history[history.len() - 1]);
    let step = WIDTH / f64::from(u32::try_from(history.len() - 1).unwrap_or(u32::MAX));
    let mut path = String::new();
    let mut x = 0.0;
    for rating in history {
        let y = HEIGHT - (rating - low) / (high - low) * HEIGHT;
        let letter = if path.is_empty() { 'M' } else { 'L' };
        write!(path, "{letter}{x:.1} {y:.1}").expect("writing to a string can't fail");
        x += step;
    }
    let label = format!(
        "Rating over {} rated games: from {first:.1} to {last:.1}, between {low:.0} and {high:.0}",
        history.len()
    );
    html! {
        svg.history viewBox="-44 -14 652 188" role="img" aria-label=(label) {
            @for (value, y) in [(high, 0.0), (f64::midpoint(low, high), HEIGHT / 2.0), (low, HEIGHT)] {
                line.grid x1="0" y1=(y) x2=(WIDTH) y2=(y) {}
                text.axis x="-8" y=(y + 5.0) text-anchor="end" { (format!("{value:.0}")) }
            }
            path.curve d=(path) fill="none" {}
        }
    }
}
