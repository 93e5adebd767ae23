//! The distance of mathematical functions from the results of `warpwise-prim`, in units of the last place; and a check that a
//! value's result does not depend on its neighbours.

mod common;

use common::{KernelBuilder, Machine, Random, interesting, pack, targets, unpack};
use warpwise_imp::{CpuTarget, Kernel, Op};
use warpwise_prim::{BinaryOp, Scalar, ScalarType, UnaryOp};

const UNARY: [UnaryOp; 27] = {
    use UnaryOp::*;
    [
        Cbrt,
        Exp,
        Exp2,
        Exp10,
        Expm1,
        Log,
        Log2,
        Log10,
        Log1p,
        Sin,
        Cos,
        Tan,
        Asin,
        Acos,
        Atan,
        Sinh,
        Cosh,
        Tanh,
        Asinh,
        Acosh,
        Atanh,
        AsinPi,
        AcosPi,
        AtanPi,
        Erf,
        Erfc,
        ApproxRsqrt,
    ]
};

const BINARY: [BinaryOp; 4] = [BinaryOp::FPow, BinaryOp::Atan2, BinaryOp::Atan2Pi, BinaryOp::Hypot];

fn unary_kernel(op: UnaryOp, ty: ScalarType, lanes: u16) -> Kernel {
    let name = format!("{op:?} {ty} {lanes}");
    KernelBuilder::elementwise(&name, lanes, &[ty], ty, |dst, args| Op::Unary { dst, op, x: args[0].into() })
}

fn binary_kernel(op: BinaryOp, ty: ScalarType, lanes: u16) -> Kernel {
    let name = format!("{op:?} {ty} {lanes}");
    KernelBuilder::elementwise(&name, lanes, &[ty, ty], ty, |dst, args| Op::Binary {
        dst,
        op,
        x: args[0].into(),
        y: args[1].into(),
    })
}

fn run(machine: &Machine, kernel: usize, inputs: &[&[Scalar]]) -> Vec<Scalar> {
    let (ty, count) = (inputs[0][0].ty(), inputs[0].len());
    let packed: Vec<Vec<u8>> = inputs.iter().map(|input| pack(input)).collect();
    let mut output = vec![0xee_u8; count * 8 + 8];
    let mut args: Vec<u64> = packed.iter().map(|input| input.as_ptr() as u64).collect();
    args.push(output.as_mut_ptr() as u64);
    machine.run(kernel, &args, count as i64);
    unpack(&output, ty, count)
}

/// Returns the number of floats of the type between two results; NaN is only near NaN.
fn steps(expected: Scalar, got: Scalar) -> u64 {
    let is_nan = |x: Scalar| x.as_float().is_none_or(f64::is_nan);
    if is_nan(expected) || is_nan(got) {
        return if is_nan(expected) && is_nan(got) { 0 } else { u64::MAX };
    }
    let bits = expected.ty().bits();
    // The bits of floats as integers in the order of the floats; both zeros are 0.
    let ordinal = |x: Scalar| {
        let magnitude = (x.to_bits() & (u64::MAX >> (65 - bits))) as i64;
        if x.to_bits() >> (bits - 1) == 1 { -magnitude } else { magnitude }
    };
    ordinal(expected).abs_diff(ordinal(got))
}

/// Returns interesting values, values in the ranges where functions vary, and arbitrary bits.
fn arguments(ty: ScalarType, count: usize, seed: u64) -> Vec<Scalar> {
    let mut random = Random(seed);
    let mut values = interesting(ty);
    while values.len() < count || !values.len().is_multiple_of(32) {
        let uniform = (random.bits() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
        values.push(match values.len() % 4 {
            0 => Scalar::from_bits(ty, random.bits()),
            1 => Scalar::float(ty, uniform),
            2 => Scalar::float(ty, uniform * 20.0),
            _ => Scalar::float(ty, uniform * 800.0),
        });
    }
    values
}

/// The largest distance, and where it occurs.
#[derive(Default)]
struct Worst {
    steps: u64,
    case: String,
}

impl Worst {
    fn meet(&mut self, args: &[Scalar], expected: Scalar, got: Scalar) {
        let steps = steps(expected, got);
        if steps > self.steps {
            *self = Worst { steps, case: format!("{args:?} gives {got:?} instead of {expected:?}") };
        }
    }

    fn check(&self, op: &str, ty: ScalarType, target: &CpuTarget, bound: u64) {
        let line = format!("{op} {ty} at {} bits: {} {}", target.vector_bits, self.steps, self.case);
        println!("{line}");
        assert!(self.steps <= bound, "{line}");
    }
}

fn check_unary(ty: ScalarType, values: &[Scalar], bound: u64) {
    for target in targets() {
        let kernels = UNARY.iter().map(|&op| unary_kernel(op, ty, 16)).collect();
        let machine = Machine::new(kernels, &target);
        for (number, op) in UNARY.iter().enumerate() {
            let mut worst = Worst::default();
            for (&x, got) in values.iter().zip(run(&machine, number, &[values])) {
                worst.meet(&[x], op.eval(x), got);
            }
            worst.check(op.mnemonic(), ty, &target, bound);
        }
    }
}

fn check_binary(ty: ScalarType, xs: &[Scalar], ys: &[Scalar], bound: u64) {
    for target in targets() {
        let kernels = BINARY.iter().map(|&op| binary_kernel(op, ty, 16)).collect();
        let machine = Machine::new(kernels, &target);
        for (number, op) in BINARY.iter().enumerate() {
            let mut worst = Worst::default();
            for ((&x, &y), got) in xs.iter().zip(ys).zip(run(&machine, number, &[xs, ys])) {
                worst.meet(&[x, y], op.eval(x, y).expect("never fails"), got);
            }
            worst.check(op.mnemonic(), ty, &target, bound);
        }
    }
}

/// Returns all pairs of interesting values, then other pairs.
fn pairs(ty: ScalarType, count: usize) -> (Vec<Scalar>, Vec<Scalar>) {
    let values = interesting(ty);
    let mut xs: Vec<Scalar> = values.iter().flat_map(|&x| vec![x; values.len()]).collect();
    let mut ys: Vec<Scalar> = (0..values.len()).flat_map(|_| values.clone()).collect();
    let more = count.saturating_sub(xs.len()) + 32 - xs.len() % 32;
    xs.extend(arguments(ty, more, 1).into_iter().take(more));
    ys.extend(arguments(ty, more, 2).into_iter().rev().take(more));
    let whole = xs.len().min(ys.len()) / 32 * 32;
    xs.truncate(whole);
    ys.truncate(whole);
    (xs, ys)
}

#[test]
fn every_f16_is_within_one_place() {
    let values: Vec<Scalar> = (0..1 << 16).map(|bits| Scalar::from_bits(ScalarType::F16, bits)).collect();
    check_unary(ScalarType::F16, &values, 1);
}

#[test]
fn f32_is_within_four_places() {
    let mut values = arguments(ScalarType::F32, 200_000, 3);
    values.extend((0..1 << 18).map(|i| Scalar::from_bits(ScalarType::F32, i * 16411)));
    check_unary(ScalarType::F32, &values, 4);
}

/// Functions of f32 that are computed in line: arguments of all sizes, and those near multiples of a quarter turn or of a
/// logarithm, for which little remains after subtraction.
#[test]
fn functions_in_line_are_as_accurate_as_documented() {
    let mut values: Vec<Scalar> =
        (0..1 << 20).map(|i| Scalar::from_bits(ScalarType::F32, i * 4099)).collect();
    for multiple in 0..1 << 16 {
        let angle = (f64::from(multiple) * std::f64::consts::FRAC_PI_2) as f32;
        let exponent = (f64::from(multiple % 256 - 128) * std::f64::consts::LN_2) as f32;
        let around =
            |x: f32| [x.to_bits().saturating_sub(1), x.to_bits(), x.to_bits() + 1].map(f32::from_bits);
        values.extend(around(angle).map(|x| Scalar::F32(-x)));
        values.push(Scalar::F32(angle));
        values.extend(around(exponent).map(Scalar::F32));
        values.push(Scalar::F32(1.0 + (multiple - (1 << 15)) as f32 * f32::EPSILON));
    }
    for target in targets().iter().filter(|target| target.has("fma")) {
        let bounds = [(UnaryOp::Sin, 2), (UnaryOp::Cos, 2), (UnaryOp::Exp, 1), (UnaryOp::Log, 1)];
        let kernels = bounds.iter().map(|(op, _)| unary_kernel(*op, ScalarType::F32, 16)).collect();
        let machine = Machine::new(kernels, target);
        for (number, (op, bound)) in bounds.into_iter().enumerate() {
            let mut worst = Worst::default();
            for (&x, got) in values.iter().zip(run(&machine, number, &[&values])) {
                worst.meet(&[x], op.eval(x), got);
                let is_zero = x.to_bits() << 33 == 0;
                assert!(!is_zero || op != UnaryOp::Sin || got == x, "the sine of {x:?} is {got:?}");
            }
            worst.check(op.mnemonic(), ScalarType::F32, target, bound);
        }
    }
}

#[test]
fn f64_is_within_four_places() {
    check_unary(ScalarType::F64, &arguments(ScalarType::F64, 300_000, 4), 4);
}

#[test]
fn functions_of_two_arguments_stay_in_bounds() {
    for (ty, bound) in [(ScalarType::F16, 1), (ScalarType::F32, 4), (ScalarType::F64, 4)] {
        let (xs, ys) = pairs(ty, 200_000);
        check_binary(ty, &xs, &ys, bound);
    }
}

#[test]
fn results_do_not_depend_on_neighbours() {
    for target in targets() {
        for ty in [ScalarType::F16, ScalarType::F32, ScalarType::F64] {
            let widths = [1, 2, 4, 8, 32];
            let kernels = UNARY.iter().flat_map(|&op| widths.map(|n| unary_kernel(op, ty, n))).collect();
            let machine = Machine::new(kernels, &target);
            let values = arguments(ty, 2048, 5);
            for (number, op) in UNARY.iter().enumerate() {
                let results = [0, 1, 2, 3, 4].map(|i| run(&machine, number * widths.len() + i, &[&values]));
                for (width, result) in widths.iter().zip(&results) {
                    let differs = (0..values.len()).find(|&i| steps(results[0][i], result[i]) > 0);
                    assert_eq!(
                        differs.map(|i| values[i]),
                        None,
                        "{op:?} {ty} with {width} lanes on {target:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn one_value_gets_what_kernels_compute() {
    for target in targets() {
        let unary = [UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sin, UnaryOp::Cos, UnaryOp::Atan];
        let binary = [BinaryOp::FPow, BinaryOp::Atan2];
        let mut kernels: Vec<Kernel> = unary.iter().map(|op| unary_kernel(*op, ScalarType::F64, 8)).collect();
        kernels.extend(binary.iter().map(|op| binary_kernel(*op, ScalarType::F64, 8)));
        let machine = Machine::new(kernels, &target);
        let numbers = |from: f64| (0..64).map(|i| from + f64::from(i) * 0.37).collect::<Vec<_>>();
        let (xs, ys) = (numbers(0.01), numbers(-7.0));
        let scalars = |values: &[f64]| values.iter().map(|x| Scalar::F64(*x)).collect::<Vec<_>>();
        for (number, op) in unary.iter().enumerate() {
            let one = warpwise_cpu::compiled_unary(*op, &target).expect("a vector function");
            let ours: Vec<f64> = xs.iter().map(|x| one(*x, 0.0)).collect();
            assert_eq!(scalars(&ours), run(&machine, number, &[&scalars(&xs)]), "{op:?}");
        }
        for (number, op) in binary.iter().enumerate() {
            let one = warpwise_cpu::compiled_binary(*op, &target).expect("a vector function");
            let ours: Vec<f64> = xs.iter().zip(&ys).map(|(x, y)| one(*x, *y)).collect();
            let theirs = run(&machine, unary.len() + number, &[&scalars(&xs), &scalars(&ys)]);
            assert_eq!(scalars(&ours), theirs, "{op:?}");
        }
    }
}
