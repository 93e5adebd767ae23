//! Random well-typed programs.
//!
//! Types are scalars, pairs, and arrays of a single size `n`, so expressions of any type can be combined without checking which sizes
//! are equal. Running a program may fail; compiling it must not.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// Maximum nesting depth of expressions.
const DEPTH: u32 = 5;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ty {
    Scalar(&'static str),
    Pair(Box<Ty>, Box<Ty>),
    Array(Box<Ty>),
}

/// The state of writing a program.
struct Writer<'r> {
    random: &'r mut SmallRng,
    variables: Vec<(String, Ty)>,
    count: u32,
}

/// Returns a program with one entry point and up to two functions that it calls.
pub fn program(random: &mut SmallRng) -> String {
    let mut writer = Writer { random, variables: Vec::new(), count: 0 };
    let mut text = String::new();
    let mut functions = Vec::new();
    for index in 0..writer.random.random_range(0..3) {
        let (takes, gives) = (writer.ty(2), writer.ty(2));
        let body = writer.inside(&[("x", &takes)], |writer| writer.expr(&gives, DEPTH));
        text += &format!("def f{index} [n] (d: [n]i64) (x: {takes}) : {gives} =\n  {body}\n\n");
        functions.push((index, takes, gives));
    }
    let params: Vec<(String, Ty)> =
        (0..writer.random.random_range(1..4)).map(|index| (format!("p{index}"), writer.ty(2))).collect();
    let named: Vec<(&str, &Ty)> = params.iter().map(|(name, ty)| (name.as_str(), ty)).collect();
    let gives = writer.ty(2);
    let body = writer.inside(&named, |writer| {
        let mut lets = String::new();
        for (index, takes, gives) in &functions {
            let argument = writer.expr(takes, 2);
            lets += &format!("let c{index} = f{index} d ({argument}) in\n  ");
            writer.variables.push((format!("c{index}"), gives.clone()));
        }
        lets + &writer.expr(&gives, DEPTH)
    });
    let params: String = params.iter().map(|(name, ty)| format!(" ({name}: {ty})")).collect();
    text + &format!("entry main [n] (d: [n]i64){params} : {gives} =\n  {body}\n")
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Scalar(name) => f.write_str(name),
            Ty::Pair(a, b) => write!(f, "({a}, {b})"),
            Ty::Array(element) => write!(f, "[n]{element}"),
        }
    }
}

impl Writer<'_> {
    fn ty(&mut self, depth: u32) -> Ty {
        match self.random.random_range(0..6) {
            0 | 1 if depth > 0 => Ty::Array(Box::new(self.ty(depth - 1))),
            2 if depth > 0 => Ty::Pair(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
            _ => Ty::Scalar(["i64", "i32", "f32", "f64", "u8", "bool"].choose(self.random).unwrap_or(&"i64")),
        }
    }

    /// Returns the text of `write`, which may also use these variables.
    fn inside(&mut self, variables: &[(&str, &Ty)], write: impl FnOnce(&mut Self) -> String) -> String {
        let known = self.variables.len();
        self.variables.extend(variables.iter().map(|&(name, ty)| (name.to_string(), ty.clone())));
        let text = write(self);
        self.variables.truncate(known);
        text
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    /// Returns an expression of this type, in parentheses unless it is one word.
    fn expr(&mut self, ty: &Ty, depth: u32) -> String {
        let known: Vec<String> =
            self.variables.iter().filter(|(_, other)| other == ty).map(|(name, _)| name.clone()).collect();
        if let (Some(name), true) = (known.choose(self.random), depth == 0 || self.random.random_bool(0.25)) {
            return name.clone();
        }
        if depth == 0 {
            return self.smallest(ty);
        }
        let text = match self.random.random_range(0..5) {
            0 => self.binding(ty, depth - 1),
            1 => self.choice(ty, depth - 1),
            2 => self.repetition(ty, depth - 1),
            _ => match ty {
                Ty::Scalar(name) => self.scalar(name, depth - 1),
                Ty::Pair(a, b) => format!("{}, {}", self.expr(a, depth - 1), self.expr(b, depth - 1)),
                Ty::Array(element) => self.array(element, depth - 1),
            },
        };
        format!("({text})")
    }

    fn smallest(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar("bool") => ["true", "false"].choose(self.random).unwrap_or(&"true").to_string(),
            Ty::Scalar(name) => format!("{}{name}", self.random.random_range(0..4)),
            Ty::Pair(a, b) => format!("({}, {})", self.smallest(a), self.smallest(b)),
            Ty::Array(element) => format!("(replicate n {})", self.smallest(element)),
        }
    }

    fn binding(&mut self, ty: &Ty, depth: u32) -> String {
        let (name, bound) = (self.name(), self.ty(2));
        let value = self.expr(&bound, depth);
        let body = self.inside(&[(&name, &bound)], |writer| writer.expr(ty, depth));
        format!("let {name} = {value} in {body}")
    }

    fn choice(&mut self, ty: &Ty, depth: u32) -> String {
        let condition = self.expr(&Ty::Scalar("bool"), depth);
        format!("if {condition} then {} else {}", self.expr(ty, depth), self.expr(ty, depth))
    }

    fn repetition(&mut self, ty: &Ty, depth: u32) -> String {
        let (state, index) = (self.name(), self.name());
        let start = self.expr(ty, depth);
        let i64 = Ty::Scalar("i64");
        let body = self.inside(&[(&state, ty), (&index, &i64)], |writer| writer.expr(ty, depth));
        let rounds = self.random.random_range(0..4);
        format!("loop {state} = copy {start} for {index} < {rounds}i64 do copy {body}")
    }

    fn scalar(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        let array = Ty::Array(Box::new(ty.clone()));
        match (name, self.random.random_range(0..5)) {
            (_, 0) => format!("{}[{}]", self.expr(&array, depth), self.expr(&Ty::Scalar("i64"), 1)),
            ("bool", 1) => {
                let compared = self.ty(0);
                format!("{} == {}", self.expr(&compared, depth), self.expr(&compared, depth))
            }
            ("bool", 2) => format!("any id {}", self.expr(&array, depth)),
            ("bool", _) => format!("{} && {}", self.expr(&ty, depth), self.expr(&ty, depth)),
            (_, 1) => format!("reduce (+) 0 {}", self.expr(&array, depth)),
            (_, 2) => format!("{name}.minimum {}", self.expr(&array, depth)),
            ("i64", 3) => {
                let of = Ty::Array(Box::new(self.ty(1)));
                let element = self.name();
                let Ty::Array(inner) = &of else { return String::new() };
                let test = self.inside(&[(&element, inner)], |w| w.expr(&Ty::Scalar("bool"), depth));
                format!("length (filter (\\{element} -> {test}) {})", self.expr(&of, depth))
            }
            _ => {
                let operator = ["+", "-", "*", "/", "%"].choose(self.random).copied().unwrap_or("+");
                format!("{} {operator} {}", self.expr(&ty, depth), self.expr(&ty, depth))
            }
        }
    }

    fn array(&mut self, element: &Ty, depth: u32) -> String {
        let whole = Ty::Array(Box::new(element.clone()));
        match self.random.random_range(0..7) {
            0 => format!("replicate n {}", self.expr(element, depth)),
            1 => {
                let index = self.name();
                let body = self.inside(&[(&index, &Ty::Scalar("i64"))], |writer| writer.expr(element, depth));
                format!("tabulate n (\\{index} -> {body})")
            }
            2 => {
                let (index, value) = (self.expr(&Ty::Scalar("i64"), 1), self.expr(element, depth));
                format!("copy {} with [{index}] = {value}", self.expr(&whole, depth))
            }
            3 => format!("reverse {}", self.expr(&whole, depth)),
            4 => {
                let (left, right) = (self.name(), self.name());
                let operator =
                    self.inside(&[(&left, element), (&right, element)], |writer| writer.expr(element, depth));
                let start = self.smallest(element);
                format!("scan (\\{left} {right} -> {operator}) {start} {}", self.expr(&whole, depth))
            }
            5 => {
                let indices = self.expr(&Ty::Array(Box::new(Ty::Scalar("i64"))), depth);
                let values = self.expr(&whole, depth);
                format!("scatter (copy {}) {indices} {values}", self.expr(&whole, depth))
            }
            _ => {
                let (from, name) = (self.ty(1), self.name());
                let body = self.inside(&[(&name, &from)], |writer| writer.expr(element, depth));
                format!("map (\\{name} -> {body}) {}", self.expr(&Ty::Array(Box::new(from)), depth))
            }
        }
    }
}
