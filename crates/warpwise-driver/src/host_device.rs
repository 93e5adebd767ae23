//! The accelerated expressions of host programs: compiled, and called with values of the host.
//!
//! [`lower_host`](crate::host_lower::lower_host) makes core IR of what a program accelerates, and [`Accelerator::new`] compiles it like
//! any other program. A call takes apart what the expression captures
//! ([`host_marshal`](crate::host_marshal), [`host_tensors`](crate::host_tensors)), runs the entry point, puts the result together, and
//! copies back what was written. Nothing is changed by a call that fails.
//!
//! Sequences in sequences are supposed to have one length, unless the expression itself shows that they do not. Where it turns
//! out that they have not, before the call or within it, the expression is compiled again, once, for sequences of any lengths
//! ([`host_rows`](crate::host_rows)), or computed on the host if that is not possible. That is noted, as it costs time, and is an
//! error if asked for (`strict_regular`). Where tensors overlap that were supposed to lie apart, the expression is compiled
//! again, too.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;
use std::time::Instant;

use warpwise_diag::{Failure, Sources};
use warpwise_ir::Program as CoreProgram;
use warpwise_mexpr::accelerate::Split;
use warpwise_mexpr::accelerate::lower::imperative::{Printed, Signature, lower_imperative, printed};
use warpwise_mexpr::accelerate::lower::{Checks, entry_name, lower};
use warpwise_mexpr::host::code::{Accelerated, Code, Form};
use warpwise_mexpr::host::debug::{Irregular, Met};
use warpwise_mexpr::host::device::{Device, DeviceError};
use warpwise_mexpr::host::show::float_text;
use warpwise_mexpr::host::tensor::Tensor;
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_mexpr::host::world::World;
use warpwise_runtime::array::Value;
use warpwise_runtime::execute::RunError;

use crate::build::{BuildError, Built, build_host};
use crate::cache::DiskCache;
use crate::compiler::Options;
use crate::host_inline::Inline;
use crate::host_lower::Lowered;
use crate::host_marshal::{MarshalError, n_leaves, put_together, take_apart};
use crate::host_recorded::{Marshaled, Recorded, copies, size};
use crate::host_rows::{n_leaves_of_rows, put_together_rows, take_apart_rows};
use crate::host_tensors::{Arrays, TensorError, captured, count, overlapping, result_form, with_places};
use crate::program::{CallError, Context, LoadProgramError, Program};

/// What the message of a check on lengths starts with.
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
    /// All expressions, as if tensors never overlapped.
    program: Rc<Program>,
    signatures: Vec<(usize, Signature)>,
    /// The functional expressions of it whose sequences in sequences may have any lengths.
    rows: BTreeSet<usize>,
    /// Functional expressions for sequences of any lengths; none where the host computes them.
    functional_rows: BTreeMap<usize, Option<Rc<Program>>>,
    /// Imperative expressions that met irregular sequences.
    imperative_rows: BTreeSet<usize>,
    /// Imperative expressions with tensors that overlap, or sequences of any lengths.
    variants: Vec<Variant>,
    strict_regular: bool,
    marshaled: Marshaled,
    /// The call that took longest, if calls are recorded.
    recorded: Option<Option<Recorded>>,
    irregular: Irregular,
    was_interrupted: bool,
}

/// An imperative expression some of whose tensors overlap, or whose sequences have any lengths.
struct Variant {
    number: usize,
    together: Vec<Vec<usize>>,
    rows: bool,
    program: Rc<Program>,
    signature: Signature,
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
        let Lowered { split, sources, program, signatures, rows, .. } = lowered;
        let built = build_host(program, &sources, &("all", strict_regular), options, cache.as_ref());
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
            rows,
            functional_rows: BTreeMap::new(),
            imperative_rows: BTreeSet::new(),
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

    /// Notes that an expression met irregular sequences, if that is allowed.
    fn meets_irregular(&mut self, number: usize, error: DeviceError) -> Result<(), DeviceError> {
        if self.strict_regular {
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

/// The results of a run, or how it met irregular sequences.
type Ran = Result<Vec<Value>, DeviceError>;

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
        let results = self.run(&program, number, leaves)??;
        put_together_rows(&expression.result, &results).map(Some).ok_or_else(another_type)
    }

    /// A functional expression on sequences whose elements have one length.
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
        self.run(&program, number, leaves)
    }

    /// A functional expression for sequences of any lengths, if there is one.
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
        supposed: Signature,
        world: &mut dyn World,
    ) -> Result<Option<HostValue>, DeviceError> {
        let forms: Vec<&Form> = expression.parameters.iter().map(|(_, form)| form).collect();
        let tensors = captured(&forms, arguments);
        let Some((program, signature)) = self.fitting(number, supposed.clone(), &tensors)? else {
            self.count_irregular(number, true);
            return Ok(None);
        };
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
            let take_apart = if signature.has_rows { take_apart_rows } else { take_apart };
            match take_apart(&form_there, &value, self.context.memory(), &mut leaves) {
                Ok(()) => {}
                Err(error @ MarshalError::Irregular(..)) => {
                    self.meets_irregular(number, refused(name, &error))?;
                    return self.imperative_again(expression, number, arguments, supposed, world);
                }
                Err(error) => return Err(refused(name, &error)),
            }
        }
        let arrays = arrays.without_values();
        let results = match self.run(&program, number, leaves)? {
            Ok(results) => results,
            Err(error) if signature.has_rows => return Err(error),
            Err(error) => {
                self.meets_irregular(number, error)?;
                return self.imperative_again(expression, number, arguments, supposed, world);
            }
        };
        self.count_irregular(number, false);
        let form = result_form(&expression.result);
        let n_value = if signature.has_rows { n_leaves_of_rows(&form) } else { n_leaves(&form) };
        let (value, rest) = results.split_at(n_value.min(results.len()));
        arrays.write_back(&signature, rest).ok_or_else(another_type)?;
        if let Some(log) = results.last().filter(|_| signature.has_log) {
            print_all(log.as_slice().unwrap_or_default(), world)?;
        }
        let put_together = if signature.has_rows { put_together_rows } else { put_together };
        let value = put_together(&form, value).ok_or_else(another_type)?;
        arrays.views(&expression.result, value, &signature.results).map(Some).ok_or_else(another_type)
    }

    /// The same for sequences of any lengths.
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

    /// The program of an imperative expression for these tensors: one that knows which of them overlap. None where it cannot
    /// be compiled for the irregular sequences that it met.
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

    /// Compiles an imperative expression for tensors of which some overlap, or for sequences of any lengths.
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

    /// Compiles one expression of a program; `part` tells it from others in the cache.
    fn compile(
        &self,
        lowered: CoreProgram,
        sources: &Sources,
        number: usize,
        part: &impl Hash,
    ) -> Result<Rc<Program>, DeviceError> {
        let mut program = CoreProgram::default();
        let name = entry_name(number);
        let own = lowered.functions.values().find(|function| function.name == name);
        own.into_iter().for_each(|function| {
            program.functions.push(function.clone());
        });
        let part = (part, self.strict_regular);
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
        Checks { none: self.options.unsafe_, regular: self.strict_regular }
    }

    fn cannot(&self, failure: &Failure) -> DeviceError {
        let text = warpwise_diag::render_failure(&self.sources, failure, false);
        let message = format!("for what it was called with this cannot be compiled\n{}", text.trim_end());
        DeviceError { message, place: None }
    }

    /// Runs an entry point.
    fn run(&mut self, program: &Rc<Program>, number: usize, leaves: Vec<Value>) -> Result<Ran, DeviceError> {
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
                return if is_irregular { Ok(Err(error)) } else { Err(error) };
            }
            Err(error) => {
                self.was_interrupted |= error == CallError::Run(RunError::Interrupted);
                return Err(DeviceError { message: error.to_string(), place: None });
            }
        };
        let (values, bytes) = size(&results);
        self.marshaled.values_out += values;
        self.marshaled.bytes_out += bytes;
        Ok(Ok(results))
    }
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
