//! From a checked program to code.
//!
//! Variables become slots, functions are closed. A function that a `let` or `recursive` binds is *known*: calls pass its captured
//! values along with the arguments and need no function value. Functions that call each other capture the same variables, so that
//! no value refers to itself. A definition at the top that is not a function is a global.

mod accelerated;
mod decls;
mod exprs;
mod functions;
mod liveness;
mod pats;
mod sorts;

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use warpwise_diag::Span;

use crate::accelerate::name::Entry;
use crate::builtins::Builtin;
use crate::check::types::{Node, Ty};
use crate::compile::Checked;
use crate::syntax::names::Symbol;
use crate::tree::{Expr, VarId};

use super::code::{Code, Function, FunctionId, Instr, ShapeId, Slot, Sort, Use};

/// Options of the generated code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether tests are run.
    pub tests: bool,
}

/// Compiles a program; the host computes all of it.
pub fn compile(checked: &Checked, options: Options) -> Code {
    compile_accelerated(checked, options, &[])
}

/// Compiles a lifted program whose accelerated expressions are passed to the device, if it takes them.
pub fn compile_accelerated(checked: &Checked, options: Options, entries: &[Entry]) -> Code {
    let mut compiler = Compiler {
        checked,
        options,
        functions: Vec::new(),
        shapes: IndexSet::default(),
        globals: FxHashMap::default(),
        global_sorts: Vec::new(),
        known: FxHashMap::default(),
        externals: FxHashMap::default(),
        numbers: entries.iter().enumerate().map(|(number, entry)| (entry.var, number as u32)).collect(),
        body: Body::new(),
    };
    let pair = compiler.pair();
    let accelerated = compiler.accelerated(entries);
    compiler.program();
    let program = &checked.program;
    let text = |symbol: Symbol| Rc::<str>::from(checked.names.text(symbol));
    let mut labels: Vec<Symbol> = compiler.shapes.iter().flatten().copied().collect();
    labels.sort();
    labels.dedup();
    let mut code = Code {
        functions: compiler.functions,
        shapes: compiler.shapes.into_iter().collect(),
        cons: program.cons.iter().map(|con| text(con.name.name)).collect(),
        labels: labels.into_iter().map(|label| (label, text(label))).collect(),
        accelerated,
        pair,
        globals: compiler.global_sorts,
    };
    code.functions.iter_mut().for_each(liveness::mark_last_uses);
    code
}

/// A function that is called by its number.
#[derive(Clone, Debug)]
struct Known {
    function: FunctionId,
    n_parameters: usize,
    captured: Rc<[VarId]>,
    /// Its number among accelerated expressions.
    number: Option<u32>,
}

struct Compiler<'a> {
    checked: &'a Checked,
    options: Options,
    functions: Vec<Function>,
    shapes: IndexSet<Vec<Symbol>, FxBuildHasher>,
    globals: FxHashMap<VarId, Slot>,
    /// The sorts of the globals, in order.
    global_sorts: Vec<Sort>,
    known: FxHashMap<VarId, Known>,
    externals: FxHashMap<VarId, Builtin>,
    /// The numbers of the functions that are accelerated expressions.
    numbers: FxHashMap<VarId, u32>,
    body: Body,
}

/// The function that is being compiled.
struct Body {
    slots: FxHashMap<VarId, Slot>,
    code: Vec<Instr>,
    spans: Vec<Span>,
    /// The first free slot.
    next: u32,
    /// Maximum number of slots in use.
    n_slots: u32,
}

/// The destination of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    /// The value goes into a slot.
    Slot(Slot),
    /// The value is the function's result.
    Result,
}

impl Body {
    fn new() -> Body {
        Body { slots: FxHashMap::default(), code: Vec::new(), spans: Vec::new(), next: 0, n_slots: 0 }
    }
}

/// Returns a use of a slot; its last use is found later.
fn read(slot: Slot) -> Use {
    Use { slot, last: false }
}

fn reads(slots: &[Slot]) -> Box<[Use]> {
    slots.iter().copied().map(read).collect()
}

impl Compiler<'_> {
    fn emit(&mut self, instr: Instr, span: Span) {
        self.body.code.push(instr);
        self.body.spans.push(span);
    }

    /// Returns the number of the next instruction.
    fn here(&self) -> u32 {
        self.body.code.len() as u32
    }

    fn fresh(&mut self) -> Slot {
        let slot = Slot(self.body.next);
        self.body.next += 1;
        self.body.n_slots = self.body.n_slots.max(self.body.next);
        slot
    }

    /// Runs a part and then frees the slots that it used.
    fn temporarily<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let next = self.body.next;
        let result = part(self);
        self.body.next = next;
        result
    }

    /// Emits a jump whose target is not known yet.
    fn jump(&mut self, span: Span) -> usize {
        self.emit(Instr::Jump { target: u32::MAX }, span);
        self.body.code.len() - 1
    }

    /// Sets the target of jumps to the next instruction.
    fn land(&mut self, jumps: Vec<usize>) {
        let here = self.here();
        for jump in jumps {
            match &mut self.body.code[jump] {
                Instr::Jump { target }
                | Instr::UnlessBool { target, .. }
                | Instr::UnlessInt { target, .. }
                | Instr::UnlessChar { target, .. }
                | Instr::UnlessCon { target, .. }
                | Instr::UnlessLength { target, .. } => *target = here,
                other => unreachable!("{other:?} does not jump"),
            }
        }
    }

    fn shape(&mut self, labels: Vec<Symbol>) -> ShapeId {
        ShapeId(self.shapes.insert_full(labels).0 as u32)
    }

    /// Returns the shape of the pairs that built-ins make.
    fn pair(&mut self) -> (ShapeId, bool) {
        let label = |text| self.checked.names.get(text).expect("types of built-ins have pairs");
        let (first, second) = (label("0"), label("1"));
        let flipped = second < first;
        let labels = if flipped { vec![second, first] } else { vec![first, second] };
        (self.shape(labels), flipped)
    }

    /// Returns the position of a field in the order of labels.
    fn field(&self, record: Ty, label: Symbol) -> u32 {
        let types = &self.checked.typing.types;
        let place = |fields: &[(Symbol, Ty)]| fields.iter().position(|(other, _)| *other == label);
        let place = match types.node(record) {
            Node::Record(fields) => place(fields),
            Node::Meta(meta) => types.open(*meta).fields.as_deref().and_then(place),
            _ => None,
        };
        place.expect("the checker has seen this field") as u32
    }

    /// Returns a slot with the value of an expression: that of a variable, or a new one.
    fn operand(&mut self, expr: &Expr) -> Slot {
        if let crate::tree::ExprKind::Var(var) | crate::tree::ExprKind::Frozen(var) = &expr.kind
            && let Some(slot) = self.body.slots.get(var)
        {
            return *slot;
        }
        let slot = self.fresh();
        self.temporarily(|compiler| compiler.expr(expr, To::Slot(slot)));
        slot
    }

    fn operands<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Slot> {
        exprs.into_iter().map(|expr| self.operand(expr)).collect()
    }

    /// Emits an instruction that computes a value, and passes the value on.
    fn give(&mut self, to: To, span: Span, instr: impl FnOnce(Slot) -> Instr) {
        match to {
            To::Slot(slot) => self.emit(instr(slot), span),
            To::Result => {
                let slot = self.fresh();
                self.emit(instr(slot), span);
                self.emit(Instr::Return { from: read(slot) }, span);
            }
        }
    }
}
