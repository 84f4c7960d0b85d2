//! What came of a check, as a character, a colour and a word.

use crate::{Judged, Level, Outcome};

/// A character that says it without colours, the class that colours it, and the word for those who
/// see neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Mark {
    pub(in crate::report) sign: char,
    pub(in crate::report) class: &'static str,
    pub(in crate::report) word: &'static str,
}

/// All there are, as a legend needs them.
pub(in crate::report) const ALL: [Mark; 5] = [
    Mark { sign: '✓', class: "held", word: "holds" },
    Mark { sign: '✗', class: "broken", word: "a must that doesn't hold" },
    Mark { sign: '!', class: "crashed", word: "the program died or ended" },
    Mark { sign: '△', class: "lapse", word: "a should or may that doesn't hold" },
    Mark { sign: '–', class: "skipped", word: "not judged" },
];

impl Mark {
    pub(in crate::report) fn of(judged: &Judged) -> Self {
        let [held, broken, crashed, lapse, skipped] = ALL;
        match &judged.outcome {
            Outcome::Passed => held,
            Outcome::Failed(failure) if failure.crash.is_some() => crashed,
            Outcome::Failed(_) if judged.level == Level::Must => broken,
            Outcome::Failed(_) => lapse,
            Outcome::Skipped { .. } => skipped,
        }
    }
}

/// What the marks mean.
pub(in crate::report) fn legend() -> String {
    let entry = |mark: Mark| {
        let Mark { sign, class, word } = mark;
        format!("<li><span class=\"mark {class}\">{sign}</span> {word}</li>")
    };
    format!("<ul class=\"legend\">{}</ul>", ALL.map(entry).concat())
}
