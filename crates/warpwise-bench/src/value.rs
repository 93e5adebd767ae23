//! Scalars and arrays as all peers see them: an element kind, a shape, and bytes that start at a cache line.
//!
//! Large arrays request huge pages, so that no peer pays for small ones. The binary format read and written here is the value
//! format of the array language (`b`, version 2, rank, kind, sizes, elements).

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::io::{Read, Write};

use rayon::prelude::*;

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
}

impl Kind {
    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            Kind::F32 | Kind::I32 => 4,
            Kind::F64 | Kind::I64 => 8,
        }
    }

    /// Returns the name in the array language.
    pub fn name(self) -> &'static str {
        match self {
            Kind::F32 => "f32",
            Kind::F64 => "f64",
            Kind::I32 => "i32",
            Kind::I64 => "i64",
        }
    }

    fn parse(name: &str) -> Option<Kind> {
        [Kind::F32, Kind::F64, Kind::I32, Kind::I64].into_iter().find(|kind| kind.name() == name)
    }
}

/// A scalar (no dimensions) or an array in row-major order.
#[derive(Debug)]
pub struct Value {
    /// The kind of the elements.
    pub kind: Kind,
    /// The size of every dimension; none for a scalar.
    pub shape: Vec<usize>,
    bytes: Bytes,
}

impl Value {
    /// Creates an array of zeros.
    pub fn zeros(kind: Kind, shape: &[usize]) -> Value {
        let count: usize = shape.iter().product();
        Value { kind, shape: shape.to_vec(), bytes: Bytes::zeroed(count * kind.size()) }
    }

    /// Creates an array whose elements are computed from their positions, on all cores.
    pub fn tabulate_f32(shape: &[usize], f: impl Fn(usize) -> f32 + Sync) -> Value {
        let mut value = Value::zeros(Kind::F32, shape);
        value.f32s_mut().par_iter_mut().enumerate().for_each(|(i, x)| *x = f(i));
        value
    }

    /// Like [`Value::tabulate_f32`], for `f64`.
    pub fn tabulate_f64(shape: &[usize], f: impl Fn(usize) -> f64 + Sync) -> Value {
        let mut value = Value::zeros(Kind::F64, shape);
        value.f64s_mut().par_iter_mut().enumerate().for_each(|(i, x)| *x = f(i));
        value
    }

    /// Like [`Value::tabulate_f32`], for `i32`.
    pub fn tabulate_i32(shape: &[usize], f: impl Fn(usize) -> i32 + Sync) -> Value {
        let mut value = Value::zeros(Kind::I32, shape);
        value.i32s_mut().par_iter_mut().enumerate().for_each(|(i, x)| *x = f(i));
        value
    }

    /// Creates a scalar of kind `f32`.
    pub fn f32(x: f32) -> Value {
        Value::tabulate_f32(&[], |_| x)
    }

    /// Creates a scalar of kind `f64`.
    pub fn f64(x: f64) -> Value {
        Value::tabulate_f64(&[], |_| x)
    }

    /// Creates a scalar of kind `i32`.
    pub fn i32(x: i32) -> Value {
        Value::tabulate_i32(&[], |_| x)
    }

    /// Creates a scalar of kind `i64`.
    pub fn i64(x: i64) -> Value {
        let mut value = Value::zeros(Kind::I64, &[]);
        value.i64s_mut()[0] = x;
        value
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the elements, which must be of this kind.
    pub fn f32s(&self) -> &[f32] {
        assert_eq!(self.kind, Kind::F32);
        bytemuck::cast_slice(self.bytes.as_slice())
    }

    /// Like [`Value::f32s`], for `f64`.
    pub fn f64s(&self) -> &[f64] {
        assert_eq!(self.kind, Kind::F64);
        bytemuck::cast_slice(self.bytes.as_slice())
    }

    /// Like [`Value::f32s`], for `i32`.
    pub fn i32s(&self) -> &[i32] {
        assert_eq!(self.kind, Kind::I32);
        bytemuck::cast_slice(self.bytes.as_slice())
    }

    /// Like [`Value::f32s`], for `i64`.
    pub fn i64s(&self) -> &[i64] {
        assert_eq!(self.kind, Kind::I64);
        bytemuck::cast_slice(self.bytes.as_slice())
    }

    fn f32s_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(self.bytes.as_mut_slice())
    }

    fn f64s_mut(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(self.bytes.as_mut_slice())
    }

    fn i32s_mut(&mut self) -> &mut [i32] {
        bytemuck::cast_slice_mut(self.bytes.as_mut_slice())
    }

    fn i64s_mut(&mut self) -> &mut [i64] {
        bytemuck::cast_slice_mut(self.bytes.as_mut_slice())
    }

    /// Returns the elements as bytes in the machine's byte order.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Like [`Value::bytes`], mutably.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.as_mut_slice()
    }

    /// Copies the first `count` elements of a one-dimensional array.
    pub fn prefix(&self, count: usize) -> Value {
        let mut value = Value::zeros(self.kind, &[count]);
        let bytes = count * self.kind.size();
        value.bytes_mut().copy_from_slice(&self.bytes()[..bytes]);
        value
    }

    /// Writes the binary value format.
    pub fn write_binary(&self, to: &mut impl Write) -> std::io::Result<()> {
        write!(to, "b\x02{}", self.shape.len() as u8 as char)?;
        write!(to, "{:>4}", self.kind.name())?;
        for size in &self.shape {
            to.write_all(&(*size as u64).to_le_bytes())?;
        }
        to.write_all(self.bytes())
    }

    /// Reads one value in the binary format.
    pub fn read_binary(from: &mut impl Read) -> Result<Value, String> {
        let mut head = [0; 7];
        from.read_exact(&mut head).map_err(|error| format!("no value: {error}"))?;
        let kind = std::str::from_utf8(&head[3..]).ok().and_then(|name| Kind::parse(name.trim()));
        let Some(kind) = kind.filter(|_| head[..2] == *b"b\x02") else {
            return Err(format!("not a binary value of a known kind: {head:?}"));
        };
        let mut shape = Vec::new();
        for _ in 0..head[2] {
            let mut size = [0; 8];
            from.read_exact(&mut size).map_err(|error| format!("shape cut short: {error}"))?;
            shape.push(u64::from_le_bytes(size) as usize);
        }
        let mut value = Value::zeros(kind, &shape);
        from.read_exact(value.bytes_mut()).map_err(|error| format!("elements cut short: {error}"))?;
        Ok(value)
    }
}

/// Owned bytes, aligned to a cache line, or to a huge page if there are many.
#[derive(Debug)]
struct Bytes {
    start: *mut u8,
    length: usize,
    layout: Layout,
}

// SAFETY: the memory is owned exclusively, and changes through `&mut self` only.
unsafe impl Sync for Bytes {}

const CACHE_LINE: usize = 64;
const HUGE_PAGE: usize = 2 << 20;

impl Bytes {
    fn zeroed(length: usize) -> Bytes {
        let align = if length >= HUGE_PAGE { HUGE_PAGE } else { CACHE_LINE };
        let layout = Layout::from_size_align(length.max(1).next_multiple_of(align), align)
            .expect("arrays of the benchmarks are far smaller than the address space");
        // SAFETY: the layout's size is not zero; the memory is written in full before it is read.
        let start = unsafe {
            let start = alloc(layout);
            if start.is_null() {
                handle_alloc_error(layout);
            }
            libc::madvise(start.cast(), layout.size(), libc::MADV_HUGEPAGE);
            std::ptr::write_bytes(start, 0, layout.size());
            start
        };
        Bytes { start, length, layout }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: `start` owns `layout.size() >= length` initialised bytes.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed for writing.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout and not freed before.
        unsafe { dealloc(self.start, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_values_come_back() {
        for value in
            [Value::i64(-3), Value::tabulate_f32(&[2, 3], |i| i as f32), Value::zeros(Kind::F64, &[0])]
        {
            let mut bytes = Vec::new();
            value.write_binary(&mut bytes).unwrap();
            let back = Value::read_binary(&mut bytes.as_slice()).unwrap();
            assert_eq!((back.kind, &back.shape, back.bytes()), (value.kind, &value.shape, value.bytes()));
        }
    }

    #[test]
    fn cut_values_are_errors() {
        let mut bytes = Vec::new();
        Value::i64(7).write_binary(&mut bytes).unwrap();
        for length in 0..bytes.len() {
            assert!(Value::read_binary(&mut &bytes[..length]).is_err());
        }
    }
}
