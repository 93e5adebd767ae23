//! Levels of inner elements, and the conversion of arrays to their form there.
//!
//! ```text
//! total, most, starts = screma w (sizes) map (k) { k, k, k } exscan (+) [0] reduce (+) [0] reduce (max) [0];
//! c = assert (the sum of sizes fits);
//! marks  = scatter w (sizes, starts, 0..w) into (zeros[total]) { if 0 < k then start else -1, i };
//! owners = screma total (marks) scan max [0];
//! ```
//!
//! All arrays of the same shape share one segment descriptor: their elements are one level.

use warpwise_ir::builder::Builder;
use warpwise_ir::sizes::{ScalarCode, saturating_product};
use warpwise_ir::{Expr, Operand, Scan, Scatter, ScatterDest, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::lifter::{Form, Level, LevelId, Lifted, Lifter, Link, Segments, Value, iota};

/// Emits operations into the current group.
impl ScalarCode for Lifter<'_> {
    fn binary(&mut self, name: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        self.compute(name, Expr::Binary(op, x, y))
    }

    fn compare(&mut self, name: &str, op: CompareOp, x: Operand, y: Operand) -> Operand {
        self.compute(name, Expr::Compare(op, x, y))
    }

    fn select(&mut self, name: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        self.compute(name, Expr::Select(cond, x, y))
    }
}

impl Lifter<'_> {
    /// Returns the level of the elements of arrays that have this shape at the current level. Ends the current group.
    pub fn inner_level(&mut self, shape: &[Operand]) -> Lifted<LevelId> {
        let key = (self.level, shape.to_vec());
        if let Some(&level) = self.shapes.get(&key) {
            self.flush(&[]);
            return Ok(level);
        }
        let level = if shape.iter().all(|&size| self.avoided(size)) {
            self.flush(&[]);
            self.regular_level(shape)
        } else {
            let sizes = shape.iter().map(|&size| self.size(size)).collect::<Lifted<Vec<_>>>()?;
            let size = sizes.into_iter().reduce(|x, y| saturating_product(self, x, y));
            let size = size.unwrap_or(Operand::i64(1));
            let sizes = self.flush(&[size])[0];
            self.segment_level(sizes)
        };
        self.shapes.insert(key, level);
        Ok(level)
    }

    /// Returns a size in the current group, clamped to 0: a check that forbids negative sizes may have failed.
    fn size(&mut self, size: Operand) -> Lifted<Operand> {
        let size = self.local(size)?;
        Ok(self.compute("size", Expr::Binary(BinaryOp::SMax, size, Operand::i64(0))))
    }

    fn regular_level(&mut self, shape: &[Operand]) -> LevelId {
        let (parent, outer) = (self.level, self.width());
        let level = self.host(|b| {
            let mut inner = shape[0];
            for &size in &shape[1..] {
                inner = b.binary("inner", BinaryOp::Mul, inner, size);
            }
            let (width, _) = b.elements(&[&[outer], shape].concat());
            let indices = b.bind_one("at", iota(width));
            Level { width, indices, link: Link::Regular { parent, inner } }
        });
        self.levels.push(level)
    }

    /// Returns the level of segments of these sizes.
    pub fn segment_level(&mut self, sizes: Var) -> LevelId {
        let (parent, outer) = (self.level, self.width());
        let level = self.host(|b| {
            let (total, starts) = b.offsets(outer, sizes);
            let before = b.bind_one("at", iota(outer));
            let mark = |b: &mut Builder, name: &str, none: Operand, value: Option<Operand>| {
                let none = Expr::Replicate { shape: [total].into_iter().collect(), value: none };
                let array = b.bind_one(name, none);
                let params = [("k", Type::I64), ("start", Type::I64), ("i", Type::I64)];
                let lambda = b.lambda(&params, |b, x| {
                    let some = b.compare("some", CompareOp::SLt, 0, x[0]);
                    let at = b.select("at", some, x[1].into(), Operand::i64(-1));
                    vec![at, value.unwrap_or(x[2].into())]
                });
                let (inputs, dests) = (vec![sizes, starts, before], vec![ScatterDest::at(array, 1)]);
                b.bind_one(name, Expr::Scatter(Box::new(Scatter { width: outer, inputs, lambda, dests })))
            };
            let marks = mark(b, "marks", Operand::i64(0), None);
            let heads = mark(b, "heads", Operand::bool(false), Some(Operand::bool(true)));
            let map = b.identity(&[Type::I64]);
            let op = b.operator(BinaryOp::SMax, ScalarType::I64);
            let scan = Scan { op, neutral: vec![Operand::i64(0)], exclusive: false };
            let owners = b.map_scan("owners", total, &[marks], map, scan)[0];
            let indices = b.bind_one("at", iota(total));
            Level { width: total, indices, link: Link::Segments { parent, sizes, starts, owners, heads } }
        });
        self.levels.push(level)
    }

    /// Returns the level of chosen elements of the current level.
    pub fn subset_level(&mut self, width: Operand, chosen: Var) -> LevelId {
        let parent = self.level;
        let indices = self.host(|b| b.bind_one("at", iota(width)));
        self.levels.push(Level { width, indices, link: Link::Subset { parent, chosen } })
    }

    /// Returns a variable of the nest for the index of elements of a level within their segments.
    pub fn position_of(&mut self, level: LevelId) -> Var {
        let var = self.function.fresh("j", Type::I64);
        self.values.insert(var, Value { level, form: Form::Position });
        var
    }

    /// Returns the irregular form of an array at the current level, and makes it if necessary.
    pub fn irregular(&mut self, array: Var) -> Lifted<Segments> {
        if let Some(Value { level, form: Form::Irregular(segments) }) = self.values.get(&array)
            && *level == self.level
        {
            return Ok(*segments);
        }
        let shape = self.function.ty(array).shape().to_vec();
        let level = self.inner_level(&shape)?;
        let at = self.position_of(level);
        let data = self.at_level(level, |this| {
            let element = this.element_at(array, &shape, at)?;
            Ok(this.flush(&[element])[0])
        })?;
        self.segments_of(level, data)
    }

    /// Returns the element of an array at an index in row-major order, in the current group.
    fn element_at(&mut self, array: Var, shape: &[Operand], at: Var) -> Lifted<Operand> {
        let view = self.local(array.into())?;
        let mut rest = self.local(at.into())?;
        let mut indices = Vec::new();
        for &size in shape[1..].iter().rev() {
            let size = self.local(size)?;
            indices.push(self.compute("i", Expr::Binary(BinaryOp::SRem, rest, size)));
            rest = self.compute("i", Expr::Binary(BinaryOp::SQuot, rest, size));
        }
        indices.push(rest);
        indices.reverse();
        match view {
            Operand::Var(array) => Ok(self.compute("x", Expr::Index { array, indices })),
            Operand::Const(_) => self.unlifted("a constant array"),
        }
    }

    /// Returns data over the elements of a level as an irregular array of the level around.
    pub fn segments_of(&mut self, level: LevelId, data: Var) -> Lifted<Segments> {
        let total = self.levels[level].width;
        match self.levels[level].link {
            Link::Segments { starts, .. } => Ok(Segments { starts, total, data }),
            Link::Regular { inner, .. } => {
                let outer = self.width();
                let iota = Expr::Iota { len: outer, start: Operand::i64(0), step: inner };
                let starts = self.host(|b| b.bind_one("starts", iota));
                Ok(Segments { starts, total, data })
            }
            Link::Top | Link::Subset { .. } => self.unlifted("segments of chosen elements"),
        }
    }

    /// Binds an array of this irregular shape to concatenated segments.
    pub fn set_joined(&mut self, array: Var, shape: &[Operand], data: Var) -> Lifted<()> {
        let whole = self.inner_level(shape)?;
        let Link::Segments { starts, .. } = self.levels[whole].link else {
            return self.unlifted("segments that are all alike");
        };
        let total = self.levels[whole].width;
        let shape = [total].into_iter().collect();
        let data = self.host(|b| b.bind_one("joined", Expr::Reshape { array: data, shape }));
        self.set(array, Form::Irregular(Segments { starts, total, data }));
        Ok(())
    }

    /// Binds `array`, a variable of the level around, to the array of the values of `element`, a variable of `level`.
    pub fn collect(&mut self, level: LevelId, element: Operand, array: Var) -> Lifted<()> {
        let element_type = self.function.operand_type(element);
        if !self.regular_type(&element_type) {
            let Operand::Var(element) = element else { return self.unlifted("a constant array") };
            let inner = self.at_level(level, |this| this.irregular(element))?;
            let shape = self.function.ty(array).shape().to_vec();
            return self.set_joined(array, &shape, inner.data);
        }
        let data = self.at_level(level, |this| this.regular(element))?;
        let outer = self.width();
        let row = element_type.shape().to_vec();
        match self.levels[level].link.clone() {
            Link::Regular { .. } => {
                let ty = self.function.ty(array).array_of(&[outer]);
                let shape = ty.shape().into();
                let regular = self.host(|b| b.bind_one("all", Expr::Reshape { array: data, shape }));
                self.set(array, Form::Regular(regular));
            }
            Link::Segments { starts, .. } if row.is_empty() => {
                let total = self.levels[level].width;
                self.set(array, Form::Irregular(Segments { starts, total, data }));
            }
            Link::Segments { starts, .. } => {
                let width = self.levels[level].width;
                let segments = self.host(|b| {
                    let size = product(b, &row);
                    let total = b.binary("total", BinaryOp::Mul, width, size);
                    let shape = [total].into_iter().collect();
                    let data = b.bind_one("data", Expr::Reshape { array: data, shape });
                    let scale = b.lambda(&[("start", Type::I64)], |b, x| {
                        vec![b.binary("start", BinaryOp::Mul, x[0], size)]
                    });
                    let starts = b.map("starts", outer, &[starts], scale)[0];
                    Segments { starts, total, data }
                });
                self.set(array, Form::Irregular(segments));
            }
            Link::Top | Link::Subset { .. } => return self.unlifted("an array of chosen elements"),
        }
        Ok(())
    }
}

/// Returns the product of operands.
pub fn product(b: &mut Builder, factors: &[Operand]) -> Operand {
    let mut product = factors.first().copied().unwrap_or(Operand::i64(1));
    for &factor in factors.iter().skip(1) {
        product = b.binary("size", BinaryOp::Mul, product, factor);
    }
    product
}
