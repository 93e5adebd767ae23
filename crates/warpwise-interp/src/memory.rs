//! Effects of a run on memory, beside its values: see [`heap`](crate::heap).
//!
//! Every method does nothing if a run has no heap.

use std::cell::RefCell;

use warpwise_ir::entity::Entity;
use warpwise_ir::{
    Expr, Function, Mapping, Operand, ScatterDest, SegKind, SegOp, SliceDim, Stm, Type, Var, exprs,
};
use warpwise_prim::Scalar;

use crate::heap::{Access, Heap, Place};
use crate::machine::{Accumulator, Machine, Run};
use crate::races::Kind;
use crate::value::{ArrayValue, Value, element_count};

/// Number of the iteration that finishes an operation, after all others.
const FINISHING: u64 = u64::MAX;

/// Written elements of the results of a scatter or histogram, as number of the result and indices.
pub(crate) type Touched = Vec<(usize, Vec<i64>)>;

/// Gives a function's arguments blocks; every array lies row-major from the start of its block.
pub(crate) fn place_arguments(heap: &RefCell<Heap>, function: &Function, args: Vec<Value>) -> Vec<Value> {
    let mut heap = heap.borrow_mut();
    let mut placed = args.clone();
    for (position, param) in function.params.iter().enumerate() {
        if *function.ty(param.var) != Type::Mem {
            continue;
        }
        let lies_here = |var: Var| {
            function.vars[var].placement.as_ref().is_some_and(|placement| placement.block == param.var)
        };
        let array = function.params.iter().position(|array| lies_here(array.var));
        let array = array.and_then(|array| args[array].as_array());
        let bytes = array.map_or(0, |array| array.data.len() * array.elem.bytes());
        let block = heap.alloc(bytes);
        if let Some(array) = array {
            let written = heap.write_array(&row_major(block, array), &array.data, Kind::Write);
            written.expect("the block has this size");
        }
        placed[position] = Value::Scalar(Scalar::I64(block as i64));
    }
    placed
}

fn row_major(block: usize, array: &ArrayValue) -> Place {
    let stride = |dim: usize| array.row_len(dim + 1) as i64;
    let dims = array.shape.iter().enumerate().map(|(dim, &extent)| (extent, stride(dim))).collect();
    Place { block, elem: array.elem, offset: 0, dims }
}

/// Returns the number of the iteration that a point belongs to. Points that differ in sequential dimensions only share it.
fn iteration_of(op: &SegOp, extents: &[usize], index: impl Fn(usize) -> Run<i64>) -> Run<u64> {
    let mut iteration = 0;
    for (position, (dim, &extent)) in op.space.iter().zip(extents).enumerate() {
        if dim.mapping != Mapping::Seq {
            iteration = iteration * extent as u64 + index(position)? as u64;
        }
    }
    Ok(iteration)
}

impl<'p> Machine<'p> {
    /// Returns the place of an array; `None` without a heap or without a placement.
    pub(crate) fn place(&self, var: Var) -> Run<Option<Place>> {
        let data = &self.function.vars[var];
        let (Some(_), Some(placement), Type::Array(ty)) = (self.heap, &data.placement, &data.ty) else {
            return Ok(None);
        };
        let block = self.size(Operand::Var(placement.block))?;
        let offset = self.int(placement.index_fn.offset)?;
        let mut dims = Vec::with_capacity(placement.index_fn.dims.len());
        for dim in &placement.index_fn.dims {
            dims.push((self.size(dim.extent)?, self.int(dim.stride)?));
        }
        Ok(Some(Place { block, elem: ty.elem, offset, dims }))
    }

    /// Allocates a block and returns its number.
    pub(crate) fn alloc(&self, bytes: Operand) -> Run<Value> {
        let Some(heap) = self.heap else { return Ok(Value::Token) };
        let bytes = self.size(bytes)?;
        self.spend_elements(&[bytes])?;
        Ok(Value::Scalar(Scalar::I64(heap.borrow_mut().alloc(bytes) as i64)))
    }

    /// Applies `work` to the heap, on behalf of an array.
    fn access(&self, var: Var, work: impl FnOnce(&mut Heap) -> Access<()>) -> Run<()> {
        let Some(heap) = self.heap else { return Ok(()) };
        work(&mut heap.borrow_mut()).map_err(|what| {
            let name = self.function.vars[var].name();
            self.invalid(format!("the memory of `{name}` (variable {}): {what}", var.index()))
        })
    }

    /// Reads an array that an expression reads as a whole.
    pub(crate) fn read_whole(&self, operand: Operand) -> Run<()> {
        let Operand::Var(var) = operand else { return Ok(()) };
        match self.place(var)? {
            Some(place) => {
                let value = self.array(var)?;
                self.access(var, |heap| heap.read_array(&place, &value))
            }
            None => Ok(()),
        }
    }

    /// Writes the whole value of an array.
    fn write_whole(&self, var: Var) -> Run<()> {
        match self.place(var)? {
            Some(place) => {
                let value = self.array(var)?;
                self.access(var, |heap| heap.write_array(&place, &value.data, Kind::Write))
            }
            None => Ok(()),
        }
    }

    /// Reads the arrays that a statement reads as a whole, before it runs.
    pub(crate) fn reads(&self, stm: &Stm) -> Run<()> {
        match &stm.expr {
            Expr::Copy(array) | Expr::Manifest { array, .. } => self.read_whole((*array).into()),
            Expr::Concat { arrays, .. } => arrays.iter().try_for_each(|&array| self.read_whole(array.into())),
            Expr::ArrayLit(elements) => elements.iter().try_for_each(|&x| self.read_whole(x)),
            Expr::Replicate { value, .. } | Expr::Update { value, .. } => self.read_whole(*value),
            exprs!(Operand, scalar, Assert, view, Iota, Scratch, nested, Call, UpdateAcc, Tuned, Alloc) => {
                Ok(())
            }
        }
    }

    /// Checks that every array bound by a statement lies inside its block, whether or not its elements are used.
    pub(crate) fn are_inside(&self, pattern: &[Var]) -> Run<()> {
        for &var in pattern {
            if let Some(place) = self.place(var)? {
                self.access(var, |heap| heap.holds(&place))?;
            }
        }
        Ok(())
    }

    /// Carries out the accesses of a statement that are due after it ran and its variables are set.
    pub(crate) fn writes(&self, stm: &Stm) -> Run<()> {
        match (&stm.expr, &stm.pattern[..]) {
            (
                Expr::Copy(_)
                | Expr::Manifest { .. }
                | Expr::Concat { .. }
                | Expr::ArrayLit(_)
                | Expr::Replicate { .. }
                | Expr::Iota { .. }
                | Expr::Scratch { .. },
                [var],
            ) => self.write_whole(*var),
            (Expr::Update { dims, .. }, [var]) => self.write_part(*var, dims),
            (Expr::Index { array, indices }, [var]) => {
                let (Some(place), Value::Scalar(value)) = (self.place(*array)?, self.var(*var)?) else {
                    return Ok(());
                };
                let element = place.row(&self.ints(indices)?);
                self.access(*array, |heap| heap.read(element.block, element.offset, value))
            }
            _ => Ok(()),
        }
    }

    /// Writes the elements of an array that an update replaced.
    fn write_part(&self, var: Var, dims: &[SliceDim]) -> Run<()> {
        let Some(place) = self.place(var)? else { return Ok(()) };
        let value = self.array(var)?;
        let (elements, _) = self.slice(&value, dims)?;
        let places = place.elements();
        self.access(var, |heap| {
            let mut write = |at: usize| heap.write(place.block, places[at], value.data[at], Kind::Write);
            elements.into_iter().try_for_each(&mut write)
        })
    }

    /// Begins to note accesses, if an operation has parallel dimensions.
    pub(crate) fn enter(&self, op: &SegOp) {
        if let Some(heap) = self.noting(op) {
            heap.borrow_mut().races.enter();
        }
    }

    /// Ends the operation that [`Machine::enter`] began.
    pub(crate) fn leave(&self, op: &SegOp) {
        if let Some(heap) = self.noting(op) {
            heap.borrow_mut().races.leave();
        }
    }

    fn noting(&self, op: &SegOp) -> Option<&'p RefCell<Heap>> {
        self.heap.filter(|_| op.space.iter().any(|dim| dim.mapping != Mapping::Seq))
    }

    fn goes_on(&self, op: &SegOp, iteration: u64) {
        if let Some(heap) = self.noting(op) {
            heap.borrow_mut().races.iteration(iteration);
        }
    }

    /// Sets the iteration to that of the point whose indices are set.
    pub(crate) fn begin_point(&self, op: &SegOp, extents: &[usize]) -> Run<()> {
        let iteration = iteration_of(op, extents, |position| self.int(op.space[position].index.into()))?;
        self.goes_on(op, iteration);
        Ok(())
    }

    /// Writes the elements that a point writes by itself.
    pub(crate) fn write_point(
        &self,
        op: &SegOp,
        pattern: &[Var],
        point: &[Value],
        touched: &mut Touched,
    ) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        match &op.kind {
            SegKind::Map => self.write_elements(op, pattern, &op.body.result, point),
            SegKind::Reduce { reduces } => {
                let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
                let (vars, sources) = (&pattern[n_reduced..], &op.body.result[n_reduced..]);
                self.write_elements(op, vars, sources, &point[n_reduced..])
            }
            SegKind::Scatter { dests } if dests.iter().any(|dest| dest.segments) => {
                self.write_segments(op, dests, point)
            }
            SegKind::Scatter { dests } => {
                let dests = dests.iter().map(|dest| (dest.rank, vec![dest.array]));
                self.touch(op, dests.collect(), point, touched)
            }
            SegKind::Hist { ops } => {
                let dests = ops.iter().map(|op| (op.rank, op.dests.clone()));
                self.touch(op, dests.collect(), point, touched)
            }
            SegKind::Scan { .. } | SegKind::Partition { .. } => Ok(()),
        }
    }

    /// Writes the elements of a point to their place in the results, unless they already lie there.
    fn write_elements(&self, op: &SegOp, vars: &[Var], sources: &[Operand], values: &[Value]) -> Run<()> {
        let mut indices = Vec::with_capacity(op.space.len());
        for dim in &op.space {
            indices.push(self.int(dim.index.into())?);
        }
        for ((&var, &source), value) in vars.iter().zip(sources).zip(values) {
            let Some(place) = self.place(var)? else { continue };
            let target = place.row(&indices);
            if let Value::Array(_) = value {
                let lies_there =
                    source.as_var().map_or(Ok(None), |row| self.place(row))?.is_some_and(|row| row == target);
                if lies_there {
                    continue;
                }
                self.read_whole(source)?;
            }
            self.access(var, |heap| heap.write_array(&target, value.elements(), Kind::Write))?;
        }
        Ok(())
    }

    /// Writes the segments of a point to their destinations, unless they already lie there.
    fn write_segments(&self, op: &SegOp, dests: &[ScatterDest], point: &[Value]) -> Run<()> {
        for ((dest, value), source) in dests.iter().zip(point.chunks(2)).zip(op.body.result.chunks(2)) {
            let [Value::Scalar(first), Value::Array(segment)] = value else {
                return Err(self.invalid("a segment is an index and an array"));
            };
            let Some(place) = self.place(dest.array)? else { continue };
            let first = first.as_int().ok_or_else(|| self.invalid("an index must be an integer"))?;
            let target = place.segment(first, segment.shape[0]);
            let lies_there = source[1]
                .as_var()
                .map_or(Ok(None), |var| self.place(var))?
                .is_some_and(|place| place == target);
            if !lies_there {
                self.read_whole(source[1])?;
                self.access(dest.array, |heap| heap.write_array(&target, &segment.data, Kind::Write))?;
            }
        }
        Ok(())
    }

    /// Notes the elements that a point of a scatter or histogram writes; every destination comes with its number of indices.
    fn touch(
        &self,
        op: &SegOp,
        dests: Vec<(usize, Vec<Var>)>,
        point: &[Value],
        touched: &mut Touched,
    ) -> Run<()> {
        let (mut at, mut result) = (0, 0);
        for (rank, arrays) in dests {
            let indices: Option<Vec<i64>> =
                point[at..at + rank].iter().map(|index| index.as_scalar()?.as_int()).collect();
            let indices = indices.ok_or_else(|| self.invalid("an index must be an integer"))?;
            at += rank;
            for array in arrays {
                self.read_whole(op.body.result[at])?;
                at += 1;
                if let (Some(place), Some(_)) = (self.place(array)?, self.array(array)?.at(&indices)) {
                    let row = place.row(&indices);
                    self.access(array, |heap| heap.note(&row, Kind::Atomic))?;
                    touched.push((result, indices.clone()));
                }
                result += 1;
            }
        }
        Ok(())
    }

    /// Writes the results of an operation after all points have run.
    pub(crate) fn write_results(
        &self,
        op: &SegOp,
        extents: &[usize],
        pattern: &[Var],
        results: &[Value],
        touched: &Touched,
    ) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        let (reduced, scanned) = match &op.kind {
            SegKind::Map => (0, 0..0),
            SegKind::Reduce { reduces } => (reduces.iter().map(|reduce| reduce.neutral.len()).sum(), 0..0),
            SegKind::Scan { reduces, .. } => {
                let n_reduced = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
                (n_reduced, n_reduced..pattern.len())
            }
            SegKind::Partition { .. } => (pattern.len(), 0..0),
            SegKind::Scatter { .. } | SegKind::Hist { .. } => (0, 0..0),
        };
        for position in scanned {
            self.write_scanned(op, extents, pattern[position], &results[position])?;
        }
        self.goes_on(op, FINISHING);
        for (&var, value) in pattern[..reduced].iter().zip(results) {
            self.write_result(var, &[], value)?;
        }
        self.leave(op);
        for (position, indices) in touched {
            let row = results[*position].as_array().and_then(|array| array.at(indices));
            self.write_result(pattern[*position], indices, &row.expect("it was written there"))?;
        }
        Ok(())
    }

    /// Writes the elements of a scan's result, each in its own iteration.
    fn write_scanned(&self, op: &SegOp, extents: &[usize], var: Var, value: &Value) -> Run<()> {
        let (Some(place), Value::Array(array)) = (self.place(var)?, value) else { return Ok(()) };
        let points = element_count(extents) as i64;
        for flat in 0..points {
            let mut indices = vec![0; extents.len()];
            let mut rest = flat;
            for (index, &extent) in indices.iter_mut().zip(extents).rev() {
                *index = rest % extent as i64;
                rest /= extent as i64;
            }
            self.goes_on(op, iteration_of(op, extents, |position| Ok(indices[position]))?);
            let row = array.at(&indices).expect("a point of the space");
            self.access(var, |heap| heap.write_array(&place.row(&indices), row.elements(), Kind::Write))?;
        }
        Ok(())
    }

    /// Writes a result whose variable is not set yet, or the row of it at these indices. The sizes are those of the value.
    fn write_result(&self, var: Var, indices: &[i64], value: &Value) -> Run<()> {
        let Some(placement) = &self.function.vars[var].placement else { return Ok(()) };
        let mut dims = Vec::with_capacity(placement.index_fn.dims.len());
        let shape: &[usize] = value.as_array().map_or(&[], |array| &array.shape);
        for (position, dim) in placement.index_fn.dims.iter().enumerate() {
            let extent = position.checked_sub(indices.len()).map_or(0, |position| shape[position]);
            dims.push((extent, self.int(dim.stride)?));
        }
        let block = self.size(placement.block.into())?;
        let elem = value.elements().first().map_or(warpwise_prim::ScalarType::Bool, |value| value.ty());
        let place = Place { block, elem, offset: self.int(placement.index_fn.offset)?, dims };
        self.access(var, |heap| heap.write_array(&place.row(indices), value.elements(), Kind::Write))
    }

    /// Writes the elements of an accumulator's arrays at an index, after values were combined there.
    pub(crate) fn write_acc(&self, acc: &Accumulator<'p>, indices: &[i64]) -> Run<()> {
        for (array, place) in acc.arrays.iter().zip(&acc.places) {
            let (Some(place), Some(value)) = (place, array.at(indices)) else { continue };
            let Some(heap) = self.heap else { continue };
            let written = heap.borrow_mut().write_array(&place.row(indices), value.elements(), Kind::Atomic);
            written.map_err(|what| self.invalid(format!("the memory of an accumulator: {what}")))?;
        }
        Ok(())
    }
}
