//! Lifting of SOACs in the nest. Their elements form a level of their own.

use std::rc::Rc;

use warpwise_ir::{Expr, FlatMap, Lambda, Operand, Screma, Stm, Type, Var};
use warpwise_prim::BinaryOp;

use super::lifter::{Form, LevelId, Lifted, Lifter, Link, Value};

impl Lifter<'_> {
    /// Returns the level of the elements of a SOAC, and binds the parameters to the elements of the inputs there.
    pub fn elements(&mut self, stm: &Stm, width: Operand, inputs: &[Var], params: &[Var]) -> Lifted<LevelId> {
        let level = self.inner_level(&[width])?;
        let at = self.position_of(level);
        for (&array, &param) in inputs.iter().zip(params) {
            let form = match self.elements_of(array, level) {
                Some(data) => Form::Regular(data),
                None => {
                    let expr = Expr::Index { array, indices: vec![at.into()] };
                    let certs = stm.certs.clone();
                    Form::Delayed(Rc::new(Stm { pattern: vec![param], expr, certs, span: stm.span }))
                }
            };
            self.at_level(level, |this| {
                this.set(param, form);
                Ok(())
            })?;
        }
        Ok(level)
    }

    /// Returns the stored data of an input, if they are the elements of the level in order.
    fn elements_of(&mut self, array: Var, level: LevelId) -> Option<Var> {
        let value = self.values.get(&array)?.clone();
        if value.level != self.level {
            return None;
        }
        match (value.form, self.levels[level].link.clone()) {
            // Segments have no gaps, whatever operation made them.
            (Form::Irregular(segments), Link::Segments { .. }) if self.function.ty(array).rank() == 1 => {
                let shape = [self.levels[level].width].into_iter().collect();
                Some(self.host(|b| b.bind_one("elements", Expr::Reshape { array: segments.data, shape })))
            }
            (Form::Regular(regular), Link::Regular { .. }) => {
                let row = self.function.ty(array).row(1).array_of(&[self.levels[level].width]);
                let shape = row.shape().into();
                Some(self.host(|b| b.bind_one("elements", Expr::Reshape { array: regular, shape })))
            }
            (
                Form::Irregular(_) | Form::Regular(_) | Form::Pending | Form::Delayed(_) | Form::Position,
                _,
            ) => None,
        }
    }

    /// Lifts a map with the scans and reductions after it.
    pub fn screma(&mut self, stm: &Stm, soac: &Screma) -> Lifted<()> {
        let Screma { width, inputs, map, scans, reduces, post } = soac;
        let level = self.elements(stm, *width, inputs, &map.params)?;
        let n_scanned = soac.n_scanned();
        let n_reduced = soac.n_reduced();
        let results = map.body.result.clone();
        let (folded, further) = results.split_at(n_scanned + n_reduced);
        let mut elements: Vec<Operand> = Vec::new();
        let folded = self.at_level(level, |this| {
            this.stms(&map.body)?;
            let folded = this.results(folded)?;
            let kept = this.results(further)?;
            for (&operand, result) in further.iter().zip(kept) {
                elements.push(this.keep(operand, result));
            }
            this.end();
            folded.into_iter().map(|result| this.scalars(result)).collect::<Lifted<Vec<Var>>>()
        })?;
        let mut rest = folded.as_slice();
        let mut scanned = Vec::new();
        for scan in scans {
            let (inputs, after) = rest.split_at(scan.neutral.len());
            rest = after;
            scanned.extend(self.scan(level, *width, scan, inputs)?);
        }
        let (reduced, arrays) = stm.pattern.split_at(n_reduced);
        let mut pattern = reduced;
        for reduce in reduces {
            let (inputs, after) = rest.split_at(reduce.neutral.len());
            rest = after;
            let (results, after) = pattern.split_at(reduce.neutral.len());
            pattern = after;
            self.reduce(level, *width, reduce, inputs, results)?;
        }
        let scanned: Vec<Operand> = scanned.into_iter().map(|array| self.named(level, array)).collect();
        elements.splice(0..0, scanned);
        let elements = match post {
            Some(post) => self.after(level, post, &elements)?,
            None => elements,
        };
        for (&array, element) in arrays.iter().zip(elements) {
            self.collect(level, element, array)?;
        }
        Ok(())
    }

    /// Returns the array of a regular result, as the elements of a fold must be.
    pub fn scalars(&self, result: super::body::Result) -> Lifted<Var> {
        match result {
            super::body::Result::Regular(array) => Ok(array),
            super::body::Result::Irregular(_) => {
                self.unlifted("a reduction or scan of arrays of differing sizes")
            }
        }
    }

    /// Returns a variable for an operand in its stored form.
    pub fn keep(&mut self, operand: Operand, result: super::body::Result) -> Operand {
        let ty = self.function.operand_type(operand);
        let var = self.function.fresh("kept", ty);
        self.set_result(var, result);
        var.into()
    }

    /// Records the form of a variable at the current level.
    pub fn set_result(&mut self, var: Var, result: super::body::Result) {
        match result {
            super::body::Result::Regular(array) => self.set(var, Form::Regular(array)),
            super::body::Result::Irregular(segments) => self.set(var, Form::Irregular(segments)),
        }
    }

    /// Returns a variable for the elements of an array over a level.
    fn named(&mut self, level: LevelId, array: Var) -> Operand {
        let ty = self.function.ty(array).row(1);
        let var = self.function.fresh("scanned", ty);
        self.values.insert(var, Value { level, form: Form::Regular(array) });
        var.into()
    }

    /// Returns the results of a map after scans.
    fn after(&mut self, level: LevelId, post: &Lambda, elements: &[Operand]) -> Lifted<Vec<Operand>> {
        for (&param, &element) in post.params.iter().zip(elements) {
            let expr = Expr::Operand(element);
            let alias = Stm { pattern: vec![param], expr, certs: Vec::new(), span: self.span };
            self.at_level(level, |this| {
                this.set(param, Form::Delayed(Rc::new(alias)));
                Ok(())
            })?;
        }
        self.at_level(level, |this| {
            let results = this.body(&post.body)?;
            let pairs = post.body.result.iter().zip(results);
            Ok(pairs.map(|(&operand, result)| this.keep(operand, result)).collect())
        })
    }

    /// Lifts a map whose results are concatenated.
    pub fn flat_map(&mut self, stm: &Stm, soac: &FlatMap) -> Lifted<()> {
        let FlatMap { width, inputs, results, lambda } = soac;
        let level = self.elements(stm, *width, inputs, &lambda.params)?;
        let yielded = lambda.body.result.clone();
        let kept = self.at_level(level, |this| {
            let kept = this.body(&lambda.body)?;
            Ok(yielded.iter().zip(kept).map(|(&x, result)| this.keep(x, result)).collect::<Vec<_>>())
        })?;
        let [total, offsets, arrays @ ..] = stm.pattern.as_slice() else {
            return self.unlifted("a flatmap without results");
        };
        let (arrays, further) = arrays.split_at(results.len());
        let (sizes, lists) = (kept[0], &kept[1..=results.len()]);
        let sizes = self.at_level(level, |this| this.regular(sizes))?;
        let (sum, before) = {
            let width = self.levels[level].width;
            self.host(|b| b.offsets(width, sizes))
        };
        let bounds = self.bounds(level, sum, before)?;
        self.set(*total, Form::Regular(bounds.1));
        self.set_relative(level, *offsets, before, bounds.0)?;
        for (&array, &list) in arrays.iter().zip(lists) {
            self.flat_list(level, list, array)?;
        }
        for (&array, &element) in further.iter().zip(&kept[1 + results.len()..]) {
            self.collect(level, element, array)?;
        }
        Ok(())
    }

    /// Returns the start and length of each outer element's part of a running sum over the elements of a level.
    pub fn bounds(&mut self, level: LevelId, total: Operand, before: Var) -> Lifted<(Var, Var)> {
        let (outer, width) = (self.width(), self.levels[level].width);
        let starts = match self.levels[level].link.clone() {
            Link::Segments { starts, .. } => starts,
            Link::Regular { inner, .. } => {
                let starts = Expr::Iota { len: outer, start: Operand::i64(0), step: inner };
                self.host(|b| b.bind_one("starts", starts))
            }
            Link::Top | Link::Subset { .. } => return self.unlifted("a flatmap of chosen elements"),
        };
        let sizes = match self.levels[level].link.clone() {
            Link::Segments { sizes, .. } => sizes,
            Link::Regular { inner, .. } => self.host(|b| {
                let shape = [outer].into_iter().collect();
                b.bind_one("sizes", Expr::Replicate { shape, value: inner })
            }),
            Link::Top | Link::Subset { .. } => return self.unlifted("a flatmap of chosen elements"),
        };
        let found = self.host(|b| {
            let params = [("start", Type::I64), ("k", Type::I64)];
            let lambda = b.lambda(&params, |b, x| {
                let until = |b: &mut warpwise_ir::builder::Builder, at: Operand| {
                    let inside = b.compare("inside", warpwise_prim::CompareOp::SLt, at, width);
                    let some =
                        |b: &mut warpwise_ir::builder::Builder| vec![b.index("x", before, &[at]).into()];
                    b.branch("x", inside, some, |_| vec![total])[0]
                };
                let end = b.binary("end", BinaryOp::Add, x[0], x[1]);
                let (first, last) = (until(b, x[0].into()), until(b, end));
                let size = b.binary("size", BinaryOp::Sub, last, first);
                vec![first.into(), size]
            });
            b.map("bounds", outer, &[starts, sizes], lambda)
        });
        Ok((found[0], found[1]))
    }

    /// Binds `array` to the values of a running sum, relative to its value at the start of their outer element.
    fn set_relative(&mut self, level: LevelId, array: Var, before: Var, firsts: Var) -> Lifted<()> {
        let at = self.named(level, before);
        let first = self.function.fresh("first", Type::I64);
        self.set(first, Form::Regular(firsts));
        let relative = self.at_level(level, |this| {
            let at = this.local(at)?;
            let first = this.local(first.into())?;
            let relative = this.compute("offset", Expr::Binary(BinaryOp::Sub, at, first));
            let kept = this.flush(&[relative])[0];
            Ok(this.named(level, kept))
        })?;
        self.collect(level, relative, array)
    }

    /// Binds `array` to the concatenated lists of the elements of a level.
    fn flat_list(&mut self, level: LevelId, list: Operand, array: Var) -> Lifted<()> {
        let Operand::Var(list) = list else { return self.unlifted("a constant array") };
        let joined = self.at_level(level, |this| this.irregular(list))?;
        let shape = self.function.ty(array).shape().to_vec();
        self.set_joined(array, &shape, joined.data)
    }
}
