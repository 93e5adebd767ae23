//! Sequences in sequences as rows of pools, whose lengths may differ.
//!
//! ```text
//! [[1, 2], [], [3]]   is   starts [0, 2, 2], lengths [2, 0, 1], and a pool [1, 2, 3]
//! ```
//! In an expression lowered in this way every sequence that is an element of another sequence is a row ([`Layout::Rows`]), so
//! that values of one type have one form. A row that is taken out of its sequence is a part of the pool, and a sequence like any
//! other. Sequences that become elements are put into a pool. Rows need not lie in order, so choosing, reversing and dropping
//! them moves only their places. A map makes new pools, each by a `flatmap`:
//!
//! ```text
//! map (lam n. create n (lam i. i)) s
//! ==>
//! total: i64, starts: [k]i64, pool: [total]i64, lengths: [k]i64 = flatmap k (s) rows (i64) (n: i64) {
//!   is: [n]i64 = ...; return n, is, n };
//! ```
//! Inner pools are made first, so that the starts of outer rows can refer to them (papers/004, section 4.2, has the same form of
//! nested arrays). Absent: rows that the text of the array language takes or returns.

use warpwise_diag::{Failure, Span};
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Expr as Ir, FlatMap, Lambda, Operand, Reduce, Screma, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::Lowerer;
use super::sequences::lengths_differ;
use super::value::{Data, Layout};

/// A computation for each element of some arrays; the lambda has no results yet.
pub(super) struct Made {
    pub(super) width: Operand,
    pub(super) inputs: Vec<Var>,
    pub(super) lambda: Lambda,
}

/// Sequences of all elements, in one pool.
struct Pool {
    starts: Var,
    lengths: Var,
    total: Operand,
    element: Layout,
    leaves: Vec<Operand>,
}

/// The leaves of a sequence's elements that do not belong to pools.
#[derive(Default)]
struct Own {
    leaves: Vec<Operand>,
    /// The leaves that are starts of rows, each with the starts of the parts that the leaf is relative to.
    shifts: Vec<(usize, Var)>,
}

impl Lowerer<'_, '_> {
    /// Opens an element that is taken out of its sequence: its rows become sequences.
    pub(super) fn open(&mut self, data: Data) -> Data {
        match &data.layout {
            Layout::Scalar(_) | Layout::Seq(..) | Layout::Tensor(_) => data,
            Layout::Record(_) => {
                let fields = data.fields().into_iter().map(|(label, field)| (label, self.open(field)));
                let fields: Vec<_> = fields.collect();
                Data::record(fields)
            }
            Layout::Rows(total, element) => {
                let pool =
                    Data { layout: Layout::Seq(*total, element.clone()), leaves: data.leaves[2..].to_vec() };
                self.part(&pool, data.leaves[0], data.leaves[1], Operand::i64(1))
            }
        }
    }

    /// Closes a value that becomes an element: each sequence becomes the only row of its pool.
    fn close(&self, data: &Data) -> Data {
        match &data.layout {
            Layout::Scalar(_) | Layout::Tensor(_) | Layout::Rows(..) => data.clone(),
            Layout::Record(_) => {
                let fields = data.fields().into_iter().map(|(label, field)| (label, self.close(&field)));
                Data::record(fields.collect())
            }
            Layout::Seq(length, element) => Data {
                layout: Layout::Rows(*length, element.clone()),
                leaves: [Operand::i64(0), *length].into_iter().chain(data.leaves.iter().copied()).collect(),
            },
        }
    }

    /// Lowers `[x, y, ...]` with at least one item.
    pub(super) fn literal_of_rows(&mut self, items: Vec<Data>, span: Span) -> Result<Data, Failure> {
        let items: Vec<Data> = items.iter().map(|item| self.close(item)).collect();
        let one = Operand::i64(1);
        let singles = items.into_iter().map(|item| {
            let arrays = item.layout.pooled();
            let leaves = item.leaves.iter().zip(arrays).map(|(leaf, is_pooled)| match is_pooled {
                true => *leaf,
                false => self.b.bind_one("item", Ir::ArrayLit(vec![*leaf])).into(),
            });
            Data { leaves: leaves.collect(), layout: Layout::Seq(one, Box::new(item.layout)) }
        });
        let singles: Vec<Data> = singles.collect();
        self.concat_rows(&singles, span)
    }

    /// Concatenates sequences, at least one.
    pub(super) fn concat_rows(&mut self, parts: &[Data], span: Span) -> Result<Data, Failure> {
        let (mut elements, mut lens) = (Vec::new(), Vec::new());
        for part in parts {
            let Layout::Seq(len, element) = &part.layout else {
                return self.limit("this concatenation", span);
            };
            self.same_buffers(&parts[0].layout, &part.layout, span)?;
            lens.push(*len);
            elements.push(Data { layout: (**element).clone(), leaves: part.leaves.clone() });
        }
        let len = self.total(&lens);
        let all = self.concat_elements(&elements, len, span)?;
        self.check_regular(&all);
        Ok(Data { layout: Layout::Seq(len, Box::new(all.layout)), leaves: all.leaves })
    }

    /// Unless irregular sequences are accepted, checks that all rows of elements have one length, at every depth.
    fn check_regular(&mut self, elements: &Data) {
        if self.functions.checks.accepted.irregular {
            return;
        }
        match &elements.layout {
            Layout::Scalar(_) | Layout::Tensor(_) => {}
            Layout::Record(_) => {
                elements.fields().iter().for_each(|(_, field)| self.check_regular(field));
            }
            Layout::Seq(_, element) | Layout::Rows(_, element) => {
                let lengths = elements.leaves[1];
                let (least, most) =
                    (self.extreme(BinaryOp::SMin, lengths), self.extreme(BinaryOp::SMax, lengths));
                // Without rows, the least length is greater than the greatest.
                let fine = self.b.compare("fine", CompareOp::SLe, most, least);
                self.b.assert(fine, lengths_differ(least, most));
                let pool = Data { layout: (**element).clone(), leaves: elements.leaves[2..].to_vec() };
                self.check_regular(&pool);
            }
        }
    }

    /// Returns the minimum or maximum of some numbers.
    fn extreme(&mut self, op: BinaryOp, numbers: Operand) -> Operand {
        let Some(array) = numbers.as_var() else { return numbers };
        let neutral = if op == BinaryOp::SMin { i64::MAX } else { i64::MIN };
        let len = self.b.function.ty(array).shape()[0];
        let map = self.b.identity(&[Type::I64]);
        let op = self.b.operator(op, ScalarType::I64);
        let reduce = Reduce { op, neutral: vec![Operand::i64(neutral)], commutative: true };
        self.b.map_reduce("length", len, &[array], map, reduce)[0].into()
    }

    /// Concatenates the elements of sequences; there are `len` in all.
    fn concat_elements(&mut self, parts: &[Data], len: Operand, span: Span) -> Result<Data, Failure> {
        match &parts[0].layout {
            Layout::Scalar(_) | Layout::Tensor(_) => {
                let leaves = (0..parts[0].leaves.len()).map(|leaf| {
                    let arrays: Vec<Operand> = parts.iter().map(|part| part.leaves[leaf]).collect();
                    self.joined(&arrays, len)
                });
                Ok(Data { leaves: leaves.collect(), layout: parts[0].layout.clone() })
            }
            Layout::Record(fields) => {
                let parts: Vec<Vec<_>> = parts.iter().map(Data::fields).collect();
                let mut all = Vec::new();
                for (position, (label, _)) in fields.iter().enumerate() {
                    let Some(own) = parts.iter().map(|part| part.get(position)).collect::<Option<Vec<_>>>()
                    else {
                        return self.refuse("elements one of which has no type", span);
                    };
                    let own: Vec<Data> = own.into_iter().map(|(_, field)| field.clone()).collect();
                    all.push((*label, self.concat_elements(&own, len, span)?));
                }
                Ok(Data::record(all))
            }
            Layout::Seq(..) => self.limit("elements of one length among others", span),
            Layout::Rows(..) => self.concat_pools(parts, len, span),
        }
    }

    fn concat_pools(&mut self, parts: &[Data], len: Operand, span: Span) -> Result<Data, Failure> {
        let mut pools = Vec::new();
        for part in parts {
            let Layout::Rows(total, element) = &part.layout else {
                return self.refuse("elements one of which has no type", span);
            };
            let layout = Layout::Seq(*total, element.clone());
            pools.push(Data { layout, leaves: part.leaves[2..].to_vec() });
        }
        let lengths: Vec<Operand> = parts.iter().map(|part| part.leaves[1]).collect();
        let mut starts = vec![parts[0].leaves[0]];
        let is_one_pool = pools.iter().all(|pool| *pool == pools[0]);
        let pool = if is_one_pool {
            starts.extend(parts[1..].iter().map(|part| part.leaves[0]));
            pools.swap_remove(0)
        } else {
            let mut before = super::patterns::length(&pools[0]);
            for (part, pool) in parts.iter().zip(&pools).skip(1) {
                let own = super::patterns::length(pool);
                starts.push(self.shifted(part.leaves[0], before));
                before = self.sum(before, own);
            }
            self.concat_rows(&pools, span)?
        };
        let (starts, lengths) = (self.joined(&starts, len), self.joined(&lengths, len));
        let Layout::Seq(total, element) = pool.layout else {
            return self.limit("this concatenation", span);
        };
        let leaves = [starts, lengths].into_iter().chain(pool.leaves).collect();
        Ok(Data { layout: Layout::Rows(total, element), leaves })
    }

    /// Returns the sum of lengths; it depends on a check against overflow.
    fn total(&mut self, lens: &[Operand]) -> Operand {
        let mut certs = Vec::new();
        let total = lens.iter().copied().reduce(|sum, len| {
            let (sum, cert) = self.size(SizeOp::Add, sum, len);
            certs.extend(cert);
            sum
        });
        let total = total.unwrap_or(Operand::i64(0));
        match &certs[..] {
            [] => total,
            certs => self.b.with_certs(certs, |b| b.bind_one("n", Ir::Operand(total))).into(),
        }
    }

    /// Concatenates arrays; the result has length `len`.
    fn joined(&mut self, arrays: &[Operand], len: Operand) -> Operand {
        match arrays {
            [array] => *array,
            _ => {
                let arrays = arrays.iter().filter_map(|array| array.as_var()).collect();
                self.b.bind_one("xs", Ir::Concat { arrays, len }).into()
            }
        }
    }

    /// Adds a number to each element of an array of integers.
    fn shifted(&mut self, array: Operand, by: Operand) -> Operand {
        let Some(array) = array.as_var() else { return array };
        let len = self.b.function.ty(array).shape()[0];
        let add =
            self.b.lambda(&[("start", Type::I64)], |b, x| vec![b.binary("start", BinaryOp::Add, x[0], by)]);
        self.b.map("starts", len, &[array], add)[0].into()
    }

    /// Returns a sequence with the element replaced at an index that is in bounds.
    pub(super) fn set_row(
        &mut self,
        seq: &Data,
        index: Operand,
        value: &Data,
        certs: &[Var],
        span: Span,
    ) -> Result<Data, Failure> {
        let Layout::Seq(n, element) = &seq.layout else { return self.limit("this `set`", span) };
        let elements = Data { layout: (**element).clone(), leaves: seq.leaves.clone() };
        let value = self.close(value);
        let all = self.set_element(&elements, index, &value, certs, span)?;
        Ok(Data { layout: Layout::Seq(*n, Box::new(all.layout)), leaves: all.leaves })
    }

    fn set_element(
        &mut self,
        elements: &Data,
        index: Operand,
        value: &Data,
        certs: &[Var],
        span: Span,
    ) -> Result<Data, Failure> {
        let item = |this: &mut Self, leaf: usize, new: Operand| match elements.leaves[leaf].as_var() {
            Some(array) => this.with_item(array, index, new, certs),
            None => elements.leaves[leaf],
        };
        match (&elements.layout, &value.layout) {
            (Layout::Record(_), Layout::Record(_)) => {
                let mut all = Vec::new();
                for ((label, own), (_, value)) in elements.fields().into_iter().zip(value.fields()) {
                    all.push((label, self.set_element(&own, index, &value, certs, span)?));
                }
                Ok(Data::record(all))
            }
            (Layout::Rows(total, own), Layout::Rows(more, new)) => {
                let pool =
                    Data { layout: Layout::Seq(*total, own.clone()), leaves: elements.leaves[2..].to_vec() };
                let row =
                    Data { layout: Layout::Seq(*more, new.clone()), leaves: value.leaves[2..].to_vec() };
                let all = self.concat_rows(&[pool, row], span)?;
                let start = self.sum(value.leaves[0], *total);
                let (starts, lengths) = (item(self, 0, start), item(self, 1, value.leaves[1]));
                let Layout::Seq(total, element) = all.layout else { return self.limit("this `set`", span) };
                let leaves = [starts, lengths].into_iter().chain(all.leaves).collect();
                Ok(Data { layout: Layout::Rows(total, element), leaves })
            }
            (Layout::Scalar(_) | Layout::Tensor(_), _) => {
                let leaves = value.leaves.iter().enumerate().map(|(leaf, new)| item(self, leaf, *new));
                Ok(Data { leaves: leaves.collect(), layout: value.layout.clone() })
            }
            _ => self.refuse("elements one of which has no type", span),
        }
    }

    /// Concatenates the rows.
    pub(super) fn flatten_rows(&mut self, seq: &Data, span: Span) -> Result<Data, Failure> {
        let Layout::Seq(width, element) = &seq.layout else { return self.limit("this `flatten`", span) };
        if let Layout::Rows(total, element) = &**element
            && self.are_in_order(&seq.leaves)
        {
            return Ok(Data {
                layout: Layout::Seq(*total, element.clone()),
                leaves: seq.leaves[2..].to_vec(),
            });
        }
        let (mut params, mut inputs, mut leaves) = (Vec::new(), Vec::new(), seq.leaves.clone());
        for leaf in &mut leaves[..2] {
            inputs.extend(leaf.as_var());
            params.push(self.b.function.fresh("x", Type::I64));
            *leaf = params[params.len() - 1].into();
        }
        let row = Data { layout: (**element).clone(), leaves };
        let (stms, row) = self.nested(|this| Ok(this.open(row)))?;
        let body = warpwise_ir::Body { stms, result: Vec::new() };
        let made = Made { width: *width, inputs, lambda: Lambda { params, body } };
        let Layout::Seq(length, element) = &row.layout else { return self.limit("this `flatten`", span) };
        let pool = self.pool(&made, *length, element, &row.leaves, span)?;
        Ok(Data { layout: Layout::Seq(pool.total, Box::new(pool.element)), leaves: pool.leaves })
    }

    /// Returns whether rows with these leaves are known to lie one after the other in their pool, and to fill it.
    fn are_in_order(&self, leaves: &[Operand]) -> bool {
        match (leaves[0].as_var(), leaves[1].as_var()) {
            (Some(starts), Some(lengths)) => self.rows_in_order.get(&starts) == Some(&lengths),
            _ => false,
        }
    }

    /// Notes that all rows in elements lie in order and fill their pools, as in values that come from the host.
    pub(super) fn note_order(&mut self, layout: &Layout, leaves: &[Operand]) {
        match layout {
            Layout::Scalar(_) | Layout::Tensor(_) => {}
            Layout::Record(fields) => {
                let mut rest = leaves;
                for (_, field) in fields {
                    let (own, later) = rest.split_at(field.n_leaves());
                    self.note_order(field, own);
                    rest = later;
                }
            }
            Layout::Seq(_, element) => self.note_order(element, leaves),
            Layout::Rows(_, element) => {
                if let (Some(starts), Some(lengths)) = (leaves[0].as_var(), leaves[1].as_var()) {
                    self.rows_in_order.insert(starts, lengths);
                }
                self.note_order(element, &leaves[2..]);
            }
        }
    }

    /// Returns the sequence of the values computed for each element.
    pub(super) fn map_to_rows(&mut self, made: &Made, value: &Data, span: Span) -> Result<Data, Failure> {
        let mut own = Own::default();
        let element = self.own(made, &value.layout, &value.leaves, &mut own, span)?;
        // A map for the leaves that are not pooled, and nothing else.
        let mut plain = Vec::new();
        if !own.leaves.is_empty() {
            let Made { width, inputs, lambda } = made;
            let mut map = lambda.clone();
            map.body.result = own.leaves;
            let map = Copier::within(self.b.function, Substitution::new()).copy_lambda(&map);
            let inputs = inputs.clone();
            let screma =
                Screma { width: *width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
            plain = self.b.bind("ys", Ir::Screma(Box::new(screma)));
        }
        let (layout, leaves) = element.finish(&mut plain.into_iter().map(Operand::from));
        self.check_regular(&Data { layout: layout.clone(), leaves: leaves.clone() });
        Ok(Data { layout: Layout::Seq(made.width, Box::new(layout)), leaves })
    }

    /// Collects the sequences that are computed for all elements, each of `length` elements, in one pool.
    fn pool(
        &mut self,
        made: &Made,
        length: Operand,
        element: &Layout,
        leaves: &[Operand],
        span: Span,
    ) -> Result<Pool, Failure> {
        let mut own = Own::default();
        let element = self.own(made, element, leaves, &mut own, span)?;
        let Made { width, inputs, lambda } = made;
        let (mut lambda, mut inputs) = (lambda.clone(), inputs.clone());
        for (leaf, starts) in &own.shifts {
            let before = self.b.function.fresh("before", Type::I64);
            lambda.params.push(before);
            inputs.push(*starts);
            let start = own.leaves[*leaf];
            let (stms, shifted) = self.nested(|this| Ok(this.shifted(start, before.into())))?;
            lambda.body.stms.extend(stms);
            own.leaves[*leaf] = shifted;
        }
        let mut results = Vec::new();
        for leaf in &own.leaves {
            let Some(ty) = leaf.as_var().map(|array| self.b.function.ty(array).row(1)) else {
                return self.refuse("a sequence without a type", span);
            };
            results.push(if ty.rank() == 0 {
                ty
            } else {
                return self.limit("elements of one length", span);
            });
        }
        let n_results = results.len();
        lambda.body.result =
            std::iter::once(length).chain(own.leaves).chain(std::iter::once(length)).collect();
        let lambda = Copier::within(self.b.function, Substitution::new()).copy_lambda(&lambda);
        let flat_map = FlatMap { width: *width, inputs, results, lambda };
        let vars = self.b.bind("rows", Ir::FlatMap(Box::new(flat_map)));
        let (total, starts, lengths) = (vars[0].into(), vars[1], vars[2 + n_results]);
        self.rows_in_order.insert(starts, lengths);
        let (element, leaves) =
            element.finish(&mut vars[2..2 + n_results].iter().map(|var| Operand::from(*var)));
        Ok(Pool { starts, lengths, total, element, leaves })
    }

    /// Collects the leaves of an element that are not pooled, and makes the pools of its rows.
    fn own(
        &mut self,
        made: &Made,
        layout: &Layout,
        leaves: &[Operand],
        own: &mut Own,
        span: Span,
    ) -> Result<Element, Failure> {
        match layout {
            Layout::Scalar(_) | Layout::Tensor(_) => {
                own.leaves.extend(leaves);
                Ok(Element::Own(layout.clone()))
            }
            Layout::Record(fields) => {
                let (mut rest, mut all) = (leaves, Vec::new());
                for (label, layout) in fields {
                    let (now, later) = rest.split_at(layout.n_leaves());
                    all.push((*label, self.own(made, layout, now, own, span)?));
                    rest = later;
                }
                Ok(Element::Record(all))
            }
            // The sequence is computed for each element: its lengths are those of the pool.
            Layout::Seq(length, element) => {
                let pool = self.pool(made, *length, element, leaves, span)?;
                Ok(Element::Made(pool))
            }
            // The elements of the computed sequence are rows of a pool that is computed with it.
            Layout::Rows(total, element) => {
                let pool = self.pool(made, *total, element, &leaves[2..], span)?;
                own.shifts.push((own.leaves.len(), pool.starts));
                own.leaves.extend(&leaves[..2]);
                Ok(Element::Rows(pool))
            }
        }
    }
}

/// An element whose pools are made, and whose other leaves are not.
enum Element {
    Own(Layout),
    Record(Vec<(crate::syntax::names::Symbol, Element)>),
    /// A sequence computed for each element; it is one row of the pool.
    Made(Pool),
    /// Rows that are parts of what was computed for the element; their starts and lengths are among the other leaves.
    Rows(Pool),
}

impl Element {
    fn finish(self, own: &mut dyn Iterator<Item = Operand>) -> (Layout, Vec<Operand>) {
        let rows = |total, element, bounds: Vec<Operand>, leaves: Vec<Operand>| {
            (Layout::Rows(total, Box::new(element)), bounds.into_iter().chain(leaves).collect())
        };
        match self {
            Element::Own(layout) => {
                let leaves = own.take(layout.n_leaves()).collect();
                (layout, leaves)
            }
            Element::Record(fields) => {
                let (mut layouts, mut leaves) = (Vec::new(), Vec::new());
                for (label, field) in fields {
                    let (layout, more) = field.finish(own);
                    layouts.push((label, layout));
                    leaves.extend(more);
                }
                (Layout::Record(layouts), leaves)
            }
            Element::Made(Pool { starts, lengths, total, element, leaves }) => {
                rows(total, element, vec![starts.into(), lengths.into()], leaves)
            }
            Element::Rows(Pool { total, element, leaves, .. }) => {
                let bounds = own.take(2).collect();
                rows(total, element, bounds, leaves)
            }
        }
    }
}
