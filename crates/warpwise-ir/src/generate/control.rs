//! Choices, loops, calls, nested bodies.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::Generator;
use crate::expr::{Body, Branch, Expr, Lambda, LoopForm, LoopParam, SliceDim};
use crate::program::{FunctionId, Var};
use crate::types::{Operand, Type};

impl Generator<'_> {
    /// Builds a body: a few statements, then the results of `result`. The body is a boundary, which may not consume outer values.
    pub(super) fn body(&mut self, result: impl FnOnce(&mut Self) -> Vec<Operand>) -> Body {
        let outer = self.b.take_stms();
        let mark = self.scope.mark();
        self.nesting += 1;
        self.scope.boundary += 1;
        let count = self.random.below(2 + 8 / (self.nesting + 1)).min(self.fuel);
        for _ in 0..count {
            self.statement();
        }
        let result = result(self);
        self.scope.boundary -= 1;
        self.nesting -= 1;
        self.scope.leave(mark);
        let stms = self.b.take_stms();
        self.b.extend(outer);
        Body { stms, result }
    }

    /// Builds a lambda over borrowed values of these types, with the results of `result`.
    pub(super) fn lambda(
        &mut self,
        params: &[Type],
        result: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>,
    ) -> Lambda {
        let vars: Vec<Var> = params.iter().map(|ty| self.b.function.fresh("x", ty.clone())).collect();
        let mark = self.scope.mark();
        for (var, ty) in vars.iter().zip(params) {
            if ty.elem().is_some() {
                self.scope.add_borrowed(*var, ty.clone());
            }
        }
        let body = self.body(|this| result(this, &vars));
        self.scope.leave(mark);
        Lambda { params: vars, body }
    }

    /// Returns values of these types.
    pub(super) fn values(&mut self, types: &[Type]) -> Vec<Operand> {
        types.iter().map(|ty| self.value(ty)).collect()
    }

    /// Returns values of these types that remain in use under another name.
    fn shared_values(&mut self, types: &[Type]) -> Vec<Operand> {
        let values = self.values(types);
        values.iter().filter_map(|value| value.as_var()).for_each(|var| self.scope.freeze(var));
        values
    }

    pub(super) fn value_types(&mut self) -> Vec<Type> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.value_type()).collect()
    }

    pub(super) fn choice(&mut self) {
        let cond = self.scalar(ScalarType::Bool);
        if self.random.chance(1, 3) {
            return self.sized_choice(cond);
        }
        let types = self.value_types();
        let then_body = self.body(|this| this.shared_values(&types));
        let else_body = self.body(|this| this.shared_values(&types));
        let expr = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
        self.bind_borrowed("f", expr);
    }

    /// Adds a choice between arrays of different sizes.
    fn sized_choice(&mut self, cond: Operand) {
        let elem = self.scalar_type();
        let (then_size, else_size) = (self.size(), self.size());
        let mut side = |size: Operand| {
            self.body(|this| {
                let array = this.shared_values(&[Type::array(elem, [size])]);
                vec![size, array[0]]
            })
        };
        let (then_body, else_body) = (side(then_size), side(else_size));
        if then_size == else_size {
            return;
        }
        let expr = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
        let vars = self.bind_borrowed("f", expr);
        self.scope.sizes.push(vars[0].into());
    }

    /// Binds an expression whose results may share storage with others.
    fn bind_borrowed(&mut self, name: &str, expr: Expr) -> Vec<Var> {
        let vars = self.b.bind(name, expr);
        for var in &vars {
            let ty = self.b.function.ty(*var).clone();
            self.scope.add_borrowed(*var, ty);
        }
        vars
    }

    /// Adds a loop that carries values, and often fills an array.
    pub(super) fn for_loop(&mut self) {
        let types = self.value_types();
        let mut params: Vec<LoopParam> = Vec::new();
        let inits = self.shared_values(&types);
        for (ty, init) in types.iter().zip(inits) {
            params.push(LoopParam { var: self.b.function.fresh("l", ty.clone()), init, consumed: false });
        }
        let filled = if self.random.chance(1, 2) { self.owned_array(|ty| ty.rank() == 1) } else { None };
        let bound = match &filled {
            Some((_, ty)) => ty.shape()[0],
            None => Operand::i64(self.random.below(4) as i64),
        };
        let index = self.b.function.fresh("i", Type::I64);
        if let Some((array, ty)) = &filled {
            self.scope.consume(*array);
            let var = self.b.function.fresh("l", ty.clone());
            params.push(LoopParam { var, init: (*array).into(), consumed: true });
        }
        let mark = self.scope.mark();
        self.scope.add_borrowed(index, Type::I64);
        for (param, ty) in params.iter().zip(&types) {
            self.scope.add_borrowed(param.var, ty.clone());
        }
        let body = self.body(|this| {
            let mut result = this.shared_values(&types);
            if let (Some((_, ty)), Some(param)) = (&filled, params.last()) {
                result.push(this.fill(param.var, ty, index));
            }
            result
        });
        self.scope.leave(mark);
        let form = LoopForm::For { index, bound };
        let kept = types.len();
        let vars = self.b.bind("t", Expr::Loop { params, form, body });
        for (i, var) in vars.into_iter().enumerate() {
            let ty = self.b.function.ty(var).clone();
            if i < kept { self.scope.add_borrowed(var, ty) } else { self.scope.add_fresh(var, ty) }
        }
    }

    /// Writes one element, often computed from the old one.
    fn fill(&mut self, array: Var, ty: &Type, index: Var) -> Operand {
        let Some(elem) = ty.elem() else { return array.into() };
        let old = self.b.index("o", array, &[index.into()]);
        self.scope.add_borrowed(old, Type::Scalar(elem));
        let value = self.scalar(elem);
        self.b.update("u", array, vec![SliceDim::Fix(index.into())], value).into()
    }

    /// Adds a loop that stops by a condition, after at most a few iterations.
    pub(super) fn while_loop(&mut self) {
        let types = self.value_types();
        let rounds = self.random.below(5) as i64;
        let cond = self.b.function.fresh("go", Type::BOOL);
        let count = self.b.function.fresh("k", Type::I64);
        let mut params = vec![
            LoopParam { var: cond, init: self.scalar(ScalarType::Bool), consumed: false },
            LoopParam { var: count, init: Operand::i64(0), consumed: false },
        ];
        let inits = self.shared_values(&types);
        for (ty, init) in types.iter().zip(inits) {
            params.push(LoopParam { var: self.b.function.fresh("l", ty.clone()), init, consumed: false });
        }
        let mark = self.scope.mark();
        self.scope.add_borrowed(count, Type::I64);
        for (param, ty) in params[2..].iter().zip(&types) {
            self.scope.add_borrowed(param.var, ty.clone());
        }
        let body = self.body(|this| {
            let next = this.b.binary("k", BinaryOp::Add, count, 1i64);
            let fewer = this.b.compare("few", CompareOp::SLt, next, rounds);
            let wish = this.scalar(ScalarType::Bool);
            let go = this.b.binary("go", BinaryOp::And, fewer, wish);
            let mut result = vec![go, next];
            result.extend(this.shared_values(&types));
            result
        });
        self.scope.leave(mark);
        self.bind_borrowed("t", Expr::Loop { params, form: LoopForm::While { cond }, body });
    }

    /// Calls the helper function with fresh arrays, or adds a map if there is no helper.
    pub(super) fn call(&mut self) {
        let program = self.program;
        let Some((id, callee)): Option<(FunctionId, _)> = program.functions.iter().next() else {
            return self.map();
        };
        let mut args: Vec<Operand> = Vec::new();
        for param in &callee.params {
            let ty = callee.ty(param.var);
            let arg = match ty {
                Type::Array(array) => {
                    let params = callee.params.iter().map(|param| param.var);
                    let pairs: Vec<(Var, Operand)> = params.zip(args.iter().copied()).collect();
                    let size = |size: &Operand| {
                        let found = pairs.iter().find(|(var, _)| Operand::Var(*var) == *size);
                        found.map_or(*size, |(_, arg)| *arg)
                    };
                    let shape = array.shape.iter().map(size).collect();
                    let value = Operand::Const(Scalar::zero(array.elem));
                    self.b.bind_one("r", Expr::Replicate { shape, value }).into()
                }
                Type::Scalar(_) if args.len() < 2 => self.size(),
                Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem => self.value(ty),
            };
            args.push(arg);
        }
        for var in self.b.call("h", id, callee, args) {
            let ty = self.b.function.ty(var).clone();
            self.scope.add_borrowed(var, ty);
        }
    }
}
