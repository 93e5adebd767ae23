//! Liveness of memory blocks in host code, and the variables that are used at all.
//!
//! A block bound in a body is released after the last statement of that body that mentions it or an array in it, at any depth.
//! Blocks that the body's result mentions are handed on first. A block that a loop needs only for its initial values is released
//! once the loop has started, so that its iterations find the memory free.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, LoopParam, Operand, Stm, Type, Var, exprs};

/// The statements of one body after which its blocks are released.
pub(super) struct Deaths {
    /// Blocks by the position of the last statement that mentions them.
    pub after: FxHashMap<usize, Vec<Var>>,
    /// Blocks by the position of the loop that mentions them last, and only in its initial values.
    pub at_begin: FxHashMap<usize, Vec<Var>>,
    /// Blocks that the result mentions.
    pub in_result: Vec<Var>,
}

/// Returns the deaths of the blocks bound by a body's own statements.
pub(super) fn deaths<'f>(function: &'f Function, body: &'f Body) -> Deaths {
    let bound = body.stms.iter().flat_map(|stm| stm.pattern.iter().copied());
    let bound: Vec<Var> = bound.filter(|&var| *function.ty(var) == Type::Mem).collect();
    let mut last: FxHashMap<Var, usize> = FxHashMap::default();
    // Bodies that bind no block are not searched again at every level of nesting.
    for (position, stm) in body.stms.iter().enumerate().filter(|_| !bound.is_empty()) {
        for block in mentioned(function, |mentions| mentions.stm(stm)) {
            last.insert(block, position);
        }
    }
    let kept = mentioned(function, |mentions| mentions.operands(&body.result));
    let (in_result, dying): (Vec<Var>, Vec<Var>) = bound.into_iter().partition(|block| kept.contains(block));
    let mut deaths = Deaths { after: FxHashMap::default(), at_begin: FxHashMap::default(), in_result };
    for block in dying {
        let position = last[&block];
        let only_begins = only_begins(function, &body.stms[position], block);
        let deaths = if only_begins { &mut deaths.at_begin } else { &mut deaths.after };
        deaths.entry(position).or_default().push(block);
    }
    deaths
}

/// Returns whether a statement is a loop whose iterations and results no longer need a block.
fn only_begins(function: &Function, stm: &Stm, block: Var) -> bool {
    let Expr::Loop { params, body, .. } = &stm.expr else { return false };
    let needed = mentioned(function, |mentions| {
        stm.pattern.iter().chain(params.iter().map(|param| &param.var)).for_each(|var| mentions.bind(var));
        mentions.body(body);
    });
    !needed.contains(&block)
}

/// Returns the blocks allocated by host code to which no other name in scope can refer: those that are passed to no loop, and to
/// no body other than the one that allocates them.
pub(super) fn unique_blocks(function: &Function) -> FxHashSet<Var> {
    let mut unique = Unique { function, allocated: FxHashSet::default(), shared: FxHashSet::default() };
    unique.body(&function.body);
    unique.allocated.difference(&unique.shared).copied().collect()
}

/// Returns the variables that a function uses in operations, types and placements. Its other variables are bound in vain.
pub(super) fn used(function: &Function) -> FxHashSet<Var> {
    let mut used = Used { function, vars: FxHashSet::default() };
    used.body(&function.body);
    used.vars
}

struct Used<'f> {
    function: &'f Function,
    vars: FxHashSet<Var>,
}

impl<'f> Visitor<'f> for Used<'f> {
    fn var(&mut self, var: &'f Var) {
        self.vars.insert(*var);
    }

    fn bind(&mut self, var: &'f Var) {
        let data = &self.function.vars[*var];
        self.walk_type(&data.ty);
        if let Some(placement) = &data.placement {
            self.var(&placement.block);
            let dims = placement.index_fn.dims.iter().flat_map(|dim| [&dim.extent, &dim.stride]);
            dims.chain([&placement.index_fn.offset]).for_each(|x| self.operand(x));
        }
    }
}

/// Returns every block mentioned in what `visit` visits, including blocks of mentioned arrays.
fn mentioned<'f>(function: &'f Function, visit: impl FnOnce(&mut Mentions<'f>)) -> FxHashSet<Var> {
    let mut mentions = Mentions { function, blocks: FxHashSet::default() };
    visit(&mut mentions);
    mentions.blocks
}

struct Mentions<'f> {
    function: &'f Function,
    blocks: FxHashSet<Var>,
}

impl Mentions<'_> {
    fn mention(&mut self, var: Var) {
        let data = &self.function.vars[var];
        if data.ty == Type::Mem {
            self.blocks.insert(var);
        }
        if let Some(placement) = &data.placement {
            self.blocks.insert(placement.block);
        }
    }
}

impl<'f> Visitor<'f> for Mentions<'f> {
    fn var(&mut self, var: &'f Var) {
        self.mention(*var);
    }

    fn bind(&mut self, var: &'f Var) {
        self.mention(*var);
    }
}

struct Unique<'f> {
    function: &'f Function,
    allocated: FxHashSet<Var>,
    shared: FxHashSet<Var>,
}

impl<'f> Unique<'f> {
    /// Records the blocks that a body hands on without binding them.
    fn hands_on(&mut self, body: &Body) {
        let own = |var: Var| body.stms.iter().any(|stm| stm.pattern.contains(&var));
        let handed = body.result.iter().filter_map(|x| x.as_var()).filter(|&var| !own(var));
        self.shared.extend(handed);
    }
}

impl<'f> Visitor<'f> for Unique<'f> {
    fn stm(&mut self, stm: &'f Stm) {
        match &stm.expr {
            Expr::Alloc { .. } => self.allocated.extend(&stm.pattern),
            Expr::Operand(Operand::Var(var)) if *self.function.ty(*var) == Type::Mem => {
                self.shared.insert(*var);
            }
            Expr::Loop { params, body, .. } => {
                self.shared.extend(params.iter().filter_map(|LoopParam { init, .. }| init.as_var()));
                self.hands_on(body);
            }
            Expr::If { then_body, else_body, .. } => {
                self.hands_on(then_body);
                self.hands_on(else_body);
            }
            exprs!(Operand, scalar, Assert, array, Call, soac, UpdateAcc, Seg, Tuned) => {}
        }
        self.walk_stm(stm);
    }
}
