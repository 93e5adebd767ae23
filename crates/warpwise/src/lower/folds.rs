//! Folds and scans.
//!
//! Core IR's reductions and scans need a neutral element, which may be combined any number of times. The surface guarantees
//! neither: an initial value is combined exactly once, and there may be none. If the function is an operator (or one per
//! component) with a known neutral element, that element is used; otherwise elements are lifted to pairs of a flag and a value,
//! where `(false, _)` is neutral.

use warpwise_ir::{Expr, Lambda, Operand, Reduce, Scan, SliceDim, Type};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use super::delayed::{At, Delayed};
use super::{ArrayValue, Lowering, Value, internal, zeros};
use crate::error::Error;
use crate::graph::{Fold, Function, Node, Op, Ref};

/// A row of elements that is reduced or scanned: the innermost dimension of an array, or a segment of it.
struct Row<'a> {
    width: Operand,
    /// Index of the row in the outer dimensions.
    index: &'a [Operand],
    /// Rows of the stored arrays from which the elements are computed.
    leaves: &'a [Operand],
    /// Start of a segment, and the certificate that the segment is in bounds.
    start: Option<(Operand, warpwise_ir::Var)>,
}

/// An associative function in the form that core IR requires.
pub(super) struct Operator {
    /// Neutral elements: of the components, or of the flag and the components.
    pub neutral: Vec<Operand>,
    /// Whether values are paired with a flag.
    pub lifted: bool,
    /// Initial value that is still to be combined.
    pub initial: Option<Vec<Operand>>,
}

impl<'f> Lowering<'f> {
    pub(super) fn fold(&mut self, node: &Ref) -> Result<Value, Error> {
        match &node.op {
            Op::Fold(fold) => self.reduce(node, *fold),
            Op::FoldAll(fold) => self.reduce_all(node, *fold),
            Op::Scan { exclusive, fold } => self.scan(node, *exclusive, *fold),
            Op::FoldSegments => self.fold_segments(node),
            _ => Err(internal(node, "no fold")),
        }
    }

    fn reduce(&mut self, node: &Ref, fold: Fold) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let initial = self.initial(node)?;
        let operator = self.operator(node, fold, initial);
        let (outer, width) = (&source.shape[..source.shape.len() - 1], source.shape[source.shape.len() - 1]);
        if fold == Fold::First {
            self.check_not_empty(node, outer, width);
        }
        let elements = source.elements.clone();
        let columns = self.nest_rows(&source, &mut |lowering, index, leaves| {
            let row = Row { width, index, leaves, start: None };
            let reduced = lowering.reduction(node, &row, &elements, &operator)?;
            lowering.with_initial(node, &operator, &reduced)
        })?;
        let array = ArrayValue { shape: outer.to_vec(), elements: Delayed::Stored(columns) };
        Ok(super::one(array))
    }

    fn reduce_all(&mut self, node: &Ref, fold: Fold) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let initial = self.initial(node)?;
        let operator = self.operator(node, fold, initial);
        if fold == Fold::First {
            let mut holds = self.b.compare("some", CompareOp::SLt, 0, source.shape[0]);
            for &extent in &source.shape[1..] {
                let some = self.b.compare("some", CompareOp::SLt, 0, extent);
                holds = self.b.binary("some", BinaryOp::And, holds, some);
            }
            self.check_some(node, holds);
        }
        let mut leaves = Vec::new();
        source.elements.leaves(&mut leaves);
        let leaves: Vec<Operand> = leaves.iter().map(|leaf| self.cut(*leaf, &source.shape)).collect();
        let reduced = self.whole_reduction(node, &source.shape, &source.elements, &[], &leaves, &operator)?;
        let columns = self.with_initial(node, &operator, &reduced)?;
        Ok(super::one(ArrayValue { shape: Vec::new(), elements: Delayed::Stored(columns) }))
    }

    /// Reduces all dimensions; the inner ones are reduced inside the map of the outer ones.
    fn whole_reduction(
        &mut self,
        node: &Ref,
        shape: &[Operand],
        elements: &Delayed,
        index: &[Operand],
        leaves: &[Operand],
        operator: &Operator,
    ) -> Result<Vec<Operand>, Error> {
        let (width, inner) = (shape[0], &shape[1..]);
        if inner.is_empty() {
            return self.reduction(node, &Row { width, index, leaves, start: None }, elements, operator);
        }
        let (arrays, params, at) = self.inputs(width, leaves, elements.needs_index());
        let map = self.lambda(params, |lowering, given| {
            let mut index = index.to_vec();
            index.extend(at.map(|_| given[given.len() - 1]));
            lowering.whole_reduction(node, inner, elements, &index, &given[..leaves.len()], operator)
        })?;
        let op = self.operator_lambda(node, operator)?;
        let reduce = Reduce { op, neutral: operator.neutral.clone(), commutative: false };
        Ok(self.screma(width, arrays, map, Vec::new(), vec![reduce], None))
    }

    /// Checks that a fold without an initial value has a first element.
    fn check_not_empty(&mut self, node: &Node, outer: &[Operand], width: Operand) {
        let mut holds = self.b.compare("some", CompareOp::SLt, 0, width);
        for &extent in outer {
            let none = self.b.compare("none", CompareOp::Eq, extent, 0);
            holds = self.b.binary("ok", BinaryOp::Or, holds, none);
        }
        self.check_some(node, holds);
    }

    fn check_some(&mut self, node: &Node, holds: Operand) {
        self.check(node, holds, "a fold of no elements without an initial value", &[]);
    }

    fn initial(&self, node: &Node) -> Result<Option<Vec<Operand>>, Error> {
        node.inputs.get(1).map(|initial| self.scalars(initial)).transpose()
    }

    /// Builds a nest of maps over all but the innermost dimension.
    fn nest_rows(
        &mut self,
        source: &ArrayValue,
        innermost: super::delayed::Innermost<'_, 'f>,
    ) -> Result<Vec<Operand>, Error> {
        let mut leaves = Vec::new();
        source.elements.leaves(&mut leaves);
        let inputs: Vec<Operand> = leaves.iter().map(|leaf| self.cut(*leaf, &source.shape)).collect();
        let outer = &source.shape[..source.shape.len() - 1];
        self.nested(outer, source.elements.needs_index(), &mut Vec::new(), inputs, innermost)
    }

    /// Reduces one row. Returns the flag, if there is one, and the components.
    fn reduction(
        &mut self,
        node: &Ref,
        row: &Row<'_>,
        elements: &Delayed,
        operator: &Operator,
    ) -> Result<Vec<Operand>, Error> {
        let (arrays, map) = self.row_map(row, elements, operator.lifted)?;
        let op = self.operator_lambda(node, operator)?;
        let reduce = Reduce { op, neutral: operator.neutral.clone(), commutative: false };
        Ok(self.screma(row.width, arrays, map, Vec::new(), vec![reduce], None))
    }

    /// Builds the map from a row to its elements, with flags if `lifted`.
    fn row_map(
        &mut self,
        row: &Row<'_>,
        elements: &Delayed,
        lifted: bool,
    ) -> Result<(Vec<warpwise_ir::Var>, Lambda), Error> {
        let (arrays, params, at) = self.inputs(row.width, row.leaves, elements.needs_index());
        let count = row.leaves.len();
        let map = self.lambda(params, |lowering, given| {
            let mut index = row.index.to_vec();
            index.extend(at.map(|_| match row.start {
                Some((start, _)) => lowering.b.binary("i", BinaryOp::Add, start, given[given.len() - 1]),
                None => given[given.len() - 1],
            }));
            let certs: Vec<warpwise_ir::Var> = row.start.iter().map(|(_, cert)| *cert).collect();
            let mut leaves = given[..count].iter().copied();
            let at = &mut At { index: &index, leaves: Some(&mut leaves), certs: &certs };
            let mut result = lowering.element(elements, at)?;
            if lifted {
                result.insert(0, Operand::bool(true));
            }
            Ok(result)
        })?;
        Ok((arrays, map))
    }

    /// Determines the operator for the node's first function.
    pub(super) fn operator(&mut self, node: &Node, fold: Fold, initial: Option<Vec<Operand>>) -> Operator {
        let types = components(node);
        if let (Fold::Neutral, Some(neutral)) = (fold, &initial) {
            return Operator { neutral: neutral.clone(), lifted: false, initial: None };
        }
        match identities(&node.functions[0], &types) {
            Some(neutral) => match initial {
                Some(initial) if all_neutral(&initial, &neutral) => {
                    Operator { neutral: initial, lifted: false, initial: None }
                }
                initial => Operator { neutral, lifted: false, initial },
            },
            None => {
                let mut neutral = vec![Operand::bool(false)];
                neutral.extend(zeros(&types));
                Operator { neutral, lifted: true, initial }
            }
        }
    }

    /// Builds the operator as a lambda, on pairs if it is lifted.
    pub(super) fn operator_lambda(&mut self, node: &Ref, operator: &Operator) -> Result<Lambda, Error> {
        let mut types: Vec<Type> = Vec::new();
        if operator.lifted {
            types.push(Type::BOOL);
        }
        types.extend(components(node).iter().map(|ty| Type::Scalar(ty.scalar())));
        let both: Vec<Type> = types.iter().chain(&types).cloned().collect();
        let params = self.fresh("x", &both);
        self.lambda(params, |lowering, given| {
            let (x, y) = given.split_at(types.len());
            if operator.lifted {
                lowering.lifted(node, x, y)
            } else {
                lowering.apply_scalar(node, 0, vec![x.to_vec(), y.to_vec()])
            }
        })
    }

    /// Emits `(p, x) . (q, y)`: if only one flag is set, its value is the result.
    fn lifted(&mut self, node: &Ref, x: &[Operand], y: &[Operand]) -> Result<Vec<Operand>, Error> {
        let both = self.b.binary("both", BinaryOp::And, x[0], y[0]);
        let then_body =
            self.body(|lowering| lowering.apply_scalar(node, 0, vec![x[1..].to_vec(), y[1..].to_vec()]))?;
        let else_body = self.body(|lowering| {
            let pairs = x[1..].iter().zip(&y[1..]);
            Ok(pairs.map(|(&x_i, &y_i)| lowering.b.select("x", x[0], x_i, y_i)).collect())
        })?;
        let mut result = vec![self.b.binary("any", BinaryOp::Or, x[0], y[0])];
        let branch = warpwise_ir::Branch::Plain;
        let chosen = Expr::If { cond: both, then_body, else_body, branch };
        result.extend(self.b.bind("x", chosen).into_iter().map(Operand::Var));
        Ok(result)
    }

    /// Combines the initial value with a reduced one.
    fn with_initial(
        &mut self,
        node: &Ref,
        operator: &Operator,
        reduced: &[Operand],
    ) -> Result<Vec<Operand>, Error> {
        let values = &reduced[usize::from(operator.lifted)..];
        let Some(initial) = operator.initial.clone() else { return Ok(values.to_vec()) };
        if !operator.lifted {
            return self.apply_scalar(node, 0, vec![initial, values.to_vec()]);
        }
        let then_body =
            self.body(|lowering| lowering.apply_scalar(node, 0, vec![initial.clone(), values.to_vec()]))?;
        let else_body = self.body(|_| Ok(initial.clone()))?;
        let chosen = Expr::If { cond: reduced[0], then_body, else_body, branch: warpwise_ir::Branch::Plain };
        Ok(self.b.bind("x", chosen).into_iter().map(Operand::Var).collect())
    }

    fn scan(&mut self, node: &Ref, exclusive: bool, fold: Fold) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let initial = self.initial(node)?;
        let operator = self.operator(node, fold, initial);
        let width = source.shape[source.shape.len() - 1];
        let elements = source.elements.clone();
        let columns = self.nest_rows(&source, &mut |lowering, index, leaves| {
            let row = Row { width, index, leaves, start: None };
            let (arrays, map) = lowering.row_map(&row, &elements, operator.lifted)?;
            let op = lowering.operator_lambda(node, &operator)?;
            let scan = Scan { op, neutral: operator.neutral.clone(), exclusive };
            let post = if operator.lifted || operator.initial.is_some() {
                let types: Vec<Type> =
                    operator.neutral.iter().map(|x| lowering.b.function.operand_type(*x)).collect();
                let params = lowering.fresh("x", &types);
                Some(
                    lowering
                        .lambda(params, |lowering, given| lowering.with_initial(node, &operator, given))?,
                )
            } else {
                None
            };
            Ok(lowering.screma(width, arrays, map, vec![scan], Vec::new(), post))
        })?;
        let array = ArrayValue { shape: source.shape.clone(), elements: Delayed::Stored(columns) };
        Ok(super::one(array))
    }

    /// Reduces every segment of every row. The segments are slices of different lengths.
    fn fold_segments(&mut self, node: &Ref) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let (starts, lengths) = (self.computed(&node.inputs[1])?, self.computed(&node.inputs[2])?);
        let initial = node.inputs.get(3).map(|initial| self.scalars(initial)).transpose()?;
        let fold = if initial.is_some() { Fold::Initial } else { Fold::First };
        let operator = self.operator(node, fold, initial);
        let extent = source.shape[source.shape.len() - 1];
        let segments = self.intersection([starts.shape.as_slice(), lengths.shape.as_slice()].into_iter());
        let mut bounds = self.columns(&node.inputs[1])?;
        bounds.extend(self.columns(&node.inputs[2])?);
        let bounds: Vec<Operand> = bounds.into_iter().map(|column| self.cut(column, &segments)).collect();
        let elements = source.elements.clone();
        let columns = self.nest_rows(&source, &mut |lowering, index, rows| {
            lowering.nested(&segments, false, &mut Vec::new(), bounds.clone(), &mut |lowering, _, given| {
                let row = Row { width: given[1], index, leaves: rows, start: None };
                lowering.segment(node, extent, given[0], row, &elements, &operator)
            })
        })?;
        let mut shape = source.shape.clone();
        let last = shape.len() - 1;
        shape[last] = segments[0];
        Ok(super::one(ArrayValue { shape, elements: Delayed::Stored(columns) }))
    }

    /// Reduces a segment of a row.
    fn segment(
        &mut self,
        node: &Ref,
        extent: Operand,
        start: Operand,
        row: Row<'_>,
        elements: &Delayed,
        operator: &Operator,
    ) -> Result<Vec<Operand>, Error> {
        let length = row.width;
        // The subtraction cannot overflow if the length is not negative.
        let last = self.b.binary("last", BinaryOp::Sub, extent, length);
        let mut holds = self.b.compare("ok", CompareOp::SLe, start, last);
        for bound in [start, length] {
            let not_negative = self.b.compare("ok", CompareOp::SLe, 0, bound);
            holds = self.b.binary("ok", BinaryOp::And, holds, not_negative);
        }
        let text = "a segment beyond the array (start, length, extent): {} {} {}";
        let cert = self.check(node, holds, text, &[start, length, extent]);
        if node.inputs.len() == 3 {
            self.check_not_empty(node, &[], length);
        }
        let length = self.b.with_certs(&[cert], |b| b.bind_one("length", Expr::Operand(length)).into());
        let mut parts = Vec::new();
        for leaf in row.leaves.iter().filter_map(|leaf| leaf.as_var()) {
            let dims = vec![SliceDim::Range { start, len: length, stride: 1.into() }];
            parts.push(Operand::Var(self.b.with_certs(&[cert], |b| b.slice("segment", leaf, dims))));
        }
        let row = Row { width: length, leaves: &parts, start: Some((start, cert)), ..row };
        let reduced = self.reduction(node, &row, elements, operator)?;
        self.with_initial(node, operator, &reduced)
    }
}

/// Returns the component types of the elements of a node's result.
pub(super) fn components(node: &Node) -> Vec<ValueType> {
    node.ty.array().map(|array| array.components.to_vec()).unwrap_or_default()
}

/// Returns the neutral element of a function that applies an operator to every component.
pub(super) fn identities(function: &Function, types: &[ValueType]) -> Option<Vec<Operand>> {
    let parts: Vec<&Ref> = match function.result.op {
        Op::Join => function.result.inputs.iter().collect(),
        _ => vec![&function.result],
    };
    if parts.len() != types.len() {
        return None;
    }
    let identity = |(at, (part, ty)): (usize, (&&Ref, &ValueType))| {
        let Op::Binary(op) = part.op else { return None };
        let (x, y) = (parameter_part(&part.inputs[0], function)?, parameter_part(&part.inputs[1], function)?);
        let fits = op.is_associative() || op.reassociates_as_declared();
        let are_both =
            (x == (0, at) && y == (1, at)) || (op.is_commutative() && x == (1, at) && y == (0, at));
        (fits && are_both).then(|| identity(op, ty.scalar())).flatten()
    };
    parts.iter().zip(types).enumerate().map(identity).collect()
}

fn identity(op: BinaryOp, ty: ScalarType) -> Option<Operand> {
    op.identity(ty).map(Operand::Const)
}

/// Returns the parameter and the component that a node selects.
fn parameter_part(node: &Ref, function: &Function) -> Option<(usize, usize)> {
    let (whole, at) = match node.op {
        Op::Part(at) => (&node.inputs[0], at),
        _ => (node, 0),
    };
    if matches!(whole.op, Op::Part(_)) {
        let (param, outer) = parameter_part(whole, function)?;
        return Some((param, outer + at));
    }
    let param = function.params.iter().position(|param| param.id == whole.id)?;
    Some((param, at))
}

/// Returns whether constants are neutral; zeros of either sign count as neutral for sums.
fn all_neutral(initial: &[Operand], neutral: &[Operand]) -> bool {
    let is_zero = |operand: &Operand| match operand.as_const() {
        Some(Scalar::F16(x)) => x.to_f32() == 0.0,
        Some(Scalar::F32(x)) => x == 0.0,
        Some(Scalar::F64(x)) => x == 0.0,
        _ => false,
    };
    initial.iter().zip(neutral).all(|(x, y)| x == y || (is_zero(x) && is_zero(y)))
}
