//! Sinks maps below the slices of what they make (papers/001, section 4.2): what no slice keeps is never computed, and a map that is read
//! backwards or in part fuses with its reader.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map f;
//! zs: [5]f32 = slice ys[0:5:1];
//! ==>
//! part: [5]f32 = slice xs[0:5:1];
//! zs: [5]f32 = screma 5 (part) map f;
//! ```
//!
//! An element that is taken by its index, `y: f32 = index ys[i]`, is computed where it is taken; an element of a nest of maps likewise, one
//! map after the other.
//!
//! For maps all of whose arrays are read once, in the same body, by slices of rows or by indices that are the same: so no work is done
//! twice. Not done here: slices of columns, results of scans, what only a branch reads, and, in host code, elements that take loops to
//! compute, which the host is slow at.

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

/// Who runs a body.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    OnHost,
    /// An operation does for each of its elements.
    Inside,
}

fn sink_in(function: &mut Function, uses: &SecondaryMap<Var, u32>, runs: Runs, body: &mut Body) {
    // What is computed of an element may be an element of a row.
    while may_sink(function, body) && sink_statements(function, uses, runs, body) {}
    for stm in &mut body.stms {
        let runs = if let exprs!(soac) = stm.expr { Runs::Inside } else { runs };
        stm.expr.for_each_body_mut(|body| sink_in(function, uses, runs, body));
    }
}

/// Whether anything is taken behind a map.
fn may_sink(function: &Function, body: &Body) -> bool {
    let first_map = body.stms.iter().position(|stm| as_map(stm).is_some());
    first_map.is_some_and(|first| body.stms[first..].iter().any(|stm| Taken::by(function, stm).is_some()))
}

/// Goes backwards: what is taken of a map's inputs may be taken of what another one makes. Yields whether an element of a row was sunk to,
/// so that what makes the row may follow.
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

/// Whether what it does to an element is soon done, in order, by the host.
fn is_short(map: &Screma) -> bool {
    map.map.body.stms.iter().all(|stm| stm.expr.is_straight() || matches!(stm.expr, Expr::Assert { .. }))
}

/// What is taken of an array.
#[derive(Clone, PartialEq)]
enum Taken {
    /// A slice of its rows, not more of them than there are.
    Rows(SliceDim),
    /// A scalar, by its indices.
    Element(Vec<Operand>),
}

impl Taken {
    /// What a statement takes of this array.
    fn of(function: &Function, stm: &Stm, array: Var) -> Option<Taken> {
        Taken::by(function, stm).filter(|&(whose, _)| whose == array).map(|(_, taken)| taken)
    }

    /// The array that a statement takes something of, and what it takes.
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

/// All of these dimensions.
fn whole(shape: &[Operand]) -> Vec<SliceDim> {
    shape.iter().map(|&len| SliceDim::whole(len)).collect()
}

/// The only uses of what a map makes.
struct Taking {
    taken: Taken,
    /// The arrays with the places where something is taken of them, the first place first.
    arrays: Vec<(usize, Var)>,
}

/// The statements of a body.
struct Block {
    /// What stands now where a statement stood.
    places: Vec<Vec<Stm>>,
    /// Where a part of an array is taken.
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

    /// How the map of a place is used, if it may go there.
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
            // Rows that it overwrites would be its inputs'.
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

    /// Whether nothing that a statement reads is overwritten before that place.
    fn can_move(&self, function: &Function, at: usize, place: usize) -> bool {
        let reads = free_in_expr(function, &self.places[at][0].expr);
        let roots: Vec<Var> = reads.iter().flat_map(|var| self.aliases.roots(var)).collect();
        let mut between = self.places[at + 1..place].iter().flatten();
        between.all(|stm| self.aliases.consumed(stm).iter().all(|root| !roots.contains(root)))
    }

    /// Puts the map of a place to where its arrays are first taken from, and has it make what is taken.
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
            // The checks of the others say the same.
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

/// The map over these rows of its inputs.
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

/// What a map computes of the elements at an index, or, if there are more indices, elements of that.
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
