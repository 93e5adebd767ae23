//! Loops on irregular arrays: each element runs its own loop, in order, in its own segment of the flat array.
//!
//! ```text
//! ys: [k]i64 = loop (a = xs) for i < k { ... update a[i] ... }       // within an element
//! ==>
//! room: [total]i64 = scratch [total]i64;
//! ys = scatter n (starts, ks, ...) into (room segments) (start, k) {
//!   segment = slice xs[start:k:1];
//!   own: [k]i64 = copy segment;                                     // made in its part of `room`
//!   y: [k]i64 = loop (a = own) for i < k { ... };
//!   return start, y };
//! ```
//!
//! Applies only if the loop contains no irregular parallelism and keeps the sizes of its arrays, so that the segments are known
//! in advance. Other results of the statement are segments of one row.

use warpwise_ir::{Expr, Lambda, Operand, Scatter, ScatterDest, Stm, Var, exprs};

use super::lifter::{Form, Lifted, Lifter, Link, Segments};
use super::runs_in_order;

/// An array that the elements fill.
struct Room {
    /// The variable whose values the array holds.
    var: Var,
    /// Start of each element's segment, and the total length. `None` if each element has one row.
    starts: Option<(Var, Operand)>,
    array: Var,
}

impl Lifter<'_> {
    /// Whether a statement is or contains a loop that each element can run by itself.
    pub fn can_run_in_order(&self, stm: &Stm) -> bool {
        let known = |var: &Var| {
            let sizes = self.function.ty(*var).shape();
            let is_bound_here = |size: &Operand| stm.pattern.iter().any(|&bound| *size == bound.into());
            self.regular_type(self.function.ty(*var)) && !sizes.iter().any(is_bound_here)
                || sizes.len() == 1 && !is_bound_here(&sizes[0])
        };
        has_loop(&stm.expr)
            && runs_in_order(&stm.expr)
            && !self.holds_irregular(&stm.expr)
            && stm.pattern.iter().all(known)
    }

    /// Runs a statement within each element, in the element's segments.
    pub fn in_order(&mut self, stm: &Stm) -> Lifted<()> {
        let mut segments = Vec::new();
        for &var in &stm.pattern {
            let ty = self.function.ty(var).clone();
            if !self.regular_type(&ty) {
                let level = self.inner_level(ty.shape())?;
                let Link::Segments { starts, .. } = self.levels[level].link else {
                    return self.unlifted("segments that are all alike");
                };
                segments.push((var, starts, self.levels[level].width));
            }
        }
        self.copy_here(stm)?;
        let mut rooms = Vec::new();
        let mut result = Vec::new();
        for &var in &stm.pattern {
            let value = self.local(var.into())?;
            if let Some(&(_, starts, total)) = segments.iter().find(|(segment, _, _)| *segment == var) {
                let start = self.element(starts, self.level)?;
                result.extend([start, value]);
                let array = self.own_room(var, total, &[]);
                rooms.push(Room { var, starts: Some((starts, total)), array });
            } else if self.is_live(var) {
                let row = self.compute("row", Expr::ArrayLit(vec![value]));
                result.extend([self.index(self.level)?, row]);
                let shape = self.function.ty(var).shape().to_vec();
                let array = self.own_room(var, self.width(), &shape);
                rooms.push(Room { var, starts: None, array });
            }
        }
        self.fill(rooms, result);
        Ok(())
    }

    /// Returns an array with undefined contents of `rows` rows of this shape.
    fn own_room(&mut self, like: Var, rows: Operand, row: &[Operand]) -> Var {
        let elem = self.function.ty(like).elem().expect("results are scalars and arrays");
        let shape = std::iter::once(rows).chain(row.iter().copied()).collect();
        self.host(|b| b.bind_one("room", Expr::Scratch { elem, shape }))
    }

    /// Ends the current group as a scatter that fills arrays with segments.
    fn fill(&mut self, rooms: Vec<Room>, result: Vec<Operand>) {
        let (inputs, params, stms) = self.take_group();
        let lambda = Lambda { params, body: warpwise_ir::Body { stms, result } };
        let dests = rooms.iter().map(|room| ScatterDest::segments(room.array)).collect();
        let scatter = Scatter { width: self.width(), inputs, lambda, dests };
        let filled: Vec<Var> = self.host(|b| b.bind("filled", Expr::Scatter(Box::new(scatter))));
        for (Room { var, starts, .. }, data) in rooms.into_iter().zip(filled) {
            self.set(
                var,
                match starts {
                    Some((starts, total)) => Form::Irregular(Segments { starts, total, data }),
                    None => Form::Regular(data),
                },
            );
        }
    }
}

/// Whether an expression is a loop, or a choice with a loop inside.
fn has_loop(expr: &Expr) -> bool {
    match expr {
        Expr::Loop { .. } => true,
        Expr::If { then_body, else_body, .. } => {
            [then_body, else_body].iter().any(|body| body.stms.iter().any(|stm| has_loop(&stm.expr)))
        }
        exprs!(simple, soac, Seg) => false,
    }
}
