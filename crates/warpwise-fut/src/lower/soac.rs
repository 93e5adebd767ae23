//! Structural intrinsics: second-order combinators become SOACs, rearrangements become views.
//!
//! ```text
//! intrinsics.map f xs            screma n (xs..) map (x..) { f x }
//! intrinsics.reduce op ne xs     screma n (xs..) map (x..) { x } reduce (x.., y..) { op x y } [ne..]
//! intrinsics.filter p xs         partition n (xs..) classes 1 (x..) { p x, x }
//! intrinsics.zip xs ys           copies of both, of which those without need go (see [`copies`](crate::lower::copies))
//! ```

use warpwise_diag::Failure;
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{
    Expr, Hist, HistOp, Lambda, Operand, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Var,
};

use crate::lower::context::{Lowering, number, shape_parts, text};
use crate::lower::types::{Extent, Repr};
use crate::lower::value::{Env, Use, Value};
use crate::typed::intrinsic::Structural;

/// A kind of second-order fold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Reduce { commutative: bool },
    Scan { exclusive: bool },
}

impl<'a> Lowering<'a, '_> {
    /// Applies a structural intrinsic to all its arguments.
    pub fn structural(
        &mut self,
        intrinsic: Structural,
        arguments: &Use<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Failure> {
        match (intrinsic, args) {
            (Structural::Map, [f, xs]) => self.map(f, xs, arguments),
            (Structural::Reduce, [op, ne, xs]) => self.fold(Fold::Reduce { commutative: false }, op, ne, xs),
            (Structural::ReduceComm, [op, ne, xs]) => {
                self.fold(Fold::Reduce { commutative: true }, op, ne, xs)
            }
            (Structural::Scan, [op, ne, xs]) => self.fold(Fold::Scan { exclusive: false }, op, ne, xs),
            (Structural::Exscan, [op, ne, xs]) => self.fold(Fold::Scan { exclusive: true }, op, ne, xs),
            (Structural::Filter, [p, xs]) => {
                let classes = self.partition(&[p], xs, false)?;
                classes.into_iter().next().ok_or_else(|| self.bug("a partition without classes"))
            }
            (Structural::Partition, [p, xs]) => Ok(Value::Record(self.partition(&[p], xs, true)?)),
            (Structural::Partition2, [p, q, xs]) => Ok(Value::Record(self.partition(&[p, q], xs, true)?)),
            (Structural::Scatter | Structural::Scatter2d | Structural::Scatter3d, [dest, is, vs]) => {
                self.scatter(rank(intrinsic), dest, is, vs)
            }
            (Structural::Hist | Structural::Hist2d | Structural::Hist3d, [dest, op, ne, is, vs]) => {
                self.hist(rank(intrinsic), dest, op, ne, is, vs)
            }
            (Structural::StreamMap, [f, xs]) => self.stream_map(f, xs, arguments),
            (Structural::StreamRed, [op, f, ne, xs]) => self.stream_folding(Some(op), f, ne, xs, arguments),
            (Structural::StreamSeq, [f, ne, xs]) => self.stream_folding(None, f, ne, xs, arguments),
            (Structural::Zip, [xs, ys]) => self.zip(xs, ys),
            (Structural::Unzip, [xs]) => self.unzip(xs),
            (Structural::Flatten, [xs]) => self.flatten(xs, arguments),
            (Structural::Unflatten, [n, m, xs]) => self.unflatten(n, m, xs, arguments),
            (Structural::Concat, [xs, ys]) => self.concat(xs, ys, arguments),
            (Structural::Transpose, [xs]) => self.transpose(xs),
            (Structural::Replicate, [n, x]) => self.replicate(n, x, arguments),
            (Structural::Copy, [x]) => Ok(self.copy(x)),
            (Structural::Manifest, [x]) => Ok(self.manifest(x)),
            (Structural::Flatmap, [f, xs]) => self.flatmap(f, xs, arguments),
            (
                Structural::FlatIndex2d | Structural::FlatIndex3d | Structural::FlatIndex4d,
                [xs, offset, dims @ ..],
            ) => self.flat_index(xs, offset, dims, &arguments.env),
            (
                Structural::FlatUpdate2d | Structural::FlatUpdate3d | Structural::FlatUpdate4d,
                [dest, offset, strides @ .., xs],
            ) => self.flat_update(dest, offset, strides, xs, &arguments.env),
            (Structural::ScatterStream, [dest, f, xs]) => self.acc_stream(dest, None, f, xs),
            (Structural::HistStream, [dest, op, ne, f, xs]) => self.acc_stream(dest, Some((op, ne)), f, xs),
            (Structural::AccWrite, [acc, i, x]) => self.acc_write(acc, i, x),
            (
                Structural::Map
                | Structural::Reduce
                | Structural::ReduceComm
                | Structural::Scan
                | Structural::Exscan
                | Structural::Filter
                | Structural::Partition
                | Structural::Partition2
                | Structural::Scatter
                | Structural::Scatter2d
                | Structural::Scatter3d
                | Structural::Hist
                | Structural::Hist2d
                | Structural::Hist3d
                | Structural::StreamMap
                | Structural::StreamRed
                | Structural::StreamSeq
                | Structural::Zip
                | Structural::Unzip
                | Structural::Flatten
                | Structural::Unflatten
                | Structural::Concat
                | Structural::Transpose
                | Structural::Replicate
                | Structural::Copy
                | Structural::Manifest
                | Structural::Flatmap
                | Structural::FlatIndex2d
                | Structural::FlatIndex3d
                | Structural::FlatIndex4d
                | Structural::FlatUpdate2d
                | Structural::FlatUpdate3d
                | Structural::FlatUpdate4d
                | Structural::ScatterStream
                | Structural::HistStream
                | Structural::AccWrite,
                _,
            ) => Err(self.bug("an intrinsic with the wrong number of arguments")),
        }
    }

    /// Returns the meaning of the type parameter at this position of an intrinsic.
    pub fn type_argument_at(&mut self, arguments: &Use<'a>, index: usize) -> Result<Repr, Failure> {
        let ty = arguments.instance.and_then(|instance| instance.types.get(index));
        self.type_argument(ty, &arguments.env)
    }

    fn map(&mut self, f: &Value<'a>, xs: &Value<'a>, arguments: &Use<'a>) -> Result<Value<'a>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        self.code.open();
        let x = self.fresh_row(element);
        let params = self.arrays(&x)?;
        let y = self.apply(f.clone(), vec![x])?;
        self.demand_data(&y)?;
        let y = self.settle(y, |this| this.type_argument_at(arguments, 1))?;
        let map = self.code.close_lambda(params, y.leaves());
        self.check_rows(&y.leaves(), &arguments.env);
        if map.body.stms.is_empty() {
            return Ok(Value::Array(width, Box::new(self.rearranged(width, &map.params, &inputs, &y))));
        }
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let results = self.code.bind("", Expr::Screma(Box::new(screma)), &[]);
        let mut results = results.into_iter().map(Operand::Var);
        Ok(Value::Array(width, Box::new(y.with_leaves(&mut results))))
    }

    /// Checks that no size of the rows that a map yields is negative. The rows check their sizes themselves, but there may be none.
    fn check_rows(&mut self, rows: &[Operand], env: &Env<'a>) {
        let sizes: Vec<Operand> = rows.iter().flat_map(|&row| self.code.ty(row).shape().to_vec()).collect();
        for size in sizes {
            if self.code.in_scope(size) && !self.code.is_size(size) {
                self.check_size_saying(size, vec![text("Size "), number(size), text(" is negative")], env);
            }
        }
    }

    /// Returns a limit for accumulators, which cannot be elements of arrays.
    pub fn demand_data(&self, element: &Value<'a>) -> Result<(), Failure> {
        if element.has_function() {
            return Err(self.limit(self.code.span, "arrays of accumulators; they can only be handed on"));
        }
        Ok(())
    }

    /// Returns the result of a map that only rearranges parts of its elements and values from around it.
    fn rearranged(&mut self, width: Operand, params: &[Var], inputs: &[Var], y: &Value<'a>) -> Value<'a> {
        y.map_leaves(&mut |leaf| {
            let input = params.iter().position(|param| Operand::Var(*param) == leaf);
            let expr = match input.and_then(|at| inputs.get(at)) {
                Some(input) => Expr::Copy(*input),
                None => Expr::Replicate { shape: [width].into_iter().collect(), value: leaf },
            };
            self.code.bind_one("", expr, &[]).into()
        })
    }

    fn fold(
        &mut self,
        fold: Fold,
        op: &Value<'a>,
        ne: &Value<'a>,
        xs: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        let ne = self.coerce(ne, &element.as_target(), &[]);
        let op = self.operator(op, &ne)?;
        let map = self.identity(element)?;
        let neutral = ne.leaves();
        let (scans, reduces) = match fold {
            Fold::Reduce { commutative } => (Vec::new(), vec![Reduce { op, neutral, commutative }]),
            Fold::Scan { exclusive } => (vec![Scan { op, neutral, exclusive }], Vec::new()),
        };
        let screma = Screma { width, inputs, map, scans, reduces, post: None };
        let results = self.code.bind("", Expr::Screma(Box::new(screma)), &[]);
        let value = ne.with_leaves(&mut results.into_iter().map(Operand::Var));
        Ok(match fold {
            Fold::Reduce { .. } => value,
            Fold::Scan { .. } => Value::Array(width, Box::new(value)),
        })
    }

    /// Lowers an operator on values like this one to a lambda.
    pub fn operator(&mut self, op: &Value<'a>, like: &Value<'a>) -> Result<Lambda, Failure> {
        self.code.open();
        let mut fresh = |_: ()| {
            like.map_leaves(&mut |leaf| {
                let ty = self.code.ty(leaf);
                Operand::Var(self.code.fresh("", ty))
            })
        };
        let (x, y) = (fresh(()), fresh(()));
        let mut params = self.arrays(&x)?;
        params.extend(self.arrays(&y)?);
        let result = self.apply(op.clone(), vec![x, y])?;
        let result = self.coerce(&result, &like.as_target(), &[]);
        Ok(self.code.close_lambda(params, result.leaves()))
    }

    /// Returns a lambda that yields its element unchanged.
    fn identity(&mut self, element: &Value<'a>) -> Result<Lambda, Failure> {
        self.code.open();
        let x = self.fresh_row(element);
        let params = self.arrays(&x)?;
        Ok(self.code.close_lambda(params, x.leaves()))
    }

    /// Emits a partition. Returns one array for each predicate, with the elements that satisfy it and no earlier one. With
    /// `rest`, also returns the array of the elements that satisfy none.
    fn partition(
        &mut self,
        predicates: &[&Value<'a>],
        xs: &Value<'a>,
        rest: bool,
    ) -> Result<Vec<Value<'a>>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        let classes = predicates.len() + usize::from(rest);
        self.code.open();
        let x = self.fresh_row(element);
        let params = self.arrays(&x)?;
        let mut result = self.flags(predicates, &x)?;
        result.extend(rest.then_some(Operand::bool(true)));
        result.extend(x.leaves());
        let lambda = self.code.close_lambda(params, result);
        let expr = Expr::Partition(Box::new(Partition { width, inputs, classes, lambda }));
        let results = self.code.bind("", expr, &[]);
        let (sizes, arrays) = results.split_at(classes.min(results.len()));
        let mut arrays = arrays.iter().map(|var| Operand::Var(*var));
        let mut values = Vec::with_capacity(classes);
        let mut left = width;
        for (class, size) in sizes.iter().enumerate() {
            let size = Operand::Var(*size);
            let value = Value::Array(size, Box::new(element.with_leaves(&mut arrays)));
            // The type of the remaining elements determines their number.
            let is_rest = rest && class + 1 == classes;
            let known = if is_rest { left } else { size };
            if !is_rest && class + 1 < classes {
                left = self.code.sub(left, size);
            }
            values.push(self.coerce(&value, &[Extent::Known(known)], &[]));
        }
        Ok(values)
    }

    /// Emits the truth values of predicates. Each is evaluated only if the previous ones are false.
    fn flags(&mut self, predicates: &[&Value<'a>], x: &Value<'a>) -> Result<Vec<Operand>, Failure> {
        let Some((first, others)) = predicates.split_first() else { return Ok(Vec::new()) };
        let holds = self.apply((*first).clone(), vec![x.clone()])?;
        let holds = self.scalar(&holds)?;
        let mut flags = vec![holds];
        if others.is_empty() {
            return Ok(flags);
        }
        let none = vec![Value::leaf(Operand::bool(false)); others.len()];
        let then = self.aside(|_| Ok(Value::Record(none)))?;
        let otherwise = self
            .aside(|this| Ok(Value::Record(this.flags(others, x)?.into_iter().map(Value::Leaf).collect())))?;
        let value = self.join(holds, then, otherwise, |_| Ok(Vec::new()))?;
        flags.extend(value.leaves());
        Ok(flags)
    }

    fn scatter(
        &mut self,
        rank: usize,
        dest: &Value<'a>,
        is: &Value<'a>,
        vs: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, index) = self.array(is)?;
        let (vs, target) = self.written(rank, width, dest, vs)?;
        let (_, value) = self.array(&vs)?;
        let (lambda, inputs) = self.indexed(index, value, true)?;
        let arrays = self.arrays(&target)?;
        let dests = arrays.iter().map(|array| ScatterDest::at(*array, rank)).collect();
        let expr = Expr::Scatter(Box::new(Scatter { width, inputs, lambda, dests }));
        let results = self.code.bind("", expr, &[]);
        Ok(dest.with_leaves(&mut results.into_iter().map(Operand::Var)))
    }

    fn hist(
        &mut self,
        rank: usize,
        dest: &Value<'a>,
        op: &Value<'a>,
        ne: &Value<'a>,
        is: &Value<'a>,
        vs: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, index) = self.array(is)?;
        let (vs, target) = self.written(rank, width, dest, vs)?;
        let (_, value) = self.array(&vs)?;
        let ne = self.coerce(ne, &value.as_target(), &[]);
        let op = self.operator(op, &ne)?;
        let (lambda, inputs) = self.indexed(index, value, false)?;
        let dests = self.arrays(&target)?;
        if dests.is_empty() {
            return Ok(dest.clone());
        }
        let ops = vec![HistOp { dests, rank, op, neutral: ne.leaves() }];
        let results = self.code.bind("", Expr::Hist(Box::new(Hist { width, inputs, lambda, ops })), &[]);
        Ok(dest.with_leaves(&mut results.into_iter().map(Operand::Var)))
    }

    /// Returns the values to be written: as many as there are indices, with the row sizes of the destination. Also returns the
    /// value at one place, whose leaves are those of the destination.
    fn written(
        &mut self,
        rank: usize,
        width: Operand,
        dest: &Value<'a>,
        vs: &Value<'a>,
    ) -> Result<(Value<'a>, Value<'a>), Failure> {
        let mut place = dest;
        for _ in 0..rank {
            place = self.array(place)?.1;
        }
        let mut extents = vec![Extent::Known(width)];
        extents.extend(place.as_target());
        Ok((self.coerce(vs, &extents, &[]), place.clone()))
    }

    /// Returns a lambda that yields the index, then the value. With `each`, it yields the index before every leaf of the value.
    fn indexed(
        &mut self,
        index: &Value<'a>,
        value: &Value<'a>,
        each: bool,
    ) -> Result<(Lambda, Vec<Var>), Failure> {
        let mut inputs = self.arrays(index)?;
        inputs.extend(self.arrays(value)?);
        self.code.open();
        let (index, value) = (self.fresh_row(index), self.fresh_row(value));
        let mut params = self.arrays(&index)?;
        params.extend(self.arrays(&value)?);
        let mut result = Vec::new();
        for (i, leaf) in value.leaves().into_iter().enumerate() {
            if each || i == 0 {
                result.extend(index.leaves());
            }
            result.push(leaf);
        }
        Ok((self.code.close_lambda(params, result), inputs))
    }

    // --- Rearrangements -----------------------------------------------------------------------

    fn zip(&mut self, xs: &Value<'a>, ys: &Value<'a>) -> Result<Value<'a>, Failure> {
        let (size, x) = self.array(xs)?;
        let ys = self.coerce(ys, &[Extent::Known(size)], &[]);
        let (_, y) = self.array(&ys)?;
        let pair = Value::Record(vec![x.clone(), y.clone()]);
        Ok(self.copy(&Value::Array(size, Box::new(pair))))
    }

    fn unzip(&mut self, xys: &Value<'a>) -> Result<Value<'a>, Failure> {
        let xys = self.copy(xys);
        let (size, pair) = self.array(&xys)?;
        let column = |field: &Value<'a>| Value::Array(size, Box::new(field.clone()));
        Ok(Value::Record(self.fields(pair)?.iter().map(column).collect()))
    }

    fn flatten(&mut self, xss: &Value<'a>, arguments: &Use<'a>) -> Result<Value<'a>, Failure> {
        let (n, row) = self.array(xss)?;
        let (m, element) = self.array(row)?;
        [n, m].into_iter().for_each(|size| self.code.mark_size(size));
        let size = self.size(SizeOp::Mul, n, m, &arguments.env);
        Ok(Value::Array(size, Box::new(self.reshaped(element, 2, &[size], Vec::new()))))
    }

    fn unflatten(
        &mut self,
        n: &Value<'a>,
        m: &Value<'a>,
        xs: &Value<'a>,
        arguments: &Use<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (n, m) = (self.scalar(n)?, self.scalar(m)?);
        let (size, element) = self.array(xs)?;
        let mut message = vec![text("Cannot unflatten array of shape ")];
        message.extend(shape_parts(&[size]));
        message.push(text(" to array of shape "));
        message.extend(shape_parts(&[n, m]));
        let mut certs = self.check_size_saying(n, message.clone(), &arguments.env);
        certs.extend(self.check_size_saying(m, message, &arguments.env));
        // The length of the array equals the product modulo 2^64.
        let all = self.size(SizeOp::Mul, n, m, &arguments.env);
        certs.extend(self.code.fitting(all));
        let element = self.reshaped(element, 1, &[n, m], certs);
        Ok(Value::Array(n, Box::new(Value::Array(m, Box::new(element)))))
    }

    /// Reshapes the leaves: replaces their `taken` outer dimensions by the dimensions in `outer`.
    fn reshaped(
        &mut self,
        element: &Value<'a>,
        taken: usize,
        outer: &[Operand],
        mut certs: Vec<Var>,
    ) -> Value<'a> {
        self.add_fitting(outer, &mut certs);
        element.map_leaves(&mut |leaf| {
            let Operand::Var(array) = leaf else { return leaf };
            let ty = self.code.ty(leaf);
            let shape = outer.iter().chain(ty.shape().iter().skip(taken)).copied().collect();
            self.code.bind_one("", Expr::Reshape { array, shape }, &certs).into()
        })
    }

    fn concat(&mut self, xs: &Value<'a>, ys: &Value<'a>, arguments: &Use<'a>) -> Result<Value<'a>, Failure> {
        let ((n, x), (m, _)) = (self.array(xs)?, self.array(ys)?);
        let mut extents = vec![Extent::Known(m)];
        extents.extend(x.as_target());
        let ys = self.coerce(ys, &extents, &[]);
        let (_, y) = self.array(&ys)?;
        [n, m].into_iter().for_each(|size| self.code.mark_size(size));
        let len = self.size(SizeOp::Add, n, m, &arguments.env);
        let certs = Vec::from_iter(self.code.fitting(len));
        let mut seconds = self.arrays(y)?.into_iter();
        let element = x.map_leaves(&mut |leaf| {
            let arrays = leaf.as_var().into_iter().chain(seconds.next()).collect();
            self.code.bind_one("", Expr::Concat { arrays, len }, &certs).into()
        });
        Ok(Value::Array(len, Box::new(element)))
    }

    fn transpose(&mut self, xss: &Value<'a>) -> Result<Value<'a>, Failure> {
        let (n, row) = self.array(xss)?;
        let (m, element) = self.array(row)?;
        let element = element.map_leaves(&mut |leaf| {
            let Operand::Var(array) = leaf else { return leaf };
            let rank = self.code.ty(leaf).rank();
            let perm = [1, 0].into_iter().chain(2..rank).collect();
            self.code.bind_one("", Expr::Rearrange { array, perm }, &[]).into()
        });
        Ok(Value::Array(m, Box::new(Value::Array(n, Box::new(element)))))
    }

    fn replicate(&mut self, n: &Value<'a>, x: &Value<'a>, arguments: &Use<'a>) -> Result<Value<'a>, Failure> {
        let n = self.scalar(n)?;
        let certs = self.check_size(n, &arguments.env);
        self.demand_data(x)?;
        let element = x.map_leaves(&mut |value| {
            let shape = [n].into_iter().collect();
            self.code.bind_one("", Expr::Replicate { shape, value }, &certs).into()
        });
        Ok(Value::Array(n, Box::new(element)))
    }

    pub fn copy(&mut self, x: &Value<'a>) -> Value<'a> {
        x.map_leaves(&mut |leaf| match leaf {
            Operand::Var(array) if self.code.ty(leaf).rank() > 0 => {
                self.code.bind_one("", Expr::Copy(array), &[]).into()
            }
            Operand::Var(_) | Operand::Const(_) => leaf,
        })
    }

    fn manifest(&mut self, x: &Value<'a>) -> Value<'a> {
        x.map_leaves(&mut |leaf| match (leaf, self.code.ty(leaf).rank()) {
            (Operand::Var(_) | Operand::Const(_), 0) | (Operand::Const(_), _) => leaf,
            (Operand::Var(array), rank) => {
                let perm = (0..rank).collect();
                self.code.bind_one("", Expr::Manifest { array, perm }, &[]).into()
            }
        })
    }
}

/// Returns the number of dimensions that the indices of a scatter or histogram address.
fn rank(intrinsic: Structural) -> usize {
    match intrinsic {
        Structural::Scatter2d | Structural::Hist2d => 2,
        Structural::Scatter3d | Structural::Hist3d => 3,
        _ => 1,
    }
}
