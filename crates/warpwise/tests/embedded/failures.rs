//! What goes wrong is an error that says where.

use warpwise::{Array, Error, Exp, awhile, enum_from, fill, generate, use_};

use crate::contexts;

/// The error of a run, the same on every device.
fn failure<O: warpwise::Output>(computation: &O) -> String {
    let [first, second] = contexts().map(|context| match context.run(computation) {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    });
    assert_eq!(first, second);
    assert!(first.contains("failures.rs:"), "no place in this file: {first}");
    first
}

fn assert_fails<O: warpwise::Output>(computation: &O, message: &str) {
    let found = failure(computation);
    assert!(found.ends_with(message), "{found}");
}

#[test]
fn checks_fail_while_running() {
    let xs = enum_from(3, 1_i32);
    assert_fails(&xs.at(3), "Index [3] out of bounds for array of shape [3]");
    assert_fails(&xs.reshape((3, 1)).at((0, -1)), "Index [0, -1] out of bounds for array of shape [3][1]");
    assert_fails(&xs.slice((5,)), "Index [5] out of bounds for array of shape [3]");
    assert_fails(&xs.map(|x| 3 / (x - 2)), "division by zero");
    assert_fails(&xs.map(|x| 3 % (x - 2)), "division by zero");
    assert_fails(&xs.map(|x| x.pow(x - 2)), "negative exponent");
    assert_fails(&xs.take(0).maximum(), "a fold of no elements without an initial value");
    assert_fails(&xs.reshape((2, 2)), "a reshape to another number of elements: 3 4");
    assert_fails(&fill(Exp::constant(-3_i64), 1), "a negative extent: -3");
    assert_fails(&fill(xs.size() - 4, 1), "a negative extent: -1");
    let offsets = use_(&Array::from_vec([3], vec![0_i64, 2, 4]).unwrap());
    let message = "a segment beyond the array (start, length, extent): 2 2 3";
    assert_fails(&xs.fold_segments_at(0, &offsets, |x, y| x + y), message);
    let lengths = use_(&Array::from_vec([2], vec![3_i64, 0]).unwrap());
    let message = "a fold of no elements without an initial value";
    assert_fails(&xs.fold1_segments(&lengths, |x, y| x.max(y)), message);
}

#[test]
fn what_types_do_not_show_is_found_when_the_program_is_made() {
    let xs = enum_from(3, 1_i32);
    let nested = xs.map(|x| generate(x.cast::<i64>(), |i| i).sum().the());
    assert_fails(
        &nested,
        "a variable of a function is used outside of it, or by an operation on arrays within it",
    );
    assert_fails(&Exp::constant(1_i64).bitcast::<i32>(), "no such conversion");
    let escaped = std::cell::Cell::new(None);
    let keep = |size: Exp<i64>| escaped.set(Some(size));
    let _ = awhile(
        &xs,
        |xs| {
            keep(xs.size());
            xs.size().gt(4)
        },
        |xs| xs,
    );
    let error = contexts().map(|context| context.run(&escaped.get().unwrap()).unwrap_err().to_string());
    assert!(error.iter().all(|error| error.contains("an expression is used outside of the function")));
}

#[test]
fn too_much_is_an_error() {
    let huge = fill((1_i64 << 40, 1_i64 << 40), 1_u8);
    assert!(matches!(warpwise::Context::cpu().unwrap().run(&huge), Err(Error::OutOfMemory(_))));
    let wrong = Array::from_vec([usize::MAX, 2], vec![1]);
    assert_eq!(wrong.unwrap_err(), Error::TooLarge);
}
