//! Scope and types: the walk over bodies and statements.

use warpwise_prim::{ScalarType, ValueType};

use super::equal::Equalities;
use super::{Checked, Level, Report};
use crate::entity::SecondaryMap;
use crate::expr::{Body, Expr, Lambda, LoopForm, Stm};
use crate::exprs;
use crate::print::Printer;
use crate::program::{EntryPoint, EntryType, Function, OpaqueForm, Program, Var};
use crate::traverse::Substitution;
use crate::types::{Operand, Type};
use crate::typing::result_types;

/// Checks scope and types of a function, and its placements at [`Level::Mem`].
pub(super) fn check<'a>(program: &'a Program, function: &'a Function, level: Level, report: &mut Report<'a>) {
    let mut checker = Checker {
        program,
        function,
        level,
        scope: SecondaryMap::new(State::Unbound),
        bound: Vec::new(),
        equal: Equalities::default(),
        in_signature: false,
        report,
    };
    if let Err(reason) = checker.function() {
        checker.report.add(None, reason);
    }
}

/// The scope state of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not bound yet.
    Unbound,
    /// Bound in an enclosing scope.
    InScope,
    /// Bound in a scope that has been left.
    Left,
}

pub(super) struct Checker<'a, 'r> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) level: Level,
    pub(super) equal: Equalities,
    /// Whether the parameters and results of the function are being bound.
    pub(super) in_signature: bool,
    scope: SecondaryMap<Var, State>,
    bound: Vec<Var>,
    report: &'r mut Report<'a>,
}

impl<'a> Checker<'a, '_> {
    fn function(&mut self) -> Checked {
        let function = self.function;
        self.in_signature = true;
        for param in &function.params {
            self.bind(param.var)?;
        }
        self.signature()?;
        self.in_signature = false;
        let results: Vec<Var> = function.results.iter().map(|result| result.var).collect();
        self.body(&function.body, |this, values| this.results_match("the function", &results, values))
    }

    /// Checks that result declarations have well-formed types over the parameters and earlier results.
    fn signature(&mut self) -> Checked {
        let mark = self.mark();
        for result in &self.function.results {
            self.bind(result.var)?;
        }
        self.leave(mark);
        self.function.entry.as_ref().map_or(Ok(()), |entry| self.entry_point(entry))
    }

    /// Checks that the function takes and yields sizes, then the values of the surface signature.
    fn entry_point(&self, entry: &EntryPoint) -> Checked {
        let params: Vec<Var> = self.function.params.iter().map(|param| param.var).collect();
        let types = entry.params.iter().map(|param| &param.ty);
        self.entry_values("parameters", entry.size_params, types, &params)?;
        let results: Vec<Var> = self.function.results.iter().map(|result| result.var).collect();
        self.entry_values("results", entry.size_results, entry.result_types(), &results)
    }

    fn entry_values<'t>(
        &self,
        what: &str,
        sizes: usize,
        types: impl Iterator<Item = &'t EntryType>,
        vars: &[Var],
    ) -> Checked {
        let mut expected = vec![(ScalarType::I64, 0); sizes];
        for ty in types {
            if !is_sound(ty) {
                return Err(format!("the entry point's {what} speak of values that there are not"));
            }
            flatten(ty, &mut expected);
        }
        // Blocks exist for the placements only.
        let actual = vars.iter().map(|var| self.ty(*var)).filter(|ty| **ty != Type::Mem);
        if actual.map(|ty| (ty.elem(), ty.rank())).eq(expected.into_iter().map(|(ty, rank)| (Some(ty), rank)))
        {
            return Ok(());
        }
        Err(format!("the entry point says other {what} than the function has"))
    }

    /// Checks a body; `result` checks the operands that it yields, while the variables that the body binds are in scope.
    pub(super) fn body(
        &mut self,
        body: &'a Body,
        result: impl FnOnce(&mut Self, &[Operand]) -> Checked,
    ) -> Checked {
        let mark = self.mark();
        for stm in &body.stms {
            if let Err(reason) = self.stm(stm) {
                self.report.add(Some(stm), reason);
            }
        }
        let checked = self.in_scope_all(&body.result).and_then(|()| result(self, &body.result));
        self.leave(mark);
        checked
    }

    /// Checks a lambda: `params` returns the required types of its parameters, `result` checks the operands that it yields.
    pub(super) fn lambda(
        &mut self,
        what: &str,
        lambda: &'a Lambda,
        params: impl FnOnce(&[Var]) -> Vec<Type>,
        result: impl FnOnce(&mut Self, &[Operand]) -> Checked,
    ) -> Checked {
        let mark = self.mark();
        for param in &lambda.params {
            self.bind(*param)?;
        }
        let expected = params(&lambda.params);
        let actual: Vec<Type> = lambda.params.iter().map(|param| self.function.ty(*param).clone()).collect();
        if !self.equal.same_types(&expected, &actual) {
            let (expected, actual) = (self.show_all(&expected), self.show_all(&actual));
            return Err(format!("the parameters of {what} are ({actual}), they must be ({expected})"));
        }
        let checked = self.body(&lambda.body, result);
        self.leave(mark);
        checked
    }

    fn stm(&mut self, stm: &'a Stm) -> Checked {
        let mut result = self.certificates(stm).and_then(|()| self.level_allows(&stm.expr));
        let nested = result.and_then(|()| self.expr(stm));
        result = nested.and_then(|()| self.pattern_matches(stm));
        // The pattern is bound even after an error, so that later statements are not reported because of it.
        for var in &stm.pattern {
            result = result.and(self.bind(*var));
        }
        self.learn(stm);
        result.and_then(|()| self.placements(stm))
    }

    fn certificates(&self, stm: &Stm) -> Checked {
        for cert in &stm.certs {
            self.in_scope(Operand::Var(*cert))?;
            if *self.function.ty(*cert) != Type::Cert {
                return Err(format!("`{}` is no certificate", self.name(*cert)));
            }
        }
        Ok(())
    }

    /// Checks that the pattern has the types of the results of the expression.
    fn pattern_matches(&mut self, stm: &Stm) -> Checked {
        match &stm.expr {
            // Choices and loops have been compared with the pattern while their bodies were in scope.
            Expr::If { .. } | Expr::Loop { .. } => return Ok(()),
            exprs!(simple, soac, Seg) => {}
        }
        let types = result_types(Some(self.program), self.function, &stm.expr)?;
        if types.len() != stm.pattern.len() {
            return Err(format!("{} values are bound to {} names", types.len(), stm.pattern.len()));
        }
        let pattern: Vec<Operand> = stm.pattern.iter().map(|var| Operand::Var(*var)).collect();
        for (var, ty) in stm.pattern.iter().zip(&types) {
            let (expected, actual) = (ty.instantiate(&pattern), self.ty(*var));
            if !self.equal.same_type(&expected, actual) {
                let (expected, actual) = (self.show(&expected), self.show(actual));
                return Err(format!("`{}` has type {actual}, it must be {expected}", self.name(*var)));
            }
        }
        Ok(())
    }

    /// Checks that the operands that a body yields have the types of variables, which may mention one another.
    pub(super) fn results_match(&self, what: &str, vars: &[Var], values: &[Operand]) -> Checked {
        if vars.len() != values.len() {
            return Err(format!("{what} yields {} values where {} are bound", values.len(), vars.len()));
        }
        let substitution = Substitution::of(vars, values);
        for (var, value) in vars.iter().zip(values) {
            let expected = substitution.apply_type(self.function.ty(*var));
            let actual = self.function.operand_type(*value);
            if !self.equal.same_type(&expected, &actual) {
                let (expected, actual) = (self.show(&expected), self.show(&actual));
                return Err(format!("{what} yields a {actual} for `{}`, a {expected}", self.name(*var)));
            }
        }
        self.placements_match(what, &substitution, vars, values)
    }

    /// Learns the equalities that follow from a statement.
    fn learn(&mut self, stm: &Stm) {
        match (&stm.expr, &stm.pattern[..]) {
            (Expr::Operand(x), [var]) => self.equal.learn(*var, *x),
            (Expr::Binary(op, x, y), [var]) => {
                let scope = &self.scope;
                self.equal.learn_binary(*var, *op, *x, *y, |earlier| scope[earlier] == State::InScope);
            }
            (Expr::If { then_body, else_body, .. }, pattern) => {
                for ((var, x), y) in pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    let x = self.equal.resolve(*x);
                    if self.equal.same(x, *y) && self.in_scope(x).is_ok() {
                        self.equal.learn(*var, x);
                    }
                }
            }
            (Expr::Loop { params, .. }, pattern) => {
                for (var, param) in pattern.iter().zip(params) {
                    if self.equal.same(Operand::Var(param.var), param.init) {
                        self.equal.learn(*var, param.init);
                    }
                }
            }
            _ => {}
        }
    }

    /// Brings a variable into scope.
    pub(super) fn bind(&mut self, var: Var) -> Checked {
        let bound_before = self.scope[var] != State::Unbound;
        let checked = self.type_is_well_formed(self.function.ty(var));
        self.scope[var] = State::InScope;
        self.bound.push(var);
        if bound_before {
            return Err(format!("`{}` is bound twice", self.name(var)));
        }
        checked?;
        self.placement_is_well_formed(var)
    }

    /// Returns the number of variables bound so far, to which [`Checker::leave`] returns.
    pub(super) fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Takes the variables bound since the mark out of scope.
    pub(super) fn leave(&mut self, mark: usize) {
        for var in self.bound.drain(mark..) {
            self.scope[var] = State::Left;
        }
    }

    pub(super) fn type_is_well_formed(&self, ty: &Type) -> Checked {
        match ty {
            Type::Scalar(_) | Type::Cert => Ok(()),
            Type::Mem if self.level == Level::Mem => Ok(()),
            Type::Mem => Err("blocks of memory exist at level mem only".to_string()),
            Type::Array(array) if array.shape.is_empty() => Err("an array without dimensions".to_string()),
            Type::Array(array) => self.sizes(&array.shape),
            Type::Acc(acc) => {
                self.in_scope(Operand::Var(acc.token))?;
                if *self.function.ty(acc.token) != Type::Cert {
                    return Err("the token of an accumulator is no certificate".to_string());
                }
                self.sizes(&acc.shape)?;
                acc.elems.iter().try_for_each(|elem| self.type_is_well_formed(elem))
            }
        }
    }

    /// Checks that operands can be sizes. A size may turn out to be negative, even at compile time, if a check fails before any
    /// array has it.
    pub(super) fn sizes(&self, sizes: &[Operand]) -> Checked {
        sizes.iter().try_for_each(|size| self.i64("a size", *size))
    }

    pub(super) fn in_scope(&self, operand: Operand) -> Checked {
        let Operand::Var(var) = operand else { return Ok(()) };
        match self.scope[var] {
            State::InScope => Ok(()),
            State::Unbound => Err(format!("`{}` is used before it is bound", self.name(var))),
            State::Left => Err(format!("`{}` is used outside its scope", self.name(var))),
        }
    }

    pub(super) fn in_scope_all(&self, operands: &[Operand]) -> Checked {
        operands.iter().try_for_each(|operand| self.in_scope(*operand))
    }

    /// Checks that every operand directly inside an expression is in scope.
    pub(super) fn operands_in_scope(&self, expr: &Expr) -> Checked {
        let condition =
            if let Expr::Loop { form: LoopForm::While { cond }, .. } = expr { Some(*cond) } else { None };
        let mut result = Ok(());
        expr.for_each_operand(|operand| {
            if result.is_ok() && (condition.is_none() || operand.as_var() != condition) {
                result = self.in_scope(operand);
            }
        });
        result
    }

    pub(super) fn i64(&self, what: &str, operand: Operand) -> Checked {
        self.expect(what, operand, &Type::I64)
    }

    /// Checks that the operand is in scope and has the type.
    pub(super) fn expect(&self, what: &str, operand: Operand, ty: &Type) -> Checked {
        self.in_scope(operand)?;
        self.expect_type(what, ty, &self.function.operand_type(operand))
    }

    pub(super) fn expect_type(&self, what: &str, expected: &Type, actual: &Type) -> Checked {
        if self.equal.same_type(expected, actual) {
            return Ok(());
        }
        let (expected, actual) = (self.show(expected), self.show(actual));
        Err(format!("{what} has type {actual}, it must be {expected}"))
    }

    /// Returns the types of operands.
    pub(super) fn types(&self, operands: &[Operand]) -> Vec<Type> {
        operands.iter().map(|operand| self.function.operand_type(*operand)).collect()
    }

    pub(super) fn ty(&self, var: Var) -> &'a Type {
        self.function.ty(var)
    }

    pub(super) fn name(&self, var: Var) -> String {
        Printer::new(self.function).name(var).to_string()
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        Printer::new(self.function).type_text(ty)
    }

    pub(super) fn show_all(&self, types: &[Type]) -> String {
        let texts: Vec<String> = types.iter().map(|ty| self.show(ty)).collect();
        texts.join(", ")
    }
}

/// Returns whether the form of a type refers only to existing values.
fn is_sound(ty: &EntryType) -> bool {
    let EntryType::Opaque { fields, form, .. } = ty else { return true };
    let leaves = ty.leaves();
    fields.iter().all(|(_, ty)| is_sound(ty))
        && match form {
            OpaqueForm::Record => true,
            OpaqueForm::Array(rank, element) => {
                let raised = element.leaves().into_iter().map(|(ty, inner)| (ty, inner + rank));
                is_sound(element) && raised.eq(leaves)
            }
            OpaqueForm::Sum(variants) => {
                let same = |ours: &(ValueType, usize), place: usize| {
                    leaves
                        .get(place)
                        .is_some_and(|theirs| (theirs.0.scalar(), theirs.1) == (ours.0.scalar(), ours.1))
                };
                let carried = variants.iter().flat_map(|variant| &variant.payload);
                leaves.first().is_some_and(|tag| tag.1 == 0)
                    && carried.into_iter().all(|(ty, places)| {
                        let ours = ty.leaves();
                        let pairs = ours.iter().zip(places);
                        is_sound(ty)
                            && ours.len() == places.len()
                            && pairs.into_iter().all(|(ours, &place)| place > 0 && same(ours, place))
                    })
            }
        }
}

/// Appends the values that one surface value is made of.
fn flatten(ty: &EntryType, values: &mut Vec<(ScalarType, usize)>) {
    match ty {
        EntryType::Scalar(ty) => values.push((ty.scalar(), 0)),
        EntryType::Array(ty, rank) => values.push((ty.scalar(), *rank)),
        EntryType::Opaque { fields, .. } => fields.iter().for_each(|(_, ty)| flatten(ty, values)),
    }
}
