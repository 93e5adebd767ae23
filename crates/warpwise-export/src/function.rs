//! A function of a library: what C declares, and what it does.
//!
//! A body hands everything on to a function of the run time, so that there are few kinds: it is written as code in [`glue`](crate::glue).

use std::ops::Range;

use warpwise_prim::ValueType;

/// A function for C.
pub struct Function {
    /// What it is called.
    pub name: String,
    /// What it gives.
    pub result: Declared,
    /// What it takes.
    pub params: Vec<Declared>,
    /// What it does.
    pub body: Body,
}

/// A type, or a parameter with its name, as C spells it.
#[derive(Clone)]
pub struct Declared {
    /// `const double *data`.
    pub text: String,
    /// How it comes or goes.
    pub passed: Passed,
}

/// How a value is passed, whatever C calls its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// Not at all.
    Nothing,
    /// An `int`.
    Int,
    /// An integer of 64 bits.
    Word,
    /// A pointer.
    Pointer,
    /// A scalar of the language.
    Scalar(ValueType),
}

/// What a function does.
pub enum Body {
    /// Nothing; an `int` that it gives is 0.
    Nothing,
    /// Gives a text.
    Text(&'static str),
    /// Gives what this function of the run time gives.
    Call(&'static str, Vec<Argument>),
}

/// What a function of the run time is given.
pub enum Argument {
    /// What all functions of a program know it by.
    Program,
    /// An `int`.
    Int(i32),
    /// A `size_t`.
    Size(usize),
    /// A parameter.
    Param(usize),
    /// An array of parameters that are integers of 64 bits.
    Sizes(Range<usize>),
    /// An array of pointers: parameters that are some, and the places of others.
    Places(Range<usize>),
}

impl Function {
    /// A function whose parameters are those of a function of the run time.
    pub fn forward(
        result: Declared,
        name: impl Into<String>,
        params: Vec<Declared>,
        to: &'static str,
    ) -> Function {
        let arguments = (0..params.len()).map(Argument::Param).collect();
        Function { name: name.into(), result, params, body: Body::Call(to, arguments) }
    }

    /// `int f(int x)`.
    pub fn signature(&self) -> String {
        let Function { name, result, .. } = self;
        let params: Vec<&str> = self.params.iter().map(|param| param.text.as_str()).collect();
        let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        let space = if result.text.ends_with('*') { "" } else { " " };
        format!("{}{space}{name}({params})", result.text)
    }
}

/// What gives nothing.
pub fn void() -> Declared {
    Declared { text: "void".to_string(), passed: Passed::Nothing }
}

/// An `int`, with or without a name.
pub fn int(text: &str) -> Declared {
    Declared { text: text.to_string(), passed: Passed::Int }
}

/// An integer of 64 bits.
pub fn word(text: &str) -> Declared {
    Declared { text: text.to_string(), passed: Passed::Word }
}

/// A pointer.
pub fn pointer(text: impl Into<String>) -> Declared {
    Declared { text: text.into(), passed: Passed::Pointer }
}
