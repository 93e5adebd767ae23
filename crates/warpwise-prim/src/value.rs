//! Scalar values.

use half::f16;
use serde::{Deserialize, Serialize};

use crate::types::ScalarType;

/// A scalar constant. Two values are equal when their bits are (so NaN equals itself and 0.0 differs from -0.0). This is identity
/// as compilers need it, not the language's `==`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An 8-bit integer.
    I8(i8),
    /// A 16-bit integer.
    I16(i16),
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// A binary16 float.
    F16(f16),
    /// A binary32 float.
    F32(f32),
    /// A binary64 float.
    F64(f64),
}

impl Scalar {
    /// Returns the type of this value.
    pub fn ty(self) -> ScalarType {
        match self {
            Scalar::Bool(_) => ScalarType::Bool,
            Scalar::I8(_) => ScalarType::I8,
            Scalar::I16(_) => ScalarType::I16,
            Scalar::I32(_) => ScalarType::I32,
            Scalar::I64(_) => ScalarType::I64,
            Scalar::F16(_) => ScalarType::F16,
            Scalar::F32(_) => ScalarType::F32,
            Scalar::F64(_) => ScalarType::F64,
        }
    }

    /// Returns the bits of this value, zero-extended to 64: the form in which registers hold scalars.
    pub fn to_bits(self) -> u64 {
        match self {
            Scalar::Bool(x) => x as u64,
            Scalar::I8(x) => x as u8 as u64,
            Scalar::I16(x) => x as u16 as u64,
            Scalar::I32(x) => x as u32 as u64,
            Scalar::I64(x) => x as u64,
            Scalar::F16(x) => x.to_bits() as u64,
            Scalar::F32(x) => x.to_bits() as u64,
            Scalar::F64(x) => x.to_bits(),
        }
    }

    /// Returns the value of type `ty` with the low bits of `bits`; a `bool` takes the lowest bit.
    pub fn from_bits(ty: ScalarType, bits: u64) -> Scalar {
        match ty {
            ScalarType::Bool => Scalar::Bool(bits & 1 != 0),
            ScalarType::I8 => Scalar::I8(bits as i8),
            ScalarType::I16 => Scalar::I16(bits as i16),
            ScalarType::I32 => Scalar::I32(bits as i32),
            ScalarType::I64 => Scalar::I64(bits as i64),
            ScalarType::F16 => Scalar::F16(f16::from_bits(bits as u16)),
            ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
        }
    }

    /// Returns zero, or `false`.
    pub fn zero(ty: ScalarType) -> Scalar {
        Scalar::from_bits(ty, 0)
    }

    /// Returns the integer `value` wrapped to `ty`, which must be an integer type.
    pub fn int(ty: ScalarType, value: i64) -> Scalar {
        debug_assert!(ty.is_int());
        Scalar::from_bits(ty, value as u64)
    }

    /// Returns the integer that this value holds, sign-extended; `None` for `bool` and floats.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Scalar::I8(x) => Some(x.into()),
            Scalar::I16(x) => Some(x.into()),
            Scalar::I32(x) => Some(x.into()),
            Scalar::I64(x) => Some(x),
            Scalar::Bool(_) | Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => None,
        }
    }

    /// Returns the truth value of a `bool`; `None` for other types.
    pub fn as_bool(self) -> Option<bool> {
        if let Scalar::Bool(value) = self { Some(value) } else { None }
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.ty() == other.ty() && self.to_bits() == other.to_bits()
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.ty(), self.to_bits()).hash(state);
    }
}

impl From<bool> for Scalar {
    fn from(x: bool) -> Scalar {
        Scalar::Bool(x)
    }
}

impl From<i64> for Scalar {
    fn from(x: i64) -> Scalar {
        Scalar::I64(x)
    }
}
