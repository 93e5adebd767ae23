//! Sparse matrices: products with vectors, and the ranks of pages that link to each other.
//! `cargo run --release --example sparse [PAGES]`.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector, fill};

/// Lengths of the rows, then the columns and values of all elements, row by row.
type Rows = (Acc<Vector<i64>>, Acc<Vector<(i64, f64)>>);

/// Computes the product with a vector.
fn multiply((lengths, elements): &Rows, vector: &Acc<Vector<f64>>) -> Acc<Vector<f64>> {
    let vector = vector.reader();
    elements.map(move |(column, value)| value * vector.at(column)).fold_segments(0.0, lengths, |x, y| x + y)
}

/// Computes the ranks of pages after `rounds` iterations, from `(from, to)` links in any order.
fn ranks(pages: Exp<i64>, links: &Acc<Vector<(i64, i64)>>, rounds: i64) -> Acc<Vector<f64>> {
    let sources = links.reader();
    let degrees = fill(pages, 0.0_f64).permute(
        &fill(links.size(), 1.0),
        |x, y| x + y,
        move |i| (true, sources.at(i).0),
    );
    let base = 1.0 / pages.cast::<f64>();
    let state = (fill(pages, base), warpwise::unit(0_i64));
    let (ranks, _) = warpwise::awhile(
        &state,
        |(_, round)| round.the().lt(rounds),
        |(ranks, round)| {
            let (current, degrees) = (ranks.reader(), degrees.reader());
            let shares = links.map(move |(from, _)| current.at(from) / degrees.at(from));
            let received = fill(pages, 0.0).permute(&shares, |x, y| x + y, move |i| (true, sources.at(i).1));
            (received.map(move |rank| 0.15 * base + 0.85 * rank), round.map(|round| round + 1))
        },
    );
    ranks
}

/// Makes links between pages, at least one from each.
fn links(pages: usize) -> Vec<(i64, i64)> {
    let link = |i: usize| ((i % pages) as i64, ((i * i + 7 * i + 3) % pages) as i64);
    (0..4 * pages).map(link).collect()
}

/// Compares with plain loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let product = context.compile(
        |lengths: Acc<Vector<i64>>, elements: Acc<Vector<(i64, f64)>>, x: Acc<Vector<f64>>| {
            multiply(&(lengths, elements), &x)
        },
    )?;
    let rows: Vec<Vec<(i64, f64)>> = (0..30_i64)
        .map(|row| (0..row % 5).map(|i| ((row * 3 + i) % 20, (row + i) as f64)).collect())
        .collect();
    let vector: Vec<f64> = (0..20).map(f64::from).collect();
    let lengths: Vec<i64> = rows.iter().map(|row| row.len() as i64).collect();
    let found = product.run(&lengths.into(), &rows.concat().into(), &vector.clone().into())?;
    let expected = |row: &Vec<(i64, f64)>| {
        row.iter().map(|(column, value)| value * vector[*column as usize]).sum::<f64>()
    };
    assert_eq!(found.to_vec(), rows.iter().map(expected).collect::<Vec<f64>>());

    let (pages, links) = (50, links(50));
    let function =
        context.compile(|pages: Exp<i64>, links: Acc<Vector<(i64, i64)>>| ranks(pages, &links, 10))?;
    let found = function.run(pages as i64, &links.clone().into())?.to_vec();
    let mut expected = vec![1.0 / pages as f64; pages];
    for _ in 0..10 {
        let mut next = vec![0.15 / pages as f64; pages];
        for (from, to) in &links {
            let degree = links.iter().filter(|link| link.0 == *from).count();
            next[*to as usize] += 0.85 * expected[*from as usize] / degree as f64;
        }
        expected = next;
    }
    assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = std::env::args().nth(1).map_or(Ok(100_000), |pages| pages.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function =
        context.compile(|pages: Exp<i64>, links: Acc<Vector<(i64, i64)>>| ranks(pages, &links, 10))?;
    let links = Array::from(links(pages));
    let start = Instant::now();
    let ranks = function.run(pages as i64, &links)?.to_vec();
    let best = ranks.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    println!("10 rounds of {pages} pages in {:?}; the first of all: {best:?}", start.elapsed());
    Ok(())
}
