//! Arrays as text: one row per line, abbreviated if they are large.
//!
//! ```text
//! [[0, 1, 2, ..., 97, 98, 99],
//!  [100, 101, 102, ..., 197, 198, 199]]
//! ```
//!
//! Only the elements that are printed are read.

use std::fmt;

use super::Array;
use crate::elt::Elt;
use crate::shape::Shape;

/// Maximum number of elements of an array that is printed in full.
const ELEMENTS: usize = 500;
/// Number of indices printed at either end of an abbreviated dimension.
const ENDS: usize = 3;

/// Prints the elements by rows; of large arrays, only the first and last indices of every dimension. Options such as `{:.2}`
/// apply to the elements.
impl<Sh: Shape, E: Elt + fmt::Display> fmt::Display for Array<Sh, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, &mut Vec::new(), &|element, f| element.fmt(f))
    }
}

/// Prints like [`Display`](fmt::Display), preceded by the extents.
impl<Sh: Shape, E: Elt + fmt::Debug> fmt::Debug for Array<Sh, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array {:?} ", self.raw.shape)?;
        self.print(f, &mut Vec::new(), &|element, f| element.fmt(f))
    }
}

/// Function that prints an element.
type Element<'a, E> = &'a dyn Fn(&E, &mut fmt::Formatter<'_>) -> fmt::Result;

impl<Sh: Shape, E: Elt> Array<Sh, E> {
    /// Prints the part of the array at the first dimensions of an index.
    fn print(
        &self,
        f: &mut fmt::Formatter<'_>,
        index: &mut Vec<usize>,
        element: Element<'_, E>,
    ) -> fmt::Result {
        let extents = self.extents();
        let Some(&extent) = extents.as_ref().get(index.len()) else {
            let place = extents.as_ref().iter().zip(&*index).fold(0, |place, (size, at)| place * size + at);
            return match self.at_place(place) {
                Some(value) => element(&value, f),
                None => Err(fmt::Error),
            };
        };
        let is_innermost = index.len() + 1 == extents.as_ref().len();
        let indent = index.len() + 1;
        f.write_str("[")?;
        for (number, at) in self.printed(extent).into_iter().enumerate() {
            match is_innermost {
                _ if number == 0 => {}
                true => f.write_str(", ")?,
                false => write!(f, ",\n{:indent$}", "")?,
            }
            match at {
                Some(at) => {
                    index.push(at);
                    self.print(f, index, element)?;
                    index.pop();
                }
                None => f.write_str("...")?,
            }
        }
        f.write_str("]")
    }

    /// Returns the indices printed of a dimension of this extent, with `None` in place of the omitted ones.
    fn printed(&self, extent: usize) -> Vec<Option<usize>> {
        match self.len() > ELEMENTS && extent > 2 * ENDS {
            true => (0..ENDS).map(Some).chain([None]).chain((extent - ENDS..extent).map(Some)).collect(),
            false => (0..extent).map(Some).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Error, Matrix, Vector};

    #[test]
    fn small_arrays_are_printed_whole() -> Result<(), Error> {
        assert_eq!(Vector::from([1, 2, 3]).to_string(), "[1, 2, 3]");
        assert_eq!(Matrix::from([[1, 2], [3, 4]]).to_string(), "[[1, 2],\n [3, 4]]");
        assert_eq!(format!("{:.1}", Vector::from([1.0, 2.25])), "[1.0, 2.2]");
        assert_eq!(format!("{:?}", Vector::from(['a', 'b'])), "Array [2] ['a', 'b']");
        let cube = Array::from_fn([2, 1, 2], |[i, _, k]| (i + 10 * k) as u8)?;
        assert_eq!(cube.to_string(), "[[[0, 10]],\n [[1, 11]]]");
        assert_eq!(Array::from_vec([], vec![7])?.to_string(), "7");
        assert_eq!(Array::from_vec([0], Vec::<i32>::new())?.to_string(), "[]");
        assert_eq!(Array::from_vec([2, 0], Vec::<i32>::new())?.to_string(), "[[],\n []]");
        Ok(())
    }

    #[test]
    fn long_arrays_end() -> Result<(), Error> {
        let long: Vector<u32> = (0..1000).collect();
        assert_eq!(long.to_string(), "[0, 1, 2, ..., 997, 998, 999]");
        assert_eq!(format!("{long:?}"), "Array [1000] [0, 1, 2, ..., 997, 998, 999]");
        let wide = Array::from_fn([2, 300], |[i, j]| (i * 300 + j) as u32)?;
        assert_eq!(
            wide.to_string(),
            "[[0, 1, 2, ..., 297, 298, 299],\n [300, 301, 302, ..., 597, 598, 599]]"
        );
        let tall = Array::from_fn([300, 2], |[i, j]| (2 * i + j) as u32)?;
        let rows: Vec<String> = tall.to_string().lines().map(str::to_string).collect();
        assert_eq!((rows.len(), rows[3].as_str(), rows[6].as_str()), (7, " ...,", " [598, 599]]"));
        let large = Array::from_fn([40, 40, 40], |_| 1.5_f32)?;
        assert!(format!("{large:?}").len() < 3000);
        Ok(())
    }
}
