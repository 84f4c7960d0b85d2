//! A check that the colours of the palette are distinguishable in every kind of colour blindness.
//!
//! The distance of each pair of colours of xterm is measured (`color_blindness.rs`). We ask for 20: enough for single
//! characters on black.

mod color_blindness;

use ratatui::style::Color;

use color_blindness::{Matrix, VISIONS, linear};

use super::{ColorDepth, Palette};

const MIN_DISTANCE: f64 = 20.0;

fn xterm_rgb(color: Color) -> [u8; 3] {
    match color {
        Color::Yellow => [0xcd, 0xcd, 0x00],
        Color::Cyan => [0x00, 0xcd, 0xcd],
        Color::Gray => [0xe5, 0xe5, 0xe5],
        Color::LightRed => [0xff, 0x00, 0x00],
        Color::LightYellow => [0xff, 0xff, 0x00],
        Color::LightBlue => [0x5c, 0x5c, 0xff],
        Color::LightCyan => [0x00, 0xff, 0xff],
        Color::White => [0xff, 0xff, 0xff],
        Color::Indexed(index @ 16..=231) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level)
        }
        other => panic!("{other} is not in this table"),
    }
}

fn distance(vision: &Matrix, a: Color, b: Color) -> f64 {
    let [a, b] = [a, b].map(|color| xterm_rgb(color).map(linear));
    color_blindness::distance(vision, a, b)
}

#[test]
fn all_pairs_of_colours_are_distinguishable_in_every_colour_blindness() {
    for (depth, symbols) in
        [(ColorDepth::Sixteen, &b"*@A+#"[..]), (ColorDepth::Many, b"*@+#ABCDEFG")]
    {
        check_pairs(&Palette::colored().with(depth), symbols);
    }
}

fn check_pairs(palette: &Palette, symbols: &[u8]) {
    let colored = symbols.iter().map(|&symbol| {
        let color = palette.style_of(symbol).fg;
        (char::from(symbol), color.expect("each of these is coloured"))
    });
    let things: Vec<(char, Color)> = colored.collect();
    for (name, vision) in &VISIONS {
        for (i, (this, a)) in things.iter().enumerate() {
            for (that, b) in &things[..i] {
                let apart = distance(vision, *a, *b);
                assert!(apart >= MIN_DISTANCE, "{this} and {that}, {name}: only {apart:.1}");
            }
        }
    }
}

#[test]
fn the_measure_detects_colours_that_are_too_similar() {
    let (_, protanopia) = &VISIONS[1];
    assert!(distance(protanopia, Color::LightCyan, Color::White) < MIN_DISTANCE);
    let (_, tritanopia) = &VISIONS[3];
    assert!(distance(tritanopia, Color::LightYellow, Color::Gray) < MIN_DISTANCE);
    let (_, everyone) = &VISIONS[0];
    assert!((distance(everyone, Color::White, Color::White)).abs() < 1e-9);
}
