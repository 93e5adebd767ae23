//! Maps whose points read their neighbours and are computed differently at borders, with indices of 32 or 64 bits.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

use super::Generator;
use crate::builder::Builder;
use crate::expr::Expr;
use crate::program::Var;
use crate::types::{Operand, Type};

/// The array that is read, and the form of the index computation.
#[derive(Clone, Copy)]
struct Line {
    array: Var,
    len: Operand,
    /// Type in which indices are computed.
    ty: ScalarType,
    /// Distance of the neighbour.
    by: Operand,
    /// Widths of the borders at the beginning and at the end, in points.
    border: [i64; 2],
}

impl Generator<'_> {
    /// Adds a map over an array that may be longer than vectors.
    pub(super) fn stencil(&mut self) {
        let times = self.random.pick(&[1, 3, 17, 40]);
        let size = self.size();
        let len = self.b.binary("nm", BinaryOp::Mul, size, times);
        let array = self.b.bind_one("a", Expr::Iota { len, start: Operand::i64(5), step: Operand::i64(7) });
        let ty = self.random.pick(&[ScalarType::I32, ScalarType::I32, ScalarType::I64]);
        let near = |this: &mut Self| this.random.below(7) as i64 - 3;
        let by = match self.random.chance(1, 4) {
            true => self.scalar(ty),
            false => number(ty, near(self)),
        };
        let border = [near(self), near(self)];
        let line = Line { array, len, ty, by, border };
        let clamped = self.random.chance(1, 3);
        let body = |b: &mut Builder, params: &[Var]| {
            let value = if clamped { line.clamped(b, params[0]) } else { line.inside(b, params[0]) };
            vec![value]
        };
        let map = self.b.lambda(&[("i", Type::I64)], body);
        let iota = Expr::Iota { len, start: Operand::i64(0), step: Operand::i64(1) };
        let points = self.b.bind_one("is", iota);
        let results = self.b.map("ys", len, &[points], map);
        let ty = self.b.function.ty(results[0]).clone();
        self.scope.add_fresh(results[0], ty);
    }
}

impl Line {
    /// Converts a 64-bit number to the type in which indices are computed.
    fn narrow(self, b: &mut Builder, x: Operand) -> Operand {
        if self.ty == ScalarType::I64 { x } else { b.convert("k", ConvertOp::Truncate, x, self.ty) }
    }

    fn wide(self, b: &mut Builder, x: Operand) -> Operand {
        if self.ty == ScalarType::I64 { x } else { b.convert("j", ConvertOp::SExt, x, ScalarType::I64) }
    }

    /// Computes the neighbour if it is inside the borders, otherwise a value of the point itself.
    fn inside(self, b: &mut Builder, point: Var) -> Operand {
        let (at, end) = (self.narrow(b, point.into()), self.narrow(b, self.len));
        let neighbour = b.binary("m", BinaryOp::Add, at, self.by);
        let last = b.binary("last", BinaryOp::Sub, end, number(self.ty, self.border[1]));
        let low = b.compare("low", CompareOp::SLe, number(self.ty, self.border[0]), neighbour);
        let high = b.compare("high", CompareOp::SLt, neighbour, last);
        let inner = b.binary("inner", BinaryOp::And, low, high);
        let index = self.wide(b, neighbour);
        let exists = b.compare("exists", CompareOp::ULt, index, self.len);
        let inner = b.binary("inner", BinaryOp::And, inner, exists);
        let own = b.index("x", self.array, &[point.into()]);
        let results = b.branch(
            "y",
            inner,
            |b| vec![b.index("x", self.array, &[index]).into()],
            |b| vec![b.binary("z", BinaryOp::Xor, own, 1i64)],
        );
        results[0].into()
    }

    /// Computes the neighbour, with its index clamped to the array.
    fn clamped(self, b: &mut Builder, point: Var) -> Operand {
        let (at, end) = (self.narrow(b, point.into()), self.narrow(b, self.len));
        let last = b.binary("last", BinaryOp::Sub, end, number(self.ty, 1));
        let neighbour = b.binary("m", BinaryOp::Add, at, self.by);
        let below = b.binary("m", BinaryOp::SMin, neighbour, last);
        let within = b.binary("m", BinaryOp::SMax, below, number(self.ty, 0));
        let index = self.wide(b, within);
        b.index("x", self.array, &[index]).into()
    }
}

/// Returns a number of an index type.
fn number(ty: ScalarType, value: i64) -> Operand {
    match i32::try_from(value) {
        Ok(value) if ty == ScalarType::I32 => Scalar::I32(value).into(),
        _ => value.into(),
    }
}
