//! `nuggets replay`: shows, verifies and measures recordings.

mod chart;
mod choose;
mod report;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use nuggets_game::Viewer;
use nuggets_record::{
    BadRecord, ReadError, Reading, Recording, Repair, Statistics, StreamError, Tail, verify,
};
use nuggets_replay::ReplayApp;
use nuggets_replay::page::standalone_page;
use nuggets_tui::Palette;

use crate::args::BadArgument;
use crate::args::replay::ReplayArgs;
use crate::print;

pub(crate) fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    match &args.file {
        Some(file) => replay(args, file),
        None => choose::run(args),
    }
}

fn replay(args: &ReplayArgs, file: &Path) -> anyhow::Result<ExitCode> {
    let reading = open(file)?;
    ensure_viewer(args.eyes, &reading.recording)?;
    ensure_distinct_files(args, file)?;
    warn_of_repairs(file, &reading);
    if args.verify {
        verify_whole(file, &reading)?;
    } else {
        warn_of_tail(file, &reading);
    }
    let recording = reading.recording;
    if args.html {
        write_page(args, file, recording.clone())?;
    }
    if args.json || args.svg.is_some() {
        measure(args, file, &recording)?;
    }
    if let Some(path) = &args.cast {
        write_cast(args, file, path, recording)?;
    } else if !args.verify && !args.json && args.svg.is_none() && !args.html {
        watch(args, file, recording)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn open(file: &Path) -> anyhow::Result<Reading> {
    let named = file.display();
    let input = File::open(file).map_err(StreamError::Io);
    input.and_then(Recording::read_from).map_err(|why| match why {
        StreamError::Io(why) => anyhow!(
            "can't read the recording '{named}': {why}. Give the path of a file that a server recorded"
        ),
        StreamError::Read(why @ (ReadError::Empty | ReadError::NotARecording)) => anyhow!(
            "can't replay '{named}': {why}. Give a file that was written with server --record"
        ),
        StreamError::Read(why) => anyhow!("can't replay '{named}': {why}"),
    })
}

fn ensure_viewer(eyes: Viewer, recording: &Recording) -> Result<(), BadArgument> {
    let joins = recording
        .entries()
        .filter(|entry| matches!(entry.what, nuggets_record::RecordedEvent::Join { .. }));
    let players = joins.count();
    match eyes {
        Viewer::Player(letter) if letter.index() >= players => Err(BadArgument(format!(
            "there is no player {letter} in this recording: it has {}. Give --eyes one of their letters, or \
             spectator",
            print::count(players, "player")
        ))),
        _ => Ok(()),
    }
}

/// Rejects outputs that are the same file as the recording or another output: not even `--force` may overwrite those.
fn ensure_distinct_files(args: &ReplayArgs, file: &Path) -> Result<(), BadArgument> {
    let outputs = [&args.svg, &args.cast, &args.output].map(Option::as_deref);
    let files = [Some(file)].into_iter().chain(outputs);
    let named: Vec<&Path> = files.flatten().collect();
    for (n, path) in named.iter().enumerate() {
        if named[..n].iter().any(|other| is_same_file(other, path)) {
            return Err(BadArgument(format!(
                "'{}' is named twice: one output would overwrite the recording or the other output. Give \
                 every file a name of its own",
                path.display()
            )));
        }
    }
    Ok(())
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let true_path = |path: &Path| path.canonicalize().ok();
    one == other || true_path(one).is_some_and(|one| true_path(other) == Some(one))
}

/// Checks that every record is good and every state is as recorded.
fn verify_whole(file: &Path, reading: &Reading) -> anyhow::Result<()> {
    let recording = &reading.recording;
    let verified = verify(recording).map_err(|why| bad(file, &why))?;
    if let Tail::Cut { offset, bytes, why, .. } = reading.tail {
        bail!(
            "'{}' is incomplete: record {} (at byte {offset}) is bad: {why}, and the last {bytes} bytes \
             hold no good record. All records before it are as recorded. Use another copy of the file, \
             or replay the good part",
            file.display(),
            recording.records.len() + 1
        );
    }
    let report = report::verified(recording, &verified);
    print::text(&report)
}

fn warn_of_repairs(file: &Path, reading: &Reading) {
    for Repair { offset, bytes } in &reading.repairs {
        print::to_stderr(format_args!(
            "warning: '{}' is damaged at byte {offset}. What was recorded in these {} bytes is certain from the \
             checksums, so nothing is lost; but check the disk and make another copy",
            file.display(),
            bytes.len()
        ));
    }
}

fn warn_of_tail(file: &Path, reading: &Reading) {
    if let Tail::Cut { offset, bytes, why, .. } = reading.tail {
        let named = file.display();
        let record = reading.recording.records.len() + 1;
        print::to_stderr(format_args!(
            "warning: '{named}' is truncated: record {record} (at byte {offset}) is bad: {why}. The last \
             {bytes} bytes are ignored"
        ));
    }
}

fn bad(file: &Path, why: &BadRecord) -> anyhow::Error {
    anyhow!("can't replay '{}': {why}. Use another copy of the file", file.display())
}

fn measure(args: &ReplayArgs, file: &Path, recording: &Recording) -> anyhow::Result<()> {
    let statistics = Statistics::of(recording).map_err(|why| bad(file, &why))?;
    if let Some(path) = &args.svg {
        let picture = chart::draw(&recording.header.setup.map, &statistics)?;
        print::file(path, picture.as_bytes(), args.force)?;
    }
    if args.json {
        let report = report::json(recording, &statistics);
        print::text(&report)?;
    }
    Ok(())
}

/// Writes one page for the browser that needs no other file.
fn write_page(args: &ReplayArgs, file: &Path, recording: Recording) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if args.output.is_none() && io::stdout().is_terminal() {
        return Err(BadArgument(format!(
            "the page would fill the terminal. Give it a file, for example -o '{name}.html'"
        ))
        .into());
    }
    let page = standalone_page(recording, &name).map_err(|why| {
        anyhow!("can't replay '{}': {why}. Use another copy of the file", file.display())
    })?;
    match &args.output {
        Some(path) => print::file(path, page.as_bytes(), args.force),
        None => print::text(&page),
    }
}

fn open_app(args: &ReplayArgs, file: &Path, recording: Recording) -> anyhow::Result<ReplayApp> {
    let app = ReplayApp::new(recording).map_err(|why| bad(file, &why))?;
    Ok(app.with_viewer(args.eyes).expect("the viewer was checked"))
}

fn write_cast(
    args: &ReplayArgs,
    file: &Path,
    path: &Path,
    recording: Recording,
) -> anyhow::Result<()> {
    let app = open_app(args, file, recording)?;
    let app = if args.no_skip { app } else { app.with_pauses_skipped() };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let cast = nuggets_replay::cast(app, &format!("Nuggets: {name}"));
    print::file(path, cast.as_bytes(), args.force)
}

/// Shows the replay in the terminal; without one, prints the last picture.
fn watch(args: &ReplayArgs, file: &Path, recording: Recording) -> anyhow::Result<()> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        let palette = Palette::for_stdout(args.color);
        return nuggets_replay::run(open_app(args, file, recording)?, &palette);
    }
    let verified = verify(&recording).map_err(|why| bad(file, &why))?;
    let report = report::last_picture(&recording, &verified.game, args.eyes);
    print::text(&report)
}
