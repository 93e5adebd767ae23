//! What lies in which block of memory (level `mem`), under which names a block is known, and what is known of the numbers
//! in index functions.
//!
//! A block that an `alloc` makes has one name as long as it is only mentioned by placements and as a result of the
//! body that allocates it: whoever sees another name for it sees that after the body. Blocks that are handed to loops
//! may be known by several names at one time, and nothing is said about these.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::sums::{Bounds, Sum};
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{
    Body, Expr, Function, Lmad, LoopForm, Mapping, Operand, Placement, SegKind, SegOp, Stm, Type, Var, exprs,
};

use crate::disjoint::{Region, are_disjoint};

/// The blocks of a function.
pub struct Blocks {
    known: SecondaryMap<Var, Known>,
    definitions: SecondaryMap<Var, Option<Expr>>,
    /// Products as they are where they do not overflow.
    unsaturated: SecondaryMap<Var, Option<Expr>>,
    /// Indices with their extents.
    ranges: Vec<(Var, Operand)>,
    /// Variables that are sizes.
    sizes: Vec<Var>,
}

/// What is known of one block.
#[derive(Clone, Default)]
struct Known {
    /// A parameter, or made by `alloc`.
    is_own: bool,
    /// Mentioned by more than placements and the result of the body that makes it.
    is_handed_on: bool,
    is_result: bool,
    is_emptied: bool,
    arrays: Vec<Var>,
    /// Which operation with lanes surrounds its allocation; 0 for none.
    lanes: usize,
}

impl Blocks {
    /// Looks at a function whose body has been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Blocks {
        let blocks = Blocks {
            known: SecondaryMap::default(),
            definitions: SecondaryMap::default(),
            unsaturated: SecondaryMap::default(),
            ranges: Vec::new(),
            sizes: Vec::new(),
        };
        let mut survey = Survey { function, blocks, allocated: Vec::new(), lanes: 0, lane_ops: 0 };
        for param in &function.params {
            survey.bind(&param.var);
            survey.blocks.known[param.var].is_own = *function.ty(param.var) == Type::Mem;
        }
        survey.body(body);
        survey.blocks
    }

    /// The arrays that lie in a block.
    pub fn arrays(&self, block: Var) -> &[Var] {
        &self.known[block].arrays
    }

    /// Whether all that lies in a block is known, and nothing else can lead there while it is written.
    pub fn has_one_name(&self, block: Var) -> bool {
        self.known[block].is_own && !self.known[block].is_handed_on
    }

    /// Whether a block is a result of the body that makes it.
    pub fn is_result(&self, block: Var) -> bool {
        self.known[block].is_result
    }

    /// Whether two blocks are laid out alike: what is allocated in lanes is interleaved.
    pub fn same_lanes(&self, x: Var, y: Var) -> bool {
        self.known[x].lanes == self.known[y].lanes
    }

    /// From now on the arrays of one block lie in another.
    pub fn move_arrays(&mut self, from: Var, to: Var) {
        let arrays = std::mem::take(&mut self.known[from].arrays);
        self.known[from].is_emptied = true;
        self.known[to].arrays.extend(arrays);
    }

    /// Whether the arrays of a block have all been moved away.
    pub fn is_emptied(&self, block: Var) -> bool {
        self.known[block].is_emptied
    }

    /// Learns what new statements of index arithmetic compute.
    pub fn define(&mut self, stms: &[Stm]) {
        for stm in stms {
            self.definitions[stm.pattern[0]] = Some(stm.expr.clone());
        }
    }

    /// An operand as a sum; none where a number is too large.
    pub fn sum(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definitions[var].as_ref())
    }

    /// Whether two operands are the same number.
    pub fn same(&self, x: Operand, y: Operand) -> bool {
        x == y || self.sum(x).is_some_and(|x| self.sum(y) == Some(x))
    }

    /// Whether two blocks are equally large: sizes saturate, but where one of two equal products does, so does the other.
    pub fn same_size(&self, x: Operand, y: Operand) -> bool {
        let definition = |var: Var| self.definitions[var].as_ref().or(self.unsaturated[var].as_ref());
        let size = |operand: Operand| Sum::of(operand, &definition);
        x == y || size(x).is_some_and(|x| size(y) == Some(x))
    }

    /// Whether two index functions lead to the same places, their extents taken to be the same.
    pub fn same_places(&self, x: &Lmad, y: &Lmad) -> bool {
        self.same(x.offset, y.offset) && self.same_strides(x, y)
    }

    /// Whether two index functions have the same strides.
    pub fn same_strides(&self, x: &Lmad, y: &Lmad) -> bool {
        let strides = x.dims.iter().zip(&y.dims);
        x.dims.len() == y.dims.len() && strides.into_iter().all(|(x, y)| self.same(x.stride, y.stride))
    }

    /// Whether two arrays are proved to have no element in common.
    pub fn are_disjoint(&self, x: &Placement, y: &Placement) -> bool {
        if x.block != y.block {
            return self.has_one_name(x.block) && self.has_one_name(y.block);
        }
        let definition = |var: Var| self.definitions[var].as_ref();
        match (Region::of(&x.index_fn, &definition), Region::of(&y.index_fn, &definition)) {
            (Some(x), Some(y)) => are_disjoint(&self.bounds(&[&x, &y]), &x, &y),
            _ => false,
        }
    }

    /// The extent of an index of a loop or a space.
    pub fn range(&self, index: Var) -> Option<Operand> {
        self.ranges.iter().find(|(var, _)| *var == index).map(|&(_, extent)| extent)
    }

    /// What is known where all the variables of these regions have values.
    fn bounds(&self, regions: &[&Region]) -> Bounds {
        let mentioned = |var: Var| {
            regions.iter().any(|region| {
                let mut sums = region.dims.iter().flat_map(|(extent, stride)| [extent, stride]);
                region.offset.mentions(var) || sums.any(|sum| sum.mentions(var))
            })
        };
        let mut bounds = Bounds::default();
        for &(index, extent) in self.ranges.iter().filter(|(index, _)| mentioned(*index)) {
            bounds.at_least(index, Sum::constant(0));
            let next = Sum::var(index).plus(&Sum::constant(1));
            if let (Some(extent), Some(next)) = (extent.as_var(), next)
                && self.definitions[extent].is_none()
            {
                bounds.at_least(extent, next);
            }
        }
        for &size in &self.sizes {
            bounds.at_least(size, Sum::constant(0));
        }
        bounds
    }
}

/// The walk that finds everything out.
struct Survey<'f> {
    function: &'f Function,
    blocks: Blocks,
    /// What the current body has allocated so far.
    allocated: Vec<Var>,
    lanes: usize,
    lane_ops: usize,
}

impl Survey<'_> {
    fn sizes(&mut self, var: Var) {
        for size in self.function.ty(var).shape().iter().filter_map(|size| size.as_var()) {
            if !self.blocks.sizes.contains(&size) {
                self.blocks.sizes.push(size);
            }
        }
    }

    fn op(&mut self, stm: &Stm, op: &SegOp) {
        self.blocks.ranges.extend(op.space.iter().map(|dim| (dim.index, dim.extent)));
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
    fn var(&mut self, var: &Var) {
        self.blocks.known[*var].is_handed_on |= *self.function.ty(*var) == Type::Mem;
    }

    fn bind(&mut self, var: &Var) {
        self.sizes(*var);
        if let Some(placement) = &self.function.vars[*var].placement {
            self.blocks.known[placement.block].arrays.push(*var);
        }
    }

    fn body(&mut self, body: &Body) {
        let outer = std::mem::take(&mut self.allocated);
        body.stms.iter().for_each(|stm| self.stm(stm));
        for result in &body.result {
            match result {
                Operand::Var(var) if self.allocated.contains(var) => {
                    self.blocks.known[*var].is_result = true;
                }
                Operand::Var(_) | Operand::Const(_) => self.operand(result),
            }
        }
        self.allocated = outer;
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Alloc { .. } => {
                self.allocated.push(stm.pattern[0]);
                let known = &mut self.blocks.known[stm.pattern[0]];
                (known.is_own, known.lanes) = (true, self.lanes);
                self.walk_stm(stm);
            }
            Expr::Operand(_) | Expr::Binary(..) => {
                self.blocks.definitions[stm.pattern[0]] = Some(stm.expr.clone());
                self.walk_stm(stm);
            }
            Expr::Select(_, product, greatest) if *greatest == Operand::i64(i64::MAX) => {
                self.blocks.unsaturated[stm.pattern[0]] = Some(Expr::Operand(*product));
                self.walk_stm(stm);
            }
            Expr::Loop { form: LoopForm::For { index, bound }, .. } => {
                self.blocks.ranges.push((*index, *bound));
                self.walk_stm(stm);
            }
            Expr::Seg(op) => self.op(stm, op),
            exprs!(
                Unary, Ternary, Compare, Convert, Select, Assert, array, If, Loop, Call, soac, UpdateAcc,
                Tuned
            ) => self.walk_stm(stm),
        }
    }
}

/// The arrays that a statement uses or binds, at whatever depth, each once.
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

/// Whether an operation makes scalars, cannot fail, and reads certain arrays only at the point that it computes: then its
/// result may take their place.
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
