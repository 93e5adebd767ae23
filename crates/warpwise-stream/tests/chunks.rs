//! Entry points divided into chunk functions, against the same entry points on whole arrays: equal bit for bit.

use std::path::PathBuf;

use warpwise_driver::build::build;
use warpwise_driver::cache::DiskCache;
use warpwise_driver::chunks::{ChunksError, build_chunks};
use warpwise_driver::{ChunksShape, Context, Options, Program, ResultOf};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;
use warpwise_stream::chunks::{Chunks, Given};
use warpwise_stream::pipeline::{Grouping, Settings, run};
use warpwise_stream::sink::{Gathered, MemorySink, Sink};
use warpwise_stream::source::{Source, ValueSource};

const PROGRAM: &str = "
entry wave [n] (k: f32) (xs: [n]f32) : [n]f32 = map (\\x -> f32.sin (x * k) + x / 3) xs
entry indices [n] (xs: [n]f32) : [n]f32 = map2 (\\i x -> x * f32.i64 (3 * i)) (iota n) xs
entry mean [n] (xs: [n]f32) : ([n]f32, f32, f32) =
  let ys = map (\\x -> f32.exp x) xs
  in (map (+ 1) ys, f32.sum ys / f32.i64 n, f32.maximum ys)
entry moments [n] (xs: [n]f32) : (f32, f32) =
  reduce (\\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (map (\\x -> (x, 1 + x / 1000)) xs)
entry running [n] (xs: [n]f32) : [n]i64 = scan (+) 0 (map (\\x -> i64.f32 (x * 100)) xs)
entry recurrence [n] (xs: [n]f32) : [n]i32 =
  let f (a: i32, b: i32) (c: i32, d: i32) = (a * c, c * b + d)
  in map (.1) (scan f (1, 0) (map (\\x -> (3, i32.f32 (x * 10))) xs))
entry highest [n] (xs: [n]f32) : [n]f32 = map (* 2) (scan f32.max f32.lowest xs)
entry bins [n] (k: i64) (xs: [n]f32) : ([k]i64, [k]f32) =
  let is = map (\\x -> i64.f32 ((x + 1) * 8) % k) xs
  in (hist (+) 0 k is (map (const 1) xs), hist f32.max f32.lowest k is xs)
entry last [n] (xs: [n]f32) : [16]f32 =
  scatter (replicate 16 0) (map (\\x -> i64.f32 ((x + 1) * 8)) xs) xs
entry large [n] (xs: [n]f32) : []f32 = map (* 2) (filter (> 0.5) xs)
entry position [n] (xs: [n]f32) : (f32, i64) =
  let least (a, i) (b, j) = if a < b then (a, i) else if b < a then (b, j) else (a, i64.min i j)
  in reduce_comm least (f32.inf, i64.highest) (zip xs (iota n))
entry rows [n] (xs: [n]f32) : ([n]f32, [n][3]f32) =
  let table = map (\\x -> [x, x + 1, x * x]) xs
  in (map f32.sum table, table)
entry checked [n] (k: i64) (xs: [n]f32) : [n]f32 =
  let table = map f32.i64 (iota 10)
  in map (\\x -> x * table[k]) xs

entry twice [n] (xs: [n]f32) : [n]f32 = let s = f32.sum xs in map (/ s) xs
entry neighbours [n] (xs: [n]f32) : [n]f32 = tabulate n (\\i -> xs[i] + xs[i64.max 0 (i - 1)])
entry sums [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs
entry counts [n] (xs: [n]f32) : [4]f32 = hist (+) 0 4 (map (\\x -> i64.f32 (x * 3)) xs) xs
entry kept [n] (xs: [n]f32) : i64 = length (filter (> 0.5) xs)
entry looped [n] (xs: [n]f32) : [n]f32 = loop ys = copy xs for i < 3 do map (+ ys[i]) ys
entry nothing (x: f32) : f32 = x
";

struct Files {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

/// Makes a file with one of the entry points.
fn file_of(entry: &str) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.fut");
    let own = PROGRAM.split("\nentry ").find(|text| text.split(' ').next() == Some(entry)).unwrap();
    std::fs::write(&path, format!("entry {own}")).unwrap();
    Files { _folder: folder, path }
}

fn context(threads: usize) -> Context {
    Context::with(ThreadPool::new(threads), MemoryPool::new(1 << 30))
}

/// Makes numbers between -1 and 1.
fn numbers(context: &Context, count: usize) -> Array {
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) as i32) as f32 / i32::MAX as f32;
    Array::from_elements(context.memory(), (0..count as u32).map(number)).unwrap()
}

/// Returns the results in chunks of `rows` rows.
fn in_chunks(
    context: &Context,
    shape: &ChunksShape,
    program: &Program,
    fixed: &[Value],
    xs: &Array,
    rows: u64,
) -> Result<Vec<Value>, String> {
    let ty = warpwise_prim::ValueType::F32;
    let given: Vec<Given> =
        fixed.iter().cloned().map(Given::Whole).chain([Given::Rows(xs.shape().to_vec())]).collect();
    let mut step = Chunks::new(program, shape, given).map_err(|error| error.to_string())?;
    let outputs = shape.results.iter().filter(|result| matches!(result, ResultOf::Output(_))).count();
    let sinks: Vec<MemorySink> = (0..outputs).map(|_| MemorySink::new("rows", context.memory())).collect();
    let gathered: Vec<Gathered> = sinks.iter().map(MemorySink::gathered).collect();
    let sinks = sinks.into_iter().map(|sink| Box::new(sink) as Box<dyn Sink>).collect();
    let sources: Vec<Box<dyn Source>> = vec![Box::new(ValueSource::new("xs", ty, xs.clone()).unwrap())];
    let (memory, cancel) = (context.memory().clone(), context.threads().cancel_flag().clone());
    let settings = Settings { grouping: Grouping::Blocks(rows), memory, patience: None, cancel };
    let outcome = run(sources, &mut step, sinks, &settings, &mut |_| {});
    if let Some(error) = outcome.error {
        return Err(error.to_string());
    }
    let after = step.finish().map_err(|error| error.to_string())?;
    let result = |result: &ResultOf| match *result {
        ResultOf::Output(place) => gathered[place].take().unwrap(),
        ResultOf::After(place) => after[place].clone(),
    };
    Ok(shape.results.iter().map(result).collect())
}

fn compare(entry: &str, fixed: &[Value], counts: &[usize]) {
    let files = file_of(entry);
    for threads in [1, 3] {
        let context = context(threads);
        let whole = build(&files.path, &Options::default(), None).unwrap().compiled.load(&context).unwrap();
        let pieces = build_chunks(&files.path, &Options::default(), entry, fixed.len(), None).unwrap().made;
        let program = pieces.compiled.load(&context).unwrap();
        for &count in counts {
            let xs = numbers(&context, count);
            let column = Value::array(warpwise_prim::ValueType::F32, xs.clone());
            let arguments = fixed.iter().cloned().chain([column]).collect();
            let expected = whole.call(entry, arguments).unwrap();
            let sizes = match pieces.rows {
                Some(rows) => vec![rows],
                None => vec![1 + count as u64 / 7, 64, count.max(1) as u64],
            };
            for rows in sizes {
                let found = in_chunks(&context, &pieces.shape, &program, fixed, &xs, rows).unwrap();
                assert!(found == expected, "{entry} of {count} by {rows} on {threads} threads");
            }
        }
    }
}

#[test]
fn maps_and_filters() {
    let k = Value::from_element(0.7_f32);
    compare("wave", std::slice::from_ref(&k), &[0, 1, 5, 3000]);
    for entry in ["indices", "large", "rows"] {
        compare(entry, &[], &[0, 1, 5, 3000]);
    }
    compare("checked", &[Value::from_element(3_i64)], &[0, 1, 700]);
}

#[test]
fn reductions_that_round_have_the_same_bits() {
    for entry in ["mean", "moments"] {
        compare(entry, &[], &[0, 1, 17, 131_072, 131_073, 700_001]);
    }
}

#[test]
fn what_is_carried_from_chunk_to_chunk() {
    for entry in ["running", "recurrence", "highest", "last", "position"] {
        compare(entry, &[], &[0, 1, 2, 1000, 20_000]);
    }
    compare("bins", &[Value::from_element(5_i64)], &[0, 1, 2, 1000, 50_000]);
}

#[test]
fn what_takes_more_than_chunks_says_where_and_why() {
    for (entry, why) in [
        ("twice", "a second pass"),
        ("neighbours", "as a whole"),
        ("sums", "change their order"),
        ("counts", "change their order"),
        ("kept", "how many rows are kept"),
        ("looped", "as a whole"),
        ("nothing", "no array whose number of rows"),
    ] {
        let files = file_of(entry);
        match build_chunks(&files.path, &Options::default(), entry, 0, None) {
            Err(ChunksError::Refused(message)) => {
                assert!(message.contains(why) && message.contains("p.fut:"), "{entry}: {message}");
            }
            other => panic!("{entry}: {other:?}"),
        }
    }
}

#[test]
fn a_check_that_fails_fails_in_chunks_too() {
    let files = file_of("checked");
    let context = context(1);
    let pieces = build_chunks(&files.path, &Options::default(), "checked", 1, None).unwrap().made;
    let program = pieces.compiled.load(&context).unwrap();
    let xs = numbers(&context, 100);
    let error =
        in_chunks(&context, &pieces.shape, &program, &[Value::from_element(10_i64)], &xs, 10).unwrap_err();
    assert!(error.contains("Index [10] out of bounds"), "{error}");
}

#[test]
fn pieces_are_compiled_once() {
    let (files, folder) = (file_of("mean"), tempfile::tempdir().unwrap());
    let cache = DiskCache::new(folder.path(), 1 << 24);
    let built = |entry| build_chunks(&files.path, &Options::default(), entry, 0, Some(&cache)).unwrap();
    let (first, again) = (built("mean"), built("mean"));
    assert_eq!((first.cached, again.cached), (false, true));
    assert_eq!((&first.made.shape, first.made.rows), (&again.made.shape, again.made.rows));
    let context = context(1);
    let xs = numbers(&context, 300_000);
    let [expected, found] = [first, again].map(|built| {
        let program = built.made.compiled.load(&context).unwrap();
        in_chunks(&context, &built.made.shape, &program, &[], &xs, built.made.rows.unwrap()).unwrap()
    });
    assert!(expected == found);
    // A changed text is another program.
    let text = std::fs::read_to_string(&files.path).unwrap();
    std::fs::write(&files.path, text.replace("map (+ 1) ys", "map (+ 2) ys")).unwrap();
    assert!(!built("mean").cached);
}
