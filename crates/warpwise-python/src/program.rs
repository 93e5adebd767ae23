//! Compiled programs as Python objects.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use warpwise_driver::build::{
    BuildError, Built, Core, Start, build_embedded, build_program, read_embedded, read_program,
};
use warpwise_driver::cache::DiskCache;
use warpwise_driver::compiler::{optimise, passes};
use warpwise_driver::embedded::Embedded;
use warpwise_driver::{Compiled, Context, Options, Program as Loaded, Target};
use warpwise_fut::entries::{Declared, declared};
use warpwise_ir::deep::deep;
use warpwise_runtime::execute::Spent;
use warpwise_source::files::read_text;
use warpwise_standalone::interface::{Interface, Kind, Naming, TypeRef};
use warpwise_standalone::value::Values;

use crate::entry::EntryPoint;
use crate::error::{self, RunError};
use crate::options::resources;
use crate::parts::Parts;
use crate::runtime::{Own, Resources};
use crate::stream;
use crate::travel::Packed;
use crate::values::{Classes, is_word};

/// The source of a program.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A text without a file, with the folder in which its imports are looked up.
    Text {
        /// The name that messages use.
        name: String,
        /// The text.
        text: String,
        /// The folder.
        folder: PathBuf,
    },
    /// All files of a program that came from another process.
    Parts(Embedded),
}

impl Source {
    /// Compiles the program, or takes it from the cache.
    pub fn build(&self, options: &Options, cache: Option<&DiskCache>) -> Result<Built, BuildError> {
        match self {
            Source::File(path) => build_program(Start::File(path), options, cache),
            Source::Text { name, text, folder } => {
                build_program(Start::Text { name, text, folder }, options, cache)
            }
            Source::Parts(embedded) => build_embedded(embedded, options, cache),
        }
    }

    /// Runs the front end.
    fn read(&self, options: &Options) -> Result<Core, BuildError> {
        match self {
            Source::File(path) => read_program(Start::File(path), options),
            Source::Text { name, text, folder } => read_program(Start::Text { name, text, folder }, options),
            Source::Parts(embedded) => deep(|| read_embedded(embedded, options)),
        }
    }

    /// Returns the declarations of the entry points, as far as they can be read now.
    fn declared(&self) -> Vec<Declared> {
        match self {
            Source::File(path) => {
                read_text(path, &self.name()).map(|text| declarations(&text)).unwrap_or_default()
            }
            Source::Text { text, .. } => declarations(text),
            Source::Parts(embedded) => declarations(&embedded.main().text),
        }
    }

    fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Text { name, .. } => name.clone(),
            Source::Parts(embedded) => embedded.main().name,
        }
    }
}

/// Returns the entry points that a text declares. The front end's signatures end at the body, whose tree has no parentheses: those that
/// open it are removed here.
pub fn declarations(text: &str) -> Vec<Declared> {
    let without_body = |entry: Declared| {
        let signature = entry.signature.trim_end_matches(['(', ' ']);
        let signature = signature.strip_suffix('=').unwrap_or(signature).trim_end().to_string();
        Declared { signature, ..entry }
    };
    declared(text).into_iter().map(without_body).collect()
}

/// Data that a program and its entry points share.
pub struct Code {
    source: Source,
    /// Options that it was compiled with.
    pub options: Options,
    /// Types of its entry points.
    pub interface: Interface,
    /// Requested threads and memory.
    pub resources: Resources,
    /// Text and compiled code that it was loaded from.
    pub origin: Arc<Origin>,
    packed: PyOnceLock<Packed>,
    alone: PyOnceLock<Arc<Code>>,
    running: Mutex<Own<Arc<Running>>>,
    declared: PyOnceLock<HashMap<String, Declared>>,
    /// The profile at the last `start_profile`.
    before: Mutex<Vec<Spent>>,
    /// Python's classes for its types.
    pub classes: Classes,
}

/// The data from which a program is loaded, here or in another process.
pub struct Origin {
    /// Its text, if all files could be read.
    pub parts: Option<Parts>,
    /// Values of the tuning parameters that are set.
    pub tuning: HashMap<String, i64>,
    /// The compiled code.
    pub compiled: Compiled,
    /// Cache of compiled programs.
    pub cache: Option<DiskCache>,
    /// Warnings of the compiler, as text.
    pub warnings: String,
    /// Whether it was compiled earlier and taken from the cache.
    pub cached: bool,
}

/// A program loaded on threads and memory.
pub struct Running {
    /// The program.
    pub program: Loaded,
    /// Its threads and memory.
    pub context: Context,
}

impl Code {
    /// Creates the shared data of a loaded program.
    pub fn new(
        source: Source,
        options: Options,
        resources: Resources,
        origin: Arc<Origin>,
        running: Running,
    ) -> Code {
        let interface =
            Interface::of(running.program.entries().iter().map(|entry| &entry.point), Naming::default());
        Code {
            source,
            options,
            classes: Classes::new(interface.types.len()),
            interface,
            resources,
            origin,
            packed: PyOnceLock::new(),
            alone: PyOnceLock::new(),
            running: Mutex::new(Own::new(Arc::new(running))),
            declared: PyOnceLock::new(),
            before: Mutex::default(),
        }
    }

    /// Returns the program for this process. The child of a fork gets threads and memory of its own.
    pub fn running(&self) -> PyResult<Arc<Running>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = running.get() {
            return Ok(Arc::clone(own));
        }
        let context = self.resources.context();
        let again = running.any().and_then(|parents| parents.program.on(&context)).ok_or_else(|| {
            RunError::new_err("a program on a device cannot be used after a fork: compile it in the child")
        })?;
        let own = Arc::new(Running { program: again, context });
        *running = Own::new(Arc::clone(&own));
        Ok(own)
    }

    /// Returns the same program on other threads and in other memory.
    fn on(&self, resources: Resources) -> PyResult<Code> {
        let context = resources.context();
        let program = self.running()?.program.on(&context).ok_or_else(|| {
            PyValueError::new_err(
                "a program on a device has no threads to choose: compile it again with other limits",
            )
        })?;
        let (source, options, origin) = (self.source.clone(), self.options.clone(), Arc::clone(&self.origin));
        Ok(Code::new(source, options, resources, origin, Running { program, context }))
    }

    /// Returns the same program for one of many tasks that run at once: on one thread, unless the user chose a number.
    pub fn for_tasks(self: &Arc<Code>, py: Python<'_>) -> PyResult<Arc<Code>> {
        if self.resources.threads.is_some() || self.device() != Target::Cpu {
            return Ok(Arc::clone(self));
        }
        let alone = Resources { threads: Some(1), ..self.resources };
        self.alone.get_or_try_init(py, || self.on(alone).map(Arc::new)).cloned()
    }

    /// Returns the program as it is sent to other processes.
    pub fn packed(self: &Arc<Code>, py: Python<'_>) -> PyResult<&Packed> {
        self.packed.get_or_try_init(py, || Packed::new(py, self))
    }

    /// Returns the profile since the last `start_profile`, the longest first. The run time only adds to its counts.
    fn spent(&self) -> PyResult<Vec<Spent>> {
        let mut all = self.running()?.program.profile();
        for before in self.before.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let is_same = |now: &&mut Spent| {
                (&now.what, &now.place, &now.lines) == (&before.what, &before.place, &before.lines)
            };
            if let Some(now) = all.iter_mut().find(is_same) {
                now.times -= before.times;
                now.bytes -= before.bytes;
                now.time -= before.time;
            }
        }
        all.retain(|spent| spent.times > 0);
        all.sort_by_key(|spent| std::cmp::Reverse(spent.time));
        Ok(all)
    }

    /// Returns the operations on the program's values.
    pub fn values<'c>(&'c self, running: &'c Running) -> Values<'c> {
        Values { interface: &self.interface, memory: running.context.memory() }
    }

    /// Returns the declaration of an entry point.
    pub fn declared(&self, py: Python<'_>, name: &str) -> Option<&Declared> {
        let all = || self.source.declared().into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        self.declared.get_or_init(py, all).get(name)
    }

    /// Returns the target that it runs on.
    pub fn device(&self) -> Target {
        self.options.target
    }

    /// Returns the name of a type in the language.
    pub fn type_name(&self, ty: TypeRef) -> &str {
        self.interface.name(ty)
    }
}

/// A compiled program. Its entry points are attributes: `program.main(xs)`.
#[pyclass(frozen, weakref, module = "warpwise")]
pub struct Program {
    code: Arc<Code>,
    entries: HashMap<String, Py<EntryPoint>>,
}

impl Program {
    /// Creates a program with its entry points.
    pub fn of(py: Python<'_>, code: Arc<Code>) -> PyResult<Program> {
        let names = code.interface.entries.iter().map(|entry| entry.name.clone()).enumerate();
        let entries = names.map(|(number, name)| Ok((name, Py::new(py, EntryPoint::new(&code, number))?)));
        let entries = entries.collect::<PyResult<_>>()?;
        Ok(Program { code, entries })
    }

    /// Returns the data that it shares with its entry points.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// Returns the types of its entry points.
    pub fn interface(&self) -> &Interface {
        &self.code.interface
    }

    /// Returns the entry point of this name.
    pub fn entry(&self, py: Python<'_>, name: &str) -> PyResult<Py<EntryPoint>> {
        self.entries.get(name).map(|entry| entry.clone_ref(py)).ok_or_else(|| {
            let names = self.names().join(", ");
            let there_are =
                if names.is_empty() { "it has none".to_string() } else { format!("there are: {names}") };
            PyAttributeError::new_err(format!("the program has no entry point `{name}`; {there_are}"))
        })
    }

    /// Returns the name of an entry point of this program, which is given itself or by its name.
    fn name_of(&self, entry: &Bound<'_, PyAny>) -> PyResult<String> {
        let Ok(point) = entry.cast::<EntryPoint>() else {
            return entry.extract().map_err(|_| {
                let class = entry.get_type().name().map(|name| name.to_string()).unwrap_or_default();
                PyTypeError::new_err(format!("entry: expected an entry point or its name, found {class}"))
            });
        };
        match Arc::ptr_eq(point.get().code(), &self.code) {
            true => Ok(point.get().interface().name.clone()),
            false => Err(PyValueError::new_err("entry: it is an entry point of another program")),
        }
    }

    fn names(&self) -> Vec<&str> {
        self.code.interface.entries.iter().map(|entry| entry.name.as_str()).collect()
    }
}

#[pymethods]
impl Program {
    /// The names of the entry points, in the order of the source.
    #[getter]
    fn entries(&self) -> Vec<&str> {
        self.names()
    }

    /// The classes of the records that it takes and returns, by name: named tuples. Of several record types with one name, only the
    /// first is listed.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let classes = PyDict::new(py);
        for (number, named) in self.code.interface.types.iter().enumerate() {
            if let Kind::Record(fields) = &named.kind
                && is_word(&named.name)
                && !classes.contains(&named.name)?
            {
                let class = self.code.classes.of_record(py, number, &named.name, fields)?;
                classes.set_item(&named.name, class)?;
            }
        }
        Ok(classes)
    }

    /// The file, or the name that messages use.
    #[getter]
    fn source(&self) -> String {
        self.code.source.name()
    }

    /// The device that it runs on: `cpu`, `opencl:0`, ...
    #[getter]
    fn device(&self) -> String {
        self.code.options.target.to_string()
    }

    /// The number of threads that it uses.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.code.running()?.context.threads().threads())
    }

    /// The warnings of the compiler, as text.
    #[getter]
    fn warnings(&self) -> &str {
        &self.code.origin.warnings
    }

    /// Whether it was compiled before and taken from the cache.
    #[getter]
    fn cached(&self) -> bool {
        self.code.origin.cached
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<EntryPoint>> {
        self.entry(py, name)
    }

    /// Returns the entry point of this name, even if the name is not a Python identifier or is an attribute of this class.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<EntryPoint>> {
        self.entry(py, name)
            .map_err(|error| pyo3::exceptions::PyKeyError::new_err(error.value(py).to_string()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.names())?.try_iter()
    }

    fn __len__(&self) -> usize {
        self.names().len()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<String>().is_ok_and(|name| self.entries.contains_key(&name))
    }

    fn __dir__<'py>(slf: &Bound<'py, Program>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let own = py.get_type::<pyo3::types::PyAny>().call_method1("__dir__", (slf,))?;
        let all = PyList::empty(py);
        all.call_method1("extend", (own,))?;
        all.call_method1("extend", (slf.get().names(),))?;
        Ok(all.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let entries = self.entries.values().map(|entry| (entry.get().number(), entry.get().declaration(py)));
        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        let lines: String = entries.iter().map(|(_, line)| format!("\n  entry {line}")).collect();
        format!("<warpwise program {} on {}:{lines}>", self.source(), self.device())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.code.packed(py)?.reduced(py, None)
    }

    /// Returns the token by which Dask recognises equal programs.
    fn __dask_tokenize__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.code.packed(py)?.token())
    }

    /// Returns the same program with its own threads (`threads`) or its own bound on memory (`memory_limit`: bytes, or a text such as
    /// `"2G"`). The machine code is shared.
    #[pyo3(signature = (*, threads=None, memory_limit=None))]
    fn with_resources(
        &self,
        py: Python<'_>,
        threads: Option<i64>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Program> {
        let resources = resources(threads, memory_limit)?;
        Program::of(py, Arc::new(self.code.on(resources)?))
    }

    /// Runs an entry point over data that is larger than memory, block by block: an iterator of the results for each block of elements.
    /// `entry` is an entry point of this program, or its name.
    ///
    /// The last parameters of the entry point are streamed; `fixed` holds the values of the parameters before them. `source` is a path
    /// (`.npy`, `.parquet`, `.arrow`, `.csv`, `.tsv`, raw data with `shape`, also compressed by gzip), an array or a table in memory,
    /// anything with `__arrow_c_stream__`, or an iterator of arrays or tables of any length; a tuple of these is a source for each
    /// streamed parameter. `column` names the column of a table, or is a list of names; without it, several streamed parameters take
    /// the columns of their names. Rows of 2-dimensional arrays are the elements of a parameter `[n][m]`. `take` is the number of
    /// elements after which the stream ends. `format` is the format of a file whose ending does not tell it, and `header=False` says
    /// that the first line of a text file does not hold names.
    ///
    /// Every call of the entry point gets `block` elements, and the last call the rest. Without `block` a block is one mebibyte of
    /// elements, so results do not depend on how the source is divided. `elementwise=True` says that the entry point treats elements
    /// one by one; a call may then get whatever number of elements is fastest.
    ///
    /// `out` is a path, or a list of paths with one for each result. The files (`.npy`, `.parquet`, `.arrow`, `.csv`, `.tsv`, `.raw`)
    /// are either written completely or not created, and the number of elements is returned. `progress=True` shows a `tqdm` bar;
    /// anything with `update(n)` works as well.
    ///
    /// Raises any exception of the source, TypeError and ValueError for arguments that do not fit, and RunError where the program
    /// fails; its `element` is the number of the failing element.
    #[pyo3(signature = (entry, source, *fixed, column=None, block=None, elementwise=false, progress=None, out=None, take=None, format=None,
                        shape=None, header=true))]
    #[allow(clippy::too_many_arguments)]
    fn stream<'py>(
        &self,
        py: Python<'py>,
        entry: &Bound<'py, PyAny>,
        source: &Bound<'py, PyAny>,
        fixed: &Bound<'py, PyTuple>,
        column: Option<Bound<'py, PyAny>>,
        block: Option<i64>,
        elementwise: bool,
        progress: Option<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        take: Option<u64>,
        format: Option<String>,
        shape: Option<Vec<i64>>,
        header: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = stream::Asked { column, block, elementwise, progress, take, format, shape, header };
        let name = self.name_of(entry)?;
        stream::stream(py, &self.code, (&name, source, fixed), &asked, out)
    }

    /// Folds data that is larger than memory. The entry points are `init : s`, `step (xs: []t) (state: s) : s` and `merge (earlier: s)
    /// (later: s) : s`; the result is the state after all elements.
    ///
    /// Each block is folded separately, starting from `init`, and `merge` combines the blocks along a fixed tree, so the result depends
    /// neither on timing nor on threads. `init`, `step` and `merge` may name other entry points; all other parameters are as in
    /// `stream`.
    #[pyo3(signature = (source, *, init="init", step="step", merge="merge", column=None, block=None, progress=None, take=None,
                        format=None, shape=None, header=true))]
    #[allow(clippy::too_many_arguments)]
    fn fold<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        init: &str,
        step: &str,
        merge: &str,
        column: Option<Bound<'py, PyAny>>,
        block: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
        take: Option<u64>,
        format: Option<String>,
        shape: Option<Vec<i64>>,
        header: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked =
            stream::Asked { column, block, elementwise: false, progress, take, format, shape, header };
        stream::fold(py, &self.code, ([init, step, merge], source), &asked)
    }

    /// Returns the core IR as text: after all passes that run on core IR, or after the pass named (`"fuse"`). `after=""` asks for the
    /// output of the front end. The source is read again.
    #[pyo3(signature = (after=None))]
    fn ir(&self, py: Python<'_>, after: Option<&str>) -> PyResult<String> {
        let code = &self.code;
        let names: Vec<&str> = passes(&code.options).iter().map(|pass| pass.name).collect();
        if let Some(after) = after.filter(|after| !after.is_empty() && !names.contains(after)) {
            let all = names.join(", ");
            return Err(PyValueError::new_err(format!("there is no pass `{after}`; there are: {all}")));
        }
        let shown = py.detach(|| error::guarded(|| shown(code, after)))?;
        shown.map_err(|error| error::not_built(py, &error))
    }

    /// Starts to record where calls spend their time. Forgets what was recorded before.
    fn start_profile(&self) -> PyResult<()> {
        let running = self.code.running()?;
        running.program.start_profile();
        *self.code.before.lock().unwrap_or_else(PoisonError::into_inner) = running.program.profile();
        Ok(())
    }

    /// Returns where calls have spent their time since `start_profile`, the longest first: a list of dicts with `what`, `place`,
    /// `times`, `bytes` and `seconds`, which `pandas.DataFrame` takes.
    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let table = PyList::empty(py);
        for spent in self.code.spent()? {
            let row = PyDict::new(py);
            row.set_item("what", &spent.what)?;
            row.set_item("place", &spent.place)?;
            row.set_item("times", spent.times)?;
            row.set_item("bytes", spent.bytes)?;
            row.set_item("seconds", spent.time.as_secs_f64())?;
            table.append(row)?;
        }
        Ok(table)
    }
}

/// Returns core IR as text, after one pass or after all.
fn shown(code: &Code, after: Option<&str>) -> Result<String, BuildError> {
    let core = code.source.read(&code.options)?;
    let (mut program, sources) = (core.program, core.sources);
    let mut text = program.to_string();
    if after == Some("") {
        return Ok(text);
    }
    let mut is_past = false;
    let done = optimise(&mut program, &code.options, |pass, program, _| {
        if !is_past {
            text = program.to_string();
        }
        is_past |= after == Some(pass.name);
    });
    match done {
        Ok(()) => Ok(text),
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}
