//! The figures of a run, and their sums over many runs.

/// Numbers by name, in a fixed order. Sums are made of all but those that begin with `longest`, of which the largest counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures(Vec<(&'static str, u64)>);

impl Figures {
    /// All figures are 0.
    pub(super) fn new(names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, 0)).collect())
    }

    /// The figure of this name. Panics if there is none.
    pub fn get(&self, name: &str) -> u64 {
        self.iter().find(|(known, _)| *known == name).unwrap_or_else(|| unknown(name)).1
    }

    /// Adds to a figure. Panics if there is none of this name.
    pub fn add(&mut self, name: &str, number: u64) {
        let found = self.0.iter_mut().find(|(known, _)| *known == name);
        let (name, value) = found.unwrap_or_else(|| unknown(name));
        *value = if name.starts_with("longest") { number.max(*value) } else { number + *value };
    }

    /// Adds the figures of another run of the same simulation.
    pub(super) fn add_all(&mut self, others: &Self) {
        others.iter().for_each(|(name, number)| self.add(name, number));
    }

    /// All names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().copied()
    }
}

fn unknown(name: &str) -> ! {
    panic!("no figure is called {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_add_up_except_the_longest() {
        let mut total = Figures::new(&["games", "longest_ms"]);
        for number in [3, 2] {
            let mut run = Figures::new(&["games", "longest_ms"]);
            run.add("games", number);
            run.add("longest_ms", number);
            total.add_all(&run);
        }
        assert_eq!((total.get("games"), total.get("longest_ms")), (5, 3));
    }

    #[test]
    #[should_panic(expected = "no figure is called gamse")]
    fn a_misspelled_figure_is_noticed() {
        Figures::new(&["games"]).add("gamse", 1);
    }
}
