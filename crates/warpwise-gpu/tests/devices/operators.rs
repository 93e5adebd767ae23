//! Every scalar operator on every type over a grid of values, compared with `warpwise_prim`: equal bits (for NaN: any NaN),
//! elementary functions within a bound.

use warpwise_gpu::kernel_text::kernel_text;
use warpwise_imp::{Kernel, Op, Operand, Reg};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarClass, ScalarType, TernaryOp, UnaryOp};

use crate::device::{Arg, Device, Memory, devices};
use crate::host::{from_bytes, to_bytes};
use crate::kernels::KernelBuilder;

/// An operator whose operands are of one type.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
    Compare(CompareOp),
    Convert(ConvertOp, ScalarType),
    Select,
}

impl Operator {
    fn result(self, ty: ScalarType) -> ScalarType {
        match self {
            Operator::Unary(_) | Operator::Binary(_) | Operator::Ternary(_) | Operator::Select => ty,
            Operator::Compare(_) => ScalarType::Bool,
            Operator::Convert(_, to) => to,
        }
    }

    fn eval(self, x: &[Scalar]) -> Option<Scalar> {
        Some(match self {
            Operator::Unary(op) => op.eval(x[0]),
            Operator::Binary(op) => op.eval(x[0], x[1])?,
            Operator::Ternary(op) => op.eval(x[0], x[1], x[2]),
            Operator::Compare(op) => op.eval(x[0], x[1]).into(),
            Operator::Convert(op, to) => op.eval(x[0], to),
            Operator::Select => x[0],
        })
    }

    fn op(self, dst: Reg, ty: ScalarType, args: &[Reg]) -> Op {
        let arg = |i: usize| Operand::Reg(args[i]);
        match self {
            Operator::Unary(op) => Op::Unary { dst, op, x: arg(0) },
            Operator::Binary(op) => Op::Binary { dst, op, x: arg(0), y: arg(1) },
            Operator::Ternary(op) => Op::Ternary { dst, op, x: arg(0), y: arg(1), z: arg(2) },
            Operator::Compare(op) => Op::Compare { dst, op, x: arg(0), y: arg(1) },
            Operator::Convert(op, _) => Op::Convert { dst, op, from: ty, x: arg(0) },
            Operator::Select => {
                Op::Select { dst, cond: Operand::Const(true.into()), x: arg(0), y: Scalar::zero(ty).into() }
            }
        }
    }

    /// Returns the maximum error of a result, in units of the last place of its type.
    fn bound(self) -> u64 {
        match self {
            Operator::Unary(op) => unary_bound(op),
            Operator::Binary(BinaryOp::FPow) => 16,
            Operator::Binary(BinaryOp::Atan2 | BinaryOp::Atan2Pi) => 6,
            Operator::Binary(BinaryOp::Hypot) => 4,
            Operator::Binary(_)
            | Operator::Ternary(_)
            | Operator::Compare(_)
            | Operator::Convert(..)
            | Operator::Select => 0,
        }
    }

    fn agrees(self, expected: Scalar, got: Scalar) -> bool {
        let (Some(x), Some(y)) = (expected.as_float(), got.as_float()) else { return expected == got };
        let either_zero = matches!(self, Operator::Binary(BinaryOp::FMin | BinaryOp::FMax));
        expected == got
            || x.is_nan() && y.is_nan()
            || x == 0.0 && y == 0.0 && (either_zero || self.bound() > 0)
            || ordinal(expected).abs_diff(ordinal(got)) <= self.bound()
    }
}

/// Returns the bound of OpenCL 1.2, Table 7.4.1, which device makers guarantee.
fn unary_bound(op: UnaryOp) -> u64 {
    use UnaryOp::*;
    match op {
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum | Sqrt
        | Rsqrt | Floor | Ceil | Trunc | Round => 0,
        ApproxRsqrt | Cbrt | Log1p => 2,
        Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 => 3,
        Sin | Cos | Sinh | Cosh | Asin | Acos | Asinh | Acosh | SinPi | CosPi => 4,
        Tan | Tanh | Atan | Atanh | AsinPi | AcosPi | AtanPi => 5,
        TanPi => 6,
        Gamma | LogGamma | Erf | Erfc => 16,
    }
}

/// Returns the position of a float among all floats of its type.
fn ordinal(x: Scalar) -> i64 {
    let magnitude = (x.to_bits() & !(1 << (x.ty().bits() - 1))) as i64;
    if x.to_bits() == magnitude as u64 { magnitude } else { -magnitude }
}

/// Returns a kernel that applies operators to the columns of its input, with one result memory each.
fn kernel(name: &str, ty: ScalarType, columns: usize, operators: &[Operator]) -> Kernel {
    let mut builder = KernelBuilder::new(name);
    let inputs: Vec<_> = (0..columns).map(|_| builder.memory("x", true)).collect();
    let outputs: Vec<_> = operators.iter().map(|_| builder.memory("y", false)).collect();
    let index = builder.reg("i", ScalarType::I64);
    let mut body = Vec::new();
    let mut args = Vec::new();
    for mem in inputs {
        let dst = builder.reg("x", ty);
        body.push(Op::Load { dst, mem, index: index.into(), mask: None, ahead: None });
        args.push(dst);
    }
    for (operator, mem) in operators.iter().zip(outputs) {
        let elem = operator.result(ty);
        let dst = builder.reg("y", elem);
        body.push(operator.op(dst, ty, &args));
        let (index, value) = (index.into(), dst.into());
        body.push(Op::Store { mem, index, value, elem, mask: None, stream: false });
    }
    builder.over_range(index, body)
}

/// Runs operators on rows of operands and compares the results; rows for which some operator has no result are left out.
fn check(device: &Device, ty: ScalarType, operators: &[Operator], rows: Vec<Vec<Scalar>>) {
    let rows: Vec<Vec<Scalar>> =
        rows.into_iter().filter(|row| operators.iter().all(|op| op.eval(row).is_some())).collect();
    if operators.is_empty() {
        return;
    }
    let kernel = kernel("operators", ty, rows[0].len(), operators);
    let text = kernel_text([&kernel], device.dialect).expect("operators can be printed");
    let built = device.build(text);
    let columns = (0..rows[0].len()).map(|c| rows.iter().map(|row| row[c]).collect::<Vec<_>>());
    let inputs: Vec<Memory> = columns.map(|column| device.memory(&to_bytes(&column))).collect();
    let size = |op: &Operator| rows.len() * op.result(ty).bytes();
    let outputs: Vec<Memory> = operators.iter().map(|op| device.memory(&vec![0; size(op)])).collect();
    let args: Vec<Arg> = inputs.iter().chain(&outputs).map(Arg::Memory).collect();
    device.launch(&built, 0, &args, rows.len());
    let mut wrong = Vec::new();
    for (operator, output) in operators.iter().zip(&outputs) {
        let results = from_bytes(operator.result(ty), &device.read(output, size(operator)));
        for (row, got) in rows.iter().zip(results) {
            let expected = operator.eval(row).expect("rows without a result are left out");
            if !operator.agrees(expected, got) {
                wrong.push(format!("{operator:?} {row:?} is {expected:?}, not {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong results:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

/// Returns a kernel for every type with all operators that accept it.
pub fn kernels() -> Vec<Kernel> {
    let of_type = |ty: ScalarType| {
        let mut operators: Vec<Operator> = vec![Operator::Select];
        operators.extend(UnaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Unary(op)));
        operators.extend(BinaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Binary(op)));
        operators.extend(TernaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Ternary(op)));
        operators.extend(CompareOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Compare(op)));
        for &op in ConvertOp::ALL {
            let targets = ScalarType::ALL.into_iter().filter(|&to| op.accepts(ty, to));
            operators.extend(targets.map(|to| Operator::Convert(op, to)));
        }
        kernel("operators", ty, 3, &operators)
    };
    ScalarType::ALL.into_iter().map(of_type).collect()
}

/// Checks every operator that accepts a type on all rows of interesting values.
fn check_type(ty: ScalarType) {
    for device in devices() {
        let one = |ops: &mut dyn Iterator<Item = Operator>| ops.collect::<Vec<_>>();
        let unary = one(&mut UnaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Unary(op)));
        let converts = ConvertOp::ALL.iter().flat_map(|&op| {
            ScalarType::ALL
                .into_iter()
                .filter(move |&to| op.accepts(ty, to))
                .map(move |to| Operator::Convert(op, to))
        });
        let converts: Vec<Operator> = converts.collect();
        let singles: Vec<Vec<Scalar>> = values(ty).into_iter().map(|x| vec![x]).collect();
        check(&device, ty, &unary, singles.clone());
        check(&device, ty, &converts, singles.clone());
        let compares =
            one(&mut CompareOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Compare(op)));
        let binary: Vec<BinaryOp> = BinaryOp::ALL.iter().copied().filter(|op| op.accepts(ty)).collect();
        let total = binary.iter().filter(|op| !op.can_fail()).map(|&op| Operator::Binary(op));
        let powers = binary.iter().filter(|&&op| op == BinaryOp::Pow).map(|&op| Operator::Binary(op));
        let divisions = binary.iter().filter(|&&op| op.can_fail() && op != BinaryOp::Pow);
        let pairs = rows(&values(ty), 2);
        check(&device, ty, &compares.into_iter().chain(total).collect::<Vec<_>>(), pairs.clone());
        check(&device, ty, &powers.collect::<Vec<_>>(), pairs.clone());
        check(&device, ty, &divisions.map(|&op| Operator::Binary(op)).collect::<Vec<_>>(), pairs);
        let mut ternary: Vec<Operator> =
            TernaryOp::ALL.iter().filter(|op| op.accepts(ty)).map(|&op| Operator::Ternary(op)).collect();
        ternary.push(Operator::Select);
        let mut some: Vec<Scalar> = values(ty).into_iter().step_by(3).collect();
        if ty == ScalarType::F16 {
            // The product of the first two lies between two numbers; the third decides, if it is not rounded away.
            some.extend([0x3c10, 0x3c20, 1].map(|bits| Scalar::from_bits(ty, bits)));
        }
        check(&device, ty, &ternary, rows(&some, 3));
    }
}

/// Returns all rows of `columns` values.
fn rows(values: &[Scalar], columns: usize) -> Vec<Vec<Scalar>> {
    (0..columns).fold(vec![Vec::new()], |rows, _| {
        rows.iter().flat_map(|row| values.iter().map(|&x| [row.as_slice(), &[x]].concat())).collect()
    })
}

/// Returns boundaries and ordinary values of a type.
fn values(ty: ScalarType) -> Vec<Scalar> {
    let mut values = match ty.class() {
        ScalarClass::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        ScalarClass::Int => {
            let mut values =
                vec![0, 1, -1, 2, -2, 3, -3, 7, -7, 10, 31, 32, 33, 63, 64, 65, 100, -100, 0x1234_5678_9abc];
            let powers = [ty.bits() / 2 - 1, ty.bits() / 2, ty.bits() - 2, ty.bits() - 1];
            values.extend(powers.iter().flat_map(|&p| [-1, 0, 1].map(|d| (1i64 << p).wrapping_add(d))));
            values.extend([ty.bits() as i64 - 1, ty.bits() as i64, ty.bits() as i64 + 1]);
            values.into_iter().map(|x| Scalar::int(ty, x)).collect()
        }
        ScalarClass::Float => floats(ty),
    };
    values.dedup();
    values
}

fn floats(ty: ScalarType) -> Vec<Scalar> {
    let numbers = [
        0.0,
        0.1,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        7.3,
        30.0,
        100.7,
        127.5,
        128.0,
        255.0,
        300.0,
        2047.5,
        32768.0,
        65504.0,
        65536.0,
        2147483648.0,
        4294967296.0,
        9.3e18,
        1.9e19,
        1e-3,
        1e-5,
        1e-8,
        1e30,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut values: Vec<Scalar> =
        numbers.iter().flat_map(|&x| [Scalar::float(ty, x), Scalar::float(ty, -x)]).collect();
    let infinity = Scalar::float(ty, f64::INFINITY).to_bits();
    let least_normal = infinity & infinity.wrapping_neg();
    // Subnormal numbers, the border to the normal ones, and the greatest number.
    let patterns = [1, 2, least_normal - 1, least_normal, least_normal + 1, infinity - 1];
    values.extend(patterns.map(|bits| Scalar::from_bits(ty, bits)));
    // Values so close to the middle of two f16 that f32 cannot tell them from it.
    let middles = [1.0 + 2f64.powi(-11), 1.0 + 3.0 * 2f64.powi(-11)];
    values.extend(
        middles.iter().flat_map(|x| [x - 2f64.powi(-40), x + 2f64.powi(-40)]).map(|x| Scalar::float(ty, x)),
    );
    values
}

#[test]
fn operators_on_bool() {
    check_type(ScalarType::Bool);
}

#[test]
fn operators_on_i8() {
    check_type(ScalarType::I8);
}

#[test]
fn operators_on_i16() {
    check_type(ScalarType::I16);
}

#[test]
fn operators_on_i32() {
    check_type(ScalarType::I32);
}

#[test]
fn operators_on_i64() {
    check_type(ScalarType::I64);
}

#[test]
fn operators_on_f16() {
    check_type(ScalarType::F16);
}

#[test]
fn operators_on_f32() {
    check_type(ScalarType::F32);
}

#[test]
fn operators_on_f64() {
    check_type(ScalarType::F64);
}
