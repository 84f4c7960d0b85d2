//! `nuggets map stats`: the measurements of a map, as text and as JSON.

use nuggets_game::map::stats::{MapStats, measure};
use nuggets_game::{Sight, SightRule};
use serde_json::json;

use super::open;
use crate::args::map::StatsArgs;
use crate::print::{self, rounded};

pub(super) fn run(args: &StatsArgs) -> anyhow::Result<()> {
    let map = open(&args.map, args.seed.as_deref())?;
    let stats = measure(&Sight::new(map, SightRule::of(args.dialect)));
    let report = if args.json { as_json(&stats) } else { as_text(&stats) };
    print::text(&report)
}

fn as_text(stats: &MapStats) -> String {
    let sight = stats.sight.map_or("there are no spots".to_owned(), |sight| {
        let share = format!("{:.1} spots, {:.1} % of all", sight.spots, 100.0 * sight.share);
        let all = stats.room_spots + stats.passage_spots;
        if sight.looks == all { share } else { format!("{share} (from {} spots)", sight.looks) }
    });
    let walk = stats.longest_walk;
    let at_least = if walk.is_exact { "" } else { "at least " };
    let mut lines = vec![
        ("size", format!("{}x{} (lines x columns)", stats.rows, stats.cols)),
        ("rooms", stats.rooms.to_string()),
        ("room spots", stats.room_spots.to_string()),
        ("passage spots", stats.passage_spots.to_string()),
        ("dead ends", stats.dead_ends.to_string()),
        ("loops", format!("{} (paths that lead back to their start)", stats.loops)),
        ("mean view", sight),
        ("longest walk", format!("{at_least}{}", print::count(walk.steps, "step"))),
    ];
    if stats.parts != 1 {
        lines.push(("parts", format!("{} (not connected with each other)", stats.parts)));
    }
    if let Some(gold) = stats.gold {
        lines.extend([
            ("path to gold", format!("{:.1} steps on average", gold.mean_steps)),
            ("spread", format!("{:.1} % from start to start", 100.0 * gold.spread)),
            (
                "fairness",
                format!(
                    "{:.0} % (100 %: every start is equally far from the gold)",
                    100.0 * gold.fairness
                ),
            ),
        ]);
    } else {
        lines.push(("fairness", "unknown: too few room spots for a game".to_owned()));
    }
    let lines: Vec<String> =
        lines.into_iter().map(|(name, value)| format!("{name:<15}{value}")).collect();
    lines.join("\n") + "\n"
}

fn as_json(stats: &MapStats) -> String {
    let report = json!({
        "rows": stats.rows,
        "cols": stats.cols,
        "rooms": stats.rooms,
        "room_spots": stats.room_spots,
        "passage_spots": stats.passage_spots,
        "dead_ends": stats.dead_ends,
        "loops": stats.loops,
        "parts": stats.parts,
        "mean_sight_spots": stats.sight.map(|sight| rounded(sight.spots)),
        "mean_sight_share": stats.sight.map(|sight| rounded(sight.share)),
        "mean_sight_looks": stats.sight.map(|sight| sight.looks),
        "longest_walk_steps": stats.longest_walk.steps,
        "longest_walk_is_exact": stats.longest_walk.is_exact,
        "mean_steps_to_gold": stats.gold.map(|gold| rounded(gold.mean_steps)),
        "spread": stats.gold.map(|gold| rounded(gold.spread)),
        "fairness": stats.gold.map(|gold| rounded(gold.fairness)),
    });
    format!("{report:#}\n")
}
