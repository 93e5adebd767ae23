//! Programs that travel: pickled in one process, called in another.
//!
//! ```text
//! pickle.dumps(program.dot)      Sent      the text with all it imports, options, limits, and the machine code with the build and the
//!                                          CPU that it is of
//! pickle.loads(...)              arrive    the program, made once in each process ([`KNOWN`])
//! ```
//!
//! Machine code is used by the same build on the same kind of CPU. Elsewhere the text is compiled into the cache, by one process of a
//! machine at a time. Vectors keep their width, because the order of a sum depends on it, so results have the same bits everywhere.
//!
//! An engine's worker computes many tasks at once, each in a thread or process of its own. So a program without a chosen number of
//! threads gets as many as the engine allows ([`threads_of_engine`]).

use std::collections::HashMap;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::{Deserialize, Serialize};
use warpwise_driver::build::Built;
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};
use warpwise_driver::compiler::target;
use warpwise_driver::embedded::Embedded;
use warpwise_driver::{Compiled, Options, Target};
use warpwise_ir::deep::deep;
use warpwise_source::fingerprint::Fingerprint;

use crate::build_id::build_id;
use crate::compile::{aside, loaded};
use crate::entry::EntryPoint;
use crate::error::{self, Error};
use crate::parts::Parts;
use crate::program::{Code, Origin, Program, Source};
use crate::runtime::Resources;

/// The programs that this process has sent or received, by the fingerprint of their packed bytes.
static KNOWN: Mutex<Option<HashMap<u128, Py<Program>>>> = Mutex::new(None);

/// A program in transit.
#[derive(Serialize, Deserialize)]
struct Sent {
    parts: Parts,
    options: SentOptions,
    threads: Option<usize>,
    memory: Option<u64>,
    /// Sorted by name, so that equal programs have equal bytes.
    tuning: Vec<(String, i64)>,
    cache: SentCache,
    warnings: String,
    code: Option<SentCode>,
}

#[derive(Serialize, Deserialize)]
struct SentOptions {
    target: Target,
    strict_fp: bool,
    fast_math: bool,
    unchecked: bool,
    /// Vector width of the CPU that the program was compiled for.
    vector_bits: u32,
}

#[derive(Serialize, Deserialize)]
enum SentCache {
    None,
    OfUser,
    Folder(PathBuf),
}

/// Machine code with the build and the CPU that can use it.
#[derive(Serialize, Deserialize)]
struct SentCode {
    build: Vec<u8>,
    cpu: String,
    /// Encoding of a [`Compiled`], which only this build can read.
    compiled: Vec<u8>,
}

/// A pickled program: a fingerprint and bytes.
pub struct Packed {
    fingerprint: u128,
    bytes: Py<PyBytes>,
}

impl Packed {
    /// Packs a program.
    pub fn new(py: Python<'_>, code: &Arc<Code>) -> PyResult<Packed> {
        let bytes = sent(code)
            .and_then(|sent| postcard::to_stdvec(&sent).map_err(|error| error.to_string()))
            .map_err(|message| Error::new_err(format!("the program cannot be sent: {message}")))?;
        let mut fingerprint = Fingerprint::new();
        fingerprint.add(&bytes);
        let fingerprint = fingerprint.finish();
        // A program that returns to this process is the one that left it.
        remember(py, fingerprint, Py::new(py, Program::of(py, Arc::clone(code))?)?);
        Ok(Packed { fingerprint, bytes: PyBytes::new(py, &bytes).unbind() })
    }

    /// Returns a text that is different for different programs.
    pub fn token(&self) -> String {
        format!("warpwise-{:032x}", self.fingerprint)
    }

    /// Returns the unpickling function and its arguments. With a name, that function returns the entry point of this name.
    pub fn reduced<'py>(&self, py: Python<'py>, entry: Option<&str>) -> PyResult<Bound<'py, PyTuple>> {
        let arrive = py.import("warpwise._native")?.getattr("_arrive")?;
        let version = env!("CARGO_PKG_VERSION");
        let arguments = (version, self.fingerprint, self.bytes.bind(py), entry).into_pyobject(py)?;
        (arrive, arguments).into_pyobject(py)
    }
}

fn sent(code: &Code) -> Result<Sent, String> {
    let Origin { parts, tuning, compiled, cache, warnings, cached: _ } = &*code.origin;
    let parts = parts.clone().ok_or("its files could not be read")?;
    let Options { target: place, strict_fp, fast_math, unsafe_, .. } = code.options;
    let cpu = target(&code.options)?;
    let machine_code = match (build_id(), place) {
        (Some(build), Target::Cpu) => Some(SentCode {
            build: build.to_vec(),
            cpu: format!("{cpu:?}"),
            compiled: postcard::to_stdvec(compiled).map_err(|error| error.to_string())?,
        }),
        // The binary that a driver compiles from device code belongs to that device.
        (_, Target::Device(..)) | (None, Target::Cpu) => None,
    };
    let mut tuning: Vec<(String, i64)> = tuning.iter().map(|(name, value)| (name.clone(), *value)).collect();
    tuning.sort();
    let options =
        SentOptions { target: place, strict_fp, fast_math, unchecked: unsafe_, vector_bits: cpu.vector_bits };
    let Resources { threads, memory } = code.resources;
    let cache = SentCache::of(cache.as_ref());
    Ok(Sent {
        parts,
        options,
        threads,
        memory,
        tuning,
        cache,
        warnings: warnings.clone(),
        code: machine_code,
    })
}

/// Unpickles a program, or with a name its entry point of that name.
#[pyfunction(name = "_arrive")]
#[pyo3(signature = (version, fingerprint, packed, entry))]
pub fn arrive(
    py: Python<'_>,
    version: &str,
    fingerprint: u128,
    packed: &Bound<'_, PyBytes>,
    entry: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let program = match known(py, fingerprint) {
        Some(program) => program,
        None => {
            let made = Py::new(py, received(py, version, packed.as_bytes())?)?;
            remember(py, fingerprint, made)
        }
    };
    match entry {
        None => Ok(program.into_any()),
        Some(name) => Ok(program.get().entry(py, name)?.into_any()),
    }
}

/// Returns the number of threads that an engine leaves to a program in this process, in the form that `Program.with_resources` takes;
/// None for all.
///
/// `OMP_NUM_THREADS` counts, since Dask and Ray set it in their workers. A process that `multiprocessing` started is assumed to be one
/// of many, and gets one thread.
#[pyfunction(name = "_threads_of_engine")]
pub fn threads_of_engine(py: Python<'_>) -> PyResult<Option<usize>> {
    let chosen = std::env::var("OMP_NUM_THREADS").ok();
    let first = chosen.as_deref().and_then(|text| text.split(',').next()?.trim().parse().ok());
    if let Some(count) = first.filter(|&count| count > 0) {
        return Ok(Some(count));
    }
    let parent = py.import("multiprocessing.process")?.call_method0("parent_process")?;
    Ok((!parent.is_none()).then_some(1))
}

/// Returns an entry point for one of many tasks that an engine runs at once in threads of this process. Its program has one thread,
/// unless the user chose another number.
#[pyfunction(name = "_for_tasks")]
pub fn for_tasks(py: Python<'_>, entry: &EntryPoint) -> PyResult<EntryPoint> {
    Ok(EntryPoint::new(&entry.code().for_tasks(py)?, entry.number()))
}

fn received(py: Python<'_>, version: &str, packed: &[u8]) -> PyResult<Program> {
    let own = env!("CARGO_PKG_VERSION");
    if version != own {
        return Err(Error::new_err(format!(
            "the program was sent by warpwise {version}, but this process has warpwise {own}: install the same version on all machines"
        )));
    }
    let unreadable = |error: postcard::Error| Error::new_err(format!("what was sent is no program: {error}"));
    let sent: Sent = postcard::from_bytes(packed).map_err(unreadable)?;
    let Sent { parts, options, threads, memory, tuning, cache, warnings, code } = sent;
    let embedded = parts.embedded();
    let options = options.here().map_err(Error::new_err)?;
    let threads = if threads.is_some() { threads } else { threads_of_engine(py)? };
    let resources = Resources { threads, memory };
    let cache = cache.here();
    let cpu = target(&options).map_err(Error::new_err)?;
    let usable =
        code.filter(|code| build_id() == Some(code.build.as_slice()) && code.cpu == format!("{cpu:?}"));
    let (compiled, cached) = match usable {
        Some(code) => (postcard::from_bytes(&code.compiled).map_err(unreadable)?, true),
        None => built(py, embedded, &options, cache.as_ref())?,
    };
    let origin = Origin {
        parts: Some(Parts::from(embedded)),
        tuning: tuning.into_iter().collect(),
        compiled,
        cache,
        warnings,
        cached,
    };
    let ready = loaded(py, &origin, resources)?;
    Program::of(py, Arc::new(Code::new(Source::Parts(embedded), options, resources, Arc::new(origin), ready)))
}

/// Compiles a program that arrived. The first process of a machine compiles, while the others wait and then find the result in the cache.
fn built(
    py: Python<'_>,
    embedded: Embedded,
    options: &Options,
    cache: Option<&DiskCache>,
) -> PyResult<(Compiled, bool)> {
    let (options, cache) = (options.clone(), cache.cloned());
    let work = move || {
        let _alone = cache.as_ref().and_then(lock);
        deep(|| Source::Parts(embedded).build(&options, cache.as_ref()))
    };
    let Built { compiled, cached, .. } = aside(py, work)?.map_err(|error| error::not_built(py, &error))?;
    Ok((compiled, cached))
}

/// Takes the lock that keeps other processes out until it is dropped. `None` if the cache cannot be written to: then waiting would gain
/// nothing.
fn lock(cache: &DiskCache) -> Option<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(cache.folder()).ok()?;
    let options = File::options().create(true).append(true).open(cache.folder().join("compiling.lock"));
    let file = options.ok()?;
    file.lock().ok()?;
    Some(file)
}

fn known(py: Python<'_>, fingerprint: u128) -> Option<Py<Program>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.get(&fingerprint).map(|program| program.clone_ref(py))
}

/// Keeps a program. If another thread was quicker, returns that thread's program instead.
fn remember(py: Python<'_>, fingerprint: u128, program: Py<Program>) -> Py<Program> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().entry(fingerprint).or_insert(program).clone_ref(py)
}

impl SentOptions {
    /// Returns the same options for this machine.
    fn here(self) -> Result<Options, String> {
        let SentOptions { target: place, strict_fp, fast_math, unchecked, vector_bits } = self;
        let options =
            Options { target: place, strict_fp, fast_math, unsafe_: unchecked, ..Options::default() };
        if place != Target::Cpu || target(&options)?.vector_bits == vector_bits {
            return Ok(options);
        }
        let options = Options { vector_width: Some(vector_bits), ..options };
        target(&options).map_err(|message| {
            format!("the program was compiled on another kind of processor, and results depend on its vectors: {message}")
        })?;
        Ok(options)
    }
}

impl SentCache {
    fn of(cache: Option<&DiskCache>) -> SentCache {
        match cache {
            None => SentCache::None,
            Some(_) if cache == DiskCache::of_user().as_ref() => SentCache::OfUser,
            Some(cache) => SentCache::Folder(cache.folder().to_path_buf()),
        }
    }

    fn here(self) -> Option<DiskCache> {
        match self {
            SentCache::None => None,
            SentCache::OfUser => DiskCache::of_user(),
            SentCache::Folder(folder) => Some(DiskCache::new(folder, DEFAULT_BOUND)),
        }
    }
}
