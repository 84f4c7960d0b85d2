//! The page that shows a class how to join: the link in large type and as a QR code, the players, the start button.
//! `web/show.js` keeps it up to date.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use qrcode::{Color, EcLevel, QrCode};

use super::lobby::player_item;
use super::play::classic_way;
use super::{PageFrame, SiteSection, Width, visible};
use crate::wire::Stage;
use crate::{LobbyRow, Start};

/// The page `/g/{id}/show`. `link` is the full URL of the game, `classic` the line to type for a classic client, if the game
/// has a UDP port.
pub fn show(frame: &PageFrame<'_>, game: &LobbyRow, link: &str, classic: Option<&str>) -> Markup {
    let body = html! {
        div.show data-game=(game.id) data-yours=[game.mine.then_some("yes")] {
            section.show-link.stack aria-labelledby="show-title" {
                h1 #show-title { "Join the game" }
                p.muted { "Point a phone's camera at the square, or type the link:" }
                p.big-link { a #link href=(visible(link)) { (large_link(link)) } }
                p.notice #show-local hidden {
                    "Only this computer can open this link. For others, start the host with " code { "--listen 0.0.0.0:8080" }
                    " and open this page under the address of this computer in your network, or set " code { "--public-url" } "."
                }
                div.row {
                    button.btn #copy type="button" { "Copy the link" }
                    span.help #copied role="status" {}
                }
                @if let Some(line) = classic {
                    p.muted { (classic_way(line)) }
                }
                div.row {
                    @if game.mine && game.awaits_start() {
                        button.btn.primary.large #start type="button" { "Start the game" }
                    }
                    a.btn.large #show-play href={ "/g/" (game.id) } { "Play" }
                    a.btn.large #show-watch href={ "/g/" (game.id) "/watch" } { "Watch" }
                }
                p.error #show-error role="alert" {}
            }
            figure.qr { (qr_code(link)) figcaption.sr-only { "QR code of the link" } }
            section.show-players.stack aria-labelledby="who" {
                h2 #who { "Who is in: " span #count.number { (game.players.len()) } }
                p.muted #show-stage role="status" { (stage_sentence(game)) }
                ul.players.large #players { @for player in &game.players { (player_item(player)) } }
            }
        }
    };
    let title = format!("Join: {}", visible(&game.map));
    frame.layout(&title, (SiteSection::Elsewhere, Width::Wide), &body, &["show.js"])
}

/// Renders the link for typing: host and path in large type, with places for line breaks.
fn large_link(link: &str) -> Markup {
    let (scheme, rest) = link.split_once("://").unwrap_or(("http", link));
    html! {
        span.scheme { (visible(scheme)) "://" }
        @for (index, part) in rest.split('/').enumerate() {
            @if index > 0 { "/" wbr; }
            (visible(part))
        }
    }
}

fn stage_sentence(game: &LobbyRow) -> String {
    match (game.stage, game.start) {
        (Stage::Waiting { missing: Some(missing) }, Start::WithPlayers(_)) => {
            format!("Starts when {missing} more {} in.", if missing == 1 { "is" } else { "are" })
        }
        (Stage::Waiting { missing: Some(_) }, _) => "Starts with the first person.".to_owned(),
        (Stage::Waiting { missing: None }, _) => "Starts when its creator says so.".to_owned(),
        (Stage::Playing, _) => "The game is on. You can still join.".to_owned(),
        (Stage::Over, _) => "The game is over.".to_owned(),
    }
}

/// Renders a QR code as SVG, black on white in every colour scheme, because some readers can't read it otherwise. Renders nothing
/// if the text is too long for a QR code.
pub fn qr_code(text: &str) -> Markup {
    const QUIET_ZONE: usize = 4;
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else {
        return PreEscaped(String::new());
    };
    let width = code.width();
    let mut path = String::new();
    for (index, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Dark {
            let (x, y) = (index % width + QUIET_ZONE, index / width + QUIET_ZONE);
            write!(path, "M{x} {y}h1v1h-1z").expect("writing to a string can't fail");
        }
    }
    let side = width + 2 * QUIET_ZONE;
    html! {
        svg.qr-code viewBox={ "0 0 " (side) " " (side) } role="img" aria-label="QR code of the link" shape-rendering="crispEdges" {
            rect width=(side) height=(side) fill="#fff" {}
            path d=(path) fill="#000" {}
        }
    }
}
