//! Random imperative expressions: loops over tensors, their parts and rows, some of which overlap. Sequential runs, debugged runs where
//! nothing can race, and accelerated runs on the processor and on a device must leave the same values in all tensors and return the
//! same result.
//!
//! Each iteration of a parallel loop writes only to places of its own index, since the order of other writes is not guaranteed. Reads
//! may be anywhere, even where other iterations write: such loops run sequentially.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Folder, tests_all};
use crate::devices::has_device;

/// A generator of programs from a list of choices. When the choices run out, all parts are small.
struct Maker {
    choices: Vec<u8>,
    next: usize,
    count: usize,
}

/// The variables in scope: tensors of one dimension and of two, and numbers.
struct Scope {
    flat: Vec<&'static str>,
    tables: Vec<&'static str>,
    numbers: Vec<String>,
}

impl Maker {
    fn choose(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices.get(self.next - 1).copied().unwrap_or(0)) % n
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.choose(all.len())].clone()
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("k{}", self.count)
    }

    /// Returns an integer expression.
    fn int(&mut self, scope: &mut Scope, depth: usize) -> String {
        if depth == 0 || self.next >= self.choices.len() {
            return match self.choose(3) {
                0 => self.pick(&["0", "1", "2", "7", "-3"]).to_string(),
                _ => self.pick(&scope.numbers),
            };
        }
        let depth = depth - 1;
        match self.choose(8) {
            0 => self.int(scope, 0),
            1 | 2 => {
                let (t, index) = (self.pick(&scope.flat), self.int(scope, depth));
                format!("(tensorGetExn {t} [within {index} (get (tensorShape {t}) 0)])")
            }
            3 => {
                let (t, row, column) =
                    (self.pick(&scope.tables), self.int(scope, depth), self.int(scope, depth));
                format!("(tensorGetExn {t} [within {row} (get (tensorShape {t}) 0), within {column} 3])")
            }
            4 => {
                let (test, then, other) =
                    (self.int(scope, depth), self.int(scope, depth), self.int(scope, depth));
                format!("(if lti {test} 2 then {then} else {other})")
            }
            5 => {
                let (state, round) = (self.fresh(), self.fresh());
                let (start, n) = (self.int(scope, depth), self.choose(4));
                scope.numbers.extend([state.clone(), round.clone()]);
                let body = self.int(scope, depth);
                scope.numbers.truncate(scope.numbers.len() - 2);
                format!("(seqLoopAcc {start} {n} (lam {state} : Int. lam {round} : Int. {body}))")
            }
            _ => {
                let op = self.pick(&["addi", "subi", "muli"]);
                format!("({op} {} {})", self.int(scope, depth), self.int(scope, depth))
            }
        }
    }

    /// Returns a statement of iteration `i`, which writes only to places of its own index.
    fn step(&mut self, scope: &mut Scope, i: &str, depth: usize) -> String {
        match self.choose(6) {
            0 if depth > 0 => {
                let test = self.int(scope, 2);
                format!("(if lti {test} 3 then {} else ())", self.step(scope, i, depth - 1))
            }
            1 if depth > 0 => {
                format!("({}; {})", self.step(scope, i, depth - 1), self.step(scope, i, depth - 1))
            }
            2 => {
                let (table, column, repeat) = (self.pick(&scope.tables), self.fresh(), self.choose(2));
                scope.numbers.push(column.clone());
                let value = self.int(scope, 3);
                scope.numbers.pop();
                let repeat = ["loop", "seqLoop"][repeat];
                format!("({repeat} 3 (lam {column} : Int. tensorSetExn {table} [{i}, {column}] {value}))")
            }
            3 => {
                let (table, column, value) = (self.pick(&scope.tables), self.choose(3), self.int(scope, 3));
                format!("(tensorSetExn (tensorSliceExn {table} [{i}]) [{column}] {value})")
            }
            _ => {
                let (t, value) = (self.pick(&scope.flat), self.int(scope, 3));
                format!("(tensorSetExn {t} [{i}] {value})")
            }
        }
    }

    /// Returns a function of two tensors and a table, with an accelerated body and a result.
    fn function(&mut self, name: &str) -> String {
        let mut scope = Scope { flat: vec!["a", "b"], tables: vec!["m"], numbers: vec!["n".to_string()] };
        let mut body = String::new();
        for _ in 0..1 + self.choose(2) {
            let i = self.fresh();
            scope.numbers.push(i.clone());
            let step = self.step(&mut scope, &i, 2);
            scope.numbers.pop();
            body += &format!("loop n (lam {i} : Int. {step});\n  ");
        }
        let number = self.int(&mut scope, 3);
        let result = match self.choose(4) {
            0 => "(b, 0)".to_string(),
            1 => format!("(tensorSubExn a 0 n, {number})"),
            2 => format!("(tensorSliceExn m [0], {number})"),
            _ => format!("(if lti {number} 2 then a else b, {number})"),
        };
        let types = "lam a : Tensor[Int]. lam b : Tensor[Int]. lam m : Tensor[Int]. lam n : Int.";
        format!("let {name} = {types} accelerate (\n  {body}{result})\n")
    }
}

/// Returns a program with two functions, each called with disjoint and with overlapping tensors.
fn program(choices: Vec<u8>) -> String {
    let mut maker = Maker { choices, next: 0, count: 0 };
    let n = [3, 1, 2, 9, 0][maker.choose(5)];
    let (first, second) = (maker.function("first"), maker.function("second"));
    let tensor = |name: &str, shape: &str, value: &str| {
        format!("let {name} = tensorCreateCArrayInt {shape} (lam i. {value})\n")
    };
    let size = n + 2;
    let mut text = "let within = lam k : Int. lam n : Int. modi (addi (modi k n) n) n\n".to_string();
    text += &first;
    text += &second;
    text += &tensor("s", &format!("[{size}]"), "subi (muli 3 (get i 0)) 4");
    text += &tensor("t", &format!("[{size}]"), "addi (get i 0) 1");
    text += &tensor("u", &format!("[{size}, 3]"), "subi (get i 1) (get i 0)");
    text += "let show = lam r : (Tensor[Int], Int). match r with (t, k) in
  dprint (create (get (tensorShape t) 0) (lam i. tensorGetExn t [i])); print \" \"; dprint k; print \"\\n\"\n";
    let overlapping =
        maker.pick(&["(tensorSubExn s 1 NEXT)", "(tensorSubExn s 0 NEXT)", "s", "(tensorSliceExn w [1])"]);
    let other = overlapping.replace("NEXT", &(n + 1).to_string());
    text += &tensor("w", &format!("[2, {size}]"), "addi (get i 0) (get i 1)");
    text + &format!(
        "mexpr\nshow (first s t u {n}); show (second s {other} u {n}); show (second t s u {n}); show (first {other} s u {n});
iter (lam x. show (x, 0)) [s, t, tensorReshapeExn u [{}], tensorReshapeExn w [{}]]\n",
        3 * size,
        2 * size
    )
}

/// Runs `cases` programs (in `make test`, a quarter of them) sequentially and in another mode and compares.
fn compare(cases: u32, mode: &'static str) {
    let folder = Folder::new();
    let cases = if tests_all() { cases } else { cases / 4 };
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let choices = proptest::collection::vec(any::<u8>(), 20..200);
    let outcome = runner.run(&choices, |choices| {
        let program = program(choices);
        folder.write("p.mc", &program);
        let here = folder.run(&["run", "--sequential", "p.mc"]);
        prop_assert_eq!(here.code, Some(0), "{}\n{}", program, here.errors);
        let there = folder.run(&["run", mode, "p.mc"]);
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
fn generated_loops_on_the_processor() {
    compare(60, "--device=cpu");
}

#[test]
fn generated_loops_on_a_device() {
    if has_device() {
        compare(8, "--device=opencl");
    }
}
