//! Elements as lines of text, with a separator between the numbers of a vector. Floats are written so that reading them yields
//! the same value.

use std::io::Write;

use warpwise_prim::ValueType;
use warpwise_runtime::array::Array;
use warpwise_runtime::formats::push_number;

use super::{Flow, Sink};
use crate::element::ElementType;

/// A sink that writes one line per element.
pub struct TextSink<W> {
    name: String,
    output: W,
    separator: char,
    scalar: ValueType,
    /// Number of scalars in a line.
    width: usize,
}

impl<W: Write + Send> TextSink<W> {
    /// Writes to `output`.
    pub fn new(name: &str, output: W, separator: char) -> TextSink<W> {
        TextSink { name: name.to_string(), output, separator, scalar: ValueType::I64, width: 1 }
    }
}

impl<W: Write + Send> Sink for TextSink<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.scalar = element.scalar;
        self.width = match element.shape.as_slice() {
            [] => 1,
            &[width] => width as usize,
            _ => return Err(format!("an element of type {element} is more than a line")),
        };
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let width = self.scalar.scalar().bytes();
        let mut line = String::new();
        let mut scalars = elements.bytes().chunks_exact(width);
        for _ in 0..elements.shape()[0] {
            line.clear();
            for (place, bytes) in scalars.by_ref().take(self.width).enumerate() {
                if place > 0 {
                    line.push(self.separator);
                }
                push_number(&mut line, self.scalar, bytes);
            }
            line.push('\n');
            self.output.write_all(line.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(Flow::More)
    }

    fn show(&mut self) -> Result<(), String> {
        self.output.flush().map_err(|error| error.to_string())
    }

    fn finish(&mut self) -> Result<(), String> {
        self.show()
    }
}
