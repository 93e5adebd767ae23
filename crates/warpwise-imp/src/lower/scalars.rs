//! Scalar expressions: scalar code for uniform and linear values, vector code for varying ones.
//!
//! Operators on linear values are applied to the first lane's value; the transfer functions of `variance` decide when that is
//! correct. Divisors are made safe in lanes that do not run.

use warpwise_ir::{Expr, Operand as CoreOperand, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, TernaryOp, UnaryOp};

use crate::lower::emitter::{Emitter, Mask, Value};
use crate::lower::variance::{self, Variance};
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

impl Emitter<'_> {
    /// Lowers a scalar operator; returns `None` for any other expression.
    pub fn scalar_expr(&mut self, expr: &Expr) -> Option<Value> {
        Some(match expr {
            Expr::Operand(x) => self.value(*x),
            Expr::Unary(op, x) => {
                let x = self.value(*x);
                self.unary(*op, x)
            }
            Expr::Binary(op, x, y) => {
                let (x, y) = (self.value(*x), self.value(*y));
                self.binary(*op, x, y)
            }
            Expr::Ternary(op, x, y, z) => {
                let (x, y, z) = (self.value(*x), self.value(*y), self.value(*z));
                self.ternary(*op, x, y, z)
            }
            Expr::Compare(op, x, y) => {
                let (x, y) = (self.value(*x), self.value(*y));
                self.compare(*op, x, y)
            }
            Expr::Convert(op, x, ty) => {
                let x = self.value(*x);
                self.convert(*op, x, *ty)
            }
            Expr::Select(c, x, y) => {
                let (c, x, y) = (self.value(*c), self.value(*x), self.value(*y));
                self.select(c, x, y)
            }
            exprs!(Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => return None,
        })
    }

    /// Emits `op x`.
    pub fn unary(&mut self, op: UnaryOp, x: Value) -> Value {
        let ty = self.scalar_type(x);
        self.lanewise(ty, variance::unary(op, x.variance()), [x], |dst, [x]| Op::Unary { dst, op, x })
    }

    /// Emits `op x y`.
    pub fn binary(&mut self, op: BinaryOp, x: Value, y: Value) -> Value {
        let ty = self.scalar_type(x);
        let kind = variance::binary(op, x.known(), y.known());
        if let (Some(x), Some(y)) = (x.base(), y.base())
            && kind != Variance::Varying
        {
            let base = self.code.binary(op, x, y);
            return as_kind(kind, base);
        }
        let y = if op.can_fail() { self.safe(y) } else { y };
        self.lanewise(ty, Variance::Varying, [x, y], |dst, [x, y]| Op::Binary { dst, op, x, y })
    }

    /// Emits `op x y z`.
    pub fn ternary(&mut self, op: TernaryOp, x: Value, y: Value, z: Value) -> Value {
        let ty = self.scalar_type(x);
        let kind = variance::other([x, y, z].map(Value::variance));
        self.lanewise(ty, kind, [x, y, z], |dst, [x, y, z]| Op::Ternary { dst, op, x, y, z })
    }

    /// Emits `op x y`, a `bool`.
    pub fn compare(&mut self, op: CompareOp, x: Value, y: Value) -> Value {
        let kind = variance::other([x, y].map(Value::variance));
        self.lanewise(ScalarType::Bool, kind, [x, y], |dst, [x, y]| Op::Compare { dst, op, x, y })
    }

    /// Emits `op x`, with result type `ty`.
    pub fn convert(&mut self, op: ConvertOp, x: Value, ty: ScalarType) -> Value {
        let from = self.scalar_type(x);
        let kind = variance::convert(op, x.variance(), ty);
        self.lanewise(ty, kind, [x], |dst, [x]| Op::Convert { dst, op, from, x })
    }

    /// Emits `c ? x : y`.
    pub fn select(&mut self, c: Value, x: Value, y: Value) -> Value {
        let ty = self.scalar_type(x);
        let kind = variance::select(c.variance(), x.variance(), y.variance());
        if kind != Variance::Varying
            && let (Some(c), Some(x), Some(y)) = (c.base(), x.base(), y.base())
        {
            return as_kind(kind, self.code.select(c, x, y));
        }
        let cond = match c {
            Value::Uniform(c) => c,
            Value::Linear { .. } | Value::Varying(_) => self.vector(c),
        };
        let (x, y) = (self.vector(x), self.vector(y));
        let dst = self.code.reg("select", ImpType::vector(ty, self.width()));
        self.code.emit(Op::Select { dst, cond, x, y });
        Value::Varying(dst)
    }

    /// Emits an operator of result type `ty`: on the first lane's values if the result is not varying, else on vectors.
    fn lanewise<const N: usize>(
        &mut self,
        ty: ScalarType,
        kind: Variance,
        args: [Value; N],
        op: impl FnOnce(Reg, [Operand; N]) -> Op,
    ) -> Value {
        if kind == Variance::Varying {
            let args = args.map(|x| self.vector(x));
            let dst = self.code.reg("v", ImpType::vector(ty, self.width()));
            self.code.emit(op(dst, args));
            return Value::Varying(dst);
        }
        let args = args.map(|x| x.base().expect("a value that does not vary has a base"));
        let dst = self.code.reg("s", ImpType::scalar(ty));
        self.code.emit(op(dst, args));
        as_kind(kind, dst.into())
    }

    /// Returns a divisor or exponent that is 1 in lanes that do not run.
    fn safe(&mut self, y: Value) -> Value {
        let (Some(mask), Value::Linear { .. } | Value::Varying(_)) = (self.mask_operand(), y) else {
            return y;
        };
        let one = Operand::Const(Scalar::int(self.scalar_type(y), 1));
        let y = self.vector(y);
        let dst = self.code.reg("safe", ImpType::vector(self.code.ty(y).scalar, self.width()));
        self.code.emit(Op::Select { dst, cond: mask, x: y, y: one });
        Value::Varying(dst)
    }

    /// Returns a value as a vector operand (outside lanes: unchanged). Constants stay, since they fill all lanes.
    pub fn vector(&mut self, value: Value) -> Operand {
        let width = self.width();
        match value {
            Value::Uniform(Operand::Const(value)) => Operand::Const(value),
            Value::Uniform(x) if width == 1 => x,
            Value::Uniform(x) => {
                let dst = self.code.reg("all", ImpType::vector(self.code.ty(x).scalar, width));
                self.code.emit(Op::Move { dst, x });
                dst.into()
            }
            Value::Linear { base, .. } if width == 1 => base,
            Value::Linear { base, stride } => self.linear_vector(base, stride, width),
            Value::Varying(reg) => reg.into(),
        }
    }

    /// Emits `base + lane * stride` as a vector.
    fn linear_vector(&mut self, base: Operand, stride: i64, width: u16) -> Operand {
        let scalar = self.code.ty(base).scalar;
        let ty = ImpType::vector(scalar, width);
        let ids = self.code.reg("lane", ty);
        self.code.emit(Op::LaneIds { dst: ids });
        let steps = self.code.mul(ids, Operand::Const(Scalar::int(scalar, stride)));
        let base = self.vector(Value::Uniform(base));
        self.code.add(base, steps)
    }

    /// Returns a value in a vector register.
    pub fn vector_reg(&mut self, value: Value) -> Reg {
        let ty = ImpType::vector(self.scalar_type(value), self.width());
        match self.vector(value) {
            Operand::Reg(reg) => reg,
            x @ Operand::Const(_) => {
                let dst = self.code.reg("all", ty);
                self.code.emit(Op::Move { dst, x });
                dst
            }
        }
    }

    /// Emits whether the condition holds in all lanes that run, as a scalar. Comparisons of linear values with uniform ones only
    /// test the first and the last lane: such a comparison changes at most once between them.
    pub fn holds_everywhere(&mut self, cond: CoreOperand) -> Operand {
        let value = self.value(cond);
        if let Value::Uniform(x) = value {
            return x;
        }
        match cond.as_var().and_then(|var| self.cx.definitions.get(&var)).copied() {
            Some(Expr::Binary(BinaryOp::And, x, y)) => {
                let (x, y) = (self.holds_everywhere(*x), self.holds_everywhere(*y));
                self.code.binary(BinaryOp::And, x, y)
            }
            Some(Expr::Operand(x)) => self.holds_everywhere(*x),
            Some(Expr::Compare(op, x, y)) => {
                let (x, y) = (self.value(*x), self.value(*y));
                self.compare_ends(*op, x, y).unwrap_or_else(|| self.all(value))
            }
            _ => self.all(value),
        }
    }

    /// Emits whether a comparison of linear `i64` values holds in the first and the last lane that run.
    fn compare_ends(&mut self, op: CompareOp, x: Value, y: Value) -> Option<Operand> {
        match op {
            CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {}
            CompareOp::Eq | CompareOp::Ne | CompareOp::FLt | CompareOp::FLe => return None,
        }
        if self.scalar_type(x) != ScalarType::I64 {
            return None;
        }
        let last = match self.mask() {
            Mask::Full => Operand::i64(i64::from(self.width()) - 1),
            Mask::Prefix { count, .. } => self.code.sub(count, Operand::i64(1)),
            Mask::Some(_) => return None,
        };
        let (first_x, first_y) = (x.base()?, y.base()?);
        let (last_x, last_y) = (self.at_lane(x, last)?, self.at_lane(y, last)?);
        let first = self.code.compare(op, first_x, first_y);
        let last = self.code.compare(op, last_x, last_y);
        Some(self.code.binary(BinaryOp::And, first, last))
    }

    /// Returns the value of a uniform or linear value in one lane.
    fn at_lane(&mut self, value: Value, lane: Operand) -> Option<Operand> {
        match value {
            Value::Uniform(x) => Some(x),
            Value::Linear { base, stride } => {
                let steps = self.code.mul(lane, Operand::i64(stride));
                Some(self.code.add(base, steps))
            }
            Value::Varying(_) => None,
        }
    }

    /// Emits whether a mask holds in all lanes that run.
    pub fn all(&mut self, value: Value) -> Operand {
        let x = self.vector(value);
        let mask = match self.mask_operand() {
            None => x,
            Some(mask) => {
                let idle = self.code.not(mask);
                self.code.binary(BinaryOp::Or, x, idle)
            }
        };
        let dst = self.code.reg("all_hold", ImpType::scalar(ScalarType::Bool));
        self.code.emit(Op::All { dst, mask });
        dst.into()
    }

    /// Returns a value in one lane, as a scalar; `lane` is an `i64`.
    pub fn lane_value(&mut self, value: Value, lane: Operand) -> Operand {
        match value {
            Value::Uniform(x) => x,
            Value::Linear { .. } | Value::Varying(_) => {
                let x = self.vector(value);
                let dst = self.code.reg("lane_value", ImpType::scalar(self.code.ty(x).scalar));
                self.code.emit(Op::Extract { dst, x, lane });
                dst.into()
            }
        }
    }
}

/// Returns the value of variance `kind` that starts from `base`.
pub(super) fn as_kind(kind: Variance, base: Operand) -> Value {
    match kind {
        Variance::Uniform | Variance::Varying => Value::Uniform(base),
        Variance::Linear(stride) => Value::Linear { base, stride },
    }
}
