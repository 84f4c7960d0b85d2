//! The measurements as Markdown: goals, tables and what they mean.

use super::counts::CountedSubject;
use super::figures::{BenchGoal, FigureRows, Figures, figures_table, goals, table};
use super::host::CLASSIC_BYTES;
use super::host::HostFigures;
use super::process;

const LOADS: &str = "players:0 | server µs:1 | bare µs:1 | ratio:3 | datagrams:1 | keys a second:0 | \
                    memory=memory KiB:0 KiB";
const COSTS: &str = "watchers:0 | keys a second:0 | messages:1 | host µs:1 | bare µs:1 | ratio:3 | host p50:2 | \
                    p99=host p99:2 | bare p50:2 | p99=bare p99:2";
const BEHIND: &str = "watchers:0 | behind p50:0 ms | p99=behind p99:0 ms | max=behind max:0 ms";

const GOALS: &str = "\
worst: at most 1.15 x: server compared with the bare loop, worst of the three maps
changed: at most 0.5 x: the same with `--changed-only` on the large map
memory: at most 10 MB: memory of a server with 26 players on the 21x79 map
start: at most 30 ms: start to announcement
open: at least 50 x: new field of view on the open field, compared with line by line
large: at least 15 x: new field of view on the large map, compared with line by line";
/// The time from key to picture alone depends on the machine, so it has no limit.
const HOST_GOALS: &str = "\
one game: at most 1.3 x: host compared with the bare web loop, a game of 26
most games: at most 1.5 x: the same, the most games
bytes: at most 5 %: bytes for a key to a player of the host, compared with `DISPLAY` (median)
p99 ratio: at most 1.5 x: p99 from key to picture with 10,000 watchers, compared with none
behind: at most 1000 ms: how far 10,000 watchers are behind (p99)
game KB: at most 200 KB: memory of an idle game
watcher KB: at most 12 KB: memory of a watcher";

/// Everything that was measured in one run.
pub(crate) struct Report {
    pub(crate) counts: Vec<CountedSubject>,
    /// From start to announcement.
    pub(crate) start_ms: f64,
    /// The costs of loads, with their maps.
    pub(crate) strict: FigureRows,
    pub(crate) changed_only: FigureRows,
    pub(crate) by_players: FigureRows,
    pub(crate) host: HostFigures,
}

impl Report {
    pub(crate) fn to_markdown(&self) -> String {
        let goal = |goal: BenchGoal| {
            let mark = if goal.is_reached { "reached" } else { "**missed**" };
            vec![goal.what, goal.wanted, goal.found, mark.to_owned()]
        };
        let goals = table("goal | wanted | found | ", self.goals().into_iter().map(goal));
        let [strict, changed_only, by_players] =
            [&self.strict, &self.changed_only, &self.by_players]
                .map(|loads| figures_table("map", LOADS, loads));
        let count = |it: &CountedSubject| {
            vec![format!("`{}`", it.name), it.what.clone(), it.instructions.to_string()]
        };
        let instructions =
            table("subject | one operation | instructions", self.counts.iter().map(count));
        let (machine, host) = (process::machine(), host_section(&self.host));
        format!(
            "# Benchmarks\n\nWritten by `cargo xtask bench` on {machine}. Run it again to update it: the ratios and the \
             instruction\ncounts should be similar on another machine, the nanoseconds will not.\n\n## Goals\n\n{goals}\n\
             ## The server compared with a bare loop\n\nProcessor time for one key of 26 players and a spectator, and for \
             a loop that only sends 27 pictures of that size to the\nsame sockets. Both are processes of their own and \
             alternate in one run; of nine rounds the one\nwith the median ratio is shown. The pictures are checked at the \
             end.\n\n{strict}\nThe open field is one room of 250x255: a step shows all of its 62,744 spots.\n\nWith `--changed-only`:\n\n{changed_only}\n## Growth\n\n\
             {by_players}{host}\n\
             ## Instructions\n\n{instructions}"
        )
    }

    pub(crate) fn goals(&self) -> Vec<BenchGoal> {
        let ratio = |(_, cost): &(String, Figures)| cost.get("ratio");
        let figures = Figures::new([
            ("worst", self.strict[..3].iter().map(ratio).fold(0.0, f64::max)),
            ("changed", ratio(&self.changed_only[1])),
            ("memory", self.strict[0].1.get("memory KiB") / 1024.0),
            ("start", self.start_ms),
            ("open", self.faster("open")),
            ("large", self.faster("large")),
        ]);
        goals(GOALS, &figures).into_iter().chain(host_goals(&self.host)).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn faster(&self, field: &str) -> f64 {
        let count = |kind: &str| {
            let name = format!("sight-{kind}-{field}");
            let found = self.counts.iter().find(|subject| subject.name == name);
            found.map_or(0.0, |subject| subject.instructions as f64)
        };
        count("literal") / count("cold")
    }
}

/// The figures of the web host with limits.
pub(crate) fn host_goals(host: &HostFigures) -> Vec<BenchGoal> {
    let last = |rows: &FigureRows, name| rows.last().map_or(0.0, |(_, cost)| cost.get(name));
    let figures = host.others.clone().with([
        ("one game", host.by_games[0].1.get("ratio")),
        ("most games", last(&host.by_games, "ratio")),
        ("bytes", host.by_games[0].1.get("of classic %")),
        ("behind", last(&host.by_watchers, "behind p99")),
    ]);
    goals(HOST_GOALS, &figures)
}

/// The section of the web host with its heading.
pub(crate) fn host_section(host: &HostFigures) -> String {
    let memory = [
        ("of each further game whose 26 players have walked and closed their pages", "game KB"),
        ("of a watcher", "watcher KB"),
        ("of a connection of the bare web loop", "bare KB"),
    ];
    let memory = memory
        .map(|(what, name)| vec![what.to_owned(), format!("{:.1} KB", host.others.get(name))]);
    let one_game = &host.by_games[0].1;
    format!(
        "\n## The web host compared with a bare web loop\n\n\
         `nuggets serve` with games of 26 players on the 21x79 map who walk at random, and a loop on the same WebSocket stack \
         (axum\non tokio, `xtask/src/bin/bare_web_loop.rs`) that reads as many messages and sends the same bytes to \
         as many connections\nat the same times, but has no game, no journal and no limits. Both are processes of their own \
         and take turns; each figure is the\nmedian of all rounds. Times are processor time of all threads for each key, *p50* \
         and *p99* are milliseconds from a key to the picture\nthat shows it, measured by a load generator on the same \
         machine. *messages* are those to players for each key.\n\n{}\n\
         A player who is sent anything for a key is sent {:.0} bytes (median): {:.1} % of the {CLASSIC_BYTES:.0} \
         bytes of a classic `DISPLAY`.\n\n\
         With watchers of the whole map of one game. *behind* is the age of the oldest key in a message to a watcher; \
         the host serves\nwatchers in rounds of 0.1 to 0.5 seconds, the longer the more of them there are, by a thread of lower \
         priority. The time of a key\nincludes what watchers are sent. The load generator receives for watchers only when \
         a processor is idle: they would\nbe at other machines.\n\n{}\n{}\n{}",
        figures_table("games", COSTS, &host.by_games),
        one_game.get("bytes"),
        one_game.get("of classic %"),
        figures_table("games", COSTS, &host.by_watchers),
        figures_table("games", BEHIND, &host.by_watchers[1..]),
        table("resident memory | ", memory)
    )
}
