//! `cargo xtask picture`: the README's picture of the real screen.

use std::path::PathBuf;

use anyhow::Context;
use nuggets_client::{Palette, screen};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::{stage, svg, top};

/// A line for the status and one for each row of the map.
const SCREEN: Rect = Rect::new(0, 0, 79, 22);

/// Draws the picture and writes it where the README shows it from.
pub(crate) fn write() -> anyhow::Result<()> {
    let file = file();
    std::fs::write(&file, draw()).with_context(|| format!("can't write {}", file.display()))
}

fn file() -> PathBuf {
    top().join("docs/screen.svg")
}

fn draw() -> String {
    let mut buffer = Buffer::empty(SCREEN);
    screen::draw(&stage::scene(), &Palette::colored(), SCREEN, &mut buffer);
    svg::render(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_in_the_readme_is_the_screen_of_today() {
        let shown = std::fs::read_to_string(file()).expect("`cargo xtask picture` draws it");
        assert!(shown == draw(), "the screen has changed: run `cargo xtask picture` and look");
    }
}
