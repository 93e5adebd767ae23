//! Lifting of filters and partitions: all segments are partitioned at once, and the kept elements of each segment are counted.
//!
//! ```text
//! k: i64, b: [k]f32 = partition n (a) classes 1 (x) { c; return c, x }   for each segment   ==>
//! total, data = partition total (cs, xs) classes 1;
//! ks = map (segment) { reduce (+) 0 (map (c) { if c then 1 else 0 } (segment of cs)) };
//! ```
//!
//! If segments must not run one after the other, the counts come from a running sum over all elements.

use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr, Operand, Partition, Reduce, Screma, Shape, Stm, Type, Var};
use warpwise_prim::{BinaryOp, ScalarType, UnaryOp};

use super::calls::Folds;
use super::folds::segments_of;
use super::lifter::{Form, LevelId, Lifted, Lifter, Link};

impl Lifter<'_> {
    /// Lifts a filter or partition.
    pub fn partition(&mut self, stm: &Stm, soac: &Partition) -> Lifted<()> {
        let Partition { width, inputs, classes, lambda } = soac;
        let level = self.elements(stm, *width, inputs, &lambda.params)?;
        let yielded = self.at_level(level, |this| {
            let results = this.body(&lambda.body)?;
            results.into_iter().map(|result| this.scalars(result)).collect::<Lifted<Vec<Var>>>()
        })?;
        let total = self.levels[level].width;
        let types: Vec<Type> = yielded.iter().map(|&array| self.function.ty(array).row(1)).collect();
        let found = self.host(|b| {
            let lambda = b.identity(&types);
            let soac = Partition { width: total, inputs: yielded.clone(), classes: *classes, lambda };
            b.bind("kept", Expr::Partition(Box::new(soac)))
        });
        let sizes = self.class_sizes(level, &yielded[..*classes])?;
        for (&size, sizes) in stm.pattern.iter().zip(sizes) {
            self.set(size, Form::Regular(sizes));
        }
        for (&array, &data) in stm.pattern[*classes..].iter().zip(&found[*classes..]) {
            let shape = self.function.ty(array).shape().to_vec();
            self.set_joined(array, &shape, data)?;
        }
        Ok(())
    }

    /// Returns, for each class, the number of its elements in each outer element. An element is in the first class that holds.
    fn class_sizes(&mut self, level: LevelId, holds: &[Var]) -> Lifted<Vec<Var>> {
        let (outer, total) = (self.width(), self.levels[level].width);
        match self.levels[level].link.clone() {
            Link::Regular { inner, .. } => Ok(self.host(|b| {
                let shape = [outer, inner].into_iter().collect::<Shape>();
                let rows: Vec<Var> = holds
                    .iter()
                    .map(|&array| b.bind_one("rows", Expr::Reshape { array, shape: shape.clone() }))
                    .collect();
                let row = Type::BOOL.array_of(&[inner]);
                let params: Vec<(&str, Type)> = rows.iter().map(|_| ("row", row.clone())).collect();
                let lambda = b.lambda(&params, |b, rows| counted(b, inner, rows));
                b.map("sizes", outer, &rows, lambda)
            })),
            Link::Segments { starts, sizes, .. } if self.functions.folds == Folds::Apart => {
                Ok(self.host(|b| {
                    let types = vec![Type::BOOL; holds.len()];
                    let lambda = b.lambda(&[("start", Type::I64), ("k", Type::I64)], |b, x| {
                        let views = segments_of(b, (x[0], x[1]), holds, &types).0;
                        counted(b, x[1].into(), &views)
                    });
                    b.map("sizes", outer, &[starts, sizes], lambda)
                }))
            }
            Link::Top | Link::Subset { .. } | Link::Segments { .. } => {
                let lambda = |b: &mut Builder| {
                    let params: Vec<(&str, Type)> = holds.iter().map(|_| ("c", Type::BOOL)).collect();
                    b.lambda(&params, members)
                };
                let members = self.host(|b| {
                    let lambda = lambda(b);
                    b.map("members", total, holds, lambda)
                });
                let mut all = Vec::new();
                for members in members {
                    let (sum, before) = self.host(|b| b.offsets(total, members));
                    all.push(self.bounds(level, sum, before)?.1);
                }
                Ok(all)
            }
        }
    }
}

/// Returns 1 for the first class that holds, and 0 for the others.
fn members(b: &mut Builder, holds: &[Var]) -> Vec<Operand> {
    let mut open = Operand::bool(true);
    let mut members = Vec::new();
    for &holds in holds {
        let member = b.binary("member", BinaryOp::And, open, holds);
        members.push(b.select("member", member, Operand::i64(1), Operand::i64(0)));
        let other = b.unary("other", UnaryOp::Not, holds);
        open = b.binary("open", BinaryOp::And, open, other);
    }
    members
}

/// Returns the number of elements of a row in each class.
fn counted(b: &mut Builder, width: Operand, holds: &[Var]) -> Vec<Operand> {
    let params: Vec<(&str, Type)> = holds.iter().map(|_| ("c", Type::BOOL)).collect();
    let map = b.lambda(&params, members);
    let reduce = |b: &mut Builder| {
        let op = b.operator(BinaryOp::Add, ScalarType::I64);
        Reduce { op, neutral: vec![Operand::i64(0)], commutative: true }
    };
    let reduces = holds.iter().map(|_| reduce(b)).collect();
    let soac = Screma { width, inputs: holds.to_vec(), map, scans: Vec::new(), reduces, post: None };
    b.bind("size", Expr::Screma(Box::new(soac))).into_iter().map(Operand::Var).collect()
}
