//! Functions of one element that compiled code calls where no system library provides them.
//!
//! Each evaluates its operator as `warpwise-prim` defines it, in double precision. Their names are exported for a linker.

use warpwise_prim::{BinaryOp, Scalar, UnaryOp};

/// Returns the names and addresses of the functions.
pub fn functions() -> Vec<(&'static str, usize)> {
    type Unary = extern "C" fn(f64) -> f64;
    type Binary = extern "C" fn(f64, f64) -> f64;
    vec![
        ("warpwise_sinpi", warpwise_sinpi as Unary as usize),
        ("warpwise_cospi", warpwise_cospi as Unary as usize),
        ("warpwise_tanpi", warpwise_tanpi as Unary as usize),
        ("warpwise_gamma", warpwise_gamma as Unary as usize),
        ("warpwise_lgamma", warpwise_lgamma as Unary as usize),
        ("warpwise_fmod", warpwise_fmod as Binary as usize),
        ("warpwise_frem", warpwise_frem as Binary as usize),
        ("warpwise_ldexp", warpwise_ldexp as Binary as usize),
    ]
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_sinpi(x: f64) -> f64 {
    unary(UnaryOp::SinPi, x)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_cospi(x: f64) -> f64 {
    unary(UnaryOp::CosPi, x)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_tanpi(x: f64) -> f64 {
    unary(UnaryOp::TanPi, x)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_gamma(x: f64) -> f64 {
    unary(UnaryOp::Gamma, x)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_lgamma(x: f64) -> f64 {
    unary(UnaryOp::LogGamma, x)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_fmod(x: f64, y: f64) -> f64 {
    binary(BinaryOp::FMod, x, y)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_frem(x: f64, y: f64) -> f64 {
    binary(BinaryOp::FRem, x, y)
}

#[unsafe(no_mangle)]
extern "C" fn warpwise_ldexp(x: f64, y: f64) -> f64 {
    binary(BinaryOp::LdExp, x, y)
}

fn unary(op: UnaryOp, x: f64) -> f64 {
    op.eval(Scalar::F64(x)).as_float().unwrap_or(f64::NAN)
}

fn binary(op: BinaryOp, x: f64, y: f64) -> f64 {
    op.eval(Scalar::F64(x), Scalar::F64(y)).and_then(Scalar::as_float).unwrap_or(f64::NAN)
}
