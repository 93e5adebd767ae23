//! Lowering of the imperative part of a program to core IR.
//!
//! ```text
//! let accelerated = lam t. lam c. loop (get (tensorShape t) 0) (scale t c)     where scale multiplies t [i] by c
//! ```
//! becomes an entry point that takes the buffer of `t` and `c`, and returns the buffer, since it was written:
//! ```text
//! entry accelerated_0(n: i64, m: *[n]f64, c: f64) -> (r: *[n]f64) {
//!   is: [n]i64 = iota n 0 1;
//!   rows: [n]f64 = screma n (is) map (i: i64) { x: f64 = index m[i]; y: f64 = fmul x c; return y };
//!   return rows
//! }
//! ```
//! Effects are values: the buffers ([`super::memory`]) and the output are threaded through the statements. A choice yields the
//! ones that it changes, a loop carries them. [`super::parallel`] decides the form of a parallel loop, and [`super::tensors`]
//! represents views. Loops whose iterations cannot be shown to be independent run in order, and each is a [`Note`].
//!
//! A captured tensor that fills a buffer of its own keeps its dimensions. A flat buffer is shared by the tensors of one sequence,
//! by those that one variable may stand for, and by those that overlap (`together`, since only a run shows that): all views of an
//! element see a write to it. Tensors in the value are views of captured ones ([`super::results`]). Needs: a well-formed
//! imperative part. Absent: tensors made in accelerated code.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use warpwise_diag::{Failure, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::{EntryParam, EntryPoint, EntryResult, EntryType, Function, Operand, Program, Type, Var};
use warpwise_prim::ScalarType;

use crate::check::types::{Node, Ty, Types};
use crate::compile::Checked;
use crate::tree::{Binding, Decl, Expr, ExprKind, Parameter, VarId};

use super::effects::{FLOAT, INT, TEXT};
use super::memory::array_type;
use super::results::buffers_of;
use super::value::{Data, Layout, Shape, Value, View, ViewKind};
use super::{Checks, Entry, Functions, Lowerer, Note, Retry, entry_name, entry_type, value_type};

/// The imperative part of a program, lowered.
#[derive(Debug)]
pub struct Imperative {
    /// An entry point for each imperative expression, named like the functional ones.
    pub program: Program,
    /// The signatures of the entry points, by the position among all accelerated expressions.
    pub signatures: Vec<(usize, Signature)>,
    /// The parallel loops that run in order.
    pub notes: Vec<Note>,
}

/// The arguments and results of an imperative expression.
///
/// An entry point takes the arrays of all buffers, then the captured values: their leaves are as in the functional part, except
/// that the leaves of a tensor are those that [`Tensor`] describes. It returns the leaves of its value, then the buffers that
/// were written, in order, then the output, if there is a log ([`printed`]).
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// The buffers, in the order of the parameters.
    pub buffers: Vec<Buffer>,
    /// The elements' location for each `Tensor` in the types of the captured values, from left to right.
    pub tensors: Vec<Tensor>,
    /// The buffer for each `Tensor` in the type of the value, from left to right. The tensor is a view of the buffer, and its
    /// leaves are those of [`Tensor::Part`].
    pub results: Vec<usize>,
    /// Whether the expression may print.
    pub has_log: bool,
    /// Whether sequences in sequences are rows of pools.
    pub has_rows: bool,
    /// Whether a call may fail because sequences turn out to be irregular.
    pub supposes_regular: bool,
}

/// An array of elements of tensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Type of the elements: integers or floats.
    pub element: ScalarType,
    /// Number of dimensions of the array.
    pub rank: usize,
    /// Whether the buffer is a result; otherwise it is unchanged.
    pub is_written: bool,
}

/// The location of the elements of a captured tensor, or of the tensors in a captured sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tensor {
    /// This buffer is the tensor, with its dimensions; the tensor has no leaves of its own.
    Whole(usize),
    /// A part of a buffer of one dimension, in row-major order. Its leaves are the offset of its first element, its rank, and as
    /// many extents as [`Accepted`](super::super::Accepted) allows; those beyond the rank are 1. Overlapping views overlap in the
    /// buffer.
    Part(usize),
}

/// A printed item.
#[derive(Clone, PartialEq, Debug)]
pub enum Printed {
    /// Printed by `print`.
    Text(String),
    /// Printed by `printFloat`, or by `dprint`.
    Float(f64),
    /// Printed by `dprint`.
    Int(i64),
}

/// Decodes a log.
pub fn printed(log: &[f64]) -> Vec<Printed> {
    let mut found = Vec::new();
    let mut rest = log.iter().copied();
    while let Some(kind) = rest.next() {
        let Some(number) = rest.next() else { break };
        if kind == FLOAT {
            found.push(Printed::Float(number));
        } else if kind == INT {
            let Some(low) = rest.next() else { break };
            found.push(Printed::Int(((number as i64) << 32) | low as i64));
        } else if kind == TEXT {
            let chars = rest.by_ref().take(number as usize);
            found.push(Printed::Text(chars.filter_map(|code| char::from_u32(code as u32)).collect()));
        }
    }
    found
}

/// Lowers the imperative part of a program. `together(number)` returns the groups of tensors of an expression (by their positions
/// in [`Signature::tensors`]) that must share buffers: those that overlap while one of them is written. In the expressions that
/// `rows` names, and in those that need it, sequences in sequences are rows of pools.
pub fn lower_imperative(
    checked: &Checked,
    entries: &[Entry],
    imperative: &[Decl],
    together: &dyn Fn(usize) -> Vec<Vec<usize>>,
    rows: &BTreeSet<usize>,
    checks: Checks,
) -> Result<Imperative, Failure> {
    let functions = Functions { checks, ..Functions::of(imperative) };
    let mut lowered = Imperative { program: Program::default(), signatures: Vec::new(), notes: Vec::new() };
    let mut entry_points = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let Some((binding, _)) = functions.defined.get(&entry.var) else { continue };
        let it = Expression { checked, functions: &functions, binding, span: entry.span };
        let (function, signature, notes) =
            it.lower(&entry_name(number), &together(number), rows.contains(&number))?;
        entry_points.push(function);
        lowered.signatures.push((number, signature));
        for note in notes {
            if !lowered.notes.contains(&note) {
                lowered.notes.push(note);
            }
        }
    }
    lowered.program = functions.recursions.into_inner().into_program();
    entry_points.into_iter().for_each(|function| _ = lowered.program.functions.push(function));
    Ok(lowered)
}

/// An accelerated expression.
struct Expression<'a> {
    checked: &'a Checked,
    functions: &'a Functions<'a>,
    binding: &'a Binding,
    span: Span,
}

/// An entry point, its signature, and the loops that run in order.
type Done = (Function, Signature, Vec<Note>);

/// Assumptions about the captured tensors.
#[derive(Clone, Debug)]
struct Assumptions {
    /// The buffer of each tensor.
    places: Vec<usize>,
    /// The buffers: their element type, and the rank of the tensor that fills the buffer, if known.
    buffers: Vec<(ScalarType, Option<usize>)>,
    /// The buffers of one tensor each, whose rank a use will determine.
    open: BTreeSet<usize>,
    /// Maximum number of dimensions of tensors.
    dimensions: usize,
    /// Whether sequences in sequences are rows of pools.
    rows: bool,
}

impl Expression<'_> {
    fn lower(&self, name: &str, together: &[Vec<usize>], rows: bool) -> Result<Done, Failure> {
        let (parameters, body): (&[Parameter], &Expr) = match &self.binding.body.kind {
            ExprKind::Lambda(parameters, body) => (parameters, body),
            _ => (&[], &self.binding.body),
        };
        let mut assumed = Assumptions { rows, ..self.first_assumptions(parameters) };
        for group in together {
            for pair in group.windows(2) {
                assumed.unite(assumed.places[pair[0]], assumed.places[pair[1]]);
            }
        }
        loop {
            match self.attempt(name, parameters, body, &assumed)? {
                Ok(done) => return Ok(done),
                Err(Retry::Rank(buffer, rank)) => {
                    assumed.buffers[buffer].1 = Some(rank);
                    assumed.open.remove(&buffer);
                }
                Err(Retry::Together(a, b)) => assumed.unite(a, b),
                Err(Retry::Rows) => assumed.rows = true,
            }
        }
    }

    /// Assumes that every tensor has a buffer of its own, and that the tensors of a sequence share one.
    fn first_assumptions(&self, parameters: &[Parameter]) -> Assumptions {
        let types = &self.checked.typing.types;
        let mut found = Vec::new();
        for parameter in parameters {
            tensors_in(types, self.checked.typing.vars[parameter.var.0 as usize], false, &mut found);
        }
        let open = found.iter().enumerate().filter(|(_, (_, in_seq))| !in_seq).map(|(index, _)| index);
        Assumptions {
            places: (0..found.len()).collect(),
            open: open.collect(),
            buffers: found.into_iter().map(|(element, _)| (element, None)).collect(),
            dimensions: self.functions.checks.accepted.dimensions,
            rows: false,
        }
    }

    fn attempt(
        &self,
        name: &str,
        parameters: &[Parameter],
        body: &Expr,
        assumed: &Assumptions,
    ) -> Result<Result<Done, Retry>, Failure> {
        let mut function = Function::new(name);
        function.span = self.span;
        let inputs = self.inputs(&mut function, parameters, assumed);
        let mut lowerer =
            Lowerer::new(self.checked, self.functions, Builder::new(&mut function), inputs.values);
        for ((element, _), (extents, array)) in assumed.buffers.iter().zip(&inputs.buffers) {
            lowerer.memory.add_buffer(*element, extents.clone(), *array);
        }
        lowerer.ranks_open = assumed.open.clone();
        lowerer.has_effects = true;
        lowerer.rows = assumed.rows;
        lowerer.b.set_span(self.span);
        lowerer.memory.log = lowerer.blank(&Shape::Seq(Box::new(Shape::Scalar(ScalarType::F64))));
        let before = lowerer.memory.log.clone();
        let result = lowerer.expr(body).and_then(|value| lowerer.data(value, body.span));
        if let Some(retry) = lowerer.retry {
            return Ok(Err(retry));
        }
        let result = self.with_flat_views(&mut lowerer, result?, body);
        if let Some(retry) = lowerer.retry {
            return Ok(Err(retry));
        }
        let result = result?;
        let has_log = lowerer.memory.log != before;
        let written: Vec<usize> = {
            let mut written: Vec<usize> = lowerer.memory.written.iter().copied().collect();
            written.sort_unstable();
            written
        };
        let mut values = vec![result];
        values.extend(has_log.then(|| lowerer.memory.log.clone()));
        let mut leaves: Vec<Operand> = values[0].leaves.clone();
        leaves.extend(written.iter().map(|buffer| lowerer.settled(*buffer)));
        leaves.extend(values[1..].iter().flat_map(|value| value.leaves.clone()));
        let sizes: Vec<Operand> = values.iter().flat_map(|value| value.layout.lengths()).collect();
        let size_results = sizes.len();
        let n_value = values[0].leaves.len();
        let all: Vec<Operand> = sizes.into_iter().chain(leaves).collect();
        let is_buffer = |position: usize| {
            let first = size_results + n_value;
            position >= first && position < first + written.len()
        };
        let unique: Vec<bool> = (0..all.len()).map(is_buffer).collect();
        let notes = std::mem::take(&mut lowerer.notes);
        let supposes_regular = lowerer.supposes_regular;
        lowerer.b.finish(all, &unique);
        let mut results = vec![entry_type(self.checked, &values[0].layout)];
        results.extend(written.iter().map(|buffer| buffer_type(assumed, *buffer)));
        results.extend(values[1..].iter().map(|log| entry_type(self.checked, &log.layout)));
        let mut params = inputs.params;
        for &buffer in &written {
            params[buffer].consumed = true;
            let array = inputs.buffers[buffer].1;
            function.params.iter_mut().filter(|param| param.var == array).for_each(|p| p.consumed = true);
        }
        let size_params = inputs.size_params;
        let results = results.into_iter().map(EntryResult::from).collect();
        function.entry = Some(EntryPoint {
            name: name.to_string(),
            size_params,
            params,
            size_results,
            tuple: None,
            results,
        });
        let mut signature = assumed.signature(&written, has_log);
        signature.results = buffers_of(&values[0].layout);
        signature.supposes_regular = supposes_regular;
        Ok(Ok((function, signature, notes)))
    }

    /// Returns the value of the expression with all views flat.
    fn with_flat_views(
        &self,
        lowerer: &mut Lowerer<'_, '_>,
        result: Data,
        body: &Expr,
    ) -> Result<Data, Failure> {
        let mut found = Vec::new();
        tensors_in(&self.checked.typing.types, body.ty, false, &mut found);
        lowerer.flat_views(&result, found.len(), body.span)
    }

    /// Makes the parameters of the entry point.
    fn inputs(&self, function: &mut Function, parameters: &[Parameter], assumed: &Assumptions) -> Inputs {
        let types = &self.checked.typing.types;
        let mut tensors = assumed.places.iter();
        let extents: Vec<Vec<Operand>> = assumed
            .buffers
            .iter()
            .map(|(_, rank)| {
                (0..rank.unwrap_or(1)).map(|_| function.param("n", Type::I64, false).into()).collect()
            })
            .collect();
        let mut layouts = Vec::new();
        for parameter in parameters {
            let ty = self.checked.typing.vars[parameter.var.0 as usize];
            let layout = layout_of(types, ty, assumed, &mut tensors);
            let layout = if assumed.rows { layout.with_rows() } else { layout };
            let sizes: Vec<Operand> =
                layout.lengths().iter().map(|_| function.param("n", Type::I64, false).into()).collect();
            layouts.push((parameter.var, layout.with_lengths(&mut sizes.into_iter())));
        }
        let size_params = function.params.len();
        let mut params = Vec::new();
        let mut buffers = Vec::new();
        for (number, ((element, _), extents)) in assumed.buffers.iter().zip(extents).enumerate() {
            let array = function.param("m", array_type(*element, &extents), false);
            let ty = buffer_type(assumed, number);
            params.push(EntryParam { name: format!("buffer_{number}"), consumed: false, ty });
            buffers.push((extents, array));
        }
        let mut values = FxHashMap::default();
        for (var, layout) in layouts {
            let name = self.checked.names.text(self.checked.program.vars[var.0 as usize].name);
            let leaves = leaves_of(function, name, &layout, &buffers);
            params.push(EntryParam {
                name: name.to_string(),
                consumed: false,
                ty: entry_type(self.checked, &layout),
            });
            values.insert(var, Value::Data(Data { layout, leaves }));
        }
        Inputs { size_params, params, buffers, values }
    }
}

/// The parameters of an entry point.
struct Inputs {
    size_params: usize,
    params: Vec<EntryParam>,
    buffers: Vec<(Vec<Operand>, Var)>,
    values: FxHashMap<VarId, Value>,
}

impl Assumptions {
    /// Joins two buffers into one without dimensions.
    fn unite(&mut self, a: usize, b: usize) {
        let (kept, gone) = (a.min(b), a.max(b));
        self.buffers[kept].1 = None;
        self.open.remove(&kept);
        if kept == gone {
            return;
        }
        self.buffers.remove(gone);
        let moved = |buffer: usize| match buffer {
            buffer if buffer == gone => kept,
            buffer if buffer > gone => buffer - 1,
            buffer => buffer,
        };
        self.places.iter_mut().for_each(|place| *place = moved(*place));
        self.open = self.open.iter().filter(|buffer| **buffer != gone).map(|buffer| moved(*buffer)).collect();
    }

    fn signature(&self, written: &[usize], has_log: bool) -> Signature {
        let buffers = self.buffers.iter().enumerate().map(|(number, (element, rank))| Buffer {
            element: *element,
            rank: rank.unwrap_or(1),
            is_written: written.contains(&number),
        });
        let tensors = self.places.iter().map(|buffer| match self.buffers[*buffer].1 {
            Some(_) => Tensor::Whole(*buffer),
            None => Tensor::Part(*buffer),
        });
        let (buffers, tensors) = (buffers.collect(), tensors.collect());
        Signature {
            buffers,
            tensors,
            results: Vec::new(),
            has_log,
            has_rows: self.rows,
            supposes_regular: false,
        }
    }
}

fn buffer_type(assumed: &Assumptions, buffer: usize) -> EntryType {
    let (element, rank) = assumed.buffers[buffer];
    EntryType::Array(value_type(element), rank.unwrap_or(1))
}

/// Collects the element types of the tensors in a type, and whether they are in a sequence.
fn tensors_in(types: &Types, ty: Ty, in_seq: bool, found: &mut Vec<(ScalarType, bool)>) {
    match types.node(ty) {
        Node::Tensor(element) => found.push((element_type(types, *element), in_seq)),
        Node::Seq(element) => tensors_in(types, *element, true, found),
        Node::Record(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(label, _)| *label);
            fields.into_iter().for_each(|(_, ty)| tensors_in(types, *ty, in_seq, found));
        }
        Node::Bool
        | Node::Int
        | Node::Float
        | Node::Char
        | Node::Arrow(..)
        | Node::Named(..)
        | Node::Apply(..)
        | Node::Var(_)
        | Node::All(..)
        | Node::Meta(_) => {}
    }
}

fn element_type(types: &Types, ty: Ty) -> ScalarType {
    if *types.node(ty) == Node::Int { ScalarType::I64 } else { ScalarType::F64 }
}

/// Returns the layout of a captured value; lengths are not known yet.
fn layout_of<'s>(
    types: &Types,
    ty: Ty,
    assumed: &Assumptions,
    tensors: &mut impl Iterator<Item = &'s usize>,
) -> Layout {
    match types.node(ty) {
        Node::Tensor(_) => {
            let buffer = tensors.next().copied().unwrap_or(0);
            let kind = assumed.buffers[buffer].1.map_or(ViewKind::Flat(assumed.dimensions), ViewKind::Shaped);
            Layout::Tensor(View { buffer, fixed: 0, kind })
        }
        Node::Seq(element) => {
            Layout::Seq(Operand::i64(0), Box::new(layout_of(types, *element, assumed, tensors)))
        }
        Node::Record(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(label, _)| *label);
            let fields = fields.into_iter();
            Layout::Record(
                fields.map(|(label, ty)| (*label, layout_of(types, *ty, assumed, tensors))).collect(),
            )
        }
        Node::Bool
        | Node::Int
        | Node::Float
        | Node::Char
        | Node::Arrow(..)
        | Node::Named(..)
        | Node::Apply(..)
        | Node::Var(_)
        | Node::All(..)
        | Node::Meta(_) => Shape::of(types, ty, &[]).empty(),
    }
}

/// Makes parameters for the leaves of a value; a tensor that fills its buffer needs none.
fn leaves_of(
    function: &mut Function,
    name: &str,
    layout: &Layout,
    buffers: &[(Vec<Operand>, Var)],
) -> Vec<Operand> {
    match layout {
        Layout::Record(fields) => {
            fields.iter().flat_map(|(_, layout)| leaves_of(function, name, layout, buffers)).collect()
        }
        Layout::Tensor(View { buffer, kind: ViewKind::Shaped(_), .. }) => {
            vec![Operand::i64(0), buffers[*buffer].0[0]]
        }
        Layout::Tensor(_) | Layout::Scalar(_) | Layout::Seq(..) | Layout::Rows(..) => {
            layout.types().into_iter().map(|ty| function.param(name, ty, false).into()).collect()
        }
    }
}
