//! Replaces accumulators by scatters, histograms and loops. Afterwards no `with_acc` is left.
//!
//! ```text
//! h2 = with_acc ([k] (h) with (i, x, y) { x + y } [0]) (t, c: acc(t, [k], i32)) {
//!   d = screma n (c, is) map (e, i) { f = update_acc e[i] (1i32); return f };
//!   return d }
//! ==>
//! at: [n]i64, new: [n]i32 = screma n (is) map (i) { return i, 1i32 };
//! h2: [k]i32 = hist n (at, new) map (i, x) { return i, x } into (h) rank 1 with (x, y) { x + y } [0];
//! ```
//!
//! A map whose updates stand outside loops and inner maps becomes a map that yields the indices and values of the updates,
//! followed by a histogram over these (a scatter if there is no operator), in program order ([`straight`]). All other code
//! becomes a sequential loop that updates the arrays themselves, in place and only at indices in bounds. Later passes therefore
//! need not support accumulators.
//!
//! Not done here: parallel updates from inner loops, which need atomic updates or one array per task. Accumulators as inputs of
//! anything but maps are a located limit.

mod straight;

use rustc_hash::FxHashMap;
use warpwise_diag::{Limit, Span};
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    AccType, Body, Branch, Expr, Function, LoopForm, LoopParam, Operand, Program, Screma, SliceDim, Stm,
    Type, Var, WithAcc, WithAccInput, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp};

/// Replaces the accumulators of every function.
pub fn accumulate(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let body = std::mem::take(&mut function.body);
        let mut pass = Accumulate { function, arrays: FxHashMap::default(), inputs: FxHashMap::default() };
        let body = pass.body(body)?;
        function.body = body;
    }
    Ok(())
}

struct Accumulate<'f> {
    function: &'f mut Function,
    /// The arrays that replace an accumulator.
    arrays: FxHashMap<Var, Vec<Var>>,
    /// The input of the `with_acc` that a token belongs to: its arrays and operator.
    inputs: FxHashMap<Var, WithAccInput>,
}

impl Accumulate<'_> {
    fn body(&mut self, body: Body) -> Result<Body, Limit> {
        let mut stms = Vec::with_capacity(body.stms.len());
        for stm in body.stms {
            self.stm(stm, &mut stms)?;
        }
        Ok(Body { stms, result: self.operands(&body.result) })
    }

    /// Returns the operands with accumulators replaced by their arrays.
    fn operands(&self, operands: &[Operand]) -> Vec<Operand> {
        let arrays = |operand: &Operand| operand.as_var().and_then(|var| self.arrays.get(&var));
        let one = |operand: &Operand| match arrays(operand) {
            Some(arrays) => arrays.iter().map(|&array| array.into()).collect(),
            None => vec![*operand],
        };
        operands.iter().flat_map(one).collect()
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) -> Result<(), Limit> {
        match stm.expr {
            Expr::WithAcc(with_acc) => return self.with_acc(&stm.pattern, *with_acc, stm.span, out),
            Expr::UpdateAcc { acc, ref indices, ref values } => {
                let Some(updated) = stm.pattern.first() else { return Ok(()) };
                let results = self.update(acc, indices, values, stm.span, out);
                self.arrays.insert(*updated, results);
                return Ok(());
            }
            Expr::Operand(Operand::Var(var)) if self.arrays.contains_key(&var) => {
                let arrays = self.arrays[&var].clone();
                self.arrays.extend(stm.pattern.first().map(|&alias| (alias, arrays)));
                return Ok(());
            }
            Expr::If { cond, then_body, else_body, branch } => {
                let then_body = self.body(then_body)?;
                let else_body = self.body(else_body)?;
                stm.expr = Expr::If { cond, then_body, else_body, branch };
                stm.pattern = self.pattern(&stm.pattern);
            }
            Expr::Loop { params, form, body } => {
                let params = params.into_iter().flat_map(|param| self.loop_params(param)).collect();
                let body = self.body(body)?;
                stm.expr = Expr::Loop { params, form, body };
                stm.pattern = self.pattern(&stm.pattern);
            }
            Expr::Screma(ref screma) if self.takes_acc(&screma.inputs) => {
                if !screma.is_map() {
                    return Err(limit("an accumulator as input of a scan or reduction", stm.span));
                }
                let screma = (**screma).clone();
                return match self.straight(&screma, &stm) {
                    Some(mut stms) => {
                        out.append(&mut stms);
                        Ok(())
                    }
                    None => self.map_loop(screma, &stm, out),
                };
            }
            ref mut expr @ (exprs!(simple, Screma, Partition, Scatter, Hist, Stream, FlatMap, Seg)) => {
                let mut inputs = Vec::new();
                expr.for_each_operand(|operand| inputs.extend(operand.as_var()));
                if self.takes_acc(&inputs) {
                    return Err(limit("an accumulator as input of anything but a map", stm.span));
                }
                let mut failed = None;
                expr.for_each_body_mut(|body| {
                    if failed.is_none() {
                        match self.body(std::mem::take(body)) {
                            Ok(new) => *body = new,
                            Err(limit) => failed = Some(limit),
                        }
                    }
                });
                if let Some(limit) = failed {
                    return Err(limit);
                }
            }
        }
        out.push(stm);
        Ok(())
    }

    fn takes_acc(&self, inputs: &[Var]) -> bool {
        inputs.iter().any(|&input| self.acc_type(input).is_some())
    }

    fn acc_type(&self, var: Var) -> Option<&AccType> {
        match self.function.ty(var) {
            Type::Acc(ty) => Some(ty),
            Type::Scalar(_) | Type::Array(_) | Type::Cert | Type::Mem => None,
        }
    }

    /// Returns a pattern with every accumulator replaced by fresh arrays.
    fn pattern(&mut self, pattern: &[Var]) -> Vec<Var> {
        pattern.iter().flat_map(|&var| self.binding(var)).collect()
    }

    /// Returns a variable, or fresh arrays for it if it is an accumulator.
    fn binding(&mut self, var: Var) -> Vec<Var> {
        let Some(token) = self.acc_type(var).map(|ty| ty.token) else { return vec![var] };
        let arrays = self.inputs.get(&token).map_or(Vec::new(), |input| input.arrays.clone());
        let fresh: Vec<Var> = arrays.into_iter().map(|array| self.function.fresh_like(array)).collect();
        self.arrays.insert(var, fresh.clone());
        fresh
    }

    fn loop_params(&mut self, param: LoopParam) -> Vec<LoopParam> {
        if self.acc_type(param.var).is_none() {
            return vec![param];
        }
        let inits = self.operands(&[param.init]);
        let vars = self.binding(param.var);
        vars.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init, consumed: true }).collect()
    }

    /// Emits the body of a `with_acc` in its place.
    fn with_acc(
        &mut self,
        pattern: &[Var],
        with_acc: WithAcc,
        span: Span,
        out: &mut Vec<Stm>,
    ) -> Result<(), Limit> {
        let (tokens, accs) = with_acc.lambda.params.split_at(with_acc.inputs.len());
        for ((&token, &acc), input) in tokens.iter().zip(accs).zip(with_acc.inputs) {
            self.arrays.insert(acc, input.arrays.clone());
            self.inputs.insert(token, input);
        }
        let body = self.body(with_acc.lambda.body)?;
        out.extend(body.stms);
        let results = pattern.iter().zip(body.result);
        out.extend(results.map(|(&var, x)| plain(vec![var], Expr::Operand(x), span)));
        Ok(())
    }

    /// Emits an in-place update of the arrays of an accumulator. Returns the updated arrays.
    fn update(
        &mut self,
        acc: Var,
        indices: &[Operand],
        values: &[Operand],
        span: Span,
        out: &mut Vec<Stm>,
    ) -> Vec<Var> {
        let arrays = self.arrays.get(&acc).cloned().unwrap_or_default();
        let Some((shape, token)) = self.acc_type(acc).map(|ty| (ty.shape.clone(), ty.token)) else {
            return arrays;
        };
        let inside = self.in_bounds(indices, &shape, span, out);
        let op = self.inputs.get(&token).and_then(|input| input.op.clone());
        let mut body = Body::default();
        let new = match op {
            None => values.to_vec(),
            Some((op, _)) => {
                let olds: Vec<Operand> = arrays
                    .iter()
                    .map(|&array| {
                        let row = self.function.ty(array).row(indices.len());
                        let old = self.function.fresh("old", row);
                        let index = Expr::Index { array, indices: indices.to_vec() };
                        body.stms.push(plain(vec![old], index, span));
                        old.into()
                    })
                    .collect();
                let args: Vec<Operand> = indices.iter().chain(&olds).chain(values).copied().collect();
                let substitution = Substitution::of(&op.params, &args);
                let combined = Copier::within(self.function, substitution).copy_body(&op.body);
                body.stms.extend(combined.stms);
                combined.result
            }
        };
        for (&array, value) in arrays.iter().zip(new) {
            let value = self.own(value, span, &mut body);
            let dims = row_at(indices, self.function.ty(array).shape());
            let updated = self.function.fresh_like(array);
            body.stms.push(plain(vec![updated], Expr::Update { array, dims, value }, span));
            body.result.push(updated.into());
        }
        let results: Vec<Var> = arrays.iter().map(|&array| self.function.fresh_like(array)).collect();
        let else_body = Body { stms: vec![], result: arrays.into_iter().map(Operand::Var).collect() };
        let choice = Expr::If { cond: inside, then_body: body, else_body, branch: Branch::Plain };
        out.push(plain(results.clone(), choice, span));
        results
    }

    /// Returns a value that shares nothing with the arrays about to be updated.
    fn own(&mut self, value: Operand, span: Span, body: &mut Body) -> Operand {
        match value {
            Operand::Var(array) if self.function.ty(array).rank() > 0 => {
                let copy = self.function.fresh_like(array);
                body.stms.push(plain(vec![copy], Expr::Copy(array), span));
                copy.into()
            }
            Operand::Var(_) | Operand::Const(_) => value,
        }
    }

    /// Appends the test whether an index lies in a shape.
    fn in_bounds(
        &mut self,
        indices: &[Operand],
        shape: &[Operand],
        span: Span,
        out: &mut Vec<Stm>,
    ) -> Operand {
        let mut all = Operand::bool(true);
        for (&index, &size) in indices.iter().zip(shape) {
            // One unsigned comparison rejects negative indices too.
            let inside = self.function.fresh("inside", Type::BOOL);
            out.push(plain(vec![inside], Expr::Compare(CompareOp::ULt, index, size), span));
            let both = self.function.fresh("inside", Type::BOOL);
            out.push(plain(vec![both], Expr::Binary(BinaryOp::And, all, inside.into()), span));
            all = both.into();
        }
        all
    }

    /// Emits a map over accumulators as a loop. Its other results are collected in arrays.
    fn map_loop(&mut self, screma: Screma, stm: &Stm, out: &mut Vec<Stm>) -> Result<(), Limit> {
        let Screma { width, inputs, map, .. } = screma;
        let index = self.function.fresh("i", Type::I64);
        let (mut params, mut body) = (Vec::new(), Body::default());
        let (mut pattern, mut result) = (Vec::new(), Vec::new());
        for (&param, &input) in map.params.iter().zip(&inputs) {
            if self.acc_type(param).is_some() {
                params.extend(self.loop_params(LoopParam { var: param, init: input.into(), consumed: true }));
            } else {
                let element = Expr::Index { array: input, indices: vec![index.into()] };
                body.stms.push(plain(vec![param], element, Span::NONE));
            }
        }
        let inner = self.body(map.body.clone())?;
        body.stms.extend(inner.stms);
        // Loop parameters follow the order of the inputs, results the order of the pattern: first the accumulators, by token.
        for (&param, _) in map.params.iter().zip(&inputs) {
            let Some(token) = self.acc_type(param).map(|ty| ty.token) else { continue };
            for (&var, &value) in stm.pattern.iter().zip(&map.body.result) {
                if self.acc_type(var).is_some_and(|ty| ty.token == token) {
                    pattern.extend(self.binding(var));
                    result.extend(self.operands(&[value]));
                }
            }
        }
        for (&var, &value) in stm.pattern.iter().zip(&map.body.result) {
            let Some(ty) = self.function.ty(var).as_array().cloned() else { continue };
            let scratch = self.function.fresh_like(var);
            let dims = row_at(&[index.into()], &ty.shape);
            out.push(plain(vec![scratch], Expr::Scratch { elem: ty.elem, shape: ty.shape }, stm.span));
            let array = self.function.fresh_like(var);
            params.push(LoopParam { var: array, init: scratch.into(), consumed: true });
            let updated = self.function.fresh_like(var);
            body.stms.push(plain(vec![updated], Expr::Update { array, dims, value }, stm.span));
            pattern.push(var);
            result.push(updated.into());
        }
        body.result = result;
        let form = LoopForm::For { index, bound: width };
        let expr = Expr::Loop { params, form, body };
        out.push(Stm { pattern, expr, certs: stm.certs.clone(), span: stm.span });
        Ok(())
    }
}

fn limit(what: &str, span: Span) -> Limit {
    Limit { message: what.to_string(), span }
}

/// Returns a statement without certificates.
fn plain(pattern: Vec<Var>, expr: Expr, span: Span) -> Stm {
    Stm { pattern, expr, certs: Vec::new(), span }
}

/// Returns the slice at leading `indices` of an array of this shape, whole in the other dimensions.
fn row_at(indices: &[Operand], shape: &[Operand]) -> Vec<SliceDim> {
    let whole = |&len: &Operand| SliceDim::whole(len);
    let fixed = indices.iter().map(|&index| SliceDim::Fix(index));
    fixed.chain(shape.iter().skip(indices.len()).map(whole)).collect()
}
