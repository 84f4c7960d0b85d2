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
        let pages = pages(&args, &submissions);
        let stop = AtomicBool::new(false);
        let teams = test_all::<FakeTest, FakeTest>(&args, &submissions, &pages, &stop).unwrap();
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
    let code = finish(&args, &submissions::find_all(&args).unwrap(), &teams, &stop).unwrap();
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
        programs: vec![TeamProgram { kind: ProgramKind::Server, result }],
    };
    let broken = || Err(CannotRun("broken".to_owned()));
    assert_eq!(exit_code(&[team(report())]).unwrap(), ExitCode::SUCCESS, "whatever the score");
    assert_eq!(exit_code(&[team(report()), team(broken())]).unwrap(), ExitCode::FAILURE);
    assert!(exit_code(&[team(broken())]).is_err());
}
