//! The checks under their headings. What holds is a line; what doesn't can be opened.

use super::mark::Mark;
use crate::report::picture::Picture;
use crate::report::verdict::counted;
use crate::report::visible::escaped;
use crate::{Exchange, Failure, Judged, Outcome, Report, Way};

/// All of them.
pub(super) fn by_section(report: &Report) -> String {
    let section = |section: &'static str| {
        let own = report.results.iter().filter(|judged| judged.section == section);
        let checks: String = own.map(|judged| check(report, judged)).collect();
        let heading = escaped(section);
        format!(
            "<section class=\"checks\">\n<h2>{heading}</h2>\n<div>\n{checks}</div>\n</section>\n"
        )
    };
    report.sections().into_iter().map(section).collect()
}

/// Where a check stands in its page.
pub(in crate::report) fn anchor(report: &Report, judged: &Judged) -> String {
    format!("{}.{}", report.kind, judged.id)
}

fn check(report: &Report, judged: &Judged) -> String {
    let (outcome, content) = match &judged.outcome {
        Outcome::Passed => ("passed", format!("<div class=\"row\">{}</div>", row(judged))),
        Outcome::Skipped { why } => {
            let why = escaped(why);
            let row = row(judged);
            ("skipped", format!("<div class=\"row\">{row}<span></span><span>{why}</span></div>"))
        }
        Outcome::Failed(failure) => {
            let (row, evidence) = (row(judged), evidence(judged, failure));
            let opened =
                format!("<details><summary class=\"row\">{row}</summary>{evidence}</details>");
            ("failed", opened)
        }
    };
    let (anchor, level) = (escaped(&anchor(report, judged)), judged.level);
    format!(
        "<div class=\"check\" id=\"{anchor}\" data-outcome=\"{outcome}\" data-level=\"{level}\">\
         {content}</div>\n"
    )
}

fn row(judged: &Judged) -> String {
    let Mark { sign, class, word } = Mark::of(judged);
    let (id, level) = (escaped(judged.id), judged.level);
    let (demand, source) = (escaped(judged.demand), escaped(judged.source));
    format!(
        "<span class=\"mark {class}\" role=\"img\" aria-label=\"{word}\" title=\"{word}\">{sign}</span>\
         <code>{id}</code><span class=\"level {level}\">{level}</span>\
         <span class=\"demand\">{demand} <span class=\"faint\">({source})</span></span>"
    )
}

fn evidence(judged: &Judged, failure: &Failure) -> String {
    let mut parts = vec![said("expected", &failure.expected), said("came", &failure.came)];
    parts.extend(failure.crash.as_ref().map(|crash| said(failure.end_word(), crash)));
    if judged.tries > 1 {
        parts.push(said("tries", &format!("{}, all in vain", judged.tries)));
    }
    let drawn = |drawing| format!("<dt>drawing</dt><dd><pre>{}</pre></dd>", escaped(drawing));
    parts.extend(failure.drawing.as_deref().map(drawn));
    if !judged.exchanges.is_empty() {
        parts.push(messages(judged));
    }
    parts.push(said("repeat this one check", &judged.repeat));
    format!("<dl class=\"evidence\">{}</dl>", parts.concat())
}

fn said(name: &str, text: &str) -> String {
    format!("<dt>{name}</dt><dd><pre class=\"said\">{}</pre></dd>", escaped(text))
}

fn messages(judged: &Judged) -> String {
    let before = match judged.left_out {
        0 => String::new(),
        some => format!("; {} before them not shown", counted(some, "message")),
    };
    let rows: String = judged.exchanges.iter().map(message).collect();
    format!(
        "<dt>messages ({}{before})</dt><dd><table class=\"messages\"><thead><tr><th scope=\"col\">s\
         </th><th scope=\"col\">who</th><th scope=\"col\">way</th><th scope=\"col\">what</th></tr>\
         </thead><tbody>{rows}</tbody></table></dd>",
        judged.exchanges.len()
    )
}

fn message(exchange: &Exchange) -> String {
    let (class, arrow, means) = match exchange.way {
        Way::In => ("in", "→", "to the program"),
        Way::Out => ("out", "←", "from the program"),
        Way::Note => ("note", "–", "a remark of the tester"),
    };
    let (seconds, who) = (exchange.at.as_secs_f64(), escaped(&exchange.who));
    let what = match Picture::of(&exchange.text) {
        Some(picture) => format!(
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escaped(&picture.hint()),
            escaped(&picture.drawn())
        ),
        None => escaped(&exchange.text),
    };
    format!(
        "<tr class=\"{class}\"><td>{seconds:.3}</td><td>{who}</td>\
         <td title=\"{means}\">{arrow}</td><td>{what}</td></tr>"
    )
}
