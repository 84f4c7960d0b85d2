//! Every format of the sample reports, compared with its file in `expected/`. To change a format, set `NUGGETS_UPDATE`
//! and read the difference.

use std::fs;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::batch::{csv, index, team_page};
use super::html::without_code;
use super::rubric::Rubric;
use super::samples::{mixed, teams};
use super::text::Coloring;
use super::{batch, html, json, junit, text};

fn expect(name: &str, rendered: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/expected").join(name);
    if std::env::var_os("NUGGETS_UPDATE").is_some() {
        fs::write(&file, rendered).unwrap();
    }
    assert_eq!(rendered, fs::read_to_string(&file).unwrap(), "{name}");
}

/// Breaks the page into lines, without our own style and script.
fn lines(page: &str) -> String {
    without_code(page).replace("><", ">\n<")
}

#[test]
fn a_report_has_the_expected_text_page_json_and_junit_xml() {
    expect("report.txt", &text::render(&mixed(), Coloring::Plain));
    expect("report.html", &lines(&html::render(&mixed())));
    expect("report.json", &json::render(&mixed()));
    expect("report.xml", &junit::render(&mixed()));
}

#[test]
fn a_batch_has_the_expected_table_pages_json_and_csv() {
    let rubric = Rubric::default();
    let rubric = Some(&rubric);
    expect("teams.txt", &batch::text(&teams(), None));
    expect("graded-teams.txt", &batch::text(&teams(), rubric));
    expect("graded-teams.html", &lines(&index("Teams", &teams(), rubric)));
    expect("graded-teams.csv", &csv(&teams(), rubric).replace("\r\n", "\n"));
    expect("graded-teams.json", &batch::json(&teams(), rubric));
    assert!(!without_code(&index("Teams", &teams(), None)).contains("grade"));
    assert!(!batch::json(&teams(), None).contains("grade"));
    assert!(csv(&teams(), None).contains("\r\nalpha,server,,1,2,"));
    expect(
        "team.html",
        &teams()[1..].iter().map(|team| lines(&team_page(team))).collect::<String>(),
    );
}

#[test]
fn junit_xml_is_well_formed_whatever_the_program_printed() {
    let xml = junit::render(&mixed());
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
    let mut reader = Reader::from_str(&xml);
    reader.config_mut().check_end_names = true;
    while reader.read_event().unwrap() != Event::Eof {}
}
