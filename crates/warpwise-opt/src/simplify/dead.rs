//! Removes unused code: statements, and results of loops, choices and SOACs.
//!
//! Walks backwards over every body with the set of live variables. An assertion is always live: other rewrites may have folded
//! away the uses of its certificate, and a failing program must still fail. It disappears only together with the whole loop,
//! choice or SOAC around it, if nothing uses that. No other rewrite removes a check that may fail (`docs/ir.md`, "Checks go with
//! values"): other rewrites may drop uses of a value, but may not take a result out of a body that can fail.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Visitor, free_in_expr, free_in_type};
use warpwise_ir::{Body, Expr, Function, LoopForm, Operand, Screma, Stm, Var, exprs};

/// Removes dead code from a function. Returns whether there was any.
pub fn remove_dead(function: &mut Function) -> bool {
    let body = std::mem::take(&mut function.body);
    let mut remover = Remover { function, live: SecondaryMap::default(), changed: false };
    let body = remover.body(body);
    let changed = remover.changed;
    function.body = body;
    changed
}

struct Remover<'f> {
    function: &'f Function,
    live: SecondaryMap<Var, bool>,
    changed: bool,
}

impl Remover<'_> {
    fn body(&mut self, mut body: Body) -> Body {
        body.result.iter().for_each(|&x| self.use_operand(x));
        let mut kept = Vec::with_capacity(body.stms.len());
        for stm in body.stms.into_iter().rev() {
            if is_assert(&stm) || stm.pattern.iter().any(|&var| self.live[var]) {
                kept.push(self.stm(stm));
            } else {
                self.changed = true;
            }
        }
        kept.reverse();
        body.stms = kept;
        body
    }

    fn stm(&mut self, mut stm: Stm) -> Stm {
        for &var in &stm.pattern {
            for used in free_in_type(self.function, self.function.ty(var)).iter() {
                self.live[used] = true;
            }
        }
        stm.certs.iter().for_each(|&cert| self.live[cert] = true);
        match &mut stm.expr {
            Expr::If { then_body, else_body, .. } => {
                for position in (0..stm.pattern.len()).rev() {
                    if !self.live[stm.pattern[position]] {
                        stm.pattern.remove(position);
                        then_body.result.remove(position);
                        else_body.result.remove(position);
                        self.changed = true;
                    }
                }
            }
            Expr::Loop { params, form, body } => self.dead_params(&mut stm.pattern, params, form, body),
            Expr::Screma(soac) => self.dead_results(&mut stm.pattern, soac),
            Expr::Stream(soac) => {
                for position in (soac.accs.len()..stm.pattern.len()).rev() {
                    if !self.live[stm.pattern[position]] {
                        stm.pattern.remove(position);
                        soac.lambda.body.result.remove(position);
                        self.changed = true;
                    }
                }
            }
            exprs!(simple, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => {}
        }
        let mut bodies = Vec::new();
        stm.expr.for_each_body_mut(|body| bodies.push(std::mem::take(body)));
        let mut bodies = bodies.into_iter().map(|body| self.body(body)).collect::<Vec<_>>().into_iter();
        stm.expr.for_each_body_mut(|body| *body = bodies.next().expect("as many as before"));
        self.dead_inputs(&mut stm.expr);
        self.use_all_types(&stm.expr);
        stm.expr.for_each_operand(|x| {
            if let Operand::Var(var) = x {
                self.live[var] = true;
            }
        });
        stm
    }

    fn use_operand(&mut self, operand: Operand) {
        if let Operand::Var(var) = operand {
            self.live[var] = true;
        }
    }

    /// Keeps the sizes in the types of variables bound inside alive.
    fn use_all_types(&mut self, expr: &Expr) {
        let mut bound = Vec::new();
        expr.for_each_binding(|var| bound.push(var));
        for var in bound {
            for used in free_in_type(self.function, self.function.ty(var)).iter() {
                self.live[used] = true;
            }
        }
    }

    /// Removes loop parameters that only feed themselves.
    fn dead_params(
        &mut self,
        pattern: &mut Vec<Var>,
        params: &mut Vec<warpwise_ir::LoopParam>,
        form: &LoopForm,
        body: &mut Body,
    ) {
        let mut needed: Vec<bool> = pattern.iter().map(|&var| self.live[var]).collect();
        for (needed, param) in needed.iter_mut().zip(params.iter()) {
            *needed |= matches!(form, LoopForm::While { cond } if *cond == param.var);
        }
        loop {
            let result = body.result.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(x, _)| *x);
            let used = used_by(self.function, body, result.collect(), params);
            let mut grown = false;
            for (needed, used) in needed.iter_mut().zip(used) {
                grown |= used && !*needed;
                *needed |= used;
            }
            if !grown {
                break;
            }
        }
        for position in (0..params.len()).rev().filter(|&position| !needed[position]) {
            pattern.remove(position);
            params.remove(position);
            body.result.remove(position);
            self.changed = true;
        }
    }

    fn dead_results(&mut self, pattern: &mut Vec<Var>, soac: &mut Screma) {
        let scanned = soac.n_scanned();
        let reduced = soac.n_reduced();
        for position in (reduced..pattern.len()).rev() {
            if self.live[pattern[position]] {
                continue;
            }
            let array = position - reduced;
            match &mut soac.post {
                Some(post) => {
                    post.body.result.remove(array);
                }
                None if array >= scanned => {
                    soac.map.body.result.remove(reduced + array);
                }
                // A scan without a second map yields all scanned arrays.
                None => continue,
            }
            pattern.remove(position);
            self.changed = true;
        }
        self.dead_reduces(pattern, soac, scanned);
    }

    fn dead_reduces(&mut self, pattern: &mut Vec<Var>, soac: &mut Screma, scanned: usize) {
        let mut end = soac.n_reduced();
        for position in (0..soac.reduces.len()).rev() {
            let start = end - soac.reduces[position].neutral.len();
            if pattern[start..end].iter().all(|&var| !self.live[var]) {
                soac.reduces.remove(position);
                soac.map.body.result.drain(scanned + start..scanned + end);
                pattern.drain(start..end);
                self.changed = true;
            }
            end = start;
        }
    }

    /// Removes inputs of SOACs whose elements are not used.
    fn dead_inputs(&mut self, expr: &mut Expr) {
        let (inputs, lambda, first) = match expr {
            Expr::Screma(soac) => (&mut soac.inputs, &mut soac.map, 0),
            Expr::Partition(soac) => (&mut soac.inputs, &mut soac.lambda, 0),
            Expr::Scatter(soac) => (&mut soac.inputs, &mut soac.lambda, 0),
            Expr::Hist(soac) => (&mut soac.inputs, &mut soac.lambda, 0),
            // The size, the offset and the accumulators of a chunk come first.
            Expr::Stream(soac) => (&mut soac.inputs, &mut soac.lambda, 2 + soac.accs.len()),
            exprs!(simple, If, Loop, WithAcc, FlatMap, Seg) => return,
        };
        for position in (0..inputs.len()).rev() {
            if !self.live[lambda.params[first + position]] {
                inputs.remove(position);
                lambda.params.remove(first + position);
                self.changed = true;
            }
        }
    }
}

fn is_assert(stm: &Stm) -> bool {
    matches!(stm.expr, Expr::Assert { .. })
}

/// Returns which loop parameters a body uses to compute the given results.
fn used_by(
    function: &Function,
    body: &Body,
    result: Vec<Operand>,
    params: &[warpwise_ir::LoopParam],
) -> Vec<bool> {
    let mut live: SecondaryMap<Var, bool> = SecondaryMap::default();
    Marker { live: &mut live }.needed(function, body, &result);
    for param in params {
        free_in_type(function, function.ty(param.var)).iter().for_each(|var| live[var] = true);
    }
    params.iter().map(|param| live[param.var]).collect()
}

struct Marker<'l> {
    live: &'l mut SecondaryMap<Var, bool>,
}

impl Marker<'_> {
    /// Marks the variables that a body uses to compute the given results. For a choice only its needed results count.
    fn needed(&mut self, function: &Function, body: &Body, result: &[Operand]) {
        result.iter().for_each(|x| self.operand(x));
        for stm in body.stms.iter().rev() {
            if !is_assert(stm) && !stm.pattern.iter().any(|&var| self.live[var]) {
                continue;
            }
            for &var in &stm.pattern {
                free_in_type(function, function.ty(var)).iter().for_each(|var| self.live[var] = true);
            }
            self.vars(&stm.certs);
            let Expr::If { cond, then_body, else_body, .. } = &stm.expr else {
                free_in_expr(function, &stm.expr).iter().for_each(|var| self.live[var] = true);
                continue;
            };
            self.operand(cond);
            for side in [then_body, else_body] {
                let live = stm.pattern.iter().zip(&side.result).filter(|(var, _)| self.live[**var]);
                let live: Vec<Operand> = live.map(|(_, &result)| result).collect();
                self.needed(function, side, &live);
            }
        }
    }
}

impl<'a> Visitor<'a> for Marker<'_> {
    fn var(&mut self, var: &'a Var) {
        self.live[*var] = true;
    }
}
