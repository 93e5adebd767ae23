//! Copies between strided views: the normal form, and the kind of copy that it leads to.

use smallvec::SmallVec;

use crate::pool::{Cancelled, Schedule, ThreadPool};

use super::dense::copy_dense;
use super::transpose::{Transposition, transpose};
use super::{Address, GRAIN, serial_below};

/// One side of a copy. Offset and strides count elements, outermost dimension first.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The start of the block.
    pub start: *mut u8,
    /// Offset of the element whose indices are all 0.
    pub offset: i64,
    /// Distance between neighbours in each dimension; may be 0 in the source and negative in both.
    pub strides: &'a [i64],
}

/// A dimension of both views; strides are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Dim {
    size: usize,
    to: isize,
    from: isize,
}

type Dims = SmallVec<[Dim; 8]>;

/// Minimum extent of the two transposed dimensions.
const LEAST_SIDE: usize = 2;

/// Copies an array of elements of `width` (1, 2, 4 or 8) bytes between two views of its shape.
///
/// # Safety
/// Both views lie within memory that can be read and written. The result's view names no element twice and does not overlap the
/// source's. Nobody else touches the result meanwhile, and both `start`s are multiples of `width`.
///
/// # Panics
/// When the rank of the shape differs from the number of strides of a side.
pub unsafe fn copy_strided(
    threads: &ThreadPool,
    width: usize,
    shape: &[i64],
    to: Side<'_>,
    from: Side<'_>,
) -> Result<(), Cancelled> {
    assert!(shape.len() == to.strides.len() && shape.len() == from.strides.len(), "ranks of views");
    if shape.iter().any(|&size| size <= 0) {
        return Ok(());
    }
    // The stride of a dimension with one element is arbitrary and may overflow.
    let bytes = |elements: i64| (elements as isize).wrapping_mul(width as isize);
    let mut dims: Dims = (0..shape.len())
        .map(|dim| Dim {
            size: shape[dim] as usize,
            to: bytes(to.strides[dim]),
            from: bytes(from.strides[dim]),
        })
        .collect();
    let (to_shift, from_shift) = normalize(&mut dims);
    let to = Address(to.start.wrapping_offset(bytes(to.offset) + to_shift));
    let from = Address(from.start.wrapping_offset(bytes(from.offset) + from_shift));
    // SAFETY: the normal form names the same elements, and the caller promises access to them.
    unsafe { copy_normalized(threads, width, &dims, to, from) }
}

/// Brings dimensions into the normal form and returns the byte offsets by which the starts of the views move.
fn normalize(dims: &mut Dims) -> (isize, isize) {
    dims.retain(|dim| dim.size != 1);
    let (mut to_shift, mut from_shift) = (0, 0);
    for dim in dims.iter_mut().filter(|dim| dim.to < 0) {
        let last = dim.size as isize - 1;
        to_shift += last * dim.to;
        from_shift += last * dim.from;
        (dim.to, dim.from) = (-dim.to, -dim.from);
    }
    dims.sort_by_key(|dim| std::cmp::Reverse((dim.to, dim.from.unsigned_abs())));
    let mut merged: Dims = SmallVec::new();
    for &inner in dims.iter() {
        let size = inner.size as isize;
        match merged.last_mut() {
            Some(outer) if outer.to == inner.to * size && outer.from == inner.from * size => {
                *outer = Dim { size: outer.size * inner.size, ..inner };
            }
            Some(_) | None => merged.push(inner),
        }
    }
    *dims = merged;
    (to_shift, from_shift)
}

/// # Safety
/// As for [`copy_strided`].
unsafe fn copy_normalized(
    threads: &ThreadPool,
    width: usize,
    dims: &[Dim],
    to: Address,
    from: Address,
) -> Result<(), Cancelled> {
    let unit = width as isize;
    let whole = Dim { size: 1, to: unit, from: unit };
    let (&last, outer) = dims.split_last().unwrap_or((&whole, &[]));
    if outer.is_empty() && last.to == unit && last.from == unit {
        // SAFETY: the views are contiguous.
        return unsafe { copy_dense(threads, to.0, from.0, last.size * width) };
    }
    let source_unit = outer.iter().position(|dim| dim.from == unit && dim.size >= LEAST_SIDE);
    if let Some(rows) = source_unit.filter(|_| last.to == unit && last.size >= LEAST_SIDE) {
        let batches: SmallVec<[_; 8]> = (0..outer.len())
            .filter(|&dim| dim != rows)
            .map(|dim| (outer[dim].size, outer[dim].to, outer[dim].from))
            .collect();
        let job = Transposition {
            width,
            rows: outer[rows].size,
            columns: last.size,
            to_stride: outer[rows].to,
            from_stride: last.from,
            batches: &batches,
        };
        // SAFETY: the transposition accesses the same elements.
        return unsafe { transpose(threads, to.0, from.0, &job) };
    }
    let rows = Rows { outer, last, to, from };
    match width {
        1 => rows.copy::<u8>(threads),
        2 => rows.copy::<u16>(threads),
        4 => rows.copy::<u32>(threads),
        _ => rows.copy::<u64>(threads),
    }
}

/// A copy along the last dimension for all indices of the outer ones.
struct Rows<'a> {
    outer: &'a [Dim],
    last: Dim,
    to: Address,
    from: Address,
}

impl Rows<'_> {
    /// Copies all rows. Long rows are cut, so that even a few of them give work to all threads.
    fn copy<T: Copy>(&self, threads: &ThreadPool) -> Result<(), Cancelled> {
        let cut = (GRAIN / size_of::<T>()).min(self.last.size);
        let cuts = self.last.size.div_ceil(cut);
        let rows: usize = self.outer.iter().map(|dim| dim.size).product();
        let bytes = rows * self.last.size * size_of::<T>();
        let grain = (GRAIN / (cut * size_of::<T>())).max(1);
        serial_below(threads, bytes, rows * cuts, grain, Schedule::Static, &|lo, hi| {
            let mut odometer = Odometer::at(self.outer, lo / cuts);
            let mut piece = lo % cuts;
            for _ in lo..hi {
                let start = piece * cut;
                let size = cut.min(self.last.size - start);
                let to = self.to.offset(odometer.to + start as isize * self.last.to).0;
                let from = self.from.offset(odometer.from + start as isize * self.last.from).0;
                // SAFETY: the copy is within a row of the views, and the caller promises access to them.
                unsafe { copy_row::<T>(to, from, size, self.last) };
                piece += 1;
                if piece == cuts {
                    piece = 0;
                    odometer.step();
                }
            }
        })
    }
}

/// # Safety
/// `size` elements with the strides of `dim` can be read and written, aligned.
#[inline]
unsafe fn copy_row<T: Copy>(to: *mut u8, from: *const u8, size: usize, dim: Dim) {
    let unit = size_of::<T>() as isize;
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    // SAFETY: by contract.
    unsafe {
        match (dim.to == unit, dim.from) {
            // For a short row, a call costs more than the copy.
            (true, stride) if stride == unit && size * size_of::<T>() >= 64 => {
                std::ptr::copy_nonoverlapping(from, to, size);
            }
            (true, 0) => std::slice::from_raw_parts_mut(to, size).fill(*from),
            _ => {
                for index in 0..size as isize {
                    *to.byte_offset(index * dim.to) = *from.byte_offset(index * dim.from);
                }
            }
        }
    }
}

/// Indices of the outer dimensions and the byte offsets of the row they name.
struct Odometer<'a> {
    dims: &'a [Dim],
    index: SmallVec<[usize; 8]>,
    to: isize,
    from: isize,
}

impl<'a> Odometer<'a> {
    /// Makes an odometer at the row with this number.
    fn at(dims: &'a [Dim], mut number: usize) -> Odometer<'a> {
        let mut index: SmallVec<[usize; 8]> = SmallVec::from_elem(0, dims.len());
        let (mut to, mut from) = (0, 0);
        for (index, dim) in index.iter_mut().zip(dims).rev() {
            *index = number % dim.size;
            number /= dim.size;
            to += *index as isize * dim.to;
            from += *index as isize * dim.from;
        }
        Odometer { dims, index, to, from }
    }

    /// Advances to the next row.
    fn step(&mut self) {
        for (index, dim) in self.index.iter_mut().zip(self.dims).rev() {
            *index += 1;
            self.to += dim.to;
            self.from += dim.from;
            if *index < dim.size {
                return;
            }
            *index = 0;
            self.to -= dim.size as isize * dim.to;
            self.from -= dim.size as isize * dim.from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dim(size: usize, to: isize, from: isize) -> Dim {
        Dim { size, to, from }
    }

    #[test]
    fn the_normal_form_merges_sorts_and_turns_round() {
        let check = |dims: &[Dim], expect: &[Dim], shifts: (isize, isize)| {
            let mut normal = Dims::from_slice(dims);
            assert_eq!(normalize(&mut normal), shifts);
            assert_eq!(normal.as_slice(), expect);
        };
        check(&[dim(2, 12, 12), dim(3, 4, 4)], &[dim(6, 4, 4)], (0, 0));
        check(&[dim(3, 4, 4), dim(2, 12, 12)], &[dim(6, 4, 4)], (0, 0));
        check(&[dim(2, 12, 4), dim(3, 4, 8)], &[dim(2, 12, 4), dim(3, 4, 8)], (0, 0));
        check(&[dim(1, 99, 7), dim(3, -4, 4)], &[dim(3, 4, -4)], (-8, 8));
        check(&[dim(3, -4, -4)], &[dim(3, 4, 4)], (-8, -8));
        check(&[dim(5, 12, 0), dim(3, 4, 0)], &[dim(15, 4, 0)], (0, 0));
        check(&[], &[], (0, 0));
    }
}
