//! Facts about the statements of a body (bound, read and overwritten variables), kept up to date while statements fuse into later
//! ones.
//!
//! Statements keep their positions: a statement that fused into another leaves an empty one until [`Block::sweep`]. So positions
//! stay valid, and the cost of a merge depends on the smaller of the two statements, not on the body.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;
use warpwise_ir::traverse::{FreeVars, free_in_body, free_in_expr};
use warpwise_ir::{Body, Expr, Function, Operand, Stm, StreamKind, Var, exprs};

use crate::aliases::{Aliases, RootSet};

/// The facts about one statement.
struct Facts {
    /// The variables that the expression reads.
    reads: FreeVars,
    /// The variables that the expression reads other than as inputs of the SOAC itself.
    otherwise: FreeVars,
    /// The roots of the arrays that the statement overwrites.
    consumes: RootSet,
    /// The bound variables that other statements read.
    read_elsewhere: Vec<Var>,
}

/// The facts about a body.
pub(super) struct Block {
    facts: Vec<Facts>,
    /// The position that each statement moved to; its own position while it has not moved.
    moved: Vec<usize>,
    /// The statement that binds a variable.
    maker: FxHashMap<Var, usize>,
    /// The statements that read a variable.
    readers: FxHashMap<Var, Vec<usize>>,
    /// The results of the body.
    results: FxHashSet<Var>,
    aliases: Aliases,
    /// Statements that may have a new producer to fuse with.
    waiting: BTreeSet<usize>,
    /// Statements that may be neighbours of others, including ones that have moved.
    neighbours: Vec<usize>,
}

impl Block {
    /// Analyses a body.
    pub fn of(function: &Function, body: &Body) -> Block {
        let aliases = Aliases::of(function, body);
        let mut block = Block {
            facts: Vec::new(),
            moved: (0..body.stms.len()).collect(),
            maker: FxHashMap::default(),
            readers: FxHashMap::default(),
            results: body.result.iter().filter_map(|x| x.as_var()).collect(),
            aliases,
            waiting: (0..body.stms.len()).collect(),
            neighbours: (0..body.stms.len())
                .filter(|&at| {
                    matches!(body.stms[at].expr, Expr::Screma(_) | Expr::Scatter(_) | Expr::Stream(_))
                })
                .collect(),
        };
        for (at, stm) in body.stms.iter().enumerate() {
            let facts = block.facts_of(function, stm);
            facts.reads.iter().for_each(|var| block.readers.entry(var).or_default().push(at));
            block.maker.extend(stm.pattern.iter().map(|&var| (var, at)));
            block.facts.push(facts);
        }
        for (facts, stm) in block.facts.iter_mut().zip(&body.stms) {
            let made = stm.pattern.iter().copied();
            facts.read_elsewhere = made.filter(|var| block.readers.contains_key(var)).collect();
        }
        block
    }

    fn facts_of(&self, function: &Function, stm: &Stm) -> Facts {
        let mut as_input: FxHashMap<Var, usize> = FxHashMap::default();
        inputs(&stm.expr).iter().for_each(|&input| *as_input.entry(input).or_default() += 1);
        let mut otherwise = FreeVars::default();
        stm.expr.for_each_operand(|x| {
            let Some(var) = x.as_var() else { return };
            match as_input.get_mut(&var) {
                Some(left) if *left > 0 => *left -= 1,
                Some(_) | None => otherwise.insert(var),
            }
        });
        stm.expr.for_each_body(|body| otherwise.absorb(free_in_body(function, body)));
        let reads = free_in_expr(function, &stm.expr);
        Facts { reads, otherwise, consumes: self.aliases.consumed(stm), read_elsewhere: Vec::new() }
    }

    /// Takes out the first statement that may have a new producer to fuse with.
    pub fn next_waiting(&mut self) -> Option<usize> {
        self.waiting.pop_first()
    }

    /// Returns the first pair of neighbours that can fuse and whose second statement is at `from` or later.
    pub fn next_neighbours(&self, body: &Body, from: usize) -> Option<(usize, usize)> {
        let start = self.neighbours.partition_point(|&at| at < from);
        (start..self.neighbours.len()).find_map(|second| {
            let (before, second) = (&self.neighbours[..second], self.neighbours[second]);
            let first =
                before.iter().rev().find(|&&first| self.can_fuse_horizontally(body, first, second))?;
            Some((*first, second))
        })
    }

    /// Returns the current position of a statement.
    fn place(&self, mut stm: usize) -> usize {
        while self.moved[stm] != stm {
            stm = self.moved[stm];
        }
        stm
    }

    /// Returns the same as [`Block::place`], and compresses the path for the next query.
    fn settle(&mut self, stm: usize) -> usize {
        let place = self.place(stm);
        let mut at = stm;
        while self.moved[at] != place {
            at = std::mem::replace(&mut self.moved[at], place);
        }
        place
    }

    /// Returns the statements that bind inputs of a consumer, the last one first.
    pub fn producers(&mut self, body: &Body, consumer: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for input in inputs(&body.stms[consumer].expr) {
            if let Some(&maker) = self.maker.get(input) {
                found.push(self.settle(maker));
            }
        }
        found.sort_unstable_by(|x, y| y.cmp(x));
        found.dedup();
        found
    }

    /// Updates the facts after a statement fused into a later one. New arrays are bound only in the lambda of the latter.
    pub fn merged(&mut self, first: usize, second: usize) {
        self.moved[first] = second;
        self.waiting.extend((first + 1..=second).filter(|&stm| self.moved[stm] == stm));
        let gone = std::mem::replace(&mut self.facts[first], Facts::none());
        for var in gone.read_elsewhere {
            let count = self.readers.get(&var).map_or(0, Vec::len);
            let places: Vec<usize> = (0..count).map(|i| self.settle(self.readers[&var][i])).collect();
            let mut later: Vec<usize> = places.into_iter().filter(|&place| place > second).collect();
            later.dedup();
            if !later.is_empty() {
                self.facts[second].read_elsewhere.push(var);
            }
            self.waiting.extend(&later);
        }
        let facts = &mut self.facts[second];
        facts.reads.absorb(gone.reads);
        facts.otherwise.absorb(gone.otherwise);
        facts.consumes.extend(gone.consumes);
    }

    /// Removes the empty statements.
    pub fn sweep(&self, body: &mut Body) {
        let mut stands = self.moved.iter().enumerate().map(|(at, &place)| at == place);
        body.stms.retain(|_| stands.next().unwrap_or(true));
    }

    /// Returns which arrays of a producer are results of the body or are read by statements other than its consumer.
    pub fn still_used(&self, arrays: &[Var], producer: usize, consumer: usize) -> Vec<Var> {
        let elsewhere = |&reader: &usize| ![producer, consumer].contains(&self.place(reader));
        let is_read = |var: &Var| {
            self.results.contains(var)
                || self.readers.get(var).is_some_and(|readers| readers.iter().any(elsewhere))
        };
        arrays.iter().copied().filter(is_read).collect()
    }

    /// Whether a statement reads the results of another.
    fn uses_results(&self, stm: usize, maker: usize) -> bool {
        self.facts[maker].read_elsewhere.iter().any(|&var| self.facts[stm].reads.contains(var))
    }

    fn uses_results_otherwise(&self, stm: usize, maker: usize) -> bool {
        self.facts[maker].read_elsewhere.iter().any(|&var| self.facts[stm].otherwise.contains(var))
    }

    /// Whether a statement overwrites an array that `reader` reads.
    fn overwrites_what(&self, stm: usize, reader: usize) -> bool {
        !self.facts[stm].consumes.is_empty()
            && self.facts[reader].reads.iter().any(|read| self.consumes(stm, read))
    }

    /// Whether a statement can move down to another, across all statements in between.
    fn can_move(&self, body: &Body, first: usize, second: usize) -> bool {
        let made = &body.stms[first].pattern;
        (first + 1..second).filter(|&between| self.moved[between] == between).all(|between| {
            !self.uses_results(between, first)
                && !certs_use(&body.stms[between], made)
                && !self.overwrites_what(between, first)
        }) && !self.overwrites_what(second, first)
    }

    /// Whether a statement consumes an array, or one that may share its storage.
    pub fn consumes(&self, stm: usize, array: Var) -> bool {
        let consumed = &self.facts[stm].consumes;
        self.aliases.roots(array).iter().any(|root| consumed.contains(root))
    }

    /// Whether no dependence prevents fusing a producer into its consumer.
    pub fn can_fuse_vertically(&self, body: &Body, producer: usize, consumer: usize) -> bool {
        let (Some(from), Some(to)) = (width(&body.stms[producer]), width(&body.stms[consumer])) else {
            return false;
        };
        // The result of a reduction is available only after all elements.
        let totals = totals(&body.stms[producer]);
        let reads_total = !totals.is_empty()
            && inputs(&body.stms[consumer].expr).iter().any(|input| totals.contains(input));
        from == to
            && !reads_total
            && !certs_use(&body.stms[consumer], &body.stms[producer].pattern)
            && !self.uses_results_otherwise(consumer, producer)
            && self.can_move(body, producer, consumer)
    }

    fn can_fuse_horizontally(&self, body: &Body, first: usize, second: usize) -> bool {
        let (a, b) = (&body.stms[first], &body.stms[second]);
        let alike = match (&a.expr, &b.expr) {
            (Expr::Screma(x), Expr::Screma(y)) => x.post.is_none() && y.post.is_none(),
            (Expr::Scatter(x), Expr::Scatter(y)) => x.dests.iter().chain(&y.dests).all(|dest| !dest.segments),
            (Expr::Stream(x), Expr::Stream(y)) => (x.kind == StreamKind::Seq) == (y.kind == StreamKind::Seq),
            _ => false,
        };
        alike
            && width(a) == width(b)
            && inputs(&a.expr).iter().any(|input| inputs(&b.expr).contains(input))
            && !self.uses_results(second, first)
            && self.can_move(body, first, second)
    }
}

impl Facts {
    /// Returns the facts about an emptied statement.
    fn none() -> Facts {
        let (reads, otherwise) = (FreeVars::default(), FreeVars::default());
        Facts { reads, otherwise, consumes: RootSet::new(), read_elsewhere: Vec::new() }
    }
}

/// Takes a statement out of a body and leaves an empty one.
pub(super) fn take(body: &mut Body, at: usize) -> Stm {
    let expr = Expr::Operand(Operand::bool(false));
    let empty = Stm { pattern: vec![], expr, certs: vec![], span: Span::NONE };
    std::mem::replace(&mut body.stms[at], empty)
}

/// Returns the results of a statement's reductions.
fn totals(stm: &Stm) -> &[Var] {
    match &stm.expr {
        Expr::Screma(soac) => &stm.pattern[..soac.n_reduced()],
        Expr::Stream(soac) => &stm.pattern[..soac.accs.len()],
        exprs!(simple, If, Loop, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => &[],
    }
}

fn certs_use(stm: &Stm, vars: &[Var]) -> bool {
    stm.certs.iter().any(|cert| vars.contains(cert))
}

/// Returns the width of a SOAC that takes part in fusion.
pub fn width(stm: &Stm) -> Option<Operand> {
    match &stm.expr {
        Expr::Screma(soac) => Some(soac.width),
        Expr::Partition(soac) => Some(soac.width),
        Expr::Scatter(soac) => Some(soac.width),
        Expr::Hist(soac) => Some(soac.width),
        Expr::Stream(soac) => Some(soac.width),
        exprs!(simple, If, Loop, WithAcc, FlatMap, Seg) => None,
    }
}

fn inputs(expr: &Expr) -> &[Var] {
    match expr {
        Expr::Screma(soac) => &soac.inputs,
        Expr::Partition(soac) => &soac.inputs,
        Expr::Scatter(soac) => &soac.inputs,
        Expr::Hist(soac) => &soac.inputs,
        Expr::Stream(soac) => &soac.inputs,
        exprs!(simple, If, Loop, WithAcc, FlatMap, Seg) => &[],
    }
}
