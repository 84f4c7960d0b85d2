//! The end of a run: no more faults, and every client must have the current state.

use super::HostRun;

impl HostRun {
    /// Ends all faults: every client comes back, is sent everything, and must have the current state.
    pub(super) fn settle(&mut self) -> Result<(), String> {
        self.log.note("settling");
        while !self.stale.is_empty() {
            self.deliver_stale()?;
        }
        for number in 0..self.clients.len() {
            if self.clients[number].link.is_none() {
                self.connect(number);
            }
            while self.clients[number].link.as_ref().is_some_and(|link| !link.up.is_empty()) {
                self.deliver_up(number)?;
            }
        }
        self.settle_classics()?;
        for number in 0..self.clients.len() {
            self.read_everything(number)?;
            self.check_screen(number)?;
        }
        self.server.check_lobby(self.log.now)
    }

    fn read_everything(&mut self, number: usize) -> Result<(), String> {
        loop {
            while self.has_message(number) {
                self.deliver_down(number)?;
            }
            let now = self.log.now;
            let Some(link) = &mut self.clients[number].link else { return Ok(()) };
            link.read(now);
            if link.down.is_empty() {
                return Ok(());
            }
        }
    }

    fn check_screen(&mut self, number: usize) -> Result<(), String> {
        let client = &self.clients[number];
        let Some(source) = client.link.as_ref().and_then(|link| link.source.as_ref()) else {
            return Ok(());
        };
        let view = client.screen.shown.view;
        let game = &self.server.games[&client.game];
        let current = game.truth.current(view).cloned().unwrap_or_default();
        let has_left = view.is_some_and(|letter| game.has_left(letter));
        if source.delay_ms > 0 || has_left || client.screen.picture() == current {
            self.log.count("settled", 1);
            return Ok(());
        }
        let shown = client.screen.picture();
        Err(format!("client {number} shows\n{shown}\nbut this is so:\n{current}"))
    }
}
