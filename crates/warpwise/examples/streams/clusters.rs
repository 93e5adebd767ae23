//! Clusters of points (k-means): an element is a block of points, whose sums by nearest centre are computed.

use std::error::Error;
use std::io;
use std::path::Path;

use warpwise::{
    Acc, Array, Consumer, Context, Exp, IntoExp, Matrix, Seq, Source, SourceOptions, Vector, cond, fill,
    generate, open, use_,
};

use super::files::write;
use super::random::{normal, unit};

/// Number of points of an element.
pub const BLOCK: usize = 1 << 14;

/// A point, or a sum of points.
type Point = [f32; 4];
/// The sum of the points nearest to a centre, and their number.
pub type Sum = ([f64; 4], i64);

/// Computes, for each centre, the sum of the points nearest to it; a point is a row.
fn sums(points: &Acc<Matrix<f32>>, centres: &Acc<Vector<Point>>) -> Acc<Vector<Sum>> {
    let (count, _) = points.extents();
    let (points, number) = (points.reader(), centres.size());
    let centres = centres.reader();
    let point = move |i| [0, 1, 2, 3].map(|axis| points.at((i, axis)));
    let nearest = generate(count, move |i| {
        let (at, none) = (point(i), (f32::INFINITY, -1_i64).into_exp());
        let (_, nearest) = none.iterate(number, |i, (least, nearest)| {
            let centre = centres.at(i);
            let squares = [0, 1, 2, 3].map(|axis| (at[axis] - centre[axis]) * (at[axis] - centre[axis]));
            let distance = squares[0] + squares[1] + (squares[2] + squares[3]);
            (distance.min(least), cond(distance.lt(least), i, nearest))
        });
        nearest
    });
    let nearest = nearest.reader();
    let each = generate(count, move |i: Exp<i64>| (point(i).map(|x| x.cast::<f64>()), 1_i64));
    fill(number, ([0.0; 4], 0_i64)).permute(&each, added, move |i| (true, nearest.at(i)))
}

fn added((x, n): ([Exp<f64>; 4], Exp<i64>), (y, m): ([Exp<f64>; 4], Exp<i64>)) -> ([Exp<f64>; 4], Exp<i64>) {
    (std::array::from_fn(|axis| x[axis] + y[axis]), n + m)
}

/// Computes the sums over all blocks.
pub fn sequence(
    blocks: &Seq<Acc<Matrix<f32>>>,
    centres: &Vector<Point>,
) -> Result<Consumer<Vector<Sum>>, warpwise::Error> {
    let none = Array::from_vec([centres.len()], vec![([0.0; 4], 0); centres.len()])?;
    let centres = use_(centres);
    Ok(blocks.map(|block| sums(&block, &centres)).fold(none, |xs, ys| xs.zip_with(&ys, added)))
}

/// Computes the sums over all points at once.
pub fn whole(points: &Acc<Matrix<f32>>, centres: &Acc<Vector<Point>>) -> Acc<Vector<Sum>> {
    sums(points, centres)
}

/// Computes the means from sums; a centre without points stays.
pub fn moved(sums: &Vector<Sum>, centres: &Vector<Point>) -> Result<Vector<Point>, warpwise::Error> {
    let middle = |((sum, count), centre): (Sum, Point)| match count {
        0 => centre,
        _ => sum.map(|x| (x / count as f64) as f32),
    };
    Ok(sums.into_iter().zip(centres).map(middle).collect())
}

/// Makes points around `places` places, in rows.
pub fn points(count: usize, places: u64) -> Vec<f32> {
    let coordinate = |i: u64| {
        let (point, axis) = (i / 4, i % 4);
        (10.0 * unit(4, 4 * (point % places) + axis) + normal(5, i)) as f32
    };
    (0..4 * count as u64).map(coordinate).collect()
}

/// Takes the first points as centres.
pub fn centres(points: &[f32], count: usize) -> Result<Vector<Point>, warpwise::Error> {
    let centre = |point: &[f32]| [point[0], point[1], point[2], point[3]];
    Ok(points.chunks_exact(4).take(count).map(centre).collect())
}

/// Writes points to a folder.
pub fn store(points: &[f32], folder: &Path) -> io::Result<()> {
    write(&folder.join("points.raw"), points.iter().map(|x| x.to_le_bytes()))
}

/// Opens the points in a folder, in blocks.
pub fn sources(folder: &Path, block: usize) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    let options = SourceOptions { shape: vec![block as i64, 4], ..SourceOptions::default() };
    Ok(vec![open::<f32>(&folder.join("points.raw"), 2, &options)?])
}

/// Reads a sequence of blocks.
pub fn read(sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Matrix<f32>>>, warpwise::Error> {
    Seq::read(sources)
}

/// Compares some iterations with plain loops.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    let plain = points(1200, 5);
    store(&plain, folder)?;
    let (all, blocks) =
        (Array::from_vec([1200, 4], plain.clone())?, Array::from_vec([12, 100, 4], plain.clone())?);
    let whole =
        context.compile(|points: Acc<Matrix<f32>>, centres: Acc<Vector<Point>>| whole(&points, &centres))?;
    let mut centres = centres(&plain, 5)?;
    for _ in 0..3 {
        let mut expected = [([0.0; 4], 0); 5];
        for point in plain.chunks_exact(4) {
            let distance = |c: &Point| {
                let d: [f32; 4] =
                    std::array::from_fn(|axis| (point[axis] - c[axis]) * (point[axis] - c[axis]));
                d[0] + d[1] + (d[2] + d[3])
            };
            let list = centres.to_vec();
            let nearest = (0..5).min_by(|&i, &j| distance(&list[i]).total_cmp(&distance(&list[j])));
            let (sum, count) = &mut expected[nearest.unwrap_or(0)];
            *count += 1;
            sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        let sums = sequence(&Seq::rows(&blocks), &centres)?.run(context)?;
        for found in [
            &sums,
            &sequence(&read(sources(folder, 100)?)?, &centres)?.run(context)?,
            &whole.run(&all, &centres)?,
        ] {
            for ((sum, count), (expected, number)) in found.to_vec().into_iter().zip(expected) {
                assert_eq!(count, number);
                assert!(sum.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6));
            }
        }
        centres = moved(&sums, &centres)?;
    }
    Ok(())
}
