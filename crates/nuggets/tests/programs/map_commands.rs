//! `nuggets map new`, `show` and `stats`: whole outputs and exit codes.

use std::path::Path;
use std::process::Command;

use nuggets_game::map::check::violations;
use nuggets_game::{Map, shipped};
use nuggets_testkit::{ProcessEnd, run_command};

use crate::maps::Scratch;
use crate::starting::NUGGETS;

fn run_in(folder: &Path, words: &str) -> ProcessEnd {
    let mut command = Command::new(NUGGETS);
    run_command(command.arg("map").args(words.split(' ')).current_dir(folder), b"")
}

fn run(words: &str) -> ProcessEnd {
    run_in(&std::env::temp_dir(), words)
}

/// The stdout of a command that succeeds and prints nothing to stderr.
fn shown(words: &str) -> String {
    let ended = run(words);
    assert_eq!(ended.stderr, "", "{words}");
    assert_eq!(ended.status.code(), Some(0), "{words}");
    ended.stdout
}

fn check_rejected(ended: &ProcessEnd, code: i32, stderr: &str) {
    assert_eq!(ended.stderr, stderr);
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(code)));
}

/// Lines without the rock at their ends, after an empty one.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = [""].into_iter().chain(text.lines().map(str::trim_end)).collect();
    lines.join("\n")
}

#[test]
fn new_generates_the_map_of_its_seed() {
    let drawn = shown("new --rows 12 --cols 40 --rooms 3 --seed 5");
    assert_eq!(trimmed(&drawn), NEW);
    assert!(drawn.lines().all(|line| line.len() == 40));
}

const NEW: &str = "
 +-----+        +------------+
 |.....|        |............|
 |.....|        |....+---+...|
 |.....##########....|   |...|  +-----+
 |.....|   #    |....+---+...####.....|
 |.....|####    |............|  |.....|
 |.....|        +------------+  |.....|
 |.....|                        |.....|
 |.....|                        |.....|
 |.....|                        |.....|
 +-----+                        +-----+
";

#[test]
fn the_example_in_the_documentation_is_what_new_generates() {
    let page = include_str!("../../../../docs/maps.md");
    let words = "new --rows 14 --cols 64 --seed 7";
    let (_, rest) = page.split_once(&format!("`nuggets map {words}`\n")).unwrap();
    let (_, example) = rest.split_once(":\n\n```").unwrap();
    let (drawing, _) = example.split_once("\n```").unwrap();
    assert_eq!(trimmed(&shown(words)).trim_end(), drawing);
}

#[test]
fn new_prints_the_chosen_seed_which_gives_the_same_map() {
    let ended = run("new --style halls");
    let printed = ended.stderr;
    let seed = printed.strip_prefix("seed ").unwrap().split(':').next().unwrap();
    assert_eq!(printed, format!("seed {seed}: repeat with --seed {seed}\n"));
    let drawn = ended.stdout;
    assert_eq!(drawn, shown(&format!("new --style halls --seed {seed}")));
    assert_eq!(violations(&Map::parse(drawn.as_bytes()).unwrap().map), []);
}

#[test]
fn new_does_not_overwrite_a_file() {
    let scratch = Scratch::new("map-new");
    let file = scratch.0.join("new.txt");
    let read = || std::fs::read_to_string(&file).unwrap();
    assert_eq!(run_in(&scratch.0, "new --seed 1 --out new.txt").status.code(), Some(0));
    assert_eq!(read(), shown("new --seed 1"));
    check_rejected(
        &run_in(&scratch.0, "new --seed 2 --out new.txt"),
        1,
        "error: 'new.txt' already exists. Give another name, or overwrite it with --force\n",
    );
    assert_eq!(read(), shown("new --seed 1"));
    assert_eq!(run_in(&scratch.0, "new --seed 2 --out new.txt --force").status.code(), Some(0));
    assert_eq!(read(), shown("new --seed 2"));
    check_rejected(
        &run_in(&scratch.0, "new --seed 2 --out nowhere/new.txt"),
        1,
        "error: can't write 'nowhere/new.txt': No such file or directory (os error 2). Give a path \
         that you may write to\n",
    );
}

#[test]
fn new_rejects_impossible_sizes_with_the_bounds() {
    check_rejected(
        &run("new --rooms 33"),
        2,
        "error: a map of 21x79 (lines x columns) can have 1 to 32 rooms, not 33\n",
    );
    check_rejected(
        &run("new --rows 300 --cols 300"),
        2,
        "error: a map of 300x300 (lines x columns) is too large: its picture must fit one datagram. \
         255x255 does\n",
    );
    check_rejected(
        &run("new --cols 10"),
        2,
        "error: a map of 21x10 (lines x columns) is too small for 26 players and 30 piles of gold: \
         ask for 9 lines and 20 columns at least\n",
    );
    check_rejected(
        &run("new --style castle"),
        2,
        "error: invalid value 'castle' for '--style <STYLE>'\n  \
         [possible values: rooms, caves-of-rooms, halls]\n\nFor more information, try '--help'.\n",
    );
    check_rejected(
        &run("new --seed x"),
        2,
        "error: invalid seed 'x': give a whole number from 1 to 9223372036854775807, or leave it \
         out to have one chosen\n",
    );
}

#[test]
fn show_without_a_spot_prints_the_whole_map() {
    assert_eq!(shown("show hole"), shipped::find("hole").unwrap().text);
    assert_eq!(shown("show random --seed 9"), shown("new --seed 9"));
}

#[test]
fn show_prints_colours_on_request() {
    let colored = shown("show main --color always");
    assert!(colored.contains("\x1b[0;36m+----------+"), "walls are cyan");
    assert!(colored.contains("\x1b[0;94m####"), "passages are light blue");
    assert_eq!(shown("show main --color never"), shipped::find("main").unwrap().text);
}

#[test]
fn show_from_a_spot_prints_what_is_visible() {
    assert_eq!(trimmed(&shown("show main --from 3,13")), FROM);
}

const FROM: &str = "
  +----------+
  |..........|
  |.........@#
  |..........|
  +---------#+















";

#[test]
fn in_2019_passages_are_visible() {
    let passage = |words: &str| shown(words).lines().nth(2).unwrap().trim_end().to_owned();
    assert_eq!(passage("show main --from 3,12"), "  |........@.#");
    assert_eq!(passage("show main --from 3,12 --dialect 2019"), "  |........@.####");
}

#[test]
fn show_rejects_points_that_are_no_spots() {
    check_rejected(
        &run("show main --from 1,1"),
        2,
        "error: line 1, column 1 is not a spot: there is rock. Choose a spot '.' or '#'; the \
         nearest is 2,4\n",
    );
    check_rejected(
        &run("show main --from 1,3"),
        2,
        "error: line 1, column 3 is not a spot: there is a boundary '+'. Choose a spot '.' or \
         '#'; the nearest is 2,4\n",
    );
    check_rejected(
        &run("show main --from 99,99"),
        2,
        "error: line 99, column 99 is not a spot: the map has 21 lines and 79 columns. Choose \
         a spot '.' or '#'; the nearest is 20,30\n",
    );
    for bad in ["0,1", "3", "a,b", "3,5,7", "3,-5"] {
        let stderr = format!(
            "error: invalid value '{bad}' for '--from <R,C>': give a line and a column, both counted \
             from 1, like 3,5\n\nFor more information, try '--help'.\n"
        );
        check_rejected(&run(&format!("show main --from {bad}")), 2, &stderr);
    }
}

#[test]
fn show_writes_svg_and_png() {
    let scratch = Scratch::new("map-show");
    let read = |name: &str| std::fs::read(scratch.0.join(name)).unwrap();
    let ended = run_in(&scratch.0, "show main --svg main.svg --png main.png");
    assert_eq!((ended.code(), &*ended.stdout, &*ended.stderr), (Some(0), "", ""));

    let svg = String::from_utf8(read("main.svg")).unwrap();
    assert!(svg.starts_with(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"731\" height=\"377\" viewBox=\"0 0 731 377\""
    ));
    assert!(svg.ends_with("</svg>\n"));
    let rects = svg.lines().filter(|line| line.starts_with("<rect ") && line.ends_with("/>"));
    assert_eq!(rects.count() + 2, svg.lines().count());
    for color in ["#14171c", "#455366", "#8a5a14", "#7cc7f0"] {
        assert!(svg.contains(color), "no {color}");
    }

    let png = read("main.png");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!((&png[16..20], &png[20..24]), (&[0, 0, 2, 219][..], &[0, 0, 1, 121][..]));

    check_rejected(
        &run_in(&scratch.0, "show main --svg main.svg"),
        1,
        "error: 'main.svg' already exists. Give another name, or overwrite it with --force\n",
    );
    assert_eq!(
        run_in(&scratch.0, "show main --from 3,13 --svg main.svg --force").status.code(),
        Some(0)
    );
    let looking = String::from_utf8(read("main.svg")).unwrap();
    let viewer = "#ffe03c";
    let faint_wall = "#314857";
    assert!(looking.contains(viewer) && looking.contains(faint_wall));
    assert!(!svg.contains(viewer) && !svg.contains(faint_wall));
}

#[test]
fn stats_as_text() {
    assert_eq!(format!("\n{}", shown("stats main")), STATS);
}

const STATS: &str = "
size           21x79 (lines x columns)
rooms          7
room spots     292
passage spots  71
dead ends      1
loops          1 (paths that lead back to their start)
mean view      50.8 spots, 14.0 % of all
longest walk   94 steps
path to gold   35.8 steps on average
spread         29.2 % from start to start
fairness       71 % (100 %: every start is equally far from the gold)
";

#[test]
fn stats_as_json() {
    let report: serde_json::Value = serde_json::from_str(&shown("stats main --json")).unwrap();
    assert_eq!(
        report,
        serde_json::json!({
          "cols": 79,
          "dead_ends": 1,
          "fairness": 0.7077,
          "longest_walk_is_exact": true,
          "longest_walk_steps": 94,
          "loops": 1,
          "mean_sight_looks": 363,
          "mean_sight_share": 0.1399,
          "mean_sight_spots": 50.7741,
          "mean_steps_to_gold": 35.7608,
          "parts": 1,
          "passage_spots": 71,
          "room_spots": 292,
          "rooms": 7,
          "rows": 21,
          "spread": 0.2923
        })
    );
}

#[test]
fn a_map_too_small_for_a_game_is_measured_partly() {
    let scratch = Scratch::new("map-stats");
    std::fs::write(scratch.0.join("two.txt"), "+-+ +-+\n|.| |.|\n+-+ +-+\n").unwrap();
    let ended = run_in(&scratch.0, "stats two.txt");
    assert_eq!(
        format!("\n{}", ended.stdout),
        "
size           3x7 (lines x columns)
rooms          2
room spots     2
passage spots  0
dead ends      0
loops          0 (paths that lead back to their start)
mean view      1.0 spots, 50.0 % of all
longest walk   0 steps
parts          2 (not connected with each other)
fairness       unknown: too few room spots for a game
"
    );
}

#[test]
fn a_seed_requires_a_random_map() {
    for verb in ["show", "stats"] {
        check_rejected(
            &run(&format!("{verb} main --seed 5")),
            2,
            "error: --seed needs the map 'random': other maps are not generated\n",
        );
    }
    check_rejected(
        &run("show nowhere"),
        1,
        "error: there is no map 'nowhere': no such file, and no built-in map of that name. Check the \
         path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, pretty\n",
    );
}

#[test]
fn every_map_command_has_help() {
    for verb in ["new", "show", "stats"] {
        let help = shown(&format!("{verb} --help"));
        assert!(help.contains(&format!("Usage: nuggets map {verb} [OPTIONS]")), "{help}");
        assert!(help.contains("Examples:\n"), "{help}");
    }
}
