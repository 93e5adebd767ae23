//! Lowering of the typed tree to core IR (level `soac`).
//!
//! Lowering walks the typed tree like an interpreter that does not know the numbers: it carries [values](value) made of operands,
//! and a computation becomes a statement. This walk replaces three passes of other compilers:
//!
//! - **Defunctionalisation** ([`apply`]): a function is a closure at compile time, and a call lowers its body once more. The
//!   language keeps functions out of branches, loops and arrays, so every call has a known callee.
//! - **Monomorphisation** ([`instance`]): a definition that takes and returns data becomes one function per choice of type
//!   arguments; size parameters become parameters.
//! - **Removal of tuples, records and sums** ([`value`], [`sums`]): they are trees at compile time.
//!
//! ```text
//! entry mvm [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
//!   map (\row -> f32.sum (map2 (*) row x)) a
//! ```
//!
//! becomes the program at the top of `warpwise_ir`, still unfused.
//!
//! Checks become assertions here ([`mod@array`], [`scalar`], [`expr`]). The checker has proved that sizes are equal where the
//! types say so; this is not checked again ([`shapes`]).
//!
//! Not done here: optimisation, except that scalar operations are folded so that equal sizes become equal operands ([`code`]).

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

/// Lowers the entry points of a typed program, and the definitions they use, to a core program. Also returns warnings.
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
