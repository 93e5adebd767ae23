//! A host program on its way from a file to a run.
//!
//! [`HostProgram::check`] runs the front end, [`HostProgram::prepare`] makes code for the host and core IR of what is accelerated,
//! [`Prepared::compile`] compiles both, and [`Executable::run`] runs the program. [`build`] is the first three in one. They are apart
//! because whoever runs a program wants to tell its warnings, to measure the phases, and to ask for a device only if one is needed.

use std::path::Path;

use warpwise_diag::{Diagnostic, Sources};
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as CodeOptions, compile, compile_accelerated};
use warpwise_mexpr::host::debug::{Debugger, Met};
use warpwise_mexpr::host::device::{Device, DeviceError, HostOnly};
use warpwise_mexpr::host::machine::{Call, FailedTest, Outcome, RunError, run_native};
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

/// Where the accelerated expressions of a program are computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// Compiled code, in parallel.
    #[default]
    Accelerated,
    /// The host, in order, once they have been checked and while they are watched for what would differ in parallel.
    Debug,
    /// The host, in order: `accelerate` has no effect.
    Sequential,
}

/// How a program is to be run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct How {
    /// Where accelerated expressions are computed.
    pub mode: Mode,
    /// The values that they accept.
    pub accepted: Accepted,
    /// Whether the program's tests run, too.
    pub tests: bool,
}

/// A checked program.
#[derive(Clone, Debug)]
pub struct HostProgram {
    checked: Checked,
    sources: Sources,
}

/// Code for the host, and core IR of what is accelerated.
pub struct Prepared {
    code: Code,
    sources: Sources,
    /// Whether compiled code is used, or would be in another mode.
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
    /// Reads and checks a program, with the library in this folder, in that of the environment, or the one that comes with the
    /// compiler.
    pub fn check(path: &Path, library: Option<&Path>) -> Result<HostProgram, BuildError> {
        let (checked, sources) = check_host(path, library)?;
        Ok(HostProgram { checked, sources })
    }

    /// The texts of the program's files.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Takes the errors in definitions that the program does not use. It runs without these definitions.
    pub fn take_unused(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.checked.unused)
    }

    /// Core IR of the program's accelerated expressions.
    pub fn core(self, options: &Options) -> Result<Core, BuildError> {
        let split = split_host(self.checked, &self.sources)?;
        Ok(lower_host(split, &self.sources, options, Accepted::default())?.into_core())
    }

    /// Makes what is compiled.
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
        let lowered = match how.mode == Mode::Accelerated && !split.entries.is_empty() {
            true => Some(lower_host(split, &sources, options, how.accepted)?),
            false => None,
        };
        Ok(Prepared { code, sources, accelerates, how, lowered })
    }
}

impl Prepared {
    /// Compiles the program, or takes what it is made of from the cache. A context is asked for only if something is accelerated.
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
            // Native code reports nothing to whoever watches.
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
    /// Is told of each test that fails, and where it stands.
    pub report: &'a mut dyn FnMut(&str, FailedTest),
    /// Runs each call of an accelerated expression, which cancelling the context's threads ends.
    pub around: &'a mut dyn FnMut(&mut dyn FnMut()),
}

impl Executable {
    /// Runs the program from the first definition to the last expression.
    pub fn run(&mut self, world: &mut dyn World, hooks: Hooks<'_>) -> Result<Outcome, RunError> {
        let native = self.native.as_mut().map(HostNative::native);
        let Hooks { report, around } = hooks;
        let report = &mut |test: FailedTest| report(&self.sources.describe(test.span), test);
        match &mut self.computed {
            Computed::InOrder => run_native(&self.code, native, world, &mut HostOnly, report),
            Computed::Watched(debugger) => run_native(&self.code, native, world, debugger, report),
            Computed::Accelerated(accelerator) => {
                let mut device = Guarded { accelerator, around };
                run_native(&self.code, native, world, &mut device, report)
            }
        }
    }

    /// Runs the program, without a report of failed tests, until it ends by itself.
    pub fn run_in(&mut self, world: &mut dyn World) -> Result<Outcome, RunError> {
        self.run(world, Hooks { report: &mut |_, _| {}, around: &mut |call| call() })
    }

    /// Whether the program has accelerated expressions, wherever they are computed. Its host code should then use the mathematical
    /// functions of compiled code.
    pub fn accelerates(&self) -> bool {
        self.accelerates
    }

    /// The compiled expressions; none where the host computes all.
    pub fn accelerator(&self) -> Option<&Accelerator> {
        match &self.computed {
            Computed::Accelerated(accelerator) => Some(accelerator),
            Computed::InOrder | Computed::Watched(_) => None,
        }
    }

    /// As [`Executable::accelerator`], mutably.
    pub fn accelerator_mut(&mut self) -> Option<&mut Accelerator> {
        match &mut self.computed {
            Computed::Accelerated(accelerator) => Some(accelerator),
            Computed::InOrder | Computed::Watched(_) => None,
        }
    }

    /// The expressions that met irregular sequences, by their places.
    pub fn irregular(&self) -> Vec<(String, &Met)> {
        let met = match &self.computed {
            Computed::InOrder => return Vec::new(),
            Computed::Watched(debugger) => debugger.irregular(),
            Computed::Accelerated(accelerator) => accelerator.irregular(),
        };
        let place = |number: usize| self.sources.describe(self.code.accelerated[number].span);
        met.iter().map(|(number, met)| (place(*number), met)).collect()
    }

    /// A failed run as text: what, where, and the calls that led there.
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

/// An accelerator whose calls somebody else runs.
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
