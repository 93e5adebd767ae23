//! Conversions between scalar types.

use half::f16;

use super::Float;
use super::elementary;
use super::ill_typed;
use crate::ops::ConvertOp;
use crate::types::ScalarType;
use crate::value::Scalar;

impl ConvertOp {
    /// Converts `x` to type `to`, which [`ConvertOp::accepts`] must allow.
    #[inline]
    pub fn eval(self, x: Scalar, to: ScalarType) -> Scalar {
        use ConvertOp::*;
        match self {
            SExt => Scalar::from_bits(to, signed(self, x) as u64),
            Truncate | ZExt | Bitcast => Scalar::from_bits(to, x.to_bits()),
            ToBool => Scalar::Bool(match x {
                Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => float(self, x) != 0.0,
                Scalar::Bool(_) | Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) => {
                    x.to_bits() != 0
                }
            }),
            SIToFP => from_signed(self, signed(self, x), to),
            UIToFP => from_unsigned(self, x.to_bits(), to),
            FPToSI => to_signed(self, float(self, x), to),
            FPToUI => to_unsigned(self, float(self, x), to),
            FPConvert => Scalar::float(to, float(self, x)),
            IsNan => Scalar::Bool(float(self, x).is_nan()),
            IsInf => Scalar::Bool(float(self, x).is_infinite()),
            ILogB => Scalar::I32(elementary::leading_exponent(float(self, x))),
        }
    }
}

impl Scalar {
    /// Rounds the float `x` to `ty`, which must be a float type; every NaN becomes the canonical one.
    pub fn float(ty: ScalarType, x: f64) -> Scalar {
        match ty {
            ScalarType::F16 => Scalar::F16(Float::from_f64(x)),
            ScalarType::F32 => Scalar::F32(Float::from_f64(x)),
            ScalarType::F64 => Scalar::F64(Float::from_f64(x)),
            ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
                ill_typed("float", ty)
            }
        }
    }

    /// Returns the float that this value holds, exactly; `None` for `bool` and integers.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Scalar::F16(x) => Some(Float::to_f64(x)),
            Scalar::F32(x) => Some(x.into()),
            Scalar::F64(x) => Some(x),
            Scalar::Bool(_) | Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) => None,
        }
    }
}

#[inline]
fn signed(op: ConvertOp, x: Scalar) -> i64 {
    x.as_int().unwrap_or_else(|| ill_typed(op.mnemonic(), x.ty()))
}

#[inline]
fn float(op: ConvertOp, x: Scalar) -> f64 {
    x.as_float().unwrap_or_else(|| ill_typed(op.mnemonic(), x.ty()))
}

fn from_signed(op: ConvertOp, x: i64, to: ScalarType) -> Scalar {
    match to {
        // `x as f64` is exact over the range of f16; larger numbers become infinite.
        ScalarType::F16 => Scalar::F16(<f16 as Float>::from_f64(x as f64)),
        ScalarType::F32 => Scalar::F32(x as f32),
        ScalarType::F64 => Scalar::F64(x as f64),
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            ill_typed(op.mnemonic(), to)
        }
    }
}

fn from_unsigned(op: ConvertOp, x: u64, to: ScalarType) -> Scalar {
    match to {
        ScalarType::F16 => Scalar::F16(<f16 as Float>::from_f64(x as f64)),
        ScalarType::F32 => Scalar::F32(x as f32),
        ScalarType::F64 => Scalar::F64(x as f64),
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            ill_typed(op.mnemonic(), to)
        }
    }
}

/// Rust's `as` saturates and turns NaN into 0, as the language requires.
fn to_signed(op: ConvertOp, x: f64, to: ScalarType) -> Scalar {
    match to {
        ScalarType::I8 => Scalar::I8(x as i8),
        ScalarType::I16 => Scalar::I16(x as i16),
        ScalarType::I32 => Scalar::I32(x as i32),
        ScalarType::I64 => Scalar::I64(x as i64),
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            ill_typed(op.mnemonic(), to)
        }
    }
}

fn to_unsigned(op: ConvertOp, x: f64, to: ScalarType) -> Scalar {
    match to {
        ScalarType::I8 => Scalar::I8(x as u8 as i8),
        ScalarType::I16 => Scalar::I16(x as u16 as i16),
        ScalarType::I32 => Scalar::I32(x as u32 as i32),
        ScalarType::I64 => Scalar::I64(x as u64 as i64),
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            ill_typed(op.mnemonic(), to)
        }
    }
}
