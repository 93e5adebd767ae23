//! Functions without effects as LLVM IR, for processors to run in place of the machine.
//!
//! [`plan`] looks for functions that repeat themselves by recursion or by a built-in such as `foldl`; it writes them and what
//! they call as text of LLVM IR. Loops in other functions are made functions for that ([`outline`]). Whoever has LLVM compiles that ([`NativeCode`]), and
//! the [`machine`](super::machine) then calls it where it would run such a function. Functions are copied for the kinds
//! of values they meet ([`infer`]), so that functions of functions and polymorphic ones are no obstacle inside. Scalars and
//! small records are words in registers, constructors and other records the machine's own blocks, counted and read by
//! the code itself; sequences, but for their lengths, and tensors are worked with by the machine's functions
//! ([`runtime`](mod@runtime)).
//!
//! Such code has no effects. Where it comes to something that ends a run, or to something rare that it does not have
//! (the message of an `error`), or where its stack is full, it gives up, and the machine computes the call from its
//! start: so every failure has the message, the place and the calls that it has without native code. What the machine hands
//! over it keeps, too, so nothing of that is changed in place.
//!
//! Absent: functions as parts of values, references, changes of tensors, anything that the world sees.

mod infer;
mod kinds;
mod operations;
mod outline;
mod running;
mod runtime;
mod text;
mod words;

use std::rc::Rc;

use crate::builtins::{ALL, Builtin};

use super::code::{Code, FunctionId};
use super::value::Value;
use super::world::World;

pub use kinds::Kind;
pub(super) use running::{Answer, Natives};
pub use runtime::{Runtime, runtime};
pub use text::context;

/// Compiled text of a [`Plan`].
pub trait NativeCode {
    /// Calls an entry by its number: `words` holds its arguments, and then its result. Whether it has not given up.
    fn call(&mut self, entry: usize, words: &mut [u64], globals: &[u64], world: &dyn World) -> bool;
}

/// The functions of a program that are worth native code.
#[derive(Clone, Debug)]
pub struct Plan {
    /// LLVM IR.
    pub text: String,
    /// The functions that the machine can call.
    pub entries: Vec<Entry>,
    /// Where the globals lie that the text reads: their kinds, and the first of their words.
    globals: Vec<(Kind, usize)>,
    /// The strings whose words follow them.
    strings: Vec<Rc<str>>,
    /// How many words they take.
    n_global_words: usize,
}

/// A function that the machine can call.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where the machine comes to it.
    pub started: Started,
    /// The name of its code.
    pub symbol: String,
    /// The kinds of its captured values and parameters.
    pub parameters: Vec<Kind>,
    /// The kind of its result.
    pub result: Kind,
}

/// The work of the machine that native code takes over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Started {
    /// Call a function.
    Call(FunctionId),
    /// Run a built-in that calls a function again and again.
    Loop(Builtin, FunctionId),
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
    let (outlined, loops) = outline::outline(code);
    let n_functions = code.functions.len();
    let code = &outlined;
    let analysis = infer::infer(code, &globals, loops.len());
    let entries = analysis.entries(code);
    if entries.is_empty() {
        return None;
    }
    let strings = Default::default();
    let module = text::Module { code, analysis: &analysis, globals: &globals, n_global_words, strings };
    let text = text::module(&module, &entries);
    let strings = module.strings.into_inner().into_iter().collect();
    let entries = entries
        .into_iter()
        .map(|instance| {
            let it = &analysis.instances[instance];
            let number = it.function.0 as usize;
            let started = match number.checked_sub(n_functions) {
                None => Started::Call(it.function),
                Some(number) => Started::Loop(loops[number].0, loops[number].1),
            };
            Entry {
                started,
                symbol: text::symbol(instance),
                parameters: it.arguments.clone(),
                result: it.result.clone().expect("an entry has a result"),
            }
        })
        .collect();
    Some(Plan { text, entries, globals, strings, n_global_words })
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
