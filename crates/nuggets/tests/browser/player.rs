//! Somebody at the page of a game: what they see of it, what came over the wire, and how they walk.

use nuggets_sim::host::{Screen, ShownPicture};
use nuggets_testkit::{BrowserPage, wait_for};

/// The page of a game, as one person uses it.
pub(crate) struct Player<'b> {
    pub(crate) page: BrowserPage<'b>,
    screen: Screen,
}

impl<'b> Player<'b> {
    /// Opens a game and takes a seat in it.
    pub(crate) fn join(page: BrowserPage<'b>, url: &str) -> Self {
        page.open(url);
        page.click("button", "Play");
        let player = Self { page, screen: Screen::default() };
        player.wait_until_connected();
        player
    }

    /// Somebody who has a seat, or only watches.
    pub(crate) fn at(page: BrowserPage<'b>) -> Self {
        let player = Self { page, screen: Screen::default() };
        player.wait_until_connected();
        player
    }

    pub(crate) fn wait_until_connected(&self) {
        self.page.wait_until("document.getElementById('game').dataset.connection === 'open'");
    }

    /// What the wire has told so far. It keeps the rules of the protocol, also over a reload and a restart.
    pub(crate) fn screen(&mut self) -> &mut Screen {
        // An answer of the page brings along what came before it.
        self.page.eval("0");
        for message in self.page.take_messages() {
            self.screen.handle_text(&message).unwrap();
        }
        &mut self.screen
    }

    /// The picture, as lines.
    pub(crate) fn picture(&mut self) -> Vec<String> {
        self.screen().picture().rows.lines().map(str::to_owned).collect()
    }

    /// The spot of `@`: row and column.
    pub(crate) fn place(&mut self) -> Option<(usize, usize)> {
        let rows = self.picture();
        let mut places = rows.iter().enumerate().map(|(row, line)| (row, line.find('@')));
        places.find_map(|(row, col)| Some((row, col?)))
    }

    /// Waits until the picture on the wire is as expected.
    pub(crate) fn wait_for_picture(&mut self, what: &str, is_so: impl Fn(&[String]) -> bool) {
        wait_for(what, || is_so(&self.picture()).then_some(()));
    }

    /// Waits until this is the first picture that was shown since the last comparison with the journal.
    pub(crate) fn expect_next_picture(&mut self, expected: &ShownPicture) {
        let shown = wait_for("the next picture", || self.screen().shown.pictures.pop_front());
        assert_eq!(&shown, expected);
    }

    pub(crate) fn purse(&self) -> u32 {
        self.number("purse")
    }

    pub(crate) fn gold_left(&self) -> u32 {
        self.number("gold-left")
    }

    fn number(&self, id: &str) -> u32 {
        let text = format!("document.getElementById('{id}').textContent");
        wait_for(&text, || self.page.text(&text).trim().parse().ok())
    }

    /// True when the final table is shown.
    pub(crate) fn is_over(&self) -> bool {
        self.page.eval("!document.getElementById('over').hidden") == true
    }

    /// The final table: each row as text.
    pub(crate) fn table(&self) -> Vec<String> {
        let rows = "[...document.querySelectorAll('#over-rows tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())";
        let rows = self.page.eval(rows);
        rows.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
    }
}
