//! Compilation of the accelerated expressions of host programs, and their calls with values of the host.
//!
//! [`lower_host`](crate::host::lower::lower_host) lowers a program's accelerated expressions to core IR, and [`Accelerator::new`]
//! compiles the core IR like any other program. A call takes the captured values apart ([`marshal`](crate::host::marshal),
//! [`tensors`](crate::host::tensors)), runs the entry point, and assembles the result. A call is repeated only if its first attempt
//! changed nothing; every other failure ends the run.
//!
//! Nested sequences are assumed to be regular unless the expression itself shows that they are not. If this proves wrong, before or
//! within a call, the expression is compiled once more for irregular sequences ([`rows`](crate::host::rows)), or computed on the host
//! where such code is impossible. This costs time and is recorded; it is an error if irregular sequences are not accepted. Tensors are
//! assumed not to overlap. If they do, the expression is compiled again as well.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;
use std::slice::SliceIndex;
use std::time::Instant;

use warpwise_diag::{Failure, Sources};
use warpwise_ir::{Function, Program as CoreProgram};
use warpwise_mexpr::accelerate::lower::imperative::{Printed, Signature, lower_imperative, printed};
use warpwise_mexpr::accelerate::lower::{Checks, entry_name, lower};
use warpwise_mexpr::accelerate::{Accepted, Split};
use warpwise_mexpr::host::code::{Accelerated, Code, Form};
use warpwise_mexpr::host::debug::{Irregular, Met};
use warpwise_mexpr::host::device::{Device, DeviceError};
use warpwise_mexpr::host::show::float_text;
use warpwise_mexpr::host::tensor::Tensor;
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_mexpr::host::world::World;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::NoBlock;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::MemoryPool;

use crate::build::{BuildError, Built, build_host};
use crate::cache::DiskCache;
use crate::compiler::Options;
use crate::host::inline::Inline;
use crate::host::lower::Lowered;
use crate::host::marshal::{MarshalError, n_leaves, put_together, take_apart};
use crate::host::places::{Places, result_form};
use crate::host::recorded::{Marshaled, Moved, Recorded, copies};
use crate::host::rows::{n_leaves_of_rows, put_together_rows, take_apart_rows};
use crate::host::storage::Storage;
use crate::host::tensors::{Arrays, TensorError, captured, n_tensors, overlapping};
use crate::program::{CallError, Context, LoadProgramError, Program};
use crate::target::Target;

/// Prefix of the message of a failing check on lengths.
const IRREGULAR: &str = "Irregular sequence";

/// Compiled accelerated expressions.
pub struct Accelerator {
    split: Split,
    sources: Sources,
    options: Options,
    context: Context,
    cache: Option<DiskCache>,
    cached: bool,
    not_kept: Option<String>,
    /// Program of all expressions, for tensors that do not overlap.
    program: Rc<Program>,
    signatures: Vec<(usize, Signature)>,
    /// Functional expressions that `program` compiles for irregular sequences.
    rows: BTreeSet<usize>,
    /// Programs of functional expressions that met irregular sequences; `None` if the host computes the expression.
    functional_rows: BTreeMap<usize, Option<Rc<Program>>>,
    /// Imperative expressions that met irregular sequences.
    imperative_rows: BTreeSet<usize>,
    /// Imperative expressions for overlapping tensors or irregular sequences.
    variants: Vec<Variant>,
    accepted: Accepted,
    marshaled: Marshaled,
    /// Number of values that the host has fetched after calls.
    fetched: Rc<Cell<Moved>>,
    /// The longest call, if calls are recorded.
    recorded: Option<Option<Recorded>>,
    irregular: Irregular,
    was_interrupted: bool,
}

/// An imperative expression compiled for overlapping tensors, or for irregular sequences.
struct Variant {
    number: usize,
    together: Vec<Vec<usize>>,
    rows: bool,
    program: Rc<Program>,
    signature: Signature,
}

/// The reason why accelerated expressions cannot be called.
#[derive(Debug)]
pub enum AccelerateError {
    /// The expressions cannot be compiled.
    Build(BuildError),
    /// The device cannot run the expressions.
    Load(LoadProgramError),
}

impl From<BuildError> for AccelerateError {
    fn from(error: BuildError) -> AccelerateError {
        AccelerateError::Build(error)
    }
}

impl From<LoadProgramError> for AccelerateError {
    fn from(error: LoadProgramError) -> AccelerateError {
        AccelerateError::Load(error)
    }
}

impl fmt::Display for AccelerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccelerateError::Build(error) => error.fmt(f),
            AccelerateError::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AccelerateError {}

impl Accelerator {
    /// Compiles lowered expressions, or takes them from the cache.
    pub fn new(
        lowered: Lowered,
        options: &Options,
        context: &Context,
        cache: Option<DiskCache>,
        accepted: Accepted,
    ) -> Result<Accelerator, AccelerateError> {
        let Lowered { split, sources, program, signatures, rows, .. } = lowered;
        let built = build_host(program, &sources, &("all", accepted), options, cache.as_ref());
        let Built { compiled, cached, not_kept, .. } = built?;
        let program = Rc::new(compiled.load(context)?);
        Ok(Accelerator {
            split,
            sources,
            options: options.clone(),
            context: context.clone(),
            cache,
            cached,
            not_kept,
            program,
            signatures,
            rows,
            functional_rows: BTreeMap::new(),
            imperative_rows: BTreeSet::new(),
            variants: Vec::new(),
            accepted,
            marshaled: Marshaled::default(),
            fetched: Rc::default(),
            recorded: None,
            irregular: Irregular::new(),
            was_interrupted: false,
        })
    }

    /// Returns the program with the expressions' entry points.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns whether the program was in the cache.
    pub fn cached(&self) -> bool {
        self.cached
    }

    /// Returns the reason why the program could not be put into the cache.
    pub fn not_kept(&self) -> Option<&str> {
        self.not_kept.as_deref()
    }

    /// Returns statistics of the values passed and returned.
    pub fn marshaled(&self) -> Marshaled {
        Marshaled { returned: self.marshaled.returned + self.fetched.get(), ..self.marshaled }
    }

    /// Starts to record the longest call.
    pub fn record(&mut self) {
        self.recorded = Some(None);
    }

    /// Returns the longest call since [`Accelerator::record`].
    pub fn recorded(&self) -> Option<&Recorded> {
        self.recorded.as_ref()?.as_ref()
    }

    /// Returns the expressions that met irregular sequences.
    pub fn irregular(&self) -> &Irregular {
        &self.irregular
    }

    /// Returns whether a run was interrupted.
    pub fn was_interrupted(&self) -> bool {
        self.was_interrupted
    }

    /// Records that an expression met irregular sequences, or returns the error if they are not accepted.
    fn meets_irregular(&mut self, number: usize, error: DeviceError) -> Result<(), DeviceError> {
        if !self.accepted.irregular {
            return Err(error);
        }
        self.irregular.entry(number).or_insert(Met { message: error.message, times: 0, on_host: false });
        Ok(())
    }

    /// Counts a call of an expression that met irregular sequences.
    fn count_irregular(&mut self, number: usize, on_host: bool) {
        if let Some(met) = self.irregular.get_mut(&number) {
            met.times += 1;
            met.on_host = on_host;
        }
    }
}

/// The results of a run, or the error if it met irregular sequences.
type Ran = Result<Vec<Placed>, DeviceError>;

impl Device for Accelerator {
    fn call(
        &mut self,
        code: &Code,
        world: &mut dyn World,
        number: usize,
        arguments: &[HostValue],
    ) -> Result<Option<HostValue>, DeviceError> {
        let expression = &code.accelerated[number];
        let (start, computed) = (Instant::now(), self.marshaled.computing);
        let signature = self.signatures.iter().find(|(other, _)| *other == number);
        let result = match signature.map(|(_, signature)| signature.clone()) {
            None => self.functional(expression, number, arguments),
            Some(signature) => self.imperative(expression, number, arguments, signature, world),
        };
        let computing = self.marshaled.computing - computed;
        self.marshaled.moving += start.elapsed().saturating_sub(computing);
        result
    }
}

impl Accelerator {
    fn functional(
        &mut self,
        expression: &Accelerated,
        number: usize,
        arguments: &[HostValue],
    ) -> Result<Option<HostValue>, DeviceError> {
        if !self.rows.contains(&number) && !self.functional_rows.contains_key(&number) {
            match self.regular(expression, number, arguments)? {
                Ok(results) => {
                    let results = self.on_host(&results, ..)?;
                    return put_together(&expression.result, &results).map(Some).ok_or_else(another_type);
                }
                Err(error) => self.meets_irregular(number, error)?,
            }
            let compiled = self.compile_rows(number);
            self.functional_rows.insert(number, compiled);
        }
        let program = match self.functional_rows.get(&number) {
            Some(program) => program.clone(),
            None => Some(Rc::clone(&self.program)),
        };
        self.count_irregular(number, program.is_none());
        let Some(program) = program else { return Ok(None) };
        let mut leaves = Vec::new();
        for ((name, form), argument) in expression.parameters.iter().zip(arguments) {
            take_apart_rows(form, argument, self.context.memory(), &mut leaves)
                .map_err(|error| refused(name, &error))?;
        }
        let results = self.run(&program, number, Vec::new(), leaves)??;
        let results = self.on_host(&results, ..)?;
        put_together_rows(&expression.result, &results).map(Some).ok_or_else(another_type)
    }

    /// Runs a functional expression on regular sequences.
    fn regular(
        &mut self,
        expression: &Accelerated,
        number: usize,
        arguments: &[HostValue],
    ) -> Result<Ran, DeviceError> {
        let mut leaves = Vec::new();
        for ((name, form), argument) in expression.parameters.iter().zip(arguments) {
            if let Err(error) = take_apart(form, argument, self.context.memory(), &mut leaves) {
                let is_irregular = matches!(error, MarshalError::Irregular(..));
                let error = refused(name, &error);
                return if is_irregular { Ok(Err(error)) } else { Err(error) };
            }
        }
        let program = Rc::clone(&self.program);
        self.run(&program, number, Vec::new(), leaves)
    }

    /// Compiles a functional expression for irregular sequences, if possible.
    fn compile_rows(&self, number: usize) -> Option<Rc<Program>> {
        let Split { host, entries, functional, .. } = &self.split;
        let inline = Inline::new(&self.sources, self.options.unsafe_);
        let rows = BTreeSet::from([number]);
        let lowered = lower(host, entries, functional, &inline, &rows, self.checks()).ok()?;
        let (sources, _) = inline.into_parts();
        self.compile(lowered.program, &sources, number, &(number, "rows")).ok()
    }

    fn imperative(
        &mut self,
        expression: &Accelerated,
        number: usize,
        arguments: &[HostValue],
        assumed: Signature,
        world: &mut dyn World,
    ) -> Result<Option<HostValue>, DeviceError> {
        let forms: Vec<&Form> = expression.parameters.iter().map(|(_, form)| form).collect();
        let tensors = captured(&forms, arguments);
        let Some((program, signature)) = self.fitting(number, assumed.clone(), &tensors)? else {
            self.count_irregular(number, true);
            return Ok(None);
        };
        let arrays = match Arrays::of(&signature, &tensors) {
            Ok(arrays) => arrays,
            Err(TensorError::OtherRank) => return Ok(None),
            Err(error) => return Err(refused_tensors(&error)),
        };
        let dimensions = self.accepted.dimensions;
        let places = Places { signature: &signature, arrays: &arrays, dimensions };
        let mut leaves = Vec::new();
        let mut first = 0;
        for ((name, form), argument) in expression.parameters.iter().zip(arguments) {
            let placed = places.of(form, argument, first);
            let (form_there, value) = placed.map_err(|error| refused_tensors(&error))?;
            first += n_tensors(form);
            let take_apart = if signature.has_rows { take_apart_rows } else { take_apart };
            match take_apart(&form_there, &value, self.context.memory(), &mut leaves) {
                Ok(()) => {}
                Err(error @ MarshalError::Irregular(..)) => {
                    self.meets_irregular(number, refused(name, &error))?;
                    return self.imperative_again(expression, number, arguments, assumed, world);
                }
                Err(error) => return Err(refused(name, &error)),
            }
        }
        let refused_here = |error| refused_tensors(&error);
        let storage = self.storage().map_err(|message| DeviceError { message, place: None })?;
        let repeated = signature.supposes_regular && !signature.has_rows;
        let given = arrays.give(&signature, &storage, repeated).map_err(refused_here)?;
        self.marshaled.given += given.moved;
        let ran = match self.run(&program, number, given.arrays, leaves)? {
            Ok(results) => results,
            Err(error) if signature.has_rows => return Err(error),
            Err(error) => {
                self.meets_irregular(number, error)?;
                return self.imperative_again(expression, number, arguments, assumed, world);
            }
        };
        self.count_irregular(number, false);
        let form = result_form(&expression.result, dimensions);
        let n_value = if signature.has_rows { n_leaves_of_rows(&form) } else { n_leaves(&form) };
        let (value, mut rest) = (self.on_host(&ran, ..n_value)?, ran.into_iter().skip(n_value));
        let n_written = signature.buffers.iter().filter(|buffer| buffer.is_written).count();
        let written = rest.by_ref().take(n_written).collect();
        let moved = arrays.take_back(&signature, written, &storage).map_err(refused_here)?;
        self.marshaled.returned += moved;
        let log = self.on_host(&rest.collect::<Vec<_>>(), ..)?;
        if let [log] = &*log {
            print_all(log.as_slice().unwrap_or_default(), world)?;
        }
        let put_together = if signature.has_rows { put_together_rows } else { put_together };
        let value = put_together(&form, &value).ok_or_else(another_type)?;
        arrays.views(&expression.result, value, &signature.results).map(Some).ok_or_else(another_type)
    }

    /// Repeats a call of [`imperative`](Self::imperative) with code for irregular sequences.
    fn imperative_again(
        &mut self,
        expression: &Accelerated,
        number: usize,
        arguments: &[HostValue],
        signature: Signature,
        world: &mut dyn World,
    ) -> Result<Option<HostValue>, DeviceError> {
        self.imperative_rows.insert(number);
        self.imperative(expression, number, arguments, signature, world)
    }

    /// Returns the program of an imperative expression for these tensors, taking overlaps into account. `None` if it cannot be compiled
    /// for the irregular sequences that it met.
    fn fitting(
        &mut self,
        number: usize,
        mut signature: Signature,
        tensors: &[Vec<Rc<Tensor>>],
    ) -> Result<Option<(Rc<Program>, Signature)>, DeviceError> {
        let mut program = Rc::clone(&self.program);
        let mut together: Vec<Vec<usize>> = Vec::new();
        let rows = self.imperative_rows.contains(&number);
        loop {
            let groups = overlapping(&signature, tensors);
            if groups.is_empty() && (signature.has_rows || !rows) {
                return Ok(Some((program, signature)));
            }
            together.extend(groups);
            let is_it = |v: &&Variant| v.number == number && v.together == together && v.rows == rows;
            (program, signature) = match self.variants.iter().find(is_it) {
                Some(variant) => (Rc::clone(&variant.program), variant.signature.clone()),
                None => {
                    let (program, signature) = match self.compile_imperative(number, &together, rows) {
                        Ok(compiled) => compiled,
                        Err(_) if rows => return Ok(None),
                        Err(error) => return Err(error),
                    };
                    self.variants.push(Variant {
                        number,
                        rows,
                        together: together.clone(),
                        program: Rc::clone(&program),
                        signature: signature.clone(),
                    });
                    (program, signature)
                }
            };
        }
    }

    /// Compiles an imperative expression for overlapping tensors, or for irregular sequences.
    fn compile_imperative(
        &self,
        number: usize,
        together: &[Vec<usize>],
        rows: bool,
    ) -> Result<(Rc<Program>, Signature), DeviceError> {
        let Split { host, entries, imperative, .. } = &self.split;
        let groups = |other| if other == number { together.to_vec() } else { Vec::new() };
        let with_rows = if rows { BTreeSet::from([number]) } else { BTreeSet::new() };
        let lowered = lower_imperative(host, entries, imperative, &groups, &with_rows, self.checks())
            .map_err(|failure| self.cannot(&failure))?;
        let signature = lowered.signatures.into_iter().find(|(other, _)| *other == number);
        let (_, signature) = signature.ok_or_else(another_type)?;
        let program = self.compile(lowered.program, &self.sources, number, &(number, together, rows))?;
        Ok((program, signature))
    }

    /// Compiles one expression of a program; `part` distinguishes it from others in the cache.
    fn compile(
        &self,
        lowered: CoreProgram,
        sources: &Sources,
        number: usize,
        part: &impl Hash,
    ) -> Result<Rc<Program>, DeviceError> {
        let mut program = CoreProgram::default();
        let name = entry_name(number);
        // Recursive functions come first, and keep the ids by which they are called.
        let is_needed = |function: &&Function| function.entry.is_none() || function.name == name;
        lowered.functions.values().filter(is_needed).for_each(|function| {
            program.functions.push(function.clone());
        });
        let part = (part, self.accepted);
        let compiled = build_host(program, sources, &part, &self.options, self.cache.as_ref())
            .map_err(|error| match error {
                BuildError::Failure { failure, .. } => self.cannot(&failure),
                other @ (BuildError::Source(_) | BuildError::Target(_)) => {
                    DeviceError { message: format!("{other:?}"), place: None }
                }
            })?
            .compiled;
        let failed = |error: LoadProgramError| DeviceError { message: error.to_string(), place: None };
        compiled.load(&self.context).map(Rc::new).map_err(failed)
    }

    fn checks(&self) -> Checks {
        Checks { none: self.options.unsafe_, accepted: self.accepted }
    }

    fn cannot(&self, failure: &Failure) -> DeviceError {
        let text = warpwise_diag::render_failure(&self.sources, failure, false);
        let message = format!("for what it was called with this cannot be compiled\n{}", text.trim_end());
        DeviceError { message, place: None }
    }

    /// Returns the memories that hold arrays.
    fn storage(&self) -> Result<Storage, String> {
        let device = match self.options.target {
            Target::Cpu => None,
            Target::Device(dialect, number) => {
                let memory = self.context.device_memory(dialect, number);
                Some(memory.map_err(|error| error.to_string())?)
            }
        };
        let (memory, fetched) = (self.context.memory().clone(), self.fetched.clone());
        Ok(Storage { memory, device, fetched })
    }

    /// Copies results to the host.
    fn on_host(
        &mut self,
        results: &[Placed],
        which: impl SliceIndex<[Placed], Output = [Placed]>,
    ) -> Result<Vec<Value>, DeviceError> {
        let results = results.get(which).ok_or_else(another_type)?;
        let on_host = |placed: &Placed| placed.to_host(self.context.memory());
        let values: Result<Vec<Value>, NoBlock> = results.iter().map(on_host).collect();
        let values = values.map_err(|error| DeviceError { message: error.to_string(), place: None })?;
        self.marshaled.returned += Moved::of(&values);
        Ok(values)
    }

    /// Runs an entry point, which takes the tensors' arrays first.
    fn run(
        &mut self,
        program: &Rc<Program>,
        number: usize,
        arrays: Vec<Placed>,
        leaves: Vec<Value>,
    ) -> Result<Ran, DeviceError> {
        self.marshaled.calls += 1;
        self.marshaled.given += Moved::of(&leaves);
        let entry = entry_name(number);
        let arguments: Vec<Placed> = arrays.into_iter().chain(leaves.into_iter().map(Placed::Host)).collect();
        let kept = self.recorded.is_some().then(|| kept(&arguments, self.context.memory()));
        let start = Instant::now();
        let called = match self.options.target {
            Target::Cpu => program
                .call_placed(&entry, arguments.into_iter())
                .map(|results| results.into_iter().map(Placed::Host).collect()),
            Target::Device(..) => program.call_resident(&entry, arguments.into_iter()),
        };
        let time = start.elapsed();
        self.marshaled.computing += time;
        if let Some(Some(arguments)) = kept
            && self.recorded().is_none_or(|longest| longest.time < time)
        {
            self.recorded = Some(Some(Recorded { program: Rc::clone(program), entry, arguments, time }));
        }
        match called {
            Ok(results) => Ok(Ok(results)),
            Err(CallError::Run(RunError::Check { message, place, calls })) => {
                let error = check_failed(message, place, &calls);
                let is_irregular = error.message.starts_with(IRREGULAR);
                if is_irregular { Ok(Err(error)) } else { Err(error) }
            }
            Err(error) => {
                self.was_interrupted |= error == CallError::Run(RunError::Interrupted);
                Err(DeviceError { message: error.to_string(), place: None })
            }
        }
    }
}

/// Copies the arguments of a call, so that it can be repeated.
fn kept(arguments: &[Placed], memory: &MemoryPool) -> Option<Vec<Value>> {
    let values: Option<Vec<Value>> = arguments.iter().map(|placed| placed.to_host(memory).ok()).collect();
    copies(&values?, memory)
}

fn print_all(log: &[f64], world: &mut dyn World) -> Result<(), DeviceError> {
    for printed in printed(log) {
        let text = match printed {
            Printed::Text(text) => text,
            Printed::Float(value) => float_text(value),
            Printed::Int(value) => value.to_string(),
        };
        world.print(&text).map_err(|message| DeviceError { message, place: None })?;
    }
    Ok(())
}

fn another_type() -> DeviceError {
    DeviceError { message: "the device gave a value of another type".to_string(), place: None }
}

fn refused_tensors(error: &TensorError) -> DeviceError {
    let message = match error {
        TensorError::OtherRank => "a tensor has another number of dimensions than is assumed".to_string(),
        TensorError::TooManyDimensions { rank, most } => {
            format!(
                "a tensor of {rank} dimensions, but accelerated code takes at most {most}; \
                 `--tensor-max-rank` lets it take more"
            )
        }
        TensorError::OutOfMemory(error) => format!("no room for tensors: {error}"),
        TensorError::Device(message) => message.clone(),
    };
    DeviceError { message, place: None }
}

fn check_failed(message: String, place: String, calls: &[String]) -> DeviceError {
    let calls = calls.iter().map(|call| format!("\n  called from {call}"));
    DeviceError { message: std::iter::once(message).chain(calls).collect(), place: Some(place) }
}

fn refused(name: &str, error: &MarshalError) -> DeviceError {
    let message = match error {
        MarshalError::Irregular(first, other) => {
            format!("{IRREGULAR}: `{name}` has elements of lengths {first} and {other}")
        }
        MarshalError::OutOfMemory(error) => format!("no room for `{name}`: {error}"),
        MarshalError::IllTyped => format!("`{name}` has another type than the checker found"),
    };
    DeviceError { message, place: None }
}
