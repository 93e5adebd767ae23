//! Random arrays, including empty ones, compared with sequential references, for all scalar types.
//!
//! Every property compiles its program once per device and runs it on many arrays. Floats have small integer values, so that sums
//! are exact in any order.

mod elementwise;
mod moves;
mod numbers;
mod rows;
mod segments;
mod stencils;
mod types;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use warpwise::{Context, Scalar};

use crate::contexts;

/// Returns the devices that all properties are tested on: the processor, the interpreter, and the processor through OpenCL.
fn devices() -> Vec<Context> {
    let [cpu, interpreter] = contexts();
    vec![cpu, interpreter, Context::opencl(0).unwrap()]
}

/// Returns the devices that a property of many types is tested on. OpenCL's driver takes seconds per program, so most types are
/// tested on it only by `make test-all`, which sets `WARPWISE_TESTS=all`.
fn devices_for<T: Scalar>() -> Vec<Context> {
    let often = std::any::type_name::<T>() == "u8";
    match often || std::env::var_os("WARPWISE_TESTS").is_some_and(|value| value == "all") {
        true => devices(),
        false => contexts().into(),
    }
}

/// Checks a property on random values.
fn check<S: Strategy>(strategy: S, property: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config { cases: 20, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

/// Generates vectors of small integers.
fn small() -> impl Strategy<Value = Vec<i64>> {
    let sizes = prop_oneof![0..4_usize, 0..100_usize, 600..1100_usize];
    sizes.prop_flat_map(|n| prop::collection::vec(-9..10_i64, n))
}

/// Generates matrices of small integers, by rows.
fn matrix() -> impl Strategy<Value = ((usize, usize), Vec<i64>)> {
    let sizes =
        prop_oneof![(0..4_usize, 0..4_usize), (0..40_usize, 0..40_usize), (0..4_usize, 100..300_usize)];
    sizes.prop_flat_map(|(n, m)| (Just((n, m)), prop::collection::vec(-9..10_i64, n * m)))
}
