//! Replaces calls by the bodies of their callees and drops functions that are no longer called. Calls of recursive functions
//! stay, and so do these functions.
//!
//! ```text
//! y: f32 = call square(x);   ==>   t: f32 = fmul x x;
//!                                  y: f32 = t;
//! ```
//!
//! Checks record the positions of the inlined calls, innermost first.
//!
//! A callee with several calls is first inlined into, so that its final form is copied. A callee with a single call is copied as
//! it is, and its calls are inlined in the copy, so that a chain of calls is copied once and not once per link. Of a group of
//! mutually recursive functions, all but the first one met are inlined; the first then calls itself.
//!
//! Layers of small general functions make bodies that are large until they are simplified. Example: a number of several words in
//! a tuple of tuples, where every access becomes a choice between the components. If inlining all calls at once would make a
//! program too large, [`inline_small`] runs first: simplification in between keeps the copies small.

use std::rc::Rc;

use warpwise_diag::{Limit, Span};
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, FunctionId, Program, Stm};

/// Inlines every call except those of recursive functions. Only recursive functions and entry points remain (every function if
/// there are no entry points).
pub fn inline(program: &mut Program) -> Result<(), Limit> {
    demand_moderate_size(program)?;
    let has_entries = program.functions.values().any(|function| function.entry.is_some());
    let stays = |function: &Function| function.entry.is_some() || !has_entries;
    let state = inline_where(program, |program, id| stays(&program.functions[id]), |_| true);
    let mut renumbered = SecondaryMap::new(None);
    let functions = std::mem::take(&mut program.functions);
    let ids: Vec<FunctionId> = functions.keys().collect();
    for (id, function) in ids.into_iter().zip(functions.into_values()) {
        if stays(&function) || state[id] == State::Recursive {
            renumbered[id] = Some(program.functions.push(function));
        }
    }
    for function in program.functions.values_mut() {
        renumber(&mut function.body, &renumbered);
    }
    Ok(())
}

/// Inlines calls of functions that are small including all their callees, in programs that inlining would make large. Removes no
/// function.
pub fn inline_small(program: &mut Program) -> Result<(), Limit> {
    let sizes = sizes_inlined(program);
    if program.functions.keys().any(|id| sizes[id] > LARGE) {
        inline_where(program, |_, _| true, |id| sizes[id] <= SMALL);
    }
    Ok(())
}

/// Inlines calls of the chosen functions into those that stay. Returns the final state of each function.
fn inline_where(
    program: &mut Program,
    stays: impl Fn(&Program, FunctionId) -> bool,
    chosen: impl Fn(FunctionId) -> bool,
) -> SecondaryMap<FunctionId, State> {
    let mut calls = SecondaryMap::new(0);
    program.functions.values().for_each(|function| count_calls(&function.body, &mut calls));
    let staying: Vec<FunctionId> = program.functions.keys().filter(|&id| stays(program, id)).collect();
    for &id in &staying {
        // No call counts as the only one: the calls in a function that stays must be inlined, too.
        calls[id] = u32::MAX;
    }
    let mut inliner = Inliner { program, chosen, state: SecondaryMap::new(State::Waiting), calls };
    staying.into_iter().for_each(|id| inliner.inline_into(id));
    inliner.state
}

/// Replaces function ids in calls by the new ids.
fn renumber(body: &mut Body, renumbered: &SecondaryMap<FunctionId, Option<FunctionId>>) {
    for stm in &mut body.stms {
        if let Expr::Call { function, .. } = &mut stm.expr {
            *function = renumbered[*function].unwrap_or(*function);
        }
        stm.expr.for_each_body_mut(|body| renumber(body, renumbered));
    }
}

/// Progress of inlining for one function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    /// Its callees are being inlined. `calls_itself` is set if it is reached again among them.
    Open {
        calls_itself: bool,
    },
    Done,
    /// Done, but calls of it stay.
    Recursive,
}

fn count_calls(body: &Body, calls: &mut SecondaryMap<FunctionId, u32>) {
    for stm in &body.stms {
        if let Expr::Call { function, .. } = &stm.expr {
            calls[*function] += 1;
        }
        stm.expr.for_each_body(|body| count_calls(body, calls));
    }
}

/// State of inlining.
struct Inliner<'p, Chosen> {
    program: &'p mut Program,
    /// Whether calls of a function are inlined.
    chosen: Chosen,
    state: SecondaryMap<FunctionId, State>,
    /// Number of calls of each function.
    calls: SecondaryMap<FunctionId, u32>,
}

impl<Chosen: Fn(FunctionId) -> bool> Inliner<'_, Chosen> {
    fn inline_into(&mut self, id: FunctionId) {
        match self.state[id] {
            State::Done | State::Recursive => return,
            State::Open { .. } => return self.state[id] = State::Open { calls_itself: true },
            State::Waiting => self.state[id] = State::Open { calls_itself: false },
        }
        let mut function = std::mem::replace(&mut self.program.functions[id], Function::new(""));
        let mut body = std::mem::take(&mut function.body);
        self.inline_body(&mut function, &mut body, &[]);
        function.body = body;
        self.program.functions[id] = function;
        let recursive = self.state[id] == State::Open { calls_itself: true };
        self.state[id] = if recursive { State::Recursive } else { State::Done };
    }

    /// Inlines the calls in a body of a function that was itself inlined through the calls `outer`. If a call is the only one of
    /// its callee, the statements that replace it are visited next.
    fn inline_body(&mut self, function: &mut Function, body: &mut Body, outer: &[Span]) {
        let stms = std::mem::take(&mut body.stms);
        let outer: Rc<[Span]> = outer.into();
        let mut waiting: Vec<(Stm, Rc<[Span]>)> = stms.into_iter().map(|stm| (stm, outer.clone())).collect();
        waiting.reverse();
        while let Some((mut stm, outer)) = waiting.pop() {
            stm.expr.for_each_body_mut(|body| self.inline_body(function, body, &outer));
            let Expr::Call { function: id, args } = stm.expr else {
                body.stms.push(stm);
                continue;
            };
            if !(self.chosen)(id) {
                body.stms.push(Stm { expr: Expr::Call { function: id, args }, ..stm });
                continue;
            }
            let only_here = self.calls[id] == 1 && self.state[id] == State::Waiting;
            if !only_here {
                self.inline_into(id);
                if self.state[id] != State::Done {
                    body.stms.push(Stm { expr: Expr::Call { function: id, args }, ..stm });
                    continue;
                }
            }
            self.state[id] = State::Done;
            let callee = &self.program.functions[id];
            let params: Vec<_> = callee.params.iter().map(|param| param.var).collect();
            let substitution = Substitution::of(&params, &args);
            let mut copy = Copier::between(callee, function, substitution).copy_body(&callee.body);
            let calls: Rc<[Span]> = [stm.span]
                .iter()
                .chain(&*outer)
                .copied()
                .filter(|call| !call.is_none())
                .take(LONGEST_CHAIN)
                .collect();
            called_from(&mut copy, &calls);
            let results = stm.pattern.iter().zip(copy.result).map(|(&var, result)| Stm {
                pattern: vec![var],
                expr: Expr::Operand(result),
                certs: vec![],
                span: stm.span,
            });
            let copied = copy.stms.into_iter().map(|mut inner| {
                inner.certs.extend(&stm.certs);
                inner
            });
            match only_here {
                true => {
                    let next: Vec<Stm> = copied.chain(results).collect();
                    waiting.extend(next.into_iter().rev().map(|stm| (stm, calls.clone())));
                }
                false => body.stms.extend(copied.chain(results)),
            }
        }
    }
}

/// Records in checks the calls through which they were inlined.
fn called_from(body: &mut Body, calls: &[Span]) {
    for stm in &mut body.stms {
        if let Expr::Assert { message, .. } = &mut stm.expr {
            let room = LONGEST_CHAIN.saturating_sub(message.calls.len());
            message.calls.extend(calls.iter().take(room));
        }
        stm.expr.for_each_body_mut(|body| called_from(body, calls));
    }
}

/// Maximum number of calls that a message names.
const LONGEST_CHAIN: usize = 16;

/// Maximum number of statements of an entry point with all calls inlined.
const MOST_STATEMENTS: u64 = 1 << 21;

/// Reports a limit before memory runs out: nested calls can double the size with every level.
fn demand_moderate_size(program: &Program) -> Result<(), Limit> {
    let sizes = sizes_inlined(program);
    for (id, function) in program.functions.iter() {
        if function.entry.is_some() && sizes[id] > MOST_STATEMENTS {
            let message =
                format!("calls that become more than {MOST_STATEMENTS} statements (in `{}`)", function.name);
            return Err(Limit { message, span: function.span });
        }
    }
    Ok(())
}

/// Number of statements of a function with all calls inlined, above which small functions are inlined first.
const LARGE: u64 = 1 << 14;

/// Maximum number of statements of a function that [`inline_small`] inlines.
const SMALL: u64 = 1 << 10;

/// Returns the number of statements of each function with all calls inlined.
fn sizes_inlined(program: &Program) -> SecondaryMap<FunctionId, u64> {
    let mut known = SecondaryMap::new(None);
    let mut sizes = SecondaryMap::new(0);
    for id in program.functions.keys() {
        sizes[id] = size_inlined(program, id, &mut known);
    }
    sizes
}

/// Counts the statements of a function including those of all its callees. A recursive call counts as one.
fn size_inlined(program: &Program, id: FunctionId, sizes: &mut SecondaryMap<FunctionId, Option<u64>>) -> u64 {
    if let Some(size) = sizes[id] {
        return size;
    }
    sizes[id] = Some(1);
    let size = size_of_body(program, &program.functions[id].body, sizes);
    sizes[id] = Some(size);
    size
}

fn size_of_body(program: &Program, body: &Body, sizes: &mut SecondaryMap<FunctionId, Option<u64>>) -> u64 {
    let mut size = 0u64;
    for stm in &body.stms {
        size = size.saturating_add(if let Expr::Call { function, .. } = &stm.expr {
            size_inlined(program, *function, sizes)
        } else {
            1
        });
        stm.expr.for_each_body(|body| size = size.saturating_add(size_of_body(program, body, sizes)));
    }
    size
}

#[cfg(test)]
mod tests {
    use warpwise_diag::FileId;

    use super::*;

    /// Returns a program where `f0` has one statement and every further function calls its predecessor twice.
    fn doubling(levels: usize) -> Program {
        let mut text = "fun f0(x: i32) -> (y: i32) {\n  y: i32 = add x 1;\n  return y\n}\n".to_string();
        for level in 1..=levels {
            let head = if level == levels { "entry main" } else { &format!("fun f{level}") };
            let tail = if level == levels { " as \"main\" sizes 0 (x: i32) -> sizes 0 (i32)" } else { "" };
            let before = level - 1;
            text += &format!(
                "{head}(x: i32) -> (z: i32){tail} {{\n  y: i32 = call f{before}(x);\n  z: i32 = call f{before}(y);\n  return z\n}}\n"
            );
        }
        warpwise_ir::parse::parse(&text, FileId(0)).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
    }

    fn statements(program: &Program) -> u64 {
        program.functions.values().map(|function| function.body.stms.len() as u64).sum()
    }

    #[test]
    fn small_functions_are_inlined_first_in_what_would_be_large() {
        let mut small = doubling(8);
        let before = small.to_string();
        inline_small(&mut small).expect("no limit");
        assert_eq!(small.to_string(), before);
        let mut large = doubling(16);
        let sizes = sizes_inlined(&large);
        inline_small(&mut large).expect("no limit");
        assert!(statements(&large) < LARGE, "{}", statements(&large));
        let stms = large.functions.values().flat_map(|function| &function.body.stms);
        let called: Vec<u64> = stms
            .filter_map(
                |stm| if let Expr::Call { function, .. } = stm.expr { Some(sizes[function]) } else { None },
            )
            .collect();
        assert!(!called.is_empty() && called.iter().all(|&size| size > SMALL), "{called:?}");
    }

    #[test]
    fn calls_that_double_are_a_limit() {
        assert!(inline(&mut doubling(10)).is_ok());
        let limit = inline(&mut doubling(60)).unwrap_err();
        assert!(limit.message.contains("statements"), "{}", limit.message);
    }
}
