//! SOACs and segmented operations: their inputs, and what is inside.

use warpwise_ir::{Expr, Lambda, Operand, SegKind, Stm, StreamKind, Var};

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
            other => unreachable!("{other:?} is no SOAC"),
        }
        self.push(stm);
    }

    /// Drops inputs whose elements are known without the array.
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

    fn seg_op(&mut self, op: &mut warpwise_ir::SegOp) {
        for dim in &op.space {
            self.level[dim.index] = self.open.len();
            self.facts.set_index(dim.index, dim.extent);
        }
        op.body = self.body(std::mem::take(&mut op.body), Outside::Invariant);
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
