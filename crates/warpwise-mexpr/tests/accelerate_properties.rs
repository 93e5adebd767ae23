//! Properties of lifting and extraction on generated programs.
//!
//! In a lifted program only functions are free in functions, and it passes the front end again. The extracted definitions are
//! closed and minimal, and extracting again changes nothing.

use std::collections::BTreeSet;

use proptest::prelude::*;
use warpwise_diag::Sources;
use warpwise_mexpr::accelerate::extract::extract;
use warpwise_mexpr::accelerate::lift::lift;
use warpwise_mexpr::accelerate::name::{Entry, name};
use warpwise_mexpr::accelerate::text::text;
use warpwise_mexpr::accelerate::variables::{bound, free};
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};
use warpwise_mexpr::tree::{Binding, Decl, DeclKind, VarId};

/// A provider without files.
struct Nothing;

impl SourceProvider for Nothing {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(vec![path.to_string()]))
    }
}

fn check(text: &str) -> Checked {
    let root = SourceFile { key: "root".to_string(), name: "test.mc".to_string(), text: text.to_string() };
    front_end(root, &Nothing, &mut Sources::new()).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// A generator of programs from a list of choices.
struct Maker {
    choices: Vec<u8>,
    next: usize,
    count: usize,
    numbers: Vec<String>,
    functions: Vec<String>,
    accelerates: bool,
}

impl Maker {
    fn choose(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices.get(self.next - 1).copied().unwrap_or(0)) % n
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    /// Generates a part in whose scope more names are known.
    fn within(&mut self, number: Option<&str>, function: Option<&str>, depth: usize) -> String {
        let marks = (self.numbers.len(), self.functions.len());
        self.numbers.extend(number.map(str::to_string));
        self.functions.extend(function.map(str::to_string));
        let text = self.expr(depth);
        self.numbers.truncate(marks.0);
        self.functions.truncate(marks.1);
        text
    }

    /// Generates an expression of type Int.
    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.next >= self.choices.len() {
            return self.leaf();
        }
        match self.choose(9) {
            0 => self.leaf(),
            1 => {
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                format!("(addi {a} {b})")
            }
            2 => {
                let (x, value) = (self.fresh("x"), self.expr(depth - 1));
                let rest = self.within(Some(&x), None, depth - 1);
                format!("(let {x} = {value} in {rest})")
            }
            3 => {
                let (f, x) = (self.fresh("f"), self.fresh("x"));
                let body = self.within(Some(&x), None, depth - 1);
                let rest = self.within(None, Some(&f), depth - 1);
                format!("(let {f} = lam {x}. {body} in {rest})")
            }
            4 => {
                let (f, g, x) = (self.fresh("f"), self.fresh("f"), self.fresh("x"));
                self.functions.extend([f.clone(), g.clone()]);
                let first = self.within(Some(&x), None, depth - 1);
                let y = self.fresh("x");
                let second = self.within(Some(&y), None, depth - 1);
                let rest = self.expr(depth - 1);
                self.functions.truncate(self.functions.len() - 2);
                format!("(recursive let {f} = lam {x}. {first} let {g} = lam {y}. {second} in {rest})")
            }
            5 => {
                let (x, seed) = (self.fresh("x"), self.expr(depth - 1));
                let body = self.within(Some(&x), None, depth - 1);
                format!("(head (map (lam {x}. {body}) [{seed}]))")
            }
            6 => {
                let (x, y, value) = (self.fresh("x"), self.fresh("x"), self.expr(depth - 1));
                self.numbers.push(y.clone());
                let rest = self.within(Some(&x), None, depth - 1);
                self.numbers.pop();
                format!("(match ({value}, 1) with ({x}, {y}) in {rest})")
            }
            7 if !self.accelerates => {
                self.accelerates = true;
                let inner = self.expr(depth - 1);
                self.accelerates = false;
                format!("(accelerate {inner})")
            }
            _ => match self.functions.len() {
                0 => self.leaf(),
                n => {
                    let index = self.choose(n);
                    let f = self.functions[index].clone();
                    format!("({f} {})", self.expr(depth - 1))
                }
            },
        }
    }

    fn leaf(&mut self) -> String {
        let index = self.choose(self.numbers.len() + 1);
        self.numbers.get(index).cloned().unwrap_or_else(|| "1".to_string())
    }
}

fn program(choices: Vec<u8>) -> String {
    let (numbers, functions) = (Vec::new(), Vec::new());
    let mut maker = Maker { choices, next: 0, count: 0, numbers, functions, accelerates: false };
    format!("mexpr accelerate 1; {}", maker.expr(9))
}

fn lifted(text: &str) -> (Checked, Vec<Entry>) {
    let mut checked = check(text);
    let entries = name(&mut checked);
    lift(&mut checked, &entries);
    (checked, entries)
}

fn bindings(decls: &[Decl]) -> Vec<&Binding> {
    fn members(kind: &DeclKind) -> &[Binding] {
        match kind {
            DeclKind::Let(binding) => std::slice::from_ref(binding),
            DeclKind::Recursive(bindings) => bindings,
            other => panic!("only functions are at the top, but there is {other:?}"),
        }
    }
    decls.iter().flat_map(|decl| members(&decl.kind)).collect()
}

fn vars(decls: &[Decl]) -> BTreeSet<VarId> {
    bindings(decls).into_iter().map(|binding| binding.var).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_functions_are_free_in_lifted_functions(choices in proptest::collection::vec(any::<u8>(), 1..200)) {
        let text_before = program(choices);
        let (checked, _) = lifted(&text_before);
        let functions = vars(&checked.program.decls);
        for binding in bindings(&checked.program.decls) {
            prop_assert!(free(&binding.body).is_subset(&functions), "{}", text_before);
        }
        check(&text(&checked, &checked.program.decls, checked.program.main.as_ref()));
    }

    #[test]
    fn what_is_extracted_is_closed_minimal_and_a_fixed_point(
        choices in proptest::collection::vec(any::<u8>(), 1..200),
    ) {
        let text_before = program(choices);
        let (checked, entries) = lifted(&text_before);
        let wanted: BTreeSet<VarId> = entries.iter().map(|entry| entry.var).collect();
        let (needed, extracted) = extract(&wanted, &checked.program.decls);
        let there = vars(&extracted);
        prop_assert_eq!(&needed, &there, "{}", text_before);
        let all = bindings(&extracted);
        prop_assert!(all.iter().all(|binding| free(&binding.body).is_subset(&there)));
        // Each is wanted, free in a later definition, or recursive with one: without it something would be missing.
        let mut reached: BTreeSet<VarId> = wanted.clone();
        let mut waiting: Vec<VarId> = wanted.iter().copied().collect();
        while let Some(var) = waiting.pop() {
            let body = &all.iter().find(|binding| binding.var == var).unwrap().body;
            waiting.extend(free(body).into_iter().filter(|var| reached.insert(*var)));
        }
        prop_assert_eq!(&reached, &there, "{}", text_before);
        let (again, twice) = extract(&wanted, &extracted);
        prop_assert_eq!(again, needed);
        prop_assert_eq!(text(&checked, &twice, None), text(&checked, &extracted, None));
    }
}

/// Definitions that the expressions of [`variables_of_every_form`] may use.
const DEFINITIONS: &str = "
type Maybe
con Just : Int -> Maybe
let x = 1
let y = 2
let f = lam n. addi n 1
let s = [1, 2]
let r = {left = 1, right = 2}
let m = Just 3
mexpr
";

#[test]
fn variables_of_every_form() {
    for (expr, expected_free, expected_bound) in [
        ("x", "x", ""),
        ("addi 1 2", "", ""),
        ("(1, 2.5, 'c', true, \"text\")", "", ""),
        ("f x", "f x", ""),
        ("lam a. addi a x", "x", "a"),
        ("lam a. lam x. addi a x", "", "a x"),
        ("let a = x in addi a y", "x y", "a"),
        ("let a = x in let a = addi a 1 in a", "x", "a a"),
        ("recursive let g = lam n. if lti n x then n else g (f n) in g y", "f x y", "g n"),
        ("recursive let p = lam n. q n let q = lam n. p x in p y", "x y", "n n p q"),
        ("match (x, y) with (a, 2) then a else y", "x y", "a"),
        ("match s with [a] ++ rest then addi a (length rest) else x", "s x", "a rest"),
        ("match r with {left = a} then a else never", "r", "a"),
        ("match m with Just a then a else x", "m x", "a"),
        ("match x with 1 | 2 then y else f y", "f x y", ""),
        ("if lti x y then f x else 0", "f x y", ""),
        ("Just x", "x", ""),
        ("{left = x, right = f y}", "f x y", ""),
        ("{r with left = x}", "r x", ""),
        ("r.left", "r", ""),
        ("[x, f y]", "f x y", ""),
        ("let t = tensorCreateCArrayInt [x] (lam i. get i 0) in tensorSetExn t [0] y", "x y", "i t"),
        ("accelerate (map (lam a. addi a x) s)", "s x", "a"),
    ] {
        let checked = check(&format!("{DEFINITIONS}{expr}"));
        let main = checked.program.main.as_ref().unwrap();
        let names = |vars: BTreeSet<VarId>| {
            let name = |var: &VarId| checked.names.text(checked.program.vars[var.0 as usize].name);
            let mut names: Vec<&str> = vars.iter().map(name).collect();
            names.sort_unstable();
            names.join(" ")
        };
        assert_eq!((&*names(free(main)), &*names(bound(main))), (expected_free, expected_bound), "{expr}");
    }
}
