//! Sparse matrices times vectors: a matrix is the sequence of its rows, whose lengths differ.

use std::error::Error;
use std::io;
use std::path::Path;

use warpwise::{Acc, Array, Consumer, Context, Seq, Singleton, Source, SourceOptions, Vector, open, use_};

use super::files::write;
use super::random::{bits, normal, unit};

/// An element of a row: its column and its value.
pub type Element = (i32, f64);

/// Shape parameters of a matrix.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    /// Number of elements.
    pub elements: usize,
    /// Average number of elements of a row.
    pub mean: f64,
    /// Spread of the logarithms of the rows' lengths.
    pub skew: f64,
    /// Whether elements lie near the diagonal, or else anywhere.
    pub banded: bool,
}

/// Matrices from many applications: proteins, ships, circuits, timetables, flows.
pub const KINDS: [Kind; 14] = [
    kind("protein", 4.3, 119.0, 0.3, true),
    kind("spheres", 6.0, 72.0, 0.2, true),
    kind("cantilever", 4.0, 64.0, 0.2, true),
    kind("wind tunnel", 11.6, 53.0, 0.1, true),
    kind("harbour", 2.4, 50.0, 0.6, true),
    kind("ship", 7.8, 55.0, 0.3, true),
    kind("timetable", 11.3, 10.0, 1.2, false),
    kind("power grid", 8.8, 154.0, 1.3, true),
    kind("circuit", 26.6, 9.0, 1.4, false),
    kind("filter", 48.5, 42.0, 0.3, true),
    kind("steel flange", 117.4, 75.0, 0.1, true),
    kind("bridge", 329.5, 80.0, 0.1, true),
    kind("optimisation", 774.5, 28.0, 0.1, true),
    kind("turbine", 283.0, 140.0, 0.2, true),
];

const fn kind(name: &'static str, millions: f64, mean: f64, skew: f64, banded: bool) -> Kind {
    Kind { name, elements: (millions * 1e6) as usize, mean, skew, banded }
}

/// A matrix by rows.
pub struct Matrix {
    /// Lengths of the rows.
    pub lengths: Vector<i64>,
    /// All elements, row by row.
    pub elements: Vector<Element>,
    /// Number of columns, which is also the number of rows.
    pub columns: usize,
}

impl Kind {
    /// Makes a matrix of this kind with fewer rows, so that it has about `most` elements at most.
    pub fn matrix(&self, most: usize) -> Result<Matrix, warpwise::Error> {
        let rows = ((self.elements.min(most) as f64 / self.mean) as usize).max(1);
        let length = |row: usize| -> i64 {
            let spread = (self.skew * normal(1, row as u64) - self.skew * self.skew / 2.0).exp();
            ((self.mean * spread) as usize).min(rows) as i64
        };
        let lengths: Vec<i64> = (0..rows).map(length).collect();
        let mut elements = Vec::with_capacity(lengths.iter().sum::<i64>() as usize);
        for (row, length) in lengths.iter().map(|&length| length as usize).enumerate() {
            let width = if self.banded { (3 * length).min(rows) } else { rows };
            let first = row.saturating_sub(width / 2).min(rows - width);
            let mut columns: Vec<i32> = (0..length as u64)
                .map(|i| (first + (bits(2, ((row as u64) << 24) | i) % width.max(1) as u64) as usize) as i32)
                .collect();
            columns.sort_unstable();
            elements.extend(columns.into_iter().enumerate().map(|(i, c)| (c, unit(3, (row + i) as u64))));
        }
        Ok(Matrix { lengths: lengths.into(), elements: elements.into(), columns: rows })
    }
}

/// Computes a row times a vector.
fn dot(row: &Acc<Vector<Element>>, vector: &Acc<Vector<f64>>) -> Acc<Singleton<f64>> {
    let vector = vector.reader();
    row.map(move |(column, value)| value * vector.at(column.cast::<i64>())).sum()
}

/// Computes the product of a matrix and a vector, row by row.
pub fn sequence(rows: &Seq<Acc<Vector<Element>>>, vector: &Vector<f64>) -> Consumer<Vector<f64>> {
    let vector = use_(vector);
    rows.map(|row| dot(&row, &vector)).elements()
}

/// Computes the product of a whole matrix and a vector.
pub fn whole(
    lengths: &Acc<Vector<i64>>,
    elements: &Acc<Vector<Element>>,
    vector: &Acc<Vector<f64>>,
) -> Acc<Vector<f64>> {
    let vector = vector.reader();
    let products = elements.map(move |(column, value)| value * vector.at(column.cast::<i64>()));
    products.fold_segments(0.0, lengths, |x, y| x + y)
}

/// Writes a matrix as three files in a folder.
pub fn store(matrix: &Matrix, folder: &Path) -> io::Result<()> {
    let elements = matrix.elements.to_vec();
    write(&folder.join("lengths.raw"), matrix.lengths.as_slice().iter().map(|length| length.to_le_bytes()))?;
    write(&folder.join("columns.raw"), elements.iter().map(|(column, _)| column.to_le_bytes()))?;
    write(&folder.join("values.raw"), elements.iter().map(|(_, value)| value.to_le_bytes()))
}

/// Opens the three files.
pub fn sources(folder: &Path) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    let options = SourceOptions::default();
    Ok(vec![
        open::<i64>(&folder.join("lengths.raw"), 0, &options)?,
        open::<i32>(&folder.join("columns.raw"), 0, &options)?,
        open::<f64>(&folder.join("values.raw"), 0, &options)?,
    ])
}

/// Reads the rows of a matrix from files.
pub fn read(mut sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Vector<Element>>>, warpwise::Error> {
    let lengths = sources.remove(0);
    Seq::read_segments(lengths, sources)
}

/// Compares with plain loops.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    for kind in KINDS {
        let matrix = kind.matrix(2000)?;
        let numbers: Vec<f64> = (0..matrix.columns).map(|i| (i % 8) as f64).collect();
        let vector: Vector<f64> = Array::from(numbers.clone());
        let elements = matrix.elements.to_vec();
        let mut rest = elements.as_slice();
        let mut expected = Vec::new();
        for &length in matrix.lengths.as_slice() {
            let (row, later) = rest.split_at(length as usize);
            expected.push(row.iter().map(|(column, value)| value * numbers[*column as usize]).sum::<f64>());
            rest = later;
        }
        let rows = Seq::segments(&matrix.elements, &matrix.lengths);
        store(&matrix, folder)?;
        let product = context
            .compile(|lengths: Acc<Vector<i64>>, elements, vector| whole(&lengths, &elements, &vector))?;
        for found in [
            sequence(&rows, &vector).run(context)?,
            sequence(&read(sources(folder)?)?, &vector).run(context)?,
            product.run(&matrix.lengths, &matrix.elements, &vector)?,
        ] {
            let found = found.to_vec();
            assert_eq!(found.len(), expected.len(), "{}", kind.name);
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() <= 1e-12 * expected.abs(),
                    "{}: {found} {expected}",
                    kind.name
                );
            }
        }
    }
    Ok(())
}
