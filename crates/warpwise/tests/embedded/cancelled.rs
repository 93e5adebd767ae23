//! Runs that are cancelled from another thread.

use std::time::{Duration, Instant};

use warpwise::{Acc, Context, Error, Exp, Output, Vector, awhile, enum_from, generate, unit, while_};

use crate::contexts;

/// Runs an endless computation, cancels it, and checks how long it continued.
fn ends<O: Output>(context: &Context, computation: &O) {
    // Compiles first, so that compilation is not measured.
    context.cancel().cancel();
    assert!(matches!(context.run(computation), Err(Error::Interrupted)));
    context.cancel().reset();
    let cancel = context.cancel();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
        Instant::now()
    });
    assert!(matches!(context.run(computation), Err(Error::Interrupted)));
    let took = other.join().unwrap().elapsed();
    assert!(took < Duration::from_millis(200), "{context:?} took {took:?}");
    context.cancel().reset();
    assert_eq!(context.run(&enum_from(4, 1).sum()).unwrap().to_vec(), [10]);
}

fn next(x: Exp<i64>) -> Exp<i64> {
    (x * 3 + 1) % 1_000_003
}

#[test]
fn loops_of_arrays_end() {
    let endless = awhile(&unit(1_i64), |x| x.the().ge(0), |x| x.map(next));
    contexts().iter().for_each(|context| ends(context, &endless));
}

#[test]
fn loops_inside_of_elements_end() {
    let endless = enum_from(1000, 1_i64).map(|x| while_(x, |x| x.ge(0), next));
    contexts().iter().for_each(|context| ends(context, &endless));
}

#[test]
fn a_reduction_that_takes_minutes_ends() {
    let long = generate(1_i64 << 38, |i| (i.cast::<f64>() + 0.5).sqrt()).sum();
    ends(&Context::cpu().unwrap(), &long);
}

#[test]
fn contexts_that_were_made_from_one_another_are_cancelled_together() {
    let context = Context::cpu().unwrap();
    let limited = context.with_memory_limit(1 << 24);
    context.cancel().cancel();
    let numbers: Acc<Vector<i64>> = enum_from(10, 1_i64);
    assert_eq!(limited.run(&numbers).unwrap_err(), Error::Interrupted);
    limited.cancel().reset();
    assert_eq!(context.run(&numbers.sum()).unwrap().to_vec(), [55]);
}
