//! A check at level `mem` that arrays in one block do not corrupt each other: no read sees a value that another array has
//! overwritten, and iterations do not interfere. Passes that place an array into another's memory ask here whether they may, and
//! the verifier asks again.
//!
//! ```text
//! x: [m]f32 @ a_mem -> m + {(m : 1)} = segmap (j < m: task lane) { v: f32 = index a[0, j]; return v };   row 1 from row 0
//! y: f32 = index a[1, 0];                                                                      refused: `x` lies there by now
//! b: [n][m]f32 @ a_mem -> 0 + {(n : m)(m : 1)} = update a[1, 0:m:1] = x;                       from here on it belongs to `b`
//! ```
//!
//! An access reads an element, writes a slice by an update, yields a row of a body, or copies a whole array. It touches a region
//! ([`Region`]) of its block and belongs to a *root*, a write sometimes to several: views of an array, and arrays made by
//! overwriting it, have the root of the array. The rules, for one block:
//!
//! - Since the root of a read was made, no other root may have overwritten what is read. An update with an array that already
//!   lies at the destination makes the earlier writes there its own, too; so does a loop with a first value that lies there.
//! - In a segmented operation no iteration reads what another iteration writes; in a loop no iteration reads what an earlier one
//!   has written. Accesses of one root are exempt: segmented operations write different elements of their results by
//!   construction.
//! - The source of a copy either coincides with its destination or does not overlap it.
//!
//! Regions are compared for all values of their variables ([`Facts`]). Two points of a map differ in some index. Within one point
//! a result is written after all reads, so it may overwrite what that point alone reads, unless a check may fail: lanes of a
//! failing group run again.
//!
//! Not checked: blocks with several names (passed to loops or calls, or yielded by branches that did not allocate them), into
//! which only the pass `place` puts arrays, and two writes without a read.

mod collect;
mod compare;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::entity::SecondaryMap;
use crate::expr::{Body, Expr, LoopParam, Stm};
use crate::exprs;
use crate::facts::Facts;
use crate::program::{Function, Var};
use crate::regions::Region;
use crate::traverse::Visitor;
use crate::types::{Operand, Type};

/// A read of an array that another array has overwritten, or may have.
#[derive(Clone, Debug)]
pub struct Clash<'a> {
    /// The reading statement.
    pub stm: &'a Stm,
    /// The array read.
    pub read: Var,
    /// The array written.
    pub written: Var,
}

/// Returns the clashes in these blocks caused by some statements of a function. The arrays among `results` are read as a whole
/// after the statements. All other arrays exist before.
pub fn clashes<'a>(
    function: &Function,
    (facts, roots): (&Facts, &Roots),
    blocks: &FxHashSet<Var>,
    stms: &'a [Stm],
    results: &[Operand],
) -> Vec<Clash<'a>> {
    let bound = SecondaryMap::default();
    let (certs, joined, found) = (Vec::new(), Vec::new(), Vec::new());
    let mut walk = Walk { function, facts, roots, blocks, clock: 0, bound, certs, joined, found };
    walk.stms(stms, results);
    walk.found
}

/// Facts about storage: which arrays share storage by construction, and which blocks have one name. The facts that do not concern
/// blocks hold at level `seg` as well, where `place` lets arrays stay in place.
#[derive(Clone, Default)]
pub struct Roots {
    made_from: SecondaryMap<Var, Option<Origin>>,
    /// Blocks that are parameters or results of `alloc`.
    own: SecondaryMap<Var, bool>,
    handed_on: SecondaryMap<Var, bool>,
}

/// The array that an array was made from.
#[derive(Clone, Copy)]
struct Origin {
    array: Var,
    /// Whether the new array coincides with that array element by element.
    is_whole: bool,
}

impl Roots {
    /// Collects the facts of a function whose body may have been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Roots {
        let mut survey = Survey { function, roots: Roots::default(), allocated: Vec::new() };
        for param in &function.params {
            survey.roots.own[param.var] = *function.ty(param.var) == Type::Mem;
        }
        survey.body(body);
        survey.roots
    }

    /// Returns the array that an array is a view of, or was made from by overwriting.
    pub fn root(&self, mut array: Var) -> Var {
        while let Some(origin) = self.made_from[array] {
            array = origin.array;
        }
        array
    }

    /// Returns the array whose memory an array occupies as a whole: it was made from that array by overwriting, or is another
    /// name of it.
    pub fn whole(&self, mut array: Var) -> Var {
        while let Some(origin) = self.made_from[array].filter(|origin| origin.is_whole) {
            array = origin.array;
        }
        array
    }

    /// Returns whether a loop that yields `result` for a parameter passes the parameter's array on in place.
    pub fn is_in_place(&self, param: &LoopParam, result: Operand) -> bool {
        result.as_var().is_some_and(|result| self.whole(result) == self.whole(param.var))
    }

    /// Returns whether the arrays in a block are all known, and no other name can reach it while it is written: the block is a
    /// parameter or result of `alloc`, and is mentioned only in placements and as a result of the body that allocates it. Other
    /// names for it exist only after this body.
    pub fn has_one_name(&self, block: Var) -> bool {
        self.own[block] && !self.handed_on[block]
    }

    /// Returns the blocks with one name that hold several arrays which do not share storage by construction.
    pub fn shared_blocks(&self, function: &Function) -> FxHashSet<Var> {
        let mut first: FxHashMap<Var, Var> = FxHashMap::default();
        let mut shared = FxHashSet::default();
        for (array, data) in function.vars.iter() {
            let Some(block) = data.placement.as_ref().map(|placement| placement.block) else { continue };
            let root = self.root(array);
            if *first.entry(block).or_insert(root) != root && self.has_one_name(block) {
                shared.insert(block);
            }
        }
        shared
    }

    /// Returns whether a block is mentioned elsewhere than in placements and as a result of the body that allocates it.
    pub fn is_handed_on(&self, block: Var) -> bool {
        self.handed_on[block]
    }

    /// Adds the facts of new statements.
    pub fn define(&mut self, function: &Function, stms: &[Stm]) {
        let mut survey = Survey { function, roots: std::mem::take(self), allocated: Vec::new() };
        stms.iter().for_each(|stm| survey.stm(stm));
        *self = survey.roots;
    }
}

/// A visitor that finds roots.
struct Survey<'f> {
    function: &'f Function,
    roots: Roots,
    /// The blocks allocated in the current body.
    allocated: Vec<Var>,
}

impl Survey<'_> {
    fn made_from(&mut self, array: Var, before: Operand, is_whole: bool) {
        if self.function.ty(array).rank() > 0 {
            self.roots.made_from[array] = before.as_var().map(|array| Origin { array, is_whole });
        }
    }

    /// Returns none if two arrays do not share storage, otherwise whether they occupy the same memory as a whole.
    fn in_common(&self, x: Operand, y: Operand) -> Option<bool> {
        let (x, y) = x.as_var().zip(y.as_var())?;
        let roots = &self.roots;
        (roots.root(x) == roots.root(y)).then(|| roots.whole(x) == roots.whole(y))
    }
}

impl Visitor<'_> for Survey<'_> {
    fn var(&mut self, var: &Var) {
        self.roots.handed_on[*var] |= *self.function.ty(*var) == Type::Mem;
    }

    fn body(&mut self, body: &Body) {
        let outer = std::mem::take(&mut self.allocated);
        body.stms.iter().for_each(|stm| self.stm(stm));
        for result in &body.result {
            if !result.as_var().is_some_and(|var| self.allocated.contains(&var)) {
                self.operand(result);
            }
        }
        self.allocated = outer;
    }

    fn stm(&mut self, stm: &Stm) {
        self.walk_stm(stm);
        let Some(&first) = stm.pattern.first() else { return };
        match &stm.expr {
            Expr::Alloc { .. } => {
                self.allocated.push(first);
                self.roots.own[first] = true;
            }
            Expr::Update { array, .. } => self.made_from(first, (*array).into(), true),
            Expr::If { then_body, else_body, .. } => {
                for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    if let Some(is_whole) = self.in_common(x, y) {
                        self.made_from(var, x, is_whole);
                    }
                }
            }
            Expr::Loop { params, body, .. } => {
                for ((&var, param), &result) in stm.pattern.iter().zip(params).zip(&body.result) {
                    if let Some(is_whole) = self.in_common(result, param.var.into()) {
                        self.made_from(param.var, param.init, is_whole);
                        self.made_from(var, param.init, is_whole);
                    }
                }
            }
            Expr::WithAcc(with_acc) => {
                let arrays = with_acc.inputs.iter().flat_map(|input| &input.arrays);
                stm.pattern
                    .iter()
                    .zip(arrays)
                    .for_each(|(&var, &array)| self.made_from(var, array.into(), true));
            }
            Expr::Seg(op) => {
                let dests = op.kind.overwritten();
                stm.pattern
                    .iter()
                    .zip(dests)
                    .for_each(|(&var, array)| self.made_from(var, array.into(), true));
            }
            exprs!(Operand, scalar, Assert, view, fresh, Call, Screma, Partition, Scatter, Hist)
            | exprs!(Stream, FlatMap, UpdateAcc, Tuned) => {
                if let Some(array) = stm.expr.viewed() {
                    self.made_from(first, array.into(), matches!(stm.expr, Expr::Operand(_)));
                }
            }
        }
    }
}

/// The kind of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    /// A write of a result, after all reads of its point.
    WriteLast,
}

/// An access to memory.
#[derive(Clone, Debug)]
struct Access {
    kind: Kind,
    block: Var,
    /// The named array.
    array: Var,
    /// The root of that array.
    root: Var,
    /// Other roots that a write belongs to.
    shared: SmallVec<[Var; 1]>,
    /// The accessed region; none if it may be anywhere in the block.
    region: Option<Region>,
    certs: Vec<Var>,
}

impl Access {
    /// Whether what is accessed belongs to an array with this root.
    fn belongs_to(&self, root: Var) -> bool {
        self.root == root || self.shared.contains(&root)
    }
}

/// A walk over statements in execution order.
struct Walk<'a, 'f> {
    function: &'f Function,
    facts: &'f Facts,
    roots: &'f Roots,
    blocks: &'f FxHashSet<Var>,
    clock: u32,
    /// Times at which variables were bound; 0 for variables bound before the walk.
    bound: SecondaryMap<Var, u32>,
    /// Certificates that the current statement and the enclosing ones name.
    certs: Vec<Var>,
    /// Pairs of roots: the writes of the first belong to the second, too, after the current statement.
    joined: Vec<(Var, Var)>,
    found: Vec<Clash<'a>>,
}

/// The accesses of the statements so far.
#[derive(Default)]
struct Past {
    /// Accesses, with the times at which they ended.
    accesses: Vec<(u32, Access)>,
}

impl Past {
    /// Transfers the writes of one root to another.
    fn rename(&mut self, part: Var, whole: Var) {
        let accesses = self.accesses.iter_mut().map(|(_, access)| access);
        let writes = accesses.filter(|access| access.kind != Kind::Read);
        for write in writes {
            let roots = std::iter::once(&mut write.root).chain(&mut write.shared);
            roots.filter(|root| **root == part).for_each(|root| *root = whole);
        }
    }

    /// Makes the writes of one root writes of another, too.
    fn share(&mut self, part: Var, whole: Var) {
        let accesses = self.accesses.iter_mut().map(|(_, access)| access);
        let writes = accesses.filter(|access| access.kind != Kind::Read && access.belongs_to(part));
        writes.filter(|access| !access.belongs_to(whole)).for_each(|access| access.shared.push(whole));
    }
}

impl<'a> Walk<'a, '_> {
    /// Walks statements in order; the arrays among `results` are read as a whole after them. Returns their accesses.
    fn stms(&mut self, stms: &'a [Stm], results: &[Operand]) -> Past {
        let start = self.clock;
        let mut past = Past::default();
        for stm in stms {
            self.clock += 1;
            let n_certs = self.certs.len();
            self.certs.extend(&stm.certs);
            let own = self.stm(stm);
            self.certs.truncate(n_certs);
            self.clock += 1;
            self.read_after(stm, &own, &past);
            past.accesses.extend(own.into_iter().map(|access| (self.clock, access)));
            stm.pattern.iter().for_each(|&var| self.bound[var] = self.clock);
            for (part, whole) in std::mem::take(&mut self.joined) {
                // Arrays that existed before keep their root.
                if self.bound[part] > start {
                    past.share(part, whole);
                }
            }
        }
        if let Some(last) = stms.last() {
            let reads: Vec<Access> = results.iter().filter_map(|&result| self.read(result)).collect();
            self.clock += 1;
            self.read_after(last, &reads, &past);
        }
        for stm in stms.iter().filter(|stm| matches!(stm.expr, Expr::Alloc { .. })) {
            past.accesses.retain(|(_, access)| access.block != stm.pattern[0]);
        }
        past
    }

    /// Checks that no read of a statement sees overwritten memory.
    fn read_after(&mut self, stm: &'a Stm, own: &[Access], past: &Past) {
        let reads = own.iter().filter(|access| access.kind == Kind::Read);
        for read in reads {
            let born = self.bound[read.root];
            let spoils = |(time, write): &&(u32, Access)| {
                write.kind != Kind::Read
                    && *time > born
                    && write.block == read.block
                    && !write.belongs_to(read.root)
                    && self.may_meet(read, write)
            };
            if let Some((_, write)) = past.accesses.iter().find(spoils) {
                self.found.push(Clash { stm, read: read.array, written: write.array });
                return;
            }
        }
    }
}
