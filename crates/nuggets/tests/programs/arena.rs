//! `nuggets arena`: whole outputs of small tournaments.

use std::process::Command;

use nuggets_testkit::{ORDINARY, ProcessEnd, PseudoTerminal, lines, run, run_command};

use crate::arguments::{MORE, check};
use crate::maps::Scratch;
use crate::starting::NUGGETS;

fn arena(words: &[&str]) -> ProcessEnd {
    run(NUGGETS, &[&["arena"], words].concat())
}

fn printed(words: &[&str]) -> String {
    let ended = arena(words);
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stderr, "", "no progress bar without a terminal");
    ended.stdout
}

const SMALL: [&str; 6] = ["--bots", "wanderer:1,miner:2", "--games", "4", "--map", "narrow"];

#[test]
fn the_table_is_the_same_for_any_number_of_jobs() {
    let table = |jobs| printed(&[&SMALL[..], &["--jobs", jobs]].concat());
    let once = table("1");
    let lines: Vec<&str> = once.lines().collect();
    assert_eq!(lines[0], "4 games, seed 1");
    assert_eq!(lines[1], "");
    assert_eq!(lines[2], "bot       bots  wins  mean purse  moves/nugget  rating  deviation");
    assert!(lines[3].starts_with("miner        2   "), "the best comes first: {once}");
    assert!(lines[4].starts_with("wanderer     1   "), "{once}");
    assert_eq!(lines.len(), 5);
    assert_eq!(once, table("3"));
}

#[test]
fn json_and_csv_have_the_same_content() {
    let json: serde_json::Value =
        serde_json::from_str(&printed(&[&SMALL[..], &["--json"]].concat())).unwrap();
    assert_eq!((&json["games"], &json["seed"]), (&4.into(), &1.into()));
    let [wanderer, miner] = [&json["bots"][0], &json["bots"][1]];
    assert_eq!((&wanderer["name"], &miner["name"]), (&"wanderer".into(), &"miner".into()));
    assert!(miner["rating"].as_f64() > wanderer["rating"].as_f64());
    let csv = printed(&[&SMALL[..], &["--csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "bot,bots,games,wins,mean_purse,moves_per_nugget,rating,deviation,lost_turns"
    );
    let cells: Vec<&str> = lines[2].split(',').collect();
    assert_eq!(cells[..3], ["miner", "2", "4"]);
    assert_eq!(cells[4].parse::<f64>().ok(), miner["mean_purse"].as_f64());
}

#[test]
fn the_chart_has_a_line_for_every_entrant() {
    let scratch = Scratch::new("arena");
    let file = scratch.0.join("purses.svg");
    printed(&[&SMALL[..], &["--svg", file.to_str().unwrap()]].concat());
    let rejected = arena(&[&SMALL[..], &["--svg", file.to_str().unwrap()]].concat());
    assert_eq!(rejected.status.code(), Some(1), "the file exists");
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for color in ["#0072B2", "#D55E00"] {
        let drawn = format!("stroke=\"{color}\" stroke-width=\"2\"");
        assert_eq!(svg.matches(&drawn).count(), 2, "a line and its legend");
    }
    for words in ["wanderer", "miner", "Mean purse over 4 games", "moves of each bot"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn tournaments_support_new_maps_and_house_rules() {
    let words =
        ["--bots", "scout:3", "--games", "3", "--map", "random", "--map", "main", "--steal"];
    let table =
        printed(&[&words[..], &["--lifetime", "60", "--food", "5", "--players", "3"]].concat());
    assert!(table.starts_with("3 games, seed 1\n"), "{table}");
}

#[test]
fn a_failing_program_is_reported_and_does_not_disturb_the_others() {
    let program = "echo 'PLAY hasty'; read -r a; echo 'Traceback: oops' >&2; exit 3";
    let words = ["--bots", "miner:1", "--bot-cmd", program, "--games", "2", "--map", "narrow"];
    let words = [&words[..], &["--bot-time", "60000"]].concat();
    let ended = arena(&words);
    assert_eq!(ended.status.code(), Some(1));
    let table = ended.stdout;
    assert!(table.contains("\nhasty     1   "), "the name that it plays under: {table}");
    assert!(
        table.ends_with(
            "\nhasty: 2 lost turns, the first in game 1: exited during the game with code 3\n\
             The end of its stderr:\n  | Traceback: oops\n"
        ),
        "{table}"
    );
    let json = arena(&[&words[..], &["--json"]].concat()).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let hasty = &json["bots"][1];
    assert_eq!((&hasty["name"], &hasty["command"]), (&"hasty".into(), &program.into()));
    assert_eq!(hasty["first_trouble"]["stderr"], "Traceback: oops");
}

#[test]
fn a_program_that_can_not_be_started_is_reported_before_any_game() {
    for (program, error) in [
        (
            "./no-such-bot",
            "'./no-such-bot': exited before it sent PLAY with code 127 (the command was \
          not found: check --bot-cmd)\nThe end of its stderr:\n  | ",
        ),
        ("echo hello", "'echo hello': invalid message: \"hello\" instead of PLAY and a name\n"),
    ] {
        let ended = arena(&["--bot-cmd", program, "--games", "10000000"]);
        assert_eq!((ended.code(), &*ended.stdout), (Some(1), ""));
        let stderr = ended.stderr;
        assert!(stderr.starts_with(&format!("error: {error}")), "{stderr}");
    }
}

/// It has lowered the limit by which its program's processes are found, and has no environment, parent, group or
/// session in common with them.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_hides_from_its_program_ends_with_the_arena() {
    let scratch = Scratch::new("arena-orphan");
    let file = scratch.0.join("pid");
    let program = format!(
        "(env -i setsid sh -c 'ulimit -t 1000; echo $$ >{0}.new; mv {0}.new {0}; exec sleep 1000 <&- >&- 2>&-' &)
         until [ -e {0} ]; do sleep 0.01; done; echo PLAY hider; read -r a",
        file.display()
    );
    let words = ["--bots", "miner:1", "--bot-cmd", &program, "--bot-time", "60000"];
    arena(&[&words[..], &["--games", "1", "--max-rounds", "1"]].concat());
    let pid = std::fs::read_to_string(&file).expect("the program has started it");
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "{pid} still runs");
}

#[test]
fn recorded_games_can_be_verified() {
    let scratch = Scratch::new("arena-record");
    let folder = scratch.0.join("games");
    let record = ["--record", folder.to_str().unwrap()];
    let ended = arena(&[&SMALL[..], &record].concat());
    assert!(ended.status.success(), "{ended:?}");
    let shown = ended.stderr;
    let first = folder.join("game-0001.nuggets");
    assert_eq!(shown, format!("recorded 4 games: nuggets replay {} …\n", first.display()));
    assert_eq!(ended.stdout, printed(&SMALL), "the same table");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!((files.len(), &files[0]), (4, &first));
    for file in &files {
        let replay = run(NUGGETS, &["replay", "--verify", file.to_str().unwrap()]);
        assert!(replay.status.success(), "{replay:?}");
    }
    let again = arena(&[&SMALL[..], &record].concat());
    assert_eq!(again.status.code(), Some(1), "files of another tournament are kept");
    let worst = [&SMALL[..], &record, &["--record", "worst", "--force"]].concat();
    assert!(arena(&worst).status.success());
    let twice = arena(&[&SMALL[..], &record, &["--record", "elsewhere"]].concat());
    assert_eq!(twice.status.code(), Some(2));
    let why = twice.stderr;
    assert!(why.contains("two folders") && why.contains("'elsewhere': give one"), "{why}");
}

#[test]
fn without_a_folder_the_chosen_games_are_recorded_in_the_current_one() {
    for (choice, count) in [("best", 1), ("worst", 1), ("3", 3)] {
        let scratch = Scratch::new("arena-record-here");
        let mut command = Command::new(NUGGETS);
        command.current_dir(&scratch.0).arg("arena").args(SMALL).args(["--record", choice]);
        let ended = run_command(&mut command, b"");
        assert!(ended.status.success(), "{ended:?}");
        let files = scratch.0.read_dir().unwrap().map(|file| file.unwrap().path());
        assert_eq!(files.filter(|path| path.extension().unwrap() == "nuggets").count(), count);
    }
}

#[test]
fn a_single_game_has_no_plural() {
    let words = ["--bots", "miner:1", "--games", "1", "--map", "narrow"];
    assert!(printed(&words).starts_with("1 game, seed 1\n"));
    let short = printed(&[&words[..], &["--max-rounds", "1"]].concat());
    assert!(short.starts_with("1 game, stopped after 1 round, seed 1\n"), "{short}");
}

#[test]
fn a_progress_bar_is_shown_at_once_and_a_hanging_program_can_be_stopped() {
    let words = ["arena", "--bots", "miner:1", "--bot-cmd", "echo PLAY slow; sleep 1000"];
    let patient = ["--bot-time", "3600000", "--games", "7", "--jobs", "1"];
    let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &[&words[..], &patient].concat());
    terminal.wait_for(|screen| lines(screen).iter().any(|line| line.contains(" 0/7 games ")));
    terminal.type_keys("\x03");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 1);
    assert!(ended.lines.iter().any(|line| line.ends_with("0 games of 7 (stopped), seed 1")));
}

#[test]
fn by_default_two_of_each_brain_play_or_one_of_each_beside_a_program() {
    let bots = |words: &[&str]| -> Vec<String> {
        let ended = arena(&[words, &["--games", "1", "--max-rounds", "1", "--csv"]].concat());
        let csv = ended.stdout;
        let cells = csv.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>());
        cells.map(|cells| cells.join(":")).collect()
    };
    assert_eq!(bots(&[]), ["wanderer:2", "scout:2", "miner:2"]);
    assert_eq!(
        bots(&["--bot-cmd", "echo PLAY brief"]),
        ["wanderer:1", "scout:1", "miner:1", "brief:1"]
    );
}

#[test]
fn the_example_program_is_the_arena_bot() {
    let help = printed(&["--help"]);
    assert!(help.contains("--bot-cmd 'python3 docs/arena_bot.py'\n"), "{help}");
}

#[test]
fn wrong_arguments_are_rejected() {
    check(
        NUGGETS,
        "arena --bots genius:2",
        2,
        &format!(
            "error: invalid value 'genius:2' for '--bots <LIST>': there is no brain 'genius': choose \
             wanderer, scout or miner, such as miner:4\n{MORE}"
        ),
    );
    check(
        NUGGETS,
        "arena --bots miner:26,scout:1",
        2,
        "error: 27 bots can't play together: the rules allow 1 to 26. Enter fewer bots\n",
    );
    check(
        NUGGETS,
        "arena --bots miner:3 --players 2",
        2,
        "error: 3 bots can't play together: the rules allow 1 to 2. Enter fewer bots, or raise \
         --players\n",
    );
    check(
        NUGGETS,
        "arena --map nowhere",
        1,
        "error: there is no map 'nowhere': no such file, and no built-in map of that name. Check \
         the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, pretty\n",
    );
}
