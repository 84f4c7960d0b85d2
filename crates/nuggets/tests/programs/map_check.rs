//! `nuggets map check`: whole outputs and exit codes.

use std::path::Path;
use std::process::Command;

use nuggets_game::map::check::MapRule;
use nuggets_testkit::run_command;
use serde_json::{Value, json};

use crate::maps::Scratch;
use crate::starting::NUGGETS;

/// `nuggets map check` with these words: exit code, stdout and stderr.
fn check(folder: &Path, words: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut command = Command::new(NUGGETS);
    let ended = run_command(command.args(["map", "check"]).args(words).current_dir(folder), stdin);
    (ended.code().unwrap(), ended.stdout, ended.stderr)
}

const FAULTY: &str = "\
+-------------- --+ ---- +-+
|.................|      |.|
|.................########.|
|.................|  ### |.|
|........@........|      |.|
------------------#  ### +-+
";

const FAULTY_REPORT: &str = "\
faulty.txt: 6 lines, 28 columns
  ok           equal-lines       every line is as long as the others
  FAULT        known-characters  only blanks and - | + . # are used (1 place)
  ok           fits-a-datagram   the picture fits one datagram
  FAULT        closed-rooms      a boundary goes all the way around each room (1 place)
  FAULT        corners           boundaries meet at a '+', and only there (1 place)
  FAULT        doors             passages enter rooms through straight boundaries (1 place)
  FAULT        narrow-passages   passages are one spot wide (1 place)
  FAULT        no-stray-lines    every boundary belongs to a room (1 place)
  FAULT        hangs-together    every spot can be reached from every other (1 place)
  ok           enough-spots      every player and pile of gold finds a room spot

known-characters

  x '@' is no map character
   ,-[faulty.txt:5:10]
 3 | |.................########.|
 4 | |.................|  ### |.|
 5 | |........@........|      |.|
   :          ^
 6 | ------------------#  ### +-+
   `----
  help: Put one of the map's own characters here: a blank or - | + . #

closed-rooms

  x the room is open here: a boundary must go all the way around it
   ,-[faulty.txt:1:16]
 1 | +-------------- --+ ---- +-+
   :                ^
 2 | |.................|      |.|
 3 | |.................########.|
   `----
  help: Put '-' here

corners

  x a corner of a room must be '+'
   ,-[faulty.txt:6:1]
 4 | |.................|  ### |.|
 5 | |........@........|      |.|
 6 | ------------------#  ### +-+
   : ^
   `----
  help: Put '+' here

doors

  x a passage may enter a room only through a straight boundary
   ,-[faulty.txt:6:19]
 4 | |.................|  ### |.|
 5 | |........@........|      |.|
 6 | ------------------#  ### +-+
   :                   ^
   `----
  help: Put '+' here, and let the passage enter where the boundary is straight

narrow-passages

  x the passage is wider than one spot
   ,-[faulty.txt:3:22]
 1 | +-------------- --+ ---- +-+
 2 | |.................|      |.|
 3 | |.................########.|
   :                      ^^
 4 | |.................|  ### |.|
 5 | |........@........|      |.|
   `----
  help: Leave one line of '#', and put rock or, where it enters a room,
        boundaries beside it

no-stray-lines

  x this boundary belongs to no room
   ,-[faulty.txt:1:21]
 1 | +-------------- --+ ---- +-+
   :                     ^^^^
 2 | |.................|      |.|
 3 | |.................########.|
   `----
  help: Put a blank here, or draw a room with '.' beside it

hangs-together

  x this spot can't be reached from the rest: all spots must be connected
   ,-[faulty.txt:6:22]
 4 | |.................|  ### |.|
 5 | |........@........|      |.|
 6 | ------------------#  ### +-+
   :                      ^
   `----
  help: Lead a passage of '#' here, through a straight boundary of each room

faulty.txt: INVALID: 7 rules broken, in 7 places
";

const HALL_REPORT: &str = "\
hall: 23 lines, 79 columns
  ok           equal-lines       every line is as long as the others
  ok           known-characters  only blanks and - | + . # are used
  ok           fits-a-datagram   the picture fits one datagram
  ok           closed-rooms      a boundary goes all the way around each room
  ok           corners           boundaries meet at a '+', and only there
  ok           doors             passages enter rooms through straight boundaries
  ok           narrow-passages   passages are one spot wide
  ok           no-stray-lines    every boundary belongs to a room
  ok           hangs-together    every spot can be reached from every other
  ok           enough-spots      every player and pile of gold finds a room spot
hall: valid
";

const NO_SUCH_MAP: &str = "there is no map 'missing.txt': no such file, and no built-in map of that \
     name. Check the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, \
     pretty";

#[test]
fn each_fault_is_shown_with_its_context_and_a_correction() {
    let scratch = Scratch::new("check-faulty");
    scratch.file("faulty.txt", FAULTY.as_bytes());
    let (code, stdout, stderr) = check(&scratch.0, &["faulty.txt"], b"");
    assert_eq!(stdout, FAULTY_REPORT);
    assert_eq!((code, stderr.as_str()), (1, ""));
}

#[test]
fn the_documentation_shows_a_real_report() {
    let page = include_str!("../../../../docs/maps.md");
    assert!(page.contains(FAULTY), "the map");
    let shown = page.split("$ nuggets map check faulty.txt\n").nth(1).unwrap();
    let shown = shown.split("\n...\n").next().unwrap();
    assert!(shown.contains("\nclosed-rooms\n") && FAULTY_REPORT.starts_with(shown), "{shown}");
    for rule in MapRule::ALL {
        assert!(page.contains(&format!("| `{}` | {} |", rule.id(), escaped(rule.text()))));
    }
}

/// As it stands in a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn valid_maps_are_accepted_by_file_by_name_and_from_stdin() {
    let scratch = Scratch::new("check-valid");
    let hall = nuggets_game::shipped::find("hall").unwrap().text.as_bytes();
    scratch.file("own.txt", hall);
    for (word, name) in [("hall", "hall"), ("own.txt", "own.txt"), ("-", "<stdin>")] {
        let (code, stdout, stderr) = check(&scratch.0, &[word], hall);
        assert_eq!(stdout, HALL_REPORT.replace("hall:", &format!("{name}:")));
        assert_eq!((code, stderr.as_str()), (0, ""));
    }
}

#[test]
fn every_built_in_map_is_valid() {
    let names: Vec<&str> = nuggets_game::shipped::ALL.iter().map(|map| map.name).collect();
    let (code, stdout, _) = check(Path::new("."), &names, b"");
    assert!(stdout.ends_with("\n9 of 9 maps are valid\n"), "{stdout}");
    assert_eq!(code, 0);
}

#[test]
fn an_unreadable_file_is_reported_and_the_others_are_checked() {
    let scratch = Scratch::new("check-several");
    scratch.file("faulty.txt", FAULTY.as_bytes());
    let files = ["missing.txt", "hall", "faulty.txt"];
    let (code, stdout, stderr) = check(&scratch.0, &files, b"");
    assert_eq!(stdout, format!("{HALL_REPORT}\n{FAULTY_REPORT}\n1 of 3 maps are valid\n"));
    assert_eq!(stderr, format!("error: {NO_SUCH_MAP}\n"));
    assert_eq!(code, 1);
    let (code, stdout, stderr) = check(&scratch.0, &["missing.txt"], b"");
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, format!("error: {NO_SUCH_MAP}\n"));
}

#[test]
fn at_most_ten_faults_of_a_rule_are_shown() {
    let (code, stdout, _) = check(Path::new("."), &["-"], "x\n".repeat(13).as_bytes());
    assert_eq!(stdout.matches("'x' is no map character").count(), 10);
    assert!(stdout.contains("\nknown-characters: 3 more places not shown\n"), "{stdout}");
    assert!(stdout.ends_with("\n<stdin>: INVALID: 2 rules broken, in 14 places\n"), "{stdout}");
    assert_eq!(code, 1);
}

#[test]
fn the_json_report_is_complete() {
    let tiny = b"+--+\n|..\n+--+\n";
    let scratch = Scratch::new("check-json");
    scratch.file("tiny.txt", tiny);
    let (code, stdout, stderr) = check(&scratch.0, &["--json", "tiny.txt"], b"");
    let fault = |place: [u32; 3], what: &str, mend: &str| {
        let [line, column, length] = place;
        json!([{"line": line, "column": column, "length": length, "what": what, "mend": mend}])
    };
    let rule = |rule: &MapRule| {
        let faults = match rule.id() {
            "equal-lines" => fault(
                [2, 4, 0],
                "this line has 3 columns, but most have 4",
                "Add 1 blank at its end if rock is meant there: the server does so, with a warning",
            ),
            "closed-rooms" => fault(
                [2, 4, 0],
                "the room is open here: a boundary must go all the way around it",
                "Put '|' here",
            ),
            "enough-spots" => fault(
                [2, 2, 2],
                "the map has 2 room spots '.', but needs 56: 26 for players and 30 for piles of gold",
                "Draw larger rooms, or more of them",
            ),
            _ => json!([]),
        };
        let holds = faults == json!([]);
        json!({"id": rule.id(), "rule": rule.text(), "holds": holds, "faults": faults})
    };
    let rules: Vec<Value> = MapRule::ALL.iter().map(rule).collect();
    let expected = json!([
        {"name": "tiny.txt", "valid": false, "rows": 3, "cols": 4, "rules": rules, "remarks": []}
    ]);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap(), expected);
    assert_eq!((code, stderr.as_str()), (1, ""));
}

#[test]
fn the_json_report_includes_what_was_not_checked_or_read() {
    let files = ["missing.txt", "-", "main", "--json"];
    let (code, stdout, stderr) = check(Path::new("."), &files, b"\n");
    let entries: Value = serde_json::from_str(&stdout).unwrap();
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0]["name"], "missing.txt");
    assert_eq!(entries[0]["valid"], false);
    assert_eq!(entries[0]["error"], NO_SUCH_MAP);
    assert_eq!(entries[1]["name"], "<stdin>");
    assert_eq!(entries[1]["rows"], 0);
    assert_eq!(entries[1]["rules"][0]["holds"], Value::Null);
    assert_eq!(entries[1]["rules"][0]["not_checked"], "the file is empty");
    assert_eq!(entries[1]["rules"][9]["holds"], false);
    assert_eq!(entries[2]["valid"], true);
    assert_eq!(entries[2]["rules"].as_array().unwrap().len(), 10);
    assert_eq!(
        entries[2]["remarks"][0],
        "nothing but rock along the edge: 2 columns on the left, 12 columns on the right"
    );
    assert_eq!((code, stderr), (1, format!("error: {NO_SUCH_MAP}\n")));
}

#[test]
fn check_requires_a_file() {
    let (code, stdout, stderr) = check(Path::new("."), &[], b"");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("Usage: nuggets map check <FILE>..."), "{stderr}");
}
