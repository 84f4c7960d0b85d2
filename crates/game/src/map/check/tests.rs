//! Whole files: every rule, every place, and that one mistake is reported once.

use proptest::prelude::*;

use super::*;
use crate::shipped;

fn report(text: &str) -> CheckReport {
    check(text.as_bytes(), &Rules { max_players: 1, max_piles: 1, ..Rules::default() })
}

/// Every flaw as `rule line:column+length`.
fn flaws(text: &str) -> Vec<String> {
    flaws_of(&report(text))
}

fn flaws_of(report: &CheckReport) -> Vec<String> {
    let mut all = Vec::new();
    for Finding { rule, outcome } in &report.findings {
        if let RuleOutcome::Broken(flaws) = outcome {
            all.extend(flaws.iter().map(|flaw| {
                format!("{} {}:{}+{}", rule.id(), flaw.at.line, flaw.at.column, flaw.length)
            }));
        }
    }
    all
}

fn remarks(text: &str) -> Vec<String> {
    report(text).remarks.iter().map(Remark::to_string).collect()
}

#[test]
fn every_shipped_map_is_valid() {
    for map in shipped::ALL {
        let report = check(map.text.as_bytes(), &Rules::default());
        assert!(report.is_valid(), "{}: {:?}", map.name, flaws_of(&report));
        assert_eq!(map.map().to_string(), map.text, "{}", map.name);
        assert_eq!(report.lines.join("\n") + "\n", map.text, "{}", map.name);
    }
}

#[test]
fn ids_and_texts_of_the_rules_differ() {
    for rule in MapRule::ALL {
        let same = |other: &&MapRule| other.id() == rule.id() || other.text() == rule.text();
        assert_eq!(MapRule::ALL.iter().filter(same).count(), 1, "{rule:?}");
    }
}

#[test]
fn every_unknown_character_and_every_uneven_line_is_found() {
    assert_eq!(
        flaws("+--+\n|.x|\n|é.|\n|..|\n|..|\n|\t.\n+--+ \n"),
        [
            "equal-lines 6:4+0",
            "equal-lines 7:5+1",
            "known-characters 2:3+1",
            "known-characters 3:2+1",
            "known-characters 6:2+1",
            "closed-rooms 6:4+0",
        ]
    );
}

#[test]
fn one_long_line_is_wrong_not_all_the_others() {
    assert_eq!(flaws("+--+\n|..|..\n+--+\n").first().unwrap(), "equal-lines 2:5+2");
    let blanks = "+--+\n|..|  \n+--+\n";
    assert_eq!(flaws(blanks), ["equal-lines 2:5+2"]);
    assert_eq!(flaws("+---+\n|...#\n+---+ #\n"), ["equal-lines 3:6+2", "hangs-together 3:7+1"]);
    assert_eq!(flaws("+---+\n|...###\n+---+"), ["equal-lines 2:6+2"]);
    assert_eq!(
        flaws("+---+\n|...###\n+--\n"),
        ["equal-lines 1:6+0", "equal-lines 3:4+0", "closed-rooms 3:4+0"]
    );
}

#[test]
fn where_an_editor_stripped_blanks_the_widest_line_counts() {
    let short = "+--+\n|..|\n+#-+\n";
    let text = format!("{short} #   +--+\n #####..|\n     +--+\n");
    assert_eq!(flaws(&text), ["equal-lines 1:5+0", "equal-lines 2:5+0", "equal-lines 3:5+0"]);
    let RuleOutcome::Broken(found) = report(&text).outcome(MapRule::EqualLines).clone() else {
        panic!()
    };
    assert_eq!(
        (found[0].what.as_str(), found[0].advice.as_str()),
        (
            "this line has 4 columns, but the widest has 9",
            "Add 5 blanks at its end if rock is meant there: the server does so, with a warning"
        )
    );
}

#[test]
fn a_boundary_missing_beyond_a_short_line_is_reported_at_its_end() {
    let text = "+--+\n|..\n+-\n";
    let report = report(text);
    assert_eq!(
        flaws_of(&report),
        ["equal-lines 2:4+0", "equal-lines 3:3+0", "closed-rooms 2:4+0", "closed-rooms 3:3+0",]
    );
    let RuleOutcome::Broken(flaws) = report.outcome(MapRule::ClosedRooms) else { panic!() };
    assert_eq!(flaws[0].advice, "Put '|' here");
    let far = check(b"+-+  +--+\n|.####..|\n+-+\n", &Rules::default());
    let RuleOutcome::Broken(flaws) = far.outcome(MapRule::ClosedRooms) else { panic!() };
    assert_eq!((flaws.len(), flaws[0].advice.as_str()), (1, "Put '+' in column 6"));
}

/// One unknown character anywhere in a valid map is the only flaw found.
#[test]
fn an_unknown_character_causes_no_other_flaw() {
    for shipped in ["main", "hole"] {
        let text = shipped::find(shipped).unwrap().text;
        for (index, _) in text.char_indices().filter(|(_, c)| *c != '\n').step_by(7) {
            let mut wrong = text.to_string();
            wrong.replace_range(index..=index, "x");
            let found = flaws(&wrong);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("known-characters"), "{found:?}");
        }
    }
}

#[test]
fn an_unknown_character_hides_no_certain_flaw() {
    let text = "+---+   \n|...|   \n|....## \n|..x| --\n+---+   \n";
    assert_eq!(
        flaws(text),
        ["known-characters 4:4+1", "closed-rooms 3:5+1", "no-stray-lines 4:7+2"]
    );
}

/// One missing piece of a boundary anywhere is found there and nowhere else.
#[test]
fn a_gap_in_a_boundary_is_one_flaw_at_its_place() {
    let text = shipped::find("main").unwrap().text;
    let walls = text.char_indices().filter(|(_, c)| "+-|".contains(*c));
    for (index, _) in walls.step_by(3) {
        let mut wrong = text.to_string();
        wrong.replace_range(index..=index, " ");
        let place = format!("closed-rooms {}:{}+1", index / 80 + 1, index % 80 + 1);
        assert_eq!(flaws(&wrong), [place]);
    }
}

#[test]
fn neighbours_in_a_line_are_one_flaw() {
    let open = "+     +\n|.....|\n+-----+\n";
    assert_eq!(flaws(open), ["closed-rooms 1:2+5"]);
    assert_eq!(flaws("+--+  ---\n|..|\n+--+\n"), ["equal-lines 1:5+5", "no-stray-lines 1:7+3"]);
}

#[test]
fn each_flaw_has_its_advice() {
    let advice = |text: &str, rule: MapRule| match report(text).outcome(rule) {
        RuleOutcome::Broken(flaws) => flaws[0].advice.clone(),
        other => panic!("{other:?}"),
    };
    let room = "+---+\n|...|\n|...|\n+---+\n";
    let with = |from: &str, to: &str| room.replacen(from, to, 1);
    assert_eq!(advice(&with("--", " -"), MapRule::ClosedRooms), "Put '-' here");
    assert_eq!(advice(&with("|.", " ."), MapRule::ClosedRooms), "Put '|' here");
    assert_eq!(advice(&with("+", " "), MapRule::ClosedRooms), "Put '+' here");
    assert_eq!(advice(&with("...", ". ."), MapRule::ClosedRooms), "Put '.' here");
    assert_eq!(advice(&with("|", "-"), MapRule::ClosedRooms), "Put '|' here");
    assert_eq!(
        advice("..\n..\n", MapRule::ClosedRooms),
        "Put a boundary here, or add lines or columns to the map and draw it there"
    );
    assert_eq!(
        advice(&room.replace("|...|\n|", "|...|\n|.-.|\n|"), MapRule::ClosedRooms),
        "Lead it on to another boundary, or put '.' here"
    );
    assert_eq!(
        advice(&with("|", "."), MapRule::ClosedRooms),
        "Put '|' here, or '#' if a passage enters"
    );
    assert_eq!(advice(&with("+", "-"), MapRule::Corners), "Put '+' here");
    assert_eq!(advice(&with("--", "+-"), MapRule::Corners), "Put '-' here");
    assert_eq!(advice(&with("...", ".#."), MapRule::Doors), "Put '.' here");
    assert_eq!(
        advice(&with("+", "#"), MapRule::Doors),
        "Put '+' here, and let the passage enter where the boundary is straight"
    );
    assert_eq!(
        advice("+--\n", MapRule::NoStrayLines),
        "Put a blank here, or draw a room with '.' beside it"
    );
}

#[test]
fn too_few_spots_are_reported_at_the_first_room() {
    let report = check(b"+--+\n|..|\n+--+\n", &Rules::default());
    let RuleOutcome::Broken(flaws) = report.outcome(MapRule::EnoughSpots) else { panic!() };
    assert_eq!(
        flaws[0].to_string(),
        "line 2, column 2: the map has 2 room spots '.', but needs 56: 26 for players and 30 for \
         piles of gold"
    );
    assert_eq!(flaws[0].length, 2);
}

#[test]
fn an_empty_file_leaves_the_rest_unchecked() {
    for text in ["", "\n", "\r\n\n"] {
        let report = report(text);
        assert_eq!(flaws_of(&report), ["enough-spots 1:1+0"]);
        let unchecked = RuleOutcome::NotChecked("the file is empty");
        assert_eq!(report.findings.iter().filter(|f| f.outcome == unchecked).count(), 9);
    }
}

#[test]
fn of_a_map_that_is_too_large_only_the_text_is_checked() {
    let mut text = "#".repeat(300) + "\n";
    text = text.repeat(299) + "x\n";
    let report = report(&text);
    assert_eq!(
        flaws_of(&report),
        ["equal-lines 300:2+0", "known-characters 300:1+1", "fits-a-datagram 218:1+1"]
    );
    let unchecked = RuleOutcome::NotChecked("the map is too large");
    assert_eq!(report.findings.iter().filter(|f| f.outcome == unchecked).count(), 7);
    assert!(!report.is_valid());
}

#[test]
fn remarks_do_not_make_a_map_invalid() {
    assert_eq!(remarks("+--+\n|..|\n+--+\n"), [""; 0]);
    let text = "      \r\n +--+ \r\n |..| \r\n +--+#";
    assert_eq!(
        remarks(text),
        [
            "lines that end in CR LF: 3; the CR is left off",
            "the last line has no newline",
            "nothing but rock along the edge: 1 line at the top, 1 column on the left",
        ]
    );
    assert!(report("      \n +--+ \n |..| \n +--+ \n").is_valid());
    assert_eq!(remarks("   \n   \n"), [""; 0]);
}

#[test]
fn a_passage_that_stops_at_a_corner_is_remarked() {
    let text = "+--+  #+--+\n|..#### |..|\n+--+\n";
    assert_eq!(remarks(text), [""; 0]);
    let text = "+-#-+##\n|...| #\n+---+ #\n  #####\n";
    assert_eq!(remarks(text).len(), 1, "{:?}", remarks(text));
    assert_eq!(
        remarks(text)[0],
        "line 1, column 5: a passage ends at this corner; it could enter the room beside it, at \
         '-' or '|'"
    );
}

#[test]
fn a_byte_order_mark_stands_before_the_first_column() {
    let text = "\u{feff}+--+\n|..|\n+--+\n";
    assert_eq!(flaws(text), ["known-characters 1:1+0"]);
}

#[test]
fn shown_lines_have_one_character_per_column() {
    let report = check(b"\x1b[31m\xff\xc3\xa9#\n", &Rules::default());
    assert_eq!(report.lines, ["?[31m?é#"]);
}

/// Small edits of shipped maps: bytes put in, taken out and changed.
fn edited() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => prop::sample::select(b" -|+.#\n\r".to_vec()),
        1 => any::<u8>(),
    ];
    let edit = (any::<prop::sample::Index>(), 0usize..4, prop::collection::vec(byte, 0..4));
    let edits = prop::collection::vec(edit, 0..12);
    (prop::sample::select(shipped::ALL.to_vec()), edits).prop_map(|(map, edits)| {
        let mut text = map.text.as_bytes().to_vec();
        for (place, taken, put) in edits {
            let start = place.index(text.len());
            let end = (start + taken).min(text.len());
            text.splice(start..end, put);
        }
        text
    })
}

/// Every place lies inside the text, and no two flaws of a rule overlap.
fn check_places(text: &[u8]) -> Result<(), TestCaseError> {
    let report = check(text, &Rules::default());
    for Finding { outcome, .. } in &report.findings {
        let RuleOutcome::Broken(flaws) = outcome else { continue };
        prop_assert!(!flaws.is_empty());
        for flaw in flaws {
            let FilePosition { line, column } = flaw.at;
            prop_assert!((1..=report.lines.len()).contains(&line), "{}", flaw);
            let width = report.lines[line - 1].chars().count();
            prop_assert!(column >= 1 && column + flaw.length <= width + 1, "{}", flaw);
        }
        let ends = flaws.iter().map(|flaw| (flaw.at.line, flaw.at.column + flaw.length));
        let starts = flaws.iter().skip(1).map(|flaw| (flaw.at.line, flaw.at.column));
        prop_assert!(ends.zip(starts).all(|(end, start)| end <= start), "{:?}", flaws);
    }
    let parsed = Map::parse(text);
    if report.is_valid() {
        prop_assert!(parsed.is_ok_and(|parsed| violations(&parsed.map).is_empty()));
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_bytes_make_the_checker_panic(text: Vec<u8>) {
        check_places(&text)?;
    }

    #[test]
    fn every_place_lies_inside_an_edited_map(text in edited()) {
        check_places(&text)?;
    }

    /// Following the advice for a flaw removes it.
    #[test]
    fn following_the_advice_removes_the_flaw(text in edited(), chosen: prop::sample::Index) {
        let report = check(&text, &Rules::default());
        let found: Vec<(Flaw, char)> = report.findings.iter().flat_map(with_advice).collect();
        if let Some((flaw, tile)) = (!found.is_empty()).then(|| chosen.get(&found)) {
            let edited = with_tile(&report, flaw, *tile);
            let again = check(edited.as_bytes(), &Rules::default());
            let same = |(other, _): &(Flaw, char)| (other.at, &other.what) == (flaw.at, &flaw.what);
            let still = again.findings.iter().flat_map(with_advice).any(|found| same(&found));
            prop_assert!(!still, "{}: {}\n{}", flaw, flaw.advice, edited);
        }
    }
}

/// Flaws for which one tile is advised, and the tile.
fn with_advice(finding: &Finding) -> Vec<(Flaw, char)> {
    let RuleOutcome::Broken(flaws) = &finding.outcome else { return vec![] };
    let tile =
        |flaw: &Flaw| flaw.advice.strip_prefix("Put '")?.strip_suffix("' here")?.parse().ok();
    flaws.iter().filter_map(|flaw| Some((flaw.clone(), tile(flaw)?))).collect()
}

fn with_tile(report: &CheckReport, flaw: &Flaw, tile: char) -> String {
    let mut lines: Vec<Vec<char>> =
        report.lines.iter().map(|line| line.chars().collect()).collect();
    let start = flaw.at.column - 1;
    let line = &mut lines[flaw.at.line - 1];
    line.resize(line.len().max(start + 1), tile);
    line[start..start + flaw.length].fill(tile);
    lines.into_iter().flat_map(|line| line.into_iter().chain(['\n'])).collect()
}

#[test]
fn a_map_that_the_server_rejects_for_its_open_ground_gets_a_remark() {
    let wide = format!("{}\n", ".".repeat(60_000));
    let remarks = remarks(&wide);
    assert!(remarks.iter().any(|remark| remark.contains("so much open ground")), "{remarks:?}");
}
