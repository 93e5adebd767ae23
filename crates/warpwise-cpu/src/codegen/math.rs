//! Mathematical functions that are not correctly rounded.
//!
//! If glibc's `libmvec` has a function, every value goes through it, one machine vector at a time: wider vectors are split,
//! narrower ones and scalars are padded with copies of their own lanes, so that a value's result does not depend on its
//! neighbours. The other functions are called lane by lane: those of `warpwise-prim`, in f64. The most common functions of f32
//! are computed in line ([`in_line`](super::in_line)). f16 goes through f32 or f64 and is rounded once more.
//! Measured errors are in this crate's tests (`tests/math.rs`).

use warpwise_prim::{BinaryOp, Scalar, UnaryOp};

use super::function::Function;
use super::in_line::Elementary;
use super::llvm::{Float, Kind, Precision, Value, arguments, float};

/// Attributes of mathematical functions: they only compute.
const PURE: &str = "nounwind willreturn memory(none)";

/// The implementation of an operator.
enum Implementation {
    /// The `libmvec` function of this C name.
    Vector(&'static str),
    /// In line for f32 if the machine can, otherwise `libmvec`.
    InLine(Elementary),
    /// The `libmvec` function of this C name, its result divided by pi.
    VectorOverPi(&'static str),
    /// The function of [`scalar_functions`] with this name.
    Scalar(&'static str),
}

impl Function<'_> {
    pub fn math_unary(&mut self, op: UnaryOp, x: &Value<Float>) -> Value<Float> {
        self.math(unary_implementation(op), [x])
    }

    pub fn math_binary(&mut self, op: BinaryOp, x: &Value<Float>, y: &Value<Float>) -> Value<Float> {
        self.math(binary_implementation(op), [x, y])
    }

    fn math<const N: usize>(
        &mut self,
        implementation: Implementation,
        args: [&Value<Float>; N],
    ) -> Value<Float> {
        match implementation {
            Implementation::Vector(name) => self.in_single(args, |f, args| f.vector_math(name, &args)),
            Implementation::InLine(function) => self.in_single(args, |f, args| {
                let single = args[0].ty.element == Precision::Single;
                if single && f.target.has("fma") {
                    f.in_line(function, args[0])
                } else {
                    f.vector_math(function.name(), &args)
                }
            }),
            Implementation::VectorOverPi(name) => self.in_single(args, |f, args| {
                let angle = f.vector_math(name, &args);
                let pi = match angle.ty.element {
                    Precision::Double => std::f64::consts::PI,
                    Precision::Half | Precision::Single => std::f32::consts::PI.into(),
                };
                f.text.binary(float::DIV, &angle, &angle.ty.constant(pi))
            }),
            Implementation::Scalar(name) => self.lane_by_lane(name, args),
        }
    }

    // -- vectors -----------------------------------------------------------------------------

    pub fn vector_math(&mut self, name: &str, args: &[&Value<Float>]) -> Value<Float> {
        let symbol = vector_symbol(name, self.target.vector_bits, args[0].ty.element, args.len());
        self.by_machine_vectors(args, |f, args| f.text.call(args[0].ty, &symbol, &arguments(args), PURE))
    }

    /// Computes one machine vector at a time.
    pub fn by_machine_vectors(
        &mut self,
        args: &[&Value<Float>],
        mut compute: impl FnMut(&mut Self, &[Value<Float>]) -> Value<Float>,
    ) -> Value<Float> {
        let ty = args[0].ty;
        let machine = self.target.vector_bits / ty.bits();
        let count = ty.lanes.div_ceil(machine);
        let parts = (0..count).map(|part| {
            let slices: Vec<_> = args.iter().map(|arg| self.resize(arg, part * machine, machine)).collect();
            compute(self, &slices)
        });
        let parts = parts.collect();
        let whole = self.concatenate(parts);
        self.resize(&whole, 0, ty.lanes)
    }

    /// Returns `lanes` lanes from lane `first` on, wrapping around at the end.
    pub fn resize<K: Kind>(&mut self, x: &Value<K>, first: u32, lanes: u32) -> Value<K> {
        if x.ty.lanes == lanes {
            return x.clone();
        }
        if !x.ty.is_vector() {
            return self.text.splat(x, lanes);
        }
        let numbers: Vec<u32> = (0..lanes).map(|lane| (first + lane) % x.ty.lanes).collect();
        self.text.shuffle(x, x, &numbers)
    }

    /// Concatenates vectors of one width, whose number is a power of two.
    pub fn concatenate<K: Kind>(&mut self, mut parts: Vec<Value<K>>) -> Value<K> {
        while parts.len() > 1 {
            let numbers: Vec<u32> = (0..2 * parts[0].ty.lanes).collect();
            parts = parts.chunks(2).map(|pair| self.text.shuffle(&pair[0], &pair[1], &numbers)).collect();
        }
        parts.swap_remove(0)
    }

    // -- lane by lane ------------------------------------------------------------------------

    fn lane_by_lane<const N: usize>(&mut self, name: &str, args: [&Value<Float>; N]) -> Value<Float> {
        let precision = args[0].ty.element;
        let wide = args.map(|arg| self.double_of(arg));
        let mut result = wide[0].ty.poison();
        for lane in 0..result.ty.lanes {
            let values = wide.each_ref().map(|arg| self.text.lane(arg, lane));
            let value = self.text.call(values[0].ty, name, &arguments(&values), PURE);
            result = self.text.insert_lane(&result, &value, lane);
        }
        self.rounded_from_double(&result, precision)
    }
}

/// Returns the vector function of an operator on f64, if the operator is a common one, for vectors of a target.
#[cfg(target_arch = "x86_64")]
pub(crate) fn vector_unary(op: UnaryOp, vector_bits: u32) -> Option<String> {
    use UnaryOp::*;
    let is_common = matches!(op, Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh);
    let name = match is_common.then(|| unary_implementation(op))? {
        Implementation::Vector(name) => Some(name),
        Implementation::InLine(function) => Some(function.name()),
        Implementation::VectorOverPi(_) | Implementation::Scalar(_) => None,
    };
    name.map(|name| vector_symbol(name, vector_bits.max(128), Precision::Double, 1))
}

/// Like [`vector_unary`], for binary operators.
#[cfg(target_arch = "x86_64")]
pub(crate) fn vector_binary(op: BinaryOp, vector_bits: u32) -> Option<String> {
    let is_common = matches!(op, BinaryOp::FPow | BinaryOp::Atan2 | BinaryOp::Hypot);
    match is_common.then(|| binary_implementation(op))? {
        Implementation::Vector(name) => Some(vector_symbol(name, vector_bits.max(128), Precision::Double, 2)),
        Implementation::InLine(_) | Implementation::VectorOverPi(_) | Implementation::Scalar(_) => None,
    }
}

/// Returns the name of a vector function by the x86 vector function ABI, which glibc follows.
fn vector_symbol(name: &str, vector_bits: u32, precision: Precision, args: usize) -> String {
    let set = match vector_bits {
        512 => 'e',
        256 => 'd',
        _ => 'b',
    };
    let (bits, suffix) = if precision == Precision::Double { (64, "") } else { (32, "f") };
    format!("_ZGV{set}N{}{}_{name}{suffix}", vector_bits / bits, "v".repeat(args))
}

fn unary_implementation(op: UnaryOp) -> Implementation {
    use Implementation::*;
    match op {
        UnaryOp::Cbrt => Vector("cbrt"),
        UnaryOp::Exp => InLine(Elementary::Exponential),
        UnaryOp::Exp2 => Vector("exp2"),
        UnaryOp::Exp10 => Vector("exp10"),
        UnaryOp::Expm1 => Vector("expm1"),
        UnaryOp::Log => InLine(Elementary::Logarithm),
        UnaryOp::Log2 => Vector("log2"),
        UnaryOp::Log10 => Vector("log10"),
        UnaryOp::Log1p => Vector("log1p"),
        UnaryOp::Sin => InLine(Elementary::Sine),
        UnaryOp::Cos => InLine(Elementary::Cosine),
        UnaryOp::Tan => Vector("tan"),
        UnaryOp::Asin => Vector("asin"),
        UnaryOp::Acos => Vector("acos"),
        UnaryOp::Atan => Vector("atan"),
        UnaryOp::Sinh => Vector("sinh"),
        UnaryOp::Cosh => Vector("cosh"),
        UnaryOp::Tanh => Vector("tanh"),
        UnaryOp::Asinh => Vector("asinh"),
        UnaryOp::Acosh => Vector("acosh"),
        UnaryOp::Atanh => Vector("atanh"),
        UnaryOp::Erf => Vector("erf"),
        UnaryOp::Erfc => Vector("erfc"),
        UnaryOp::AsinPi => VectorOverPi("asin"),
        UnaryOp::AcosPi => VectorOverPi("acos"),
        UnaryOp::AtanPi => VectorOverPi("atan"),
        UnaryOp::SinPi => Scalar("warpwise_sinpi"),
        UnaryOp::CosPi => Scalar("warpwise_cospi"),
        UnaryOp::TanPi => Scalar("warpwise_tanpi"),
        UnaryOp::Gamma => Scalar("warpwise_gamma"),
        UnaryOp::LogGamma => Scalar("warpwise_lgamma"),
        UnaryOp::Neg
        | UnaryOp::Not
        | UnaryOp::Abs
        | UnaryOp::Signum
        | UnaryOp::PopCount
        | UnaryOp::LeadingZeros
        | UnaryOp::TrailingZeros
        | UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::FSignum
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::ApproxRsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::Round => {
            unreachable!("{} is computed elsewhere", op.mnemonic())
        }
    }
}

fn binary_implementation(op: BinaryOp) -> Implementation {
    use Implementation::*;
    match op {
        BinaryOp::FPow => Vector("pow"),
        BinaryOp::Atan2 => Vector("atan2"),
        BinaryOp::Atan2Pi => VectorOverPi("atan2"),
        BinaryOp::Hypot => Vector("hypot"),
        BinaryOp::FMod => Scalar("warpwise_fmod"),
        BinaryOp::FRem => Scalar("warpwise_frem"),
        BinaryOp::LdExp => Scalar("warpwise_ldexp"),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SDiv
        | BinaryOp::SMod
        | BinaryOp::SQuot
        | BinaryOp::SRem
        | BinaryOp::UDiv
        | BinaryOp::UMod
        | BinaryOp::SMin
        | BinaryOp::UMin
        | BinaryOp::SMax
        | BinaryOp::UMax
        | BinaryOp::Pow
        | BinaryOp::UPow
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign
        | BinaryOp::NextAfter => unreachable!("{} is computed elsewhere", op.mnemonic()),
    }
}

/// Returns the names and addresses of the functions that generated code calls lane by lane.
pub(crate) fn scalar_functions() -> Vec<(&'static str, usize)> {
    let mut functions = warpwise_runtime::mathematics::functions();
    // LLVM calls these on CPUs without instructions for f16 (before 2012).
    functions.push(("__extendhfsf2", extend_half as extern "C" fn(f32) -> f32 as usize));
    functions.push(("__truncsfhf2", truncate_to_half as extern "C" fn(f32) -> f32 as usize));
    functions
}

/// Converts f16 to f32. The f16 is passed in the low half of the register that would hold an f32.
extern "C" fn extend_half(x: f32) -> f32 {
    let half = Scalar::from_bits(warpwise_prim::ScalarType::F16, x.to_bits().into());
    half.as_float().unwrap_or(f64::NAN) as f32
}

extern "C" fn truncate_to_half(x: f32) -> f32 {
    f32::from_bits(Scalar::float(warpwise_prim::ScalarType::F16, x.into()).to_bits() as u32)
}
