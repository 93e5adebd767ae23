//! Unrolls operators on small arrays to operators on scalars.
//!
//! ```text
//! (a: [2]f32, b: f32) { c = screma 2 (a) map (x: f32) { y = fmul x b; return y }; return c }
//! ==>
//! (a0: f32, a1: f32, b: f32) { y0 = fmul a0 b; y1 = fmul a1 b; return y0, y1 }
//! ```

use warpwise_ir::builder::Builder;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Branch, Expr, Lambda, Operand, Reduce, Scan, Screma, Stm, Var, exprs};
use warpwise_prim::ScalarType;

use crate::small_arrays::{Extents, MOST_ELEMENTS, Value, known};

/// Maximum number of statements of an unrolled operator.
const MOST_STATEMENTS: usize = 512;

/// Returns the operator on elements.
pub fn unrolled(b: &mut Builder, op: &Lambda) -> Option<Lambda> {
    let mut unroller = Unroller { values: SecondaryMap::default(), left: MOST_STATEMENTS };
    let mut params = Vec::new();
    for &param in &op.params {
        let extents = Extents::of(b.function.ty(param))?;
        let own: Vec<Var> = (0..extents.count()).map(|_| b.function.fresh("x", extents.scalar())).collect();
        params.extend(&own);
        unroller.values[param] =
            Some(Value { extents, elements: own.into_iter().map(Operand::Var).collect() });
    }
    let (stms, results) = b.collect(|b| unroller.body(b, &op.body));
    let result = results?.into_iter().flat_map(|value| value.elements).collect();
    Some(Lambda { params, body: Body { stms, result } })
}

/// Returns an unrolled lambda that yields the elements of its first `n_taken_apart` results, and all others whole.
pub fn written_out(b: &mut Builder, map: &Lambda, n_taken_apart: usize) -> Option<Lambda> {
    let mut unroller = Unroller { values: SecondaryMap::default(), left: MOST_STATEMENTS };
    let (stms, result) = b.collect(|b| {
        for &param in &map.params {
            unroller.values[param] = Value::read(b, param.into());
        }
        let values = unroller.body(b, &map.body)?;
        let (apart, whole) = values.split_at(n_taken_apart);
        let whole: Vec<Operand> = whole.iter().map(|value| value.assembled(b)).collect();
        Some(apart.iter().flat_map(|value| value.elements.clone()).chain(whole).collect())
    });
    Some(Lambda { params: map.params.clone(), body: Body { stms, result: result? } })
}

/// The state of unrolling.
struct Unroller {
    values: SecondaryMap<Var, Option<Value>>,
    /// Number of statements that may still be added.
    left: usize,
}

impl Unroller {
    fn body(&mut self, b: &mut Builder, body: &Body) -> Option<Vec<Value>> {
        for stm in &body.stms {
            let values = self.stm(b, stm)?;
            for (&var, value) in stm.pattern.iter().zip(values) {
                self.values[var] = Some(value);
            }
        }
        body.result.iter().map(|&x| self.value(b, x)).collect()
    }

    /// Returns the value of an operand. Arrays from outside are read.
    fn value(&mut self, b: &mut Builder, x: Operand) -> Option<Value> {
        match x.as_var().and_then(|var| self.values[var].clone()) {
            Some(value) => Some(value),
            None => Value::read(b, x),
        }
    }

    fn apply(&mut self, b: &mut Builder, lambda: &Lambda, args: Vec<Value>) -> Option<Vec<Value>> {
        for (&param, arg) in lambda.params.iter().zip(args) {
            self.values[param] = Some(arg);
        }
        self.body(b, &lambda.body)
    }

    /// Returns the constant that a scalar is known to equal.
    fn constant(&self, x: Operand) -> Option<i64> {
        match x.as_var() {
            None => known(x),
            Some(var) => known(*self.values[var].as_ref()?.elements.first()?),
        }
    }

    fn stm(&mut self, b: &mut Builder, stm: &Stm) -> Option<Vec<Value>> {
        self.left = self.left.checked_sub(1)?;
        b.with_certs(&stm.certs, |b| match &stm.expr {
            Expr::Screma(soac) => self.screma(b, soac),
            Expr::If { cond, then_body, else_body, branch: Branch::Plain } => {
                self.choice(b, *cond, then_body, else_body)
            }
            exprs!(simple, If, Loop, Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg) => {
                Some(vec![self.array(b, stm)?])
            }
        })
    }

    /// Returns the value of an expression with one result and no bodies.
    fn array(&mut self, b: &mut Builder, stm: &Stm) -> Option<Value> {
        let extents = Extents::of(b.function.ty(*stm.pattern.first()?))?;
        match &stm.expr {
            Expr::Operand(x) => self.value(b, *x),
            Expr::Copy(array) => self.value(b, (*array).into()),
            Expr::ArrayLit(rows) => {
                Value::of_rows(rows.iter().map(|&row| self.value(b, row)).collect::<Option<_>>()?)
            }
            Expr::Iota { len: _, start, step } => {
                let (start, step) = (known(*start)?, known(*step)?);
                let element = |i| Operand::i64(start.wrapping_add(step.wrapping_mul(i as i64)));
                let elements = (0..extents.count()).map(element).collect();
                (extents.elem == ScalarType::I64).then_some(Value { extents, elements })
            }
            Expr::Replicate { shape: _, value } => {
                let row = self.value(b, *value)?.elements;
                Some(Value { elements: row.iter().copied().cycle().take(extents.count()).collect(), extents })
            }
            Expr::Reshape { array, shape: _ } => self.value(b, (*array).into())?.reshaped(extents),
            Expr::Rearrange { array, perm } => Some(self.value(b, (*array).into())?.rearranged(perm)),
            Expr::Index { array, indices } if self.values[*array].is_some() => self.row(b, *array, indices),
            expr @ exprs!(
                scalar, Assert, Index, Slice, Update, Concat, Manifest, Scratch, nested, Call, UpdateAcc,
                Tuned, Alloc
            ) => self.scalar(b, expr, extents),
        }
    }

    /// Returns an element or row of a known array.
    fn row(&mut self, b: &mut Builder, array: Var, indices: &[Operand]) -> Option<Value> {
        let at = |x: &Operand| usize::try_from(self.constant(*x)?).ok();
        let at: Vec<usize> = indices.iter().map(at).collect::<Option<_>>()?;
        let array = self.value(b, array.into())?;
        let inside = at.iter().zip(&array.extents.shape).all(|(index, extent)| index < extent);
        inside.then(|| array.at(&at))
    }

    /// Emits a scalar expression.
    fn scalar(&self, b: &mut Builder, expr: &Expr, extents: Extents) -> Option<Value> {
        let mut expr = expr.clone();
        let mut scalars = expr.is_straight() && extents.shape.is_empty();
        expr.map_operands(|x| match x.as_var().and_then(|var| self.values[var].as_ref()) {
            Some(value) if value.extents.shape.is_empty() => value.elements[0],
            Some(_) => {
                scalars = false;
                x
            }
            None => x,
        });
        scalars.then(|| Value { extents, elements: vec![b.bind_one("x", expr).into()] })
    }

    /// Emits a choice between two bodies.
    fn choice(
        &mut self,
        b: &mut Builder,
        cond: Operand,
        then_body: &Body,
        else_body: &Body,
    ) -> Option<Vec<Value>> {
        let cond = self.value(b, cond)?.elements[0];
        let (then_stms, then_values) = b.collect(|b| self.body(b, then_body));
        let (else_stms, else_values) = b.collect(|b| self.body(b, else_body));
        let (then_values, else_values) = (then_values?, else_values?);
        let elements = |values: &[Value]| values.iter().flat_map(|value| value.elements.clone()).collect();
        let then_body = Body { stms: then_stms, result: elements(&then_values) };
        let else_body = Body { stms: else_stms, result: elements(&else_values) };
        let chosen = b.bind("x", Expr::If { cond, then_body, else_body, branch: Branch::Plain });
        let mut chosen = chosen.into_iter().map(Operand::Var);
        let mut values = Vec::new();
        for Value { extents, elements } in then_values {
            values.push(Value { elements: chosen.by_ref().take(elements.len()).collect(), extents });
        }
        Some(values)
    }

    fn screma(&mut self, b: &mut Builder, soac: &Screma) -> Option<Vec<Value>> {
        let width = usize::try_from(known(soac.width)?).ok()?;
        if !(1..=MOST_ELEMENTS).contains(&width) {
            return None;
        }
        let mut inputs = Vec::new();
        for &input in &soac.inputs {
            inputs.push(self.value(b, input.into())?);
        }
        let mut sums = vec![None; soac.scans.len() + soac.reduces.len()];
        let mut rows = Vec::new();
        for i in 0..width {
            let args = inputs.iter().map(|input| input.at(&[i])).collect();
            rows.push(self.element(b, soac, args, &mut sums)?);
        }
        let mut results: Vec<Value> =
            sums.split_off(soac.scans.len()).into_iter().flatten().flatten().collect();
        for at in 0..rows[0].len() {
            results.push(Value::of_rows(rows.iter().map(|row| row[at].clone()).collect())?);
        }
        Some(results)
    }

    /// Returns the results of one element of a SOAC. `sums` are the running values of its scans and reductions, which are
    /// updated.
    fn element(
        &mut self,
        b: &mut Builder,
        soac: &Screma,
        args: Vec<Value>,
        sums: &mut [Option<Vec<Value>>],
    ) -> Option<Vec<Value>> {
        let mut values = self.apply(b, &soac.map, args)?.into_iter();
        let (scanned, reduced) = sums.split_at_mut(soac.scans.len());
        let mut elements = Vec::new();
        for (Scan { op, neutral, exclusive }, sum) in soac.scans.iter().zip(scanned) {
            if *exclusive && sum.is_none() {
                *sum = Some(neutral.iter().map(|&x| self.value(b, x)).collect::<Option<_>>()?);
            }
            let before = sum.clone();
            *sum = Some(self.combined(b, op, before.clone(), values.by_ref().take(neutral.len()))?);
            elements.extend(if *exclusive { before } else { sum.clone() }.into_iter().flatten());
        }
        for (Reduce { op, neutral, commutative: _ }, sum) in soac.reduces.iter().zip(reduced) {
            *sum = Some(self.combined(b, op, sum.take(), values.by_ref().take(neutral.len()))?);
        }
        elements.extend(values);
        match &soac.post {
            Some(post) => self.apply(b, post, elements),
            None => Some(elements),
        }
    }

    /// Combines a running value with the next values. Without a running value, returns the next values.
    fn combined(
        &mut self,
        b: &mut Builder,
        op: &Lambda,
        sum: Option<Vec<Value>>,
        values: impl Iterator<Item = Value>,
    ) -> Option<Vec<Value>> {
        match sum {
            None => Some(values.collect()),
            Some(sum) => self.apply(b, op, sum.into_iter().chain(values).collect()),
        }
    }
}
