//! Branches and loops: their results are flattened, and sizes that depend on the control flow become results.
//!
//! ```text
//! if c then xs else ys                       k: i64, zs: [k]i32 = if c { return n, xs } else { return m, ys }
//! loop xs = [1] for i < n do concat xs xs    k: i64, xs: [k]i32 = loop (k = 1, xs: [k]i32 = ...) for i < n { ... }
//! ```

use warpwise_diag::Failure;
use warpwise_ir::{
    Branch, Expr as CoreExpr, LoopForm as CoreForm, LoopParam, Operand, Type as CoreType, Var,
};
use warpwise_prim::Scalar;

use crate::lower::code::OpenBody;
use crate::lower::context::Lowering;
use crate::lower::types::{Extent, Sizes, scalar_type};
use crate::lower::value::{Env, Frame, Value};
use crate::typed::ids::LocalId;
use crate::typed::tree::{Expr, Loop, LoopForm};
use crate::typed::ty::Type;

/// State of a loop while its body is lowered.
struct LoopState<'a> {
    /// Extents of the loop value. Known ones are loop-invariant.
    extents: Vec<Extent>,
    /// Loop value inside the body.
    value: Value<'a>,
    /// Parameters so far: sizes that change, then leaves.
    params: Vec<LoopParam>,
    /// Number of parameters that are sizes.
    n_sizes: usize,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers `if condition then ... else ...`.
    pub fn branch(
        &mut self,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let condition = self.expr(condition, env)?;
        let cond = self.scalar(&condition)?;
        if let Operand::Const(Scalar::Bool(cond)) = cond {
            return self.expr(if cond { then } else { otherwise }, env);
        }
        let then = self.aside(|this| this.expr(then, env))?;
        let otherwise = self.aside(|this| this.expr(otherwise, env))?;
        self.join(cond, then, otherwise, |this| Ok(this.repr(ty, env, Sizes::All)?.extents()))
    }

    /// Lowers into a body of its own, which stays open.
    pub fn aside(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Result<Value<'a>, Failure>,
    ) -> Result<(OpenBody, Value<'a>), Failure> {
        self.code.open();
        let value = lower(self)?;
        Ok((self.code.suspend(), value))
    }

    /// Joins two bodies into a branch that yields the value of one of them.
    pub fn join(
        &mut self,
        cond: Operand,
        (then_body, then): (OpenBody, Value<'a>),
        (else_body, otherwise): (OpenBody, Value<'a>),
        extents: impl FnOnce(&mut Self) -> Result<Vec<Extent>, Failure>,
    ) -> Result<Value<'a>, Failure> {
        let sizes: Vec<(Operand, Operand)> = then.extents().into_iter().zip(otherwise.extents()).collect();
        if sizes.is_empty() && then_body.is_empty() && else_body.is_empty() && self.all_scalar(&then) {
            let mut others = otherwise.leaves().into_iter();
            return Ok(then.map_leaves(&mut |x| match others.next() {
                Some(y) => self.code.select(cond, x, y),
                None => x,
            }));
        }
        let shared = |this: &Self, (x, y): &(Operand, Operand)| x == y && this.code.in_scope(*x);
        let common = sizes.iter().map(|pair| shared(self, pair).then_some(Extent::Known(pair.0)));
        let common: Vec<Option<Extent>> = common.collect();
        // A size that both bodies share is not open, even if an enclosing branch leaves it open in the type.
        let extents: Vec<Extent> = match common.iter().all(Option::is_some) {
            true => common.into_iter().flatten().collect(),
            false => {
                common.into_iter().zip(extents(self)?).map(|(known, open)| known.unwrap_or(open)).collect()
            }
        };
        let (then_body, n_sizes) = self.finish_branch(then_body, &then, &extents);
        let (else_body, _) = self.finish_branch(else_body, &otherwise, &extents);
        let expr = CoreExpr::If { cond, then_body, else_body, branch: Branch::Plain };
        let results = self.code.bind("", expr, &[]);
        Ok(rebuild(&then, &extents, n_sizes, &results))
    }

    fn all_scalar(&self, value: &Value<'a>) -> bool {
        value.leaves().into_iter().all(|leaf| self.code.ty(leaf).as_scalar().is_some())
    }

    /// Closes a body with the open sizes as results, then the leaves.
    fn finish_branch(
        &mut self,
        body: OpenBody,
        value: &Value<'a>,
        extents: &[Extent],
    ) -> (warpwise_ir::Body, usize) {
        self.code.resume(body);
        let (sizes, value) = self.open_sizes(value, extents);
        let n_sizes = sizes.len();
        let mut result = sizes;
        result.extend(value.leaves());
        (self.code.close(result), n_sizes)
    }

    /// Returns the sizes at the open extents, and the value with its known extents. If a local occurs twice, only its first
    /// extent counts.
    pub fn open_sizes(&mut self, value: &Value<'a>, extents: &[Extent]) -> (Vec<Operand>, Value<'a>) {
        let mut named: Vec<(LocalId, Operand)> = Vec::new();
        let mut sizes = Vec::new();
        let mut targets = Vec::with_capacity(extents.len());
        for (size, extent) in value.extents().into_iter().zip(extents) {
            targets.push(Extent::Known(match extent {
                Extent::Known(operand) => *operand,
                Extent::Local(local) => match named.iter().find(|(other, _)| other == local) {
                    Some((_, operand)) => *operand,
                    None => {
                        named.push((*local, size));
                        sizes.push(size);
                        size
                    }
                },
                Extent::Unknown | Extent::Hidden => {
                    sizes.push(size);
                    size
                }
            }));
        }
        (sizes, self.coerce(value, &targets, &[]))
    }

    /// Lowers `loop ...`.
    pub fn loop_(&mut self, source: &'a Loop, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let unroll = std::mem::take(&mut self.unroll);
        let initial = self.expr(&source.initial, env)?;
        let extents = self.extents_of(&source.pattern.ty, env, Sizes::All)?;
        let extents = extents.into_iter().zip(initial.extents()).map(|(extent, _)| match extent {
            Extent::Local(local) if !source.sizes.contains(&local) => Extent::Unknown,
            Extent::Known(_) | Extent::Local(_) | Extent::Unknown | Extent::Hidden => extent,
        });
        let extents: Vec<Extent> = extents.collect();
        let (mut inits, initial) = self.open_sizes(&initial, &extents);
        let n_sizes = inits.len();
        inits.extend(initial.leaves());
        match &source.form {
            LoopForm::For { index, bound } => {
                let ty = &bound.ty;
                let bound = self.expr(bound, env)?;
                let bound = self.scalar(&bound)?;
                let index_type = match ty {
                    Type::Prim(prim) => CoreType::Scalar(scalar_type(*prim)),
                    Type::Param(_)
                    | Type::Abstract(..)
                    | Type::Array(_)
                    | Type::Record(_)
                    | Type::Sum(_)
                    | Type::Arrow(_) => self.code.ty(bound),
                };
                if unroll && let Some(iterations) = self.unrolled(bound.as_const().and_then(Scalar::as_int)) {
                    let Some(elem) = index_type.elem() else {
                        return Err(self.bug("a count that is no number"));
                    };
                    return self.iterations(
                        source,
                        env,
                        (initial, &extents),
                        iterations,
                        &mut |_, inner, iteration| {
                            inner.bind(*index, Value::leaf(Operand::Const(Scalar::int(elem, iteration))));
                            Ok(())
                        },
                    );
                }
                let (inner, state) = self.open_loop(source, env, &initial, extents, &inits, n_sizes)?;
                let index_var = self.code.fresh("i", index_type);
                let index_value = Value::leaf(index_var);
                self.code.function.vars[index_var].name = self.local_name(*index).as_bytes().into();
                inner.bind(*index, index_value);
                self.close_for(source, state, &inner, index_var, bound)
            }
            LoopForm::ForIn { pattern, array } => {
                let array = self.expr(array, env)?;
                let (size, element) = self.array(&array)?;
                let element = element.clone();
                if unroll && let Some(iterations) = self.unrolled(size.as_const().and_then(Scalar::as_int)) {
                    return self.iterations(
                        source,
                        env,
                        (initial, &extents),
                        iterations,
                        &mut |this, inner, iteration| {
                            let row = this.row(&element, Operand::i64(iteration));
                            this.bind_pattern(pattern, &row, inner)
                        },
                    );
                }
                let (inner, state) = self.open_loop(source, env, &initial, extents, &inits, n_sizes)?;
                let index = self.code.fresh("i", CoreType::I64);
                let row = self.row(&element, index.into());
                self.bind_pattern(pattern, &row, &inner)?;
                self.close_for(source, state, &inner, index, size)
            }
            LoopForm::While(condition) => {
                if unroll {
                    self.unrolled(None);
                }
                let first = self.condition(source, condition, env, &initial)?;
                let (inner, mut state) = self.open_loop(source, env, &initial, extents, &inits, n_sizes)?;
                let again = self.code.fresh("again", CoreType::BOOL);
                state.params.push(LoopParam { var: again, init: first, consumed: false });
                let (mut result, value) = self.iteration(source, &state, &inner)?;
                result.push(self.condition(source, condition, env, &value)?);
                Ok(self.close_loop(state, CoreForm::While { cond: again }, result))
            }
        }
    }

    /// Unrolls the iterations of a loop. `enter` binds the names that differ between iterations.
    fn iterations(
        &mut self,
        source: &'a Loop,
        env: &Env<'a>,
        (initial, extents): (Value<'a>, &[Extent]),
        iterations: i64,
        enter: &mut dyn FnMut(&mut Self, &Env<'a>, i64) -> Result<(), Failure>,
    ) -> Result<Value<'a>, Failure> {
        let mut value = initial;
        for iteration in 0..iterations {
            let inner = Frame::inside(env, false);
            self.bind_sizes(&source.pattern.ty, &value, &inner, &mut |local| source.sizes.contains(&local));
            self.bind_pattern(&source.pattern, &value, &inner)?;
            enter(self, &inner, iteration)?;
            let result = self.expr(&source.body, &inner)?;
            value = self.open_sizes(&result, extents).1;
        }
        Ok(value)
    }

    fn local_name(&self, local: LocalId) -> &'a str {
        self.session.input.names.text(self.session.program.locals[local.index()].name)
    }

    /// Emits the loop condition for a loop value.
    fn condition(
        &mut self,
        source: &'a Loop,
        condition: &'a Expr,
        env: &Env<'a>,
        value: &Value<'a>,
    ) -> Result<Operand, Failure> {
        let inner = Frame::inside(env, false);
        self.bind_sizes(&source.pattern.ty, value, &inner, &mut |local| source.sizes.contains(&local));
        self.bind_pattern(&source.pattern, value, &inner)?;
        let condition = self.expr(condition, &inner)?;
        self.scalar(&condition)
    }

    /// Opens the body of a loop and binds the loop's parameters.
    fn open_loop(
        &mut self,
        source: &'a Loop,
        env: &Env<'a>,
        initial: &Value<'a>,
        extents: Vec<Extent>,
        inits: &[Operand],
        n_sizes: usize,
    ) -> Result<(Env<'a>, LoopState<'a>), Failure> {
        self.code.open();
        let sizes: Vec<Var> = (0..n_sizes).map(|_| self.code.fresh("n", CoreType::I64)).collect();
        let results: Vec<Operand> = sizes.iter().map(|var| Operand::Var(*var)).collect();
        let mut known = fill(&extents, &results).into_iter();
        let value = self.fresh_like(&initial.with_extents(&mut known));
        let inner = Frame::inside(env, false);
        self.bind_sizes(&source.pattern.ty, &value, &inner, &mut |local| source.sizes.contains(&local));
        self.bind_pattern(&source.pattern, &value, &inner)?;
        let mut consumed = vec![false; n_sizes];
        consumed.extend(initial.marks(&source.consumes));
        let vars = sizes.into_iter().chain(self.arrays(&value)?);
        let params = vars.zip(inits).zip(consumed);
        let params = params.map(|((var, init), consumed)| LoopParam { var, init: *init, consumed }).collect();
        Ok((inner, LoopState { extents, value, params, n_sizes }))
    }

    /// Lowers the body of a loop. Returns its result operands and its value.
    fn iteration(
        &mut self,
        source: &'a Loop,
        state: &LoopState<'a>,
        inner: &Env<'a>,
    ) -> Result<(Vec<Operand>, Value<'a>), Failure> {
        let value = self.expr(&source.body, inner)?;
        let (mut result, value) = self.open_sizes(&value, &state.extents);
        result.extend(value.leaves());
        Ok((result, value))
    }

    fn close_for(
        &mut self,
        source: &'a Loop,
        state: LoopState<'a>,
        inner: &Env<'a>,
        index: Var,
        bound: Operand,
    ) -> Result<Value<'a>, Failure> {
        let (result, _) = self.iteration(source, &state, inner)?;
        Ok(self.close_loop(state, CoreForm::For { index, bound }, result))
    }

    fn close_loop(&mut self, state: LoopState<'a>, form: CoreForm, result: Vec<Operand>) -> Value<'a> {
        let body = self.code.close(result);
        let results = self.code.bind("", CoreExpr::Loop { params: state.params, form, body }, &[]);
        rebuild(&state.value, &state.extents, state.n_sizes, &results)
    }

    /// Emits the element of an array at an index that is in bounds.
    pub fn row(&mut self, element: &Value<'a>, index: Operand) -> Value<'a> {
        element.map_leaves(&mut |leaf| match leaf {
            Operand::Var(array) => {
                let expr = CoreExpr::Index { array, indices: vec![index] };
                self.code.bind_one("", expr, &[]).into()
            }
            Operand::Const(_) => leaf,
        })
    }
}

/// Replaces the open extents by these operands in order, one for each local or unknown extent.
pub fn fill(extents: &[Extent], sizes: &[Operand]) -> Vec<Operand> {
    let mut sizes = sizes.iter().copied();
    let mut named: Vec<(LocalId, Operand)> = Vec::new();
    let zero = Operand::i64(0);
    let operand = |extent: &Extent| match extent {
        Extent::Known(operand) => *operand,
        Extent::Unknown | Extent::Hidden => sizes.next().unwrap_or(zero),
        Extent::Local(local) => match named.iter().find(|(other, _)| other == local) {
            Some((_, operand)) => *operand,
            None => {
                let operand = sizes.next().unwrap_or(zero);
                named.push((*local, operand));
                operand
            }
        },
    };
    extents.iter().map(operand).collect()
}

/// Rebuilds a value of this form from the results of a statement: sizes at the open extents, then leaves.
pub fn rebuild<'a>(form: &Value<'a>, extents: &[Extent], n_sizes: usize, results: &[Var]) -> Value<'a> {
    let operands: Vec<Operand> = results.iter().map(|var| Operand::Var(*var)).collect();
    let (sizes, leaves) = operands.split_at(n_sizes.min(operands.len()));
    let sized = form.with_extents(&mut fill(extents, sizes).into_iter());
    sized.with_leaves(&mut leaves.iter().copied())
}
