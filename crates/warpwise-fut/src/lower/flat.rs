//! Flat slices, and concatenation of arrays of different sizes. A flat slice is a rectangular view of a one-dimensional array,
//! given by an offset and a stride per dimension.
//!
//! ```text
//! flat_index_2d xs o n s m t     ys: [n][m]a = screma n (iota n) map (i) { screma m (iota m) map (j) { xs[o + i*s + j*t] } }
//! flat_update_2d xs o s t yss    scatter (n*m) (iota (n*m), flattened yss) into xs
//! flatmap f xs                   flatmap n (xs..) rows (..) (x..) { k, ys.., c.. }
//! ```
//!
//! Reading a flat slice is a map, so that it fuses with its consumer. A view would need a core expression for overlapping
//! dimensions with strides.

use warpwise_diag::Failure;
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{Expr, FlatMap, Operand, Scatter, ScatterDest, Screma, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::lower::context::{Lowering, number, text};
use crate::lower::types::{Extent, Repr};
use crate::lower::value::{Env, Use, Value};

/// One dimension of a flat slice.
#[derive(Clone, Copy)]
struct FlatDim {
    size: Operand,
    stride: Operand,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers `flat_index_Nd xs offset n1 s1 n2 s2 ...`.
    pub fn flat_index(
        &mut self,
        xs: &Value<'a>,
        offset: &Value<'a>,
        dims: &[Value<'a>],
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (len, element) = self.array(xs)?;
        let offset = self.scalar(offset)?;
        let (mut flat, mut certs) = (Vec::new(), Vec::new());
        for pair in dims.chunks_exact(2) {
            let dim = FlatDim { size: self.scalar(&pair[0])?, stride: self.scalar(&pair[1])? };
            certs.extend(self.check_size(dim.size, env));
            flat.push(dim);
        }
        certs.extend(self.check_flat(len, offset, &flat, env));
        let element = element.map_leaves(&mut |leaf| match leaf {
            Operand::Var(array) => self.gather(array, offset, &flat, &certs),
            Operand::Const(_) => leaf,
        });
        let around = |value, dim: &FlatDim| Value::Array(dim.size, Box::new(value));
        Ok(flat.iter().rev().fold(element, around))
    }

    /// Emits the elements of an array at the places of a flat slice.
    fn gather(&mut self, array: Var, at: Operand, dims: &[FlatDim], certs: &[Var]) -> Operand {
        let Some((dim, inner)) = dims.split_first() else {
            return self.code.bind_one("", Expr::Index { array, indices: vec![at] }, certs).into();
        };
        let iota = Expr::Iota { len: dim.size, start: Operand::i64(0), step: Operand::i64(1) };
        let iota = self.code.bind_one("", iota, certs);
        self.code.open();
        let i = self.code.fresh("i", Type::I64);
        let distance = self.code.mul(i.into(), dim.stride);
        let at = self.code.add(at, distance);
        let row = self.gather(array, at, inner, certs);
        let map = self.code.close_lambda(vec![i], vec![row]);
        let (scans, reduces) = (Vec::new(), Vec::new());
        let screma = Screma { width: dim.size, inputs: vec![iota], map, scans, reduces, post: None };
        self.code.bind_one("", Expr::Screma(Box::new(screma)), certs).into()
    }

    /// Lowers `flat_update_Nd dest offset s1 s2 ... xs`.
    pub fn flat_update(
        &mut self,
        dest: &Value<'a>,
        offset: &Value<'a>,
        strides: &[Value<'a>],
        xs: &Value<'a>,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (len, element) = self.array(dest)?;
        let offset = self.scalar(offset)?;
        let (mut dims, mut row) = (Vec::new(), xs);
        for stride in strides {
            let (size, inner) = self.array(row)?;
            dims.push(FlatDim { size, stride: self.scalar(stride)? });
            row = inner;
        }
        let mut certs = self.check_flat(len, offset, &dims, env);
        let mut width = Operand::i64(1);
        for dim in &dims {
            self.code.mark_size(dim.size);
            width = self.size(SizeOp::Mul, width, dim.size, env);
            certs.extend(self.code.fitting(width));
        }
        let flat = row.map_leaves(&mut |leaf| match leaf {
            Operand::Var(array) => {
                let ty = self.code.ty(leaf);
                let shape = std::iter::once(width).chain(ty.shape().iter().skip(dims.len()).copied());
                let shape = shape.collect();
                self.code.bind_one("", Expr::Reshape { array, shape }, &certs).into()
            }
            Operand::Const(_) => leaf,
        });
        let mut extents = vec![Extent::Known(width)];
        extents.extend(element.as_target());
        let flat = self.coerce(&Value::Array(width, Box::new(flat)), &extents, &[]);
        let iota = Expr::Iota { len: width, start: Operand::i64(0), step: Operand::i64(1) };
        let iota = self.code.bind_one("", iota, &[]);
        let mut results = Vec::new();
        for (array, values) in self.arrays(dest)?.into_iter().zip(self.arrays(&flat)?) {
            results.push(self.spread(array, offset, &dims, (width, iota, values), &certs).into());
        }
        Ok(dest.with_leaves(&mut results.into_iter()))
    }

    /// Emits an array with values written at the places of a flat slice, in order.
    fn spread(
        &mut self,
        array: Var,
        offset: Operand,
        dims: &[FlatDim],
        (width, iota, values): (Operand, Var, Var),
        certs: &[Var],
    ) -> Var {
        self.code.open();
        let i = self.code.fresh("i", Type::I64);
        let row = self.code.ty(values.into()).row(1);
        let value = self.code.fresh("x", row);
        let (mut rest, mut at) = (Operand::Var(i), offset);
        for (position, dim) in dims.iter().enumerate().rev() {
            // A dimension of size 0 has no elements and thus no index, so the divisor is never 0.
            let index = if position == 0 { rest } else { self.code.binary(BinaryOp::UMod, rest, dim.size) };
            if position > 0 {
                rest = self.code.binary(BinaryOp::UDiv, rest, dim.size);
            }
            let distance = self.code.mul(index, dim.stride);
            at = self.code.add(at, distance);
        }
        let lambda = self.code.close_lambda(vec![i, value], vec![at, value.into()]);
        let dests = vec![ScatterDest::at(array, 1)];
        let scatter = Scatter { width, inputs: vec![iota, values], lambda, dests };
        self.code.bind_one("", Expr::Scatter(Box::new(scatter)), certs)
    }

    /// Emits the check that the first and last element in every dimension lie in an array of length `len`. A flat slice without
    /// elements is always valid.
    fn check_flat(&mut self, len: Operand, offset: Operand, dims: &[FlatDim], env: &Env<'a>) -> Vec<Var> {
        let zero = Operand::i64(0);
        let (mut low, mut high, mut empty) = (offset, offset, Operand::bool(false));
        let mut inside = self.in_bounds(offset, len);
        for dim in dims {
            let none = self.code.compare(CompareOp::Eq, dim.size, zero);
            empty = self.code.binary(BinaryOp::Or, empty, none);
            let steps = self.code.sub(dim.size, Operand::i64(1));
            let reach = self.code.mul(steps, dim.stride);
            // No product overflows, and neither does the sum of a place in the array and a distance shorter than the array, taken
            // as unsigned.
            let overflow = self.code.binary(BinaryOp::SMulHigh, steps, dim.stride);
            let sign = self.code.binary(BinaryOp::AShr, reach, Operand::i64(63));
            let exact = self.code.compare(CompareOp::Eq, overflow, sign);
            let shorter = self.code.compare(CompareOp::SLt, reach, len);
            let back = self.code.sub(zero, len);
            let longer = self.code.compare(CompareOp::SLt, back, reach);
            let down = self.code.binary(BinaryOp::SMin, reach, zero);
            let up = self.code.binary(BinaryOp::SMax, reach, zero);
            low = self.code.add(low, down);
            high = self.code.add(high, up);
            let above = self.code.compare(CompareOp::SLe, zero, low);
            let below = self.in_bounds(high, len);
            inside = self.all(&[inside, exact, shorter, longer, above, below]);
        }
        let fine = self.code.binary(BinaryOp::Or, empty, inside);
        let mut message = vec![text("Flat slice [offset "), number(offset)];
        for dim in dims {
            message.extend([text(", "), number(dim.size), text(":"), number(dim.stride)]);
        }
        message.extend([text("] out of bounds for array of shape ["), number(len), text("]")]);
        self.check(env, fine, message)
    }

    /// Lowers `flatmap f xs`. Its results are sizes, first elements, offsets, elements, and second results of `f`.
    pub fn flatmap(
        &mut self,
        f: &Value<'a>,
        xs: &Value<'a>,
        arguments: &Use<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        self.code.open();
        let x = self.fresh_row(element);
        let params = self.arrays(&x)?;
        let pair = self.apply(f.clone(), vec![x])?;
        let [ys, second] = self.fields(&pair)? else { return Err(self.bug("no pair in a flatmap")) };
        let (size, row) = self.array(ys)?;
        let row_type = |this: &mut Self| this.type_argument_at(arguments, 1);
        let extents = self.settled_extents(row.extents(), row_type)?;
        let targets: Vec<Extent> = std::iter::once(Extent::Known(size)).chain(extents).collect();
        let ys = self.coerce(ys, &targets, &[]);
        let second = self.settle(second.clone(), |this| this.type_argument_at(arguments, 2))?;
        let (_, row) = self.array(&ys)?;
        let leaves = ys.leaves();
        let results = leaves.iter().map(|leaf| self.code.ty(*leaf).row(1)).collect();
        let values = [size].into_iter().chain(leaves).chain([size]).chain(second.leaves()).collect();
        let lambda = self.code.close_lambda(params, values);
        let flat_map = FlatMap { width, inputs, results, lambda };
        let results = self.code.bind("", Expr::FlatMap(Box::new(flat_map)), &[]);
        let mut results = results.into_iter().map(Operand::Var);
        let (Some(total), Some(offsets)) = (results.next(), results.next()) else {
            return Err(self.bug("a flatmap without offsets"));
        };
        let elements = row.with_leaves(&mut results);
        let Some(sizes) = results.next() else { return Err(self.bug("a flatmap without sizes")) };
        let second = second.with_leaves(&mut results);
        let firsts = self.firsts(width, total, sizes, offsets)?;
        let rows = |size: Operand, value: Value<'a>| Value::Array(size, Box::new(value));
        Ok(Value::Record(vec![
            rows(width, Value::Leaf(sizes)),
            rows(total, Value::leaf(firsts)),
            rows(width, Value::Leaf(offsets)),
            rows(total, elements),
            rows(width, second),
        ]))
    }

    /// Emits, for each element of the result, whether it is the first of its segment.
    fn firsts(
        &mut self,
        width: Operand,
        total: Operand,
        sizes: Operand,
        offsets: Operand,
    ) -> Result<Var, Failure> {
        let shape = [total].into_iter().collect();
        let none = self.code.bind_one("", Expr::Replicate { shape, value: Operand::bool(false) }, &[]);
        let inputs = self.arrays(&Value::Record(vec![Value::Leaf(sizes), Value::Leaf(offsets)]))?;
        self.code.open();
        let params = vec![self.code.fresh("size", Type::I64), self.code.fresh("offset", Type::I64)];
        let some = self.code.compare(CompareOp::Ne, params[0].into(), Operand::i64(0));
        let at = self.code.select(some, params[1].into(), Operand::i64(-1));
        let lambda = self.code.close_lambda(params, vec![at, Operand::bool(true)]);
        let dests = vec![ScatterDest::at(none, 1)];
        Ok(self.code.bind_one("", Expr::Scatter(Box::new(Scatter { width, inputs, lambda, dests })), &[]))
    }

    /// Returns the sizes of a value made in the innermost body, as known outside of the body.
    pub fn settled_extents(
        &mut self,
        sizes: Vec<Operand>,
        repr: impl FnOnce(&mut Self) -> Result<Repr, Failure>,
    ) -> Result<Vec<Extent>, Failure> {
        let body = self.code.suspend();
        let settled = sizes.iter().all(|size| self.code.in_scope(*size));
        let repr = if settled { None } else { Some(repr(self)?) };
        self.code.resume(body);
        let Some(repr) = repr else { return Ok(sizes.into_iter().map(Extent::Known).collect()) };
        let extents = repr.extents();
        if extents.iter().any(|extent| !matches!(extent, Extent::Known(_))) {
            return Err(self.unknown_size(self.code.span));
        }
        Ok(extents)
    }
}
