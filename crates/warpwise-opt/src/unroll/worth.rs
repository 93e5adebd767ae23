//! Which operations are unrolled: their weights, and what they read of literals.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, LoopForm, LoopParam, Operand, Screma, SliceDim, Stm, Type, Var, exprs};

use super::{MOST_CHOSEN, MOST_ITERATIONS, Unroller, constant, fixed};
use crate::small_arrays::Extents;

/// Returns the number of statements of an expression after all its operations are unrolled, if their numbers of iterations are
/// known and small. An access to a small array counts as one.
pub fn weight(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Screma(soac) => {
            let ops = soac.scans.iter().map(|scan| &scan.op);
            let ops = ops.chain(soac.reduces.iter().map(|reduce| &reduce.op)).chain(&soac.post);
            let lambdas = std::iter::once(&soac.map).chain(ops);
            let each = total(lambdas.map(|lambda| weight_of_body(&lambda.body)))?;
            iterations(soac.width)?.checked_mul(each.checked_add(soac.inputs.len())?)
        }
        Expr::Loop { form: LoopForm::For { bound, .. }, body, .. } => {
            iterations(*bound)?.checked_mul(weight_of_body(body)?)
        }
        Expr::If { then_body, else_body, .. } => {
            total([Some(1), weight_of_body(then_body), weight_of_body(else_body)].into_iter())
        }
        exprs!(simple) => Some(1),
        exprs!(Loop, Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg) => None,
    }
}

fn weight_of_body(body: &Body) -> Option<usize> {
    total(body.stms.iter().map(|stm| weight(&stm.expr)))
}

/// Returns the sum of weights, if all are known.
fn total(mut weights: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    weights.try_fold(0_usize, |sum, weight| sum.checked_add(weight?))
}

fn iterations(count: Operand) -> Option<usize> {
    constant(count).filter(|count| (1..=MOST_ITERATIONS).contains(count))
}

/// Returns the arrays of a body that are read at constant indices, and not otherwise.
pub fn read_at_constants(body: &Body) -> FxHashSet<Var> {
    let mut reads = Reads { all: FxHashMap::default(), at_constants: FxHashMap::default() };
    reads.body(body);
    reads.at_constants.retain(|array, count| reads.all[array] == *count);
    reads.at_constants.into_keys().collect()
}

/// Numbers of uses by variable.
struct Reads {
    all: FxHashMap<Var, u32>,
    at_constants: FxHashMap<Var, u32>,
}

impl<'a> Visitor<'a> for Reads {
    fn expr(&mut self, expr: &'a Expr) {
        if let Expr::Index { array, indices } = expr
            && indices.iter().all(|index| index.as_const().is_some())
        {
            *self.at_constants.entry(*array).or_default() += 1;
        }
        self.walk_expr(expr);
    }

    fn var(&mut self, var: &'a Var) {
        *self.all.entry(*var).or_default() += 1;
    }
}

impl Unroller<'_> {
    /// Whether unrolling a statement removes accesses to a small array.
    pub(super) fn is_worth(&self, stm: &Stm) -> bool {
        match &stm.expr {
            Expr::Screma(soac) => {
                let (reduced, results) = stm.pattern.split_at(soac.n_reduced());
                let is_acc = |var: &Var| matches!(self.function.ty(*var), Type::Acc(_));
                let is_small = |var: &Var| Extents::of(self.function.ty(*var)).is_some();
                if soac.inputs.iter().chain(&stm.pattern).any(is_acc) || !reduced.iter().all(is_small) {
                    return false;
                }
                let reads = soac.inputs.iter().any(|input| self.literals.contains_key(input));
                let is_read =
                    !results.is_empty() && results.iter().all(|var| self.at_constants.contains(var));
                !self.consumes_rows(soac) && (reads || is_read || self.map_reads_literals(soac))
            }
            Expr::Loop { params, form: LoopForm::For { index, .. }, body } => {
                self.has_plain_types(params) && self.loop_reads_literals(params, *index, body)
            }
            Expr::Copy(array) => Extents::of(self.function.ty(*array)).is_some(),
            Expr::Rearrange { array, .. } | Expr::Reshape { array, .. } | Expr::Slice { array, .. } => {
                self.extents_of_literal(*array).is_some()
                    && Extents::of(self.function.ty(stm.pattern[0])).is_some()
                    && is_known_view(&stm.expr)
            }
            Expr::Index { array, indices } => {
                // A literal that a nest takes from the host is in memory anyway.
                let is_own = self.literals.get(array).is_some_and(|&nests| nests > 0 || self.nests == 0);
                let varies = indices.iter().any(|index| index.as_var().is_some());
                let extents = self.extents_of_literal(*array).filter(|_| is_own && varies);
                extents.is_some_and(|extents| chooses(&extents, indices.len()))
            }
            Expr::Update { array, dims, .. } => {
                self.extents_of_literal(*array).is_some_and(|extents| updates_element(&extents, dims))
            }
            exprs!(
                Operand, scalar, Assert, Iota, Replicate, ArrayLit, Concat, Manifest, Scratch, If, Loop,
                Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg, Call, UpdateAcc, Tuned, Alloc
            ) => false,
        }
    }

    /// Whether the map of a SOAC may overwrite rows of an input. Then a view of the input cannot replace the parameter.
    fn consumes_rows(&self, soac: &Screma) -> bool {
        let takes_rows = soac.map.params.iter().any(|&param| self.function.ty(param).as_scalar().is_none());
        takes_rows && consumes(&soac.map.body)
    }

    /// Whether the types of loop parameters depend on no other parameters.
    fn has_plain_types(&self, params: &[LoopParam]) -> bool {
        let is_param = |size: &Operand| params.iter().any(|param| size.as_var() == Some(param.var));
        !params.iter().any(|param| self.function.ty(param.var).shape().iter().any(is_param))
    }

    fn map_reads_literals(&self, soac: &Screma) -> bool {
        let counted =
            soac.map.params.iter().zip(&soac.inputs).filter(|(_, input)| self.counts.contains(input));
        let known = counted.map(|(&param, _)| param).collect();
        self.reads_literals(&soac.map.body, known, FxHashSet::default())
    }

    fn loop_reads_literals(&self, params: &[LoopParam], index: Var, body: &Body) -> bool {
        let carried =
            params.iter().filter(|param| self.is_literal(param.init)).map(|param| param.var).collect();
        self.reads_literals(body, FxHashSet::from_iter([index]), carried)
    }

    /// Whether a body accesses a literal at an index that an iteration knows. `known` are the variables that are constant in each
    /// iteration, `carried` the arrays that are literals if earlier iterations are unrolled.
    fn reads_literals(&self, body: &Body, known: FxHashSet<Var>, carried: FxHashSet<Var>) -> bool {
        let mut accesses = Accesses { unroller: self, known, carried, found: false };
        accesses.body(body);
        accesses.found
    }
}

/// Whether an access with this number of indices, which are unknown, becomes a choice between scalars.
pub fn chooses(extents: &Extents, n_indices: usize) -> bool {
    n_indices == 1 && extents.shape.len() == 1 && extents.count() <= MOST_CHOSEN
}

/// Whether an update becomes one of scalars.
pub fn updates_element(extents: &Extents, dims: &[SliceDim]) -> bool {
    let is_element = matches!(dims, [SliceDim::Fix(_)]);
    fixed(dims).is_some() || is_element && chooses(extents, 1)
}

/// Whether a view of a literal has elements that are known.
pub fn is_known_view(view: &Expr) -> bool {
    let is_known = |dim: &SliceDim| match dim {
        SliceDim::Fix(at) => constant(*at).is_some(),
        SliceDim::Range { start, len, stride } => [start, len, stride].iter().all(|x| x.as_const().is_some()),
    };
    match view {
        Expr::Rearrange { .. } | Expr::Reshape { .. } => true,
        Expr::Slice { dims, .. } => dims.iter().all(is_known),
        exprs!(Operand, scalar, Assert, Index, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => false,
    }
}

/// Whether a body overwrites an array.
fn consumes(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = false;
        stm.expr.for_each_consumed(|_, _| true, |_| found = true);
        stm.expr.for_each_body(|inner| found |= consumes(inner));
        found
    })
}

/// A walk that looks for accesses to literals.
struct Accesses<'u> {
    unroller: &'u Unroller<'u>,
    known: FxHashSet<Var>,
    carried: FxHashSet<Var>,
    found: bool,
}

impl Accesses<'_> {
    fn is_known(&self, x: Operand) -> bool {
        x.as_var().is_none_or(|var| self.known.contains(&var))
    }

    /// Whether indices are known in each iteration, and depend on it.
    fn follow_iteration(&self, mut indices: impl Iterator<Item = Operand> + Clone) -> bool {
        indices.clone().all(|index| self.is_known(index)) && indices.any(|index| index.as_var().is_some())
    }

    fn is_literal(&self, array: Var) -> bool {
        self.unroller.literals.contains_key(&array) || self.carried.contains(&array)
    }
}

impl<'a> Visitor<'a> for Accesses<'_> {
    fn stm(&mut self, stm: &'a Stm) {
        self.found |= match &stm.expr {
            Expr::Index { array, indices } => {
                self.is_literal(*array) && self.follow_iteration(indices.iter().copied())
            }
            Expr::Update { array, dims, .. } => {
                let fixed: Option<Vec<Operand>> = dims.iter().map(SliceDim::as_fixed).collect();
                self.carried.contains(array)
                    && fixed.is_some_and(|fixed| self.follow_iteration(fixed.into_iter()))
            }
            exprs!(scalar) => {
                let mut all_known = true;
                stm.expr.for_each_operand(|x| all_known &= self.is_known(x));
                if all_known {
                    self.known.extend(&stm.pattern);
                }
                false
            }
            exprs!(
                Operand, Assert, Slice, Rearrange, Reshape, fresh, nested, Call, UpdateAcc, Tuned, Alloc
            ) => false,
        };
        self.walk_stm(stm);
    }
}
