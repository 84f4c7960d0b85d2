//! Map files: reading, checking and printing must agree about any bytes.

use std::sync::Arc;

use nuggets_game::{
    Game, Map, MapError, MapRule, Outcome, Parsed, Report, Rules, Seed, Sight, SightRule,
};

use crate::harmless::assert_harmless;

/// Few of everything, so that small maps can be valid too.
const FEW: Rules = Rules {
    nuggets: 3,
    min_piles: 1,
    max_piles: 2,
    max_players: 2,
    sprint_stops: false,
    end_when_empty: false,
    vision: None,
    steal: false,
    drop_on_quit: false,
    lifetime: None,
};

/// One map file. Never panics by itself; reading and checking agree; what is printed is read back.
pub fn map_file(data: &[u8]) {
    is_valid(data);
}

/// The same, and whether a small game can be played on it.
pub(crate) fn is_valid(data: &[u8]) -> bool {
    let parsed = Map::parse(data);
    let report = Map::check(data, &FEW);
    check_report(&report);
    match &parsed {
        Ok(parsed) => check_printed(parsed, &report),
        Err(why) => check_refusal(why, &report),
    }
    if report.is_valid() {
        play(parsed.expect("a valid map can be read").map);
    }
    report.is_valid()
}

/// Every flaw lies in the text, and all words are fit to be shown.
fn check_report(report: &Report) {
    report.lines.iter().for_each(|line| assert_harmless(line));
    report.remarks.iter().for_each(|remark| assert_harmless(&remark.to_string()));
    for finding in &report.findings {
        let Outcome::Broken(flaws) = &finding.outcome else { continue };
        assert!(!flaws.is_empty(), "{:?} is broken nowhere", finding.rule);
        for flaw in flaws {
            assert_harmless(&flaw.to_string());
            assert_harmless(&flaw.mend);
            let line = report.lines.get(flaw.at.line - 1);
            let length = line.map_or(0, |line| line.chars().count());
            let is_inside = flaw.at.column - 1 + flaw.length <= length;
            // A text without a single line has its flaws at its start.
            assert!(is_inside || flaw.length == 0 || length == 0, "{flaw:?} is outside");
        }
    }
}

/// A map that was read keeps to the rules that reading needs, and survives printing.
fn check_printed(parsed: &Parsed, report: &Report) {
    for rule in [MapRule::KnownCharacters, MapRule::FitsADatagram] {
        assert_eq!(*report.outcome(rule), Outcome::Holds, "{rule:?}");
    }
    parsed.mends.iter().for_each(|mend| assert_harmless(&mend.to_string()));
    let printed = parsed.map.to_string();
    let again = Map::parse(printed.as_bytes()).expect("a printed map can be read");
    assert_eq!(again, Parsed { map: parsed.map.clone(), mends: vec![] });
    let report_again = Map::check(printed.as_bytes(), &FEW);
    assert_eq!(report_again.rows(), usize::from(parsed.map.rows()));
    assert_eq!(*report_again.outcome(MapRule::EqualLines), Outcome::Holds);
    if *report.outcome(MapRule::EqualLines) == Outcome::Holds {
        assert_eq!(report_again.findings, report.findings);
    }
}

/// What can't be read breaks the rule that reading names.
fn check_refusal(why: &MapError, report: &Report) {
    assert_harmless(&why.to_string());
    assert!(!report.is_valid(), "{why}");
    let broken = match why {
        MapError::Empty => return assert_eq!(report.rows(), 0),
        MapError::Foreign { .. } => MapRule::KnownCharacters,
        MapError::TooLarge { .. } => MapRule::FitsADatagram,
    };
    assert!(matches!(report.outcome(broken), Outcome::Broken(_)), "{why}");
}

/// A valid map has no faults and room for a game.
fn play(map: Map) {
    assert_eq!(map.faults(), []);
    let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
    let game = Game::new(sight, FEW, Seed::new(1)).expect("there is room enough");
    assert_eq!(game.remaining(), FEW.nuggets);
}
