//! Functions over scalars as LLVM IR, for processors to run in place of the machine.
//!
//! [`plan`] looks for functions that take and give scalars or records of such, and repeat themselves by recursion or by
//! `seqLoopAcc`; it writes them and what they call as text of LLVM IR. Whoever has LLVM compiles that ([`NativeCode`]), and
//! the [`machine`](super::machine) then calls it where it would run such a function. Functions are copied for the kinds
//! of values they meet ([`infer`]), so that functions of functions and polymorphic ones are no obstacle inside.
//!
//! Such code has no effects. Where it comes to something that ends a run, or to something rare that it does not have
//! (the message of an `error`), or where its stack is full, it gives up, and the machine computes the call from its
//! start: so every failure has the message, the place and the calls that it has without native code.
//!
//! Absent: sequences and tensors, constructors, references, anything that the world sees.

mod infer;
mod kinds;
mod operations;
mod running;
mod text;
mod words;

use crate::builtins::ALL;

use super::code::{Code, FunctionId};
use super::value::Value;
use super::world::World;

pub use kinds::Kind;
pub(super) use running::{Answer, Natives};
pub use text::context;

/// Compiled text of a [`Plan`].
pub trait NativeCode {
    /// Calls an entry by its number: `words` holds its arguments, and then its result. Whether it has not given up.
    fn call(&mut self, entry: usize, words: &mut [u64], globals: &[u64], world: &dyn World) -> bool;
}

/// What of a program is worth native code.
#[derive(Clone, Debug)]
pub struct Plan {
    /// LLVM IR.
    pub text: String,
    /// The functions that the machine can call.
    pub entries: Vec<Entry>,
    /// Where the globals lie that the text reads: their kinds, and the first of their words.
    globals: Vec<Option<(Kind, usize)>>,
    /// How many words they take.
    n_global_words: usize,
}

/// A function that the machine can call.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function.
    pub function: FunctionId,
    /// The name of its code.
    pub symbol: String,
    /// What it captures and takes.
    pub parameters: Vec<Kind>,
    /// What it gives.
    pub result: Kind,
}

/// A plan with its compiled text.
pub struct Native<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its text, compiled.
    pub code: &'a mut dyn NativeCode,
}

/// Looks for what is worth native code; nothing if there is no such thing.
pub fn plan(code: &Code) -> Option<Plan> {
    let (globals, n_global_words) = kinds::place_globals(code);
    let analysis = infer::infer(code, &globals);
    let entries = analysis.entries(code);
    if entries.is_empty() {
        return None;
    }
    let text = text::module(code, &analysis, &globals, &entries);
    let entries = entries
        .into_iter()
        .map(|instance| {
            let it = &analysis.instances[instance];
            Entry {
                function: it.function,
                symbol: text::symbol(instance),
                parameters: it.arguments.clone(),
                result: it.result.clone().expect("an entry has a result"),
            }
        })
        .collect();
    Some(Plan { text, entries, globals, n_global_words })
}

/// A function of mathematics by its number, as the machine computes it; the second float is left alone where it takes one.
pub fn mathematics(world: &dyn World, number: u32, x: f64, y: f64) -> f64 {
    let builtin = ALL[number as usize];
    let arguments = [Value::Float(x), Value::Float(y)];
    match super::builtins::mathematics(world, builtin, &arguments[..builtin.parameters()]) {
        Some(Value::Float(value)) => value,
        _ => unreachable!("text only calls functions of mathematics"),
    }
}
