//! The embedded language on the CPU and on the reference interpreter, compared with plain Rust.

mod control;
mod elements;
mod examples;
mod failures;
mod folds;
mod foreign;
mod properties;
mod sharing;

use warpwise::{Context, Output};

/// The device under test and the one everything is compared with.
fn contexts() -> [Context; 2] {
    [Context::cpu().unwrap(), Context::interpreter()]
}

/// Computes on every device, where the results must be the same.
fn run<O: Output<Host: PartialEq + std::fmt::Debug>>(computation: &O) -> O::Host {
    let [first, second] = contexts().map(|context| context.run(computation).unwrap());
    assert_eq!(first, second);
    first
}
