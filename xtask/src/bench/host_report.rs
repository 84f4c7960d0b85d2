//! The section of the web host in the report.

use serde_json::{Value, json};

use super::host::{HostCost, HostFigures, Percentiles};
use super::report::{Goal, put};

/// A picture of the 21x79 map in the classic protocol: `DISPLAY`, a newline, and the rows with theirs.
const CLASSIC_BYTES: f64 = 8.0 + 21.0 * 80.0;

/// What was to be reached. The time from key to picture alone depends on the machine, so it has no limit.
pub(crate) fn goals(host: &HostFigures) -> Vec<Goal> {
    let one_game = &host.by_games[0];
    let watched = &host.watched;
    let most_watchers = &watched.by_watchers[watched.by_watchers.len() - 1];
    vec![
        Goal::at_most(
            "host compared with the bare web loop, a game of 26",
            1.5,
            one_game.ratio,
            " x",
        ),
        Goal::at_most(
            "bytes for a key to a player of the host, compared with `DISPLAY` (median)",
            5.0,
            percent_of_classic(one_game),
            " %",
        ),
        Goal::at_most(
            "p99 from key to picture with 10,000 watchers, compared with none",
            1.5,
            watched.p99_ratio,
            " x",
        ),
        Goal::at_most(
            "how far 10,000 watchers are behind (p99)",
            1000.0,
            most_watchers.behind_ms.p99,
            " ms",
        ),
        Goal::at_most("memory of an idle game", 200.0, host.game_kb, " KB"),
        Goal::at_most("memory of a watcher", 20.0, watched.watcher_kb, " KB"),
    ]
}

fn percent_of_classic(cost: &HostCost) -> f64 {
    100.0 * cost.bytes / CLASSIC_BYTES
}

/// The section with its heading.
pub(crate) fn to_markdown(host: &HostFigures) -> String {
    let watched = &host.watched;
    let mut text = String::from(
        "\n## The web host compared with a bare web loop\n\n\
         `nuggets serve` with games of 26 players on the 21x79 map who walk at random, and a loop on the same WebSocket stack \
         (axum\non tokio, `xtask/src/bin/bare_web_loop.rs`) that reads as many messages and sends the same bytes to \
         as many connections\nat the same times, but has no game, no journal and no limits. Both are processes of their own \
         and take turns; each figure is the\nmedian of all rounds. Times are processor time of all threads for each key, *p50* \
         and *p99* are milliseconds from a key to the picture\nthat shows it, measured by a load generator on the same \
         machine. *messages* are those to players for each key.\n\n",
    );
    put_costs(&mut text, &host.by_games);
    put(
        &mut text,
        format_args!(
            "\nA player who is sent anything for a key is sent {:.0} bytes (median): {:.1} % of the {CLASSIC_BYTES:.0} \
             bytes of a classic `DISPLAY`.\n\n\
             With watchers of the whole map of one game. *behind* is the age of the oldest key in a message to a watcher; \
             the host serves\nwatchers in rounds of 0.1 to 0.5 seconds, the longer the more of them there are, by a thread of lower \
             priority. The time of a key\nincludes what watchers are sent. The load generator receives for watchers only when \
             a processor is idle: they would\nbe at other machines.\n\n",
            host.by_games[0].bytes,
            percent_of_classic(&host.by_games[0]),
        ),
    );
    put_costs(&mut text, &watched.by_watchers);
    put_watchers(&mut text, &watched.by_watchers);
    put(
        &mut text,
        format_args!(
            "\n| resident memory | |\n|---|---:|\n\
             | of each further game whose 26 players have walked and closed their pages | {:.1} KB |\n\
             | of a watcher | {:.1} KB |\n\
             | of a connection of the bare web loop | {:.1} KB |\n",
            host.game_kb, watched.watcher_kb, watched.bare_kb
        ),
    );
    text
}

fn put_costs(text: &mut String, costs: &[HostCost]) {
    text.push_str(
        "| games | watchers | keys a second | messages | host µs | bare µs | ratio | host p50 | p99 | bare p50 | p99 |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for cost in costs {
        let (host, bare) = (cost.host_ms, cost.bare_ms);
        put(
            text,
            format_args!(
                "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.3} | {:.2} | {:.2} | {:.2} | {:.2} |\n",
                cost.size.games,
                cost.size.watchers,
                cost.keys_per_s,
                cost.messages,
                cost.host_us,
                cost.bare_us,
                cost.ratio,
                host.p50,
                host.p99,
                bare.p50,
                bare.p99
            ),
        );
    }
}

fn put_watchers(text: &mut String, costs: &[HostCost]) {
    text.push_str("\n| watchers | behind p50 | p99 | max |\n|---:|---:|---:|---:|\n");
    for cost in costs.iter().filter(|cost| cost.size.watchers > 0) {
        let Percentiles { p50, p99, max } = cost.behind_ms;
        let count = cost.size.watchers;
        put(text, format_args!("| {count} | {p50:.0} ms | {p99:.0} ms | {max:.0} ms |\n"));
    }
}

/// All figures.
pub(crate) fn to_json(host: &HostFigures) -> Value {
    let costs = |costs: &[HostCost]| costs.iter().map(cost_json).collect::<Vec<_>>();
    json!({
        "by_games": costs(&host.by_games),
        "by_watchers": costs(&host.watched.by_watchers),
        "watched_p99_ratio": host.watched.p99_ratio,
        "idle_game_kb": host.game_kb,
        "watcher_kb": host.watched.watcher_kb,
        "bare_connection_kb": host.watched.bare_kb,
    })
}

fn cost_json(cost: &HostCost) -> Value {
    let times = |ms: Percentiles| json!({"p50": ms.p50, "p99": ms.p99, "max": ms.max});
    json!({
        "games": cost.size.games,
        "watchers": cost.size.watchers,
        "keys_per_second": cost.keys_per_s,
        "host_us_per_key": cost.host_us,
        "bare_us_per_key": cost.bare_us,
        "ratio": cost.ratio,
        "host_ms": times(cost.host_ms),
        "bare_ms": times(cost.bare_ms),
        "messages_per_key": cost.messages,
        "median_bytes": cost.bytes,
        "behind_ms": times(cost.behind_ms),
    })
}
