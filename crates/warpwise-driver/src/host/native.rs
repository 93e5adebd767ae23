//! Native code for functions that a host program computes itself, where this build has LLVM for the processor.
//!
//! [`plan`] selects the functions worth compiling and writes their text. This module compiles the text, or takes its object from
//! the cache, and calls it. Without LLVM there is no native code, and the machine runs everything.

use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::native::{Native, NativeCode, Plan, plan};
use warpwise_mexpr::host::world::World;

use crate::build::BuildError;
use crate::cache::DiskCache;
use crate::compiler::Options;

#[cfg(not(all(feature = "cpu", target_arch = "x86_64")))]
use self::absent as functions;

/// Native code of a program.
pub struct HostNative {
    plan: Plan,
    functions: functions::Functions,
}

impl HostNative {
    /// Compiles those functions of a program that are worth it. `None` if there are none, or if this build has no LLVM.
    pub fn new(
        code: &Code,
        options: &Options,
        cache: Option<&DiskCache>,
    ) -> Result<Option<HostNative>, BuildError> {
        if !functions::EXIST {
            return Ok(None);
        }
        let Some(plan) = plan(code) else { return Ok(None) };
        let functions = functions::compile(&plan, options, cache)?;
        Ok(Some(HostNative { plan, functions }))
    }

    /// Returns the functions in the form that the machine calls.
    pub fn native(&mut self) -> Native<'_> {
        Native { plan: &self.plan, code: &mut self.functions }
    }

    /// Returns the text that was compiled.
    pub fn text(&self) -> &str {
        &self.plan.text
    }
}

#[cfg(all(feature = "cpu", target_arch = "x86_64"))]
mod functions {
    use std::mem::offset_of;

    use warpwise_cpu::host::{HostContext, HostFunctions, compile_host, load_host};
    use warpwise_diag::{Bug, Failure, Sources};
    use warpwise_mexpr::host::native::{context, mathematics, runtime};

    use super::{BuildError, DiskCache, NativeCode, Options, Plan, World};
    use crate::build::build_object;
    use crate::compiler;

    pub(super) const EXIST: bool = true;

    // The text relies on the offsets of the context's fields.
    const _: () = assert!(
        offset_of!(HostContext, limit) == context::LIMIT
            && offset_of!(HostContext, globals) == context::GLOBALS
            && offset_of!(HostContext, mathematics) == context::MATHEMATICS
            && offset_of!(HostContext, world) == context::WORLD
            && offset_of!(HostContext, table) == context::TABLE
            && offset_of!(HostContext, heap) == context::HEAP
            && offset_of!(HostContext, results) == context::RESULTS
            && size_of::<HostContext>() == context::SIZE
    );

    /// The compiled functions of a plan.
    pub(super) struct Functions(HostFunctions);

    pub(super) fn compile(
        plan: &Plan,
        options: &Options,
        cache: Option<&DiskCache>,
    ) -> Result<Functions, BuildError> {
        let failed = |failure: Failure| BuildError::Failure { failure, sources: Sources::new() };
        let target = compiler::target(options).map_err(BuildError::Target)?;
        let object = build_object(&plan.text, options, cache, || {
            let symbols = plan.entries.iter().map(|entry| entry.symbol.clone()).collect();
            compile_host(&plan.text, symbols, &target).map_err(failed)
        })?;
        load_host(&object).map(Functions).map_err(|error| {
            let bug = Bug { pass: "load".into(), message: error.to_string(), ir: plan.text.clone() };
            failed(bug.into())
        })
    }

    impl NativeCode for Functions {
        fn call(&mut self, entry: usize, words: &mut [u64], globals: &[u64], world: &dyn World) -> bool {
            let evaluate = |function, x, y| mathematics(world, function, x, y);
            let runtime = runtime();
            // SAFETY: the code is compiled from the plan's text, and the words, the globals and the run time fit the plan.
            unsafe { self.0.call(entry, words, globals, [runtime.table, runtime.heap], &evaluate) }
        }
    }
}

#[cfg(not(all(feature = "cpu", target_arch = "x86_64")))]
mod absent {
    use super::{BuildError, DiskCache, NativeCode, Options, Plan, World};

    pub(super) const EXIST: bool = false;

    /// The functions of a build without LLVM: none.
    pub(super) enum Functions {}

    pub(super) fn compile(_: &Plan, _: &Options, _: Option<&DiskCache>) -> Result<Functions, BuildError> {
        Err(BuildError::Target("this build has no LLVM".to_string()))
    }

    impl NativeCode for Functions {
        fn call(&mut self, _: usize, _: &mut [u64], _: &[u64], _: &dyn World) -> bool {
            match *self {}
        }
    }
}
