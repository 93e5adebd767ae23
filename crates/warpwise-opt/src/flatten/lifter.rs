//! The state of lifting: levels of elements, what every value of the nest became, and the group of statements
//! under way.
//!
//! A *level* is a flat space of elements: those of the outermost map, then those of all inner segments one after the
//! other. A *group* is a run of statements that stay as they are within one element; it becomes one map over its level.
//! Inside a group every value of this and of all outer levels can be had: its element, a view of its segment, or a copy
//! of the statement that makes a view. So nothing is replicated into inner levels.

use std::ops::Index;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::Entity;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr, free_in_type};
use warpwise_ir::{Expr, Function, Lambda, Operand, SliceDim, Stm, Type, Var, exprs};
use warpwise_prim::BinaryOp;

use super::Note;
use super::calls::{Folds, Functions};
use super::rows::{Split, rows};

/// Names a level of a lifter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LevelId(usize);

/// All levels of a lifter.
#[derive(Default)]
pub struct Levels(Vec<Level>);

impl Levels {
    /// Adds a level.
    pub fn push(&mut self, level: Level) -> LevelId {
        self.0.push(level);
        LevelId(self.0.len() - 1)
    }
}

impl Index<LevelId> for Levels {
    type Output = Level;

    fn index(&self, id: LevelId) -> &Level {
        &self.0[id.0]
    }
}

/// Why a nest is left as it is.
#[derive(Clone, Debug)]
pub struct Unlifted {
    /// What has no lifted form.
    pub what: String,
    /// Where it stands.
    pub span: Span,
}

/// What was lifted, or why it was not.
pub type Lifted<T> = Result<T, Unlifted>;

/// A space of elements, all at once.
#[derive(Clone, Debug)]
pub struct Level {
    /// How many elements.
    pub width: Operand,
    /// `iota width`.
    pub indices: Var,
    /// What its elements are parts of.
    pub link: Link,
}

/// What an element of a level is to the level around it.
#[derive(Clone, Debug)]
pub enum Link {
    /// An element of an array of the host, or of a lifted function's arguments.
    Top,
    /// Every element of `parent` has `inner` of them.
    Regular {
        /// The level around.
        parent: LevelId,
        /// How many.
        inner: Operand,
    },
    /// Elements of `parent` have numbers of them that differ: the segment descriptor.
    Segments {
        /// The level around.
        parent: LevelId,
        /// How many, for each element of `parent`.
        sizes: Var,
        /// Where each begins.
        starts: Var,
        /// Of which element of `parent` each is a part.
        owners: Var,
        /// Whether each is the first of its segment.
        heads: Var,
    },
    /// Some elements of `parent`, by index.
    Subset {
        /// The level around.
        parent: LevelId,
        /// An array with the index of each of them.
        chosen: Var,
    },
}

/// What a variable of the nest became. What is not known as a value is *avoided*: one value for all elements.
#[derive(Clone, Debug)]
pub struct Value {
    /// Where it belongs.
    pub level: LevelId,
    /// How it is kept.
    pub form: Form,
}

/// How the values of a variable for all elements of its level are kept.
#[derive(Clone, Debug)]
pub enum Form {
    /// Bound in the group under way.
    Pending,
    /// Regular: an array with one more dimension.
    Regular(Var),
    /// Irregular: all segments in row-major order, one after the other.
    Irregular(Segments),
    /// Not kept: the statement is copied to where the value is used. Views, iotas, replicates and certificates.
    Delayed(Rc<Stm>),
    /// The index of the element within its segment, or of all where there is no level around.
    Position,
}

/// An irregular array.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// Where each element's part begins.
    pub starts: Var,
    /// How many elements they have in all.
    pub total: Operand,
    /// `[total]`.
    pub data: Var,
}

/// Statements that will be one map.
#[derive(Default)]
pub struct Group {
    stms: Vec<Stm>,
    /// What stands here for variables of the nest.
    here: FxHashMap<Var, Operand>,
    /// Arrays mapped over, and their elements.
    inputs: Vec<(Var, Var)>,
    /// The indices of the elements, level by level outwards.
    indices: FxHashMap<LevelId, Operand>,
    /// What its statements bind.
    bound: Vec<Var>,
    /// The element around, and the index within it, where they were computed from the index of a regular level.
    pub split: Split,
    /// Arrays here that may share elements with what was made elsewhere.
    foreign: FxHashSet<Operand>,
    checks: bool,
}

/// What became of a value.
struct Chosen {
    var: Var,
    form: &'static str,
    span: Span,
}

/// A body being lifted.
#[derive(Default)]
pub struct Scope {
    /// The last statement that needs a variable.
    pub last_use: FxHashMap<Var, usize>,
    /// The statement under way.
    pub at: usize,
}

/// Lifts the code of one function.
pub struct Lifter<'p> {
    /// The function that the variables belong to.
    pub function: &'p mut Function,
    /// Functions that are called in parallel.
    pub functions: &'p mut Functions,
    /// The lifted code so far.
    pub out: Vec<Stm>,
    /// What became of the variables of the nest.
    pub values: FxHashMap<Var, Value>,
    /// All levels met.
    pub levels: Levels,
    /// The levels of the elements of arrays of one shape.
    pub shapes: FxHashMap<(LevelId, Vec<Operand>), LevelId>,
    /// Bodies around, innermost last.
    pub scopes: Vec<Scope>,
    /// The level lifted at.
    pub level: LevelId,
    group: Group,
    /// How many variables there were before lifting began.
    own_vars: usize,
    /// What became of which value, to be shown.
    choices: Vec<Chosen>,
    /// The place in the source lifted at the moment.
    pub span: Span,
}

impl<'p> Lifter<'p> {
    /// A lifter at a level of so many elements.
    pub fn new(function: &'p mut Function, functions: &'p mut Functions, width: Operand) -> Lifter<'p> {
        let own_vars = function.vars.len();
        let mut b = Builder::new(function);
        let indices = b.bind_one("at", iota(width));
        let out = b.take_stms();
        let mut levels = Levels::default();
        let level = levels.push(Level { width, indices, link: Link::Top });
        Lifter {
            function,
            functions,
            out,
            values: FxHashMap::default(),
            levels,
            shapes: FxHashMap::default(),
            scopes: Vec::new(),
            level,
            group: Group::default(),
            own_vars,
            choices: Vec::new(),
            span: Span::NONE,
        }
    }

    /// That something has no lifted form.
    pub fn unlifted<T>(&self, what: &str) -> Lifted<T> {
        Err(Unlifted { what: what.to_string(), span: self.span })
    }

    /// Adds lifted code.
    pub fn host<T>(&mut self, build: impl FnOnce(&mut Builder) -> T) -> T {
        let mut b = Builder::new(self.function);
        b.set_span(self.span);
        let value = build(&mut b);
        self.out.extend(b.take_stms());
        value
    }

    /// How many elements the level has.
    pub fn width(&self) -> Operand {
        self.levels[self.level].width
    }

    /// What became of the values, for people.
    pub fn notes(&self) -> Vec<Note> {
        let note = |choice: &Chosen| {
            let text = format!("{}: {}", self.function.vars[choice.var].name(), choice.form);
            Note { span: choice.span, text }
        };
        self.choices.iter().map(note).collect()
    }

    /// From now on the variable is known in this form, here.
    pub fn set(&mut self, var: Var, form: Form) {
        let chosen = match form {
            Form::Regular(_) => Some("regular"),
            Form::Irregular(_) => Some("irregular"),
            Form::Delayed(_) if self.function.ty(var).rank() > 0 => {
                Some("a view, copied to where it is used")
            }
            Form::Delayed(_) | Form::Pending | Form::Position => None,
        };
        let span = self.span;
        // Only the program's own values are of interest.
        let chosen = chosen.filter(|_| var.index() < self.own_vars);
        self.choices.extend(chosen.map(|form| Chosen { var, form, span }));
        self.values.insert(var, Value { level: self.level, form });
    }

    /// Whether an operand is one value for all elements.
    pub fn avoided(&self, operand: Operand) -> bool {
        operand.as_var().is_none_or(|var| !self.values.contains_key(&var))
    }

    /// Whether all values of a type have one shape.
    pub fn regular_type(&self, ty: &Type) -> bool {
        ty.shape().iter().all(|&size| self.avoided(size))
    }

    /// Whether a statement computes one number for all elements, which host code can do.
    pub fn is_uniform(&self, stm: &Stm) -> bool {
        let scalar = match stm.expr {
            Expr::Binary(op, ..) => !op.can_fail(),
            Expr::Unary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => true,
            exprs!(Operand, Ternary, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
        };
        let mut uniform = scalar && stm.certs.iter().all(|&cert| self.avoided(cert.into()));
        stm.expr.for_each_operand(|x| uniform = uniform && self.avoided(x));
        uniform
    }

    /// Whether a statement is done for certain, and does the same for all elements, of which there are some.
    pub fn is_common(&self, stm: &Stm) -> bool {
        let is_done = self.functions.some
            && self.scopes.len() == 1
            && matches!(self.levels[self.level].link, Link::Top);
        is_done && needs(self.function, stm).iter().all(|&var| self.avoided(var.into()))
    }

    /// Adds a statement to the group under way.
    pub fn stay(&mut self, stm: &Stm) -> Lifted<()> {
        self.copy_here(stm)?;
        if let Expr::Assert { .. } = stm.expr {
            // Other groups check again: what they do must not come before the check.
            self.set(stm.pattern[0], Form::Delayed(Rc::new(stm.clone())));
            return Ok(());
        }
        for &var in &stm.pattern {
            self.group.bound.push(var);
            self.set(var, Form::Pending);
        }
        Ok(())
    }

    /// What stands for an operand in the group under way.
    pub fn local(&mut self, operand: Operand) -> Lifted<Operand> {
        let Operand::Var(var) = operand else { return Ok(operand) };
        if let Some(&here) = self.group.here.get(&var) {
            return Ok(here);
        }
        let Some(value) = self.values.get(&var).cloned() else { return Ok(operand) };
        match value.form {
            Form::Pending => return self.unlifted("a value that is used where it is not kept"),
            Form::Regular(array) => {
                let element = self.element(array, value.level)?;
                self.group.foreign.insert(element);
                self.group.here.insert(var, element);
            }
            Form::Irregular(segments) => self.segment(var, segments, value.level)?,
            Form::Delayed(stm) => self.copy_here(&stm)?,
            Form::Position => {
                let position = self.position(value.level)?;
                self.group.here.insert(var, position);
            }
        }
        Ok(self.group.here[&var])
    }

    /// Appends a statement to the group that is no part of the nest.
    pub fn compute(&mut self, name: &str, expr: Expr) -> Operand {
        let mut b = Builder::new(self.function);
        b.set_span(self.span);
        let var = b.bind_one(name, expr);
        self.group.stms.extend(b.take_stms());
        var.into()
    }

    /// Copies a statement into the group, with what it needs.
    pub fn copy_here(&mut self, stm: &Stm) -> Lifted<()> {
        let mut free: Vec<Var> = free_in_expr(self.function, &stm.expr).iter().collect();
        free.extend(&stm.certs);
        for &var in &stm.pattern {
            let ty = self.function.ty(var).clone();
            free.extend(free_in_type(self.function, &ty).iter().filter(|size| !stm.pattern.contains(size)));
        }
        let overwritten = consumed_inside(&stm.expr);
        let mut substitution = Substitution::new();
        let mut foreign = false;
        for var in free {
            let mut here = self.local(var.into())?;
            // What is one for all elements is not one element's to overwrite.
            let common = here == Operand::Var(var) && self.function.ty(var).rank() > 0;
            let outside = common || self.group.foreign.contains(&here);
            if let (true, true, Operand::Var(array)) = (outside, overwritten.contains(&var), here) {
                here = self.compute("copy", Expr::Copy(array));
            } else {
                foreign |= outside;
            }
            if here != Operand::Var(var) {
                substitution.insert(var, here);
            }
        }
        self.group.checks |= has_check(&stm.expr);
        let mut copier = Copier::within(self.function, substitution);
        let expr = copier.copy_expr(&stm.expr);
        let certs = stm.certs.iter().filter_map(|&cert| copier.substitution.apply(cert.into()).as_var());
        let certs = certs.collect();
        let pattern: Vec<Var> = stm.pattern.iter().map(|&var| copier.copy_binding(var)).collect();
        foreign &= may_alias(&stm.expr);
        for (&var, &copy) in stm.pattern.iter().zip(&pattern) {
            self.group.here.insert(var, copy.into());
            if foreign && self.function.ty(var).rank() > 0 {
                self.group.foreign.insert(copy.into());
            }
        }
        self.group.stms.push(Stm { pattern, expr, certs, span: stm.span });
        Ok(())
    }

    /// The element of an array over a level.
    pub fn element(&mut self, array: Var, level: LevelId) -> Lifted<Operand> {
        if level != self.level {
            let at = self.index(level)?;
            return Ok(self.compute("x", Expr::Index { array, indices: vec![at] }));
        }
        if let Some((_, param)) = self.group.inputs.iter().find(|(input, _)| *input == array) {
            return Ok((*param).into());
        }
        let ty = self.function.ty(array).row(1);
        let param = self.function.fresh("x", ty);
        self.group.inputs.push((array, param));
        Ok(param.into())
    }

    /// The index of the element of this level that the one under way is, or is part of.
    pub fn index(&mut self, level: LevelId) -> Lifted<Operand> {
        if let Some(&index) = self.group.indices.get(&level) {
            return Ok(index);
        }
        let index = if level == self.level {
            let indices = self.levels[level].indices;
            self.element(indices, level)?
        } else {
            let child = self.child(level)?;
            match self.levels[child].link.clone() {
                Link::Top => return self.unlifted("a value of another nest"),
                Link::Regular { inner, .. } => {
                    let at = self.index(child)?;
                    let parent = self.compute("p", Expr::Binary(BinaryOp::SQuot, at, inner));
                    if child == self.level {
                        self.group.split.parent = parent.as_var();
                    }
                    parent
                }
                Link::Segments { owners, .. } => self.element(owners, child)?,
                Link::Subset { chosen, .. } => self.element(chosen, child)?,
            }
        };
        self.group.indices.insert(level, index);
        Ok(index)
    }

    /// The level right inside `level` on the way to the one lifted at.
    fn child(&self, level: LevelId) -> Lifted<LevelId> {
        let mut child = self.level;
        while let Some(parent) = self.levels[child].parent() {
            if parent == level {
                return Ok(child);
            }
            child = parent;
        }
        self.unlifted("a value of another nest")
    }

    /// The index within the segment, at a level.
    fn position(&mut self, level: LevelId) -> Lifted<Operand> {
        let at = self.index(level)?;
        match self.levels[level].link.clone() {
            Link::Top => Ok(at),
            Link::Regular { inner, .. } => {
                if let (true, Some(known)) = (level == self.level, self.group.split.position) {
                    return Ok(known.into());
                }
                let position = self.compute("j", Expr::Binary(BinaryOp::SRem, at, inner));
                if level == self.level {
                    self.group.split.position = position.as_var();
                }
                Ok(position)
            }
            Link::Segments { parent, starts, .. } => {
                let start = self.element(starts, parent)?;
                Ok(self.compute("j", Expr::Binary(BinaryOp::Sub, at, start)))
            }
            Link::Subset { .. } => self.unlifted("a position among chosen elements"),
        }
    }

    /// Makes the part of an irregular array known that belongs to the element under way.
    fn segment(&mut self, var: Var, segments: Segments, level: LevelId) -> Lifted<()> {
        let start = self.element(segments.starts, level)?;
        let sizes = self.function.ty(var).shape().to_vec();
        let sizes = sizes.into_iter().map(|size| self.local(size)).collect::<Lifted<Vec<_>>>()?;
        let len = self.product(&sizes);
        let dims = vec![SliceDim::Range { start, len, stride: Operand::i64(1) }];
        let mut view = self.compute("segment", Expr::Slice { array: segments.data, dims });
        if let (2.., Operand::Var(array)) = (sizes.len(), view) {
            view = self.compute("segment", Expr::Reshape { array, shape: sizes.into() });
        }
        self.group.foreign.insert(view);
        self.group.here.insert(var, view);
        Ok(())
    }

    /// The product of operands of the group, extents of an array that exists.
    pub fn product(&mut self, factors: &[Operand]) -> Operand {
        let mut product = factors.first().copied().unwrap_or(Operand::i64(1));
        for &factor in factors.iter().skip(1) {
            product = self.compute("size", Expr::Binary(BinaryOp::Mul, product, factor));
        }
        product
    }

    /// Whether something in the group under way can fail.
    pub fn has_checks(&self) -> bool {
        self.group.checks
    }

    /// Ends the group under way: what is used later is kept, and so are these operands of the group, as arrays over
    /// the level. A group that nothing is kept of goes on.
    pub fn flush(&mut self, wanted: &[Operand]) -> Vec<Var> {
        let kept: Vec<Var> = self.group.bound.iter().copied().filter(|&var| self.is_live(var)).collect();
        if kept.is_empty() && wanted.is_empty() {
            return Vec::new();
        }
        let mut result: Vec<Operand> = kept.iter().map(|var| self.group.here[var]).collect();
        result.extend(wanted);
        let split = self.group.split;
        let (inputs, params, stms) = self.take_group();
        let body = warpwise_ir::Body { stms, result };
        let lambda = Lambda { params, body };
        let level = self.levels[self.level].clone();
        let arrays = if let Link::Regular { parent, inner } = level.link
            && split != Split::default()
            && self.functions.folds == Folds::Apart
        {
            let outer = self.levels[parent].clone();
            self.host(|b| rows(b, (&outer, &level, inner), split, &inputs, lambda))
        } else {
            self.host(|b| b.map("all", level.width, &inputs, lambda))
        };
        for (&var, &array) in kept.iter().zip(&arrays) {
            self.set(var, Form::Regular(array));
        }
        arrays[kept.len()..].to_vec()
    }

    /// Whether the body under way still needs a variable.
    pub fn is_live(&self, var: Var) -> bool {
        let last_use = |scope: &Scope| scope.last_use.get(&var).is_some_and(|&last| last >= scope.at);
        self.scopes.last().is_some_and(last_use)
    }

    /// Ends the group under way: the arrays it maps over, their elements, and its statements.
    pub fn take_group(&mut self) -> (Vec<Var>, Vec<Var>, Vec<Stm>) {
        let group = std::mem::take(&mut self.group);
        let (inputs, params) = group.inputs.into_iter().unzip();
        (inputs, params, group.stms)
    }

    /// Works at another level, with a group of its own.
    pub fn at_level<T>(&mut self, level: LevelId, work: impl FnOnce(&mut Self) -> Lifted<T>) -> Lifted<T> {
        let outer = std::mem::replace(&mut self.level, level);
        let done = self.in_own_group(work)?;
        self.level = outer;
        Ok(done)
    }

    fn in_own_group<T>(&mut self, work: impl FnOnce(&mut Self) -> Lifted<T>) -> Lifted<T> {
        let group = std::mem::take(&mut self.group);
        let done = work(self)?;
        if self.group.checks {
            return self.unlifted("a check of which nothing is kept");
        }
        self.group = group;
        Ok(done)
    }

    /// Collects lifted code apart; what is known of it is forgotten afterwards.
    pub fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> Lifted<T>) -> Lifted<(Vec<Stm>, T)> {
        let (out, shapes) = (std::mem::take(&mut self.out), self.shapes.clone());
        let values = self.values.clone();
        let done = self.in_own_group(work)?;
        self.shapes = shapes;
        self.values = values;
        Ok((std::mem::replace(&mut self.out, out), done))
    }

    /// The array of an operand's values for all elements, each of the same shape.
    pub fn regular(&mut self, operand: Operand) -> Lifted<Var> {
        match operand.as_var().and_then(|var| self.values.get(&var)) {
            Some(Value { level, form: Form::Regular(array) }) if *level == self.level => Ok(*array),
            _ => {
                let local = self.local(operand)?;
                Ok(self.flush(&[local])[0])
            }
        }
    }
}

impl Level {
    /// The level around.
    pub fn parent(&self) -> Option<LevelId> {
        match self.link {
            Link::Top => None,
            Link::Regular { parent, .. } | Link::Segments { parent, .. } | Link::Subset { parent, .. } => {
                Some(parent)
            }
        }
    }
}

/// `[0, 1, ...]`.
pub fn iota(len: Operand) -> Expr {
    Expr::Iota { len, start: Operand::i64(0), step: Operand::i64(1) }
}

/// Whether an expression checks anything.
fn has_check(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Assert { .. });
    expr.for_each_body(|body| found |= body.stms.iter().any(|stm| has_check(&stm.expr)));
    found
}

/// Whether what an expression yields may share elements with arrays it uses.
fn may_alias(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Operand(_)
            | Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
    )
}

/// Variables that an expression overwrites, at any depth, under the names that they have there and outside.
fn consumed_inside(expr: &Expr) -> FxHashSet<Var> {
    let mut consumed = FxHashSet::default();
    expr.for_each_body(|body| {
        for stm in body.stms.iter().rev() {
            consumed.extend(consumed_inside(&stm.expr));
            if may_alias(&stm.expr) && stm.pattern.iter().any(|var| consumed.contains(var)) {
                stm.expr.for_each_operand(|x| consumed.extend(x.as_var()));
                stm.expr.for_each_body(|body| consumed.extend(body.result.iter().filter_map(|x| x.as_var())));
            }
        }
    });
    expr.for_each_consumed(|_, _| false, |&var| consumed.extend([var]));
    let mut inputs = |arrays: &[Var], params: &[Var]| {
        for (&array, param) in arrays.iter().zip(params) {
            if consumed.contains(param) {
                consumed.insert(array);
            }
        }
    };
    match expr {
        Expr::Screma(soac) => inputs(&soac.inputs, &soac.map.params),
        Expr::Partition(soac) => inputs(&soac.inputs, &soac.lambda.params),
        Expr::Scatter(soac) => inputs(&soac.inputs, &soac.lambda.params),
        Expr::Hist(soac) => inputs(&soac.inputs, &soac.lambda.params),
        Expr::FlatMap(soac) => inputs(&soac.inputs, &soac.lambda.params),
        Expr::Stream(soac) => inputs(&soac.inputs, &soac.lambda.params[2 + soac.accs.len()..]),
        exprs!(simple, If, Loop, WithAcc, Seg) => {}
    }
    consumed
}

/// Variables that an expression needs from outside, with those in the types of what it binds.
pub fn needs(function: &Function, stm: &Stm) -> Vec<Var> {
    let mut needed: FxHashSet<Var> = FxHashSet::default();
    let mut order = Vec::new();
    let mut add = |var: Var| {
        if needed.insert(var) {
            order.push(var);
        }
    };
    free_in_expr(function, &stm.expr).iter().for_each(&mut add);
    stm.certs.iter().copied().for_each(&mut add);
    for &var in &stm.pattern {
        free_in_type(function, function.ty(var)).iter().for_each(&mut add);
    }
    order
}
