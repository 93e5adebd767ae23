//! Replaces calls by the bodies of their callees and drops functions nobody calls any more. Calls of recursive
//! functions stay, and so do these.
//!
//! ```text
//! y: f32 = call square(x);   ==>   t: f32 = fmul x x;
//!                                  y: f32 = t;
//! ```
//!
//! Callees are inlined first, so that each is copied in its final form. Of functions that call each other all but
//! the first one met are inlined, which then calls itself.

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, FunctionId, Program, Stm};

/// Inlines every call but those of recursive functions; only these and entry points remain (every function, where there
/// are no entry points).
pub fn inline(program: &mut Program) -> Result<(), Limit> {
    demand_moderate_size(program)?;
    let has_entries = program.functions.values().any(|function| function.entry.is_some());
    let stays = |function: &Function| function.entry.is_some() || !has_entries;
    let mut state = SecondaryMap::new(State::Waiting);
    for id in program.functions.keys() {
        if stays(&program.functions[id]) {
            inline_into(program, id, &mut state);
        }
    }
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

/// Lets calls name functions by their new numbers.
fn renumber(body: &mut Body, renumbered: &SecondaryMap<FunctionId, Option<FunctionId>>) {
    for stm in &mut body.stms {
        if let Expr::Call { function, .. } = &mut stm.expr {
            *function = renumbered[*function].unwrap_or(*function);
        }
        stm.expr.for_each_body_mut(|body| renumber(body, renumbered));
    }
}

/// How far a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    /// Its callees are being inlined; whether it is among them.
    Open {
        calls_itself: bool,
    },
    Done,
    /// Done, but not to be inlined.
    Recursive,
}

fn inline_into(program: &mut Program, id: FunctionId, state: &mut SecondaryMap<FunctionId, State>) {
    match state[id] {
        State::Done | State::Recursive => return,
        State::Open { .. } => return state[id] = State::Open { calls_itself: true },
        State::Waiting => state[id] = State::Open { calls_itself: false },
    }
    let mut callees = Vec::new();
    collect_callees(&program.functions[id].body, &mut callees);
    for callee in callees {
        inline_into(program, callee, state);
    }
    let mut function = std::mem::replace(&mut program.functions[id], Function::new(""));
    let mut body = std::mem::take(&mut function.body);
    inline_body(program, &mut function, &mut body, state);
    function.body = body;
    program.functions[id] = function;
    let recursive = state[id] == State::Open { calls_itself: true };
    state[id] = if recursive { State::Recursive } else { State::Done };
}

fn collect_callees(body: &Body, callees: &mut Vec<FunctionId>) {
    for stm in &body.stms {
        if let Expr::Call { function, .. } = &stm.expr
            && !callees.contains(function)
        {
            callees.push(*function);
        }
        stm.expr.for_each_body(|body| collect_callees(body, callees));
    }
}

fn inline_body(
    program: &Program,
    function: &mut Function,
    body: &mut Body,
    state: &SecondaryMap<FunctionId, State>,
) {
    for mut stm in std::mem::take(&mut body.stms) {
        stm.expr.for_each_body_mut(|body| inline_body(program, function, body, state));
        match stm.expr {
            Expr::Call { function: callee, args } if state[callee] == State::Done => {
                let callee = &program.functions[callee];
                let params: Vec<_> = callee.params.iter().map(|param| param.var).collect();
                let substitution = Substitution::of(&params, &args);
                let copy = Copier::between(callee, function, substitution).copy_body(&callee.body);
                body.stms.extend(copy.stms.into_iter().map(|mut inner| {
                    inner.certs.extend(&stm.certs);
                    inner
                }));
                let results = stm.pattern.iter().zip(copy.result).map(|(&var, result)| Stm {
                    pattern: vec![var],
                    expr: Expr::Operand(result),
                    certs: vec![],
                    span: stm.span,
                });
                body.stms.extend(results);
            }
            expr => body.stms.push(Stm { expr, ..stm }),
        }
    }
}

/// How many statements all calls of a program may become.
const MOST_STATEMENTS: u64 = 1 << 21;

/// Calls of calls of calls double with every level: says so before memory ends.
fn demand_moderate_size(program: &Program) -> Result<(), Limit> {
    let mut sizes = SecondaryMap::new(None);
    for (id, function) in program.functions.iter() {
        if function.entry.is_some() && size_inlined(program, id, &mut sizes) > MOST_STATEMENTS {
            let message =
                format!("calls that become more than {MOST_STATEMENTS} statements (in `{}`)", function.name);
            return Err(Limit { message, span: function.span });
        }
    }
    Ok(())
}

/// The statements of a function with those of all that it calls. A call of a function from itself counts as one.
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
        size = size.saturating_add(match &stm.expr {
            Expr::Call { function, .. } => size_inlined(program, *function, sizes),
            _ => 1,
        });
        stm.expr.for_each_body(|body| size = size.saturating_add(size_of_body(program, body, sizes)));
    }
    size
}

#[cfg(test)]
mod tests {
    use warpwise_diag::FileId;

    use super::*;

    /// `f0` has one statement, every further function calls the one before twice.
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

    #[test]
    fn calls_that_double_are_a_limit() {
        assert!(inline(&mut doubling(10)).is_ok());
        let limit = inline(&mut doubling(60)).unwrap_err();
        assert!(limit.message.contains("statements"), "{}", limit.message);
    }
}
