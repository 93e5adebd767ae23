//! Lifting of functions: one call for many elements.
//!
//! ```text
//! fun f(k: i64) -> (t: i64)
//! ==>
//! fun f_lifted(width: i64, ks: [width]i64) -> (ts: [width]i64)
//! ```
//!
//! A parameter is taken in the form of its arguments: unchanged if they are one value for all elements, with one more dimension,
//! or as segments (total, starts, data). A result is regular if its sizes are constants or parameters that are the same for all
//! elements, else it consists of segments. A recursive function that calls itself once per element calls its lifted form, in host
//! code. The call is skipped if there are no elements, so that the recursion ends.

use rustc_hash::FxHashSet;
use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Branch, Expr, Function, FunctionId, Operand, Param, Program, Stm, Type, Var, exprs};
use warpwise_prim::{CompareOp, ScalarType};

use super::Note;
use super::body::Result as Known;
use super::control::{nothing, parts};
use super::lifter::{Form, Lifted, Lifter, Segments};

/// The lifted functions of a program.
pub struct Functions {
    /// The functions before lifting.
    originals: PrimaryMap<FunctionId, Function>,
    /// Lifted functions. Their bodies may be incomplete.
    lifted: Vec<LiftedFunction>,
    /// The code of the lifted functions, in the same order.
    code: Vec<Function>,
    /// Notes on the forms of values in them.
    pub notes: Vec<Note>,
    /// The way in which segments are folded.
    pub folds: Folds,
    /// Whether there is certainly an element.
    pub some: bool,
}

/// The way in which irregular arrays are reduced and scanned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folds {
    /// All elements at once, as segmented operations. Rounding depends on the elements before.
    Segmented,
    /// Each element separately, as if it were the only one.
    Apart,
}

/// A function over many elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiftedFunction {
    /// The function that was lifted.
    pub of: FunctionId,
    /// Its lifted form.
    pub id: FunctionId,
    /// The form of each parameter of the original. The number of elements is an additional first parameter.
    pub params: Vec<TakenAs>,
    /// For each result of the original, whether it is regular. Otherwise it consists of segments: three results.
    pub regular_results: Vec<bool>,
}

/// The form in which a lifted function takes a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TakenAs {
    /// One value for all elements.
    Avoided,
    /// An array with one more dimension.
    Regular,
    /// The total length, the start of each element's segment, and the concatenated segments in row-major order.
    Segments,
}

impl Functions {
    /// Returns the functions of a program, none of them lifted.
    pub fn of(program: &Program) -> Functions {
        Functions {
            originals: program.functions.clone(),
            lifted: Vec::new(),
            code: Vec::new(),
            notes: Vec::new(),
            folds: Folds::Segmented,
            some: false,
        }
    }

    /// Returns the number of lifted functions; see [`Functions::forget_from`].
    pub fn count(&self) -> usize {
        self.lifted.len()
    }

    /// Drops the functions lifted since there were `count`.
    pub fn forget_from(&mut self, count: usize) {
        self.lifted.truncate(count);
        self.code.truncate(count);
    }

    /// Adds the lifted functions to the program.
    pub fn add_to(self, program: &mut Program) {
        for function in self.code {
            program.functions.push(function);
        }
    }

    /// Returns the lifted form of a function. `avoided` says which arguments are one value for all elements.
    pub fn lift(&mut self, of: FunctionId, avoided: &[bool]) -> Lifted<LiftedFunction> {
        let callee = self.originals[of].clone();
        let params = taken_as(&callee, avoided);
        if let Some(known) = self.lifted.iter().find(|known| known.of == of && known.params == params) {
            return Ok(known.clone());
        }
        let regular_results = regular_results(&callee, &params);
        let id = FunctionId::new(self.originals.len() + self.lifted.len());
        let lifted = LiftedFunction { of, id, params, regular_results };
        let at = self.lifted.len();
        self.lifted.push(lifted.clone());
        self.code.push(Function::new(""));
        let code = self.lift_body(&callee, &lifted)?;
        self.code[at] = code;
        Ok(lifted)
    }

    fn lift_body(&mut self, callee: &Function, lifted: &LiftedFunction) -> Lifted<Function> {
        let name = format!("{}_lifted_{}", callee.name, lifted.id.index());
        let mut function = Function { span: callee.span, ..Function::new(&name) };
        let width = function.param("width", Type::I64, false);
        let (params, body) = signature(callee, &mut function, lifted, width);
        let mut lifter = Lifter::new(&mut function, self, width.into());
        lifter.span = callee.span;
        for (var, form) in params {
            lifter.set(var, form);
        }
        let results = lifter.body_in_forms(&body, &lifted.regular_results)?;
        if lifter.has_checks() {
            return lifter.unlifted("a check without a kept value");
        }
        let result = lifter.owned(results);
        let stms = std::mem::take(&mut lifter.out);
        let notes = lifter.notes();
        self.notes.extend(notes);
        function.body = Body { stms, result };
        Ok(function)
    }
}

/// Declares the parameters and results of a lifted function. Returns the forms of the parameters in its body, and the body to
/// lift.
fn signature(
    callee: &Function,
    function: &mut Function,
    lifted: &LiftedFunction,
    width: Var,
) -> (Vec<(Var, Form)>, Body) {
    let mut copier = Copier::between(callee, function, Substitution::new());
    let vars: Vec<Var> = callee.params.iter().map(|param| copier.copy_binding(param.var)).collect();
    let body = copier.copy_body(&callee.body);
    let results: Vec<Type> =
        callee.results.iter().map(|result| copier.substitution.apply_type(callee.ty(result.var))).collect();
    let known = parameters(function, &vars, &lifted.params, width);
    for (ty, &regular) in results.iter().zip(&lifted.regular_results) {
        if regular {
            function.result("all", ty.array_of(&[width.into()]), true);
            continue;
        }
        let total = function.result("total", Type::I64, false);
        function.result("starts", Type::I64.array_of(&[width.into()]), true);
        let elem = ty.elem().unwrap_or(ScalarType::I64);
        function.result("data", Type::array(elem, [total.into()]), true);
    }
    (known, body)
}

/// Declares the parameters of a lifted function. Returns their forms in its body.
pub fn parameters(function: &mut Function, vars: &[Var], taken: &[TakenAs], width: Var) -> Vec<(Var, Form)> {
    let mut known = Vec::new();
    for (&var, taken) in vars.iter().zip(taken) {
        let ty = function.ty(var).clone();
        match taken {
            TakenAs::Avoided => function.params.push(Param { var, consumed: false }),
            TakenAs::Regular => {
                let all = function.param("all", ty.array_of(&[width.into()]), false);
                known.push((var, Form::Regular(all)));
            }
            TakenAs::Segments => {
                let total = function.param("total", Type::I64, false);
                let starts = function.param("starts", Type::I64.array_of(&[width.into()]), false);
                let elem = ty.elem().unwrap_or(ScalarType::I64);
                let data = function.param("data", Type::array(elem, [total.into()]), false);
                known.push((var, Form::Irregular(Segments { starts, total: total.into(), data })));
            }
        }
    }
    known
}

/// Returns the forms in which a lifted function takes the parameters of a function.
pub fn taken_as(callee: &Function, avoided: &[bool]) -> Vec<TakenAs> {
    let mut taken: Vec<TakenAs> = Vec::new();
    for (param, &avoided) in callee.params.iter().zip(avoided) {
        let ty = callee.ty(param.var);
        let uniform = ty.shape().iter().all(|&size| is_avoided(callee, &taken, size));
        taken.push(match (avoided && !param.consumed, uniform) {
            (true, _) => TakenAs::Avoided,
            (false, true) => TakenAs::Regular,
            (false, false) => TakenAs::Segments,
        });
    }
    taken
}

/// Whether a size in the signature of a function is a constant, or a parameter that is one value for all elements.
fn is_avoided(callee: &Function, taken: &[TakenAs], size: Operand) -> bool {
    let Operand::Var(var) = size else { return true };
    let at = callee.params.iter().position(|param| param.var == var);
    at.is_some_and(|at| taken.get(at) == Some(&TakenAs::Avoided))
}

fn regular_results(callee: &Function, taken: &[TakenAs]) -> Vec<bool> {
    let uniform = |ty: &Type| ty.shape().iter().all(|&size| is_avoided(callee, taken, size));
    callee.results.iter().map(|result| uniform(callee.ty(result.var))).collect()
}

impl Lifter<'_> {
    /// Lifts a call.
    pub fn call(&mut self, stm: &Stm, of: FunctionId, args: &[Operand]) -> Lifted<()> {
        self.flush(&[]);
        let avoided: Vec<bool> = args.iter().map(|&arg| self.avoided(arg)).collect();
        let lifted = self.functions.lift(of, &avoided)?;
        let (given, regular): (Vec<Operand>, Vec<bool>) = args
            .iter()
            .zip(&lifted.params)
            .filter(|(_, taken)| **taken != TakenAs::Avoided)
            .map(|(&arg, taken)| (arg, *taken == TakenAs::Regular))
            .unzip();
        let given = self.body_in_forms(&Body { stms: Vec::new(), result: given }, &regular)?;
        let mut given = given.into_iter().map(parts);
        let width = self.width();
        let mut all = vec![width];
        for (&arg, taken) in args.iter().zip(&lifted.params) {
            match taken {
                TakenAs::Avoided => all.push(arg),
                TakenAs::Regular | TakenAs::Segments => all.extend(given.next().unwrap_or_default()),
            }
        }
        let types: Vec<Type> = stm.pattern.iter().map(|&var| self.function.ty(var).clone()).collect();
        let regular = &lifted.regular_results;
        let bound = self.host(|b| {
            let some = b.compare("some", CompareOp::SLt, 0, width);
            let then_body = b.body(|b| {
                let called = results_of(b.function, &types, regular, width);
                b.bind_to(called.clone(), Expr::Call { function: lifted.id, args: all });
                called.into_iter().map(Operand::Var).collect()
            });
            let else_body = b.body(|b| {
                let none =
                    types.iter().zip(regular).flat_map(|(ty, &regular)| nothing(b, width, ty, regular));
                none.collect()
            });
            b.bind("called", Expr::If { cond: some, then_body, else_body, branch: Branch::Plain })
        });
        self.set_parts(&stm.pattern, regular, &bound);
        Ok(())
    }

    /// Returns the components of values, such that no other value shares elements with them. Others are copied.
    pub fn owned(&mut self, results: Vec<Known>) -> Vec<Operand> {
        let mut taken = FxHashSet::default();
        let mut owned = Vec::new();
        for part in results.into_iter().flat_map(parts) {
            let Operand::Var(array) = part else {
                owned.push(part);
                continue;
            };
            let is_array = self.function.ty(array).rank() > 0;
            owned.push(if is_array { self.own(array, &mut taken).into() } else { part });
        }
        owned
    }

    /// Returns the array itself if the lifted code made it and it is not `taken` yet, else a copy.
    pub fn own(&mut self, array: Var, taken: &mut FxHashSet<Var>) -> Var {
        let made = self.made_as(array);
        if made.is_some_and(|made| taken.insert(made)) {
            return array;
        }
        self.host(|b| b.bind_one("copy", Expr::Copy(array)))
    }

    /// Returns the fresh array that an array is or reshapes, if the lifted code so far made it.
    fn made_as(&self, array: Var) -> Option<Var> {
        let stm = self.out.iter().rev().find(|stm| stm.pattern.contains(&array))?;
        match &stm.expr {
            Expr::Reshape { array, .. } => self.made_as(*array),
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::Scratch { .. }
            | Expr::Copy(_) => Some(array),
            exprs!(
                Operand, scalar, Assert, Index, Slice, Update, ArrayLit, Concat, Rearrange, Manifest, If,
                Loop, Call, Stream, WithAcc, UpdateAcc, FlatMap, Seg, Tuned, Alloc
            ) => None,
        }
    }
}

/// Returns variables for the results of a lifted call.
fn results_of(function: &mut Function, types: &[Type], regular: &[bool], width: Operand) -> Vec<Var> {
    let mut vars = Vec::new();
    for (ty, &regular) in types.iter().zip(regular) {
        if regular {
            vars.push(function.fresh("called", ty.array_of(&[width])));
            continue;
        }
        let total = function.fresh("total", Type::I64);
        vars.push(total);
        vars.push(function.fresh("starts", Type::I64.array_of(&[width])));
        let elem = ty.elem().unwrap_or(ScalarType::I64);
        vars.push(function.fresh("data", Type::array(elem, [total.into()])));
    }
    vars
}
