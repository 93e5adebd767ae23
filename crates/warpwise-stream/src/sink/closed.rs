//! Outputs whose reader may close them, such as a pipe. A closed output is not an error; it ends the stream.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use warpwise_runtime::array::Array;

use super::table::{Column, Table};
use super::{Flow, Sink};
use crate::element::ElementType;

/// An output that discards everything once nobody reads it any more.
pub(super) struct UntilClosed<W> {
    output: W,
    closed: Arc<AtomicBool>,
}

/// A sink or table that has enough once its output is closed.
pub(super) struct Watched<S: ?Sized> {
    inner: Box<S>,
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

impl<S: ?Sized> Watched<S> {
    pub(super) fn new(inner: Box<S>, closed: Arc<AtomicBool>) -> Watched<S> {
        Watched { inner, closed }
    }

    fn unless_enough(&self, flow: Flow) -> Flow {
        if self.closed.load(Ordering::Relaxed) { Flow::Enough } else { flow }
    }
}

impl Sink for Watched<dyn Sink> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.inner.begin(element)
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let flow = self.inner.write(elements)?;
        Ok(self.unless_enough(flow))
    }

    fn show(&mut self) -> Result<(), String> {
        self.inner.show()
    }

    fn finish(&mut self) -> Result<(), String> {
        self.inner.finish()
    }
}

impl Table for Watched<dyn Table> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn begin(&mut self, columns: &[Column]) -> Result<(), String> {
        self.inner.begin(columns)
    }

    fn write(&mut self, columns: &[Array]) -> Result<Flow, String> {
        let flow = self.inner.write(columns)?;
        Ok(self.unless_enough(flow))
    }

    fn show(&mut self) -> Result<(), String> {
        self.inner.show()
    }

    fn finish(&mut self) -> Result<(), String> {
        self.inner.finish()
    }
}
