//! A function of a library: its C declaration and its body.
//!
//! A body only forwards to a function of the runtime, so there are few kinds of bodies: [`glue`](crate::glue) generates their
//! code.

use std::ops::Range;

use warpwise_prim::ValueType;

/// A function with a C interface.
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Declared result.
    pub result: Declared,
    /// Declared parameters.
    pub params: Vec<Declared>,
    /// Body of the function.
    pub body: Body,
}

/// A type, or a parameter with its name, in C syntax.
#[derive(Clone)]
pub struct Declared {
    /// C text, such as `const double *data`.
    pub text: String,
    /// Way in which the value is passed.
    pub passed: Passed,
}

/// Way in which a value is passed, regardless of its C type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// No value.
    Nothing,
    /// An `int`.
    Int,
    /// A 64-bit integer.
    Word,
    /// A pointer.
    Pointer,
    /// A scalar of the language.
    Scalar(ValueType),
}

/// Body of a function.
pub enum Body {
    /// Nothing; an `int` result is 0.
    Nothing,
    /// The return of a text.
    Text(&'static str),
    /// A call of this function of the runtime, whose result is returned.
    Call(&'static str, Vec<Argument>),
}

/// Argument of a call to the runtime.
pub enum Argument {
    /// The program's descriptor, which all functions of a program pass.
    Program,
    /// An `int`.
    Int(i32),
    /// A `size_t`.
    Size(usize),
    /// A parameter.
    Param(usize),
    /// An array of 64-bit integer parameters.
    Sizes(Range<usize>),
    /// An array of pointers: pointer parameters themselves, and the addresses of others.
    Places(Range<usize>),
}

impl Function {
    /// Makes a function that forwards its parameters to a function of the runtime.
    pub fn forward(
        result: Declared,
        name: impl Into<String>,
        params: Vec<Declared>,
        to: &'static str,
    ) -> Function {
        let arguments = (0..params.len()).map(Argument::Param).collect();
        Function { name: name.into(), result, params, body: Body::Call(to, arguments) }
    }

    /// Returns the C signature, such as `int f(int x)`.
    pub fn signature(&self) -> String {
        let Function { name, result, .. } = self;
        let params: Vec<&str> = self.params.iter().map(|param| param.text.as_str()).collect();
        let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        let space = if result.text.ends_with('*') { "" } else { " " };
        format!("{}{space}{name}({params})", result.text)
    }
}

/// Declares the absence of a result.
pub fn void() -> Declared {
    Declared { text: "void".to_string(), passed: Passed::Nothing }
}

/// Declares an `int`, with or without a name.
pub fn int(text: &str) -> Declared {
    Declared { text: text.to_string(), passed: Passed::Int }
}

/// Declares a 64-bit integer.
pub fn word(text: &str) -> Declared {
    Declared { text: text.to_string(), passed: Passed::Word }
}

/// Declares a pointer.
pub fn pointer(text: impl Into<String>) -> Declared {
    Declared { text: text.into(), passed: Passed::Pointer }
}
