//! Output files, which are either complete or absent.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise_stream::sink::{Partial, create_partial};

use super::running::Prepared;
use crate::error::Error;

/// Creates the output files of a stream, one for each result.
pub fn files(mut prepared: Prepared, out: &[PathBuf]) -> PyResult<(Prepared, Vec<Partial>)> {
    if out.len() != prepared.results {
        return Err(PyValueError::new_err(format!(
            "out: {} files are named, but there are {} results",
            out.len(),
            prepared.results
        )));
    }
    let mut partial = Vec::new();
    for path in out {
        match create_partial(path, None) {
            Ok((sink, file)) => {
                prepared.files.push(sink);
                partial.extend(file);
            }
            Err(message) => {
                discard(partial);
                return Err(PyValueError::new_err(format!("out: {message}")));
            }
        }
    }
    Ok((prepared, partial))
}

/// Gives complete files their final names.
pub fn complete(files: Vec<Partial>) -> PyResult<()> {
    files.into_iter().try_for_each(Partial::complete).map_err(Error::new_err)
}

/// Removes the files.
pub fn discard(files: Vec<Partial>) {
    // The exception that led here says more than one about the cleanup would.
    files.into_iter().for_each(|file| drop(file.discard()));
}
