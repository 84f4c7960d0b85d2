//! The colours of the stylesheet: contrast by WCAG 2.2 AA in every theme, and players that can be told apart with every
//! kind of colour blindness.
//!
//! Colours go through the model of Machado, Oliveira and Fernandes (2009) at full severity; distances are measured in
//! CIE 1976 Lab, where 2.3 is the least difference that people notice. Letters tell players apart as well.

use std::collections::BTreeMap;

type Triple = [f64; 3];
type Matrix = [Triple; 3];
type Theme = BTreeMap<String, Triple>;

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

/// The four themes: dark and light, each also with more contrast; every colour as linear light.
fn themes() -> Vec<(&'static str, Theme)> {
    let blocks: Vec<Theme> = super::stylesheet()
        .split(":root {")
        .skip(1)
        .map(|rest| tokens(rest.split('}').next().expect("split gives one part at least")))
        .collect();
    let [dark, light, more, more_light] = &blocks[..4] else {
        panic!("the stylesheet has four :root blocks")
    };
    let layered = |layers: &[&Theme]| layers.iter().flat_map(|&layer| layer.clone()).collect();
    vec![
        ("dark", dark.clone()),
        ("light", layered(&[dark, light])),
        ("dark, more contrast", layered(&[dark, more])),
        ("light, more contrast", layered(&[dark, light, more, more_light])),
    ]
}

fn tokens(block: &str) -> Theme {
    let lines = block.lines().map(|line| line.trim().trim_end_matches(';'));
    let pairs = lines.filter_map(|line| line.strip_prefix("--")?.split_once(": #"));
    let colors = pairs.filter(|(_, value)| value.len() == 6);
    colors.map(|(name, value)| (name.to_owned(), linear(value))).collect()
}

fn linear(hexadecimal: &str) -> Triple {
    [0, 2, 4].map(|at| {
        let c = f64::from(
            u8::from_str_radix(&hexadecimal[at..at + 2], 16).expect("a hexadecimal number"),
        ) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

fn times(matrix: &Matrix, v: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

fn contrast(a: Triple, b: Triple) -> f64 {
    let [a, b] = [a, b].map(|light| times(&TO_XYZ, light)[1] + 0.05);
    a.max(b) / a.min(b)
}

fn lab(light: Triple) -> Triple {
    let root = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [x, y, z] = times(&TO_XYZ, light).map(root);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(vision: &Matrix, a: Triple, b: Triple) -> f64 {
    let [a, b] = [a, b].map(|light| lab(times(vision, light).map(|c| c.clamp(0.0, 1.0))));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn expect_contrast(front: &[&str], back: &[&str], least: f64) {
    for (name, theme) in themes() {
        for (front, back) in
            front.iter().flat_map(|front| back.iter().map(move |back| (front, back)))
        {
            let found = contrast(theme[*front], theme[*back]);
            assert!(found >= least, "{name}: --{front} on --{back} has {found:.2}, needs {least}");
        }
    }
}

const GROUNDS: [&str; 5] = ["bg", "panel", "panel-high", "bg-deep", "field"];

#[test]
fn texts_have_the_contrast_of_wcag_aa() {
    let texts = ["ink", "muted", "accent", "link", "gold", "danger", "ok"];
    let players = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"];
    expect_contrast(&texts, &GROUNDS, 4.5);
    expect_contrast(&players, &GROUNDS, 4.5);
    expect_contrast(&["button-ink"], &["button", "button-hover"], 4.5);
    expect_contrast(&["ink", "danger"], &["danger-panel"], 4.5);
    expect_contrast(&["ink", "ok"], &["ok-panel"], 4.5);
}

#[test]
fn borders_of_controls_focus_rings_and_walls_are_seen() {
    expect_contrast(
        &["line-strong", "focus", "wall", "passage"],
        &["bg", "panel", "bg-deep", "field"],
        3.0,
    );
}

#[test]
fn players_can_be_told_apart_with_every_kind_of_colour_blindness() {
    for (name, theme) in themes() {
        let players: Vec<Triple> = (0..10).map(|index| theme[&format!("p{index}")]).collect();
        for (vision, matrix) in &VISIONS {
            for (i, j) in (0..10).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let least = if i < 4 || i - j == 1 { 19.5 } else { 9.5 };
                let found = distance(matrix, players[i], players[j]);
                assert!(
                    found >= least,
                    "{name}, {vision}: p{i} and p{j} are {found:.1} apart, need {least}"
                );
            }
        }
    }
}
