//! Turns reductions that stay sequential into loops.
//!
//! ```text
//! s: f32 = segred (j < m: seq) reduce (a, x) { t = fadd a x; return t } [0f32] { ...; p = fmul r v; return p };
//! ==>
//! s: f32 = loop (a = 0f32) for j < m { ...; p = fmul r v; x = p; t = fadd a x; return t };
//! ```
//!
//! The product and the sum are now in one body, where contraction finds them. Only reductions over one dimension without
//! additional results are changed.

use warpwise_ir::{Body, Expr, LoopForm, LoopParam, Mapping, Operand, SegKind, SegOp, Stm};

/// Rewrites the reductions of a body, at any depth.
pub fn sequential_reductions(body: &mut Body) {
    for stm in &mut body.stms {
        stm.expr.for_each_body_mut(sequential_reductions);
        if let Expr::Seg(op) = &stm.expr
            && is_plain_fold(op)
        {
            let taken = std::mem::replace(&mut stm.expr, Expr::Operand(Operand::bool(false)));
            let Expr::Seg(op) = taken else { unreachable!("just looked at") };
            stm.expr = to_loop(*op);
        }
    }
}

fn is_plain_fold(op: &SegOp) -> bool {
    matches!(op.space.as_slice(), [dim] if dim.mapping == Mapping::Seq) && yields_results_only(op)
}

fn yields_results_only(op: &SegOp) -> bool {
    let SegKind::Reduce { reduces } = &op.kind else { return false };
    let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    op.body.result.len() == n_reduced
}

/// Returns a reduction over one dimension as a sequential loop, with the same names.
pub fn as_loop(op: &SegOp) -> Option<Expr> {
    (op.space.len() == 1 && yields_results_only(op)).then(|| to_loop(op.clone()))
}

fn to_loop(op: SegOp) -> Expr {
    let SegKind::Reduce { reduces } = op.kind else { unreachable!("only reductions are folds") };
    let dim = op.space[0];
    let mut body = op.body;
    let mut inputs = std::mem::take(&mut body.result).into_iter();
    let mut params = Vec::new();
    for reduce in reduces {
        let (accs, elements) = reduce.op.params.split_at(reduce.neutral.len());
        let param = |(&var, &init)| LoopParam { var, init, consumed: false };
        params.extend(accs.iter().zip(&reduce.neutral).map(param));
        for (&element, input) in elements.iter().zip(inputs.by_ref()) {
            let expr = Expr::Operand(input);
            body.stms.push(Stm {
                pattern: vec![element],
                expr,
                certs: vec![],
                span: warpwise_diag::Span::NONE,
            });
        }
        body.stms.extend(reduce.op.body.stms);
        body.result.extend(reduce.op.body.result);
    }
    Expr::Loop { params, form: LoopForm::For { index: dim.index, bound: dim.extent }, body }
}
