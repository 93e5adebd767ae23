//! Code made by the builder, and copies of it, compared as text.

use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_body};
use warpwise_ir::{Expr, Function, LoopParam, Operand, Type};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

/// Builds an `iota` of one of two lengths, then a loop that adds to it.
fn sample() -> Function {
    let mut function = Function::new("sample");
    let n = function.param("n", Type::I64, false);
    let c = function.param("c", Type::BOOL, false);
    let mut b = Builder::new(&mut function);
    let iota = |b: &mut Builder, len: Operand| {
        let expr = Expr::Iota { len, start: Operand::i64(0), step: Operand::i64(1) };
        vec![len, b.bind_one("a", expr).into()]
    };
    let r = b.branch("r", c, |b| iota(b, n.into()), |b| iota(b, Operand::i64(0)));
    let s = b.function.fresh("s", Type::I64);
    let params = vec![LoopParam { var: s, init: r[0].into(), consumed: false }];
    let total = b.for_loop("total", r[0], params, |b, i, params| {
        let x = b.index("x", r[1], &[i.into()]);
        vec![b.binary("t", BinaryOp::Add, params[0].var, x)]
    });
    b.finish(vec![total[0].into(), r[0].into(), r[1].into()], &[false, false, true]);
    function
}

#[test]
fn sizes_known_after_a_choice_are_its_results() {
    let expected = "\
fun sample(n: i64, c: bool) -> (r: i64, r_1: i64, r_2: *[r_1]i64) {
  r: i64, r_1: [r]i64 = if c { a: [n]i64 = iota n 0 1; return n, a } else {
    a_1: [0]i64 = iota 0 0 1;
    return 0, a_1
  };
  total: i64 = loop (s: i64 = r) for i: i64 < r { x: i64 = index r_1[i]; t: i64 = add s x; return t };
  return total, r, r_1
}
";
    assert_eq!(sample().to_string(), expected);
}

#[test]
fn inlining_copies_with_fresh_variables() {
    let callee = sample();
    let mut function = Function::new("caller");
    let m = function.param("m", Type::I64, false);
    let mut b = Builder::new(&mut function);
    let positive = b.compare("p", CompareOp::SLt, 0i64, m);
    let once = b.inline(&callee, &[m.into(), positive]);
    let twice = b.inline(&callee, &[once[0], Operand::bool(true)]);
    b.finish(vec![twice[0]], &[false]);
    let before = function.vars.len();
    let body = function.body.clone();
    let copy = Copier::within(&mut function, Substitution::new()).copy_body(&body);
    assert_eq!(function.vars.len(), 2 * before - 2, "all but the parameter and the result");
    assert_eq!(free_in_body(&function, &copy).iter().collect::<Vec<_>>(), vec![m]);
    let text = function.to_string();
    function.body = copy;
    assert_eq!(function.to_string(), text);
}

#[test]
fn substitution_reaches_types() {
    let mut function = sample();
    let n = function.params[0].var;
    let mut body = std::mem::take(&mut function.body);
    Substitution::of(&[n], &[Operand::i64(7)]).apply_body(&mut function, &mut body);
    assert!(!free_in_body(&function, &body).contains(n));
    function.body = body;
    assert!(function.to_string().contains("a: [7]i64 = iota 7 0 1"));
}

#[test]
fn operators_are_lambdas() {
    let mut function = Function::new("f");
    let op = Builder::new(&mut function).operator(BinaryOp::FMin, ScalarType::F16);
    assert_eq!((op.params.len(), op.body.stms.len(), op.body.result.len()), (2, 1, 1));
}
