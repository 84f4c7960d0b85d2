//! The page of a finished game: `nuggets_replay::page` in the frame of this site.

use maud::{Markup, html};
use nuggets_replay::page::{ReplayData, ReplayLinks, replay_body, replay_title};

use super::{PageFrame, SiteSection, Width};
use crate::GameId;

/// The page `/g/{id}/replay`. `summary` may be without frames: the page asks for them at `/api/games/{id}/replay`.
pub fn replay(frame: &PageFrame<'_>, game: GameId, summary: &ReplayData) -> Markup {
    let data = format!("/api/games/{game}/replay");
    let recording = format!("/g/{game}/recording");
    let file_name = format!("{game}.nuggets");
    let links = ReplayLinks { data: Some(&data), recording: &recording, file_name: &file_name };
    let body = html! {
        link rel="stylesheet" href="/static/replay.css";
        (replay_body(summary, &links))
    };
    let title = replay_title(summary.players.iter().map(|player| player.name.as_str()));
    frame.layout(&title, (SiteSection::Elsewhere, Width::Full), &body, &["replay.js"])
}
