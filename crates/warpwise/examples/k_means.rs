//! Clusters of points in the plane: `cargo run --release --example k_means [COUNT]`.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector, cond, fill};

type Point = (f64, f64);

/// Returns the number of the nearest centre of every point.
fn nearest(points: &Acc<Vector<Point>>, centres: &Acc<Vector<Point>>) -> Acc<Vector<i64>> {
    let (centres, count) = (centres.reader(), centres.size());
    points.map(move |(x, y)| {
        let none: Exp<(f64, i64)> = warpwise::IntoExp::into_exp((f64::INFINITY, -1_i64));
        let (_, number) = none.iterate(count, |i, (best, number)| {
            let (cx, cy) = centres.at(i);
            let distance = (x - cx) * (x - cx) + (y - cy) * (y - cy);
            (distance.min(best), cond(distance.lt(best), i, number))
        });
        number
    })
}

/// Computes the mean of the points nearest to each centre; a centre without points stays.
fn moved(points: &Acc<Vector<Point>>, centres: &Acc<Vector<Point>>) -> Acc<Vector<Point>> {
    let numbers = nearest(points, centres).reader();
    let nothing = fill(centres.size(), (0.0, 0.0, 0_i64));
    let sums = nothing.permute(
        &points.map(|(x, y)| (x, y, 1_i64)),
        |(x, y, n), (other_x, other_y, m)| (x + other_x, y + other_y, n + m),
        move |i| (true, numbers.at(i)),
    );
    sums.zip_with(centres, |(x, y, n), centre| {
        let count = n.max(1).cast::<f64>();
        cond(n.gt(0), (x / count, y / count), centre)
    })
}

fn points(count: usize) -> Vec<Point> {
    let point = |i: usize| {
        let (cluster, angle, distance) = (i % 3, (i * 37 % 100) as f64, (i * 53 % 89) as f64 / 89.0);
        (
            cluster as f64 * 5.0 + distance * angle.cos(),
            (cluster * cluster) as f64 * 4.0 + distance * angle.sin(),
        )
    };
    (0..count).map(point).collect()
}

/// Compares one iteration with plain loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context
        .compile(|points: Acc<Vector<Point>>, centres: Acc<Vector<Point>>| moved(&points, &centres))?;
    let (points, centres) = (points(300), vec![(0.0, 1.0), (4.0, 4.0), (9.0, 9.0), (100.0, 100.0)]);
    let found = function.run(&points.clone().into(), &centres.clone().into())?.to_vec();
    let mut sums = vec![(0.0, 0.0, 0); centres.len()];
    for (x, y) in points {
        let distance = |(cx, cy): &Point| (x - cx) * (x - cx) + (y - cy) * (y - cy);
        let best =
            (0..centres.len()).min_by(|&i, &j| distance(&centres[i]).total_cmp(&distance(&centres[j])));
        let sum = &mut sums[best.unwrap_or(0)];
        *sum = (sum.0 + x, sum.1 + y, sum.2 + 1);
    }
    for ((found, (x, y, n)), centre) in found.into_iter().zip(sums).zip(centres) {
        let expected = if n > 0 { (x / f64::from(n), y / f64::from(n)) } else { centre };
        assert!((found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function = context
        .compile(|points: Acc<Vector<Point>>, centres: Acc<Vector<Point>>| moved(&points, &centres))?;
    let points = Array::from(points(count));
    let mut centres = Array::from(vec![(0.0, 1.0), (4.0, 4.0), (9.0, 9.0)]);
    let start = Instant::now();
    for _ in 0..10 {
        centres = function.run(&points, &centres)?;
    }
    println!("10 rounds of {count} points in {:?}: {:?}", start.elapsed(), centres.to_vec());
    Ok(())
}
