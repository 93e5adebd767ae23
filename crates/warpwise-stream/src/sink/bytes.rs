//! Elements as they lie in memory: raw data, `.npy` files and arrays in the binary format.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use warpwise_runtime::array::Array;
use warpwise_runtime::formats::{binary_header, npy_header};

use super::{Flow, Sink};
use crate::element::ElementType;

/// A sink that writes elements without a header.
pub struct RawSink<W> {
    name: String,
    output: W,
}

/// A sink that writes one array behind a header. The number of rows in the header is 0 until the end, when it is corrected.
pub struct ArraySink {
    name: String,
    output: File,
    /// Makes the header, whose length does not depend on the number of rows.
    header: fn(&ElementType, u64) -> io::Result<Vec<u8>>,
    element: Option<ElementType>,
    rows: u64,
    /// Whether an incompletely written row may follow the counted rows.
    torn: bool,
}

impl<W: Write + Send> RawSink<W> {
    /// Writes to `output`.
    pub fn new(name: &str, output: W) -> RawSink<W> {
        RawSink { name: name.to_string(), output }
    }
}

impl ArraySink {
    /// Writes an `.npy` file to `output`.
    pub fn npy(name: &str, output: File) -> ArraySink {
        let header = |element: &ElementType, rows: u64| {
            let room = element.shape_of(i64::MAX as u64);
            Ok(npy_header(element.scalar, &element.shape_of(rows), &room))
        };
        ArraySink { name: name.to_string(), output, header, element: None, rows: 0, torn: false }
    }

    /// Writes rows without a header to `output`.
    pub fn raw(name: &str, output: File) -> ArraySink {
        let header = |_: &ElementType, _: u64| Ok(Vec::new());
        ArraySink { name: name.to_string(), output, header, element: None, rows: 0, torn: false }
    }

    /// Writes an array in the language's binary format to `output`.
    pub fn binary(name: &str, output: File) -> ArraySink {
        let header =
            |element: &ElementType, rows: u64| binary_header(element.scalar, &element.shape_of(rows));
        ArraySink { name: name.to_string(), output, header, element: None, rows: 0, torn: false }
    }

    fn write_header(&mut self, element: &ElementType, rows: u64) -> io::Result<()> {
        let header = (self.header)(element, rows)?;
        self.output.seek(SeekFrom::Start(0))?;
        self.output.write_all(&header)?;
        if self.torn {
            let bytes = element.bytes().unwrap_or(0).saturating_mul(rows);
            self.output.set_len((header.len() as u64).saturating_add(bytes))?;
        }
        Ok(())
    }
}

impl<W: Write + Send> Sink for RawSink<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, _element: &ElementType) -> Result<(), String> {
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        self.output.write_all(elements.bytes()).map_err(|error| error.to_string())?;
        Ok(Flow::More)
    }

    fn show(&mut self) -> Result<(), String> {
        self.output.flush().map_err(|error| error.to_string())
    }

    fn finish(&mut self) -> Result<(), String> {
        self.show()
    }
}

impl Sink for ArraySink {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.element = Some(element.clone());
        self.write_header(element, 0).map_err(|error| error.to_string())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        self.output.write_all(elements.bytes()).map_err(|error| {
            self.torn = true;
            error.to_string()
        })?;
        self.rows += elements.shape()[0] as u64;
        Ok(Flow::More)
    }

    fn finish(&mut self) -> Result<(), String> {
        if let Some(element) = self.element.take() {
            self.write_header(&element, self.rows).map_err(|error| error.to_string())?;
        }
        self.output.flush().map_err(|error| error.to_string())
    }
}
