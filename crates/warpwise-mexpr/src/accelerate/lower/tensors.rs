//! Views of tensors: the location of their elements, and the built-ins on them.
//!
//! A tensor that fills its buffer keeps its dimensions, so that the core IR has arrays with indices. Of other tensors only the
//! offset in the buffer is represented, and their rank and extents are values: the tensors of one sequence share a buffer, and so
//! do those that one variable may stand for. The kind of a captured tensor is found by lowering: a use with a number of indices
//! determines its rank ([`Retry`]), and lowering starts again. All indices are checked.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Message, MessagePart, Operand, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use crate::builtins::Builtin;

use super::exprs::text;
use super::memory::Place;
use super::patterns::length;
use super::value::{Data, Layout, Shape, Value, View, ViewKind};
use super::{Lowerer, Retry};

impl Lowerer<'_, '_> {
    /// Lowers a built-in on tensors that is applied to all its arguments; returns `None` for other built-ins.
    pub(super) fn tensor_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Value],
        shape: &Shape,
        span: Span,
    ) -> Result<Option<Data>, Failure> {
        let Some(Value::Data(tensor)) = arguments.first() else { return Ok(None) };
        let Layout::Tensor(view) = tensor.layout else { return Ok(None) };
        let data = |this: &Self, index: usize| match arguments.get(index) {
            Some(value) => this.data(value.clone(), span),
            None => this.refuse("a built-in with too few arguments", span),
        };
        Ok(Some(match builtin {
            Builtin::TensorGet => {
                let index = self.components(&data(self, 1)?, span)?;
                let place = self.element_of(tensor, view, &index)?;
                self.get(&place, shape, span)?
            }
            Builtin::TensorLinearGet => {
                let position = data(self, 1)?.leaves[0];
                let place = self.position_of(tensor, view, position);
                self.get(&place, shape, span)?
            }
            Builtin::TensorSet => {
                let (index, value) = (self.components(&data(self, 1)?, span)?, data(self, 2)?.leaves[0]);
                let place = self.element_of(tensor, view, &index)?;
                self.put(&place, value, span)?
            }
            Builtin::TensorLinearSet => {
                let (position, value) = (data(self, 1)?.leaves[0], data(self, 2)?.leaves[0]);
                let place = self.position_of(tensor, view, position);
                self.put(&place, value, span)?
            }
            Builtin::TensorRank => Data::int(self.rank_of(tensor, view)),
            Builtin::TensorShape => self.shape_of(tensor, view, span)?,
            Builtin::TensorSlice => {
                let index = self.components(&data(self, 1)?, span)?;
                self.slice_of(tensor, view, &index, span)?
            }
            Builtin::TensorSub => {
                let (start, len) = (data(self, 1)?.leaves[0], data(self, 2)?.leaves[0]);
                self.sub_of(tensor, view, start, len)
            }
            // The other built-ins do not take a tensor first, or are refused.
            _ => return Ok(None),
        }))
    }

    fn get(&mut self, place: &Place, shape: &Shape, span: Span) -> Result<Data, Failure> {
        let value = self.read(place, span)?;
        let element = self.memory.buffers[place.buffer].element;
        let ty = if let Shape::Scalar(ty) = shape { *ty } else { element };
        Ok(Data::scalar(ty, value))
    }

    fn put(&mut self, place: &Place, value: Operand, span: Span) -> Result<Data, Failure> {
        self.write(place, value, span)?;
        Ok(super::parallel::unit())
    }

    /// Returns the components of an index; their number must be known.
    fn components(&mut self, index: &Data, span: Span) -> Result<Vec<Operand>, Failure> {
        let Operand::Const(Scalar::I64(n)) = length(index) else {
            return self.refuse("an index whose number of components only a run shows; write `[i, j]`", span);
        };
        Ok((0..n).filter_map(|i| self.element(index, Operand::i64(i)).leaves.first().copied()).collect())
    }

    /// Returns the place of an element.
    fn element_of(&mut self, tensor: &Data, view: View, index: &[Operand]) -> Result<Place, Failure> {
        let place = self.start_of(tensor, view, index)?;
        let rank = self.rank_of(tensor, view);
        let n = Operand::i64(index.len() as i64);
        if rank != n {
            let fine = self.b.compare("fine", CompareOp::Eq, rank, n);
            let cert = self.check(fine, wrong_rank(rank, index));
            return Ok(self.on_condition(place, cert));
        }
        Ok(place)
    }

    fn on_condition(&self, mut place: Place, cert: Option<Var>) -> Place {
        place.certs.extend(cert);
        let wanted = self.memory.buffers[place.buffer].extents.len();
        place.index.resize(wanted, Operand::i64(0));
        place
    }

    /// Returns the place where the part that an index selects starts. For a shaped tensor it has only the components that are
    /// given.
    fn start_of(&mut self, tensor: &Data, view: View, index: &[Operand]) -> Result<Place, Failure> {
        let buffer = view.buffer;
        let extents = self.extents_of(tensor, view);
        if let ViewKind::Flat(_) = view.kind {
            self.may_have_rank(view, index.len())?;
        }
        // The rank of a flat view is not known.
        let shown = match view.kind {
            ViewKind::Shaped(_) => &extents[..],
            ViewKind::Flat(_) => &extents[..index.len().min(extents.len())],
        };
        let certs = self.check_index(index, &extents, shown);
        match view.kind {
            ViewKind::Shaped(rank) => {
                let mut place: Vec<Operand> = tensor.leaves[..view.fixed].to_vec();
                for (position, component) in index.iter().enumerate().take(rank - view.fixed) {
                    place.push(match position {
                        0 => self.sum(tensor.leaves[view.fixed], *component),
                        _ => *component,
                    });
                }
                let is_plain = view.fixed == 0 && self.is_whole(tensor, view);
                Ok(Place { buffer, index: place, certs, is_plain })
            }
            ViewKind::Flat(_) => {
                let mut at = Operand::i64(0);
                for (component, extent) in index.iter().zip(&extents) {
                    at = if at == Operand::i64(0) { at } else { self.product(at, *extent) };
                    at = self.sum(at, *component);
                }
                // The missing extents are 1.
                let at = self.sum(tensor.leaves[0], at);
                Ok(Place { buffer, index: vec![at], certs, is_plain: false })
            }
        }
    }

    /// Returns whether a view without fixed dimensions is the whole tensor.
    fn is_whole(&self, tensor: &Data, view: View) -> bool {
        let extents = &self.memory.buffers[view.buffer].extents;
        tensor.leaves[0] == Operand::i64(0) && extents.first() == tensor.leaves.get(1)
    }

    /// Makes a component of an index depend on certificates, for uses that do not name them.
    fn certain(&mut self, component: Operand, certs: &[Var]) -> Operand {
        if certs.is_empty() || component.as_const().is_some() {
            return component;
        }
        let own = self.b.with_certs(certs, |b| b.bind_one("at", warpwise_ir::Expr::Operand(component)));
        if let Some(known) = component.as_var() {
            let sum = self.sums.get(&known).copied().unwrap_or((known, Operand::i64(0)));
            self.sums.insert(own, sum);
        }
        own.into()
    }

    /// Learns the rank of a captured tensor that fills its buffer, if it is still open.
    fn may_have_rank(&mut self, view: View, components: usize) -> Result<(), Failure> {
        let rank = view.fixed + components;
        let most = self.functions.checks.accepted.dimensions;
        if components > 0 && rank <= most && self.ranks_open.contains(&view.buffer) {
            self.retry = Some(Retry::Rank(view.buffer, rank));
            return self.limit("a tensor whose rank was not known", self.b.span());
        }
        Ok(())
    }

    /// Returns the place of an element, given its position in row-major order.
    fn position_of(&mut self, tensor: &Data, view: View, position: Operand) -> Place {
        let extents = self.extents_of(tensor, view);
        let mut size = Operand::i64(1);
        for extent in &extents {
            size = self.product(size, *extent);
        }
        let shown = match view.kind {
            ViewKind::Shaped(_) => &extents[..],
            ViewKind::Flat(_) => &[size],
        };
        let certs = self.check_index(&[position], &[size], shown);
        let index = match view.kind {
            ViewKind::Flat(_) => vec![self.sum(tensor.leaves[0], position)],
            ViewKind::Shaped(_) => {
                let mut place: Vec<Operand> = tensor.leaves[..view.fixed].to_vec();
                let mut components = self.components_of(position, &extents, &certs).into_iter();
                if let Some(first) = components.next() {
                    place.push(self.sum(tensor.leaves[view.fixed], first));
                }
                place.extend(components);
                place
            }
        };
        Place { buffer: view.buffer, index, certs, is_plain: false }
    }

    /// Returns the index of a position that is in bounds.
    fn components_of(&mut self, position: Operand, extents: &[Operand], certs: &[Var]) -> Vec<Operand> {
        let mut rest = position;
        let mut components = Vec::new();
        for extent in extents.iter().skip(1).rev() {
            components.push(self.b.with_certs(certs, |b| b.binary("i", BinaryOp::SRem, rest, *extent)));
            rest = self.b.with_certs(certs, |b| b.binary("i", BinaryOp::SQuot, rest, *extent));
        }
        components.extend(extents.first().map(|_| rest));
        components.reverse();
        components
    }

    /// Returns the part of a tensor that the first components of an index select.
    fn slice_of(
        &mut self,
        tensor: &Data,
        view: View,
        index: &[Operand],
        span: Span,
    ) -> Result<Data, Failure> {
        let fixed = view.fixed + index.len();
        let own = View { fixed, ..view };
        match view.kind {
            ViewKind::Shaped(rank) if fixed > rank => {
                self.b.assert(Operand::bool(false), wrong_rank(self.rank_of(tensor, view), index));
                Ok(tensor.clone())
            }
            ViewKind::Shaped(rank) if index.is_empty() || rank == view.fixed => Ok(tensor.clone()),
            ViewKind::Shaped(rank) => {
                let place = self.start_of(tensor, view, index)?;
                let mut leaves: Vec<Operand> =
                    place.index.into_iter().map(|component| self.certain(component, &place.certs)).collect();
                if fixed < rank {
                    leaves.push(Operand::i64(0));
                    leaves.push(self.memory.buffers[view.buffer].extents[fixed]);
                }
                Ok(Data { layout: Layout::Tensor(own), leaves })
            }
            ViewKind::Flat(most) if index.len() > most => {
                self.refuse(format!("a tensor of more than {most} dimensions"), span)
            }
            ViewKind::Flat(_) => Ok(self.flat_slice(tensor, own, index)),
        }
    }

    fn flat_slice(&mut self, tensor: &Data, own: View, index: &[Operand]) -> Data {
        let extents = self.extents_of(tensor, own);
        let n = Operand::i64(index.len() as i64);
        let rank = self.rank_of(tensor, own);
        let fine = self.b.compare("fine", CompareOp::SLe, n, rank);
        let mut certs = Vec::from_iter(self.check(fine, wrong_rank(rank, index)));
        certs.extend(self.check_index(index, &extents, &extents[..index.len().min(extents.len())]));
        let mut at = Operand::i64(0);
        for (position, extent) in extents.iter().enumerate() {
            at = if at == Operand::i64(0) { at } else { self.product(at, *extent) };
            if let Some(component) = index.get(position) {
                at = self.sum(at, *component);
            }
        }
        let at = self.sum(tensor.leaves[0], at);
        let at = self.certain(at, &certs);
        let rank = self.b.binary("rank", BinaryOp::Sub, rank, n);
        let mut leaves = vec![at, rank];
        leaves.extend(extents.into_iter().skip(index.len()));
        leaves.resize(own.kind.n_leaves(own.fixed), Operand::i64(1));
        Data { layout: Layout::Tensor(own), leaves }
    }

    /// Returns a part of a tensor along its first dimension.
    fn sub_of(&mut self, tensor: &Data, view: View, start: Operand, len: Operand) -> Data {
        let zero = Operand::i64(0);
        let all = self.extents_of(tensor, view).first().copied().unwrap_or(zero);
        let low = self.b.compare("low", CompareOp::SLe, zero, start);
        let some = self.b.compare("some", CompareOp::SLe, zero, len);
        let last = self.b.binary("last", BinaryOp::Sub, all, len);
        let high = self.b.compare("high", CompareOp::SLe, start, last);
        let fine = self.b.binary("fine", BinaryOp::And, low, some);
        let fine = self.b.binary("fine", BinaryOp::And, fine, high);
        let cert = self.check(fine, text("`tensorSubExn` out of bounds"));
        let mut part = tensor.clone();
        match view.kind {
            ViewKind::Shaped(rank) if rank == view.fixed => {}
            ViewKind::Shaped(_) => {
                let start = self.sum(tensor.leaves[view.fixed], start);
                part.leaves[view.fixed] = self.certain(start, cert.as_slice());
                part.leaves[view.fixed + 1] = len;
            }
            ViewKind::Flat(_) => {
                let mut skipped = start;
                for extent in &tensor.leaves[3..] {
                    skipped = self.product(skipped, *extent);
                }
                let start = self.sum(tensor.leaves[0], skipped);
                part.leaves[0] = self.certain(start, cert.as_slice());
                part.leaves[2] = len;
            }
        }
        part
    }

    /// Returns the number of dimensions of a view.
    pub(super) fn rank_of(&self, tensor: &Data, view: View) -> Operand {
        match view.kind {
            ViewKind::Shaped(rank) => Operand::i64((rank - view.fixed) as i64),
            ViewKind::Flat(_) => tensor.leaves[1],
        }
    }

    /// Returns the extents of a view; if its rank is not known, the maximum number of extents.
    pub(super) fn extents_of(&self, tensor: &Data, view: View) -> Vec<Operand> {
        match view.kind {
            ViewKind::Shaped(rank) if rank == view.fixed => Vec::new(),
            ViewKind::Shaped(_) => {
                let rest = &self.memory.buffers[view.buffer].extents[view.fixed + 1..];
                std::iter::once(tensor.leaves[view.fixed + 1]).chain(rest.iter().copied()).collect()
            }
            ViewKind::Flat(_) => tensor.leaves[2..].to_vec(),
        }
    }

    fn shape_of(&mut self, tensor: &Data, view: View, span: Span) -> Result<Data, Failure> {
        let extents = self.extents_of(tensor, view).into_iter().map(Data::int).collect();
        let all = self.literal(extents, &Shape::Scalar(ScalarType::I64), span)?;
        let rank = self.rank_of(tensor, view);
        if rank == length(&all) {
            return Ok(all);
        }
        Ok(self.part(&all, Operand::i64(0), rank, Operand::i64(1)))
    }

    /// Returns certificates that the components of an index are in bounds; the message shows the given shape.
    fn check_index(&mut self, index: &[Operand], extents: &[Operand], shown: &[Operand]) -> Vec<Var> {
        let mut all = None;
        for (component, extent) in index.iter().zip(extents) {
            let low = self.b.compare("low", CompareOp::SLe, Operand::i64(0), *component);
            let high = self.b.compare("high", CompareOp::SLt, *component, *extent);
            let fine = self.b.binary("fine", BinaryOp::And, low, high);
            all = Some(match all {
                Some(before) => self.b.binary("fine", BinaryOp::And, before, fine),
                None => fine,
            });
        }
        let Some(all) = all else { return Vec::new() };
        let mut parts = listed("Index ", index);
        parts.extend(listed(" out of bounds for a tensor of shape ", shown));
        Vec::from_iter(self.check(all, Message { parts, calls: Vec::new() }))
    }

    /// Checks that two values that become one are views of one buffer.
    pub(super) fn same_buffers(&mut self, a: &Layout, b: &Layout, span: Span) -> Result<(), Failure> {
        match (a, b) {
            (Layout::Tensor(a), Layout::Tensor(b)) if a == b => Ok(()),
            (Layout::Tensor(a), Layout::Tensor(b)) => {
                let is_known = matches!((a.kind, b.kind), (ViewKind::Flat(_), ViewKind::Flat(_)))
                    && a.buffer == b.buffer;
                if is_known {
                    return self.limit("one name for tensors that were sliced differently often", span);
                }
                self.retry = Some(Retry::Together(a.buffer, b.buffer));
                self.limit("tensors that were thought to be apart", span)
            }
            (Layout::Seq(_, a) | Layout::Rows(_, a), Layout::Seq(_, b) | Layout::Rows(_, b)) => {
                self.same_buffers(a, b, span)
            }
            (Layout::Record(a), Layout::Record(b)) => {
                a.iter().zip(b).try_for_each(|((_, a), (_, b))| self.same_buffers(a, b, span))
            }
            // The numbers of leaves have been compared before.
            _ => Ok(()),
        }
    }
}

fn wrong_rank(rank: Operand, index: &[Operand]) -> Message {
    let mut parts = listed("Index ", index);
    parts.push(MessagePart::Text(" for a tensor of rank ".to_string()));
    parts.push(MessagePart::Value(rank, ValueType::I64));
    Message { parts, calls: Vec::new() }
}

pub(super) fn listed(before: &str, operands: &[Operand]) -> Vec<MessagePart> {
    let mut parts = vec![MessagePart::Text(format!("{before}["))];
    for (position, operand) in operands.iter().enumerate() {
        if position > 0 {
            parts.push(MessagePart::Text(", ".to_string()));
        }
        parts.push(MessagePart::Value(*operand, ValueType::I64));
    }
    parts.push(MessagePart::Text("]".to_string()));
    parts
}
