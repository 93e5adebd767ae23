//! The embedding on the CPU and on the reference interpreter, compared with plain Rust.

mod cancelled;
mod control;
mod deep;
mod documented;
mod elements;
mod examples;
mod exported;
mod failures;
mod features;
mod folds;
mod foreign;
mod foreign_device;
mod included;
mod memory;
mod opencl;
mod operators;
mod options;
mod properties;
mod sharing;
mod sorting;

use warpwise::{Acc, Context, Error, Function, Output, Vector};

/// Returns the device under test and the reference.
fn contexts() -> [Context; 2] {
    // Otherwise every build of the tests would leave its programs in the user's cache.
    [Context::cpu().unwrap().with_cache(None), Context::interpreter()]
}

/// Types that threads share are `Send` and `Sync`.
#[test]
fn contexts_and_functions_are_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Context>();
    is_shared::<Function<(Acc<Vector<f32>>,), Acc<Vector<f32>>>>();
    is_shared::<Vector<f32>>();
    is_shared::<Error>();
}

/// Computes on every device, and checks that the results are the same.
fn run<O: Output<Host: PartialEq + std::fmt::Debug>>(computation: &O) -> O::Host {
    let [first, second] = contexts().map(|context| context.run(computation).unwrap());
    assert_eq!(first, second);
    first
}
