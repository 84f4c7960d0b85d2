//! The page of a game: take a seat, play, see the end. `web/play.js` does the rest.

use maud::{Markup, html};

use super::lobby::{facts_text, has_room, player_item};
use super::{PageFrame, SiteSection, Width, name, visible};
use crate::LobbyRow;
use crate::wire::Stage;

/// The page `/g/{id}`. `classic` is the line to type for a classic client, if the game has a UDP port.
pub fn play(frame: &PageFrame<'_>, game: &LobbyRow, classic: Option<&str>) -> Markup {
    let body = html! {
        link rel="stylesheet" href="/static/game.css";
        div.game #game data-page="play" data-game=(game.id) data-gold=(game.gold) data-rows=(game.rows) data-cols=(game.cols)
            data-seated=[game.seated.then_some("yes")] {
            h1.sr-only { "Game on " (visible(&game.map)) }
            (bar())
            div.map-area {
                // Screen readers pass keys on to an element with the role of an application instead of using them for reading.
                div.map-focus #map-focus role="application" aria-label="Map and keys" aria-describedby="map-keys" tabindex="0" {
                    (map_canvas())
                }
                p.sr-only #map-text {}
                p.sr-only #map-keys {
                    "Arrow keys step, with Shift they sprint. V lists what is in sight, G walks to the nearest gold, question mark is help."
                }
                p.toast #toast aria-hidden="true" {}
                (choice(frame, game, classic))
                (waiting(game))
                (left())
                (over(game))
            }
            (pad())
            (side(game, classic))
            p.sr-only #live role="status" aria-live="polite" {}
            (help_dialog())
            (leave_dialog())
            (sight_dialog())
        }
    };
    let title = visible(&game.map);
    frame.layout(&title, (SiteSection::Elsewhere, Width::Full), &body, &["play.js"])
}

/// Renders the map. The scripts keep its text alternative in `map-text` up to date.
pub(super) fn map_canvas() -> Markup {
    html! { canvas.map #map role="img" aria-label="Map" aria-describedby="map-text" {} }
}

fn bar() -> Markup {
    html! {
        section.bar aria-label="Your game" {
            dl.stats {
                div.stat.purse #purse-panel { dt { "Your purse" } dd #purse { "0" } }
                (gold_left())
                div.stat.steps #steps-panel hidden { dt { "Steps left" } dd #steps {} }
            }
            (status())
            div.row.bar-buttons {
                button.btn.small #zoom-out type="button" aria-label="Smaller map" { "−" }
                button.btn.small #zoom-in type="button" aria-label="Larger map" { "+" }
                button.btn.small #sight-button type="button" aria-keyshortcuts="v" { "In sight" }
                button.btn.small #help-button type="button" aria-keyshortcuts="?" { "Help" }
                button.btn.small #leave-button type="button" aria-keyshortcuts="Shift+Q" { "Leave" }
            }
        }
    }
}

/// Renders the amount of uncollected gold.
pub(super) fn gold_left() -> Markup {
    html! {
        div.stat.gold-left {
            dt { "Gold left" }
            dd { span #gold-left { "–" } progress.meter #gold-meter aria-label="Gold left" value="0" max="1" {} }
        }
    }
}

/// Renders the status of the connection.
pub(super) fn status() -> Markup {
    html! { p.connection #connection role="status" { "Connecting…" } }
}

/// Renders the choice between playing and watching, for a person without a seat.
fn choice(frame: &PageFrame<'_>, game: &LobbyRow, classic: Option<&str>) -> Markup {
    let watch = format!("/g/{}/watch", game.id);
    let headline = match game.stage {
        Stage::Over => "This game is over",
        _ if has_room(game) => "Join this game?",
        _ => "This game is full",
    };
    html! {
        section.overlay #choice aria-labelledby="choice-title" hidden[game.seated] {
            div.panel.stack {
                h2 #choice-title { (headline) }
                p.muted { (visible(&game.map)) " · " (facts_text(game)) }
                @if !game.players.is_empty() {
                    ul.players aria-label="Players" { @for player in &game.players { (player_item(player)) } }
                }
                @if has_room(game) {
                    p {
                        @if let Some(person) = frame.person { "You play as " strong { (name(person)) } ". " }
                        a href="/account" { "Change your name" }
                    }
                }
                div.row {
                    @if has_room(game) {
                        button.btn.primary.large #join type="button" { "Play" }
                    }
                    @if game.stage == Stage::Over {
                        a.btn.primary.large href={ "/g/" (game.id) "/replay" } { "Watch the replay" }
                        a.btn.large href="/" { "Other games" }
                    } @else {
                        a.btn.large.primary[!has_room(game)] href=(watch) { "Watch" }
                    }
                }
                p.error #join-error role="alert" {}
                @if let Some(line) = classic.filter(|_| has_room(game)) {
                    p.muted { (classic_way(line)) }
                }
                noscript { p.notice { "Playing needs JavaScript. Please switch it on for this site." } }
            }
        }
    }
}

fn waiting(game: &LobbyRow) -> Markup {
    html! {
        section.overlay.low #waiting aria-labelledby="waiting-title" hidden {
            div.panel.stack {
                h2 #waiting-title role="status" { "Waiting for players" }
                ul.players #waiting-players aria-label="Who is here" {}
                p.muted { "Friends join with the link of this page." }
                div.row {
                    button.btn.primary.large #start type="button" hidden { "Start the game" }
                    button.btn #copy type="button" { "Copy the link" }
                    a.btn href={ "/g/" (game.id) "/show" } { "Show it large" }
                }
            }
        }
    }
}

fn left() -> Markup {
    html! {
        section.overlay #left aria-labelledby="left-title" hidden {
            div.panel.stack {
                h2 #left-title tabindex="-1" { "You have left the game" }
                p #left-text {}
                div.row {
                    a.btn.primary.large href="/" { "Other games" }
                    a.btn.large #left-watch href="/" { "Watch it" }
                }
            }
        }
    }
}

/// Renders the end of the game: table, chart, and buttons for the next game and the replay.
pub(super) fn over(game: &LobbyRow) -> Markup {
    html! {
        section.overlay #over aria-labelledby="over-title" hidden {
            div.panel.stack {
                h2 #over-title tabindex="-1" { "Game over" }
                p.notice.good #next-game hidden { "The same people play again. " a #next-link href="/" { "Join them" } }
                div.table-wrap {
                    table {
                        thead { tr { th.number scope="col" { "Place" } th scope="col" { "Player" } th.number scope="col" { "Nuggets" } } }
                        tbody #over-rows {}
                    }
                }
                figure #chart-figure hidden {
                    figcaption.muted { "Purses over time" }
                    svg #chart {}
                }
                div.row {
                    button.btn.primary #again type="button" { "Play again" }
                    a.btn href={ "/g/" (game.id) "/replay" } { "Watch the replay" }
                    button.btn.quiet #over-close type="button" { "Show the map" }
                }
                p.error #again-error role="alert" {}
            }
        }
    }
}

/// Renders the movement buttons for touch screens.
fn pad() -> Markup {
    const STEPS: [(&str, &str, &str); 9] = [
        ("y", "Step up left", "↖"),
        ("k", "Step up", "↑"),
        ("u", "Step up right", "↗"),
        ("h", "Step left", "←"),
        ("o", "Explore one step", "Go"),
        ("l", "Step right", "→"),
        ("b", "Step down left", "↙"),
        ("j", "Step down", "↓"),
        ("n", "Step down right", "↘"),
    ];
    html! {
        section.pad #pad aria-label="Steps" {
            div.pad-side {
                button.btn #pad-sight type="button" { "In sight" }
                button.btn #sprint type="button" aria-pressed="false" { "Sprint" }
                button.btn #side-button type="button" aria-expanded="false" aria-controls="side" { "Players" }
            }
            div.pad-keys {
                @for (key, label, sign) in STEPS {
                    button.btn type="button" data-key=(key) aria-label=(label) { (sign) }
                }
            }
        }
    }
}

fn side(game: &LobbyRow, classic: Option<&str>) -> Markup {
    html! {
        aside.side #side aria-label="Players and log" {
            (roster())
            (log())
            p.muted.classic {
                // Opens another tab, because this one shows the game.
                a href={ "/g/" (game.id) "/show" } target="_blank" { "Invite others: link and QR code" }
                @if let Some(line) = classic { " · " (classic_way(line)) }
            }
        }
    }
}

/// Renders the command line for a classic client, or the reason why there is none.
pub(super) fn classic_way(line: &str) -> Markup {
    html! {
        @if line.starts_with("player ") { "With a client from the course: " code.classic { (visible(line)) } }
        @else { (visible(line)) }
    }
}

/// Renders the list of players with the purses that are known.
pub(super) fn roster() -> Markup {
    html! {
        section.roster-panel aria-labelledby="roster-title" {
            h2 #roster-title { "Players" }
            ul.roster #roster tabindex="0" aria-labelledby="roster-title" {}
            p.muted #others-total {}
        }
    }
}

/// Renders the event log, the newest event first.
pub(super) fn log() -> Markup {
    html! {
        section.log-panel aria-labelledby="log-title" {
            h2 #log-title { "What happened" }
            ol.log #log tabindex="0" aria-labelledby="log-title" {}
        }
    }
}

fn help_dialog() -> Markup {
    html! {
        dialog.how-to #help aria-labelledby="help-title" {
            div.stack {
                // Otherwise the dialog would focus its first control, which is below the fold on a phone.
                h2 #help-title tabindex="-1" autofocus { "How to play" }
                p { "Collect more gold than the others. A step onto a pile takes it. When no gold is left, the game is over." }
                ul #house-rules hidden {}
                div.help-columns {
                    (help_keys())
                    (help_signs())
                }
                form method="dialog" { button.btn.primary { "Close" } }
            }
        }
    }
}

fn help_keys() -> Markup {
    const KEYS: [(&[&str], &str); 8] = [
        (&["o"], "explore: one step to gold in sight or to the unknown"),
        (&["O"], "explore on until something comes into sight"),
        (&["v"], "what is in sight, with direction and distance"),
        (&["g"], "walk to the nearest gold in sight, or else to an exit"),
        (&["+", "-"], "larger or smaller map"),
        (&["Esc"], "stop walking"),
        (&["Q"], "leave the game for good"),
        (&["?"], "this page"),
    ];
    html! {
        section aria-labelledby="help-keys" {
            h3 #help-keys { "Keys" }
            pre.keys-drawing aria-hidden="true" { "y k u    7 8 9    ↖ ↑ ↗\nh   l    4   6    ←   →\nb j n    1 2 3    ↙ ↓ ↘" }
            p { "One step: arrows, the keypad, or " kbd { "h" } " left, " kbd { "j" } " down, " kbd { "k" } " up, " kbd { "l" }
                " right and " kbd { "y" } " " kbd { "u" } " " kbd { "b" } " " kbd { "n" }
                " for the diagonals. With " kbd { "Shift" } " you sprint as far as possible." }
            dl.key-list {
                @for (keys, text) in KEYS {
                    dt { @for key in keys { kbd { (key) } " " } }
                    dd { (text) }
                }
            }
        }
    }
}

fn help_signs() -> Markup {
    html! {
        section aria-labelledby="help-touch" {
            h3 #help-touch { "Mouse and touch" }
            p { "Click or tap a place to walk there. Swipe to step, swipe far to sprint, or use the buttons below the map." }
            h3 { "The map" }
            p { "Bright is what you see now, dim is what you remember. Your token has corners and a bright ring. "
                "You swap places with a player onto whom you step." }
        }
    }
}

fn leave_dialog() -> Markup {
    html! {
        dialog #leave aria-labelledby="leave-title" {
            form.stack method="dialog" {
                h2 #leave-title { "Leave the game for good?" }
                p { "Your purse stays in the final table, but you can't come back. To pause, just close the page: your place is kept." }
                div.row {
                    button.btn value="stay" autofocus { "Stay" }
                    button.btn.danger value="leave" { "Leave" }
                }
            }
        }
    }
}

fn sight_dialog() -> Markup {
    html! {
        dialog #sight aria-labelledby="sight-title" {
            div.stack {
                h2 #sight-title { "In sight" }
                p.muted #sight-empty { "Nothing but floor and walls." }
                ol.sight-list #sight-list {}
                p.help { "Choose one to walk there: a digit, or Tab and Enter." }
                form method="dialog" { button.btn { "Close" } }
            }
        }
    }
}
