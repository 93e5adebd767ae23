//! Built-ins on whole sequences.

use warpwise_diag::{Failure, Span};
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{Body, Expr as Ir, Lambda, Message, Operand, Reduce, Screma, SliceDim, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::builtins::Builtin;
use crate::tree::ExprKind;

use super::control::Iterations;
use super::exprs::{message_with, text};
use super::patterns::length;
use super::rows::Made;
use super::value::{Data, FunctionName, Layout, Shape, Value};
use super::{Lowerer, Retry};

impl Lowerer<'_, '_> {
    /// Lowers `[x, y, ...]`.
    pub(super) fn literal(&mut self, items: Vec<Data>, element: &Shape, span: Span) -> Result<Data, Failure> {
        let Some((first, rest)) = items.split_first() else {
            return Ok(self.blank(&Shape::Seq(Box::new(element.clone()))));
        };
        if self.rows && items.iter().any(|item| item.layout.has_sequences()) {
            return self.literal_of_rows(items, span);
        }
        let mut all = vec![first.clone()];
        for item in rest {
            self.same_buffers(&first.layout, &item.layout, span)?;
            all.push(self.as_long_as(item, &first.layout, span)?);
        }
        let n = Operand::i64(all.len() as i64);
        let leaves = (0..first.leaves.len())
            .map(|leaf| {
                let items: Vec<Operand> = all.iter().map(|item| item.leaves[leaf]).collect();
                let array = self.b.bind_one("items", Ir::ArrayLit(items.clone()));
                self.written_out.insert(array, items);
                array.into()
            })
            .collect();
        Ok(Data { layout: Layout::Seq(n, Box::new(first.layout.clone())), leaves })
    }

    /// Returns a value with the lengths of another one; checks that they are equal to its own.
    fn as_long_as(&mut self, data: &Data, wanted: &Layout, span: Span) -> Result<Data, Failure> {
        let (own, other) = (data.layout.lengths(), wanted.lengths());
        if own.len() != other.len() || data.leaves.len() != wanted.n_leaves() {
            return self.refuse("elements one of which has no type", span);
        }
        if own == other {
            return Ok(data.clone());
        }
        let mut certs = Vec::new();
        for (own, other) in own.iter().zip(&other).filter(|(own, other)| own != other) {
            let same = self.b.compare("same", CompareOp::Eq, *own, *other);
            certs.extend(self.suppose_regular(same, *own, *other));
        }
        Ok(self.reshaped(data, wanted, &certs))
    }

    fn reshaped(&mut self, data: &Data, wanted: &Layout, certs: &[Var]) -> Data {
        let mut leaves = Vec::new();
        for (leaf, ty) in data.leaves.iter().zip(wanted.types()) {
            leaves.push(match leaf.as_var() {
                Some(array) if ty.rank() > 0 => {
                    let shape = ty.shape().iter().copied().collect();
                    let reshape = Ir::Reshape { array, shape };
                    self.b.with_certs(certs, |b| b.bind_one("x", reshape)).into()
                }
                _ => *leaf,
            });
        }
        Data { layout: wanted.clone(), leaves }
    }

    /// Concatenates two sequences.
    pub(super) fn concat(&mut self, a: &Data, b: &Data, span: Span) -> Result<Data, Failure> {
        let (Layout::Seq(n, inner), Layout::Seq(m, other)) = (&a.layout, &b.layout) else {
            return self.limit("this concatenation", span);
        };
        let zero = Operand::i64(0);
        if *n == zero || *m == zero {
            return Ok(if *n == zero { b.clone() } else { a.clone() });
        }
        if self.rows && (inner.has_sequences() || other.has_sequences()) {
            return self.concat_rows(&[a.clone(), b.clone()], span);
        }
        let (own, others) = (inner.lengths(), other.lengths());
        let (mut lengths, mut certs) = (Vec::new(), Vec::new());
        for (own, other) in own.iter().zip(&others) {
            lengths.push(self.common(*n, *own, *m, *other, &mut certs));
        }
        let element = inner.with_lengths(&mut lengths.into_iter());
        let (first, second) = (
            self.reshaped_if_needed(a, Layout::Seq(*n, Box::new(element.clone())), &certs),
            self.reshaped_if_needed(b, Layout::Seq(*m, Box::new(element.clone())), &certs),
        );
        let (len, cert) = self.size(SizeOp::Add, *n, *m);
        let pairs: Vec<Vec<Var>> = first
            .leaves
            .iter()
            .zip(&second.leaves)
            .map(|(x, y)| [x, y].into_iter().filter_map(|leaf| leaf.as_var()).collect())
            .collect();
        let leaves = pairs
            .into_iter()
            .map(|arrays| {
                let concat = Ir::Concat { arrays, len };
                self.b.with_certs(cert.as_slice(), |b| b.bind_one("xs", concat)).into()
            })
            .collect();
        Ok(Data { layout: Layout::Seq(len, Box::new(element)), leaves })
    }

    fn reshaped_if_needed(&mut self, data: &Data, wanted: Layout, certs: &[Var]) -> Data {
        if data.layout == wanted { data.clone() } else { self.reshaped(data, &wanted, certs) }
    }

    /// Returns the length of the elements of two sequences; the elements of an empty sequence do not count.
    fn common(
        &mut self,
        n: Operand,
        own: Operand,
        m: Operand,
        other: Operand,
        certs: &mut Vec<Var>,
    ) -> Operand {
        if own == other {
            return own;
        }
        let zero = Operand::i64(0);
        let first_empty = self.b.compare("empty", CompareOp::Eq, n, zero);
        let second_empty = self.b.compare("empty", CompareOp::Eq, m, zero);
        let same = self.b.compare("same", CompareOp::Eq, own, other);
        let either = self.b.binary("fine", BinaryOp::Or, first_empty, second_empty);
        let fine = self.b.binary("fine", BinaryOp::Or, either, same);
        certs.extend(self.suppose_regular(fine, own, other));
        self.b.select("n", first_empty, other, own)
    }

    /// Maps `f` over one or more sequences of equal length.
    pub(super) fn map(
        &mut self,
        f: &Value,
        inputs: &[Data],
        width: Operand,
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        let element_shape = match shape {
            Shape::Seq(element) => (**element).clone(),
            _ => Shape::Unknown,
        };
        let (mut params, mut elements, mut arrays) = (Vec::new(), Vec::new(), Vec::new());
        for input in inputs {
            let Layout::Seq(_, element) = &input.layout else { return self.limit("this map", span) };
            let mut leaves = Vec::new();
            for ((ty, is_pooled), leaf) in
                element.types().into_iter().zip(element.pooled()).zip(&input.leaves)
            {
                leaves.push(match leaf.as_var() {
                    Some(array) if !is_pooled => {
                        arrays.push(array);
                        params.push(self.b.function.fresh("x", ty));
                        params[params.len() - 1].into()
                    }
                    _ => *leaf,
                });
            }
            elements.push(Data { layout: (**element).clone(), leaves });
        }
        let (mut stms, result) = self.nested(|this| {
            let elements = elements.into_iter().map(|element| Value::Data(this.open(element))).collect();
            let result = this.call(f.clone(), elements, &element_shape, span)?;
            this.data(result, span)
        })?;
        if self.rows && result.layout.has_sequences() {
            let body = Body { stms, result: Vec::new() };
            let made = Made { width, inputs: arrays, lambda: Lambda { params, body } };
            return self.map_to_rows(&made, &result, span);
        }
        self.hoist_lengths(&mut stms, &params, &result.layout, span)?;
        let inputs = arrays;
        let map = Lambda { params, body: Body { stms, result: result.leaves } };
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let vars = self.b.bind("ys", Ir::Screma(Box::new(screma)));
        let leaves = vars.into_iter().map(Operand::from).collect();
        Ok(Data { layout: Layout::Seq(width, Box::new(result.layout)), leaves })
    }

    /// Moves the computation of the elements' lengths out of the function that makes the elements.
    fn hoist_lengths(
        &mut self,
        stms: &mut Vec<Stm>,
        params: &[Var],
        layout: &Layout,
        span: Span,
    ) -> Result<(), Failure> {
        for length in layout.lengths() {
            if let Some(var) = length.as_var()
                && !self.hoist(stms, params, var)
            {
                self.retry.get_or_insert(Retry::Rows);
                return self.limit("elements of different lengths as elements of one length", span);
            }
        }
        Ok(())
    }

    /// Returns whether a variable is bound outside `stms`; moves its definition out if possible.
    pub(super) fn hoist(&mut self, stms: &mut Vec<Stm>, params: &[Var], var: Var) -> bool {
        if params.contains(&var) {
            return false;
        }
        let Some(position) = stms.iter().position(|stm| stm.pattern.contains(&var)) else { return true };
        let stm = &stms[position];
        let operands = match &stm.expr {
            Ir::Operand(x) | Ir::Unary(_, x) | Ir::Convert(_, x, _) => vec![*x],
            Ir::Binary(_, x, y) | Ir::Compare(_, x, y) => vec![*x, *y],
            Ir::Select(c, x, y) => vec![*c, *x, *y],
            _ => return false,
        };
        if !stm.certs.is_empty() {
            return false;
        }
        if !operands.into_iter().filter_map(Operand::as_var).all(|var| self.hoist(stms, params, var)) {
            return false;
        }
        if let Some(position) = stms.iter().position(|stm| stm.pattern.contains(&var)) {
            let stm = stms.remove(position);
            self.b.push(stm);
        }
        true
    }

    /// Lowers `foldl f start s` to a loop, or to a reduction if the operator is known to be associative.
    pub(super) fn foldl(
        &mut self,
        f: &Value,
        start: &Data,
        seq: &Data,
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        if let Some((op, neutral)) = self.associative(f) {
            let neutral = Data::int(neutral);
            let all = self.reduce_by(f, &neutral, seq, shape, span)?;
            if start.leaves == neutral.leaves {
                return Ok(all);
            }
            return Ok(Data::int(self.b.binary("r", op, start.leaves[0], all.leaves[0])));
        }
        self.iterations(start, Iterations::Times(length(seq)), span, &mut |this, index, now| {
            let element = this.element(seq, index);
            let arguments = vec![Value::Data(now.clone()), Value::Data(element)];
            let next = this.call(f.clone(), arguments, shape, span)?;
            this.data(next, span)
        })
    }

    /// Lowers `foldr f start s` to a loop that begins with the last element.
    pub(super) fn foldr(
        &mut self,
        f: &Value,
        start: &Data,
        seq: &Data,
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        let n = length(seq);
        let last = self.b.binary("last", BinaryOp::Sub, n, Operand::i64(1));
        self.iterations(start, Iterations::Times(n), span, &mut |this, index, now| {
            let from_end = this.b.binary("i", BinaryOp::Sub, last, index);
            let element = this.element(seq, from_end);
            let arguments = vec![Value::Data(element), Value::Data(now.clone())];
            let next = this.call(f.clone(), arguments, shape, span)?;
            this.data(next, span)
        })
    }

    /// Lowers `reduce f neutral s`.
    pub(super) fn reduce(
        &mut self,
        f: &Value,
        start: &Data,
        seq: &Data,
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        if start.leaves.is_empty() || self.associative(f).is_some() {
            return self.foldl(f, start, seq, shape, span);
        }
        if !start.layout.has_sequences() {
            return self.reduce_by(f, start, seq, shape, span);
        }
        match self.reduce_of_sequences(f, start, seq, shape, span)? {
            Some(data) => Ok(data),
            None => self.foldl(f, start, seq, shape, span),
        }
    }

    fn reduce_by(
        &mut self,
        f: &Value,
        neutral: &Data,
        seq: &Data,
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        let op = self.operator(f, &neutral.layout, shape, span)?.0;
        Ok(self.reduction(op, neutral, seq))
    }

    /// Lowers a reduction over elements that hold sequences, if the operator makes sequences of the lengths that it is given.
    /// Otherwise, and if the lengths of the elements may differ, the elements must be combined in order.
    fn reduce_of_sequences(
        &mut self,
        f: &Value,
        start: &Data,
        seq: &Data,
        shape: &Shape,
        span: Span,
    ) -> Result<Option<Data>, Failure> {
        let Layout::Seq(n, element) = &seq.layout else { return self.limit("this `reduce`", span) };
        // A start value with an empty sequence is neutral for operators that choose or append, not for those that keep lengths.
        if !element.is_like(&start.layout) || start.layout.lengths().contains(&Operand::i64(0)) {
            return Ok(None);
        }
        let before = (self.supposes_regular, self.retry);
        let op = match self.operator(f, &start.layout, shape, span) {
            Ok((op, made)) if made == start.layout => op,
            // If the operator cannot be lowered, it is reported when it is lowered again.
            Ok(_) | Err(_) => {
                (self.supposes_regular, self.retry) = before;
                return Ok(None);
            }
        };
        let none = self.b.compare("none", CompareOp::Eq, *n, Operand::i64(0));
        let mut certs = Vec::new();
        self.must_fit(none, element, &start.layout, &mut certs);
        let wanted = Layout::Seq(*n, Box::new(start.layout.clone()));
        let seq = self.reshaped_if_needed(seq, wanted, &certs);
        Ok(Some(self.reduction(op, start, &seq)))
    }

    /// Checks that the sequences in the elements of a `reduce` are as long as those in its start value, unless there are no elements.
    fn must_fit(&mut self, none: Operand, element: &Layout, start: &Layout, certs: &mut Vec<Var>) {
        match (element, start) {
            (Layout::Record(fields), Layout::Record(others)) => {
                for ((_, field), (_, other)) in fields.iter().zip(others) {
                    self.must_fit(none, field, other, certs);
                }
            }
            (Layout::Seq(n, element), Layout::Seq(wanted, start)) => {
                if n != wanted {
                    let same = self.b.compare("same", CompareOp::Eq, *n, *wanted);
                    let fine = self.b.binary("fine", BinaryOp::Or, none, same);
                    certs.extend(self.suppose_regular(fine, *n, *wanted));
                }
                let zero = self.b.compare("zero", CompareOp::Eq, *wanted, Operand::i64(0));
                let none = self.b.binary("none", BinaryOp::Or, none, zero);
                self.must_fit(none, element, start, certs);
            }
            (
                Layout::Scalar(_)
                | Layout::Record(_)
                | Layout::Seq(..)
                | Layout::Rows(..)
                | Layout::Tensor(_),
                _,
            ) => {}
        }
    }

    /// Lowers a function that combines two values of one layout; also returns the layout of its result.
    fn operator(
        &mut self,
        f: &Value,
        layout: &Layout,
        shape: &Shape,
        span: Span,
    ) -> Result<(Lambda, Layout), Failure> {
        let types: Vec<Type> = layout.types();
        let mut params: Vec<Var> = Vec::new();
        let mut sides = Vec::new();
        for name in ["a", "b"] {
            let vars: Vec<Var> = types.iter().map(|ty| self.b.function.fresh(name, ty.clone())).collect();
            let leaves = vars.iter().map(|var| (*var).into()).collect();
            sides.push(Value::Data(Data { layout: layout.clone(), leaves }));
            params.extend(vars);
        }
        let (stms, result) = self.nested(|this| {
            let result = this.call(f.clone(), sides, shape, span)?;
            this.data(result, span)
        })?;
        Ok((Lambda { params, body: Body { stms, result: result.leaves } }, result.layout))
    }

    fn reduction(&mut self, op: Lambda, neutral: &Data, seq: &Data) -> Data {
        let reduce = Reduce { op, neutral: neutral.leaves.clone(), commutative: false };
        let inputs: Vec<Var> = seq.leaves.iter().filter_map(|leaf| leaf.as_var()).collect();
        let map = self.b.identity(&neutral.layout.types());
        let vars = self.b.map_reduce("r", length(seq), &inputs, map, reduce);
        let leaves = vars.into_iter().map(Operand::from).collect();
        Data { layout: neutral.layout.clone(), leaves }
    }

    /// Returns the operator and neutral element of a function that adds or multiplies integers.
    fn associative(&self, f: &Value) -> Option<(BinaryOp, i64)> {
        let Value::Function(function) = f else { return None };
        if !function.arguments.is_empty() {
            return None;
        }
        let builtin = match function.name {
            FunctionName::Builtin(builtin) => builtin,
            FunctionName::Text(..) => return None,
            FunctionName::Defined(var) => {
                let (binding, _) = self.functions.defined.get(&var)?;
                let ExprKind::Lambda(parameters, body) = &binding.body.kind else { return None };
                let ExprKind::Apply(op, arguments) = &body.kind else { return None };
                let [a, b] = &parameters[..] else { return None };
                let names = arguments.iter().map(|argument| match argument.kind {
                    ExprKind::Var(var) => Some(var),
                    _ => None,
                });
                let names: Vec<_> = names.collect();
                if names != [Some(a.var), Some(b.var)] && names != [Some(b.var), Some(a.var)] {
                    return None;
                }
                match op.kind {
                    ExprKind::Builtin(builtin) => builtin,
                    _ => return None,
                }
            }
        };
        match builtin {
            Builtin::Addi => Some((BinaryOp::Add, 0)),
            Builtin::Muli => Some((BinaryOp::Mul, 1)),
            // Not for floats: their sums depend on the order.
            _ => None,
        }
    }

    /// Returns `[0, 1, ...]` of length `n`.
    pub(super) fn indices(&mut self, n: Operand) -> Data {
        let iota = Ir::Iota { len: n, start: Operand::i64(0), step: Operand::i64(1) };
        let array = self.b.bind_one("is", iota);
        Data { layout: Layout::Seq(n, Box::new(Layout::Scalar(ScalarType::I64))), leaves: vec![array.into()] }
    }

    /// Concatenates the inner sequences.
    pub(super) fn flatten(&mut self, seq: &Data, span: Span) -> Result<Data, Failure> {
        let Layout::Seq(n, row) = &seq.layout else { return self.limit("this `flatten`", span) };
        if let Layout::Rows(..) = &**row {
            return self.flatten_rows(seq, span);
        }
        let Layout::Seq(m, element) = &**row else { return self.limit("this `flatten`", span) };
        let (len, cert) = self.size(SizeOp::Mul, *n, *m);
        Ok(self.reshaped(seq, &Layout::Seq(len, element.clone()), cert.as_slice()))
    }

    /// Returns a sequence with the element replaced at an index that is in bounds.
    pub(super) fn set(
        &mut self,
        seq: &Data,
        index: Operand,
        value: &Data,
        certs: &[Var],
        span: Span,
    ) -> Result<Data, Failure> {
        let Layout::Seq(_, element) = &seq.layout else { return self.limit("this `set`", span) };
        if self.rows && element.has_sequences() {
            return self.set_row(seq, index, value, certs, span);
        }
        let value = self.as_long_as(value, element, span)?;
        let mut leaves = Vec::new();
        for (leaf, new) in seq.leaves.iter().zip(&value.leaves) {
            leaves.extend(leaf.as_var().map(|array| self.with_item(array, index, *new, certs)));
        }
        Ok(Data { layout: seq.layout.clone(), leaves })
    }

    /// Returns a copy of an array with the row at an index replaced.
    pub(super) fn with_item(&mut self, array: Var, index: Operand, new: Operand, certs: &[Var]) -> Operand {
        let rest: Vec<Operand> = self.b.function.ty(array).shape()[1..].to_vec();
        let copy = self.b.bind_one("copy", Ir::Copy(array));
        let dims =
            std::iter::once(SliceDim::Fix(index)).chain(rest.into_iter().map(SliceDim::whole)).collect();
        self.b.with_certs(certs, |b| b.update("xs", copy, dims, new)).into()
    }

    /// Returns a certificate that lengths of elements are equal where they must be.
    fn suppose_regular(&mut self, same: Operand, own: Operand, other: Operand) -> Option<Var> {
        self.supposes_regular = true;
        self.check(same, lengths_differ(own, other))
    }

    /// Returns a certificate that an index is in bounds.
    pub(super) fn in_bounds(&mut self, index: Operand, n: Operand) -> Option<Var> {
        let low = self.b.compare("low", CompareOp::SLe, Operand::i64(0), index);
        let high = self.b.compare("high", CompareOp::SLt, index, n);
        let fine = self.b.binary("fine", BinaryOp::And, low, high);
        let rest = [(index, " out of bounds for a sequence of length "), (n, "")];
        self.check(fine, message_with("Index ", &rest))
    }

    /// Returns a certificate that a sequence has an element.
    pub(super) fn not_empty(&mut self, n: Operand, what: &str) -> Option<Var> {
        let fine = self.b.compare("fine", CompareOp::SLt, Scalar::I64(0), n);
        self.check(fine, text(&format!("the empty sequence has no {what}")))
    }
}

pub(super) fn lengths_differ(a: Operand, b: Operand) -> Message {
    message_with("Irregular sequence: elements of lengths ", &[(a, " and "), (b, "")])
}
