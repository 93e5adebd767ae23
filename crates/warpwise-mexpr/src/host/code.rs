//! The code of the host: functions over numbered slots.
//!
//! A function is closed: its captured values are in its first slots, then come its parameters, then computed values. Code only
//! jumps forward; a loop is a call in tail position. A [`Use`] says whether it is the last one of its slot, so that a value
//! without other owners can be changed in place. Each instruction has a source position.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::builtins::Builtin;
use crate::syntax::names::Symbol;
use crate::tree::ConId;

/// A function, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId(pub u32);

/// The labels of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeId(pub u32);

/// A slot of a function, or of the program's globals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot(pub u32);

/// A slot that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The slot.
    pub slot: Slot,
    /// Whether no later instruction reads the value.
    pub last: bool,
}

/// The structure of a value that is passed to or from a device.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// The record without fields.
    Unit,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A character.
    Char,
    /// A truth value.
    Bool,
    /// A record; fields in the order of labels.
    Record(ShapeId, Vec<Form>),
    /// A sequence of elements of this form.
    Seq(Box<Form>),
    /// A tensor of elements of this form.
    Tensor(Box<Form>),
}

/// The sort of a value, as known from its type.
#[derive(Clone, PartialEq, Debug)]
pub enum Sort {
    /// Any value.
    Any,
    /// The record without fields.
    Unit,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A character.
    Char,
    /// A truth value.
    Bool,
    /// A record; fields in the order of labels.
    Record(ShapeId, Rc<[Sort]>),
    /// A constructor.
    Con,
    /// A sequence.
    Seq,
    /// A tensor.
    Tensor,
}

/// An accelerated expression.
#[derive(Clone, Debug)]
pub struct Accelerated {
    /// The captured values, with names.
    pub parameters: Vec<(Rc<str>, Form)>,
    /// The form of the result.
    pub result: Form,
    /// Source position.
    pub span: Span,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its functions; the first runs the program.
    pub functions: Vec<Function>,
    /// The labels of its records, by shape, in order.
    pub shapes: Vec<Vec<Symbol>>,
    /// The names of its constructors, by id.
    pub cons: Vec<Rc<str>>,
    /// The names of the labels of its records.
    pub labels: Vec<(Symbol, Rc<str>)>,
    /// Its accelerated expressions, by number.
    pub accelerated: Vec<Accelerated>,
    /// The shape of a pair, and whether the second component comes first in the order of labels.
    pub pair: (ShapeId, bool),
    /// The sorts of its globals.
    pub globals: Vec<Sort>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in messages.
    pub name: Rc<str>,
    /// Number of captured values.
    pub n_captured: u32,
    /// Number of parameters.
    pub n_parameters: u32,
    /// The sorts of captured values and parameters.
    pub sorts: Vec<Sort>,
    /// Number of slots.
    pub n_slots: u32,
    /// Its instructions.
    pub code: Vec<Instr>,
    /// Source position of each instruction.
    pub spans: Vec<Span>,
}

/// An instruction of a function.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // `to` is the slot written, `target` the number of an instruction.
pub enum Instr {
    /// Copies the value of another slot.
    Move {
        to: Slot,
        from: Use,
    },
    /// Makes a value without parts.
    Int {
        to: Slot,
        value: i64,
    },
    Float {
        to: Slot,
        value: f64,
    },
    Char {
        to: Slot,
        value: char,
    },
    Bool {
        to: Slot,
        value: bool,
    },
    Unit {
        to: Slot,
    },
    /// Makes a sequence of characters.
    String {
        to: Slot,
        text: Rc<str>,
    },
    /// Makes a built-in as a value.
    BuiltinValue {
        to: Slot,
        builtin: Builtin,
    },
    /// Reads a value defined at the top.
    Global {
        to: Slot,
        global: Slot,
    },
    /// Defines a value at the top.
    SetGlobal {
        global: Slot,
        from: Use,
    },

    /// Makes a record of fields in the order of its labels.
    Record {
        to: Slot,
        shape: ShapeId,
        fields: Box<[Use]>,
    },
    /// Reads a field, by its position in the order of labels.
    Project {
        to: Slot,
        from: Use,
        field: u32,
        sort: Sort,
    },
    /// Makes a record with a field replaced.
    Update {
        to: Slot,
        from: Use,
        field: u32,
        value: Use,
    },
    /// Makes a constructor with the value it holds.
    Construct {
        to: Slot,
        con: ConId,
        held: Use,
    },
    /// Reads the value that a constructor holds.
    Held {
        to: Slot,
        from: Use,
        sort: Sort,
    },
    /// Makes a sequence.
    Seq {
        to: Slot,
        items: Box<[Use]>,
    },
    /// Reads an element that must exist, counted from the end if `from_end`.
    Item {
        to: Slot,
        from: Use,
        index: u32,
        from_end: bool,
        sort: Sort,
    },
    /// Takes a sequence without `front` and `back` elements at its ends.
    Middle {
        to: Slot,
        from: Use,
        front: u32,
        back: u32,
    },

    /// Makes a function with the values it captures.
    Closure {
        to: Slot,
        function: FunctionId,
        captured: Box<[Use]>,
    },
    /// Calls a function value.
    Call {
        to: Slot,
        function: Use,
        arguments: Box<[Use]>,
    },
    /// Calls a known function with all its captured values and all its arguments.
    Direct {
        to: Slot,
        function: FunctionId,
        arguments: Box<[Use]>,
    },
    /// Returns the result of a call of a function value.
    TailCall {
        function: Use,
        arguments: Box<[Use]>,
    },
    /// Returns the result of a call of a known function.
    TailDirect {
        function: FunctionId,
        arguments: Box<[Use]>,
    },
    /// Computes an accelerated expression on the device, or by a function on the host.
    Accelerate {
        to: Slot,
        number: u32,
        function: FunctionId,
        arguments: Box<[Use]>,
    },
    /// Runs a built-in with all its arguments.
    Builtin {
        to: Slot,
        builtin: Builtin,
        arguments: Box<[Use]>,
    },
    /// Returns the function's result.
    Return {
        from: Use,
    },

    /// Jumps.
    Jump {
        target: u32,
    },
    /// Jumps unless the slot holds this value.
    UnlessBool {
        slot: Slot,
        value: bool,
        target: u32,
    },
    UnlessInt {
        slot: Slot,
        value: i64,
        target: u32,
    },
    UnlessChar {
        slot: Slot,
        value: char,
        target: u32,
    },
    UnlessCon {
        slot: Slot,
        con: ConId,
        target: u32,
    },
    /// Jumps unless the sequence has this length, or at least this length.
    UnlessLength {
        slot: Slot,
        length: u32,
        at_least: bool,
        target: u32,
    },

    /// Fails, because `never` was reached.
    Never,
    /// Compares two values of any type.
    Equal {
        to: Slot,
        left: Use,
        right: Use,
    },
    /// Counts a passed test.
    Passed,
    /// Reports a failed test, with a message of its own or both values.
    Failed {
        message: Option<Use>,
        actual: Use,
        expected: Use,
    },
}

impl Instr {
    /// Returns the slot that the instruction writes.
    pub fn writes(&self) -> Option<Slot> {
        match self {
            Instr::Move { to, .. }
            | Instr::Int { to, .. }
            | Instr::Float { to, .. }
            | Instr::Char { to, .. }
            | Instr::Bool { to, .. }
            | Instr::Unit { to }
            | Instr::String { to, .. }
            | Instr::BuiltinValue { to, .. }
            | Instr::Global { to, .. }
            | Instr::Record { to, .. }
            | Instr::Project { to, .. }
            | Instr::Update { to, .. }
            | Instr::Construct { to, .. }
            | Instr::Held { to, .. }
            | Instr::Seq { to, .. }
            | Instr::Item { to, .. }
            | Instr::Middle { to, .. }
            | Instr::Closure { to, .. }
            | Instr::Call { to, .. }
            | Instr::Direct { to, .. }
            | Instr::Accelerate { to, .. }
            | Instr::Builtin { to, .. }
            | Instr::Equal { to, .. } => Some(*to),
            Instr::SetGlobal { .. }
            | Instr::TailCall { .. }
            | Instr::TailDirect { .. }
            | Instr::Return { .. }
            | Instr::Jump { .. }
            | Instr::UnlessBool { .. }
            | Instr::UnlessInt { .. }
            | Instr::UnlessChar { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. }
            | Instr::Never
            | Instr::Passed
            | Instr::Failed { .. } => None,
        }
    }

    /// Returns the slots that the instruction reads, in the order in which it takes their values.
    pub fn reads(&self) -> Vec<Use> {
        match self {
            Instr::Move { from, .. }
            | Instr::SetGlobal { from, .. }
            | Instr::Project { from, .. }
            | Instr::Construct { held: from, .. }
            | Instr::Held { from, .. }
            | Instr::Item { from, .. }
            | Instr::Middle { from, .. }
            | Instr::Return { from } => vec![*from],
            Instr::Update { from, value, .. } => vec![*from, *value],
            Instr::Equal { left, right, .. } => vec![*left, *right],
            Instr::Record { fields: operands, .. }
            | Instr::Seq { items: operands, .. }
            | Instr::Closure { captured: operands, .. }
            | Instr::Direct { arguments: operands, .. }
            | Instr::TailDirect { arguments: operands, .. }
            | Instr::Accelerate { arguments: operands, .. }
            | Instr::Builtin { arguments: operands, .. } => operands.to_vec(),
            Instr::Call { function, arguments, .. } | Instr::TailCall { function, arguments } => {
                std::iter::once(*function).chain(arguments.iter().copied()).collect()
            }
            Instr::Failed { message, actual, expected } => {
                message.iter().copied().chain([*actual, *expected]).collect()
            }
            Instr::Int { .. }
            | Instr::Float { .. }
            | Instr::Char { .. }
            | Instr::Bool { .. }
            | Instr::Unit { .. }
            | Instr::String { .. }
            | Instr::BuiltinValue { .. }
            | Instr::Global { .. }
            | Instr::Jump { .. }
            | Instr::UnlessBool { .. }
            | Instr::UnlessInt { .. }
            | Instr::UnlessChar { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. }
            | Instr::Never
            | Instr::Passed => Vec::new(),
        }
    }
}
