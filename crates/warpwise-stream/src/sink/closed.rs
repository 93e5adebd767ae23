//! Outputs whose reader may close them, such as a pipe. A closed output is not an error; it ends the stream.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use warpwise_runtime::array::Array;

use super::{Flow, Sink};
use crate::element::ElementType;

/// An output that discards everything once nobody reads it any more.
pub(super) struct UntilClosed<W> {
    output: W,
    closed: Arc<AtomicBool>,
}

/// A sink that has enough once its output is closed.
pub(super) struct Watched {
    sink: Box<dyn Sink>,
    closed: Arc<AtomicBool>,
}

impl<W: Write> UntilClosed<W> {
    pub(super) fn new(output: W) -> UntilClosed<W> {
        UntilClosed { output, closed: Arc::default() }
    }

    /// Returns a flag that becomes true when nobody reads the output any more.
    pub(super) fn closed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.closed)
    }

    fn unless_closed<T>(
        &mut self,
        otherwise: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.closed.load(Ordering::Relaxed) {
            return Ok(otherwise);
        }
        match write(&mut self.output) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed.store(true, Ordering::Relaxed);
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |output| output.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

impl Watched {
    pub(super) fn new(sink: Box<dyn Sink>, closed: Arc<AtomicBool>) -> Watched {
        Watched { sink, closed }
    }
}

impl Sink for Watched {
    fn name(&self) -> &str {
        self.sink.name()
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.sink.begin(element)
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let flow = self.sink.write(elements)?;
        Ok(if self.closed.load(Ordering::Relaxed) { Flow::Enough } else { flow })
    }

    fn show(&mut self) -> Result<(), String> {
        self.sink.show()
    }

    fn finish(&mut self) -> Result<(), String> {
        self.sink.finish()
    }
}
