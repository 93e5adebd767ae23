//! Failures are errors that name their place.

use warpwise::{Acc, Array, Boundary, Error, Exp, Parts, Vector, awhile, enum_from, fill, generate, use_};

use crate::contexts;

/// Returns the error of a run, which must be the same on every device.
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
    assert_fails(&xs.reshape((2, 2)), "a reshape of 3 elements to 4");
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
fn dimensions_that_there_are_not_are_errors() {
    let (xs, table) = (enum_from(3, 1_i32), enum_from((2, 3), 1_i32));
    let one = "there is no dimension 1: the array has one dimension";
    assert_fails(&xs.reverse_on(1), one);
    assert_fails(&xs.take_on(1, 2), one);
    assert_fails(&xs.skip_on(1, 2), one);
    assert_fails(&xs.init_on(1), one);
    assert_fails(&xs.tail_on(1), one);
    assert_fails(&xs.slit_on(1, 0, 1), one);
    assert_fails(&xs.concat_on(1, &xs), one);
    assert_fails(&table.transpose_on(0, 9), "there is no dimension 9: the array has 2 dimensions");
    assert_fails(
        &table.transpose_on(2, 0).map(|x| x + 1),
        "there is no dimension 2: the array has 2 dimensions",
    );
    assert_fails(&table.reverse_on(usize::MAX), "the array has 2 dimensions");
    assert_fails(&table.concat_on(5, &table).sum(), "there is no dimension 5: the array has 2 dimensions");
}

#[test]
fn extents_that_must_be_equal_are_checked() {
    let (two, three) = (enum_from(2, 1_i32), enum_from(3, 1_i32));
    let (square, wide) = (enum_from((2, 2), 1_i32), enum_from((2, 3), 1_i32));
    let message = |n: usize, m: usize| format!("the extents {n} and {m} must be equal");
    assert_fails(&wide.matmul(&square), &message(3, 2));
    assert_fails(&wide.take_on(0, 0).matmul(&square), &message(3, 2));
    assert_fails(&wide.matvec(&two), &message(3, 2));
    assert_fails(&two.dot(&three), &message(2, 3));
    assert_fails(&wide.concat(&wide.transpose()), &message(2, 3));
    assert_fails(&wide.concat_on(0, &square), &message(3, 2));
    let cubes = enum_from((2, 3, 4), 1_i32);
    assert_fails(&cubes.concat_on(1, &enum_from((2, 9, 5), 1_i32)), &message(4, 5));
    let product = |n: Exp<i64>| enum_from((2, n), 1_i32).matmul(&enum_from((3, 2), 1_i32));
    for context in contexts() {
        let function = context.compile(product).unwrap();
        assert_eq!(function.run(3).unwrap().to_vec(), [22, 28, 49, 64]);
        let error = function.run(4).unwrap_err().to_string();
        assert!(error.contains("failures.rs:") && error.ends_with(&message(4, 3)), "{error}");
        let sums = context.compile(|xs: Acc<Vector<i32>>, ys: Acc<Vector<i32>>| xs.dot(&ys)).unwrap();
        assert_eq!(sums.run(&Vec::new().into(), &Vec::new().into()).unwrap()[[]], 0);
        assert!(sums.run(&Vec::new().into(), &vec![1].into()).is_err());
    }
}

#[test]
fn stencils_without_a_middle_are_errors() {
    let (xs, table) = (enum_from(4, 1_i32), enum_from((2, 3), 1_i32));
    let cubes = enum_from((2, 2, 2), 1_i32);
    let message =
        |even: usize| format!("a stencil has an odd number of elements in every dimension, not {even}");
    assert_fails(&xs.stencil(Boundary::Clamp, |[x, y]| x + y), &message(2));
    assert_fails(&xs.stencil(Boundary::Clamp, |[]: [_; 0]| Exp::constant(1)), &message(0));
    assert_fails(&xs.stencil2(Boundary::Wrap, &xs, Boundary::Wrap, |[x], [y, _, _, _]| x + y), &message(4));
    assert_fails(&table.stencil(Boundary::Clamp, |[[x, y, z], [_, _, _]]| x + y + z), &message(2));
    assert_fails(
        &table.stencil2(Boundary::Clamp, &table, Boundary::Mirror, |[[x]], [[y, _]]| x + y),
        &message(2),
    );
    assert_fails(&cubes.stencil(Boundary::Clamp, |[[[x, _]]]: [[[_; 2]; 1]; 1]| x), &message(2));
    assert_fails(
        &cubes.stencil2(
            Boundary::Clamp,
            &cubes,
            Boundary::Clamp,
            |[[[x]]], [[[y]], [[_]]]: [[[_; 1]; 1]; 2]| x + y,
        ),
        &message(2),
    );
}

#[test]
fn code_points_of_no_character_are_errors() {
    let codes = [0_u32, 97, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0x10_ffff, 0x11_0000, u32::MAX];
    for code in codes {
        let made = Exp::<char>::from_code(Exp::constant(code));
        match char::from_u32(code) {
            Some(character) => assert_eq!(crate::run(&made), character),
            None => assert_fails(&made, &format!("no character has the code point {code}")),
        }
    }
    let codes = use_(&Array::from_vec([3], vec![97_u32, 0xdabc, 0xffff_ffff]).unwrap());
    assert_fails(&codes.map(|code| Exp::<char>::from_code(code)), "no character has the code point 55996");
    assert_eq!(crate::run(&codes.take(1).map(|code| Exp::<char>::from_code(code))).to_vec(), ['a']);
}

#[test]
fn too_much_is_an_error() {
    let huge = fill((1_i64 << 40, 1_i64 << 40), 1_u8);
    assert!(matches!(warpwise::Context::cpu().unwrap().run(&huge), Err(Error::OutOfMemory(_))));
    let wrong = Array::from_vec([usize::MAX, 2], vec![1]);
    assert_eq!(wrong.unwrap_err(), Error::TooLarge);
}

#[test]
fn extents_beyond_all_memory_are_errors_also_within_programs() {
    let count = use_(&Array::from_vec([2], vec![1_i64 << 62, 1 << 40]).unwrap());
    let sizes = count.reader();
    for extents in [(sizes.at(0), sizes.at(0)), (sizes.at(1), sizes.at(0)), (sizes.at(1), sizes.at(1))] {
        let huge = fill(extents, 1.0_f64).compute();
        let total = huge.map(|x| x + 1.0).compute().reverse().sum();
        let error = warpwise::Context::cpu().unwrap().with_cache(None).run(&total).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory(_)), "{error:?}");
    }
}

/// Only compiled code avoids making the arrays whose sizes are requested.
#[test]
fn sizes_beyond_64_bits_are_errors_that_name_them() {
    let context = warpwise::Context::cpu().unwrap().with_cache(None);
    let numbers = vec![i64::MAX, 6_148_914_691_236_517_206, 3, 1 << 32];
    let sizes = use_(&Array::from_vec([4], numbers).unwrap()).reader();
    let [most, third, three, wide] = [0_i64, 1, 2, 3].map(|at| sizes.at(at));
    let fails = |size: Exp<i64>, message: &str| {
        let found = context.run(&size).unwrap_err().to_string();
        assert!(found.contains("failures.rs:") && found.ends_with(message), "{found}");
    };
    let joined = enum_from(most, 0_i64).concat(&enum_from(5_i64, 0_i64));
    fails(joined.size(), "Size 9223372036854775807 + 5 does not fit in 64 bits");
    let flat = fill((wide, wide), 1_u8).flatten();
    fails(flat.size(), "The number of elements of shape [4294967296][4294967296] does not fit in 64 bits");
    let two = use_(&Array::from_vec([2], vec![11_i64, 22]).unwrap());
    let matrix = two.reshape((third, three)).reader();
    let far = generate(4_i64, move |i| matrix.at((i * 1000, 0))).sum().the();
    fails(far, "The number of elements of shape [6148914691236517206][3] does not fit in 64 bits");
    let none = fill((wide, wide, 0_i64), 1_u8).reshape((0_i64, 7_i64));
    assert_eq!(context.run(&none.size()).unwrap(), 0);
}

#[test]
fn segments_end_where_their_array_does_however_long_they_are() {
    let two = use_(&Array::from_vec([2], vec![11_i64, 22]).unwrap());
    let lengths = use_(&Array::from_vec([2], vec![1, i64::MAX]).unwrap());
    let message = "a segment beyond the array (start, length, extent): 1 9223372036854775807 2";
    assert_fails(&two.fold_segments(0_i64, &lengths, |x, y| x + y), message);
    // The sum of the lengths is 2 modulo 2^64.
    let lengths = use_(&Array::from_vec([5], vec![1_i64 << 62, 1 << 62, 1 << 62, 1 << 62, 2]).unwrap());
    let sums = Parts::segments(&two, &lengths).map(|part| part.sum()).elements();
    assert_fails(&sums, "segments that are not the whole vector: 2 2");
}

#[test]
fn functions_and_results_outlive_their_context() {
    for context in contexts() {
        let function = context.compile(|xs: Acc<Vector<i64>>| xs.map(|x| x * 2)).unwrap();
        let xs = context.run(&enum_from(1000, 0_i64)).unwrap();
        drop(context);
        let doubled = function.run(&xs).unwrap();
        drop((function, xs));
        assert_eq!(doubled.to_vec(), (0..1000).map(|x| x * 2).collect::<Vec<i64>>());
    }
}

/// Signals wake waiting threads, which must not mistake that for the end of their work.
#[cfg(unix)]
#[test]
fn signals_change_nothing() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing; system calls that it interrupts are not restarted.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()), 0);
    }
    let context = warpwise::Context::cpu_with_threads(4).unwrap().with_cache(None);
    let function = context.compile(|xs: Acc<Vector<i64>>| xs.map(|x| x * x).scan(0, |x, y| x + y)).unwrap();
    let xs = Array::from_vec([200_000], (0..200_000_i64).collect()).unwrap();
    let expected = function.run(&xs).unwrap().to_vec();
    let (function, xs, expected) = (&function, &xs, &expected);
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let worker = scope.spawn(move || {
            // SAFETY: returns the thread's own handle.
            sender.send(unsafe { libc::pthread_self() }).unwrap();
            (0..200).all(|_| function.run(xs).unwrap().to_vec() == *expected)
        });
        let thread = receiver.recv().unwrap();
        while !worker.is_finished() {
            // SAFETY: the thread is not joined yet, so its handle is valid.
            unsafe { libc::pthread_kill(thread, libc::SIGUSR1) };
            std::thread::yield_now();
        }
        assert!(worker.join().unwrap());
    });
}
