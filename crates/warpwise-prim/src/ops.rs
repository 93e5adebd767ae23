//! The scalar operators. Every operator works on one type family. Its width is that of its operands, so an operator carries no
//! type and a mnemonic no suffix (`fmul x y`).
//!
//! The operators that implement the functions of the language's math modules (`i` is a signed, `u` an unsigned, `f` a float
//! module; everything not listed is a constant or plain text of the prelude):
//!
//! | function | operators |
//! |---|---|
//! | `i + - *`, `u + - *` | `add` `sub` `mul` |
//! | `i / % // %%` | `sdiv` `smod` `squot` `srem` |
//! | `u / //`, `u % %%` | `udiv`, `umod` |
//! | `i **`, `u **` | `pow`, `upow` |
//! | `& \| ^`, `not`, `!` | `and` `or` `xor`, `not` (integers and `bool`) |
//! | `<<`, `>>>` | `shl`, `lshr` |
//! | `i >>` | `ashr` |
//! | `u >>` | `ashr` as a module function, `lshr` as the built-in operator (a quirk of the language) |
//! | `== !=` | `eq` `ne`, of every type |
//! | `< <=`; `> >=` | `slt` `sle` / `ult` `ule` (also `bool`) / `flt` `fle`; the same with operands swapped |
//! | `i.sgn`, `i.abs`, `i.neg` | `sgn`, `abs`, `neg` |
//! | `u.sgn`, `u.abs`, `u.neg` | `umin x 1`, nothing, `neg` |
//! | `i.max i.min`, `u.max u.min` | `smax` `smin`, `umax` `umin` |
//! | `popc clz ctz` | `popc` `clz` `ctz`, then `zext`/`itrunc` to i32 |
//! | `i.mul_hi`, `u.mul_hi` | `smulh`, `umulh` |
//! | `i.mad_hi`, `u.mad_hi` | `smulh` then `add`, `umulh` then `add` |
//! | `get_bit`, `set_bit` | shifts, `and`, `or`, `not`; on floats between two `bitcast`s |
//! | integer from `i`, from `u`, from `bool` | `sext`, `zext`, `zext`; to a narrower type `itrunc` |
//! | `i` from float, `u` from float | `fptosi`, `fptoui` |
//! | float from `i`, from `u` or `bool`, from float | `sitofp`, `uitofp`, `fpconv` |
//! | `bool` from a number | `tobool` |
//! | `f + - * /`, `f %`, `f **` | `fadd` `fsub` `fmul` `fdiv`, `fmod`, `fpow` |
//! | `f.recip`, `f.from_fraction` | `fdiv 1 x`, `sitofp` twice then `fdiv` |
//! | `f.neg abs sgn max min` | `fneg` `fabs` `fsgn` `fmax` `fmin` |
//! | `f.to_bits`, `f.from_bits` | `bitcast` |
//! | `f.isnan`, `f.isinf` | `isnan`, `isinf` |
//! | `f.ldexp x n` | `sitofp n` then `ldexp` |
//! | `f.atan2 atan2pi hypot copysign nextafter` | the operator of that name |
//! | `f.fma mad lerp` | the operator of that name |
//! | `f.sqrt cbrt exp log sin ... gamma lgamma erf erfc ceil floor trunc round` | the operator of that name |

use serde::{Deserialize, Serialize};

/// Declares a field-less operator enum together with its mnemonics.
macro_rules! operators {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $mnemonic:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// Every operator, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Returns the name used in every text form.
            pub fn mnemonic(self) -> &'static str {
                match self { $($name::$variant => $mnemonic,)* }
            }

            /// Returns the operator with this mnemonic, if there is one.
            pub fn from_mnemonic(mnemonic: &str) -> Option<$name> {
                match mnemonic { $($mnemonic => Some($name::$variant),)* _ => None }
            }
        }
    };
}

operators! {
    /// Operators with one operand whose result has the operand's type.
    UnaryOp {
        /// Integer negation, wrapping.
        Neg = "neg",
        /// Bitwise complement of an integer; logical negation of a `bool`.
        Not = "not",
        /// Absolute value of a signed integer; the least value maps to itself.
        Abs = "abs",
        /// Sign of a signed integer: -1, 0 or 1.
        Signum = "sgn",
        /// Number of one bits, in the operand's type.
        PopCount = "popc",
        /// Number of leading zero bits; the width for 0.
        LeadingZeros = "clz",
        /// Number of trailing zero bits; the width for 0.
        TrailingZeros = "ctz",
        /// Float negation: flips the sign bit.
        FNeg = "fneg",
        /// Float absolute value: clears the sign bit.
        FAbs = "fabs",
        /// Sign of a float: -1, 0 (of either sign, kept) or 1; NaN stays NaN.
        FSignum = "fsgn",
        /// Square root, correctly rounded.
        Sqrt = "sqrt",
        /// Cube root.
        Cbrt = "cbrt",
        /// Base-e exponential.
        Exp = "exp",
        /// Base-2 exponential.
        Exp2 = "exp2",
        /// Base-10 exponential.
        Exp10 = "exp10",
        /// exp(x) - 1.
        Expm1 = "expm1",
        /// Natural logarithm.
        Log = "log",
        /// Base-2 logarithm.
        Log2 = "log2",
        /// Base-10 logarithm.
        Log10 = "log10",
        /// log(1 + x).
        Log1p = "log1p",
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// Tangent.
        Tan = "tan",
        /// Inverse sine.
        Asin = "asin",
        /// Inverse cosine.
        Acos = "acos",
        /// Inverse tangent.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Inverse hyperbolic sine.
        Asinh = "asinh",
        /// Inverse hyperbolic cosine.
        Acosh = "acosh",
        /// Inverse hyperbolic tangent.
        Atanh = "atanh",
        /// sin(pi x).
        SinPi = "sinpi",
        /// cos(pi x).
        CosPi = "cospi",
        /// tan(pi x).
        TanPi = "tanpi",
        /// asin(x) / pi.
        AsinPi = "asinpi",
        /// acos(x) / pi.
        AcosPi = "acospi",
        /// atan(x) / pi.
        AtanPi = "atanpi",
        /// Gamma function.
        Gamma = "gamma",
        /// Logarithm of the absolute value of the gamma function.
        LogGamma = "lgamma",
        /// Error function.
        Erf = "erf",
        /// Complementary error function.
        Erfc = "erfc",
        /// 1 / sqrt(x), each step rounded to the type.
        Rsqrt = "rsqrt",
        /// 1 / sqrt(x) within a few units in the last place; `eval` gives the value of `rsqrt`. For `--fast-math` only.
        ApproxRsqrt = "arsqrt",
        /// Round towards negative infinity.
        Floor = "floor",
        /// Round towards positive infinity.
        Ceil = "ceil",
        /// Round towards zero.
        Trunc = "trunc",
        /// Round to nearest, ties to even.
        Round = "round",
    }
}

operators! {
    /// Operators with two operands of one type whose result has that type.
    BinaryOp {
        /// Integer addition, wrapping.
        Add = "add",
        /// Integer subtraction, wrapping.
        Sub = "sub",
        /// Integer multiplication, wrapping.
        Mul = "mul",
        /// High half of the signed product.
        SMulHigh = "smulh",
        /// High half of the unsigned product.
        UMulHigh = "umulh",
        /// Signed division rounding down (Futhark's `/`). The divisor must not be 0.
        SDiv = "sdiv",
        /// Remainder with the divisor's sign (Futhark's `%`). The divisor must not be 0.
        SMod = "smod",
        /// Signed division rounding towards zero (`//`). The divisor must not be 0.
        SQuot = "squot",
        /// Remainder with the dividend's sign (`%%`). The divisor must not be 0.
        SRem = "srem",
        /// Unsigned division. The divisor must not be 0.
        UDiv = "udiv",
        /// Unsigned remainder. The divisor must not be 0.
        UMod = "umod",
        /// Smaller signed integer.
        SMin = "smin",
        /// Smaller unsigned integer.
        UMin = "umin",
        /// Larger signed integer.
        SMax = "smax",
        /// Larger unsigned integer.
        UMax = "umax",
        /// Integer power, wrapping; the exponent is read as signed and must not be negative.
        Pow = "pow",
        /// Integer power, wrapping; the exponent is read as unsigned.
        UPow = "upow",
        /// Shift left; a shift by the width or more gives 0. The shift is read as unsigned.
        Shl = "shl",
        /// Shift right with zeros; a shift by the width or more gives 0.
        LShr = "lshr",
        /// Shift right with the sign; a shift by the width or more gives 0 or -1.
        AShr = "ashr",
        /// Bitwise or logical conjunction (integers and `bool`).
        And = "and",
        /// Bitwise or logical disjunction.
        Or = "or",
        /// Bitwise or logical exclusive disjunction.
        Xor = "xor",
        /// Float addition.
        FAdd = "fadd",
        /// Float subtraction.
        FSub = "fsub",
        /// Float multiplication.
        FMul = "fmul",
        /// Float division, IEEE.
        FDiv = "fdiv",
        /// Float remainder with the divisor's sign (Futhark's `%` on floats): x - y*floor(x/y),
        /// computed as `frem` with a correction; a zero has the divisor's sign.
        FMod = "fmod",
        /// C's `fmod`: remainder with the dividend's sign.
        FRem = "frem",
        /// C's `fmin`: the other operand where one is NaN. For two zeros `eval` returns the negative one; generated code may
        /// return either.
        FMin = "fmin",
        /// C's `fmax`: the other operand where one is NaN. For two zeros `eval` returns the positive one; generated code may
        /// return either.
        FMax = "fmax",
        /// C's `pow`.
        FPow = "fpow",
        /// C's `atan2`.
        Atan2 = "atan2",
        /// atan2(y, x) / pi.
        Atan2Pi = "atan2pi",
        /// C's `hypot`.
        Hypot = "hypot",
        /// Magnitude of the first with the sign of the second.
        CopySign = "copysign",
        /// C's `nextafter`.
        NextAfter = "nextafter",
        /// x * 2^n, rounded once; n is the second operand converted to i32 as `fptosi` does.
        LdExp = "ldexp",
    }
}

operators! {
    /// Operators with three operands of one type whose result has that type.
    TernaryOp {
        /// x * y + z with one rounding.
        Fma = "fma",
        /// Float x*y + z, each step rounded (Futhark's `mad`).
        Mad = "mad",
        /// Linear interpolation v0 + (v1 - v0) * t, each step rounded.
        Lerp = "lerp",
    }
}

operators! {
    /// Comparisons of two operands of one type; the result is `bool`.
    CompareOp {
        /// Equality, of any type. Floats by IEEE: NaN equals nothing.
        Eq = "eq",
        /// Inequality, of any type: the negation of `eq`.
        Ne = "ne",
        /// Signed less than.
        SLt = "slt",
        /// Signed less than or equal.
        SLe = "sle",
        /// Unsigned less than; also `bool`, where false < true.
        ULt = "ult",
        /// Unsigned less than or equal; also `bool`.
        ULe = "ule",
        /// Float less than, false where an operand is NaN.
        FLt = "flt",
        /// Float less than or equal, false where an operand is NaN.
        FLe = "fle",
    }
}

operators! {
    /// Conversions; the result type is written beside them (`sext x : i64`).
    ConvertOp {
        /// Integer to a wider or equal integer, sign-extended.
        SExt = "sext",
        /// Integer or `bool` to a wider or equal integer, zero-extended.
        ZExt = "zext",
        /// Integer to a narrower or equal integer, wrapping.
        Truncate = "itrunc",
        /// Integer or float to `bool`: whether the operand differs from 0 (NaN does).
        ToBool = "tobool",
        /// Signed integer to float, rounded to nearest even.
        SIToFP = "sitofp",
        /// Unsigned integer (or `bool`) to float, rounded to nearest even.
        UIToFP = "uitofp",
        /// Float to signed integer, towards zero, saturating; NaN gives 0.
        FPToSI = "fptosi",
        /// Float to unsigned integer, towards zero, saturating; NaN gives 0.
        FPToUI = "fptoui",
        /// Float to another float type, rounded to nearest even.
        FPConvert = "fpconv",
        /// Reinterprets the bits as another type of the same width (not `bool`).
        Bitcast = "bitcast",
        /// Whether a float is NaN; the result is `bool`.
        IsNan = "isnan",
        /// Whether a float is infinite; the result is `bool`.
        IsInf = "isinf",
        /// The power-of-two exponent of a float as i32, as C's `ilogb`; the least i32 for 0 and
        /// NaN, the greatest for infinities.
        ILogB = "ilogb",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn mnemonics_are_unique_over_all_families_and_read_back() {
        let mut seen = HashSet::new();
        let mut check = |mnemonic: &'static str, reads_back: bool| {
            assert!(seen.insert(mnemonic), "`{mnemonic}` names two operators");
            assert!(reads_back, "`{mnemonic}` does not read back");
            assert!(mnemonic.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "`{mnemonic}`");
        };
        UnaryOp::ALL
            .iter()
            .for_each(|op| check(op.mnemonic(), UnaryOp::from_mnemonic(op.mnemonic()) == Some(*op)));
        BinaryOp::ALL
            .iter()
            .for_each(|op| check(op.mnemonic(), BinaryOp::from_mnemonic(op.mnemonic()) == Some(*op)));
        TernaryOp::ALL
            .iter()
            .for_each(|op| check(op.mnemonic(), TernaryOp::from_mnemonic(op.mnemonic()) == Some(*op)));
        CompareOp::ALL
            .iter()
            .for_each(|op| check(op.mnemonic(), CompareOp::from_mnemonic(op.mnemonic()) == Some(*op)));
        ConvertOp::ALL
            .iter()
            .for_each(|op| check(op.mnemonic(), ConvertOp::from_mnemonic(op.mnemonic()) == Some(*op)));
        for unknown in ["", "ADD", "add32", "fadd "] {
            assert_eq!(BinaryOp::from_mnemonic(unknown), None);
        }
    }
}
