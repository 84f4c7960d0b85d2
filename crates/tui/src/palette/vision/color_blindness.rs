//! The perceived difference of two colours with every kind of colour blindness: the model of Machado, Oliveira and
//! Fernandes (2009) at full severity, and distances in CIE 1976 Lab, where 2.3 is the least difference that people
//! notice.
//!
//! The tests of the terminal's palette and of the web pages' stylesheet share this file.

/// Three channels of a colour.
pub(crate) type Triple = [f64; 3];
/// A linear transformation of light.
pub(crate) type Matrix = [Triple; 3];

/// The transformation of linear light by each kind of colour blindness.
pub(crate) const VISIONS: [(&str, Matrix); 4] = [
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
pub(crate) const TO_XYZ: Matrix = [
    [0.433_953, 0.376_219, 0.189_828],
    [0.212_673, 0.715_152, 0.072_175],
    [0.017_758, 0.109_477, 0.872_765],
];

/// A channel of sRGB as linear light.
pub(crate) fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Returns the transformed light.
pub(crate) fn times(matrix: &Matrix, light: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum())
}

/// The distance of two colours, given as linear light.
pub(crate) fn distance(vision: &Matrix, a: Triple, b: Triple) -> f64 {
    let [a, b] = [a, b].map(|light| lab(times(vision, light).map(|c| c.clamp(0.0, 1.0))));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn lab(light: Triple) -> Triple {
    let root = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [x, y, z] = times(&TO_XYZ, light).map(root);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}
