//! Elements as they lie in memory: raw data, and the data after the header of an `.npy` file or of a value in the binary format.

use std::io::{self, ErrorKind};
use std::time::Duration;

use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;
use warpwise_runtime::formats::{Source as FormatSource, read_binary_header, read_npy_header};

use super::piped::Arrivals;
use super::{End, Read, Source};
use crate::element::ElementType;

/// A source of elements as bytes.
pub struct ByteSource {
    name: String,
    element: ElementType,
    reader: Box<dyn io::Read + Send>,
    /// Number of remaining elements, if a header states it.
    left: Option<u64>,
    big_endian: bool,
    /// Arrivals of a pipe.
    arrivals: Option<Arrivals>,
}

/// The rows of a file, as stated by its header.
pub(super) struct Rows {
    pub element: ElementType,
    pub count: u64,
    pub big_endian: bool,
}

impl ByteSource {
    /// Makes a source of elements in this machine's byte order, until the input ends.
    pub fn raw(
        name: &str,
        reader: Box<dyn io::Read + Send>,
        element: ElementType,
    ) -> Result<ByteSource, String> {
        match element.bytes() {
            None | Some(0) => Err(format!("{name}: elements of type {element} cannot be told apart")),
            Some(_) => {
                let (name, left, big_endian, arrivals) = (name.to_string(), None, false, None);
                Ok(ByteSource { name, element, reader, left, big_endian, arrivals })
            }
        }
    }

    /// Makes a source of the rows of a file whose header has been read.
    pub(super) fn rows(name: &str, reader: Box<dyn io::Read + Send>, rows: Rows) -> ByteSource {
        let Rows { element, count, big_endian } = rows;
        let (name, left, arrivals) = (name.to_string(), Some(count), None);
        ByteSource { name, element, reader, left, big_endian, arrivals }
    }

    /// Sets the arrivals of an input that is still being written.
    pub(super) fn arriving(self, arrivals: Option<Arrivals>) -> ByteSource {
        ByteSource { arrivals, ..self }
    }

    /// Converts the elements in `bytes` to their form in memory. The error is the number of valid bytes before the first invalid
    /// one.
    fn convert(&self, bytes: &mut [u8]) -> Result<(), usize> {
        let width = self.element.scalar.scalar().bytes();
        if self.big_endian {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        match self.element.scalar {
            ValueType::Bool => bytes.iter().position(|&byte| byte > 1).map_or(Ok(()), Err),
            _ => Ok(()),
        }
    }
}

impl Rows {
    /// Reads the header of an `.npy` file.
    pub(super) fn of_npy(name: &str, reader: &mut dyn io::Read) -> Result<Rows, String> {
        let header = read_npy_header(FormatSource::stream(name, reader)).map_err(|e| e.to_string())?;
        if header.fortran_order && header.shape.len() > 1 {
            return Err(format!(
                "{name}: the rows of an array in Fortran order do not lie one after another; save it in C order (`numpy.ascontiguousarray`)"
            ));
        }
        Rows::new(name, header.ty, &header.shape, header.big_endian)
    }

    /// Reads the header of a value in the language's binary format.
    pub(super) fn of_binary(name: &str, reader: &mut dyn io::Read) -> Result<Rows, String> {
        let header = read_binary_header(FormatSource::stream(name, reader)).map_err(|e| e.to_string())?;
        Rows::new(name, header.ty, &header.shape, false)
    }

    fn new(name: &str, scalar: ValueType, shape: &[i64], big_endian: bool) -> Result<Rows, String> {
        let Some((&count, shape)) = shape.split_first() else {
            return Err(format!("{name}: the file holds a scalar, which is no stream"));
        };
        let element = ElementType { scalar, shape: Shape::from_slice(shape) };
        element.counted(count as u64).map_err(|message| format!("{name}: {message}"))?;
        Ok(Rows { element, count: count as u64, big_endian })
    }
}

impl Source for ByteSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        self.left
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let asked = self.left.map_or(count, |left| left.min(count));
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let target = &mut target[..size * asked as usize];
        let (filled, mut end) = fill(&mut *self.reader, target);
        let mut whole = filled.checked_div(size).map_or(asked, |whole| whole as u64);
        if matches!(end, Some(End::Finished)) && (self.left.is_some() || filled as u64 != whole * size as u64)
        {
            end = Some(End::cut((size - filled % size.max(1)) as u64));
        }
        if let Err(wrong) = self.convert(&mut target[..whole as usize * size]) {
            whole = (wrong / size) as u64;
            end = Some(End::Failed(format!("{} is no truth value", target[wrong])));
        }
        if let Some(left) = &mut self.left {
            *left -= whole;
            if *left == 0 && end.is_none() {
                end = Some(at_end(&mut *self.reader));
            }
        }
        Read { count: whole, end }
    }

    fn arrived(&mut self, within: Duration) -> Option<u64> {
        let size = self.element.bytes().filter(|&size| size > 0)?;
        let arrivals = self.arrivals.as_ref()?;
        // At its end, the input can be read without waiting.
        Some(arrivals.bytes(within).map_or(1, |bytes| bytes / size))
    }
}

/// Fills a slice; returns the number of bytes read and, if it is not full, the reason.
fn fill(reader: &mut dyn io::Read, target: &mut [u8]) -> (usize, Option<End>) {
    let mut filled = 0;
    while filled < target.len() {
        match reader.read(&mut target[filled..]) {
            Ok(0) => return (filled, Some(End::Finished)),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(End::Failed(format!("cannot read: {error}")))),
        }
    }
    (filled, None)
}

fn at_end(reader: &mut dyn io::Read) -> End {
    match fill(reader, &mut [0]) {
        (0, Some(end)) => end,
        _ => End::more(),
    }
}
