//! DLPack: where tensors of other libraries lie.
//!
//! NumPy takes those that lie in the machine's own memory, and lends its own arrays; so nothing is left to do here but to tell them from
//! the rest.

use pyo3::prelude::*;

/// What kinds of places are called, by DLPack's numbers.
const PLACES: [(i32, &str); 5] = [(2, "CUDA"), (4, "OpenCL"), (8, "Metal"), (10, "ROCm"), (14, "oneAPI")];

/// Places that the processor reads: its own memory, and what CUDA and ROCm share with it.
const NEAR: [i32; 4] = [1, 3, 11, 13];

/// The place of a tensor that the processor does not read.
pub fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let Some(ask) = object.getattr_opt("__dlpack_device__")? else { return Ok(None) };
    let (kind, number): (i32, i32) = ask.call0()?.extract()?;
    if NEAR.contains(&kind) {
        return Ok(None);
    }
    let known = PLACES.iter().find(|(known, _)| *known == kind);
    let name = known.map_or_else(|| format!("kind {kind}"), |(_, name)| (*name).to_string());
    Ok(Some(format!("{name}, number {number}")))
}
