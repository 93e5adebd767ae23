//! A program in the array language, called from Rust: `cargo run --release --example prices`.
//!
//! The entry points of `prices.fut` are Rust functions here, and its records and sum types are structs and enums.

use std::error::Error;

use warpwise::{Array, Context, Matrix, Vector};

warpwise::include_fut!("examples/prices.fut");

/// Compares with plain Rust.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let prices: Vector<f64> = vec![10.0, 14.0, 12.0, 20.0].into();
    assert_eq!(stats(context, &prices)?, Stats { count: 4, mean: 14.0, spread: 14_f64.sqrt() });

    let days: Matrix<f64> = Array::from_vec([3, 2], vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0])?;
    let (numbers, changes) = changes(context, &days)?;
    assert_eq!(numbers.to_vec(), [0, 1]);
    assert_eq!((changes.extents(), changes.to_vec()), ([2, 2], vec![3.0, 6.0, 12.0, 24.0]));

    assert_eq!(trend(context, &prices)?, Trend::Up(10.0));
    assert_eq!(trend(context, &Vec::new().into())?, Trend::Flat);
    assert_eq!(follow(context, 5.0, 3, &Trend::Down(1.0))?.to_vec(), [5.0, 4.0, 3.0]);
    assert!(follow(context, 5.0, 0, &Trend::Flat)?.is_empty());

    assert_eq!(correct(context, prices.clone(), 1, 0.5)?.to_vec(), [10.0, 0.5, 12.0, 20.0]);
    assert_eq!(prices.to_vec()[1], 14.0, "somebody else still holds it");

    let trades = vec![Trade { price: 2.5, count: 4 }, Trade { price: 1.0, count: 3 }];
    let trades: Vector<Trade> = trades.into();
    assert_eq!(total(context, &trades)?, 13.0);
    let (prices, counts) = split(context, &trades)?;
    assert_eq!((prices.to_vec(), counts.to_vec()), (vec![2.5, 1.0], vec![4, 3]));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = Context::new()?;
    check(&context)?;
    let prices: Vector<f64> = (0..1_000_000).map(|day| f64::from(day % 365)).collect::<Vec<_>>().into();
    println!("{:?}, {:?}", stats(&context, &prices)?, trend(&context, &prices)?);
    Ok(())
}
