//! The function under construction: open bodies, and statements with scalar arithmetic folded.
//!
//! From here on sizes are compared by operand, so equal sizes should be equal operands. Therefore pure scalar operations on
//! constants are folded, neutral elements of integer operations are dropped, and an operation that was emitted before in the same
//! or an enclosing body is not emitted again.
//!
//! The outermost body is preceded by a front part for values that are evaluated once per call (top-level constants).

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::sizes::ScalarCode;
use warpwise_ir::traverse::{FreeVars, free_in_expr, free_in_type};
use warpwise_ir::typing::result_types;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, UnaryOp};

/// A function under construction.
pub struct Code {
    /// The function, which owns all variables.
    pub function: Function,
    /// Source position for new statements.
    pub span: Span,
    bodies: Vec<OpenBody>,
    depth: SecondaryMap<Var, u32>,
}

/// A position in a body, with the facts known there.
pub struct Point {
    n_stms: usize,
    known: OpenBody,
}

/// A body that statements are still added to.
#[derive(Clone, Default)]
pub struct OpenBody {
    stms: Vec<Stm>,
    known: FxHashMap<Pure, Operand>,
    sizes: FxHashSet<Var>,
    /// Certificates that computed sizes fit.
    fitting: FxHashMap<Var, Var>,
}

/// A scalar operation without effects and certificates.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pure {
    Unary(UnaryOp, Operand),
    Binary(BinaryOp, Operand, Operand),
    Compare(CompareOp, Operand, Operand),
    Convert(ConvertOp, Operand, ScalarType),
    Select(Operand, Operand, Operand),
}

impl OpenBody {
    /// Whether the body has no statements yet.
    pub fn is_empty(&self) -> bool {
        self.stms.is_empty()
    }
}

impl Code {
    /// Creates an empty function.
    pub fn new(name: &str, span: Span) -> Code {
        let mut function = Function::new(name);
        function.span = span;
        // Two bodies: the front part, evaluated once, and the body proper.
        let bodies = vec![OpenBody::default(), OpenBody::default()];
        Code { function, span, bodies, depth: SecondaryMap::new(0) }
    }

    /// Completes the function with this result.
    pub fn finish(mut self, result: Vec<Operand>) -> Function {
        let stms = self.bodies.drain(..).flat_map(|body| body.stms).collect();
        for data in self.function.vars.values_mut().filter(|data| data.name.is_empty()) {
            data.name = b"t".as_slice().into();
        }
        self.function.body = Body { stms, result };
        self.function
    }

    // --- Bodies -------------------------------------------------------------------------------

    /// Starts a nested body.
    pub fn open(&mut self) {
        self.bodies.push(OpenBody::default());
    }

    /// Suspends the innermost body.
    pub fn suspend(&mut self) -> OpenBody {
        self.bodies.pop().unwrap_or_default()
    }

    /// Resumes a suspended body.
    pub fn resume(&mut self, body: OpenBody) {
        self.bodies.push(body);
    }

    /// Closes the innermost body.
    pub fn close(&mut self, result: Vec<Operand>) -> Body {
        Body { stms: self.suspend().stms, result }
    }

    /// Closes the innermost body as that of a lambda.
    pub fn close_lambda(&mut self, params: Vec<Var>, result: Vec<Operand>) -> Lambda {
        Lambda { params, body: self.close(result) }
    }

    /// Suspends all bodies but the front part, and returns them.
    pub fn enter_front(&mut self) -> Vec<OpenBody> {
        self.bodies.split_off(1)
    }

    /// Resumes the bodies suspended by [`Code::enter_front`].
    pub fn leave_front(&mut self, bodies: Vec<OpenBody>) {
        self.bodies.extend(bodies);
    }

    /// Returns the current position in the innermost body.
    pub fn point(&self) -> Point {
        let n_stms = self.bodies.last().map_or(0, |body| body.stms.len());
        let known = self.bodies.last().map(|body| OpenBody { stms: Vec::new(), ..body.clone() });
        Point { n_stms, known: known.unwrap_or_default() }
    }

    /// Removes the statements since a position that no variable in `needed` depends on, including checks.
    pub fn keep_only(&mut self, mut needed: FreeVars, since: Point) {
        let Some(body) = self.bodies.last_mut() else { return };
        let mut kept = Vec::new();
        for stm in body.stms.split_off(since.n_stms).into_iter().rev() {
            if stm.pattern.iter().any(|&var| needed.contains(var)) {
                needed.absorb(free_in_expr(&self.function, &stm.expr));
                let types = stm.pattern.iter().map(|&var| &self.function.vars[var].ty);
                types.for_each(|ty| needed.absorb(free_in_type(&self.function, ty)));
                stm.certs.iter().for_each(|&cert| needed.insert(cert));
                kept.push(stm);
            }
        }
        body.stms.extend(kept.into_iter().rev());
        // Facts learned since then may mention variables that were removed.
        let OpenBody { known, sizes, fitting, .. } = since.known;
        (body.known, body.sizes, body.fitting) = (known, sizes, fitting);
    }

    /// Whether the operand is in scope in the innermost body. Operands of a suspended body are not.
    pub fn in_scope(&self, operand: Operand) -> bool {
        operand.as_var().is_none_or(|var| self.depth[var] < self.bodies.len() as u32)
    }

    // --- Variables and statements -------------------------------------------------------------

    /// Creates a variable, bound in the innermost body.
    pub fn fresh(&mut self, name: &str, ty: Type) -> Var {
        let var = self.function.fresh(name, ty);
        self.depth[var] = (self.bodies.len() as u32).saturating_sub(1);
        var
    }

    /// Marks an operand as a size, which is not negative, for the rest of the innermost body.
    pub fn mark_size(&mut self, operand: Operand) {
        if let (Operand::Var(var), Some(body)) = (operand, self.bodies.last_mut()) {
            body.sizes.insert(var);
        }
    }

    /// Whether the operand is known to be non-negative.
    pub fn is_size(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(value) => value.as_int().is_some_and(|value| value >= 0),
            Operand::Var(var) => self.bodies.iter().any(|body| body.sizes.contains(&var)),
        }
    }

    /// Records the certificate that a computed size fits, for the rest of the innermost body.
    pub fn set_fitting(&mut self, size: Operand, cert: Var) {
        if let (Operand::Var(size), Some(body)) = (size, self.bodies.last_mut()) {
            body.fitting.insert(size, cert);
        }
    }

    /// Returns the certificate that a size fits, if it was computed with a check.
    pub fn fitting(&self, size: Operand) -> Option<Var> {
        let size = size.as_var()?;
        self.bodies.iter().rev().find_map(|body| body.fitting.get(&size).copied())
    }

    /// Returns the type of an operand.
    pub fn ty(&self, operand: Operand) -> Type {
        self.function.operand_type(operand)
    }

    /// Adds a statement.
    pub fn push(&mut self, pattern: Vec<Var>, expr: Expr, certs: &[Var]) {
        let stm = Stm { pattern, expr, certs: certs.to_vec(), span: self.span };
        if let Some(body) = self.bodies.last_mut() {
            body.stms.push(stm);
        }
    }

    /// Binds the results of an expression (no call) to fresh variables.
    ///
    /// An expression without a type is a mistake of this front end. It binds nothing, and the verifier reports it.
    pub fn bind(&mut self, name: &str, expr: Expr, certs: &[Var]) -> Vec<Var> {
        let types = result_types(None, &self.function, &expr).unwrap_or_default();
        let mut pattern: Vec<Var> = Vec::with_capacity(types.len());
        for ty in types {
            let earlier: Vec<Operand> = pattern.iter().map(|var| Operand::Var(*var)).collect();
            pattern.push(self.fresh(name, ty.instantiate(&earlier)));
        }
        self.push(pattern.clone(), expr, certs);
        pattern
    }

    /// Binds the single result of an expression.
    pub fn bind_one(&mut self, name: &str, expr: Expr, certs: &[Var]) -> Var {
        match self.bind(name, expr, certs)[..] {
            [var] => var,
            _ => self.fresh(name, Type::Cert),
        }
    }

    // --- Scalar operations --------------------------------------------------------------------

    /// Emits `op x`.
    pub fn unary(&mut self, op: UnaryOp, x: Operand) -> Operand {
        match x {
            Operand::Const(x) if op.accepts(x.ty()) => op.eval(x).into(),
            Operand::Const(_) | Operand::Var(_) => self.pure(Pure::Unary(op, x), Expr::Unary(op, x)),
        }
    }

    /// Emits `op x y`, where the operation cannot fail.
    pub fn binary(&mut self, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        if let (Some(x), Some(y)) = (x.as_const(), y.as_const())
            && let Some(value) = op.eval(x, y)
        {
            return value.into();
        }
        match simplified(op, x, y) {
            Some(result) => result,
            None => self.pure(Pure::Binary(op, x, y), Expr::Binary(op, x, y)),
        }
    }

    /// Emits `x + y`.
    pub fn add(&mut self, x: Operand, y: Operand) -> Operand {
        self.binary(BinaryOp::Add, x, y)
    }

    /// Emits `x - y`.
    pub fn sub(&mut self, x: Operand, y: Operand) -> Operand {
        self.binary(BinaryOp::Sub, x, y)
    }

    /// Emits `x * y`.
    pub fn mul(&mut self, x: Operand, y: Operand) -> Operand {
        self.binary(BinaryOp::Mul, x, y)
    }

    /// Emits `op x y`, with a `bool` result.
    pub fn compare(&mut self, op: CompareOp, x: Operand, y: Operand) -> Operand {
        if let (Some(x), Some(y)) = (x.as_const(), y.as_const()) {
            return Operand::bool(op.eval(x, y));
        }
        let is_float = self.ty(x).elem().is_some_and(ScalarType::is_float);
        if x == y && !is_float {
            return Operand::bool(match op {
                CompareOp::Eq | CompareOp::SLe | CompareOp::ULe | CompareOp::FLe => true,
                CompareOp::Ne | CompareOp::SLt | CompareOp::ULt | CompareOp::FLt => false,
            });
        }
        self.pure(Pure::Compare(op, x, y), Expr::Compare(op, x, y))
    }

    /// Emits `op x : ty`.
    pub fn convert(&mut self, op: ConvertOp, x: Operand, ty: ScalarType) -> Operand {
        let same = self.ty(x) == Type::Scalar(ty);
        match (op, x) {
            (
                ConvertOp::SExt
                | ConvertOp::ZExt
                | ConvertOp::Truncate
                | ConvertOp::Bitcast
                | ConvertOp::FPConvert,
                _,
            ) if same => x,
            (_, Operand::Const(x)) => op.eval(x, ty).into(),
            (_, Operand::Var(_)) => self.pure(Pure::Convert(op, x, ty), Expr::Convert(op, x, ty)),
        }
    }

    /// Emits `select c x y`.
    pub fn select(&mut self, cond: Operand, x: Operand, y: Operand) -> Operand {
        match cond {
            Operand::Const(Scalar::Bool(cond)) => {
                if cond {
                    x
                } else {
                    y
                }
            }
            _ if x == y => x,
            _ if y == Operand::bool(false) => self.and(cond, x),
            _ if x == Operand::bool(true) => self.binary(BinaryOp::Or, cond, y),
            Operand::Const(_) | Operand::Var(_) => {
                self.pure(Pure::Select(cond, x, y), Expr::Select(cond, x, y))
            }
        }
    }

    /// Emits `x && y`, with both operands evaluated.
    pub fn and(&mut self, x: Operand, y: Operand) -> Operand {
        self.binary(BinaryOp::And, x, y)
    }

    fn pure(&mut self, key: Pure, expr: Expr) -> Operand {
        if let Some(operand) = self.bodies.iter().rev().find_map(|body| body.known.get(&key)) {
            return *operand;
        }
        let operand = Operand::Var(self.bind_one("", expr, &[]));
        if let Some(body) = self.bodies.last_mut() {
            body.known.insert(key, operand);
        }
        operand
    }
}

impl ScalarCode for Code {
    fn binary(&mut self, _: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        Code::binary(self, op, x, y)
    }

    fn compare(&mut self, _: &str, op: CompareOp, x: Operand, y: Operand) -> Operand {
        Code::compare(self, op, x, y)
    }

    fn select(&mut self, _: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        Code::select(self, cond, x, y)
    }

    fn is_size(&self, operand: Operand) -> bool {
        Code::is_size(self, operand)
    }
}

/// Returns the result of an integer or `bool` operation, if it is one of its operands or a constant.
fn simplified(op: BinaryOp, x: Operand, y: Operand) -> Option<Operand> {
    let is = |operand: Operand, value: i64| match operand {
        Operand::Const(Scalar::Bool(b)) => i64::from(b) == value,
        Operand::Const(scalar) => scalar.as_int() == Some(value),
        Operand::Var(_) => false,
    };
    match op {
        BinaryOp::Add | BinaryOp::Or => {
            if is(x, 0) {
                Some(y)
            } else {
                is(y, 0).then_some(x)
            }
        }
        BinaryOp::Sub => is(y, 0).then_some(x),
        BinaryOp::Mul => {
            if is(x, 1) || is(y, 0) {
                Some(y)
            } else {
                (is(y, 1) || is(x, 0)).then_some(x)
            }
        }
        BinaryOp::And => and_simplified(x, y),
        _ => None,
    }
}

/// Simplifies a conjunction of truth values, but not of integers.
fn and_simplified(x: Operand, y: Operand) -> Option<Operand> {
    match (x, y) {
        (Operand::Const(Scalar::Bool(true)), other) | (other, Operand::Const(Scalar::Bool(true))) => {
            Some(other)
        }
        (Operand::Const(Scalar::Bool(false)), _) | (_, Operand::Const(Scalar::Bool(false))) => {
            Some(Operand::bool(false))
        }
        _ => None,
    }
}
