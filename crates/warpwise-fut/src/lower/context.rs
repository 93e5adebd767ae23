//! State of lowering: the session of one program, and the function under construction.

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

/// The inputs of lowering.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The typed program.
    pub program: &'a Program,
    /// The program's names.
    pub names: &'a Interner,
    /// The program's source texts, for messages.
    pub sources: &'a Sources,
    /// Files of the prelude. Their definitions are expanded where they are used, and their source positions are never reported.
    pub prelude: &'a FxHashSet<FileId>,
    /// Whether to leave out all checks.
    pub unchecked: bool,
}

/// State of lowering one program.
pub struct Session<'a> {
    /// The typed program.
    pub program: &'a Program,
    /// All inputs.
    pub input: Input<'a>,
    /// Finished and promised core functions.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Core function of each instance of a definition.
    pub instances: FxHashMap<InstanceKey, FunctionId>,
    /// Promised functions that are not made yet.
    pub pending: Vec<Promise<'a>>,
    /// Number of instances that each definition has for functions passed to it.
    pub given_functions: FxHashMap<DefId, usize>,
    /// Names in use.
    pub taken: FxHashMap<String, usize>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Expressions whose checks cause a warning, with the functions they call.
    pub watched: Vec<(Span, Vec<FunctionId>)>,
    /// Number of loop iterations that may still be unrolled.
    pub unrollable: u64,
}

/// State of lowering one function.
pub struct Lowering<'a, 's> {
    /// The session.
    pub session: &'s mut Session<'a>,
    /// The function under construction.
    pub code: Code,
    /// Constants evaluated at the beginning of the function.
    pub constants: FxHashMap<DefId, Value<'a>>,
    /// Number of parts visited in the type being inspected; 0 while none is.
    pub parts: u32,
    /// Functions among the parameters that are not bound yet.
    pub given: VecDeque<Value<'a>>,
    /// Number of checks made.
    pub n_checks: usize,
    /// Functions called.
    pub called: Vec<FunctionId>,
    /// Whether to unroll the next loop.
    pub unroll: bool,
    /// Source positions of the calls being expanded, outermost first, except for calls of the prelude.
    pub calls: Vec<Span>,
}

impl<'a> Session<'a> {
    /// Creates a session without functions.
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

    /// Returns a function name that is not in use yet.
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

    /// Whether a source position lies in the prelude.
    pub fn in_prelude(&self, span: Span) -> bool {
        self.input.prelude.contains(&span.file)
    }
}

impl<'a, 's> Lowering<'a, 's> {
    /// Starts an empty function.
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

    /// Sets the source position of new statements, unless it lies in the prelude. Returns the previous one.
    pub fn enter(&mut self, span: Span) -> Span {
        let before = self.code.span;
        if before.is_none() || !self.session.in_prelude(span) {
            self.code.span = span;
        }
        before
    }

    /// Returns a failure for an unsupported feature.
    pub fn limit(&self, span: Span, message: impl Into<String>) -> Failure {
        Failure::Limit(Limit { message: message.into(), span })
    }

    /// Returns a failure for a tree that the checker should not have made.
    pub fn bug(&self, message: impl Into<String>) -> Failure {
        let place = self.session.input.sources.describe(self.code.span);
        let message = format!("{} at {place}", message.into());
        Failure::Bug(Bug { pass: "lower".to_string(), message, ir: String::new() })
    }

    // --- Values the checker has vouched for ---------------------------------------------------

    /// Returns the operand of a scalar.
    pub fn scalar(&self, value: &Value<'a>) -> Result<Operand, Failure> {
        match value {
            Value::Leaf(operand) => Ok(*operand),
            Value::Record(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no scalar"))
            }
        }
    }

    /// Returns the size and the elements of an array.
    pub fn array<'v>(&self, value: &'v Value<'a>) -> Result<(Operand, &'v Value<'a>), Failure> {
        match value {
            Value::Array(size, element) => Ok((*size, element)),
            Value::Leaf(_) | Value::Record(_) | Value::Sum(_) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no array"))
            }
        }
    }

    /// Returns the fields of a record.
    pub fn fields<'v>(&self, value: &'v Value<'a>) -> Result<&'v [Value<'a>], Failure> {
        match value {
            Value::Record(fields) => Ok(fields),
            Value::Leaf(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no record"))
            }
        }
    }

    /// Returns the value of a sum type.
    pub fn sum<'v>(&self, value: &'v Value<'a>) -> Result<&'v Sum<'a>, Failure> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Leaf(_) | Value::Record(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                Err(self.bug("no sum"))
            }
        }
    }

    /// Returns the leaves as variables, which the leaves of arrays always are.
    pub fn arrays(&self, value: &Value<'a>) -> Result<Vec<Var>, Failure> {
        let vars = value.leaves().into_iter().map(Operand::as_var);
        vars.collect::<Option<Vec<Var>>>().ok_or_else(|| self.bug("a constant for an array"))
    }

    // --- Checks -------------------------------------------------------------------------------

    /// Asserts a condition, and returns the certificate; none if no check is needed.
    pub fn check(&mut self, env: &Env<'a>, cond: Operand, parts: Vec<MessagePart>) -> Vec<Var> {
        if env.unchecked || cond == Operand::bool(true) {
            return Vec::new();
        }
        let message = self.message(parts);
        self.n_checks += 1;
        vec![self.code.bind_one("c", Expr::Assert { cond, message }, &[])]
    }

    /// Returns the message for a failure at this place.
    pub fn message(&self, parts: Vec<MessagePart>) -> Message {
        Message {
            parts: compact(parts),
            calls: self.calls.iter().rev().take(LONGEST_CHAIN).copied().collect(),
        }
    }
}

/// Maximum number of loop iterations of a program that are unrolled.
const MOST_UNROLLED: u64 = 1 << 12;

/// Maximum number of calls that a message names.
const LONGEST_CHAIN: usize = 16;

/// Joins adjacent texts of a message.
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

/// Returns a text in a message.
pub fn text(text: impl Into<String>) -> MessagePart {
    MessagePart::Text(text.into())
}

/// Returns a size or index in a message.
pub fn number(value: Operand) -> MessagePart {
    match value {
        Operand::Const(Scalar::I64(value)) => MessagePart::Text(value.to_string()),
        Operand::Const(_) | Operand::Var(_) => MessagePart::Value(value, ValueType::I64),
    }
}

/// Returns the sizes of an array in a message: `[4][7]`.
pub fn shape_parts(sizes: &[Operand]) -> Vec<MessagePart> {
    sizes.iter().flat_map(|size| [text("["), number(*size), text("]")]).collect()
}
