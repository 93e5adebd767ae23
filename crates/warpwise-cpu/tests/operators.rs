//! Every exact operator, on every type, with every number of lanes, on every kind of machine that this one can stand in for,
//! gives the same bits as `warpwise-prim` (for NaN: a NaN).

mod common;

use common::{KernelBuilder, Machine, Random, interesting, pack, targets, unpack};
use warpwise_imp::{CpuTarget, Kernel, Op};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, TernaryOp, UnaryOp};

const LANES: [u16; 5] = [1, 4, 8, 16, 32];

/// An operator on operands of one type.
#[derive(Clone, Copy, Debug)]
enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
    Compare(CompareOp),
    Convert(ConvertOp, ScalarType),
}

impl Operator {
    fn arity(self) -> usize {
        match self {
            Operator::Unary(_) | Operator::Convert(..) => 1,
            Operator::Binary(_) | Operator::Compare(_) => 2,
            Operator::Ternary(_) => 3,
        }
    }

    fn result(self, ty: ScalarType) -> ScalarType {
        match self {
            Operator::Unary(_) | Operator::Binary(_) | Operator::Ternary(_) => ty,
            Operator::Compare(_) => ScalarType::Bool,
            Operator::Convert(_, to) => to,
        }
    }

    fn eval(self, ty: ScalarType, args: &[Scalar]) -> Option<Scalar> {
        match self {
            Operator::Unary(op) => Some(op.eval(args[0])),
            Operator::Binary(op) => op.eval(args[0], args[1]),
            Operator::Ternary(op) => Some(op.eval(args[0], args[1], args[2])),
            Operator::Compare(op) => Some(Scalar::Bool(op.eval(args[0], args[1]))),
            Operator::Convert(op, to) => {
                assert_eq!(args[0].ty(), ty);
                Some(op.eval(args[0], to))
            }
        }
    }

    fn kernel(self, ty: ScalarType, lanes: u16) -> Kernel {
        let name = format!("{self:?} {ty} {lanes}");
        KernelBuilder::elementwise(&name, lanes, &vec![ty; self.arity()], self.result(ty), |dst, args| {
            let arg = |i: usize| args[i].into();
            match self {
                Operator::Unary(op) => Op::Unary { dst, op, x: arg(0) },
                Operator::Binary(op) => Op::Binary { dst, op, x: arg(0), y: arg(1) },
                Operator::Ternary(op) => Op::Ternary { dst, op, x: arg(0), y: arg(1), z: arg(2) },
                Operator::Compare(op) => Op::Compare { dst, op, x: arg(0), y: arg(1) },
                Operator::Convert(op, _) => Op::Convert { dst, op, from: ty, x: arg(0) },
            }
        })
    }

    /// Returns whether two results count as equal.
    fn agrees(self, expected: Scalar, got: Scalar) -> bool {
        let zero = |x: Scalar| x.as_float() == Some(0.0);
        let either_zero = matches!(self, Operator::Binary(BinaryOp::FMin | BinaryOp::FMax));
        expected == got
            || expected.as_float().is_some_and(f64::is_nan) && got.as_float().is_some_and(f64::is_nan)
            || either_zero && zero(expected) && zero(got)
    }
}

/// Returns whether generated code gives the same bits as `eval`.
fn is_exact(op: UnaryOp) -> bool {
    use UnaryOp::*;
    match op {
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum | Sqrt
        | Rsqrt | Floor | Ceil | Trunc | Round | SinPi | CosPi | TanPi | Gamma | LogGamma => true,
        ApproxRsqrt | Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan
        | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | AsinPi | AcosPi | AtanPi
        | Erf | Erfc => false,
    }
}

fn operators(ty: ScalarType) -> Vec<Operator> {
    let inexact = [BinaryOp::FPow, BinaryOp::Atan2, BinaryOp::Atan2Pi, BinaryOp::Hypot];
    let unary =
        UnaryOp::ALL.iter().filter(|op| op.accepts(ty) && is_exact(**op)).map(|&op| Operator::Unary(op));
    let binary = BinaryOp::ALL
        .iter()
        .filter(|op| op.accepts(ty) && !inexact.contains(op))
        .map(|&op| Operator::Binary(op));
    let ternary = TernaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Ternary(op));
    let compare = CompareOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Compare(op));
    let convert = ConvertOp::ALL.iter().flat_map(|&op| {
        let targets = ScalarType::ALL.into_iter().filter(move |&to| op.accepts(ty, to));
        targets.map(move |to| Operator::Convert(op, to))
    });
    unary.chain(binary).chain(ternary).chain(compare).chain(convert).collect()
}

/// Returns operands for which the operator is defined: all combinations of interesting values (a sample of them for three
/// operands) and random ones, up to a multiple of 32.
fn operands(operator: Operator, ty: ScalarType) -> Vec<Vec<Scalar>> {
    let values = interesting(ty);
    let mut random = Random(operator.arity() as u64);
    let mut tuples: Vec<Vec<Scalar>> = match operator.arity() {
        1 => values.iter().map(|&x| vec![x]).collect(),
        2 => values.iter().flat_map(|&x| values.iter().map(move |&y| vec![x, y])).collect(),
        _ => (0..2000)
            .map(|_| (0..3).map(|_| values[random.bits() as usize % values.len()]).collect())
            .collect(),
    };
    tuples.extend((0..500).map(|_| (0..operator.arity()).map(|_| random.scalar(ty)).collect()));
    tuples.retain(|args| operator.eval(ty, args).is_some());
    // Vectors whose integers all fit in 32 bits are divided differently from those with a wider one.
    let is_narrow = |x: &Scalar| x.as_int().is_some_and(|x| i32::try_from(x).is_ok());
    tuples.sort_by_key(|args| args.iter().all(is_narrow));
    while !tuples.len().is_multiple_of(32) {
        tuples.push(tuples[tuples.len() - 32].clone());
    }
    tuples
}

fn check_type(ty: ScalarType, lane_counts: &[u16], target: &CpuTarget) {
    let operators = operators(ty);
    let kernels = operators.iter().flat_map(|op| lane_counts.iter().map(|&n| op.kernel(ty, n))).collect();
    let machine = Machine::new(kernels, target);
    for (number, &operator) in operators.iter().enumerate() {
        let tuples = operands(operator, ty);
        let inputs: Vec<Vec<u8>> = (0..operator.arity())
            .map(|i| pack(&tuples.iter().map(|args| args[i]).collect::<Vec<_>>()))
            .collect();
        for (position, lanes) in lane_counts.iter().enumerate() {
            let mut output = vec![0xee_u8; tuples.len() * 8 + 8];
            let mut args: Vec<u64> = inputs.iter().map(|input| input.as_ptr() as u64).collect();
            args.push(output.as_mut_ptr() as u64);
            machine.run(number * lane_counts.len() + position, &args, tuples.len() as i64);
            let results = unpack(&output, operator.result(ty), tuples.len());
            for (args, got) in tuples.iter().zip(results) {
                let expected = operator.eval(ty, args).expect("filtered");
                assert!(
                    operator.agrees(expected, got),
                    "{operator:?} on {args:?} with {lanes} lanes on {} ({} bits): expected {expected:?}, got {got:?}",
                    target.name,
                    target.vector_bits,
                );
            }
        }
    }
}

/// Checks all lane counts on this machine, and a few on those that it stands in for.
fn check(ty: ScalarType) {
    for (number, target) in targets().iter().enumerate() {
        check_type(ty, if number == 0 { &LANES } else { &[1, 8] }, target);
    }
}

#[test]
fn bool_operators_agree_with_eval() {
    check(ScalarType::Bool);
}

#[test]
fn i8_operators_agree_with_eval() {
    check(ScalarType::I8);
}

#[test]
fn i16_operators_agree_with_eval() {
    check(ScalarType::I16);
}

#[test]
fn i32_operators_agree_with_eval() {
    check(ScalarType::I32);
}

#[test]
fn i64_operators_agree_with_eval() {
    check(ScalarType::I64);
}

#[test]
fn f16_operators_agree_with_eval() {
    check(ScalarType::F16);
}

#[test]
fn f32_operators_agree_with_eval() {
    check(ScalarType::F32);
}

#[test]
fn f64_operators_agree_with_eval() {
    check(ScalarType::F64);
}
