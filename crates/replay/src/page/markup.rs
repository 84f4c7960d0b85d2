//! The body of the replay page. The script `replay.js` plays the recording; without it the page still shows the result.

use maud::{Markup, PreEscaped, html};
use nuggets_protocol::counted;
use nuggets_protocol::web::ResultLine;

use super::data::{ReplayData, ReplayEnd};

/// The addresses of the page's data and of the recording.
#[derive(Clone, Copy, Debug)]
pub struct ReplayLinks<'a> {
    /// The address of the data as JSON; `None` if the page contains it.
    pub data: Option<&'a str>,
    /// The address of the recording.
    pub recording: &'a str,
    /// The name under which it is saved.
    pub file_name: &'a str,
}

/// The title of the page, with the names of the players.
///
/// ```
/// # use nuggets_replay::page::replay_title;
/// assert_eq!(replay_title(["Ann", "Bob", "Cy", "Di"]), "Replay: Ann, Bob and 2 others");
/// ```
pub fn replay_title<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(visible).collect();
    match &names[..] {
        [] => "Replay of a game without players".into(),
        [one] => format!("Replay: {one}"),
        [one, two] => format!("Replay: {one} and {two}"),
        [one, two, three] => format!("Replay: {one}, {two} and {three}"),
        [one, two, others @ ..] => format!("Replay: {one}, {two} and {} others", others.len()),
    }
}

/// The body of the page.
pub fn replay_body(data: &ReplayData, links: &ReplayLinks<'_>) -> Markup {
    html! {
        div.replay #replay data-src=[links.data] {
            (head(data))
            p.notice.bad #replay-problem role="alert" hidden {}
            noscript {
                p.notice { "To watch this game, turn on JavaScript for this page. The result is below." }
            }
            div.replay-stage #replay-stage hidden {
                div.replay-main {
                    (map())
                    (controls(data))
                    (chart())
                }
                (side())
            }
            p.sr-only #replay-live role="status" {}
            div.replay-below {
                (result(data))
                div.stack {
                    (keep(links))
                    (proof(data))
                    (keys())
                }
            }
        }
    }
}

fn head(data: &ReplayData) -> Markup {
    html! {
        header.replay-head {
            h1 { (outcome(data)) }
            p.muted {
                (counted(data.players.len(), "player")) " · "
                (data.gold) " nuggets · "
                (length(data.duration_ms - data.lead_ms))
            }
        }
    }
}

/// The headline of the result: the winner or leader, or the players who share the most gold.
fn outcome(data: &ReplayData) -> Markup {
    let most = data.results.first().map_or(0, |row| row.purse);
    let winners: Vec<&ResultLine> =
        data.results.iter().take_while(|row| row.purse == most && most > 0).collect();
    let verb = if data.end == ReplayEnd::Unfinished { "leads" } else { "won" };
    html! {
        @match winners[..] {
            [] => "Nobody found gold",
            [one] => { (name(&one.name)) " " (verb) " with " (most) " of " (data.gold) },
            [one, two] => { (name(&one.name)) " and " (name(&two.name)) " have " (most) " each" },
            _ => { (winners.len()) " players have " (most) " each" },
        }
    }
}

fn map() -> Markup {
    html! {
        div.replay-map {
            canvas #replay-map tabindex="0" role="img" aria-label="The map" {}
            p.replay-caption #replay-caption {}
            button.replay-zoom #replay-zoom type="button" aria-pressed="false" aria-label="Large" title="Large, or the whole map (z)" { (icon(ZOOM)) }
        }
    }
}

fn controls(data: &ReplayData) -> Markup {
    html! {
        div.replay-controls role="group" aria-label="Playing" {
            div.replay-seek {
                svg #replay-marks aria-hidden="true" preserveAspectRatio="none" {}
                input #replay-seek type="range" min=(data.lead_ms) max=(data.duration_ms) value=(data.lead_ms) step="1" aria-label="Time";
            }
            div.replay-buttons {
                button.btn.replay-icon #replay-back type="button" aria-label="One key back" title="One key back (left arrow)" { (icon(BACK)) }
                button.btn.primary.replay-play #replay-play type="button" aria-label="Play" title="Play or pause (space)" {
                    span.when-paused { (icon(PLAY)) }
                    span.when-playing { (icon(PAUSE)) }
                }
                button.btn.replay-icon #replay-forward type="button" aria-label="One key forward" title="One key forward (right arrow)" { (icon(FORWARD)) }
                p.replay-time {
                    span.number #replay-now { "0:00" } span.muted.number { " / " span #replay-length {} }
                }
                button.btn.replay-icon #replay-gold type="button" aria-label="To the next gold" title="To the next gold (g)" {
                    span.gold aria-hidden="true" { "✱" } (icon(NEXT))
                }
                label.replay-speed {
                    span.sr-only { "Speed" }
                    select #replay-speed title="Speed (+ and -)" {
                        @for speed in ["0.5", "1", "2", "4", "8", "16"] {
                            option value=(speed) selected[speed == "1"] { (speed) "×" }
                        }
                    }
                }
                label.replay-skip title="No pause is longer than a second (s)" {
                    input #replay-skip type="checkbox" checked; "Skip pauses"
                }
            }
        }
    }
}

fn chart() -> Markup {
    html! {
        figure.replay-chart {
            div.row.between {
                figcaption { "Purses over time" }
                p.replay-input.number #replay-input title="Keys so far, and the last one" {}
            }
            svg #replay-chart {}
        }
    }
}

fn side() -> Markup {
    html! {
        aside.replay-side aria-label="Players and events" {
            fieldset.panel.replay-eyes {
                legend.sr-only { "Whose eyes" }
                div #replay-eyes {}
            }
            section.panel.replay-log aria-labelledby="replay-log-title" {
                h2 #replay-log-title { "What happened" }
                ol.plain #replay-log tabindex="0" aria-labelledby="replay-log-title" {}
            }
        }
    }
}

fn result(data: &ReplayData) -> Markup {
    let keys = |row: &ResultLine| {
        data.players
            .iter()
            .find(|player| player.letter == row.letter)
            .map_or(0, |player| player.keys)
    };
    html! {
        section.stack aria-labelledby="replay-result" {
            h2 #replay-result { "Result" }
            p.muted { (reason(data)) }
            div.table-wrap {
                table {
                    thead {
                        tr {
                            th scope="col" { span.sr-only { "Letter" } }
                            th scope="col" { "Player" }
                            th.number scope="col" { "Nuggets" }
                            th.number scope="col" { "Keys" }
                        }
                    }
                    tbody {
                        @for row in &data.results {
                            tr {
                                td { (chip(row.letter)) }
                                th scope="row" { (name(&row.name)) }
                                td.number { (row.purse) }
                                td.number { (keys(row)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn reason(data: &ReplayData) -> &'static str {
    match data.end {
        ReplayEnd::AllCollected => "The game ended when the last gold was found.",
        ReplayEnd::NobodyLeft => "The game ended when everybody who could play had left.",
        ReplayEnd::Emptied => "The game ended when the last player left.",
        ReplayEnd::ByHost => "The game was ended by its host.",
        ReplayEnd::Stalemate => "The game was ended because no more gold was found.",
        ReplayEnd::Unfinished => "The game was not over when the recording ended.",
    }
}

fn keep(links: &ReplayLinks<'_>) -> Markup {
    html! {
        section.panel.stack aria-labelledby="replay-keep" {
            h2 #replay-keep { "Keep and share" }
            div.row {
                button.btn #replay-link type="button" hidden { "Copy a link to this moment" }
                a.btn href=(links.recording) download=(links.file_name) { "Download the recording" }
            }
            p.error #replay-link-problem role="status" {}
        }
    }
}

fn proof(data: &ReplayData) -> Markup {
    let proof = &data.proof;
    html! {
        section.panel.stack.tight aria-labelledby="replay-proof" {
            h2 #replay-proof { span.replay-verified { (icon(CHECK)) } "Verified" }
            p {
                "The game was played again from its recording, " (counted(proof.records, "record")) ". It was the same at all "
                (counted(proof.states, "checkpoint")) ", so nothing was changed."
            }
            p { "State at the end: " code.replay-hash { (proof.state) } }
        }
    }
}

fn keys() -> Markup {
    let rows = [
        ("space", "play or pause"),
        ("← →", "one key back or forward; with shift ten seconds"),
        ("b g", "to the previous or the next gold"),
        ("Home End", "to the start, to the end"),
        ("- +", "slower, faster"),
        ("s", "skip pauses, or keep them"),
        ("z", "large, or the whole map"),
        ("0", "the whole map"),
        ("A…Z 1…9", "the eyes of this player (letters with shift)"),
    ];
    html! {
        details.panel #replay-keys {
            summary { "Keys" }
            dl.replay-keys {
                @for (keys, effect) in rows {
                    dt { @for key in keys.split(' ') { kbd { (key) } " " } }
                    dd { (effect) }
                }
            }
        }
        details.panel #replay-text-details {
            summary { "The picture as text" }
            pre.replay-text #replay-text role="region" tabindex="0" aria-label="The picture as text" {}
        }
    }
}

/// A span of time with units, such as `2 min 5 s`.
fn length(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes @ 1..60 => format!("{minutes} min {} s", seconds % 60),
        minutes => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

const PLAY: &str = "M7 4.5v15l13-7.5z";
const PAUSE: &str = "M6 4h4.5v16H6zM13.5 4H18v16h-4.5z";
const BACK: &str = "M18 5v14L8 12zM5 5h2v14H5z";
const FORWARD: &str = "M6 5v14l10-7zM17 5h2v14h-2z";
const NEXT: &str = "M8 5.5 15 12l-7 6.5z";
const ZOOM: &str = "M10 3a7 7 0 0 1 5.6 11.2l5 5-1.4 1.4-5-5A7 7 0 1 1 10 3zm0 2a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM9 7h2v2h2v2h-2v2H9v-2H7V9h2z";
const CHECK: &str = "M9.6 18.3 3.8 12.5l2-2 3.8 3.8 8.7-8.7 2 2z";

fn icon(path: &'static str) -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" aria-hidden="true" { path d=(path) fill="currentColor" {} }
    }
}

/// The letter of a player in its colour.
fn chip(letter: char) -> Markup {
    let color = (letter as usize).saturating_sub('A' as usize) % 10;
    html! { span class={ "chip p" (color) } { (letter) } }
}

/// A name, isolated from the direction of the text around it.
fn name(name: &str) -> Markup {
    html! { bdi { (visible(name)) } }
}

/// Names in recordings are ASCII, but may hold tabs.
fn visible(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// Data inside a page. It can't end the element that holds it: `<` is written as an escape of JSON.
pub(super) fn embedded_data(data: &ReplayData) -> Markup {
    let json = serde_json::to_string(data).expect("plain data has JSON").replace('<', "\\u003c");
    html! { script #replay-data type="application/json" { (PreEscaped(json)) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{game, join, press, recorded};
    use nuggets_record::RecordedEvent;

    const LINKS: ReplayLinks<'_> =
        ReplayLinks { data: Some("/d"), recording: "/r", file_name: "x" };

    fn text(recording: nuggets_record::Recording) -> String {
        replay_body(&ReplayData::of(recording).unwrap(), &LINKS).into_string()
    }

    #[test]
    fn without_the_script_the_result_is_there() {
        let body = text(game());
        assert!(
            body.contains("<h1><bdi>Ann</bdi> won with ")
                || body.contains("<h1><bdi>Bob</bdi> won with ")
        );
        assert!(body.contains("The game ended when the last gold was found."));
        assert!(body.contains("2 players · 9 nuggets · 1 min 2 s"));
        assert!(body.contains("data-src=\"/d\"") && body.contains("href=\"/r\" download=\"x\""));
        assert!(body.contains(&ReplayData::of(game()).unwrap().proof.state));
    }

    #[test]
    fn names_are_text() {
        let name = "<img src=x onerror=alert(1)>\t\"'&";
        let body =
            text(recorded(&[(1, join(name)), (2, press(0, b'H')), (3, RecordedEvent::Unwatch)]));
        assert!(!body.contains("<img"));
        assert!(
            body.contains("<bdi>&lt;img src=x onerror=alert(1)&gt; &quot;'&amp;</bdi>"),
            "{body}"
        );
    }

    #[test]
    fn spans_of_time_are_said_as_people_do() {
        let said = [999, 61_000, 3_599_999, 7_260_000].map(length);
        assert_eq!(said, ["0 s", "1 min 1 s", "59 min 59 s", "2 h 1 min"]);
    }
}
