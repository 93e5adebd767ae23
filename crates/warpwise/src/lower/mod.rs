//! Lowering of the graph of handles to core IR of level `soac`.
//!
//! `xs.zip_with(&ys, |x, y| x * y).sum()` becomes
//!
//! ```text
//! entry main(n: i64, m: i64, xs: [n]f32, ys: [m]f32) -> (sum: f32) ... {
//!   extent: i64 = smin n m;
//!   xs_1: [extent]f32 = slice xs[0:extent:1];
//!   ys_1: [extent]f32 = slice ys[0:extent:1];
//!   sum: f32 = screma extent (xs_1, ys_1)
//!     map (x: f32, y: f32) { p: f32 = fmul x y; return p }
//!     reduce (a: f32, b: f32) { s: f32 = fadd a b; return s } [0f32];
//!   return sum
//! }
//! ```
//!
//! [`mod@plan`] decides where nodes are computed. Elements are decomposed into components, arrays into one array per component.
//! An array with a single use by an array operation stays [`delayed`]: a function of the elements of other arrays at the same
//! index, or of the index, that is fused into its user (papers/003, section 5). Everything else is computed in its place; the
//! optimiser then fuses further.
//!
//! Reading order: [`mod@plan`], this file, [`scalar`], [`delayed`], [`views`], [`folds`], [`moves`], [`control`], [`parts`].
//!
//! Absent: optimisation. The verifier checks the resulting program.

mod control;
mod delayed;
mod folds;
mod moves;
#[cfg(feature = "seq")]
mod parts;
mod plan;
mod scalar;
mod stages;
mod views;

pub(crate) use stages::foreign_calls;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_ir::builder::Builder;
use warpwise_ir::deep::LEVELS;
use warpwise_ir::{
    Body, EntryParam, EntryPoint, EntryResult, EntryType, Function as CoreFunction, Operand, Program, Type,
    Var,
};
use warpwise_prim::{Scalar, ValueType};

use crate::error::Error;
use crate::graph::{self, ArrayTy, Node, Op, Ref, Ty};

use delayed::Delayed;
use plan::{Plan, plan};

/// A program and the host arrays that it takes after its parameters.
pub(crate) struct Lowered {
    /// The program, with one entry point `main`.
    pub program: Program,
    /// Host arrays that the program uses ([`Op::Use`]): arguments after the parameters.
    pub used: Vec<Ref>,
}

/// Name of the entry point.
pub(crate) const ENTRY: &str = "main";

/// Lowers a computation whose results' extents are results, too: those of each array of at least one dimension come before it.
pub(crate) fn lower_with_extents(params: &[Ref], results: &[Ref]) -> Result<Lowered, Error> {
    let mut all = Vec::new();
    for result in results {
        if let Some(ty) = result.ty.array()
            && ty.rank > 0
        {
            all.push(graph::node(Op::Extents, vec![result.clone()], Vec::new(), Ty::index(ty.rank)));
        }
        all.push(result.clone());
    }
    let mut lowered = lower(params, &all)?;
    for function in lowered.program.functions.values_mut() {
        // The extents are explicit results already.
        let sizes = function.entry.as_ref().map_or(0, |entry| entry.size_results);
        function.body.result.drain(..sizes);
    }
    Ok(lowered)
}

/// Lowers the computation of `results` from `params`: parameters, or values computed before.
pub(crate) fn lower(params: &[Ref], results: &[Ref]) -> Result<Lowered, Error> {
    let plan = plan(params, results);
    if let Some(node) = &plan.too_deep {
        return Err(wrong(
            node,
            &format!("choices, loops and functions nest more than {LEVELS} levels deep"),
        ));
    }
    let used: Vec<Ref> = plan.used.clone();
    let inputs: Vec<Ref> = params.iter().chain(&used).cloned().collect();
    let mut function = CoreFunction::new(ENTRY);
    let values = parameters(&mut function, &inputs);
    let size_params = function.params.len() - inputs.iter().map(|input| input.ty.width()).sum::<usize>();
    let mut lowering = Lowering { b: Builder::new(&mut function), plan, values };
    lowering.scope(0)?;
    let (sizes, outputs) = lowering.results(results)?;
    let size_results = sizes.len();
    let all: Vec<Operand> = sizes.into_iter().chain(outputs).collect();
    let unique = vec![false; all.len()];
    lowering.b.finish(all, &unique);
    function.entry = Some(EntryPoint {
        name: ENTRY.to_string(),
        size_params,
        params: inputs.iter().flat_map(|input| surface(&input.ty)).map(parameter).collect(),
        size_results,
        tuple: None,
        results: results.iter().flat_map(|result| surface(&result.ty)).map(EntryResult::from).collect(),
    });
    let mut program = Program::default();
    program.functions.push(function);
    Ok(Lowered { program, used })
}

/// Value that a node was lowered to.
#[derive(Clone)]
enum Value {
    /// The components of an element.
    Scalars(Vec<Operand>),
    /// One or several arrays.
    Arrays(SmallVec<[ArrayValue; 1]>),
}

/// An array, which may not be computed yet.
#[derive(Clone)]
struct ArrayValue {
    /// Extents, outermost first.
    shape: Vec<Operand>,
    /// The elements.
    elements: Delayed,
}

/// State of the lowering of a program.
struct Lowering<'f> {
    b: Builder<'f>,
    plan: Plan,
    values: FxHashMap<u64, Value>,
}

impl Lowering<'_> {
    /// Computes all nodes of a scope.
    fn scope(&mut self, scope: plan::ScopeId) -> Result<(), Error> {
        for node in self.plan.nodes(scope) {
            let value = self.node(&node)?;
            self.values.insert(node.id, value);
        }
        Ok(())
    }

    fn node(&mut self, node: &Ref) -> Result<Value, Error> {
        match &node.op {
            Op::Invalid(reason) => Err(wrong(node, reason)),
            Op::Parameter | Op::Use(_) => self.value(node),
            Op::Constant(values) => Ok(Value::Scalars(values.iter().map(|value| (*value).into()).collect())),
            Op::Choose => self.choose(node),
            Op::While => self.repeat(node),
            Op::Join
            | Op::Part(_)
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Ternary(_)
            | Op::Compare(_)
            | Op::Convert(_)
            | Op::Character
            | Op::At { .. }
            | Op::Extents => Ok(Value::Scalars(self.scalar_node(node)?)),
            Op::Gather => {
                let mut arrays = SmallVec::new();
                for input in &node.inputs {
                    arrays.push(self.computed(input)?);
                }
                Ok(Value::Arrays(arrays))
            }
            Op::Group(at) => match self.value(&node.inputs[0])? {
                Value::Arrays(arrays) if *at < arrays.len() => {
                    Ok(Value::Arrays(SmallVec::from_iter([arrays[*at].clone()])))
                }
                Value::Arrays(_) | Value::Scalars(_) => Err(internal(node, "no such array")),
            },
            Op::Unit | Op::Generate | Op::Map { .. } | Op::Backpermute => self.producer(node),
            Op::Reshape | Op::Flatten | Op::Slice(_) | Op::Transpose(_) | Op::Replicate(_) => self.view(node),
            Op::Compute => Ok(one(self.computed(&node.inputs[0])?)),
            Op::Foreign(_) => self.value(&node.inputs[1]),
            #[cfg(feature = "seq")]
            Op::Parts(parts) => self.parts(node, parts),
            Op::Fold(_) | Op::FoldAll(_) | Op::Scan { .. } | Op::FoldSegments => self.fold(node),
            Op::Permute | Op::Scatter | Op::Filter | Op::Concat => self.movement(node),
        }
    }

    fn value(&self, node: &Node) -> Result<Value, Error> {
        if let Op::Constant(values) = &node.op {
            return Ok(Value::Scalars(values.iter().map(|value| (*value).into()).collect()));
        }
        self.values.get(&node.id).cloned().ok_or_else(|| {
            wrong(
                node,
                "a variable of a function is used outside of it, or by an operation on arrays within it",
            )
        })
    }

    fn scalars(&self, node: &Node) -> Result<Vec<Operand>, Error> {
        match self.value(node)? {
            Value::Scalars(operands) => Ok(operands),
            Value::Arrays(_) => Err(internal(node, "an array where a scalar is expected")),
        }
    }

    fn array(&self, node: &Node) -> Result<ArrayValue, Error> {
        match self.value(node)? {
            Value::Arrays(arrays) if arrays.len() == 1 => Ok(arrays[0].clone()),
            Value::Arrays(_) | Value::Scalars(_) => Err(internal(node, "no array")),
        }
    }

    /// Returns the array, and computes it if necessary.
    fn computed(&mut self, node: &Node) -> Result<ArrayValue, Error> {
        let array = self.array(node)?;
        let Delayed::Stored(_) = array.elements else {
            let stored = self.store(&array)?;
            let array = ArrayValue { shape: array.shape, elements: Delayed::Stored(stored) };
            self.values.insert(node.id, one(array.clone()));
            return Ok(array);
        };
        Ok(array)
    }

    /// Returns the array's component arrays, and computes them if necessary.
    fn columns(&mut self, node: &Node) -> Result<Vec<Operand>, Error> {
        match self.computed(node)?.elements {
            Delayed::Stored(columns) => Ok(columns),
            Delayed::Map { .. } | Delayed::At { .. } | Delayed::Gather { .. } => {
                Err(internal(node, "an array that was not computed"))
            }
        }
    }

    /// Returns the component arrays of one or several arrays.
    fn all_columns(&mut self, node: &Node) -> Result<Vec<Operand>, Error> {
        let Value::Arrays(arrays) = self.value(node)? else { return Err(internal(node, "no arrays")) };
        let mut columns = Vec::new();
        for array in &arrays {
            for column in self.store(array)? {
                columns.push(self.cut(column, &array.shape));
            }
        }
        Ok(columns)
    }

    /// Delays an array if its only user can take it over; stores it otherwise.
    fn produced(&mut self, node: &Node, array: ArrayValue) -> Result<Value, Error> {
        if self.plan.is_used_once(node) && array.elements.depth() < delayed::GREATEST_DEPTH {
            return Ok(one(array));
        }
        let stored = self.store(&array)?;
        Ok(one(ArrayValue { shape: array.shape, elements: Delayed::Stored(stored) }))
    }

    /// Emits the code of a node's function in place.
    fn apply(&mut self, node: &Node, at: usize, arguments: Vec<Value>) -> Result<Value, Error> {
        let function = &node.functions[at];
        for (param, argument) in function.params.iter().zip(arguments) {
            self.values.insert(param.id, argument);
        }
        if let Some(scope) = self.plan.scope(node, at) {
            self.scope(scope)?;
        }
        self.value(&function.result)
    }

    /// Emits the code of a node's scalar function in place.
    fn apply_scalar(
        &mut self,
        node: &Node,
        at: usize,
        arguments: Vec<Vec<Operand>>,
    ) -> Result<Vec<Operand>, Error> {
        match self.apply(node, at, arguments.into_iter().map(Value::Scalars).collect())? {
            Value::Scalars(operands) => Ok(operands),
            Value::Arrays(_) => Err(internal(node, "a scalar function yields an array")),
        }
    }

    /// Builds a separate body.
    fn body(&mut self, build: impl FnOnce(&mut Self) -> Result<Vec<Operand>, Error>) -> Result<Body, Error> {
        let outer = self.b.take_stms();
        let result = build(self);
        let stms = self.b.take_stms();
        self.b.extend(outer);
        Ok(Body { stms, result: result? })
    }

    /// Makes new variables of these types.
    fn fresh(&mut self, name: &str, types: &[Type]) -> Vec<Var> {
        types.iter().map(|ty| self.b.function.fresh(name, ty.clone())).collect()
    }

    /// Returns the sizes in the results' types that are not parameters, then the results.
    fn results(&mut self, results: &[Ref]) -> Result<(Vec<Operand>, Vec<Operand>), Error> {
        let mut outputs = Vec::new();
        for result in results {
            match &result.ty {
                Ty::Scalars(_) => outputs.extend(self.scalars(result)?),
                Ty::Arrays(_) => outputs.extend(self.all_columns(result)?),
            }
        }
        let mut sizes = Vec::new();
        for output in &outputs {
            for size in self.b.function.operand_type(*output).shape() {
                let is_param = |var: Var| self.b.function.params.iter().any(|param| param.var == var);
                if size.as_var().is_some_and(|var| !is_param(var)) && !sizes.contains(size) {
                    sizes.push(*size);
                }
            }
        }
        Ok((sizes, outputs))
    }
}

/// Wraps one array as a value.
fn one(array: ArrayValue) -> Value {
    Value::Arrays(SmallVec::from_iter([array]))
}

/// Declares parameters: all sizes, then the components. Returns their values.
fn parameters(function: &mut CoreFunction, inputs: &[Ref]) -> FxHashMap<u64, Value> {
    let mut shapes = Vec::new();
    for array in inputs.iter().flat_map(|input| arrays(&input.ty)) {
        let shape = (0..array.rank).map(|_| Operand::Var(function.param("n", Type::I64, false)));
        shapes.push(shape.collect::<Vec<Operand>>());
    }
    let mut shapes = shapes.into_iter();
    let mut values = FxHashMap::default();
    for input in inputs {
        let mut component = |ty: &ValueType, shape: &[Operand]| {
            let ty = Type::array(ty.scalar(), shape.iter().copied());
            Operand::Var(function.param("a", ty, false))
        };
        let value = match &input.ty {
            Ty::Scalars(types) => Value::Scalars(types.iter().map(|ty| component(ty, &[])).collect()),
            Ty::Arrays(arrays) => {
                let array = |array: &ArrayTy| {
                    let shape = shapes.next().unwrap_or_default();
                    let columns = array.components.iter().map(|ty| component(ty, &shape)).collect();
                    ArrayValue { shape, elements: Delayed::Stored(columns) }
                };
                Value::Arrays(arrays.iter().map(array).collect())
            }
        };
        values.insert(input.id, value);
    }
    values
}

/// Returns the types of a node's arrays.
fn arrays(ty: &Ty) -> &[ArrayTy] {
    match ty {
        Ty::Scalars(_) => &[],
        Ty::Arrays(arrays) => arrays,
    }
}

/// Returns the surface types of these values.
fn surface(ty: &Ty) -> Vec<EntryType> {
    let array = |array: &ArrayTy| {
        let rank = array.rank;
        let entry = move |ty: &ValueType| match rank {
            0 => EntryType::Scalar(*ty),
            _ => EntryType::Array(*ty, rank),
        };
        array.components.iter().map(entry).collect::<Vec<EntryType>>()
    };
    match ty {
        Ty::Scalars(components) => components.iter().map(|ty| EntryType::Scalar(*ty)).collect(),
        Ty::Arrays(arrays) => arrays.iter().flat_map(array).collect(),
    }
}

/// Makes an unnamed parameter of an entry point.
pub(crate) fn parameter(ty: EntryType) -> EntryParam {
    EntryParam { name: String::new(), consumed: false, ty }
}

/// Returns zeros of these types, as placeholders for missing values.
fn zeros(types: &[ValueType]) -> Vec<Operand> {
    types.iter().map(|ty| Operand::Const(Scalar::zero(ty.scalar()))).collect()
}

/// Returns an error of the Rust program at this node.
pub(crate) fn wrong(node: &Node, message: &str) -> Error {
    Error::Program { place: node.place.to_string(), message: message.to_string() }
}

/// Returns an error of this crate at this node.
fn internal(node: &Node, message: &str) -> Error {
    Error::Internal(format!("{}: {message}", node.place))
}
