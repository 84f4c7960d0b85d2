//! Map files: parsing, checking and printing must agree about any bytes.

use nuggets_game::map::check::{CheckReport, MapRule, Remark, RuleOutcome, check, violations};
use nuggets_game::map::parse::{MapError, ParsedMap};
use nuggets_game::{Game, Map, Rules, Seed, Setup};
use nuggets_protocol::Dialect;

use crate::fuzz::assert_printable;

/// Rules with small numbers, so that small maps can be valid, too.
fn few() -> Rules {
    Rules { nuggets: 3, min_piles: 1, max_piles: 2, max_players: 2, ..Rules::default() }
}

/// Parses one map file. Parser and checker must agree, and a printed map must parse to the same map.
pub fn map_file(data: &[u8]) {
    is_valid(data);
}

/// Does the same and returns true if a small game can be played on the map.
pub(crate) fn is_valid(data: &[u8]) -> bool {
    let parsed = Map::parse(data);
    let report = check(data, &few());
    check_report(&report);
    match &parsed {
        Ok(parsed) => check_printed(parsed, &report),
        Err(why) => check_error(why, &report),
    }
    let is_playable = report.is_valid() && !matches!(parsed, Err(MapError::TooOpen { .. }));
    if is_playable {
        play(parsed.expect("a valid map can be parsed").map);
    }
    is_playable
}

/// Checks that every flaw lies inside the text, and that all messages are printable.
fn check_report(report: &CheckReport) {
    report.lines.iter().for_each(|line| assert_printable(line));
    report.remarks.iter().for_each(|remark| assert_printable(&remark.to_string()));
    for finding in &report.findings {
        let RuleOutcome::Broken(flaws) = &finding.outcome else { continue };
        assert!(!flaws.is_empty(), "{:?} is broken without a flaw", finding.rule);
        for flaw in flaws {
            assert_printable(&flaw.to_string());
            assert_printable(&flaw.advice);
            let line = report.lines.get(flaw.at.line - 1);
            let length = line.map_or(0, |line| line.chars().count());
            let is_inside = flaw.at.column - 1 + flaw.length <= length;
            // The flaws of an empty text are at its start.
            assert!(is_inside || flaw.length == 0 || length == 0, "{flaw:?} is outside");
        }
    }
}

/// Checks that a parsed map has only known characters, fits a datagram, and prints and parses to the same map.
fn check_printed(parsed: &ParsedMap, report: &CheckReport) {
    for rule in [MapRule::KnownCharacters, MapRule::FitsADatagram] {
        assert_eq!(*report.outcome(rule), RuleOutcome::Holds, "{rule:?}");
    }
    parsed.repairs.iter().for_each(|repair| assert_printable(&repair.to_string()));
    let printed = parsed.map.to_string();
    let again = Map::parse(printed.as_bytes()).expect("a printed map can be parsed");
    assert_eq!(again, ParsedMap { map: parsed.map.clone(), repairs: vec![] });
    let report_again = check(printed.as_bytes(), &few());
    assert_eq!(report_again.rows(), usize::from(parsed.map.rows()));
    assert_eq!(*report_again.outcome(MapRule::EqualLines), RuleOutcome::Holds);
    if *report.outcome(MapRule::EqualLines) == RuleOutcome::Holds {
        assert_eq!(report_again.findings, report.findings);
    }
}

/// Checks that a map that can't be parsed breaks the rule that the parser names.
fn check_error(why: &MapError, report: &CheckReport) {
    assert_printable(&why.to_string());
    assert!(!report.is_valid(), "{why}");
    let broken = match why {
        MapError::Empty => return assert_eq!(report.rows(), 0),
        MapError::UnknownCharacter { .. } => MapRule::KnownCharacters,
        MapError::TooLarge { .. } => MapRule::FitsADatagram,
        MapError::TooOpen { .. } => {
            let is_remark = |remark: &Remark| matches!(remark, Remark::TooOpen { .. });
            return assert!(report.remarks.iter().any(is_remark), "no remark about {why}");
        }
    };
    assert!(matches!(report.outcome(broken), RuleOutcome::Broken(_)), "{why}");
}

/// Starts a game on a valid map, which must be large enough.
fn play(map: Map) {
    assert_eq!(violations(&map), []);
    let setup = Setup::new(map, few(), Seed::new(1), Dialect::V2021);
    let game = Game::new(&setup).expect("a valid map is large enough");
    assert_eq!(game.remaining(), few().nuggets);
}
