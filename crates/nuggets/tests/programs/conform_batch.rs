//! `nuggets conform batch` with real servers: built, tested, graded, and resumed.

use std::fs;
use std::path::Path;
use std::process::Command;

use nuggets_testkit::{ProcessEnd, run_command};

use crate::maps::Scratch;
use crate::starting::NUGGETS;

/// Every submission is a script that writes the server: our own with these options.
fn submit(scratch: &Scratch, team: &str, build: &str) {
    let folder = scratch.0.join("teams").join(team);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("build.sh"), build).unwrap();
}

fn writes_server(options: &str) -> String {
    let server = env!("CARGO_BIN_EXE_server");
    format!(
        "echo compiling\nprintf '#!/bin/sh\\nexec {server} --log off {options} \"$@\"\\n' > server\n\
         chmod +x server\n"
    )
}

fn batch(scratch: &Scratch, more: &[&str]) -> ProcessEnd {
    let mut command = Command::new(NUGGETS);
    command.args(["conform", "batch", "teams", "--html", "out/index.html"]);
    command.args(["--build", "sh build.sh", "--csv", "out/scores.csv", "--rubric", "rubric.toml"]);
    command.args(["--only", "join.ok", "--only", "join.gold", "--only", "gold.spectator"]);
    run_command(command.args(more).current_dir(&scratch.0), b"")
}

/// Without the column of seconds.
fn scores(scratch: &Scratch) -> String {
    let csv = fs::read_to_string(scratch.0.join("out/scores.csv")).unwrap();
    let without = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(10);
        cells.join(",")
    };
    csv.lines().map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn teams_are_built_tested_graded_and_resumed() {
    let scratch = Scratch::new("conform-teams");
    submit(&scratch, "ash", &writes_server(""));
    submit(&scratch, "birch", &writes_server("--gold 200"));
    submit(&scratch, "cedar", "echo 'server.c:1: error: <oops>' >&2\nexit 2\n");
    fs::write(scratch.0.join("rubric.toml"), "points = 20\n[server.requirements]\ngold = 2\n")
        .unwrap();
    let ended = batch(&scratch, &[]);
    assert_eq!(ended.stderr, "");
    assert_eq!(
        ended.stdout,
        "team   program    grade     must   should      may  not judged\n\
         ash    server      20.0      3/3        -        -           0\n\
         birch  server      15.0      2/3        -        -           0\n\
         cedar  server   could not be run: the build `sh build.sh` failed: it exited with code 2; it \
         printed: server.c:1: error: <oops>\n"
    );
    assert_eq!(ended.status.code(), Some(1), "not all could be run");
    assert_eq!(
        scores(&scratch),
        "team,program,grade,must_passed,must_judged,should_passed,should_judged,may_passed,\
         may_judged,not_judged,fix_first,failed,not_judged_ids,error,page\n\
         ash,server,20.00,3,3,0,0,0,0,0,,,,,ash.html\n\
         birch,server,15.00,2,3,0,0,0,0,0,join.gold,join.gold,,,birch.html\n\
         cedar,server,,,,,,,,,,,,\"the build `sh build.sh` failed: it exited with code 2; it printed: \
         server.c:1: error: <oops>\",cedar.html"
    );
    let page = fs::read_to_string(scratch.0.join("out/birch.html")).unwrap();
    assert!(page.contains("compiling\n</pre>"), "{page}");
    assert!(page.contains("--only join.gold -- teams/birch/server"), "{page}");
    let page = fs::read_to_string(scratch.0.join("out/cedar.html")).unwrap();
    assert!(page.contains("server.c:1: error: &lt;oops&gt;"), "{page}");
    assert!(!scratch.0.join("teams/ash/server").exists(), "submissions stay as they were");

    let again = batch(&scratch, &[]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(
        again.stderr,
        "error: 'out/index.html' already exists. Give another name, or overwrite it with --force\n"
    );
    submit(&scratch, "birch", &writes_server("--gold 250"));
    let resumed = batch(&scratch, &["--resume"]);
    assert_eq!(
        resumed.stderr,
        "1 of 3 teams have not changed since they were tested; to test: birch, cedar\n"
    );
    let stdout = resumed.stdout;
    assert!(stdout.contains("\nbirch  server      20.0      3/3 "), "{stdout}");
    let table = fs::read_to_string(scratch.0.join("out/index.html")).unwrap();
    for team in ["ash", "birch", "cedar"] {
        assert!(table.contains(&format!("<a href=\"{team}.html\">{team}</a>")), "{table}");
        assert!(Path::new(&scratch.0.join(format!("out/{team}.json"))).exists());
    }
}
