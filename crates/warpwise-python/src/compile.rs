//! Compilation of a text or a file to a loaded program.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use warpwise_driver::build::Built;
use warpwise_driver::cache::DiskCache;
use warpwise_ir::deep::deep;

use crate::error::{self, Error};
use crate::interrupt;
use crate::options;
use crate::parts::Parts;
use crate::program::{Code, Origin, Program, Running, Source, declarations};
use crate::runtime::Resources;

/// Interval at which the main thread checks for Ctrl-C during a compilation.
const LOOK: Duration = Duration::from_millis(50);

/// Compiles a program.
///
/// `program` is a path (`os.PathLike`, or a str of one line that ends in `.fut` or `.ir`) or the text of a program. `name` is what
/// messages call a text, and `folder` is where the files that it imports lie.
#[pyfunction]
#[pyo3(signature = (program, *, device=None, threads=None, memory_limit=None, strict_fp=false, fast_math=false, unchecked=false,
                    tuning=None, cache=None, name="<text>", folder=None))]
#[allow(clippy::too_many_arguments)]
pub fn compile(
    py: Python<'_>,
    program: &Bound<'_, PyAny>,
    device: Option<&str>,
    threads: Option<i64>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    strict_fp: bool,
    fast_math: bool,
    unchecked: bool,
    tuning: Option<std::collections::HashMap<String, i64>>,
    cache: Option<&Bound<'_, PyAny>>,
    name: &str,
    folder: Option<PathBuf>,
) -> PyResult<Program> {
    let target = options::target(device)?;
    let source = source(program, name, folder.unwrap_or_default())?;
    let options = options::options(target, strict_fp, fast_math, unchecked)?;
    let resources = options::resources(threads, memory_limit)?;
    let cache = match cache {
        None => DiskCache::of_user(),
        Some(cache) => options::cache(cache)?,
    };
    let work = {
        let (source, options, cache) = (source.clone(), options.clone(), cache.clone());
        move || {
            let parts = Parts::of(&source);
            let built = deep(|| source.build(&options, cache.as_ref()));
            built.map(|built| (parts, built))
        }
    };
    let (parts, built) = aside(py, work)?.map_err(|error| error::not_built(py, &error))?;
    let Built { compiled, mut warnings, cached, not_kept } = built;
    if let Some(why) = not_kept {
        warnings += &format!("warning: the program is not kept for the next time: {why}\n");
    }
    let tuning = tuning.unwrap_or_default();
    let origin = Origin { parts, tuning, compiled, cache, warnings, cached };
    let ready = loaded(py, &origin, resources)?;
    check_tuning(&origin, &ready)?;
    Program::of(py, Arc::new(Code::new(source, options, resources, Arc::new(origin), ready)))
}

/// Raises ValueError if a value is given for a parameter that the program does not have.
fn check_tuning(origin: &Origin, ready: &Running) -> PyResult<()> {
    let known = ready.program.parameters();
    let mut unknown: Vec<&String> =
        origin.tuning.keys().filter(|name| !known.contains(&name.as_str())).collect();
    unknown.sort();
    let Some(first) = unknown.first() else { return Ok(()) };
    let known =
        if known.is_empty() { "it has none".to_string() } else { format!("there are: {}", known.join(", ")) };
    Err(PyValueError::new_err(format!("tuning: the program has no parameter `{first}`; {known}")))
}

/// Loads compiled code on threads and memory.
pub fn loaded(py: Python<'_>, origin: &Origin, resources: Resources) -> PyResult<Running> {
    let mut context = resources.context();
    origin.tuning.iter().for_each(|(name, value)| context.tune(name, *value));
    if let Some(cache) = &origin.cache {
        context.keep_kernels(cache.clone());
    }
    let program = py.detach(|| error::guarded(|| origin.compiled.clone().load(&context)))?;
    let program = program.map_err(|error| error::not_loaded(py, &error))?;
    Ok(Running { program, context })
}

/// Returns the entry points that a text declares: a list of dicts with `name`, `signature` and `doc`. Nothing is checked or compiled.
#[pyfunction]
pub fn declared<'py>(py: Python<'py>, text: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let described = |entry: warpwise_fut::entries::Declared| {
        let described = PyDict::new(py);
        described.set_item("name", entry.name)?;
        described.set_item("signature", entry.signature)?;
        described.set_item("doc", entry.doc)?;
        Ok(described)
    };
    deep(|| declarations(text)).into_iter().map(described).collect()
}

fn source(program: &Bound<'_, PyAny>, name: &str, folder: PathBuf) -> PyResult<Source> {
    let Ok(text) = program.cast::<PyString>() else {
        let path: PathBuf = program.extract().map_err(|_| {
            let class = program.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            PyTypeError::new_err(format!("program: expected the text of a program or a path, found {class}"))
        })?;
        return Ok(Source::File(path));
    };
    let text = text.to_str()?;
    let is_path = !text.contains('\n') && [".fut", ".ir"].iter().any(|ending| text.ends_with(ending));
    Ok(match is_path {
        true => Source::File(PathBuf::from(text)),
        false => Source::Text { name: name.to_string(), text: text.to_string(), folder },
    })
}

/// Runs `work` in a thread of its own, so that Ctrl-C need not wait for it. After Ctrl-C the thread runs on unattended and its result
/// is dropped.
pub fn aside<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (tell, told) = channel();
    let told = Mutex::new(told);
    let work = move || {
        // The receiver may be gone.
        let _ = tell.send(error::guarded(work));
    };
    let thread = std::thread::Builder::new().name("compile".to_string()).spawn(work);
    thread.map_err(|error| Error::new_err(format!("cannot start a thread: {error}")))?;
    loop {
        let heard = py.detach(|| told.lock().ok().map(|told| told.recv_timeout(LOOK)));
        match heard {
            Some(Ok(built)) => return built,
            Some(Err(RecvTimeoutError::Timeout)) => interrupt::raise(py)?,
            Some(Err(RecvTimeoutError::Disconnected)) | None => {
                return Err(error::InternalError::new_err("the compiler has ended"));
            }
        }
    }
}
