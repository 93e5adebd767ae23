//! Memory under a run of a program at level `mem` (papers/002, Figure 10). It checks that every array lies where its placement
//! says, and that no two iterations interfere.
//!
//! The values of a run come from the interpreter, which knows nothing of memory. Beside them, the heap keeps every block byte by
//! byte. An operation that makes an array writes the array to its placement. An operation that reads an element must find the
//! array's value there; otherwise the placements are wrong: another value was put into the same place too early, or an index
//! function does not lead to the element. In operations with parallel dimensions every access is noted with its iteration
//! ([`races`](crate::races)).
//!
//! Blocks are numbered; a variable of type `mem` holds the number (papers/002, Figure 9).
//! Not modelled: when blocks are freed, and in which order parallel iterations run.

use warpwise_prim::{Scalar, ScalarType};

use crate::races::{Kind, Races};
use crate::value::ArrayValue;

/// All blocks of a run, and the iterations that use them.
#[derive(Default)]
pub(crate) struct Heap {
    /// The bytes of every block; `None` for a byte that was never written.
    blocks: Vec<Vec<Option<u8>>>,
    pub(crate) races: Races,
}

/// The placement of an array, with the values of its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) block: usize,
    pub(crate) elem: ScalarType,
    /// Offset in elements.
    pub(crate) offset: i64,
    /// Extents and strides, in elements.
    pub(crate) dims: Vec<(usize, i64)>,
}

/// The result of an access; the error says what is wrong with it.
pub(crate) type Access<T> = Result<T, String>;

impl Heap {
    /// Allocates a block of `bytes` bytes and returns its number.
    pub(crate) fn alloc(&mut self, bytes: usize) -> usize {
        self.blocks.push(vec![None; bytes]);
        self.blocks.len() - 1
    }

    /// Reads an element and checks that it is `expected`.
    pub(crate) fn read(&mut self, block: usize, at: i64, expected: Scalar) -> Access<()> {
        let bytes = self.bytes(block, at, expected.ty())?;
        self.races.access(block, bytes.clone(), Kind::Read)?;
        let found = self.blocks[block][bytes]
            .iter()
            .rev()
            .try_fold(0, |bits, byte| Some(bits << 8 | u64::from((*byte)?)));
        match found {
            None => Err(format!("element {at} of its block was not written")),
            Some(bits) if bits == expected.to_bits() => Ok(()),
            Some(bits) => {
                let found = Scalar::from_bits(expected.ty(), bits);
                Err(format!("at element {at} of its block lies {found:?} instead of {expected:?}"))
            }
        }
    }

    /// Writes an element; atomic writes of different iterations may coincide.
    pub(crate) fn write(&mut self, block: usize, at: i64, value: Scalar, kind: Kind) -> Access<()> {
        let bytes = self.bytes(block, at, value.ty())?;
        self.races.access(block, bytes.clone(), kind)?;
        let bits = value.to_bits();
        for (number, byte) in self.blocks[block][bytes].iter_mut().enumerate() {
            *byte = Some((bits >> (8 * number)) as u8);
        }
        Ok(())
    }

    /// Reads a whole array and checks that it is `value`.
    pub(crate) fn read_array(&mut self, place: &Place, value: &ArrayValue) -> Access<()> {
        let elements = place.elements();
        elements
            .into_iter()
            .zip(value.data.iter())
            .try_for_each(|(at, &value)| self.read(place.block, at, value))
    }

    /// Writes a whole array.
    pub(crate) fn write_array(&mut self, place: &Place, value: &[Scalar], kind: Kind) -> Access<()> {
        let elements = place.elements();
        elements.into_iter().zip(value).try_for_each(|(at, &value)| self.write(place.block, at, value, kind))
    }

    /// Notes that an array is used, without reading or writing it.
    pub(crate) fn note(&mut self, place: &Place, kind: Kind) -> Access<()> {
        for at in place.elements() {
            let bytes = self.bytes(place.block, at, place.elem)?;
            self.races.access(place.block, bytes, kind)?;
        }
        Ok(())
    }

    /// Checks that all elements of an array lie inside its block, whether or not they are used.
    pub(crate) fn holds(&self, place: &Place) -> Access<()> {
        let Some((first, last)) = place.ends() else { return Ok(()) };
        self.bytes(place.block, first, place.elem)?;
        self.bytes(place.block, last, place.elem).map(drop)
    }

    fn bytes(&self, block: usize, at: i64, elem: ScalarType) -> Access<std::ops::Range<usize>> {
        let size = self.blocks[block].len();
        let start = at.checked_mul(elem.bytes() as i64).and_then(|start| usize::try_from(start).ok());
        let range = start.map(|start| start..start.saturating_add(elem.bytes()));
        range.filter(|range| range.end <= size).ok_or_else(|| {
            format!("element {at} of type {} lies outside its block of {size} bytes", elem.name())
        })
    }
}

impl Place {
    /// Returns the place of the element or subarray at these leading indices.
    pub(crate) fn row(&self, indices: &[i64]) -> Place {
        let moved = indices.iter().zip(&self.dims).map(|(&index, &(_, stride))| index.wrapping_mul(stride));
        let offset = moved.fold(self.offset, i64::wrapping_add);
        Place { offset, dims: self.dims[indices.len()..].to_vec(), ..*self }
    }

    /// Returns the place of `rows` rows, starting at row `first`.
    pub(crate) fn segment(&self, first: i64, rows: usize) -> Place {
        let mut dims = self.dims.clone();
        dims[0].0 = rows;
        Place { offset: self.offset.wrapping_add(first.wrapping_mul(dims[0].1)), dims, ..*self }
    }

    /// Returns the lowest and the highest place of an element; `None` if there are no elements.
    fn ends(&self) -> Option<(i64, i64)> {
        let (mut first, mut last) = (self.offset, self.offset);
        for &(extent, stride) in &self.dims {
            let way = stride.saturating_mul(extent.checked_sub(1)? as i64);
            let end = if way < 0 { &mut first } else { &mut last };
            *end = end.saturating_add(way);
        }
        Some((first, last))
    }

    /// Returns the places of all elements in row-major order.
    pub(crate) fn elements(&self) -> Vec<i64> {
        let mut places = vec![self.offset];
        for &(extent, stride) in &self.dims {
            let along =
                |&place: &i64| (0..extent as i64).map(move |i| place.wrapping_add(i.wrapping_mul(stride)));
            places = places.iter().flat_map(along).collect();
        }
        places
    }
}
