//! The accelerated expressions of host programs: lowered, compiled, and called with values of the host.
//!
//! [`split_host`] finds and checks what a program accelerates, [`lower_host`] makes core IR of that, and
//! [`Accelerator::new`] compiles it like any other program. A call takes apart what the expression captures
//! ([`host_marshal`](crate::host_marshal), [`host_tensors`](crate::host_tensors)), runs the entry point, puts the result together, and
//! copies back what was written. Nothing is changed by a call that fails.
//!
//! A device has regular arrays only. Where a sequence turns out to have elements of different lengths, before the
//! call or within it, the host computes the expression instead. That is noted, as it
//! costs time, and is an error if asked for (`strict_regular`). Where tensors overlap that were supposed to lie apart, the
//! expression is compiled again, once.

use std::rc::Rc;
use std::time::{Duration, Instant};

use warpwise_diag::{Diagnostic, Failure, Sources};
use warpwise_ir::Program as CoreProgram;
use warpwise_mexpr::accelerate::lower::imperative::{Printed, Signature, lower_imperative, printed};
use warpwise_mexpr::accelerate::lower::{Note, entry_name, lower};
use warpwise_mexpr::accelerate::{Split, split};
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::{Accelerated, Code, Form};
use warpwise_mexpr::host::debug::Irregular;
use warpwise_mexpr::host::device::{Device, DeviceError};
use warpwise_mexpr::host::show::float_text;
use warpwise_mexpr::host::tensor::Tensor;
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_mexpr::host::world::World;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::MemoryPool;

use crate::build::{BuildError, Built, Core, build_host};
use crate::cache::DiskCache;
use crate::compiler::Options;
use crate::host_inline::Inline;
use crate::host_marshal::{MarshalError, n_leaves, put_together, take_apart};
use crate::host_tensors::{Arrays, TensorError, captured, count, overlapping, with_places};
use crate::program::{CallError, Context, LoadProgramError, Program};

/// What the message of a check on lengths starts with.
const IRREGULAR: &str = "Irregular sequence";

/// Takes a program apart, and checks what it accelerates.
pub fn split_host(checked: Checked, sources: &Sources) -> Result<Split, BuildError> {
    split(checked).map_err(|failure| BuildError::Failure { failure, sources: sources.clone() })
}

/// The accelerated expressions of a program in core IR, an entry point for each.
pub struct Lowered {
    split: Split,
    /// Those of the program, and of the array language's prelude where the program has text of it.
    sources: Sources,
    program: CoreProgram,
    signatures: Vec<(usize, Signature)>,
    notes: Vec<Note>,
    /// What is odd about text of the array language.
    odd: Vec<Diagnostic>,
}

/// Lowers what a program accelerates.
pub fn lower_host(split: Split, sources: &Sources, options: &Options) -> Result<Lowered, BuildError> {
    let inline = Inline::new(sources, options.unsafe_);
    let lowered = || {
        let mut program = lower(&split.host, &split.entries, &split.functional, &inline, options.unsafe_)?;
        let apart = |_| Vec::new();
        let imperative =
            lower_imperative(&split.host, &split.entries, &split.imperative, &apart, options.unsafe_)?;
        for function in imperative.program.functions.values() {
            program.functions.push(function.clone());
        }
        Ok((program, imperative.signatures, imperative.notes))
    };
    let lowered = lowered();
    let (sources, odd) = inline.into_parts();
    match lowered {
        Ok((program, signatures, notes)) => Ok(Lowered { split, sources, program, signatures, notes, odd }),
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

impl Lowered {
    /// What costs time, and what is odd.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.notes.iter().map(Note::warning).chain(self.odd.iter().cloned()).collect()
    }

    /// The program alone.
    pub(crate) fn into_core(self) -> Core {
        let warnings = self.warnings();
        Core { program: self.program, sources: self.sources, warnings }
    }
}

/// Compiled accelerated expressions.
pub struct Accelerator {
    split: Split,
    sources: Sources,
    options: Options,
    context: Context,
    cache: Option<DiskCache>,
    cached: bool,
    not_kept: Option<String>,
    /// All expressions, as if tensors never overlapped.
    program: Rc<Program>,
    signatures: Vec<(usize, Signature)>,
    /// Imperative expressions with tensors that overlap.
    variants: Vec<Variant>,
    strict_regular: bool,
    marshaled: Marshaled,
    /// The call that took longest, if calls are recorded.
    recorded: Option<Option<Recorded>>,
    irregular: Irregular,
    was_interrupted: bool,
}

/// An imperative expression some of whose tensors overlap.
struct Variant {
    number: usize,
    together: Vec<Vec<usize>>,
    program: Rc<Program>,
    signature: Signature,
}

/// What went to the device and came back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marshaled {
    /// How often an accelerated expression was called.
    pub calls: u64,
    /// Scalars that were handed over.
    pub values_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Scalars that came back.
    pub values_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// How long accelerated code ran.
    pub computing: Duration,
    /// How long it took to hand values over and to take them back.
    pub moving: Duration,
}

/// A call of an accelerated expression that can be made again, to measure it.
#[derive(Clone)]
pub struct Recorded {
    program: Rc<Program>,
    entry: String,
    arguments: Vec<Value>,
    /// How long it took.
    pub time: Duration,
}

impl Recorded {
    /// What was handed over: the leaves of all that is captured.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Makes the call with these arguments.
    pub fn call(&self, arguments: Vec<Value>) -> Result<Vec<Value>, CallError> {
        self.program.call(&self.entry, arguments)
    }
}

/// Why accelerated expressions cannot be called.
#[derive(Debug)]
pub enum AccelerateError {
    /// They cannot be compiled.
    Build(BuildError),
    /// The device cannot run them.
    Load(LoadProgramError),
}

impl Accelerator {
    /// Compiles lowered expressions, or takes them from the cache.
    pub fn new(
        lowered: Lowered,
        options: &Options,
        context: &Context,
        cache: Option<DiskCache>,
        strict_regular: bool,
    ) -> Result<Accelerator, AccelerateError> {
        let Lowered { split, sources, program, signatures, .. } = lowered;
        let built = build_host(program, &sources, &"all", options, cache.as_ref());
        let Built { compiled, cached, not_kept, .. } = built.map_err(AccelerateError::Build)?;
        let program = Rc::new(compiled.load(context).map_err(AccelerateError::Load)?);
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
            variants: Vec::new(),
            strict_regular,
            marshaled: Marshaled::default(),
            recorded: None,
            irregular: Irregular::new(),
            was_interrupted: false,
        })
    }

    /// The program that the expressions are entry points of.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether they were in the cache.
    pub fn cached(&self) -> bool {
        self.cached
    }

    /// Why they could not be put into the cache.
    pub fn not_kept(&self) -> Option<&str> {
        self.not_kept.as_deref()
    }

    /// What went to the device and came back.
    pub fn marshaled(&self) -> Marshaled {
        self.marshaled
    }

    /// From now on keeps the call that takes longest.
    pub fn record(&mut self) {
        self.recorded = Some(None);
    }

    /// The call that took longest since then.
    pub fn recorded(&self) -> Option<&Recorded> {
        self.recorded.as_ref()?.as_ref()
    }

    /// The expressions that the host had to compute.
    pub fn irregular(&self) -> &Irregular {
        &self.irregular
    }

    /// Whether a run was interrupted.
    pub fn was_interrupted(&self) -> bool {
        self.was_interrupted
    }

    /// Leaves an expression to the host, if that is allowed.
    fn leave(&mut self, number: usize, error: DeviceError) -> Result<Option<HostValue>, DeviceError> {
        if self.strict_regular {
            return Err(error);
        }
        self.irregular.entry(number).or_insert((error.message, 0)).1 += 1;
        Ok(None)
    }
}

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
        let mut leaves = Vec::new();
        for ((name, form), argument) in expression.parameters.iter().zip(arguments) {
            if let Err(error) = take_apart(form, argument, self.context.memory(), &mut leaves) {
                return self.refuse(number, name, &error);
            }
        }
        let program = Rc::clone(&self.program);
        let Some(results) = self.run(&program, number, leaves)? else { return Ok(None) };
        put_together(&expression.result, &results).map(Some).ok_or_else(another_type)
    }

    fn imperative(
        &mut self,
        expression: &Accelerated,
        number: usize,
        arguments: &[HostValue],
        signature: Signature,
        world: &mut dyn World,
    ) -> Result<Option<HostValue>, DeviceError> {
        let forms: Vec<&Form> = expression.parameters.iter().map(|(_, form)| form).collect();
        let tensors = captured(&forms, arguments);
        let (program, signature) = self.fitting(number, signature, &tensors)?;
        let arrays = match Arrays::of(&signature, &tensors, self.context.memory()) {
            Ok(arrays) => arrays,
            Err(TensorError::OtherRank) => return Ok(None),
            Err(error) => return Err(refused_tensors(&error)),
        };
        let mut leaves = arrays.values.clone();
        let mut first = 0;
        for ((name, form), argument) in expression.parameters.iter().zip(arguments) {
            let placed = with_places(form, argument, first, &signature, &arrays);
            let (form_there, value) = placed.map_err(|error| refused_tensors(&error))?;
            first += count(form);
            if let Err(error) = take_apart(&form_there, &value, self.context.memory(), &mut leaves) {
                return self.refuse(number, name, &error);
            }
        }
        let arrays = arrays.without_values();
        let Some(results) = self.run(&program, number, leaves)? else { return Ok(None) };
        let n_value = n_leaves(&expression.result);
        let (value, rest) = results.split_at(n_value.min(results.len()));
        arrays.write_back(&signature, rest).ok_or_else(another_type)?;
        if let Some(log) = results.last().filter(|_| signature.has_log) {
            print_all(log.as_slice().unwrap_or_default(), world)?;
        }
        put_together(&expression.result, value).map(Some).ok_or_else(another_type)
    }

    /// The program of an imperative expression for these tensors: one that knows which of them overlap.
    fn fitting(
        &mut self,
        number: usize,
        mut signature: Signature,
        tensors: &[Vec<Rc<Tensor>>],
    ) -> Result<(Rc<Program>, Signature), DeviceError> {
        let mut program = Rc::clone(&self.program);
        let mut together: Vec<Vec<usize>> = Vec::new();
        loop {
            let groups = overlapping(&signature, tensors);
            if groups.is_empty() {
                return Ok((program, signature));
            }
            together.extend(groups);
            let known = self.variants.iter().find(|v| v.number == number && v.together == together);
            (program, signature) = match known {
                Some(variant) => (Rc::clone(&variant.program), variant.signature.clone()),
                None => {
                    let (program, signature) = self.compile(number, &together)?;
                    self.variants.push(Variant {
                        number,
                        together: together.clone(),
                        program: Rc::clone(&program),
                        signature: signature.clone(),
                    });
                    (program, signature)
                }
            };
        }
    }

    /// Compiles an imperative expression for tensors of which some overlap.
    fn compile(
        &self,
        number: usize,
        together: &[Vec<usize>],
    ) -> Result<(Rc<Program>, Signature), DeviceError> {
        let Split { host, entries, imperative, .. } = &self.split;
        let groups = |other| if other == number { together.to_vec() } else { Vec::new() };
        let unchecked = self.options.unsafe_;
        let lowered = lower_imperative(host, entries, imperative, &groups, unchecked)
            .map_err(|failure| self.cannot(&failure))?;
        let mut program = CoreProgram::default();
        let name = entry_name(number);
        let own = lowered.program.functions.values().find(|function| function.name == name);
        own.into_iter().for_each(|function| {
            program.functions.push(function.clone());
        });
        let part = (number, together);
        let compiled = build_host(program, &self.sources, &part, &self.options, self.cache.as_ref())
            .map_err(|error| match error {
                BuildError::Failure { failure, .. } => self.cannot(&failure),
                other @ (BuildError::Source(_) | BuildError::Target(_)) => {
                    DeviceError { message: format!("{other:?}"), place: None }
                }
            })?
            .compiled;
        let failed = |error: LoadProgramError| DeviceError { message: error.to_string(), place: None };
        let program = compiled.load(&self.context).map_err(failed)?;
        let signature = lowered.signatures.into_iter().find(|(other, _)| *other == number);
        let (_, signature) = signature.ok_or_else(another_type)?;
        Ok((Rc::new(program), signature))
    }

    fn cannot(&self, failure: &Failure) -> DeviceError {
        let text = warpwise_diag::render_failure(&self.sources, failure, false);
        let message = format!("for tensors that overlap this cannot be compiled\n{}", text.trim_end());
        DeviceError { message, place: None }
    }

    /// Leaves what cannot be handed over to the host, if that is right.
    fn refuse(
        &mut self,
        number: usize,
        name: &str,
        error: &MarshalError,
    ) -> Result<Option<HostValue>, DeviceError> {
        let refused = refused(name, error);
        if matches!(error, MarshalError::Irregular(..)) { self.leave(number, refused) } else { Err(refused) }
    }

    /// Runs an entry point; gives nothing where the host is to compute the expression.
    fn run(
        &mut self,
        program: &Rc<Program>,
        number: usize,
        leaves: Vec<Value>,
    ) -> Result<Option<Vec<Value>>, DeviceError> {
        self.marshaled.calls += 1;
        let (values, bytes) = size(&leaves);
        self.marshaled.values_in += values;
        self.marshaled.bytes_in += bytes;
        let entry = entry_name(number);
        let kept = self.recorded.is_some().then(|| copies(&leaves, self.context.memory()));
        let start = Instant::now();
        let called = program.call(&entry, leaves);
        let time = start.elapsed();
        self.marshaled.computing += time;
        if let Some(Some(arguments)) = kept
            && self.recorded().is_none_or(|longest| longest.time < time)
        {
            self.recorded = Some(Some(Recorded { program: Rc::clone(program), entry, arguments, time }));
        }
        let results = match called {
            Ok(results) => results,
            Err(CallError::Run(RunError::Check { message, place, calls })) => {
                let error = check_failed(message, place, &calls);
                let is_irregular = error.message.starts_with(IRREGULAR);
                return if is_irregular { self.leave(number, error).map(|_| None) } else { Err(error) };
            }
            Err(error) => {
                self.was_interrupted |= error == CallError::Run(RunError::Interrupted);
                return Err(DeviceError { message: error.to_string(), place: None });
            }
        };
        let (values, bytes) = size(&results);
        self.marshaled.values_out += values;
        self.marshaled.bytes_out += bytes;
        Ok(Some(results))
    }
}

/// Values in memory of their own, which a call may overwrite without changing what is copied; none if memory runs out.
pub fn copies(values: &[Value], memory: &MemoryPool) -> Option<Vec<Value>> {
    let copy = |value: &Value| match value {
        Value::Scalar { .. } => Some(value.clone()),
        Value::Array { ty, array } => {
            let mut copy = Array::allocate(memory, array.elem(), array.shape()).ok()?;
            copy.bytes_mut(memory).ok()?.copy_from_slice(array.bytes());
            Some(Value::Array { ty: *ty, array: copy })
        }
    };
    values.iter().map(copy).collect()
}

fn print_all(log: &[f64], world: &mut dyn World) -> Result<(), DeviceError> {
    for printed in printed(log) {
        let text = match printed {
            Printed::Text(text) => text,
            Printed::Float(value) => float_text(value),
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
        TensorError::OtherRank => "a tensor has another number of dimensions than is supposed".to_string(),
        TensorError::TooManyDimensions(rank) => {
            format!("a tensor of {rank} dimensions, but accelerated code takes at most 3")
        }
        TensorError::OutOfMemory(error) => format!("no room for tensors: {error}"),
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

/// How many scalars there are, and their bytes.
fn size(leaves: &[Value]) -> (u64, u64) {
    let count = |leaf: &Value| match leaf {
        Value::Scalar { .. } => 1,
        Value::Array { array, .. } => array.len() as u64,
    };
    (leaves.iter().map(count).sum(), leaves.iter().map(Value::bytes).sum())
}
