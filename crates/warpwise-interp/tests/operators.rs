//! Every scalar operator, through the interpreter and directly. Operands arrive in order, and an operator without a result is an
//! error.

use warpwise_diag::Sources;
use warpwise_interp::{InterpError, Value, interpret};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, TernaryOp, UnaryOp};

/// Runs `fun f(...) -> (r: result) { r = expr }`; `None` if the program does not verify because the operator does not take these
/// types.
fn run(expr: &str, args: &[Scalar], result: ScalarType) -> Option<Result<Scalar, InterpError>> {
    let params: Vec<String> =
        args.iter().enumerate().map(|(i, arg)| format!("x{i}: {}", arg.ty().name())).collect();
    let result = result.name();
    let text = format!("fun f({}) -> (r: {result}) {{ r: {result} = {expr}; return r }}", params.join(", "));
    let mut sources = Sources::new();
    let file = sources.add("test".to_string(), text.clone());
    let program = warpwise_ir::parse::parse(&text, file).expect("the program parses");
    warpwise_ir::verify::verify(&program, warpwise_ir::verify::Level::Soac).ok()?;
    let id = program.functions.keys().next().expect("a function");
    let values = args.iter().map(|&arg| Value::Scalar(arg)).collect();
    Some(interpret(&program, id, values).map(|values| values[0].as_scalar().expect("a scalar")))
}

/// Returns three different values of a type, so that exchanged operands show.
fn samples(ty: ScalarType) -> [Scalar; 3] {
    match ty {
        ScalarType::Bool => [Scalar::Bool(true), Scalar::Bool(false), Scalar::Bool(true)],
        _ if ty.is_int() => [7, 2, 0].map(|value| Scalar::int(ty, value)),
        _ => [7.5, 2.25, -1.0]
            .map(|value| Scalar::parse(&format!("{value:?}{}", ty.name())).expect("a constant")),
    }
}

#[test]
fn operators_of_one_two_and_three_operands() {
    let mut n_run = 0;
    for ty in ScalarType::ALL {
        let [x, y, z] = samples(ty);
        for op in UnaryOp::ALL {
            if let Some(result) = run(&format!("{} x0", op.mnemonic()), &[x], ty) {
                assert_eq!(result.map(Scalar::to_bits), Ok(op.eval(x).to_bits()), "{op:?} {ty:?}");
                n_run += 1;
            }
        }
        for op in BinaryOp::ALL {
            for (x, y) in [(x, y), (y, x), (x, z)] {
                let Some(result) = run(&format!("{} x0 x1", op.mnemonic()), &[x, y], ty) else { continue };
                match op.eval(x, y) {
                    Some(value) => {
                        assert_eq!(result.map(Scalar::to_bits), Ok(value.to_bits()), "{op:?} {x:?} {y:?}")
                    }
                    None => assert!(matches!(result, Err(InterpError::Invalid { .. })), "{op:?} {x:?} {y:?}"),
                }
                n_run += 1;
            }
        }
        for op in TernaryOp::ALL {
            if let Some(result) = run(&format!("{} x0 x1 x2", op.mnemonic()), &[x, y, z], ty) {
                assert_eq!(result.map(Scalar::to_bits), Ok(op.eval(x, y, z).to_bits()), "{op:?} {ty:?}");
                n_run += 1;
            }
        }
        for op in CompareOp::ALL {
            for (x, y) in [(x, y), (y, x), (x, x)] {
                if let Some(result) = run(&format!("{} x0 x1", op.mnemonic()), &[x, y], ScalarType::Bool) {
                    assert_eq!(result, Ok(Scalar::Bool(op.eval(x, y))), "{op:?} {x:?} {y:?}");
                    n_run += 1;
                }
            }
        }
    }
    assert!(n_run >= UnaryOp::ALL.len() + BinaryOp::ALL.len() + TernaryOp::ALL.len() + CompareOp::ALL.len());
}

#[test]
fn conversions() {
    let mut run_ops = vec![false; ConvertOp::ALL.len()];
    for from in ScalarType::ALL {
        for to in ScalarType::ALL {
            for (seen, op) in run_ops.iter_mut().zip(ConvertOp::ALL) {
                let [x, ..] = samples(from);
                if let Some(result) = run(&format!("{} x0 : {}", op.mnemonic(), to.name()), &[x], to) {
                    assert_eq!(
                        result.map(Scalar::to_bits),
                        Ok(op.eval(x, to).to_bits()),
                        "{op:?} {from:?} {to:?}"
                    );
                    *seen = true;
                }
            }
        }
    }
    assert!(run_ops.iter().all(|&seen| seen), "some conversion applies to no types");
}
