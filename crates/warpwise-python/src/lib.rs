//! The Python module `warpwise._native`: programs, their entry points, and conversion of values.
//!
//! ```text
//! warpwise.compile(text)          program      a compiled program on threads and memory ([`runtime`])
//! program.dot(xs, ys)             entry        one call: [`arguments`] in, the interpreter lock released, [`results`] out
//! ```
//!
//! Arrays are NumPy's. A contiguous argument of the right type is read in place, and a result is an array on the run time's memory.
//! [`numpy`] converts between NumPy arrays and those of the run time, and [`copies`] counts the copies that remain. Every failure is an
//! exception ([`error`]). Signals interrupt calls ([`interrupt`]), and the end of the interpreter ends them ([`calls`]).
//!
//! Users import the Python files beside this crate (`python/warpwise`), which leave all decisions to this crate.

mod arguments;
mod arrow;
mod build_id;
mod calls;
mod command;
mod compile;
mod copies;
mod described;
mod dlpack;
mod entry;
mod error;
mod given;
mod interrupt;
mod numpy;
mod options;
mod parts;
mod program;
mod resident;
mod results;
mod runtime;
mod scalar;
mod stream;
mod travel;
mod values;

use pyo3::prelude::*;

/// Fills the module `warpwise._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<program::Program>()?;
    module.add_class::<entry::EntryPoint>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<values::Opaque>()?;
    module.add_class::<values::Variant>()?;
    module.add_class::<resident::DeviceArray>()?;
    module.add_class::<given::Consumed>()?;
    module.add_class::<arrow::ArrowArray>()?;
    module.add("Error", py.get_type::<error::Error>())?;
    module.add("CompileError", py.get_type::<error::CompileError>())?;
    module.add("RunError", py.get_type::<error::RunError>())?;
    module.add("InternalError", py.get_type::<error::InternalError>())?;
    module.add_function(wrap_pyfunction!(compile::compile, module)?)?;
    module.add_function(wrap_pyfunction!(compile::declared, module)?)?;
    module.add_function(wrap_pyfunction!(described::described, module)?)?;
    module.add_function(wrap_pyfunction!(described::described_alone, module)?)?;
    module.add_function(wrap_pyfunction!(options::devices, module)?)?;
    module.add_function(wrap_pyfunction!(given::consume, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow, module)?)?;
    module.add_function(wrap_pyfunction!(copies::copied_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(travel::arrive, module)?)?;
    module.add_function(wrap_pyfunction!(travel::for_tasks, module)?)?;
    module.add_function(wrap_pyfunction!(travel::threads_of_engine, module)?)?;
    module.add_function(wrap_pyfunction!(values::opaque, module)?)?;
    module.add_function(wrap_pyfunction!(runtime::after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(calls::end_calls, module)?)?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    Ok(())
}
