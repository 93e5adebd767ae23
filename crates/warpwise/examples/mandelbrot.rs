//! The Mandelbrot set as a picture: `cargo run --release --example mandelbrot [FILE.png]`.
//!
//! Every point iterates separately until it escapes; the number of iterations differs considerably between neighbouring points.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use warpwise::{Acc, ComplexExp, Context, Exp, Matrix, generate, while_};

/// Number of iterations after which a point counts as part of the set.
const LIMIT: i32 = 255;

/// Returns the number of iterations after which each point of a view around a centre escapes.
fn escapes(rows: Exp<i64>, columns: Exp<i64>, centre: (f64, f64), width: f64) -> Acc<Matrix<i32>> {
    let step = Exp::constant(width) / columns.cast::<f64>();
    generate((rows, columns), move |(row, column)| {
        let re = (column - columns / 2).cast::<f64>() * step + centre.0;
        let im = (row - rows / 2).cast::<f64>() * step + centre.1;
        let point = ComplexExp::new(re, im);
        let start = (ComplexExp::<f64>::new(0.0, 0.0), Exp::constant(0_i32));
        let (_, rounds) = while_(
            start,
            |(z, rounds)| z.norm_sqr().le(4.0) & rounds.lt(LIMIT),
            |(z, rounds)| (z * z + point, rounds + 1),
        );
        rounds
    })
}

/// Compares with plain loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let view = context.compile(|n: Exp<i64>, m: Exp<i64>| escapes(n, m, (-0.5, 0.0), 3.0))?;
    let (n, m) = (30, 40);
    let found = view.run(n, m)?.to_vec();
    for (place, rounds) in found.into_iter().enumerate() {
        let (row, column) = (place as i64 / m, place as i64 % m);
        let step = 3.0 / m as f64;
        let (re, im) = ((column - m / 2) as f64 * step - 0.5, (row - n / 2) as f64 * step);
        let (mut x, mut y, mut expected) = (0.0_f64, 0.0_f64, 0);
        while x * x + y * y <= 4.0 && expected < LIMIT {
            (x, y) = (x * x - y * y + re, x * y + y * x + im);
            expected += 1;
        }
        // Points at the boundary may escape an iteration earlier or later, because products and sums are fused.
        assert!((rounds - expected).abs() <= 1 || expected > 50, "row {row}, column {column}");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "mandelbrot.png".to_string());
    let view = Context::new()?.compile(|n: Exp<i64>, m: Exp<i64>| {
        escapes(n, m, (-0.745, 0.105), 0.02).map(|rounds| {
            let light = ((LIMIT - rounds) % 64) * 4;
            [light.cast::<u8>(), (light / 2).cast(), (rounds % 256).cast()]
        })
    })?;
    let picture = view.run(600, 800)?;
    let [height, width] = picture.extents();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.to_vec().concat())?;
    println!("{path}: {width} by {height}");
    Ok(())
}
