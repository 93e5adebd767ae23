//! Consumption in SOACs and segmented operations.

use super::{Boundary, Checked, Consumption, NEVER};
use crate::expr::{Body, Expr, Lambda, Stm};
use crate::program::Var;
use crate::segop::{SegKind, SegOp};
use crate::soac::{HistOp, Reduce, Scan, Stream, StreamKind, WithAcc};
use crate::types::{Operand, Type};

impl<'a> Consumption<'a> {
    /// Checks a SOAC or segmented operation, whose results are fresh.
    pub(super) fn soac(&mut self, expr: &'a Expr) -> Checked {
        match expr {
            Expr::Screma(screma) => {
                let inputs: Vec<Option<Var>> = screma.inputs.iter().copied().map(Some).collect();
                self.elementwise(&screma.map, &inputs)?;
                self.folds(&screma.scans, &screma.reduces, screma.post.as_ref())
            }
            Expr::Partition(soac) => {
                let inputs: Vec<Option<Var>> = soac.inputs.iter().copied().map(Some).collect();
                self.elementwise(&soac.lambda, &inputs)
            }
            Expr::Scatter(soac) => {
                for dest in &soac.dests {
                    self.consume(dest.array)?;
                }
                let inputs: Vec<Option<Var>> = soac.inputs.iter().copied().map(Some).collect();
                self.elementwise(&soac.lambda, &inputs)
            }
            Expr::Hist(soac) => {
                self.hist_ops(&soac.ops)?;
                let inputs: Vec<Option<Var>> = soac.inputs.iter().copied().map(Some).collect();
                self.elementwise(&soac.lambda, &inputs)
            }
            Expr::Stream(stream) => self.stream(stream),
            Expr::WithAcc(with_acc) => self.with_acc(with_acc),
            Expr::FlatMap(soac) => {
                let inputs: Vec<Option<Var>> = soac.inputs.iter().copied().map(Some).collect();
                self.elementwise(&soac.lambda, &inputs)
            }
            Expr::Seg(op) => self.seg_op(op),
            Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Scratch { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
            | Expr::Call { .. }
            | Expr::UpdateAcc { .. }
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => Ok(()),
        }
    }

    /// Checks a lambda whose parameters may stand for elements of outer arrays: consuming the parameter consumes the array. Other
    /// parameters may not be consumed.
    fn elementwise(&mut self, lambda: &'a Lambda, inputs: &[Option<Var>]) -> Checked {
        for input in inputs.iter().flatten() {
            if !matches!(self.function.ty(*input), Type::Acc(_)) {
                self.check_alive(*input)?;
            }
        }
        let depth = self.depth() + 1;
        self.boundaries.push(Boundary::default());
        let mut elements = Vec::new();
        for (param, input) in lambda.params.iter().zip(inputs) {
            self.fresh(*param, if input.is_some() { depth } else { NEVER });
            elements.extend(input.map(|input| (*param, input)));
        }
        self.run(&lambda.body)?;
        let boundary = self.leave();
        self.consume_elements(&elements, &boundary)
    }

    /// Checks the statements and results of a body behind a boundary.
    fn run(&mut self, body: &'a Body) -> Checked {
        self.stms(body);
        self.observe_all(&body.result)
    }

    /// Checks that an array is not consumed so far. Whether it counts as used is known only after the lambda.
    fn check_alive(&self, var: Var) -> Checked {
        match self.roots[var].iter().find(|root| self.consumed[**root]) {
            None => Ok(()),
            Some(_) => Err(format!("`{}` is used after it was consumed", self.name(var))),
        }
    }

    /// Consumes the arrays whose elements were consumed behind a boundary, and observes the others.
    fn consume_elements(&mut self, elements: &[(Var, Var)], boundary: &Boundary) -> Checked {
        let (consumed, kept): (Vec<_>, Vec<_>) =
            elements.iter().partition(|(element, _)| self.consumed[*element]);
        for (_, array) in &consumed {
            if self.roots[*array].iter().any(|root| boundary.observed.contains(root)) {
                let name = self.name(*array);
                return Err(format!("an element of `{name}` is consumed, but `{name}` is used besides"));
            }
            self.consume(*array)?;
        }
        kept.iter().try_for_each(|(_, array)| self.observe(Operand::Var(*array)))
    }

    /// Checks a lambda that may consume only arrays that it makes itself.
    fn operator(&mut self, lambda: &'a Lambda, neutral: &[Operand]) -> Checked {
        self.observe_all(neutral)?;
        self.elementwise(lambda, &vec![None; lambda.params.len()])
    }

    fn folds(&mut self, scans: &'a [Scan], reduces: &'a [Reduce], post: Option<&'a Lambda>) -> Checked {
        for scan in scans {
            self.operator(&scan.op, &scan.neutral)?;
        }
        for reduce in reduces {
            self.operator(&reduce.op, &reduce.neutral)?;
        }
        post.map_or(Ok(()), |post| self.operator(post, &[]))
    }

    fn hist_ops(&mut self, ops: &'a [HistOp]) -> Checked {
        for op in ops {
            for dest in &op.dests {
                self.consume(*dest)?;
            }
        }
        ops.iter().try_for_each(|op| self.operator(&op.op, &op.neutral))
    }

    /// Checks a stream. Chunks may be consumed; so may accumulators if the chunks run in order.
    fn stream(&mut self, stream: &'a Stream) -> Checked {
        let accs = match &stream.kind {
            StreamKind::Seq => stream.accs.iter().map(|acc| acc.as_var()).collect(),
            StreamKind::Map => Vec::new(),
            StreamKind::Red(op) => {
                self.operator(op, &stream.accs)?;
                vec![None; stream.accs.len()]
            }
        };
        let chunks = stream.inputs.iter().copied().map(Some);
        let inputs: Vec<Option<Var>> = [None, None].into_iter().chain(accs).chain(chunks).collect();
        self.elementwise(&stream.lambda, &inputs)
    }

    fn with_acc(&mut self, with_acc: &'a WithAcc) -> Checked {
        for input in &with_acc.inputs {
            for array in &input.arrays {
                self.consume(*array)?;
            }
        }
        for input in &with_acc.inputs {
            if let Some((op, neutral)) = &input.op {
                self.operator(op, neutral)?;
            }
        }
        let depth = self.depth() + 1;
        self.boundaries.push(Boundary::default());
        for param in &with_acc.lambda.params {
            self.fresh(*param, depth);
        }
        self.run(&with_acc.lambda.body)?;
        self.leave();
        Ok(())
    }

    fn seg_op(&mut self, op: &'a SegOp) -> Checked {
        match &op.kind {
            SegKind::Map | SegKind::Partition { .. } => {}
            SegKind::Reduce { reduces } => self.folds(&[], reduces, None)?,
            SegKind::Scan { scans, reduces, post } => self.folds(scans, reduces, post.as_ref())?,
            SegKind::Scatter { dests } => dests.iter().try_for_each(|dest| self.consume(dest.array))?,
            SegKind::Hist { ops } => self.hist_ops(ops)?,
        }
        let indices = op.space.iter().map(|dim| dim.index).collect();
        self.boundaries.push(Boundary { space: true, indices, ..Boundary::default() });
        self.run(&op.body)?;
        let boundary = self.leave();
        self.consume_elements(&boundary.elements, &boundary)
    }

    /// Returns whether an index expression is the element at exactly the point of the innermost space.
    pub(super) fn is_element(&self, array: Var, indices: &[Operand]) -> bool {
        let Some(boundary) = self.boundaries.last() else { return false };
        let outside = self.roots[array].iter().all(|root| self.owner[*root] != self.depth());
        boundary.space
            && outside
            && indices.len() >= boundary.indices.len()
            && boundary.indices.iter().zip(indices).all(|(x, y)| Operand::Var(*x) == *y)
    }

    /// Binds an element of an array outside the space; it may be consumed here.
    pub(super) fn element(&mut self, stm: &Stm, array: Var) -> Checked {
        self.check_alive(array)?;
        let depth = self.depth();
        if let [var] = stm.pattern[..] {
            self.fresh(var, depth);
            self.boundaries[depth].elements.push((var, array));
        }
        Ok(())
    }
}
