//! Foreign functions: called where possible, replaced by their fallbacks elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpwise::{Acc, Array, Context, DeviceKind, Error, Singleton, Vector, awhile, foreign, unit};

type Sum = Acc<Singleton<i64>>;

/// Sums a vector, by a foreign function that counts its calls and records the address of its argument.
fn sum(xs: &Acc<Vector<i64>>, calls: &Arc<AtomicUsize>, place: &Arc<AtomicUsize>, device: DeviceKind) -> Sum {
    let (calls, place) = (Arc::clone(calls), Arc::clone(place));
    let native = move |xs: Vector<i64>| {
        calls.fetch_add(1, Ordering::Relaxed);
        place.store(xs.as_slice().as_ptr() as usize, Ordering::Relaxed);
        Ok(Array::from_vec([], vec![xs.as_slice().iter().sum()])?)
    };
    foreign(device, "sum", native, xs, |xs| xs.sum())
}

fn numbers(n: i64) -> Vector<i64> {
    (0..n).collect::<Vec<i64>>().into()
}

#[test]
fn the_native_function_is_called_without_copies_on_its_device_only() {
    let (calls, place) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let function = |xs: Acc<Vector<i64>>| sum(&xs, &calls, &place, DeviceKind::Cpu).map(|sum| sum + 1);
    let compiled = Context::cpu().unwrap().compile(function).unwrap();
    for n in [0, 1, 100] {
        let xs = numbers(n);
        assert_eq!(compiled.run(&xs).unwrap().to_vec(), [n * (n - 1) / 2 + 1]);
        assert_eq!(place.load(Ordering::Relaxed), xs.as_slice().as_ptr() as usize, "not copied");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let interpreted = Context::interpreter().compile(function).unwrap();
    assert_eq!(interpreted.run(&numbers(100)).unwrap().to_vec(), [4951]);
    assert_eq!(calls.load(Ordering::Relaxed), 3, "the interpreter does what the language says");
}

#[test]
fn several_functions_depend_on_each_other_and_share_arguments() {
    let (calls, place) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let function = |xs: Acc<Vector<i64>>| {
        let doubled = xs.map(|x| x * 2);
        let total = sum(&doubled, &calls, &place, DeviceKind::Cpu).the();
        let moved = doubled.map(move |x| x + total);
        (sum(&moved, &calls, &place, DeviceKind::Cpu), doubled, moved)
    };
    for context in crate::contexts() {
        let (sum, doubled, moved) = context.compile(function).unwrap().run(&numbers(4)).unwrap();
        assert_eq!(doubled.to_vec(), [0, 2, 4, 6]);
        assert_eq!((moved.to_vec(), sum.to_vec()), (vec![12, 14, 16, 18], vec![60]));
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[test]
fn alternatives_cascade() {
    let (calls, place) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let function = |xs: Acc<Vector<i64>>| {
        let never = |_: Vector<i64>| Err("not on this device".into());
        foreign(DeviceKind::Interpreter, "never", never, &xs, |xs| sum(&xs, &calls, &place, DeviceKind::Cpu))
    };
    let context = Context::cpu().unwrap();
    assert_eq!(context.compile(function).unwrap().run(&numbers(5)).unwrap().to_vec(), [10]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let error = Context::interpreter().compile(function).unwrap().run(&numbers(5)).unwrap_err();
    assert_eq!(error, Error::Foreign("never: not on this device".to_string()));
}

#[test]
fn within_loops_the_language_takes_over() {
    let (calls, place) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let function = |xs: Acc<Vector<i64>>| {
        let (xs, _) = awhile(
            &(xs, unit(0_i64)),
            |(_, round)| round.the().lt(2),
            |(xs, round)| {
                let total = sum(&xs, &calls, &place, DeviceKind::Cpu).the();
                (xs.map(move |x| x + total), round.map(|round| round + 1))
            },
        );
        xs
    };
    for context in crate::contexts() {
        assert_eq!(context.compile(function).unwrap().run(&numbers(3)).unwrap().to_vec(), [15, 16, 17]);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn what_fails_in_a_function_is_an_error_of_the_run() {
    let native = |xs: Vector<i64>| match xs.len() {
        0 => Err("nothing to do".into()),
        1 => panic!("one is {}", 1),
        n => Ok(Array::from_vec([], vec![n as i64])?),
    };
    let function = |xs: Acc<Vector<i64>>| foreign(DeviceKind::Cpu, "count", native, &xs, |xs| xs.sum());
    let compiled = Context::cpu().unwrap().compile(function).unwrap();
    let found = [0, 1, 2].map(|n| compiled.run(&numbers(n)));
    assert_eq!(found[0], Err(Error::Foreign("count: nothing to do".to_string())));
    assert_eq!(found[1], Err(Error::Foreign("count: panicked: one is 1".to_string())));
    assert_eq!(found[2].as_ref().map(|count| count.to_vec()), Ok(vec![2]));
}
