//! Indexing, slicing, in-place updates and ranges, with their checks.
//!
//! ```text
//! a[i, 1:n]              ok: bool = ...; c: cert = assert ok "Index [{i}, 1:{n}] out of bounds ...";
//!                        x: [k]i32 = slice a[i, 1:k:1] certs c
//! ```
//!
//! A slice `i:j:s` is empty if `i` equals `j`; otherwise it takes the elements `i`, `i + s`, ... before `j`. The end `j` may be
//! -1 if `s` is negative. A slice is in bounds if it is empty, or if it goes from `i` towards `j` and its first and last elements
//! exist.

use warpwise_diag::Failure;
use warpwise_ir::{Expr as CoreExpr, MessagePart, Operand, SliceDim, Var};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, UnaryOp, ValueType};

use crate::lower::context::{Lowering, number, shape_parts, text};
use crate::lower::types::{scalar_type, value_type};
use crate::lower::value::{Env, Value};
use crate::syntax::ast::{PrimType, RangeBound};
use crate::typed::tree::{DimIndex, DimIndexKind, Expr};
use crate::typed::ty::Type;

/// An evaluated index or slice of one dimension.
pub enum Dim {
    /// A single index.
    Fix(Operand),
    /// A slice.
    Slice {
        /// First index.
        start: Option<Operand>,
        /// One past the last index.
        end: Option<Operand>,
        /// The stride.
        stride: Option<Operand>,
    },
}

/// A part of an array.
struct Place {
    /// Slices of the leading dimensions.
    dims: Vec<SliceDim>,
    /// Certificates that the part is in bounds.
    certs: Vec<Var>,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers `a[...]`.
    pub fn index(
        &mut self,
        array: &Value<'a>,
        slice: &'a [DimIndex],
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        if slice.is_empty() {
            return Ok(array.clone());
        }
        let dims = self.dims(slice, env)?;
        let place = self.place(array, &dims, env)?;
        let selected = self.selected(array, &place.dims)?;
        let fixed: Option<Vec<Operand>> = place.dims.iter().map(fixed_index).collect();
        Ok(selected.map_leaves(&mut |leaf| {
            let Operand::Var(array) = leaf else { return leaf };
            let expr = match &fixed {
                Some(indices) => CoreExpr::Index { array, indices: indices.clone() },
                None => CoreExpr::Slice { array, dims: self.whole(leaf, &place.dims) },
            };
            self.code.bind_one("", expr, &place.certs).into()
        }))
    }

    /// Lowers `a with [...] = v`.
    pub fn update(
        &mut self,
        array: &Value<'a>,
        dims: &[Dim],
        value: &Value<'a>,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let mut place = self.place(array, dims, env)?;
        let target = self.selected(array, &place.dims)?;
        let mut fits = Operand::bool(true);
        for (size, expected) in value.extents().into_iter().zip(target.extents()) {
            let same = self.code.compare(CompareOp::Eq, size, expected);
            fits = self.code.and(fits, same);
        }
        let mut message = vec![text("Value of shape ")];
        message.extend(shape_parts(&value.sizes()));
        message.push(text(" does not match the slice of shape "));
        message.extend(shape_parts(&target.sizes()));
        let certs = self.check(env, fits, message);
        let value = self.coerce(value, &target.as_target(), &certs);
        place.certs.extend(certs);
        let mut values = value.leaves().into_iter();
        Ok(array.map_leaves(&mut |leaf| match (leaf, values.next()) {
            (Operand::Var(array), Some(value)) => {
                let expr = CoreExpr::Update { array, dims: self.whole(leaf, &place.dims), value };
                self.code.bind_one("", expr, &place.certs).into()
            }
            (Operand::Var(_) | Operand::Const(_), _) => leaf,
        }))
    }

    /// Returns one entry per dimension of a leaf. Dimensions that are not mentioned stay whole.
    fn whole(&self, leaf: Operand, dims: &[SliceDim]) -> Vec<SliceDim> {
        let ty = self.code.ty(leaf);
        let rest = ty.shape().iter().skip(dims.len());
        let rest = rest.map(|len| SliceDim::whole(*len));
        dims.iter().copied().chain(rest).collect()
    }

    /// Returns the array without its fixed dimensions and with the sizes of slices. Its leaves are those of the whole array.
    fn selected(&self, array: &Value<'a>, dims: &[SliceDim]) -> Result<Value<'a>, Failure> {
        let Some((dim, rest)) = dims.split_first() else { return Ok(array.clone()) };
        let (_, element) = self.array(array)?;
        let element = self.selected(element, rest)?;
        Ok(match dim {
            SliceDim::Fix(_) => element,
            SliceDim::Range { len, .. } => Value::Array(*len, Box::new(element)),
        })
    }

    fn place(&mut self, array: &Value<'a>, said: &[Dim], env: &Env<'a>) -> Result<Place, Failure> {
        let sizes = array.sizes();
        let (mut dims, mut conditions, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (dim, size) in said.iter().zip(&sizes) {
            if !dims.is_empty() {
                parts.push(text(", "));
            }
            let (taken, in_bounds) = self.dim(dim, *size, &mut parts);
            dims.push(taken);
            conditions.push(in_bounds);
        }
        if dims.len() < said.len() {
            return Err(self.bug("more indices than dimensions"));
        }
        let in_bounds = self.all(&conditions);
        let mut message = vec![text("Index [")];
        message.extend(parts);
        message.push(text("] out of bounds for array of shape "));
        message.extend(shape_parts(&sizes));
        let certs = self.check(env, in_bounds, message);
        for dim in &dims {
            if let (SliceDim::Range { len, .. }, [cert]) = (dim, &certs[..]) {
                self.code.mark_size(*len);
                self.code.set_fitting(*len, *cert);
            }
        }
        Ok(Place { dims, certs })
    }

    /// Evaluates the index or slice of each dimension.
    pub fn dims(&mut self, slice: &'a [DimIndex], env: &Env<'a>) -> Result<Vec<Dim>, Failure> {
        let mut dims = Vec::with_capacity(slice.len());
        for dim in slice {
            dims.push(match &dim.kind {
                DimIndexKind::Fix(index) => {
                    let value = self.expr(index, env)?;
                    let value = self.scalar(&value)?;
                    Dim::Fix(self.index_operand(value, &index.ty))
                }
                DimIndexKind::Slice { start, end, stride } => {
                    let stride = self.optional_i64(stride.as_ref(), env)?;
                    let end = self.optional_i64(end.as_ref(), env)?;
                    let start = self.optional_i64(start.as_ref(), env)?;
                    Dim::Slice { start, end, stride }
                }
            });
        }
        Ok(dims)
    }

    /// Returns the slice of one dimension, and whether it is in bounds. Appends its text to `parts`.
    fn dim(&mut self, dim: &Dim, size: Operand, parts: &mut Vec<MessagePart>) -> (SliceDim, Operand) {
        match dim {
            Dim::Fix(index) => {
                parts.push(number(*index));
                (SliceDim::Fix(*index), self.in_bounds(*index, size))
            }
            Dim::Slice { start, end, stride } => {
                parts.extend(start.map(number));
                parts.push(text(":"));
                parts.extend(end.map(number));
                if let Some(stride) = stride {
                    parts.extend([text(":"), number(*stride)]);
                }
                self.slice_dim(size, *start, *end, stride.unwrap_or(Operand::i64(1)))
            }
        }
    }

    fn optional_i64(&mut self, expr: Option<&'a Expr>, env: &Env<'a>) -> Result<Option<Operand>, Failure> {
        let Some(expr) = expr else { return Ok(None) };
        let value = self.expr(expr, env)?;
        let value = self.scalar(&value)?;
        Ok(Some(self.index_operand(value, &expr.ty)))
    }

    fn slice_dim(
        &mut self,
        size: Operand,
        start: Option<Operand>,
        end: Option<Operand>,
        stride: Operand,
    ) -> (SliceDim, Operand) {
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let backwards = self.code.compare(CompareOp::SLt, stride, zero);
        let last = self.code.sub(size, one);
        let all = start.is_none() && end.is_none();
        let start = match start {
            Some(start) => start,
            None => self.code.select(backwards, last, zero),
        };
        let end = match end {
            Some(end) => end,
            None => self.code.select(backwards, Operand::i64(-1), size),
        };
        let nonzero = self.code.compare(CompareOp::Ne, stride, zero);
        let len = self.slice_len(start, end, stride, nonzero);
        let dim = SliceDim::Range { start, len, stride };
        if all {
            return (dim, nonzero);
        }
        let empty = self.code.compare(CompareOp::Eq, start, end);
        let (low, high) = (self.code.select(backwards, end, start), self.code.select(backwards, start, end));
        // Bounds: forwards 0 <= start <= end <= size, backwards -1 <= end <= start < size.
        let least = self.code.select(backwards, Operand::i64(-1), zero);
        let most = self.code.select(backwards, last, size);
        let above = self.code.compare(CompareOp::SLe, least, low);
        let ordered = self.code.compare(CompareOp::SLe, low, high);
        let below = match stride {
            Operand::Const(Scalar::I64(1 | -1)) => self.code.compare(CompareOp::SLe, high, most),
            Operand::Const(_) | Operand::Var(_) => {
                // With a stride of more than one, the end may lie beyond the array, but not the last element.
                let steps = self.code.sub(len, one);
                let distance = self.code.mul(steps, stride);
                let reached = self.code.add(start, distance);
                let reached = self.in_bounds(reached, size);
                let started = self.in_bounds(start, size);
                self.code.and(reached, started)
            }
        };
        let inside = self.all(&[above, ordered, below]);
        let fine = self.code.binary(BinaryOp::Or, empty, inside);
        (dim, self.code.and(nonzero, fine))
    }

    /// Returns the number of elements between start and end: the distance divided by the stride, rounded away from 0. It is
    /// computed as one more than the number of strides before the last place; adding a stride to the distance could overflow
    /// `i64`.
    fn slice_len(&mut self, start: Operand, end: Operand, stride: Operand, nonzero: Operand) -> Operand {
        let distance = self.code.sub(end, start);
        match stride {
            Operand::Const(Scalar::I64(1)) => distance,
            Operand::Const(Scalar::I64(-1)) => self.code.sub(start, end),
            Operand::Const(_) | Operand::Var(_) => {
                let sign = self.code.unary(UnaryOp::Signum, stride);
                let distance = self.code.sub(distance, sign);
                let divisor = self.code.select(nonzero, stride, Operand::i64(1));
                let steps = self.code.binary(BinaryOp::SDiv, distance, divisor);
                self.code.add(steps, Operand::i64(1))
            }
        }
    }

    /// Lowers `start..second..<end`.
    pub fn range(
        &mut self,
        start: &'a Expr,
        second: Option<&'a Expr>,
        bound: RangeBound,
        end: &'a Expr,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let Type::Prim(prim) = start.ty else { return Err(self.bug("a range of what is no number")) };
        let end = self.expr(end, env)?;
        let end = self.scalar(&end)?;
        let second = match second {
            Some(second) => {
                let second = self.expr(second, env)?;
                Some(self.scalar(&second)?)
            }
            None => None,
        };
        let first = self.expr(start, env)?;
        let first = self.scalar(&first)?;
        let range = Range { prim, first, second, bound, end };
        let (len, step, certs) = self.range_len(&range, env);
        self.code.mark_size(len);
        let array = self.code.bind_one("", CoreExpr::Iota { len, start: first, step }, &certs);
        Ok(Value::Array(len, Box::new(Value::leaf(array))))
    }

    /// Returns the length and the step of a range, and certificates that it is valid.
    fn range_len(&mut self, range: &Range, env: &Env<'a>) -> (Operand, Operand, Vec<Var>) {
        let Range { prim, first, second, bound, end } = *range;
        let ty = scalar_type(prim);
        let unsigned = value_type(prim).is_unsigned();
        let (less, less_equal) =
            if unsigned { (CompareOp::ULt, CompareOp::ULe) } else { (CompareOp::SLt, CompareOp::SLe) };
        let int = |value: i64| Operand::Const(Scalar::int(ty, value));
        let default = if bound == RangeBound::Above { int(-1) } else { int(1) };
        let (step, downwards) = match second {
            Some(second) => {
                let step = self.code.sub(second, first);
                (step, self.code.compare(less, second, first))
            }
            None => (default, Operand::bool(bound == RangeBound::Above)),
        };
        let moves = match second {
            Some(second) => self.code.compare(CompareOp::Ne, first, second),
            None => Operand::bool(true),
        };
        let right_way = match bound {
            RangeBound::Inclusive => Operand::bool(true),
            RangeBound::Below => self.code.unary(UnaryOp::Not, downwards),
            RangeBound::Above => downwards,
        };
        let (low, high) = (self.code.select(downwards, end, first), self.code.select(downwards, first, end));
        let known_size = first == Operand::i64(0) && bound == RangeBound::Below && self.code.is_size(end);
        let reachable = if known_size && second.is_none_or(|second| second == Operand::i64(1)) {
            Operand::bool(true)
        } else {
            self.code.compare(less_equal, low, high)
        };
        // Count without sign: a range of a narrow type may be longer than the greatest number of the type.
        let distance = self.code.sub(high, low);
        let distance = self.code.convert(ConvertOp::ZExt, distance, ScalarType::I64);
        // A range of 64 bits may have more elements than an `i64` can count, depending on its least number.
        let count = Count {
            distance,
            inclusive: bound == RangeBound::Inclusive,
            is_short: ty != ScalarType::I64,
            least: low.as_const().and_then(Scalar::as_int).filter(|_| !unsigned),
        };
        // The step of a range over most of the type wraps: -1 may be a stride of 2^64 - 1.
        let is_one = match step.as_const().and_then(Scalar::as_int) {
            Some(1) => downwards == Operand::bool(false),
            Some(-1) => downwards == Operand::bool(true),
            _ => false,
        };
        let stride = if is_one {
            Operand::i64(1)
        } else {
            let (plus, minus) = (step, self.code.sub(int(0), step));
            let stride = self.code.select(downwards, minus, plus);
            let stride = self.code.convert(ConvertOp::ZExt, stride, ScalarType::I64);
            self.code.select(moves, stride, Operand::i64(1))
        };
        let (len, fits) = self.count(&count, stride);
        let valid = self.all(&[moves, right_way, reachable, fits]);
        let certs = self.check(env, valid, range_message(range));
        if let [cert] = certs[..] {
            self.code.set_fitting(len, cert);
        }
        (len, step, certs)
    }

    /// Returns the number of elements of a range with this stride, and whether the number fits an `i64`.
    fn count(&mut self, count: &Count, stride: Operand) -> (Operand, Operand) {
        let Count { distance, inclusive, .. } = *count;
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let (whole, last) = if inclusive {
            (distance, one)
        } else if stride == one {
            (distance, zero)
        } else if count.is_short {
            // The sum of two narrow numbers fits 64 bits.
            let up = self.code.sub(stride, one);
            (self.code.add(distance, up), zero)
        } else {
            let last = self.code.binary(BinaryOp::UMin, distance, one);
            (self.code.sub(distance, last), last)
        };
        let whole = if stride == one { whole } else { self.code.binary(BinaryOp::UDiv, whole, stride) };
        let len = self.code.add(whole, last);
        let fits = if count.fits() {
            Operand::bool(true)
        } else if inclusive {
            self.code.compare(CompareOp::ULt, whole, Operand::i64(i64::MAX))
        } else {
            self.code.compare(CompareOp::SLe, zero, len)
        };
        (len, fits)
    }
}

/// The data by which the elements of a range are counted.
struct Count {
    /// Unsigned distance between its ends.
    distance: Operand,
    /// Whether the range includes its end.
    inclusive: bool,
    /// Whether its numbers have fewer than 64 bits.
    is_short: bool,
    /// Value of its lower end, if that is a constant and its type is signed.
    least: Option<i64>,
}

impl Count {
    /// Whether the number of elements is certain to fit an `i64`.
    fn fits(&self) -> bool {
        self.is_short || self.least.is_some_and(|least| least >= i64::from(self.inclusive))
    }
}

fn range_message(range: &Range) -> Vec<MessagePart> {
    let ty = value_type(range.prim);
    let value = |operand: Operand| match ty {
        ValueType::I64 => number(operand),
        other => MessagePart::Value(operand, other),
    };
    let mut parts = vec![text("Range "), value(range.first)];
    if let Some(second) = range.second {
        parts.extend([text(".."), value(second)]);
    }
    parts.push(text(match range.bound {
        RangeBound::Inclusive => "...",
        RangeBound::Below => "..<",
        RangeBound::Above => "..>",
    }));
    parts.extend([value(range.end), text(" is invalid")]);
    parts
}

/// The evaluated operands of a range.
#[derive(Clone, Copy)]
struct Range {
    prim: PrimType,
    first: Operand,
    second: Option<Operand>,
    bound: RangeBound,
    end: Operand,
}

fn fixed_index(dim: &SliceDim) -> Option<Operand> {
    match dim {
        SliceDim::Fix(index) => Some(*index),
        SliceDim::Range { .. } => None,
    }
}
