//! Figures by their names: differences, medians of rounds, goals, and rows of tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The figures of one round or of the median of several. A name has its unit at the end, unless that is plain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, f64>);

/// Figures with the label of their row, such as a map or a number of games.
pub(crate) type FigureRows = Vec<(String, Figures)>;

/// A column of a table: its head, its figure, and the decimals and the unit to show.
type Column<'a> = (&'a str, &'a str, usize, &'a str);

/// Reads columns, such as `ratio:3 | p99=host p99:2 ms`: a head, a figure if that has another name, decimals and unit.
fn columns(text: &str) -> Vec<Column<'_>> {
    let column = |column| {
        let (name, shown): (&str, &str) = str::rsplit_once(column, ':')?;
        let (decimals, unit) = shown.split_at_checked(1)?;
        let (head, figure) = name.split_once('=').unwrap_or((name, name));
        Some((head, figure, decimals.parse().ok()?, unit))
    };
    text.split(" | ").map(|text| column(text).expect("a column is well formed")).collect()
}

impl Figures {
    pub(crate) fn new<const N: usize>(figures: [(&str, f64); N]) -> Self {
        Self(figures.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect())
    }

    /// Adds more figures.
    pub(crate) fn with<const N: usize>(mut self, more: [(&str, f64); N]) -> Self {
        self.0.extend(Self::new(more).0);
        self
    }

    /// Adds `name p50`, `name p99` and `name max` of these times, in milliseconds.
    pub(crate) fn with_times(self, name: &str, times: &[Duration]) -> Self {
        let names = [(" p50", 50), (" p99", 99), (" max", 100)];
        let times =
            names.map(|(end, percent)| (format!("{name}{end}"), percentile(times, percent)));
        Self(self.0.into_iter().chain(times).collect())
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("there is no figure '{name}' in {self:?}"))
    }

    /// The difference from an earlier measurement.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let used = |(name, figure): (&String, &f64)| (name.clone(), figure - before.get(name));
        Self(self.0.iter().map(used).collect())
    }

    /// The median of each figure.
    pub(crate) fn medians(rounds: &[Self]) -> Self {
        let names = rounds.first().into_iter().flat_map(|round| round.0.keys());
        let of = |name: &String| median(rounds.iter().map(|round| round.get(name)).collect());
        Self(names.map(|name| (name.clone(), of(name))).collect())
    }
}

/// The median; 0 if there is nothing.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(0.0)
}

/// A percentile of these times, in milliseconds; 0 if there are none.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((times.len() * percent / 100).min(last)).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Figures as a Markdown table with these columns, each row after its label.
pub(crate) fn figures_table(label: &str, shown: &str, rows: &[(String, Figures)]) -> String {
    let columns = columns(shown);
    let heads = columns.iter().map(|(head, ..)| *head);
    let head = [label].into_iter().chain(heads).collect::<Vec<_>>().join(" | ");
    let row = |(label, figures): &(String, Figures)| {
        let cell = |(_, name, decimals, unit): &Column<'_>| {
            format!("{:.decimals$}{unit}", figures.get(name))
        };
        [label.clone()].into_iter().chain(columns.iter().map(cell)).collect()
    };
    table(&head, rows.iter().map(row))
}

/// A Markdown table with these heads. Figures stand on the right; a cell may hold several, separated by `|`.
pub(crate) fn table(head: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let columns = head.matches('|').count();
    let mut text = format!("| {head} |\n|---|{}\n", "---:|".repeat(columns));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).expect("writing to memory can't fail");
    }
    text
}

/// A figure with its limit, as people read it.
pub(crate) struct BenchGoal {
    pub(crate) what: String,
    pub(crate) wanted: String,
    pub(crate) found: String,
    pub(crate) is_reached: bool,
}

/// Compares figures with their limits: lines such as `ratio: at most 1.15 x: host compared with a loop`.
pub(crate) fn goals(lines: &str, figures: &Figures) -> Vec<BenchGoal> {
    let goal = |line: &str| {
        let (name, rest) = line.split_once(": ")?;
        let (wanted, what) = rest.split_once(": ")?;
        let (limit, is_upper) = match wanted.strip_prefix("at most ") {
            Some(limit) => (limit, true),
            None => (wanted.strip_prefix("at least ")?, false),
        };
        let (limit, unit) = limit.split_once(' ').unwrap_or((limit, ""));
        let (limit, found): (f64, f64) = (limit.parse().ok()?, figures.get(name));
        let is_reached = if is_upper { found <= limit } else { found >= limit };
        let found = format!("{found:.2} {unit}").trim_end().to_owned();
        Some(BenchGoal { what: what.to_owned(), wanted: wanted.to_owned(), found, is_reached })
    };
    lines.lines().map(|line| goal(line).expect("a goal is well formed")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_times_and_the_median_is_in_the_middle() {
        let times: Vec<Duration> = (1..=1000).rev().map(Duration::from_millis).collect();
        let figures = Figures::default().with_times("key", &times).with_times("none", &[]);
        let names = ["key p50", "key p99", "key max", "none p50", "none max"];
        let found = names.map(|name| figures.get(name));
        assert_eq!(format!("{found:?}"), "[501.0, 991.0, 1000.0, 0.0, 0.0]");
        assert_eq!(format!("{} {}", median(vec![3.0, 1.0, 2.0]), median(Vec::new())), "2 0");
    }

    #[test]
    fn medians_and_differences_are_those_of_each_figure() {
        let rounds = [(1.0, 9.0), (2.0, 7.0), (3.0, 8.0)]
            .map(|(a, b)| Figures::new([("a", a), ("b µs", b)]));
        let medians = Figures::medians(&rounds);
        let rows = [("x".to_owned(), medians.clone())];
        let table = figures_table("label", "first: A=a:1 | b µs:0 µs", &rows);
        assert_eq!(table, "| label | first: A | b µs |\n|---|---:|---:|\n| x | 2.0 | 8 µs |\n");
        let goals = goals("a: at most 1.5 x: A\na: at least 2: a\nb µs: at most 7 µs: B", &medians);
        let goals = goals.iter().map(|it| format!("{} {} {}", it.what, it.found, it.is_reached));
        assert_eq!(goals.collect::<Vec<_>>(), ["A 2.00 x false", "a 2.00 true", "B 8.00 µs false"]);
        let used = rounds[2].since(&rounds[1]);
        assert_eq!(format!("{} {}", used.get("a"), used.get("b µs")), "1 1");
    }
}
