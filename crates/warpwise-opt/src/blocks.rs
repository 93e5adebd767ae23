//! Analysis at level `mem`: which arrays lie in which block of memory, the names that a block is known under ([`Roots`]), and the
//! facts about the numbers in index functions ([`Facts`]).

use rustc_hash::FxHashSet;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::facts::Facts;
use warpwise_ir::overwrites::{Clash, Roots, clashes};
use warpwise_ir::sums::Sum;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, Lmad, Mapping, Operand, SegKind, SegOp, Stm, Type, Var, exprs};

/// The blocks of a function.
#[derive(Clone)]
pub struct Blocks {
    known: SecondaryMap<Var, Known>,
    facts: Facts,
    roots: Roots,
}

/// The facts about one block.
#[derive(Clone, Default)]
struct Known {
    is_result: bool,
    is_emptied: bool,
    arrays: Vec<Var>,
    /// Number of the operation with lanes that surrounds the allocation; 0 if there is none.
    lanes: usize,
}

impl Blocks {
    /// Analyses a function whose body has been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Blocks {
        let blocks = Blocks {
            known: SecondaryMap::default(),
            facts: Facts::of(function, body),
            roots: Roots::of(function, body),
        };
        let mut survey = Survey { function, blocks, allocated: Vec::new(), lanes: 0, lane_ops: 0 };
        function.params.iter().for_each(|param| survey.bind(&param.var));
        survey.body(body);
        survey.blocks
    }

    /// Returns the arrays that lie in a block.
    pub fn arrays(&self, block: Var) -> &[Var] {
        &self.known[block].arrays
    }

    /// Whether all arrays in a block are known, and no other name can stand for the block while it is written.
    pub fn has_one_name(&self, block: Var) -> bool {
        self.roots.has_one_name(block)
    }

    /// Whether a block is only mentioned by placements and as a result of the body that makes it.
    pub fn is_kept(&self, block: Var) -> bool {
        !self.roots.is_handed_on(block)
    }

    /// Whether a block is a result of the body that makes it.
    pub fn is_result(&self, block: Var) -> bool {
        self.known[block].is_result
    }

    /// Records that a block is not a result any more.
    pub fn keep(&mut self, block: Var) {
        self.known[block].is_result = false;
    }

    /// Whether two blocks have the same layout: blocks that are allocated in lanes are interleaved.
    pub fn same_lanes(&self, x: Var, y: Var) -> bool {
        self.known[x].lanes == self.known[y].lanes
    }

    /// Records that the arrays of one block now lie in another.
    pub fn move_arrays(&mut self, from: Var, to: Var) {
        let arrays = std::mem::take(&mut self.known[from].arrays);
        self.known[from].is_emptied = true;
        self.known[to].arrays.extend(arrays);
    }

    /// Records that more arrays lie in a block.
    pub fn add_arrays(&mut self, block: Var, arrays: Vec<Var>) {
        self.known[block].arrays.extend(arrays);
    }

    /// Whether the arrays of a block have all been moved away.
    pub fn is_emptied(&self, block: Var) -> bool {
        self.known[block].is_emptied
    }

    /// Adds new statements to the analysis.
    pub fn define(&mut self, function: &Function, stms: &[Stm]) {
        self.facts.define(stms);
        self.roots.define(function, stms);
    }

    /// Returns the first clash of these statements with the contents of a block. All arrays that the statements do not bind are
    /// assumed to exist before them.
    pub fn spoilt<'a>(&self, function: &Function, block: Var, stms: &'a [Stm]) -> Option<Clash<'a>> {
        let blocks = FxHashSet::from_iter([block]);
        clashes(function, (&self.facts, &self.roots), &blocks, stms, &[]).into_iter().next()
    }

    /// Returns an operand as a sum, or `None` if a number is too large.
    pub fn sum(&self, operand: Operand) -> Option<Sum> {
        self.facts.sum(operand)
    }

    /// Whether two operands are the same number.
    pub fn same(&self, x: Operand, y: Operand) -> bool {
        x == y || self.sum(x).is_some_and(|x| self.sum(y) == Some(x))
    }

    /// Whether two blocks are equally large. Sizes saturate, but if one of two equal products does, so does the other.
    pub fn same_size(&self, x: Operand, y: Operand) -> bool {
        x == y || self.facts.size(x).is_some_and(|x| self.facts.size(y) == Some(x))
    }

    /// Whether two index functions yield the same places, assuming equal extents.
    pub fn same_places(&self, x: &Lmad, y: &Lmad) -> bool {
        self.same(x.offset, y.offset) && self.same_strides(x, y)
    }

    /// Whether two index functions have the same strides.
    pub fn same_strides(&self, x: &Lmad, y: &Lmad) -> bool {
        let strides = x.dims.iter().zip(&y.dims);
        x.dims.len() == y.dims.len() && strides.into_iter().all(|(x, y)| self.same(x.stride, y.stride))
    }

    /// Returns the extent of an index of a loop or a space.
    pub fn range(&self, index: Var) -> Option<Operand> {
        self.facts.range(index)
    }
}

/// The walk that collects the facts.
struct Survey<'f> {
    function: &'f Function,
    blocks: Blocks,
    /// The blocks that the current body has allocated so far.
    allocated: Vec<Var>,
    lanes: usize,
    lane_ops: usize,
}

impl Survey<'_> {
    fn op(&mut self, stm: &Stm, op: &SegOp) {
        let outer = self.lanes;
        if op.space.iter().any(|dim| matches!(dim.mapping, Mapping::Lane | Mapping::TaskLane)) {
            self.lane_ops += 1;
            self.lanes = self.lane_ops;
        }
        self.walk_stm(stm);
        self.lanes = outer;
    }
}

impl Visitor<'_> for Survey<'_> {
    fn bind(&mut self, var: &Var) {
        if *self.function.ty(*var) == Type::Mem {
            self.blocks.known[*var].lanes = self.lanes;
        }
        if let Some(placement) = &self.function.vars[*var].placement {
            self.blocks.known[placement.block].arrays.push(*var);
        }
    }

    fn body(&mut self, body: &Body) {
        let outer = std::mem::take(&mut self.allocated);
        body.stms.iter().for_each(|stm| self.stm(stm));
        for var in body.result.iter().filter_map(|result| result.as_var()) {
            self.blocks.known[var].is_result |= self.allocated.contains(&var);
        }
        self.allocated = outer;
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Alloc { .. } => {
                self.allocated.push(stm.pattern[0]);
                self.walk_stm(stm);
            }
            Expr::Seg(op) => self.op(stm, op),
            exprs!(Operand, scalar, Assert, array, If, Loop, Call, soac, UpdateAcc, Tuned) => {
                self.walk_stm(stm);
            }
        }
    }
}

/// Returns the arrays that a statement uses or binds, at any depth, without duplicates.
pub fn arrays_of(function: &Function, stm: &Stm) -> Vec<Var> {
    let mut mentions = Mentions { function, arrays: Vec::new() };
    mentions.stm(stm);
    mentions.arrays.sort_unstable();
    mentions.arrays.dedup();
    mentions.arrays
}

struct Mentions<'f> {
    function: &'f Function,
    arrays: Vec<Var>,
}

impl Visitor<'_> for Mentions<'_> {
    fn var(&mut self, var: &Var) {
        if self.function.vars[*var].placement.is_some() {
            self.arrays.push(*var);
        }
    }

    fn bind(&mut self, var: &Var) {
        self.var(var);
    }
}

/// Whether an operation yields scalars, cannot fail, and reads certain arrays only at the point that it computes. Its result may
/// then overwrite those arrays.
pub fn reads_own_point_only(op: &SegOp, is_looked_at: impl Fn(Var) -> bool) -> bool {
    let own = op.space.iter().map(|dim| Operand::Var(dim.index)).collect();
    let mut reads = PointReads { own, is_looked_at, only: op.kind == SegKind::Map };
    reads.body(&op.body);
    reads.only
}

struct PointReads<F> {
    own: Vec<Operand>,
    is_looked_at: F,
    only: bool,
}

impl<F: Fn(Var) -> bool> Visitor<'_> for PointReads<F> {
    fn var(&mut self, var: &Var) {
        self.only &= !(self.is_looked_at)(*var);
    }

    fn bind(&mut self, var: &Var) {
        self.var(var);
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Index { indices, .. } if *indices == self.own => {}
            Expr::Assert { .. } => self.only = false,
            exprs!(Operand, scalar, array, nested, Call, UpdateAcc, Tuned, Alloc) => self.walk_stm(stm),
        }
    }
}
