//! A table of ratios as a picture: a square for each row and column, with stronger red for worse ratios.
//!
//! The SVG is written directly, since it consists of rectangles and text only. Colours depend on the logarithm of the ratio, so
//! that twice as slow and twice as fast are equally strong; every square shows its figure.

use std::fmt::Write as _;

use crate::ablation::{Cell, Table, figure};

const LEFT: usize = 205;
const TOP: usize = 78;
const WIDTH: usize = 74;
const HEIGHT: usize = 24;
const GAP: usize = 2;

/// Ratio at which a colour reaches its full strength.
const STRONGEST: f64 = 8.0;

/// The captions of a table, and the direction in which ratios are good.
pub struct Caption<'c> {
    /// Title, which names the figures.
    pub title: &'c str,
    /// Legend of the colours.
    pub legend: &'c str,
    /// Whether ratios above 1 are good.
    pub is_high_good: bool,
}

/// Returns the picture as SVG.
pub fn svg(caption: &Caption<'_>, table: &Table) -> String {
    let colour = |ratio: f64| colour(if caption.is_high_good { 1.0 / ratio } else { ratio });
    let n_rows = table.rows.len() + 1;
    let width = LEFT + table.columns.len() * WIDTH + 10;
    let height = TOP + n_rows * HEIGHT + 44;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    words(&mut svg, (10, 24), "start", 15, caption.title);
    for (column, name) in table.columns.iter().enumerate() {
        words(&mut svg, (middle(column), TOP - 10), "middle", 12, name);
    }
    for (row, (name, cells)) in table.rows.iter().enumerate() {
        words(&mut svg, (LEFT - 8, baseline(row)), "end", 12, name);
        for (column, cell) in cells.iter().enumerate() {
            match cell {
                Cell::Ratio(ratio) => square(&mut svg, column, row, &colour(*ratio), &figure(*ratio)),
                Cell::Failed(_) | Cell::Quick => square(&mut svg, column, row, "#d0d0d0", &cell.text()),
            }
        }
    }
    let last = table.rows.len();
    words(&mut svg, (LEFT - 8, baseline(last)), "end", 12, "geometric mean");
    for column in 0..table.columns.len() {
        if let Some(mean) = table.mean(column) {
            square(&mut svg, column, last, &colour(mean), &figure(mean));
        }
    }
    words(&mut svg, (LEFT, height - 16), "start", 12, caption.legend);
    svg.push_str("</svg>\n");
    svg
}

fn middle(column: usize) -> usize {
    LEFT + column * WIDTH + (WIDTH - GAP) / 2
}

fn baseline(row: usize) -> usize {
    TOP + row * HEIGHT + 16
}

fn words(svg: &mut String, (x, y): (usize, usize), anchor: &str, size: usize, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#202020\">{text}</text>"
    );
}

fn square(svg: &mut String, column: usize, row: usize, fill: &str, text: &str) {
    let (x, y) = (LEFT + column * WIDTH, TOP + row * HEIGHT);
    let (width, height) = (WIDTH - GAP, HEIGHT - GAP);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#e0e0e0\"/>"
    );
    words(svg, (middle(column), baseline(row)), "middle", 12, text);
}

/// Returns the colour of a ratio: white for 1, red above, blue below.
fn colour(ratio: f64) -> String {
    let strength = (ratio.ln() / STRONGEST.ln()).clamp(-1.0, 1.0);
    // The text is dark, so colours stay light enough for it to be readable.
    let mixed = |full: f64| (255.0 + (full - 255.0) * strength.abs()).round() as u8;
    let [red, green, blue] = if strength > 0.0 { [240.0, 106.0, 86.0] } else { [96.0, 150.0, 240.0] };
    format!("#{:02x}{:02x}{:02x}", mixed(red), mixed(green), mixed(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_grow_with_the_ratio_on_both_sides() {
        assert_eq!(colour(1.0), "#ffffff");
        assert_eq!(colour(STRONGEST), "#f06a56");
        assert_eq!(colour(100.0), colour(STRONGEST));
        assert_eq!(colour(1.0 / STRONGEST), "#6096f0");
    }

    #[test]
    fn a_picture_shows_every_figure_and_name() {
        let rows = vec![("a < b".to_string(), vec![Cell::Ratio(2.5), Cell::Failed("why".into())])];
        let caption = Caption { title: "Times", legend: "Red: slower.", is_high_good: false };
        let picture = svg(&caption, &Table { columns: vec!["fuse".into(), "tile".into()], rows });
        for text in [">2.50<", ">fails<", ">fuse<", ">a &lt; b<", "geometric mean"] {
            assert!(picture.contains(text), "{text} in {picture}");
        }
        assert_eq!(picture.matches("<rect").count(), 4);
    }
}
