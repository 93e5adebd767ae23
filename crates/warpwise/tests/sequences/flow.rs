//! The flow of passes: lazily, slightly ahead, or at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use warpwise::{Acc, Context, Seq, Singleton, Streaming, enum_from, unit, use_};

use crate::{scalar, vector};

fn counted(asked: &Arc<AtomicUsize>) -> impl Iterator<Item = warpwise::Singleton<i64>> + Send + use<> {
    let asked = Arc::clone(asked);
    (0..).map(move |x| {
        asked.fetch_add(1, Ordering::SeqCst);
        scalar(x)
    })
}

#[test]
fn endless_sources_are_read_a_few_chunks_ahead() {
    let asked = Arc::new(AtomicUsize::new(0));
    let seq: Seq<Acc<Singleton<i64>>> = Seq::from_iter(counted(&asked));
    let mut numbers = seq.into_iter_with(&Context::cpu().unwrap(), &Streaming::new().chunk(10)).unwrap();
    assert_eq!(numbers.next().unwrap().unwrap().to_vec(), [0]);
    std::thread::sleep(Duration::from_millis(200));
    assert!(asked.load(Ordering::SeqCst) <= 60, "{asked:?}");
    assert_eq!(numbers.nth(99).unwrap().unwrap().to_vec(), [100]);
}

#[test]
fn no_more_is_read_than_is_taken() {
    let asked = Arc::new(AtomicUsize::new(0));
    let seq: Seq<Acc<Singleton<i64>>> = Seq::from_iter(counted(&asked));
    let sum = seq.take(25).fold(scalar(0), |x, y| x.zip_with(&y, |x, y| x + y)).run(&Context::cpu().unwrap());
    assert_eq!(sum.unwrap().to_vec(), [300]);
    assert_eq!(asked.load(Ordering::SeqCst), 25);
}

#[test]
fn results_come_before_the_input_ends() {
    let (to_source, given) = std::sync::mpsc::channel();
    let seq = Seq::<Acc<Singleton<i64>>>::from_iter(given.into_iter().map(scalar)).map_all(|x| x + 1);
    let mut numbers = seq.into_iter_with(&Context::cpu().unwrap(), &Streaming::new().chunk(1)).unwrap();
    for x in 0..5 {
        to_source.send(x).unwrap();
        assert_eq!(numbers.next().unwrap().unwrap().to_vec(), [x + 1]);
    }
    drop(to_source);
    assert!(numbers.next().is_none());
}

#[test]
fn chunks_grow_and_keep_to_the_budget() {
    let chunks = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&chunks);
    let limit = 4 << 20;
    let streaming =
        Streaming::new().memory_limit(limit).observe(move |progress| seen.lock().unwrap().push(*progress));
    let rows = Seq::produce(20_000, |i| enum_from(100, i)).map(|xs| xs.map(|x| x * x).sum());
    let sums = rows.elements().run_with(&Context::cpu().unwrap(), &streaming).unwrap();
    assert_eq!(sums.len(), 20_000);
    let chunks = chunks.lock().unwrap();
    assert_eq!(chunks[0].chunk, 1);
    assert!(chunks.iter().any(|progress| progress.chunk > 16), "{:?}", &chunks[..chunks.len().min(20)]);
    assert!(chunks.iter().all(|progress| progress.bytes <= limit));
    assert_eq!(chunks[chunks.len() - 1].elements, 20_000);
}

#[test]
fn later_passes_begin_where_the_last_one_ended() {
    let context = Context::cpu().unwrap().with_cache(None);
    let first_chunk = |count: u64, limit: u64| {
        let chunks = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&chunks);
        let streaming = Streaming::new()
            .memory_limit(limit)
            .observe(move |progress| seen.lock().unwrap().push(progress.chunk));
        let rows = Seq::produce(count, |i| enum_from(10, i)).map(|xs| xs.sum());
        let sums = rows.elements().run_with(&context, &streaming).unwrap().to_vec();
        let expected: Vec<i64> = (0..count as i64).map(|i| 10 * i + 45).collect();
        assert_eq!(sums, expected);
        chunks.lock().unwrap()[0]
    };
    assert_eq!(first_chunk(5000, 4 << 20), 1);
    assert!(first_chunk(5000, 4 << 20) > 1);
    assert_eq!(first_chunk(1, 4 << 20), 1, "there is but one");
    first_chunk(5000, 4 << 20);
    assert_eq!(first_chunk(5000, 1 << 20), 1, "what was learned with a larger budget does not count");
}

#[test]
fn reading_computing_and_consuming_go_on_at_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let seq = Seq::<Acc<Singleton<i64>>>::from_iter(counted(&asked).take(20)).map_all(|x| x + 1);
    let streaming = Streaming::new().chunk(1);
    let numbers = seq.into_iter_with(&Context::cpu().unwrap(), &streaming).unwrap();
    for (taken, number) in numbers.enumerate() {
        number.unwrap();
        // While this element is consumed, others are read and computed; otherwise, this loop would never end.
        let start = Instant::now();
        while asked.load(Ordering::SeqCst) < (taken + 4).min(20) {
            assert!(start.elapsed() < Duration::from_secs(120), "nothing is read after element {taken}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn passes_of_one_form_use_their_own_arrays() {
    let context = Context::cpu().unwrap().with_cache(None);
    for (round, size) in [3_i64, 1, 0, 40].into_iter().enumerate() {
        let factors: Vec<i64> = (0..size).map(|i| i + round as i64).collect();
        let data: Vec<i64> = (0..3 * size).collect();
        let expected: Vec<i64> = (0..3)
            .map(|row| (0..size).map(|i| data[(row * size + i) as usize] * factors[i as usize]).sum())
            .collect();
        let (data, factors) = (vector(data), use_(&vector(factors)));
        let rows = Seq::segments(&data, &vector(vec![size; 3]));
        let products = rows.map(|row| row.zip_with(&factors, |x, y| x * y).sum());
        for streaming in [Streaming::new(), Streaming::new().memory_limit(1 << 20)] {
            assert_eq!(products.elements().run_with(&context, &streaming).unwrap().to_vec(), expected);
        }
        assert_eq!(context.compilations(), 1);
    }
}

#[test]
fn regular_programs_have_no_segment_descriptor() {
    let context = Context::cpu().unwrap();
    let matrix = warpwise::Array::from_vec([4, 5], (0..20_i64).collect()).unwrap();
    let weights = use_(&vector((0..5_i64).collect()));
    let regular = Seq::rows(&matrix)
        .map(|row| row.map(|x| x + 1))
        .map(|row| row.zip_with(&weights, |x, y| x * y).sum());
    let text = regular.show(&context).unwrap();
    for irregular in ["starts", "heads", "owners", "total"] {
        assert!(!text.contains(irregular), "{text}");
    }
    let ragged = Seq::segments(&vector(vec![1_i64, 2, 3]), &vector(vec![1, 2])).map(|row| row.map(|x| x + 1));
    assert!(ragged.show(&context).unwrap().contains("starts"));
}

#[test]
fn maps_after_maps_are_one_operation_on_a_chunk() {
    let context = Context::cpu().unwrap();
    let once = |seq: &Seq<Acc<warpwise::Vector<i64>>>| {
        let text = seq.show(&context).unwrap();
        text.matches("screma").count()
    };
    let ragged = Seq::segments(&vector(vec![1_i64, 2, 3]), &vector(vec![1, 2]));
    let one = ragged.map(|row| row.map(|x| x + 1));
    let three = one.map(|row| row.map(|x| x * 2)).map(|row| row.map(|x| x - 3));
    assert_eq!(once(&three), once(&one));
    let numbers = Seq::produce(3, unit).map_all(|x| x + 1).map_all(|x| x * 2);
    assert_eq!(numbers.show(&context).unwrap().matches("screma").count(), 1);
}
