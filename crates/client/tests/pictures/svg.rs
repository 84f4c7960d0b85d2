//! A terminal buffer as an SVG picture.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: f32 = 18.0;
const MARGIN: f32 = 12.0;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d6d8dc";

/// The whole buffer, one text element for each word in one style.
pub(crate) fn render(buffer: &Buffer) -> String {
    let width = f32::from(buffer.area.width) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f32::from(buffer.area.height) * CELL_HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" \
         font-size=\"14\" xml:space=\"preserve\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for row in 0..buffer.area.height {
        let cells: Vec<&Cell> = (0..buffer.area.width).map(|col| &buffer[(col, row)]).collect();
        let mut col = 0;
        // Blanks between words are left out: not every viewer keeps several of them.
        let is_same = |left: &&Cell, right: &&Cell| {
            left.style() == right.style() && (left.symbol() == " ") == (right.symbol() == " ")
        };
        for run in cells.chunk_by(is_same) {
            draw_run(&mut svg, run, row, col);
            col += run.len();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[expect(clippy::cast_precision_loss, reason = "a terminal has few columns")]
fn draw_run(svg: &mut String, run: &[&Cell], row: u16, col: usize) {
    let text: String = run.iter().map(|cell| cell.symbol()).collect();
    if text.trim().is_empty() && !run[0].modifier.contains(Modifier::REVERSED) {
        return;
    }
    let x = MARGIN + col as f32 * CELL_WIDTH;
    let y = MARGIN + f32::from(row) * CELL_HEIGHT;
    let width = run.len() as f32 * CELL_WIDTH;
    let modifiers = run[0].modifier;
    let mut ink = hex(run[0].fg);
    if modifiers.contains(Modifier::REVERSED) {
        let paper = std::mem::replace(&mut ink, BACKGROUND.to_owned());
        put(
            svg,
            format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT:.1}\" \
                 fill=\"{paper}\"/>\n"
            ),
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let weight = if modifiers.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if modifiers.contains(Modifier::DIM) { " opacity=\"0.6\"" } else { "" };
    let base = y + 0.75 * CELL_HEIGHT;
    put(
        svg,
        format_args!(
            "<text x=\"{x:.1}\" y=\"{base:.1}\" textLength=\"{width:.1}\" fill=\"{ink}\"{weight}\
             {faint}>{}</text>\n",
            escape(&text)
        ),
    );
}

fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).unwrap();
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The sixteen colours, as most terminals have them, and those of the 256 that are the same everywhere.
fn hex(color: Color) -> String {
    if let Color::Indexed(index @ 16..=231) = color {
        let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
        let [red, green, blue] =
            [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level);
        return format!("#{red:02x}{green:02x}{blue:02x}");
    }
    sixteen(color).to_owned()
}

fn sixteen(color: Color) -> &'static str {
    match color {
        Color::Black => "#000000",
        Color::Red => "#cd3131",
        Color::Green => "#0dbc79",
        Color::Yellow => "#e5c30f",
        Color::Blue => "#2472c8",
        Color::Magenta => "#bc3fbc",
        Color::Cyan => "#11a8cd",
        Color::Gray => "#b8babd",
        Color::DarkGray => "#7f8288",
        Color::LightRed => "#f55b5b",
        Color::LightGreen => "#23d18b",
        Color::LightYellow => "#f5e543",
        Color::LightBlue => "#3b8eea",
        Color::LightMagenta => "#d670d6",
        Color::LightCyan => "#29b8db",
        Color::White => "#ffffff",
        _ => FOREGROUND,
    }
}

#[test]
fn colours_of_the_256_are_drawn_as_terminals_show_them() {
    assert_eq!(hex(Color::Indexed(204)), "#ff5f87");
    assert_eq!(hex(Color::Indexed(16)), "#000000");
}

#[test]
fn each_word_of_a_style_is_one_text() {
    let mut buffer = Buffer::with_lines(["a<b *"]);
    buffer.set_string(4, 0, "*", Style::new().fg(Color::Yellow).bold());
    let svg = render(&buffer);
    assert_eq!(svg.matches("<text").count(), 2);
    assert!(svg.contains(">a&lt;b</text>"), "{svg}");
    assert!(svg.contains("fill=\"#e5c30f\" font-weight=\"bold\">*</text>"), "{svg}");
}
