//! The shell: joins a terminal and a clock to a [`ReplayApp`].

use std::time::Duration;

use nuggets_time::Clock;
use nuggets_tui::{FullScreen, Palette, Wakeup};

use crate::{ReplayApp, screen};

/// Shows a replay in the terminal until its viewer leaves or the terminal is gone.
pub fn run(mut app: ReplayApp, palette: &Palette) -> anyhow::Result<()> {
    let mut terminal = FullScreen::open_all(true)?;
    let clock = Clock::start();
    while !app.is_closed() {
        app.handle_timeout(clock.now());
        let drawn = terminal.draw(|area, cells| {
            app.handle_resize(area.as_size());
            screen::draw(&app, palette, area, cells);
        });
        if drawn.is_err() {
            // The terminal is gone.
            return Ok(());
        }
        let until = app.poll_timeout();
        let timeout = until.map(|then| Duration::from_millis(then.since(clock.now())));
        match terminal.wait(timeout)? {
            Wakeup::Key(key) => app.handle_key(clock.now(), key),
            Wakeup::Drag(from, to) => app.handle_drag(from, to),
            Wakeup::Click(_) | Wakeup::Draw => {}
            Wakeup::Continued => app.handle_continued(clock.now()),
            Wakeup::Hangup => return Ok(()),
        }
    }
    Ok(())
}
