//! The messages to a client of the specification, to be found in the journal of its game.

use nuggets_sim::host::{Shown, ShownGold, ShownPicture};

/// The pictures and gold of one client, and how far it has come.
pub(crate) struct ShownToClient {
    pub(crate) shown: Shown,
    pub(crate) has_picture: bool,
    pub(crate) has_end: bool,
}

impl ShownToClient {
    pub(crate) fn new() -> Self {
        let mut shown = Shown::default();
        shown.is_classic = true;
        Self { shown, has_picture: false, has_end: false }
    }

    pub(crate) fn add(&mut self, message: &str) {
        if let Some(letter) = message.strip_prefix("OK ") {
            let letter = letter.chars().next();
            assert!(self.shown.view.is_none() || self.shown.view == letter, "another letter");
            self.shown.view = letter;
        } else if let Some(rows) = message.strip_prefix("DISPLAY\n") {
            let rows = rows.trim_end_matches('\n').to_owned();
            self.shown.pictures.push_back(ShownPicture { rows, in_sight: vec![] });
            self.has_picture = true;
        } else if let Some(numbers) = message.strip_prefix("GOLD ") {
            let numbers: Vec<u32> = numbers.split(' ').map(|it| it.parse().unwrap()).collect();
            self.shown.gold.push_back(ShownGold { purse: numbers[1], left: numbers[2] });
        }
        self.has_end |= message.starts_with("QUIT");
    }
}
