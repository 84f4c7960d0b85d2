//! The measurements as Markdown: goals, tables and what they mean.

use anyhow::Context;

use super::counts::Counts;
use super::figures::{BenchGoal, Figures, figures_table, table};
use super::host::HostFigures;
use super::load::Load;
use super::{host_report, plot, process, subjects};
use crate::top;

/// Everything that was measured in one run.
pub(crate) struct Report {
    pub(crate) counts: Counts,
    /// Keys a second without and with a picture, and nanoseconds of a cached field of view.
    pub(crate) engine: [f64; 3],
    pub(crate) start_ms: f64,
    pub(crate) strict: Vec<(Load, Figures)>,
    pub(crate) changed_only: Vec<(Load, Figures)>,
    pub(crate) by_players: Vec<(Load, Figures)>,
    pub(crate) by_size: Vec<(Load, Figures)>,
    pub(crate) host: HostFigures,
}

impl Report {
    /// Writes the report and the plot to the documentation.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let folder = top().join("docs/bench");
        std::fs::create_dir_all(&folder).context("can't make a folder for the report")?;
        std::fs::write(folder.join("report.md"), self.to_markdown())?;
        plot::draw(&folder.join("growth.svg"), self)
    }

    pub(crate) fn to_markdown(&self) -> String {
        let goal = |goal: BenchGoal| {
            let mark = if goal.is_reached { "reached" } else { "**missed**" };
            vec![goal.what.to_owned(), goal.wanted, goal.found, mark.to_owned()]
        };
        let goals = table("goal | wanted | found | ", self.goals().into_iter().map(goal));
        let [strict, changed_only, by_size, by_players] =
            [&self.strict, &self.changed_only, &self.by_size, &self.by_players]
                .map(|loads| put_loads(loads));
        let count = |subject: &subjects::BenchSubject| {
            let count = self.counts.get(subject.name).copied().unwrap_or_default();
            vec![format!("`{}`", subject.name), subject.what.to_owned(), count.to_string()]
        };
        let instructions =
            table("subject | one operation | instructions", subjects::ALL.iter().map(count));
        let [keys_per_second, with_view_per_second, cached_view_ns] = self.engine;
        let engine = [
            ("keys applied in a second of one processor", format!("{keys_per_second:.0}")),
            (
                "with the picture of the moving player drawn each time",
                format!("{with_view_per_second:.0}"),
            ),
            ("a cached field of view", format!("{cached_view_ns:.1} ns")),
            ("from start to announcement (median of 20)", format!("{:.1} ms", self.start_ms)),
        ];
        let engine = table(" | ", engine.map(|(what, figure)| vec![what.to_owned(), figure]));
        let (machine, host) = (process::machine(), host_report::to_markdown(&self.host));
        format!(
            "# Benchmarks\n\nWritten by `cargo xtask bench` on {machine}. Run it again to update it: the ratios and the \
             instruction\ncounts should be similar on another machine, the nanoseconds will not.\n\n## Goals\n\n{goals}\n\
             ## The server compared with a bare loop\n\nProcessor time for one key of 26 players and a spectator, and for \
             a loop that only sends 27 pictures of that size to the\nsame sockets. Both are processes of their own and \
             alternate in one run; of nine rounds the one\nwith the median ratio is shown. The pictures are checked at the \
             end.\n\n{strict}\nThe open field is one room of 250x255: a step shows all of its 62,744 spots.\n\nWith `--changed-only`:\n\n{changed_only}\n## Growth\n\n\
             ![Cost of a key against map size, players, games and watchers](growth.svg)\n\n{by_size}\n{by_players}{host}\n\
             ## Instructions\n\n{instructions}\n## The engine alone\n\n{engine}"
        )
    }

    pub(crate) fn goals(&self) -> Vec<BenchGoal> {
        let ratio = |(_, cost): &(Load, Figures)| cost.get("ratio");
        let worst = self.strict[..3].iter().map(ratio).fold(0.0, f64::max);
        let changed = ratio(&self.changed_only[1]);
        let peak_mb = self.strict[0].1.get("memory KiB") / 1024.0;
        let [keys_per_second, with_view_per_second, cached_view_ns] = self.engine;
        let [open, large] = ["open", "large"].map(|field| self.faster(field));
        let at_most = [
            ("server compared with the bare loop, worst of the three maps", 1.15, worst, " x"),
            ("the same with `--changed-only` on the large map", 0.5, changed, " x"),
            ("cached field of view on the 21x79 map", 100.0, cached_view_ns, " ns"),
            ("memory of a server with 26 players on the 21x79 map", 10.0, peak_mb, " MB"),
            ("start to announcement", 30.0, self.start_ms, " ms"),
        ];
        let at_least = [
            ("new field of view on the open field, compared with line by line", 50.0, open, " x"),
            ("new field of view on the large map, compared with line by line", 15.0, large, " x"),
            ("keys applied in a second of one processor", 2.0, keys_per_second / 1e6, " million"),
            (
                "with the picture of the moving player drawn each time",
                300.0,
                with_view_per_second / 1e3,
                " thousand",
            ),
        ];
        let at_most =
            at_most.map(|(what, limit, found, unit)| BenchGoal::at_most(what, limit, found, unit));
        let at_least = at_least
            .map(|(what, limit, found, unit)| BenchGoal::at_least(what, limit, found, unit));
        at_most.into_iter().chain(at_least).chain(host_report::goals(&self.host)).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn faster(&self, field: &str) -> f64 {
        let count = |kind: &str| {
            let name = format!("sight-{kind}-{field}");
            self.counts.get(&name).copied().unwrap_or_default() as f64
        };
        count("literal") / count("cold")
    }
}

const LOADS: &str = "players:0 | server µs:1 | bare µs:1 | ratio:3 | datagrams:1 | keys a second:0 | \
                    memory=memory KiB:0 KiB";

fn put_loads(loads: &[(Load, Figures)]) -> String {
    figures_table("map", LOADS, loads.iter().map(|(load, cost)| (load.field.name(), cost)))
}
