//! Starting: arguments, exit codes, the announcement.

use nuggets_stranger::{CommandLine, Ending};

use super::deeds::start_with_ann;
use crate::chapter::Chapter;
use crate::server::{ServerStage, TestMap};
use crate::{Check, Dialects, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Starting", source: "Requirements, Server" };

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must(
        "start.port",
        "The server announces the port where it waits for messages.",
        announces_its_port,
    ),
    CHAPTER.must(
        "start.no-arguments",
        "Without a map the server exits with a code other than 0.",
        |stage| {
            let line = stage.bare_line();
            ends_with_error(stage, &line)
        },
    ),
    CHAPTER.must(
        "start.too-many-arguments",
        "With an argument too many the server exits with a code other than 0.",
        |stage| {
            let line = good_line(stage)?.with(&["surplus"]);
            ends_with_error(stage, &line)
        },
    ),
    CHAPTER.must(
        "start.missing-map",
        "With a map file that isn't there the server exits with a code other than 0.",
        |stage| {
            let line = stage.line_for("no-such-map.txt", Some("1"));
            ends_with_error(stage, &line)
        },
    ),
    CHAPTER.must(
        "start.seed-of-words",
        "With a seed that is no number the server exits with a code other than 0.",
        |stage| refuses_seed(stage, "seed"),
    ),
    CHAPTER
        .must(
            "start.negative-seed",
            "With a negative seed the server exits with a code other than 0.",
            |stage| refuses_seed(stage, "-5"),
        )
        .only_in(Dialects::Only2021),
    CHAPTER
        .should(
            "start.zero-seed",
            "With seed 0, which is not positive, the server exits with a code other than 0.",
            |stage| refuses_seed(stage, "0"),
        )
        .only_in(Dialects::Only2021),
    CHAPTER.should(
        "start.seed-with-tail",
        "With a seed that only begins with a number, as 12x, the server exits with a code other \
         than 0.",
        |stage| refuses_seed(stage, "12x"),
    ),
    CHAPTER.must("start.says-why", "When its arguments are wrong the server says so.", says_why),
    CHAPTER.must("start.seedless", "The server starts without a seed.", |stage| {
        stage.start_with(&TestMap::shipped("main"), None)?;
        stage.player("Ann").map(|_| ())
    }),
    CHAPTER
        .must(
            "start.stdout",
            "While a game is played the server prints nothing on stdout but its announcement.",
            keeps_stdout_quiet,
        )
        .only_in(Dialects::Only2021),
];

fn announces_its_port(stage: &mut ServerStage) -> Verdict {
    stage.start()?;
    if stage.announces()? {
        return Ok(());
    }
    Err(Failure::new("the number of its port is printed", "it opened a port and printed no number"))
}

fn good_line(stage: &mut ServerStage) -> Result<CommandLine, Failure> {
    let map = stage.write_file("map.txt", TestMap::shipped("main").text().as_bytes())?;
    Ok(stage.line_for(&map, Some("1")))
}

fn refuses_seed(stage: &mut ServerStage, seed: &str) -> Verdict {
    let map = stage.write_file("map.txt", TestMap::shipped("main").text().as_bytes())?;
    let line = stage.line_for(&map, Some(seed));
    ends_with_error(stage, &line)
}

fn ends_with_error(stage: &mut ServerStage, line: &CommandLine) -> Verdict {
    let expected = "it exits by itself with a code other than 0";
    match stage.run_to_end(line)?.1 {
        Ending::Exit(0) => Err(Failure::new(expected, "it exited with code 0")),
        Ending::Exit(_) => Ok(()),
        died @ Ending::Signal(_) => Err(Failure::new(expected, died.to_string())),
    }
}

fn says_why(stage: &mut ServerStage) -> Verdict {
    let lines = [stage.bare_line(), stage.line_for("no-such-map.txt", Some("1"))];
    for line in lines {
        let (program, _) = stage.run_to_end(&line)?;
        if program.stderr().is_empty() && program.stdout().is_empty() {
            let words = line.words().iter().map(|word| word.to_string_lossy());
            let words = words.collect::<Vec<_>>().join(" ");
            return Err(Failure::new("a useful error message", format!("`{words}` says nothing")));
        }
    }
    Ok(())
}

fn keeps_stdout_quiet(stage: &mut ServerStage) -> Verdict {
    let mut ann = start_with_ann(stage)?;
    for key in "hljkyubnHLJKYUBN!".chars() {
        ann.press(key);
    }
    // Its answer comes when all those keys have been dealt with.
    let _bob = stage.player("Bob")?;
    let port = stage.port()?.to_string();
    let stdout = String::from_utf8_lossy(&stage.stdout_to_the_end()).into_owned();
    let is_due = |line: &&str| line.trim().is_empty() || line.contains(&port);
    match stdout.lines().find(|line| !is_due(line)) {
        None => Ok(()),
        Some(line) => {
            let came = format!("'{}'", line.escape_debug());
            Err(Failure::new("nothing on stdout but the announcement of the port", came))
        }
    }
}
