//! The state of lifting: the levels of elements, the representation of every value of the nest, and the current group of
//! statements.
//!
//! A *level* is a flat space of elements: first those of the outermost map, then those of all inner segments, concatenated. A
//! *group* is a sequence of statements that stay together within one element; it becomes one map over its level. Inside a group
//! every value of this and of all outer levels is available: as an element, as a view of its segment, or by copying the statement
//! that makes a view. So nothing is replicated into inner levels.

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

/// The id of a level of a lifter.
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

/// The reason why a nest is unchanged.
#[derive(Clone, Debug)]
pub struct Unlifted {
    /// The construct without a lifted form.
    pub what: String,
    /// Source position of the construct.
    pub span: Span,
}

/// A lifted value, or the reason why it has none.
pub type Lifted<T> = Result<T, Unlifted>;

/// A flat space of elements.
#[derive(Clone, Debug)]
pub struct Level {
    /// Number of elements.
    pub width: Operand,
    /// `iota width`.
    pub indices: Var,
    /// Relation to the level around.
    pub link: Link,
}

/// Relation of the elements of a level to those of the level around.
#[derive(Clone, Debug)]
pub enum Link {
    /// An element of an array of the host, or of a lifted function's arguments.
    Top,
    /// Every element of `parent` has `inner` elements of this level.
    Regular {
        /// The level around.
        parent: LevelId,
        /// Number of elements per element of `parent`.
        inner: Operand,
    },
    /// The number of elements varies with the element of `parent`. The fields are the segment descriptor.
    Segments {
        /// The level around.
        parent: LevelId,
        /// Number of elements for each element of `parent`.
        sizes: Var,
        /// Start of each segment.
        starts: Var,
        /// For each element, the index of its element of `parent`.
        owners: Var,
        /// For each element, whether it is the first of its segment.
        heads: Var,
    },
    /// Some elements of `parent`, by index.
    Subset {
        /// The level around.
        parent: LevelId,
        /// The array of the indices of the elements in `parent`.
        chosen: Var,
    },
}

/// The representation of a variable of the nest. A variable without one is *avoided*: one value for all elements.
#[derive(Clone, Debug)]
pub struct Value {
    /// The level that the variable belongs to.
    pub level: LevelId,
    /// The form in which its values are stored.
    pub form: Form,
}

/// The form in which the values of a variable for all elements of its level are stored.
#[derive(Clone, Debug)]
pub enum Form {
    /// Bound in the current group.
    Pending,
    /// Regular: an array with one more dimension.
    Regular(Var),
    /// Irregular: all segments concatenated, in row-major order.
    Irregular(Segments),
    /// Not stored: the statement is copied to the uses of the value. For views, iotas, replicates and certificates.
    Delayed(Rc<Stm>),
    /// The index of the element within its segment, or in the whole level if there is no level around.
    Position,
}

/// An irregular array.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// Start of each element's segment.
    pub starts: Var,
    /// Total length of all segments.
    pub total: Operand,
    /// The concatenated segments, `[total]`.
    pub data: Var,
}

/// Statements that will become one map.
#[derive(Default)]
pub struct Group {
    stms: Vec<Stm>,
    /// The operands that stand for variables of the nest in this group.
    here: FxHashMap<Var, Operand>,
    /// The arrays that are mapped over, with their elements.
    inputs: Vec<(Var, Var)>,
    /// The index of the current element at each level, from this one outwards.
    indices: FxHashMap<LevelId, Operand>,
    /// The variables that the statements bind.
    bound: Vec<Var>,
    /// The element around and the index within it, if they were computed from the index of a regular level.
    pub split: Split,
    /// Arrays of the group that may share elements with arrays made elsewhere.
    foreign: FxHashSet<Operand>,
    checks: bool,
}

/// The form chosen for a value.
struct Chosen {
    var: Var,
    form: &'static str,
    span: Span,
}

/// A body being lifted.
#[derive(Default)]
pub struct Scope {
    /// The last statement that needs each variable.
    pub last_use: FxHashMap<Var, usize>,
    /// The current statement.
    pub at: usize,
}

/// Lifts the code of one function.
pub struct Lifter<'p> {
    /// The function that owns the variables.
    pub function: &'p mut Function,
    /// The functions that are called in parallel.
    pub functions: &'p mut Functions,
    /// The lifted code so far.
    pub out: Vec<Stm>,
    /// The representations of the variables of the nest.
    pub values: FxHashMap<Var, Value>,
    /// All levels so far.
    pub levels: Levels,
    /// The levels of the elements of arrays, by outer level and shape.
    pub shapes: FxHashMap<(LevelId, Vec<Operand>), LevelId>,
    /// The enclosing bodies, innermost last.
    pub scopes: Vec<Scope>,
    /// The current level.
    pub level: LevelId,
    group: Group,
    /// Number of variables before lifting began.
    own_vars: usize,
    /// The chosen forms, for notes.
    choices: Vec<Chosen>,
    /// Source position of the code that is being lifted.
    pub span: Span,
}

impl<'p> Lifter<'p> {
    /// Returns a lifter at a level of `width` elements.
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

    /// Returns the error that something has no lifted form.
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

    /// Returns the number of elements of the current level.
    pub fn width(&self) -> Operand {
        self.levels[self.level].width
    }

    /// Returns human-readable notes on the chosen forms.
    pub fn notes(&self) -> Vec<Note> {
        let note = |choice: &Chosen| {
            let text = format!("{}: {}", self.function.vars[choice.var].name(), choice.form);
            Note { span: choice.span, text }
        };
        self.choices.iter().map(note).collect()
    }

    /// Records the form of a variable at the current level.
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
        // Notes cover only the program's own variables.
        let chosen = chosen.filter(|_| var.index() < self.own_vars);
        self.choices.extend(chosen.map(|form| Chosen { var, form, span }));
        self.values.insert(var, Value { level: self.level, form });
    }

    /// Whether an operand is one value for all elements.
    pub fn avoided(&self, operand: Operand) -> bool {
        operand.as_var().is_none_or(|var| !self.values.contains_key(&var))
    }

    /// Whether all values of a type have the same shape.
    pub fn regular_type(&self, ty: &Type) -> bool {
        ty.shape().iter().all(|&size| self.avoided(size))
    }

    /// Whether a statement computes one number for all elements by operations that host code can do.
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

    /// Whether a statement certainly runs and computes the same for all elements, of which there is at least one.
    pub fn is_common(&self, stm: &Stm) -> bool {
        let is_done = self.functions.some
            && self.scopes.len() == 1
            && matches!(self.levels[self.level].link, Link::Top);
        is_done && needs(self.function, stm).iter().all(|&var| self.avoided(var.into()))
    }

    /// Adds a statement to the current group.
    pub fn stay(&mut self, stm: &Stm) -> Lifted<()> {
        self.copy_here(stm)?;
        if let Expr::Assert { .. } = stm.expr {
            // Other groups repeat the check, because the statements that rely on it must not run before it.
            self.set(stm.pattern[0], Form::Delayed(Rc::new(stm.clone())));
            return Ok(());
        }
        for &var in &stm.pattern {
            self.group.bound.push(var);
            self.set(var, Form::Pending);
        }
        Ok(())
    }

    /// Returns the operand that stands for `operand` in the current group.
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

    /// Appends a statement that is not part of the nest to the current group.
    pub fn compute(&mut self, name: &str, expr: Expr) -> Operand {
        let mut b = Builder::new(self.function);
        b.set_span(self.span);
        let var = b.bind_one(name, expr);
        self.group.stms.extend(b.take_stms());
        var.into()
    }

    /// Copies a statement into the group, together with the statements that it needs.
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
            // An element must not overwrite a value that is shared by all elements.
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

    /// Returns the element of an array over a level.
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

    /// Returns the index of the element of `level` that is or contains the current element.
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

    /// Returns the level directly inside `level` on the way to the current level.
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

    /// Returns the index within the segment, at a level.
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

    /// Makes the current element's segment of an irregular array available in the group.
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

    /// Returns the product of operands of the group, which are extents of an existing array.
    pub fn product(&mut self, factors: &[Operand]) -> Operand {
        let mut product = factors.first().copied().unwrap_or(Operand::i64(1));
        for &factor in factors.iter().skip(1) {
            product = self.compute("size", Expr::Binary(BinaryOp::Mul, product, factor));
        }
        product
    }

    /// Whether the current group contains a check.
    pub fn has_checks(&self) -> bool {
        self.group.checks
    }

    /// Ends the current group. Values used later are stored as arrays over the level. Returns the arrays of the `wanted`
    /// operands, which are stored too. A group without stored values continues.
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

    /// Whether the current body still needs a variable.
    pub fn is_live(&self, var: Var) -> bool {
        let last_use = |scope: &Scope| scope.last_use.get(&var).is_some_and(|&last| last >= scope.at);
        self.scopes.last().is_some_and(last_use)
    }

    /// Ends the current group. Returns the arrays that it maps over, their elements, and its statements.
    pub fn take_group(&mut self) -> (Vec<Var>, Vec<Var>, Vec<Stm>) {
        let group = std::mem::take(&mut self.group);
        let (inputs, params) = group.inputs.into_iter().unzip();
        (inputs, params, group.stms)
    }

    /// Runs `work` at another level, with a group of its own.
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
            return self.unlifted("a check without a kept value");
        }
        self.group = group;
        Ok(done)
    }

    /// Runs `work` and returns the lifted code separately. Representations that it recorded are dropped afterwards.
    pub fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> Lifted<T>) -> Lifted<(Vec<Stm>, T)> {
        let (out, shapes) = (std::mem::take(&mut self.out), self.shapes.clone());
        let values = self.values.clone();
        let done = self.in_own_group(work)?;
        self.shapes = shapes;
        self.values = values;
        Ok((std::mem::replace(&mut self.out, out), done))
    }

    /// Returns the array of an operand's values for all elements, which have equal shapes.
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
    /// Returns the level around.
    pub fn parent(&self) -> Option<LevelId> {
        match self.link {
            Link::Top => None,
            Link::Regular { parent, .. } | Link::Segments { parent, .. } | Link::Subset { parent, .. } => {
                Some(parent)
            }
        }
    }
}

/// Returns `iota len`.
pub fn iota(len: Operand) -> Expr {
    Expr::Iota { len, start: Operand::i64(0), step: Operand::i64(1) }
}

/// Whether an expression contains an assertion.
fn has_check(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Assert { .. });
    expr.for_each_body(|body| found |= body.stms.iter().any(|stm| has_check(&stm.expr)));
    found
}

/// Whether the results of an expression may share elements with arrays that it uses.
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

/// Returns the variables that an expression overwrites, at any depth, under their names inside and outside.
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

/// Returns the variables that a statement needs from outside, including those in the types of its results.
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
