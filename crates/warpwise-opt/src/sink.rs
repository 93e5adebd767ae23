//! Sinks maps below the slices of their results (papers/001, section 4.2). Elements that no slice keeps are never computed, and a
//! map that is read backwards or in part fuses with its reader.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map f;
//! zs: [5]f32 = slice ys[0:5:1];
//! ==>
//! part: [5]f32 = slice xs[0:5:1];
//! zs: [5]f32 = screma 5 (part) map f;
//! ```
//!
//! A single element, `y: f32 = index ys[i]`, is computed where it is read. An element of a nest of maps likewise, one map after
//! the other.
//!
//! Applies to maps whose arrays are each read once, in the same body, by equal slices of rows or equal indices. So no work is
//! duplicated. Not done here: slices of columns, results of scans, arrays that only a branch reads, and, in host code, elements
//! that need loops, which the host runs slowly.

use rustc_hash::FxHashMap;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, Operand, Program, Screma, SliceDim, Stm, Var, exprs};

use crate::aliases::Aliases;
use crate::pass::rewrite_bodies;
use crate::uses::uses;

/// Sinks maps in every function.
pub fn sink(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| sink_in(function, &uses(body), Runs::OnHost, body));
    Ok(())
}

/// The executor of a body.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    OnHost,
    /// An operation, for each of its elements.
    Inside,
}

fn sink_in(function: &mut Function, uses: &SecondaryMap<Var, u32>, runs: Runs, body: &mut Body) {
    // Repeated, because the map that makes the row of a sunk element may sink next.
    while may_sink(function, body) && sink_statements(function, uses, runs, body) {}
    for stm in &mut body.stms {
        let runs = if let exprs!(soac) = stm.expr { Runs::Inside } else { runs };
        stm.expr.for_each_body_mut(|body| sink_in(function, uses, runs, body));
    }
}

/// Whether a part of an array is read after a map.
fn may_sink(function: &Function, body: &Body) -> bool {
    let first_map = body.stms.iter().position(|stm| as_map(stm).is_some());
    first_map.is_some_and(|first| body.stms[first..].iter().any(|stm| Taken::by(function, stm).is_some()))
}

/// Sinks the maps of a body, last one first: after a map is sunk, the slices of its inputs may be taken from the results of an
/// earlier map. Returns whether an element of a row was sunk to, so that the map that makes the row may follow.
fn sink_statements(
    function: &mut Function,
    uses: &SecondaryMap<Var, u32>,
    runs: Runs,
    body: &mut Body,
) -> bool {
    let mut block = Block::of(function, body);
    let mut takes_of_rows = false;
    for at in (0..block.places.len()).rev() {
        if let Some(taking) = block.taking(function, uses, runs, at) {
            takes_of_rows |= matches!(&taking.taken, Taken::Element(indices) if indices.len() > 1);
            block.sink(function, at, taking);
        }
    }
    body.stms = block.places.into_iter().flatten().collect();
    takes_of_rows
}

fn as_map(stm: &Stm) -> Option<&Screma> {
    if let Expr::Screma(soac) = &stm.expr
        && soac.is_map()
    {
        Some(soac)
    } else {
        None
    }
}

/// Whether the host can compute an element of a map quickly, without loops.
fn is_short(map: &Screma) -> bool {
    map.map.body.stms.iter().all(|stm| stm.expr.is_straight() || matches!(stm.expr, Expr::Assert { .. }))
}

/// The part that a statement reads of an array.
#[derive(Clone, PartialEq)]
enum Taken {
    /// A slice of rows, without repetition.
    Rows(SliceDim),
    /// A scalar, by its indices.
    Element(Vec<Operand>),
}

impl Taken {
    /// Returns the part that a statement reads of this array.
    fn of(function: &Function, stm: &Stm, array: Var) -> Option<Taken> {
        Taken::by(function, stm).filter(|&(whose, _)| whose == array).map(|(_, taken)| taken)
    }

    /// Returns the array that a statement reads a part of, and the part.
    fn by(function: &Function, stm: &Stm) -> Option<(Var, Taken)> {
        match &stm.expr {
            Expr::Index { array, indices } if indices.len() == function.ty(*array).rank() => {
                Some((*array, Taken::Element(indices.clone())))
            }
            Expr::Index { .. } => None,
            Expr::Slice { array, dims } => {
                let (&rows, others) = dims.split_first()?;
                let SliceDim::Range { stride, .. } = rows else { return None };
                let repeats = stride.as_const().is_none() || stride == Operand::i64(0);
                let is_whole = others.iter().eq(&whole(&function.ty(*array).shape()[1..]));
                (!repeats && is_whole).then_some((*array, Taken::Rows(rows)))
            }
            exprs!(
                Operand, scalar, Assert, Update, fresh, Rearrange, Reshape, nested, Call, UpdateAcc, Tuned,
                Alloc
            ) => None,
        }
    }
}

/// Returns the slice of all of these dimensions.
fn whole(shape: &[Operand]) -> Vec<SliceDim> {
    shape.iter().map(|&len| SliceDim::whole(len)).collect()
}

/// The only uses of a map's results.
struct Taking {
    taken: Taken,
    /// The arrays with the positions where a part of them is read, in order of position.
    arrays: Vec<(usize, Var)>,
}

/// The statements of a body.
struct Block {
    /// The current statements at the position of each original statement.
    places: Vec<Vec<Stm>>,
    /// The position where a part of each array is read.
    takers: FxHashMap<Var, usize>,
    aliases: Aliases,
}

impl Block {
    fn of(function: &Function, body: &mut Body) -> Block {
        let aliases = Aliases::of(function, body);
        let taken = |(place, stm)| Some((Taken::by(function, stm)?.0, place));
        let takers = body.stms.iter().enumerate().filter_map(taken).collect();
        let places = std::mem::take(&mut body.stms).into_iter().map(|stm| vec![stm]).collect();
        Block { places, takers, aliases }
    }

    /// Returns the uses of the map at `at`, if it may move there.
    fn taking(
        &self,
        function: &Function,
        uses: &SecondaryMap<Var, u32>,
        runs: Runs,
        at: usize,
    ) -> Option<Taking> {
        let [map] = self.places[at].as_slice() else { return None };
        let soac = as_map(map)?;
        let mut found: Option<Taking> = None;
        for &array in map.pattern.iter().filter(|&&array| uses[array] > 0) {
            let place = *self.takers.get(&array).filter(|_| uses[array] == 1)?;
            let taken = self.places[place].iter().find_map(|stm| Taken::of(function, stm, array))?;
            let taking = found.get_or_insert_with(|| Taking { taken: taken.clone(), arrays: Vec::new() });
            if taking.taken != taken {
                return None;
            }
            taking.arrays.push((place, array));
        }
        let mut taking = found?;
        let computes_element = || match runs {
            Runs::OnHost => is_short(soac),
            // The rows that it overwrites would be rows of its inputs.
            Runs::Inside => !self.overwrites_inputs(map, soac),
        };
        if matches!(taking.taken, Taken::Element(_)) && !computes_element() {
            return None;
        }
        taking.arrays.sort_by_key(|&(place, _)| place);
        self.can_move(function, at, taking.arrays[0].0).then_some(taking)
    }

    fn overwrites_inputs(&self, map: &Stm, soac: &Screma) -> bool {
        let overwritten = self.aliases.consumed(map);
        soac.inputs
            .iter()
            .flat_map(|&input| self.aliases.roots(input))
            .any(|root| overwritten.contains(&root))
    }

    /// Whether no variable that a statement reads is overwritten before `place`.
    fn can_move(&self, function: &Function, at: usize, place: usize) -> bool {
        let reads = free_in_expr(function, &self.places[at][0].expr);
        let roots: Vec<Var> = reads.iter().flat_map(|var| self.aliases.roots(var)).collect();
        let mut between = self.places[at + 1..place].iter().flatten();
        between.all(|stm| self.aliases.consumed(stm).iter().all(|root| !roots.contains(root)))
    }

    /// Moves the map at `at` to the first use of its arrays, and makes it compute the used parts.
    fn sink(&mut self, function: &mut Function, at: usize, taking: Taking) {
        let Some(Stm { pattern, expr: Expr::Screma(mut soac), mut certs, span }) = self.places[at].pop()
        else {
            return;
        };
        let place = taking.arrays[0].0;
        let (mut bound, mut results, mut first) = (Vec::new(), Vec::new(), None);
        for (place, array) in taking.arrays {
            let is_taker = |stm: &Stm| Taken::of(function, stm, array).is_some();
            let Some(stm) = self.places[place].iter().position(is_taker) else { continue };
            let taker = self.places[place].remove(stm);
            bound.push(taker.pattern[0]);
            results.extend(pattern.iter().position(|&made| made == array).map(|at| soac.map.body.result[at]));
            // The certificates of the other uses check the same.
            first.get_or_insert((stm, taker.certs));
        }
        let Some((stm, checks)) = first else { return };
        certs.extend(checks);
        soac.map.body.result = results;

        let mut b = Builder::new(function);
        b.set_span(span);
        match taking.taken {
            Taken::Rows(rows) => {
                self.takers.extend(soac.inputs.iter().map(|&input| (input, place)));
                b.with_certs(&certs, |b| map_of_rows(b, bound, *soac, rows));
            }
            Taken::Element(indices) => element(&mut b, bound, *soac, &indices, &certs),
        }
        self.places[place].splice(stm..stm, b.take_stms());
    }
}

/// Emits the map over these rows of its inputs.
fn map_of_rows(b: &mut Builder, bound: Vec<Var>, mut soac: Screma, rows: SliceDim) {
    let SliceDim::Range { len, .. } = rows else { return };
    for input in &mut soac.inputs {
        let mut dims = whole(b.function.ty(*input).shape());
        dims[0] = rows;
        *input = b.slice("part", *input, dims);
    }
    soac.width = len;
    b.bind_to(bound, Expr::Screma(Box::new(soac)));
}

/// Emits the map's computation for the element at the first index. Further indices select an element of its result.
fn element(b: &mut Builder, bound: Vec<Var>, soac: Screma, indices: &[Operand], certs: &[Var]) {
    let Some((&index, others)) = indices.split_first() else { return };
    for (&param, &array) in soac.map.params.iter().zip(&soac.inputs) {
        b.with_certs(certs, |b| b.bind_to(vec![param], Expr::Index { array, indices: vec![index] }));
    }
    b.extend(soac.map.body.stms);
    for (var, value) in bound.into_iter().zip(soac.map.body.result) {
        match value {
            Operand::Var(row) if !others.is_empty() => b.with_certs(certs, |b| {
                b.bind_to(vec![var], Expr::Index { array: row, indices: others.to_vec() });
            }),
            Operand::Var(_) | Operand::Const(_) => b.bind_to(vec![var], Expr::Operand(value)),
        }
    }
}
