//! The admin page, for the operator of the host: load, games, people; kick, ban, end, message, drain. `web/admin.js` sends the
//! commands.

use maud::{Markup, html};

use super::lobby::stage_class;
use super::{PageFrame, SiteSection, Width, chip, name, submit, table, visible};
use crate::wire::Stage;
use crate::{Ban, GameId, LobbyRow, NodeStatus, PlayerId, Source, Visibility};

const NODES: &str =
    "Node, Condition, >Games, >Connections, >Commits per second, >Longest commit, Drain";
const GAMES: &str = "Game, Stage, >Gold left, >Watchers, Players: press to kick, End";
const PEOPLE: &str = "Name, Address, >Connections, Kick, Ban";

/// The data of the page.
#[derive(Clone, Debug)]
pub struct AdminPage<'a> {
    /// Figures of the load: a label and its value.
    pub load: &'a [(String, String)],
    /// All running games, including those that only their link leads to.
    pub games: &'a [LobbyRow],
    /// All connected people.
    pub people: &'a [ConnectedPerson],
    /// All bans, with the name of the person or source to show.
    pub bans: &'a [(Ban, String)],
    /// True if new games are rejected.
    pub is_draining: bool,
    /// The nodes that share the database; `None` for a host with a data folder.
    pub nodes: Option<&'a [NodeStatus]>,
}

/// A person with at least one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedPerson {
    /// The account.
    pub id: PlayerId,
    /// The name.
    pub name: String,
    /// The address that the connections come from.
    pub source: Source,
    /// The number of connections.
    pub connections: usize,
    /// The games in which this person has a seat: id and map.
    pub games: Vec<(GameId, String)>,
}

/// The page `/admin` for a visitor who has not sent the token.
pub fn admin_login(frame: &PageFrame<'_>) -> Markup {
    let body = html! {
        div.stack {
            h1 { "Administration" }
            form.panel.stack #admin-login data-action="/api/admin/login" novalidate {
                div.field {
                    label for="token" { "Token" }
                    input #token name="token" type="password" required autocomplete="off" aria-describedby="token-help token-error";
                    p.help #token-help { "The server prints it when it starts." }
                    p.error #token-error role="alert" data-error="token" {}
                }
                (submit("Log in", "primary"))
            }
        }
    };
    frame.layout("Administration", (SiteSection::Elsewhere, Width::Narrow), &body, &["admin.js"])
}

/// The page `/admin`.
pub fn admin(frame: &PageFrame<'_>, data: &AdminPage<'_>) -> Markup {
    let body = html! {
        div.stack.loose {
            div.row.between {
                h1 { "Administration" }
                p #admin-result role="status" {}
            }
            dl.stats.panel data-live="load" {
                @for (label, value) in data.load {
                    div.stat { dt { (visible(label)) } dd { (visible(value)) } }
                }
            }
            section.stack data-live="games" aria-labelledby="admin-games" {
                h2 #admin-games { "Games" }
                (games(data.games))
            }
            section.stack data-live="people" aria-labelledby="admin-people" {
                h2 #admin-people { "People" }
                (people(data.people))
            }
            @if let Some(nodes) = data.nodes { (cluster(nodes)) }
            // Present even if empty, because the script replaces each live part by that of a newer page.
            section.stack data-live="bans" aria-labelledby="admin-bans" hidden[data.bans.is_empty()] {
                h2 #admin-bans { "Banned" }
                ul.plain.stack { @for (ban, who) in data.bans { (ban_item(*ban, who)) } }
            }
            div.split {
                (message())
                // Nodes of a cluster are drained one by one, in their table.
                @if data.nodes.is_none() { (drain(data.is_draining)) }
            }
        }
    };
    frame.layout("Administration", (SiteSection::Elsewhere, Width::Wide), &body, &["admin.js"])
}

fn cluster(nodes: &[NodeStatus]) -> Markup {
    html! {
        section.stack data-live="cluster" aria-labelledby="admin-cluster" {
            h2 #admin-cluster { "Cluster" }
            (table("Table of nodes", NODES, &html! { @for node in nodes { (node_row(node)) } }))
        }
    }
}

fn node_row(node: &NodeStatus) -> Markup {
    let load = &node.load;
    html! {
        tr {
            th scope="row" {
                (visible(&node.name))
                div.muted.small { (visible(&node.address)) }
            }
            td { (node.condition()) }
            td.number { (load.games) }
            td.number { (load.connections) }
            td.number { (format!("{:.0}", load.commits_per_s)) }
            td.number.nowrap { (load.longest_commit_ms) " ms" }
            td {
                button.btn.small.danger type="button" data-command="drain" data-node=(visible(&node.name))
                    data-ask={ "Hand all games of " (visible(&node.name)) " over to other nodes, and stop it?" } {
                    "Drain" span.sr-only { " " (visible(&node.name)) }
                }
            }
        }
    }
}

fn games(games: &[LobbyRow]) -> Markup {
    if games.is_empty() {
        return html! { p.muted { "No game is running." } };
    }
    table("Table of games", GAMES, &html! { @for game in games { (game_row(game)) } })
}

fn game_row(game: &LobbyRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ "/g/" (game.id) "/watch" } { (visible(&game.map)) }
                @if game.visibility == Visibility::Link { " " span.badge { "by link" } }
                div.muted.small { "by " (name(&game.creator)) }
            }
            td { span.badge.(stage_class(game.stage)) { (stage_word(game.stage)) } }
            td.number.nowrap { (game.gold_left) span.muted { " / " (game.gold) } }
            td.number { (game.watchers) }
            td {
                div.row {
                    @for player in game.players.iter().filter(|player| !player.left) {
                        button.btn.small type="button" data-command="kick" data-game=(game.id) data-letter=(visible(&player.letter.to_string()))
                            data-ask={ "Remove " (visible(&player.name)) " from the game?" } {
                            span.sr-only { "Kick " } (chip(player.letter)) (name(&player.name))
                        }
                    }
                }
            }
            td {
                button.btn.small.danger type="button" data-command="end" data-game=(game.id)
                    data-ask={ "End the game on " (visible(&game.map)) " for everybody?" } {
                    "End" span.sr-only { " the game on " (visible(&game.map)) }
                }
            }
        }
    }
}

fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Waiting { .. } => "waiting",
        Stage::Playing => "playing",
        Stage::Over => "over",
    }
}

fn people(people: &[ConnectedPerson]) -> Markup {
    if people.is_empty() {
        return html! { p.muted { "Nobody is connected." } };
    }
    table("Table of people", PEOPLE, &html! { @for person in people { (person_row(person)) } })
}

fn person_row(person: &ConnectedPerson) -> Markup {
    let who = visible(&person.name);
    html! {
        tr {
            th scope="row" { a href={ "/players/" (person.id.0) } { (name(&person.name)) } }
            td.mono { (person.source) }
            td.number { (person.connections) }
            td {
                div.row {
                    @for (game, map) in &person.games {
                        button.btn.small type="button" data-command="kick" data-game=(game) data-player=(person.id.0)
                            data-ask={ "Remove " (who) " from the game on " (visible(map)) "?" } {
                            span.sr-only { "Kick " (who) " from " } (visible(map))
                        }
                    }
                }
            }
            td {
                div.row {
                    button.btn.small.danger type="button" data-command="ban" data-player=(person.id.0) data-ask={ "Ban " (who) "? Their games go on without them." } {
                        "Name" span.sr-only { " " (who) }
                    }
                    button.btn.small.danger type="button" data-command="ban" data-source=(person.source)
                        data-ask={ "Ban everybody from " (person.source) "?" } {
                        "Address" span.sr-only { " " (person.source) }
                    }
                }
            }
        }
    }
}

fn ban_item(ban: Ban, who: &str) -> Markup {
    let (player, source) = match ban {
        Ban::Person(id) => (Some(id.0), None),
        Ban::Source(source) => (None, Some(source.to_string())),
    };
    html! {
        li.row {
            button.btn.small type="button" data-command="unban" data-player=[player] data-source=[source] data-ask={ "Let " (visible(who)) " in again?" } {
                "Let in" span.sr-only { " " (visible(who)) }
            }
            (name(who))
        }
    }
}

fn message() -> Markup {
    html! {
        form.panel.stack #message data-action="/api/admin/message" novalidate {
            h2 { "Message to all" }
            div.field {
                label for="message-text" { "Text" }
                input #message-text name="text" type="text" maxlength="200" required aria-describedby="message-help message-error";
                p.help #message-help { "Everybody who plays or watches sees it at once." }
                p.error #message-error role="alert" data-error="text" {}
            }
            (submit("Send", ""))
        }
    }
}

fn drain(is_draining: bool) -> Markup {
    html! {
        section.panel.stack aria-labelledby="drain-title" {
            h2 #drain-title { "Drain" }
            @if is_draining {
                p.notice { "Draining: no new games. The server stops when the last game is over." }
            } @else {
                p.muted { "No new games; running ones are played to their end, then the server stops." }
                div { button.btn.danger type="button" data-command="drain" data-ask="Accept no new games, and stop after the last one?" { "Drain" } }
            }
        }
    }
}
