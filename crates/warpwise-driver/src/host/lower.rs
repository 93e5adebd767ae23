//! The accelerated expressions of host programs in core IR.
//!
//! [`split_host`] finds and checks a program's accelerated expressions, and [`lower_host`] lowers each to an entry point of core IR.
//! Absent: compiling and calling them ([`accelerator`](crate::host::accelerator)).

use std::collections::BTreeSet;

use warpwise_diag::{Diagnostic, Sources};
use warpwise_ir::Program as CoreProgram;
use warpwise_mexpr::accelerate::lower::imperative::{Imperative, Signature, lower_imperative};
use warpwise_mexpr::accelerate::lower::{Checks, Functional, Note, lower};
use warpwise_mexpr::accelerate::{Accepted, Split, split};
use warpwise_mexpr::compile::Checked;

use crate::build::{BuildError, Core};
use crate::compiler::Options;
use crate::host::inline::Inline;

/// Splits a program, and checks its accelerated expressions.
pub fn split_host(checked: Checked, sources: &Sources) -> Result<Split, BuildError> {
    split(checked).map_err(|failure| BuildError::Failure { failure, sources: sources.clone() })
}

/// The accelerated expressions of a program in core IR, each as an entry point.
pub struct Lowered {
    pub(crate) split: Split,
    /// The files of the program, and those of the array language's prelude if the program contains text of that language.
    pub(crate) sources: Sources,
    pub(crate) program: CoreProgram,
    pub(crate) signatures: Vec<(usize, Signature)>,
    /// The functional expressions compiled for irregular sequences.
    pub(crate) rows: BTreeSet<usize>,
    notes: Vec<Note>,
    /// Warnings about text of the array language.
    inline_warnings: Vec<Diagnostic>,
}

/// Lowers a program's accelerated expressions.
///
/// Where irregular sequences are not accepted, an operation that makes one fails the run.
pub fn lower_host(
    split: Split,
    sources: &Sources,
    options: &Options,
    accepted: Accepted,
) -> Result<Lowered, BuildError> {
    let checks = Checks { none: options.unsafe_, accepted };
    let inline = Inline::new(sources, options.unsafe_);
    let lowered = || {
        let Split { host, entries, functional, imperative, .. } = &split;
        let (apart, regular) = (|_| Vec::new(), BTreeSet::new());
        let mut functional = lower(host, entries, functional, &inline, &regular, checks)?;
        let mut imperative = lower_imperative(host, entries, imperative, &apart, &regular, checks)?;
        functional.program = joined(functional.program, std::mem::take(&mut imperative.program));
        Ok((functional, imperative))
    };
    let lowered = lowered();
    let (sources, inline_warnings) = inline.into_parts();
    match lowered {
        Ok((Functional { program, rows }, Imperative { signatures, notes, .. })) => {
            Ok(Lowered { split, sources, program, signatures, rows, notes, inline_warnings })
        }
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

/// Joins both parts into one program. Recursive functions of the imperative part come first and keep the ids by which they are called;
/// the functional part has no calls.
fn joined(functional: CoreProgram, imperative: CoreProgram) -> CoreProgram {
    let mut program = CoreProgram::default();
    let (recursive, entries): (Vec<_>, Vec<_>) =
        imperative.functions.values().cloned().partition(|function| function.entry.is_none());
    let functional = functional.functions.values().cloned();
    recursive.into_iter().chain(functional).chain(entries).for_each(|function| {
        program.functions.push(function);
    });
    program
}

impl Lowered {
    /// Returns the warnings: about constructs that cost time, and about text of the array language.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.notes.iter().map(Note::warning).chain(self.inline_warnings.iter().cloned()).collect()
    }

    /// Returns the program without the other data.
    pub(crate) fn into_core(self) -> Core {
        let warnings = self.warnings();
        Core { program: self.program, sources: self.sources, warnings }
    }
}
