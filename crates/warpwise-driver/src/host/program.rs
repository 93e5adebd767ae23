//! The steps of a host program from a file to a run.
//!
//! [`HostProgram::check`] runs the front end, [`HostProgram::prepare`] produces code for the host and core IR of the accelerated
//! expressions, [`Prepared::compile`] compiles both, and [`Executable::run`] runs the program. [`build`] combines the first three. The
//! steps are separate so that a caller can show warnings, measure the phases, and ask for a device only if one is needed.

use std::path::Path;

use warpwise_diag::{Diagnostic, Sources};
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as CodeOptions, compile, compile_accelerated};
use warpwise_mexpr::host::debug::{Debugger, Met};
use warpwise_mexpr::host::device::{Device, DeviceError, HostOnly};
use warpwise_mexpr::host::machine::{Call, Outcome, RunError, TestOutcome, run_native};
use warpwise_mexpr::host::value::Value;
use warpwise_mexpr::host::world::World;

use crate::build::{BuildError, Core};
use crate::cache::DiskCache;
use crate::compiler::Options;
use crate::program::Context;

use super::accelerator::{AccelerateError, Accelerator};
use super::files::check_host;
use super::lower::{Lowered, lower_host, split_host};
use super::native::HostNative;

/// The place where the accelerated expressions of a program are computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// In compiled code, in parallel.
    #[default]
    Accelerated,
    /// On the host, sequentially, after the expressions have been checked, with a watch for behaviour that would differ in parallel.
    Debug,
    /// On the host, sequentially: `accelerate` has no effect.
    Sequential,
}

/// Settings for running a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct How {
    /// Place where accelerated expressions are computed.
    pub mode: Mode,
    /// Values that the expressions accept.
    pub accepted: Accepted,
    /// Whether the program's tests run as well.
    pub tests: bool,
}

/// A checked program.
#[derive(Clone, Debug)]
pub struct HostProgram {
    checked: Checked,
    sources: Sources,
}

/// Code for the host, and core IR of the accelerated expressions.
pub struct Prepared {
    code: Code,
    sources: Sources,
    /// Whether the program has accelerated expressions, whatever the mode.
    accelerates: bool,
    how: How,
    /// Accelerated expressions, in mode [`Mode::Accelerated`] if there are any.
    lowered: Option<Lowered>,
}

/// A program ready to run.
pub struct Executable {
    code: Code,
    sources: Sources,
    accelerates: bool,
    native: Option<HostNative>,
    computed: Computed,
}

/// The device that computes accelerated expressions, with its state.
enum Computed {
    InOrder,
    Watched(Debugger),
    Accelerated(Box<Accelerator>),
}

/// Checks and compiles a program.
pub fn build(
    path: &Path,
    how: How,
    options: &Options,
    context: &Context,
    cache: Option<&DiskCache>,
) -> Result<Executable, AccelerateError> {
    let prepared = HostProgram::check(path, None)?.prepare(how, options)?;
    prepared.compile(options, cache, || Ok(context.clone()))
}

impl HostProgram {
    /// Reads and checks a program. The library is in the given folder, otherwise in that of the environment, otherwise built in.
    pub fn check(path: &Path, library: Option<&Path>) -> Result<HostProgram, BuildError> {
        let (checked, sources) = check_host(path, library)?;
        Ok(HostProgram { checked, sources })
    }

    /// Returns the texts of the program's files.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns whether the program has tests.
    pub fn has_tests(&self) -> bool {
        self.checked.has_tests()
    }

    /// Takes the errors in definitions that the program does not use. The program runs without these definitions.
    pub fn take_unused(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.checked.unused)
    }

    /// Returns the core IR of the program's accelerated expressions.
    pub fn core(self, options: &Options) -> Result<Core, BuildError> {
        let split = split_host(self.checked, &self.sources)?;
        Ok(lower_host(split, &self.sources, options, Accepted::default())?.into_core())
    }

    /// Produces the host code and the core IR.
    pub fn prepare(self, how: How, options: &Options) -> Result<Prepared, BuildError> {
        let HostProgram { checked, sources } = self;
        let accelerates = checked.accelerates();
        let code_options = CodeOptions { tests: how.tests };
        if how.mode == Mode::Sequential || !accelerates {
            let code = compile(&checked, code_options);
            return Ok(Prepared { code, sources, accelerates, how, lowered: None });
        }
        let split = split_host(checked, &sources)?;
        let code = compile_accelerated(&split.host, code_options, &split.entries);
        // The debugger reports the errors of lowering, too.
        let lowered = match split.entries.is_empty() {
            true => None,
            false => Some(lower_host(split, &sources, options, how.accepted)?),
        };
        let lowered = lowered.filter(|_| how.mode == Mode::Accelerated);
        Ok(Prepared { code, sources, accelerates, how, lowered })
    }
}

impl Prepared {
    /// Compiles the program, or takes its compiled parts from the cache. A context is asked for only if the program has accelerated
    /// expressions.
    pub fn compile<E>(
        self,
        options: &Options,
        cache: Option<&DiskCache>,
        context: impl FnOnce() -> Result<Context, E>,
    ) -> Result<Executable, E>
    where
        E: From<AccelerateError>,
    {
        let Prepared { code, sources, accelerates, how, lowered } = self;
        let native = match how.mode {
            // Native code reports nothing to the debugger.
            Mode::Debug => None,
            Mode::Accelerated | Mode::Sequential => {
                HostNative::new(&code, options, cache).map_err(AccelerateError::Build)?
            }
        };
        let computed = match (lowered, how.mode) {
            (Some(lowered), _) => {
                let cache = cache.cloned();
                let accelerator = Accelerator::new(lowered, options, &context()?, cache, how.accepted)?;
                Computed::Accelerated(Box::new(accelerator))
            }
            (None, Mode::Debug) => Computed::Watched(Debugger::new(how.accepted)),
            (None, Mode::Accelerated | Mode::Sequential) => Computed::InOrder,
        };
        Ok(Executable { code, sources, accelerates, native, computed })
    }
}

/// Callbacks of a run.
pub struct Hooks<'a> {
    /// Callback for each test that has run.
    pub report: &'a mut dyn FnMut(&Sources, TestOutcome),
    /// Callback that runs each call of an accelerated expression. Cancelling the context's threads ends such a call.
    pub around: &'a mut dyn FnMut(&mut dyn FnMut()),
}

impl Executable {
    /// Runs the program from the first definition to the last expression.
    pub fn run(&mut self, world: &mut dyn World, hooks: Hooks<'_>) -> Result<Outcome, RunError> {
        let native = self.native.as_mut().map(HostNative::native);
        let Hooks { report, around } = hooks;
        let report = &mut |test: TestOutcome| report(&self.sources, test);
        match &mut self.computed {
            Computed::InOrder => run_native(&self.code, native, world, &mut HostOnly, report),
            Computed::Watched(debugger) => run_native(&self.code, native, world, debugger, report),
            Computed::Accelerated(accelerator) => {
                let mut device = Guarded { accelerator, around };
                run_native(&self.code, native, world, &mut device, report)
            }
        }
    }

    /// Runs the program to its end, without a report of tests.
    pub fn run_in(&mut self, world: &mut dyn World) -> Result<Outcome, RunError> {
        self.run(world, Hooks { report: &mut |_, _| {}, around: &mut |call| call() })
    }

    /// Returns whether the program has accelerated expressions, wherever they are computed. Its host code should then use the
    /// mathematical functions of compiled code.
    pub fn accelerates(&self) -> bool {
        self.accelerates
    }

    /// Returns the compiled expressions; `None` if the host computes all.
    pub fn accelerator(&self) -> Option<&Accelerator> {
        match &self.computed {
            Computed::Accelerated(accelerator) => Some(accelerator),
            Computed::InOrder | Computed::Watched(_) => None,
        }
    }

    /// Returns the compiled expressions, mutably; see [`Executable::accelerator`].
    pub fn accelerator_mut(&mut self) -> Option<&mut Accelerator> {
        match &mut self.computed {
            Computed::Accelerated(accelerator) => Some(accelerator),
            Computed::InOrder | Computed::Watched(_) => None,
        }
    }

    /// Returns the expressions that met irregular sequences, with their places.
    pub fn irregular(&self) -> Vec<(String, &Met)> {
        let met = match &self.computed {
            Computed::InOrder => return Vec::new(),
            Computed::Watched(debugger) => debugger.irregular(),
            Computed::Accelerated(accelerator) => accelerator.irregular(),
        };
        let place = |number: usize| self.sources.describe(self.code.accelerated[number].span);
        met.iter().map(|(number, met)| (place(*number), met)).collect()
    }

    /// Describes a failed run: its place, its message, and the calls that led there.
    pub fn describe(&self, error: &RunError) -> String {
        let place = error.device_place.clone().unwrap_or_else(|| self.sources.describe(error.span));
        let mut text = format!("{place}: {}", error.message);
        for call in &error.calls {
            text.push_str(&match call {
                Call::In(name, span) => format!("\n  in {name}, at {}", self.sources.describe(*span)),
                Call::More(number) => format!("\n  ... {number} more calls ..."),
            });
        }
        text
    }
}

/// An accelerator whose calls run inside a callback.
struct Guarded<'a> {
    accelerator: &'a mut Accelerator,
    around: &'a mut dyn FnMut(&mut dyn FnMut()),
}

impl Device for Guarded<'_> {
    fn call(
        &mut self,
        code: &Code,
        world: &mut dyn World,
        number: usize,
        arguments: &[Value],
    ) -> Result<Option<Value>, DeviceError> {
        let mut result = Ok(None);
        let accelerator = &mut *self.accelerator;
        (self.around)(&mut || result = accelerator.call(code, world, number, arguments));
        result
    }
}
