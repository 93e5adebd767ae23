//! From the typed tree to the core IR (level `soac`).
//!
//! Lowering walks the typed tree like an interpreter that knows no numbers: it carries [values](value) made of
//! operands, and what would compute becomes a statement. Three things that compilers often do in passes of
//! their own happen by themselves on this walk:
//!
//! - **Functions as values go away** ([`apply`]): a function is a closure at compile time, and calling it is
//!   lowering its body once more. The language keeps functions out of branches, loops and arrays, so every call knows its callee.
//! - **Polymorphism goes away** ([`instance`]): a definition that takes and gives data becomes one function per choice of
//!   type arguments; size parameters become parameters.
//! - **Tuples, records and sums go away** ([`value`], [`sums`]): they are trees at compile time.
//!
//! ```text
//! entry mvm [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
//!   map (\row -> f32.sum (map2 (*) row x)) a
//! ```
//!
//! becomes the program at the top of `warpwise_ir`, still unfused.
//!
//! Checks become assertions here ([`mod@array`], [`scalar`], [`expr`]); that sizes are equal where the types say so was proved by
//! the checker and is not checked again ([`shapes`]).
//!
//! Not done here: optimisation beyond folding scalars, so that equal sizes become equal operands ([`code`]).

mod accs;
mod apply;
mod array;
mod attributes;
mod closures;
mod code;
mod context;
mod control;
mod copies;
mod entry;
mod expr;
mod flat;
mod instance;
mod interface;
mod scalar;
mod separate;
mod shapes;
mod soac;
mod stream;
mod sums;
mod types;
mod value;

use warpwise_diag::{Diagnostic, Failure};
use warpwise_ir::Program;

pub use context::Input;

use context::Session;

/// The core program for the entry points of a typed program and what they reach, and what is odd about it.
pub fn lower(input: Input) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let mut session = Session::new(input);
    for entry in &input.program.entries {
        session.entry(entry)?;
    }
    session.keep_promises()?;
    session.warn_of_watched();
    let mut warnings = session.warnings;
    warnings.sort_by_key(|warning| (warning.span.file, warning.span.start));
    let mut program = Program { functions: session.functions };
    separate::separate(&mut program);
    copies::elide_copies(&mut program);
    Ok((program, warnings))
}
