//! Tests of the colours of the stylesheet: contrast by WCAG 2.2 AA in every theme, and players that can be distinguished
//! with every kind of colour blindness. Letters distinguish players as well.

#[path = "../../../tui/src/palette/vision/color_blindness.rs"]
mod color_blindness;

use std::collections::BTreeMap;

use color_blindness::{TO_XYZ, Triple, VISIONS, distance, times};

type Theme = BTreeMap<String, Triple>;

/// Returns the four themes: dark and light, each also with more contrast. Colours are in linear light.
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
    let channel = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16);
    [0, 2, 4].map(|at| color_blindness::linear(channel(at).expect("a hexadecimal number")))
}

fn contrast(a: Triple, b: Triple) -> f64 {
    let [a, b] = [a, b].map(|light| times(&TO_XYZ, light)[1] + 0.05);
    a.max(b) / a.min(b)
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
