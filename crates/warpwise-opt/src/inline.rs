//! Replaces calls by the bodies of their callees and drops functions nobody calls any more.
//!
//! ```text
//! y: f32 = call square(x);   ==>   t: f32 = fmul x x;
//!                                  y: f32 = t;
//! ```
//!
//! Callees are inlined first, so that each is copied in its final form. Recursive functions are a
//! known limit: nothing behind this pass handles calls yet.

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, FunctionId, Program, Stm};

/// Inlines every call; only entry points remain (every function, where there are none).
pub fn inline(program: &mut Program) -> Result<(), Limit> {
    let has_entries = program.functions.values().any(|function| function.entry.is_some());
    let stays = |function: &Function| function.entry.is_some() || !has_entries;
    let mut state = SecondaryMap::new(State::Waiting);
    for id in program.functions.keys() {
        if stays(&program.functions[id]) {
            inline_into(program, id, &mut state)?;
        }
    }
    let functions = std::mem::take(&mut program.functions);
    for function in functions.into_values().filter(stays) {
        program.functions.push(function);
    }
    Ok(())
}

/// How far a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Open,
    Done,
}

fn inline_into(
    program: &mut Program,
    id: FunctionId,
    state: &mut SecondaryMap<FunctionId, State>,
) -> Result<(), Limit> {
    match state[id] {
        State::Done => return Ok(()),
        State::Open => {
            let function = &program.functions[id];
            let message = format!("recursive functions (here `{}`)", function.name);
            return Err(Limit { message, span: function.span });
        }
        State::Waiting => state[id] = State::Open,
    }
    let mut callees = Vec::new();
    collect_callees(&program.functions[id].body, &mut callees);
    for callee in callees {
        inline_into(program, callee, state)?;
    }
    let mut function = std::mem::replace(&mut program.functions[id], Function::new(""));
    let mut body = std::mem::take(&mut function.body);
    inline_body(program, &mut function, &mut body);
    function.body = body;
    program.functions[id] = function;
    state[id] = State::Done;
    Ok(())
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

fn inline_body(program: &Program, function: &mut Function, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        stm.expr.for_each_body_mut(|body| inline_body(program, function, body));
        match stm.expr {
            Expr::Call { function: callee, args } => {
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
