//! All running public games as tiles, for a projector. `web/wall.js` fills it.

use maud::{Markup, html};

use super::{PageFrame, SiteSection, Width};

/// The page `/wall`.
pub fn wall(frame: &PageFrame<'_>) -> Markup {
    let body = html! {
        link rel="stylesheet" href="/static/game.css";
        div.wall #wall {
            div.wall-head {
                h1 { "Running games" }
                p.wall-facts #wall-facts role="status" {}
                button.btn.small #full-screen type="button" { "Full screen" }
            }
            ul.tiles #tiles {}
            div.empty.panel #wall-empty hidden {
                p { "Nobody is playing right now." }
                p { a.btn.primary href="/new" { "New game" } }
            }
            noscript { p.notice { "The wall needs JavaScript. Please switch it on for this site." } }
        }
        template #tile-template {
            li.tile {
                a.tile-link href="/" {
                    div.tile-head {
                        h2 data-slot="map" {}
                        p.tile-gold { span data-slot="left" {} span.tile-unit { " gold left" } }
                    }
                    div.tile-map { canvas aria-hidden="true" {} }
                    div.tile-foot {
                        ol.tile-players data-slot="players" aria-label="Leaders" {}
                        p.tile-note data-slot="note" {}
                    }
                }
            }
        }
    };
    frame.layout("Wall", (SiteSection::Wall, Width::Full), &body, &["wall.js"])
}
