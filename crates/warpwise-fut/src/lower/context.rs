//! The state of lowering: the session of one program, and the function under construction.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Bug, Diagnostic, Failure, FileId, Limit, Sources, Span};
use warpwise_ir::entity::PrimaryMap;
use warpwise_ir::{Expr, Function, FunctionId, Message, MessagePart, Operand, Var};
use warpwise_prim::{Scalar, ValueType};

use crate::lower::code::Code;
use crate::lower::instance::{InstanceKey, Promise};
use crate::lower::sums::Sum;
use crate::lower::value::{Env, Value};
use crate::syntax::session::Interner;
use crate::typed::ids::DefId;
use crate::typed::tree::Program;

/// The inputs of lowering besides the program.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its names.
    pub names: &'a Interner,
    /// Its texts, for messages.
    pub sources: &'a Sources,
    /// The files of the prelude: their definitions are expanded where they are used, and their places are never reported.
    pub prelude: &'a FxHashSet<FileId>,
    /// Whether all checks are left out.
    pub unchecked: bool,
}

/// The state of lowering one program.
pub struct Session<'a> {
    /// The program.
    pub program: &'a Program,
    /// The other inputs.
    pub input: Input<'a>,
    /// The functions made and those promised.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Which function a definition is at which types.
    pub instances: FxHashMap<InstanceKey, FunctionId>,
    /// The functions promised.
    pub pending: Vec<Promise<'a>>,
    /// How many instances definitions have for functions they are given.
    pub given_functions: FxHashMap<DefId, usize>,
    /// Names in use.
    pub taken: FxHashMap<String, usize>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Expressions whose checks are to be reported, and the functions they call.
    pub watched: Vec<(Span, Vec<FunctionId>)>,
    /// How many more iterations of loops may be written one after the other.
    pub unrollable: u64,
}

/// The state of lowering one function.
pub struct Lowering<'a, 's> {
    /// The program.
    pub session: &'s mut Session<'a>,
    /// The function.
    pub code: Code,
    /// The constants evaluated at its beginning.
    pub constants: FxHashMap<DefId, Value<'a>>,
    /// How many parts were seen of the type being looked at; 0 where none is.
    pub parts: u32,
    /// The functions among the parameters that are not bound yet.
    pub given: VecDeque<Value<'a>>,
    /// How many checks were made.
    pub n_checks: usize,
    /// The functions called.
    pub called: Vec<FunctionId>,
    /// Whether the loop that comes next is to be unrolled.
    pub unroll: bool,
    /// Where the definitions under expansion are called, outermost first; those of the prelude are not among them.
    pub calls: Vec<Span>,
}

impl<'a> Session<'a> {
    /// A session that has made nothing.
    pub fn new(input: Input<'a>) -> Session<'a> {
        Session {
            program: input.program,
            input,
            functions: PrimaryMap::new(),
            instances: FxHashMap::default(),
            pending: Vec::new(),
            given_functions: FxHashMap::default(),
            taken: FxHashMap::default(),
            warnings: Vec::new(),
            watched: Vec::new(),
            unrollable: MOST_UNROLLED,
        }
    }

    /// A name no other function has.
    pub fn unique_name(&mut self, name: &str) -> String {
        let mut candidate = name.to_string();
        while self.taken.contains_key(&candidate) {
            let count = self.taken.entry(name.to_string()).or_insert(0);
            *count += 1;
            candidate = format!("{name}_{count}");
        }
        self.taken.insert(candidate.clone(), 0);
        candidate
    }

    /// Whether a place lies in the prelude.
    pub fn in_prelude(&self, span: Span) -> bool {
        self.input.prelude.contains(&span.file)
    }
}

impl<'a, 's> Lowering<'a, 's> {
    /// A function with nothing in it yet.
    pub fn new(session: &'s mut Session<'a>, name: &str, span: Span) -> Lowering<'a, 's> {
        Lowering {
            session,
            code: Code::new(name, span),
            constants: FxHashMap::default(),
            parts: 0,
            given: VecDeque::new(),
            n_checks: 0,
            called: Vec::new(),
            unroll: false,
            calls: Vec::new(),
        }
    }

    /// Statements from here on come from this place, unless it lies in the prelude. Gives the place before.
    pub fn enter(&mut self, span: Span) -> Span {
        let before = self.code.span;
        if before.is_none() || !self.session.in_prelude(span) {
            self.code.span = span;
        }
        before
    }

    /// A known gap.
    pub fn limit(&self, span: Span, message: impl Into<String>) -> Failure {
        Failure::Limit(Limit { message: message.into(), span })
    }

    /// A tree that the checker should not have made.
    pub fn bug(&self, message: impl Into<String>) -> Failure {
        let place = self.session.input.sources.describe(self.code.span);
        let message = format!("{} at {place}", message.into());
        Failure::Bug(Bug { pass: "lower".to_string(), message, ir: String::new() })
    }

    // --- Values the checker has vouched for ---------------------------------------------------

    /// The operand of a scalar.
    pub fn scalar(&self, value: &Value<'a>) -> Result<Operand, Failure> {
        match value {
            Value::Leaf(operand) => Ok(*operand),
            Value::Record(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no scalar"))
            }
        }
    }

    /// The size and the elements of an array.
    pub fn array<'v>(&self, value: &'v Value<'a>) -> Result<(Operand, &'v Value<'a>), Failure> {
        match value {
            Value::Array(size, element) => Ok((*size, element)),
            Value::Leaf(_) | Value::Record(_) | Value::Sum(_) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no array"))
            }
        }
    }

    /// The fields of a record.
    pub fn fields<'v>(&self, value: &'v Value<'a>) -> Result<&'v [Value<'a>], Failure> {
        match value {
            Value::Record(fields) => Ok(fields),
            Value::Leaf(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no record"))
            }
        }
    }

    /// A value of a sum type.
    pub fn sum<'v>(&self, value: &'v Value<'a>) -> Result<&'v Sum<'a>, Failure> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Leaf(_) | Value::Record(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no sum"))
            }
        }
    }

    /// The leaves as variables: all arrays are.
    pub fn arrays(&self, value: &Value<'a>) -> Result<Vec<Var>, Failure> {
        let vars = value.leaves().into_iter().map(Operand::as_var);
        vars.collect::<Option<Vec<Var>>>().ok_or_else(|| self.bug("a constant for an array"))
    }

    // --- Checks -------------------------------------------------------------------------------

    /// The certificate that a condition holds; none where nothing needs to be checked.
    pub fn check(&mut self, env: &Env<'a>, cond: Operand, parts: Vec<MessagePart>) -> Vec<Var> {
        if env.unchecked || cond == Operand::bool(true) {
            return Vec::new();
        }
        let message = self.message(parts);
        self.n_checks += 1;
        vec![self.code.bind_one("c", Expr::Assert { cond, message }, &[])]
    }

    /// A message of what fails here.
    pub fn message(&self, parts: Vec<MessagePart>) -> Message {
        Message {
            parts: compact(parts),
            calls: self.calls.iter().rev().take(LONGEST_CHAIN).copied().collect(),
        }
    }
}

/// How many iterations of loops a program may ask to have written one after the other.
const MOST_UNROLLED: u64 = 1 << 12;

/// How many calls a message names.
const LONGEST_CHAIN: usize = 16;

/// The same message, with neighbouring words joined.
fn compact(parts: Vec<MessagePart>) -> Vec<MessagePart> {
    let mut compact: Vec<MessagePart> = Vec::with_capacity(parts.len());
    for part in parts {
        match (compact.last_mut(), part) {
            (Some(MessagePart::Text(before)), MessagePart::Text(text)) => before.push_str(&text),
            (_, part) => compact.push(part),
        }
    }
    compact
}

/// Words in a message.
pub fn text(text: impl Into<String>) -> MessagePart {
    MessagePart::Text(text.into())
}

/// A size or index in a message.
pub fn number(value: Operand) -> MessagePart {
    match value {
        Operand::Const(Scalar::I64(value)) => MessagePart::Text(value.to_string()),
        Operand::Const(_) | Operand::Var(_) => MessagePart::Value(value, ValueType::I64),
    }
}

/// The sizes of an array in a message: `[4][7]`.
pub fn shape_parts(sizes: &[Operand]) -> Vec<MessagePart> {
    sizes.iter().flat_map(|size| [text("["), number(*size), text("]")]).collect()
}
