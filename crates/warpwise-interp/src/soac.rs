//! SOACs, one element after the other.

use std::collections::BTreeSet;

use warpwise_ir::{
    Expr, FlatMap, Hist, HistOp, Lambda, Operand, Partition, Reduce, Scan, Scatter, ScatterDest, Screma,
    Stream, StreamKind, Var, WithAcc, exprs,
};
use warpwise_prim::Scalar;

use crate::machine::{Accumulator, Machine, Run};
use crate::value::{ArrayValue, Value, element_count};

/// Number of elements of a stream's chunk: small, so that tests have several chunks.
const CHUNK: usize = 3;

impl<'p> Machine<'p> {
    pub(crate) fn soac(&mut self, expr: &'p Expr, pattern: &[Var]) -> Run<Vec<Value>> {
        match expr {
            Expr::Screma(soac) => self.screma(soac, pattern),
            Expr::Partition(soac) => self.partition(soac, pattern),
            Expr::Scatter(soac) => self.scatter(soac),
            Expr::Hist(soac) => self.hist(soac),
            Expr::Stream(soac) => self.stream(soac, pattern),
            Expr::WithAcc(soac) => self.with_acc(soac),
            Expr::UpdateAcc { acc, indices, values } => self.update_acc(*acc, indices, values),
            Expr::FlatMap(soac) => self.flat_map(soac, pattern),
            other @ exprs!(Operand, scalar, Assert, array, If, Loop, Call, Seg, Tuned, Alloc) => {
                Err(self.invalid(format!("{other:?} is no SOAC")))
            }
        }
    }

    /// Applies a lambda to every element of the inputs.
    fn map(&mut self, width: Operand, inputs: &[Var], lambda: &'p Lambda) -> Run<Vec<Vec<Value>>> {
        let width = self.size(width)?;
        let mut values = Vec::with_capacity(inputs.len());
        for &input in inputs {
            let value = self.var(input)?;
            match &value {
                Value::Array(array) if array.shape[0] == width => {}
                Value::Acc(_) => {}
                Value::Array(_) => {
                    return Err(self.invalid("an input of another size than the SOAC's width"));
                }
                Value::Scalar(_) | Value::Token => {
                    return Err(self.invalid("an array or an accumulator is needed"));
                }
            }
            values.push(value);
        }
        self.spend(width)?;
        let mut points = Vec::with_capacity(width);
        for i in 0..width as i64 {
            let element = |value: &Value| match value {
                Value::Array(array) => array.at(&[i]).expect("in bounds"),
                Value::Acc(_) | Value::Scalar(_) | Value::Token => value.clone(),
            };
            points.push(self.apply(lambda, values.iter().map(element).collect())?);
        }
        Ok(points)
    }

    fn screma(&mut self, soac: &'p Screma, pattern: &[Var]) -> Run<Vec<Value>> {
        let points = self.map(soac.width, &soac.inputs, &soac.map)?;
        self.finish_points(&soac.scans, &soac.reduces, soac.post.as_ref(), points, pattern)
    }

    /// Returns the results of a screma: scans and reduces the map's results, then applies the final map.
    fn finish_points(
        &mut self,
        scans: &'p [Scan],
        reduces: &'p [Reduce],
        post: Option<&'p Lambda>,
        points: Vec<Vec<Value>>,
        pattern: &[Var],
    ) -> Run<Vec<Value>> {
        let width = points.len();
        let (reduced, rows) = self.scan_and_reduce(scans, reduces, post, points)?;
        let arrays = &pattern[reduced.len()..];
        let mut results = reduced;
        for (position, &var) in arrays.iter().enumerate() {
            let column: Vec<Value> = rows.iter().map(|row| row[position].clone()).collect();
            results.push(self.collect_rows(var, vec![width], &column)?);
        }
        Ok(results)
    }

    /// Returns the results of the reductions, and for every point the elements of the array results.
    pub(crate) fn scan_and_reduce(
        &mut self,
        scans: &'p [Scan],
        reduces: &'p [Reduce],
        post: Option<&'p Lambda>,
        points: Vec<Vec<Value>>,
    ) -> Run<(Vec<Value>, Vec<Vec<Value>>)> {
        let mut scanned = Vec::with_capacity(scans.len());
        for scan in scans {
            scanned.push(self.operands(&scan.neutral)?);
        }
        let mut reduced = Vec::with_capacity(reduces.len());
        for reduce in reduces {
            reduced.push(self.operands(&reduce.neutral)?);
        }
        let mut rows = Vec::with_capacity(points.len());
        for point in points {
            let mut values = point.into_iter();
            let mut row = Vec::new();
            for (scan, acc) in scans.iter().zip(&mut scanned) {
                let inputs = values.by_ref().take(acc.len());
                let args = acc.iter().cloned().chain(inputs).collect();
                let next = self.apply(&scan.op, args)?;
                row.extend(if scan.exclusive { acc.clone() } else { next.clone() });
                *acc = next;
            }
            for (reduce, acc) in reduces.iter().zip(&mut reduced) {
                let inputs = values.by_ref().take(acc.len());
                let args = acc.iter().cloned().chain(inputs).collect();
                *acc = self.apply(&reduce.op, args)?;
            }
            row.extend(values);
            rows.push(match post {
                Some(post) => self.apply(post, row)?,
                None => row,
            });
        }
        Ok((reduced.concat(), rows))
    }

    fn partition(&mut self, soac: &'p Partition, pattern: &[Var]) -> Run<Vec<Value>> {
        let points = self.map(soac.width, &soac.inputs, &soac.lambda)?;
        self.distribute(soac.classes, points, pattern)
    }

    /// Returns the size of every class, then the values of every class.
    pub(crate) fn distribute(
        &mut self,
        n_classes: usize,
        points: Vec<Vec<Value>>,
        pattern: &[Var],
    ) -> Run<Vec<Value>> {
        let mut classes: Vec<Vec<Vec<Value>>> = vec![Vec::new(); n_classes];
        for mut point in points {
            let values = point.split_off(n_classes);
            let holds = Value::Scalar(Scalar::Bool(true));
            if let Some(class) = point.iter().position(|member| *member == holds) {
                classes[class].push(values);
            }
        }
        let mut results: Vec<Value> =
            classes.iter().map(|class| Value::Scalar(Scalar::I64(class.len() as i64))).collect();
        let n_values = (pattern.len() - n_classes) / n_classes.max(1);
        for (class, members) in classes.iter().enumerate() {
            for value in 0..n_values {
                let column: Vec<Value> = members.iter().map(|values| values[value].clone()).collect();
                let var = pattern[n_classes + class * n_values + value];
                results.push(self.collect_rows(var, vec![members.len()], &column)?);
            }
        }
        Ok(results)
    }

    fn scatter(&mut self, soac: &'p Scatter) -> Run<Vec<Value>> {
        let points = self.map(soac.width, &soac.inputs, &soac.lambda)?;
        self.write_points(&soac.dests, points)
    }

    pub(crate) fn write_points(&mut self, dests: &[ScatterDest], points: Vec<Vec<Value>>) -> Run<Vec<Value>> {
        let mut arrays = Vec::with_capacity(dests.len());
        for dest in dests {
            arrays.push(self.take_array(dest.array)?);
        }
        let mut written: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); dests.len()];
        for point in points {
            let mut values = point.into_iter();
            for ((dest, array), written) in dests.iter().zip(&mut arrays).zip(&mut written) {
                let indices = self.take_indices(&mut values, dest.rank)?;
                let value = values.next().ok_or_else(|| self.invalid("a scatter without a value"))?;
                if dest.segments {
                    self.write_segment(array, written, indices[0], &value)?;
                    continue;
                }
                // A write out of bounds has no effect.
                let _ = array.set(&indices, &value);
            }
        }
        Ok(arrays.into_iter().map(Value::Array).collect())
    }

    /// Writes the rows of a segment, starting at row `first`. It is invalid to write a row twice.
    fn write_segment(
        &self,
        array: &mut ArrayValue,
        written: &mut BTreeSet<i64>,
        first: i64,
        value: &Value,
    ) -> Run<()> {
        let segment = value.as_array().ok_or_else(|| self.invalid("a segment must be an array"))?;
        for row in 0..segment.shape[0] as i64 {
            let element = segment.at(&[row]).ok_or_else(|| self.invalid("a segment without its rows"))?;
            let index = first.wrapping_add(row);
            if array.set(&[index], &element).is_none() {
                return Err(self.invalid(format!("a segment reaches row {index}, which does not exist")));
            }
            if !written.insert(index) {
                return Err(self.invalid(format!("two segments have row {index}")));
            }
        }
        Ok(())
    }

    fn take_indices(&self, values: &mut impl Iterator<Item = Value>, rank: usize) -> Run<Vec<i64>> {
        let indices: Option<Vec<i64>> = values.take(rank).map(|index| index.as_scalar()?.as_int()).collect();
        indices.ok_or_else(|| self.invalid("an index must be an integer"))
    }

    fn hist(&mut self, soac: &'p Hist) -> Run<Vec<Value>> {
        let points = self.map(soac.width, &soac.inputs, &soac.lambda)?;
        self.add_points(&soac.ops, points)
    }

    pub(crate) fn add_points(&mut self, ops: &'p [HistOp], points: Vec<Vec<Value>>) -> Run<Vec<Value>> {
        let mut arrays = Vec::with_capacity(ops.len());
        for op in ops {
            let mut dests = Vec::with_capacity(op.dests.len());
            for &dest in &op.dests {
                dests.push(self.take_array(dest)?);
            }
            arrays.push(dests);
        }
        for point in points {
            let mut values = point.into_iter();
            for (op, dests) in ops.iter().zip(&mut arrays) {
                let indices = self.take_indices(&mut values, op.rank)?;
                let inputs: Vec<Value> = values.by_ref().take(dests.len()).collect();
                self.combine_at(Some(&op.op), dests, &indices, inputs, &[])?;
            }
        }
        Ok(arrays.into_iter().flatten().map(Value::Array).collect())
    }

    /// Combines values into arrays at an index; an index out of bounds has no effect.
    fn combine_at(
        &mut self,
        op: Option<&'p Lambda>,
        arrays: &mut [ArrayValue],
        indices: &[i64],
        values: Vec<Value>,
        leading_args: &[Value],
    ) -> Run<()> {
        let olds: Option<Vec<Value>> = arrays.iter().map(|array| array.at(indices)).collect();
        let Some(olds) = olds else { return Ok(()) };
        let news = match op {
            Some(op) => {
                let args = leading_args.iter().cloned().chain(olds).chain(values).collect();
                self.apply(op, args)?
            }
            None => values,
        };
        for (array, new) in arrays.iter_mut().zip(&news) {
            array.set(indices, new).expect("just read there");
        }
        Ok(())
    }

    fn stream(&mut self, soac: &'p Stream, pattern: &[Var]) -> Run<Vec<Value>> {
        let width = self.size(soac.width)?;
        let mut accs = self.operands(&soac.accs)?;
        let (first, n_accs) = (accs.clone(), accs.len());
        let mut chunks = Vec::new();
        for start in (0..width).step_by(CHUNK) {
            let len = CHUNK.min(width - start);
            let mut args = vec![int(len), int(start)];
            args.extend(if matches!(soac.kind, StreamKind::Red(_)) { first.clone() } else { accs.clone() });
            for &input in &soac.inputs {
                let array = self.array(input)?;
                let row = array.row_len(1);
                let shape = std::iter::once(len).chain(array.shape[1..].iter().copied()).collect();
                let data = array.data[start * row..(start + len) * row].to_vec();
                args.push(Value::Array(ArrayValue::new(array.elem, shape, data)));
            }
            let mut results = self.apply(&soac.lambda, args)?;
            chunks.push(results.split_off(n_accs));
            accs = match &soac.kind {
                StreamKind::Map | StreamKind::Seq => results,
                StreamKind::Red(op) => {
                    let args = accs.into_iter().chain(results).collect();
                    self.apply(op, args)?
                }
            };
        }
        for (position, &var) in pattern[n_accs..].iter().enumerate() {
            let column = chunks.iter().map(|chunk| chunk[position].clone());
            let joined = self.join(var, width, column)?;
            accs.push(joined);
        }
        Ok(accs)
    }

    /// Concatenates arrays along the outermost dimension, as a value for `var`.
    fn join(&self, var: Var, outer: usize, parts: impl Iterator<Item = Value>) -> Run<Value> {
        let ty = self.function.ty(var);
        let elem = ty.elem().ok_or_else(|| self.invalid("an array of non-values"))?;
        let mut inner = None;
        let mut data = Vec::new();
        for part in parts {
            let part = part.as_array().ok_or_else(|| self.invalid("an array is needed"))?.clone();
            data.extend(part.data.iter().copied());
            inner = Some(part.shape[1..].to_vec());
        }
        let inner = match inner {
            Some(inner) => inner,
            None => self.sizes(&ty.shape()[1..])?,
        };
        let shape: Vec<usize> = std::iter::once(outer).chain(inner).collect();
        if element_count(&shape) != data.len() {
            return Err(self.invalid("chunks of a wrong size"));
        }
        Ok(Value::Array(ArrayValue::new(elem, shape, data)))
    }

    fn with_acc(&mut self, soac: &'p WithAcc) -> Run<Vec<Value>> {
        let first = self.accs.len();
        for input in &soac.inputs {
            let mut arrays = Vec::with_capacity(input.arrays.len());
            let mut places = Vec::with_capacity(input.arrays.len());
            for &array in &input.arrays {
                places.push(self.place(array)?);
                arrays.push(self.take_array(array)?);
            }
            self.accs.push(Accumulator { arrays, places, op: input.op.as_ref().map(|(op, _)| op) });
        }
        let n_accs = soac.inputs.len();
        for (number, &token) in soac.lambda.params[..n_accs].iter().enumerate() {
            self.tokens[token] = Some(first + number);
        }
        let tokens = std::iter::repeat_n(Value::Token, n_accs);
        let args = tokens.chain((first..first + n_accs).map(Value::Acc)).collect();
        let others = self.apply(&soac.lambda, args)?.split_off(n_accs);
        let accs = self.accs.split_off(first);
        let arrays = accs.into_iter().flat_map(|acc| acc.arrays).map(Value::Array);
        Ok(arrays.chain(others).collect())
    }

    fn update_acc(&mut self, acc: Var, indices: &[Operand], values: &[Operand]) -> Run<Vec<Value>> {
        let Value::Acc(number) = self.var(acc)? else { return Err(self.invalid("an accumulator is needed")) };
        let (indices, values) = (self.ints(indices)?, self.operands(values)?);
        let mut arrays = std::mem::take(&mut self.accs[number].arrays);
        let op = self.accs[number].op;
        let index_args: Vec<Value> = indices.iter().map(|&i| Value::Scalar(Scalar::I64(i))).collect();
        self.combine_at(op, &mut arrays, &indices, values, &index_args)?;
        self.accs[number].arrays = arrays;
        self.write_acc(&self.accs[number], &indices)?;
        Ok(vec![Value::Acc(number)])
    }

    fn flat_map(&mut self, soac: &'p FlatMap, pattern: &[Var]) -> Run<Vec<Value>> {
        let points = self.map(soac.width, &soac.inputs, &soac.lambda)?;
        let width = points.len();
        let mut total = 0;
        let mut offsets = Vec::with_capacity(width);
        for point in &points {
            offsets.push(int(total));
            let size = point[0].as_scalar().and_then(Scalar::as_int);
            total += size.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| self.invalid("no size"))?;
        }
        let mut results = vec![int(total), self.collect_rows(pattern[1], vec![width], &offsets)?];
        let n_flat = soac.results.len();
        for (position, &var) in pattern[2..].iter().enumerate() {
            let column = points.iter().map(|point| point[1 + position].clone());
            results.push(if position < n_flat {
                self.join(var, total, column)?
            } else {
                self.collect_rows(var, vec![width], &column.collect::<Vec<_>>())?
            });
        }
        Ok(results)
    }
}

fn int(n: usize) -> Value {
    Value::Scalar(Scalar::I64(n as i64))
}
