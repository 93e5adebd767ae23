//! Lifting of choices and loops.
//!
//! ```text
//! y = if c { a } else { b }   ==>   n1, n2, is, js = partition w (c, 0..w) classes 2;
//!                                   as = a for the elements is;  bs = b for the elements js;
//!                                   ys = scatter (js, bs) into (scatter (is, as) into (scratch [w]));
//! ```
//!
//! A loop with the same number of iterations for all elements becomes a host loop around its lifted body. If the number varies,
//! the host loops as long as any element does, and each iteration is a choice between the body and the current values.

use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Substitution, free_in_type};
use warpwise_ir::{
    Body, Branch, Expr, LoopForm, LoopParam, Operand, Partition, Reduce, Scatter, ScatterDest, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, UnaryOp};

use super::body::Result as Known;
use super::lifter::{Form, LevelId, Lifted, Lifter, Link, Segments, iota};

/// One branch of a choice.
pub struct Side<'b> {
    body: &'b Body,
    level: LevelId,
    chosen: Var,
    width: Operand,
}

impl Lifter<'_> {
    /// Lifts a choice between two bodies.
    pub fn choice(&mut self, stm: &Stm, cond: Operand, then_body: &Body, else_body: &Body) -> Lifted<()> {
        if self.avoided(cond) {
            return self.one_choice(stm, cond, then_body, else_body);
        }
        let cond = self.kept(cond)?;
        self.choose(cond, then_body, else_body, &stm.pattern)
    }

    /// Returns the array of an operand, and ends the current group.
    fn kept(&mut self, operand: Operand) -> Lifted<Var> {
        let array = self.regular(operand)?;
        self.flush(&[]);
        Ok(array)
    }

    /// Lifts a choice whose condition is the same for all elements.
    fn one_choice(&mut self, stm: &Stm, cond: Operand, then_body: &Body, else_body: &Body) -> Lifted<()> {
        self.flush(&[]);
        let regular = self.regular_pattern(&stm.pattern);
        let side = |this: &mut Self, body: &Body| {
            let (stms, results) = this.apart(|this| this.body_in_forms(body, &regular))?;
            Ok(Body { stms, result: results.iter().flat_map(|&result| parts(result)).collect() })
        };
        let then_body = side(self, then_body)?;
        let else_body = side(self, else_body)?;
        let expr = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
        let bound = self.host(|b| b.bind("either", expr));
        self.set_parts(&stm.pattern, &regular, &bound);
        Ok(())
    }

    /// Returns whether each variable of a pattern is regular. Sizes bound by the same pattern vary between elements.
    fn regular_pattern(&self, pattern: &[Var]) -> Vec<bool> {
        let regular = |&var: &Var| {
            let ty = self.function.ty(var);
            self.regular_type(ty)
                && !free_in_type(self.function, ty).iter().any(|size| pattern.contains(&size))
        };
        pattern.iter().map(regular).collect()
    }

    /// Lifts a body. Returns its results in the requested forms.
    pub fn body_in_forms(&mut self, body: &Body, regular: &[bool]) -> Lifted<Vec<Known>> {
        self.stms(body)?;
        let results = self.results(&body.result)?;
        let mut forms = Vec::new();
        for ((&operand, result), &regular) in body.result.iter().zip(results).zip(regular) {
            forms.push(match (result, regular, operand) {
                (Known::Regular(_), false, Operand::Var(array)) => Known::Irregular(self.irregular(array)?),
                (Known::Irregular(_), true, _) => return self.unlifted("a size that differs unseen"),
                _ => result,
            });
        }
        self.end();
        Ok(forms)
    }

    /// Records the forms of variables, made of the given parts.
    pub fn set_parts(&mut self, pattern: &[Var], regular: &[bool], bound: &[Var]) {
        let mut bound = bound.iter().copied();
        let mut next = || bound.next().expect("as many as the forms have parts");
        for (&var, &regular) in pattern.iter().zip(regular) {
            let form = match regular {
                true => Form::Regular(next()),
                false => Form::Irregular(Segments { total: next().into(), starts: next(), data: next() }),
            };
            self.set(var, form);
        }
    }

    /// Binds `pattern` to the results of one body for elements where `cond` holds, and to those of the other elsewhere.
    fn choose(&mut self, cond: Var, then_body: &Body, else_body: &Body, pattern: &[Var]) -> Lifted<()> {
        let regular = self.regular_pattern(pattern);
        let width = self.width();
        let found = self.host(|b| divided(b, width, cond));
        let mut sides = Vec::new();
        for (at, body) in [then_body, else_body].into_iter().enumerate() {
            let (width, chosen) = (found[at].into(), found[at + 2]);
            let level = self.subset_level(width, chosen);
            sides.push(Side { body, level, chosen, width });
        }
        let mut yielded = Vec::new();
        for side in &sides {
            yielded.push(self.side(side, &regular)?);
        }
        for (at, (&var, regular)) in pattern.iter().zip(regular).enumerate() {
            match regular {
                true => self.join_regular(&sides, var, &yielded, at)?,
                false => self.join_irregular(&sides, var, &yielded, at)?,
            }
        }
        Ok(())
    }

    /// Returns the results of one branch for its elements.
    fn side(&mut self, side: &Side, regular: &[bool]) -> Lifted<Vec<Known>> {
        self.at_level(side.level, |this| this.body_in_forms(side.body, regular))
    }

    fn join_regular(&mut self, sides: &[Side], var: Var, yielded: &[Vec<Known>], at: usize) -> Lifted<()> {
        let width = self.width();
        let ty = self.function.ty(var).array_of(&[width]);
        let mut joined = self.host(|b| scratch(b, &ty));
        for (side, results) in sides.iter().zip(yielded) {
            let values = self.scalars(results[at])?;
            joined = self.host(|b| scattered(b, side.width, joined, side.chosen, values));
        }
        self.set(var, Form::Regular(joined));
        Ok(())
    }

    fn join_irregular(&mut self, sides: &[Side], var: Var, yielded: &[Vec<Known>], at: usize) -> Lifted<()> {
        let shape = self.function.ty(var).shape().to_vec();
        let elem = self.function.ty(var).elem().unwrap_or(ScalarType::I64);
        let whole = self.inner_level(&shape)?;
        let Link::Segments { starts, .. } = self.levels[whole].link else {
            return self.unlifted("segments that are all alike");
        };
        let total = self.levels[whole].width;
        let start = self.function.fresh("start", Type::I64);
        self.set(start, Form::Regular(starts));
        let mut joined = self.host(|b| scratch(b, &Type::array(elem, [total])));
        for (side, results) in sides.iter().zip(yielded) {
            let Known::Irregular(part) = results[at] else { return self.unlifted("an array of two forms") };
            let (width, places) = self.at_level(side.level, |this| {
                let inner = this.inner_level(&shape)?;
                let at = this.position_of(inner);
                let places = this.at_level(inner, |this| {
                    let (start, at) = (this.local(start.into())?, this.local(at.into())?);
                    let place = this.compute("place", Expr::Binary(BinaryOp::Add, start, at));
                    Ok(this.flush(&[place])[0])
                })?;
                Ok((this.levels[inner].width, places))
            })?;
            joined = self.host(|b| {
                let shape = [width].into_iter().collect();
                let values = b.bind_one("part", Expr::Reshape { array: part.data, shape });
                scattered(b, width, joined, places, values)
            });
        }
        self.set(var, Form::Irregular(Segments { starts, total, data: joined }));
        Ok(())
    }

    /// Lifts a loop.
    pub fn repeat(&mut self, stm: &Stm, params: &[LoopParam], form: &LoopForm, body: &Body) -> Lifted<()> {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let regular = self.regular_pattern(&vars);
        let inits: Vec<Operand> = params.iter().map(|param| param.init).collect();
        let bounds = match *form {
            LoopForm::For { bound, .. } if self.avoided(bound) => None,
            LoopForm::For { bound, .. } => Some(self.kept(bound)?),
            LoopForm::While { .. } => None,
        };
        let start = Body { stms: Vec::new(), result: inits };
        self.flush(&[]);
        let start = self.body_in_forms(&start, &regular)?;
        let carried = self.carried(&start);
        match *form {
            LoopForm::For { index, bound } => match bounds {
                None => self.counted(stm, &vars, &regular, carried, (index, bound), body),
                Some(bounds) => {
                    let most = self.most(bounds);
                    self.rounds(stm, &vars, &regular, carried, Rounds::Counted { index, bounds, most }, body)
                }
            },
            LoopForm::While { cond } => {
                self.rounds(stm, &vars, &regular, carried, Rounds::Tested { cond }, body)
            }
        }
    }

    /// Returns parameters of a host loop for values in these forms.
    fn carried(&mut self, start: &[Known]) -> Vec<LoopParam> {
        let mut params = Vec::new();
        for &known in start {
            let mut add = |this: &mut Self, ty: Type, init: Operand| {
                let var = this.function.fresh("carried", ty);
                params.push(LoopParam { var, init, consumed: false });
                var
            };
            match known {
                Known::Regular(array) => {
                    let ty = self.function.ty(array).clone();
                    add(self, ty, array.into());
                }
                Known::Irregular(Segments { total, starts, data }) => {
                    let len = add(self, Type::I64, total);
                    let ty = self.function.ty(starts).clone();
                    add(self, ty, starts.into());
                    let elem = self.function.ty(data).elem().unwrap_or(ScalarType::I64);
                    add(self, Type::array(elem, [len.into()]), data.into());
                }
            }
        }
        params
    }

    /// Lifts a loop with the same number of iterations for all elements.
    fn counted(
        &mut self,
        stm: &Stm,
        vars: &[Var],
        regular: &[bool],
        params: Vec<LoopParam>,
        (index, bound): (Var, Operand),
        body: &Body,
    ) -> Lifted<()> {
        let bound_vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let (stms, results) = self.apart(|this| {
            this.set_parts(vars, regular, &bound_vars);
            this.body_in_forms(body, regular)
        })?;
        let body = Body { stms, result: results.iter().flat_map(|&result| parts(result)).collect() };
        let expr = Expr::Loop { params, form: LoopForm::For { index, bound }, body };
        let bound = self.host(|b| b.bind("looped", expr));
        self.set_parts(&stm.pattern, regular, &bound);
        Ok(())
    }

    /// Returns the maximum of the bounds and 0.
    fn most(&mut self, bounds: Var) -> Operand {
        let width = self.width();
        let ty = self.function.ty(bounds).row(1);
        let elem = ty.elem().unwrap_or(ScalarType::I64);
        self.host(|b| {
            let map = b.identity(&[ty]);
            let op = b.operator(BinaryOp::SMax, elem);
            let neutral = vec![Scalar::int(elem, 0).into()];
            b.map_reduce("most", width, &[bounds], map, Reduce { op, neutral, commutative: true })[0].into()
        })
    }

    /// Lifts a loop that runs as long as any element does.
    fn rounds(
        &mut self,
        stm: &Stm,
        vars: &[Var],
        regular: &[bool],
        carried: Vec<LoopParam>,
        rounds: Rounds,
        body: &Body,
    ) -> Lifted<()> {
        let (index, zero) = match rounds {
            Rounds::Counted { index, .. } => {
                let elem = self.function.ty(index).elem().unwrap_or(ScalarType::I64);
                (index, Scalar::int(elem, 0))
            }
            Rounds::Tested { .. } => (self.function.fresh("round", Type::I64), Scalar::I64(0)),
        };
        let go = self.function.fresh("go", Type::BOOL);
        let bound: Vec<Var> = carried.iter().map(|param| param.var).collect();
        let first = self.goes_on(&rounds, zero.into(), || carried_at(&carried, vars, regular, &rounds));
        let (stms, result) = self.apart(|this| {
            this.set_parts(vars, regular, &bound);
            let active = this.active(&rounds)?;
            let next = this.next_params(vars);
            let stay = Body { stms: Vec::new(), result: vars.iter().map(|&var| var.into()).collect() };
            this.choose(active, body, &stay, &next)?;
            let one = Scalar::int(zero.ty(), 1);
            let after = this.host(|b| b.binary("round", BinaryOp::Add, index, Operand::from(one)));
            let conds = match rounds {
                Rounds::Counted { .. } => None,
                Rounds::Tested { cond } => {
                    let at = vars.iter().position(|&var| var == cond);
                    at.map(|at| this.regular(next[at].into())).transpose()?
                }
            };
            let again = this.goes_on(&rounds, after, || conds.map(Operand::Var));
            let mut result = vec![after, again];
            for &var in &next {
                result.extend(parts(this.form_of(var)?));
            }
            Ok(result)
        })?;
        let param = |var: Var, init: Operand| LoopParam { var, init, consumed: false };
        let params = [param(index, zero.into()), param(go, first)].into_iter().chain(carried).collect();
        let body = Body { stms, result };
        let expr = Expr::Loop { params, form: LoopForm::While { cond: go }, body };
        let bound = self.host(|b| b.bind("looped", expr));
        self.set_parts(&stm.pattern, regular, &bound[2..]);
        Ok(())
    }

    /// Returns whether any element continues. `conds` are the values of the loop's condition.
    fn goes_on(&mut self, rounds: &Rounds, at: Operand, conds: impl FnOnce() -> Option<Operand>) -> Operand {
        let width = self.width();
        match (rounds, conds()) {
            (Rounds::Counted { most, .. }, _) => self.host(|b| b.compare("go", CompareOp::SLt, at, *most)),
            (Rounds::Tested { .. }, Some(Operand::Var(conds))) => self.host(|b| {
                let map = b.identity(&[Type::BOOL]);
                let op = b.operator(BinaryOp::Or, ScalarType::Bool);
                let reduce = Reduce { op, neutral: vec![Operand::bool(false)], commutative: true };
                b.map_reduce("go", width, &[conds], map, reduce)[0].into()
            }),
            (Rounds::Tested { .. }, _) => Operand::bool(false),
        }
    }

    /// Returns which elements are active in this iteration.
    fn active(&mut self, rounds: &Rounds) -> Lifted<Var> {
        match *rounds {
            Rounds::Tested { cond } => self.regular(cond.into()),
            Rounds::Counted { index, bounds, .. } => {
                let (width, ty) = (self.width(), self.function.ty(bounds).row(1));
                Ok(self.host(|b| {
                    let lambda =
                        b.lambda(&[("bound", ty)], |b, x| vec![b.compare("go", CompareOp::SLt, index, x[0])]);
                    b.map("active", width, &[bounds], lambda)[0]
                }))
            }
        }
    }

    /// Returns variables for the values of the parameters in the next iteration.
    fn next_params(&mut self, vars: &[Var]) -> Vec<Var> {
        let mut substitution = Substitution::new();
        let mut next = Vec::new();
        for &var in vars {
            let ty = substitution.apply_type(self.function.ty(var));
            let fresh = self.function.fresh("next", ty);
            substitution.insert(var, fresh);
            next.push(fresh);
        }
        next
    }

    fn form_of(&self, var: Var) -> Lifted<Known> {
        match self.values.get(&var).map(|value| &value.form) {
            Some(Form::Regular(array)) => Ok(Known::Regular(*array)),
            Some(Form::Irregular(segments)) => Ok(Known::Irregular(*segments)),
            _ => self.unlifted("a value that is not kept"),
        }
    }
}

/// The termination condition of a loop whose number of iterations varies between elements.
#[derive(Clone, Copy)]
enum Rounds {
    /// Each element has a bound.
    Counted { index: Var, bounds: Var, most: Operand },
    /// Each element has a condition.
    Tested { cond: Var },
}

/// Returns the initial values of a loop's condition.
fn carried_at(carried: &[LoopParam], vars: &[Var], regular: &[bool], rounds: &Rounds) -> Option<Operand> {
    let Rounds::Tested { cond } = rounds else { return None };
    let at = vars.iter().position(|var| var == cond)?;
    let before: usize = regular[..at].iter().map(|&regular| if regular { 1 } else { 3 }).sum();
    carried.get(before).map(|param| param.init)
}

/// Returns the components of a value in this form, sizes before the arrays that they describe.
pub fn parts(known: Known) -> Vec<Operand> {
    match known {
        Known::Regular(array) => vec![array.into()],
        Known::Irregular(Segments { total, starts, data }) => vec![total, starts.into(), data.into()],
    }
}

/// Returns the numbers of elements for which a condition holds and does not hold, and the indices of both.
fn divided(b: &mut Builder, width: Operand, cond: Var) -> Vec<Var> {
    let at = b.bind_one("at", iota(width));
    let lambda = b.lambda(&[("c", Type::BOOL), ("i", Type::I64)], |b, x| {
        let other = b.unary("other", UnaryOp::Not, x[0]);
        vec![x[0].into(), other, x[1].into()]
    });
    let partition = Partition { width, inputs: vec![cond, at], classes: 2, lambda };
    b.bind("chosen", Expr::Partition(Box::new(partition)))
}

fn scratch(b: &mut Builder, ty: &Type) -> Var {
    let elem = ty.elem().unwrap_or(ScalarType::I64);
    b.bind_one("room", Expr::Scratch { elem, shape: ty.shape().into() })
}

/// Returns `array` with values written at places.
pub fn scattered(b: &mut Builder, width: Operand, array: Var, places: Var, values: Var) -> Var {
    let ty = b.function.ty(values).row(1);
    let lambda = b.identity(&[Type::I64, ty]);
    let dests = vec![ScatterDest::at(array, 1)];
    b.bind_one(
        "joined",
        Expr::Scatter(Box::new(Scatter { width, inputs: vec![places, values], lambda, dests })),
    )
}

/// Returns the components of a value over zero elements.
pub fn nothing(b: &mut Builder, width: Operand, ty: &Type, regular: bool) -> Vec<Operand> {
    if regular {
        return vec![scratch(b, &ty.array_of(&[width])).into()];
    }
    let elem = ty.elem().unwrap_or(ScalarType::I64);
    let starts = scratch(b, &Type::I64.array_of(&[width]));
    let data = scratch(b, &Type::array(elem, [Operand::i64(0)]));
    vec![Operand::i64(0), starts.into(), data.into()]
}
