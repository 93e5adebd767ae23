//! Outlining: loops in functions with effects become functions of their own.
//!
//! If the machine runs `foldl f s xs` and `f` is a function made at the same place, the whole loop can be native code, even
//! though the surrounding code cannot. For each such place there is a function that captures the same values as `f` and takes the
//! other arguments. The machine never refers to it by number, but asks for the loop of a built-in and `f`.
//!
//! ```text
//! foldl (lam s. lam x. addi s (muli k x)) 0 xs     =>     lam k. lam s. lam xs. foldl (lam s. lam x. ...) s xs
//! ```

use std::rc::Rc;

use warpwise_diag::Span;

use crate::builtins::Builtin;

use super::super::code::{Code, Function, FunctionId, Instr, Slot, Sort, Use};
use super::infer::Repeat;

/// A built-in and the function that it calls.
pub(super) type Called = (Builtin, FunctionId);

/// Returns the program with functions for its loops at the end, and the built-in and function of each loop.
pub(super) fn outline(code: &Code) -> (Code, Vec<Called>) {
    let mut found: Vec<Called> = Vec::new();
    for function in &code.functions {
        for (at, instr) in function.code.iter().enumerate() {
            if let Some(called) = called(function, at, instr)
                && !found.contains(&called)
            {
                found.push(called);
            }
        }
    }
    let mut outlined = code.clone();
    found.retain(|(builtin, function)| {
        let made = made(*builtin, *function, &code.functions[function.0 as usize]);
        let is_made = made.is_some();
        outlined.functions.extend(made);
        is_made
    });
    (outlined, found)
}

/// Returns the function that an instruction calls repeatedly, possibly after it has received more arguments.
fn called(function: &Function, at: usize, instr: &Instr) -> Option<Called> {
    let (builtin, callee) = match instr {
        // The elements of a tensor are those of a sequence, made of the sequence of all indices.
        Instr::Builtin {
            builtin:
                Builtin::TensorCreateCArrayInt | Builtin::TensorCreateCArrayFloat | Builtin::TensorCreateDense,
            arguments,
            ..
        } => (Builtin::Map, *arguments.get(1)?),
        Instr::Builtin { builtin, arguments, .. } => {
            (*builtin, *Repeat::of(*builtin)?.parts(arguments)?.function)
        }
        Instr::Call { function: called, arguments, .. } => match written(function, at, called.slot)? {
            // The function is the first argument, except of built-ins that count.
            Instr::BuiltinValue { builtin, .. } => match Repeat::of(*builtin)? {
                Repeat::Times | Repeat::Create { .. } => return None,
                Repeat::Foldl | Repeat::Foldr | Repeat::Map | Repeat::Mapi | Repeat::Map2 => {
                    (*builtin, *arguments.first()?)
                }
            },
            _ => return None,
        },
        _ => return None,
    };
    match written(function, at, callee.slot)? {
        Instr::Closure { function, .. } => Some((builtin, *function)),
        _ => None,
    }
}

/// Returns the last instruction before `at` that writes a slot.
fn written(function: &Function, at: usize, slot: Slot) -> Option<&Instr> {
    function.code[..at].iter().rev().find(|instr| instr.writes() == Some(slot))
}

/// Makes the function of a loop; `None` if the called function does not have the form that the built-in needs.
fn made(builtin: Builtin, called: FunctionId, function: &Function) -> Option<Function> {
    let (captured, parameters) = function.sorts.split_at(function.n_captured as usize);
    let repeat = Repeat::of(builtin)?;
    let state = |index: usize| parameters.get(index).cloned();
    let (takes, is_fit): (Vec<Sort>, bool) = match repeat {
        Repeat::Times => (vec![state(0)?, Sort::Int], parameters.len() == 2),
        Repeat::Foldl => (vec![state(0)?, Sort::Seq], parameters.len() == 2),
        Repeat::Foldr => (vec![state(1)?, Sort::Seq], parameters.len() == 2),
        Repeat::Map => (vec![Sort::Seq], parameters.len() == 1),
        Repeat::Mapi => (vec![Sort::Seq], parameters.len() == 2),
        Repeat::Map2 => (vec![Sort::Seq, Sort::Seq], parameters.len() == 2),
        Repeat::Create { .. } => (vec![Sort::Int], parameters.len() == 1),
    };
    if !is_fit {
        return None;
    }
    let n_captured = captured.len() as u32;
    let n = n_captured + takes.len() as u32;
    let last = |slot: u32| Use { slot: Slot(slot), last: true };
    let closure =
        Instr::Closure { to: Slot(n), function: called, captured: (0..n_captured).map(last).collect() };
    let mut arguments: Vec<Use> = (n_captured..n).map(last).collect();
    arguments.insert(place(repeat), last(n));
    let run = Instr::Builtin { to: Slot(n + 1), builtin, arguments: arguments.into() };
    let code = vec![closure, run, Instr::Return { from: last(n + 1) }];
    let sorts = captured.iter().cloned().chain(takes).collect();
    Some(Function {
        name: Rc::from(builtin.name()),
        n_captured,
        n_parameters: n - n_captured,
        sorts,
        n_slots: n + 2,
        spans: vec![Span::NONE; code.len()],
        code,
    })
}

/// Returns the index of the argument that is the function.
pub(super) fn place(repeat: Repeat) -> usize {
    match repeat {
        Repeat::Times => 2,
        Repeat::Create { .. } => 1,
        Repeat::Foldl | Repeat::Foldr | Repeat::Map | Repeat::Mapi | Repeat::Map2 => 0,
    }
}
