//! The shell: joins a terminal and its clock to a [`Show`].

use nuggets_client::{Cue, Palette, Stage};

use crate::{Show, screen};

/// Plays a show in the terminal until its viewer has seen enough.
pub fn run(mut show: Show, palette: &Palette) -> anyhow::Result<()> {
    let mut stage = Stage::open()?;
    while !show.is_over() {
        show.handle_timeout(stage.now());
        if stage.draw(|area, cells| screen::draw(&show, palette, area, cells)).is_err() {
            // Nobody is left to see it.
            return Ok(());
        }
        match stage.wait(show.poll_timeout())? {
            Cue::Key(key) => show.handle_key(stage.now(), key),
            Cue::Draw => {}
            Cue::Back => show.handle_absence(stage.now()),
            Cue::HungUp => return Ok(()),
        }
    }
    Ok(())
}
