//! Lifting of operations that make irregular arrays from others: concatenation, literals, updates, scatters and histograms. All
//! of them write to places in the data of all segments, which are computed per element.
//!
//! ```text
//! b: [k]f32 = update a[i] = x   for each segment   ==>
//! at = map (start, i) { start + i };   data' = scatter w (at, xs) into (copy data);
//! ```
//!
//! Overwritten data are copied first.

use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Expr, Hist, HistOp, Operand, Scatter, SliceDim, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::control::scattered;
use super::lifter::{Form, LevelId, Lifted, Lifter, Segments};

/// The places of values, and arrays of the values.
type Written = (Var, Vec<Var>);

impl Lifter<'_> {
    /// Lifts a concatenation.
    pub fn concat(&mut self, stm: &Stm, arrays: &[Var]) -> Lifted<()> {
        let mut before = Operand::i64(0);
        let mut offsets = Vec::new();
        for &array in arrays {
            let offset = self.function.fresh("offset", Type::I64);
            offsets.push((offset, before));
            let shape = self.function.ty(array).shape().to_vec();
            let sizes = shape.iter().map(|&size| self.local(size)).collect::<Lifted<Vec<_>>>()?;
            let size = self.product(&sizes);
            before = self.compute("offset", Expr::Binary(BinaryOp::Add, before, size));
        }
        self.joined_parts(stm.pattern[0], arrays, &offsets)
    }

    /// Lifts a literal of arrays.
    pub fn literal(&mut self, stm: &Stm, rows: &[Operand]) -> Lifted<()> {
        let rows: Vec<Var> = rows.iter().filter_map(|row| row.as_var()).collect();
        let shape = self.function.ty(stm.pattern[0]).shape()[1..].to_vec();
        let sizes = shape.iter().map(|&size| self.local(size)).collect::<Lifted<Vec<_>>>()?;
        let size = self.product(&sizes);
        let mut offsets = Vec::new();
        for at in 0..rows.len() {
            let offset = self.function.fresh("offset", Type::I64);
            let at = Operand::i64(at as i64);
            offsets.push((offset, self.compute("offset", Expr::Binary(BinaryOp::Mul, size, at))));
        }
        self.joined_parts(stm.pattern[0], &rows, &offsets)
    }

    /// Binds `whole` to the concatenation of parts. Each part has an offset computed in the current group, with a variable for
    /// it.
    fn joined_parts(&mut self, whole: Var, parts: &[Var], offsets: &[(Var, Operand)]) -> Lifted<()> {
        let locals: Vec<Operand> = offsets.iter().map(|&(_, local)| local).collect();
        let kept = self.flush(&locals);
        for (&(offset, _), array) in offsets.iter().zip(kept) {
            self.set(offset, Form::Regular(array));
        }
        let (segments, start) = self.room(whole)?;
        let mut data = segments.data;
        for (&part, &(offset, _)) in parts.iter().zip(offsets) {
            let values = self.irregular(part)?;
            let shape = self.function.ty(part).shape().to_vec();
            let inner = self.inner_level(&shape)?;
            let at = self.position_of(inner);
            let places = self.at_level(inner, |this| {
                let (start, offset) = (this.local(start.into())?, this.local(offset.into())?);
                let at = this.local(at.into())?;
                let place = this.compute("place", Expr::Binary(BinaryOp::Add, start, offset));
                let place = this.compute("place", Expr::Binary(BinaryOp::Add, place, at));
                Ok(this.flush(&[place])[0])
            })?;
            let width = self.levels[inner].width;
            data = self.host(|b| {
                let shape = [width].into_iter().collect();
                let values = b.bind_one("part", Expr::Reshape { array: values.data, shape });
                scattered(b, width, data, places, values)
            });
        }
        self.set(whole, Form::Irregular(Segments { data, ..segments }));
        Ok(())
    }

    /// Returns segments with undefined contents for an array, and a variable for their starts.
    pub fn room(&mut self, array: Var) -> Lifted<(Segments, Var)> {
        let shape = self.function.ty(array).shape().to_vec();
        let elem = self.function.ty(array).elem().unwrap_or(ScalarType::I64);
        let level = self.inner_level(&shape)?;
        let total = self.levels[level].width;
        let shape = [total].into_iter().collect();
        let data = self.host(|b| b.bind_one("room", Expr::Scratch { elem, shape }));
        let segments = self.segments_of(level, data)?;
        let start = self.start_of(segments);
        Ok((segments, start))
    }

    /// Returns a variable for the starts of segments.
    fn start_of(&mut self, segments: Segments) -> Var {
        let start = self.function.fresh("start", Type::I64);
        self.set(start, Form::Regular(segments.starts));
        start
    }

    /// Lifts an update of an irregular array.
    pub fn update(&mut self, stm: &Stm, array: Var, dims: &[SliceDim], value: Operand) -> Lifted<()> {
        let segments = self.irregular(array)?;
        let start = self.start_of(segments);
        let sizes = self.function.ty(array).shape().to_vec();
        let ranges: Vec<Operand> = dims.iter().filter_map(length).collect();
        let (width, places, values) = if ranges.is_empty() {
            let written = self.written(stm, start, &sizes, dims, &[], value)?;
            (self.width(), written.0, written.1)
        } else {
            let inner = self.inner_level(&ranges)?;
            let at = self.position_of(inner);
            let written = self.at_level(inner, |this| {
                let mut rest = this.local(at.into())?;
                let mut indices = Vec::new();
                for &size in ranges[1..].iter().rev() {
                    let size = this.local(size)?;
                    indices.push(this.compute("i", Expr::Binary(BinaryOp::SRem, rest, size)));
                    rest = this.compute("i", Expr::Binary(BinaryOp::SQuot, rest, size));
                }
                indices.push(rest);
                indices.reverse();
                this.written(stm, start, &sizes, dims, &indices, value)
            })?;
            (self.levels[inner].width, written.0, written.1)
        };
        let data = self.host(|b| {
            let copy = b.bind_one("copy", Expr::Copy(segments.data));
            scattered(b, width, copy, places, values)
        });
        self.set(stm.pattern[0], Form::Irregular(Segments { data, ..segments }));
        Ok(())
    }

    /// Returns the place and the value of an updated element, for all elements of the current level.
    fn written(
        &mut self,
        stm: &Stm,
        start: Var,
        sizes: &[Operand],
        dims: &[SliceDim],
        indices: &[Operand],
        value: Operand,
    ) -> Lifted<(Var, Var)> {
        for &cert in &stm.certs {
            self.local(cert.into())?;
        }
        let mut inner = indices.iter();
        let mut at = Vec::new();
        for dim in dims {
            at.push(match *dim {
                SliceDim::Fix(index) => self.local(index)?,
                SliceDim::Range { start, stride, .. } => {
                    let (start, stride) = (self.local(start)?, self.local(stride)?);
                    let step = inner.next().copied().unwrap_or(Operand::i64(0));
                    let step = self.compute("step", Expr::Binary(BinaryOp::Mul, step, stride));
                    self.compute("i", Expr::Binary(BinaryOp::Add, start, step))
                }
            });
        }
        let place = self.place(start, sizes, &at)?;
        let value = self.local(value)?;
        let value = match (value, indices.is_empty()) {
            (_, true) => value,
            (Operand::Var(array), false) => {
                self.compute("x", Expr::Index { array, indices: indices.to_vec() })
            }
            (Operand::Const(_), false) => return self.unlifted("a constant array"),
        };
        let kept = self.flush(&[place, value]);
        Ok((kept[0], kept[1]))
    }

    /// Returns the place of the element at indices of an array in the data of all segments, in the current group.
    fn place(&mut self, start: Var, sizes: &[Operand], indices: &[Operand]) -> Lifted<Operand> {
        let mut at = indices[0];
        for (&size, &index) in sizes[1..].iter().zip(&indices[1..]) {
            let size = self.local(size)?;
            at = self.compute("place", Expr::Binary(BinaryOp::Mul, at, size));
            at = self.compute("place", Expr::Binary(BinaryOp::Add, at, index));
        }
        let start = self.local(start.into())?;
        Ok(self.compute("place", Expr::Binary(BinaryOp::Add, start, at)))
    }

    /// Lifts a scatter.
    pub fn scatter(&mut self, stm: &Stm, soac: &Scatter) -> Lifted<()> {
        let level = self.elements(stm, soac.width, &soac.inputs, &soac.lambda.params)?;
        let dests: Vec<Var> = soac.dests.iter().map(|dest| dest.array).collect();
        let ranks: Vec<(usize, usize)> = soac.dests.iter().map(|dest| (dest.rank, 1)).collect();
        let (segments, written) = self.places(level, &dests, &ranks, &soac.lambda.body)?;
        let width = self.levels[level].width;
        for ((&var, segments), (places, values)) in stm.pattern.iter().zip(segments).zip(written) {
            let data = self.host(|b| {
                let copy = b.bind_one("copy", Expr::Copy(segments.data));
                scattered(b, width, copy, places, values[0])
            });
            self.set_filled(var, Segments { data, ..segments });
        }
        Ok(())
    }

    /// Lifts a histogram.
    pub fn histogram(&mut self, stm: &Stm, soac: &Hist) -> Lifted<()> {
        let level = self.elements(stm, soac.width, &soac.inputs, &soac.lambda.params)?;
        let dests: Vec<Var> = soac.ops.iter().flat_map(|op| op.dests.iter().copied()).collect();
        let ranks: Vec<(usize, usize)> = soac.ops.iter().map(|op| (op.rank, op.dests.len())).collect();
        for op in &soac.ops {
            self.demand_uniform(&op.op, &op.neutral)?;
        }
        let (segments, written) = self.places(level, &dests, &ranks, &soac.lambda.body)?;
        let width = self.levels[level].width;
        let mut rest = stm.pattern.as_slice();
        let mut segments = segments.into_iter();
        for (op, (places, values)) in soac.ops.iter().zip(written) {
            let bins: Vec<Segments> = segments.by_ref().take(op.dests.len()).collect();
            let types: Vec<Type> = values.iter().map(|&array| self.function.ty(array).row(1)).collect();
            let filled = self.host(|b| {
                let dests = bins.iter().map(|bins| b.bind_one("copy", Expr::Copy(bins.data))).collect();
                let all: Vec<Type> = [Type::I64].into_iter().chain(types).collect();
                let lambda = b.identity(&all);
                let operator = Copier::within(b.function, Substitution::new()).copy_lambda(&op.op);
                let ops = vec![HistOp { dests, rank: 1, op: operator, neutral: op.neutral.clone() }];
                let inputs = [places].into_iter().chain(values).collect();
                b.bind("bins", Expr::Hist(Box::new(Hist { width, inputs, lambda, ops })))
            });
            let (vars, after) = rest.split_at(op.dests.len());
            rest = after;
            for ((&var, bins), data) in vars.iter().zip(bins).zip(filled) {
                self.set_filled(var, Segments { data, ..bins });
            }
        }
        Ok(())
    }

    /// Binds an array to segments, in regular form if its shape is regular.
    fn set_filled(&mut self, var: Var, segments: Segments) {
        let ty = self.function.ty(var).clone();
        if !self.regular_type(&ty) {
            return self.set(var, Form::Irregular(segments));
        }
        let shape = ty.array_of(&[self.width()]).shape().into();
        let all = self.host(|b| b.bind_one("all", Expr::Reshape { array: segments.data, shape }));
        self.set(var, Form::Regular(all));
    }

    /// Returns the destinations as segments, and for each operation the places of its values in these and the values. `ranks` has
    /// the number of indices and of values of each operation.
    fn places(
        &mut self,
        level: LevelId,
        dests: &[Var],
        ranks: &[(usize, usize)],
        body: &warpwise_ir::Body,
    ) -> Lifted<(Vec<Segments>, Vec<Written>)> {
        let segments = dests.iter().map(|&dest| self.irregular(dest)).collect::<Lifted<Vec<_>>>()?;
        let begins: Vec<Var> = segments.iter().map(|&segments| self.start_of(segments)).collect();
        let shapes: Vec<Vec<Operand>> =
            dests.iter().map(|&dest| self.function.ty(dest).shape().to_vec()).collect();
        let written = self.at_level(level, |this| {
            this.stms(body)?;
            let (mut wanted, mut result, mut dest) = (Vec::new(), body.result.as_slice(), 0);
            for &(rank, count) in ranks {
                if shapes[dest].len() != rank {
                    return this.unlifted("writing rows");
                }
                let (indices, after) = result.split_at(rank);
                let (values, after) = after.split_at(count);
                result = after;
                wanted.push(this.checked_place(begins[dest], &shapes[dest], indices)?);
                for &value in values {
                    wanted.push(this.local(value)?);
                }
                dest += count;
            }
            let kept = this.flush(&wanted);
            this.end();
            Ok(kept)
        })?;
        let mut rest = written.into_iter();
        let mut next = || rest.next().expect("as many as were wanted");
        let written = ranks.iter().map(|&(_, count)| (next(), (0..count).map(|_| next()).collect()));
        Ok((segments, written.collect()))
    }

    /// Returns the place of an element in the data of all segments, or -1 if the indices are out of bounds.
    fn checked_place(&mut self, start: Var, shape: &[Operand], indices: &[Operand]) -> Lifted<Operand> {
        let mut inside = Operand::bool(true);
        let mut locals = Vec::new();
        for (&size, &index) in shape.iter().zip(indices) {
            let (size, index) = (self.local(size)?, self.local(index)?);
            let fits = self.compute("inside", Expr::Compare(CompareOp::ULt, index, size));
            inside = self.compute("inside", Expr::Binary(BinaryOp::And, inside, fits));
            locals.push(index);
        }
        let place = self.place(start, shape, &locals)?;
        Ok(self.compute("place", Expr::Select(inside, place, Operand::i64(-1))))
    }

    /// Binds the result of a statement to segments with undefined contents.
    pub fn without_contents(&mut self, stm: &Stm) -> Lifted<()> {
        let (segments, _) = self.room(stm.pattern[0])?;
        self.set(stm.pattern[0], Form::Irregular(segments));
        Ok(())
    }
}

/// Returns the length of a range, or `None` for a single index.
fn length(dim: &SliceDim) -> Option<Operand> {
    match *dim {
        SliceDim::Fix(_) => None,
        SliceDim::Range { len, .. } => Some(len),
    }
}
