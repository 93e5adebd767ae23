//! Edge detection by Canny's method: `cargo run --release --example canny [FILE.png]`.
//!
//! The picture is blurred and differentiated. Gradients are thinned to lines one pixel wide. Then strong lines are kept, and weak
//! lines that touch them.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use warpwise::{Acc, Array, Boundary, Context, Exp, Matrix, awhile, cond, unit};

/// Minimum gradient of a point that may belong to an edge.
const WEAK: f32 = 50.0;

/// Minimum gradient of a point that certainly belongs to an edge.
const STRONG: f32 = 100.0;

/// Weights of the blur along a row or column.
const BLUR: [f32; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

fn weighted(lights: [Exp<f32>; 5]) -> Exp<f32> {
    let products = lights.into_iter().zip(BLUR).map(|(light, weight)| light * weight);
    products.reduce(|x, y| x + y).unwrap_or(Exp::constant(0.0))
}

/// Computes the gradients along rows and columns.
fn slopes(picture: &Acc<Matrix<f32>>) -> Acc<Matrix<(f32, f32)>> {
    let across = picture.stencil(Boundary::Clamp, |[row]: [[_; 5]; 1]| weighted(row));
    let blurred = across.stencil(Boundary::Clamp, |rows: [[_; 1]; 5]| weighted(rows.map(|[light]| light)));
    blurred.stencil(Boundary::Clamp, |[[a, b, c], [d, _, e], [f, g, h]]| {
        ((c + 2.0 * e + h) - (a + 2.0 * d + f), (f + 2.0 * g + h) - (a + 2.0 * b + c))
    })
}

/// Returns 2 for points of strong edges, 1 for points of weak edges, 0 for others.
fn candidates(picture: &Acc<Matrix<f32>>) -> Acc<Matrix<u8>> {
    let slopes = slopes(picture);
    // The gradient's direction (horizontal, vertical or diagonal) decides which neighbours to compare with.
    let sized = slopes.map(|(x, y)| {
        let (flat, steep) = (y.abs().lt(x.abs() * 0.4142), x.abs().lt(y.abs() * 0.4142));
        let falling = cond((x * y).ge(0.0), 2_u8, 3_u8);
        (x.hypot(y), cond(flat, 0_u8, cond(steep, 1_u8, falling)))
    });
    sized.stencil(Boundary::Constant((0.0, 0)), |[[a, b, c], [d, (here, direction), e], [f, g, h]]| {
        let beats = |one: Exp<f32>, other: Exp<f32>| here.gt(one) & here.ge(other);
        let diagonal = cond(direction.eq(2), beats(a.0, h.0), beats(c.0, f.0));
        let is_ridge =
            cond(direction.eq(0), beats(d.0, e.0), cond(direction.eq(1), beats(b.0, g.0), diagonal));
        let class = cond(here.ge(STRONG), 2_u8, cond(here.ge(WEAK), 1_u8, 0_u8));
        cond(is_ridge, class, 0)
    })
}

/// Returns the edges: weak points beside strong ones become strong until there are none left.
fn edges(picture: &Acc<Matrix<f32>>) -> Acc<Matrix<bool>> {
    let grow = |points: &Acc<Matrix<u8>>| {
        points.stencil(Boundary::Constant(0), |rows: [[Exp<u8>; 3]; 3]| {
            let strongest = rows.into_iter().flatten().reduce(|x, y| x.max(y)).unwrap_or(Exp::constant(0));
            cond(rows[1][1].eq(1) & strongest.eq(2), 2, rows[1][1])
        })
    };
    let strong = |points: &Acc<Matrix<u8>>| points.map(|point| point.eq(2).to_int()).flatten().sum();
    let start = candidates(picture);
    let state = (start.clone(), unit(-1_i64), strong(&start));
    let (points, _, _) = awhile(
        &state,
        |(_, before, now)| now.the().gt(before.the()),
        |(points, _, now)| {
            let next = grow(&points);
            (next.clone(), now, strong(&next))
        },
    );
    points.map(|point| point.eq(2))
}

/// Computes the same with loops.
fn expected(n: usize, m: usize, picture: &[f32]) -> Vec<bool> {
    let inside = |i: i64, j: i64| (0..n as i64).contains(&i) && (0..m as i64).contains(&j);
    let clamped = |xs: &[f32], i: i64, j: i64| {
        xs[i.clamp(0, n as i64 - 1) as usize * m + j.clamp(0, m as i64 - 1) as usize]
    };
    let places = || (0..n as i64).flat_map(move |i| (0..m as i64).map(move |j| (i, j)));
    let blur = |xs: &[f32], di: i64, dj: i64| -> Vec<f32> {
        let at =
            |(i, j)| (-2..=2).map(|k| BLUR[(k + 2) as usize] * clamped(xs, i + k * di, j + k * dj)).sum();
        places().map(at).collect()
    };
    let blurred = blur(&blur(picture, 0, 1), 1, 0);
    let slope = |i: i64, j: i64| {
        let light = |di: i64, dj: i64| clamped(&blurred, i + di, j + dj);
        let side = |dj: i64| light(-1, dj) + 2.0 * light(0, dj) + light(1, dj);
        let end = |di: i64| light(di, -1) + 2.0 * light(di, 0) + light(di, 1);
        (side(1) - side(-1), end(1) - end(-1))
    };
    let size = |i: i64, j: i64| if inside(i, j) { slope(i, j).0.hypot(slope(i, j).1) } else { 0.0 };
    let class = |(i, j): (i64, i64)| {
        let ((x, y), here) = (slope(i, j), size(i, j));
        let (di, dj) = match () {
            () if y.abs() < x.abs() * 0.4142 => (0, 1),
            () if x.abs() < y.abs() * 0.4142 => (1, 0),
            () if x * y >= 0.0 => (1, 1),
            () => (1, -1),
        };
        let is_ridge = here > size(i - di, j - dj) && here >= size(i + di, j + dj);
        u8::from(is_ridge) * (u8::from(here >= WEAK) + u8::from(here >= STRONG))
    };
    let mut points: Vec<u8> = places().map(class).collect();
    let mut pending: Vec<(i64, i64)> =
        places().filter(|&(i, j)| points[i as usize * m + j as usize] == 2).collect();
    while let Some((i, j)) = pending.pop() {
        for (k, l) in (i - 1..=i + 1).flat_map(|k| (j - 1..=j + 1).map(move |l| (k, l))) {
            if inside(k, l) && points[k as usize * m + l as usize] == 1 {
                points[k as usize * m + l as usize] = 2;
                pending.push((k, l));
            }
        }
    }
    points.into_iter().map(|point| point == 2).collect()
}

/// Draws a disc that fades, a square and stripes.
fn picture(n: usize, m: usize) -> Vec<f32> {
    let light = |place: usize| {
        let (i, j) = ((place / m) as f32 / n as f32, (place % m) as f32 / m as f32);
        let disc = (1.0 - 8.0 * ((i - 0.5).hypot(j - 0.4) - 0.25)).clamp(0.0, 1.0) * 180.0;
        let square = if (0.1..0.3).contains(&i) && (0.6..0.9).contains(&j) { 70.0 } else { 0.0 };
        disc + square + if i > 0.85 { 25.0 * (j * 90.0).sin() } else { 0.0 }
    };
    (0..n * m).map(light).collect()
}

/// Compares with loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(|picture: Acc<Matrix<f32>>| edges(&picture))?;
    for (n, m) in [(40, 50), (1, 1), (1, 9), (0, 5), (5, 0)] {
        let lights = picture(n, m);
        let found = function.run(&Array::from_vec([n, m], lights.clone())?)?.to_vec();
        let expected = expected(n, m, &lights);
        // Fusing products into sums changes rounding, which occasionally changes the class of a point.
        let different = found.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
        assert!(found.len() == n * m && different <= n * m / 100, "{different} of {n} by {m}");
        assert!(n < 40 || expected.iter().filter(|&&edge| edge).count() > 60);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "canny.png".to_string());
    let (n, m) = (480, 640);
    let function = Context::new()?
        .compile(|picture: Acc<Matrix<f32>>| edges(&picture).map(|edge| cond(edge, 255_u8, 0_u8)))?;
    let edges = function.run(&Array::from_vec([n, m], picture(n, m))?)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), m as u32, n as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header()?.write_image_data(edges.as_slice())?;
    println!("{path}: {m} by {n}");
    Ok(())
}
