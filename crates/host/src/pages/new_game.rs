//! The form for a new game. `web/new.js` turns it into the JSON of `POST /api/games` ([`crate::GameSpec`]), draws the map,
//! and shows each error at its field: the name of a control is its path in that JSON.

use std::ops::RangeInclusive;

use maud::{Markup, html};
use nuggets_bots::BrainKind;
use nuggets_game::{HouseRule, shipped};

use super::{PageFrame, SiteSection, Width, visible};
use crate::spec::rules::field;

/// A radio button: its value, its label and a help text.
type Choice = (&'static str, &'static str, &'static str);

const MAP_KINDS: [Choice; 3] = [
    ("built_in", "Built-in", "A map with a name."),
    ("random", "Random", "Fresh rooms and passages for every game."),
    ("own", "Your own", "Paste or drop a map file."),
];
const VISIBILITIES: [Choice; 2] = [
    ("public", "Everybody", "It is listed in the lobby."),
    ("link", "Only by its link", "You send the link to whom you like."),
];
const STARTS: [Choice; 3] = [
    ("at_once", "At once", "Others drop in while you play."),
    ("with_players", "When enough are in", "Keys act when that many people have joined."),
    ("by_creator", "When I say so", "For a class: show the link, wait, press Start."),
];

/// The default number of bots.
const BOTS: u8 = 3;
/// The paces of bots: milliseconds between two keys, and their label.
const PACES: [(u16, &str); 4] = [(1000, "Calm"), (500, "Brisk"), (250, "Fast"), (100, "Merciless")];
/// The default pace, in milliseconds between two keys.
const PACE_MS: u16 = 1000;

/// The page `/new`. `closed` is the reason why no game can be created now, for example because the server will stop.
pub fn new_game(frame: &PageFrame<'_>, closed: Option<&str>) -> Markup {
    let body = html! {
        h1 { "New game" }
        p.lead.muted { "Everything is set for a good game: press " strong { "Create" } ", or change what you like." }
        @if let Some(reason) = closed { p.notice.bad { (visible(reason)) } }
        form.new-game #new-game novalidate autocomplete="off" {
            div.stack.loose {
                (map_section())
                (bots_section())
                (people_section())
                (rules_section())
                (more_section())
            }
            div.create-bar {
                p.error #form-error role="alert" {}
                p.summary.muted #summary aria-live="polite" {}
                button.btn.primary.large #create type="submit" disabled[closed.is_some()] { "Create" }
            }
        }
        noscript { p.notice { "Creating a game needs JavaScript. Please switch it on for this site." } }
    };
    frame.layout("New game", (SiteSection::NewGame, Width::Wide), &body, &["new.js"])
}

fn map_section() -> Markup {
    html! {
        section.panel.stack aria-labelledby="map-title" {
            h2 #map-title { "Map" }
            div.map-choice {
                fieldset.stack {
                    legend.sr-only { "Where the map comes from" }
                    div.choices.one-column { (choices("map-kind", &MAP_KINDS, "built_in")) }
                    div.field data-kind="built_in" {
                        label for="built-in" { "Which one" }
                        select #built-in name="map.built_in" {
                            @for shipped in &shipped::ALL {
                                @let map = shipped.map();
                                option value=(shipped.name) { (shipped.name) " (" (map.rows()) " × " (map.cols()) ")" }
                            }
                        }
                    }
                    div.row data-kind="random" hidden {
                        button.btn #another type="button" { "Another one" }
                        p.help { "You have seen it then, the others have not." }
                    }
                    p.error #map-error role="alert" data-error="map" {}
                }
                figure.stack.tight #preview-figure {
                    div.map-preview.framed { canvas #preview role="img" aria-label="Preview of the map" {} }
                    figcaption.help #preview-caption aria-live="polite" {}
                }
            }
            (own_map())
        }
    }
}

fn own_map() -> Markup {
    html! {
        div.own-map.stack data-kind="own" hidden {
            div.field {
                div.row.between {
                    label for="own-text" { "Your map" }
                    label.btn.small for="own-file" { "Choose a file…" }
                }
                input.sr-only #own-file type="file" accept=".txt,text/plain";
                p.help #own-help {
                    "Rooms of " code { "." } " inside " code { "+ - |" } ", joined by passages of " code { "#" } "; all lines equally long. Drop a file anywhere here."
                }
                div.editor {
                    pre.backdrop #own-marks aria-hidden="true" {}
                    textarea #own-text name="map.own" wrap="off" rows="16" dir="ltr" spellcheck="false" autocapitalize="off"
                        aria-describedby="own-help own-verdict map-error" {}
                }
            }
            div {
                p #own-verdict role="status" {}
                ol.complaints.plain #own-complaints aria-label="Complaints about the map" {}
            }
        }
    }
}

fn bots_section() -> Markup {
    html! {
        section.panel.stack aria-labelledby="bots-title" {
            h2 #bots-title { "Bots" }
            div.fields {
                (number(&Number { id: "bots-count", path: "bots.count", label: "How many", help: "0 for people only.", min: 0, max: 20, value: Some(u32::from(BOTS)) }))
                div.field {
                    label for="pace" { "Pace" }
                    select #pace name="bots.pace_ms" aria-describedby="pace-help" {
                        @for (pace_ms, word) in PACES {
                            option value=(pace_ms) selected[pace_ms == PACE_MS] { (word) ", a key every " (f32::from(pace_ms) / 1000.0) " s" }
                        }
                    }
                    p.help #pace-help { "How fast they press keys." }
                    p.error role="alert" data-error="bots.pace_ms" {}
                }
            }
            fieldset {
                legend { "Brain" }
                div.choices { (choices("bots.brain", &BrainKind::ALL.map(brain_choice), BrainKind::Scout.word())) }
                p.error role="alert" data-error="bots.brain" {}
            }
        }
    }
}

fn brain_choice(brain: BrainKind) -> Choice {
    let (label, help) = match brain {
        BrainKind::Wanderer => ("Wanderer", "Walks at random. Easy to beat."),
        BrainKind::Scout => {
            ("Scout", "Takes the nearest gold in sight, or else explores. A fair match.")
        }
        BrainKind::Miner => ("Miner", "Plans, sprints, remembers gold and rivals. Hard."),
    };
    (brain.word(), label, help)
}

fn people_section() -> Markup {
    html! {
        section.panel.stack aria-labelledby="people-title" {
            h2 #people-title { "People" }
            fieldset {
                legend { "Who can find it" }
                div.choices { (choices("visibility", &VISIBILITIES, "public")) }
            }
            fieldset {
                legend { "When it starts" }
                div.choices { (choices("start-kind", &STARTS, "at_once")) }
                div.fields data-start="with_players" hidden {
                    (number(&Number { id: "start-players", path: "start", label: "How many people", help: "You count, bots don't.", min: 1, max: 26, value: Some(2) }))
                }
            }
        }
    }
}

fn rules_section() -> Markup {
    html! {
        details.panel {
            summary { h2 { "House rules" } span.help { "none, unless you set some" } }
            div.stack {
                div.fields {
                    @for rule in HouseRule::ALL {
                        @if let Some(range) = &rule.entry().range { (rule_number(rule, range)) }
                    }
                }
                @for rule in HouseRule::ALL {
                    @let entry = rule.entry();
                    @if entry.range.is_none() {
                        (check(entry.name, &rule_path(rule), entry.label, &format!("{}.", entry.help)))
                    }
                }
            }
        }
    }
}

/// Returns the path of a rule in [`crate::GameSpec`].
fn rule_path(rule: HouseRule) -> String {
    format!("rules.{}", field(rule))
}

fn rule_number(rule: HouseRule, range: &RangeInclusive<u32>) -> Markup {
    let entry = rule.entry();
    let usual = entry.usual.map_or_else(String::new, |usual| format!("; usually {usual}"));
    number(&Number {
        id: entry.name,
        path: &rule_path(rule),
        label: entry.label,
        help: &format!("{}{usual}.", entry.help),
        min: *range.start(),
        max: *range.end(),
        value: None,
    })
}

fn more_section() -> Markup {
    html! {
        details.panel {
            summary { h2 { "Tournament" } span.help { "rating, delay for watchers, seed" } }
            div.stack {
                (check("rated", "rated", "Rated", "The result changes the ratings of everybody in it, bots too."))
                div.fields {
                    (number(&Number { id: "delay", path: "watch_delay_s", label: "Watchers are behind by", help: "Seconds. 30 keeps players from peeking.", min: 0, max: 600, value: Some(0) }))
                    (number(&Number { id: "seed", path: "seed", label: "Seed", help: "The same seed and map give the same game. Empty for a random one.", min: 0, max: 999_999_999, value: None }))
                }
            }
        }
    }
}

/// Renders the radio buttons of a group.
fn choices(group: &str, choices: &[Choice], chosen: &str) -> Markup {
    html! {
        @for (value, label, help) in choices {
            label.choice {
                input type="radio" name=(group) value=(value) checked[*value == chosen];
                span { (label) span.help { (help) } }
            }
        }
    }
}

/// A field for a number.
struct Number<'a> {
    id: &'a str,
    path: &'a str,
    label: &'a str,
    help: &'a str,
    min: u32,
    max: u32,
    value: Option<u32>,
}

fn number(number: &Number<'_>) -> Markup {
    let (help, error) = (format!("{}-help", number.id), format!("{}-error", number.id));
    html! {
        div.field {
            label for=(number.id) { (number.label) }
            input id=(number.id) name=(number.path) type="number" inputmode="numeric" step="1" min=(number.min) max=(number.max)
                value=[number.value] aria-describedby={ (help) " " (error) };
            p.help id=(help) { (number.help) }
            p.error id=(error) role="alert" data-error=(number.path) {}
        }
    }
}

fn check(id: &str, path: &str, label: &str, help: &str) -> Markup {
    html! {
        label.check for=(id) {
            input id=(id) name=(path) type="checkbox";
            span { (label) span.help { (help) } }
        }
        p.error role="alert" data-error=(path) {}
    }
}
