//! A report as one page that needs nothing else: it can be opened without a network, printed and
//! handed in. Whatever strangers have said is text in it, never markup.

mod checks;
pub(super) mod mark;

pub(super) use checks::anchor;

use super::visible::escaped;
use super::{Judged, Report, Score, verdict};
use crate::Level;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
/// Nothing is fetched from anywhere, even if something of a stranger's got through.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The whole page.
pub fn render(report: &Report) -> String {
    let heading = format!("Conformance of the {} {}", report.kind, report.program);
    page(&heading, "", &format!("<h1>{}</h1>{}", escaped(&heading), part(report)))
}

/// A page with this title, of this class, and this body, which is markup.
pub(super) fn page(title: &str, class: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body class=\"{class}\">\n{body}\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// Everything about one program.
pub(super) fn part(report: &Report) -> String {
    let tone = if report.all_musts_hold() { "good" } else { "bad" };
    let words = escaped(&verdict::in_words(report));
    format!(
        "\n<div class=\"report\">\n<p class=\"verdict {tone}\">{words}</p>\n{}\n{}\n{}\n{}\n{}</div>\n",
        facts(report),
        broken(report),
        scores(report),
        mark::legend() + FILTER,
        checks::by_section(report)
    )
}

fn facts(report: &Report) -> String {
    let seconds = format!("{}.{} s", report.millis / 1000, report.millis % 1000 / 100);
    let tester = format!("nuggets {}", report.tester);
    let fact = |(name, value): (&str, &str)| {
        format!("<div><dt>{name}</dt><dd>{}</dd></div>", escaped(value))
    };
    let facts = [
        ("command", report.program.as_str()),
        ("held to the dialect of", &report.dialect),
        ("judged by", &tester),
        ("in", &seconds),
    ];
    format!("<dl class=\"facts\">{}</dl>", facts.map(fact).concat())
}

/// What doesn't hold, each with the way to its evidence; musts first.
fn broken(report: &Report) -> String {
    let mut failures: Vec<&Judged> = report.failures().map(|(judged, _)| judged).collect();
    failures.sort_by_key(|judged| judged.level);
    let line = |own: &[&Judged]| {
        let link = |judged: &&Judged| {
            let (anchor, id) = (escaped(&anchor(report, judged)), escaped(judged.id));
            format!("<a href=\"#{anchor}\">{id}</a>")
        };
        let links: Vec<String> = own.iter().map(link).collect();
        let level = own[0].level;
        format!("<p class=\"broken-list\">Broken, {level}: {}</p>", links.join(", "))
    };
    failures.chunk_by(|one, two| one.level == two.level).map(line).collect()
}

const FILTER: &str = "<form class=\"filter\" hidden>\
<label><input type=\"checkbox\" name=\"failed\"> only what fails</label>\
<label><input type=\"checkbox\" name=\"must\"> only musts</label>\
<label>with the words <input type=\"search\" name=\"word\"></label></form>";

/// A bar for each section and level, and one line for all sections.
fn scores(report: &Report) -> String {
    let row = |tag: &str, name: &str, of: &dyn Fn(Level) -> Score| {
        let cells = Level::ALL.map(|level| format!("<{tag}>{}</{tag}>", bar(level, of(level))));
        format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escaped(name), cells.concat())
    };
    let sections: String = report
        .sections()
        .into_iter()
        .map(|section| row("td", section, &|level| report.score_in(section, level)))
        .collect();
    let total = row("td", "all sections", &|level| report.score_of(level));
    format!(
        "<table class=\"scores\">\n<thead><tr><th scope=\"col\">section</th><th scope=\"col\">must</th>\
         <th scope=\"col\">should</th><th scope=\"col\">may</th></tr></thead>\n\
         <tbody>\n{sections}</tbody>\n<tfoot>\n{total}</tfoot>\n</table>"
    )
}

fn bar(level: Level, score: Score) -> String {
    if score.of == 0 {
        return "<span class=\"faint\">–</span>".into();
    }
    let weak = if level == Level::Must { "" } else { " weak" };
    let percent = score.held * 100 / score.of;
    format!(
        "<div class=\"bar\"><span>{score}</span><span class=\"track{weak}\" aria-hidden=\"true\">\
         <span style=\"width:{percent}%\"></span></span></div>"
    )
}

#[cfg(test)]
mod tests;
