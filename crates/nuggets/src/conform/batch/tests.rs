//! Folders of invented teams, tested with the fake catalogue.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use clap::Parser;

use super::*;
use crate::conform::fake::FakeTest;

fn args(words: &[&str]) -> BatchArgs {
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        args: BatchArgs,
    }
    Alone::parse_from([&["alone"], words].concat()).args
}

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }

    fn program(&self, name: &str, code: u32) {
        let file = self.path(name);
        fs::create_dir_all(Path::new(&file).parent().unwrap()).unwrap();
        fs::write(&file, format!("#!/bin/sh\nexit {code}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn test(&self, more: &[&str]) -> (BatchArgs, Vec<Team>) {
        let dir = self.path("teams");
        let html = self.path("index.html");
        let args = args(&[&[dir.as_str(), "--html", &html, "--jobs", "1"], more].concat());
        let submissions = submissions::find_all(&args).unwrap();
        let files = team_files(&args, &submissions);
        let stop = AtomicBool::new(false);
        let teams = test_all::<FakeTest, FakeTest>(&args, &submissions, &files, &stop).unwrap();
        (args, teams)
    }
}

#[test]
fn no_team_keeps_the_others_from_being_tested() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    scratch.program("teams/beta/server/server", 3);
    scratch.program("teams/delta/server", 9);
    scratch.program("teams/gamma/readme", 0);
    scratch.program("teams/index/server", 1);
    scratch.program("teams/odd [x]*/server", 0);
    scratch.program("teams/.hidden/server", 0);
    let (_, teams) = scratch.test(&[]);
    let results: Vec<(&str, String)> = teams
        .iter()
        .map(|team| {
            let [TeamProgram { kind: ProgramKind::Server, result }] = &team.programs[..] else {
                panic!("{team:?}")
            };
            let score = |report: &ConformanceReport| report.score(|_| true).to_string();
            (team.name.as_str(), result.as_ref().map_or_else(ToString::to_string, score))
        })
        .collect();
    let results: Vec<_> = results.iter().map(|(team, result)| (*team, result.as_str())).collect();
    assert_eq!(
        results,
        [
            ("alpha", "2/3"),
            ("beta", "it never announces a port"),
            // A panic in one check fails only that check.
            ("delta", "1/3"),
            (
                "gamma",
                "no server found at server/server, server: build it, or give its path with \
             --server"
            ),
            ("index", "1/3"),
            ("odd [x]*", "2/3"),
        ]
    );
    assert_eq!(teams[4].page, "index-2.html", "index.html is the table");
    for team in &teams {
        let page = fs::read_to_string(scratch.path(&team.page)).unwrap();
        assert!(page.contains(">The server</h2>"), "{page}");
    }
}

#[test]
fn the_table_links_to_the_pages_beside_it() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    let (args, teams) = scratch.test(&[]);
    let stop = AtomicBool::new(false);
    let submissions = submissions::find_all(&args).unwrap();
    let code = finish(&args, None, &submissions, &teams, &stop).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    let table = fs::read_to_string(scratch.path("index.html")).unwrap();
    assert!(table.contains("href=\"alpha.html#server.join.first\""), "{table}");
}

#[test]
fn the_folder_for_the_pages_is_created() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    let dir = scratch.path("teams");
    let html = scratch.path("new/out/index.html");
    let code = run::<FakeTest, FakeTest>(&args(&[&dir, "--html", &html, "--jobs", "1"])).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(Path::new(&scratch.path("new/out/alpha.html")).exists());
    let below_a_file = format!("{html}/index.html");
    let why = run::<FakeTest, FakeTest>(&args(&[&dir, "--html", &below_a_file])).unwrap_err();
    assert_eq!(why.to_string(), format!("can't create the folder '{html}' for the pages"));
}

#[test]
fn clients_are_tested_if_a_team_has_one() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    scratch.program("teams/alpha/client/client", 0);
    scratch.program("teams/beta/server", 0);
    let kinds = |more: &[&str]| -> Vec<Vec<(ProgramKind, bool)>> {
        let of = |tried: &TeamProgram| (tried.kind, tried.result.is_ok());
        let (_, teams) = scratch.test(&[more, &["--force"]].concat());
        teams.iter().map(|team| team.programs.iter().map(of).collect()).collect()
    };
    let server = (ProgramKind::Server, true);
    let client = (ProgramKind::Client, true);
    let none = (ProgramKind::Client, false);
    assert_eq!(kinds(&[]), [vec![server, client], vec![server, none]]);
    assert_eq!(kinds(&["--kind", "server"]), [vec![server], vec![server]]);
}

#[test]
fn programs_are_found_by_pattern_and_must_be_executable() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/build/x86/game", 0);
    scratch.program("teams/beta/build/arm/game", 0);
    let file = scratch.path("teams/beta/build/arm/game");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let (_, teams) = scratch.test(&["--server", "build/*/game"]);
    assert!(teams[0].programs[0].result.is_ok());
    assert_eq!(
        teams[1].programs[0].result.as_ref().unwrap_err().to_string(),
        format!("'{file}' is not executable: build it, or run chmod +x on it")
    );
}

#[test]
fn the_exit_code_depends_on_how_many_programs_ran() {
    let report = || {
        let report = Scratch::new();
        report.program("teams/alpha/server", 1);
        report.test(&[]).1.remove(0).programs.remove(0).result
    };
    let team = |result| Team {
        name: "alpha".into(),
        page: "alpha.html".into(),
        build: None,
        programs: vec![TeamProgram { kind: ProgramKind::Server, result }],
    };
    let broken = || Err(CannotRun("broken".to_owned()));
    assert_eq!(exit_code(&[team(report())]).unwrap(), ExitCode::SUCCESS, "whatever the score");
    assert_eq!(exit_code(&[team(report()), team(broken())]).unwrap(), ExitCode::FAILURE);
    assert!(exit_code(&[team(broken())]).is_err());
}

#[test]
fn programs_are_built_in_a_copy_and_shown_where_the_team_has_them() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/code", 1);
    scratch.program("teams/beta/readme", 0);
    let (_, teams) = scratch.test(&["--build", "cp code server && echo built"]);
    let [TeamProgram { kind: ProgramKind::Server, result: Ok(report) }] = &teams[0].programs[..]
    else {
        panic!("only servers are tested: {teams:?}")
    };
    assert_eq!(report.program, scratch.path("teams/alpha/server"));
    assert!(!Path::new(&report.program).exists(), "the submission is unchanged");
    let build = teams[0].build.as_ref().unwrap();
    assert_eq!((build.output.as_str(), &build.error), ("built\n", &None));
    let why = teams[1].programs[0].result.as_ref().unwrap_err().to_string();
    let begin =
        "the build `cp code server && echo built` failed: it exited with code 1; it printed: ";
    assert!(why.starts_with(begin), "{why}");
    let page = fs::read_to_string(scratch.path("beta.html")).unwrap();
    assert!(page.contains("The build failed: it exited with code 1"), "{page}");
}

/// Adds a line to a file whenever it is run.
fn counting_program(scratch: &Scratch, name: &str, comment: &str) {
    scratch.program(name, 0);
    let log = scratch.path("runs");
    fs::write(scratch.path(name), format!("#!/bin/sh\n# {comment}\necho {name} >> '{log}'\n"))
        .unwrap();
}

/// The programs that were run since the last call, once or more in a row.
fn runs(scratch: &Scratch) -> Vec<String> {
    let log = fs::read_to_string(scratch.path("runs")).unwrap_or_default();
    let _ = fs::remove_file(scratch.path("runs"));
    let team = |line: &str| line.split('/').nth(1).unwrap_or_default().to_owned();
    let mut teams: Vec<String> = log.lines().map(team).collect();
    teams.dedup();
    teams
}

#[test]
fn a_resumed_batch_tests_only_what_has_changed_or_could_not_be_run() {
    let scratch = Scratch::new();
    counting_program(&scratch, "teams/alpha/server", "first");
    counting_program(&scratch, "teams/beta/server", "first");
    scratch.program("teams/gamma/readme", 0);
    let (_, first) = scratch.test(&[]);
    assert_eq!(runs(&scratch), ["alpha", "beta"]);

    let (_, second) = scratch.test(&["--resume"]);
    assert_eq!(runs(&scratch), [""; 0], "nothing has changed");
    assert_eq!(tables::json(&second, None), tables::json(&first, None));

    counting_program(&scratch, "teams/beta/server", "second");
    counting_program(&scratch, "teams/gamma/server", "new");
    let (_, third) = scratch.test(&["--resume"]);
    assert_eq!(runs(&scratch), ["beta", "gamma"]);
    assert!(third.iter().all(|team| team.programs[0].result.is_ok()));

    fs::write(scratch.path("alpha.json"), "{\"format\": 1, \"fing").unwrap();
    scratch.test(&["--resume"]);
    assert_eq!(runs(&scratch), ["alpha"], "its results are damaged");
    scratch.test(&["--resume", "--only", "join"]);
    assert_eq!(runs(&scratch), ["alpha", "beta", "gamma"], "another question");
    scratch.test(&["--force", "--only", "join"]);
    assert_eq!(runs(&scratch), ["alpha", "beta", "gamma"], "without --resume");
}

#[test]
fn a_team_that_was_stopped_in_the_middle_is_tested_again() {
    let scratch = Scratch::new();
    counting_program(&scratch, "teams/alpha/server", "first");
    let dir = scratch.path("teams");
    let html = scratch.path("index.html");
    let args = args(&[&dir, "--html", &html, "--jobs", "1", "--resume"]);
    let submissions = submissions::find_all(&args).unwrap();
    let files = team_files(&args, &submissions);
    let stopped = AtomicBool::new(true);
    let teams = test_all::<FakeTest, FakeTest>(&args, &submissions, &files, &stopped).unwrap();
    assert_eq!((teams.len(), runs(&scratch).len()), (0, 0));
    assert!(!files[0].results.exists());
    let code = finish(&args, None, &submissions, &teams, &stopped).unwrap();
    assert_eq!(code, ExitCode::from(STOPPED));
    scratch.test(&["--resume"]);
    assert_eq!(runs(&scratch), ["alpha"]);
}

#[test]
fn names_of_teams_are_data_in_every_file() {
    let scratch = Scratch::new();
    scratch.program("teams/=cmd|' ,\"x\"/server", 0);
    scratch.program("teams/<img src=x onerror=alert(1)>/server", 1);
    let dir = scratch.path("teams");
    let [html, csv, json] =
        ["out/index.html", "out/table.csv", "out/table.json"].map(|name| scratch.path(name));
    let rubric = scratch.path("rubric.toml");
    fs::write(&rubric, "points = 10\n").unwrap();
    let words =
        [&dir, "--html", &html, "--csv", &csv, "--json", &json, "--rubric", &rubric, "--jobs", "1"];
    assert_eq!(run::<FakeTest, FakeTest>(&args(&words)).unwrap(), ExitCode::SUCCESS);
    let csv = fs::read_to_string(csv).unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows[0].starts_with("<img src=x onerror=alert(1)>,server,5.00,1,2,"), "{csv}");
    assert!(rows[1].starts_with("\"'=cmd|' ,\"\"x\"\"\",server,10.00,2,2,"), "{csv}");
    let table = fs::read_to_string(html).unwrap();
    assert!(table.contains("&lt;img src=x onerror=alert(1)&gt;</a>") && !table.contains("<img"));
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(json["teams"][1]["team"], "=cmd|' ,\"x\"");
    assert_eq!(json["teams"][0]["programs"][0]["grade"], 5.0);
}

#[test]
fn the_folder_of_the_pages_is_no_team() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    let dir = scratch.path("teams");
    let html = scratch.path("teams/out/index.html");
    for more in [&["--force"], &["--resume"]] {
        let words = [&[dir.as_str(), "--html", &html, "--jobs", "1"], &more[..]].concat();
        assert_eq!(run::<FakeTest, FakeTest>(&args(&words)).unwrap(), ExitCode::SUCCESS);
    }
    assert!(!Path::new(&scratch.path("teams/out/out.html")).exists());
}

#[test]
fn a_wrong_rubric_is_rejected_before_any_test() {
    let scratch = Scratch::new();
    counting_program(&scratch, "teams/alpha/server", "first");
    let rubric = scratch.path("rubric.toml");
    fs::write(&rubric, "[server.sections]\nJoining = 1\nKeyz = 2\n").unwrap();
    let dir = scratch.path("teams");
    let html = scratch.path("index.html");
    let args = args(&[&dir, "--html", &html, "--rubric", &rubric]);
    let why = run::<FakeTest, FakeTest>(&args).unwrap_err();
    assert_eq!(
        why.to_string(),
        format!(
            "can't use the rubric '{rubric}': line 3, column 1: unknown section 'Keyz' of a server. Did \
             you mean Keys? `nuggets conform server --list` lists all"
        )
    );
    assert_eq!(runs(&scratch), [""; 0]);
}
