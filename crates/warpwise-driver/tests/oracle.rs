//! The two ways in which an oracle answers: interpreted, or compiled if the interpreter may take no step.

use warpwise_diag::Sources;
use warpwise_driver::build::Core;
use warpwise_driver::oracle::{INTERPRETED_STEPS, NoAnswer, Oracle};
use warpwise_driver::{Context, Options};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

const PROGRAM: &str = r#"
entry main(n: i64) -> (k: i64, total: i64, odd: [k]i64, sums: [n]i64, rows: [n]i64) as "main" sizes 0 (n: i64)
  -> sizes 1 (i64, []i64, []i64, []i64) {
  some: bool = sle 0 n;
  c: cert = assert some ("a size of ", n: i64);
  is: [n]i64 = {c} iota n 0 1;
  squares: [n]i64 = screma n (is) map (i: i64) { j: i64 = mul i i; return j };
  total: i64 = screma n (squares) map (x: i64) { return x } reduce (x: i64, y: i64) { z: i64 = add x y; return z } [0];
  sums: [n]i64 = screma n (squares) map (x: i64) { return x } scan (x: i64, y: i64) { z: i64 = add x y; return z } [0];
  k: i64, odd: [k]i64 = partition n (squares) classes 1 (x: i64) {
    bit: i64 = and x 1;
    one: bool = eq bit 1;
    return one, x
  };
  rows: [n]i64 = screma n (is) map (i: i64) {
    row: [n]i64 = screma n (is) map (j: i64) { p: i64 = mul i j; return p };
    s: i64 = screma n (row) map (p: i64) { return p } reduce (x: i64, y: i64) { z: i64 = smax x y; return z } [0];
    return s
  };
  return k, total, odd, sums, rows
}
entry huge(n: i64) -> (a: [n]i64) as "huge" sizes 0 (n: i64) -> sizes 0 ([]i64) {
  a: [n]i64 = iota n 0 1;
  return a
}
"#;

fn ask(entry: &str, n: i64, steps: u64) -> Result<Vec<Value>, NoAnswer> {
    let mut sources = Sources::new();

    let file = sources.add("program.ir".to_string(), PROGRAM.to_string());
    let program = warpwise_ir::parse::parse(sources.text(file), file).expect("the program parses");
    let core = Core { program, sources, warnings: Vec::new() };
    let oracle = Oracle::new(core, &Options::default()).expect("the program can be prepared");
    let context = Context::with(ThreadPool::new(2), MemoryPool::new(1 << 24));
    oracle.results(entry, vec![Value::scalar(ValueType::I64, Scalar::I64(n))], &context, steps)
}

#[test]
fn compiled_answers_are_those_of_the_interpreter() {
    for n in [0, 1, 2, 7, 100] {
        let interpreted = ask("main", n, INTERPRETED_STEPS).expect("the interpreter answers");
        assert_eq!(ask("main", n, 0).expect("compiled code answers"), interpreted, "n = {n}");
    }
}

#[test]
fn failures_are_told() {
    for steps in [0, INTERPRETED_STEPS] {
        let failure = ask("main", -1, steps).expect_err("there are no negative sizes");
        assert!(
            matches!(&failure, NoAnswer::Fails(message) if message.contains("a size of -1")),
            "{failure:?}"
        );
    }
}

#[test]
fn what_does_not_fit_is_no_failure() {
    let failure = ask("huge", 1 << 50, INTERPRETED_STEPS).expect_err("there is no such memory");
    assert!(matches!(failure, NoAnswer::TooLarge(_)), "{failure:?}");
}
