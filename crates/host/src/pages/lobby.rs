//! The lobby: running games, a visitor's games by link, finished games. `web/lobby.js` updates it from [`running_games`].

use maud::{Markup, PreEscaped, html};

use super::{PageFrame, SiteSection, Width, chip, name, table, time_ago, visible};
use crate::wire::{PlayerLine, Stage};
use crate::{FinishedGame, LobbyRow, ResultRow, Start, Visibility};

/// The maximum number of names on a card; the card only counts the rest.
const MAX_NAMES: usize = 8;

/// The page `/`: running games that this person may see, the newest first, and finished ones, the latest first.
pub fn lobby(
    frame: &PageFrame<'_>,
    games: &[LobbyRow],
    ended: &[FinishedGame],
    now_unix_ms: u64,
) -> Markup {
    let body = html! {
        div.stack.loose {
            (welcome())
            (running_games(games))
            section.stack aria-labelledby="ended" {
                h2 #ended { "Just finished" }
                div #finished-part { (finished(ended, now_unix_ms)) }
            }
        }
    };
    frame.layout("Games", (SiteSection::Games, Width::Wide), &body, &["lobby.js"])
}

/// Renders the part of the lobby with a card for each running game. `web/lobby.js` requests it every two seconds and replaces
/// each `data-slot` that differs.
pub fn running_games(games: &[LobbyRow]) -> Markup {
    let (public, own): (Vec<_>, Vec<_>) =
        games.iter().partition(|game| game.visibility == Visibility::Public);
    html! {
        div.stack.loose #running-games {
            section.stack aria-labelledby="running" {
                div.row.between {
                    h2 #running { "Running games" }
                    p.muted #lobby-state role="status" { (count_text(public.len())) }
                }
                ul.cards #games { @for game in &public { (card(game)) } }
                div.empty.panel #no-games hidden[!public.is_empty()] {
                    p { "Nobody is playing right now. Start a game, and others will see it here." }
                }
            }
            section.stack #own-section aria-labelledby="own-title" hidden[own.is_empty()] {
                h2 #own-title { "Your games by link" }
                ul.cards #own { @for game in &own { (card(game)) } }
            }
        }
    }
}

fn welcome() -> Markup {
    html! {
        section.room.hero aria-labelledby="welcome" {
            div.stack {
                h1 #welcome { "Dig in. Grab the gold first." }
                p.lead {
                    "Explore a dark map, find the nuggets, outrun the others. "
                    "One click starts a game against three bots; send its link and friends drop in."
                }
                div.row {
                    button.btn.primary.large #play-now type="button" { "Play now" }
                    a.btn.large href="/new" { "New game…" }
                }
                p.error #play-error role="alert" {}
                noscript { p.notice { "Playing needs JavaScript. Please switch it on for this site." } }
            }
            (hero_drawing())
        }
    }
}

/// Renders rooms, a passage, gold and two players, drawn as on the map.
fn hero_drawing() -> Markup {
    html! {
        svg.hero-drawing viewBox="0 0 300 190" aria-hidden="true" {
            g.walls fill="none" stroke-width="3" {
                path d="M10 20h120v70H10z" {}
                path d="M180 90h110v80H180z" {}
            }
            g.passage stroke-width="8" stroke-dasharray="8 4" fill="none" {
                path d="M130 56h34v76h16" {}
            }
            g.floor {
                @for (x, y) in floor_spots() { circle cx=(x) cy=(y) r="1.8" {} }
            }
            g.nuggets {
                path d="m38 70 6-8 9 1 5 8-6 6-11-1z" {}
                path d="m248 114 6-8 9 1 5 8-6 6-11-1z" {}
                path d="m214 148 5-7 8 1 4 7-5 5-9-1z" {}
            }
            g.pawns font-size="17" font-weight="700" text-anchor="middle" {
                text.p0 x="92" y="62" { "A" }
                text.p1 x="204" y="124" { "B" }
                text.you x="70" y="44" { "@" }
            }
        }
    }
}

fn floor_spots() -> impl Iterator<Item = (u32, u32)> {
    let room = |left: u32, top: u32, cols: u32, rows: u32| {
        (0..rows).flat_map(move |row| (0..cols).map(move |col| (left + col * 22, top + row * 22)))
    };
    room(26, 36, 5, 3).chain(room(198, 108, 4, 3))
}

/// True if one more player may join.
pub(super) fn has_room(game: &LobbyRow) -> bool {
    game.stage != Stage::Over && game.players.len() < game.max_players
}

fn count_text(games: usize) -> String {
    match games {
        0 => String::new(),
        1 => "1 game".to_owned(),
        n => format!("{n} games"),
    }
}

fn card(game: &LobbyRow) -> Markup {
    let place = format!("/g/{}", game.id);
    let players_shown = game.players.iter().take(MAX_NAMES);
    let more = game.players.len().saturating_sub(MAX_NAMES);
    html! {
        li.card data-game=(game.id) data-map=(visible(&game.map)) {
            div.map-preview.fog { canvas aria-hidden="true" hidden {} }
            div.body {
                div.row.between {
                    h3 { (visible(&game.map)) }
                    span.badge.(stage_class(game.stage)) data-slot="stage" { (stage_text(game)) }
                }
                ul.players data-slot="players" aria-label="Players" {
                    @for player in players_shown { (player_item(player)) }
                    @if more > 0 { li.muted { "and " (more) " more" } }
                    @if game.players.is_empty() { li.muted { "Nobody yet: be the first" } }
                }
                div.stack.tight data-slot="gold" {
                    progress.meter aria-label="Gold left" value=(game.gold_left) max=(game.gold.max(1)) {}
                    p.muted.facts { (facts_text(game)) }
                }
                div.actions data-slot="actions" {
                    a.btn.primary href={ (place) "#play" } hidden[!(game.seated || has_room(game))] {
                        (if game.seated { "Return" } else { "Play" }) span.sr-only { " on " (visible(&game.map)) }
                    }
                    a.btn href={ (place) "/watch" } { "Watch" span.sr-only { " " (visible(&game.map)) } }
                    // The number of running games per person is limited, so creators can end theirs.
                    @if game.mine { button.btn.quiet type="button" data-end=(game.id) { "End" span.sr-only { " this game" } } }
                }
            }
        }
    }
}

/// Renders a player in a list: letter, name, and a mark for a bot or a player who has left.
pub(super) fn player_item(player: &PlayerLine) -> Markup {
    html! {
        li.left[player.left] {
            (chip(player.letter)) (name(&player.name))
            @if player.bot { span.bot { "bot" } }
            @if player.left { span.sr-only { "(left)" } }
        }
    }
}

/// Returns the class of the badge of a stage.
pub(super) fn stage_class(stage: Stage) -> &'static str {
    match stage {
        Stage::Waiting { .. } => "waiting",
        Stage::Playing => "live",
        Stage::Over => "over",
    }
}

fn stage_text(game: &LobbyRow) -> String {
    match (game.stage, game.start) {
        (Stage::Waiting { missing: Some(missing) }, Start::WithPlayers(_)) => {
            format!("Waiting for {missing} more")
        }
        (Stage::Waiting { missing: Some(_) }, _) => "Waiting for the first person".to_owned(),
        (Stage::Waiting { missing: None }, _) => "Waiting for the start".to_owned(),
        (Stage::Playing, _) => "Playing".to_owned(),
        (Stage::Over, _) => "Over".to_owned(),
    }
}

/// Returns the facts of a game in one line.
pub(super) fn facts_text(game: &LobbyRow) -> String {
    let mut facts = vec![format!("{} of {} nuggets left", game.gold_left, game.gold)];
    if game.watchers > 0 {
        facts.push(format!("{} watching", game.watchers));
    }
    if game.rated {
        facts.push("rated".to_owned());
    }
    if game.delay_s > 0 {
        facts.push(format!("watched {} s later", game.delay_s));
    }
    if let Some(rules) = &game.rules {
        facts.push(visible(rules));
    }
    if !has_room(game) {
        facts.push("full".to_owned());
    }
    facts.join(" · ")
}

/// Renders the finished games, with a link to each replay.
fn finished(rows: &[FinishedGame], now_unix_ms: u64) -> Markup {
    if rows.is_empty() {
        return html! { p.muted { "No game has ended yet. Every finished game gets a replay here." } };
    }
    let finished = html! {
        @for row in rows {
            tr {
                th scope="row" { (visible(&row.map)) @if row.rated { " " span.badge { "rated" } } }
                td { (winner(&row.results)) }
                td.number { (row.results.len()) }
                (replay_cells(row, now_unix_ms))
            }
        }
    };
    table("Finished games", "Map, Winner, >Players, Ended, Replay", &finished)
}

/// Renders the end of a finished game and the link to its replay, as two cells of a table.
pub(super) fn replay_cells(game: &FinishedGame, now_unix_ms: u64) -> Markup {
    let ago = time_ago(now_unix_ms.saturating_sub(game.finished_unix_ms) / 1000);
    html! {
        td.nowrap { (ago) }
        td { a href={ "/g/" (game.id) "/replay" } { "Replay" span.sr-only { " of " (visible(&game.map)) ", " (ago) } } }
    }
}

fn winner(results: &[ResultRow]) -> Markup {
    match results.first().filter(|first| first.purse > 0) {
        Some(first) => html! {
            span.winner { (chip(first.letter)) (name(&first.name)) " " span.gold.number { (first.purse) } span.sr-only { " nuggets" } }
        },
        None => PreEscaped("–".to_owned()),
    }
}
