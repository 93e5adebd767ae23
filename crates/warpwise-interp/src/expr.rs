//! Scalar expressions and control flow; arrays and SOACs are in the modules `arrays` and `soac`.

use warpwise_ir::{Body, Expr, LoopForm, LoopParam, Var};
use warpwise_prim::Scalar;

use crate::machine::{Machine, Run, Surroundings, call};
use crate::value::Value;

impl<'p> Machine<'p> {
    /// Evaluates an expression that binds `pattern`.
    pub(crate) fn expr(&mut self, expr: &'p Expr, pattern: &[Var]) -> Run<Vec<Value>> {
        match expr {
            Expr::Operand(x) => self.operand(*x).map(|value| vec![value]),
            Expr::Unary(op, x) => self.one(op.eval(self.scalar(*x)?)),
            Expr::Binary(op, x, y) => match op.eval(self.scalar(*x)?, self.scalar(*y)?) {
                Some(value) => self.one(value),
                None => Err(self.invalid(format!("`{}` is undefined on its operands", op.mnemonic()))),
            },
            Expr::Ternary(op, x, y, z) => {
                self.one(op.eval(self.scalar(*x)?, self.scalar(*y)?, self.scalar(*z)?))
            }
            Expr::Compare(op, x, y) => self.one(op.eval(self.scalar(*x)?, self.scalar(*y)?).into()),
            Expr::Convert(op, x, to) => self.one(op.eval(self.scalar(*x)?, *to)),
            Expr::Select(cond, x, y) => self.one(self.scalar(if self.bool(*cond)? { *x } else { *y })?),
            Expr::Assert { cond, message } => {
                if self.bool(*cond)? {
                    Ok(vec![Value::Token])
                } else {
                    Err(self.failed(message)?)
                }
            }
            Expr::If { cond, then_body, else_body, .. } => {
                let body = if self.bool(*cond)? { then_body } else { else_body };
                self.body(body)
            }
            Expr::Loop { params, form, body } => self.repeat(params, form, body),
            Expr::Call { function, args } => {
                let args = self.operands(args)?;
                let Machine { stack_base, steps, stop, heap, .. } = *self;
                let surroundings = Surroundings { stack_base, steps, stop, heap };
                call(self.program, *function, args, surroundings)
            }
            Expr::Tuned { default, .. } => self.one((*default).into()),
            Expr::Alloc { bytes } => self.alloc(*bytes).map(|block| vec![block]),
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::UpdateAcc { .. }
            | Expr::FlatMap(_) => self.soac(expr, pattern),
            Expr::Seg(op) => self.seg_op(op, pattern),
            Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Scratch { .. } => self.array_expr(expr, pattern).map(|array| vec![array]),
        }
    }

    fn one(&self, value: Scalar) -> Run<Vec<Value>> {
        Ok(vec![Value::Scalar(value)])
    }

    fn repeat(&mut self, params: &[LoopParam], form: &LoopForm, body: &'p Body) -> Run<Vec<Value>> {
        let mut values = Vec::with_capacity(params.len());
        for param in params {
            // An array that the loop may overwrite must not be held under its old name, too.
            let consumed = param.init.as_var().filter(|_| param.consumed);
            values.push(match consumed {
                Some(var) if self.function.ty(var).rank() > 0 => Value::Array(self.take_array(var)?),
                _ => self.operand(param.init)?,
            });
        }
        match *form {
            LoopForm::For { index, bound } => {
                let bound = self.scalar(bound)?;
                let times = bound.as_int().ok_or_else(|| self.invalid("a loop bound must be an integer"))?;
                for i in 0..times {
                    self.set(index, Value::Scalar(Scalar::int(bound.ty(), i)));
                    values = self.iteration(params, values, body)?;
                }
            }
            LoopForm::While { cond } => {
                let cond = params.iter().position(|param| param.var == cond);
                let cond =
                    cond.ok_or_else(|| self.invalid("a loop's condition is not among its parameters"))?;
                while values[cond] == Value::Scalar(Scalar::Bool(true)) {
                    values = self.iteration(params, values, body)?;
                }
            }
        }
        Ok(values)
    }

    fn iteration(&mut self, params: &[LoopParam], values: Vec<Value>, body: &'p Body) -> Run<Vec<Value>> {
        self.spend(1)?;
        for (param, value) in params.iter().zip(values) {
            self.set(param.var, value);
        }
        let values = self.body(body)?;
        // Only the results are needed from here on. Drop all other values: they would keep arrays from being overwritten in
        // place.
        self.forget(body);
        for param in params {
            self.unset(param.var);
        }
        Ok(values)
    }

    fn forget(&mut self, body: &Body) {
        for stm in &body.stms {
            stm.pattern.iter().for_each(|&var| self.unset(var));
        }
    }
}
