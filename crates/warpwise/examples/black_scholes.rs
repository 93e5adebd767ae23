//! European options by the formula of Black and Scholes: `cargo run --release --example black_scholes [COUNT]`.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector, cond};

const RISK_FREE: f32 = 0.02;
const VOLATILITY: f32 = 0.30;

/// Computes the cumulative normal distribution, by Hastings' polynomial (Abramowitz and Stegun, 26.2.17).
fn normal(d: Exp<f32>) -> Exp<f32> {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let coefficients = [1.330_274_4, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_54];
    let polynomial = coefficients.into_iter().fold(Exp::constant(0.0_f32), |sum, c| (sum + c) * k);
    let tail = 0.398_942_3 * (-0.5 * d * d).exp() * polynomial;
    cond(d.gt(0.0), 1.0 - tail, tail)
}

/// Computes the prices of a call and a put, from the stock price, the strike price and the years to maturity.
pub(crate) fn prices(options: &Acc<Vector<(f32, f32, f32)>>) -> Acc<Vector<(f32, f32)>> {
    options.map(|(price, strike, years)| {
        let root = years.sqrt();
        let growth = (price / strike).ln() + (RISK_FREE + 0.5 * VOLATILITY * VOLATILITY) * years;
        let d1 = growth / (VOLATILITY * root);
        let d2 = d1 - VOLATILITY * root;
        let discounted = strike * (-RISK_FREE * years).exp();
        let (n1, n2) = (normal(d1), normal(d2));
        (price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1))
    })
}

fn options(count: usize) -> Vec<(f32, f32, f32)> {
    let spread = |i: usize, factor: usize| ((i * factor) % 1000) as f32 / 1000.0;
    (0..count)
        .map(|i| (5.0 + 25.0 * spread(i, 7), 1.0 + 99.0 * spread(i, 13), 0.25 + 9.75 * spread(i, 29)))
        .collect()
}

/// Checks that a call minus a put is the stock minus the discounted strike price.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(|xs: Acc<Vector<(f32, f32, f32)>>| prices(&xs))?;
    for count in [0, 1, 1000] {
        let options = options(count);
        let found = function.run(&Array::from_vec([count], options.clone())?)?.to_vec();
        for ((price, strike, years), (call, put)) in options.into_iter().zip(found) {
            let expected = price - strike * (-RISK_FREE * years).exp();
            assert!((call - put - expected).abs() < 1e-4 * strike, "{call} - {put} is not {expected}");
            assert!(call >= -1e-3 && put >= -1e-3);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function = context.compile(|xs: Acc<Vector<(f32, f32, f32)>>| prices(&xs))?;
    let options = Array::from_vec([count], options(count))?;
    function.run(&options)?;
    let start = Instant::now();
    function.run(&options)?;
    println!("{count} options in {:?}", start.elapsed());
    Ok(())
}
