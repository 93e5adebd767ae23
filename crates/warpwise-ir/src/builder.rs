//! Construction of code: the builder creates the patterns of statements itself, with the types that [`crate::typing`] finds.
//!
//! ```
//! # use warpwise_ir::{Function, Operand, Type, builder::Builder};
//! # use warpwise_prim::{BinaryOp, ScalarType};
//! let mut function = Function::new("double_all");
//! let n = function.param("n", Type::I64, false);
//! let a = function.param("a", Type::array(ScalarType::F32, [n.into()]), false);
//! let mut b = Builder::new(&mut function);
//! let double = b.lambda(&[("x", Type::Scalar(ScalarType::F32))], |b, x| {
//!     vec![b.binary("y", BinaryOp::FAdd, x[0], x[0])]
//! });
//! let ys = b.map("ys", n, &[a], double);
//! b.finish(vec![ys[0].into()], &[false]);
//! assert_eq!(function.to_string(), "\
//! fun double_all(n: i64, a: [n]f32) -> (r: [n]f32) {
//!   ys: [n]f32 = screma n (a) map (x: f32) { y: f32 = fadd x x; return y };
//!   return ys
//! }
//! ");
//! ```
//!
//! A builder neither folds constants nor shares common subexpressions: that is the simplifier's business. An expression without a
//! valid type (an index with too many dimensions, for instance) is a mistake of the caller and panics.

use warpwise_diag::Span;
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp};

use crate::entity::PrimaryMap;
use crate::expr::{Body, Branch, Expr, Lambda, LoopForm, LoopParam, Message, SliceDim, Stm};
use crate::program::{Function, FunctionId, Param, ResultDecl, Var};
use crate::soac::{Reduce, Scan, Screma};
use crate::traverse::{Copier, Substitution};
use crate::types::{Operand, Type};
use crate::typing::{ResultType, call_result_types, result_types};

impl Function {
    /// Creates a function with an empty body.
    pub fn new(name: &str) -> Function {
        Function {
            name: name.to_string(),
            entry: None,
            vars: PrimaryMap::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: Body::default(),
            span: Span::NONE,
        }
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: &str, ty: Type, consumed: bool) -> Var {
        let var = self.fresh(name, ty);
        self.params.push(Param { var, consumed });
        var
    }

    /// Adds a result.
    pub fn result(&mut self, name: &str, ty: Type, unique: bool) -> Var {
        let var = self.fresh(name, ty);
        self.results.push(ResultDecl { var, unique });
        var
    }
}

/// A builder, which adds statements to a body of a function.
pub struct Builder<'f> {
    /// The function that the variables belong to.
    pub function: &'f mut Function,
    stms: Vec<Stm>,
    span: Span,
    certs: Vec<Var>,
}

impl<'f> Builder<'f> {
    /// Creates a builder without statements.
    pub fn new(function: &'f mut Function) -> Builder<'f> {
        Builder { function, stms: Vec::new(), span: Span::NONE, certs: Vec::new() }
    }

    /// Makes the statements so far, with this result, the body of the function. Declares its results with the types of the
    /// operands; a size that is neither a constant nor a parameter is replaced by the earlier result that holds it. `unique`
    /// tells for each result whether it aliases no parameter.
    pub fn finish(self, result: Vec<Operand>, unique: &[bool]) {
        let mut substitution = Substitution::new();
        for (operand, unique) in result.iter().zip(unique) {
            let ty = substitution.apply_type(&self.function.operand_type(*operand));
            let declared = self.function.result("r", ty, *unique);
            if let Operand::Var(var) = operand
                && !self.function.params.iter().any(|param| param.var == *var)
            {
                substitution.insert(*var, declared);
            }
        }
        self.function.body = Body { stms: self.stms, result };
    }

    /// Sets the source position of the statements added from here on.
    pub fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// Returns the current source position.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Adds the statements of `build` with these certificates, besides those already in force.
    pub fn with_certs<T>(&mut self, certs: &[Var], build: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.certs.len();
        self.certs.extend_from_slice(certs);
        let value = build(self);
        self.certs.truncate(before);
        value
    }

    /// Returns the statements that `build` adds, without adding them here, and the value of `build`. For code that may fail
    /// halfway.
    pub fn collect<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> (Vec<Stm>, T) {
        let outer = std::mem::take(&mut self.stms);
        let value = build(self);
        (std::mem::replace(&mut self.stms, outer), value)
    }

    /// Builds a nested body.
    pub fn body(&mut self, build: impl FnOnce(&mut Self) -> Vec<Operand>) -> Body {
        let (stms, result) = self.collect(build);
        Body { stms, result }
    }

    /// Builds a lambda with these parameters. If a type mentions an earlier parameter, the caller creates the variables and uses
    /// [`Builder::lambda_of`].
    pub fn lambda(
        &mut self,
        params: &[(&str, Type)],
        build: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>,
    ) -> Lambda {
        let params = params.iter().map(|(name, ty)| self.function.fresh(name, ty.clone())).collect();
        self.lambda_of(params, build)
    }

    /// Builds a lambda with these fresh variables as parameters.
    pub fn lambda_of(
        &mut self,
        params: Vec<Var>,
        build: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>,
    ) -> Lambda {
        let body = self.body(|b| build(b, &params));
        Lambda { params, body }
    }

    /// Removes and returns the statements so far: for bodies whose construction does not fit a closure.
    pub fn take_stms(&mut self) -> Vec<Stm> {
        std::mem::take(&mut self.stms)
    }

    /// Adds a statement unchanged.
    pub fn push(&mut self, stm: Stm) {
        self.stms.push(stm);
    }

    /// Adds statements unchanged.
    pub fn extend(&mut self, stms: impl IntoIterator<Item = Stm>) {
        self.stms.extend(stms);
    }

    /// Binds existing variables to the results of an expression.
    pub fn bind_to(&mut self, pattern: Vec<Var>, expr: Expr) {
        self.stms.push(Stm { pattern, expr, certs: self.certs.clone(), span: self.span });
    }

    /// Binds the results of an expression to fresh variables of this name. Not for calls.
    #[track_caller]
    pub fn bind(&mut self, name: &str, expr: Expr) -> Vec<Var> {
        match result_types(None, self.function, &expr) {
            Ok(types) => self.bind_typed(name, &types, expr),
            Err(reason) => panic!("ill-typed expression {expr:?}: {reason}"),
        }
    }

    /// Binds the only result of an expression.
    #[track_caller]
    pub fn bind_one(&mut self, name: &str, expr: Expr) -> Var {
        match self.bind(name, expr)[..] {
            [var] => var,
            _ => panic!("an expression with one result was expected"),
        }
    }

    fn bind_typed(&mut self, name: &str, types: &[ResultType], expr: Expr) -> Vec<Var> {
        let mut pattern = Vec::with_capacity(types.len());
        // Sizes precede the arrays that mention them.
        let mut results: Vec<Operand> = Vec::with_capacity(types.len());
        for ty in types {
            let var = self.function.fresh(name, ty.instantiate(&results));
            pattern.push(var);
            results.push(var.into());
        }
        self.bind_to(pattern.clone(), expr);
        pattern
    }

    /// Calls a function, whose signature must be complete.
    pub fn call(&mut self, name: &str, id: FunctionId, callee: &Function, args: Vec<Operand>) -> Vec<Var> {
        let types = call_result_types(callee, &args);
        self.bind_typed(name, &types, Expr::Call { function: id, args })
    }

    /// Adds a copy of a function's body, with its parameters replaced by the arguments; returns its results.
    pub fn inline(&mut self, callee: &Function, args: &[Operand]) -> Vec<Operand> {
        let params: Vec<Var> = callee.params.iter().map(|param| param.var).collect();
        let substitution = Substitution::of(&params, args);
        let body = Copier::between(callee, self.function, substitution).copy_body(&callee.body);
        self.stms.extend(body.stms);
        body.result
    }

    /// Adds a copy of a lambda's body, with its parameters replaced by the arguments; returns its results.
    pub fn apply(&mut self, lambda: &Lambda, args: &[Operand]) -> Vec<Operand> {
        let substitution = Substitution::of(&lambda.params, args);
        let body = Copier::within(self.function, substitution).copy_body(&lambda.body);
        self.stms.extend(body.stms);
        body.result
    }

    /// Binds `op x`.
    pub fn unary(&mut self, name: &str, op: UnaryOp, x: impl Into<Operand>) -> Operand {
        self.bind_one(name, Expr::Unary(op, x.into())).into()
    }

    /// Binds `op x y`.
    pub fn binary(
        &mut self,
        name: &str,
        op: BinaryOp,
        x: impl Into<Operand>,
        y: impl Into<Operand>,
    ) -> Operand {
        self.bind_one(name, Expr::Binary(op, x.into(), y.into())).into()
    }

    /// Binds `op x y z`.
    pub fn ternary(&mut self, name: &str, op: TernaryOp, x: Operand, y: Operand, z: Operand) -> Operand {
        self.bind_one(name, Expr::Ternary(op, x, y, z)).into()
    }

    /// Binds `op x y`, a `bool`.
    pub fn compare(
        &mut self,
        name: &str,
        op: CompareOp,
        x: impl Into<Operand>,
        y: impl Into<Operand>,
    ) -> Operand {
        self.bind_one(name, Expr::Compare(op, x.into(), y.into())).into()
    }

    /// Binds `op x : ty`.
    pub fn convert(&mut self, name: &str, op: ConvertOp, x: impl Into<Operand>, ty: ScalarType) -> Operand {
        self.bind_one(name, Expr::Convert(op, x.into(), ty)).into()
    }

    /// Binds `select c x y`.
    pub fn select(&mut self, name: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        self.bind_one(name, Expr::Select(cond, x, y)).into()
    }

    /// Asserts a condition; returns the certificate.
    pub fn assert(&mut self, cond: impl Into<Operand>, message: Message) -> Var {
        self.bind_one("c", Expr::Assert { cond: cond.into(), message })
    }

    /// Binds `index a[i, j]`.
    pub fn index(&mut self, name: &str, array: Var, indices: &[Operand]) -> Var {
        self.bind_one(name, Expr::Index { array, indices: indices.to_vec() })
    }

    /// Binds `slice a[...]`.
    pub fn slice(&mut self, name: &str, array: Var, dims: Vec<SliceDim>) -> Var {
        self.bind_one(name, Expr::Slice { array, dims })
    }

    /// Binds `update a[...] = value`.
    pub fn update(&mut self, name: &str, array: Var, dims: Vec<SliceDim>, value: impl Into<Operand>) -> Var {
        self.bind_one(name, Expr::Update { array, dims, value: value.into() })
    }

    /// Binds the results of `if cond { ... } else { ... }`.
    pub fn branch(
        &mut self,
        name: &str,
        cond: impl Into<Operand>,
        then_build: impl FnOnce(&mut Self) -> Vec<Operand>,
        else_build: impl FnOnce(&mut Self) -> Vec<Operand>,
    ) -> Vec<Var> {
        let (then_body, else_body) = (self.body(then_build), self.body(else_build));
        let (cond, branch) = (cond.into(), Branch::Plain);
        self.bind(name, Expr::If { cond, then_body, else_body, branch })
    }

    /// Makes parameters for a loop that overwrites these arrays.
    pub fn consumed_params(&mut self, name: &str, arrays: &[Var]) -> Vec<LoopParam> {
        let param = |&array: &Var| {
            let var = self.function.fresh(name, self.function.ty(array).clone());
            LoopParam { var, init: array.into(), consumed: true }
        };
        arrays.iter().map(param).collect()
    }

    /// Binds the results of a loop of `bound` iterations. `build` gets the index and the parameters' variables.
    pub fn for_loop(
        &mut self,
        name: &str,
        bound: impl Into<Operand>,
        params: Vec<LoopParam>,
        build: impl FnOnce(&mut Self, Var, &[LoopParam]) -> Vec<Operand>,
    ) -> Vec<Var> {
        let bound = bound.into();
        let index = self.function.fresh("i", self.function.operand_type(bound));
        let body = self.body(|b| build(b, index, &params));
        self.bind(name, Expr::Loop { params, form: LoopForm::For { index, bound }, body })
    }

    /// Binds the results of a loop that runs while its parameter `cond` holds.
    pub fn while_loop(
        &mut self,
        name: &str,
        cond: Var,
        params: Vec<LoopParam>,
        build: impl FnOnce(&mut Self, &[LoopParam]) -> Vec<Operand>,
    ) -> Vec<Var> {
        let body = self.body(|b| build(b, &params));
        self.bind(name, Expr::Loop { params, form: LoopForm::While { cond }, body })
    }

    /// Binds the results of a map.
    pub fn map(&mut self, name: &str, width: impl Into<Operand>, inputs: &[Var], map: Lambda) -> Vec<Var> {
        self.screma(name, width.into(), inputs, map, Vec::new(), Vec::new())
    }

    /// Binds the results of a map followed by a reduction of its first results: the reduced values, then the arrays.
    pub fn map_reduce(
        &mut self,
        name: &str,
        width: impl Into<Operand>,
        inputs: &[Var],
        map: Lambda,
        reduce: Reduce,
    ) -> Vec<Var> {
        self.screma(name, width.into(), inputs, map, Vec::new(), vec![reduce])
    }

    /// Binds the results of a map followed by a scan of its first results.
    pub fn map_scan(
        &mut self,
        name: &str,
        width: impl Into<Operand>,
        inputs: &[Var],
        map: Lambda,
        scan: Scan,
    ) -> Vec<Var> {
        self.screma(name, width.into(), inputs, map, vec![scan], Vec::new())
    }

    fn screma(
        &mut self,
        name: &str,
        width: Operand,
        inputs: &[Var],
        map: Lambda,
        scans: Vec<Scan>,
        reduces: Vec<Reduce>,
    ) -> Vec<Var> {
        let inputs = inputs.to_vec();
        self.bind(name, Expr::Screma(Box::new(Screma { width, inputs, map, scans, reduces, post: None })))
    }

    /// Builds a lambda that yields its parameters.
    pub fn identity(&mut self, types: &[Type]) -> Lambda {
        let params: Vec<(&str, Type)> = types.iter().map(|ty| ("x", ty.clone())).collect();
        self.lambda(&params, |_, vars| vars.iter().map(|var| (*var).into()).collect())
    }

    /// Builds `op x y` as a lambda on scalars of this type.
    pub fn operator(&mut self, op: BinaryOp, ty: ScalarType) -> Lambda {
        let params = [("x", Type::Scalar(ty)), ("y", Type::Scalar(ty))];
        self.lambda(&params, |b, vars| vec![b.binary("r", op, vars[0], vars[1])])
    }
}
