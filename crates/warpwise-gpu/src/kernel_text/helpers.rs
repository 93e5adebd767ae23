//! Functions that kernels call for operations that C's operators and built-in functions lack, with the semantics of `eval` in
//! `warpwise_prim`. A text contains the functions that its kernels use, each after its callees.

use std::collections::BTreeSet;

use warpwise_imp::Space;
use warpwise_prim::{Scalar, ScalarType};

use super::dialect::Dialect;
use super::literals::literal;
use warpwise_runtime::device::failure;

/// A function. The order of the variants is the order in a text: callees first. Types are those that the function works in:
/// narrower integers are widened to `i32`, `f16` to `f32`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Helper {
    /// The value of an `f16` as a `float`.
    HalfValue,
    /// A `float` rounded to `f16`.
    HalfBits,
    /// A `double` rounded to `f16`, once.
    HalfOfDouble,
    /// Product and sum of `f16`, rounded once.
    HalfFma,
    /// The neighbour of an `f16` in the direction of another.
    HalfNextAfter,
    /// Signed quotient, rounded towards zero, that wraps.
    Quotient(ScalarType),
    /// Remainder of [`Helper::Quotient`].
    Remainder(ScalarType),
    /// Signed quotient rounded down.
    FloorQuotient(ScalarType),
    /// Remainder of [`Helper::FloorQuotient`].
    FloorRemainder(ScalarType),
    /// Integer power.
    Power(ScalarType),
    /// Sign of a float.
    Signum(ScalarType),
    /// Float remainder with the sign of the divisor.
    FloatModulo(ScalarType),
    /// Exponent of the leading bit of a float.
    Exponent(ScalarType),
    /// Saturating conversion of a float to an integer.
    ToInt {
        /// A float type.
        from: ScalarType,
        /// An integer type.
        to: ScalarType,
        /// Whether the integer is signed.
        signed: bool,
    },
    /// Records a failure.
    RecordFailure,
    /// Records that a slot of the arena is too small.
    ArenaFull,
}

impl Helper {
    /// Returns the function's name.
    pub fn name(self) -> String {
        match self {
            Helper::HalfValue => "half_value".to_string(),
            Helper::HalfBits => "half_bits".to_string(),
            Helper::HalfOfDouble => "half_of_double".to_string(),
            Helper::HalfFma => "half_fma".to_string(),
            Helper::HalfNextAfter => "half_nextafter".to_string(),
            Helper::Quotient(ty) => format!("quotient_{ty}"),
            Helper::Remainder(ty) => format!("remainder_{ty}"),
            Helper::FloorQuotient(ty) => format!("floor_quotient_{ty}"),
            Helper::FloorRemainder(ty) => format!("floor_remainder_{ty}"),
            Helper::Power(ty) => format!("power_{ty}"),
            Helper::Signum(ty) => format!("signum_{ty}"),
            Helper::FloatModulo(ty) => format!("modulo_{ty}"),
            Helper::Exponent(ty) => format!("exponent_{ty}"),
            Helper::ToInt { from, to, signed } => {
                format!("{from}_to_{}{}", if signed { "i" } else { "u" }, to.bits())
            }
            Helper::RecordFailure => "record_failure".to_string(),
            Helper::ArenaFull => "arena_full".to_string(),
        }
    }

    /// Returns the functions that it calls.
    fn callees(self) -> &'static [Helper] {
        use ScalarType::{I32, I64};
        match self {
            Helper::HalfOfDouble => &[Helper::HalfBits],
            Helper::HalfFma => &[Helper::HalfValue, Helper::HalfOfDouble],
            Helper::HalfNextAfter => &[Helper::HalfValue],
            Helper::FloorQuotient(I64) => &[Helper::Quotient(I64)],
            Helper::FloorQuotient(_) => &[Helper::Quotient(I32)],
            Helper::FloorRemainder(I64) => &[Helper::Remainder(I64)],
            Helper::FloorRemainder(_) => &[Helper::Remainder(I32)],
            Helper::HalfValue
            | Helper::HalfBits
            | Helper::Quotient(_)
            | Helper::Remainder(_)
            | Helper::Power(_)
            | Helper::Signum(_)
            | Helper::FloatModulo(_)
            | Helper::Exponent(_)
            | Helper::ToInt { .. }
            | Helper::RecordFailure
            | Helper::ArenaFull => &[],
        }
    }

    /// Adds the function and its callees to a set.
    pub fn add_to(self, used: &mut BTreeSet<Helper>) {
        for callee in self.callees() {
            callee.add_to(used);
        }
        used.insert(self);
    }

    /// Returns whether the function computes with `f64`.
    pub fn needs_f64(self) -> bool {
        match self {
            Helper::HalfOfDouble | Helper::HalfFma => true,
            Helper::Signum(ty)
            | Helper::FloatModulo(ty)
            | Helper::Exponent(ty)
            | Helper::ToInt { from: ty, .. } => ty == ScalarType::F64,
            Helper::HalfValue
            | Helper::HalfBits
            | Helper::HalfNextAfter
            | Helper::Quotient(_)
            | Helper::Remainder(_)
            | Helper::FloorQuotient(_)
            | Helper::FloorRemainder(_)
            | Helper::Power(_)
            | Helper::RecordFailure
            | Helper::ArenaFull => false,
        }
    }

    /// Returns the function's definition.
    pub fn text(self, dialect: Dialect) -> String {
        let qualifier = dialect.helper();
        let template = match self {
            Helper::HalfValue => half_value(dialect).to_string(),
            Helper::HalfBits => half_bits(dialect).to_string(),
            Helper::HalfOfDouble => HALF_OF_DOUBLE.to_string(),
            Helper::HalfFma => HALF_FMA.to_string(),
            Helper::HalfNextAfter => HALF_NEXT_AFTER.to_string(),
            Helper::Quotient(ty) => typed(QUOTIENT, ty, dialect),
            Helper::Remainder(ty) => typed(REMAINDER, ty, dialect),
            Helper::FloorQuotient(ty) => typed(FLOOR_QUOTIENT, ty, dialect),
            Helper::FloorRemainder(ty) => typed(FLOOR_REMAINDER, ty, dialect),
            Helper::Power(ty) => typed(POWER, ty, dialect),
            Helper::Signum(ty) => typed(SIGNUM, ty, dialect),
            Helper::FloatModulo(ty) => typed(FLOAT_MODULO, ty, dialect),
            Helper::Exponent(ty) => typed(EXPONENT, ty, dialect),
            Helper::ToInt { from, to, signed } => to_int(from, to, signed, dialect),
            Helper::RecordFailure => record_failure(dialect),
            Helper::ArenaFull => arena_full(),
        };
        let global = dialect.space(Space::Global);
        let text = template.replace("NAME", &self.name()).replace("HELPER", qualifier);
        text.trim_start().replace("GLOBAL", global).replace("FENCE", dialect.fence())
    }
}

/// Fills in the names of types: `TYPE` the type, `UNSIGNED` its unsigned counterpart, `SUFFIX` its name in the core IR.
fn typed(template: &str, ty: ScalarType, dialect: Dialect) -> String {
    let text = template.replace("TYPE", dialect.ty(ty)).replace("UNSIGNED", dialect.unsigned(ty));
    text.replace("SUFFIX", ty.name())
}

fn half_value(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenCl => {
            "
HELPER float NAME(ushort bits) {
    return vload_half(0, (const half *)&bits);
}
"
        }
        Dialect::Cuda => {
            "
HELPER float NAME(ushort bits) {
    float x;
    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(bits));
    return x;
}
"
        }
    }
}

fn half_bits(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenCl => {
            "
HELPER ushort NAME(float x) {
    ushort bits;
    vstore_half_rte(x, 0, (half *)&bits);
    return bits;
}
"
        }
        Dialect::Cuda => {
            "
HELPER ushort NAME(float x) {
    ushort bits;
    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x));
    return bits;
}
"
        }
    }
}

/// Rounds to odd in `float` first, so that an inexact value never looks like a tie.
const HALF_OF_DOUBLE: &str = "
HELPER ushort NAME(double x) {
    const float nearest = (float)x;
    const double back = nearest;
    int bits = as_int(nearest);
    if (back < x || back > x) {
        bits = (bits & 1) ? bits : bits + (fabs(back) > fabs(x) ? -1 : 1);
    }
    return half_bits(as_float(bits));
}
";

const HALF_FMA: &str = "
HELPER ushort NAME(ushort x, ushort y, ushort z) {
    const double product = (double)half_value(x) * half_value(y);
    return half_of_double(product + half_value(z));
}
";

const HALF_NEXT_AFTER: &str = "
HELPER ushort NAME(ushort x, ushort y) {
    const float a = half_value(x), b = half_value(y);
    if (a != a || b != b) {
        return 0x7e00;
    }
    if (a == b) {
        return y;
    }
    if (a == 0.0f) {
        return (y & 0x8000) | 1;
    }
    return (b > a) == (a > 0.0f) ? x + 1 : x - 1;
}
";

const QUOTIENT: &str = "
HELPER TYPE NAME(TYPE x, TYPE y) {
    return y == -1 ? (TYPE)(0 - (UNSIGNED)x) : x / y;
}
";

const REMAINDER: &str = "
HELPER TYPE NAME(TYPE x, TYPE y) {
    return y == -1 ? 0 : x % y;
}
";

const FLOOR_QUOTIENT: &str = "
HELPER TYPE NAME(TYPE x, TYPE y) {
    const TYPE quotient = quotient_SUFFIX(x, y);
    const TYPE rest = (UNSIGNED)x - (UNSIGNED)quotient * (UNSIGNED)y;
    return quotient - (rest != 0 && (rest < 0) != (y < 0));
}
";

const FLOOR_REMAINDER: &str = "
HELPER TYPE NAME(TYPE x, TYPE y) {
    const TYPE rest = remainder_SUFFIX(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
";

const POWER: &str = "
HELPER TYPE NAME(UNSIGNED base, UNSIGNED exponent) {
    UNSIGNED result = 1;
    while (exponent != 0) {
        if (exponent & 1) {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    return result;
}
";

const SIGNUM: &str = "
HELPER TYPE NAME(TYPE x) {
    return x == 0 || x != x ? x : copysign((TYPE)1, x);
}
";

const FLOAT_MODULO: &str = "
HELPER TYPE NAME(TYPE x, TYPE y) {
    const TYPE rest = fmod(x, y);
    if (rest == 0) {
        return copysign(rest, y);
    }
    return (rest < 0) != (y < 0) ? rest + y : rest;
}
";

const EXPONENT: &str = "
HELPER int NAME(TYPE x) {
    if (x == 0 || x != x) {
        return -2147483647 - 1;
    }
    return isinf(x) ? 2147483647 : ilogb(x);
}
";

fn to_int(from: ScalarType, to: ScalarType, signed: bool, dialect: Dialect) -> String {
    let bits = to.bits();
    let bound = |power: u32| {
        let (double, power) = (from == ScalarType::F64, power as i32);
        literal(if double { Scalar::F64(2f64.powi(power)) } else { Scalar::F32(2f32.powi(power)) })
    };
    let (from, result) = (dialect.ty(from), dialect.ty(to));
    let head = format!("HELPER {result} NAME({from} x) {{\n");
    if signed {
        let high = bound(bits - 1);
        let (least, greatest) =
            (literal(Scalar::int(to, 1 << (bits - 1))), literal(Scalar::int(to, !(1 << (bits - 1)))));
        return head
            + "    if (x != x) {\n        return 0;\n    }\n"
            + &format!("    return x < -{high} ? {least} : x >= {high} ? {greatest} : ({result})x;\n}}\n");
    }
    let (high, unsigned) = (bound(bits), dialect.unsigned(to));
    head + &format!("    return x >= {high} ? -1 : x > 0 ? ({unsigned})x : 0;\n}}\n")
}

/// Returns the function that records a failure. The lock is released in the same iteration of the loop that acquires it, so that
/// work-items in lockstep do not wait forever for one of them. Nobody waits for the lock to record a failure that does not count,
/// because millions may fail. The recorded iteration only decreases, and its low word is written before its high word, so reading
/// the words in the other order never yields less than the recorded iteration.
fn record_failure(dialect: Dialect) -> String {
    use failure::{CHECK, FAILED, ITERATION, LOCK, VALUES};
    format!(
        "
{helper} void NAME(volatile GLOBAL uint *failure, int turn, long iteration, uint check, const ulong *values, int count) {{
    for (;;) {{
        const uint high = {high};
        FENCE
        const uint low = {low};
        if (iteration >= (long)((ulong)high << 32 | low)) {{
            return;
        }}
        if (atomic_cmpxchg(&failure[{LOCK}], 0, 1) == 0) {{
            FENCE
            const uint low = atomic_or(&failure[{ITERATION}], 0);
            const uint high = atomic_or(&failure[{ITERATION} + 1], 0);
            if (iteration < (long)((ulong)high << 32 | low)) {{
                atomic_xchg(&failure[{ITERATION}], (uint)iteration);
                FENCE
                atomic_xchg(&failure[{ITERATION} + 1], (uint)((ulong)iteration >> 32));
                atomic_xchg(&failure[{CHECK}], check);
                atomic_xchg(&failure[{FAILED} + turn], 1);
                for (int i = 0; i < count; i++) {{
                    atomic_xchg(&failure[{VALUES} + 2 * i], (uint)values[i]);
                    atomic_xchg(&failure[{VALUES} + 2 * i + 1], (uint)(values[i] >> 32));
                }}
            }}
            FENCE
            atomic_xchg(&failure[{LOCK}], 0);
        }}
    }}
}}
",
        helper = dialect.rare_helper(),
        high = dialect.peek("atomic", &format!("&failure[{ITERATION} + 1]")),
        low = dialect.peek("atomic", &format!("&failure[{ITERATION}]")),
    )
}

/// Returns the function that records a full slot. The greatest word stands for all larger sizes, which no device has.
fn arena_full() -> String {
    use failure::{WANTED, WANTED_UNIT};
    format!(
        "
HELPER void NAME(volatile GLOBAL uint *failure, long top, long bytes) {{
    const ulong units = ((ulong)bytes + top + 15 + {}) / {WANTED_UNIT};
    atomic_max(&failure[{WANTED}], units > 0xffffffff ? 0xffffffff : (uint)units);
}}
",
        WANTED_UNIT - 1
    )
}
