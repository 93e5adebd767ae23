//! Rewrites SOACs and segmented operations: their inputs, lambdas and bodies.

use warpwise_ir::{Expr, Lambda, Operand, SegKind, Stm, StreamKind, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::{Outside, Rewriter};

impl Rewriter<'_> {
    pub(super) fn soac(&mut self, mut stm: Stm) {
        match &mut stm.expr {
            Expr::Screma(soac) => {
                let width = soac.width;
                self.inputs(width, &mut soac.inputs, &mut soac.map);
                self.lambda(&mut soac.map);
                soac.scans.iter_mut().for_each(|scan| self.lambda(&mut scan.op));
                soac.reduces.iter_mut().for_each(|reduce| self.lambda(&mut reduce.op));
                soac.post.iter_mut().for_each(|post| self.lambda(post));
                self.reductions_of_one_value(&mut stm);
            }
            Expr::Partition(soac) => {
                self.inputs(soac.width, &mut soac.inputs, &mut soac.lambda);
                self.lambda(&mut soac.lambda);
            }
            Expr::Scatter(soac) => {
                self.inputs(soac.width, &mut soac.inputs, &mut soac.lambda);
                self.lambda(&mut soac.lambda);
            }
            Expr::Hist(soac) => {
                self.inputs(soac.width, &mut soac.inputs, &mut soac.lambda);
                self.lambda(&mut soac.lambda);
                soac.ops.iter_mut().for_each(|op| self.lambda(&mut op.op));
            }
            Expr::Stream(soac) => {
                self.lambda(&mut soac.lambda);
                if let StreamKind::Red(op) = &mut soac.kind {
                    self.lambda(op);
                }
            }
            Expr::WithAcc(soac) => {
                for input in &mut soac.inputs {
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op);
                    }
                }
                self.lambda(&mut soac.lambda);
            }
            Expr::FlatMap(soac) => self.lambda(&mut soac.lambda),
            Expr::Seg(op) => self.seg_op(op),
            other @ exprs!(simple, If, Loop) => unreachable!("{other:?} is no SOAC"),
        }
        self.push(stm);
    }

    /// Drops inputs whose elements are known without reading the array.
    fn inputs(&mut self, width: Operand, inputs: &mut Vec<Var>, lambda: &mut Lambda) {
        for position in (0..inputs.len()).rev() {
            let (input, param) = (inputs[position], lambda.params[position]);
            let known = match &self.views[input] {
                Some((Expr::Replicate { shape, value }, _))
                    if shape.len() == 1 && self.function.ty(param).rank() == 0 =>
                {
                    Some(*value)
                }
                Some((Expr::Iota { start, step, .. }, _)) => {
                    if *start == Operand::i64(0) && *step == Operand::i64(1) {
                        self.facts.set_index(param, width);
                    }
                    None
                }
                _ => None,
            };
            let first = inputs.iter().position(|&other| other == input).expect("itself at least");
            let known = known.or((first < position).then(|| lambda.params[first].into()));
            if let Some(known) = known {
                inputs.remove(position);
                lambda.params.remove(position);
                self.replace(param, known);
            }
        }
    }

    /// Replaces reductions of a single repeated value by idempotent operators with choices: `reduce (&) e (replicate n x)` is
    /// `if 0 < n then e & x else e`. Reductions whose elements may fail stay, because the checks that the total stands for
    /// would disappear with it.
    fn reductions_of_one_value(&mut self, stm: &mut Stm) {
        let Expr::Screma(soac) = &stm.expr else { return };
        let mut end = soac.n_reduced();
        let n_scanned = soac.n_scanned();
        for position in (0..soac.reduces.len()).rev() {
            let Expr::Screma(soac) = &stm.expr else { return };
            let reduce = &soac.reduces[position];
            let start = end - reduce.neutral.len();
            let values = soac.map.body.result[n_scanned + start..n_scanned + end].to_vec();
            let outside = |x: &Operand| x.as_var().is_none_or(|var| self.level[var] < self.open.len());
            let operators = idempotent_operators(&reduce.op);
            if let Some(operators) = operators
                && values.iter().all(outside)
                && !stm.expr.can_fail()
            {
                let (width, neutral) = (soac.width, reduce.neutral.clone());
                for (number, (&op, &value)) in operators.iter().zip(&values).enumerate() {
                    let total = self.one_value(stm, (op, value), (neutral[number], width));
                    self.replace(stm.pattern[start + number], total);
                }
                let Expr::Screma(soac) = &mut stm.expr else { return };
                soac.reduces.remove(position);
                soac.map.body.result.drain(n_scanned + start..n_scanned + end);
                stm.pattern.drain(start..end);
            }
            end = start;
        }
    }

    /// Emits the reduction of `width` equal values.
    fn one_value(
        &mut self,
        stm: &Stm,
        (op, value): (BinaryOp, Operand),
        (neutral, width): (Operand, Operand),
    ) -> Operand {
        let ty = self.function.operand_type(neutral).as_scalar().expect("operators of scalars");
        let some = self.scalar(Expr::Compare(CompareOp::SLt, Operand::i64(0), width), ScalarType::Bool, stm);
        let once = self.scalar(Expr::Binary(op, neutral, value), ty, stm);
        self.scalar(Expr::Select(some, once, neutral), ty, stm)
    }

    fn seg_op(&mut self, op: &mut warpwise_ir::SegOp) {
        let mark = self.facts.enter();
        for dim in &op.space {
            self.level[dim.index] = self.open.len();
            self.facts.set_index(dim.index, dim.extent);
        }
        op.body = self.body(std::mem::take(&mut op.body), Outside::Invariant);
        self.facts.leave(mark);
        match &mut op.kind {
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => {}
            SegKind::Reduce { reduces } => reduces.iter_mut().for_each(|reduce| self.lambda(&mut reduce.op)),
            SegKind::Scan { scans, reduces, post } => {
                scans.iter_mut().for_each(|scan| self.lambda(&mut scan.op));
                reduces.iter_mut().for_each(|reduce| self.lambda(&mut reduce.op));
                post.iter_mut().for_each(|post| self.lambda(post));
            }
            SegKind::Hist { ops } => ops.iter_mut().for_each(|op| self.lambda(&mut op.op)),
        }
    }
}

/// Returns the idempotent operators of the components, if an operator combines each component by one of them.
fn idempotent_operators(op: &Lambda) -> Option<Vec<BinaryOp>> {
    let (left, right) = op.params.split_at(op.params.len() / 2);
    if op.body.stms.len() != left.len() {
        return None;
    }
    let operator = |(i, stm): (usize, &Stm)| {
        if let Expr::Binary(operator, a, b) = stm.expr
            && operator.is_idempotent()
        {
            let operands = [left[i].into(), right[i].into()];
            let is_component = [a, b] == operands || operator.is_commutative() && [b, a] == operands;
            (is_component && op.body.result[i] == Operand::Var(stm.pattern[0])).then_some(operator)
        } else {
            None
        }
    };
    op.body.stms.iter().enumerate().map(operator).collect()
}
