//! Options of a stream, and the stream that they describe.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use warpwise_driver::FlatType;
use warpwise_runtime::pool::CancelFlag;
use warpwise_standalone::interface::{EntryInterface, TypeRef};
use warpwise_stream::pipeline::{Grouping, Settings};
use warpwise_stream::source::{Format, Notes, Source, SourceOptions, Take};
use warpwise_stream::step::{Fold, Map};

use super::progress::Progress;
use super::running::{Prepared, Raised, Work};
use super::source::{Leaf, Reading};
use crate::arguments::Taker;
use crate::program::{Code, Running as Program};

/// The options that a Python caller passes.
pub struct Asked<'py> {
    pub column: Option<Bound<'py, PyAny>>,
    pub block: Option<i64>,
    pub elementwise: bool,
    pub progress: Option<Bound<'py, PyAny>>,
    pub take: Option<u64>,
    pub format: Option<String>,
    pub shape: Option<Vec<i64>>,
    pub header: bool,
}

/// The computation of a stream, its parameters and its number of results.
struct Planned {
    work: Work,
    streamed: Vec<FlatType>,
    results: usize,
}

impl Asked<'_> {
    /// Prepares a map: an entry point over a source, with values for its first parameters.
    pub fn map(
        &self,
        code: &Arc<Code>,
        program: &Arc<Program>,
        entry: &str,
        source: &Bound<'_, PyAny>,
        fixed: &Bound<'_, PyTuple>,
    ) -> PyResult<(Prepared, TypeRef)> {
        let EntryInterface { inputs, output, .. } = found(code, entry)?;
        if fixed.len() >= inputs.len() {
            return Err(PyTypeError::new_err(format!(
                "{entry}() takes {} arguments; {} are given besides the source, so none is streamed",
                inputs.len(),
                fixed.len()
            )));
        }
        let mut taker = Taker::new(code, program, entry);
        for (at, (input, object)) in inputs.iter().zip(fixed.iter()).enumerate() {
            taker.argument(at, input, &object)?;
        }
        let fixed = taker.values()?;
        let step = Map::new(&program.program, entry, fixed.clone()).map_err(PyTypeError::new_err)?;
        let (streamed, results) = (step.streamed().to_vec(), step.results().len());
        let planned = Planned { work: Work::Map(entry.to_string(), fixed), streamed, results };
        Ok((self.prepared(code, program, entry, planned, source)?, output.ty))
    }

    /// Prepares a fold over a source.
    pub fn fold(
        &self,
        code: &Arc<Code>,
        program: &Arc<Program>,
        names: [&str; 3],
        source: &Bound<'_, PyAny>,
    ) -> PyResult<(Prepared, TypeRef)> {
        let output = found(code, names[0])?.output.ty;
        names.iter().try_for_each(|name| found(code, name).map(|_| ()))?;
        let owned = names.map(str::to_string);
        let fold = Fold::new(&program.program, owned.clone()).map_err(PyTypeError::new_err)?;
        let streamed = fold.streamed().to_vec();
        let planned = Planned { work: Work::Fold(owned), streamed, results: 0 };
        Ok((self.prepared(code, program, names[1], planned, source)?, output))
    }

    fn prepared(
        &self,
        code: &Arc<Code>,
        program: &Arc<Program>,
        entry: &str,
        planned: Planned,
        source: &Bound<'_, PyAny>,
    ) -> PyResult<Prepared> {
        let Planned { work, streamed, results } = planned;
        let (raised, notes) = (Raised::default(), Notes::default());
        let reading = Reading {
            code: Arc::clone(code),
            program: Arc::clone(program),
            entry: entry.to_string(),
            leaves: streamed.iter().map(Leaf::of).collect(),
            columns: self.columns(streamed.len())?,
            files: self.files(program, &notes)?,
            raised: raised.clone(),
        };
        let mut sources = reading.sources(source)?;
        if let Some(count) = self.take {
            let taken = |source| Box::new(Take::new(source, count)) as Box<dyn Source>;
            sources = sources.into_iter().map(taken).collect();
        }
        let settings = Settings {
            grouping: self.grouping(&sources)?,
            memory: program.context.memory().clone(),
            patience: self.elementwise.then_some(Duration::ZERO),
            cancel: CancelFlag::default(),
        };
        let total = sources.first().and_then(|source| source.left());
        let progress = Progress::of(self.progress.as_ref(), total)?;
        let (program, files) = (Arc::clone(program), Vec::new());
        Ok(Prepared { program, work, sources, files, results, settings, raised, notes, progress })
    }

    /// Returns the column names for `count` streamed parameters, if there are any.
    fn columns(&self, count: usize) -> PyResult<Option<Vec<String>>> {
        let Some(column) = &self.column else { return Ok(None) };
        let names: Vec<String> = match column.extract::<String>() {
            Ok(name) => vec![name],
            Err(_) => column.extract()?,
        };
        if names.len() != count {
            return Err(PyValueError::new_err(format!(
                "column: {count} parameters are streamed, but {} columns are named",
                names.len()
            )));
        }
        Ok(Some(names))
    }

    fn files(&self, program: &Program, notes: &Notes) -> PyResult<SourceOptions> {
        let format = self.format.as_deref().map(str::parse::<Format>).transpose();
        Ok(SourceOptions {
            format: format.map_err(|message| PyValueError::new_err(format!("format: {message}")))?,
            no_header: !self.header,
            notes: notes.clone(),
            shape: self.shape.clone().unwrap_or_default(),
            memory: Some(program.context.memory().clone()),
            ..SourceOptions::default()
        })
    }

    fn grouping(&self, sources: &[Box<dyn Source>]) -> PyResult<Grouping> {
        match (self.block, self.elementwise) {
            (Some(_), true) => Err(PyValueError::new_err("block and elementwise exclude each other")),
            (Some(count @ 1..), false) => Ok(Grouping::Blocks(count as u64)),
            (Some(count), false) => Err(PyValueError::new_err(format!(
                "block: {count} given, but a block has at least 1 element"
            ))),
            (None, true) => Ok(Grouping::Elementwise),
            (None, false) => Ok(Grouping::usual(sources)),
        }
    }
}

fn found<'c>(code: &'c Code, name: &str) -> PyResult<&'c EntryInterface> {
    let entries = &code.interface.entries;
    entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
        PyAttributeError::new_err(format!("the program has no entry point `{name}`; there are: {names}"))
    })
}

/// Returns the output files: `out` is a path, or a list of paths.
pub fn paths(out: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let several = out.is_instance_of::<PyList>() || out.is_instance_of::<PyTuple>();
    if several { out.extract() } else { Ok(vec![out.extract()?]) }
}
