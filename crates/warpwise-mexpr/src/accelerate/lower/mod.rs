//! Lowering of the functional part of a program to core IR.
//!
//! ```text
//! let accelerated = lam s. lam c. reduce addi 0 (map (f c) s)
//! ```
//! becomes an entry point that takes the length of `s`, then `s` and `c`:
//! ```text
//! entry accelerated(n: i64, s: [n]i64, c: i64) -> (r: i64) {
//!   ys: [n]i64 = screma n (s) map (x: i64) { y: i64 = mul c x; return y };
//!   r: i64 = screma n (ys) map (x: i64) { return x } reduce (a: i64, b: i64) { t: i64 = add a b; return t } [0];
//!   return r
//! }
//! ```
//! Lowering is evaluation with operands in place of values. Every call of a function, including functions that are arguments, is
//! replaced by its body, and functions that tail-call themselves become loops. Sequences are regular arrays: an assertion fails
//! if elements of different lengths are combined. If the lengths of elements depend on the elements' own values, or if it is
//! asked for, sequences in sequences are rows of pools instead ([`rows`]). Indices and divisors are checked, and `error` and
//! `never` fail the run. [`imperative`] does the same for the imperative part and turns its effects into values. Integers and
//! characters are `i64` and `i32`. Needs: a well-formed functional part ([`super::wellformed`]).

mod builtins;
mod control;
mod counting;
mod effects;
mod exprs;
pub mod imperative;
mod inline;
mod memory;
mod outside;
mod parallel;
mod patterns;
mod recursion;
mod results;
mod rows;
mod scatter;
mod sequences;
mod tensors;
mod value;
mod windows;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Failure, Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::{EntryParam, EntryPoint, EntryType, OpaqueForm, Operand, Program, Stm, Type, Var};
use warpwise_prim::{ScalarType, ValueType};

use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, TypeVar, VarId};

pub use inline::{ArrayLanguage, NoArrayLanguage};

use super::Accepted;
use super::merge::is_loop;
use super::name::Entry;
use memory::Memory;
use recursion::Recursions;
use value::{Data, Layout, Shape, Value, ViewKind};

/// Maximum inlining depth.
const DEEPEST: u32 = 100;
/// Maximum number of calls that are inlined in one expression.
const MOST_CALLS: u32 = 100_000;

/// Returns the name of the entry point of an accelerated expression, by its position among all: `accelerated_0`, ...
pub fn entry_name(number: usize) -> String {
    format!("accelerated_{number}")
}

/// The checks in lowered code.
#[derive(Clone, Copy, Default, Debug)]
pub struct Checks {
    /// Whether only `error` and `never` are checked, and regularity if `accepted` asks for it.
    pub none: bool,
    /// The values that are accepted, including those that the code makes.
    pub accepted: Accepted,
}

/// The functional part of a program, lowered.
#[derive(Debug)]
pub struct Functional {
    /// An entry point for each functional expression ([`entry_name`]).
    pub program: Program,
    /// The positions of the expressions that take and return sequences in sequences as rows of pools.
    pub rows: BTreeSet<usize>,
}

/// Lowers the functional part of a program; each accelerated expression becomes an entry point.
///
/// In the expressions that `rows` names, and in those that need it, sequences in sequences are rows of pools. `array_language`
/// compiles text of the array language.
pub fn lower(
    checked: &Checked,
    entries: &[Entry],
    functional: &[Decl],
    array_language: &dyn ArrayLanguage,
    rows: &BTreeSet<usize>,
    checks: Checks,
) -> Result<Functional, Failure> {
    let functions = Functions { checks, array_language, ..Functions::of(functional) };
    let mut lowered = Functional { program: Program::default(), rows: BTreeSet::new() };
    for (index, entry) in entries.iter().enumerate() {
        let Some((binding, _)) = functions.defined.get(&entry.var) else { continue };
        let lower = |rows| lower_entry(checked, &functions, &entry_name(index), binding, entry.span, rows);
        let function = match lower(rows.contains(&index))? {
            Some(function) if rows.contains(&index) => {
                lowered.rows.insert(index);
                function
            }
            Some(function) => function,
            None => {
                lowered.rows.insert(index);
                lower(true)?.expect("rows of pools have any lengths")
            }
        };
        lowered.program.functions.push(function);
    }
    Ok(lowered)
}

/// The functions of the part.
struct Functions<'a> {
    /// The functions, with whether they are recursive.
    defined: BTreeMap<VarId, (&'a Binding, bool)>,
    externals: BTreeMap<VarId, crate::builtins::Builtin>,
    array_language: &'a dyn ArrayLanguage,
    checks: Checks,
    /// The recursive functions that are not loops; `recursions` holds the core IR functions made of them.
    nested: BTreeSet<VarId>,
    recursions: RefCell<Recursions>,
}

impl<'a> Functions<'a> {
    fn of(decls: &'a [Decl]) -> Functions<'a> {
        let (defined, externals) = (BTreeMap::new(), BTreeMap::new());
        let mut functions = Functions {
            defined,
            externals,
            array_language: &NoArrayLanguage,
            checks: Checks::default(),
            nested: BTreeSet::new(),
            recursions: RefCell::default(),
        };
        for decl in decls {
            match &decl.kind {
                DeclKind::Let(binding) => {
                    functions.defined.insert(binding.var, (binding, false));
                }
                DeclKind::Recursive(bindings) => {
                    let is_nested = |binding: &&Binding| bindings.len() > 1 || !is_loop(binding);
                    functions.nested.extend(bindings.iter().filter(is_nested).map(|binding| binding.var));
                    functions.defined.extend(bindings.iter().map(|binding| (binding.var, (binding, true))));
                }
                DeclKind::External(var, _, builtin) => {
                    functions.externals.insert(*var, *builtin);
                }
                DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => {}
            }
        }
        functions
    }
}

/// Lowers one expression; `None` if its sequences must be rows of pools and `rows` is not set.
fn lower_entry(
    checked: &Checked,
    functions: &Functions<'_>,
    name: &str,
    binding: &Binding,
    span: Span,
    rows: bool,
) -> Result<Option<warpwise_ir::Function>, Failure> {
    let (parameters, body): (&[_], &Expr) = match &binding.body.kind {
        ExprKind::Lambda(parameters, body) => (parameters, body),
        _ => (&[], &binding.body),
    };
    let mut function = warpwise_ir::Function::new(name);
    function.span = span;
    let mut layouts = Vec::new();
    for parameter in parameters {
        let shape = Shape::of(&checked.typing.types, checked.typing.vars[parameter.var.0 as usize], &[]);
        let layout = if rows { shape.empty().with_rows() } else { shape.empty() };
        refuse_bare(&layout, span)?;
        let sizes: Vec<Operand> =
            layout.lengths().iter().map(|_| function.param("n", Type::I64, false).into()).collect();
        layouts.push((parameter.var, layout.with_lengths(&mut sizes.into_iter())));
    }
    let size_params = function.params.len();
    let mut values = FxHashMap::default();
    let (mut params, mut given) = (Vec::new(), Vec::new());
    for (var, layout) in layouts {
        let text = checked.names.text(checked.program.vars[var.0 as usize].name);
        let params_of = layout.types().into_iter().map(|ty| function.param(text, ty, false).into());
        let leaves: Vec<Operand> = params_of.collect();
        params.push(EntryParam { name: text.to_string(), consumed: false, ty: entry_type(checked, &layout) });
        given.push(Data { layout: layout.clone(), leaves: leaves.clone() });
        values.insert(var, Value::Data(Data { layout, leaves }));
    }
    let mut lowerer = Lowerer::new(checked, functions, Builder::new(&mut function), values);
    lowerer.rows = rows;
    given.iter().for_each(|data: &Data| lowerer.note_order(&data.layout, &data.leaves));
    lowerer.b.set_span(span);
    let result = lowerer.expr(body).and_then(|value| lowerer.data(value, body.span));
    if lowerer.retry.is_some() {
        return Ok(None);
    }
    let result = result?;
    refuse_bare(&result.layout, span)?;
    let lengths = result.layout.lengths();
    let size_results = lengths.len();
    let results = vec![entry_type(checked, &result.layout).into()];
    let all: Vec<Operand> = lengths.into_iter().chain(result.leaves).collect();
    let unique = vec![false; all.len()];
    lowerer.b.finish(all, &unique);
    function.entry =
        Some(EntryPoint { name: name.to_string(), size_params, params, size_results, tuple: None, results });
    Ok(Some(function))
}

fn refused<T>(what: &str, span: Span) -> Result<T, Failure> {
    let message = format!("accelerated code cannot have {what}");
    Err(Failure::User(vec![Diagnostic::error("M0418", span, message)]))
}

/// Refuses sequences of elements without leaves: no array would hold their lengths.
fn refuse_bare(layout: &Layout, span: Span) -> Result<(), Failure> {
    match layout {
        Layout::Scalar(_) | Layout::Tensor(_) => Ok(()),
        Layout::Record(fields) => fields.iter().try_for_each(|(_, layout)| refuse_bare(layout, span)),
        Layout::Seq(_, element) | Layout::Rows(_, element) if element.n_leaves() == 0 => {
            refused("sequences of empty records that go to an accelerated expression or come from it", span)
        }
        Layout::Seq(_, element) | Layout::Rows(_, element) => refuse_bare(element, span),
    }
}

/// Returns the entry type for values of a layout.
fn entry_type(checked: &Checked, layout: &Layout) -> EntryType {
    match layout {
        Layout::Scalar(ty) => EntryType::Scalar(value_type(*ty)),
        Layout::Record(fields) => EntryType::Opaque {
            name: "record".to_string(),
            fields: fields
                .iter()
                .map(|(label, layout)| (checked.names.text(*label).to_string(), entry_type(checked, layout)))
                .collect(),
            form: OpaqueForm::Record,
        },
        Layout::Seq(_, element) if element.pooled().contains(&true) => EntryType::Opaque {
            name: "rows".to_string(),
            fields: vec![("element".to_string(), element_type(checked, element))],
            form: OpaqueForm::Record,
        },
        Layout::Rows(..) => element_type(checked, layout),
        Layout::Seq(_, element) => match entry_type(checked, element) {
            EntryType::Scalar(ty) => EntryType::Array(ty, 1),
            EntryType::Array(ty, rank) => EntryType::Array(ty, rank + 1),
            EntryType::Opaque { form: OpaqueForm::Array(rank, element), fields, .. } => {
                array_type(rank + 1, fields, *element, 1)
            }
            element @ EntryType::Opaque { .. } => {
                let fields = element.leaves().into_iter().enumerate();
                let fields = fields.map(|(index, (ty, rank))| (index.to_string(), leaf_type(ty, rank)));
                array_type(1, fields.collect(), element, 1)
            }
        },
        Layout::Tensor(view) => EntryType::Opaque {
            name: "tensor".to_string(),
            fields: match view.kind {
                // The buffer determines the extents.
                ViewKind::Shaped(_) => Vec::new(),
                ViewKind::Flat(dimensions) => ["offset".to_string(), "rank".to_string()]
                    .into_iter()
                    .chain((0..dimensions).map(|dim| format!("extent_{dim}")))
                    .map(|name| (name, EntryType::Scalar(ValueType::I64)))
                    .collect(),
            },
            form: OpaqueForm::Record,
        },
    }
}

/// Returns the entry type for the elements of a sequence, some of which are rows of pools: arrays of one dimension, in the
/// structure of one element.
fn element_type(checked: &Checked, layout: &Layout) -> EntryType {
    let record =
        |name: &str, fields| EntryType::Opaque { name: name.to_string(), fields, form: OpaqueForm::Record };
    let array = EntryType::Array(ValueType::I64, 1);
    match layout {
        Layout::Scalar(ty) => EntryType::Array(value_type(*ty), 1),
        Layout::Record(fields) => {
            let field = |(label, layout): &(_, _)| {
                (checked.names.text(*label).to_string(), element_type(checked, layout))
            };
            record("record", fields.iter().map(field).collect())
        }
        Layout::Seq(_, element) | Layout::Rows(_, element) => record(
            "row",
            vec![
                ("start".to_string(), array.clone()),
                ("length".to_string(), array),
                ("element".to_string(), element_type(checked, element)),
            ],
        ),
        Layout::Tensor(_) => {
            let fields = (0..layout.n_leaves()).map(|index| (index.to_string(), array.clone()));
            record("tensor", fields.collect())
        }
    }
}

fn array_type(rank: usize, fields: Vec<(String, EntryType)>, element: EntryType, more: usize) -> EntryType {
    let fields = fields.into_iter().map(|(name, ty)| match ty {
        EntryType::Scalar(ty) => (name, leaf_type(ty, more)),
        EntryType::Array(ty, rank) => (name, leaf_type(ty, rank + more)),
        opaque @ EntryType::Opaque { .. } => (name, opaque),
    });
    let form = OpaqueForm::Array(rank, Box::new(element));
    EntryType::Opaque { name: "sequence".to_string(), fields: fields.collect(), form }
}

fn leaf_type(ty: ValueType, rank: usize) -> EntryType {
    if rank == 0 { EntryType::Scalar(ty) } else { EntryType::Array(ty, rank) }
}

fn value_type(ty: ScalarType) -> ValueType {
    match ty {
        ScalarType::Bool => ValueType::Bool,
        ScalarType::I8 => ValueType::I8,
        ScalarType::I16 => ValueType::I16,
        ScalarType::I32 => ValueType::I32,
        ScalarType::I64 => ValueType::I64,
        ScalarType::F16 => ValueType::F16,
        ScalarType::F32 => ValueType::F32,
        ScalarType::F64 => ValueType::F64,
    }
}

/// The state of lowering one entry point.
struct Lowerer<'a, 'f> {
    checked: &'a Checked,
    functions: &'a Functions<'a>,
    b: Builder<'f>,
    /// The values of variables in the function being lowered.
    values: FxHashMap<VarId, Value>,
    /// The shapes of the type variables of the function being lowered.
    with: Rc<Vec<(TypeVar, Shape)>>,
    depth: u32,
    calls: u32,
    /// The recursive function whose loop has ended: its recursive calls are not reached.
    leaving: Option<VarId>,
    /// Whether code that is evaluated twice has its effects twice.
    has_effects: bool,
    /// Whether the code fails if sequences turn out to be irregular.
    supposes_regular: bool,
    memory: Memory,
    /// The buffers of captured tensors whose ranks a later use may determine.
    ranks_open: BTreeSet<usize>,
    /// The fact that makes lowering start again.
    retry: Option<Retry>,
    /// Whether all sequences in sequences are rows of pools.
    rows: bool,
    /// Summands of sums: the one bound last, and the other one.
    sums: FxHashMap<Var, (Var, Operand)>,
    /// Clamped numbers of iterations, with the possibly negative numbers that they come from.
    clamped: FxHashMap<Var, Operand>,
    /// The items of array literals.
    written_out: FxHashMap<Var, Vec<Operand>>,
    /// The texts of the array language, with their types.
    texts: Vec<inline::Text>,
    notes: Vec<Note>,
    /// The starts of rows that lie one after the other in their pool and fill it, with the rows' lengths.
    rows_in_order: FxHashMap<Var, Var>,
    /// The reason why a loop that is being lowered must run in order after all, and its position.
    in_order: Option<(&'static str, Span)>,
}

/// A fact that was found while lowering and requires a new attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Retry {
    /// The tensor that fills this buffer has this rank.
    Rank(usize, usize),
    /// One variable stands for views of both buffers.
    Together(usize, usize),
    /// Sequences in sequences have lengths of their own.
    Rows,
}

/// A parallel loop that is lowered to a sequential one.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// Source position of the loop.
    pub span: Span,
    /// The reason why the loop runs in order.
    pub reason: String,
    /// Source position of the cause.
    pub at: Span,
}

impl Note {
    /// Returns the note as a warning.
    pub fn warning(&self) -> Diagnostic {
        let message = "this loop runs in order: its iterations cannot be shown to keep apart";
        Diagnostic::warning("M0430", self.span, message).label(self.at, self.reason.clone())
    }
}

impl<'a, 'f> Lowerer<'a, 'f> {
    fn new(
        checked: &'a Checked,
        functions: &'a Functions<'a>,
        b: Builder<'f>,
        values: FxHashMap<VarId, Value>,
    ) -> Lowerer<'a, 'f> {
        Lowerer {
            checked,
            functions,
            b,
            values,
            with: Rc::new(Vec::new()),
            depth: 0,
            calls: 0,
            leaving: None,
            has_effects: false,
            supposes_regular: false,
            memory: Memory::default(),
            ranks_open: BTreeSet::new(),
            retry: None,
            rows: false,
            sums: FxHashMap::default(),
            clamped: FxHashMap::default(),
            written_out: FxHashMap::default(),
            texts: Vec::new(),
            notes: Vec::new(),
            rows_in_order: FxHashMap::default(),
            in_order: None,
        }
    }
}

impl Lowerer<'_, '_> {
    /// Fails because accelerated code cannot have `what`.
    fn refuse<T>(&self, what: impl AsRef<str>, span: Span) -> Result<T, Failure> {
        refused(what.as_ref(), span)
    }

    fn limit<T>(&self, message: impl Into<String>, span: Span) -> Result<T, Failure> {
        Err(Failure::Limit(Limit { message: message.into(), span }))
    }

    /// Abandons the innermost loop that is being lowered as parallel; it is lowered again, to run in order.
    fn needs_order<T>(&mut self, reason: &'static str, at: Span) -> Result<T, Failure> {
        self.in_order.get_or_insert((reason, at));
        self.limit("a loop that runs in order after all", at)
    }

    /// Returns a value, which must not be a function.
    fn data(&self, value: Value, span: Span) -> Result<Data, Failure> {
        match value {
            Value::Data(data) => Ok(data),
            Value::Function(_) => {
                let message = "accelerated code cannot have a function as a value";
                let hint = "apply it to all its arguments; give what the functions differ in, and make them of it outside";
                Err(Failure::User(vec![Diagnostic::error("M0418", span, message).hint(hint)]))
            }
        }
    }

    /// Runs `build`; returns the statements that it made, separately, and its value.
    fn nested<T>(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<(Vec<Stm>, T), Failure> {
        let outer = self.b.take_stms();
        let made = build(self);
        let inner = self.b.take_stms();
        self.b.extend(outer);
        Ok((inner, made?))
    }
}
