//! Python objects as sources: a file, arrays in memory, or an iterator of them.
//!
//! | object | source |
//! |---|---|
//! | a path | the file, as `warpwise stream` reads it |
//! | a NumPy array, a dict of arrays, a table of pandas, anything with `__array__` or `__dlpack__` | its rows, in place |
//! | anything with `__arrow_c_stream__` or `__arrow_c_array__` | its chunks, in place |
//! | an iterator | the rows of the arrays and tables that it yields; it may reuse their memory for the next ones |
//! | a tuple | a source for each streamed parameter |
//!
//! An iterator runs in the reading thread, which holds the interpreter's lock only while the iterator makes an item. An exception of
//! the iterator is kept, and ends the stream.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyTuple};
use warpwise_driver::FlatType;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Shape, Value};
use warpwise_stream::ElementType;
use warpwise_stream::source::{Piece, PieceSource, Pieces, Source, SourceOptions, Wanted, open};

use super::ending::Within;
use super::running::Raised;
use crate::arguments::{ArrayType, Taker};
use crate::arrow::{Chunks, NotTaken, is_arrow, is_table, taken};
use crate::error::Error;
use crate::numpy;
use crate::program::{Code, Running as Program};

/// One array of a streamed parameter.
#[derive(Clone)]
pub struct Leaf {
    /// Name of the parameter, or of the field of its elements.
    name: String,
    ty: ValueType,
    rank: usize,
}

/// The settings for reading objects.
#[derive(Clone)]
pub struct Reading {
    pub code: Arc<Code>,
    pub program: Arc<Program>,
    /// Entry point that messages name.
    pub entry: String,
    pub leaves: Vec<Leaf>,
    /// Column names of tables, if the caller gives any. Otherwise several leaves take the columns of their own names.
    pub columns: Option<Vec<String>>,
    pub files: SourceOptions,
    pub raised: Raised,
}

/// The items of a Python iterator.
struct Items {
    reading: Reading,
    items: Py<PyIterator>,
    first: Option<Piece>,
}

/// The chunks of an Arrow stream.
struct ArrowPieces {
    reading: Reading,
    chunks: Chunks,
    first: Option<Piece>,
    /// Number of rows read so far.
    row: u64,
}

/// A single piece.
struct Whole(Option<Piece>);

impl Leaf {
    /// Describes an array that holds a streamed parameter, or a field of its elements.
    pub fn of(flat: &FlatType) -> Leaf {
        let name = flat.name.rsplit('.').next().unwrap_or_default().to_string();
        Leaf { name, ty: flat.element, rank: flat.rank }
    }

    /// Returns the element type to assume if there are no elements: all sizes are 0.
    fn nothing(&self) -> ElementType {
        let shape: Shape = std::iter::repeat_n(0, self.rank.saturating_sub(1)).collect();
        ElementType { scalar: self.ty, shape }
    }
}

impl Reading {
    /// Returns a source for each leaf.
    pub fn sources(&self, source: &Bound<'_, PyAny>) -> PyResult<Vec<Box<dyn Source>>> {
        if let Ok(several) = source.cast::<PyTuple>() {
            return self.several(several);
        }
        let has = |name: &str| source.hasattr(name).unwrap_or(false);
        if let Some(path) = path(source) {
            return self.open(source.py(), &path);
        }
        let is_own = is_pandas(source) || source.is_instance_of::<PyDict>() || numpy::is_array(source);
        if !is_own && has("__arrow_c_stream__") {
            return self.arrow(Chunks::of(source)?);
        }
        if is_own || is_arrow(source) || numpy::is_array_like(source) || has("__dlpack__") {
            let piece = Piece { stays: true, ..self.piece(source)? };
            let rows =
                piece.columns.first().and_then(|column| column.shape().first()).map(|&rows| rows as u64);
            return Ok(self.pieces(piece.clone(), rows, Box::new(Whole(Some(piece)))));
        }
        let items = source.try_iter().map_err(|_| {
            PyTypeError::new_err(format!(
                "source: expected a path, arrays, or an iterator of arrays or tables, found {}",
                class_name(source)
            ))
        })?;
        self.iterated(items)
    }

    /// Returns a source for each leaf, from one object per leaf.
    fn several(&self, sources: &Bound<'_, PyTuple>) -> PyResult<Vec<Box<dyn Source>>> {
        if sources.len() != self.leaves.len() {
            return Err(PyTypeError::new_err(format!(
                "source: {} parameters are streamed, but there are {} sources",
                self.leaves.len(),
                sources.len()
            )));
        }
        let mut all = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            let columns = self.columns.as_ref().map(|columns| vec![columns[place].clone()]);
            let leaves = vec![self.leaves[place].clone()];
            if source.is_instance_of::<PyTuple>() {
                return Err(PyTypeError::new_err("source: a tuple of sources within a tuple of sources"));
            }
            all.extend(Reading { leaves, columns, ..self.clone() }.sources(&source)?);
        }
        Ok(all)
    }

    fn open(&self, py: Python<'_>, path: &Path) -> PyResult<Vec<Box<dyn Source>>> {
        if path != Path::new("-") {
            // Python has a separate exception for each reason why a file cannot be found.
            py.import("os")?.call_method1("stat", (path,))?;
        }
        let names = self.names();
        let mut sources = Vec::new();
        for (place, leaf) in self.leaves.iter().enumerate() {
            let column = names.as_ref().map(|names| names[place].clone());
            let options = SourceOptions { column, ..self.files.clone() };
            let wanted = Wanted { scalar: leaf.ty, rank: leaf.rank - 1 };
            let opened = py.detach(|| open(path, wanted, &options));
            sources.push(opened.map_err(PyValueError::new_err)?);
        }
        Ok(sources)
    }

    fn iterated(&self, mut items: Bound<'_, PyIterator>) -> PyResult<Vec<Box<dyn Source>>> {
        let first = items.next().transpose()?.map(|item| self.piece(&item)).transpose()?;
        let like = first.clone();
        let pieces = Box::new(Items { reading: self.clone(), items: items.unbind(), first });
        Ok(match like {
            Some(like) => self.pieces(like, None, pieces),
            None => self.typed(self.leaves.iter().map(Leaf::nothing).collect(), None, pieces),
        })
    }

    fn arrow(&self, chunks: Chunks) -> PyResult<Vec<Box<dyn Source>>> {
        let empty = arrow_array::new_empty_array(&chunks.ty);
        let failed = |error| match error {
            Failed::Raised(error) => error,
            Failed::Said(message) => PyValueError::new_err(message),
        };
        let types = self.chunk(&empty, 0).map_err(failed)?;
        let mut pieces = ArrowPieces { reading: self.clone(), chunks, first: None, row: 0 };
        pieces.first = pieces.taken().map_err(failed)?;
        Ok(self.pieces(types, None, Box::new(pieces)))
    }

    /// Returns sources of pieces with the types of `like`.
    fn pieces(&self, like: Piece, rows: Option<u64>, pieces: Box<dyn Pieces>) -> Vec<Box<dyn Source>> {
        let element = |value: &Value| {
            let shape = value.shape().get(1..).unwrap_or_default();
            ElementType { scalar: value.element_type(), shape: Shape::from_slice(shape) }
        };
        self.typed(like.columns.iter().map(element).collect(), rows, pieces)
    }

    fn typed(
        &self,
        types: Vec<ElementType>,
        rows: Option<u64>,
        pieces: Box<dyn Pieces>,
    ) -> Vec<Box<dyn Source>> {
        let name = |leaf: &Leaf| format!("the source of `{}`", leaf.name);
        let columns = self.leaves.iter().map(name).zip(types).collect();
        let sources = PieceSource::columns(columns, rows, pieces, self.program.context.memory());
        sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect()
    }

    /// Returns the column names to look for in a table; `None` for a single leaf without a given name.
    fn names(&self) -> Option<Vec<String>> {
        let leaves = || self.leaves.iter().map(|leaf| leaf.name.clone()).collect();
        self.columns.clone().or_else(|| (self.leaves.len() > 1).then(leaves))
    }

    /// Converts an object to a piece: one array for each leaf.
    fn piece(&self, item: &Bound<'_, PyAny>) -> PyResult<Piece> {
        let parts = self.parts(item)?;
        let mut taker = Taker::new(&self.code, &self.program, &self.entry);
        for (leaf, part) in self.leaves.iter().zip(&parts) {
            taker.column(ArrayType { element: leaf.ty, rank: leaf.rank }, part, &leaf.name)?;
        }
        Ok(Piece { columns: taker.values()?, stays: parts.iter().all(is_arrow) })
    }

    /// Returns the columns of an object, one for each leaf.
    fn parts<'py>(&self, item: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if let Ok(tuple) = item.cast::<PyTuple>()
            && self.leaves.len() > 1
        {
            if tuple.len() == self.leaves.len() {
                return Ok(tuple.iter().collect());
            }
            return Err(PyTypeError::new_err(format!(
                "{}(): {} parameters are streamed, but the source gives {} arrays",
                self.entry,
                self.leaves.len(),
                tuple.len()
            )));
        }
        let Some(names) = self.names() else {
            if is_table(item) || item.is_instance_of::<PyDict>() {
                return Err(PyTypeError::new_err(format!(
                    "{}(): the source gives tables ({}): name a column (`column=...`)",
                    self.entry,
                    class_name(item)
                )));
            }
            return Ok(vec![item.clone()]);
        };
        let column = |name: &String| {
            item.get_item(name).map_err(|error| {
                let message = format!("{}(): {} has no column `{name}`", self.entry, class_name(item));
                let other = PyValueError::new_err(message);
                other.set_cause(item.py(), Some(error));
                other
            })
        };
        names.iter().map(column).collect()
    }

    /// Converts an Arrow chunk, whose first row has number `row` in the stream, to a piece.
    fn chunk(&self, chunk: &ArrayRef, row: u64) -> Result<Piece, Failed> {
        let mut columns = Vec::new();
        for (place, leaf) in self.leaves.iter().enumerate() {
            let (name, array) = self.column(chunk, place)?;
            let memory = self.program.context.memory();
            let array = taken(array.data_type(), std::slice::from_ref(array), leaf.ty, leaf.rank, memory);
            let array = array.map_err(|not_taken| match not_taken {
                NotTaken::Type(found) => {
                    let expected = "[]".repeat(leaf.rank) + leaf.ty.name();
                    Failed::Raised(PyTypeError::new_err(format!(
                        "{}(): {name} holds {found}, but {expected} is expected; cast it",
                        self.entry
                    )))
                }
                NotTaken::Null(place) => Failed::Said(format!(
                    "{}(): element {} of {name} is null, or holds a null; fill nulls first (`.fill_null(0)`) or drop them",
                    self.entry,
                    row + place
                )),
                NotTaken::Other(error) => Failed::Raised(error),
            })?;
            columns.push(Value::array(leaf.ty, array));
        }
        Ok(Piece { columns, stays: true })
    }

    /// Returns the name of a column for messages, and the column.
    fn column<'a>(&self, chunk: &'a ArrayRef, place: usize) -> Result<(String, &'a ArrayRef), Failed> {
        let names = self.names();
        let Some(table) = chunk.as_struct_opt() else {
            return match names {
                Some(_) => Err(Failed::Said(format!(
                    "{}(): the source has no columns, but numbers of type {}",
                    self.entry,
                    chunk.data_type()
                ))),
                None => Ok(("the source".to_string(), chunk)),
            };
        };
        let there = table.column_names();
        let found = match (&names, there.as_slice()) {
            (Some(names), _) => there.iter().position(|name| *name == names[place]),
            (None, [_]) => Some(0),
            (None, _) => None,
        };
        let Some(found) = found else {
            let wanted = names.map_or("which column?".to_string(), |names| {
                format!("there is no column `{}`;", names[place])
            });
            let message = format!("{}(): {wanted} there are: {}", self.entry, there.join(", "));
            return Err(Failed::Said(message));
        };
        Ok((format!("column `{}`", there[found]), table.column(found)))
    }
}

/// The reason why a chunk is not taken.
enum Failed {
    /// A Python exception.
    Raised(PyErr),
    /// A message.
    Said(String),
}

impl Pieces for Items {
    fn next(&mut self) -> Result<Option<Piece>, String> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let Some(_within) = Within::enter() else { return Err("the interpreter ends".to_string()) };
        let next = |py: Python<'_>| {
            let item = self.items.bind(py).clone().next().transpose()?;
            item.map(|item| self.reading.piece(&item)).transpose()
        };
        let next = Python::try_attach(next).ok_or("the interpreter ends")?;
        next.map_err(|error| {
            let message = "an exception".to_string();
            self.reading.raised.set(error);
            message
        })
    }
}

impl Pieces for ArrowPieces {
    fn next(&mut self) -> Result<Option<Piece>, String> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let Some(_within) = Within::enter() else { return Err("the interpreter ends".to_string()) };
        self.taken().map_err(|failed| match failed {
            Failed::Said(message) => message,
            Failed::Raised(error) => {
                self.reading.raised.set(error);
                "an exception".to_string()
            }
        })
    }
}

impl ArrowPieces {
    fn taken(&mut self) -> Result<Option<Piece>, Failed> {
        let chunk = self.chunks.next().map_err(|message| Failed::Raised(Error::new_err(message)))?;
        let Some(chunk) = chunk else { return Ok(None) };
        let piece = self.reading.chunk(&chunk, self.row)?;
        self.row += chunk.len() as u64;
        Ok(Some(piece))
    }
}

impl Pieces for Whole {
    fn next(&mut self) -> Result<Option<Piece>, String> {
        Ok(self.0.take())
    }
}

/// Returns the object as a path, if it is one.
fn path(object: &Bound<'_, PyAny>) -> Option<PathBuf> {
    object.extract().ok()
}

/// Returns whether an object is of pandas, whose Arrow export turns NaN into null.
fn is_pandas(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().getattr("__module__").and_then(|module| module.extract::<String>());
    module.is_ok_and(|module| module == "pandas" || module.starts_with("pandas."))
}

fn class_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map(|name| name.to_string()).unwrap_or_default()
}
