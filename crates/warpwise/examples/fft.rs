//! The Fourier transform: `cargo run --release --example fft [FILE.png]` keeps the fine detail of a picture.
//!
//! A row whose length is a power of two is transformed by Stockham's method: every iteration reads two elements and writes two,
//! and no reordering is needed at the end.

use std::error::Error;
use std::f64::consts::TAU;
use std::fs::File;
use std::io::BufWriter;

use warpwise::{Acc, Array, Complex, ComplexExp, Context, Exp, Matrix, awhile, cond, generate, unit};

type Waves = Matrix<Complex<f64>>;

/// Frequencies below this are removed from the picture.
const CUTOFF: i64 = 10;

/// Transforms every row; `sign` is -1, or 1 for the inverse.
fn rows(waves: &Acc<Waves>, sign: f64) -> Acc<Waves> {
    let (height, length) = waves.extents();
    let start = (waves.clone(), unit(1_i64));
    let (transformed, _) = awhile(
        &start,
        |(_, stride)| stride.the().lt(length),
        |(waves, stride)| {
            let step = stride.the();
            let half = length / (2 * step);
            let reader = waves.reader();
            let next = generate((height, length), move |(row, place)| {
                let (within, group) = (place % step, place / step);
                let pair = group / 2;
                let one = reader.at((row, within + pair * step));
                let other = reader.at((row, within + (pair + half) * step));
                let angle = pair.cast::<f64>() * (sign * TAU) / (2 * half).cast::<f64>();
                let (sum, turned) = (one + other, (one - other) * ComplexExp::cis(angle));
                cond(group.is_even(), sum, turned)
            });
            (next, stride.map(|stride| stride * 2))
        },
    );
    transformed
}

/// Transforms both dimensions.
fn transform(waves: &Acc<Waves>, sign: f64) -> Acc<Waves> {
    rows(&rows(waves, sign).transpose(), sign).transpose()
}

/// Removes the low frequencies of a picture.
fn high_pass(picture: &Acc<Matrix<f64>>) -> Acc<Matrix<f64>> {
    let (height, width) = picture.extents();
    let distance = |place: Exp<i64>, length: Exp<i64>| place.min(length - place);
    let waves = transform(&picture.map(|light| ComplexExp::new(light, 0.0)), -1.0);
    let kept = waves.imap(move |(i, j), wave| {
        let is_low = distance(i, height).lt(CUTOFF) & distance(j, width).lt(CUTOFF);
        wave.scale(cond(is_low, 0.0, 1.0))
    });
    let count = (height * width).cast::<f64>();
    transform(&kept, 1.0).map(move |wave| wave.re / count)
}

/// Compares with sums over all elements.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let forth = context.compile(|waves: Acc<Waves>| transform(&waves, -1.0))?;
    let back = context.compile(|waves: Acc<Waves>| transform(&waves, 1.0))?;
    for [n, m] in [[8, 4], [1, 1], [2, 16], [0, 4], [3, 0]] {
        let waves = (0..n * m).map(|i| Complex::new((i % 7) as f64, (i * i % 5) as f64)).collect::<Vec<_>>();
        let given = Array::from_vec([n, m], waves.clone())?;
        if ![n, m].iter().all(|length| length.is_power_of_two()) {
            assert_eq!(forth.run(&given)?.extents(), [n, m]);
            continue;
        }
        let found = forth.run(&given)?;
        for (place, found) in found.to_vec().into_iter().enumerate() {
            let (k, l) = (place / m, place % m);
            let mut expected = Complex::new(0.0, 0.0);
            for (from, wave) in waves.iter().enumerate() {
                let turns = (from / m * k) as f64 / n as f64 + (from % m * l) as f64 / m as f64;
                let (sin, cos) = (-TAU * turns).sin_cos();
                expected.re += wave.re * cos - wave.im * sin;
                expected.im += wave.re * sin + wave.im * cos;
            }
            assert!((found.re - expected.re).abs() + (found.im - expected.im).abs() < 1e-9);
        }
        for (found, wave) in back.run(&found)?.to_vec().iter().zip(&waves) {
            assert!((found.re / (n * m) as f64 - wave.re).abs() < 1e-12);
        }
    }
    Ok(())
}

/// Draws discs and stripes, some wide and some fine.
fn picture(size: usize) -> Result<Matrix<f64>, warpwise::Error> {
    let light = |place: usize| {
        let (x, y) = ((place % size) as f64 / size as f64, (place / size) as f64 / size as f64);
        let disc = if (x - 0.5).hypot(y - 0.5) < 0.3 { 120.0 } else { 0.0 };
        disc + 60.0 * x + if y > 0.5 { 30.0 * (x * 400.0).sin() } else { 0.0 }
    };
    Array::from_vec([size, size], (0..size * size).map(light).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "fft.png".to_string());
    let sharp = Context::new()?.compile(|picture: Acc<Matrix<f64>>| {
        high_pass(&picture).map(|light| (light + 128.0).clamp(0.0, 255.0).cast::<u8>())
    })?;
    let picture = sharp.run(&picture(512)?)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), 512, 512);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header()?.write_image_data(picture.as_slice())?;
    println!("{path}: 512 by 512");
    Ok(())
}
