//! Functions without effects as LLVM IR, which run natively instead of on the machine.
//!
//! [`plan`] looks for functions that repeat work by recursion or by a built-in such as `foldl`, and writes them and their callees
//! as text of LLVM IR. Loops in other functions become functions of their own ([`outline`]). A program with access to LLVM
//! compiles the text ([`NativeCode`]), and the [`machine`](super::machine) then calls the compiled code instead of running such a
//! function. Functions are copied for the kinds of values they receive ([`infer`]), so that higher-order and polymorphic
//! functions are no obstacle inside. Scalars and small records are words in registers. Constructors and other records are the
//! machine's blocks, counted and read by the code itself. Sequences, except for their lengths, and tensors are handled by
//! functions of the machine ([`runtime`](mod@runtime)).
//!
//! The code has no effects. It gives up if something ends the run, if it needs something rare that it does not support (the
//! message of an `error`), or if its stack is full. The machine then computes the call from its start, so every failure has the
//! same message, position and open calls as without native code. The machine keeps the values that it passes, so native code
//! changes none of them in place.
//!
//! Absent: functions as parts of values, references, changes of tensors, anything that the world can observe.

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
    /// Calls an entry by its number: `words` holds its arguments, and then its result. Returns false if the code gave up.
    fn call(&mut self, entry: usize, words: &mut [u64], globals: &[u64], world: &dyn World) -> bool;
}

/// The functions of a program that are worth native code.
#[derive(Clone, Debug)]
pub struct Plan {
    /// LLVM IR.
    pub text: String,
    /// The functions that the machine can call.
    pub entries: Vec<Entry>,
    /// The globals that the text reads: their kinds, and the indices of their first words.
    globals: Vec<(Kind, usize)>,
    /// The strings; their words follow those of the globals.
    strings: Vec<Rc<str>>,
    /// Number of words of the globals.
    n_global_words: usize,
}

/// A function that the machine can call.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The work of the machine that the entry takes over.
    pub started: Started,
    /// The symbol of its code.
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
    /// Run a built-in that calls a function repeatedly.
    Loop(Builtin, FunctionId),
}

/// A plan with its compiled text.
pub struct Native<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its text, compiled.
    pub code: &'a mut dyn NativeCode,
}

/// Plans native code; returns `None` if no function is worth it.
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

/// Computes a mathematical function, given by its number, as the machine does; the second float is ignored if the function takes
/// one.
pub fn mathematics(world: &dyn World, number: u32, x: f64, y: f64) -> f64 {
    let builtin = ALL[number as usize];
    let arguments = [Value::Float(x), Value::Float(y)];
    match super::builtins::mathematics(world, builtin, &arguments[..builtin.parameters()]) {
        Some(Value::Float(value)) => value,
        _ => unreachable!("text only calls functions of mathematics"),
    }
}
