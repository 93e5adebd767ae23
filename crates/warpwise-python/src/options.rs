//! Python's options for compiling and running programs.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};
use warpwise_driver::{Options, Target};
use warpwise_gpu::build::Description;
use warpwise_gpu::kernel_text::Dialect;
use warpwise_gpu::{cuda, opencl};
use warpwise_runtime::memory::parse_bytes;
use warpwise_runtime::pool::MOST_THREADS;

use crate::runtime::Resources;

/// Parses the device that a program runs on: `cpu`, `opencl`, `cuda:1`.
pub fn target(device: Option<&str>) -> PyResult<Target> {
    match device {
        None => Ok(Target::Cpu),
        Some(text) => {
            text.parse().map_err(|message| PyValueError::new_err(format!("device {text:?}: {message}")))
        }
    }
}

/// Checks the threads and the bound on memory. `memory` is a number of bytes or a text such as `2G`.
pub fn resources(threads: Option<i64>, memory: Option<&Bound<'_, PyAny>>) -> PyResult<Resources> {
    let threads = match threads {
        None => None,
        Some(count) if (1..=MOST_THREADS as i64).contains(&count) => Some(count as usize),
        Some(count) => {
            return Err(PyValueError::new_err(format!(
                "threads: {count} given, but 1 to {MOST_THREADS} are possible"
            )));
        }
    };
    let memory = match memory {
        None => None,
        Some(given) => Some(match given.extract::<u64>() {
            Ok(bytes) => bytes,
            Err(_) => {
                let shown = given.repr()?;
                parse_bytes(&given.str()?.to_string())
                    .map_err(|message| PyValueError::new_err(format!("memory_limit {shown}: {message}")))?
            }
        }),
    };
    Ok(Resources { threads, memory })
}

/// Returns the cache of compiled programs: `True` is the user's folder, a path another folder, `False` no cache.
pub fn cache(cache: &Bound<'_, PyAny>) -> PyResult<Option<DiskCache>> {
    match cache.extract::<bool>() {
        Ok(true) => Ok(DiskCache::of_user()),
        Ok(false) => Ok(None),
        Err(_) => Ok(Some(DiskCache::new(cache.extract::<PathBuf>()?, DEFAULT_BOUND))),
    }
}

/// Returns the compiler's options. ValueError if two of them exclude each other.
pub fn options(target: Target, strict_fp: bool, fast_math: bool, unchecked: bool) -> PyResult<Options> {
    if strict_fp && fast_math {
        return Err(PyValueError::new_err("strict_fp and fast_math exclude each other"));
    }
    Ok(Options { target, strict_fp, fast_math, unsafe_: unchecked, ..Options::default() })
}

/// Returns the devices that programs can run on: a dict for each, with `device` (what `compile` takes) and `name`. A kind of device
/// whose driver is missing has a dict with `device` and `missing`, the reason, and no name.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let cpu = PyDict::new(py);
    cpu.set_item("device", "cpu")?;
    cpu.set_item("name", "the processor")?;
    let mut all = vec![cpu];
    let found = py.detach(|| [(Dialect::OpenCl, opencl::devices()), (Dialect::Cuda, cuda::devices())]);
    for (dialect, found) in found {
        describe(py, dialect, found, &mut all)?;
    }
    Ok(all)
}

fn describe<'py>(
    py: Python<'py>,
    dialect: Dialect,
    found: Result<Vec<Description>, String>,
    all: &mut Vec<Bound<'py, PyDict>>,
) -> PyResult<()> {
    match found {
        Ok(devices) => {
            for (number, device) in devices.iter().enumerate() {
                let entry = PyDict::new(py);
                entry.set_item("device", format!("{}:{number}", dialect.device()))?;
                entry.set_item("name", device.to_string())?;
                all.push(entry);
            }
        }
        Err(missing) => {
            let entry = PyDict::new(py);
            entry.set_item("device", dialect.device())?;
            entry.set_item("missing", missing)?;
            all.push(entry);
        }
    }
    Ok(())
}
