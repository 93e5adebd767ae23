//! The printer of the text form. The text is deterministic, with one name per variable of a function.
//!
//! ```text
//! entry total(n: i64, a: [n]f32) -> (s: f32) as "total" sizes 1 (a: []f32) -> sizes 0 (f32) {
//!   s: f32 = screma n (a) map (x: f32) { return x }
//!     reduce (x_1: f32, y: f32) { t: f32 = fadd x_1 y; return t } [0f32];
//!   return s
//! }
//! ```
//!
//! Constants are written as in `warpwise-prim`, except that an `i64` has no suffix (`4`, `4i32`, `1.5f32`). The text contains
//! everything that the structures hold except spans. Broken IR can be printed too, since the verifier's messages need it.
//! [`crate::parse`] reads the text back.

mod expr;
mod names;
mod soac;

use std::fmt;
use std::fmt::Write;

use warpwise_prim::Scalar;

use crate::entity::Entity;
use crate::expr::{Body, Lambda, Stm};
use crate::memory::Placement;
use crate::program::{EntryPoint, EntryType, Function, FunctionId, OpaqueForm, Program, Var};
use crate::types::{Operand, Type};

pub use names::cleaned;
pub(crate) use names::is_reserved;

use names::{Names, is_identifier};

/// Maximum length of a body written on one line.
const FLAT_BODY: usize = 76;

/// Maximum length of a line that ends with a one-line body.
const FLAT_LINE: usize = 108;

/// Maximum number of levels by which lines are indented; it limits the length of the text of deep programs.
const DEEPEST_INDENT: usize = 40;

/// A printer of parts of one function, with the variable names of the whole function.
pub struct Printer<'a> {
    function: &'a Function,
    program: Option<&'a Program>,
    names: Names,
    out: String,
    indent: usize,
    elide: bool,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, function) in self.functions.iter() {
            if id.index() > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&Printer::new(function).of_program(self).function())?;
        }
        Ok(())
    }
}

impl fmt::Display for Function {
    /// Writes the function. Callees are written as numbers, since a function alone does not know their names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self).function())
    }
}

impl<'a> Printer<'a> {
    /// Creates a printer of parts of this function.
    pub fn new(function: &'a Function) -> Printer<'a> {
        let names = Names::of(function);
        Printer { function, program: None, names, out: String::new(), indent: 0, elide: false }
    }

    /// Adds the names of callees.
    pub fn of_program(mut self, program: &'a Program) -> Printer<'a> {
        self.program = Some(program);
        self
    }

    /// Returns the text of the whole function.
    pub fn function(mut self) -> String {
        self.signature();
        self.body(&self.function.body);
        self.out.push('\n');
        self.out
    }

    /// Returns a statement on one line, its bodies written as `{...}`.
    pub fn stm_head(&mut self, stm: &Stm) -> String {
        self.elide = true;
        let text = self.piece(|printer| printer.stm(stm));
        self.elide = false;
        text
    }

    /// Returns the text of a type.
    pub fn type_text(&mut self, ty: &Type) -> String {
        self.piece(|printer| printer.ty(ty))
    }

    /// Returns the name of a variable.
    pub fn name(&self, var: Var) -> &str {
        self.names.get(var)
    }

    fn piece(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let rest = std::mem::take(&mut self.out);
        write(self);
        std::mem::replace(&mut self.out, rest)
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent.min(DEEPEST_INDENT) {
            self.out.push_str("  ");
        }
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            write(self, item);
        }
    }

    fn signature(&mut self) {
        let function = self.function;
        self.put(if function.entry.is_some() { "entry " } else { "fun " });
        self.put(&quoted_unless_identifier(&function.name));
        self.put("(");
        self.list(&function.params, |p, param| p.binding(param.var, param.consumed));
        self.put(") -> (");
        self.list(&function.results, |p, result| p.binding(result.var, result.unique));
        self.put(") ");
        if let Some(entry) = &function.entry {
            self.entry_point(entry);
        }
    }

    fn entry_point(&mut self, entry: &EntryPoint) {
        let _ = write!(self.out, "as {:?} sizes {} (", entry.name, entry.size_params);
        self.list(&entry.params, |p, param| {
            p.put(&quoted_unless_identifier(&param.name));
            p.put(if param.consumed { ": *" } else { ": " });
            p.entry_type(&param.ty);
        });
        let _ = write!(self.out, ") -> sizes {} ", entry.size_results);
        if let Some(tuple) = &entry.tuple {
            let _ = write!(self.out, "{tuple:?} ");
        }
        self.put("(");
        self.list(&entry.results, |p, result| {
            p.put(if result.unique { "*" } else { "" });
            p.entry_type(&result.ty);
        });
        self.put(") ");
    }

    fn entry_type(&mut self, ty: &EntryType) {
        match ty {
            EntryType::Scalar(ty) => self.put(ty.name()),
            EntryType::Array(ty, rank) => {
                self.put(&"[]".repeat(*rank));
                self.put(ty.name());
            }
            EntryType::Opaque { name, fields, form } => {
                let _ = write!(self.out, "opaque {name:?} {{");
                self.list(fields, |p, (path, ty)| {
                    let _ = write!(p.out, "{path:?}: ");
                    p.entry_type(ty);
                });
                self.put("}");
                self.opaque_form(form);
            }
        }
    }

    fn opaque_form(&mut self, form: &OpaqueForm) {
        match form {
            OpaqueForm::Record => {}
            OpaqueForm::Array(rank, element) => {
                let _ = write!(self.out, " array {rank} ");
                self.entry_type(element);
            }
            OpaqueForm::Sum(variants) => {
                self.put(" sum {");
                self.list(variants, |p, variant| {
                    let _ = write!(p.out, "{:?} (", variant.name);
                    p.list(&variant.payload, |p, (ty, places)| {
                        p.entry_type(ty);
                        p.put(" at");
                        places.iter().for_each(|place| {
                            let _ = write!(p.out, " {place}");
                        });
                    });
                    p.put(")");
                });
                self.put("}");
            }
        }
    }

    /// Writes `name: *type @ placement`.
    fn binding(&mut self, var: Var, star: bool) {
        self.var(var);
        self.put(if star { ": *" } else { ": " });
        if let Some(data) = self.function.vars.get(var) {
            self.ty(&data.ty);
            if let Some(placement) = &data.placement {
                self.put(" ");
                self.placement(placement);
            }
        }
    }

    fn placement(&mut self, placement: &Placement) {
        self.put("@ ");
        self.var(placement.block);
        self.put(" -> ");
        self.operand(placement.index_fn.offset);
        self.put(" + {");
        for dim in &placement.index_fn.dims {
            self.put("(");
            self.operand(dim.extent);
            self.put(" : ");
            self.operand(dim.stride);
            self.put(")");
        }
        self.put("}");
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Scalar(ty) => self.put(ty.name()),
            Type::Array(array) => {
                self.shape(&array.shape);
                self.put(array.elem.name());
            }
            Type::Acc(acc) => {
                self.put("acc(");
                self.var(acc.token);
                self.put(", ");
                self.shape_or_empty(&acc.shape);
                for elem in &acc.elems {
                    self.put(", ");
                    self.ty(elem);
                }
                self.put(")");
            }
            Type::Cert => self.put("cert"),
            Type::Mem => self.put("mem"),
        }
    }

    fn shape(&mut self, shape: &[Operand]) {
        for size in shape {
            self.put("[");
            self.operand(*size);
            self.put("]");
        }
    }

    fn shape_or_empty(&mut self, shape: &[Operand]) {
        if shape.is_empty() {
            self.put("[]");
        }
        self.shape(shape);
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Const(value) => {
                let _ = if let Scalar::I64(value) = value {
                    write!(self.out, "{value}")
                } else {
                    write!(self.out, "{value}")
                };
            }
            Operand::Var(var) => self.var(var),
        }
    }

    fn var(&mut self, var: Var) {
        self.out.push_str(self.names.get(var));
    }

    /// Writes `(a, b)`.
    fn var_list(&mut self, vars: &[Var]) {
        self.put("(");
        self.list(vars, |p, var| p.var(*var));
        self.put(")");
    }

    /// Writes `a, b`.
    fn operand_list(&mut self, operands: &[Operand]) {
        self.list(operands, |p, operand| p.operand(*operand));
    }

    /// Writes `(x: t, y: t) { ... }`.
    fn lambda(&mut self, lambda: &Lambda) {
        self.put("(");
        self.list(&lambda.params, |p, param| p.binding(*param, false));
        self.put(") ");
        self.body(&lambda.body);
    }

    fn body(&mut self, body: &Body) {
        if self.elide {
            self.put("{...}");
            return;
        }
        let start = self.out.len();
        if may_be_flat(body) {
            self.flat_body(body);
            let line_start = self.out.rfind('\n').map_or(0, |newline| newline + 1);
            if self.out.len() - start <= FLAT_BODY && self.out.len() - line_start <= FLAT_LINE {
                return;
            }
            self.out.truncate(start);
        }
        self.put("{");
        self.indent += 1;
        for stm in &body.stms {
            self.line();
            self.stm(stm);
            self.put(";");
        }
        self.line();
        self.result(body);
        self.indent -= 1;
        self.line();
        self.put("}");
    }

    fn flat_body(&mut self, body: &Body) {
        self.put("{ ");
        for stm in &body.stms {
            self.stm(stm);
            self.put("; ");
        }
        self.result(body);
        self.put(" }");
    }

    fn result(&mut self, body: &Body) {
        self.put("return");
        if !body.result.is_empty() {
            self.put(" ");
            self.operand_list(&body.result);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        if stm.pattern.is_empty() {
            self.put("()");
        }
        self.list(&stm.pattern, |p, var| p.binding(*var, false));
        self.put(" = ");
        if !stm.certs.is_empty() {
            self.put("{");
            self.list(&stm.certs, |p, var| p.var(*var));
            self.put("} ");
        }
        self.expr(&stm.expr);
    }

    fn callee(&mut self, function: FunctionId) {
        match self.program.and_then(|program| program.functions.get(function)) {
            Some(callee) => self.put(&quoted_unless_identifier(&callee.name)),
            None => {
                let _ = write!(self.out, "#{}", function.index());
            }
        }
    }
}

/// Returns a name, in quotes unless it is an identifier.
pub fn quoted_unless_identifier(name: &str) -> String {
    if is_identifier(name) { name.to_string() } else { format!("{name:?}") }
}

/// Returns whether a body is simple enough for one line.
fn may_be_flat(body: &Body) -> bool {
    let simple = |stm: &Stm| {
        let mut nested = false;
        stm.expr.for_each_body(|_| nested = true);
        !nested
    };
    body.stms.len() <= 3 && body.stms.iter().all(simple)
}
