//! A picture as a list of coloured rectangles, written as SVG or PNG. It knows nothing about maps.

use std::fmt::Write;

use anyhow::Context;

/// Red, green, blue.
pub(super) type Color = [u8; 3];

/// Pixels across and down.
type Pair = (u32, u32);

/// A picture: the rectangles in the order of painting.
pub(crate) struct MapDrawing {
    width: u32,
    height: u32,
    painted: Vec<Rectangle>,
}

struct Rectangle {
    at: Pair,
    size: Pair,
    color: Color,
}

impl MapDrawing {
    /// A picture with only a background.
    pub(super) fn new(width: u32, height: u32, background: Color) -> Self {
        let whole = Rectangle { at: (0, 0), size: (width, height), color: background };
        Self { width, height, painted: vec![whole] }
    }

    /// Pixels across.
    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// Pixels down.
    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    /// Paints a rectangle. If it continues the last one, that one is made wider.
    pub(super) fn rectangle(&mut self, at: Pair, size: Pair, color: Color) {
        if let Some(last) = self.painted.last_mut()
            && (last.color, last.at.1, last.size.1) == (color, at.1, size.1)
            && last.at.0 + last.size.0 == at.0
        {
            last.size.0 += size.0;
        } else if size.0 > 0 && size.1 > 0 {
            self.painted.push(Rectangle { at, size, color });
        }
    }

    /// Paints a disc around a pixel, line by line.
    pub(super) fn disc(&mut self, (x, y): Pair, radius: u32, color: Color) {
        for down in 0..=2 * radius {
            let off = down.abs_diff(radius);
            // Half a radius more makes small discs round.
            let reach = (0..=radius)
                .rev()
                .find(|reach| reach * reach + off * off <= radius * radius + radius / 2);
            let reach = reach.unwrap_or(0);
            let top = (y + down).saturating_sub(radius);
            self.rectangle((x.saturating_sub(reach), top), (2 * reach + 1, 1), color);
        }
    }

    /// The picture as the text of an SVG file.
    pub(crate) fn to_svg(&self) -> String {
        let width = self.width;
        let height = self.height;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" shape-rendering=\"crispEdges\">\n"
        );
        for Rectangle { at: (x, y), size: (width, height), color: [red, green, blue] } in
            &self.painted
        {
            writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
                 fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
            )
            .expect("writing to memory can't fail");
        }
        svg + "</svg>\n"
    }

    /// The picture as the bytes of a PNG file.
    pub(crate) fn to_png(&self) -> anyhow::Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.pixels())?;
            writer.finish()
        });
        written.context("can't encode the PNG picture")?;
        Ok(file)
    }

    /// Three bytes for each pixel, row by row.
    fn pixels(&self) -> Vec<u8> {
        let mut rows = vec![vec![[0; 3]; self.width as usize]; self.height as usize];
        for Rectangle { at: (x, y), size: (width, height), color } in &self.painted {
            for row in rows.iter_mut().skip(*y as usize).take(*height as usize) {
                row.iter_mut()
                    .skip(*x as usize)
                    .take(*width as usize)
                    .for_each(|pixel| *pixel = *color);
            }
        }
        rows.into_iter().flatten().flatten().collect()
    }
}

/// A colour, blended with `percent` of another.
pub(super) fn blend(color: Color, other: Color, percent: u32) -> Color {
    let mix = |channel: usize| {
        let here = u32::from(color[channel]);
        let there = u32::from(other[channel]);
        u8::try_from((here * (100 - percent) + there * percent) / 100).unwrap_or(u8::MAX)
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Color = [0; 3];
    const RED: Color = [255, 0, 0];

    #[test]
    fn what_is_painted_is_in_both_formats() {
        let mut picture = MapDrawing::new(3, 2, BLACK);
        picture.rectangle((1, 0), (1, 1), RED);
        picture.rectangle((2, 0), (1, 1), RED);
        let svg = picture.to_svg();
        assert!(svg.contains("<rect x=\"1\" y=\"0\" width=\"2\" height=\"1\" fill=\"#ff0000\"/>"));
        assert_eq!(svg.matches("<rect").count(), 2, "{svg}");

        let file = std::io::Cursor::new(picture.to_png().unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = [7; 18];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(pixels[..9], [BLACK, RED, RED].concat());
        assert_eq!(pixels[9..], [0; 9]);
    }

    #[test]
    fn colours_blend() {
        assert_eq!(blend(RED, BLACK, 0), RED);
        assert_eq!(blend(RED, BLACK, 60), [102, 0, 0]);
        assert_eq!(blend(RED, BLACK, 100), BLACK);
    }

    #[test]
    fn a_disc_is_as_wide_as_high_and_stays_in_its_square() {
        let mut picture = MapDrawing::new(11, 11, BLACK);
        picture.disc((5, 5), 4, RED);
        let pixels = picture.pixels();
        let is_red = |x: usize, y: usize| pixels[(y * 11 + x) * 3] == 255;
        assert!(
            (0..11).all(|i| is_red(i, 5) == (1..10).contains(&i) && is_red(i, 5) == is_red(5, i))
        );
        assert!(!is_red(1, 1) && !is_red(9, 9));
    }
}
