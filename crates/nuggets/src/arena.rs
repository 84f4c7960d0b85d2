//! `nuggets arena`: plays tournaments between bots and reports the standings.

mod chart;
mod recordings;
mod report;

use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use nuggets_arena::{Arena, ArenaError, Entrant, EntrantKind, MapSource, Parallel, Standings};
use nuggets_bots::{AnswerLimits, BrainKind};
use nuggets_game::map::generate::{Blueprint, generate};
use nuggets_game::{Rules, Seed};

use crate::args::BadArgument;
use crate::args::arena::ArenaArgs;
use crate::signals::stop_on_signals;
use crate::{map_file, print, seed};
use recordings::Recordings;

pub(crate) fn run(args: &ArenaArgs) -> anyhow::Result<ExitCode> {
    let mut arena = open(args)?;
    arena.check().map_err(explain)?;
    let stop = stop_on_signals()?;
    if let Err(failure) = arena.introduce(&stop) {
        // A program that did not answer because of the stop has not failed.
        return if stop.load(Ordering::Relaxed) {
            Ok(ExitCode::FAILURE)
        } else {
            Err(failure.into())
        };
    }
    let mut recordings = open_recordings(args, &arena)?;
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let bar = print::progress_bar(args.games, "{bar:40} {pos}/{len} games  {per_sec}  {eta} left");
    let progress = |done| bar.set_position(done);
    let mut keep = recordings.as_mut().map(|kept| |game| kept.keep(game));
    let keep = keep.as_mut().map(|keep| keep as &mut dyn FnMut(_));
    let parallel = Parallel { jobs, stop: &stop };
    let standings = arena.run_recorded(args.games, parallel, progress, keep).map_err(explain)?;
    bar.finish_and_clear();
    if let Some(file) = &args.svg {
        chart::draw(file, &standings, args.force)?;
    }
    let report = match (args.json, args.csv) {
        (true, _) => report::json(&standings, arena.seed),
        (_, true) => report::csv(&standings),
        _ => report::table(&standings, args),
    };
    print::text(&report)?;
    if let Some(recordings) = recordings {
        let written = recordings.finish()?;
        // stdout may hold JSON or CSV.
        print::to_stderr(format_args!("{}", recordings::summary(&written)));
    }
    Ok(verdict(&standings, stop.load(Ordering::Relaxed)))
}

/// Fails if the tournament was interrupted or a program lost turns.
fn verdict(standings: &Standings, was_stopped: bool) -> ExitCode {
    let has_fault = standings.rows.iter().any(|row| row.first_fault.is_some());
    if has_fault || was_stopped { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn explain(why: ArenaError) -> anyhow::Error {
    match why {
        ArenaError::Seats { .. } => BadArgument(why.to_string()).into(),
        ArenaError::TooFewSpots(_) => why.into(),
    }
}

fn open(args: &ArenaArgs) -> anyhow::Result<Arena> {
    let rules = Rules { sprint_stops: args.sprint_stops, ..args.rules.rules()? };
    let maps: anyhow::Result<Vec<MapSource>> =
        args.map.iter().map(|map| map_source(map, &rules)).collect();
    Ok(Arena {
        rules,
        dialect: args.dialect,
        seed: seed::read(&args.seed, "to use 1")?,
        max_rounds: args.max_rounds,
        answer_limits: AnswerLimits { turn_ms: args.bot_time, ..AnswerLimits::default() },
        ..Arena::new(entrants(args), maps?)
    })
}

fn open_recordings(args: &ArenaArgs, arena: &Arena) -> anyhow::Result<Option<Recordings>> {
    let Some((folder, choice)) = recordings::read_options(&args.record)? else { return Ok(None) };
    let is_program = |entrant: &Entrant| matches!(entrant.kind, EntrantKind::Command(_));
    let entrant = arena.entrants.iter().position(is_program).unwrap_or(0);
    Recordings::open(folder, choice, entrant, args.force).map(Some)
}

fn entrants(args: &ArenaArgs) -> Vec<Entrant> {
    let mut entrants = args.bots.clone();
    if entrants.is_empty() {
        let count = if args.bot_cmd.is_empty() { 2 } else { 1 };
        entrants.extend(BrainKind::ALL.map(|brain| Entrant::brain(brain, count)));
    }
    entrants.extend(args.bot_cmd.iter().map(|line| Entrant::command(line)));
    entrants
}

fn map_source(source: &Path, rules: &Rules) -> anyhow::Result<MapSource> {
    if map_file::is_random(source) {
        return Ok(MapSource::Generated(|seed: Seed| generate(&Blueprint::default(), seed)));
    }
    Ok(MapSource::Map(map_file::load(source, rules)?))
}

pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
