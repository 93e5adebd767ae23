//! The reads and writes of a statement, by region.

use smallvec::SmallVec;

use super::compare::Other;
use super::{Access, Clash, Kind, Past, Walk};
use crate::expr::{Expr, LoopForm, LoopParam, SliceDim, Stm};
use crate::exprs;
use crate::program::Var;
use crate::regions::Region;
use crate::segop::{SegKind, SegOp};
use crate::sums::Sum;
use crate::types::Operand;

impl<'a> Walk<'a, '_> {
    /// Returns the accesses of a statement, including all statements inside it.
    pub(super) fn stm(&mut self, stm: &'a Stm) -> Vec<Access> {
        let pattern = &stm.pattern;
        match &stm.expr {
            Expr::Index { array, indices } if self.function.ty(pattern[0]).rank() == 0 => {
                let row = self.region(*array).and_then(|region| self.row(&region, indices));
                self.access(Kind::Read, *array, row).into_iter().collect()
            }
            Expr::Update { array, dims, value } => {
                let part = self.region(*array).and_then(|region| self.part(&region, dims));
                self.put(stm, *value, self.access(Kind::Write, *array, part))
            }
            Expr::Copy(source) | Expr::Manifest { array: source, .. } => {
                self.put(stm, (*source).into(), self.write(pattern[0]))
            }
            Expr::Concat { arrays, .. } => self.concat(stm, arrays),
            Expr::ArrayLit(elements) => {
                let rows = elements.iter().enumerate().map(|(number, &element)| {
                    let number = Sum::constant(number as i64);
                    let row = self.region(pattern[0]).and_then(|region| region.row([number]));
                    (element, self.access(Kind::Write, pattern[0], row))
                });
                let rows: Vec<_> = rows.collect();
                rows.into_iter().flat_map(|(element, row)| self.put(stm, element, row)).collect()
            }
            Expr::Replicate { value, .. } => {
                self.read(*value).into_iter().chain(self.write(pattern[0])).collect()
            }
            Expr::Iota { .. } | Expr::Scratch { .. } => self.write(pattern[0]).into_iter().collect(),
            Expr::If { then_body, else_body, .. } => {
                let start = self.clock;
                let mut own = Vec::new();
                for body in [then_body, else_body] {
                    let is_own =
                        |(&var, &result): (&Var, &Operand)| (self.roots.root(var) == var).then_some(result);
                    let read: Vec<Operand> = pattern.iter().zip(&body.result).filter_map(is_own).collect();
                    let mut past = self.stms(&body.stms, &read);
                    self.results_become(&mut past, start, &body.result, pattern);
                    own.extend(self.seen_outside(past, start));
                }
                own
            }
            Expr::Loop { params, form, body } => {
                let start = self.enter(params.iter().map(|param| param.var).chain(match form {
                    LoopForm::For { index, .. } => Some(*index),
                    LoopForm::While { .. } => None,
                }));
                let is_own = |param: &LoopParam| self.roots.root(param.var) == param.var;
                let fresh = |param: &LoopParam, value| is_own(param).then_some(value);
                let first: Vec<Operand> =
                    params.iter().filter_map(|param| fresh(param, param.init)).collect();
                let next =
                    params.iter().zip(&body.result).filter_map(|(param, &result)| fresh(param, result));
                let next: Vec<Operand> = next.collect();
                let mut past = self.stms(&body.stms, &next);
                self.results_become(&mut past, start, &body.result, pattern);
                let carried: Vec<Operand> = params.iter().map(|param| param.var.into()).collect();
                self.results_become(&mut past, start, &carried, pattern);
                let own = self.seen_outside(past, start);
                self.no_clash(stm, &own, start, &Other::Later(form));
                for (param, &var) in params.iter().zip(pattern).filter(|(param, _)| is_own(param)) {
                    // A first value that lies where the parameter does is copied onto itself.
                    if let (Some(from), Some(to)) = (self.read(param.init), self.read(param.var.into()))
                        && is_in_place(&from, &to)
                    {
                        self.joined.push((from.root, self.roots.root(var)));
                    }
                }
                first.into_iter().filter_map(|init| self.read(init)).chain(own).collect()
            }
            Expr::Call { args, .. } => args.iter().filter_map(|&arg| self.read(arg)).collect(),
            Expr::WithAcc(with_acc) => {
                let start = self.enter(with_acc.lambda.params.iter().copied());
                let past = self.stms(&with_acc.lambda.body.stms, &with_acc.lambda.body.result);
                let arrays = with_acc.inputs.iter().flat_map(|input| &input.arrays);
                let own = self.seen_outside(past, start);
                own.into_iter().chain(arrays.filter_map(|&array| self.write(array))).collect()
            }
            Expr::UpdateAcc { values, .. } => values.iter().filter_map(|&value| self.read(value)).collect(),
            Expr::Seg(op) => self.seg(stm, op),
            // Scalars, and views, which read nothing by themselves. There are no SOACs at this level.
            exprs!(Operand, scalar, Assert, view, Screma, Partition, Scatter, Hist, Stream, FlatMap)
            | exprs!(Tuned, Alloc) => Vec::new(),
        }
    }

    fn seg(&mut self, stm: &'a Stm, op: &'a SegOp) -> Vec<Access> {
        let pattern = &stm.pattern;
        let start = self.enter(op.space.iter().map(|dim| dim.index));
        let point: Vec<Operand> = op.space.iter().map(|dim| dim.index.into()).collect();
        let mut last = Vec::new();
        let mut read = Vec::new();
        let mut in_place = Vec::new();
        let n_results = op.body.result.len();
        for (position, &result) in op.body.result.iter().enumerate() {
            let place = match &op.kind {
                SegKind::Map => self.row_of(pattern[position], &point),
                SegKind::Reduce { .. } => {
                    let whole = (pattern.len() + position).checked_sub(n_results);
                    let n_reduced: usize = op.kind.n_reduced();
                    whole.filter(|_| position >= n_reduced).and_then(|at| self.row_of(pattern[at], &point))
                }
                SegKind::Scatter { dests } if position % 2 == 1 && dests.iter().all(|dest| dest.segments) => {
                    let dest = dests[position / 2].array;
                    self.region(dest)
                        .and_then(|region| self.segment(&region, op.body.result[position - 1]))
                        .and_then(|region| self.access(Kind::WriteLast, dest, Some(region)))
                }
                SegKind::Scatter { .. }
                | SegKind::Scan { .. }
                | SegKind::Partition { .. }
                | SegKind::Hist { .. } => None,
            };
            let lies_there =
                self.read(result).zip(place.as_ref()).is_some_and(|(row, place)| is_in_place(&row, place));
            match lies_there {
                true => in_place.extend(result.as_var().zip(place).map(|(row, place)| (row, place.root))),
                false => {
                    read.push(result);
                    last.extend(place);
                }
            }
        }
        let mut past = self.stms(&op.body.stms, &read);
        for lambda in op.kind.lambdas() {
            lambda.params.iter().for_each(|&param| self.bound[param] = self.clock);
            let inside = self.stms(&lambda.body.stms, &lambda.body.result);
            past.accesses.extend(inside.accesses);
        }
        for (row, whole) in in_place {
            let root = self.roots.root(row);
            if self.bound[root] > start {
                past.rename(root, whole);
            }
        }
        let mut own = self.seen_outside(past, start);
        own.extend(last);
        own.extend(self.written_whole(op, pattern));
        let is_pointwise = op.kind == SegKind::Map && !op.body.can_fail();
        let relation = if is_pointwise { Other::Point(&op.space) } else { Other::Any };
        self.no_clash(stm, &own, start, &relation);
        own.iter_mut()
            .filter(|access| access.kind == Kind::WriteLast)
            .for_each(|access| access.kind = Kind::Write);
        own
    }

    /// Returns the writes of an operation that belong to no known point, or happen after all points.
    fn written_whole(&self, op: &SegOp, pattern: &[Var]) -> Vec<Access> {
        match &op.kind {
            SegKind::Map => Vec::new(),
            SegKind::Reduce { .. } => {
                pattern[..op.kind.n_reduced()].iter().filter_map(|&var| self.write(var)).collect()
            }
            SegKind::Scan { .. } => pattern.iter().filter_map(|&var| self.write(var)).collect(),
            SegKind::Partition { .. } => {
                pattern.iter().filter_map(|&var| self.access(Kind::Write, var, None)).collect()
            }
            SegKind::Scatter { dests } if dests.iter().all(|dest| dest.segments) => Vec::new(),
            SegKind::Scatter { .. } | SegKind::Hist { .. } => {
                op.kind.overwritten().into_iter().filter_map(|dest| self.write(dest)).collect()
            }
        }
    }

    fn concat(&mut self, stm: &'a Stm, arrays: &[Var]) -> Vec<Access> {
        let mut start = Some(Sum::default());
        let mut parts = Vec::new();
        for &array in arrays {
            let extent = self.facts.sum(self.function.ty(array).shape()[0]);
            let part = self.region(stm.pattern[0]).zip(start.clone()).and_then(|(whole, first)| {
                let (_, stride) = whole.dims.first()?;
                let offset = whole.offset.plus(&first.times(stride)?)?;
                let mut dims = whole.dims.clone();
                dims[0].0 = extent.clone()?;
                Some(Region { offset, dims })
            });
            parts.push((array, self.access(Kind::Write, stm.pattern[0], part)));
            start = start.zip(extent).and_then(|(start, extent)| start.plus(&extent));
        }
        parts.into_iter().flat_map(|(array, part)| self.put(stm, array.into(), part)).collect()
    }

    /// Returns the accesses of a copy of a value to a place. Nothing is written if the value already lies there.
    fn put(&mut self, stm: &'a Stm, value: Operand, place: Option<Access>) -> Vec<Access> {
        let read = self.read(value);
        let (Some(from), Some(to)) = (&read, &place) else { return read.into_iter().chain(place).collect() };
        if is_in_place(from, to) {
            self.joined.push((from.root, to.root));
            return read.into_iter().collect();
        }
        if from.block == to.block && self.may_meet(from, to) {
            self.found.push(Clash { stm, read: from.array, written: to.array });
        }
        read.into_iter().chain(place).collect()
    }

    /// Enters a body that may run several times: returns the time of entry, and binds variables after it.
    fn enter(&mut self, vars: impl Iterator<Item = Var>) -> u32 {
        let start = self.clock;
        self.clock += 1;
        vars.for_each(|var| self.bound[var] = self.clock);
        start
    }

    /// Transfers the writes of a body's results to the outer variables that are bound to them.
    fn results_become(&self, past: &mut Past, start: u32, results: &[Operand], pattern: &[Var]) {
        for (result, &var) in results.iter().zip(pattern) {
            let Some(root) = result.as_var().map(|result| self.roots.root(result)) else { continue };
            if self.bound[root] > start && self.roots.root(var) == var {
                past.rename(root, var);
            }
        }
    }

    /// Returns the accesses that are visible outside a body. Reads of arrays made inside are not.
    fn seen_outside(&self, past: Past, start: u32) -> Vec<Access> {
        let accesses = past.accesses.into_iter().map(|(_, access)| access);
        accesses.filter(|access| access.kind != Kind::Read || self.bound[access.root] <= start).collect()
    }

    fn row_of(&self, array: Var, point: &[Operand]) -> Option<Access> {
        let row = self.region(array).and_then(|region| self.row(&region, point));
        self.access(Kind::WriteLast, array, row)
    }

    fn write(&self, array: Var) -> Option<Access> {
        self.access(Kind::Write, array, self.region(array))
    }

    /// Returns the access that reads an array as a whole.
    pub(super) fn read(&self, value: Operand) -> Option<Access> {
        value.as_var().and_then(|array| self.access(Kind::Read, array, self.region(array)))
    }

    fn access(&self, kind: Kind, array: Var, region: Option<Region>) -> Option<Access> {
        let block = self.block(array).filter(|block| self.blocks.contains(block))?;
        let (root, shared, certs) = (self.roots.root(array), SmallVec::new(), self.certs.clone());
        Some(Access { kind, block, array, root, shared, region, certs })
    }

    fn block(&self, array: Var) -> Option<Var> {
        self.function.vars[array].placement.as_ref().map(|placement| placement.block)
    }

    fn region(&self, array: Var) -> Option<Region> {
        self.function.vars[array]
            .placement
            .as_ref()
            .and_then(|placement| self.facts.region(&placement.index_fn))
    }

    fn row(&self, region: &Region, indices: &[Operand]) -> Option<Region> {
        let indices: Option<Vec<Sum>> = indices.iter().map(|&index| self.facts.sum(index)).collect();
        region.row(indices?)
    }

    fn part(&self, whole: &Region, dims: &[SliceDim]) -> Option<Region> {
        let mut part = Region { offset: whole.offset.clone(), dims: Vec::new() };
        for (dim, (_, stride)) in dims.iter().zip(&whole.dims) {
            let first = match *dim {
                SliceDim::Fix(index) => index,
                SliceDim::Range { start, len, stride: step } => {
                    part.dims.push((self.facts.sum(len)?, self.facts.sum(step)?.times(stride)?));
                    start
                }
            };
            part.offset = part.offset.plus(&self.facts.sum(first)?.times(stride)?)?;
        }
        Some(part)
    }

    /// Returns the region of the rows from `first` on. Their number does not matter.
    fn segment(&self, whole: &Region, first: Operand) -> Option<Region> {
        let (_, stride) = whole.dims.first()?;
        let offset = whole.offset.plus(&self.facts.sum(first)?.times(stride)?)?;
        Some(Region { offset, dims: whole.dims.clone() })
    }
}

/// Returns whether the source of a copy coincides with its destination.
fn is_in_place(from: &Access, to: &Access) -> bool {
    from.block == to.block
        && from.region.as_ref().zip(to.region.as_ref()).is_some_and(|(from, to)| from.is_same_place(to))
}
