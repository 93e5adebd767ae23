//! Failures name the number of the element, and all elements before it are consumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpwise::{
    Acc, Array, Cancel, Context, Error, Seq, SeqCause, Singleton, Streaming, Vector, consume, enum_from,
    fill, unit, use_,
};

use crate::{contexts, scalar, schedules, vector};

/// Returns all elements that a sequence yields before it ends, and how it ends.
fn all(
    seq: &Seq<Acc<Singleton<i64>>>,
    context: &Context,
    streaming: &Streaming,
) -> (Vec<i64>, Option<warpwise::SeqError>) {
    let mut found = Vec::new();
    for element in seq.into_iter_with(context, streaming).unwrap() {
        match element {
            Ok(element) => found.extend(element.to_vec()),
            Err(error) => return (found, Some(error)),
        }
    }
    (found, None)
}

#[test]
fn a_source_that_fails_loses_nothing() {
    for context in contexts() {
        for streaming in schedules() {
            let items = (0..20).map(|x| if x == 13 { Err("no more".to_string()) } else { Ok(scalar(x)) });
            let seq = Seq::<Acc<Singleton<i64>>>::try_from_iter(items).map_all(|x| x * 2);
            let (found, error) = all(&seq, &context, &streaming);
            assert_eq!(found, (0..13).map(|x| x * 2).collect::<Vec<i64>>());
            let error = error.unwrap();
            assert_eq!((error.element, error.cause), (Some(13), SeqCause::Source("no more".to_string())));
        }
    }
}

#[test]
fn a_failing_check_names_its_element_and_loses_nothing() {
    for context in contexts() {
        for streaming in schedules() {
            let table = warpwise::use_(&vector(vec![5_i64, 6, 7])).reader();
            let seq = Seq::produce(9, move |i| unit(table.at(i)));
            let (found, error) = all(&seq, &context, &streaming);
            assert_eq!(found, [5, 6, 7]);
            let error = error.unwrap();
            assert_eq!(error.element, Some(3));
            let SeqCause::Program(Error::Check(message)) = error.cause else { panic!("{:?}", error.cause) };
            assert!(message.contains("Index [3] out of bounds"), "{message}");
        }
    }
}

#[test]
fn room_for_more_results_than_any_memory_holds_is_no_reason_to_fail() {
    let numbers = vector((0..40_i64).collect());
    for count in [1 << 40, 1 << 61, u64::MAX] {
        let reader = use_(&numbers);
        let seq = Seq::produce(count, move |i| unit(reader.reader().at(i)));
        let failed = seq.elements().run(&Context::cpu().unwrap()).unwrap_err();
        assert_eq!(failed.element, Some(40), "{failed}");
    }
}

#[test]
fn a_source_that_panics_is_an_error() {
    let items = (0..5).map(|x| if x == 2 { std::panic::panic_any(()) } else { scalar(x) });
    let (found, error) = all(&Seq::from_iter(items), &contexts()[0], &Streaming::new().chunk(1));
    assert_eq!(found, [0, 1]);
    assert_eq!(error.unwrap().cause, SeqCause::Source("the source panicked".to_string()));
}

#[test]
fn an_element_that_is_too_large_is_named() {
    for context in contexts() {
        let sizes = [10, 1000, 1 << 20, 3];
        let seq = Seq::<Acc<Vector<i64>>>::from_iter(sizes.into_iter().map(|n| vector(vec![1; n])));
        let streaming = Streaming::new().memory_limit(1 << 20);
        let error = seq.map(|xs| xs.sum()).elements().run_with(&context, &streaming).unwrap_err();
        assert_eq!(error.element, Some(2), "{error}");
        assert!(matches!(error.cause, SeqCause::TooLarge(_)), "{error}");
    }
}

#[test]
fn results_that_are_too_large_are_computed_fewer_at_a_time() {
    let context = &contexts()[0];
    let streaming = Streaming::new().memory_limit(1 << 20).chunk(64);
    // 64 results of 64 KiB do not fit; some of them do.
    let seq = Seq::produce(64, |i| fill(1 << 13, i));
    let sums = seq.map(|xs| xs.map(|x| x + 1)).zip_with(&seq, |xs, ys| xs.zip_with(&ys, |x, y| x * y));
    let mut count = 0;
    for (number, array) in sums.into_iter_with(context, &streaming).unwrap().enumerate() {
        let number = number as i64;
        assert_eq!(array.unwrap().as_slice(), vec![number * (number + 1); 1 << 13]);
        count += 1;
    }
    assert_eq!(count, 64);
    let large = Seq::produce(3, |i| enum_from(i * (1 << 18), 0_i64));
    let error = large.collect().run_with(context, &streaming).unwrap_err();
    assert_eq!(error.element, Some(1), "{error}");
}

#[test]
fn consumers_may_stop_early_and_leave_nothing_behind() {
    let alive = Arc::new(AtomicUsize::new(0));
    struct Counted(Arc<AtomicUsize>, i64);
    impl Iterator for Counted {
        type Item = Array<warpwise::Dim0, i64>;
        fn next(&mut self) -> Option<Self::Item> {
            self.1 += 1;
            Some(scalar(self.1))
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    alive.fetch_add(1, Ordering::SeqCst);
    let seq = Seq::<Acc<Singleton<i64>>>::from_iter(Counted(Arc::clone(&alive), 0));
    let first: Vec<i64> =
        seq.into_iter(&contexts()[0]).unwrap().take(5).flat_map(|x| x.unwrap().to_vec()).collect();
    assert_eq!(first, [1, 2, 3, 4, 5]);
    let start = std::time::Instant::now();
    while alive.load(Ordering::SeqCst) > 0 {
        assert!(start.elapsed().as_secs() < 60, "the threads still run");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn passes_can_be_cancelled() {
    let cancel = Cancel::new();
    let streaming = Streaming::new().cancel(&cancel);
    let mut numbers = Seq::produce_forever(unit).into_iter_with(&contexts()[0], &streaming).unwrap();
    assert_eq!(numbers.next().unwrap().unwrap().to_vec(), [0]);
    cancel.cancel();
    let last = numbers.find(Result::is_err).unwrap().unwrap_err();
    assert_eq!(last.cause, SeqCause::Cancelled);
}

#[test]
fn two_passes_at_once() {
    let context = contexts()[0].clone();
    let sums: Vec<i64> = std::thread::scope(|scope| {
        let one = |n: u64| {
            let context = context.clone();
            move || {
                let squares = Seq::produce(n, |i| unit(i * i));
                squares.fold(scalar(0), |x, y| x.zip_with(&y, |x, y| x + y)).run(&context).unwrap().to_vec()
                    [0]
            }
        };
        let handles: Vec<_> = [1000, 2000].map(|n| scope.spawn(one(n))).into_iter().collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!(sums, [1000, 2000].map(|n| (0..n).map(|i| i * i).sum::<i64>()));
}

#[test]
fn consumers_of_one_pass_need_sources_of_one_length() {
    let short = Seq::produce(3, unit);
    let long = Seq::produce(5, unit);
    let sum = |seq: &Seq<Acc<Singleton<i64>>>| seq.fold(scalar(0), |x, y| x.zip_with(&y, |x, y| x + y));
    let error = consume(&contexts()[0], (sum(&short), sum(&long))).unwrap_err();
    assert_eq!((error.element, matches!(error.cause, SeqCause::Shape(_))), (Some(3), true), "{error}");
    let (left, right) = consume(&contexts()[0], (sum(&short), sum(&long.take(3)))).unwrap();
    assert_eq!(left, right);
}

#[test]
fn one_array_that_is_no_element_is_refused_where_it_is_made() {
    let element = Seq::produce(2, |i| unit(i)).map(|x| x.map(|x| x / 0));
    let error = element.elements().run(&contexts()[0]).unwrap_err();
    assert!(error.to_string().contains("division by zero"), "{error}");
    assert_eq!(error.element, Some(0));
}
