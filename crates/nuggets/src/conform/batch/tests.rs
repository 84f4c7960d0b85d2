//! Folders of made-up teams, judged by a made-up catalogue.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use clap::Parser;

use super::*;
use crate::conform::fake::OfFakes;

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

    fn judge(&self, more: &[&str]) -> (BatchArgs, Vec<Team>) {
        let (dir, html) = (self.path("teams"), self.path("index.html"));
        let args = args(&[&[dir.as_str(), "--html", &html, "--jobs", "1"], more].concat());
        let folders = find::folders(&args).unwrap();
        let pages = pages(&args, &folders);
        let stop = AtomicBool::new(false);
        let teams = judge_all::<OfFakes, OfFakes>(&args, &folders, &pages, &stop).unwrap();
        (args, teams)
    }
}

#[test]
fn no_team_stops_the_others() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    scratch.program("teams/beta/server/server", 3);
    scratch.program("teams/delta/server", 9);
    scratch.program("teams/gamma/readme", 0);
    scratch.program("teams/index/server", 1);
    scratch.program("teams/odd [x]*/server", 0);
    scratch.program("teams/.hidden/server", 0);
    let (_, teams) = scratch.judge(&[]);
    let told: Vec<(&str, String)> = teams
        .iter()
        .map(|team| {
            let [Tried { kind: Kind::Server, result }] = &team.tried[..] else {
                panic!("{team:?}")
            };
            let score = |report: &Report| report.score(|_| true).to_string();
            (team.name.as_str(), result.as_ref().map_or_else(Clone::clone, score))
        })
        .collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(team, told)| (*team, told.as_str())).collect();
    assert_eq!(
        told,
        [
            ("alpha", "2/3"),
            ("beta", "it never announces a port"),
            // The tester failed at one check; that costs no more than this check.
            ("delta", "1/3"),
            (
                "gamma",
                "no server found at server/server, server: build it, or say where it is with \
             --server"
            ),
            ("index", "1/3"),
            ("odd [x]*", "2/3"),
        ]
    );
    assert_eq!(teams[4].page, "index-2.html", "the table has the other name");
    for team in &teams {
        let page = fs::read_to_string(scratch.path(&team.page)).unwrap();
        assert!(page.contains(">The server</h2>"), "{page}");
    }
}

#[test]
fn the_table_and_the_pages_stand_side_by_side() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    let (args, teams) = scratch.judge(&[]);
    let stop = AtomicBool::new(false);
    let code = finish(&args, &find::folders(&args).unwrap(), &teams, &stop).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    let table = fs::read_to_string(scratch.path("index.html")).unwrap();
    assert!(table.contains("href=\"alpha.html#server.join.first\""), "{table}");
}

#[test]
fn the_pages_may_have_a_folder_that_is_not_there_yet() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    let (dir, html) = (scratch.path("teams"), scratch.path("new/out/index.html"));
    let code = run::<OfFakes, OfFakes>(&args(&[&dir, "--html", &html, "--jobs", "1"])).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(Path::new(&scratch.path("new/out/alpha.html")).exists());
    let file_in_the_way = format!("{html}/index.html");
    let why = run::<OfFakes, OfFakes>(&args(&[&dir, "--html", &file_in_the_way])).unwrap_err();
    assert_eq!(why.to_string(), format!("can't make the folder '{html}' for the pages"));
}

#[test]
fn clients_are_looked_for_where_somebody_has_one() {
    let scratch = Scratch::new();
    scratch.program("teams/alpha/server", 0);
    scratch.program("teams/alpha/client/client", 0);
    scratch.program("teams/beta/server", 0);
    let kinds = |more: &[&str]| -> Vec<Vec<(Kind, bool)>> {
        let of = |tried: &Tried| (tried.kind, tried.result.is_ok());
        let (_, teams) = scratch.judge(&[more, &["--force"]].concat());
        teams.iter().map(|team| team.tried.iter().map(of).collect()).collect()
    };
    let (server, client) = ((Kind::Server, true), (Kind::Client, true));
    let none = (Kind::Client, false);
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
    let (_, teams) = scratch.judge(&["--server", "build/*/game"]);
    assert!(teams[0].tried[0].result.is_ok());
    assert_eq!(
        *teams[1].tried[0].result.as_ref().unwrap_err(),
        format!(
            "'{file}' is there but can't be run: build it, or make it executable with chmod +x"
        )
    );
}

#[test]
fn the_exit_code_tells_all_some_or_none() {
    let report = || {
        let report = Scratch::new();
        report.program("teams/alpha/server", 1);
        report.judge(&[]).1.remove(0).tried.remove(0).result
    };
    let team = |result| Team {
        name: "alpha".into(),
        page: "alpha.html".into(),
        tried: vec![Tried { kind: Kind::Server, result }],
    };
    let broken = || Err("broken".to_owned());
    assert_eq!(verdict(&[team(report())]).unwrap(), ExitCode::SUCCESS, "whatever the score");
    assert_eq!(verdict(&[team(report()), team(broken())]).unwrap(), ExitCode::FAILURE);
    assert!(verdict(&[team(broken())]).is_err());
}
