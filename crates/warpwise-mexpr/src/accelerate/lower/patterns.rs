//! Lowering of patterns: first the test whether a value matches, then the variables.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Operand, SliceDim, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, UnaryOp};

use crate::tree::{Pat, PatKind};

use super::Lowerer;
use super::control::Side;
use super::value::{Data, Layout, Value};

impl Lowerer<'_, '_> {
    /// Returns whether a value matches; `None` if every value does.
    pub(super) fn test(&mut self, pattern: &Pat, value: &Value) -> Result<Option<Operand>, Failure> {
        let Value::Data(data) = value else { return Ok(None) };
        match &pattern.kind {
            PatKind::Wildcard | PatKind::Var(_) => Ok(None),
            PatKind::Int(wanted) => Ok(Some(self.equals(data, Scalar::I64(*wanted)))),
            PatKind::Char(wanted) => Ok(Some(self.equals(data, Scalar::I32(*wanted as i32)))),
            PatKind::Bool(true) => Ok(Some(data.leaves[0])),
            PatKind::Bool(false) => Ok(Some(self.b.unary("not", UnaryOp::Not, data.leaves[0]))),
            PatKind::Record(fields) => {
                let mut all = None;
                for (label, pattern) in fields {
                    let field = self.field(data, *label, pattern.span)?;
                    let here = &mut |this: &mut Self| this.test(pattern, &Value::Data(field.clone()));
                    all = self.both(all, here)?;
                }
                Ok(all)
            }
            PatKind::Construct(..) => self.refuse("a constructor", pattern.span),
            PatKind::Seq(items) => {
                let (length, n) = (length(data), Operand::i64(items.len() as i64));
                let fits = self.b.compare("fits", CompareOp::Eq, length, n);
                self.test_items(Some(fits), data, items, &[])
            }
            PatKind::Edge(first, _, last) => {
                let n = first.len() + last.len();
                let fits = match n {
                    0 => None,
                    _ => {
                        let n = Operand::i64(n as i64);
                        Some(self.b.compare("fits", CompareOp::SLe, n, length(data)))
                    }
                };
                self.test_items(fits, data, first, last)
            }
            PatKind::And(left, right) => {
                let first = self.test(left, value)?;
                self.both(first, &mut |this| this.test(right, value))
            }
            PatKind::Or(left, right) => {
                let (Some(a), Some(b)) = (self.test(left, value)?, self.test(right, value)?) else {
                    return Ok(None);
                };
                Ok(Some(self.b.binary("either", BinaryOp::Or, a, b)))
            }
            PatKind::Not(inner) => {
                let matches = self.test(inner, value)?.unwrap_or(Operand::bool(true));
                Ok(Some(self.b.unary("not", UnaryOp::Not, matches)))
            }
        }
    }

    /// Tests the elements at both ends, for a sequence whose length fits.
    fn test_items(
        &mut self,
        fits: Option<Operand>,
        data: &Data,
        first: &[Pat],
        last: &[Pat],
    ) -> Result<Option<Operand>, Failure> {
        let mut all = fits;
        for (index, pattern) in first.iter().enumerate() {
            let item = &mut |this: &mut Self| {
                let item = this.element(data, Operand::i64(index as i64));
                this.test(pattern, &Value::Data(item))
            };
            all = self.both(all, item)?;
        }
        for (index, pattern) in last.iter().enumerate() {
            let item = &mut |this: &mut Self| {
                let item = this.counted_back(data, last.len() - index);
                this.test(pattern, &Value::Data(item))
            };
            all = self.both(all, item)?;
        }
        Ok(all)
    }

    /// Combines two conditions; the second one is computed only if the first one holds.
    fn both(
        &mut self,
        first: Option<Operand>,
        second: &mut dyn FnMut(&mut Self) -> Result<Option<Operand>, Failure>,
    ) -> Result<Option<Operand>, Failure> {
        let Some(first) = first else { return second(self) };
        let (stms, condition) = self.nested(|this| second(this))?;
        let Some(condition) = condition else { return Ok(Some(first)) };
        let then = Side { stms, data: Data::bool(condition), more: Vec::new() };
        let otherwise = Side { stms: Vec::new(), data: Data::bool(Operand::bool(false)), more: Vec::new() };
        let (both, _) = self.merge(first, then, otherwise, Span::NONE)?;
        Ok(Some(both.leaves[0]))
    }

    /// Binds the variables of a pattern that matches.
    pub(super) fn bind(&mut self, pattern: &Pat, value: &Value) -> Result<(), Failure> {
        if let PatKind::Var(var) = &pattern.kind {
            self.values.insert(*var, value.clone());
            return Ok(());
        }
        let Value::Data(data) = value else { return Ok(()) };
        match &pattern.kind {
            PatKind::Var(_)
            | PatKind::Wildcard
            | PatKind::Int(_)
            | PatKind::Char(_)
            | PatKind::Bool(_)
            | PatKind::Construct(..)
            | PatKind::Not(_) => {}
            PatKind::Record(fields) => {
                for (label, pattern) in fields {
                    let field = self.field(data, *label, pattern.span)?;
                    self.bind(pattern, &Value::Data(field))?;
                }
            }
            PatKind::Seq(items) => self.bind_first(data, items)?,
            PatKind::Edge(first, middle, last) => {
                self.bind_first(data, first)?;
                if let Some(var) = middle {
                    let ends = Operand::i64((first.len() + last.len()) as i64);
                    let n = self.b.binary("n", BinaryOp::Sub, length(data), ends);
                    let middle = self.part(data, Operand::i64(first.len() as i64), n, Operand::i64(1));
                    self.values.insert(*var, Value::Data(middle));
                }
                for (index, pattern) in last.iter().enumerate() {
                    let item = self.counted_back(data, last.len() - index);
                    self.bind(pattern, &Value::Data(item))?;
                }
            }
            PatKind::And(left, right) => {
                self.bind(left, value)?;
                self.bind(right, value)?;
            }
            PatKind::Or(left, _) => {
                if !binds_nothing(left) {
                    return self.refuse("names on both sides of `|`", pattern.span);
                }
            }
        }
        Ok(())
    }

    fn bind_first(&mut self, data: &Data, items: &[Pat]) -> Result<(), Failure> {
        for (index, pattern) in items.iter().enumerate() {
            let item = self.element(data, Operand::i64(index as i64));
            self.bind(pattern, &Value::Data(item))?;
        }
        Ok(())
    }

    fn equals(&mut self, data: &Data, wanted: Scalar) -> Operand {
        self.b.compare("same", CompareOp::Eq, data.leaves[0], wanted)
    }

    fn field(
        &mut self,
        data: &Data,
        label: crate::syntax::names::Symbol,
        span: Span,
    ) -> Result<Data, Failure> {
        match data.fields().into_iter().find(|(other, _)| *other == label) {
            Some((_, value)) => Ok(value),
            None => self.refuse("a field of a record that is not known", span),
        }
    }

    /// Returns the element `places` places before the end.
    fn counted_back(&mut self, data: &Data, places: usize) -> Data {
        let index = self.b.binary("i", BinaryOp::Sub, length(data), Operand::i64(places as i64));
        self.element(data, index)
    }

    /// Returns an element; the index is known to be in bounds.
    pub(super) fn element(&mut self, data: &Data, index: Operand) -> Data {
        self.element_under(data, index, &[])
    }

    /// Returns an element; the certificates ensure that the index is in bounds.
    pub(super) fn element_under(&mut self, data: &Data, index: Operand, certs: &[Var]) -> Data {
        let Layout::Seq(_, element) = &data.layout else { return data.clone() };
        let leaves = data.leaves.iter().zip(element.pooled()).filter_map(|(leaf, is_pooled)| {
            let array = leaf.as_var().filter(|_| !is_pooled);
            match array {
                None if is_pooled => Some(*leaf),
                None => None,
                Some(array) => Some(match self.item(array, index) {
                    Some(item) => item,
                    None => self.b.with_certs(certs, |b| b.index("x", array, &[index])).into(),
                }),
            }
        });
        let leaves = leaves.collect();
        self.open(Data { layout: (**element).clone(), leaves })
    }

    /// Returns an item of an array literal.
    fn item(&self, array: Var, index: Operand) -> Option<Operand> {
        let items = self.written_out.get(&array)?;
        let Operand::Const(Scalar::I64(index)) = index else { return None };
        items.get(usize::try_from(index).ok()?).copied()
    }

    /// Returns a text that is written out in the program.
    pub(super) fn written_text(&self, text: &Data) -> Option<String> {
        let array = text.leaves.first().and_then(|leaf| leaf.as_var())?;
        let items = self.written_out.get(&array)?.iter();
        let char = |item: &Operand| match item {
            Operand::Const(Scalar::I32(code)) => char::from_u32(*code as u32),
            _ => None,
        };
        items.map(char).collect()
    }

    /// Returns `len` elements from index `start` with a stride; all are known to be in bounds.
    pub(super) fn part(&mut self, data: &Data, start: Operand, len: Operand, stride: Operand) -> Data {
        self.part_under(data, start, len, stride, &[])
    }

    /// Does the same; the certificates ensure that all are in bounds.
    pub(super) fn part_under(
        &mut self,
        data: &Data,
        start: Operand,
        len: Operand,
        stride: Operand,
        certs: &[Var],
    ) -> Data {
        let Layout::Seq(_, element) = &data.layout else { return data.clone() };
        let mut leaves = Vec::new();
        for (leaf, is_pooled) in data.leaves.iter().zip(element.pooled()) {
            let Some(array) = leaf.as_var().filter(|_| !is_pooled) else {
                leaves.extend(is_pooled.then_some(*leaf));
                continue;
            };
            let rest: Vec<Operand> = self.b.function.ty(array).shape()[1..].to_vec();
            let first = SliceDim::Range { start, len, stride };
            let dims = std::iter::once(first).chain(rest.into_iter().map(SliceDim::whole)).collect();
            leaves.push(self.b.with_certs(certs, |b| b.slice("part", array, dims)).into());
        }
        Data { layout: Layout::Seq(len, element.clone()), leaves }
    }
}

/// Returns the length of a sequence.
pub(super) fn length(data: &Data) -> Operand {
    match &data.layout {
        Layout::Seq(length, _) => *length,
        Layout::Scalar(_) | Layout::Record(_) | Layout::Rows(..) | Layout::Tensor(_) => Operand::i64(0),
    }
}

fn binds_nothing(pattern: &Pat) -> bool {
    let mut vars = std::collections::BTreeSet::new();
    super::super::variables::pattern_vars(pattern, &mut vars);
    vars.is_empty()
}
