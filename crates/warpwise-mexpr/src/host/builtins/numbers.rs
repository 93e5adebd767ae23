//! Integers, floats, characters.
//!
//! Integers have 64 bits and wrap; division truncates. Conversion of floats to integers saturates, and turns NaN into 0.

use crate::builtins::Builtin;

use super::super::show::float_text;
use super::super::value::Value;
use super::super::world::World;
use super::{Stop, Taken};

/// Runs a built-in on two numbers or characters.
#[inline]
pub(in crate::host) fn binary(
    builtin: Builtin,
    left: &Value,
    right: &Value,
) -> Option<Result<Value, String>> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => integers(builtin, *a, *b),
        (Value::Float(a), Value::Float(b)) => floats(builtin, *a, *b).map(Ok),
        (Value::Char(a), Value::Char(b)) if builtin == Builtin::Eqc => Some(Ok(Value::Bool(a == b))),
        _ => None,
    }
}

#[inline]
fn integers(builtin: Builtin, a: i64, b: i64) -> Option<Result<Value, String>> {
    let zero = || Err("division by zero".to_string());
    Some(Ok(match builtin {
        Builtin::Addi => Value::Int(a.wrapping_add(b)),
        Builtin::Subi => Value::Int(a.wrapping_sub(b)),
        Builtin::Muli => Value::Int(a.wrapping_mul(b)),
        Builtin::Divi if b == 0 => return Some(zero()),
        Builtin::Divi => Value::Int(a.wrapping_div(b)),
        Builtin::Modi if b == 0 => return Some(zero()),
        Builtin::Modi => Value::Int(a.wrapping_rem(b)),
        Builtin::Lti => Value::Bool(a < b),
        Builtin::Leqi => Value::Bool(a <= b),
        Builtin::Gti => Value::Bool(a > b),
        Builtin::Geqi => Value::Bool(a >= b),
        Builtin::Eqi => Value::Bool(a == b),
        Builtin::Neqi => Value::Bool(a != b),
        Builtin::Slli => Value::Int(if (0..64).contains(&b) { a << b } else { 0 }),
        Builtin::Srli => Value::Int(if (0..64).contains(&b) { (a as u64 >> b) as i64 } else { 0 }),
        Builtin::Srai => Value::Int(a >> if (0..64).contains(&b) { b } else { 63 }),
        Builtin::ExternalLogCombination => Value::Float(log_combination(a, b)),
        _ => return None,
    }))
}

#[inline]
fn floats(builtin: Builtin, a: f64, b: f64) -> Option<Value> {
    Some(match builtin {
        Builtin::Addf => Value::Float(a + b),
        Builtin::Subf => Value::Float(a - b),
        Builtin::Mulf => Value::Float(a * b),
        Builtin::Divf => Value::Float(a / b),
        Builtin::Ltf => Value::Bool(a < b),
        Builtin::Leqf => Value::Bool(a <= b),
        Builtin::Gtf => Value::Bool(a > b),
        Builtin::Geqf => Value::Bool(a >= b),
        Builtin::Eqf => Value::Bool(a == b),
        Builtin::Neqf => Value::Bool(a != b),
        _ => return None,
    })
}

/// Runs a built-in on one number, character or string.
pub(super) fn unary(builtin: Builtin, arguments: &mut Taken) -> Result<Option<Value>, Stop> {
    let value = match builtin {
        Builtin::Negi => Value::Int(arguments.int()?.wrapping_neg()),
        Builtin::Negf => Value::Float(-arguments.float()?),
        Builtin::Floorfi => Value::Int(arguments.float()?.floor() as i64),
        Builtin::Ceilfi => Value::Int(arguments.float()?.ceil() as i64),
        Builtin::Roundfi => Value::Int(arguments.float()?.round() as i64),
        Builtin::IntToFloat => Value::Float(arguments.int()? as f64),
        Builtin::StringIsFloat => Value::Bool(parse_float(&arguments.text()?).is_some()),
        Builtin::StringToFloat => {
            let text = arguments.text()?;
            let value = parse_float(&text);
            Value::Float(value.ok_or_else(|| Stop::Fault(format!("\"{text}\" is no float")))?)
        }
        Builtin::FloatToString => Value::string(&float_text(arguments.float()?)),
        Builtin::CharToInt => match arguments.value()? {
            Value::Char(value) => Value::Int(i64::from(u32::from(value))),
            _ => return Err(arguments.wrong()),
        },
        Builtin::IntToChar => {
            let code = arguments.int()?;
            let char = u32::try_from(code).ok().and_then(char::from_u32);
            Value::Char(char.ok_or_else(|| Stop::Fault(format!("{code} is no character")))?)
        }
        Builtin::ExternalSqrt => Value::Float(arguments.float()?.sqrt()),
        Builtin::ExternalLogGamma => Value::Float(log_gamma(arguments.float()?)),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Computes a mathematical function, as the world computes it if it does.
pub(in crate::host) fn mathematics(
    world: &dyn World,
    builtin: Builtin,
    arguments: &[Value],
) -> Option<Value> {
    let (x, y) = match arguments {
        [Value::Float(x)] => (*x, 0.0),
        [Value::Float(x), Value::Float(y)] => (*x, *y),
        _ => return None,
    };
    let usual: fn(f64, f64) -> f64 = match builtin {
        Builtin::ExternalExp => |x, _| x.exp(),
        Builtin::ExternalLog => |x, _| x.ln(),
        Builtin::ExternalAtan => |x, _| x.atan(),
        Builtin::ExternalSin => |x, _| x.sin(),
        Builtin::ExternalCos => |x, _| x.cos(),
        Builtin::ExternalAtan2 => f64::atan2,
        Builtin::ExternalPow => f64::powf,
        _ => return None,
    };
    Some(Value::Float(world.mathematics(builtin, x, y).unwrap_or_else(|| usual(x, y))))
}

fn parse_float(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Returns the logarithm of the absolute value of the gamma function, as the C library computes it.
pub(super) fn log_gamma(x: f64) -> f64 {
    unsafe extern "C" {
        fn lgamma_r(x: f64, sign: *mut i32) -> f64;
    }
    let mut sign = 0;
    // SAFETY: the C function takes any number and writes only the sign.
    unsafe { lgamma_r(x, &raw mut sign) }
}

/// Returns the logarithm of the number of ways to choose `k` of `n`; exact up to the logarithm if a float holds the number.
fn log_combination(n: i64, k: i64) -> f64 {
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    let fewer = k.min(n.wrapping_sub(k));
    if n >= 0 && fewer >= 0 {
        // Every prefix of the product is a binomial coefficient, and larger than the one before.
        let mut ways: u128 = 1;
        for i in 1..=fewer as u128 {
            ways = ways * (n as u128 - fewer as u128 + i) / i;
            if ways > EXACT {
                break;
            }
        }
        if ways <= EXACT {
            return (ways as f64).ln();
        }
    }
    let (n, k) = (n as f64, k as f64);
    log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_factorials() {
        let mut factorial = 0.0f64;
        for n in 1..60u32 {
            factorial += f64::from(n).ln();
            let found = log_gamma(f64::from(n) + 1.0);
            assert!((found - factorial).abs() <= 1e-13 * factorial.max(1.0), "{n}: {found} {factorial}");
        }
        let half = std::f64::consts::PI.sqrt().ln();
        assert!(
            (log_gamma(0.5) - half).abs() < 1e-14
                && (log_gamma(0.25) - 1.288_022_524_698_077_4).abs() < 1e-13
        );
        assert_eq!(log_gamma(0.0), f64::INFINITY);
        assert_eq!((log_gamma(3.0), log_combination(4, 2)), (2f64.ln(), 6f64.ln()));
        assert_eq!((log_combination(5, 0), log_combination(5, 6)), (0.0, f64::NEG_INFINITY));
        // The sum of the logarithms of the factors.
        let steps: f64 = (1..=500).map(|i| (f64::from(500 + i) / f64::from(i)).ln()).sum();
        assert!((log_combination(1000, 500) - steps).abs() < 1e-9);
    }

    #[test]
    fn division_truncates_and_wraps() {
        let int = |builtin, a, b| match integers(builtin, a, b) {
            Some(Ok(Value::Int(value))) => Some(value),
            _ => None,
        };
        assert_eq!((int(Builtin::Divi, -7, 2), int(Builtin::Modi, -7, 2)), (Some(-3), Some(-1)));
        assert_eq!(int(Builtin::Divi, i64::MIN, -1), Some(i64::MIN));
        assert_eq!((int(Builtin::Divi, 1, 0), int(Builtin::Modi, 1, 0)), (None, None));
        assert_eq!((int(Builtin::Slli, 1, 64), int(Builtin::Srai, -1, 99)), (Some(0), Some(-1)));
        assert_eq!(int(Builtin::Srli, -1, 63), Some(1));
    }
}
