//! Hints for words of other languages: what to write instead.

use warpwise_diag::Diagnostic;

use crate::check::Checker;
use crate::check::env::Module;
use crate::syntax::ast::{Decl, DeclKind, Expr, ExprKind, Ident};
use crate::syntax::session::Symbol;

/// Modules of number types, in the order in which hints name them.
const NUMBERS: [&str; 12] =
    ["f64", "f32", "i64", "i32", "f16", "u8", "u64", "u32", "i16", "i8", "u16", "bool"];

/// Value names of other languages, each with a hint.
const VALUES: [(&str, &str); 48] = [
    ("return", "the last expression is the result; there is no `return`"),
    ("lambda", "a function without a name is written `\\x -> ...`"),
    ("fun", "a function without a name is written `\\x -> ...`"),
    ("fn", "a function without a name is written `\\x -> ...`"),
    ("function", "a function without a name is written `\\x -> ...`"),
    ("=>", "a function without a name is written `\\x -> ...`"),
    ("True", "truth values are `true` and `false`"),
    ("False", "truth values are `true` and `false`"),
    ("TRUE", "truth values are `true` and `false`"),
    ("FALSE", "truth values are `true` and `false`"),
    ("elseif", "write `else if` as two words"),
    ("elif", "write `else if`"),
    ("elsif", "write `else if`"),
    ("len", "the number of elements is `length xs`"),
    ("size", "the number of elements is `length xs`"),
    ("count", "the number of elements that a function holds for is `length (filter f xs)`"),
    ("range", "a range of numbers is `iota n` or `a..<b`"),
    ("append", "arrays are joined by `xs ++ ys`"),
    ("push", "arrays are joined by `xs ++ ys`; none grows in place"),
    ("cons", "arrays are joined by `[x] ++ xs`"),
    ("sort", "there is no `sort` in the prelude; libraries have one"),
    (
        "print",
        "there is no output: what an entry point gives is printed; `#[trace] e` shows a value while testing",
    ),
    (
        "println",
        "there is no output: what an entry point gives is printed; `#[trace] e` shows a value while testing",
    ),
    (
        "printf",
        "there is no output: what an entry point gives is printed; `#[trace] e` shows a value while testing",
    ),
    ("trace", "`#[trace] e` shows the value of `e` while testing"),
    ("null", "nothing is `null`: a sum type, such as `#some t | #none`, has a case for what may be missing"),
    ("None", "a constructor is written with `#` and belongs to a sum type, such as `#some t | #none`"),
    ("Some", "a constructor is written with `#` and belongs to a sum type, such as `#some t | #none`"),
    ("nil", "the empty array is `[]`"),
    ("pow", "a power is `x ** y`"),
    ("mod", "the remainder is `x % y`"),
    ("div", "the quotient of integers is `x / y`, rounded down, or `x // y`, rounded to zero"),
    ("xor", "exclusive or is `x ^ y` for integers and `x != y` for truth values"),
    ("is", "equality is written `==`"),
    ("===", "equality is written `==`"),
    ("<>", "inequality is written `!=`"),
    ("=/=", "inequality is written `!=`"),
    ("/=", "inequality is written `!=`"),
    ("+=", "a value does not change; bind the new one: `let x = x + 1`"),
    ("-=", "a value does not change; bind the new one: `let x = x - 1`"),
    ("*=", "a value does not change; bind the new one: `let x = x * 2`"),
    ("<-", "a name gets its value by `=`; an element of an array by `xs with [i] = v`"),
    ("int", "numbers are converted by functions that name both types, such as `i32.f64 x`"),
    ("float", "numbers are converted by functions that name both types, such as `f32.i32 x`"),
    ("double", "numbers are converted by functions that name both types, such as `f64.i32 x`"),
    ("foldLeft", "a fold in order is `foldl f start xs`; `reduce` runs in parallel"),
    ("fold", "a fold in order is `foldl f start xs`; `reduce` runs in parallel"),
    ("zipWith", "functions of two arrays are mapped by `map2 f xs ys`"),
];

/// Type names of other languages, each with a hint.
const TYPES: [(&str, &str); 33] = [
    ("int", "integers are `i32` or `i64`, and `i8` to `u64`"),
    ("Int", "integers are `i32` or `i64`, and `i8` to `u64`"),
    ("integer", "integers are `i32` or `i64`, and `i8` to `u64`"),
    ("Integer", "integers are `i32` or `i64`, and `i8` to `u64`"),
    ("long", "an integer of 64 bits is an `i64`"),
    ("short", "an integer of 16 bits is an `i16`"),
    ("byte", "a byte is a `u8`"),
    ("char", "a character is a number, such as the `u8`s of a string"),
    ("Char", "a character is a number, such as the `u8`s of a string"),
    ("uint", "integers without a sign are `u32` or `u64`"),
    ("unsigned", "integers without a sign are `u32` or `u64`"),
    ("nat", "sizes and indices are `i64`"),
    ("size_t", "sizes and indices are `i64`"),
    ("usize", "sizes and indices are `i64`"),
    ("isize", "sizes and indices are `i64`"),
    ("float", "floats are `f32` or `f64`"),
    ("Float", "floats are `f32` or `f64`"),
    ("double", "a float of 64 bits is an `f64`"),
    ("Double", "a float of 64 bits is an `f64`"),
    ("real", "floats are `f32` or `f64`"),
    ("number", "a type of numbers is chosen: `i32`, `i64`, `f32`, `f64` or another"),
    ("half", "a float of 16 bits is an `f16`"),
    ("string", "a string is an array of bytes, `[]u8`"),
    ("String", "a string is an array of bytes, `[]u8`"),
    ("str", "a string is an array of bytes, `[]u8`"),
    ("boolean", "a truth value is a `bool`"),
    ("Bool", "a truth value is a `bool`"),
    ("void", "nothing is the empty tuple, `()`"),
    ("unit", "nothing is the empty tuple, `()`"),
    ("list", "an array of `t` is a `[]t`"),
    ("List", "an array of `t` is a `[]t`"),
    ("array", "an array of `t` is a `[]t`"),
    ("vector", "an array of `t` is a `[]t`"),
];

/// Infix words of other languages, each with a hint.
const INFIX: [(&str, &str); 7] = [
    ("and", "`a && b` holds where both do"),
    ("or", "`a || b` holds where one of them does"),
    ("xor", "exclusive or is `a ^ b` for integers and `a != b` for truth values"),
    ("mod", "the remainder is `a % b`"),
    ("div", "the quotient of integers is `a / b`"),
    ("is", "equality is written `a == b`"),
    ("not", "inequality is written `a != b`"),
];

/// Returns a hint for an unknown name of a type.
pub fn hint_for_type(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|word| word.0 == name).map(|word| word.1)
}

impl<'a> Checker<'a> {
    /// Returns a hint for an unknown name of a value.
    pub fn hint_for_value(&self, name: Symbol) -> Option<String> {
        let text = self.text(name);
        self.hint_for_numbers(name)
            .or_else(|| VALUES.iter().find(|word| word.0 == text).map(|word| word.1.to_string()))
    }

    /// Returns a hint for a function that the modules of number types have.
    fn hint_for_numbers(&self, name: Symbol) -> Option<String> {
        let text = self.text(name);
        let has_it = |module: &&str| {
            let module = self.names().get(module)?;
            let found = self.root.find(|members| members.modules.get(&module))?;
            matches!(found, Module::Structure(members) if members.values.contains_key(&name)).then_some(())
        };
        let modules: Vec<&str> = NUMBERS.into_iter().filter(|module| has_it(module).is_some()).collect();
        match modules[..] {
            [] => None,
            [only] => Some(format!("write `{only}.{text}`")),
            [first, second, ..] => {
                Some(format!("write `{first}.{text}` or `{second}.{text}`: each type of numbers has its own"))
            }
        }
    }

    /// Adds to an error that the name is defined further down.
    pub fn defined_later(&self, name: &Ident, error: Diagnostic) -> Diagnostic {
        let values = |decl: &'a Decl| {
            let mut kind = &decl.kind;
            while let DeclKind::Local(inner) = kind {
                kind = &inner.kind;
            }
            match kind {
                DeclKind::Value(value) => Some(value.name.name),
                _ => None,
            }
        };
        let mut later = self.upcoming.iter().rev().flat_map(|decls| decls.iter()).filter_map(values);
        match later.find(|value| value.symbol == name.symbol) {
            Some(value) => error
                .label(value.span, "it is defined only here")
                .hint("a name is known after its definition: move the definition up"),
            None => error,
        }
    }

    /// Returns a hint for a word between two operands, which is parsed as the first argument of the left one.
    pub fn hint_for_infix(&self, arguments: &[Expr]) -> Option<&'static str> {
        let (ExprKind::Var(name), true) = (&arguments.first()?.kind, arguments.len() > 1) else {
            return None;
        };
        let text = self.text(name.name.symbol);
        let word = INFIX.iter().find(|word| name.qualifiers.is_empty() && word.0 == text);
        word.map(|word| word.1)
    }
}
