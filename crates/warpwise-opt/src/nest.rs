//! Replaces maps and reductions over flattened views by nests over the arrays that are flattened (papers/001, section 4.2).
//!
//! ```text
//! b: [m][n]f32 = rearrange (1, 0) a;                      b: [m][n]f32 = rearrange (1, 0) a;
//! c: [l]f32 = reshape [l] b;                              rows: [m][n]f32 = screma m (b) map (row: [n]f32) {
//! d: [l]f32 = screma l (c) map (x: f32) { ... }    ==>      r: [n]f32 = screma n (row) map (x: f32) { ... }; return r };
//!                                                         d: [l]f32 = reshape [l] rows;
//! ```
//!
//! For arrays that are not row-major flattening is a copy, which the nest avoids. The reader of an array that a nest makes for it
//! alone becomes a nest, too: the two can fuse. Other flattened arrays are views and stay flat, because a single dimension is
//! easiest to distribute.
//!
//! Applies to flattened arrays that have no other reader and that no loop inside reads repeatedly. The other inputs are reshaped
//! to the same dimensions, unless that would be a copy, too. Reductions combine rows, then the rows' values, in the same order.
//!
//! Not done here: scans, whose carry crosses rows; operators that may fail, which would be applied to neutral elements for empty
//! rows; iotas and replicates beside flattened arrays.

use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Expr, Function, Lambda, Operand, Program, Reduce, Screma, SliceDim, Stm, Type, Var, exprs,
};

use crate::pass::rewrite_bodies;
use crate::uses::uses;

/// Rewrites every function for a CPU.
pub fn nest(program: &mut Program) -> Result<(), Limit> {
    rewrite(program, true);
    Ok(())
}

/// Rewrites every function for devices. Arrays that nests make stay flat there, because a flat reduction has the most work-items.
pub fn nest_device(program: &mut Program) -> Result<(), Limit> {
    rewrite(program, false);
    Ok(())
}

fn rewrite(program: &mut Program, nests_fuse: bool) {
    rewrite_bodies(program, |function, body| {
        let uses = uses(body);
        let (scattered, made) = (SecondaryMap::default(), SecondaryMap::default());
        let flattened = SecondaryMap::default();
        Nester { function, nests_fuse, uses, scattered, made, flattened, bodies: 0 }.body(body);
    });
}

/// The origin of an array.
#[derive(Clone, Copy, Default, PartialEq)]
enum Made {
    /// A parameter or any other operation.
    #[default]
    Otherwise,
    /// A map. `literal_rows`: whether its rows are array literals.
    ByMap { literal_rows: bool },
    /// A map whose rows are made by a map.
    ByNest,
    /// An iota or replicate, which is not in memory.
    Nowhere,
}

/// The origin of a flat array.
#[derive(Clone)]
struct Flattened {
    of: Var,
    certs: Vec<Var>,
    /// Number of the body with the reshape. A reader in a loop inside that body keeps the copy, which it reads repeatedly.
    body: usize,
}

struct Nester<'f> {
    function: &'f mut Function,
    /// Whether the readers of arrays that nests make become nests.
    nests_fuse: bool,
    uses: SecondaryMap<Var, u32>,
    /// Arrays whose layout is not row-major, so that flattening copies them.
    scattered: SecondaryMap<Var, bool>,
    made: SecondaryMap<Var, Made>,
    /// Flattened arrays whose layout was not row-major, or that a nest has made for a single reader.
    flattened: SecondaryMap<Var, Option<Flattened>>,
    /// Number of bodies entered so far.
    bodies: usize,
}

impl Nester<'_> {
    fn body(&mut self, body: &mut Body) {
        self.bodies += 1;
        let number = self.bodies;
        let mut unread = Vec::new();
        for mut stm in std::mem::take(&mut body.stms) {
            if let Some((lambda, arrays)) = stm.expr.parts() {
                for (&param, array) in lambda.params.iter().zip(arrays) {
                    self.scattered[param] = array.is_some_and(|&array| self.scattered[array]);
                }
            }
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            self.note(&stm, number);
            match self.outer_shape(&stm, number) {
                Some(shape) => {
                    // An unread reshape would still count as a use and prevent fusion.
                    unread.extend(self.flattened_inputs(&stm));
                    let stms = self.nested(stm, &shape);
                    stms.iter().for_each(|stm| self.note(stm, number));
                    body.stms.extend(stms);
                }
                None => body.stms.push(stm),
            }
        }
        body.stms.retain(|stm| !stm.pattern.iter().any(|var| unread.contains(var)));
    }

    /// Returns the inputs of an operation that are flattened, and that nothing else reads.
    fn flattened_inputs(&self, stm: &Stm) -> Vec<Var> {
        let Expr::Screma(soac) = &stm.expr else { return Vec::new() };
        soac.inputs.iter().copied().filter(|&input| self.flattened[input].is_some()).collect()
    }

    /// Records the layout and origin of the arrays that a statement binds.
    fn note(&mut self, stm: &Stm, body: usize) {
        let [var] = stm.pattern[..] else {
            self.note_maps(stm);
            return;
        };
        match &stm.expr {
            Expr::Operand(Operand::Var(array)) | Expr::Index { array, .. } => {
                self.scattered[var] = self.scattered[*array];
            }
            Expr::Rearrange { array, perm } => {
                self.scattered[var] =
                    self.scattered[*array] || !perm.is_sorted() && !self.is_stored_so(*array, perm);
            }
            Expr::Slice { array, dims } => {
                let shape = self.function.ty(*array).shape();
                self.scattered[var] = self.scattered[*array] || !is_dense(dims, shape);
            }
            Expr::Reshape { array, .. }
                if self.function.ty(*array).rank() > 1
                    && (self.scattered[*array] || self.is_made_for_one(*array)) =>
            {
                self.flattened[var] = Some(Flattened { of: *array, certs: stm.certs.clone(), body });
            }
            Expr::Reshape { array, .. } => {
                let is_stored = self.made[*array] == Made::ByNest && self.uses[*array] > 1;
                self.made[var] = if is_stored { Made::Otherwise } else { self.made[*array] };
            }
            Expr::Iota { .. } | Expr::Replicate { .. } => self.made[var] = Made::Nowhere,
            exprs!(
                Operand, scalar, Assert, Update, ArrayLit, Concat, Copy, Manifest, Scratch, nested, Call,
                UpdateAcc, Tuned, Alloc
            ) => self.note_maps(stm),
        }
    }

    fn note_maps(&mut self, stm: &Stm) {
        let Expr::Screma(soac) = &stm.expr else { return };
        for (&var, result) in stm.pattern.iter().rev().zip(soac.map.body.result.iter().rev()) {
            let is_bound = |stm: &&Stm| result.as_var().is_some_and(|var| stm.pattern.contains(&var));
            self.made[var] = match soac.map.body.stms.iter().find(is_bound).map(|stm| &stm.expr) {
                Some(Expr::Screma(row)) if soac.is_map() && row.is_map() => Made::ByNest,
                row => Made::ByMap { literal_rows: matches!(row, Some(Expr::ArrayLit(_))) },
            };
        }
    }

    /// Whether a nest makes an array for a single reader.
    fn is_made_for_one(&self, array: Var) -> bool {
        self.nests_fuse && self.made[array] == Made::ByNest && self.uses[array] == 1
    }

    /// Whether `place` will store an array in the order in which this, its only use, reads it.
    fn is_stored_so(&self, array: Var, perm: &[usize]) -> bool {
        let keeps_neighbours = perm.last() == Some(&(perm.len() - 1));
        match self.made[array] {
            Made::ByMap { literal_rows } => self.uses[array] == 1 && (literal_rows || keeps_neighbours),
            Made::ByNest => self.uses[array] == 1 && keeps_neighbours,
            Made::Otherwise | Made::Nowhere => false,
        }
    }

    /// Returns the outer dimensions that a statement's inputs were flattened from, if the statement can run as a nest over them.
    fn outer_shape(&self, stm: &Stm, body: usize) -> Option<Vec<Operand>> {
        let Expr::Screma(soac) = &stm.expr else { return None };
        let fails = soac.reduces.iter().any(|reduce| reduce.op.body.can_fail());
        if !soac.scans.is_empty() || soac.post.is_some() || fails {
            return None;
        }
        let mut shape: Option<Vec<Operand>> = None;
        for &input in &soac.inputs {
            let row = self.function.ty(input).rank() - 1;
            if let Some(flattened) = &self.flattened[input] {
                let of = self.function.ty(flattened.of).shape();
                let (outer, inner) = of.split_at(of.len().checked_sub(row)?);
                let is_flattened = outer.len() > 1 && *inner == self.function.ty(input).shape()[1..];
                let is_read_once = self.uses[input] == 1 && flattened.body == body;
                if !is_flattened || !is_read_once || shape.as_ref().is_some_and(|x| x != outer) {
                    return None;
                }
                shape = Some(outer.to_vec());
            } else if self.made[input] == Made::Nowhere || self.scattered[input] && row > 0 {
                return None;
            }
        }
        shape
    }

    /// Returns the statement as a nest, with the statements that flatten its results.
    fn nested(&mut self, stm: Stm, outer: &[Operand]) -> Vec<Stm> {
        let Stm { pattern, expr: Expr::Screma(mut soac), mut certs, span } = stm else { return vec![stm] };
        let sources: Vec<Option<Flattened>> =
            soac.inputs.iter().map(|&input| self.flattened[input].clone()).collect();
        for relied_on in sources.iter().flatten().flat_map(|source| &source.certs) {
            if !certs.contains(relied_on) {
                certs.push(*relied_on);
            }
        }
        let mut b = Builder::new(self.function);
        b.set_span(span);
        b.with_certs(&certs, |b| {
            for (input, source) in soac.inputs.iter_mut().zip(sources) {
                *input = match source {
                    Some(source) => source.of,
                    None => b.bind_one("rows", reshaped(b.function, *input, outer)),
                };
            }
            let elements: Vec<Type> = element_types(b.function, &soac, &pattern);
            let n_reduced = soac.n_reduced();
            let nest = over(b.function, *soac, outer, &elements, span);
            let mut bound = pattern[..n_reduced].to_vec();
            bound.extend(elements[n_reduced..].iter().map(|ty| b.function.fresh("rows", ty.array_of(outer))));
            bound[n_reduced..].iter().for_each(|&rows| self.uses[rows] = 1);
            b.bind_to(bound.clone(), Expr::Screma(Box::new(nest)));
            for (&array, &made) in pattern.iter().zip(&bound).skip(n_reduced) {
                let shape = b.function.ty(array).shape().iter().copied().collect();
                b.bind_to(vec![array], Expr::Reshape { array: made, shape });
            }
        });
        b.take_stms()
    }
}

/// Returns an array of flat rows reshaped to these outer dimensions.
fn reshaped(function: &Function, array: Var, outer: &[Operand]) -> Expr {
    let row = &function.ty(array).shape()[1..];
    Expr::Reshape { array, shape: outer.iter().chain(row).copied().collect() }
}

/// Returns the types that a map with reductions yields per element.
fn element_types(function: &Function, soac: &Screma, pattern: &[Var]) -> Vec<Type> {
    let reduced = pattern[..soac.n_reduced()].iter().map(|&var| function.ty(var).clone());
    let arrays = pattern[soac.n_reduced()..].iter().map(|&var| function.ty(var).row(1));
    reduced.chain(arrays).collect()
}

/// Returns a map with reductions as a nest over arrays with these outer dimensions.
fn over(function: &mut Function, soac: Screma, outer: &[Operand], elements: &[Type], span: Span) -> Screma {
    let Some((&width, rest)) = outer.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Screma { width: outer[0], ..soac };
    };
    let reduces = soac.reduces.iter().map(|reduce| copied(function, reduce)).collect();
    let row = |function: &mut Function, &array: &Var| {
        let ty = function.ty(array).row(1);
        function.fresh("row", ty)
    };
    let params: Vec<Var> = soac.inputs.iter().map(|array| row(function, array)).collect();
    let (inputs, n_reduced) = (soac.inputs.clone(), soac.n_reduced());
    let inner = over(function, Screma { inputs: params.clone(), ..soac }, rest, elements, span);
    let (reduced, arrays) = elements.split_at(n_reduced);
    let yielded = reduced.iter().cloned().chain(arrays.iter().map(|ty| ty.array_of(rest)));
    let pattern: Vec<Var> = yielded.map(|ty| function.fresh("r", ty)).collect();
    let result = pattern.iter().map(|&var| var.into()).collect();
    let inner = Stm { pattern, expr: Expr::Screma(Box::new(inner)), certs: Vec::new(), span };
    let map = Lambda { params, body: Body { stms: vec![inner], result } };
    Screma { width, inputs, map, scans: Vec::new(), reduces, post: None }
}

fn copied(function: &mut Function, reduce: &Reduce) -> Reduce {
    let op = Copier::within(function, Substitution::new()).copy_lambda(&reduce.op);
    Reduce { op, neutral: reduce.neutral.clone(), commutative: reduce.commutative }
}

/// Whether a slice of a row-major array is row-major.
fn is_dense(dims: &[SliceDim], shape: &[Operand]) -> bool {
    let is_range = |dim: &SliceDim| matches!(dim, SliceDim::Range { .. });
    let first = dims.iter().position(is_range).unwrap_or(0);
    let by_one = matches!(dims[first], SliceDim::Range { stride, .. } if stride == Operand::i64(1));
    by_one && dims.iter().zip(shape).skip(first + 1).all(|(dim, &size)| *dim == SliceDim::whole(size))
}
