//! Entry points as Python callables.

mod run;

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use warpwise_driver::{Program as Loaded, Target};
use warpwise_runtime::device::array::Placed;
use warpwise_standalone::interface::{EntryInterface, Input, Interface};

use crate::arguments::Taker;
use crate::calls;
use crate::error;
use crate::given::Consumed;
use crate::interrupt;
use crate::program::{Code, Program, Running};
use crate::results::Giver;

// An entry point of a program. The class itself has no Python docstring, so that each entry point can have its own: its `__doc__` is
// its declaration with the comment before it.
#[allow(missing_docs)]
#[pyclass(frozen, weakref, module = "warpwise")]
pub struct EntryPoint {
    code: Arc<Code>,
    number: usize,
    /// Whether the last call in the main thread was long, as far as known.
    is_long: AtomicBool,
}

impl EntryPoint {
    /// Creates the entry point with index `number`.
    pub fn new(code: &Arc<Code>, number: usize) -> EntryPoint {
        EntryPoint { code: Arc::clone(code), number, is_long: AtomicBool::new(true) }
    }

    /// Returns its index in source order.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the code that it shares with its program.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// Returns the interface of the whole program.
    pub fn program_interface(&self) -> &Interface {
        &self.code.interface
    }

    /// Returns the types of its parameters and of its result.
    pub fn interface(&self) -> &EntryInterface {
        &self.code.interface.entries[self.number]
    }

    /// Returns its declaration in the source or, where the source cannot be read, its parameters and result type.
    pub fn declaration(&self, py: Python<'_>) -> String {
        let entry = self.interface();
        if let Some(declared) = self.code.declared(py, &entry.name) {
            return declared.signature.clone();
        }
        let mut text = entry.name.clone();
        for (name, ty) in self.parameters() {
            // Writing to a string cannot fail.
            let _ = write!(text, " ({name}: {ty})");
        }
        format!("{text} : {}", self.code.type_name(entry.output.ty))
    }

    /// Returns the names and types of the parameters. Parameters without a name get one made from their position.
    fn parameters(&self) -> Vec<(String, String)> {
        let parameter = |(at, input): (usize, &Input)| {
            let star = if input.is_consumed() { "*" } else { "" };
            (parameter_name(at, input), format!("{star}{}", self.code.type_name(input.ty)))
        };
        self.interface().inputs.iter().enumerate().map(parameter).collect()
    }

    /// Returns the arguments in the order of the parameters.
    fn bound<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let EntryInterface { name, inputs, .. } = self.interface();
        let mut given: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let named = kwargs.map_or(0, |kwargs| kwargs.len());
        if given.len() + named > inputs.len() || (named == 0 && given.len() != inputs.len()) {
            let (expected, found) = (inputs.len(), given.len() + named);
            let takes =
                if expected == 1 { "1 argument".to_string() } else { format!("{expected} arguments") };
            let listed = inputs.iter().enumerate().map(|(at, input)| parameter_name(at, input));
            let listed = listed.collect::<Vec<_>>().join(", ");
            let were = if found == 1 { "was" } else { "were" };
            return Err(PyTypeError::new_err(format!(
                "{name}() takes {takes} ({listed}), but {found} {were} given"
            )));
        }
        if let Some(kwargs) = kwargs.filter(|_| named > 0) {
            self.add_keywords(&mut given, kwargs)?;
        }
        Ok(given)
    }

    /// Adds the arguments that are given by keywords to those `given` by position.
    fn add_keywords<'py>(
        &self,
        given: &mut Vec<Bound<'py, PyAny>>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let EntryInterface { name, inputs, .. } = self.interface();
        let names: Vec<String> =
            inputs.iter().enumerate().map(|(at, input)| parameter_name(at, input)).collect();
        let mut named: Vec<Option<Bound<'py, PyAny>>> = vec![None; names.len()];
        for (keyword, value) in kwargs.iter() {
            let keyword = keyword.str()?.to_string();
            // The signature shows a number instead of a name that is no identifier.
            let numbered = || (0..names.len()).find(|&at| numbered_name(at) == keyword);
            let Some(at) = names.iter().position(|name| *name == keyword).or_else(numbered) else {
                let listed = names.join(", ");
                return Err(PyTypeError::new_err(format!(
                    "{name}() has no parameter `{keyword}`; it has: {listed}"
                )));
            };
            if at < given.len() || named[at].is_some() {
                return Err(PyTypeError::new_err(format!("{name}() got two values for `{keyword}`")));
            }
            named[at] = Some(value);
        }
        for (parameter, value) in names.iter().zip(named).skip(given.len()) {
            given.push(value.ok_or_else(|| {
                PyTypeError::new_err(format!("{name}() misses the argument `{parameter}`"))
            })?);
        }
        Ok(())
    }

    fn taken(&self, running: &Running, given: &[Bound<'_, PyAny>]) -> PyResult<Vec<Placed>> {
        let EntryInterface { name, inputs, .. } = self.interface();
        let mut taker = Taker::new(&self.code, running, name);
        for (at, (input, object)) in inputs.iter().zip(given).enumerate() {
            taker.argument(at, input, object)?;
        }
        taker.leaves()
    }
}

/// Returns the name of a parameter.
pub fn parameter_name(at: usize, input: &Input) -> String {
    if input.name.is_empty() { numbered_name(at) } else { input.name.clone() }
}

/// Returns the name of a parameter that has no name, or none that Python can use.
fn numbered_name(at: usize) -> String {
    format!("argument{}", at + 1)
}

#[pymethods]
impl EntryPoint {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let running = self.code.running()?;
        let given = self.bound(args, kwargs)?;
        let name = &self.interface().name;
        let call = |program: &Loaded, leaves: Vec<Placed>| program.call_placed(name, leaves.into_iter());
        let results = self.run(py, &running, &given, call)?;
        let given_away = given.iter().filter_map(|object| object.cast::<Consumed>().ok());
        let given_away = given_away.map(|given| given.get().array(py)).collect();
        let giver = Giver::new(py, &self.code, &running).with_given_away(given_away);
        giver.value(self.interface().output.ty, results)
    }

    /// Calls the entry point of a program on a device and leaves the arrays of the result there (`DeviceArray`). Calls on the same
    /// device take them without a copy.
    #[pyo3(signature = (*args, **kwargs))]
    fn resident<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        if self.code.device() == Target::Cpu {
            return Err(PyValueError::new_err(
                "the program runs on the processor: call the entry point itself",
            ));
        }
        let running = self.code.running()?;
        let given = self.bound(args, kwargs)?;
        let name = &self.interface().name;
        let call = |program: &Loaded, leaves: Vec<Placed>| program.call_resident(name, leaves.into_iter());
        let results = self.run(py, &running, &given, call)?;
        Giver::new(py, &self.code, &running).placed(self.interface().output.ty, results)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.code.packed(py)?.reduced(py, Some(&self.interface().name))
    }

    /// Returns the token by which Dask recognises equal entry points.
    fn __dask_tokenize__(&self, py: Python<'_>) -> PyResult<(String, &str)> {
        Ok((self.code.packed(py)?.token(), &self.interface().name))
    }

    /// The program that it belongs to.
    #[getter]
    fn program(&self, py: Python<'_>) -> PyResult<Program> {
        Program::of(py, Arc::clone(&self.code))
    }

    /// Seconds that a call with these arguments takes without Python's overhead: the mean of `calls` consecutive calls from Rust. Each
    /// call copies the arguments that it consumes.
    #[pyo3(signature = (*args, calls))]
    fn native_seconds(&self, args: &Bound<'_, PyTuple>, calls: u32) -> PyResult<f64> {
        let py = args.py();
        let running = self.code.running()?;
        let leaves = self.taken(&running, &self.bound(args, None)?)?;
        let name = &self.interface().name;
        let work = || {
            let start = Instant::now();
            let call = || running.program.call_placed(name, leaves.clone().into_iter()).map(|_| ());
            (0..calls.max(1)).try_for_each(|_| call())?;
            Ok(start.elapsed().as_secs_f64() / f64::from(calls.max(1)))
        };
        let work = || error::guarded(work);
        let flag = running.context.threads().cancel_flag();
        let called = match interrupt::is_main_thread() {
            true => interrupt::apart(py, flag, work),
            false => calls::in_thread(py, flag, work),
        };
        called??.map_err(|error| self.failure(py, error))
    }

    /// Its name.
    #[getter]
    fn __name__(&self) -> &str {
        &self.interface().name
    }

    /// The comment before its declaration, and the declaration.
    #[getter]
    fn __doc__(&self, py: Python<'_>) -> String {
        let declaration = self.declaration(py);
        match self.code.declared(py, &self.interface().name) {
            Some(declared) if !declared.doc.is_empty() => format!("{declaration}\n\n{}", declared.doc),
            Some(_) | None => declaration,
        }
    }

    /// An `inspect.Signature` with the types as annotations, for inspection and editors.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inspect = py.import("inspect")?;
        let parameter = inspect.getattr("Parameter")?;
        let kind = parameter.getattr("POSITIONAL_OR_KEYWORD")?;
        let mut parameters = Vec::new();
        for (name, ty) in self.parameters() {
            let options = PyDict::new(py);
            options.set_item("annotation", ty)?;
            let name = if is_identifier(py, &name)? { name } else { numbered_name(parameters.len()) };
            parameters.push(parameter.call((name, &kind), Some(&options))?);
        }
        let options = PyDict::new(py);
        options.set_item("return_annotation", self.code.type_name(self.interface().output.ty))?;
        inspect.getattr("Signature")?.call((parameters,), Some(&options))
    }

    /// The declaration: `dot [n] (xs: [n]f32) (ys: [n]f32) : f32`.
    #[getter]
    fn signature(&self, py: Python<'_>) -> String {
        self.declaration(py)
    }

    /// The parameters: a list of pairs of a name and a type. A star before a type says that the argument is consumed.
    #[getter(parameters)]
    fn listed_parameters(&self) -> Vec<(String, String)> {
        self.parameters()
    }

    /// The type of the result.
    #[getter]
    fn result(&self) -> &str {
        self.code.type_name(self.interface().output.ty)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<entry point {}>", self.declaration(py))
    }
}

fn is_identifier(py: Python<'_>, name: &str) -> PyResult<bool> {
    let is_word: bool = pyo3::types::PyString::new(py, name).call_method0("isidentifier")?.extract()?;
    Ok(is_word && !py.import("keyword")?.call_method1("iskeyword", (name,))?.extract::<bool>()?)
}
