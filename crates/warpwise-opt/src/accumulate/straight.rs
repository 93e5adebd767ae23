//! Maps over accumulators whose updates stand outside loops. They become a map that yields the indices and values of the updates,
//! then a histogram or a scatter over these.
//!
//! ```text
//! d = screma n (c, is) map (e, i) { e1 = update_acc e[i] (x); e2 = if p { update_acc e1[j] (y) } else { e1 }; return e2 }
//! ==>
//! at: [n][2]i64, new: [n][2]t = screma n (is) map (i) { j', y' = if p { j, y } else { -1, 0 }; [i, j'], [x, y'] };
//! h2 = hist (n * 2) (reshape [n * 2] at, reshape [n * 2] new) ... into (h)
//! ```

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::traverse::free_in_lambda;
use warpwise_ir::{
    AccType, ArrayType, Body, Expr, Hist, HistOp, Lambda, Operand, Scatter, ScatterDest, Screma, Shape, Stm,
    Type, Var, WithAccInput, exprs,
};
use warpwise_prim::Scalar;

use super::{Accumulate, plain};

/// The values added at one index.
#[derive(Clone)]
struct Update {
    indices: Vec<Operand>,
    values: Vec<Operand>,
}

/// The accumulators of one map while its updates are collected.
struct Updates {
    /// The input that each variable is a state of.
    roots: FxHashMap<Var, usize>,
    /// The types of the inputs.
    types: Vec<AccType>,
    /// The updates of each input, in order.
    made: Vec<Vec<Update>>,
}

impl Accumulate<'_> {
    /// Returns the replacement of a map over accumulators, if all its updates stand outside loops and inner SOACs.
    pub(super) fn straight(&mut self, screma: &Screma, stm: &Stm) -> Option<Vec<Stm>> {
        let mut updates = Updates { roots: FxHashMap::default(), types: Vec::new(), made: Vec::new() };
        let (mut params, mut inputs, mut accs) = (Vec::new(), Vec::new(), Vec::new());
        for (&param, &input) in screma.map.params.iter().zip(&screma.inputs) {
            match self.acc_type(param).cloned() {
                Some(ty) => {
                    updates.roots.insert(param, accs.len());
                    updates.types.push(ty);
                    updates.made.push(Vec::new());
                    accs.push(input);
                }
                None => {
                    params.push(param);
                    inputs.push(input);
                }
            }
        }
        let mut body = self.collect(screma.map.body.clone(), &mut updates)?;
        let (mut stms, mut pattern, mut result) = (Vec::new(), Vec::new(), Vec::new());
        let mut columns = Vec::new();
        for (made, ty) in updates.made.iter().zip(&updates.types) {
            columns.push(self.columns(made, ty, &mut body, &mut result, &mut pattern, screma.width));
        }
        for (&var, &value) in stm.pattern.iter().zip(&screma.map.body.result) {
            if self.acc_type(var).is_none() {
                pattern.push(var);
                result.push(value);
            }
        }
        body.stms = self.nested(std::mem::take(&mut body.stms))?;
        body.result = result;
        let map = Lambda { params, body };
        let width = screma.width;
        let first = Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None };
        let first = Expr::Screma(Box::new(first));
        stms.push(Stm { pattern, expr: first, certs: stm.certs.clone(), span: stm.span });
        for (root, acc) in accs.into_iter().enumerate() {
            let arrays = self.arrays.get(&acc)?.clone();
            let input = self.inputs.get(&updates.types[root].token)?.clone();
            let n_updates = updates.made[root].len();
            let results = match n_updates {
                0 => arrays,
                _ => self.apply_updates(
                    arrays,
                    &input,
                    &columns[root],
                    (width, n_updates),
                    stm.span,
                    &mut stms,
                ),
            };
            for (&var, &value) in stm.pattern.iter().zip(&screma.map.body.result) {
                if value.as_var().and_then(|value| updates.roots.get(&value)) == Some(&root) {
                    self.arrays.insert(var, results.clone());
                }
            }
        }
        Some(stms)
    }

    /// Replaces the accumulators that are created and used up within statements.
    fn nested(&mut self, stms: Vec<Stm>) -> Option<Vec<Stm>> {
        self.body(Body { stms, result: Vec::new() }).ok().map(|body| body.stms)
    }

    /// Takes the updates out of a body. Returns `None` if some are in loops or inner SOACs, or if their operator reads the index.
    fn collect(&mut self, body: Body, updates: &mut Updates) -> Option<Body> {
        let looks = updates.types.iter().any(|ty| {
            self.inputs.get(&ty.token).is_some_and(|input| {
                input.op.as_ref().is_some_and(|(op, _)| mentions_index(self.function, op, input.shape.len()))
            })
        });
        if looks {
            return None;
        }
        let mut stms = Vec::with_capacity(body.stms.len());
        for stm in body.stms {
            match stm.expr {
                Expr::UpdateAcc { acc, indices, values } if updates.roots.contains_key(&acc) => {
                    let root = updates.roots[&acc];
                    updates.made[root].push(Update { indices, values });
                    updates.roots.insert(*stm.pattern.first()?, root);
                }
                Expr::Operand(Operand::Var(var)) if updates.roots.contains_key(&var) => {
                    updates.roots.insert(*stm.pattern.first()?, updates.roots[&var]);
                }
                Expr::If { cond, then_body, else_body, branch }
                    if self.takes_acc(&stm.pattern)
                        || mentions(&then_body, updates)
                        || mentions(&else_body, updates) =>
                {
                    let (pattern, then_body, else_body) =
                        self.choice(&stm.pattern, then_body, else_body, updates)?;
                    let expr = Expr::If { cond, then_body, else_body, branch };
                    stms.push(Stm { pattern, expr, certs: stm.certs, span: stm.span });
                }
                expr @ exprs!(simple, nested) => {
                    let mut used = false;
                    let mut look = |operand: Operand| {
                        used |= operand.as_var().is_some_and(|var| updates.roots.contains_key(&var));
                    };
                    expr.for_each_operand(&mut look);
                    expr.for_each_body(|body| used |= mentions(body, updates));
                    if used {
                        return None;
                    }
                    stms.push(Stm { expr, ..stm });
                }
            }
        }
        Some(Body { stms, result: body.result })
    }

    /// Makes a choice yield the updates of both branches. The branch with fewer updates is padded with updates out of bounds.
    fn choice(
        &mut self,
        pattern: &[Var],
        then_body: Body,
        else_body: Body,
        updates: &mut Updates,
    ) -> Option<(Vec<Var>, Body, Body)> {
        let n_roots = updates.types.len();
        let before = std::mem::replace(&mut updates.made, vec![Vec::new(); n_roots]);
        let mut then_body = self.collect(then_body, updates)?;
        let then_made = std::mem::replace(&mut updates.made, vec![Vec::new(); n_roots]);
        let mut else_body = self.collect(else_body, updates)?;
        let else_made = std::mem::replace(&mut updates.made, before);
        let (mut kept, mut then_result, mut else_result) = (Vec::new(), Vec::new(), Vec::new());
        for ((&var, &x), &y) in pattern.iter().zip(&then_body.result).zip(&else_body.result) {
            if self.acc_type(var).is_none() {
                kept.push(var);
                then_result.push(x);
                else_result.push(y);
                continue;
            }
            let root = |operand: Operand| operand.as_var().and_then(|var| updates.roots.get(&var)).copied();
            let (first, second) = (root(x)?, root(y)?);
            if first != second {
                return None;
            }
            updates.roots.insert(var, first);
        }
        for root in 0..n_roots {
            let ty = updates.types[root].clone();
            for at in 0..then_made[root].len().max(else_made[root].len()) {
                let sides = [
                    (&then_made, &mut then_body, &mut then_result),
                    (&else_made, &mut else_body, &mut else_result),
                ];
                for (made, body, result) in sides {
                    let update = made[root].get(at).cloned();
                    let update = update.unwrap_or_else(|| self.nothing(&ty, body));
                    result.extend(update.indices.into_iter().chain(update.values));
                }
                let indices: Vec<Var> =
                    ty.shape.iter().map(|_| self.function.fresh("at", Type::I64)).collect();
                let values: Vec<Var> =
                    ty.elems.iter().map(|elem| self.function.fresh("new", elem.clone())).collect();
                kept.extend(indices.iter().chain(&values));
                let operands = |vars: Vec<Var>| vars.into_iter().map(Operand::Var).collect();
                updates.made[root].push(Update { indices: operands(indices), values: operands(values) });
            }
        }
        then_body.result = then_result;
        else_body.result = else_result;
        Some((kept, then_body, else_body))
    }

    /// Returns an update without effect, at an index out of bounds.
    fn nothing(&mut self, ty: &AccType, body: &mut Body) -> Update {
        let value = |elem: &Type| match elem {
            Type::Scalar(scalar) => Operand::Const(Scalar::zero(*scalar)),
            Type::Array(ArrayType { elem: scalar, shape }) => {
                let scratch = self.function.fresh("none", elem.clone());
                let expr = Expr::Scratch { elem: *scalar, shape: shape.clone() };
                body.stms.push(plain(vec![scratch], expr, Span::NONE));
                scratch.into()
            }
            Type::Acc(_) | Type::Cert | Type::Mem => Operand::bool(false),
        };
        let values = ty.elems.iter().map(value).collect();
        Update { indices: vec![Operand::i64(-1); ty.shape.len()], values }
    }

    /// Makes the body yield the indices and values of the updates, several updates as an array literal. Returns the arrays that
    /// the map binds them to.
    fn columns(
        &mut self,
        made: &[Update],
        ty: &AccType,
        body: &mut Body,
        result: &mut Vec<Operand>,
        pattern: &mut Vec<Var>,
        width: Operand,
    ) -> Vec<Var> {
        let indices = (0..ty.shape.len()).map(|at| (Type::I64, at));
        let rows = indices.chain(ty.elems.iter().cloned().zip(ty.shape.len()..));
        let mut columns = Vec::new();
        for (row, at) in rows {
            let column: Vec<Operand> = made
                .iter()
                .filter_map(|one| one.indices.iter().chain(&one.values).nth(at).copied())
                .collect();
            let (value, row) = match column[..] {
                [] => continue,
                [value] => (value, row),
                _ => {
                    let row = row.array_of(&[Operand::i64(column.len() as i64)]);
                    let all = self.function.fresh("all", row.clone());
                    body.stms.push(plain(vec![all], Expr::ArrayLit(column), Span::NONE));
                    (all.into(), row)
                }
            };
            let bound = self.function.fresh("added", row.array_of(&[width]));
            result.push(value);
            pattern.push(bound);
            columns.push(bound);
        }
        columns
    }

    /// Applies all updates of one accumulator.
    fn apply_updates(
        &mut self,
        arrays: Vec<Var>,
        input: &WithAccInput,
        columns: &[Var],
        (width, n_updates): (Operand, usize),
        span: Span,
        stms: &mut Vec<Stm>,
    ) -> Vec<Var> {
        let (width, inputs) = self.flattened(columns, width, n_updates, span, stms);
        let rank = input.shape.len();
        let elements: Vec<Var> = inputs
            .iter()
            .map(|&column| {
                let row = self.function.ty(column).row(1);
                self.function.fresh("x", row)
            })
            .collect();
        let operands: Vec<Operand> = elements.iter().map(|&var| var.into()).collect();
        let (at, values) = operands.split_at(rank);
        let results: Vec<Var> = arrays.iter().map(|&array| self.function.fresh_like(array)).collect();
        let lambda = |result| Lambda { params: elements.clone(), body: Body { stms: vec![], result } };
        let expr = match &input.op {
            Some((op, neutral)) => {
                let op = Lambda { params: op.params[rank..].to_vec(), body: op.body.clone() };
                let op =
                    warpwise_ir::traverse::Copier::within(self.function, Default::default()).copy_lambda(&op);
                let ops = vec![HistOp { dests: arrays, rank, op, neutral: neutral.clone() }];
                Expr::Hist(Box::new(Hist { width, inputs, lambda: lambda(operands.clone()), ops }))
            }
            None => {
                let dests = arrays.iter().map(|&array| ScatterDest::at(array, rank)).collect();
                let written = values.iter().flat_map(|value| at.iter().chain([value])).copied().collect();
                Expr::Scatter(Box::new(Scatter { width, inputs, lambda: lambda(written), dests }))
            }
        };
        stms.push(plain(results.clone(), expr, span));
        results
    }

    /// Returns the number of updates of all elements, and the columns flattened to that length.
    fn flattened(
        &mut self,
        columns: &[Var],
        width: Operand,
        n_updates: usize,
        span: Span,
        stms: &mut Vec<Stm>,
    ) -> (Operand, Vec<Var>) {
        if n_updates == 1 {
            return (width, columns.to_vec());
        }
        let mut b = Builder::new(self.function);
        b.set_span(span);
        let (total, certs) = b.size(SizeOp::Mul, width, Operand::i64(n_updates as i64));
        let flat = |&array: &Var| {
            let ty = b.function.ty(array).row(2).array_of(&[total]);
            let shape = Shape::from_slice(ty.shape());
            b.with_certs(certs.as_slice(), |b| b.bind_one("flat", Expr::Reshape { array, shape }))
        };
        let flat = columns.iter().map(flat).collect();
        stms.extend(b.take_stms());
        (total, flat)
    }
}

/// Whether a body uses a state of an accumulator.
fn mentions(body: &Body, updates: &Updates) -> bool {
    let is_state = |operand: Operand| operand.as_var().is_some_and(|var| updates.roots.contains_key(&var));
    body.result.iter().any(|&operand| is_state(operand))
        || body.stms.iter().any(|stm| {
            let mut used = false;
            stm.expr.for_each_operand(|operand| used |= is_state(operand));
            stm.expr.for_each_body(|inner| used |= mentions(inner, updates));
            used
        })
}

/// Whether an operator with leading index parameters reads the indices.
fn mentions_index(function: &warpwise_ir::Function, op: &Lambda, rank: usize) -> bool {
    let rest = Lambda { params: op.params[rank..].to_vec(), body: op.body.clone() };
    let free = free_in_lambda(function, &rest);
    op.params[..rank].iter().any(|&index| free.contains(index))
}
