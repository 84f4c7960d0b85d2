//! The page for watchers of a game: the whole map, or the view of one player. `web/watch.js` does the rest.

use maud::{Markup, html};

use super::lobby::has_room;
use super::play::{gold_left, log, map_canvas, over, roster, status};
use super::{PageFrame, SiteSection, Width, visible};
use crate::LobbyRow;

/// The page `/g/{id}/watch`.
pub fn watch(frame: &PageFrame<'_>, game: &LobbyRow) -> Markup {
    let body = html! {
        link rel="stylesheet" href="/static/game.css";
        div.game #game data-page="watch" data-game=(game.id) data-gold=(game.gold) data-rows=(game.rows) data-cols=(game.cols)
            data-delay=(game.delay_s) {
            h1.sr-only { "Watching " (visible(&game.map)) }
            (bar(game))
            div.map-area {
                (map_canvas())
                p.sr-only #map-text {}
                p.toast #toast aria-hidden="true" {}
                (refused(game))
                (over(game))
            }
            aside.side #side aria-label="Players and log" { (roster()) (log()) }
            p.sr-only #live role="status" aria-live="polite" {}
        }
    };
    let title = format!("Watch {}", visible(&game.map));
    frame.layout(&title, (SiteSection::Elsewhere, Width::Full), &body, &["watch.js"])
}

/// Renders the message that replaces the map for a person who may not watch, usually a player of this game.
fn refused(game: &LobbyRow) -> Markup {
    html! {
        section.overlay #watch-refused hidden aria-labelledby="watch-refused-title" {
            div.panel.stack {
                h2 #watch-refused-title tabindex="-1" { "You can't watch this game" }
                p #watch-refused-why role="alert" {}
                @if game.seated {
                    p { a.btn.primary href={ "/g/" (game.id) } { "Return to your game" } }
                } @else {
                    p { a.btn.primary href="/" { "Other games" } }
                }
            }
        }
    }
}

fn bar(game: &LobbyRow) -> Markup {
    html! {
        section.bar aria-label="The game" {
            dl.stats {
                (gold_left())
                @if game.delay_s > 0 {
                    div.stat { dt { "Behind by" } dd { (game.delay_s) " s" } }
                }
            }
            div.field.eyes {
                label for="view" { "See with the eyes of" }
                select #view { option value="" { "Everybody (whole map)" } }
            }
            p.badge.waiting #watch-stage role="status" {}
            (status())
            div.row.bar-buttons {
                button.btn.small #zoom-out type="button" aria-label="Smaller map" { "−" }
                button.btn.small #zoom-in type="button" aria-label="Larger map" { "+" }
                button.btn.small #full-screen type="button" { "Full screen" }
                @if has_room(game) || game.seated {
                    a.btn.small.primary #watch-play href={ "/g/" (game.id) "#play" } { (if game.seated { "Return" } else { "Play" }) }
                }
            }
        }
    }
}
