//! The measurements, as Markdown and JSON.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};

use super::counts::Counts;
use super::engine::Engine;
use super::host::HostFigures;
use super::load::{Cost, Load};
use super::{host_report, plot, process, subjects};
use crate::top;

/// Everything that was measured in one run.
pub(crate) struct Report {
    pub(crate) counts: Counts,
    pub(crate) engine: Engine,
    pub(crate) start_ms: f64,
    pub(crate) strict: Vec<(Load, Cost)>,
    pub(crate) changed_only: Vec<(Load, Cost)>,
    pub(crate) by_players: Vec<(Load, Cost)>,
    pub(crate) by_size: Vec<(Load, Cost)>,
    pub(crate) host: HostFigures,
}

/// One thing that was to be reached.
pub(crate) struct Goal {
    what: &'static str,
    wanted: String,
    found: String,
    pub(crate) is_reached: bool,
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: wanted {}, found {}", self.what, self.wanted, self.found)
    }
}

impl Goal {
    pub(crate) fn at_most(what: &'static str, limit: f64, found: f64, unit: &str) -> Self {
        let wanted = format!("at most {limit}{unit}");
        let found_text = format!("{found:.2}{unit}");
        Self { what, wanted, found: found_text, is_reached: found <= limit }
    }

    fn at_least(what: &'static str, limit: f64, found: f64, unit: &str) -> Self {
        let wanted = format!("at least {limit}{unit}");
        let found_text = format!("{found:.2}{unit}");
        Self { what, wanted, found: found_text, is_reached: found >= limit }
    }
}

impl Report {
    /// Writes the report, the figures and the plot to the documentation.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let folder = folder();
        std::fs::create_dir_all(&folder).context("can't make a folder for the report")?;
        std::fs::write(folder.join("report.md"), self.to_markdown())?;
        let json = serde_json::to_string_pretty(&self.to_json())?;
        std::fs::write(folder.join("report.json"), json + "\n")?;
        plot::draw(&folder.join("growth.svg"), self)
    }

    pub(crate) fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Benchmarks\n\nWritten by `cargo xtask bench` on {}. Run it again to update it: \
             the ratios and the instruction\ncounts should be similar on another machine, the \
             nanoseconds will not.\n\n## Goals\n\n| goal | wanted | found | |\n|---|---|---|---|\n",
            process::machine()
        );
        for goal in self.goals() {
            let mark = if goal.is_reached { "reached" } else { "**missed**" };
            put(
                &mut text,
                format_args!("| {} | {} | {} | {mark} |\n", goal.what, goal.wanted, goal.found),
            );
        }
        text.push_str(
            "\n## The server compared with a bare loop\n\nProcessor time for one key of 26 players and a \
             spectator, and for a loop that only sends 27 pictures of that size to the\nsame \
             sockets. Both are processes of their own and alternate in one run; of nine \
             rounds the one\nwith the median ratio is shown. The pictures are checked at the end.\n\n",
        );
        put_loads(&mut text, &self.strict);
        text.push_str(
            "\nThe open field is the worst case: one room of 250x255, where nearly \
             every step needs a new field of view over 62,744 spots.\n\nWith `--changed-only`:\n\n",
        );
        put_loads(&mut text, &self.changed_only);
        text.push_str(
            "\n## Growth\n\n![Cost of a key against map size, players, games and watchers](growth.svg)\n\n",
        );
        put_loads(&mut text, &self.by_size);
        text.push('\n');
        put_loads(&mut text, &self.by_players);
        text.push_str(&host_report::to_markdown(&self.host));
        text.push_str(
            "\n## Instructions\n\n| subject | one operation | instructions |\n|---|---|---:|\n",
        );
        for subject in &subjects::ALL {
            let count = self.counts.get(subject.name).copied().unwrap_or_default();
            put(&mut text, format_args!("| `{}` | {} | {count} |\n", subject.name, subject.what));
        }
        put(
            &mut text,
            format_args!(
                "\n## The engine alone\n\n| | |\n|---|---:|\n| keys applied in a second of one \
                 processor | {:.0} |\n| with the picture of the moving player drawn each time | {:.0} |\n| a \
                 cached field of view | {:.1} ns |\n| from start to announcement (median of 20) | {:.1} ms |\n",
                self.engine.keys_per_second,
                self.engine.with_view_per_second,
                self.engine.cached_view_ns,
                self.start_ms
            ),
        );
        text
    }

    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals = self.goals_of_server();
        goals.extend(host_report::goals(&self.host));
        goals
    }

    fn goals_of_server(&self) -> Vec<Goal> {
        let ratio = |(_, cost): &(Load, Cost)| cost.ratio();
        let worst = self.strict[..3].iter().map(ratio).fold(0.0, f64::max);
        vec![
            Goal::at_most(
                "server compared with the bare loop, worst of the three maps",
                1.15,
                worst,
                " x",
            ),
            Goal::at_most(
                "the same with `--changed-only` on the large map",
                0.5,
                ratio(&self.changed_only[1]),
                " x",
            ),
            Goal::at_least(
                "new field of view on the open field, compared with line by line",
                50.0,
                self.faster("open"),
                " x",
            ),
            Goal::at_least(
                "new field of view on the large map, compared with line by line",
                15.0,
                self.faster("large"),
                " x",
            ),
            Goal::at_most(
                "cached field of view on the 21x79 map",
                100.0,
                self.engine.cached_view_ns,
                " ns",
            ),
            Goal::at_least(
                "keys applied in a second of one processor",
                2.0,
                self.engine.keys_per_second / 1e6,
                " million",
            ),
            Goal::at_least(
                "with the picture of the moving player drawn each time",
                300.0,
                self.engine.with_view_per_second / 1e3,
                " thousand",
            ),
            Goal::at_most(
                "memory of a server with 26 players on the 21x79 map",
                10.0,
                self.peak_mb(),
                " MB",
            ),
            Goal::at_most("start to announcement", 30.0, self.start_ms, " ms"),
        ]
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn faster(&self, field: &str) -> f64 {
        let count = |kind: &str| {
            let name = format!("sight-{kind}-{field}");
            self.counts.get(&name).copied().unwrap_or_default() as f64
        };
        count("literal") / count("cold")
    }

    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    fn peak_mb(&self) -> f64 {
        self.strict[0].1.peak_kib as f64 / 1024.0
    }

    fn to_json(&self) -> Value {
        let goals: Vec<Value> = self
            .goals()
            .into_iter()
            .map(|goal| {
                json!({"goal": goal.what, "wanted": goal.wanted, "found": goal.found, "reached": goal.is_reached})
            })
            .collect();
        let loads = |loads: &[(Load, Cost)]| loads.iter().map(load_json).collect::<Vec<_>>();
        json!({
            "machine": process::machine(),
            "goals": goals,
            "strict": loads(&self.strict),
            "changed_only": loads(&self.changed_only),
            "by_players": loads(&self.by_players),
            "by_size": loads(&self.by_size),
            "host": host_report::to_json(&self.host),
            "instructions": self.counts,
            "engine": {
                "keys_per_second": self.engine.keys_per_second.round(),
                "keys_with_view_per_second": self.engine.with_view_per_second.round(),
                "warm_look_ns": self.engine.cached_view_ns,
                "start_ms": self.start_ms,
            },
        })
    }
}

fn load_json((load, cost): &(Load, Cost)) -> Value {
    json!({
        "map": load.field.name(),
        "players": load.players,
        "server_ns_per_key": cost.server_ns.round(),
        "bare_ns_per_round": cost.bare_ns.round(),
        "ratio": cost.ratio(),
        "datagrams_per_key": cost.datagrams,
        "peak_kib": cost.peak_kib,
    })
}

fn put_loads(text: &mut String, loads: &[(Load, Cost)]) {
    text.push_str(
        "| map | players | server µs | bare µs | ratio | datagrams | keys a second | memory |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (load, cost) in loads {
        put(
            text,
            format_args!(
                "| {} | {} | {:.1} | {:.1} | {:.3} | {:.1} | {:.0} | {} KiB |\n",
                load.field.name(),
                load.players,
                cost.server_ns / 1e3,
                cost.bare_ns / 1e3,
                cost.ratio(),
                cost.datagrams,
                1e9 / cost.server_ns,
                cost.peak_kib
            ),
        );
    }
}

pub(super) fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to memory can't fail");
}

fn folder() -> PathBuf {
    top().join("docs/bench")
}
