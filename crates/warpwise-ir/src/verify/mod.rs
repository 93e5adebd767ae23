//! The verifier: the properties that every pass may rely on and must preserve.
//!
//! It makes four walks over each function: names (every id exists, so that the other walks can look anything up), scope and
//! types, consumption, and mappings. At [`Level::Mem`] the type walk also checks placements, and two more walks check arrays that
//! share a block and the bounds of blocks. The first four are linear in the size of the program.
//!
//! Sizes are compared as operands, up to equalities that follow directly from the program text: copies, loop parameters passed on
//! unchanged, choices between equals, and equal arithmetic on equal operands. Apart from arrays that certainly lie outside their
//! block, nothing is proved about bounds, about the sums and products that `concat` and `reshape` require, or about the offsets
//! of index functions of slices: these hold by contract, and the interpreter checks them.

mod check;
mod consume;
mod control;
mod equal;
mod expr;
mod inside;
mod level;
mod mapping;
mod memory;
mod segop;
mod soac;

use std::fmt;

use warpwise_diag::Span;

use crate::entity::PrimaryMap;
use crate::expr::{Body, Expr, Stm};
use crate::facts::Facts;
use crate::overwrites::{Clash, Roots, clashes};
use crate::print::Printer;
use crate::program::{Function, FunctionId, Program, Var, VarData};
use crate::traverse::Visitor;

/// The level of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// SOACs; no segmented operations, no memory.
    Soac,
    /// Segmented operations over mapped index spaces; no SOACs, no memory.
    Seg,
    /// Like `Seg`, with a placement for every array.
    Mem,
}

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Name of the function.
    pub function: String,
    /// The statement on one line, without nested bodies.
    pub stm: String,
    /// The reason for the error.
    pub reason: String,
    /// Source position of the statement.
    pub span: Span,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in `{}`, at `{}`: {}", self.function, self.stm, self.reason)
    }
}

/// Checks a whole program. After the first few errors of a function, its further errors are not reported.
pub fn verify(program: &Program, level: Level) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    for function in program.functions.values() {
        errors.extend(verify_function(program, function, level));
    }
    let mut names: Vec<&str> = program.functions.values().map(|function| function.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
        let (function, stm) = (pair[0].to_string(), String::new());
        let reason = "another function has this name".to_string();
        errors.push(VerifyError { function, stm, reason, span: Span::NONE });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Returns the errors of one function of a program.
pub fn verify_function(program: &Program, function: &Function, level: Level) -> Vec<VerifyError> {
    let mut report = Report { program, function, errors: Vec::new() };
    if !ids_exist(program, function) {
        report.add(None, "there is a variable or function that does not exist");
        return report.errors;
    }
    check::check(program, function, level, &mut report);
    if report.errors.is_empty() {
        consume::check(program, function, &mut report);
        mapping::check(function, &mut report);
    }
    if level == Level::Mem && report.errors.is_empty() {
        let facts = Facts::of(function, &function.body);
        overwritten(function, &facts, &mut report);
        inside::check(function, &facts, &mut report);
    }
    report.errors
}

/// Checks that no array is read where another array of its block has overwritten it.
fn overwritten<'a>(function: &'a Function, facts: &Facts, report: &mut Report<'a>) {
    let roots = Roots::of(function, &function.body);
    let shared = roots.shared_blocks(function);
    if shared.is_empty() {
        return;
    }
    let Body { stms, result } = &function.body;
    for Clash { stm, read, written } in clashes(function, (facts, &roots), &shared, stms, result) {
        let printer = report.printer();
        let (read, written) = (printer.name(read).to_string(), printer.name(written).to_string());
        report.add(Some(stm), format!("`{read}` is read where `{written}` may have been written"));
    }
}

/// The outcome of a check: success, or the reason for the error.
type Checked = Result<(), String>;

/// Maximum number of errors reported for one function.
const MAX_ERRORS: usize = 10;

/// A collector of the errors of one function.
struct Report<'a> {
    program: &'a Program,
    function: &'a Function,
    errors: Vec<VerifyError>,
}

impl<'a> Report<'a> {
    /// Reports an error of a statement, or of the function's signature or result if there is no statement.
    fn add(&mut self, stm: Option<&Stm>, reason: impl Into<String>) {
        if self.errors.len() == MAX_ERRORS {
            return;
        }
        let (text, span) = match stm {
            Some(stm) => (self.printer().stm_head(stm), stm.span),
            None => ("signature and result".to_string(), self.function.span),
        };
        let (function, reason) = (self.function.name.clone(), reason.into());
        self.errors.push(VerifyError { function, stm: text, reason, span });
    }

    fn printer(&self) -> Printer<'a> {
        Printer::new(self.function).of_program(self.program)
    }
}

/// Returns whether every id in a function lies in its table.
fn ids_exist(program: &Program, function: &Function) -> bool {
    let mut ids = Ids { program, vars: &function.vars, ok: true };
    for data in function.vars.values() {
        ids.walk_type(&data.ty);
        if let Some(placement) = &data.placement {
            ids.var(&placement.block);
            ids.operand(&placement.index_fn.offset);
            for dim in &placement.index_fn.dims {
                ids.operand(&dim.extent);
                ids.operand(&dim.stride);
            }
        }
    }
    function.params.iter().for_each(|param| ids.var(&param.var));
    function.results.iter().for_each(|result| ids.var(&result.var));
    ids.body(&function.body);
    ids.ok
}

/// A visitor that looks up ids.
struct Ids<'a> {
    program: &'a Program,
    vars: &'a PrimaryMap<Var, VarData>,
    ok: bool,
}

impl<'a> Visitor<'a> for Ids<'a> {
    fn var(&mut self, var: &'a Var) {
        self.ok &= self.vars.get(*var).is_some();
    }

    fn bind(&mut self, var: &'a Var) {
        self.var(var);
    }

    fn expr(&mut self, expr: &'a Expr) {
        if let Expr::Call { function, .. } = expr {
            let function: FunctionId = *function;
            self.ok &= self.program.functions.get(function).is_some();
        }
        self.walk_expr(expr);
    }
}
