//! Probability distributions: the externals of `ext/dist-ext.mc`.
//!
//! Samples come from the machine's generator, so that `externalSetSeed` and `randSetSeed` repeat all of them. Sampling is exact
//! up to rounding: gamma by Marsaglia and Tsang (2000), binomial by order statistics (Devroye 1986, X.4.3) in time logarithmic in
//! the number of trials, and the others by these two and inversion. Parameters that no distribution has are run-time errors; the
//! logarithm of a density of zero is minus infinity.

use crate::builtins::Builtin;

use super::super::machine::Machine;
use super::super::value::Value;
use super::numbers::log_gamma;
use super::{Stop, Taken};

/// Runs an external of distributions; returns `None` for other built-ins.
pub(super) fn run(
    machine: &mut Machine<'_>,
    builtin: Builtin,
    arguments: &mut Taken,
) -> Result<Option<Value>, Stop> {
    let value = match builtin {
        Builtin::ExternalGammaLogPdf => {
            let (x, shape, scale) = (arguments.float()?, arguments.float()?, arguments.float()?);
            Value::Float(gamma_log_pdf(x, shape, scale))
        }
        Builtin::ExternalGammaSample => {
            let (shape, scale) = (positive(arguments, "shape")?, positive(arguments, "scale")?);
            Value::Float(scale * gamma(machine, shape))
        }
        Builtin::ExternalBinomialLogPmf => {
            let (x, p, n) = (arguments.int()?, arguments.float()?, arguments.int()?);
            Value::Float(binomial_log_pmf(x, p, n))
        }
        Builtin::ExternalBinomialSample => {
            let (p, n) = (probability(arguments)?, trials(arguments)?);
            Value::Int(binomial(machine, n, p))
        }
        Builtin::ExternalBetaLogPdf => {
            let (x, a, b) = (arguments.float()?, arguments.float()?, arguments.float()?);
            Value::Float(dirichlet_log_pdf(&[x, 1.0 - x], &[a, b]))
        }
        Builtin::ExternalBetaSample => {
            let (a, b) = (positive(arguments, "a")?, positive(arguments, "b")?);
            Value::Float(beta(machine, a, b))
        }
        Builtin::ExternalGaussianLogPdf => {
            let (x, mean, deviation) = (arguments.float()?, arguments.float()?, arguments.float()?);
            Value::Float(gaussian_log_pdf(x, mean, deviation))
        }
        Builtin::ExternalGaussianSample => {
            let (mean, deviation) = (arguments.float()?, arguments.float()?);
            Value::Float(mean + deviation * gaussian(machine))
        }
        Builtin::ExternalMultinomialLogPmf => {
            let (counts, ps) = (arguments.ints()?, floats(arguments)?);
            Value::Float(multinomial_log_pmf(&counts, &ps)?)
        }
        Builtin::ExternalMultinomialSample => {
            let (n, ps) = (trials(arguments)?, floats(arguments)?);
            Value::Seq(multinomial(machine, n, &ps)?.into_iter().map(Value::Int).collect())
        }
        Builtin::ExternalCategoricalSample => {
            let counts = multinomial(machine, 1, &floats(arguments)?)?;
            let chosen = counts.iter().position(|count| *count == 1);
            Value::Int(chosen.ok_or_else(|| Stop::Fault(NO_CHOICE.to_string()))? as i64)
        }
        Builtin::ExternalDirichletLogPdf => {
            let (xs, alpha) = (floats(arguments)?, floats(arguments)?);
            same_length(xs.len(), alpha.len())?;
            Value::Float(dirichlet_log_pdf(&xs, &alpha))
        }
        Builtin::ExternalDirichletSample => {
            let alpha = floats(arguments)?;
            if alpha.iter().any(|a| !is_positive(*a)) {
                return Err(refused("a Dirichlet distribution", "positive numbers", &format!("{alpha:?}")));
            }
            let parts: Vec<f64> = alpha.iter().map(|a| gamma(machine, *a)).collect();
            let total: f64 = parts.iter().sum();
            Value::Seq(parts.into_iter().map(|part| Value::Float(part / total)).collect())
        }
        Builtin::ExternalUniformContinuousSample => {
            let (low, high) = (arguments.float()?, arguments.float()?);
            Value::Float(low + (high - low) * unit(machine))
        }
        Builtin::ExternalUniformDiscreteSample => {
            let (low, high) = (arguments.int()?, arguments.int()?);
            Value::Int(between(machine, low, high)?)
        }
        Builtin::ExternalExponentialSample => {
            let rate = positive(arguments, "rate")?;
            Value::Float(-unit(machine).ln() / rate)
        }
        Builtin::ExternalLomaxLogPdf => {
            let (x, shape, scale) = (arguments.float()?, arguments.float()?, arguments.float()?);
            Value::Float(lomax_log_pdf(x, shape, scale))
        }
        Builtin::ExternalLomaxSample => {
            let (shape, scale) = (positive(arguments, "shape")?, positive(arguments, "scale")?);
            Value::Float(scale * (unit(machine).powf(-1.0 / shape) - 1.0))
        }
        Builtin::ExternalSetSeed | Builtin::RandSetSeed => {
            machine.random = arguments.int()? as u64;
            Value::Unit
        }
        Builtin::RandIntU => {
            let (low, high) = (arguments.int()?, arguments.int()?);
            if high <= low {
                return Err(Stop::Fault(format!("there is no integer from {low} up to but not {high}")));
            }
            Value::Int(between(machine, low, high - 1)?)
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Error message if nothing can be chosen.
const NO_CHOICE: &str = "nothing can be chosen where no probability is positive";

// Arguments

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn refused(what: &str, wanted: &str, found: &str) -> Stop {
    Stop::Fault(format!("{what} takes {wanted}, not {found}"))
}

fn positive(arguments: &mut Taken, name: &str) -> Result<f64, Stop> {
    let x = arguments.float()?;
    if is_positive(x) {
        Ok(x)
    } else {
        Err(refused(&format!("the parameter `{name}`"), "a positive number", &x.to_string()))
    }
}

fn probability(arguments: &mut Taken) -> Result<f64, Stop> {
    let p = arguments.float()?;
    if (0.0..=1.0).contains(&p) {
        Ok(p)
    } else {
        Err(refused("a probability", "a number from 0 to 1", &p.to_string()))
    }
}

fn trials(arguments: &mut Taken) -> Result<i64, Stop> {
    let n = arguments.int()?;
    if n >= 0 { Ok(n) } else { Err(refused("a number of trials", "no negative number", &n.to_string())) }
}

fn floats(arguments: &mut Taken) -> Result<Vec<f64>, Stop> {
    let seq = arguments.seq()?;
    let float = |value: Value| match value {
        Value::Float(value) => Ok(value),
        _ => Err(arguments.wrong()),
    };
    seq.iter().map(float).collect()
}

fn same_length(left: usize, right: usize) -> Result<(), Stop> {
    let unequal = || Stop::Fault(format!("sequences of equal length are wanted, not of {left} and {right}"));
    if left == right { Ok(()) } else { Err(unequal()) }
}

// Samples

/// Returns the next number of a SplitMix64 generator.
fn next(machine: &mut Machine<'_>) -> u64 {
    machine.random = machine.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = machine.random;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a number above 0 and below 1.
fn unit(machine: &mut Machine<'_>) -> f64 {
    ((next(machine) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Returns an integer between two bounds, both included.
fn between(machine: &mut Machine<'_>, low: i64, high: i64) -> Result<i64, Stop> {
    if high < low {
        return Err(Stop::Fault(format!("there is no integer from {low} to {high}")));
    }
    let width = u128::from(high.wrapping_sub(low) as u64) + 1;
    let scaled = (u128::from(next(machine)) * width) >> 64;
    Ok(low.wrapping_add(scaled as i64))
}

/// Samples the standard normal distribution (Box and Muller).
fn gaussian(machine: &mut Machine<'_>) -> f64 {
    let (radius, angle) = (unit(machine), unit(machine));
    (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).cos()
}

/// Samples the gamma distribution of scale 1.
fn gamma(machine: &mut Machine<'_>, shape: f64) -> f64 {
    if shape < 1.0 {
        let boost = unit(machine).powf(1.0 / shape);
        return gamma(machine, shape + 1.0) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = gaussian(machine);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && unit(machine).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

fn beta(machine: &mut Machine<'_>, a: f64, b: f64) -> f64 {
    let (x, y) = (gamma(machine, a), gamma(machine, b));
    x / (x + y)
}

/// Samples the number of successes in `n` trials: the middle order statistic halves the trials until few are left.
fn binomial(machine: &mut Machine<'_>, mut n: i64, mut p: f64) -> i64 {
    const FEW: i64 = 16;
    let mut successes = 0;
    while n > FEW {
        let middle = n / 2 + 1;
        let y = beta(machine, middle as f64, (n + 1 - middle) as f64);
        if y <= p {
            successes += middle;
            n -= middle;
            p = ((p - y) / (1.0 - y)).clamp(0.0, 1.0);
        } else {
            n = middle - 1;
            p = (p / y).clamp(0.0, 1.0);
        }
    }
    successes + (0..n).filter(|_| unit(machine) < p).count() as i64
}

/// Samples the number of occurrences of several events; their probabilities are relative to the sum.
fn multinomial(machine: &mut Machine<'_>, n: i64, ps: &[f64]) -> Result<Vec<i64>, Stop> {
    if ps.iter().any(|p| !(*p >= 0.0 && p.is_finite())) {
        return Err(refused("a choice", "probabilities that are not negative", &format!("{ps:?}")));
    }
    let mut rest: f64 = ps.iter().sum();
    if n > 0 && rest <= 0.0 {
        return Err(Stop::Fault(NO_CHOICE.to_string()));
    }
    let last = ps.iter().rposition(|p| *p > 0.0);
    let mut left = n;
    let mut counts = vec![0; ps.len()];
    for (index, p) in ps.iter().enumerate() {
        // The last possible event gets all remaining trials, in spite of rounding.
        let share = if Some(index) == last { 1.0 } else { (p / rest).clamp(0.0, 1.0) };
        counts[index] = if *p > 0.0 { binomial(machine, left, share) } else { 0 };
        left -= counts[index];
        rest -= p;
    }
    Ok(counts)
}

// Logarithms of densities

fn gamma_log_pdf(x: f64, shape: f64, scale: f64) -> f64 {
    if x < 0.0 {
        return f64::NEG_INFINITY;
    }
    times_log(shape - 1.0, x) - x / scale - log_gamma(shape) - shape * scale.ln()
}

fn gaussian_log_pdf(x: f64, mean: f64, deviation: f64) -> f64 {
    let z = (x - mean) / deviation;
    -0.5 * z * z - deviation.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln()
}

fn binomial_log_pmf(x: i64, p: f64, n: i64) -> f64 {
    if x < 0 || x > n {
        return f64::NEG_INFINITY;
    }
    let (x, rest) = (x as f64, (n - x) as f64);
    let ways = log_gamma(n as f64 + 1.0) - log_gamma(x + 1.0) - log_gamma(rest + 1.0);
    ways + times_log(x, p) + times_log(rest, 1.0 - p)
}

fn multinomial_log_pmf(counts: &[i64], ps: &[f64]) -> Result<f64, Stop> {
    same_length(counts.len(), ps.len())?;
    if counts.iter().any(|count| *count < 0) {
        return Ok(f64::NEG_INFINITY);
    }
    let n: f64 = counts.iter().map(|count| *count as f64).sum();
    let term = |(count, p): (&i64, &f64)| times_log(*count as f64, *p) - log_gamma(*count as f64 + 1.0);
    Ok(log_gamma(n + 1.0) + counts.iter().zip(ps).map(term).sum::<f64>())
}

fn dirichlet_log_pdf(xs: &[f64], alpha: &[f64]) -> f64 {
    if xs.iter().any(|x| !(0.0..=1.0).contains(x)) {
        return f64::NEG_INFINITY;
    }
    let term = |(x, a): (&f64, &f64)| times_log(a - 1.0, *x) - log_gamma(*a);
    log_gamma(alpha.iter().sum()) + xs.iter().zip(alpha).map(term).sum::<f64>()
}

fn lomax_log_pdf(x: f64, shape: f64, scale: f64) -> f64 {
    if x < 0.0 {
        return f64::NEG_INFINITY;
    }
    shape.ln() - scale.ln() - (shape + 1.0) * (x / scale).ln_1p()
}

/// Returns `a log x`; 0 if `a` is 0, even for `log 0`.
fn times_log(a: f64, x: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * x.ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    #[test]
    fn densities() {
        close(gamma_log_pdf(1.0, 2.0, 3.0), -1.0 / 3.0 - 9f64.ln());
        close(binomial_log_pmf(15, 0.7, 20), (15_504.0 * 0.7f64.powi(15) * 0.3f64.powi(5)).ln());
        close(dirichlet_log_pdf(&[0.2, 0.8], &[2.0, 5.0]), 2.4576f64.ln());
        close(gaussian_log_pdf(2.0, 2.0, 1.0), -0.5 * (2.0 * std::f64::consts::PI).ln());
        close(multinomial_log_pmf(&[0, 2, 3], &[0.1, 0.3, 0.6]).unwrap(), 0.1944f64.ln());
        close(lomax_log_pdf(1.0, 2.0, 3.0), (2.0f64 / 3.0).ln() - 3.0 * (4.0f64 / 3.0).ln());
    }

    #[test]
    fn borders() {
        assert_eq!(binomial_log_pmf(0, 0.0, 3), 0.0);
        assert_eq!(binomial_log_pmf(4, 0.5, 3), f64::NEG_INFINITY);
        assert_eq!(gamma_log_pdf(-1.0, 1.0, 1.0), f64::NEG_INFINITY);
        assert_eq!(gamma_log_pdf(0.0, 1.0, 1.0), 0.0);
        assert_eq!(dirichlet_log_pdf(&[1.5, -0.5], &[2.0, 2.0]), f64::NEG_INFINITY);
        assert!(multinomial_log_pmf(&[1], &[]).is_err());
    }
}
