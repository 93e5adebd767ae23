//! Choices, loops and calls.

use super::Checked;
use super::check::Checker;
use crate::expr::{Body, LoopForm, LoopParam, Stm};
use crate::program::{FunctionId, Var};
use crate::traverse::Substitution;
use crate::types::{Operand, Type};

impl<'a> Checker<'a, '_> {
    pub(super) fn branch(
        &mut self,
        stm: &'a Stm,
        cond: Operand,
        then_body: &'a Body,
        else_body: &'a Body,
    ) -> Checked {
        self.expect("the condition", cond, &Type::BOOL)?;
        let pattern = &stm.pattern;
        self.body(then_body, |this, values| this.results_match("the then body", pattern, values))?;
        self.body(else_body, |this, values| this.results_match("the else body", pattern, values))
    }

    pub(super) fn loop_expr(
        &mut self,
        stm: &'a Stm,
        params: &'a [LoopParam],
        form: &'a LoopForm,
        body: &'a Body,
    ) -> Checked {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let inits: Vec<Operand> = params.iter().map(|param| param.init).collect();
        self.pattern_fits_loop(&stm.pattern, &vars)?;
        let mark = self.mark();
        for (param, next) in params.iter().zip(&body.result) {
            self.bind(param.var)?;
            if *next == Operand::Var(param.var) || *next == param.init {
                self.equal.learn(param.var, param.init);
            }
        }
        if body.result.len() != vars.len() {
            return Err(format!(
                "the loop yields {} values for {} parameters",
                body.result.len(),
                vars.len()
            ));
        }
        self.results_match("the loop's start", &vars, &inits)?;
        match form {
            LoopForm::For { index, bound } => {
                self.bind(*index)?;
                self.expect("the bound", *bound, self.ty(*index))?;
                if !self.ty(*index).as_scalar().is_some_and(|ty| ty.is_int()) {
                    return Err("a loop counts in integers".to_string());
                }
            }
            LoopForm::While { cond } => {
                self.expect("the condition", Operand::Var(*cond), &Type::BOOL)?;
                if !vars.contains(cond) {
                    return Err("the condition is no parameter of the loop".to_string());
                }
            }
        }
        let checked = self.body(body, |this, values| this.results_match("the loop", &vars, values));
        self.leave(mark);
        checked
    }

    /// Checks that the pattern of a loop has the types of its parameters.
    fn pattern_fits_loop(&self, pattern: &[Var], params: &[Var]) -> Checked {
        if pattern.len() != params.len() {
            return Err(format!("{} values are bound to {} names", params.len(), pattern.len()));
        }
        let operands: Vec<Operand> = pattern.iter().map(|var| Operand::Var(*var)).collect();
        self.results_match("the loop", params, &operands)
    }

    pub(super) fn call(&mut self, function: FunctionId, args: &[Operand]) -> Checked {
        let callee = &self.program.functions[function];
        if callee.params.len() != args.len() {
            return Err(format!("{} arguments for {} parameters", args.len(), callee.params.len()));
        }
        let params: Vec<Var> = callee.params.iter().map(|param| param.var).collect();
        let substitution = Substitution::of(&params, args);
        for (param, arg) in params.iter().zip(args) {
            let expected = substitution.apply_type(callee.ty(*param));
            self.expect("an argument", *arg, &expected)?;
        }
        Ok(())
    }
}
