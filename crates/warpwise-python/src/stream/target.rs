//! Files that results go to: they are there when they are whole, or not at all.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise_stream::sink::{Partial, create_partial};

use super::running::Prepared;
use crate::error::Error;

/// Files for the results of a stream, one for each.
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

/// Gives them their names.
pub fn complete(files: Vec<Partial>) -> PyResult<()> {
    files.into_iter().try_for_each(Partial::complete).map_err(Error::new_err)
}

/// Takes them away.
pub fn discard(files: Vec<Partial>) {
    // There is an exception already, which says more than that nobody could clean up.
    files.into_iter().for_each(|file| drop(file.discard()));
}
