//! The section of the web host in the report.

use super::figures::{BenchGoal, Figures, figures_table, table};
use super::host::HostFigures;

/// A picture of the 21x79 map in the classic protocol: `DISPLAY`, a newline, and the rows with theirs.
const CLASSIC_BYTES: f64 = 8.0 + 21.0 * 80.0;

/// The figures with limits. The time from key to picture alone depends on the machine, so it has none.
pub(crate) fn goals(host: &HostFigures) -> Vec<BenchGoal> {
    let one_game = &host.by_games[0];
    let most_games = host.by_games.last().unwrap_or(one_game);
    let behind_ms = host.by_watchers[host.by_watchers.len() - 1].get("behind p99");
    [
        ("host compared with the bare web loop, a game of 26", 1.3, one_game.get("ratio"), " x"),
        ("the same, the most games", 1.5, most_games.get("ratio"), " x"),
        (
            "bytes for a key to a player of the host, compared with `DISPLAY` (median)",
            5.0,
            percent_of_classic(one_game),
            " %",
        ),
        (
            "p99 from key to picture with 10,000 watchers, compared with none",
            1.5,
            host.others.get("p99 ratio"),
            " x",
        ),
        ("how far 10,000 watchers are behind (p99)", 1000.0, behind_ms, " ms"),
        ("memory of an idle game", 200.0, host.others.get("game KB"), " KB"),
        ("memory of a watcher", 12.0, host.others.get("watcher KB"), " KB"),
    ]
    .map(|(what, limit, found, unit)| BenchGoal::at_most(what, limit, found, unit))
    .into()
}

fn percent_of_classic(cost: &Figures) -> f64 {
    100.0 * cost.get("bytes") / CLASSIC_BYTES
}

/// The section with its heading.
pub(crate) fn to_markdown(host: &HostFigures) -> String {
    let memory = [
        (
            "of each further game whose 26 players have walked and closed their pages",
            host.others.get("game KB"),
        ),
        ("of a watcher", host.others.get("watcher KB")),
        ("of a connection of the bare web loop", host.others.get("bare KB")),
    ];
    let memory = memory.map(|(what, kb)| vec![what.to_owned(), format!("{kb:.1} KB")]);
    let one_game = &host.by_games[0];
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
        put_costs(&host.by_games),
        one_game.get("bytes"),
        percent_of_classic(one_game),
        put_costs(&host.by_watchers),
        put_watchers(&host.by_watchers),
        table("resident memory | ", memory)
    )
}

const COSTS: &str = "watchers:0 | keys a second:0 | messages:1 | host µs:1 | bare µs:1 | ratio:3 | host p50:2 | \
                    p99=host p99:2 | bare p50:2 | p99=bare p99:2";
const BEHIND: &str = "behind p50:0 ms | p99=behind p99:0 ms | max=behind max:0 ms";

fn put_costs(costs: &[Figures]) -> String {
    figures_table("games", COSTS, costs.iter().map(|cost| (cost.get("games").to_string(), cost)))
}

fn put_watchers(costs: &[Figures]) -> String {
    let watched = costs.iter().filter(|cost| cost.get("watchers") > 0.0);
    let rows = watched.map(|cost| (cost.get("watchers").to_string(), cost));
    figures_table("watchers", BEHIND, rows)
}
