//! Arrays that lie in one block at level `mem` do not spoil each other: what is read has not been overwritten by something
//! else, and no two iterations get in each other's way. Passes that put an array into another's place ask here whether they
//! may, and the verifier asks again.
//!
//! ```text
//! x: [m]f32 @ a_mem -> m + {(m : 1)} = segmap (j < m: task lane) { v: f32 = index a[0, j]; return v };   row 1 from row 0
//! y: f32 = index a[1, 0];                                                                      refused: `x` lies there by now
//! b: [n][m]f32 @ a_mem -> 0 + {(n : m)(m : 1)} = update a[1, 0:m:1] = x;                       from here on it belongs to `b`
//! ```
//!
//! An access reads an element, writes a slice by an update, yields a row of a body, or copies a whole array. It leads to a
//! region ([`Region`]) of its block and belongs to a *root*: views of an array, and arrays made by overwriting it, have the
//! array's root. The rules, for one block:
//!
//! - What is read must not have been overwritten since its root was made, but by its own root. An update with an array that
//!   lies where it goes makes what has been written there its own.
//! - In a segmented operation no iteration reads what another one writes; in a loop none reads what an earlier one has written,
//!   unless both belong to one root: that segmented operations write different elements of their results holds by
//!   construction.
//! - What a statement copies lies where it goes, or nowhere near.
//!
//! Regions are told apart for all values that their variables may have ([`Facts`]). The points of a map differ in some index;
//! within one of them a result is written when all has been read, so that it may take the place of what that point
//! alone reads, unless a check may fail: lanes of a failing group run again.
//!
//! Not looked at: blocks with several names (handed to loops, calls, or out of branches that did not make them), which
//! `place` alone fills, and two writes without a read.

mod collect;
mod compare;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::SecondaryMap;
use crate::expr::{Body, Expr, LoopParam, Stm};
use crate::exprs;
use crate::facts::Facts;
use crate::program::{Function, Var};
use crate::regions::Region;
use crate::traverse::Visitor;
use crate::types::{Operand, Type};

/// An array that is read where another one has been written, or may be.
#[derive(Clone, Debug)]
pub struct Clash<'a> {
    /// The statement that reads.
    pub stm: &'a Stm,
    /// The array that is read.
    pub read: Var,
    /// The array that is written.
    pub written: Var,
}

/// The clashes in these blocks by some statements of a function, after which arrays are read as a whole. All other arrays
/// exist before.
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

/// Which arrays are the same storage by construction, and which blocks have one name. What says nothing of blocks holds at level `seg`
/// as well, where `place` lets arrays stay where they are.
#[derive(Clone, Default)]
pub struct Roots {
    made_from: SecondaryMap<Var, Option<Origin>>,
    /// Parameters and what `alloc` makes.
    own: SecondaryMap<Var, bool>,
    handed_on: SecondaryMap<Var, bool>,
}

/// What an array was made from.
#[derive(Clone, Copy)]
struct Origin {
    array: Var,
    /// Whether all of it lies where that array does, element by element.
    is_whole: bool,
}

impl Roots {
    /// Looks at a function whose body may have been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Roots {
        let mut survey = Survey { function, roots: Roots::default(), allocated: Vec::new() };
        for param in &function.params {
            survey.roots.own[param.var] = *function.ty(param.var) == Type::Mem;
        }
        survey.body(body);
        survey.roots
    }

    /// The array that an array is a view of, or was made from by overwriting.
    pub fn root(&self, mut array: Var) -> Var {
        while let Some(origin) = self.made_from[array] {
            array = origin.array;
        }
        array
    }

    /// The array whose place an array takes as a whole: it was made from it by overwriting, or is another name of it.
    pub fn whole(&self, mut array: Var) -> Var {
        while let Some(origin) = self.made_from[array].filter(|origin| origin.is_whole) {
            array = origin.array;
        }
        array
    }

    /// Whether a loop that yields `result` for a parameter hands its array on in place.
    pub fn is_in_place(&self, param: &LoopParam, result: Operand) -> bool {
        result.as_var().is_some_and(|result| self.whole(result) == self.whole(param.var))
    }

    /// Whether all that lies in a block is known, and nothing else can lead there while it is written: a parameter or what
    /// `alloc` makes, mentioned by placements and as a result of the body that makes it. Whoever sees another name for it
    /// sees that after this body.
    pub fn has_one_name(&self, block: Var) -> bool {
        self.own[block] && !self.handed_on[block]
    }

    /// The blocks of one name in which several arrays lie that are not the same storage by construction.
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

    /// Whether a block is mentioned by more than that.
    pub fn is_handed_on(&self, block: Var) -> bool {
        self.handed_on[block]
    }

    /// Learns of statements that were not there before.
    pub fn define(&mut self, function: &Function, stms: &[Stm]) {
        let mut survey = Survey { function, roots: std::mem::take(self), allocated: Vec::new() };
        stms.iter().for_each(|stm| survey.stm(stm));
        *self = survey.roots;
    }
}

/// The walk that finds roots.
struct Survey<'f> {
    function: &'f Function,
    roots: Roots,
    /// The blocks of the current body.
    allocated: Vec<Var>,
}

impl Survey<'_> {
    fn made_from(&mut self, array: Var, before: Operand, is_whole: bool) {
        if self.function.ty(array).rank() > 0 {
            self.roots.made_from[array] = before.as_var().map(|array| Origin { array, is_whole });
        }
    }

    /// Whether two arrays are the same storage, and if they are, whether one takes the other's place as a whole.
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

/// How memory is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    /// A result is written when all of its point has been read.
    WriteLast,
}

/// What an access leads to.
#[derive(Clone, Debug)]
struct Access {
    kind: Kind,
    block: Var,
    /// The array that is named.
    array: Var,
    root: Var,
    /// None if it may be anywhere in the block.
    region: Option<Region>,
    certs: Vec<Var>,
}

/// A walk in the order in which statements run.
struct Walk<'a, 'f> {
    function: &'f Function,
    facts: &'f Facts,
    roots: &'f Roots,
    blocks: &'f FxHashSet<Var>,
    clock: u32,
    /// When a variable was bound; 0 before all.
    bound: SecondaryMap<Var, u32>,
    /// Certificates that the current statement and those around it name.
    certs: Vec<Var>,
    /// Roots of what the current statement copies from where it goes, and what they are parts of from then on.
    joined: Vec<(Var, Var)>,
    found: Vec<Clash<'a>>,
}

/// What statements have done so far.
#[derive(Default)]
struct Past {
    /// Accesses, and when they were over.
    accesses: Vec<(u32, Access)>,
}

impl Past {
    /// What was written for one root belongs to another from now on.
    fn rename(&mut self, part: Var, whole: Var) {
        let accesses = self.accesses.iter_mut().map(|(_, access)| access);
        let writes = accesses.filter(|access| access.kind != Kind::Read && access.root == part);
        writes.for_each(|access| access.root = whole);
    }
}

impl<'a> Walk<'a, '_> {
    /// Walks statements in order, after which arrays are read as a whole; yields what they have done.
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
                // What was there before goes on as it was.
                if self.bound[part] > start && part != whole {
                    past.rename(part, whole);
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

    /// What a statement reads must not have been overwritten.
    fn read_after(&mut self, stm: &'a Stm, own: &[Access], past: &Past) {
        let reads = own.iter().filter(|access| access.kind == Kind::Read);
        for read in reads {
            let born = self.bound[read.root];
            let spoils = |(time, write): &&(u32, Access)| {
                write.kind != Kind::Read
                    && *time > born
                    && write.block == read.block
                    && write.root != read.root
                    && self.may_meet(read, write)
            };
            if let Some((_, write)) = past.accesses.iter().find(spoils) {
                self.found.push(Clash { stm, read: read.array, written: write.array });
                return;
            }
        }
    }
}
