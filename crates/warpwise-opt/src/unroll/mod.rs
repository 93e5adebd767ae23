//! Unrolls operations over array literals inside nests and loops, and replaces small arrays there by scalars.
//!
//! ```text
//! v: [2]f32 = screma 2 (w) map (c: f32) {             w_0 = index w[0]; t_0 = fmul x w_0;
//!   t: f32 = fmul x c; return t };                    w_1 = index w[1]; t_1 = fmul x w_1;
//! a: f32 = index v[0];                       ==>      v: [2]f32 = [t_0, t_1];
//! b: f32 = index v[1];                                a: f32 = index v[0];
//!                                                     b: f32 = index v[1];
//! ```
//!
//! `simplify` then replaces the elements by the operands of the literals `w` and `v`, and removes both. What remains are scalars:
//! lanes hold them in registers, offsets of a stencil become constants, and weights become operands.
//!
//! An operation is unrolled if its number of iterations is a small constant and one of these holds: it reads a literal at the
//! index of the iteration, or its results are read only at constant indices. Its result is a literal again, for the operations
//! that follow. Copies of small arrays, and views and updates of small literals, become literals, too. Small arrays that a loop
//! carries or a choice yields become scalars ([`scalars`]). An access at an unknown index becomes a choice between a few scalars.
//!
//! Code of the host outside loops stays as it is: it runs once.
//!
//! Not done here: partitions, histograms and scatters over literals; operations that contain others of an unknown number of
//! iterations; literals that are joined; updates of whole rows.

mod scalars;
mod worth;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::{
    Body, Expr, Function, Lambda, LoopForm, LoopParam, Operand, Program, Screma, SliceDim, Stm, Var, exprs,
};
use warpwise_prim::{CompareOp, Scalar};

use crate::pass::rewrite_bodies;
use crate::small_arrays::{Extents, Value, known};
use worth::{read_at_constants, weight};

/// Maximum number of iterations of an operation that is unrolled.
const MOST_ITERATIONS: usize = 32;

/// Maximum number of statements that replace one operation.
const MOST_STATEMENTS: usize = 512;

/// Maximum number of statements, except for those that `simplify` removes, that replace the operations of one function. LLVM's
/// time grows faster than this number.
const MOST_IN_FUNCTION: usize = 1024;

/// Maximum number of elements of a row that is accessed at an unknown index by choices between its elements. Lanes would gather
/// and scatter, which costs as much as about 16 choices.
const MOST_CHOSEN: usize = 8;

/// Unrolls operations of every function, in nests and in loops of the host.
pub fn unroll(program: &mut Program) -> Result<(), Limit> {
    unroll_in(program, true)
}

/// Unrolls operations of every function in nests only: the host would read arrays of a device element by element.
pub fn unroll_device(program: &mut Program) -> Result<(), Limit> {
    unroll_in(program, false)
}

fn unroll_in(program: &mut Program, host_loops: bool) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let at_constants = read_at_constants(body);
        let (literals, counts) = (FxHashMap::default(), FxHashSet::default());
        let (nests, loops, left) = (0, 0, MOST_IN_FUNCTION);
        Unroller { function, host_loops, literals, counts, at_constants, nests, loops, left }.body(body);
    });
    Ok(())
}

struct Unroller<'f> {
    function: &'f mut Function,
    /// Whether operations in loops of the host are unrolled, too.
    host_loops: bool,
    /// The arrays bound to literals of scalars or of such arrays, or to a few equal scalars, with the number of SOACs around each.
    literals: FxHashMap<Var, usize>,
    /// The iotas whose start and step are constants.
    counts: FxHashSet<Var>,
    /// The arrays that are read at constant indices, and not otherwise.
    at_constants: FxHashSet<Var>,
    /// Number of enclosing SOACs.
    nests: usize,
    /// Number of enclosing loops.
    loops: usize,
    /// Number of statements that may still be added.
    left: usize,
}

impl Unroller<'_> {
    fn body(&mut self, body: &mut Body) {
        for stm in std::mem::take(&mut body.stms) {
            self.statement(stm, &mut body.stms);
        }
    }

    /// Emits a statement, or the statements that replace it.
    fn statement(&mut self, mut stm: Stm, stms: &mut Vec<Stm>) {
        if let Some(unrolled) = self.unrolled(&stm) {
            return unrolled.into_iter().for_each(|stm| self.statement(stm, stms));
        }
        let mut assembled = self.loop_of_scalars(&mut stm, stms);
        let (nests, loops) = (self.nests, self.loops);
        self.nests += usize::from(matches!(stm.expr, exprs!(soac)));
        self.loops += usize::from(matches!(stm.expr, Expr::Loop { .. }));
        stm.expr.for_each_body_mut(|inner| self.body(inner));
        (self.nests, self.loops) = (nests, loops);
        assembled.extend(self.choice_of_scalars(&mut stm));
        self.note(&stm);
        stms.push(stm);
        assembled.iter().for_each(|stm| self.note(stm));
        stms.extend(assembled);
    }

    /// Whether code here runs many times, so that unrolling pays.
    fn is_repeated(&self) -> bool {
        self.nests > 0 || self.host_loops && self.loops > 0
    }

    /// Remembers the literals that a statement binds.
    fn note(&mut self, stm: &Stm) {
        let (expr, [var]) = (&stm.expr, &stm.pattern[..]) else { return };
        let is_scalar = |function: &Function, x: Operand| function.operand_type(x).as_scalar().is_some();
        let is_literal = match expr {
            Expr::ArrayLit(elements) => {
                elements.iter().all(|&x| is_scalar(self.function, x) || self.is_literal(x))
            }
            Expr::Operand(x) => self.is_literal(*x),
            Expr::Index { array, indices } => {
                let row = !is_scalar(self.function, (*var).into());
                row && self.literals.contains_key(array) && indices.iter().all(|x| x.as_const().is_some())
            }
            Expr::Replicate { value, .. } => {
                is_scalar(self.function, *value) && Extents::of(self.function.ty(*var)).is_some()
            }
            exprs!(
                scalar, Assert, Slice, Rearrange, Reshape, Update, Iota, Concat, Copy, Manifest, Scratch,
                nested, Call, UpdateAcc, Tuned, Alloc
            ) => false,
        };
        if is_literal {
            self.literals.insert(*var, self.nests);
        }
        if matches!(expr, Expr::Iota { start: Operand::Const(_), step: Operand::Const(_), .. }) {
            self.counts.insert(*var);
        }
    }

    fn is_literal(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.literals.contains_key(&var))
    }

    /// Returns the shape of an array that is a literal of a few scalars.
    fn extents_of_literal(&self, array: Var) -> Option<Extents> {
        Extents::of(self.function.ty(array)).filter(|_| self.literals.contains_key(&array))
    }

    /// Returns the statements that replace an operation over literals.
    fn unrolled(&mut self, stm: &Stm) -> Option<Vec<Stm>> {
        let is_light = weight(&stm.expr).is_some_and(|weight| weight <= MOST_STATEMENTS.min(self.left));
        if !is_light || !self.is_repeated() || !self.is_worth(stm) {
            return None;
        }
        let mut b = Builder::new(self.function);
        b.set_span(stm.span);
        match &stm.expr {
            Expr::Screma(soac) => unroll_screma(&mut b, soac, &stm.pattern),
            Expr::Loop { params, form: LoopForm::For { index, bound }, body } => {
                let results = unroll_loop(&mut b, params, *index, *bound, body);
                for (&var, result) in stm.pattern.iter().zip(results) {
                    b.bind_to(vec![var], Expr::Operand(result));
                }
            }
            Expr::Copy(array)
            | Expr::Rearrange { array, .. }
            | Expr::Reshape { array, .. }
            | Expr::Slice { array, .. } => {
                let array = Value::read(&mut b, (*array).into())?;
                viewed(b.function, &stm.expr, array, stm.pattern[0])?.bind_to(&mut b, stm.pattern[0]);
            }
            Expr::Index { array, indices } => {
                let element = element_at(&mut b, *array, indices[0])?;
                b.bind_to(stm.pattern.clone(), Expr::Operand(element));
            }
            Expr::Update { array, dims, value } => {
                let value = with_element(&mut b, *array, dims, *value)?;
                value.bind_to(&mut b, stm.pattern[0]);
            }
            exprs!(
                Operand, scalar, Assert, Iota, Replicate, ArrayLit, Concat, Manifest, Scratch, If, Loop,
                Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg, Call, UpdateAcc, Tuned, Alloc
            ) => return None,
        }
        let mut stms = b.take_stms();
        stms.iter_mut().for_each(|emitted| emitted.certs.extend(&stm.certs));
        self.left = self.left.checked_sub(stms.iter().filter(|stm| stays(&stm.expr)).count())?;
        Some(stms)
    }
}

/// Whether `simplify` keeps a statement that unrolling emits.
fn stays(expr: &Expr) -> bool {
    match expr {
        Expr::Operand(_) | Expr::ArrayLit(_) | Expr::Copy(_) => false,
        Expr::Index { indices, .. } => indices.iter().any(|index| index.as_var().is_some()),
        exprs!(
            scalar, Assert, Slice, Rearrange, Reshape, Update, Iota, Replicate, Concat, Manifest, Scratch,
            nested, Call, UpdateAcc, Tuned, Alloc
        ) => true,
    }
}

/// Emits the elements of a SOAC one after the other, and binds its results.
fn unroll_screma(b: &mut Builder, soac: &Screma, pattern: &[Var]) {
    let neutral = soac.scans.iter().map(|scan| &scan.neutral);
    let neutral = neutral.chain(soac.reduces.iter().map(|reduce| &reduce.neutral));
    let mut sums: Vec<Operand> = neutral.flatten().copied().collect();
    let width = constant(soac.width).expect("the width is known");
    let rows: Vec<Vec<Operand>> = (0..width).map(|i| element(b, soac, i, &mut sums)).collect();
    let (reduced, arrays) = pattern.split_at(soac.n_reduced());
    for (&var, &sum) in reduced.iter().zip(&sums[soac.n_scanned()..]) {
        // The sum may be another name of the neutral element, or of a row.
        let result = match sum.as_var().filter(|&sum| b.function.ty(sum).rank() > 0) {
            Some(array) => Expr::Copy(array),
            None => Expr::Operand(sum),
        };
        b.bind_to(vec![var], result);
    }
    for (at, &var) in arrays.iter().enumerate() {
        b.bind_to(vec![var], Expr::ArrayLit(rows.iter().map(|row| row[at]).collect()));
    }
}

/// Emits one element of a SOAC and returns its results. `sums` are the running values of its scans and reductions.
fn element(b: &mut Builder, soac: &Screma, i: usize, sums: &mut [Operand]) -> Vec<Operand> {
    let at = Operand::i64(i as i64);
    let args: Vec<Operand> = soac.inputs.iter().map(|&input| b.index("x", input, &[at]).into()).collect();
    let values = b.apply(&soac.map, &args);
    let n_combined = soac.n_scanned() + soac.n_reduced();
    let exclusive =
        soac.scans.iter().flat_map(|scan| std::iter::repeat_n(scan.exclusive, scan.neutral.len()));
    let before = sums.to_vec();
    let ops = soac.scans.iter().map(|scan| &scan.op).chain(soac.reduces.iter().map(|reduce| &reduce.op));
    let mut first = 0;
    for op in ops {
        let own = first..first + op.params.len() / 2;
        combine(b, op, &mut sums[own.clone()], &values[own.clone()]);
        first = own.end;
    }
    let scanned = exclusive.zip(before.iter().zip(&*sums));
    let scanned = scanned.map(|(exclusive, (&before, &after))| if exclusive { before } else { after });
    let results: Vec<Operand> = scanned.chain(values[n_combined..].iter().copied()).collect();
    match &soac.post {
        Some(post) => b.apply(post, &results),
        None => results,
    }
}

/// Combines running values with the next values.
fn combine(b: &mut Builder, op: &Lambda, sums: &mut [Operand], values: &[Operand]) {
    let args: Vec<Operand> = sums.iter().chain(values).copied().collect();
    sums.copy_from_slice(&b.apply(op, &args));
}

/// Emits the iterations of a loop one after the other and returns its results.
fn unroll_loop(
    b: &mut Builder,
    params: &[LoopParam],
    index: Var,
    bound: Operand,
    body: &Body,
) -> Vec<Operand> {
    let ty = b.function.ty(index).as_scalar().expect("an index is a scalar");
    let vars = std::iter::once(index).chain(params.iter().map(|param| param.var)).collect();
    let iteration = Lambda { params: vars, body: body.clone() };
    let mut values: Vec<Operand> = params.iter().map(|param| param.init).collect();
    for i in 0..constant(bound).unwrap_or(0) {
        let args: Vec<Operand> =
            std::iter::once(Operand::Const(Scalar::int(ty, i as i64))).chain(values).collect();
        values = b.apply(&iteration, &args);
    }
    values
}

/// Returns the elements of a copy or view of a small array.
fn viewed(function: &Function, view: &Expr, array: Value, result: Var) -> Option<Value> {
    match view {
        Expr::Copy(_) => Some(array),
        Expr::Rearrange { perm, .. } => Some(array.rearranged(perm)),
        Expr::Reshape { .. } => array.reshaped(Extents::of(function.ty(result))?),
        Expr::Slice { dims, .. } => array.sliced(dims),
        exprs!(
            Operand, scalar, Assert, Index, Update, Iota, Replicate, ArrayLit, Concat, Manifest, Scratch,
            nested, Call, UpdateAcc, Tuned, Alloc
        ) => None,
    }
}

/// Chooses the element of a small row at an index.
fn element_at(b: &mut Builder, row: Var, at: Operand) -> Option<Operand> {
    let elements = Value::read(b, row.into())?.elements;
    let (&last, others) = elements.split_last()?;
    Some(others.iter().enumerate().fold(last, |otherwise, (i, &element)| {
        let is_here = b.compare("here", CompareOp::Eq, at, Operand::i64(i as i64));
        b.select("x", is_here, element, otherwise)
    }))
}

/// Returns a small array with one element replaced: at constant indices, or at any index of a row.
fn with_element(b: &mut Builder, array: Var, dims: &[SliceDim], by: Operand) -> Option<Value> {
    let mut value = Value::read(b, array.into())?;
    if let Some(indices) = fixed(dims) {
        let place = value.extents.place(&indices);
        *value.elements.get_mut(place)? = by;
        return Some(value);
    }
    let [SliceDim::Fix(at)] = *dims else { return None };
    for (i, element) in value.elements.iter_mut().enumerate() {
        let is_here = b.compare("here", CompareOp::Eq, at, Operand::i64(i as i64));
        *element = b.select("x", is_here, by, *element);
    }
    Some(value)
}

/// Returns the indices of a slice that is one element at constant indices.
fn fixed(dims: &[SliceDim]) -> Option<Vec<usize>> {
    dims.iter().map(|dim| constant(dim.as_fixed()?)).collect()
}

/// Returns the value of a constant that counts something.
fn constant(x: Operand) -> Option<usize> {
    usize::try_from(known(x)?).ok()
}
