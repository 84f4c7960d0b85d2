//! A check that the colours of the palette are distinguishable in every kind of colour blindness.
//!
//! The colours of xterm, as light, go through the model of Machado, Oliveira and Fernandes (2009)
//! at full severity. Then the distance of each pair is measured in CIE 1976 Lab, where 2.3 is the
//! least difference that people notice. We ask for 20: enough for single characters on black.

use ratatui::style::Color;

use super::{ColorDepth, Palette};

const MIN_DISTANCE: f64 = 20.0;

type Triple = [f64; 3];
type Matrix = [Triple; 3];

const VISIONS: [(&str, Matrix); 4] = [
    ("no blindness", [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// From linear light to CIE XYZ, relative to the white of sRGB.
const TO_XYZ: Matrix = [
    [0.433_953, 0.376_219, 0.189_828],
    [0.212_673, 0.715_152, 0.072_175],
    [0.017_758, 0.109_477, 0.872_765],
];

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

fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn times(matrix: &Matrix, v: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

fn seen_as(vision: &Matrix, color: Color) -> Triple {
    times(vision, xterm_rgb(color).map(linear)).map(|c| c.clamp(0.0, 1.0))
}

fn lab(light: Triple) -> Triple {
    let [x, y, z] = times(&TO_XYZ, light)
        .map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(vision: &Matrix, a: Color, b: Color) -> f64 {
    let a = lab(seen_as(vision, a));
    let b = lab(seen_as(vision, b));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
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
