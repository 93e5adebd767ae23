//! Elimination of copies that cannot be distinguished from the original.
//!
//! The language says that `zip` and similar functions return fresh arrays, so lowering copies. A copy is needed only if the array
//! or the copy is overwritten while the other one is still used:
//!
//! ```text
//! t = copy xs; y = screma n (t) ...;             y = screma n (xs) ...;
//! zs = update xs[0] = 1                 becomes  zs = update xs[0] = 1
//! ```
//!
//! Two rules, on flow-insensitive alias classes:
//! 1. A copy is replaced by its source if neither the copy nor anything that may share its storage or its source's is consumed.
//! 2. A copy is replaced by its source if it is only read, by statements of its own body that keep no view of it, before anything
//!    that may share the source's storage is consumed.
//!
//! Not done here: copies of arrays that are not used again, whose storage could be reused.

use warpwise_ir::entity::Entity;
use warpwise_ir::traverse::{Substitution, Visitor, VisitorMut};
use warpwise_ir::{
    Body, Expr, Function, FunctionId, LoopParam, Operand, Program, Stm, Stream, StreamKind, Var,
};

/// Eliminates needless copies in all functions.
pub fn elide_copies(program: &mut Program) {
    let ids: Vec<_> = program.functions.keys().collect();
    for id in ids {
        let mut function = program.functions[id].clone();
        let replaced = Elision::new(program, &function).run(&function.body);
        if replaced.is_empty() {
            continue;
        }
        let mut body = std::mem::take(&mut function.body);
        DropCopies(&replaced).body(&mut body);
        replaced.apply_body(&mut function, &mut body);
        function.body = body;
        program.functions[id] = function;
    }
}

/// Classes of variables that may share storage, with the classes that are consumed.
struct Aliases<'a> {
    program: &'a Program,
    parent: Vec<usize>,
    consumed: Vec<bool>,
    /// Whether a copy counts as sharing storage with its source.
    through_copies: bool,
}

impl<'a> Aliases<'a> {
    fn new(program: &'a Program, function: &Function, through_copies: bool) -> Aliases<'a> {
        let count = function.vars.len();
        let parent = (0..count).collect();
        let mut aliases = Aliases { program, parent, consumed: vec![false; count], through_copies };
        aliases.body(&function.body);
        for (decl, operand) in function.results.iter().zip(&function.body.result) {
            if decl.unique {
                aliases.consume(*operand);
            }
        }
        aliases
    }

    fn class(&self, var: Var) -> usize {
        let mut class = var.index();
        while self.parent[class] != class {
            class = self.parent[class];
        }
        class
    }

    fn share(&mut self, a: Var, b: Operand) {
        let Operand::Var(b) = b else { return };
        let (a, b) = (self.class(a), self.class(b));
        let consumed = self.consumed[a] || self.consumed[b];
        self.parent[a] = b;
        self.consumed[b] = consumed;
    }

    fn share_all(&mut self, vars: &[Var], operands: impl IntoIterator<Item = Operand>) {
        for (var, operand) in vars.iter().zip(operands) {
            self.share(*var, operand);
        }
    }

    fn consume(&mut self, operand: Operand) {
        if let Operand::Var(var) = operand {
            let class = self.class(var);
            self.consumed[class] = true;
        }
    }

    fn is_consumed(&self, var: Var) -> bool {
        self.consumed[self.class(var)]
    }

    fn call(&mut self, pattern: &[Var], function: FunctionId, args: &[Operand]) {
        let callee = &self.program.functions[function];
        for (decl, var) in callee.results.iter().zip(pattern) {
            if !decl.unique && callee.ty(decl.var).rank() > 0 {
                for arg in args {
                    self.share(*var, *arg);
                }
            }
        }
    }

    fn loop_params(&mut self, pattern: &[Var], params: &[LoopParam], body: &Body) {
        for ((param, next), result) in params.iter().zip(&body.result).zip(pattern) {
            self.share(param.var, param.init);
            self.share(param.var, *next);
            self.share(*result, Operand::Var(param.var));
        }
    }

    /// Chunks are views of the inputs. A `stream_seq` passes accumulators from chunk to chunk, as a loop does between iterations.
    fn stream(&mut self, pattern: &[Var], soac: &Stream) {
        let (accs, chunks) = soac.lambda.params[2..].split_at(soac.accs.len());
        self.elements(chunks, &soac.inputs);
        self.share_all(accs, soac.accs.iter().copied());
        if soac.kind == StreamKind::Seq {
            self.share_all(accs, soac.lambda.body.result.iter().copied());
            self.share_all(&pattern[..accs.len()], accs.iter().map(|acc| Operand::Var(*acc)));
        }
    }

    /// The parameters for elements of a SOAC's inputs are views of the inputs.
    fn elements(&mut self, params: &[Var], inputs: &[Var]) {
        self.share_all(params, inputs.iter().map(|input| Operand::Var(*input)));
    }
}

impl<'a> Visitor<'a> for Aliases<'_> {
    fn stm(&mut self, stm: &'a Stm) {
        let pattern = &stm.pattern;
        match &stm.expr {
            Expr::Operand(operand) => self.share_all(pattern, [*operand]),
            Expr::Index { array, .. }
            | Expr::Slice { array, .. }
            | Expr::Rearrange { array, .. }
            | Expr::Reshape { array, .. } => self.share_all(pattern, [Operand::Var(*array)]),
            Expr::Update { array, .. } => self.share_all(pattern, [Operand::Var(*array)]),
            Expr::Copy(array) if self.through_copies => self.share_all(pattern, [Operand::Var(*array)]),
            Expr::If { then_body, else_body, .. } => {
                self.share_all(pattern, then_body.result.iter().copied());
                self.share_all(pattern, else_body.result.iter().copied());
            }
            Expr::Loop { params, body, .. } => self.loop_params(pattern, params, body),
            Expr::Call { function, args } => self.call(pattern, *function, args),
            Expr::WithAcc(soac) => {
                let arrays = soac.inputs.iter().flat_map(|input| &input.arrays);
                self.share_all(pattern, arrays.map(|array| Operand::Var(*array)));
            }
            Expr::Stream(soac) => self.stream(pattern, soac),
            Expr::Screma(soac) => self.elements(&soac.map.params, &soac.inputs),
            Expr::Partition(soac) => self.elements(&soac.lambda.params, &soac.inputs),
            Expr::FlatMap(soac) => self.elements(&soac.lambda.params, &soac.inputs),
            Expr::Scatter(soac) => {
                self.elements(&soac.lambda.params, &soac.inputs);
                self.share_all(pattern, soac.dests.iter().map(|dest| Operand::Var(dest.array)));
            }
            Expr::Hist(soac) => {
                self.elements(&soac.lambda.params, &soac.inputs);
                let dests = soac.ops.iter().flat_map(|op| &op.dests);
                self.share_all(pattern, dests.map(|dest| Operand::Var(*dest)));
            }
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Scratch { .. }
            | Expr::UpdateAcc { .. }
            | Expr::Seg(_)
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => {}
        }
        for operand in consumed_by(self.program, &stm.expr) {
            self.consume(operand);
        }
        self.walk_stm(stm);
    }
}

/// The decision which copies to eliminate.
struct Elision<'a> {
    /// Alias classes in which a copy shares storage with its source.
    joined: Aliases<'a>,
    /// Alias classes in which it does not.
    separate: Aliases<'a>,
    replaced: Substitution,
}

impl<'a> Elision<'a> {
    fn new(program: &'a Program, function: &Function) -> Elision<'a> {
        Elision {
            joined: Aliases::new(program, function, true),
            separate: Aliases::new(program, function, false),
            replaced: Substitution::new(),
        }
    }

    fn run(mut self, body: &'a Body) -> Substitution {
        self.body(body);
        self.replaced
    }

    /// Whether the copy bound by statement `at` of a body is only read, and only while its source is unchanged.
    fn is_only_read(&self, body: &Body, at: usize, copy: Var, source: Operand) -> bool {
        let mut mentions = Mentions { var: copy, found: false };
        body.result.iter().for_each(|operand| mentions.operand(operand));
        let mut intact = true;
        for stm in &body.stms[at + 1..] {
            let mut mentioned = Mentions { var: copy, found: false };
            mentioned.stm(stm);
            intact &= !self.consumes(stm, source);
            mentions.found |= mentioned.found && !(intact && keeps_no_view(&stm.expr));
        }
        !mentions.found && !self.separate.is_consumed(copy)
    }

    /// Whether a statement may consume the storage of an operand.
    fn consumes(&self, stm: &Stm, operand: Operand) -> bool {
        let Operand::Var(var) = operand else { return false };
        let mut consumer =
            Consumer { aliases: &self.separate, class: self.separate.class(var), found: false };
        consumer.stm(stm);
        consumer.found
    }
}

/// A search for the consumption of an alias class.
struct Consumer<'a> {
    aliases: &'a Aliases<'a>,
    class: usize,
    found: bool,
}

impl<'b> Visitor<'b> for Consumer<'_> {
    fn stm(&mut self, stm: &'b Stm) {
        let consumed = consumed_by(self.aliases.program, &stm.expr);
        let is_it =
            |operand: &Operand| operand.as_var().is_some_and(|var| self.aliases.class(var) == self.class);
        self.found |= consumed.iter().any(is_it);
        self.walk_stm(stm);
    }
}

/// Returns the operands that an expression itself consumes, not those consumed in its bodies.
fn consumed_by(program: &Program, expr: &Expr) -> Vec<Operand> {
    let mut consumed = Vec::new();
    let takes = |function: FunctionId, at: usize| program.functions[function].params[at].consumed;
    expr.for_each_consumed(takes, |var| consumed.push(Operand::Var(*var)));
    consumed
}

impl<'a> Visitor<'a> for Elision<'a> {
    fn body(&mut self, body: &'a Body) {
        for (at, stm) in body.stms.iter().enumerate() {
            let (Expr::Copy(source), [copy]) = (&stm.expr, &stm.pattern[..]) else { continue };
            let source = self.replaced.apply(Operand::Var(*source));
            if !self.joined.is_consumed(*copy) || self.is_only_read(body, at, *copy, source) {
                self.replaced.insert(*copy, source);
            }
        }
        self.walk_body(body);
    }
}

/// Whether no result of an expression shares storage with an array that the expression only reads.
fn keeps_no_view(expr: &Expr) -> bool {
    match expr {
        Expr::Screma(_) | Expr::Partition(_) | Expr::Scatter(_) | Expr::Hist(_) | Expr::FlatMap(_) => true,
        Expr::Copy(_) | Expr::Manifest { .. } | Expr::Concat { .. } | Expr::ArrayLit(_) => true,
        Expr::Replicate { .. } | Expr::Update { .. } | Expr::UpdateAcc { .. } => true,
        Expr::Operand(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Ternary(..)
        | Expr::Compare(..)
        | Expr::Convert(..)
        | Expr::Select(..)
        | Expr::Assert { .. }
        | Expr::Index { .. }
        | Expr::Slice { .. }
        | Expr::Iota { .. }
        | Expr::Rearrange { .. }
        | Expr::Reshape { .. }
        | Expr::Scratch { .. }
        | Expr::If { .. }
        | Expr::Loop { .. }
        | Expr::Call { .. }
        | Expr::Stream(_)
        | Expr::WithAcc(_)
        | Expr::Seg(_)
        | Expr::Tuned { .. }
        | Expr::Alloc { .. } => false,
    }
}

/// A search for uses of a variable.
struct Mentions {
    var: Var,
    found: bool,
}

impl<'a> Visitor<'a> for Mentions {
    fn var(&mut self, var: &'a Var) {
        self.found |= *var == self.var;
    }
}

/// Removes the statements of eliminated copies.
struct DropCopies<'s>(&'s Substitution);

impl VisitorMut for DropCopies<'_> {
    fn body(&mut self, body: &mut Body) {
        let replaced = |var: Var| self.0.apply(Operand::Var(var)) != Operand::Var(var);
        body.stms.retain(|stm| {
            !(matches!(stm.expr, Expr::Copy(_)) && stm.pattern.iter().all(|var| replaced(*var)))
        });
        self.walk_body(body);
    }
}
