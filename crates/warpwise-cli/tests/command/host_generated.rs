//! Generated programs that accelerate: well-typed and well-formed. They print the same when run sequentially, debugged, on the
//! processor, and on a device.
//!
//! A type of the generator contains the lengths of its sequences, so elements of a sequence have equal length and indices are in
//! bounds; divisors are not zero. There are also sequences of any length, which are never indexed, and whose elements may have
//! different lengths. Without them all sequences are regular, and run as such. Floats are combined in the order written, since other
//! orders round differently.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Folder, tests_all};
use crate::devices::has_device;

/// A type with the lengths of its sequences.
#[derive(Clone, PartialEq, Debug)]
enum Ty {
    Int,
    Float,
    Bool,
    Char,
    Pair(Box<Ty>, Box<Ty>),
    Record(Box<Ty>, Box<Ty>),
    Seq(usize, Box<Ty>),
    /// A sequence of any length.
    List(Box<Ty>),
}

impl Ty {
    fn text(&self) -> String {
        match self {
            Ty::Int => "Int".to_string(),
            Ty::Float => "Float".to_string(),
            Ty::Bool => "Bool".to_string(),
            Ty::Char => "Char".to_string(),
            Ty::Pair(a, b) => format!("({}, {})", a.text(), b.text()),
            Ty::Record(a, b) => format!("{{low : {}, high : {}}}", a.text(), b.text()),
            Ty::Seq(_, element) | Ty::List(element) => format!("[{}]", element.text()),
        }
    }

    fn seq(n: usize, element: &Ty) -> Ty {
        Ty::Seq(n, Box::new(element.clone()))
    }

    fn list(element: &Ty) -> Ty {
        Ty::List(Box::new(element.clone()))
    }
}

/// A generator of programs from a list of choices. When the choices run out, all parts are small.
struct Maker {
    choices: Vec<u8>,
    next: usize,
    count: usize,
    known: Vec<(String, Ty)>,
    /// Whether to generate sequences of any length.
    has_lists: bool,
}

impl Maker {
    fn choose(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices.get(self.next - 1).copied().unwrap_or(0)) % n
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("x{}", self.count)
    }

    fn ty(&mut self, depth: usize) -> Ty {
        let n_types = if self.has_lists { 12 } else { 9 };
        match self.choose(if depth == 0 { 4 } else { n_types }) {
            0 => Ty::Int,
            1 => Ty::Float,
            2 => Ty::Bool,
            3 => Ty::Char,
            4 => Ty::Pair(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
            5 => Ty::Record(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
            6..9 => {
                let n = self.length();
                Ty::Seq(n, Box::new(self.ty(depth - 1)))
            }
            _ => Ty::List(Box::new(self.ty(depth - 1))),
        }
    }

    fn length(&mut self) -> usize {
        [2, 0, 1, 3, 5, 17][self.choose(6)]
    }

    /// Returns a literal value.
    fn literal(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int => ["0", "1", "2", "7", "-3", "100"][self.choose(6)].to_string(),
            Ty::Float => ["0.0", "1.0", "0.5", "-2.25", "1e3"][self.choose(5)].to_string(),
            Ty::Bool => ["true", "false"][self.choose(2)].to_string(),
            Ty::Char => ["'a'", "'b'", "'z'"][self.choose(3)].to_string(),
            Ty::Pair(a, b) => format!("({}, {})", self.literal(a), self.literal(b)),
            Ty::Record(a, b) => format!("{{low = {}, high = {}}}", self.literal(a), self.literal(b)),
            Ty::Seq(0, element) => {
                let e = self.fresh();
                format!("(let {e} : [{}] = [] in {e})", element.text())
            }
            Ty::List(element) => {
                let n = self.length().min(4);
                self.literal(&Ty::seq(n, element))
            }
            Ty::Seq(n, element) => {
                let items: Vec<String> = (0..*n).map(|_| self.literal(element)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    /// Returns a variable of this type, or a literal.
    fn leaf(&mut self, ty: &Ty) -> String {
        let fitting: Vec<String> =
            self.known.iter().filter(|(_, other)| other == ty).map(|(name, _)| name.clone()).collect();
        match self.choose(fitting.len() + 1) {
            0 if fitting.is_empty() || self.choose(4) == 3 => self.literal(ty),
            index => fitting[index.min(fitting.len() - 1)].clone(),
        }
    }

    /// Returns an expression in whose scope there are more names.
    fn within(&mut self, names: &[(&str, &Ty)], ty: &Ty, depth: usize) -> String {
        let mark = self.known.len();
        self.known.extend(names.iter().map(|(name, ty)| (name.to_string(), (*ty).clone())));
        let text = self.expr(ty, depth);
        self.known.truncate(mark);
        text
    }

    fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.next >= self.choices.len() {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.choose(6) {
            0 => self.leaf(ty),
            1 => {
                let test = self.expr(&Ty::Bool, depth);
                let (then, other) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("(if {test} then {then} else {other})")
            }
            2 => {
                let (inner, name) = (self.ty(1), self.fresh());
                let value = self.expr(&inner, depth);
                let rest = self.within(&[(&name, &inner)], ty, depth);
                format!("(let {name} = {value} in {rest})")
            }
            3 => self.part(ty, depth),
            _ => self.made(ty, depth),
        }
    }

    /// Returns an expression that takes a value apart.
    fn part(&mut self, ty: &Ty, depth: usize) -> String {
        let other = self.ty(0);
        match self.choose(if self.has_lists { 5 } else { 4 }) {
            4 => {
                let (first, list) = (self.fresh(), self.expr(&Ty::list(ty), depth));
                let other = self.expr(ty, depth);
                format!("(match {list} with [{first}] ++ _ then {first} else {other})")
            }
            0 => {
                let pair = Ty::Pair(Box::new(ty.clone()), Box::new(other));
                format!("(({}).0)", self.expr(&pair, depth))
            }
            1 => {
                let record = Ty::Record(Box::new(other), Box::new(ty.clone()));
                format!("(({}).high)", self.expr(&record, depth))
            }
            2 => {
                let n = self.length().max(1);
                let index = self.choose(n);
                format!("(get {} {index})", self.expr(&Ty::seq(n, ty), depth))
            }
            _ => {
                let (n, state, element, item) = (self.length(), self.fresh(), self.ty(0), self.fresh());
                let source = self.expr(&Ty::seq(n, &element), depth);
                let start = self.expr(ty, depth);
                let body = self.within(&[(&state, ty), (&item, &element)], ty, depth);
                format!("(foldl (lam {state}. lam {item}. {body}) {start} {source})")
            }
        }
    }

    /// Returns an expression that constructs a value of this type.
    fn made(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Float => {
                let op = ["addf", "subf", "mulf"][self.choose(3)];
                match self.choose(3) {
                    0 => format!("(int2float {})", self.expr(&Ty::Int, depth)),
                    _ => format!("({op} {} {})", self.expr(ty, depth), self.expr(ty, depth)),
                }
            }
            Ty::Bool => {
                let op = ["lti", "eqi", "geqi", "neqi"][self.choose(4)];
                match self.choose(3) {
                    0 => format!("(ltf {} {})", self.expr(&Ty::Float, depth), self.expr(&Ty::Float, depth)),
                    _ => format!("({op} {} {})", self.expr(&Ty::Int, depth), self.expr(&Ty::Int, depth)),
                }
            }
            Ty::Char => self.leaf(ty),
            Ty::Pair(a, b) => format!("({}, {})", self.expr(a, depth), self.expr(b, depth)),
            Ty::Record(a, b) => match self.choose(2) {
                0 => format!("{{{} with low = {}}}", self.expr(ty, depth), self.expr(a, depth)),
                _ => format!("{{low = {}, high = {}}}", self.expr(a, depth), self.expr(b, depth)),
            },
            Ty::Seq(n, element) => self.seq(*n, element, depth),
            Ty::List(element) => self.list(element, depth),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let op = ["addi", "subi", "muli"][self.choose(3)];
        let divide = ["divi", "modi"][self.choose(2)];
        let n = self.length();
        match self.choose(if self.has_lists { 8 } else { 6 }) {
            6 => {
                let element = self.ty(1);
                format!("(length {})", self.expr(&Ty::list(&element), depth))
            }
            7 => format!("(reduce addi 0 {})", self.expr(&Ty::list(&Ty::Int), depth)),
            0 => format!("({divide} {} {})", self.expr(&Ty::Int, depth), ["3", "-2", "7"][self.choose(3)]),
            1 => format!("(reduce addi 0 {})", self.expr(&Ty::seq(n, &Ty::Int), depth)),
            2 => {
                let (a, b) = (self.fresh(), self.fresh());
                let most = format!("lam {a}. lam {b}. if lti {a} {b} then {b} else {a}");
                let start = i64::MIN + 1;
                format!("(reduce ({most}) ({start}) {})", self.expr(&Ty::seq(n, &Ty::Int), depth))
            }
            3 => {
                let element = self.ty(1);
                format!("(length {})", self.expr(&Ty::seq(n, &element), depth))
            }
            _ => format!("({op} {} {})", self.expr(&Ty::Int, depth), self.expr(&Ty::Int, depth)),
        }
    }

    fn seq(&mut self, n: usize, element: &Ty, depth: usize) -> String {
        let own = Ty::seq(n, element);
        match self.choose(10) {
            0 => format!("(reverse {})", self.expr(&own, depth)),
            1 => format!("(tail {})", self.expr(&Ty::seq(n + 1, element), depth)),
            2 => {
                let first = self.choose(n + 1);
                let (a, b) = (Ty::seq(first, element), Ty::seq(n - first, element));
                format!("(concat {} {})", self.expr(&a, depth), self.expr(&b, depth))
            }
            3 if n > 0 => {
                let (seq, index) = (self.expr(&own, depth), self.choose(n));
                format!("(set {seq} {index} {})", self.expr(element, depth))
            }
            4 => {
                let i = self.fresh();
                format!("(create {n} (lam {i}. {}))", self.within(&[(&i, &Ty::Int)], element, depth))
            }
            5 => {
                let (first, second) = (self.ty(0), self.ty(0));
                let (a, b) = (self.expr(&Ty::seq(n, &first), depth), self.expr(&Ty::seq(n, &second), depth));
                let (x, y) = (self.fresh(), self.fresh());
                let body = self.within(&[(&x, &first), (&y, &second)], element, depth);
                format!("(map2 (lam {x}. lam {y}. {body}) {a} {b})")
            }
            6 if n == 2 || n == 0 => {
                let rows = Ty::seq(n, &Ty::seq(n / 2, element));
                format!("(flatten {})", self.expr(&rows, depth))
            }
            _ => {
                let (source, x) = (self.ty(1), self.fresh());
                let seq = self.expr(&Ty::seq(n, &source), depth);
                let body = self.within(&[(&x, &source)], element, depth);
                format!("(map (lam {x}. {body}) {seq})")
            }
        }
    }
}

impl Maker {
    /// Returns a sequence of any length.
    fn list(&mut self, element: &Ty, depth: usize) -> String {
        let own = Ty::list(element);
        match self.choose(9) {
            0 => {
                let n = self.length();
                self.expr(&Ty::seq(n, element), depth)
            }
            1 => format!("(concat {} {})", self.expr(&own, depth), self.expr(&own, depth)),
            2 => format!("(cons {} {})", self.expr(element, depth), self.expr(&own, depth)),
            3 => format!("(flatten {})", self.expr(&Ty::list(&own), depth)),
            4 => format!("(reverse {})", self.expr(&own, depth)),
            5 => {
                let (rest, list) = (self.fresh(), self.expr(&own, depth));
                format!("(match {list} with [_] ++ {rest} then {rest} else {})", self.expr(&own, depth))
            }
            6 | 7 => {
                let (n, i) = (self.fresh(), self.fresh());
                let count = self.expr(&Ty::Int, depth);
                let item = self.within(&[(&i, &Ty::Int)], element, depth);
                format!(
                    "(let {n} = modi {count} 5 in create (if lti {n} 0 then 0 else {n}) (lam {i}. {item}))"
                )
            }
            _ => {
                let (source, x) = (self.ty(1), self.fresh());
                let list = self.expr(&Ty::list(&source), depth);
                format!("(map (lam {x}. {}) {list})", self.within(&[(&x, &source)], element, depth))
            }
        }
    }
}

/// Returns a program with definitions on the host and two accelerated expressions. The second may use the first's result.
fn program(choices: Vec<u8>, has_lists: bool) -> String {
    let mut maker = Maker { choices, next: 0, count: 0, known: Vec::new(), has_lists };
    let mut text = String::new();
    for _ in 0..3 {
        let (ty, name) = (maker.ty(2), maker.fresh());
        let value = maker.literal(&ty);
        text += &format!("let {name} : {} = {value}\n", ty.text());
        maker.known.push((name, ty));
    }
    for _ in 0..2 {
        let (ty, name) = (maker.ty(2), maker.fresh());
        let body = maker.expr(&ty, 5);
        // The expression contains a parallel operation.
        text += &format!("let {name} : {} = accelerate (let one = map (addi 1) [0] in {body})\n", ty.text());
        maker.known.push((name, ty));
    }
    let shown: Vec<String> =
        maker.known.iter().map(|(name, _)| format!("dprint {name}; print \"\\n\"")).collect();
    format!("{text}mexpr\n{}\n", shown.join(";\n"))
}

/// Runs `cases` programs (in `make test`, a quarter of them) in two modes and compares.
fn compare(cases: u32, mode: &'static str, has_lists: bool) {
    let folder = Folder::new();
    let cases = if tests_all() { cases } else { cases / 4 };
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let choices = proptest::collection::vec(any::<u8>(), 20..300);
    let outcome = runner.run(&choices, |choices| {
        let program = program(choices, has_lists);
        folder.write("p.mc", &program);
        let here = folder.run(&["run", "--sequential", "p.mc"]);
        prop_assert_eq!(here.code, Some(0), "{}\n{}", program, here.errors);
        let mut there = vec!["run", "--strict-fp", mode, "p.mc"];
        there.extend((!has_lists).then_some("--strict-regular"));
        let there = folder.run(&there);
        prop_assert!(!there.errors.contains("in order on the host"), "{}\n{}", program, there.errors);
        prop_assert_eq!(there.code, Some(0), "{}\n{}", program, there.errors);
        let (here, there) = (String::from_utf8_lossy(&here.output), String::from_utf8_lossy(&there.output));
        prop_assert_eq!(here, there, "{}", program);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn generated_programs_debugged() {
    compare(100, "--debug", false);
    compare(30, "--debug", true);
}

#[test]
fn generated_programs_on_the_processor() {
    compare(60, "--device=cpu", false);
    compare(60, "--device=cpu", true);
}

#[test]
fn generated_programs_on_a_device() {
    if has_device() {
        compare(12, "--device=opencl", false);
        compare(8, "--device=opencl", true);
    }
}
