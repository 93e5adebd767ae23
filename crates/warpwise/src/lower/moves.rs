//! Operations that move elements: permutations, scatters, filters, concatenations.

use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{Expr, Hist, HistOp, Lambda, Operand, Partition, Scatter, ScatterDest, Shape, Var};
use warpwise_prim::BinaryOp;

use super::delayed::{At, Delayed};
use super::folds::Operator;
use super::{ArrayValue, Lowering, Value, internal, one};
use crate::error::Error;
use crate::graph::{Fold, Op, Ref};

/// The elements to move, as a vector, with the index of each in the source.
struct Moved {
    width: Operand,
    arrays: Vec<Var>,
    map: Lambda,
}

impl Lowering<'_> {
    pub(super) fn movement(&mut self, node: &Ref) -> Result<Value, Error> {
        match &node.op {
            Op::Permute => self.permute(node),
            Op::Scatter => self.scatter(node),
            Op::Filter => self.filter(node),
            Op::Concat => self.concat(node),
            _ => Err(internal(node, "nothing that moves elements")),
        }
    }

    fn permute(&mut self, node: &Ref) -> Result<Value, Error> {
        let operator = self.operator(node, Fold::First, None);
        let (shape, mut dests, single) = self.destinations(node)?;
        if operator.lifted {
            let flags = Expr::Replicate { shape: Shape::from_slice(&shape), value: Operand::bool(true) };
            dests.insert(0, self.b.bind_one("set", flags));
        }
        let rank = shape.len();
        let moved = self.moved(node, 1, single, |place, values| {
            let flag = operator.lifted.then_some(Operand::bool(true));
            place.iter().copied().chain(flag).chain(values.iter().copied()).collect()
        })?;
        let op = self.operator_lambda(node, &operator)?;
        let Operator { neutral, lifted, .. } = operator;
        let ops = vec![HistOp { dests, rank, op, neutral }];
        let hist = Hist { width: moved.width, inputs: moved.arrays, lambda: moved.map, ops };
        let results = self.b.bind("xs", Expr::Hist(Box::new(hist)));
        self.moved_to(node, &results[usize::from(lifted)..], shape, single)
    }

    fn scatter(&mut self, node: &Ref) -> Result<Value, Error> {
        let (shape, dests, single) = self.destinations(node)?;
        let rank = shape.len();
        let moved = self.moved(node, 0, single, |place, values| {
            values.iter().flat_map(|value| place.iter().copied().chain([*value])).collect()
        })?;
        let dests = dests.into_iter().map(|array| ScatterDest::at(array, rank)).collect();
        let scatter = Scatter { width: moved.width, inputs: moved.arrays, lambda: moved.map, dests };
        let results = self.b.bind("xs", Expr::Scatter(Box::new(scatter)));
        self.moved_to(node, &results, shape, single)
    }

    /// Makes writable copies of the defaults. Also returns whether they stand for a single element.
    fn destinations(&mut self, node: &Ref) -> Result<(Vec<Operand>, Vec<Var>, bool), Error> {
        let defaults = self.computed(&node.inputs[0])?;
        let columns = self.columns(&node.inputs[0])?;
        let single = defaults.shape.is_empty();
        let shape = if single { vec![Operand::i64(1)] } else { defaults.shape };
        let mut dests = Vec::with_capacity(columns.len());
        for column in columns {
            let dest = match self.cut(column, &shape).as_var() {
                Some(array) if !single => self.b.bind_one("dest", Expr::Copy(array)),
                Some(_) | None => self.b.bind_one("dest", Expr::ArrayLit(vec![column])),
            };
            dests.push(dest);
        }
        Ok((shape, dests, single))
    }

    fn moved_to(
        &mut self,
        node: &Ref,
        results: &[Var],
        shape: Vec<Operand>,
        single: bool,
    ) -> Result<Value, Error> {
        if results.is_empty() {
            return Err(internal(node, "elements without components"));
        }
        let columns = results.iter().map(|result| match single {
            true => self.b.index("x", *result, &[0.into()]).into(),
            false => Operand::Var(*result),
        });
        let columns = columns.collect();
        let shape = if single { Vec::new() } else { shape };
        Ok(one(ArrayValue { shape, elements: Delayed::Stored(columns) }))
    }

    /// Makes a vector of the source's elements, mapped by `give` from the destination and the components of each.
    fn moved(
        &mut self,
        node: &Ref,
        place_function: usize,
        single: bool,
        give: impl FnOnce(&[Operand], &[Operand]) -> Vec<Operand>,
    ) -> Result<Moved, Error> {
        let source = self.array(&node.inputs[1])?;
        let extents = source.shape.clone();
        let source = if extents.len() == 1 { source } else { self.flat(&node.inputs[1])? };
        let width = source.shape[0];
        let mut leaves = Vec::new();
        source.elements.leaves(&mut leaves);
        let leaves: Vec<Operand> = leaves.iter().map(|leaf| self.cut(*leaf, &source.shape)).collect();
        let (arrays, params, _) = self.inputs(width, &leaves, true);
        let map = self.lambda(params, |lowering, given| {
            let flat = given[given.len() - 1];
            let index = lowering.unflattened(flat, &extents);
            let mut place = lowering.apply_scalar(node, place_function, vec![index])?;
            let takes_part = place.remove(0);
            if single {
                place = vec![Operand::i64(0)];
            }
            let nowhere = Operand::i64(-1);
            place[0] = lowering.b.select("place", takes_part, place[0], nowhere);
            let mut leaves = given[..leaves.len()].iter().copied();
            let at = &mut At { index: &[flat], leaves: Some(&mut leaves), certs: &[] };
            let values = lowering.element(&source.elements, at)?;
            Ok(give(&place, &values))
        })?;
        Ok(Moved { width, arrays, map })
    }

    /// Stores an array as a vector.
    fn flat(&mut self, node: &Ref) -> Result<ArrayValue, Error> {
        let source = self.computed(node)?;
        let (size, certs) = self.elements(node, &source.shape);
        let mut columns = Vec::new();
        for column in self.columns(node)? {
            let array = self.cut(column, &source.shape);
            columns.push(self.reshaped(array, &[size], &certs));
        }
        Ok(ArrayValue { shape: vec![size], elements: Delayed::Stored(columns) })
    }

    /// Returns the index that corresponds to a row-major position in a non-empty array of these extents.
    fn unflattened(&mut self, flat: Operand, extents: &[Operand]) -> Vec<Operand> {
        let mut index = Vec::with_capacity(extents.len());
        let mut rest = flat;
        for (at, &extent) in extents.iter().enumerate().rev() {
            if at == 0 {
                index.push(rest);
            } else {
                index.push(self.b.binary("i", BinaryOp::SRem, rest, extent));
                rest = self.b.binary("rest", BinaryOp::SQuot, rest, extent);
            }
        }
        index.reverse();
        index
    }

    fn filter(&mut self, node: &Ref) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let width = source.shape[0];
        let mut leaves = Vec::new();
        source.elements.leaves(&mut leaves);
        let leaves: Vec<Operand> = leaves.iter().map(|leaf| self.cut(*leaf, &source.shape)).collect();
        let (inputs, params, at) = self.inputs(width, &leaves, source.elements.needs_index());
        let lambda = self.lambda(params, |lowering, given| {
            let index: Vec<Operand> = at.map(|_| given[given.len() - 1]).into_iter().collect();
            let mut leaves = given[..leaves.len()].iter().copied();
            let at = &mut At { index: &index, leaves: Some(&mut leaves), certs: &[] };
            let values = lowering.element(&source.elements, at)?;
            let mut result = lowering.apply_scalar(node, 0, vec![values.clone()])?;
            result.extend(values);
            Ok(result)
        })?;
        let partition = Partition { width, inputs, classes: 1, lambda };
        let results = self.b.bind("kept", Expr::Partition(Box::new(partition)));
        let columns = results[1..].iter().map(|column| Operand::Var(*column)).collect();
        Ok(one(ArrayValue { shape: vec![results[0].into()], elements: Delayed::Stored(columns) }))
    }

    fn concat(&mut self, node: &Ref) -> Result<Value, Error> {
        let (left, right) = (self.computed(&node.inputs[0])?, self.computed(&node.inputs[1])?);
        let rank = left.shape.len();
        let (outer_left, outer_right) = (&left.shape[..rank - 1], &right.shape[..rank - 1]);
        self.check_equal(node, outer_left, outer_right);
        let outer = self.intersection([outer_left, outer_right].into_iter());
        let (n, m) = (left.shape[rank - 1], right.shape[rank - 1]);
        let (len, certs) = self.size(node, SizeOp::Add, n, m);
        let (lefts, rights) = (self.columns(&node.inputs[0])?, self.columns(&node.inputs[1])?);
        let mut columns = Vec::new();
        for (&x, &y) in lefts.iter().zip(&rights) {
            let whole = |inner: Operand| outer.iter().copied().chain([inner]).collect::<Vec<Operand>>();
            let pair = vec![self.cut(x, &whole(n)), self.cut(y, &whole(m))];
            columns.extend(self.nested(&outer, false, &mut Vec::new(), pair, &mut |lowering, _, rows| {
                let arrays = rows.iter().filter_map(|row| row.as_var()).collect();
                let joined = Expr::Concat { arrays, len };
                Ok(vec![lowering.b.with_certs(&certs, |b| b.bind_one("joined", joined)).into()])
            })?);
        }
        let shape = outer.into_iter().chain([len]).collect();
        Ok(one(ArrayValue { shape, elements: Delayed::Stored(columns) }))
    }
}
