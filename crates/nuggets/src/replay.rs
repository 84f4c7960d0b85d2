//! `nuggets replay`: recordings played, checked and measured.

mod chart;
mod report;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use nuggets_client::{Palette, wants_color};
use nuggets_game::Viewer;
use nuggets_record::{BadRecord, Reading, Recording, Statistics, Tail, verify};
use nuggets_replay::Show;

use crate::args::BadArgument;
use crate::args::replay::ReplayArgs;
use crate::print;

/// A key takes less than four bytes: no game that people play is longer.
const MOST_BYTES: u64 = 1 << 30;

pub(crate) fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let reading = open(&args.file)?;
    check_eyes(args.eyes, &reading.recording)?;
    check_outputs(args)?;
    if args.verify {
        verify_whole(&args.file, &reading)?;
    } else {
        warn_of_tail(&args.file, &reading);
    }
    let recording = reading.recording;
    if args.json || args.svg.is_some() {
        measure(args, &recording)?;
    }
    if let Some(path) = &args.cast {
        write_cast(args, path, recording)?;
    } else if !args.verify && !args.json && args.svg.is_none() {
        watch(args, recording)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn open(file: &Path) -> anyhow::Result<Reading> {
    let named = file.display();
    let bytes = read(file).map_err(|why| {
        anyhow!("can't read the recording '{named}': {why}. Give the path of a file that a server recorded")
    })?;
    Recording::read(&bytes).map_err(|why| anyhow!("can't play '{named}': {why}"))
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let why = format!("it is larger than {MOST_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn check_eyes(eyes: Viewer, recording: &Recording) -> Result<(), BadArgument> {
    let joins =
        recording.entries().filter(|entry| matches!(entry.what, nuggets_record::What::Join { .. }));
    let players = joins.count();
    match eyes {
        Viewer::Player(letter) if letter.index() >= players => Err(BadArgument(format!(
            "nobody plays {letter} in this recording: it has {players} players. Give --eyes one of \
             the first {players} letters, or spectator"
        ))),
        _ => Ok(()),
    }
}

/// Not even with `--force` is a recording drawn over, or a picture by another.
fn check_outputs(args: &ReplayArgs) -> Result<(), BadArgument> {
    let files = [Some(&args.file), args.svg.as_ref(), args.cast.as_ref()];
    let named: Vec<&PathBuf> = files.into_iter().flatten().collect();
    for (n, path) in named.iter().enumerate() {
        if named[..n].iter().any(|other| is_same_file(other, path)) {
            return Err(BadArgument(format!(
                "'{}' is named twice: what is read there, or drawn first, would be lost. Give every \
                 file a name of its own",
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

/// Every byte must be good, and every state as recorded.
fn verify_whole(file: &Path, reading: &Reading) -> anyhow::Result<()> {
    let recording = &reading.recording;
    let verified = verify(recording).map_err(|why| bad(file, &why))?;
    if let Tail::Cut { offset, bytes, why } = reading.tail {
        bail!(
            "'{}' is not whole: record {} (at byte {offset}) is bad: {why}, and nothing good follows in \
             the last {bytes} bytes. All before it is as recorded. Take another copy of the file, or \
             play what there is",
            file.display(),
            recording.records.len() + 1
        );
    }
    let report = report::verified(recording, &verified);
    print::out(|out| out.write_all(report.as_bytes()))
}

fn warn_of_tail(file: &Path, reading: &Reading) {
    if let Tail::Cut { offset, bytes, why } = reading.tail {
        let (named, record) = (file.display(), reading.recording.records.len() + 1);
        // Whoever closed stderr doesn't want to know.
        let _ = writeln!(
            io::stderr(),
            "warning: '{named}' is cut: record {record} (at byte {offset}) is bad: {why}. The last {bytes} \
             bytes are left out"
        );
    }
}

fn bad(file: &Path, why: &BadRecord) -> anyhow::Error {
    anyhow!("can't play '{}': {why}. Take another copy of the file", file.display())
}

fn measure(args: &ReplayArgs, recording: &Recording) -> anyhow::Result<()> {
    let statistics = Statistics::of(recording).map_err(|why| bad(&args.file, &why))?;
    if let Some(path) = &args.svg {
        let picture = chart::draw(&recording.header.map, &statistics)?;
        print::file(path, picture.as_bytes(), args.force)?;
    }
    if args.json {
        let report = report::json(recording, &statistics);
        print::out(|out| out.write_all(report.as_bytes()))?;
    }
    Ok(())
}

fn open_show(args: &ReplayArgs, recording: Recording) -> anyhow::Result<Show> {
    let show = Show::new(recording).map_err(|why| bad(&args.file, &why))?;
    Ok(show.with_viewer(args.eyes).expect("it was checked"))
}

fn write_cast(args: &ReplayArgs, path: &Path, recording: Recording) -> anyhow::Result<()> {
    let show = open_show(args, recording)?;
    let show = if args.no_skip { show } else { show.with_skips() };
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let cast = nuggets_replay::cast(show, &format!("Nuggets: {name}"));
    print::file(path, cast.as_bytes(), args.force)
}

/// In the terminal; where there is none, how it ends.
fn watch(args: &ReplayArgs, recording: Recording) -> anyhow::Result<()> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        let colored = wants_color(args.color, true);
        let palette = if colored { Palette::colored() } else { Palette::plain() };
        return nuggets_replay::run(open_show(args, recording)?, &palette);
    }
    let verified = verify(&recording).map_err(|why| bad(&args.file, &why))?;
    let report = report::last_picture(&recording, &verified.game, args.eyes);
    print::out(|out| out.write_all(report.as_bytes()))
}
