//! Instances as text of LLVM IR.
//!
//! A slot is a variable per word, which LLVM turns into a register. LLVM guarantees that a call in tail position is a jump, and a
//! tail call of the function itself jumps to its start. Functions return their words with a truth value that says whether they
//! have given up; more than [`IN_REGISTERS`] words are returned in the context. A function that calls another one first checks
//! for room on the stack. If memory runs out, that room is set to nothing, and functions and loops that pass shared values on
//! check it, too.
//!
//! Shared values have owners: a slot owns its value, a callee its arguments, a caller the result. The last use of a slot moves
//! its value, any other use adds an owner. A value that is not used on some path is released at the start of that path, and a
//! function that gives up first releases everything it owns ([`function`]).
//!
//! ```text
//! let f = lam n. lam acc. if eqi n 0 then acc else f (subi n 1) (addi n acc)
//!
//! define internal tailcc { i64, i1 } @f0(ptr %context, i64 %p0, i64 %p1)
//! ```

mod calls;
mod function;
mod instrs;
mod loops;
mod shared;
mod surroundings;

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::super::code::Code;
use super::infer::{Analysis, Instance, MOST_WORDS};
use super::kinds::{Kind, Leaf};

pub(super) use function::Writer;

/// Maximum number of words that functions return in registers.
const IN_REGISTERS: usize = 2;

/// Byte offsets of the fields of the context that is passed to the text.
pub mod context {
    /// The address that the stack must not go below.
    pub const LIMIT: usize = 0;
    /// The value of that limit after memory has run out.
    pub const FULL: u64 = u64::MAX;
    /// The words of the globals.
    pub const GLOBALS: usize = 8;
    /// A C function that computes mathematical functions: it takes the address at [`WORLD`], the number of a built-in
    /// ([`ALL`](crate::builtins::ALL)), and two floats.
    pub const MATHEMATICS: usize = 16;
    /// An address that has a meaning only to that function.
    pub const WORLD: usize = 24;
    /// The table of a [`Runtime`](crate::host::native::Runtime).
    pub const TABLE: usize = 32;
    /// The blocks of a [`Runtime`](crate::host::native::Runtime).
    pub const HEAP: usize = 40;
    /// Room for results.
    pub const RESULTS: usize = 48;
    /// Size of the context.
    pub const SIZE: usize = RESULTS + 8 * super::MOST_WORDS;
}

/// The state that all functions of a text share.
pub(super) struct Module<'a> {
    pub code: &'a Code,
    pub analysis: &'a Analysis,
    pub globals: &'a [(Kind, usize)],
    /// Number of words of globals; strings follow.
    pub n_global_words: usize,
    /// The strings that functions use.
    pub strings: RefCell<IndexSet<Rc<str>, FxBuildHasher>>,
}

/// Returns the symbol of an entry's code.
pub(super) fn symbol(instance: usize) -> String {
    format!("host_entry_{instance}")
}

/// Returns the text of entries and everything that they need.
pub(super) fn module(module: &Module<'_>, entries: &[usize]) -> String {
    let mut text = String::new();
    for number in module.analysis.needed(entries) {
        text.push_str(&Writer::new(module, number).function());
    }
    entries.iter().for_each(|entry| write_entry(&module.analysis.instances[*entry], *entry, &mut text));
    text.push_str(&surroundings::text());
    text
}

/// Writes the function that takes its arguments from words and stores its result there.
fn write_entry(it: &Instance, number: usize, text: &mut String) {
    let _ = writeln!(text, "define i32 @{}(ptr %context, ptr %words) {{", symbol(number));
    let mut arguments = String::new();
    for (index, leaf) in it.arguments.iter().flat_map(Kind::leaves).enumerate() {
        let _ = writeln!(text, "  %at{index} = getelementptr i64, ptr %words, i64 {index}");
        let ty = leaf.ty();
        if leaf == Leaf::Bool {
            let _ = writeln!(text, "  %byte{index} = load i8, ptr %at{index}");
            let _ = writeln!(text, "  %p{index} = icmp ne i8 %byte{index}, 0");
        } else {
            let _ = writeln!(text, "  %p{index} = load {ty}, ptr %at{index}");
        }
        let _ = write!(arguments, ", {ty} %p{index}");
    }
    let leaves = result_leaves(it);
    let ty = result_type(&leaves);
    let _ = writeln!(text, "  %result = call tailcc {ty} @f{number}(ptr %context{arguments})");
    for (index, leaf) in leaves.iter().enumerate() {
        let ty_of_leaf = leaf.ty();
        if leaves.len() <= IN_REGISTERS {
            let _ = writeln!(text, "  %r{index} = extractvalue {ty} %result, {index}");
        } else {
            let from = context::RESULTS + 8 * index;
            let _ = writeln!(text, "  %from{index} = getelementptr i8, ptr %context, i64 {from}");
            let _ = writeln!(text, "  %r{index} = load {ty_of_leaf}, ptr %from{index}");
        }
        let _ = writeln!(text, "  %to{index} = getelementptr i64, ptr %words, i64 {index}");
        match leaf {
            Leaf::Int | Leaf::Float | Leaf::Shared(_) | Leaf::Tag | Leaf::Bits => {
                let _ = writeln!(text, "  store {ty_of_leaf} %r{index}, ptr %to{index}");
            }
            Leaf::Char | Leaf::Bool => {
                let _ = writeln!(text, "  %wide{index} = zext {ty_of_leaf} %r{index} to i64");
                let _ = writeln!(text, "  store i64 %wide{index}, ptr %to{index}");
            }
        }
    }
    let flag = if leaves.len() <= IN_REGISTERS { leaves.len() } else { 0 };
    let _ = writeln!(text, "  %failed = extractvalue {ty} %result, {flag}");
    let _ = writeln!(text, "  %code = zext i1 %failed to i32\n  ret i32 %code\n}}\n");
}

/// Returns the words that an instance returns; none if it never returns.
fn result_leaves(it: &Instance) -> Vec<Leaf> {
    it.result.as_ref().map_or_else(Vec::new, Kind::leaves)
}

fn result_type(leaves: &[Leaf]) -> String {
    let in_registers = if leaves.len() <= IN_REGISTERS { leaves } else { &[] };
    let types: String = in_registers.iter().map(|leaf| format!("{}, ", leaf.ty())).collect();
    format!("{{ {types}i1 }}")
}

impl Leaf {
    pub(super) fn ty(self) -> &'static str {
        match self {
            Leaf::Int | Leaf::Tag | Leaf::Bits => "i64",
            Leaf::Float => "double",
            Leaf::Char => "i32",
            Leaf::Bool => "i1",
            Leaf::Shared(_) => "ptr",
        }
    }

    fn zero(self) -> &'static str {
        match self {
            Leaf::Float => "0.0",
            Leaf::Shared(_) => "null",
            Leaf::Int | Leaf::Tag | Leaf::Bits | Leaf::Char | Leaf::Bool => "0",
        }
    }
}

/// A word in the text: its type, and its name or its digits.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub leaf: Leaf,
    pub text: String,
}

/// A value in the text.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub kind: Kind,
    pub scalars: Vec<Scalar>,
}
