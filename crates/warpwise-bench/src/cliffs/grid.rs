//! The extents that patterns are run over: different shapes with about equally many elements.

/// Inner extents in the columns of the table.
pub const INNER: [i64; 16] = [1, 2, 3, 5, 8, 16, 17, 31, 64, 100, 300, 1024, 5003, 65_536, 262_147, 1 << 20];

/// Extents at which behaviour is likely to change: zero, one, powers of two with their neighbours, primes.
const ODD: [i64; 20] = [0, 1, 2, 3, 4, 6, 7, 8, 9, 13, 15, 16, 17, 31, 33, 64, 127, 129, 1000, 1021];

/// Shapes of equal rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The extents of each shape, outermost first.
    pub shapes: Vec<Vec<i64>>,
}

impl Grid {
    /// Returns the shapes of the table's columns: rows of [`INNER`] elements, `total` in all.
    pub fn columns(total: i64) -> Grid {
        Grid { shapes: INNER.iter().map(|inner| vec![(total / inner).max(1), *inner]).collect() }
    }

    /// Returns shapes with `rank` dimensions and at most about `total` elements: small ones, long and thin ones, short and wide
    /// ones.
    pub fn of(rank: usize, total: i64) -> Grid {
        let mut shapes = Vec::new();
        match rank {
            1 => shapes.extend([0, 1, 7, 64, 1000, 65_537, total, total - 1].map(|extent| vec![extent])),
            2 => {
                shapes.extend([[0, 0], [0, 3], [3, 0], [1, 1], [7, 5]].map(Vec::from));
                let thin = ODD.iter().chain(&INNER).filter(|extent| **extent > 0);
                for &extent in thin {
                    let other = (total / extent).max(1);
                    shapes.push(vec![other, extent]);
                    if extent < 64 {
                        shapes.push(vec![extent, other]);
                    }
                }
            }
            _ => {
                shapes.extend([[0, 2, 3], [2, 0, 3], [2, 3, 0], [1, 1, 1], [3, 5, 7]].map(Vec::from));
                for &short in ODD.iter().filter(|extent| **extent > 0) {
                    for middle in [1, 3, 8, 30, 257] {
                        let long = (total / (short * middle)).max(1);
                        shapes.push(vec![long, middle, short]);
                        shapes.push(vec![short, long, middle]);
                        shapes.push(vec![middle, short, long]);
                    }
                }
            }
        }
        Grid { shapes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_their_number_of_dimensions_and_a_bounded_number_of_elements() {
        for rank in 1..=3 {
            let grid = Grid::of(rank, 1 << 16);
            assert!(grid.shapes.iter().all(|shape| shape.len() == rank));
            assert!(grid.shapes.iter().all(|shape| shape.iter().product::<i64>() <= 1 << 21));
            assert!(grid.shapes.iter().any(|shape| shape.contains(&0)));
        }
    }
}
