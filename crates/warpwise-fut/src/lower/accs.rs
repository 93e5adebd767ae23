//! Accumulators: arrays that a function adds to, for each element of another array.
//!
//! ```text
//! hist_stream dest (+) 0 f xs      with_acc ([k] (dest) with (i, x, y) { x + y } [0]) (t: cert, c: acc(t, [k], a)) {
//!                                    d = screma n (c, xs) map (e, x) { f e x }; return d }
//! acc_write acc i x                update_acc acc[i] (x)
//! ```
//!
//! A function that takes or returns an accumulator is expanded where it is called, since the type of an accumulator names the
//! `with_acc` that made it.

use std::rc::Rc;

use warpwise_diag::Failure;
use warpwise_ir::{AccType, Expr, Screma, Type, WithAcc, WithAccInput};

use crate::lower::context::Lowering;
use crate::lower::value::{Acc, Value};

impl<'a> Lowering<'a, '_> {
    /// Lowers `scatter_stream dest f xs` or, with an operator and its neutral element, `hist_stream dest op ne f xs`.
    pub fn acc_stream(
        &mut self,
        dest: &Value<'a>,
        op: Option<(&Value<'a>, &Value<'a>)>,
        f: &Value<'a>,
        xs: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (size, element) = self.array(dest)?;
        let arrays = self.arrays(dest)?;
        if arrays.is_empty() {
            return Ok(dest.clone());
        }
        let op = match op {
            Some((op, ne)) => {
                let ne = self.coerce(ne, &element.as_target(), &[]);
                let mut op = self.operator(op, &ne)?;
                op.params.insert(0, self.code.fresh("i", Type::I64));
                Some((op, ne.leaves()))
            }
            None => None,
        };
        let elems = arrays.iter().map(|array| self.code.function.ty(*array).row(1)).collect();
        let (width, x) = self.array(xs)?;
        self.code.open();
        let token = self.code.fresh("token", Type::Cert);
        let shape = [size].into_iter().collect();
        let ty = Type::Acc(AccType { token, shape, elems });
        let acc = self.code.fresh("acc", ty.clone());
        self.code.open();
        let each = self.code.fresh("acc", ty);
        let x_row = self.fresh_row(x);
        let params = [each].into_iter().chain(self.arrays(&x_row)?).collect();
        let value = Value::Acc(Rc::new(Acc { operand: each.into(), array: dest.clone() }));
        let result = self.apply(f.clone(), vec![value, x_row])?;
        let map = self.code.close_lambda(params, result.leaves());
        let inputs = [acc].into_iter().chain(self.arrays(x)?).collect();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let added = self.code.bind_one("acc", Expr::Screma(Box::new(screma)), &[]);
        let lambda = self.code.close_lambda(vec![token, acc], vec![added.into()]);
        let inputs = vec![WithAccInput { shape: [size].into_iter().collect(), arrays, op }];
        let results = self.code.bind("", Expr::WithAcc(Box::new(WithAcc { inputs, lambda })), &[]);
        Ok(dest.with_leaves(&mut results.into_iter().map(Into::into)))
    }

    /// Lowers `acc_write acc i x`.
    pub fn acc_write(
        &mut self,
        acc: &Value<'a>,
        index: &Value<'a>,
        x: &Value<'a>,
    ) -> Result<Value<'a>, Failure> {
        let Value::Acc(acc) = acc else { return Err(self.bug("no accumulator")) };
        let (_, element) = self.array(&acc.array)?;
        let x = self.coerce(x, &element.as_target(), &[]);
        let Some(var) = acc.operand.as_var() else { return Err(self.bug("a constant for an accumulator")) };
        let expr = Expr::UpdateAcc { acc: var, indices: vec![self.scalar(index)?], values: x.leaves() };
        let updated = self.code.bind_one("acc", expr, &[]);
        Ok(Value::Acc(Rc::new(Acc { operand: updated.into(), array: acc.array.clone() })))
    }
}
