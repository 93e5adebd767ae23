//! Analysis of which arrays must be row-major, and which must also begin at the start of their blocks: results of functions,
//! arguments of calls, and reshaped arrays.
//!
//! A choice that yields such an array copies it on the side with another layout, so that the other side need not be copied.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::overwrites::Roots;
use warpwise_ir::{Body, Expr, Function, Operand, Stm, Var, exprs};

/// Requirements on the layout of an array.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Need {
    /// Whether the array must be row-major, without gaps.
    pub row_major: bool,
    /// Whether the array must begin at the start of its block.
    pub at_start: bool,
}

/// The requirements on the arrays of a function.
pub struct Needs<'f> {
    function: &'f Function,
    roots: &'f Roots,
    needs: SecondaryMap<Var, Need>,
}

impl<'f> Needs<'f> {
    /// Analyses every statement of a function, including its results.
    pub fn of(function: &'f Function, body: &Body, roots: &'f Roots) -> Needs<'f> {
        let mut needs = Needs { function, roots, needs: SecondaryMap::default() };
        let whole = Need { row_major: true, at_start: true };
        needs.body(body, &vec![whole; body.result.len()]);
        needs
    }

    /// Returns the requirements on an array.
    pub fn need(&self, array: Var) -> Need {
        self.needs[array]
    }

    fn body(&mut self, body: &Body, results: &[Need]) {
        body.result.iter().zip(results).for_each(|(&result, &need)| self.add(result, need));
        body.stms.iter().rev().for_each(|stm| self.stm(stm));
    }

    fn add(&mut self, array: Operand, need: Need) {
        let Some(array) = array.as_var() else { return };
        let known = &mut self.needs[array];
        known.row_major |= need.row_major;
        known.at_start |= need.at_start;
    }

    fn stm(&mut self, stm: &Stm) {
        let needs: Vec<Need> = stm.pattern.iter().map(|&var| self.needs[var]).collect();
        match &stm.expr {
            Expr::Operand(Operand::Var(array)) | Expr::Update { array, .. } => {
                self.add((*array).into(), needs[0]);
            }
            Expr::Reshape { array, shape } => {
                let renamed = self.function.ty(*array).shape()[1..] == shape[1..];
                let need = if renamed { needs[0] } else { Need { row_major: true, at_start: false } };
                self.add((*array).into(), need);
            }
            Expr::Call { args, .. } => {
                args.iter().for_each(|&arg| self.add(arg, Need { row_major: true, at_start: true }));
            }
            Expr::If { then_body, else_body, .. } => {
                self.body(then_body, &needs);
                self.body(else_body, &needs);
            }
            Expr::Loop { params, body, .. } => {
                for ((param, &result), &need) in params.iter().zip(&body.result).zip(&needs) {
                    if self.roots.is_in_place(param, result) {
                        self.add(param.init, need);
                    }
                }
                self.body(body, &[]);
            }
            exprs!(
                Operand, scalar, Assert, Index, Slice, Rearrange, fresh, soac, Seg, UpdateAcc, Tuned, Alloc
            ) => {
                stm.expr.for_each_body(|body| self.body(body, &[]));
            }
        }
    }
}
