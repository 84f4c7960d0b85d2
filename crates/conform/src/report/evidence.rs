//! What speaks against a program, in lines of text.

use super::paint::Paint;
use super::picture::Picture;
use super::visible::visible;
use crate::{Exchange, Failure, Judged};

/// So many of the messages are shown.
const MOST_EXCHANGES: usize = 15;
/// No line of a message is longer.
const MOST_COLUMNS: usize = 160;

/// The clause, what was expected, what came, and everything else that is known.
pub(super) fn lines(judged: &Judged, failure: &Failure, paint: Paint) -> Vec<String> {
    let mut lines = vec![];
    lines.extend(labeled("demand", &format!("{} ({})", judged.demand, judged.source), paint));
    lines.extend(labeled("expected", &failure.expected, paint));
    lines.extend(labeled("came", &failure.came, paint));
    if let Some(crash) = &failure.crash {
        lines.extend(labeled(failure.end_word(), crash, paint));
    }
    if judged.tries > 1 {
        lines.extend(labeled("tries", &format!("{}, all in vain", judged.tries), paint));
    }
    if let Some(drawing) = &failure.drawing {
        lines.extend(labeled("drawing", drawing, paint));
    }
    lines.extend(messages(judged, paint));
    lines.extend(labeled("repeat", &judged.repeat, paint));
    lines
}

/// A label on the left, the text beside it, however many lines it has.
fn labeled(label: &str, text: &str, paint: Paint) -> Vec<String> {
    let text = visible(text);
    let beside = |(place, line): (usize, &str)| {
        let label = paint.faint(format!("{:<8}", if place == 0 { label } else { "" }));
        format!("  {label}  {line}").trim_end().to_owned()
    };
    // An empty text still has its label.
    text.split('\n').enumerate().map(beside).collect()
}

fn messages(judged: &Judged, paint: Paint) -> Vec<String> {
    let shown = judged.exchanges.len().min(MOST_EXCHANGES);
    if shown == 0 {
        return vec![];
    }
    let all = judged.exchanges.len() + judged.left_out;
    let which = if all > shown { format!("the last {shown} of {all}; ") } else { String::new() };
    let legend = "-> to the program, <- from it, seconds since its start";
    let mut lines = labeled("messages", &(which + legend), paint);
    let last = &judged.exchanges[judged.exchanges.len() - shown..];
    lines.extend(last.iter().map(|exchange| format!("  {}", short(exchange))));
    lines
}

/// In one line of bounded length.
fn short(exchange: &Exchange) -> String {
    let hint = Picture::of(&exchange.text).map(|picture| picture.hint());
    let text = hint.unwrap_or_else(|| exchange.text.clone());
    let line = visible(&Exchange { text, ..exchange.clone() }.to_string()).replace('\n', "\\n");
    match line.char_indices().nth(MOST_COLUMNS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::made_up::{exchange, failed, judged};
    use crate::{Level, Way};

    #[test]
    fn of_many_messages_the_last_are_shown_and_none_is_long() {
        let mut judged = judged("join.a", Level::Must, failed());
        let long = "x".repeat(500);
        judged.exchanges = (0..20).map(|at| exchange(at, "Ann", Way::In, &long)).collect();
        judged.left_out = 7;
        let lines = messages(&judged, Paint { colored: false });
        assert_eq!(lines.len(), 1 + MOST_EXCHANGES);
        assert!(lines[0].starts_with("  messages  the last 15 of 27; "), "{}", lines[0]);
        assert!(lines[1].starts_with("     0.005        Ann -> xxx"), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.chars().count() <= MOST_COLUMNS + 3));
    }
}
