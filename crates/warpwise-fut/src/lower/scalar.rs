//! Scalar operators and equality, with their checks.

use warpwise_diag::Failure;
use warpwise_ir::sizes::{Checked, SizeOp};
use warpwise_ir::{Expr, Lambda, MessagePart, Operand, Reduce, Screma, Type as CoreType};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, TernaryOp, UnaryOp};

use crate::lower::context::{Lowering, number, text};
use crate::lower::types::scalar_type;
use crate::lower::value::{Env, Use, Value};
use crate::typed::intrinsic::Intrinsic;

impl<'a> Lowering<'a, '_> {
    /// Applies an intrinsic to all its arguments.
    pub fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &Use<'a>,
        args: Vec<Value<'a>>,
    ) -> Result<Value<'a>, Failure> {
        match (intrinsic, &args[..]) {
            (Intrinsic::Structural(structural), _) => self.structural(structural, arguments, &args),
            (Intrinsic::Unary(op, _), [x]) => self.unary(op, x),
            (Intrinsic::Binary(op, _), [x, y]) => self.binary(op, x, y, &arguments.env),
            (Intrinsic::Ternary(op, _), [x, y, z]) => self.ternary(op, x, y, z),
            (Intrinsic::Compare { op, swapped, .. }, [x, y]) => {
                let (x, y) = (self.scalar(x)?, self.scalar(y)?);
                let (x, y) = if swapped { (y, x) } else { (x, y) };
                Ok(Value::Leaf(self.code.compare(op, x, y)))
            }
            (Intrinsic::Convert { op, to, .. }, [x]) => {
                let x = self.scalar(x)?;
                Ok(Value::Leaf(self.code.convert(op, x, scalar_type(to))))
            }
            (Intrinsic::Equal { negated }, [x, y]) => {
                let equal = self.equal(x, y)?;
                Ok(Value::Leaf(if negated { self.code.unary(UnaryOp::Not, equal) } else { equal }))
            }
            (
                Intrinsic::Unary(..)
                | Intrinsic::Binary(..)
                | Intrinsic::Ternary(..)
                | Intrinsic::Compare { .. }
                | Intrinsic::Convert { .. }
                | Intrinsic::Equal { .. },
                _,
            ) => Err(self.bug("an intrinsic with the wrong number of arguments")),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: &Value<'a>) -> Result<Value<'a>, Failure> {
        let x = self.scalar(x)?;
        Ok(Value::Leaf(self.code.unary(op, x)))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        x: &Value<'a>,
        y: &Value<'a>,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (x, y) = (self.scalar(x)?, self.scalar(y)?);
        let defined = self.is_defined(op, y);
        if defined == Operand::bool(true) {
            return Ok(Value::Leaf(self.code.binary(op, x, y)));
        }
        let message = if op == BinaryOp::Pow { "negative exponent" } else { "division by zero" };
        let certs = self.check(env, defined, vec![text(message)]);
        Ok(Value::leaf(self.code.bind_one("", Expr::Binary(op, x, y), &certs)))
    }

    /// Emits whether an operator has a result for this second operand.
    fn is_defined(&mut self, op: BinaryOp, y: Operand) -> Operand {
        if !op.can_fail() {
            return Operand::bool(true);
        }
        let CoreType::Scalar(ty) = self.code.ty(y) else { return Operand::bool(true) };
        let zero = Operand::Const(Scalar::zero(ty));
        match op {
            BinaryOp::Pow => self.code.compare(CompareOp::SLe, zero, y),
            _ => self.code.compare(CompareOp::Ne, y, zero),
        }
    }

    fn ternary(
        &mut self,
        op: TernaryOp,
        x: &Value<'a>,
        y: &Value<'a>,
        z: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (x, y, z) = (self.scalar(x)?, self.scalar(y)?, self.scalar(z)?);
        Ok(Value::leaf(self.code.bind_one("", Expr::Ternary(op, x, y, z), &[])))
    }

    /// Emits `x == y` for values of any type. Arrays of different shapes are unequal.
    pub fn equal(&mut self, x: &Value<'a>, y: &Value<'a>) -> Result<Operand, Failure> {
        match (x, y) {
            (Value::Leaf(x), Value::Leaf(y)) => Ok(self.code.compare(CompareOp::Eq, *x, *y)),
            (Value::Record(xs), Value::Record(ys)) => {
                let mut all = Operand::bool(true);
                for (x, y) in xs.iter().zip(ys) {
                    let equal = self.equal(x, y)?;
                    all = self.code.and(all, equal);
                }
                Ok(all)
            }
            (Value::Sum(x), Value::Sum(y)) => self.equal_sums(x, y),
            (Value::Array(..), Value::Array(..)) => self.equal_arrays(x, y),
            (
                Value::Leaf(_)
                | Value::Record(_)
                | Value::Sum(_)
                | Value::Array(..)
                | Value::Function(_)
                | Value::Acc(_),
                _,
            ) => Err(self.bug("a comparison of values that cannot be compared")),
        }
    }

    fn equal_arrays(&mut self, x: &Value<'a>, y: &Value<'a>) -> Result<Operand, Failure> {
        let mut same_shape = Operand::bool(true);
        for (m, n) in x.extents().into_iter().zip(y.extents()) {
            let equal = self.code.compare(CompareOp::Eq, m, n);
            same_shape = self.code.and(same_shape, equal);
        }
        let elements = |this: &mut Self| {
            let y = this.coerce(y, &x.as_target(), &[]);
            let ((width, x), (_, y)) = (this.array(x)?, this.array(&y)?);
            this.equal_elements(width, x, y).map(Value::Leaf)
        };
        if same_shape == Operand::bool(true) {
            let value = elements(self)?;
            return self.scalar(&value);
        }
        let then = self.aside(elements)?;
        let otherwise = self.aside(|_| Ok(Value::leaf(Operand::bool(false))))?;
        let value = self.join(same_shape, then, otherwise, |_| Ok(Vec::new()))?;
        self.scalar(&value)
    }

    /// Emits whether all elements of two arrays of one shape are equal.
    fn equal_elements(&mut self, width: Operand, x: &Value<'a>, y: &Value<'a>) -> Result<Operand, Failure> {
        let mut inputs = self.arrays(x)?;
        inputs.extend(self.arrays(y)?);
        self.code.open();
        let (x, y) = (self.fresh_row(x), self.fresh_row(y));
        let mut params = self.arrays(&x)?;
        params.extend(self.arrays(&y)?);
        let equal = self.equal(&x, &y)?;
        let map = self.code.close_lambda(params, vec![equal]);
        let op = self.conjunction();
        let neutral = vec![Operand::bool(true)];
        let reduces = vec![Reduce { op, neutral, commutative: true }];
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces, post: None };
        Ok(self.code.bind_one("", Expr::Screma(Box::new(screma)), &[]).into())
    }

    fn conjunction(&mut self) -> Lambda {
        self.code.open();
        let x = self.code.fresh("", CoreType::BOOL);
        let y = self.code.fresh("y", CoreType::BOOL);
        let both = self.code.and(x.into(), y.into());
        self.code.close_lambda(vec![x, y], vec![both])
    }

    /// Emits a size computed from others. Checks that it fits, unless that was checked before or is evident.
    pub fn size(&mut self, op: SizeOp, x: Operand, y: Operand, env: &Env<'a>) -> Operand {
        let Checked { value, fits } = op.compute(&mut self.code, x, y);
        if self.code.fitting(value).is_none()
            && let [cert] = self.check(env, fits, op.overflow(x, y))[..]
        {
            self.code.set_fitting(value, cert);
        }
        if op != SizeOp::Sub && self.code.is_size(x) && self.code.is_size(y) {
            self.code.mark_size(value);
        }
        value
    }

    /// Checks that `0 <= size`, with a message that shows the invalid range.
    pub fn check_size(&mut self, size: Operand, env: &Env<'a>) -> Vec<warpwise_ir::Var> {
        let message: Vec<MessagePart> = vec![text("Range 0..1..<"), number(size), text(" is invalid")];
        self.check_size_saying(size, message, env)
    }

    /// Like [`Lowering::check_size`], with another message.
    pub fn check_size_saying(
        &mut self,
        size: Operand,
        message: Vec<MessagePart>,
        env: &Env<'a>,
    ) -> Vec<warpwise_ir::Var> {
        let fits = if self.code.is_size(size) {
            Operand::bool(true)
        } else {
            self.code.compare(CompareOp::SLe, Operand::i64(0), size)
        };
        let certs = self.check(env, fits, message);
        self.code.mark_size(size);
        certs
    }
}
