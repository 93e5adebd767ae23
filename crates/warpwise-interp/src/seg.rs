//! Segmented operations: points in row-major order of the space.

use warpwise_ir::{SegKind, SegOp, Var};
use warpwise_prim::Scalar;

use crate::machine::{Machine, Run};
use crate::value::{Value, element_count};

impl<'p> Machine<'p> {
    pub(crate) fn seg_op(&mut self, op: &'p SegOp, pattern: &[Var]) -> Run<Vec<Value>> {
        let mut extents = Vec::with_capacity(op.space.len());
        for dim in &op.space {
            // A negative extent has no points.
            extents.push(self.int(dim.extent)?.max(0) as usize);
        }
        let mut points = Vec::new();
        let mut touched = Vec::new();
        let all = self.spend_elements(&extents)?;
        self.enter(op);
        for flat in 0..all {
            self.set_indices(op, &extents, flat);
            self.begin_point(op, &extents)?;
            let point = self.body(&op.body)?;
            self.write_point(op, pattern, &point, &mut touched)?;
            points.push(point);
        }
        let results = self.results_of(op, &extents, points, pattern)?;
        self.write_results(op, &extents, pattern, &results, &touched)?;
        Ok(results)
    }

    /// Returns the results of an operation, given those of its points.
    fn results_of(
        &mut self,
        op: &'p SegOp,
        extents: &[usize],
        points: Vec<Vec<Value>>,
        pattern: &[Var],
    ) -> Run<Vec<Value>> {
        match &op.kind {
            SegKind::Map => self.gather(extents, points, pattern),
            SegKind::Reduce { reduces } => {
                let n_reduced = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
                self.by_segment(extents, points, pattern, n_reduced, |this, segment| {
                    this.scan_and_reduce(&[], reduces, None, segment)
                })
            }
            SegKind::Scan { scans, reduces, post } => {
                let n_reduced = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
                self.by_segment(extents, points, pattern, n_reduced, |this, segment| {
                    this.scan_and_reduce(scans, reduces, post.as_ref(), segment)
                })
            }
            SegKind::Partition { classes } => self.distribute(*classes, points, pattern),
            SegKind::Scatter { dests } => self.write_points(dests, points),
            SegKind::Hist { ops } => self.add_points(ops, points),
        }
    }

    fn set_indices(&mut self, op: &SegOp, extents: &[usize], mut flat: usize) {
        for (dim, &extent) in op.space.iter().zip(extents).rev() {
            self.set(dim.index, Value::Scalar(Scalar::I64((flat % extent) as i64)));
            flat /= extent;
        }
    }

    /// Makes one array over the whole space for every result of the points.
    fn gather(&mut self, extents: &[usize], points: Vec<Vec<Value>>, pattern: &[Var]) -> Run<Vec<Value>> {
        let column = |position: usize| points.iter().map(|point| point[position].clone()).collect::<Vec<_>>();
        let array = |(position, &var)| self.collect_rows(var, extents.to_vec(), &column(position));
        pattern.iter().enumerate().map(array).collect()
    }

    /// Applies `segment` to the points of the last dimension together, for every point of the outer dimensions.
    fn by_segment(
        &mut self,
        extents: &[usize],
        points: Vec<Vec<Value>>,
        pattern: &[Var],
        n_reduced: usize,
        mut segment: impl FnMut(&mut Self, Vec<Vec<Value>>) -> Run<(Vec<Value>, Vec<Vec<Value>>)>,
    ) -> Run<Vec<Value>> {
        let (&last, outer) = extents.split_last().expect("a space has dimensions");
        let mut points = points.into_iter();
        let mut reduced = Vec::new();
        let mut rows = Vec::new();
        for _ in 0..element_count(outer) {
            let (values, mut elements) = segment(self, points.by_ref().take(last).collect())?;
            reduced.push(values);
            rows.append(&mut elements);
        }
        let mut results = Vec::with_capacity(pattern.len());
        for (position, &var) in pattern[..n_reduced].iter().enumerate() {
            let column: Vec<Value> = reduced.iter().map(|values| values[position].clone()).collect();
            results.push(match outer {
                [] => column[0].clone(),
                _ => self.collect_rows(var, outer.to_vec(), &column)?,
            });
        }
        results.extend(self.gather(extents, rows, &pattern[n_reduced..])?);
        Ok(results)
    }
}
